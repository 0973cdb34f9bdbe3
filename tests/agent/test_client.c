/* test_client.c - external servers: this program's own, and one that does what no server should.
 *
 * test_client JOTTER PYTHON SERVER.PY */

#include "agent/act_desk.h"
#include "agent/marked.h"
#include "mcp/client/client.h"

static const char *jotter, *python, *server;

static McpClient *open_mode(Desk *d, const char *mode, int64_t call_ms)
{
    McpClientOptions o = { .command = arena_printf(&d->a, "t=%s %s %s", python, server, mode),
                           .call_ms = call_ms };
    McpClient *c = NULL;
    desk_ok(d, mcp_client_open(&c, &o, &d->e));
    return c;
}

static jot_status refuses(Desk *d, const char *mode, int64_t start_ms)
{
    McpClientOptions o = { .command = arena_printf(&d->a, "t=%s %s %s", python, server, mode),
                           .start_ms = start_ms };
    McpClient *c = NULL;
    jot_status st = mcp_client_open(&c, &o, &d->e);
    assert_null(c);
    assert_sentence(&d->e);
    return st;
}

static ToolReply call(Desk *d, McpClient *c, const char *name, const char *args)
{
    const Tool *more[MCP_CLIENT_TOOLS_MAX + 1] = { 0 };
    for (size_t i = 0; mcp_client_tool(c, i); i++)
        more[i] = mcp_client_tool(c, i);
    ToolHost h = { .m = &d->m, .more = more };
    json_t *read = NULL;
    ToolReply r;
    desk_ok(d, json_read(str(args), &read, &d->e));
    AUTO_PTR(json_t) object = read;
    desk_ok(d, tool_call(&h, str(name), object, &d->a, &r, &d->e));
    return r;
}

/* --- A server as it should be -------------------------------------------------------------- */

static void this_programs_own_server_is_spoken_to_in_the_new_way(Desk *d)
{
    McpClientOptions o = { .command = arena_printf(&d->a, "%s --pad files:%s/theirs mcp", jotter,
                                                   d->dir) };
    McpClient *opened = NULL;
    desk_ok(d, mcp_client_open(&opened, &o, &d->e));
    AUTO_PTR(McpClient) c = opened;
    assert_string_equal(mcp_client_version(c), "2026-07-28");
    assert_string_equal(mcp_client_name(c), "jotter");
    ToolReply r = call(d, c, "mcp_jotter_scratchpad_write", "{\"key\": \"k\", \"content\": \"v\"}");
    assert_false(r.is_error);
    assert_has(r.text, "wrote 1 chars to scratchpad[k]");
    r = call(d, c, "mcp_jotter_scratchpad_read", "{\"key\": \"k\"}");
    assert_has(r.text, "v\nversion ");
    r = call(d, c, "mcp_jotter_scratchpad_read", "{\"key\": \"none\"}");
    assert_true(r.is_error);
    assert_text(r.text, "scratchpad[none] not found");
    const Tool *t = mcp_client_tool(c, 0);
    assert_true(t->effects & TOOL_FOREIGN);
    AUTO_PTR(json_t) schema = tool_input_schema(t);
    assert_non_null(json_object_get(schema, "properties"));
}

static void an_older_server_is_spoken_to_in_the_old_way(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "old", 0);
    assert_string_equal(mcp_client_version(c), "2025-06-18");
    ToolReply r = call(d, c, "mcp_t_say", "{\"x\": [1, \"\\u00e9\"]}");
    assert_text(r.text, "{\"x\": [1, \"\\u00e9\"]}");
    assert_null(mcp_client_tool(c, 1));
}

static void a_list_on_several_pages_is_read_to_its_end(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "pages", 0);
    assert_string_equal(mcp_client_tool(c, 5)->name, "mcp_t_t5");
    assert_null(mcp_client_tool(c, 6));
    /* The first one says that it only reads; after a crash that is not believed. */
    assert_true(tool_mutates(mcp_client_tool(c, 0), NULL));
    assert_true(tool_mutates(mcp_client_tool(c, 5), NULL));
    assert_int_equal(policy_effects(mcp_client_tool(c, 0)), POLICY_MCP);
}

static void parts_and_failures_are_told(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "parts", 0);
    ToolReply r = call(d, c, "mcp_t_say", "{}");
    assert_text(r.text, "one\n[image image/png: not shown]\ntwo");
    AUTO_PTR(McpClient) f = open_mode(d, "failing", 0);
    r = call(d, f, "mcp_t_say", "{}");
    assert_true(r.is_error);
    assert_text(r.text, "no such thing");
}

static void through_an_act_they_are_tools_like_others(Desk *d)
{
    const char *const servers[] = {
        arena_printf(&d->a, "t=%s %s old", python, server).p,
        arena_printf(&d->a, "t=%s %s old", python, server).p,
        NULL,
    };
    Policy p = act_desk_allow("mcp_t_say");
    ActOptions o = {
        .m = &d->m, .pad = str(d->url), .dir = str(d->dir), .policy = &p, .servers = servers
    };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    act_desk_says(d, a, "mcp_t_say", "{\"a\": 1}", "{\"a\": 1}");
    const Tool *t = NULL, *next;
    for (size_t i = 0; (next = act_tool_at(a, i)); i++)
        t = next;
    assert_true(str_starts(str(t->name), S("mcp_t_say_")));
    Reply r = act_desk_call(d, a, t->name, "{}");
    assert_true(r.refused);
    assert_true(act_mutates(a, &(Call){ .tool = S("mcp_t_say"), .object = NULL }));
}

/* --- And as it should not ------------------------------------------------------------------ */

static void no_tool_can_stand_in_for_ours(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "shadow", 0);
    const Tool *t;
    size_t n = 0;
    for (; (t = mcp_client_tool(c, n)); n++) {
        assert_true(str_starts(str(t->name), S("mcp_t_")));
        assert_true(strlen(t->name) <= TOOL_NAME_MAX && strlen(t->about) < TOOL_ABOUT_MAX);
        assert_int_equal(strspn(t->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(t->name));
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(mcp_client_tool(c, i)->name, t->name);
    }
    assert_int_equal(n, 5);
}

static void a_server_that_does_not_start_is_told_with_its_last_words(Desk *d)
{
    McpClientOptions o = { .command = S("exec /nonexistent/server") };
    McpClient *c = NULL;
    desk_expect(d, JOT_UNAVAILABLE, refuses(d, "dies", 0));
    assert_says(d,
                "has exited; the last line on its standard error: 'cannot find my configuration'");
    desk_expect(d, JOT_UNAVAILABLE, mcp_client_open(&c, &o, &d->e));
    assert_says(d, "has exited; the last line on its standard error: '");
    desk_expect(d, JOT_UNAVAILABLE, refuses(d, "mute", 300));
    assert_says(d, "did not answer within 1 s");
    desk_expect(d, JOT_UNAVAILABLE, refuses(d, "endless-pages", 0));
    assert_says(d, "pages of tools");
    desk_expect(d, JOT_UNAVAILABLE, refuses(d, "not-mcp", 0));
    assert_says(d, "does not speak MCP");
    o.command = S("name=");
    desk_expect(d, JOT_INVALID, mcp_client_open(&c, &o, &d->e));
    o.command = S("");
    desk_expect(d, JOT_INVALID, mcp_client_open(&c, &o, &d->e));
}

static void a_server_that_dies_makes_its_tools_fail_and_no_more(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "dies-in-call", 0);
    for (int i = 0; i < 2; i++) {
        ToolReply r = call(d, c, "mcp_t_say", "{}");
        assert_true(r.is_error);
        assert_int_equal(r.status, JOT_UNAVAILABLE);
        assert_has(r.text, "has exited; the last line on its standard error: 'out of cheese'");
    }
}

static void a_server_that_hangs_is_waited_for_no_longer_than_said(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "hangs", 300);
    ToolReply r = call(d, c, "mcp_t_say", "{}");
    assert_true(r.is_error);
    assert_has(r.text, "did not answer within 1 s");
}

/* Twenty times a second for eight seconds, with six seconds for each: a machine that stops the
 * server for so long between two of them would have to be in trouble. */
static void a_call_that_makes_progress_is_waited_for(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "progress 8", 6000);
    ToolReply r = call(d, c, "mcp_t_say", "{\"x\": 1}");
    assert_false(r.is_error);
    assert_text(r.text, "{\"x\": 1}");
}

static void progress_that_does_not_grow_is_none(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "stuck 1000", 300);
    ToolReply r = call(d, c, "mcp_t_say", "{}");
    assert_true(r.is_error);
    assert_has(r.text, "made no progress for 1 s");
}

static void a_tool_whose_schema_vendors_refuse_is_left_out_and_said(Desk *d)
{
    const char *const servers[] = { arena_printf(&d->a, "t=%s %s schemas", python, server).p,
                                    NULL };
    AUTO(Buf) left_out = { 0 };
    ActOptions o = { .m = &d->m,
                     .pad = str(d->url),
                     .dir = str(d->dir),
                     .servers = servers,
                     .left_out = &left_out };
    Act *opened = NULL;
    desk_ok(d, act_open(&opened, &o, &d->e));
    AUTO_PTR(Act) a = opened;
    static const char *const gone[] = { "any", "untyped", "list", "key", "old", "type" };
    for (size_t i = 0; i < COUNT_OF(gone); i++) {
        Str name = arena_printf(&d->a, "mcp_t_%s", gone[i]);
        Str says = arena_printf(&d->a, "the tool '%s' of the server 't' is left out: its schema ",
                                gone[i]);
        assert_null(act_tool_find(a, name));
        assert_has(buf_str(&left_out), says.p);
    }
    assert_has(buf_str(&left_out), "has oneOf, anyOf, allOf, not or enum at its top\n");
    assert_non_null(act_tool_find(a, S("mcp_t_plain")));
    assert_non_null(act_tool_find(a, S("mcp_t_bare_list")));
    Reply r = act_desk_call(d, a, "mcp_t_any", "{}");
    assert_true(r.unknown);
}

static void answers_to_other_questions_are_passed_over(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "ids", 0);
    assert_text(call(d, c, "mcp_t_say", "{\"n\": 1}").text, "{\"n\": 1}");
    AUTO_PTR(McpClient) n = open_mode(d, "noise", 0);
    assert_text(call(d, n, "mcp_t_say", "{\"n\": 2}").text, "{\"n\": 2}");
}

static void an_answer_that_cannot_be_read_is_told_at_once(Desk *d)
{
    static const char *const modes[] = { "beyond", "broken" };
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        AUTO_PTR(McpClient) c = open_mode(d, modes[i], 0);
        ToolReply r = call(d, c, "mcp_t_say", "{}");
        assert_int_equal(r.status, JOT_UNAVAILABLE);
        assert_has(r.text, "cannot be read: ");
    }
    AUTO_PTR(McpClient) half = open_mode(d, "half", 0);
    assert_text(call(d, half, "mcp_t_say", "{}").text, "cut \xef\xbf\xbd");
}

static void a_server_that_asks_is_answered_that_nothing_is_offered(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "asks", 0);
    assert_text(call(d, c, "mcp_t_say", "{}").text, "-32601 {}");
}

static void endless_noise_and_endless_lines_end(Desk *d)
{
    AUTO_PTR(McpClient) c = open_mode(d, "flood", 0);
    ToolReply r = call(d, c, "mcp_t_say", "{}");
    assert_has(r.text, "sends lines that are not MCP messages");
    AUTO_PTR(McpClient) h = open_mode(d, "huge", 0);
    r = call(d, h, "mcp_t_say", "{}");
    assert_has(r.text, "sent a message larger than 8 MB");
}

static bool after_three(void *ctx)
{
    int *left = ctx;
    return *left >= 0 && --*left < 0;
}

static void a_call_is_cancelled(Desk *d)
{
    int left = -1;
    McpClientOptions o = { .command = arena_printf(&d->a, "t=%s %s hangs", python, server),
                           .cancelled = after_three,
                           .ctx = &left };
    McpClient *opened = NULL;
    desk_ok(d, mcp_client_open(&opened, &o, &d->e));
    AUTO_PTR(McpClient) c = opened;
    left = 3;
    assert_int_equal(call(d, c, "mcp_t_say", "{}").status, JOT_CANCELLED);
}

static void a_server_that_will_not_go_is_killed_with_its_children(Desk *d)
{
    const char *mark = arena_printf(&d->a, "82%d", getpid()).p;
    McpClient *c = open_mode(d, arena_printf(&d->a, "stays %s", mark).p, 0);
    assert_true(count_marked(mark) >= 2);
    mcp_client_close(c);
    assert_int_equal(count_marked(mark), 0);
}

static void a_server_does_not_get_the_models_key(Desk *d)
{
    setenv("ANTHROPIC_API_KEY", "canary", 1);
    setenv("FOR_THE_SERVER", "given", 1);
    McpClientOptions o = { .command = arena_printf(
                               &d->a, "echo \"[$ANTHROPIC_API_KEY][$FOR_THE_SERVER]\" > %s/env",
                               d->dir) };
    McpClient *c = NULL;
    desk_expect(d, JOT_UNAVAILABLE, mcp_client_open(&c, &o, &d->e));
    assert_text(desk_content(d, "env"), "[][given]\n");
    unsetenv("ANTHROPIC_API_KEY");
    unsetenv("FOR_THE_SERVER");
}

int main(int argc, char **argv)
{
    static const DeskTest tests[] = {
        DESK_TEST(this_programs_own_server_is_spoken_to_in_the_new_way),
        DESK_TEST(an_older_server_is_spoken_to_in_the_old_way),
        DESK_TEST(a_list_on_several_pages_is_read_to_its_end),
        DESK_TEST(parts_and_failures_are_told),
        DESK_TEST(through_an_act_they_are_tools_like_others),
        DESK_TEST(no_tool_can_stand_in_for_ours),
        DESK_TEST(a_server_that_does_not_start_is_told_with_its_last_words),
        DESK_TEST(a_server_that_dies_makes_its_tools_fail_and_no_more),
        DESK_TEST(a_server_that_hangs_is_waited_for_no_longer_than_said),
        DESK_TEST(a_call_that_makes_progress_is_waited_for),
        DESK_TEST(progress_that_does_not_grow_is_none),
        DESK_TEST(a_tool_whose_schema_vendors_refuse_is_left_out_and_said),
        DESK_TEST(answers_to_other_questions_are_passed_over),
        DESK_TEST(an_answer_that_cannot_be_read_is_told_at_once),
        DESK_TEST(a_server_that_asks_is_answered_that_nothing_is_offered),
        DESK_TEST(endless_noise_and_endless_lines_end),
        DESK_TEST(a_call_is_cancelled),
        DESK_TEST(a_server_that_will_not_go_is_killed_with_its_children),
        DESK_TEST(a_server_does_not_get_the_models_key),
    };
    if (argc != 4)
        return 2;
    jotter = argv[1];
    python = argv[2];
    server = argv[3];
    /* The engine makes no difference here. */
    return desk_run_on("files", tests, COUNT_OF(tests));
}
