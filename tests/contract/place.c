/* place.c - promises about records that go where their seqs say, over missing numbers, and about
 * what a stream with such a gap is to everything else. */
#include <stdio.h>

#include "base/buf.h"
#include "contract.h"

enum { LINE = 12 };

/* A stream that some other pad has: a note, record by record. */
static void make_line(Trial *p, const char *stream, Record line[LINE])
{
    static char texts[LINE][16];
    Mark head = { 0 };
    for (int i = 0; i < LINE; i++) {
        snprintf(texts[i], sizeof texts[i], "text %d", i + 1);
        line[i] = next_record(stream, &head, PUT(texts[i]), p->now_ms + i);
        head = line[i].mark;
    }
}

static void place(Trial *p, const char *stream, const Record *records, size_t n)
{
    CHECK_IS(p, store_place_records(p->s, str(stream), NULL, records, n, &p->e), JOT_OK);
}

static void not_placed(Trial *p, const char *stream, const Record *records, size_t n)
{
    Str before = trial_dump(p);
    CHECK_IS(p, store_place_records(p->s, str(stream), NULL, records, n, &p->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
}

/* The seqs of a stream, as text. */
static void check_seqs(Trial *p, const char *stream, const char *want)
{
    AUTO(Buf) got = { 0 };
    Records all = read_all(p, stream);
    for (size_t i = 0; i < all.n; i++)
        buf_addf(&got, "%s%llu", i ? " " : "", (unsigned long long)all.items[i].mark.seq);
    CHECK_TEXT(buf_str(&got), str(want));
}

/* 1 2 _ _ 5 6 _ 8 */
static void make_gaps(Trial *p, Record line[LINE])
{
    make_line(p, "notes/a", line);
    place(p, "notes/a", line, 2);
    Record later[3] = { line[4], line[5], line[7] };
    place(p, "notes/a", later, 3);
    check_seqs(p, "notes/a", "1 2 5 6 8");
}

static void records_are_placed_behind_a_gap(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    CHECK_RECORD(record_at(p, "notes/a", 5), line[4]);
    CHECK_RECORD(head(p, "notes/a", HEAD_RECORD), line[7]);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("text 8"));
}

static void records_are_placed_into_a_gap(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    place(p, "notes/a", line + 3, 1);
    place(p, "notes/a", line + 6, 1);
    place(p, "notes/a", line + 2, 1);
    check_seqs(p, "notes/a", "1 2 3 4 5 6 7 8");
    check_chain(p, "notes/a");
    for (int i = 0; i < 8; i++)
        CHECK_RECORD(record_at(p, "notes/a", (uint64_t)i + 1), line[i]);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("text 8"));
}

static void records_are_placed_before_the_oldest(Trial *p)
{
    Record line[LINE];
    make_line(p, "notes/a", line);
    place(p, "notes/a", line + 6, 2);
    place(p, "notes/a", line + 2, 3);
    place(p, "notes/a", line, 2);
    check_seqs(p, "notes/a", "1 2 3 4 5 7 8");
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("text 8"));
}

static void a_number_that_is_taken_is_not_placed(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    not_placed(p, "notes/a", line + 1, 1);
    not_placed(p, "notes/a", line + 7, 1);
    not_placed(p, "notes/a", line + 2, 3); /* its last one is */
    not_placed(p, "notes/a", line, LINE);
}

static void neighbours_that_do_not_fit_are_not_placed(Trial *p)
{
    Record line[LINE], other;
    make_gaps(p, line);
    other = next_record("notes/a", &line[1].mark, PUT("another 3"), line[1].mark.at_ms);
    place(p, "notes/a", &other, 1);        /* 4 could still be its successor's ... */
    not_placed(p, "notes/a", line + 3, 1); /* ... but is not */
    other = next_record("notes/a", &line[5].mark, PUT("another 7"), line[5].mark.at_ms);
    not_placed(p, "notes/a", &other, 1); /* 8 does not continue it */
    other = line[8];
    other.mark.chain.b[0] ^= 1;
    not_placed(p, "notes/a", &other, 1); /* nor does it 8 */
}

static void time_and_fence_do_not_go_back_over_a_gap(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    Mark far = { .seq = 20, .at_ms = line[7].mark.at_ms - 1, .chain = hash_of(S("x")) };
    Record early = next_record("notes/a", &far, PUT("early"), far.at_ms);
    not_placed(p, "notes/a", &early, 1);
    Draft fenced = PUT("fenced");
    fenced.fence = 7;
    append(p, "notes/b", ANY, fenced);
    far = (Mark){ .seq = 20, .at_ms = p->now_ms + 50, .fence = 6, .chain = hash_of(S("x")) };
    Record low = next_record("notes/b", &far, PUT("low"), far.at_ms);
    not_placed(p, "notes/b", &low, 1);
}

static void placing_may_be_conditional(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    Expect wrong = AT_SEQ(7), right = AT_SEQ(8);
    Str before = trial_dump(p);
    CHECK_IS(p, store_place_records(p->s, S("notes/a"), &wrong, line + 10, 1, &p->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_IS(p, store_place_records(p->s, S("notes/a"), &right, line + 10, 1, &p->e), JOT_OK);
    check_seqs(p, "notes/a", "1 2 5 6 8 11");
}

static void nothing_but_placing_makes_a_gap(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    Str before = trial_dump(p);
    CHECK_IS(p, store_put_records(p->s, S("notes/a"), line + 10, 1, &p->e), JOT_CONFLICT);
    CHECK_IS(p, store_put_records(p->s, S("notes/a"), line + 2, 1, &p->e), JOT_CONFLICT);
    Record apart[2] = { line[8], line[10] };
    CHECK_IS(p, store_put_records(p->s, S("notes/a"), apart, 2, &p->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
    p->now_ms += 100;
    CHECK_NUM(put(p, "notes/a", "own").seq, 9);
}

static void a_stream_with_gaps_is_read_from_anywhere(Trial *p)
{
    static const uint64_t next[] = { 1, 1, 2, 5, 5, 5, 6, 8, 8 };
    Record line[LINE];
    make_gaps(p, line);
    for (uint64_t from = 0; from < COUNT_OF(next); from++)
        CHECK_NUM(read_from(p, "notes/a", from, 1).items[0].mark.seq, next[from]);
    CHECK_NUM(read_from(p, "notes/a", 9, 1).n, 0);
    CHECK_NUM(read_from(p, "notes/a", 3, 2).n, 2);
    CHECK(read_from(p, "notes/a", 3, 2).more && !read_from(p, "notes/a", 3, 3).more);
}

static void a_stream_with_gaps_is_redacted_and_purged(Trial *p)
{
    Record line[LINE];
    Mark m;
    make_gaps(p, line);
    p->now_ms += 100;
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 5, &p->e), JOT_OK);
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 4, &p->e), JOT_NOT_FOUND);
    CHECK(record_at(p, "notes/a", 5).mark.redacted);
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("bob"), &m, &p->e), JOT_OK);
    check_seqs(p, "notes/a", "9");
}

static void a_trim_over_a_gap_counts_what_it_drops(Trial *p)
{
    Record line[LINE];
    uint64_t dropped = 0;
    make_gaps(p, line);
    p->now_ms += 100;
    for (int i = 0; i < 20; i++)
        put(p, "notes/a", "more");
    CHECK_IS(p, store_trim(p->s, S("notes/a"), NULL, 7, &dropped, &p->e), JOT_OK);
    CHECK_NUM(dropped, 4);
    CHECK_NUM(read_from(p, "notes/a", 0, 1).items[0].mark.seq, 8);
}

static void what_is_placed_has_changed(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    put(p, "notes/b", "x");
    Cursor start = changes(p, NULL).next;
    place(p, "notes/a", line + 2, 1);
    Changes c = changes(p, &start);
    CHECK(c.rescan || names_hold(&c, "notes/a"));
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 5, &p->e), JOT_OK);
    c = changes(p, &c.next);
    CHECK(c.rescan || names_hold(&c, "notes/a"));
}

static void what_stands_before_a_record_is_forgotten(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 6, &p->e), JOT_OK);
    check_seqs(p, "notes/a", "6 8");
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("text 8"));
    p->now_ms += 100;
    put(p, "notes/a", "own");
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 9, &p->e), JOT_OK);
    check_seqs(p, "notes/a", "9");
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, S("own"));
}

static void forgetting_before_a_record_needs_it_and_may_be_conditional(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    Expect wrong = AT_SEQ(7), right = AT_SEQ(8);
    Str before = trial_dump(p);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 7, &p->e), JOT_NOT_FOUND);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 9, &p->e), JOT_NOT_FOUND);
    CHECK_IS(p, store_forget_before(p->s, S("notes/no"), NULL, 1, &p->e), JOT_NOT_FOUND);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), &wrong, 5, &p->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), &right, 5, &p->e), JOT_OK);
    check_seqs(p, "notes/a", "5 6 8");
}

/* --- Two who raise the tokens ----------------------------------------------------------- */

static const StoreOps *overtaken_ops;
static Store *overtaker;
enum { FIRST_TOKEN = 5000, HIGHER_TOKEN = 9000 };

/* Another handle raises them further between the record of ours and what it forgets. */
static jot_status forget_overtaken(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    TRY(store_raise_tokens(overtaker, HIGHER_TOKEN, e));
    return overtaken_ops->forget_before(s, stream, x, seq, e);
}

static void tokens_that_another_raises_further_are_raised(Trial *p)
{
    CHECK_IS(p, store_raise_tokens(p->s, 3, &p->e), JOT_OK);
    trial_use(p, 1);
    overtaker = p->s;
    trial_use(p, 0);
    StoreOps ops = *p->s->ops;
    overtaken_ops = p->s->ops;
    ops.forget_before = forget_overtaken;
    p->s->ops = &ops;
    jot_status st = store_raise_tokens(p->s, FIRST_TOKEN, &p->e);
    p->s->ops = overtaken_ops;
    CHECK_IS(p, st, JOT_OK);
    CHECK_NUM(head(p, STORE_TOKENS, HEAD_MARK).mark.seq, HIGHER_TOKEN);
}

static void a_purge_tells_what_it_removed(Trial *p)
{
    Mark m, first = put(p, "notes/a", "secret"), second = put(p, "notes/a", "secret too");
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("bob"), &m, &p->e), JOT_OK);
    Record r = head(p, "notes/a", HEAD_RECORD);
    PurgeTrace told;
    CHECK(store_purge_trace(&r, &told));
    CHECK(told.oldest_n == 1 && told.oldest[0].seq == 1);
    CHECK(str_starts(str(hash_hex(first.chain).text), str(told.oldest[0].chain)));
    CHECK(told.first == 1 && told.n == 2);
    CHECK_TEXT(((Str){ told.chains, 8 }), ((Str){ hash_hex(first.chain).text, 8 }));
    CHECK_TEXT(((Str){ told.chains + 8, 8 }), ((Str){ hash_hex(second.chain).text, 8 }));
    /* The next one tells of both. */
    put(p, "notes/a", "again");
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("bob"), &m, &p->e), JOT_OK);
    r = head(p, "notes/a", HEAD_RECORD);
    CHECK(store_purge_trace(&r, &told));
    CHECK(told.oldest_n == 2 && told.oldest[0].seq == 1 && told.oldest[1].seq == 3);
    CHECK(told.first == 1 && told.n == 4);
    CHECK_TEXT(((Str){ told.chains + 8, 8 }), ((Str){ hash_hex(second.chain).text, 8 }));
    put(p, "notes/a", "x");
    bury(p, "notes/a");
    r = head(p, "notes/a", HEAD_RECORD);
    CHECK(!store_purge_trace(&r, &told)); /* a delete is no purge */
}

static void what_a_purge_tells_has_a_limit(Trial *p)
{
    Mark m, last;
    PurgeTrace told;
    entries(p, "runs/r", STORE_TOLD_MAX + 100);
    last = head(p, "runs/r", HEAD_MARK).mark;
    CHECK_IS(p, store_purge(p->s, S("runs/r"), NULL, S("bob"), &m, &p->e), JOT_OK);
    Record r = head(p, "runs/r", HEAD_RECORD);
    CHECK(store_purge_trace(&r, &told) && r.meta.n <= STORE_META_MAX);
    CHECK(told.n == STORE_TOLD_MAX && told.first == 101);
    CHECK_TEXT(((Str){ told.chains + 8 * (STORE_TOLD_MAX - 1), 8 }),
               ((Str){ hash_hex(last.chain).text, 8 }));
    for (int i = 0; i < 2 * STORE_PURGED_MAX; i++)
        CHECK_IS(p, store_purge(p->s, S("runs/r"), NULL, S("bob"), &m, &p->e), JOT_OK);
    r = head(p, "runs/r", HEAD_RECORD);
    CHECK(store_purge_trace(&r, &told) && r.meta.n <= STORE_META_MAX);
    CHECK(told.oldest_n == STORE_PURGED_MAX && told.oldest[0].seq == 1);
    CHECK(told.n > STORE_TOLD_MAX - 100 && told.first + told.n == m.seq);
    CHECK_TEXT(((Str){ told.chains + 8 * (last.seq - told.first), 8 }),
               ((Str){ hash_hex(last.chain).text, 8 }));
}

static void a_purge_tells_what_is_known_over_gaps_and_redactions(Trial *p)
{
    Record line[LINE];
    Mark m;
    PurgeTrace told;
    make_gaps(p, line); /* 3, 4 and 7 are missing */
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 2, &p->e), JOT_OK);
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("bob"), &m, &p->e), JOT_OK);
    Record r = head(p, "notes/a", HEAD_RECORD);
    CHECK(store_purge_trace(&r, &told));
    CHECK(told.first == 1 && told.n == 8);
    for (size_t i = 0; i < 8; i++) {
        Str here = { told.chains + 8 * i, 8 };
        bool gap = i == 2 || i == 3 || i == 6;
        CHECK_TEXT(here, gap ? S("--------") : ((Str){ hash_hex(line[i].mark.chain).text, 8 }));
    }
}

static void placed_records_are_there_after_reopening(Trial *p)
{
    Record line[LINE];
    make_gaps(p, line);
    place(p, "notes/a", line + 3, 1);
    Str before = trial_dump(p);
    trial_reopen(p);
    CHECK_TEXT(trial_dump(p), before);
    trial_reboot(p);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_IS(p, store_forget_before(p->s, S("notes/a"), NULL, 4, &p->e), JOT_OK);
    before = trial_dump(p);
    trial_reboot(p);
    CHECK_TEXT(trial_dump(p), before);
}

const Promise place_promises[] = {
    PROMISE(records_are_placed_behind_a_gap),
    PROMISE(records_are_placed_into_a_gap),
    PROMISE(records_are_placed_before_the_oldest),
    PROMISE(a_number_that_is_taken_is_not_placed),
    PROMISE(neighbours_that_do_not_fit_are_not_placed),
    PROMISE(time_and_fence_do_not_go_back_over_a_gap),
    PROMISE(placing_may_be_conditional),
    PROMISE(nothing_but_placing_makes_a_gap),
    PROMISE(a_stream_with_gaps_is_read_from_anywhere),
    PROMISE(a_stream_with_gaps_is_redacted_and_purged),
    PROMISE(a_trim_over_a_gap_counts_what_it_drops),
    PROMISE(what_is_placed_has_changed),
    PROMISE(what_stands_before_a_record_is_forgotten),
    PROMISE(forgetting_before_a_record_needs_it_and_may_be_conditional),
    LASTING(tokens_that_another_raises_further_are_raised),
    PROMISE(a_purge_tells_what_it_removed),
    PROMISE(what_a_purge_tells_has_a_limit),
    PROMISE(a_purge_tells_what_is_known_over_gaps_and_redactions),
    LASTING(placed_records_are_there_after_reopening),
    { 0 },
};
