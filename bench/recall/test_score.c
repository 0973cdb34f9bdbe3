/* test_score.c - the scorer, against numbers worked out by hand. */
#include "bench/recall/score.h"
#include "bench/recall/set.h"
#include "unit/unit.h"

static void assert_near(double got, double want)
{
    if (got < want - 1e-9 || got > want + 1e-9)
        print_error("got %f, want %f\n", got, want);
    assert_true(got >= want - 1e-9 && got <= want + 1e-9);
}

static void a_perfect_list_scores_one(void **state)
{
    (void)state;
    size_t ranked[] = { 7, 3, 9 }, gold[] = { 3, 7 };
    Score s = score_list(ranked, 3, gold, 2);
    assert_near(s.of[SCORE_AT_1], 0.5);
    for (int i = SCORE_AT_5; i < SCORES; i++)
        assert_near(s.of[i], 1);
}

static void a_late_hit_counts_only_in_deeper_lists(void **state)
{
    (void)state;
    size_t ranked[SCORE_DEPTH], gold[] = { 11, 99 };
    for (size_t i = 0; i < SCORE_DEPTH; i++)
        ranked[i] = i;
    Score s = score_list(ranked, SCORE_DEPTH, gold, 2);
    assert_near(s.of[SCORE_AT_10], 0);
    assert_near(s.of[SCORE_AT_25], 0.5);
    assert_near(s.of[SCORE_NDCG], 0);
    assert_near(s.of[SCORE_MRR], 0);
}

static void gain_falls_with_the_rank(void **state)
{
    (void)state;
    size_t ranked[] = { 1, 2, 3 }, gold[] = { 3 };
    Score s = score_list(ranked, 3, gold, 1);
    assert_near(s.of[SCORE_NDCG], 0.5); /* 1 / log2(4) */
    assert_near(s.of[SCORE_MRR], 1.0 / 3);
}

static void an_empty_list_scores_zero(void **state)
{
    (void)state;
    size_t gold[] = { 3 };
    Score s = score_list(NULL, 0, gold, 1);
    for (int i = 0; i < SCORES; i++)
        assert_near(s.of[i], 0);
}

static void times_of_the_known_forms_are_read(void **state)
{
    (void)state;
    assert_int_equal(set_time(S("1:56 pm on 8 May, 2023")), INT64_C(1683554160000));
    assert_int_equal(set_time(S("12:05 am on 1 January, 1970")), 5 * 60 * 1000);
    assert_int_equal(set_time(S("1970-01-02 (Friday)")), (24 + 9) * 3600 * 1000);
    assert_int_equal(set_time(S("some day")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_list_scores_one),
        cmocka_unit_test(a_late_hit_counts_only_in_deeper_lists),
        cmocka_unit_test(gain_falls_with_the_rank),
        cmocka_unit_test(an_empty_list_scores_zero),
        cmocka_unit_test(times_of_the_known_forms_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
