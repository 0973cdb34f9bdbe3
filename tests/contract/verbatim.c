/* verbatim.c - promises about put_records: records of another pad go in as they are, directly
 * behind the head, all of them or none. */
#include <string.h>

#include "contract.h"

enum { CHAIN_MAX = 64 };

/* `n` records that begin behind `head`: entries "1", "2" ... */
static void make(Trial *p, const char *stream, Mark head, Record *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Draft d = { .op = OP_APPEND,
                    .by = S("eve"),
                    .body = arena_printf(&p->arena, "%llu", (unsigned long long)head.seq + 1) };
        out[i] = next_record(stream, &head, d, 1000 + (int64_t)i);
        head = out[i].mark;
    }
}

/* Chains that fit what was changed in the records. */
static void rechain(const char *stream, Mark before, Record *r, size_t n)
{
    for (size_t i = 0; i < n; i++, before = r[i - 1].mark)
        r[i].mark.chain = record_chain(before.chain, str(stream), &r[i]);
}

static void put_records(Trial *p, const char *stream, const Record *records, size_t n)
{
    CHECK_IS(p, store_put_records(p->s, str(stream), records, n, &p->e), JOT_OK);
}

/* They must be refused and change nothing. */
static void put_refused(Trial *p, jot_status want, const char *stream, const Record *records,
                        size_t n)
{
    Str before = trial_dump(p);
    CHECK_IS(p, store_put_records(p->s, str(stream), records, n, &p->e), want);
    CHECK_TEXT(trial_dump(p), before);
}

static void records_come_back_verbatim(Trial *p)
{
    Mark none = { 0 };
    Draft full = { .op = OP_PUT,
                   .by = S("eve"),
                   .id = S("call-1"),
                   .meta = S("{ \"k\": 1 }"),
                   .body = S("a\0b"),
                   .fence = 3 };
    Record want[3] = { next_record("notes/a", &none, full, 500) };
    want[1] = next_record("notes/a", &want[0].mark, DELETE, 500);
    want[2] = next_record("notes/a", &want[1].mark, PUT(""), 900);
    put_records(p, "notes/a", want, 3);
    Records got = read_all(p, "notes/a");
    CHECK_NUM(got.n, 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_RECORD(got.items[i], want[i]);
    Record newest = head(p, "notes/a", HEAD_RECORD);
    CHECK_RECORD(newest, want[2]);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S(""));
}

static void the_last_put_record_is_the_value(Trial *p)
{
    Mark none = { 0 };
    Record want[2] = { next_record("memories/d/e", &none, PUT("one"), 500) };
    want[1] = next_record("memories/d/e", &want[0].mark, PUT("two"), 500);
    put_records(p, "memories/d/e", want, 2);
    CHECK_TEXT(head(p, "memories/d/e", HEAD_VALUE).body, S("two"));
    CHECK_NUM(append(p, "memories/d/e", VERSION("two"), PUT("three")).seq, 3);
    check_chain(p, "memories/d/e");
}

static void an_append_goes_on_behind_put_records(Trial *p)
{
    Record r[3];
    make(p, "x/a", (Mark){ 0 }, r, 3);
    put_records(p, "x/a", r, 3);
    CHECK_NUM(entry(p, "x/a", "four").seq, 4);
    check_chain(p, "x/a");
}

static void put_records_go_on_behind_an_append(Trial *p)
{
    p->now_ms = 900;
    Mark one = entry(p, "x/a", "one");
    Record r[2];
    make(p, "x/a", one, r, 2);
    put_records(p, "x/a", r, 2);
    CHECK_NUM(read_all(p, "x/a").n, 3);
    check_chain(p, "x/a");
}

static void a_tombstone_can_be_put_behind_a_live_value(Trial *p)
{
    p->now_ms = 400;
    Mark one = put(p, "notes/a", "one");
    Record gone = next_record("notes/a", &one, DELETE, 500);
    put_records(p, "notes/a", &gone, 1);
    CHECK(head(p, "notes/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK_NUM(list(p, "", "", 10, LIST_LIVE).n, 0);
    CHECK_NUM(append(p, "notes/a", ABSENT, PUT("three")).seq, 3);
}

static void records_must_follow_the_head(Trial *p)
{
    Record r[5];
    make(p, "x/a", (Mark){ 0 }, r, 5);
    put_records(p, "x/a", r, 2);
    put_refused(p, JOT_CONFLICT, "x/a", r, 1);     /* the first again */
    put_refused(p, JOT_CONFLICT, "x/a", r + 1, 1); /* the head again */
    put_refused(p, JOT_CONFLICT, "x/a", r + 3, 2); /* one is missing */
    put_refused(p, JOT_CONFLICT, "x/a", r, 5);     /* all of them */
    put_records(p, "x/a", r + 2, 3);
}

static void records_must_follow_each_other(Trial *p)
{
    Record r[4];
    make(p, "x/a", (Mark){ 0 }, r, 4);
    Record gap[] = { r[0], r[2] }, twice[] = { r[0], r[0] }, back[] = { r[1], r[0] };
    put_refused(p, JOT_CONFLICT, "x/a", gap, 2);
    put_refused(p, JOT_CONFLICT, "x/a", twice, 2);
    put_refused(p, JOT_CONFLICT, "x/a", back, 2);
}

static void all_records_go_in_or_none(Trial *p)
{
    Record r[4];
    make(p, "x/a", (Mark){ 0 }, r, 4);
    r[3].mark.chain.b[0] ^= 1;
    put_refused(p, JOT_CONFLICT, "x/a", r, 4);
    r[3].mark.chain.b[0] ^= 1;
    put_records(p, "x/a", r, 4);
}

static void chains_must_fit(Trial *p)
{
    Record r[3];
    make(p, "x/a", (Mark){ 0 }, r, 3);
    Record wrong = r[0];
    wrong.mark.chain.b[31] ^= 1;
    put_refused(p, JOT_CONFLICT, "x/a", &wrong, 1);
    put_records(p, "x/a", r, 2);
    wrong = r[2];
    wrong.mark.chain.b[0] ^= 1;
    put_refused(p, JOT_CONFLICT, "x/a", &wrong, 1);
    /* The chain covers the header: whoever changes it is found out. */
    wrong = r[2];
    wrong.by = S("bob");
    put_refused(p, JOT_CONFLICT, "x/a", &wrong, 1);
    wrong = r[2];
    wrong.mark.at_ms++;
    put_refused(p, JOT_CONFLICT, "x/a", &wrong, 1);
    wrong = r[2];
    wrong.mark.op = OP_PUT;
    put_refused(p, JOT_CONFLICT, "x/a", &wrong, 1);
}

static void another_streams_records_do_not_fit(Trial *p)
{
    Record r[2];
    make(p, "x/a", (Mark){ 0 }, r, 2);
    put_refused(p, JOT_CONFLICT, "x/b", r, 2);
}

static void into_an_empty_stream_the_first_may_have_any_seq(Trial *p)
{
    uint64_t first[] = { 2, 17, 1000000, STORE_SEQ_MAX / 2 };
    static const char *const streams[] = { "x/a", "x/b", "x/c", "x/d" };
    for (size_t i = 0; i < COUNT_OF(first); i++) {
        Record r[3];
        Mark before = { .seq = first[i] - 1, .fence = 2, .chain = hash_of(S("anything")) };
        make(p, streams[i], before, r, 3);
        put_records(p, streams[i], r, 3);
        Records got = read_from(p, streams[i], 1, 10);
        CHECK_NUM(got.n, 3);
        CHECK_NUM(got.items[0].mark.seq, first[i]);
        CHECK_NUM(entry(p, streams[i], "next").seq, first[i] + 3);
        check_chain(p, streams[i]);
    }
}

static void time_and_fence_must_not_go_back(Trial *p)
{
    Mark head = { 0 };
    Draft d = ENTRY("one");
    d.fence = 5;
    Record r = next_record("x/a", &head, d, 1000);
    put_records(p, "x/a", &r, 1);
    head = r.mark;
    Record early = next_record("x/a", &head, ENTRY("two"), 999);
    put_refused(p, JOT_CONFLICT, "x/a", &early, 1);
    head.fence = 4;
    Record lower = next_record("x/a", &head, ENTRY("two"), 1000);
    put_refused(p, JOT_CONFLICT, "x/a", &lower, 1);
}

static void bodies_must_have_their_hash(Trial *p)
{
    Record r[1];
    make(p, "x/a", (Mark){ 0 }, r, 1);
    Record wrong = *r;
    wrong.body = S("2");
    put_refused(p, JOT_CORRUPT, "x/a", &wrong, 1);
    wrong = *r;
    wrong.mark.size = 2;
    put_refused(p, JOT_CORRUPT, "x/a", &wrong, 1);
    wrong = *r;
    wrong.body = S("");
    put_refused(p, JOT_CORRUPT, "x/a", &wrong, 1);
}

static void a_redacted_record_goes_in_without_its_body(Trial *p)
{
    Record r[3];
    make(p, "x/a", (Mark){ 0 }, r, 3);
    Record with_body = r[1];
    with_body.mark.redacted = true;
    put_records(p, "x/a", r, 1);
    put_refused(p, JOT_INVALID, "x/a", &with_body, 1);
    r[1].mark.redacted = true;
    r[1].body = S("");
    put_records(p, "x/a", r + 1, 2);
    Record got = record_at(p, "x/a", 2);
    CHECK_RECORD(got, r[1]);
    check_chain(p, "x/a");
}

/* A copy that was interrupted can end there: the version that replaces it has not come yet. */
static void a_redacted_value_can_be_the_head_for_a_while(Trial *p)
{
    Mark none = { 0 };
    Record r[2] = { next_record("notes/a", &none, PUT("secret"), 500) };
    r[1] = next_record("notes/a", &r[0].mark, PUT("two"), 600);
    r[0].mark.redacted = true;
    r[0].body = S("");
    put_records(p, "notes/a", r, 1);
    Record got = head(p, "notes/a", HEAD_RECORD);
    CHECK_RECORD(got, r[0]);
    got = record_at(p, "notes/a", 1);
    CHECK_RECORD(got, r[0]);
    put_records(p, "notes/a", r + 1, 1);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("two"));
    CHECK_NUM(read_all(p, "notes/a").n, 2);
    check_chain(p, "notes/a");
}

static void members_of_a_newer_version_are_kept(Trial *p)
{
    Record r[3];
    make(p, "x/a", (Mark){ 0 }, r, 3);
    r[0].extra = S("\"colour\":\"red\"");
    r[1].extra = S("\"n\":1,\"deep\":{\"a\":[1,2]},\"s\":\"\\u0000\"");
    r[2].extra = S("\"\":null");
    rechain("x/a", (Mark){ 0 }, r, 3);
    put_records(p, "x/a", r, 3);
    Records got = read_all(p, "x/a");
    for (size_t i = 0; i < 3; i++)
        CHECK_RECORD(got.items[i], r[i]);
    CHECK_TEXT(head(p, "x/a", HEAD_RECORD).extra, r[2].extra);
    entry(p, "x/a", "four");
    CHECK_TEXT(head(p, "x/a", HEAD_RECORD).extra, S(""));
}

static void members_that_are_none_are_refused(Trial *p)
{
    static const char *const wrong[] = {
        "x",
        "{}",
        "\"a\"",
        "\"a\":",
        "\"a\":1,",
        ",\"a\":1",
        "\"a\":1}",
        "\"a\":1}\n{",
        "\"a\":\n1",
        "\"seq\":9",
        "\"body\":\"x\"",
        "\"body64\":\"eA==\"",
        "\"chain\":\"x\"",
        "\"redacted\":true",
        "\"a\":1,\"meta\":{}",
        "\"a\":\"\xFF\"",
        " ",
    };
    Record r[1];
    make(p, "x/a", (Mark){ 0 }, r, 1);
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        r[0].extra = str(wrong[i]);
        put_refused(p, JOT_INVALID, "x/a", r, 1);
    }
}

static void members_of_a_newer_version_have_at_most_16_kib(Trial *p)
{
    size_t most = 16 * 1024;
    char *text = arena_alloc(&p->arena, most + 2, 1);
    memset(text, 'x', most + 1);
    memcpy(text, "\"a\":\"", 5);
    text[most] = '"';
    Record r[1];
    make(p, "x/a", (Mark){ 0 }, r, 1);
    r[0].extra = (Str){ text, most + 1 };
    put_refused(p, JOT_TOO_BIG, "x/a", r, 1);
    text[most - 1] = '"';
    r[0].extra.n = most;
    rechain("x/a", (Mark){ 0 }, r, 1);
    put_records(p, "x/a", r, 1);
    CHECK_TEXT(record_at(p, "x/a", 1).extra, r[0].extra);
}

static void edits_from_outside_keep_their_author(Trial *p)
{
    Mark none = { 0 };
    Draft d = { .op = OP_PUT, .by = S(STORE_OUTSIDE), .body = S("by hand") };
    Record r = next_record("notes/a", &none, d, 500);
    put_records(p, "notes/a", &r, 1);
    Record got = head(p, "notes/a", HEAD_RECORD);
    CHECK_RECORD(got, r);
}

static void ids_of_put_records_are_found(Trial *p)
{
    Mark none = { 0 };
    Draft d = PUT("one");
    d.id = S("call-1");
    Record r = next_record("notes/a", &none, d, 500);
    put_records(p, "notes/a", &r, 1);
    CHECK_NUM(append(p, "notes/a", ABSENT, d).seq, 1);
    d.body = S("two");
    refused(p, JOT_ID_REUSED, "notes/a", ANY, d);
}

/* Everything an append would refuse. */
static void put_records_are_not_believed(Trial *p)
{
    static const Draft fine = { .op = OP_PUT, .by = { "eve", 3 }, .body = { "x", 1 } };
    Mark none = { 0 };
    Draft d[8] = { fine, fine, fine, fine, fine, fine, fine, fine };
    d[0].op = (Op)7;
    d[1].by = S("a\nb");
    d[2].id = S("a\nb");
    d[3].meta = S("[]");
    d[4].op = OP_APPEND; /* in a document */
    d[5].meta = S("{\"a\":1,\"a\":2}");
    d[6].by = S("\xFF");
    d[7].op = (Op)0;
    for (size_t i = 0; i < COUNT_OF(d); i++) {
        Record r = next_record("notes/a", &none, d[i], 500);
        put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    }
    Record r = next_record("notes/a", &none, fine, -1);
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    Mark last = { .seq = UINT64_MAX };
    r = next_record("notes/a", &last, fine, 500);
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    Draft fenced = fine;
    fenced.fence = STORE_SEQ_MAX + 1;
    r = next_record("notes/a", &none, fenced, 500);
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
}

static void a_tombstone_with_a_body_size_or_hash_is_refused(Trial *p)
{
    Mark none = { 0 };
    Record r = next_record("notes/a", &none, DELETE, 500);
    r.mark.size = 1;
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    r = next_record("notes/a", &none, DELETE, 500);
    r.mark.sha256.b[0] = 1;
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    r = next_record("notes/a", &none, DELETE, 500);
    r.body = S("x");
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
    r = next_record("notes/a", &none, DELETE, 500);
    r.mark.redacted = true;
    put_refused(p, JOT_INVALID, "notes/a", &r, 1);
}

static void a_redacted_body_was_no_greater_than_a_body_can_be(Trial *p)
{
    Record r[1];
    make(p, "x/a", (Mark){ 0 }, r, 1);
    r[0].mark.redacted = true;
    r[0].body = S("");
    r[0].mark.size = STORE_BODY_MAX + 1;
    put_refused(p, JOT_TOO_BIG, "x/a", r, 1);
    r[0].mark.size = STORE_BODY_MAX;
    rechain("x/a", (Mark){ 0 }, r, 1);
    put_records(p, "x/a", r, 1);
}

static void live_names_do_not_clash_by_put_records_either(Trial *p)
{
    put(p, "memories/a/b", "x");
    Mark none = { 0 };
    Record r[2] = { next_record("memories/a", &none, PUT("x"), 500) };
    r[1] = next_record("memories/a", &r[0].mark, DELETE, 500);
    put_refused(p, JOT_INVALID, "memories/a", r, 1);
    put_records(p, "memories/a", r, 2); /* it ends deleted: both are there */
    CHECK(head(p, "memories/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK_TEXT(record_at(p, "memories/a", 1).body, S("x"));
    CHECK_TEXT(head(p, "memories/a/b", HEAD_VALUE).body, S("x"));
}

static void many_records_go_in_at_once(Trial *p)
{
    Record *r = NEW_ARRAY(&p->arena, Record, STORE_READ_MAX);
    make(p, "x/a", (Mark){ 0 }, r, STORE_READ_MAX);
    put_records(p, "x/a", r, STORE_READ_MAX);
    CHECK_NUM(read_all(p, "x/a").n, STORE_READ_MAX);
    check_chain(p, "x/a");
}

static void put_records_are_there_for_every_handle_and_after_reopening(Trial *p)
{
    Record r[CHAIN_MAX];
    make(p, "x/a", (Mark){ 0 }, r, CHAIN_MAX);
    put_records(p, "x/a", r, CHAIN_MAX / 2);
    trial_use(p, 1);
    put_refused(p, JOT_CONFLICT, "x/a", r, CHAIN_MAX / 2);
    put_records(p, "x/a", r + CHAIN_MAX / 2, CHAIN_MAX / 2);
    trial_reopen(p);
    Records got = read_all(p, "x/a");
    CHECK_NUM(got.n, CHAIN_MAX);
    for (size_t i = 0; i < CHAIN_MAX; i++)
        CHECK_RECORD(got.items[i], r[i]);
}

const Promise verbatim_promises[] = {
    PROMISE(records_come_back_verbatim),
    PROMISE(the_last_put_record_is_the_value),
    PROMISE(an_append_goes_on_behind_put_records),
    PROMISE(put_records_go_on_behind_an_append),
    PROMISE(a_tombstone_can_be_put_behind_a_live_value),
    PROMISE(records_must_follow_the_head),
    PROMISE(records_must_follow_each_other),
    PROMISE(all_records_go_in_or_none),
    PROMISE(chains_must_fit),
    PROMISE(another_streams_records_do_not_fit),
    PROMISE(into_an_empty_stream_the_first_may_have_any_seq),
    PROMISE(time_and_fence_must_not_go_back),
    PROMISE(bodies_must_have_their_hash),
    PROMISE(a_redacted_record_goes_in_without_its_body),
    PROMISE(a_redacted_value_can_be_the_head_for_a_while),
    PROMISE(members_of_a_newer_version_are_kept),
    PROMISE(members_that_are_none_are_refused),
    PROMISE(members_of_a_newer_version_have_at_most_16_kib),
    PROMISE(edits_from_outside_keep_their_author),
    PROMISE(ids_of_put_records_are_found),
    PROMISE(put_records_are_not_believed),
    PROMISE(a_tombstone_with_a_body_size_or_hash_is_refused),
    PROMISE(a_redacted_body_was_no_greater_than_a_body_can_be),
    PROMISE(live_names_do_not_clash_by_put_records_either),
    PROMISE(many_records_go_in_at_once),
    LASTING(put_records_are_there_for_every_handle_and_after_reopening),
    { 0 },
};
