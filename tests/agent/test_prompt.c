/* test_prompt.c - rules: which files, in which order, with what filled in. */
#include "agent/prompt.h"

#include <sys/stat.h>

#include "agent/scene.h"
#include "memory/doc.h"

static Str build(Desk *d, PromptAsk ask)
{
    Str out;
    ask.m = &d->m;
    if (!ask.dir.n)
        ask.dir = str(d->dir);
    desk_ok(d, prompt_build(&ask, &d->a, &out, &d->e));
    return out;
}

static size_t place_of(Str text, const char *part)
{
    const char *at = memmem(text.p, text.n, part, strlen(part));
    if (!at)
        fail_msg("'" STR_FMT "' does not say '%s'", STR_ARG(text), part);
    return (size_t)(at - text.p);
}

static void write_note(Desk *d, const char *stream, const char *text)
{
    Doc doc;
    DocWrite w = { .text = str(text) };
    desk_ok(d, doc_write(&d->m, str(stream), &w, &d->a, &doc, &d->e));
}

static void the_nearest_rules_come_last(Desk *d)
{
    char sub[96];
    snprintf(sub, sizeof sub, "%s/sub", d->dir);
    assert_int_equal(mkdir(sub, 0700), 0);
    scene_put(d->dir, "AGENTS.md", "far agents\n");
    scene_put(d->dir, "CLAUDE.md", "far claude\n");
    scene_put(sub, "CLAUDE.md", "near claude\n");
    write_note(d, "notes/persistent-rules", "the note\n");
    write_note(d, "notes/pinned-b", "pinned two\n");
    write_note(d, "notes/pinned-a", "pinned one\n");
    Str text = build(d, (PromptAsk){ .dir = str(sub), .rules = S("the file") });
    static const char *const order[] = {
        "# The scratchpad", "the file", "far agents", "far claude",
        "near claude",      "the note", "pinned one", "pinned two"
    };
    for (size_t i = 1; i < COUNT_OF(order); i++)
        assert_row(place_of(text, order[i - 1]) < place_of(text, order[i]), i, order[i]);
    Str without = build(d, (PromptAsk){ .dir = str(sub), .no_files = true });
    assert_int_equal(scene_times(without, "far "), 0);
}

static void a_file_that_says_the_same_is_not_said_twice(Desk *d)
{
    scene_put(d->dir, "AGENTS.md", "the same\n");
    scene_put(d->dir, "CLAUDE.md", "the same\n");
    assert_int_equal(scene_times(build(d, (PromptAsk){ 0 }), "the same\n"), 1);
}

static void placeholders_are_filled_in(Desk *d)
{
    char host[256];
    AUTO(Buf) text = { 0 };
    assert_int_equal(gethostname(host, sizeof host), 0);
    PromptAsk ask = { .m = &d->m, .dir = S("/srv/here"), .agent = S("ann") };
    prompt_fill(S("{{WORKING_DIR}} on {{DATE}} as {{AGENT}}: {{HOSTNAME}} {{OTHER}} {{"), &ask,
                &text);
    Str want = arena_printf(&d->a, "/srv/here on 2026-01-01 as ann: %s {{OTHER}} {{", host);
    assert_str(buf_str(&text), want);
}

static void a_long_note_is_cut_and_said_to_be(Desk *d)
{
    AUTO(Buf) text = { 0 }, left_out = { 0 };
    for (int i = 0; i < PROMPT_FILE_MAX / 4 + 1; i++)
        buf_add(&text, S("note"));
    buf_add_char(&text, 0);
    write_note(d, "notes/persistent-rules", text.p);
    build(d, (PromptAsk){ .left_out = &left_out });
    assert_str(buf_str(&left_out), S("the note 'persistent-rules' is longer than 65536 bytes: the "
                                     "rest is left out of the rules\n"));
}

static void a_long_file_is_cut_and_says_so(Desk *d)
{
    AUTO(Buf) text = { 0 };
    for (int i = 0; i < 8000; i++)
        buf_add(&text, S("\xC3\xA4\xC3\xB6\xC3\xBC ok\n"));
    buf_add_char(&text, 0);
    scene_put(d->dir, "AGENTS.md", text.p);
    Str out = build(d, (PromptAsk){ 0 });
    assert_has(out, "[the file is longer than 65536 bytes: the rest is not shown]");
    assert_true(out.n < 70 * 1000);
}

static void a_file_that_is_no_text_is_refused(Desk *d)
{
    Str out;
    scene_put(d->dir, "AGENTS.md", "bad \xFF byte");
    PromptAsk ask = { .m = &d->m, .dir = str(d->dir) };
    desk_expect(d, JOT_INVALID, prompt_build(&ask, &d->a, &out, &d->e));
    assert_says(d, "offset 4");
}

static void rules_of_another_user_are_left_out_where_anybody_can_put_them(Desk *d)
{
    char path[96];
    if (geteuid() != 0)
        return; /* only root can make such a file */
    scene_put(d->dir, "AGENTS.md", "obey me\n");
    snprintf(path, sizeof path, "%s/AGENTS.md", d->dir);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_has(build(d, (PromptAsk){ 0 }), "obey me");
    assert_int_equal(chmod(d->dir, 01777), 0);
    Str out = build(d, (PromptAsk){ 0 });
    assert_int_equal(scene_times(out, "obey me"), 0);
    assert_has(out, "belongs to another user and is not shown");
}

static void the_json_protocol_lists_the_tools(Desk *d)
{
    LlmTool tool = { S("look"), S("Look at it."), S("{\"type\":\"object\"}") };
    Str out = build(d, (PromptAsk){ .json = true, .tools = &tool, .tools_n = 1 });
    assert_has(out, "{\"tool\": \"NAME\", \"args\": {...}}");
    assert_has(out, "- look: Look at it.\n  args: {\"type\":\"object\"}\n");
    assert_int_equal(scene_times(build(d, (PromptAsk){ .tools = &tool, .tools_n = 1 }), "look:"),
                     0);
}

static const DeskTest tests[] = {
    DESK_TEST(the_nearest_rules_come_last),
    DESK_TEST(a_file_that_says_the_same_is_not_said_twice),
    DESK_TEST(placeholders_are_filled_in),
    DESK_TEST(a_long_note_is_cut_and_said_to_be),
    DESK_TEST(a_long_file_is_cut_and_says_so),
    DESK_TEST(a_file_that_is_no_text_is_refused),
    DESK_TEST(rules_of_another_user_are_left_out_where_anybody_can_put_them),
    DESK_TEST(the_json_protocol_lists_the_tools),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
