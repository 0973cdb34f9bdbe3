/* test_tool.c - the words of an agent through jotter.h. */
#include "api/caller.h"

static const jot_tool_reply *call(Caller *c, const char *name, const char *args)
{
    const jot_tool_reply *r;
    ok(c->pad, jot_tool_call(c->pad, name, args, &r));
    return r;
}

static void a_tool_does_what_the_functions_do(Caller *c)
{
    const jot_doc *doc;
    const jot_tool_reply *r =
        call(c, "scratchpad_write", "{\"key\": \"plan\", \"content\": \"ship\"}");
    assert_false(r->is_error);
    assert_says(r->text.data, "wrote 4 chars to scratchpad[plan]");
    assert_null(r->data);
    ok(c->pad, jot_doc_read(c->pad, "plan", NULL, &doc));
    assert_text(doc->text, "ship");
    assert_string_equal(doc->by, "ann");
    r = call(c, "scratchpad_list", NULL);
    assert_text(r->text, "plan");
    assert_false(r->has_value);
    r = call(c, "scratchpad_read", "{\"key\": \"plan\"}");
    assert_true(r->has_value);
    assert_text(r->value, "ship");
    assert_says(r->text.data, "ship\nversion ");
}

static void what_a_model_does_wrong_is_an_answer(Caller *c)
{
    const jot_tool_reply *r = call(c, "scratchpad_write", "{\"key\": \"../x\", \"content\": \"\"}");
    assert_true(r->is_error);
    assert_says(r->text.data, "invalid key '../x'");
    r = call(c, "scratchpad_read", "{}");
    assert_true(r->is_error);
    assert_says(r->text.data, "key");
    expect(c->pad, JOT_NOT_FOUND, jot_tool_call(c->pad, "nonsense", NULL, &r));
    assert_null(r);
}

static void the_memory_tool_speaks_as_documented(Caller *c)
{
    const jot_doc *doc;
    const jot_tool_reply *r =
        call(c, "memory",
             "{\"command\": \"create\", \"path\": \"/memories/a.md\", \"file_text\": \"x\\n\"}");
    assert_text(r->text, "File created successfully at: /memories/a.md");
    ok(c->pad, jot_doc_read(c->pad, "memories/a.md", NULL, &doc));
    assert_text(doc->text, "x\n");
    r = call(c, "memory", "{\"command\": \"delete\", \"path\": \"/memories/b.md\"}");
    assert_true(r->is_error);
    assert_says(r->text.data, "The path /memories/b.md does not exist");
}

static void the_memory_tool_speaks_the_dialect_the_pad_was_opened_with(Caller *c)
{
    jot_open_options o = { .size = sizeof o, .dialect = "python" };
    jot_pad *pad = jot_new();
    const jot_tool_reply *r;
    ok(pad, jot_open(pad, "mem:", &o));
    ok(pad, jot_tool_call(pad, "memory_view", "{\"path\": \"/memories\"}", &r));
    assert_text(r->text, "Here're the files and directories up to 2 levels deep in /memories, "
                         "excluding hidden items:\n0B\t/memories");
    o.dialect = "perl";
    expect(pad, JOT_INVALID, jot_open(pad, "mem:", &o));
    assert_says(jot_error(pad), "there is no dialect 'perl'");
    jot_free(pad);
    r = call(c, "memory_view", "{\"path\": \"/memories\"}");
    assert_says(r->text.data, "excluding hidden items and node_modules:");
}

static void a_graph_answers_with_data_that_says_the_same(Caller *c)
{
    const jot_tool_reply *r = call(c, "create_entities",
                                   "{\"entities\": [{\"name\": \"ann\", \"entityType\": \"person\","
                                   " \"observations\": [\"writes C\"]}]}");
    assert_false(r->is_error);
    assert_non_null(r->data);
    assert_says(r->data, "writes C");
    assert_says(r->text.data, "writes C");
}

static void the_list_of_tools_is_what_mcp_lists(Caller *c)
{
    const char *list;
    ok(c->pad, jot_tools(c->pad, NULL, &list));
    assert_int_equal(list[0], '[');
    assert_says(list, "\"scratchpad_write\"");
    assert_says(list, "\"inputSchema\"");
    assert_null(strstr(list, "\"memory\""));
    ok(c->pad, jot_tools(c->pad, "memory", &list));
    assert_says(list, "\"memory\"");
}

static const jot_answer *did(Caller *c, const char *noun, const char *verb, const char *args)
{
    const jot_answer *a;
    ok(c->pad, jot_verb(c->pad, noun, verb, args, &a));
    return a;
}

static void a_verb_by_its_name_gives_its_data(Caller *c)
{
    const jot_task *task;
    const jot_answer *a = did(c, "task", "add", "{\"id\": \"t1\", \"priority\": 7}");
    assert_says(a->data, "\"task_id\":\"t1\"");
    assert_false(a->has_body);
    ok(c->pad, jot_task_read(c->pad, "t1", &task));
    assert_int_equal(task->priority, 7);
    assert_string_equal(task->by, "ann");
    did(c, "line_log", "append", "{\"category\": \"a\", \"name\": \"b\", \"line\": \"x y\"}");
    a = did(c, "line_log", "read", "{\"category\": \"a\", \"name\": \"b\"}");
    assert_says(a->data, "\"x y\"");
    did(c, "artifact", "write", "{\"category\": \"p\", \"id\": \"i\", \"data\": [1]}");
    a = did(c, "artifact", "read", "{\"category\": \"p\", \"id\": \"i\"}");
    assert_true(a->has_body);
    assert_text(a->body, "[\n  1\n]");
}

/* On a command line the word is also a person's: there it can name a task. */
static void a_verb_whose_word_is_a_persons_too_does_what_agents_may(Caller *c)
{
    did(c, "task", "add", "{\"id\": \"t1\"}");
    const jot_answer *a = did(c, "task", "ready", NULL);
    assert_says(a->data, "\"ready\":[{");
    assert_says(a->data, "\"task_id\":\"t1\"");
    expect(c->pad, JOT_INVALID, jot_verb(c->pad, "task", "ready", "{\"id\": \"t1\"}", &a));
}

static void a_refusal_names_members_of_the_arguments_not_options(Caller *c)
{
    static const struct {
        const char *noun, *verb, *args, *says;
    } wrong[] = {
        { "artifact", "write",
          "{\"category\": \"p\", \"id\": \"i\", \"data\": 1, \"if_version\": \"abcd\", "
          "\"if_absent\": true}",
          "'if_version' or 'if_absent'" },
        { "sink", "read", "{\"call\": \"c\", \"byte_range\": \"0\", \"line_range\": \"1\"}",
          "'byte_range' or 'line_range'" },
        { "sink", "read", "{\"call\": \"c\", \"byte_range\": \"x\"}", "'byte_range'" },
        { "sink", "read", "{\"call\": \"c\", \"line_range\": \"x\"}", "'line_range'" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const jot_answer *a;
        expect(c->pad, JOT_INVALID,
               jot_verb(c->pad, wrong[i].noun, wrong[i].verb, wrong[i].args, &a));
        assert_says(jot_error(c->pad), wrong[i].says);
        assert_null(strstr(jot_error(c->pad), "--"));
    }
}

static void a_verb_that_is_refused_has_the_status_and_what_is_in_the_way(Caller *c)
{
    const jot_answer *a;
    did(c, "task", "add", "{\"id\": \"t1\"}");
    expect(c->pad, JOT_INVALID,
           jot_verb(c->pad, "task", "move", "{\"id\": \"t1\", \"to\": \"completed\"}", &a));
    assert_non_null(a);
    assert_says(a->data, "\"status\":\"pending\"");
    expect(c->pad, JOT_NOT_FOUND, jot_verb(c->pad, "task", "read", "{\"id\": \"t2\"}", &a));
    assert_null(a);
    expect(c->pad, JOT_NOT_FOUND, jot_verb(c->pad, "task", "eat", NULL, &a));
    assert_says(jot_error(c->pad), "there is no verb 'eat' of 'task'");
    expect(c->pad, JOT_NOT_FOUND, jot_verb(c->pad, "note", "purge", NULL, &a));
}

static void the_list_of_verbs_has_what_agents_may_do(Caller *c)
{
    const char *list;
    ok(c->pad, jot_verbs(c->pad, &list));
    assert_says(list, "\"noun\":\"task\"");
    assert_says(list, "\"noun\":\"artifact_index\"");
    assert_says(list, "\"noun\":\"run\"");
    assert_says(list, "\"input\":{\"type\":\"object\"");
    assert_null(strstr(list, "from_char")); /* by which a model asks for a part */
    assert_null(strstr(list, "purge"));
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(a_tool_does_what_the_functions_do),
        CALLER_TEST(what_a_model_does_wrong_is_an_answer),
        CALLER_TEST(the_memory_tool_speaks_as_documented),
        CALLER_TEST(the_memory_tool_speaks_the_dialect_the_pad_was_opened_with),
        CALLER_TEST(a_graph_answers_with_data_that_says_the_same),
        CALLER_TEST(the_list_of_tools_is_what_mcp_lists),
        CALLER_TEST(a_verb_by_its_name_gives_its_data),
        CALLER_TEST(a_verb_whose_word_is_a_persons_too_does_what_agents_may),
        CALLER_TEST(a_refusal_names_members_of_the_arguments_not_options),
        CALLER_TEST(a_verb_that_is_refused_has_the_status_and_what_is_in_the_way),
        CALLER_TEST(the_list_of_verbs_has_what_agents_may_do),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
