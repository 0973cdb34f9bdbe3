/* test_search.c - the fast checker and the search agree, on histories that are right and on
 * histories that were bent a little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search.h"
#include "simulate.h"

/* How many histories are tried; sanitizers are slow. */
static uint64_t rounds(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 400;
#else
    return 4000;
#endif
}

static const StreamUse uses[] = { USE_HOT, USE_LOG };

static void simulated_histories_of_many_streams_are_accepted(void **state)
{
    Scene scene;
    scene_full(&scene);
    for (uint64_t seed = 1; seed <= rounds() / 100; seed++) {
        AUTO(Arena) arena = { 0 };
        History *h = NEW(&arena, History);
        simulate(h, &scene, 2 + seed % 15, 1500, seed, &arena);
        Verdict v;
        if (!checker_run(h, &v))
            fail_msg("seed %d: %s", (int)seed, v.text);
    }
}

static SearchResult searched(const History *h)
{
    Culprit ops[SEARCH_MAX + 1];
    size_t n = search_all(h, 0, ops);
    return n <= SEARCH_MAX ? search_run(h, 0, 0, h->streams[0].n, ops, n) : SEARCH_GAVE_UP;
}

static void both_accept_what_is_right(void **state)
{
    uint64_t gave_up = 0;
    for (uint64_t seed = 1; seed <= rounds(); seed++) {
        AUTO(Arena) arena = { 0 };
        Scene scene;
        scene_one(&scene, uses[seed % 2]);
        History *h = NEW(&arena, History);
        simulate(h, &scene, 2 + seed % 7, 20 + seed % 60, seed, &arena);
        Verdict v;
        if (!checker_run(h, &v))
            fail_msg("seed %d, the checker: %s", (int)seed, v.text);
        SearchResult r = searched(h);
        if (r == SEARCH_NO)
            fail_msg("seed %d: the search finds no order", (int)seed);
        gave_up += r == SEARCH_GAVE_UP;
    }
    assert_true(gave_up * 50 < rounds());
}

/* --- Bending ---------------------------------------------------------------------------- */

static Entry *any_answered(History *h, Dice *d)
{
    for (int tries = 0; tries < 200; tries++) {
        Log *log = &h->logs[dice_below(d, h->log_n)];
        Entry *e = log->n ? &log->items[dice_below(d, log->n)] : NULL;
        if (e && e->answered && e->kind != ENTRY_LIST)
            return e;
    }
    return NULL;
}

/* Let an answer show another head that really was, or was nearly. */
static void bend_head(History *h, Dice *d, Entry *e)
{
    const Stream *st = &h->streams[0];
    if (st->n == 0 || e->kind == ENTRY_READ || e->kind == ENTRY_UNLISTED)
        return;
    bool up = dice_percent(d, 50);
    uint64_t near = up ? e->seq + 1 : e->seq - 1;
    uint64_t seq = near >= 1 && near <= st->n ? near : 1 + dice_below(d, st->n);
    e->seq = e->which == HEAD_VALUE && e->kind == ENTRY_HEAD && dice_percent(d, 50) ? 0 : seq;
    e->sha = st->records[seq - 1].sha;
    e->mark_op = st->records[seq - 1].op;
}

/* Make the operation shorter at one end, or move it. */
static void bend_time(Dice *d, Entry *e)
{
    uint64_t length = e->answer_ns - e->invoke_ns, by = 1 + dice_below(d, 12);
    switch (dice_below(d, 4)) {
    case 0:
        e->invoke_ns += by < length ? by : length;
        break;
    case 1:
        e->answer_ns -= by < length ? by : length;
        break;
    case 2:
        e->invoke_ns += by;
        e->answer_ns += by;
        break;
    default:
        e->invoke_ns -= by < e->invoke_ns ? by : 0;
        e->answer_ns = e->invoke_ns + length;
        break;
    }
}

static void bend_status(Dice *d, Entry *e)
{
    static const jot_status others[] = { JOT_OK, JOT_CONFLICT, JOT_NOT_FOUND, JOT_ID_REUSED };
    if (e->kind != ENTRY_LISTED && e->kind != ENTRY_UNLISTED)
        e->status = (uint8_t)others[dice_below(d, COUNT_OF(others))];
}

/* Two records change places. */
static void bend_records(History *h, Dice *d)
{
    Stream *st = &h->streams[0];
    if (st->n < 2)
        return;
    size_t i = dice_below(d, st->n - 1);
    Found swap = st->records[i];
    st->records[i] = st->records[i + 1];
    st->records[i + 1] = swap;
}

static void bend_question(Dice *d, Entry *e)
{
    if (e->kind == ENTRY_READ)
        e->limit = 1 + dice_below(d, 5);
    else if (dice_percent(d, 50))
        e->expect = (uint8_t)dice_below(d, 4);
    else
        e->expect_seq += dice_percent(d, 50) ? 1 : 0;
}

static void bend(History *h, Dice *d)
{
    Entry *e = any_answered(h, d);
    if (!e)
        return;
    switch (dice_below(d, 8)) {
    case 0:
    case 1:
        bend_head(h, d, e);
        break;
    case 2:
    case 3:
    case 4:
        bend_time(d, e);
        break;
    case 5:
        bend_status(d, e);
        break;
    case 6:
        bend_records(h, d);
        break;
    default:
        bend_question(d, e);
        break;
    }
}

static void both_agree_on_what_was_bent(void **state)
{
    uint64_t yes = 0, no = 0, gave_up = 0;
    for (uint64_t seed = 1; seed <= rounds(); seed++) {
        AUTO(Arena) arena = { 0 };
        Scene scene;
        scene_one(&scene, uses[seed % 2]);
        History *h = NEW(&arena, History);
        simulate(h, &scene, 2 + seed % 7, 10 + seed % 50, seed + 1000000, &arena);
        Dice d = { seed };
        for (uint64_t times = 1 + dice_below(&d, 2); times > 0; times--)
            bend(h, &d);
        Verdict v;
        bool accepted = checker_run(h, &v);
        SearchResult r = searched(h);
        gave_up += r == SEARCH_GAVE_UP;
        yes += r == SEARCH_YES;
        no += r == SEARCH_NO;
        if (r == SEARCH_YES && !accepted)
            fail_msg("seed %d: the search finds an order, the checker says %s", (int)seed, v.text);
        if (r == SEARCH_NO && accepted)
            fail_msg("seed %d: the search finds no order, the checker accepts", (int)seed);
    }
    printf("bent histories: %d right, %d wrong, %d undecided\n", (int)yes, (int)no, (int)gave_up);
    assert_true(yes * 5 > rounds() && no * 5 > rounds() && gave_up * 20 < rounds());
}

static void windows_of_a_long_history_can_be_searched(void **state)
{
    AUTO(Arena) arena = { 0 };
    Scene scene;
    scene_full(&scene);
    History *h = NEW(&arena, History);
    simulate(h, &scene, 8, 4000, 5, &arena);
    Verdict v;
    assert_true(checker_run(h, &v));
    int windows = 0;
    for (size_t s = 0; s < h->stream_n; s++)
        for (uint64_t from = 0; from + 10 <= h->streams[s].n; from += 10) {
            Culprit ops[SEARCH_MAX + 1];
            size_t n = search_window(h, s, from, from + 10, ops);
            assert_true(n <= SEARCH_MAX);
            assert_int_equal(search_run(h, s, from, from + 10, ops, n), SEARCH_YES);
            windows++;
        }
    assert_true(windows > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulated_histories_of_many_streams_are_accepted),
        cmocka_unit_test(both_accept_what_is_right),
        cmocka_unit_test(both_agree_on_what_was_bent),
        cmocka_unit_test(windows_of_a_long_history_can_be_searched),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
