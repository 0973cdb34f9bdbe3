/* test_s3.c - what can go wrong between Jotter and S3, beside what can on any way (way.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "servers/way.h"
#include "store/s3/listing.h"
#include "store/s3/mark.h"
#include "store/s3/object.h"
#include "store/s3/request.h"

static const ServerKind s3_server = { .dir = "JOT_TEST_S3_DIR",
                                      .port = "JOT_TEST_S3_PORT",
                                      .url = "s3://pads/t?endpoint=http://127.0.0.1:*&pad=",
                                      .secrets = "TESTSECRET ANOTHERSECRET OTHERSECRET :SECRET",
                                      .rounds = 6,
                                      .answers = 16,
                                      .wait_ms = 3000 };

#define MINUTE_MS ((int64_t)60000)

static uint64_t requests(const Store *s)
{
    return store_report(s)->requests;
}

/* --- Time and numbers ------------------------------------------------------------------ */

static uint64_t window(const Store *s)
{
    return (uint64_t)s3_server_ms((const S3 *)s) / S3_WINDOW_MS;
}

#define COSTS(s, n, call)                                                                  \
    do {                                                                                   \
        uint64_t before_ = requests(s);                                                    \
        assert_int_equal(call, JOT_OK);                                                    \
        if (requests(s) - before_ != (n))                                                  \
            print_error("line %d: %d requests\n", __LINE__, (int)(requests(s) - before_)); \
        *whole = *whole && requests(s) - before_ == (n);                                   \
    } while (0)

/* One of each operation that docs/engines.md has in its table. */
static void count_requests(Place *p, int round, bool *whole)
{
    Store *s = p->s, *cold = place_open(p, p->url, (StoreOptions){ .wait_ms = 3000 });
    const char *name = arena_printf(&p->a, "notes/a%d", round).p;
    const char *deep = arena_printf(&p->a, "memories/a%d/b", round).p;
    Draft with_id = { .op = OP_PUT, .by = S("ann"), .id = S("call-1"), .body = S("x") };
    Draft gone = { .op = OP_DELETE, .by = S("ann") };
    Mark m;
    Record head;
    Records records;
    Listing names;
    uint64_t dropped;
    Changes changes = { 0 };
    COSTS(s, 5, place_put(p, s, name, "one", &m)); /* four more than the next: names below, too */
    COSTS(s, 1, place_put(p, s, name, "two", &m));
    COSTS(s, 6, place_put(p, s, deep, "one", &m)); /* and those above and below are looked at */
    COSTS(s, 1, store_append(s, str(name), NULL, &with_id, &m, &p->e));
    COSTS(s, 4, store_append(s, str(name), NULL, &with_id, &m, &p->e));
    assert_int_equal(m.seq, 3);
    COSTS(cold, 4, place_put(p, cold, name, "four", &m));
    COSTS(cold, 1, place_put(p, cold, name, "five", &m));
    COSTS(cold, 2, store_head(cold, str(name), HEAD_RECORD, &p->a, &head, &p->e));
    assert_int_equal(head.mark.seq, 5);
    COSTS(cold, 1 + 5, store_read(cold, str(name), (SeqRange){ 1, 10 }, &p->a, &records, &p->e));
    ListQuery all = { .prefix = S("notes/"), .limit = 10, .which = LIST_LIVE_NAMES };
    COSTS(cold, 1, store_list(cold, &all, &p->a, &names, &p->e));
    all.which = LIST_LIVE;
    COSTS(cold, 1 + 2 * names.n, store_list(cold, &all, &p->a, &names, &p->e));
    COSTS(cold, 1, store_changes(cold, NULL, 0, &p->a, &changes, &p->e));
    assert_int_equal(store_redact(cold, str(name), NULL, 2, &p->e),
                     JOT_OK); /* how If-Match is written */
    COSTS(cold, 9, store_redact(cold, str(name), NULL, 1, &p->e));
    COSTS(cold, 1 + 3, store_append(cold, str(name), NULL, &gone, &m, &p->e));
    COSTS(cold, 3, store_trim(cold, str(name), NULL, 1, &dropped, &p->e));
    store_close(cold);
}

/* Once in ten minutes a stream costs one more, so it is counted within one such window. */
static void requests_are_as_many_as_the_documentation_says(void **state)
{
    Place *p = *state;
    bool whole = false;
    uint64_t began = 0;
    for (int round = 0; round == 0 || window(p->s) != began; round++) {
        began = window(p->s);
        whole = true;
        count_requests(p, round, &whole);
    }
    assert_true(whole);
}

#define ASKS(s, n, call)                            \
    do {                                            \
        uint64_t before_ = requests(s);             \
        assert_int_equal(call, JOT_OK);             \
        assert_int_equal(requests(s) - before_, n); \
    } while (0)

/* With ?cache=MIB what was read is not fetched again, and never shown when it is not there any
 * more. */
static void what_is_kept_costs_no_request_and_is_never_old(void **state)
{
    Place *p = *state;
    Store *s = place_open(p, arena_printf(&p->a, "%s&cache=1", p->url).p, (StoreOptions){ 0 });
    Record head;
    Records got;
    Listing names;
    Mark m;
    const ListQuery all = { .limit = 10, .which = LIST_LIVE };
    place_put_many(p, p->s, "notes/a", 3);
    ASKS(s, 2, store_head(s, S("notes/a"), HEAD_RECORD, &p->a, &head, &p->e));
    ASKS(s, 1, store_head(s, S("notes/a"), HEAD_RECORD, &p->a, &head, &p->e));
    assert_int_equal(head.mark.seq, 3);
    ASKS(s, 3, store_read(s, S("notes/a"), (SeqRange){ 1, 9 }, &p->a, &got, &p->e));
    ASKS(s, 1, store_read(s, S("notes/a"), (SeqRange){ 1, 9 }, &p->a, &got, &p->e));
    assert_int_equal(got.n, 3);
    ASKS(s, 2, store_list(s, &all, &p->a, &names, &p->e));
    assert_int_equal(place_put(p, p->s, "notes/a", "newer", &m), JOT_OK);
    ASKS(s, 2, store_head(s, S("notes/a"), HEAD_RECORD, &p->a, &head, &p->e));
    assert_str(head.body, S("newer"));
    /* What is overwritten in its place: by a redaction, and by the stub of a purge. */
    assert_int_equal(store_redact(p->s, S("notes/a"), NULL, 2, &p->e), JOT_OK);
    ASKS(s, 2, store_read(s, S("notes/a"), (SeqRange){ 1, 9 }, &p->a, &got, &p->e));
    assert_true(got.n == 4 && got.items[1].mark.redacted && got.items[1].body.n == 0);
    assert_int_equal(store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 1, 9 }, &p->a, &got, &p->e), JOT_OK);
    assert_true(got.n == 1 && got.items[0].mark.op == OP_DELETE);
    store_close(s);
}

/* Two bodies that do not have room together. */
static void what_is_kept_has_a_limit(void **state)
{
    Place *p = *state;
    enum { LARGE = 600 * 1024, LARGER = 1200 * 1024 };
    Store *s = place_open(p, arena_printf(&p->a, "%s&cache=1", p->url).p, (StoreOptions){ 0 });
    const struct {
        const char *name;
        size_t n;
    } notes[] = { { "notes/a", LARGE }, { "notes/b", LARGE }, { "notes/c", LARGER } };
    Record head;
    Mark m;
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        char *text = arena_alloc(&p->a, notes[i].n + 1, 1);
        memset(text, 'x', notes[i].n);
        text[notes[i].n] = 0;
        assert_int_equal(place_put(p, p->s, notes[i].name, text, &m), JOT_OK);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT_OF(notes); i++) {
            ASKS(s, 2, store_head(s, str(notes[i].name), HEAD_RECORD, &p->a, &head, &p->e));
            assert_int_equal(head.body.n, notes[i].n);
        }
    ASKS(s, 1, store_head(s, S("notes/b"), HEAD_RECORD, &p->a, &head, &p->e));
    assert_true(((S3 *)s)->cache.bytes <= 1024 * 1024);
    store_close(s);
}

static void a_head_that_was_seen_ten_minutes_ago_is_looked_at_again(void **state)
{
    Place *p = *state;
    place_put_many(p, p->s, "notes/a", 1);
    uint64_t before = requests(p->s);
    p->jump.by_ms = 9 * MINUTE_MS;
    place_put_many(p, p->s, "notes/a", 1);
    assert_in_range(requests(p->s) - before, 1, 2);
    before = requests(p->s);
    p->jump.by_ms = 20 * MINUTE_MS;
    place_put_many(p, p->s, "notes/a", 1);
    assert_in_range(requests(p->s) - before, 3, 4);
}

/* What gc does with a number when it has had its hour. */
static void delete_as_after_an_hour(Place *p, Store *s, uint64_t seq)
{
    S3 *s3 = (S3 *)s;
    assert_int_equal(s3_ready(s3, "delete", (Str){ 0 }, &p->e), JOT_OK);
    assert_int_equal(s3_delete(s3, s3_record(&p->a, S("notes/a"), seq), &p->e), JOT_OK);
}

/* The writer is stopped at any of its looks at the clock, before or after it has signed, and goes
 * on an hour later: the number that it counted on was written, and is gone by then. */
static void a_writer_that_was_stopped_for_an_hour_takes_no_number_again(void **state)
{
    Place *p = *state;
    Store *other = place_open(p, p->direct, (StoreOptions){ 0 });
    enum { LOOKS = 5 }; /* the last is after signing; from then on S3 refuses it (the next case) */
    for (int after = 0; after < LOOKS; after++) {
        Mark m, theirs;
        p->jump = (Jump){ 0 };
        assert_int_equal(place_put(p, p->s, "notes/a", "seen", &m), JOT_OK);
        for (int i = 0; i < 20; i++)
            assert_int_equal(place_put(p, other, "notes/a", "theirs", &theirs), JOT_OK);
        delete_as_after_an_hour(p, other, m.seq + 1);
        p->jump = (Jump){ .by_ms = 61 * MINUTE_MS, .after = after };
        assert_int_equal(place_put(p, p->s, "notes/a", "late", &m), JOT_OK);
        assert_int_equal(m.seq, theirs.seq + 1);
        /* It looks from now on as if much time had passed: begin anew. */
        store_close(p->s);
        p->jump = (Jump){ 0 };
        p->s = place_open(p, p->url, (StoreOptions){ .wait_ms = 3000, .io = &p->io });
    }
    store_close(other);
}

static void a_signature_of_sixteen_minutes_ago_is_refused_and_made_anew(void **state)
{
    Place *p = *state;
    place_put_many(p, p->s, "notes/a", 1);
    uint64_t before = requests(p->s);
    ((S3 *)p->s)->server_ms -= 16 * MINUTE_MS;
    place_put_many(p, p->s, "notes/a", 1);
    assert_in_range(requests(p->s) - before, 2, 5);
    assert_int_equal(place_count(p, "notes/a"), 2);
}

static void a_number_that_was_trimmed_or_purged_does_not_come_back(void **state)
{
    Place *p = *state;
    Store *other = place_open(p, p->direct, (StoreOptions){ 0 });
    for (int purge = 0; purge < 2; purge++) {
        Mark m, theirs;
        uint64_t dropped = 0;
        assert_int_equal(place_put(p, p->s, "notes/a", "seen", &m), JOT_OK);
        uint64_t next = m.seq + 1;
        for (int i = 0; i < 40; i++)
            assert_int_equal(place_put(p, other, "notes/a", "theirs", &theirs), JOT_OK);
        if (purge)
            assert_int_equal(store_purge(other, S("notes/a"), NULL, S("bob"), &theirs, &p->e),
                             JOT_OK);
        else
            assert_int_equal(store_trim(other, S("notes/a"), NULL, next + 10, &dropped, &p->e),
                             JOT_OK);
        assert_int_equal(place_put(p, p->s, "notes/a", "mine", &m), JOT_OK);
        assert_int_equal(m.seq, theirs.seq + 1);
    }
    store_close(other);
}

/* What an object holds, word for word. */
static Str bytes_of(Place *p, Str key)
{
    AUTO(S3Answer) a = { 0 };
    bool there = false;
    S3 *s3 = (S3 *)p->s;
    assert_int_equal(s3_ready(s3, "read", (Str){ 0 }, &p->e), JOT_OK);
    assert_int_equal(s3_get(s3, key, NULL, &a, &there, &p->e), JOT_OK);
    return there ? arena_copy(&p->a, buf_str(&a.body)) : (Str){ 0 };
}

static void what_was_purged_or_redacted_is_in_no_object(void **state)
{
    Place *p = *state;
    Mark m;
    assert_int_equal(place_put(p, p->s, "notes/a", "a secret", &m), JOT_OK);
    place_put_many(p, p->s, "notes/a", 2);
    Str first = s3_record(&p->a, S("notes/a"), 1), second = s3_record(&p->a, S("notes/a"), 2);
    assert_true(str_ends(bytes_of(p, first), S("a secret")));
    assert_int_equal(store_redact(p->s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    assert_false(str_ends(bytes_of(p, first), S("a secret")));
    assert_true(bytes_of(p, first).n > S3_STUB_MAX);
    assert_int_equal(store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    assert_str(bytes_of(p, first), S(S3_STUB));
    assert_str(bytes_of(p, second), S(S3_STUB));
}

static bool is_there(Place *p, const char *prefix)
{
    AUTO(S3List) l = { 0 };
    S3Where w = { .prefix = str(prefix), .max = 1 };
    assert_int_equal(s3_list((S3 *)p->s, &w, &l, &p->e), JOT_OK);
    return l.n > 0;
}

/* A slow redaction has looked at its records, and before it comes to the last ones they are
 * trimmed. */
static void a_redaction_brings_nothing_back_that_was_trimmed(void **state)
{
    Place *p = *state;
    enum { ALL = 40, GOES = 16 };
    uint64_t seqs[GOES], dropped = 0;
    store_close(p->s);
    p->s = place_open(p, p->direct, (StoreOptions){ 0 });
    place_put_many(p, p->s, "notes/a", ALL);
    for (uint64_t i = 0; i < GOES; i++)
        seqs[i] = i + 1;
    pid_t child = fork();
    if (child == 0) {
        Redaction set = { .seqs = seqs, .n = GOES };
        Store *slow = place_open(p, p->url, (StoreOptions){ .wait_ms = MINUTE_MS });
        p->proxy.state->mode = PROXY_WAIT;
        _exit(store_redact_set(slow, S("notes/a"), NULL, &set, &p->e) != JOT_OK);
    }
    assert_int_equal(s3_ready((S3 *)p->s, "look", (Str){ 0 }, &p->e), JOT_OK);
    while (!is_there(p, "c/forgetting-")) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0); /* it has not ended before that */
        s3_more((S3 *)p->s);
    }
    assert_int_equal(store_trim(p->s, S("notes/a"), NULL, GOES + 1, &dropped, &p->e), JOT_OK);
    place_end_well(child);
    Records got = { 0 };
    assert_int_equal(store_read(p->s, S("notes/a"), (SeqRange){ 1, ALL }, &p->a, &got, &p->e),
                     JOT_OK);
    assert_int_equal(got.n, ALL - GOES);
    assert_int_equal(got.items[0].mark.seq, GOES + 1);
}

/* A clock at which a process is stopped for an hour, and what happens meanwhile. */
typedef struct Stop {
    Place *p;
    Store *other;
    uint64_t next;  /* the number that the process counts on */
    int after;      /* looks that come before it is stopped */
    uint64_t since; /* it was stopped: where the head stands */
} Stop;

static int64_t stopping_clock(void *ctx)
{
    Stop *s = ctx;
    if (s->after-- == 0) {
        Mark m;
        for (int i = 0; i < 20; i++)
            assert_int_equal(place_put(s->p, s->other, "notes/a", "theirs", &m), JOT_OK);
        delete_as_after_an_hour(s->p, s->other, s->next);
        s->since = m.seq;
    }
    return io_awake_ms(&io_system) + (s->since ? 61 * MINUTE_MS : 0);
}

/* The same for a copy: the number after the head that it saw has been another's, and is gone.
 * It looks at the clock before it looks at the head, once it has, and before it sends. */
static void a_copy_that_was_stopped_for_an_hour_takes_no_number_again(void **state)
{
    Place *p = *state;
    Stop stop = { .p = p, .other = place_open(p, p->direct, (StoreOptions){ 0 }) };
    int stops = 0;
    for (int after = 0; after < 12; after++) {
        Mark m;
        Io io = p->io;
        io.awake_ms = stopping_clock;
        io.ctx = &stop;
        stop.after = -1;
        stop.since = 0;
        assert_int_equal(place_put(p, stop.other, "notes/a", "seen", &m), JOT_OK);
        Record next = { .mark = { .seq = m.seq + 1, .at_ms = m.at_ms, .op = OP_PUT },
                        .by = S("ann") };
        next.mark.sha256 = hash_of(S(""));
        next.mark.chain = record_chain(m.chain, S("notes/a"), &next);
        Store *s = place_open(p, p->direct, (StoreOptions){ .wait_ms = 3000, .io = &io });
        stop.next = m.seq + 1;
        stop.after = after;
        jot_status st = store_put_records(s, S("notes/a"), &next, 1, &p->e);
        stops += stop.since > 0;
        store_close(s);
        /* Theirs began after the head that was seen, or after the record that was put. */
        bool before = stop.since == m.seq + 20, after_it = stop.since == m.seq + 21;
        assert_true((before && st == JOT_CONFLICT) || (st == JOT_OK && (after_it || !stop.since)));
    }
    assert_true(stops > 2);
    store_close(stop.other);
}

/* Who looks slowly sees that something is the newest, and it is gone before it can be fetched. */
static void a_reader_beside_purges_finds_a_record(void **state)
{
    Place *p = *state;
    enum { READS = 5 };
    place_put_many(p, p->s, "notes/a", 1);
    pid_t child = fork();
    if (child == 0) {
        Store *s = place_open(p, p->direct, (StoreOptions){ .wait_ms = MINUTE_MS });
        jot_status st = JOT_OK;
        Mark m;
        for (int i = 0; st == JOT_OK && p->proxy.state->page == 0 && i < 200; i++) {
            st = place_put(p, s, "notes/a", "text", &m);
            if (st == JOT_OK)
                st = store_purge(s, S("notes/a"), NULL, S("bob"), &m, &p->e);
            io_sleep_us(&io_system, 4 * MOMENT_US); /* so that a reader may be faster */
        }
        store_close(s);
        _exit(st != JOT_OK);
    }
    Store *s = place_open(p, p->url, (StoreOptions){ .wait_ms = MINUTE_MS });
    p->proxy.state->mode = PROXY_WAIT;
    for (int i = 0; i < READS; i++) {
        Record head;
        Records got = { 0 };
        assert_int_equal(store_head(s, S("notes/a"), HEAD_RECORD, &p->a, &head, &p->e), JOT_OK);
        assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 0, 10 }, &p->a, &got, &p->e),
                         JOT_OK);
        assert_int_equal(got.damaged, 0);
    }
    p->proxy.state->page = 200; /* enough */
    place_end_well(child);
    store_close(s);
}

/* --- What is not S3 -------------------------------------------------------------------- */

/* A gateway says that it has waited for long enough; what it waited for happens. */
static void what_a_gateway_says_instead_of_s3_is_no_answer(void **state)
{
    Place *p = *state;
    Mark m;
    place_put_many(p, p->s, "notes/a", 1);
    for (uint64_t i = 2; i <= 4; i++) {
        p->proxy.state->page = i == 4 ? 200 : 504;
        p->proxy.state->lose = 1;
        assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
        assert_int_equal(m.seq, i);
    }
    assert_int_equal(place_count(p, "notes/a"), 4);
}

static void a_web_page_is_not_taken_for_something_done(void **state)
{
    Place *p = *state;
    Mark m;
    place_put_many(p, p->s, "notes/a", 1);
    p->proxy.state->mode = PROXY_CUT;
    io_sleep_us(&io_system, MOMENT_US);
    p->proxy.state->page = 200;
    p->proxy.state->mode = PROXY_HTML;
    jot_status st = place_put(p, p->s, "notes/a", "text", &m);
    assert_true(st == JOT_UNKNOWN || st == JOT_UNAVAILABLE);
    S3 *s3 = (S3 *)p->s;
    assert_int_equal(s3_ready(s3, "delete", (Str){ 0 }, &p->e), JOT_OK);
    assert_int_equal(s3_delete(s3, S("pad"), &p->e), JOT_UNAVAILABLE);
    assert_non_null(strstr(p->e.text, "what answers"));
    place_refuses(p, p->url, JOT_UNAVAILABLE, "what answers");
    p->proxy.state->mode = PROXY_PASS;
    assert_int_equal(place_count(p, "notes/a"), 1);
}

/* --- Names ----------------------------------------------------------------------------- */

/* Two processes make x/NAME and x/NAME/deeper at the same moment: one of them lives. */
static void of_a_name_and_one_below_it_only_one_comes_to_live(void **state)
{
    Place *p = *state;
    enum { PAIRS = 10 };
    pid_t child = fork();
    const char *below = child == 0 ? "/deeper" : "";
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    for (int i = 0; i < PAIRS; i++) {
        Mark m;
        jot_status st = place_put(p, s, arena_printf(&p->a, "x/n%d%s", i, below).p, "x", &m);
        assert_true(st == JOT_OK || st == JOT_INVALID);
    }
    store_close(s);
    if (child == 0)
        _exit(0);
    place_end_well(child);
    Listing got = { 0 };
    ListQuery q = { .prefix = S("x/"), .limit = STORE_LIST_MAX };
    assert_int_equal(store_list(p->s, &q, &p->a, &got, &p->e), JOT_OK);
    assert_int_equal(got.n, PAIRS);
}

static void a_change_by_another_is_named(void **state)
{
    Place *p = *state;
    Changes got = { 0 };
    place_put_many(p, p->s, "notes/a", 1);
    assert_int_equal(store_changes(p->s, NULL, 0, &p->a, &got, &p->e), JOT_OK);
    Cursor c = got.next;
    place_end_well(place_start_writer(p, 1, 0));
    assert_int_equal(store_changes(p->s, &c, BOUND_MS, &p->a, &got, &p->e), JOT_OK);
    assert_int_equal(got.n, 1);
    assert_str(got.names[0], S("notes/a"));
    /* It is named once. */
    c = got.next;
    assert_int_equal(store_changes(p->s, &c, 0, &p->a, &got, &p->e), JOT_OK);
    assert_int_equal(got.n, 0);
}

/* --- The gateway itself ----------------------------------------------------------------- */

static void nothing_acknowledged_is_gone_when_the_gateway_is_killed(void **state)
{
    Place *p = *state;
    Store *s = place_open(p, p->direct, (StoreOptions){ .wait_ms = MINUTE_MS });
    uint64_t last = 0;
    pid_t gateway = place_server(p);
    for (int i = 0; i < 40; i++) {
        Mark m = { 0 };
        if (i == 20)
            assert_int_equal(kill(gateway, SIGKILL), 0);
        jot_status st = place_put(p, s, "notes/a", "text", &m);
        if (st != JOT_OK)
            print_error("%s\n", p->e.text);
        assert_int_equal(st, JOT_OK);
        assert_int_equal(m.seq, last + 1);
        last = m.seq;
    }
    store_close(s);
    assert_int_equal(place_count(p, "notes/a"), 40);
}

static void a_server_that_ignores_conditions_is_refused(void **state)
{
    Place *p = *state;
    Store *s = NULL;
    char url[200];
    Mark m;
    snprintf(url, sizeof url, "%s&pad=n%s", place_variable("JOT_TEST_S3_IGNORANT"),
             id_random(&io_system, 8).text);
    StoreOptions make = { .create = true };
    assert_int_equal(store_open(&s, str(url), &make, &p->e), JOT_UNSUPPORTED);
    assert_non_null(strstr(p->e.text, "ignores If-None-Match"));
    /* The user's word that nobody else writes is taken, and asked of everybody. */
    s = place_open(p, arena_printf(&p->a, "%s&writers=one", url).p, make);
    assert_false(store_promise(s).shared);
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_OK);
    assert_int_equal(m.seq, 2);
    store_close(s);
    s = NULL;
    assert_int_equal(store_open(&s, str(url), &make, &p->e), JOT_UNSUPPORTED);
}

static void hear_of_if_match(void *ctx, const StoreFault *f)
{
    int *heard = ctx;
    *heard += strstr(f->what, "ignores If-Match") != NULL;
}

static void a_server_that_ignores_if_match_holds_a_pad_and_redacts_nothing(void **state)
{
    Place *p = *state;
    char url[200];
    Mark m;
    Records first;
    VerifyCount seen;
    snprintf(url, sizeof url, "%s&pad=n%s", place_variable("JOT_TEST_S3_HALF"),
             id_random(&io_system, 8).text);
    Store *s = place_open(p, url, (StoreOptions){ .create = true });
    assert_int_equal(place_put(p, s, "notes/a", "one", &m), JOT_OK);
    assert_int_equal(place_put(p, s, "notes/a", "two", &m), JOT_OK);
    assert_int_equal(store_redact(s, S("notes/a"), NULL, 1, &p->e), JOT_UNSUPPORTED);
    assert_non_null(strstr(p->e.text, "ignores If-Match"));
    assert_sentence(&p->e);
    int heard = 0;
    const VerifyHooks hooks = { .ctx = &heard, .fault = hear_of_if_match };
    assert_int_equal(store_verify(s, &hooks, &seen, &p->e), JOT_OK);
    assert_int_equal(heard, 1);
    store_close(s);
    /* Where nobody else writes nothing can come in between. */
    s = place_open(p, arena_printf(&p->a, "%s&writers=one", url).p, (StoreOptions){ 0 });
    assert_int_equal(store_redact(s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 1, 1 }, &p->a, &first, &p->e), JOT_OK);
    assert_true(first.items[0].mark.redacted);
    assert_int_equal(store_purge(s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    store_close(s);
}

/* --- Bad input -------------------------------------------------------------------------- */

static void what_cannot_be_opened_is_said_in_one_sentence(void **state)
{
    Place *p = *state;
    static const Refusal rows[] = {
        { "s3:pads", JOT_INVALID, "write s3://BUCKET/PREFIX" },
        { "s3:///x", JOT_INVALID, "write s3://BUCKET/PREFIX" },
        { "s3://KEY:SECRET@pads/x", JOT_INVALID, "do not belong in an s3: URL" },
        { "s3://p/x", JOT_INVALID, "invalid bucket 'p'" },
        { "s3://pads/x?endpoint=ftp://h", JOT_INVALID, "invalid endpoint" },
        { "s3://pads/x?style=odd", JOT_INVALID, "use path or host" },
        { "s3://pads/x?cache=all", JOT_INVALID, "use a number of MiB" },
        { "s3://pads/x?nope=1", JOT_INVALID, "'nope' is no parameter" },
        { "s3://pads/../x", JOT_INVALID, "invalid prefix" },
        { "s3://absent-bucket/x?endpoint=http://127.0.0.1:*", JOT_NOT_FOUND,
          "there is no bucket 'absent-bucket'" },
        { "s3://pads/x?endpoint=http://127.0.0.1:1", JOT_UNAVAILABLE, "127.0.0.1:1" },
        { "s3://pads/x?endpoint=http://no-such-host.invalid", JOT_UNAVAILABLE,
          "no-such-host.invalid" },
    };
    place_refuses_all(p, rows, COUNT_OF(rows));
}

static void a_newer_pad_is_refused_or_only_read(void **state)
{
    Place *p = *state;
    Mark m;
    S3 *s3 = (S3 *)p->s;
    assert_int_equal(s3_ready(s3, "write", (Str){ 0 }, &p->e), JOT_OK);
    Str newer = arena_printf(&p->a, "jotter 1 9 %s any\n", s3->id);
    assert_int_equal(s3_put(s3, S("pad"), newer, &p->e), JOT_OK);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_READ_ONLY);
    store_close(s);
    newer = arena_printf(&p->a, "jotter 9 9 %s any\n", s3->id);
    assert_int_equal(s3_put(s3, S("pad"), newer, &p->e), JOT_OK);
    place_refuses(p, p->direct, JOT_UNSUPPORTED, "use a newer one");
}

static void what_is_wrong_with_a_certificate_is_one_sentence(void **state)
{
    Place *p = *state;
    const char *port = place_variable("JOT_TEST_S3_TLS_PORT"),
               *dir = place_variable("JOT_TEST_S3_DIR");
    Str good = arena_printf(&p->a, "s3://pads/tls?endpoint=https://localhost:%s&cacert=%s/ca.pem",
                            port, dir);
    Store *s = place_open(p, good.p, (StoreOptions){ .create = true });
    store_close(s);
    place_refuses(p, arena_printf(&p->a, "s3://pads/tls?endpoint=https://localhost:%s", port).p,
                  JOT_DENIED, "certificate cannot be trusted");
    place_refuses(p,
                  arena_printf(&p->a,
                               "s3://pads/tls?endpoint=https://127.0.0.1:%s&cacert=%s/ca.pem", port,
                               dir)
                      .p,
                  JOT_DENIED, "certificate cannot be trusted");
}

/* --- Keys -------------------------------------------------------------------------------- */

static void set_keys(const char *id, const char *secret)
{
    if (id) {
        setenv("AWS_ACCESS_KEY_ID", id, 1);
        setenv("AWS_SECRET_ACCESS_KEY", secret, 1);
    } else {
        unsetenv("AWS_ACCESS_KEY_ID");
        unsetenv("AWS_SECRET_ACCESS_KEY");
    }
}

static void wrong_and_missing_keys_are_one_sentence(void **state)
{
    Place *p = *state;
    set_keys("TESTKEY", "ANOTHERSECRET");
    place_refuses(p, p->direct, JOT_DENIED, "refuses the keys of the environment");
    set_keys("NOBODY", "ANOTHERSECRET");
    place_refuses(p, p->direct, JOT_DENIED, "refuses the keys of the environment");
    set_keys("OTHERKEY", "OTHERSECRET"); /* somebody, who may do nothing here */
    place_refuses(p, p->direct, JOT_DENIED, "does not allow these keys");
    set_keys("TEST\nKEY", "X");
    setenv("HOME", "/nonexistent", 1);
    place_refuses(p, p->direct, JOT_DENIED, "there are no keys for S3");
    set_keys(NULL, NULL);
    place_refuses(p, p->direct, JOT_DENIED, "there are no keys for S3");
    set_keys("TESTKEY", "TESTSECRET");
}

static void keys_of_a_session_count_with_their_token_alone(void **state)
{
    Place *p = *state;
    Str token = str(place_variable("JOT_TEST_S3_SESSION")), id = { 0 }, secret = { 0 };
    assert_true(str_cut(&token, ' ', &id) && str_cut(&token, ' ', &secret));
    set_keys(arena_cstr(&p->a, id), arena_cstr(&p->a, secret));
    place_refuses(p, p->direct, JOT_DENIED, "keys");
    setenv("AWS_SESSION_TOKEN", "of-another-session", 1);
    place_refuses(p, p->direct, JOT_DENIED, "refuses the keys of the environment");
    setenv("AWS_SESSION_TOKEN", arena_cstr(&p->a, token), 1);
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    place_put_many(p, s, "notes/a", 2);
    store_close(s);
    assert_int_equal(place_count(p, "notes/a"), 2);
    unsetenv("AWS_SESSION_TOKEN");
    set_keys("TESTKEY", "TESTSECRET");
}

static void a_bucket_that_is_gone_is_no_missing_note(void **state)
{
    Place *p = *state;
    Mark m;
    Record head;
    assert_int_equal(place_put(p, p->s, "notes/a", "text", &m), JOT_OK);
    S3 *s3 = (S3 *)p->s;
    Str was = s3->bucket;
    s3->bucket = S("absent-bucket");
    assert_int_equal(store_head(p->s, S("notes/b"), HEAD_VALUE, &p->a, &head, &p->e), JOT_CORRUPT);
    assert_non_null(strstr(p->e.text, "is gone"));
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_CORRUPT);
    s3->bucket = was;
    assert_int_equal(place_put(p, p->s, "notes/b", "text", &m), JOT_OK);
}

/* The bucket's name is that of a host then, which libcurl finds on this machine. */
static void a_bucket_may_be_a_part_of_the_host_s_name(void **state)
{
    Place *p = *state;
    Str at = arena_printf(&p->a, "s3://pads/t?endpoint=http://localhost:%s&pad=%s",
                          place_variable("JOT_TEST_S3_PORT"), p->pad);
    Store *s = place_open(p, arena_printf(&p->a, STR_FMT "&style=host", STR_ARG(at)).p,
                          (StoreOptions){ 0 });
    assert_int_equal(strncmp(((S3 *)s)->host, "pads.localhost", strlen("pads.localhost")), 0);
    place_put_many(p, s, "notes/a", 2);
    store_close(s);
    s = place_open(p, at.p, (StoreOptions){ 0 });
    assert_int_equal(((S3 *)s)->host[0], 'l');
    store_close(s);
    assert_int_equal(place_count(p, "notes/a"), 2);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void keys_are_found_in_a_profile(void **state)
{
    Place *p = *state;
    char dir[] = "/tmp/jot-s3-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const char *path = arena_printf(&p->a, "%s/credentials", dir).p;
    write_file(path, "[default]\naws_access_key_id = NOBODY\naws_secret_access_key = X\n"
                     "# of another one\n[work]\naws_access_key_id=TESTKEY\n"
                     "aws_secret_access_key = TESTSECRET\n");
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    Str named = arena_printf(&p->a, "%s&profile=work", p->direct);
    store_close(
        place_open(p, named.p, (StoreOptions){ 0 })); /* the URL comes before the variables */
    place_refuses(p, arena_printf(&p->a, "%s&profile=none", p->direct).p, JOT_DENIED,
                  "the profile 'none' has no keys");
    set_keys(NULL, NULL);
    place_refuses(p, p->direct, JOT_DENIED, "refuses the keys of the profile");
    setenv("AWS_PROFILE", "work", 1);
    store_close(place_open(p, p->direct, (StoreOptions){ 0 }));
    unsetenv("AWS_PROFILE");
    unsetenv("AWS_SHARED_CREDENTIALS_FILE");
    set_keys("TESTKEY", "TESTSECRET");
    unlink(path);
    rmdir(dir);
}

/* Keys of the endpoints: the environment leads to a server of with-servers, which asks for the
 * tokens that those of AWS ask for. */
static void keys_are_found_at_the_endpoint_of_a_container(void **state)
{
    Place *p = *state;
    const char *at = place_variable("JOT_TEST_S3_KEYS");
    set_keys(NULL, NULL);
    setenv("HOME", "/nonexistent", 1);
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", arena_printf(&p->a, "%s/container", at).p, 1);
    place_refuses(p, p->direct, JOT_DENIED, "there are no keys for S3"); /* it wants a token */
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "of-the-container", 1);
    store_close(place_open(p, p->direct, (StoreOptions){ 0 }));
    /* The file comes before the variable. */
    char path[] = "/tmp/jot-s3-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path, 1);
    place_refuses(p, p->direct, JOT_DENIED, "there are no keys for S3");
    write_file(path, "of-the-container\n");
    store_close(place_open(p, p->direct, (StoreOptions){ 0 }));
    /* The token goes nowhere but to this machine, and the network of containers. */
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://192.0.2.1/container", 1);
    place_refuses(p, p->direct, JOT_DENIED, "there are no keys for S3");
    unlink(path);
    unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    set_keys("TESTKEY", "TESTSECRET");
}

static void keys_are_found_at_the_endpoint_of_an_instance(void **state)
{
    Place *p = *state;
    set_keys(NULL, NULL);
    setenv("HOME", "/nonexistent", 1);
    setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", place_variable("JOT_TEST_S3_KEYS"), 1);
    place_refuses(p, p->direct, JOT_DENIED,
                  "there are no keys for S3"); /* AWS_EC2_METADATA_DISABLED */
    unsetenv("AWS_EC2_METADATA_DISABLED");
    Store *s = place_open(p, p->direct, (StoreOptions){ 0 });
    place_put_many(p, s, "notes/a", 1);
    assert_string_equal(((S3 *)s)->keys.from, "the instance's endpoint");
    /* Keys that are about to end are asked for again, and meanwhile the old ones are good. */
    int64_t soon = io_wall_ms(&io_system) + MINUTE_MS;
    ((S3 *)s)->keys.until_ms = soon;
    place_put_many(p, s, "notes/a", 1);
    assert_true(((S3 *)s)->keys.until_ms > soon);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    ((S3 *)s)->keys.until_ms = soon;
    place_put_many(p, s, "notes/a", 1);
    ((S3 *)s)->keys.until_ms = io_wall_ms(&io_system) - MINUTE_MS;
    Mark m;
    assert_int_equal(place_put(p, s, "notes/a", "text", &m), JOT_DENIED);
    assert_non_null(strstr(p->e.text, "there are no keys for S3"));
    store_close(s);
    unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    set_keys("TESTKEY", "TESTSECRET");
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest own[] = {
        CASE(requests_are_as_many_as_the_documentation_says),
        CASE(what_is_kept_costs_no_request_and_is_never_old),
        CASE(what_is_kept_has_a_limit),
        CASE(a_head_that_was_seen_ten_minutes_ago_is_looked_at_again),
        CASE(a_writer_that_was_stopped_for_an_hour_takes_no_number_again),
        CASE(a_copy_that_was_stopped_for_an_hour_takes_no_number_again),
        CASE(a_reader_beside_purges_finds_a_record),
        CASE(what_a_gateway_says_instead_of_s3_is_no_answer),
        CASE(a_web_page_is_not_taken_for_something_done),
        CASE(a_signature_of_sixteen_minutes_ago_is_refused_and_made_anew),
        CASE(a_number_that_was_trimmed_or_purged_does_not_come_back),
        CASE(what_was_purged_or_redacted_is_in_no_object),
        CASE(a_redaction_brings_nothing_back_that_was_trimmed),
        CASE(of_a_name_and_one_below_it_only_one_comes_to_live),
        CASE(a_change_by_another_is_named),
        CASE(nothing_acknowledged_is_gone_when_the_gateway_is_killed),
        CASE(a_server_that_ignores_conditions_is_refused),
        CASE(a_server_that_ignores_if_match_holds_a_pad_and_redacts_nothing),
        CASE(what_cannot_be_opened_is_said_in_one_sentence),
        CASE(a_newer_pad_is_refused_or_only_read),
        CASE(what_is_wrong_with_a_certificate_is_one_sentence),
        CASE(wrong_and_missing_keys_are_one_sentence),
        CASE(keys_of_a_session_count_with_their_token_alone),
        CASE(a_bucket_that_is_gone_is_no_missing_note),
        CASE(a_bucket_may_be_a_part_of_the_host_s_name),
        CASE(keys_are_found_in_a_profile),
        CASE(keys_are_found_at_the_endpoint_of_a_container),
        CASE(keys_are_found_at_the_endpoint_of_an_instance),
    };
    const CaseTable tables[] = { way_cases, { own, COUNT_OF(own) } };
    return place_main(&s3_server, tables, COUNT_OF(tables), argc, argv);
}
