/* test_checker.c - the checker accepts what may happen and rejects what must not, each for its
 * own reason; and on histories of one stream it agrees with the search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "checker.h"

/* --- Making histories by hand ----------------------------------------------------------- */

enum { A = 0, B = 1, C = 2, D = 3, ENTRIES = 64, X = 0, Y = 1 };

typedef struct Story {
    History h;
    Entry entries[4][ENTRIES];
    Found records[2][ENTRIES];
} Story;

static Story *begin(Story *s)
{
    memset(s, 0, sizeof *s);
    s->h.log_n = 4;
    s->h.stream_n = 2;
    for (size_t w = 0; w < 4; w++)
        s->h.logs[w].items = s->entries[w];
    for (size_t i = 0; i < 2; i++)
        s->h.streams[i].records = s->records[i];
    s->h.streams[X].name = "notes/x";
    s->h.streams[Y].name = "notes/y";
    return s;
}

/* An operation of worker `w`, between two moments; `to` 0: it was never answered. */
static Entry *ask(Story *s, int w, EntryKind kind, uint16_t stream, uint64_t from, uint64_t to)
{
    Log *log = &s->h.logs[w];
    Entry *e = &log->items[log->n++];
    *e = (Entry){ .kind = (uint8_t)kind,
                  .stream = stream,
                  .guard = HISTORY_NO_STREAM,
                  .invoke_ns = from,
                  .answer_ns = to,
                  .answered = to != 0 };
    return e;
}

static uint64_t content_at(int w, size_t index)
{
    return (uint64_t)(w + 1) << 40 | (index + 1);
}

/* A put that is not yet answered and has left nothing. */
static Entry *put(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = ask(s, w, ENTRY_APPEND, stream, from, to);
    e->op = OP_PUT;
    e->content = content_at(w, s->h.logs[w].n - 1);
    return e;
}

/* The record that worker w's last entry asks for comes to the end of its stream. */
static Found *leave(Story *s, int w)
{
    size_t index = s->h.logs[w].n - 1;
    const Entry *e = &s->h.logs[w].items[index];
    Stream *st = &s->h.streams[e->stream];
    Found *f = &st->records[st->n++];
    *f = (Found){ .content = e->op == OP_DELETE ? 0 : e->content,
                  .id = e->id,
                  .worker = (uint32_t)w,
                  .index = (uint32_t)index,
                  .op = e->op,
                  .signed_by_us = true,
                  .sound = true };
    if (e->op != OP_DELETE)
        f->sha = content_sha(e->content);
    return f;
}

/* The answer shows record `seq` as it is now. */
static void show(Story *s, Entry *e, jot_status status, uint64_t seq)
{
    e->status = (uint8_t)status;
    e->seq = seq;
    if (seq == 0)
        return;
    const Found *f = &s->h.streams[e->stream].records[seq - 1];
    e->mark_op = f->op;
    e->sha = f->sha;
}

/* A put that succeeds. */
static Entry *made(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = put(s, w, stream, from, to);
    leave(s, w);
    if (to)
        show(s, e, JOT_OK, s->h.streams[stream].n);
    return e;
}

static Entry *deleted(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to)
{
    Entry *e = put(s, w, stream, from, to);
    e->op = OP_DELETE;
    e->content = 0;
    leave(s, w);
    show(s, e, JOT_OK, s->h.streams[stream].n);
    return e;
}

static Entry *saw(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq)
{
    Entry *e = ask(s, w, ENTRY_HEAD, stream, from, to);
    show(s, e, seq ? JOT_OK : JOT_NOT_FOUND, seq);
    return e;
}

/* A value without a seq. */
static Entry *saw_value(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq)
{
    Entry *e = saw(s, w, stream, from, to, seq);
    e->which = HEAD_VALUE;
    e->seq = 0;
    return e;
}

static void assert_accepted(Story *s)
{
    Verdict v;
    if (!checker_run(&s->h, &v))
        fail_msg("rejected: %s", v.text);
}

static void assert_rejected(Story *s, Rule rule)
{
    Verdict v;
    if (checker_run(&s->h, &v))
        fail_msg("accepted, but: %s", rule_text(rule));
    if (v.first != rule)
        fail_msg("rejected, but not because %s: %s", rule_text(rule), v.text);
}

/* --- What may happen -------------------------------------------------------------------- */

static void appends_in_turn_are_accepted(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, B, X, 3, 4);
    saw(&s, C, X, 5, 6, 2);
    assert_accepted(&s);
}

static void overlapping_appends_may_stand_in_either_order(void **state)
{
    Story s;
    made(begin(&s), B, X, 2, 9);
    made(&s, A, X, 1, 8);
    assert_accepted(&s);
}

static void an_append_that_was_killed_may_be_there(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 0);
    made(&s, B, X, 5, 6);
    assert_accepted(&s);
}

static void an_append_that_was_killed_may_be_there_later(void **state)
{
    Story s;
    made(begin(&s), B, X, 5, 6);
    made(&s, A, X, 1, 0);
    saw(&s, C, X, 7, 8, 1);
    assert_accepted(&s);
}

static void an_append_that_was_killed_may_be_missing(void **state)
{
    Story s;
    put(begin(&s), A, X, 1, 0);
    made(&s, B, X, 5, 6);
    assert_accepted(&s);
}

static void a_read_beside_an_append_may_see_either_head(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 3, 10);
    saw(&s, B, X, 4, 5, 1);
    saw(&s, C, X, 6, 7, 2);
    saw(&s, B, X, 8, 9, 2);
    assert_accepted(&s);
}

static void a_conflict_shows_the_head_it_met(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->expect = EXPECT_SEQ;
    show(&s, e, JOT_CONFLICT, 1);
    assert_accepted(&s);
}

static void a_repeated_id_gets_the_first_answer(void **state)
{
    Story s;
    Entry *first = put(begin(&s), A, X, 1, 2);
    first->id = 7;
    leave(&s, A);
    show(&s, first, JOT_OK, 1);
    Entry *again = put(&s, A, X, 5, 6);
    again->id = 7;
    again->content = first->content;
    again->expect = EXPECT_ABSENT;
    show(&s, again, JOT_OK, 1);
    assert_accepted(&s);
}

static void an_id_out_of_the_window_is_free_again(void **state)
{
    Story s;
    Entry *first = put(begin(&s), A, X, 1, 2);
    first->id = 7;
    leave(&s, A);
    show(&s, first, JOT_OK, 1);
    for (uint64_t i = 0; i < STORE_ID_WINDOW; i++)
        made(&s, B, X, 10 + 2 * i, 11 + 2 * i);
    Entry *again = put(&s, A, X, 100, 101);
    again->id = 7;
    again->content = first->content;
    leave(&s, A);
    show(&s, again, JOT_OK, STORE_ID_WINDOW + 2);
    assert_accepted(&s);
}

static void of_two_that_guard_each_other_one_is_fenced(void **state)
{
    Story s;
    Entry *left = made(begin(&s), A, X, 1, 10);
    left->guard = Y;
    Entry *right = put(&s, B, Y, 2, 9);
    right->guard = X;
    show(&s, right, JOT_FENCED, 0);
    assert_accepted(&s);
}

static void a_tombstone_without_a_seq_may_be_any_that_the_clock_allows(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    deleted(&s, A, X, 3, 4);
    made(&s, A, X, 5, 6);
    deleted(&s, A, X, 7, 8);
    saw_value(&s, B, X, 3, 4, 2);
    saw_value(&s, B, X, 5, 9, 4);
    saw_value(&s, C, X, 10, 11, 2);
    assert_accepted(&s);
}

static void a_delete_of_a_tombstone_is_not_found(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    deleted(&s, A, X, 3, 4);
    Entry *e = put(&s, B, X, 5, 6);
    e->op = OP_DELETE;
    e->content = 0;
    e->status = JOT_NOT_FOUND;
    assert_accepted(&s);
}

/* --- What must not ---------------------------------------------------------------------- */

static void a_lost_append_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->status = JOT_OK;
    e->seq = 2;
    e->mark_op = OP_PUT;
    e->sha = content_sha(e->content);
    assert_rejected(&s, RULE_LOST);
}

static void an_overwritten_append_is_rejected(void **state)
{
    Story s;
    Entry *e = put(begin(&s), A, X, 1, 4);
    made(&s, B, X, 2, 3);
    show(&s, e, JOT_OK, 1);
    assert_rejected(&s, RULE_LOST);
}

static void an_append_at_another_seq_than_told_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 4);
    Entry *e = made(&s, B, X, 2, 3);
    e->seq = 3;
    assert_rejected(&s, RULE_LOST);
}

static void a_record_of_nobody_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, B, X, 3, 4);
    s.records[X][1].index = 9;
    s.h.logs[B].n = 0;
    assert_rejected(&s, RULE_FOREIGN);
}

static void a_record_in_another_stream_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2)->stream = Y;
    assert_rejected(&s, RULE_FOREIGN);
}

static void a_doubled_append_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    leave(&s, A);
    assert_rejected(&s, RULE_DOUBLED);
}

static void an_append_killed_and_doubled_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 0);
    leave(&s, A);
    assert_rejected(&s, RULE_DOUBLED);
}

static void a_conflict_that_left_a_record_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->expect = EXPECT_SEQ;
    leave(&s, B);
    show(&s, e, JOT_CONFLICT, 1);
    assert_rejected(&s, RULE_REMAINS);
}

static void another_content_than_asked_for_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    s.records[X][0].content++;
    assert_rejected(&s, RULE_CONTENT);
}

static void a_record_that_is_not_sound_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    s.records[X][0].sound = false;
    assert_rejected(&s, RULE_CONTENT);
}

static void a_broken_chain_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    snprintf(s.h.streams[X].fault, sizeof s.h.streams[X].fault, "the chain is wrong");
    assert_rejected(&s, RULE_STREAM);
}

static void a_success_against_its_seq_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, B, X, 3, 4)->expect = EXPECT_SEQ; /* of 0 */
    assert_rejected(&s, RULE_EXPECT);
}

static void a_success_against_its_hash_is_rejected(void **state)
{
    Story s;
    Entry *first = made(begin(&s), A, X, 1, 2);
    made(&s, B, X, 3, 4);
    Entry *e = made(&s, A, X, 5, 6);
    e->expect = EXPECT_HASH;
    e->expect_sha = first->sha;
    assert_rejected(&s, RULE_EXPECT);
}

static void a_success_that_expected_absence_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 10);
    made(&s, B, X, 2, 9)->expect = EXPECT_ABSENT;
    assert_rejected(&s, RULE_EXPECT);
}

static void a_killed_append_must_keep_its_expectation_too(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 10);
    made(&s, B, X, 2, 0)->expect = EXPECT_ABSENT;
    assert_rejected(&s, RULE_EXPECT);
}

static void a_delete_of_nothing_that_succeeds_is_rejected(void **state)
{
    Story s;
    deleted(begin(&s), A, X, 1, 2);
    assert_rejected(&s, RULE_EXPECT);
}

static void appends_against_the_clock_are_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 5, 6);
    made(&s, B, X, 1, 2);
    assert_rejected(&s, RULE_ORDER);
}

static void a_stale_head_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 3, 4);
    saw(&s, B, X, 5, 6, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_head_older_than_one_seen_before_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 3, 20);
    saw(&s, B, X, 4, 5, 2);
    saw(&s, C, X, 6, 7, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_stale_value_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 3, 4);
    saw_value(&s, B, X, 5, 6, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_value_seen_after_its_tombstone_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    deleted(&s, A, X, 3, 20);
    saw_value(&s, B, X, 4, 5, 2);
    saw_value(&s, C, X, 6, 7, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_head_seen_before_it_was_asked_for_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 5, 6);
    saw(&s, B, X, 3, 4, 2);
    assert_rejected(&s, RULE_FUTURE);
}

static void a_head_that_never_was_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    saw(&s, B, X, 3, 4, 1)->sha.b[0] ^= 1;
    assert_rejected(&s, RULE_HEAD);
}

static void a_head_behind_the_last_record_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    saw(&s, B, X, 3, 4, 1)->seq = 2;
    assert_rejected(&s, RULE_HEAD);
}

static void a_value_that_never_was_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    saw_value(&s, B, X, 3, 4, 1)->sha.b[0] ^= 1;
    assert_rejected(&s, RULE_HEAD);
}

static void a_torn_value_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    saw_value(&s, B, X, 3, 4, 1)->flags = ENTRY_BAD_VALUE;
    assert_rejected(&s, RULE_VALUE);
}

static void nothing_found_where_a_record_stands_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    saw(&s, B, X, 3, 4, 0);
    assert_rejected(&s, RULE_STALE);
}

static void a_conflict_without_a_ground_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->expect = EXPECT_SEQ;
    e->expect_seq = 1;
    show(&s, e, JOT_CONFLICT, 1);
    assert_rejected(&s, RULE_REFUSED);
}

static void a_conflict_with_an_old_head_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    made(&s, A, X, 3, 4);
    Entry *e = put(&s, B, X, 5, 6);
    e->expect = EXPECT_SEQ;
    show(&s, e, JOT_CONFLICT, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_live_stream_that_cannot_be_deleted_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->op = OP_DELETE;
    e->content = 0;
    e->status = JOT_NOT_FOUND;
    assert_rejected(&s, RULE_STALE);
}

static void an_id_that_made_two_records_is_rejected(void **state)
{
    Story s;
    Entry *first = put(begin(&s), A, X, 1, 10);
    first->id = 7;
    leave(&s, A);
    show(&s, first, JOT_OK, 1);
    Entry *again = put(&s, B, X, 2, 9);
    again->id = 7;
    again->content = first->content;
    leave(&s, B);
    show(&s, again, JOT_OK, 2);
    assert_rejected(&s, RULE_ID);
}

static void a_repeated_id_that_meets_a_conflict_is_rejected(void **state)
{
    Story s;
    Entry *first = put(begin(&s), A, X, 1, 2);
    first->id = 7;
    leave(&s, A);
    show(&s, first, JOT_OK, 1);
    Entry *again = put(&s, A, X, 3, 4);
    again->id = 7;
    again->content = first->content;
    again->expect = EXPECT_ABSENT;
    show(&s, again, JOT_CONFLICT, 1);
    assert_rejected(&s, RULE_ID);
}

static void an_id_called_reused_that_nobody_used_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->id = 7;
    e->status = JOT_ID_REUSED;
    assert_rejected(&s, RULE_HEAD);
}

static void a_success_behind_a_guard_that_moved_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, Y, 1, 2);
    made(&s, B, X, 3, 4)->guard = Y; /* at 0 */
    assert_rejected(&s, RULE_GUARD);
}

static void a_success_before_its_guard_came_there_is_rejected(void **state)
{
    Story s;
    Entry *e = made(begin(&s), B, X, 1, 2);
    e->guard = Y;
    e->guard_seq = 1;
    made(&s, A, Y, 3, 4);
    assert_rejected(&s, RULE_GUARD);
}

static void a_guard_at_a_seq_that_never_was_is_rejected(void **state)
{
    Story s;
    Entry *e = made(begin(&s), B, X, 1, 2);
    e->guard = Y;
    e->guard_seq = 5;
    assert_rejected(&s, RULE_GUARD);
}

static void fenced_by_a_guard_that_stood_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, Y, 1, 2);
    Entry *e = put(&s, B, X, 3, 4);
    e->guard = Y;
    e->guard_seq = 1;
    show(&s, e, JOT_FENCED, 0);
    assert_rejected(&s, RULE_GUARD);
}

static void two_that_passed_each_others_guard_are_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 10)->guard = Y;
    made(&s, B, Y, 2, 9)->guard = X;
    assert_rejected(&s, RULE_CYCLE);
}

/* x: C saw the new record, then D still wrote y under the old guard, and C's second look at y
 * came before.  No two of them disagree; all together they do. */
static void a_guard_broken_through_a_third_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 30)->guard = Y;
    saw(&s, C, X, 2, 3, 1);
    made(&s, D, Y, 4, 29);
    saw(&s, C, Y, 5, 6, 1);
    assert_accepted(&s);
    s.entries[A][0].guard_seq = 1;
    assert_rejected(&s, RULE_CYCLE);
}

static void a_lock_error_is_rejected(void **state)
{
    Story s;
    put(begin(&s), A, X, 1, 2)->status = JOT_UNAVAILABLE;
    assert_rejected(&s, RULE_STATUS);
}

static void an_io_error_while_reading_is_rejected(void **state)
{
    Story s;
    ask(begin(&s), A, ENTRY_HEAD, X, 1, 2)->status = JOT_IO;
    assert_rejected(&s, RULE_STATUS);
}

static void a_failed_listing_is_rejected(void **state)
{
    Story s;
    ask(begin(&s), A, ENTRY_LIST, 0, 1, 2)->status = JOT_CORRUPT;
    assert_rejected(&s, RULE_STATUS);
}

static void a_listing_out_of_order_is_rejected(void **state)
{
    Story s;
    ask(begin(&s), A, ENTRY_LIST, 0, 1, 2)->flags = ENTRY_BAD_LISTING;
    assert_rejected(&s, RULE_LISTING);
}

static void a_live_stream_that_was_not_listed_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    ask(&s, B, ENTRY_UNLISTED, X, 3, 4)->which = LIST_LIVE;
    assert_rejected(&s, RULE_STALE);
}

static void a_tombstone_listed_as_live_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    deleted(&s, A, X, 3, 4);
    show(&s, ask(&s, B, ENTRY_LISTED, X, 5, 6), JOT_OK, 2);
    assert_rejected(&s, RULE_HEAD);
}

static Entry *read_one(Story *s, uint64_t from, uint64_t to, uint64_t seq)
{
    Entry *e = ask(s, D, ENTRY_READ, X, from, to);
    e->expect_seq = e->seq = seq;
    e->limit = 2;
    e->count = 1;
    e->sha = digest_add((Hash){ 0 }, seq, &s->records[X][seq - 1].sha);
    return e;
}

static void a_read_that_misses_the_end_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    read_one(&s, 3, 4, 1);
    made(&s, A, X, 5, 6);
    assert_accepted(&s);
    read_one(&s, 7, 8, 1);
    assert_rejected(&s, RULE_STALE);
}

static void a_read_of_what_never_was_is_rejected(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 2);
    read_one(&s, 3, 4, 1)->sha.b[5] ^= 1;
    assert_rejected(&s, RULE_HEAD);
}

/* --- Racing ----------------------------------------------------------------------------- */

static void racing_counts_appends_that_overlap_another_workers(void **state)
{
    Story s;
    made(begin(&s), A, X, 1, 10);
    made(&s, B, X, 2, 3);   /* races A */
    made(&s, B, X, 12, 14); /* alone */
    made(&s, B, X, 13, 20); /* overlaps only its own */
    made(&s, C, Y, 12, 14); /* another stream */
    Verdict v;
    assert_true(checker_run(&s.h, &v));
    assert_int_equal(v.appends, 5);
    assert_int_equal(v.racing, 2);
}

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(appends_in_turn_are_accepted),
        T(overlapping_appends_may_stand_in_either_order),
        T(an_append_that_was_killed_may_be_there),
        T(an_append_that_was_killed_may_be_there_later),
        T(an_append_that_was_killed_may_be_missing),
        T(a_read_beside_an_append_may_see_either_head),
        T(a_conflict_shows_the_head_it_met),
        T(a_repeated_id_gets_the_first_answer),
        T(an_id_out_of_the_window_is_free_again),
        T(of_two_that_guard_each_other_one_is_fenced),
        T(a_tombstone_without_a_seq_may_be_any_that_the_clock_allows),
        T(a_delete_of_a_tombstone_is_not_found),
        T(a_lost_append_is_rejected),
        T(an_overwritten_append_is_rejected),
        T(an_append_at_another_seq_than_told_is_rejected),
        T(a_record_of_nobody_is_rejected),
        T(a_record_in_another_stream_is_rejected),
        T(a_doubled_append_is_rejected),
        T(an_append_killed_and_doubled_is_rejected),
        T(a_conflict_that_left_a_record_is_rejected),
        T(another_content_than_asked_for_is_rejected),
        T(a_record_that_is_not_sound_is_rejected),
        T(a_broken_chain_is_rejected),
        T(a_success_against_its_seq_is_rejected),
        T(a_success_against_its_hash_is_rejected),
        T(a_success_that_expected_absence_is_rejected),
        T(a_killed_append_must_keep_its_expectation_too),
        T(a_delete_of_nothing_that_succeeds_is_rejected),
        T(appends_against_the_clock_are_rejected),
        T(a_stale_head_is_rejected),
        T(a_head_older_than_one_seen_before_is_rejected),
        T(a_stale_value_is_rejected),
        T(a_value_seen_after_its_tombstone_is_rejected),
        T(a_head_seen_before_it_was_asked_for_is_rejected),
        T(a_head_that_never_was_is_rejected),
        T(a_head_behind_the_last_record_is_rejected),
        T(a_value_that_never_was_is_rejected),
        T(a_torn_value_is_rejected),
        T(nothing_found_where_a_record_stands_is_rejected),
        T(a_conflict_without_a_ground_is_rejected),
        T(a_conflict_with_an_old_head_is_rejected),
        T(a_live_stream_that_cannot_be_deleted_is_rejected),
        T(an_id_that_made_two_records_is_rejected),
        T(a_repeated_id_that_meets_a_conflict_is_rejected),
        T(an_id_called_reused_that_nobody_used_is_rejected),
        T(a_success_behind_a_guard_that_moved_is_rejected),
        T(a_success_before_its_guard_came_there_is_rejected),
        T(a_guard_at_a_seq_that_never_was_is_rejected),
        T(fenced_by_a_guard_that_stood_is_rejected),
        T(two_that_passed_each_others_guard_are_rejected),
        T(a_guard_broken_through_a_third_is_rejected),
        T(a_lock_error_is_rejected),
        T(an_io_error_while_reading_is_rejected),
        T(a_failed_listing_is_rejected),
        T(a_listing_out_of_order_is_rejected),
        T(a_live_stream_that_was_not_listed_is_rejected),
        T(a_tombstone_listed_as_live_is_rejected),
        T(a_read_that_misses_the_end_is_rejected),
        T(a_read_of_what_never_was_is_rejected),
        T(racing_counts_appends_that_overlap_another_workers),
    };
    return cmocka_run_group_tests_name("checker", tests, NULL, NULL);
}
