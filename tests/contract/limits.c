/* limits.c - promises about limits: each is tried on both of its sides, and what is beyond it is
 * refused by name and changes nothing. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "contract.h"
#include "rig/volume.h"
#include "store/record.h"

static Str repeated(Trial *p, char c, size_t n)
{
    char *bytes = arena_alloc(&p->arena, n + 1, 1);
    memset(bytes, c, n);
    return (Str){ bytes, n };
}

/* A stream that a refused append must not have made. */
static void check_untouched(Trial *p)
{
    CHECK_NUM(list(p, "", "", 10, LIST_ALL).n, 0);
}

static void check_said(Trial *p, const char *part)
{
    if (!strstr(p->e.text, part))
        FAIL("the sentence '%s' does not name the limit %s", p->e.text, part);
}

/* --- Names ----------------------------------------------------------------------------- */

static void a_name_has_at_most_480_bytes(Trial *p)
{
    AUTO(Buf) name = { 0 };
    buf_add(&name, S("x"));
    while (name.n + 101 <= STORE_NAME_MAX) {
        buf_add_char(&name, '/');
        buf_add(&name, repeated(p, 'n', 100));
    }
    buf_add_char(&name, '/');
    buf_add(&name, repeated(p, 'n', STORE_NAME_MAX - name.n));
    Draft d = PUT("x");
    Mark m;
    CHECK_NUM(name.n, 480);
    buf_add_char(&name, 'n');
    CHECK_IS(p, store_append(p->s, buf_str(&name), NULL, &d, &m, &p->e), JOT_INVALID);
    check_said(p, "480");
    check_untouched(p);
    Str longest = { name.p, STORE_NAME_MAX };
    CHECK_IS(p, store_append(p->s, longest, NULL, &d, &m, &p->e), JOT_OK);
    Listing got = list(p, "x/", "", 2, LIST_LIVE);
    CHECK_NUM(got.n, 1);
    CHECK_TEXT(got.items[0].name, longest);
    Record r;
    CHECK_IS(p, store_head(p->s, longest, HEAD_VALUE, &p->arena, &r, &p->e), JOT_OK);
    CHECK_TEXT(r.body, S("x"));
    got = (Listing){ 0 };
    CHECK_IS(p,
             store_list(p->s, &(ListQuery){ .after = longest, .limit = 1 }, &p->arena, &got, &p->e),
             JOT_OK);
    CHECK_NUM(got.n, 0);
}

static void try_segment(Trial *p, const char *before, size_t n, const char *behind, jot_status want)
{
    Str name = arena_printf(&p->arena, "%s%s%s", before, repeated(p, 's', n).p, behind);
    Draft d = PUT("x");
    Mark m;
    CHECK_IS(p, store_append(p->s, name, NULL, &d, &m, &p->e), want);
    Record r;
    jot_status then = want == JOT_OK ? JOT_OK : JOT_INVALID;
    CHECK_IS(p, store_head(p->s, name, HEAD_VALUE, &p->arena, &r, &p->e), then);
    if (want != JOT_OK)
        check_said(p, "200");
}

static void a_segment_has_1_to_200_bytes(Trial *p)
{
    static const struct {
        const char *before, *behind;
    } places[] = {
        { "x/", "" },       { "memories/", "" }, { "memories/a/", "/b" },
        { "x/b/", "/c/d" }, { "", "/a" },        { "artifacts/", "/a" },
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        try_segment(p, places[i].before, STORE_SEGMENT_MAX + 1, places[i].behind, JOT_INVALID);
        check_untouched(p);
    }
    for (size_t i = 0; i < COUNT_OF(places); i++)
        try_segment(p, places[i].before, STORE_SEGMENT_MAX, places[i].behind, JOT_OK);
    static const char *const empty[] = { "x//a", "x/", "/a", "x/a/", "x/a//b" };
    for (size_t i = 0; i < COUNT_OF(empty); i++)
        refused(p, JOT_INVALID, empty[i], ANY, PUT("x"));
    put(p, "y/a", "one byte is enough");
}

/* 200 bytes are 100 characters here: bytes are what counts. */
static void a_segment_is_measured_in_bytes(Trial *p)
{
    char name[256] = "x/";
    for (int i = 0; i < 100; i++)
        snprintf(name + 2 + 2 * i, sizeof name - 2 - 2 * (size_t)i, "\xC3\xA9");
    put(p, name, "x");
    CHECK_TEXT(list(p, "x/", "", 1, LIST_LIVE).items[0].name, str(name));
    snprintf(name + 202, sizeof name - 202, "\xC3\xA9");
    refused(p, JOT_INVALID, name, ANY, PUT("x"));
}

static void a_key_has_at_most_128_bytes(Trial *p)
{
    static const char *const kinds[] = { "notes", "cycles" };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char name[256];
        snprintf(name, sizeof name, "%s/%s", kinds[i], repeated(p, 'k', STORE_KEY_MAX + 1).p);
        refused(p, JOT_INVALID, name, ANY, PUT("x"));
        check_said(p, "128");
        name[strlen(name) - 1] = 0;
        put(p, name, "x");
        CHECK_TEXT(head(p, name, HEAD_VALUE).body, S("x"));
    }
}

static void flat_kinds_take_one_segment(Trial *p)
{
    static const char *const flat[] = { "cycles", "runs", "leases", "tasks", "plans" };
    for (size_t i = 0; i < COUNT_OF(flat); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s/a/b", flat[i]);
        refused(p, JOT_INVALID, name, ANY, PUT("x"));
        snprintf(name, sizeof name, "%s/a", flat[i]);
        put(p, name, "x");
    }
    static const char *const deep[] = { "memories/a/b/c/d/e/f", "artifacts/a/b/c", "logs/a/b",
                                        "x/a/b" };
    for (size_t i = 0; i < COUNT_OF(deep); i++)
        put(p, deep[i], "x");
}

static void a_snapshot_is_named_by_an_agent_and_a_cycle(Trial *p)
{
    static const char *const bad[] = { "snapshots/a_before",    "snapshots/a/b/c_before",
                                       "snapshots/a/active",    "snapshots/a.b/c_before",
                                       "snapshots/a/c.d_after", "snapshots/a/" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        refused(p, JOT_INVALID, bad[i], ANY, PUT("x"));
    put(p, "snapshots/a/c_before", "x");
    put(p, "snapshots/a/c_after", "x");
}

/* On files a value is KEY.json: a directory of that name would be in its way. */
static void a_directory_of_artifacts_cannot_look_like_an_artifact(Trial *p)
{
    refused(p, JOT_INVALID, "artifacts/a.json/b", ANY, PUT("x"));
    refused(p, JOT_INVALID, "artifacts/a/b.json/c", ANY, PUT("x"));
    put(p, "artifacts/a", "x");
    put(p, "artifacts/a.json", "y");
    put(p, "artifacts/b/c.json", "z");
    CHECK_TEXT(head(p, "artifacts/a", HEAD_VALUE).body, S("x"));
    CHECK_TEXT(head(p, "artifacts/a.json", HEAD_VALUE).body, S("y"));
}

/* --- Records --------------------------------------------------------------------------- */

static void a_body_has_at_most_16_mib(Trial *p)
{
    Str bytes = repeated(p, 'b', STORE_BODY_MAX + 1);
    static const char *const streams[] = { "notes/a", "x/a" };
    Mark m;
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        Draft d = { .op = i ? OP_APPEND : OP_PUT, .by = S("ann"), .body = bytes };
        CHECK_IS(p, store_append(p->s, str(streams[i]), NULL, &d, &m, &p->e), JOT_TOO_BIG);
        check_said(p, "16777216");
    }
    check_untouched(p);
    bytes.n = volume_bytes(STORE_BODY_MAX);
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        Draft d = { .op = i ? OP_APPEND : OP_PUT, .by = S("ann"), .body = bytes };
        CHECK_IS(p, store_append(p->s, str(streams[i]), NULL, &d, &m, &p->e), JOT_OK);
        CHECK_NUM(m.size, bytes.n);
        CHECK(str_eq(head(p, streams[i], HEAD_VALUE).body, bytes));
        CHECK(str_eq(record_at(p, streams[i], 1).body, bytes));
    }
}

/* Neither text nor anything that packs well. */
static void the_worst_body_of_16_mib_comes_back(Trial *p)
{
    size_t n = volume_bytes(STORE_BODY_MAX);
    char *bytes = arena_alloc(&p->arena, n, 1);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (char)(x >> 24);
    }
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = { bytes, n } };
    append(p, "x/a", ANY, d);
    CHECK(str_eq(record_at(p, "x/a", 1).body, d.body));
    /* As text, each of these bytes would take six. */
    memset(bytes, 1, n);
    append(p, "x/a", ANY, d);
    CHECK(str_eq(record_at(p, "x/a", 2).body, d.body));
}

static void the_longest_record_fits_into_a_line(Trial *p)
{
    Record r = { .by = repeated(p, '"', STORE_BY_MAX), .id = repeated(p, '\\', STORE_ID_MAX) };
    char *meta = (char *)repeated(p, '\n', STORE_META_MAX).p;
    memcpy(meta, "{}", 2);
    r.meta = (Str){ meta, STORE_META_MAX };
    r.body = repeated(p, '\xFF', volume_bytes(STORE_BODY_MAX));
    r.mark = (Mark){ .seq = STORE_SEQ_MAX,
                     .at_ms = INT64_MAX,
                     .op = OP_APPEND,
                     .fence = STORE_SEQ_MAX,
                     .size = r.body.n,
                     .sha256 = hash_of(r.body) };
    AUTO(Buf) line = { 0 };
    record_write(&line, &r, RECORD_NESTED);
    CHECK(buf_ok(&line) && line.n <= RECORD_LINE_MAX);
    Record back;
    CHECK_IS(p, record_read(buf_str(&line), RECORD_ALL, &p->arena, &back, &p->e), JOT_OK);
    CHECK_RECORD(back, r);
}

static void meta_has_at_most_4096_bytes(Trial *p)
{
    Draft d = PUT("x");
    char *meta = (char *)repeated(p, 'm', STORE_META_MAX + 1).p;
    memcpy(meta, "{\"k\":\"", 6);
    memcpy(meta + STORE_META_MAX - 1, "\"}", 2);
    d.meta = (Str){ meta, STORE_META_MAX + 1 };
    refused(p, JOT_TOO_BIG, "notes/a", ANY, d);
    check_said(p, "4096");
    memcpy(meta + STORE_META_MAX - 2, "\"}", 2);
    d.meta.n = STORE_META_MAX;
    append(p, "notes/a", ANY, d);
    CHECK_TEXT(head(p, "notes/a", HEAD_MARK).meta, d.meta);
    CHECK_TEXT(record_at(p, "notes/a", 1).meta, d.meta);
}

static Str nested(Trial *p, int depth)
{
    AUTO(Buf) text = { 0 };
    for (int i = 1; i < depth; i++)
        buf_add(&text, S("{\"a\":"));
    buf_add(&text, S("{}"));
    for (int i = 1; i < depth; i++)
        buf_add_char(&text, '}');
    return arena_copy(&p->arena, buf_str(&text));
}

static void meta_nests_at_most_64_levels(Trial *p)
{
    Draft d = PUT("x");
    d.meta = nested(p, JSON_DEPTH_MAX + 1);
    refused(p, JOT_INVALID, "notes/a", ANY, d);
    check_said(p, "64");
    d.meta = nested(p, JSON_DEPTH_MAX);
    append(p, "notes/a", ANY, d);
    CHECK_TEXT(record_at(p, "notes/a", 1).meta, d.meta);
}

static void meta_is_one_json_object(Trial *p)
{
    static const char *const wrong[] = {
        "x",
        "[]",
        "1",
        "\"{}\"",
        "null",
        "true",
        "{",
        "{}}",
        "{} {}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":1 /* */}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\xFF\"}",
        "{\"a\":\"\x01\"}",
        " ",
        "\xEF\xBB\xBF{}",
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Draft d = PUT("x");
        d.meta = str(wrong[i]);
        refused(p, JOT_INVALID, "notes/a", ANY, d);
    }
    Draft nul = PUT("x");
    nul.meta = S("{}\0");
    refused(p, JOT_INVALID, "notes/a", ANY, nul);
}

static void an_author_has_at_most_128_bytes_of_plain_text(Trial *p)
{
    Draft d = PUT("x");
    d.by = repeated(p, 'a', STORE_BY_MAX + 1);
    refused(p, JOT_INVALID, "notes/a", ANY, d);
    check_said(p, "128");
    Str wrong[] = { S("a\nb"), S("a\0b"), S("\x7F"), S("\xC2\x85"), S("\xFF"), S(STORE_OUTSIDE) };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        d.by = wrong[i];
        refused(p, JOT_INVALID, "notes/a", ANY, d);
    }
    d.by = repeated(p, 'a', STORE_BY_MAX);
    append(p, "notes/a", ANY, d);
    CHECK_TEXT(record_at(p, "notes/a", 1).by, d.by);
    Mark m;
    CHECK_IS(p,
             store_purge(p->s, S("notes/a"), NULL, repeated(p, 'a', STORE_BY_MAX + 1), &m, &p->e),
             JOT_INVALID);
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S(STORE_OUTSIDE), &m, &p->e), JOT_INVALID);
    CHECK_NUM(read_all(p, "notes/a").n, 1);
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, d.by, &m, &p->e), JOT_OK);
}

static void an_id_has_at_most_64_bytes_of_plain_text(Trial *p)
{
    Draft d = PUT("x");
    d.id = repeated(p, 'i', STORE_ID_MAX + 1);
    refused(p, JOT_INVALID, "notes/a", ANY, d);
    check_said(p, "64");
    Str wrong[] = { S("a\nb"), S("a\0b"), S("\x7F"), S("\xC2\x85"), S("\xFF") };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        d.id = wrong[i];
        refused(p, JOT_INVALID, "notes/a", ANY, d);
    }
    d.id = repeated(p, 'i', STORE_ID_MAX);
    append(p, "notes/a", ANY, d);
    CHECK_NUM(append(p, "notes/a", ABSENT, d).seq, 1);
}

static void a_token_is_at_most_the_greatest_seq(Trial *p)
{
    Draft d = PUT("x");
    d.fence = STORE_SEQ_MAX + 1;
    refused(p, JOT_INVALID, "notes/a", ANY, d);
    d.fence = STORE_SEQ_MAX;
    CHECK(append(p, "notes/a", ANY, d).fence == STORE_SEQ_MAX);
    CHECK(head(p, "notes/a", HEAD_MARK).mark.fence == STORE_SEQ_MAX);
    d.fence = STORE_SEQ_MAX - 1;
    refused(p, JOT_FENCED, "notes/a", ANY, d);
}

static void a_stream_ends_at_the_greatest_seq(Trial *p)
{
    Mark before = { .seq = STORE_SEQ_MAX - 2 };
    Record r = next_record("x/a", &before, ENTRY("last but one"), 5);
    CHECK_IS(p, store_put_records(p->s, S("x/a"), &r, 1, &p->e), JOT_OK);
    CHECK(entry(p, "x/a", "last").seq == STORE_SEQ_MAX);
    Mark answer = refused(p, JOT_TOO_BIG, "x/a", ANY, ENTRY("too many"));
    CHECK(answer.seq == STORE_SEQ_MAX);
    CHECK(read_from(p, "x/a", STORE_SEQ_MAX, 1).n == 1);
    /* Not even a tombstone has a number left. */
    CHECK_IS(p, store_purge(p->s, S("x/a"), NULL, S("ann"), &answer, &p->e), JOT_TOO_BIG);
    CHECK(read_from(p, "x/a", STORE_SEQ_MAX, 1).n == 1);
    before.seq = STORE_SEQ_MAX;
    r = next_record("x/b", &before, ENTRY("beyond"), 5);
    CHECK_IS(p, store_put_records(p->s, S("x/b"), &r, 1, &p->e), JOT_INVALID);
}

/* --- Answers --------------------------------------------------------------------------- */

static void a_read_takes_1_to_1000_records(Trial *p)
{
    for (int i = 0; i <= STORE_READ_MAX; i++)
        entry(p, "runs/r", "x");
    Records got;
    size_t wrong[] = { 0, STORE_READ_MAX + 1, SIZE_MAX };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        CHECK_IS(p,
                 store_read(p->s, S("runs/r"), (SeqRange){ 1, wrong[i] }, &p->arena, &got, &p->e),
                 JOT_INVALID);
        check_said(p, "1000");
    }
    got = read_from(p, "runs/r", 1, STORE_READ_MAX);
    CHECK_NUM(got.n, STORE_READ_MAX);
    CHECK(got.more);
    got = read_from(p, "runs/r", 2, STORE_READ_MAX);
    CHECK_NUM(got.n, STORE_READ_MAX);
    CHECK(!got.more);
    CHECK_NUM(read_from(p, "runs/r", 1, 1).n, 1);
}

static void a_read_begins_at_most_at_the_greatest_seq(Trial *p)
{
    put(p, "notes/a", "x");
    Records got;
    CHECK_IS(
        p,
        store_read(p->s, S("notes/a"), (SeqRange){ STORE_SEQ_MAX + 1, 1 }, &p->arena, &got, &p->e),
        JOT_INVALID);
    CHECK_NUM(read_from(p, "notes/a", STORE_SEQ_MAX, 1).n, 0);
}

static void a_read_stops_at_16_mib_of_bodies(Trial *p)
{
    size_t half = STORE_READ_BYTES / 2;
    Draft d = { .op = OP_APPEND, .by = S("ann"), .body = repeated(p, 'b', half) };
    append(p, "x/a", ANY, d);
    append(p, "x/a", ANY, d);
    entry(p, "x/a", "one byte more would be too much");
    Records got = read_from(p, "x/a", 1, 10);
    CHECK_NUM(got.n, 2);
    CHECK(got.more);
    got = read_from(p, "x/a", 2, 10);
    CHECK_NUM(got.n, 2);
    CHECK(!got.more);
}

static void the_first_record_of_a_read_always_fits(Trial *p)
{
    Draft d = { .op = OP_APPEND, .by = S("ann"), .body = repeated(p, 'b', STORE_BODY_MAX) };
    append(p, "x/a", ANY, d);
    append(p, "x/a", ANY, ENTRY(""));
    append(p, "x/a", ANY, ENTRY("x"));
    Records got = read_from(p, "x/a", 1, 10);
    CHECK_NUM(got.n, 2);
    CHECK(got.more);
    CHECK_NUM(got.items[0].body.n, STORE_BODY_MAX);
    got = read_from(p, "x/a", 3, 10);
    CHECK_NUM(got.n, 1);
}

static void a_list_takes_1_to_1000_names(Trial *p)
{
    for (int i = 0; i <= STORE_LIST_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "x/%04d", i);
        put(p, name, "x");
    }
    Listing got;
    size_t wrong[] = { 0, STORE_LIST_MAX + 1, SIZE_MAX };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        jot_status st = store_list(p->s, &(ListQuery){ .limit = wrong[i] }, &p->arena, &got, &p->e);
        CHECK_IS(p, st, JOT_INVALID);
        check_said(p, "1000");
    }
    got = list(p, "", "", STORE_LIST_MAX, LIST_LIVE);
    CHECK_NUM(got.n, STORE_LIST_MAX);
    CHECK(got.more);
    CHECK_TEXT(got.items[999].name, S("x/0999"));
    got = list(p, "", "x/0000", STORE_LIST_MAX, LIST_LIVE);
    CHECK_NUM(got.n, STORE_LIST_MAX);
    CHECK(!got.more);
    CHECK_NUM(list(p, "", "", 1, LIST_LIVE).n, 1);
}

static void a_prefix_has_at_most_480_bytes(Trial *p)
{
    AUTO(Buf) prefix = { 0 };
    buf_add(&prefix, S("x"));
    while (prefix.n < STORE_NAME_MAX)
        buf_add(&prefix, prefix.n % 100 ? S("p") : S("/"));
    Listing got;
    CHECK_IS(p,
             store_list(p->s,
                        &(ListQuery){ .prefix = buf_str(&prefix), .limit = 1, .which = LIST_ALL },
                        &p->arena, &got, &p->e),
             JOT_OK);
    buf_add_char(&prefix, 'p');
    CHECK_IS(p,
             store_list(p->s,
                        &(ListQuery){ .prefix = buf_str(&prefix), .limit = 1, .which = LIST_ALL },
                        &p->arena, &got, &p->e),
             JOT_INVALID);
    check_said(p, "480");
}

static void a_cursor_has_at_most_119_bytes(Trial *p)
{
    Changes got;
    Cursor c;
    memset(c.text, '7', sizeof c.text);
    CHECK_IS(p, store_changes(p->s, &c, 0, &p->arena, &got, &p->e), JOT_INVALID);
    check_said(p, "119");
    c.text[STORE_CURSOR_MAX - 1] = 0;
    CHECK(changes(p, &c).rescan);
}

const Promise limit_promises[] = {
    PROMISE(a_name_has_at_most_480_bytes),
    PROMISE(a_segment_has_1_to_200_bytes),
    PROMISE(a_segment_is_measured_in_bytes),
    PROMISE(a_key_has_at_most_128_bytes),
    PROMISE(flat_kinds_take_one_segment),
    PROMISE(a_snapshot_is_named_by_an_agent_and_a_cycle),
    PROMISE(a_directory_of_artifacts_cannot_look_like_an_artifact),
    PROMISE(a_body_has_at_most_16_mib),
    PROMISE(the_worst_body_of_16_mib_comes_back),
    PROMISE(the_longest_record_fits_into_a_line),
    PROMISE(meta_has_at_most_4096_bytes),
    PROMISE(meta_nests_at_most_64_levels),
    PROMISE(meta_is_one_json_object),
    PROMISE(an_author_has_at_most_128_bytes_of_plain_text),
    PROMISE(an_id_has_at_most_64_bytes_of_plain_text),
    PROMISE(a_token_is_at_most_the_greatest_seq),
    PROMISE(a_stream_ends_at_the_greatest_seq),
    PROMISE(a_read_takes_1_to_1000_records),
    PROMISE(a_read_begins_at_most_at_the_greatest_seq),
    PROMISE(a_read_stops_at_16_mib_of_bodies),
    PROMISE(the_first_record_of_a_read_always_fits),
    PROMISE(a_list_takes_1_to_1000_names),
    PROMISE(a_prefix_has_at_most_480_bytes),
    PROMISE(a_cursor_has_at_most_119_bytes),
    { 0 },
};
