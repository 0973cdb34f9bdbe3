/* test_checker.c - the checker accepts what may happen, and counts what raced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "story.h"

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
        T(racing_counts_appends_that_overlap_another_workers),
    };
    return cmocka_run_group_tests_name("checker", tests, NULL, NULL);
}
