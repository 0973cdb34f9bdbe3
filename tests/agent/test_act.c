/* test_act.c - a call from policy to sink, and the rules of the policy. */
#include "agent/act_desk.h"
#include "llm/schema.h"

/* --- Policy ------------------------------------------------------------------------------ */

static Policy rules(Desk *d, const char *allow, const char *ask, const char *deny)
{
    Policy p = { 0 };
    if (allow)
        desk_ok(d, policy_add(&p, POLICY_ALLOW, str(allow), &d->e));
    if (ask)
        desk_ok(d, policy_add(&p, POLICY_ASK, str(ask), &d->e));
    if (deny)
        desk_ok(d, policy_add(&p, POLICY_DENY, str(deny), &d->e));
    return p;
}

static void the_most_particular_rule_counts_and_then_the_strictest(Desk *d)
{
    static const Tool shell = { .name = "shell", .effects = TOOL_WRITES | TOOL_EXECUTES };
    static const Tool get = { .name = "http_get", .effects = TOOL_READS | TOOL_NETWORK };
    static const Tool file = { .name = "write_file", .effects = TOOL_WRITES | TOOL_OUTSIDE };
    static const Tool note = { .name = "scratchpad_write", .effects = TOOL_WRITES };
    static const Tool look = { .name = "scratchpad_read", .effects = TOOL_READS };
    static const Tool both = { .name = "x_both",
                               .effects = TOOL_WRITES | TOOL_OUTSIDE | TOOL_NETWORK };
    static const Tool other = { .name = "mcp_a_read", .effects = TOOL_READS | TOOL_FOREIGN };
    static const struct Row {
        const Tool *t;
        const char *allow, *ask, *deny;
        PolicyAnswer is;
    } rows[] = {
        { &look, NULL, NULL, NULL, POLICY_ALLOW },
        { &note, NULL, NULL, NULL, POLICY_ALLOW },
        { &file, NULL, NULL, NULL, POLICY_ASK },
        { &get, NULL, NULL, NULL, POLICY_ASK },
        { &shell, NULL, NULL, NULL, POLICY_ASK },
        { &other, NULL, NULL, NULL, POLICY_ASK },
        { &shell, "shell", NULL, "execute", POLICY_ALLOW },
        { &shell, "all", "execute", NULL, POLICY_ASK },
        { &shell, "shell", "shell", "all", POLICY_ASK },
        { &shell, "shell", NULL, "shell", POLICY_DENY },
        { &get, "all", NULL, "network", POLICY_DENY },
        { &get, "http_get", NULL, "network", POLICY_ALLOW },
        { &both, "write", NULL, NULL, POLICY_ASK },
        { &both, "write,network", NULL, NULL, POLICY_ALLOW },
        { &both, "x_*", NULL, "write", POLICY_ALLOW },
        { &both, "x_*", "x_b*", "all", POLICY_ASK },
        { &both, "x_both", "x_b*", NULL, POLICY_ALLOW },
        { &other, "read", NULL, NULL, POLICY_ASK },
        { &other, "mcp", NULL, NULL, POLICY_ALLOW },
        { &look, NULL, NULL, "all", POLICY_DENY },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Policy p = rules(d, rows[i].allow, rows[i].ask, rows[i].deny);
        assert_row(policy_for_tool(&p, rows[i].t) == rows[i].is, i, rows[i].t->name);
    }
}

static void a_word_that_means_nothing_is_refused(Desk *d)
{
    Policy p = { 0 };
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .policy = &p };
    Act *a = NULL;
    desk_expect(d, JOT_INVALID, policy_add(&p, POLICY_ALLOW, S("echo,rm -rf"), &d->e));
    desk_expect(d, JOT_INVALID, policy_add(&p, POLICY_ALLOW, S("echo,"), &d->e));
    assert_int_equal(p.n, 0);
    desk_ok(d, policy_add(&p, POLICY_ALLOW, S("echo,shel"), &d->e));
    desk_expect(d, JOT_INVALID, act_open(&a, &o, &d->e));
    assert_says(d, "'shel' is neither a tool here nor an effect");
    p = (Policy){ 0 };
    for (int i = 0; i < POLICY_RULES_MAX; i++)
        desk_ok(d, policy_add(&p, POLICY_DENY, S("write"), &d->e));
    desk_expect(d, JOT_TOO_BIG, policy_add(&p, POLICY_DENY, S("write"), &d->e));
}

static void files_that_others_obey_are_allowed_by_name(Desk *d)
{
    Policy p = rules(d, "all,plant:.git,plant:AGENTS.md", NULL, "plant:AGENTS.md");
    assert_true(policy_allows_plant(&p, ".git"));
    assert_false(policy_allows_plant(&p, "AGENTS.md")); /* the stricter one */
    assert_false(policy_allows_plant(&p, ".vscode"));   /* `all` are tools */
    p = rules(d, "plant:all", NULL, "plant:.git");
    assert_true(policy_allows_plant(&p, ".vscode"));
    assert_false(policy_allows_plant(&p, ".git"));
    desk_expect(d, JOT_INVALID, policy_add(&p, POLICY_ALLOW, S("plant:Makefile"), &d->e));
    assert_says(d, "'Makefile' is not the name of a protected file");
    desk_expect(d, JOT_INVALID, policy_add(&p, POLICY_ASK, S("plant:.git"), &d->e));
    desk_expect(d, JOT_INVALID, policy_add(&p, POLICY_ALLOW, S("plant:"), &d->e));
}

static ActSay say(void *ctx, const Tool *t, const json_t *args)
{
    ActSay *next = ctx;
    assert_string_equal(t->name, "write_file");
    assert_true(json_is_object(args));
    if (*next == ACT_ALWAYS) {
        *next = ACT_NO; /* nobody asks again */
        return ACT_ALWAYS;
    }
    return *next;
}

static void a_person_decides_where_the_policy_asks(Desk *d)
{
    static const char args[] = "{\"path\": \"f\", \"content\": \"\"}";
    ActSay next = ACT_NO;
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .ask = say, .ctx = &next };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    Reply r = act_desk_call(d, a, "write_file", args);
    assert_text(r.text, "'write_file' is not allowed here (write): the user was asked and said no; "
                        "do not try it again");
    assert_true(r.refused && r.failed && r.status == JOT_DENIED);
    assert_int_not_equal(access(desk_path(d, "f"), F_OK), 0);
    next = ACT_STOPPED;
    assert_has(act_desk_call(d, a, "write_file", "{\"path\": \"x\", \"content\": \"y\"}").text,
               "was not run: the user was asked for it and stopped the work instead");
    next = ACT_TOO_LONG;
    r = act_desk_call(d, a, "write_file", args);
    assert_text(r.text,
                "'write_file' is not allowed here (write): the user has to be asked, and the "
                "call is too long to be shown in full; shorten it, or split it");
    assert_true(r.refused && r.failed && r.status == JOT_DENIED);
    assert_int_not_equal(access(desk_path(d, "f"), F_OK), 0);
    next = ACT_YES;
    assert_false(act_desk_call(d, a, "write_file", args).failed);
    next = ACT_ALWAYS;
    assert_false(act_desk_call(d, a, "write_file", args).failed);
    assert_false(act_desk_call(d, a, "write_file", args).failed);
}

static void with_nobody_to_ask_the_answer_is_no(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    act_desk_fails(
        d, a, "write_file", "{\"path\": \"f\", \"content\": \"\"}",
        "'write_file' is not allowed here (write): the user would have to be asked, and there "
        "is nobody to ask; continue without it, or say that it is needed");
    Policy p = rules(d, "all", NULL, "echo");
    AUTO_PTR(Act) b = act_desk_open(d, &p);
    act_desk_fails(d, b, "echo", "{\"text\": \"x\"}",
                   "'echo' is not allowed here (read): the policy denies it; continue without it");
}

/* --- Calls ------------------------------------------------------------------------------- */

static void tools_of_the_pad_and_others_are_called_alike(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    act_desk_says(d, a, "echo", "{\"text\": \"h\xC3\xA9\"}", "h\xC3\xA9");
    act_desk_says(d, a, "echo", "{\"text\": \"\"}", "(nothing)");
    act_desk_says(d, a, "echo", "{\"message\": \"Hello!\"}", "Hello!");
    act_desk_fails(d, a, "echo", "{\"message\": \"a\", \"text\": \"b\"}",
                   "give either 'text' or 'message'");
    act_desk_fails(d, a, "echo", "{}", "give either 'text' or 'message'");
    assert_has(act_desk_call(d, a, "scratchpad_write", "{\"key\": \"k\", \"content\": \"v\"}").text,
               "wrote 1 chars to scratchpad[k]");
    act_desk_fails(d, a, "echo", "{\"txt\": \"x\"}",
                   "echo has no parameter 'txt': use text, message");
    Reply r = act_desk_call(d, a, "reboot", "{}");
    assert_has(r.text, "[UNKNOWN TOOL] unknown tool 'reboot': there are ");
    assert_true(r.unknown && r.failed);
    assert_true(act_desk_call(d, a, "echo", "[]").failed);
}

static void every_tool_is_listed_once_with_a_schema(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    const Tool *t;
    size_t n = 0;
    for (; (t = act_tool_at(a, n)); n++) {
        assert_ptr_equal(act_tool_find(a, str(t->name)), t);
        AUTO_PTR(json_t) schema = tool_input_schema(t);
        assert_true(json_is_object(schema));
        assert_true(strlen(t->name) <= TOOL_NAME_MAX && strlen(t->about) <= TOOL_ABOUT_MAX);
        assert_true(policy_effects(t));
    }
    assert_true(n >= 12);
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .only_pad = true };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) bare = opened;
    assert_null(act_tool_find(bare, S("echo")));
    assert_non_null(act_tool_find(bare, S("scratchpad_read")));
}

static void what_changes_something_is_known_before_it_is_called(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    AUTO_PTR(json_t) args = json_object();
    assert_true(act_mutates(a, &(Call){ .tool = S("write_file"), .object = args }));
    assert_true(act_mutates(a, &(Call){ .tool = S("scratchpad_write"), .object = args }));
    assert_true(act_mutates(a, &(Call){ .tool = S("scratchpad_delete"), .object = args }));
    assert_false(act_mutates(a, &(Call){ .tool = S("nobody_knows"), .object = args }));
    assert_false(act_mutates(a, &(Call){ .tool = S("read_file"), .object = args }));
    assert_false(act_mutates(a, &(Call){ .tool = S("calc"), .object = args }));
    assert_false(act_mutates(a, &(Call){ .tool = S("scratchpad_read"), .object = args }));
}

static void a_large_result_is_spilled_and_found_again(Desk *d)
{
    AUTO_PTR(Act) a = act_desk_open(d, NULL);
    AUTO(Buf) big = { 0 };
    for (int i = 0; i < 3000; i++)
        buf_addf(&big, "line %d\n", i);
    desk_file(d, "big", buf_str(&big));
    AUTO_PTR(json_t) args = json_pack("{s:s, s:i}", "path", "big", "lines", 3000);
    Call c = { .id = S("run-1.call-1"), .tool = S("read_file"), .object = args };
    Reply first, again;
    SinkSlice all;
    desk_expect(d, JOT_NOT_FOUND, act_recall(a, c.id, &d->a, &again, &d->e));
    desk_ok(d, act_call(a, &c, &d->a, &first, &d->e));
    assert_true(first.spilled && first.text.n < 4000);
    assert_has(first.text, "run-1.call-1");
    desk_ok(d, act_recall(a, c.id, &d->a, &again, &d->e));
    assert_str(again.text, first.text);
    desk_ok(d, sink_read(&d->m, c.id, &(SinkRange){ 0 }, &d->a, &all, &d->e));
    assert_true(all.text.n > big.n);
    assert_str(str_slice(all.text, 0, big.n), buf_str(&big));
    desk_expect(d, JOT_ID_REUSED, act_call(a, &c, &d->a, &again, &d->e));
}

static void a_command_is_run_and_says_how_it_ended(Desk *d)
{
    Policy p = act_desk_allow("shell");
    AUTO_PTR(Act) a = act_desk_open(d, &p);
    ConfineHow how;
    if (act_confinement(a, &how, &d->e) != JOT_OK) {
        print_message("skipped: %s\n", d->e.text);
        return;
    }
    act_desk_says(d, a, "shell", "{\"command\": \"echo out; echo err >&2; exit 3\"}",
                  "out\nerr\n(exit code 3)");
    act_desk_says(d, a, "shell", "{\"command\": \"printf 'caf\\\\351'\"}",
                  "caf\xEF\xBF\xBD\n(1 byte is not UTF-8 and shown as U+FFFD)\n(exit code 0)");
    act_desk_says(d, a, "shell", "{\"command\": \"sleep 100\", \"seconds\": 1}",
                  "(stopped: it was not done after 1 s, and everything it started was killed)");
    Reply r = act_desk_call(d, a, "shell", "{\"command\": \"seq 1 100000\"}");
    assert_true(r.spilled && !r.failed);
    assert_has(r.text, "test.");
    assert_true(act_mutates(a, &(Call){ .tool = S("shell"), .object = NULL }));
    act_desk_fails(d, a, "shell", "{\"command\": \"a\\u0000b\"}",
                   "'a\\x00b' is no command: it holds a NUL");
}

static void note_planted(void *ctx, const PlantFound *found)
{
    Buf *to = ctx;
    buf_addf(to, STR_FMT ": %s -> %s\n", STR_ARG(found->path), found->name,
             found->aside.n ? "aside" : "where it is");
}

/* The model reads it in the result, and may keep it to itself. */
static void what_a_command_left_for_other_programs_is_reported_to_the_person(Desk *d)
{
    AUTO(Buf) told = { 0 };
    Policy p = act_desk_allow("shell");
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .policy = &p };
    o.planted = note_planted;
    o.ctx = &told;
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    assert_int_equal(mkdir(desk_path(d, "src"), 0700), 0);
    Reply r = act_desk_call(d, a, "shell", "{\"command\": \"echo evil > src/CLAUDE.md\"}");
    assert_has(r.text, "'src/CLAUDE.md' appeared and was moved to 'jotter-aside/");
    assert_str(buf_str(&told), S("src/CLAUDE.md: CLAUDE.md -> aside\n"));
    buf_clear(&told);
    /* Also where the call itself gives no result.  On a busy machine a second may be over before
     * the command has begun. */
    for (int seconds = 1; told.n == 0 && seconds <= 64; seconds *= 2) {
        Str args = arena_printf(&d->a,
                                "{\"command\": \"echo evil > src/AGENTS.md; sleep 100\", "
                                "\"seconds\": %d}",
                                seconds);
        (void)act_desk_call(d, a, "shell", args.p);
    }
    assert_str(buf_str(&told), S("src/AGENTS.md: AGENTS.md -> aside\n"));
}

/* No request fails for a tool of ours, and none is sent as something else. */
static void every_tool_of_ours_can_be_offered(Desk *d)
{
    ActOptions o = { .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .profiles = TOOLS_ALL };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    size_t n = 0;
    for (const Tool *t; (t = act_tool_at(a, n)); n++) {
        AUTO(Buf) text = { 0 };
        AUTO_PTR(json_t) schema = tool_input_schema(t);
        json_write(&text, schema);
        LlmTool offered = { str(t->name), str(t->about), buf_str(&text) };
        const LlmTool *out;
        assert_row(schema_good_tools(&offered, 1, &d->a, &out) == 1, n, t->name);
        assert_str(out->schema, buf_str(&text));
    }
    assert_true(n > 40);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(every_tool_of_ours_can_be_offered),
        DESK_TEST(the_most_particular_rule_counts_and_then_the_strictest),
        DESK_TEST(a_word_that_means_nothing_is_refused),
        DESK_TEST(files_that_others_obey_are_allowed_by_name),
        DESK_TEST(a_person_decides_where_the_policy_asks),
        DESK_TEST(with_nobody_to_ask_the_answer_is_no),
        DESK_TEST(tools_of_the_pad_and_others_are_called_alike),
        DESK_TEST(every_tool_is_listed_once_with_a_schema),
        DESK_TEST(what_changes_something_is_known_before_it_is_called),
        DESK_TEST(a_large_result_is_spilled_and_found_again),
        DESK_TEST(a_command_is_run_and_says_how_it_ended),
        DESK_TEST(what_a_command_left_for_other_programs_is_reported_to_the_person),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
