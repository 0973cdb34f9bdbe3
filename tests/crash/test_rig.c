/* test_rig.c - the rig is tried on a store that is right and on its wrong brothers.
 *
 * Each part must pass the right one and find the bugs that are its business.
 * What a part cannot find is tested as well where it is the reason for having
 * another part: a kill loses nothing that was written, so it says nothing
 * about syncs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench.h"
#include "toy.h"

typedef void (*Part)(Bench *b, const Workload *w);

/* How many violations a part finds in a workload. */
static uint64_t violations(ToyBug bug, Part part, const char *workload)
{
    Options options = {
        .workload = workload, .shares = 1, .states = 300, .seed = 1, .quick = true
    };
    options.quick = part == fault_run && bug == TOY_RIGHT;
    options.silent = bug != TOY_RIGHT;
    Target target = toy_target(bug);
    Bench b;
    bench_init(&b, &options, &target);
    part(&b, workload_find(workload));
    assert_int_equal(b.totals.workloads, 1);
    uint64_t found = b.totals.violations;
    bench_done(&b);
    return found;
}

static const char *const all[] = { "first", "overwrite", "redact", "mixed" };

static void a_right_store_passes_power_failures(void **state)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(violations(TOY_RIGHT, power_run, all[i]), 0);
}

static void a_right_store_passes_kills(void **state)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(violations(TOY_RIGHT, kill_run, all[i]), 0);
}

static void a_right_store_passes_faults(void **state)
{
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_int_equal(violations(TOY_RIGHT, fault_run, all[i]), 0);
}

static void a_missing_sync_is_found(void **state)
{
    assert_true(violations(TOY_NO_SYNC, power_run, "overwrite") > 0);
}

static void a_kill_cannot_find_a_missing_sync(void **state)
{
    assert_int_equal(violations(TOY_NO_SYNC, kill_run, "overwrite"), 0);
}

static void a_missing_sync_of_a_directory_is_found(void **state)
{
    assert_true(violations(TOY_NO_DIR_SYNC, power_run, "new") > 0);
}

static void writing_in_place_is_found_by_power_failures_and_by_kills(void **state)
{
    assert_true(violations(TOY_IN_PLACE, power_run, "overwrite") > 0);
    assert_true(violations(TOY_IN_PLACE, kill_run, "overwrite") > 0);
}

static void an_early_acknowledgement_is_found(void **state)
{
    assert_true(violations(TOY_EARLY_ACK, power_run, "run") > 0);
    assert_true(violations(TOY_EARLY_ACK, kill_run, "run") > 0);
}

static void a_torn_tail_that_stays_is_found(void **state)
{
    assert_true(violations(TOY_TAIL_KEPT, power_run, "run") > 0);
    assert_true(violations(TOY_TAIL_KEPT, kill_run, "run") > 0);
}

static void a_recovery_that_cuts_too_much_is_found(void **state)
{
    assert_true(violations(TOY_CUT_LAST, power_run, "overwrite") > 0);
}

static void a_rename_before_the_sync_is_found(void **state)
{
    assert_true(violations(TOY_RENAME_UNSYNCED, power_run, "redact") > 0);
}

static void a_rename_that_is_not_synced_is_found(void **state)
{
    assert_true(violations(TOY_RENAME_LOST, power_run, "purge") > 0);
}

static void a_draft_left_behind_is_found(void **state)
{
    assert_true(violations(TOY_DRAFT_LEFT, power_run, "trim") > 0);
    assert_true(violations(TOY_DRAFT_LEFT, kill_run, "trim") > 0);
}

static void a_lost_descriptor_is_found(void **state)
{
    assert_true(violations(TOY_LEAK, power_run, "overwrite") > 0);
}

static void an_ignored_error_is_found(void **state)
{
    assert_true(violations(TOY_IGNORED_ERROR, fault_run, "overwrite") > 0);
    assert_int_equal(violations(TOY_IGNORED_ERROR, power_run, "overwrite"), 0);
}

static void a_sync_that_is_tried_again_is_found(void **state)
{
    assert_true(violations(TOY_RETRIED_SYNC, fault_run, "overwrite") > 0);
    assert_int_equal(violations(TOY_RETRIED_SYNC, power_run, "overwrite"), 0);
}

static void a_short_write_taken_for_a_whole_one_is_found(void **state)
{
    assert_true(violations(TOY_SHORT_WRITE, fault_run, "overwrite") > 0);
}

static void a_read_error_taken_for_nothing_is_found(void **state)
{
    assert_true(violations(TOY_LIES, fault_run, "overwrite") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_store_passes_power_failures),
        cmocka_unit_test(a_right_store_passes_kills),
        cmocka_unit_test(a_right_store_passes_faults),
        cmocka_unit_test(a_missing_sync_is_found),
        cmocka_unit_test(a_kill_cannot_find_a_missing_sync),
        cmocka_unit_test(a_missing_sync_of_a_directory_is_found),
        cmocka_unit_test(writing_in_place_is_found_by_power_failures_and_by_kills),
        cmocka_unit_test(an_early_acknowledgement_is_found),
        cmocka_unit_test(a_torn_tail_that_stays_is_found),
        cmocka_unit_test(a_recovery_that_cuts_too_much_is_found),
        cmocka_unit_test(a_rename_before_the_sync_is_found),
        cmocka_unit_test(a_rename_that_is_not_synced_is_found),
        cmocka_unit_test(a_draft_left_behind_is_found),
        cmocka_unit_test(a_lost_descriptor_is_found),
        cmocka_unit_test(an_ignored_error_is_found),
        cmocka_unit_test(a_sync_that_is_tried_again_is_found),
        cmocka_unit_test(a_short_write_taken_for_a_whole_one_is_found),
        cmocka_unit_test(a_read_error_taken_for_nothing_is_found),
    };
    return cmocka_run_group_tests_name("crash rig", tests, NULL, NULL);
}
