/* guard.c - promises about leases' two halves: a guard, the head of another stream that must
 * still stand where it was seen, and a fence, the highest token a stream was written under. */
#include "contract.h"

static Expect guarded(const char *stream, uint64_t seq)
{
    return (Expect){ .kind = EXPECT_ANY, .guard = str(stream), .guard_seq = seq };
}

static Draft under(Draft d, uint64_t token)
{
    d.fence = token;
    return d;
}

/* --- Guards ---------------------------------------------------------------------------- */

static void a_guard_that_holds_lets_the_append_pass(Trial *p)
{
    put(p, "leases/table", "{}");
    put(p, "leases/table", "{}");
    CHECK_NUM(append(p, "notes/a", guarded("leases/table", 2), PUT("one")).seq, 1);
}

static void a_guard_that_does_not_hold_changes_nothing(Trial *p)
{
    put(p, "leases/table", "{}");
    Mark one = put(p, "notes/a", "one");
    put(p, "leases/table", "{}");
    uint64_t wrong[] = { 0, 1, 3, STORE_SEQ_MAX, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Mark answer =
            refused(p, JOT_FENCED, "notes/a", guarded("leases/table", wrong[i]), PUT("2"));
        CHECK_MARK(answer, one);
    }
}

static void a_guard_on_a_missing_stream_stands_at_seq_0(Trial *p)
{
    refused(p, JOT_FENCED, "notes/a", guarded("leases/table", 1), PUT("one"));
    CHECK_NUM(append(p, "notes/a", guarded("leases/table", 0), PUT("one")).seq, 1);
}

static void a_guard_sees_tombstones(Trial *p)
{
    put(p, "x/g", "one");
    bury(p, "x/g");
    refused(p, JOT_FENCED, "notes/a", guarded("x/g", 0), PUT("one"));
    refused(p, JOT_FENCED, "notes/a", guarded("x/g", 1), PUT("one"));
    CHECK_NUM(append(p, "notes/a", guarded("x/g", 2), PUT("one")).seq, 1);
}

static void a_guard_may_be_a_log(Trial *p)
{
    entries(p, "runs/r", 3);
    refused(p, JOT_FENCED, "notes/a", guarded("runs/r", 2), PUT("one"));
    append(p, "notes/a", guarded("runs/r", 3), PUT("one"));
}

static void a_guard_and_an_expectation_must_both_hold(Trial *p)
{
    put(p, "leases/table", "{}");
    Mark one = put(p, "notes/a", "one");
    Expect x = VERSION("two");
    x.guard = S("leases/table");
    x.guard_seq = 1;
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", x, PUT("three"));
    CHECK_MARK(answer, one);
    x = VERSION("one");
    x.guard = S("leases/table");
    x.guard_seq = 2;
    answer = refused(p, JOT_FENCED, "notes/a", x, PUT("three"));
    CHECK_MARK(answer, one);
    x.guard_seq = 1;
    CHECK_NUM(append(p, "notes/a", x, PUT("three")).seq, 2);
}

static void a_lost_lease_is_told_before_a_conflict(Trial *p)
{
    put(p, "notes/a", "one");
    Expect x = VERSION("two");
    x.guard = S("leases/table");
    x.guard_seq = 9;
    refused(p, JOT_FENCED, "notes/a", x, PUT("three"));
}

static void an_append_never_changes_its_guard(Trial *p)
{
    Mark table = put(p, "leases/table", "{}");
    append(p, "notes/a", guarded("leases/table", 1), PUT("one"));
    CHECK_MARK(head(p, "leases/table", HEAD_MARK).mark, table);
}

static void a_stream_cannot_guard_itself(Trial *p)
{
    put(p, "notes/a", "one");
    refused(p, JOT_INVALID, "notes/a", guarded("notes/a", 1), PUT("two"));
}

static void a_delete_can_be_guarded(Trial *p)
{
    put(p, "leases/table", "{}");
    put(p, "notes/a", "one");
    refused(p, JOT_FENCED, "notes/a", guarded("leases/table", 2), DELETE);
    CHECK_NUM(append(p, "notes/a", guarded("leases/table", 1), DELETE).seq, 2);
}

/* Every way to forget, on condition of `x`: each must answer `status`. */
static void forget_all(Trial *p, Expect x, jot_status status)
{
    uint64_t dropped;
    Mark m;
    CHECK_IS(p, store_trim(p->s, S("runs/r"), &x, 10, &dropped, &p->e), status);
    CHECK_IS(p, store_redact(p->s, S("runs/r"), &x, 20, &p->e), status);
    CHECK_IS(p, store_purge(p->s, S("runs/r"), &x, S("bob"), &m, &p->e), status);
    if (status == JOT_FENCED || status == JOT_CONFLICT)
        CHECK_MARK(m, head(p, "runs/r", HEAD_MARK).mark);
}

static void forgetting_can_be_guarded(Trial *p)
{
    entries(p, "runs/r", 30);
    put(p, "leases/table", "{}");
    put(p, "leases/table", "{}");
    Str before = trial_dump(p);
    forget_all(p, guarded("leases/table", 1), JOT_FENCED);
    forget_all(p, guarded("runs/r", 30), JOT_INVALID);
    CHECK_TEXT(trial_dump(p), before);
    forget_all(p, guarded("leases/table", 2), JOT_OK);
    CHECK_NUM(read_all(p, "runs/r").n, 1);
}

static void forgetting_can_expect_a_head(Trial *p)
{
    entries(p, "runs/r", 30);
    Str before = trial_dump(p);
    forget_all(p, (Expect){ .kind = EXPECT_SEQ, .seq = 29 }, JOT_CONFLICT);
    forget_all(p, (Expect){ .kind = EXPECT_ABSENT }, JOT_CONFLICT);
    CHECK_TEXT(trial_dump(p), before);
    forget_all(p, (Expect){ .kind = EXPECT_SEQ, .seq = 30 }, JOT_OK);
    CHECK_NUM(read_all(p, "runs/r").n, 1);
}

static void a_guard_moved_by_another_handle_is_seen(Trial *p)
{
    put(p, "leases/table", "{}");
    append(p, "notes/a", guarded("leases/table", 1), PUT("one"));
    trial_use(p, 1);
    put(p, "leases/table", "{}");
    trial_use(p, 0);
    refused(p, JOT_FENCED, "notes/a", guarded("leases/table", 1), PUT("two"));
    append(p, "notes/a", guarded("leases/table", 2), PUT("two"));
}

/* --- Fences ---------------------------------------------------------------------------- */

static void a_token_is_kept_as_the_streams_fence(Trial *p)
{
    CHECK_NUM(append(p, "notes/a", ANY, under(PUT("one"), 7)).fence, 7);
    CHECK_NUM(head(p, "notes/a", HEAD_MARK).mark.fence, 7);
    CHECK_NUM(list(p, "notes/", "", 1, LIST_LIVE).items[0].mark.fence, 7);
}

static void a_higher_token_raises_the_fence(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    CHECK_NUM(append(p, "notes/a", ANY, under(PUT("two"), 9)).fence, 9);
}

static void the_same_token_passes_again(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    CHECK_NUM(append(p, "notes/a", ANY, under(PUT("two"), 7)).fence, 7);
}

static void a_lower_token_is_refused_and_changes_nothing(Trial *p)
{
    Mark one = append(p, "notes/a", ANY, under(PUT("one"), 7));
    Mark answer = refused(p, JOT_FENCED, "notes/a", ANY, under(PUT("two"), 6));
    CHECK_MARK(answer, one);
    refused(p, JOT_FENCED, "notes/a", ANY, under(DELETE, 1));
}

static void a_write_without_a_token_passes_and_never_lowers_the_fence(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    CHECK_NUM(put(p, "notes/a", "two").fence, 7);
    refused(p, JOT_FENCED, "notes/a", ANY, under(PUT("three"), 6));
}

static void a_fence_outlives_a_delete(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    CHECK_NUM(bury(p, "notes/a").fence, 7);
    refused(p, JOT_FENCED, "notes/a", ANY, under(PUT("two"), 6));
    CHECK_NUM(put(p, "notes/a", "two").fence, 7);
}

static void a_fence_outlives_a_trim(Trial *p)
{
    append(p, "runs/r", ANY, under(ENTRY("0"), 7));
    entries(p, "runs/r", 40);
    uint64_t dropped = 0;
    CHECK_IS(p, store_trim(p->s, S("runs/r"), NULL, 40, &dropped, &p->e), JOT_OK);
    refused(p, JOT_FENCED, "runs/r", ANY, under(ENTRY("late"), 6));
}

static void a_refused_token_leaves_no_trace(Trial *p)
{
    put(p, "notes/a", "one");
    refused(p, JOT_CONFLICT, "notes/a", ABSENT, under(PUT("two"), 99));
    CHECK_NUM(put(p, "notes/a", "three").fence, 0);
}

static void fences_belong_to_their_stream(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    CHECK_NUM(append(p, "notes/b", ANY, under(PUT("one"), 3)).fence, 3);
}

static void a_fence_is_seen_by_every_handle_and_after_reopening(Trial *p)
{
    append(p, "notes/a", ANY, under(PUT("one"), 7));
    trial_use(p, 1);
    refused(p, JOT_FENCED, "notes/a", ANY, under(PUT("two"), 6));
    trial_reopen(p);
    refused(p, JOT_FENCED, "notes/a", ANY, under(PUT("two"), 6));
}

const Promise guard_promises[] = {
    PROMISE(a_guard_that_holds_lets_the_append_pass),
    PROMISE(a_guard_that_does_not_hold_changes_nothing),
    PROMISE(a_guard_on_a_missing_stream_stands_at_seq_0),
    PROMISE(a_guard_sees_tombstones),
    PROMISE(a_guard_may_be_a_log),
    PROMISE(a_guard_and_an_expectation_must_both_hold),
    PROMISE(a_lost_lease_is_told_before_a_conflict),
    PROMISE(an_append_never_changes_its_guard),
    PROMISE(a_stream_cannot_guard_itself),
    PROMISE(a_delete_can_be_guarded),
    PROMISE(forgetting_can_be_guarded),
    PROMISE(forgetting_can_expect_a_head),
    LASTING(a_guard_moved_by_another_handle_is_seen),
    PROMISE(a_token_is_kept_as_the_streams_fence),
    PROMISE(a_higher_token_raises_the_fence),
    PROMISE(the_same_token_passes_again),
    PROMISE(a_lower_token_is_refused_and_changes_nothing),
    PROMISE(a_write_without_a_token_passes_and_never_lowers_the_fence),
    PROMISE(a_fence_outlives_a_delete),
    PROMISE(a_fence_outlives_a_trim),
    PROMISE(a_refused_token_leaves_no_trace),
    PROMISE(fences_belong_to_their_stream),
    LASTING(a_fence_is_seen_by_every_handle_and_after_reopening),
    { 0 },
};
