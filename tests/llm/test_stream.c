/* test_stream.c - server-sent events, and what the vendors' events mean, byte by byte.
 *
 * A connection may deliver any bytes together: whatever the cuts, the reply is
 * the same.  And a stream that ends too early is never taken for a whole one. */
#include "llm/streams.h"

#include "base/json.h"
#include "llm/wire.h"
#include "rig/volume.h"

/* --- One stream through a decoder -------------------------------------------------------- */

typedef struct Feed {
    Draft draft;
    Sse sse;
    Arena arena;
    Buf shown, said;
    LlmRequest request;
    int vendor;
} Feed;

static jot_status on_event(void *ctx, const SseEvent *event, Err *e)
{
    Feed *f = ctx;
    static jot_status (*const decode[])(Draft *, const SseEvent *,
                                        Err *) = { anthropic_event, openai_event, responses_event };
    return decode[f->vendor](&f->draft, event, e);
}

static void hear(void *ctx, Str piece)
{
    buf_add(&((Feed *)ctx)->said, piece);
}

static void feed_done(Feed *f)
{
    draft_done(&f->draft);
    sse_done(&f->sse);
    arena_free(&f->arena);
    buf_free(&f->shown);
    buf_free(&f->said);
}

DEFINE_AUTO(Feed, feed_done)

/* Feed `bytes` in pieces of `step`, the first of `first`; the result is shown. */
static void feed(Feed *f, int vendor, Str bytes, size_t first, size_t step)
{
    Err e = { 0 };
    LlmReply reply = { 0 };
    f->vendor = vendor;
    f->request = (LlmRequest){ .on_text = hear, .ctx = f };
    f->draft.request = &f->request;
    f->draft.io = &io_system;
    jot_status st = sse_feed(&f->sse, str_slice(bytes, 0, first), on_event, f, &e);
    for (size_t at = first; st == JOT_OK && at < bytes.n; at += step)
        st = sse_feed(&f->sse, str_slice(bytes, at, at + step), on_event, f, &e);
    if (st == JOT_OK)
        st = draft_finish(&f->draft, &f->arena, &reply, &e);
    if (st == JOT_OK) {
        show_reply(&f->shown, &reply);
        return;
    }
    assert_int_equal(e.status, st);
    assert_sentence(&e);
    show_failure(&f->shown, &e, f->draft.retry);
}

static void load(int vendor, const char *name, Buf *to)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s.sse", getenv("LLM_STREAMS"), vendor_names[vendor], name);
    FILE *f = fopen(path, "r");
    if (!f)
        print_error("%s is missing\n", path);
    assert_non_null(f);
    for (int c; (c = getc(f)) != EOF;)
        buf_add_char(to, (char)c);
    fclose(f);
}

typedef void Promise(int vendor, Str stream, const char *want, size_t row);

static void every_stream(Promise *promise)
{
    for (int v = 0; v < VENDORS; v++)
        for (size_t i = 0; i < COUNT_OF(stream_rows); i++) {
            AUTO(Buf) stream = { 0 };
            const char *want = stream_want(&stream_rows[i], v);
            if (!want)
                continue;
            load(v, stream_rows[i].name, &stream);
            promise(v, buf_str(&stream), want, i);
        }
}

static void check(const Feed *f, const char *want, size_t row)
{
    if (strcmp(f->shown.p, want) == 0)
        return;
    print_error("%s of %s\ngot  %s\nwant %s\n", stream_rows[row].name, vendor_names[f->vendor],
                f->shown.p, want);
    fail();
}

static void whole(int vendor, Str stream, const char *want, size_t row)
{
    AUTO(Feed) f = { 0 };
    feed(&f, vendor, stream, stream.n, 1);
    check(&f, want, row);
}

/* Every place; where time is short every fifth, begun elsewhere in each stream. */
static size_t stride(void)
{
    return volume_small() ? 5 : 1;
}

static void in_two(int vendor, Str stream, const char *want, size_t row)
{
    for (size_t at = row % stride(); at <= stream.n; at += stride()) {
        AUTO(Feed) f = { 0 };
        feed(&f, vendor, stream, at, stream.n);
        check(&f, want, row);
    }
}

static void in_bytes(int vendor, Str stream, const char *want, size_t row)
{
    AUTO(Feed) f = { 0 };
    feed(&f, vendor, stream, 1, 1);
    check(&f, want, row);
}

/* With CR, or CR and LF, where LF stands between lines; inside JSON it is escaped. */
static void other_lines(int vendor, Str stream, const char *want, size_t row)
{
    static const char *const ends[] = { "\r", "\r\n" };
    for (size_t k = 0; k < COUNT_OF(ends); k++) {
        AUTO(Buf) other = { 0 };
        buf_add(&other, S("\xEF\xBB\xBF"));
        for (size_t i = 0; i < stream.n; i++)
            if (stream.p[i] == '\n')
                buf_add(&other, str(ends[k]));
            else
                buf_add_char(&other, stream.p[i]);
        whole(vendor, buf_str(&other), want, row);
        in_bytes(vendor, buf_str(&other), want, row);
    }
}

/* Cut anywhere it is either broken off, or everything that was to be said has been said: then only
 * the count of tokens may be missing. */
static void cut_off(int vendor, Str stream, const char *want, size_t row)
{
    for (size_t at = row % stride(); at < stream.n; at += stride()) {
        AUTO(Feed) f = { 0 };
        feed(&f, vendor, str_slice(stream, 0, at), 0, stream.n);
        const char *got = f.shown.p;
        bool same = strcmp(got, want) == 0;
        bool broke = strcmp(got, "fail io again: the provider's answer broke off") == 0;
        size_t tokens = (size_t)(strrchr(want, ' ') - want);
        bool uncounted = strncmp(got, want, tokens) == 0 && strcmp(got + tokens, " 0/0/0/0") == 0;
        /* A reply of an unknown end is given as soon as its end is known. */
        if (!same && !broke && !uncounted)
            print_error("cut at %zu: %s\n", at, got);
        assert_row(same || broke || uncounted, row, stream_rows[row].name);
    }
}

static void recorded_streams_are_understood(void **state)
{
    every_stream(whole);
}

static void a_stream_may_be_cut_in_two_anywhere(void **state)
{
    every_stream(in_two);
}

static void a_stream_may_come_byte_by_byte(void **state)
{
    every_stream(in_bytes);
}

static void lines_may_end_in_any_way(void **state)
{
    every_stream(other_lines);
}

static void a_stream_that_ends_too_early_is_never_a_reply(void **state)
{
    every_stream(cut_off);
}

static void text_is_heard_as_it_comes(void **state)
{
    for (int v = 0; v < VENDORS; v++) {
        AUTO(Buf) stream = { 0 };
        AUTO(Feed) f = { 0 };
        load(v, "text", &stream);
        feed(&f, v, buf_str(&stream), 1, 1);
        assert_str(buf_str(&f.said), S("Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!"));
    }
}

static void an_id_of_an_earlier_turn_is_not_used_again(void **state)
{
    for (int v = 0; v < VENDORS; v++) {
        AUTO(Buf) stream = { 0 };
        AUTO(Feed) f = { 0 };
        Err e = { 0 };
        LlmReply r = { 0 };
        load(v, "calls", &stream);
        feed(&f, v, buf_str(&stream), 1, 4096);
        LlmPart old = { .kind = LLM_CALL, .id = S("toolu_01") };
        LlmMessage message = { LLM_ASSISTANT, &old, 1 };
        f.request.messages = &message;
        f.request.n_messages = 1;
        assert_int_equal(draft_finish(&f.draft, &f.arena, &r, &e), JOT_OK);
        assert_true(str_starts(r.parts[1].id, S("call_")));
        assert_str(r.parts[2].id, S("toolu_02"));
    }
}

/* --- Limits ------------------------------------------------------------------------------ */

static void text_event(int vendor, size_t n, Buf *to)
{
    static const char *const begins[] = {
        "{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"",
        "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"",
        "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"",
    };
    static const char *const ends[] = { "\"}}", "\"}}]}", "\"}" };
    buf_add(to, str(begins[vendor]));
    memset(buf_room(to, n), 'x', n);
    buf_grew(to, n);
    buf_add(to, str(ends[vendor]));
}

static void a_reply_has_a_limit(void **state)
{
    for (int v = 0; v < VENDORS; v++) {
        AUTO(Feed) f = { 0 };
        AUTO(Buf) event = { 0 };
        Err e = { 0 };
        f.vendor = v;
        text_event(v, LLM_REPLY_MAX / 2, &event);
        SseEvent one = { .data = buf_str(&event) };
        assert_int_equal(on_event(&f, &one, &e), JOT_OK);
        assert_int_equal(on_event(&f, &one, &e), JOT_OK);
        assert_int_equal(on_event(&f, &one, &e), JOT_IO);
        assert_false(f.draft.retry);
        assert_sentence(&e);
    }
}

static void a_reply_has_a_limit_of_parts(void **state)
{
    static const char *const events[] = {
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\","
        "\"id\":\"a\",\"name\":\"b\",\"input\":{}}}",
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"b\",\"arguments\":{}}}"
        "]}}]}",
        "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\","
        "\"encrypted_content\":\"e\"}}",
    };
    for (int v = 0; v < VENDORS; v++) {
        AUTO(Feed) f = { 0 };
        Err e = { 0 };
        SseEvent one = { .data = str(events[v]) };
        f.vendor = v;
        for (int i = 0; i < LLM_PARTS_MAX; i++)
            assert_int_equal(on_event(&f, &one, &e), JOT_OK);
        assert_int_equal(on_event(&f, &one, &e), JOT_IO);
        assert_sentence(&e);
    }
}

/* --- Events alone ------------------------------------------------------------------------ */

static jot_status list_event(void *ctx, const SseEvent *event, Err *e)
{
    buf_addf(ctx, "[" STR_FMT "|" STR_FMT "]", STR_ARG(event->name), STR_ARG(event->data));
    return JOT_OK;
}

static const struct {
    const char *stream, *want;
} sse_rows[] = {
    { "data: a\n\n", "[|a]" },
    { "data:a\n\n", "[|a]" },
    { "data:  a \n\n", "[| a ]" },
    { "data: a\ndata: b\n\n", "[|a\nb]" },
    { "data\n\n", "[|]" },
    { "data:\n\n", "[|]" },
    { "event: x\ndata: a\n\n", "[x|a]" },
    { "data: a\nevent: x\nevent: y\n\ndata: b\n\n", "[y|a][|b]" },
    { "event: x\n\ndata: b\n\n", "[|b]" },
    { ": data: a\n\n", "" },
    { ":\n\n", "" },
    { "id: 1\nretry: 5\nnonsense\ndatas: x\n\n", "" },
    { "data: a\n", "" },
    { "data: a", "" },
    { "\n\n\ndata: a\n\n\n\n", "[|a]" },
    { "\xEF\xBB\xBF"
      "data: a\n\n",
      "[|a]" },
    { "data: \xEF\xBB\xBF\n\n", "[|\xEF\xBB\xBF]" },
    { "data: a\r\rdata: b\r\n\r\ndata: c\n\n", "[|a][|b][|c]" },
    { "data: a\r\n\rdata: b\n\r\n", "[|a][|b]" },
};

static void events_are_read_as_the_standard_says(void **state)
{
    for (size_t i = 0; i < COUNT_OF(sse_rows); i++) {
        Str stream = str(sse_rows[i].stream);
        for (size_t cut = 0; cut <= stream.n; cut++) {
            AUTO(Sse) s = { 0 };
            AUTO(Buf) got = { 0 };
            Err e = { 0 };
            jot_status st = sse_feed(&s, str_slice(stream, 0, cut), list_event, &got, &e);
            assert_int_equal(st, JOT_OK);
            st = sse_feed(&s, str_from(stream, cut), list_event, &got, &e);
            assert_int_equal(st, JOT_OK);
            assert_row(str_eq(buf_str(&got), str(sse_rows[i].want)), i, sse_rows[i].stream);
        }
    }
}

static void an_event_has_a_limit(void **state)
{
    AUTO(Sse) s = { 0 };
    AUTO(Buf) got = { 0 };
    AUTO(Buf) mib = { 0 };
    Err e = { 0 };
    memset(buf_room(&mib, 1024 * 1024), 'x', 1024 * 1024);
    buf_grew(&mib, 1024 * 1024);
    jot_status st = sse_feed(&s, S("data: "), list_event, &got, &e);
    for (int i = 0; i < 64 && st == JOT_OK; i++)
        st = sse_feed(&s, buf_str(&mib), list_event, &got, &e);
    assert_int_equal(st, JOT_TOO_BIG);
    assert_sentence(&e);
    assert_true(s.line.cap <= SSE_EVENT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_read_as_the_standard_says),
        cmocka_unit_test(an_event_has_a_limit),
        cmocka_unit_test(recorded_streams_are_understood),
        cmocka_unit_test(a_stream_may_be_cut_in_two_anywhere),
        cmocka_unit_test(a_stream_may_come_byte_by_byte),
        cmocka_unit_test(lines_may_end_in_any_way),
        cmocka_unit_test(a_stream_that_ends_too_early_is_never_a_reply),
        cmocka_unit_test(text_is_heard_as_it_comes),
        cmocka_unit_test(an_id_of_an_earlier_turn_is_not_used_again),
        cmocka_unit_test(a_reply_has_a_limit),
        cmocka_unit_test(a_reply_has_a_limit_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
