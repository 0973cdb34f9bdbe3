/* test_checker_reject.c - the checker rejects what must not happen, each for its own reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "story.h"

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

#define T(name) cmocka_unit_test(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests_name("checker_reject", tests, NULL, NULL);
}
