/* test_kept_tools.c - the sink, line logs, checkpoints and index documents as tools. */
#include "tool/call.h"

#include "memory/artifact/line_log.h"
#include "memory/frame/tokens.h"

/* --- The sink ---------------------------------------------------------------------------- */

static void a_short_result_is_kept_and_read_back(Desk *d)
{
    says(d, "sink_write",
         "{\"call\":\"c1\",\"tool\":\"grep\",\"result\":\"one\\ntwo\\n\",\"args\":{\"q\":1}}",
         "kept the result of c1, 8 bytes");
    says(d, "sink_read", "{\"call\":\"c1\"}", "one\ntwo\n\nresult of c1");
    says(d, "sink_read", "{\"call\":\"tool_results/c1\",\"from_line\":2}",
         "two\n\nresult of c1; lines 2-2 of 2, about 2 of 4 tokens");
    refuses(d, "sink_write", "{\"call\":\"c1\",\"tool\":\"grep\",\"result\":\"other\"}",
            "tool call 'c1' already persisted; overwrites are immutable; it is another result");
    AUTO(ToolReply)
    same =
        call(d, "sink_write",
             "{\"call\":\"c1\",\"tool\":\"grep\",\"result\":\"one\\ntwo\\n\",\"args\":{\"q\":1}}");
    assert_has(same.text, "it is this very result: nothing is lost");
    assert_int_equal(same.status, JOT_ID_REUSED);
    AUTO(ToolReply) none = call(d, "sink_read", "{\"call\":\"none\"}");
    assert_int_equal(none.status, JOT_NOT_FOUND);
}

static void a_long_result_is_answered_with_its_beginning_and_the_call_that_reads_on(Desk *d)
{
    AUTO(Buf) args = { 0 };
    AUTO(Buf) whole = { 0 };
    buf_add(&args, S("{\"call\":\"run.r1c1\",\"tool\":\"grep\",\"result\":\""));
    for (int i = 0; i < 2000; i++) {
        buf_addf(&args, "w\xC3\xB6rd%d ", i);
        buf_addf(&whole, "w\xC3\xB6rd%d ", i);
    }
    buf_add(&args, (Str){ "\"}", 3 });
    AUTO(ToolReply) r = call(d, "sink_write", args.p);
    assert_str(r.value, str_slice(buf_str(&whole), 0, r.value.n));
    assert_has(tool_reply_line(&r), "; its first 2000 chars are above; continue with sink_read "
                                    "call=run.r1c1 from_char=2001");
    AUTO(ToolReply) rest = call(d, "sink_read", "{\"call\":\"run.r1c1\",\"from_char\":2001}");
    assert_str(rest.value, str_slice(str_from(buf_str(&whole), r.value.n), 0, rest.value.n));
}

/* --- Line logs --------------------------------------------------------------------------- */

static void lines_are_appended_and_read_as_they_are(Desk *d)
{
    says(d, "line_log_list", "{}", "(empty)");
    says(d, "line_log_append",
         "{\"category\":\"tasks\",\"name\":\"events\",\"line\":\"{\\\"e\\\":1}\"}",
         "appended line 1 to log tasks/events");
    says(d, "line_log_append", "{\"category\":\"tasks\",\"name\":\"events\",\"line\":\"\"}",
         "appended line 2 to log tasks/events");
    for (int again = 0; again < 2; again++)
        says(d, "line_log_append",
             "{\"category\":\"tasks\",\"name\":\"events\",\"line\":\"third\",\"id\":\"x\"}",
             "appended line 3 to log tasks/events");
    says(d, "line_log_read", "{\"category\":\"tasks\",\"name\":\"events\"}",
         "{\"e\":1}\n\nthird\nlines 1-3 of log tasks/events");
    says(d, "line_log_read", "{\"category\":\"tasks\",\"name\":\"events\",\"tail\":1}",
         "third\nlines 3-3 of log tasks/events");
    says(d, "line_log_read", "{\"category\":\"tasks\",\"name\":\"events\",\"from\":9}",
         "(no lines)");
    AUTO(ToolReply) list = call(d, "line_log_list", "{\"category\":\"tasks\"}");
    assert_has(list.text, "tasks/events  3 lines  2026-01-01T");
    refuses(d, "line_log_append", "{\"category\":\"tasks\",\"name\":\"events\",\"line\":\"a\\nb\"}",
            "a line holds no line break: append one line at a time");
    refuses(d, "line_log_read", "{\"category\":\"a\",\"name\":\"b\",\"from\":1,\"tail\":1}",
            "say 'from' or 'tail', not both");
    AUTO(ToolReply) none = call(d, "line_log_read", "{\"category\":\"a\",\"name\":\"b\"}");
    assert_int_equal(none.status, JOT_NOT_FOUND);
}

static const char *on_with(Desk *d, Str line)
{
    const char *on = memmem(line.p, line.n, " from=", 6);
    int64_t from = 0, from_char = 0;
    if (!on)
        return NULL;
    Str rest = str_from(line, (size_t)(on - line.p) + 6), number = rest;
    (void)str_cut(&rest, ' ', &number);
    assert_true(
        str_to_i64(number.n < rest.n || number.p != rest.p ? number : rest, 1, 1000000, &from));
    const char *chars = memmem(line.p, line.n, " from_char=", 11);
    if (chars)
        assert_true(
            str_to_i64(str_from(line, (size_t)(chars - line.p) + 11), 1, 10000000, &from_char));
    return arena_printf(
               &d->a, "{\"category\":\"c\",\"name\":\"n\",\"from\":%lld%s}", (long long)from,
               from_char ? arena_printf(&d->a, ",\"from_char\":%lld", (long long)from_char).p : "")
        .p;
}

/* Many lines, one of which is longer than an answer: followed as the answers say, all of it comes.
 */
static void a_long_log_is_read_in_parts_that_make_the_whole(Desk *d)
{
    AUTO(Buf) want = { 0 };
    AUTO(Buf) got = { 0 };
    Line out;
    for (int i = 1; i <= 60; i++) {
        AUTO(Buf) line = { 0 };
        for (int k = 0; k < (i == 30 ? 3000 : 3); k++)
            buf_addf(&line, "w\xC3\xB6rd%d ", k);
        desk_ok(d, line_log_append(&d->m, (LineLogName){ S("c"), S("n") }, buf_str(&line),
                                   (Str){ 0 }, &out, &d->e));
        buf_add(&want, buf_str(&line));
    }
    ToolHost h = { .m = &d->m, .budget = 400, .profiles = TOOLS_LINE_LOGS };
    const char *args = "{\"category\":\"c\",\"name\":\"n\"}";
    for (int parts = 0; args; parts++) {
        assert_true(parts < 200);
        AUTO(ToolReply) r = call_on(d, &h, "line_log_read", args);
        assert_false(r.is_error);
        assert_true(tokens_estimate(r.text) <= 400);
        for (size_t i = 0; i < r.value.n; i++)
            if (r.value.p[i] != '\n')
                buf_add_char(&got, r.value.p[i]);
        args = on_with(d, tool_reply_line(&r));
    }
    assert_str(buf_str(&got), buf_str(&want));
}

/* --- Checkpoints ------------------------------------------------------------------------- */

static void a_state_is_saved_loaded_and_undone(Desk *d)
{
    AUTO(ToolReply) nothing = call(d, "checkpoint_undo", "{\"run\":\"r\"}");
    assert_text(nothing.text, "no checkpoint snapshots available to restore");
    says(d, "checkpoint_write", "{\"run\":\"r\",\"state\":\"one\\n\",\"label\":\"first\"}",
         "saved checkpoint 1 of r");
    says(d, "checkpoint_write", "{\"run\":\"r\",\"state\":\"two\"}", "saved checkpoint 2 of r");
    says(d, "checkpoint_read", "{\"run\":\"r\"}", "two\ncheckpoint 2 of r");
    says(d, "checkpoint_read", "{\"run\":\"r\",\"version\":1}", "one\n\ncheckpoint 1 of r");
    refuses(d, "checkpoint_undo", "{\"run\":\"r\",\"if_version\":1}",
            "the checkpoints of 'r' have moved on: version 2 is the newest now");
    says(d, "checkpoint_undo", "{\"run\":\"r\",\"if_version\":2}",
         "one\n\ncheckpoint 3 of r, undid 2, restored 1");
    AUTO(ToolReply) list = call(d, "checkpoint_list", "{\"run\":\"r\"}");
    assert_has(list.text, "3  2026-01-01T");
    assert_has(list.text, "  4 bytes  (undid 2, restored 1)\n2  ");
    assert_has(list.text, "\n1*  2026-01-01T");
    assert_has(list.text,
               " bytes  first\n... 3 versions, newest first; undo can reach the 1 with *");
    for (int i = 0; i < 20; i++) {
        AUTO(ToolReply)
        r = call(d, "checkpoint_write", "{\"run\":\"r\",\"state\":\"x\",\"keep\":2}");
        assert_false(r.is_error);
    }
    AUTO(ToolReply) kept = call(d, "checkpoint_list", "{\"run\":\"r\"}");
    assert_has(kept.text, "... 2 versions");
}

static void a_long_state_that_was_undone_is_loaded_in_parts(Desk *d)
{
    AUTO(Buf) args = { 0 };
    buf_add(&args, S("{\"run\":\"r\",\"state\":\""));
    for (int i = 0; i < 5000; i++)
        buf_add(&args, S("a line\\n"));
    buf_add(&args, (Str){ "\"}", 3 });
    AUTO(ToolReply) saved = call(d, "checkpoint_write", args.p);
    assert_false(saved.is_error);
    AUTO(ToolReply) r = call(d, "checkpoint_undo", "{\"run\":\"r\"}");
    assert_true(tokens_estimate(r.text) <= TOOL_BUDGET);
    assert_has(tool_reply_line(&r), "; continue with checkpoint_read run=r version=2 from_line=");
}

/* --- Index documents --------------------------------------------------------------------- */

static void an_index_is_replaced_read_listed_and_deleted(Desk *d)
{
    AUTO(ToolReply)
    w = call(d, "artifact_index_write",
             "{\"category\":\"tasks\",\"name\":\"task_index.json\",\"data\":{\"tasks\":[1]}}");
    assert_has(w.text, "{\"artifact_id\":\"task_index.json\",\"category\":\"tasks\",");
    AUTO(ToolReply)
    r = call(d, "artifact_index_read", "{\"category\":\"tasks\",\"name\":\"task_index.json\"}");
    assert_text(r.value, "{\n  \"tasks\": [\n    1\n  ]\n}");
    AUTO(ToolReply) l = call(d, "artifact_index_list", "{}");
    assert_str(l.text, w.text);
    says(d, "artifact_list", "{}", "(empty)");
    AUTO(ToolReply)
    old = call(d, "artifact_index_write",
               "{\"category\":\"tasks\",\"name\":\"task_index.json\",\"data\":1,\"if_version\":"
               "\"000000000000\"}");
    assert_int_equal(old.status, JOT_CONFLICT);
    says(d, "artifact_index_delete", "{\"category\":\"tasks\",\"name\":\"task_index.json\"}",
         "deleted index tasks/task_index.json");
    says(d, "artifact_index_list", "{}", "(empty)");
}

static void data_given_as_text_is_stored_with_a_hint(Desk *d)
{
    static const char *const tools[] = { "artifact_write", "artifact_index_write" };
    static const char *const names[] = { "id", "name" };
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        Str args = arena_printf(
            &d->a, "{\"category\":\"c\",\"%s\":\"x\",\"data\":\"{\\\"a\\\":1}\"}", names[i]);
        AUTO(ToolReply) r = call(d, tools[i], args.p);
        assert_false(r.is_error);
        assert_has(r.text,
                   "\"hint\":\"this is a string that holds JSON, and was stored as a string");
    }
    AUTO(ToolReply)
    fine = call(d, "artifact_write", "{\"category\":\"c\",\"id\":\"x\",\"data\":{}}");
    assert_null(memmem(fine.text.p, fine.text.n, "hint", 4));
}

static const DeskTest tests[] = {
    DESK_TEST(a_short_result_is_kept_and_read_back),
    DESK_TEST(a_long_result_is_answered_with_its_beginning_and_the_call_that_reads_on),
    DESK_TEST(lines_are_appended_and_read_as_they_are),
    DESK_TEST(a_long_log_is_read_in_parts_that_make_the_whole),
    DESK_TEST(a_state_is_saved_loaded_and_undone),
    DESK_TEST(a_long_state_that_was_undone_is_loaded_in_parts),
    DESK_TEST(an_index_is_replaced_read_listed_and_deleted),
    DESK_TEST(data_given_as_text_is_stored_with_a_hint),
};

int main(void)
{
    return desk_run(tests, COUNT_OF(tests), false);
}
