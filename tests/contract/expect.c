/* expect.c - promises about conditions: an append happens if its expectation holds, and
 * otherwise nothing happens and the answer is the head. */
#include "contract.h"

static void any_expects_nothing_of_a_missing_stream(Trial *p)
{
    Mark m = append(p, "notes/a", ANY, PUT("one"));
    CHECK_NUM(m.seq, 1);
    CHECK(m.op == OP_PUT && !m.redacted);
    CHECK_NUM(m.size, 3);
    CHECK(hash_eq(m.sha256, hash_of(S("one"))));
}

static void any_expects_nothing_of_a_live_stream(Trial *p)
{
    put(p, "notes/a", "one");
    CHECK_NUM(append(p, "notes/a", ANY, PUT("two")).seq, 2);
}

static void any_expects_nothing_of_a_tombstone(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    CHECK_NUM(append(p, "notes/a", ANY, PUT("two")).seq, 3);
}

static void no_expectation_is_any(Trial *p)
{
    Draft d = PUT("one");
    Mark m;
    CHECK_IS(p, store_append(p->s, S("notes/a"), NULL, &d, &m, &p->e), JOT_OK);
    CHECK_IS(p, store_append(p->s, S("notes/a"), NULL, &d, &m, &p->e), JOT_OK);
    CHECK_NUM(m.seq, 2);
}

static void the_mark_an_append_answers_is_the_heads(Trial *p)
{
    put(p, "notes/a", "one");
    Mark m = put(p, "notes/a", "two");
    CHECK_MARK(head(p, "notes/a", HEAD_MARK).mark, m);
    CHECK_MARK(record_at(p, "notes/a", 2).mark, m);
}

static void absent_holds_where_nothing_ever_was(Trial *p)
{
    CHECK_NUM(append(p, "notes/a", ABSENT, PUT("one")).seq, 1);
    CHECK_NUM(append(p, "runs/r", ABSENT, ENTRY("one")).seq, 1);
}

static void absent_holds_on_a_tombstone(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    CHECK_NUM(append(p, "notes/a", ABSENT, PUT("two")).seq, 3);
}

static void absent_does_not_hold_on_a_live_value(Trial *p)
{
    Mark one = put(p, "notes/a", "one");
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", ABSENT, PUT("two"));
    CHECK_MARK(answer, one);
}

static void absent_does_not_hold_on_an_empty_value(Trial *p)
{
    Mark empty = put(p, "notes/a", "");
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", ABSENT, PUT(""));
    CHECK_MARK(answer, empty);
}

static void absent_does_not_hold_on_a_log(Trial *p)
{
    Mark one = entry(p, "runs/r", "one");
    Mark answer = refused(p, JOT_CONFLICT, "runs/r", ABSENT, ENTRY("two"));
    CHECK_MARK(answer, one);
}

static void a_seq_holds_only_where_the_head_has_it(Trial *p)
{
    put(p, "notes/a", "one");
    Mark two = put(p, "notes/a", "two");
    uint64_t wrong[] = { 0, 1, 3, STORE_SEQ_MAX, UINT64_MAX };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Mark answer = refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(wrong[i]), PUT("no"));
        CHECK_MARK(answer, two);
    }
    CHECK_NUM(append(p, "notes/a", AT_SEQ(2), PUT("three")).seq, 3);
}

static void seq_0_means_that_there_is_no_record_at_all(Trial *p)
{
    CHECK_NUM(append(p, "notes/a", AT_SEQ(0), PUT("one")).seq, 1);
    bury(p, "notes/a");
    refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(0), PUT("two"));
}

static void a_seq_of_a_missing_stream_is_a_conflict_with_nothing(Trial *p)
{
    Mark none = { 0 };
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(1), PUT("one"));
    CHECK_MARK(answer, none);
}

static void a_tombstones_seq_can_be_expected(Trial *p)
{
    put(p, "notes/a", "one");
    Mark gone = bury(p, "notes/a");
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(1), PUT("two"));
    CHECK_MARK(answer, gone);
    CHECK_NUM(append(p, "notes/a", AT_SEQ(2), PUT("two")).seq, 3);
}

static void a_seq_serves_logs_too(Trial *p)
{
    entries(p, "runs/r", 2);
    refused(p, JOT_CONFLICT, "runs/r", AT_SEQ(1), ENTRY("three"));
    CHECK_NUM(append(p, "runs/r", AT_SEQ(2), ENTRY("three")).seq, 3);
}

static void a_hash_holds_only_where_the_head_has_that_text(Trial *p)
{
    put(p, "notes/a", "one");
    Mark two = put(p, "notes/a", "two");
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", VERSION("one"), PUT("three"));
    CHECK_MARK(answer, two);
    CHECK_NUM(append(p, "notes/a", VERSION("two"), PUT("three")).seq, 3);
}

static void equal_text_is_the_same_version_by_definition(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    put(p, "notes/a", "one");
    CHECK_NUM(append(p, "notes/a", VERSION("one"), PUT("four")).seq, 4);
}

static void the_hash_of_nothing_matches_an_empty_value_and_nothing_else(Trial *p)
{
    refused(p, JOT_CONFLICT, "notes/a", VERSION(""), PUT("one"));
    put(p, "notes/a", "");
    CHECK_NUM(append(p, "notes/a", VERSION(""), PUT("two")).seq, 2);
    bury(p, "notes/a");
    refused(p, JOT_CONFLICT, "notes/a", VERSION(""), PUT("three"));
}

static void a_hash_never_matches_a_tombstone(Trial *p)
{
    put(p, "notes/a", "one");
    Mark gone = bury(p, "notes/a");
    Expect zero = { .kind = EXPECT_HASH };
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", zero, PUT("two"));
    CHECK_MARK(answer, gone);
    refused(p, JOT_CONFLICT, "notes/a", VERSION("one"), PUT("two"));
}

static void a_zero_hash_never_matches_a_missing_stream(Trial *p)
{
    Expect zero = { .kind = EXPECT_HASH };
    refused(p, JOT_CONFLICT, "notes/a", zero, PUT("one"));
}

static void a_hash_never_matches_an_entry_of_a_log(Trial *p)
{
    Mark one = entry(p, "runs/r", "one");
    Mark answer = refused(p, JOT_CONFLICT, "runs/r", VERSION("one"), ENTRY("two"));
    CHECK_MARK(answer, one);
}

static void an_unknown_kind_of_expectation_is_refused(Trial *p)
{
    Expect odd = { .kind = (ExpectKind)99 };
    put(p, "notes/a", "one");
    refused(p, JOT_INVALID, "notes/a", odd, PUT("two"));
    refused(p, JOT_INVALID, "notes/b", odd, PUT("two"));
}

static void a_delete_can_be_conditional(Trial *p)
{
    Mark one = put(p, "notes/a", "one");
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", VERSION("two"), DELETE);
    CHECK_MARK(answer, one);
    refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(7), DELETE);
    refused(p, JOT_CONFLICT, "notes/a", ABSENT, DELETE);
    CHECK_NUM(append(p, "notes/a", VERSION("one"), DELETE).seq, 2);
}

static void a_delete_of_what_is_not_there_is_not_found(Trial *p)
{
    refused(p, JOT_NOT_FOUND, "notes/a", ANY, DELETE);
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    refused(p, JOT_NOT_FOUND, "notes/a", ANY, DELETE);
    refused(p, JOT_NOT_FOUND, "notes/a", AT_SEQ(2), DELETE);
}

static void a_tombstone_has_neither_body_nor_hash(Trial *p)
{
    put(p, "notes/a", "one");
    Mark gone = bury(p, "notes/a");
    CHECK(gone.op == OP_DELETE && hash_is_zero(gone.sha256) && !gone.redacted);
    CHECK_NUM(gone.size, 0);
    Record r = head(p, "notes/a", HEAD_RECORD);
    CHECK_MARK(r.mark, gone);
    CHECK_NUM(r.body.n, 0);
    CHECK_TEXT(r.by, S("ann"));
}

static void a_delete_keeps_what_was_there_readable(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    CHECK_TEXT(record_at(p, "notes/a", 1).body, S("one"));
}

static void a_log_can_be_deleted_and_goes_on(Trial *p)
{
    entries(p, "runs/r", 2);
    CHECK_NUM(bury(p, "runs/r").seq, 3);
    CHECK_NUM(entry(p, "runs/r", "four").seq, 4);
    CHECK_NUM(read_all(p, "runs/r").n, 4);
}

static void conflicts_name_the_stream_and_its_seq(Trial *p)
{
    put(p, "notes/a", "one");
    refused(p, JOT_CONFLICT, "notes/a", ABSENT, PUT("two"));
    CHECK_TEXT(str(p->e.text), S("'notes/a' has changed: it exists (seq 1 now)"));
}

static void documents_are_not_logs(Trial *p)
{
    static const char *const documents[] = { "notes/a", "memories/a", "artifacts/a", "cycles/a",
                                             "snapshots/a/b_after" };
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        refused(p, JOT_INVALID, documents[i], ANY, ENTRY("one"));
        put(p, documents[i], "one");
        refused(p, JOT_INVALID, documents[i], ANY, ENTRY("two"));
    }
}

static void everything_else_can_be_a_log(Trial *p)
{
    static const char *const logs[] = { "runs/a",  "leases/a", "tasks/a",
                                        "plans/a", "x/a",      "logs/a/b" };
    for (size_t i = 0; i < COUNT_OF(logs); i++) {
        CHECK(entry(p, logs[i], "one").op == OP_APPEND);
        CHECK_NUM(put(p, logs[i], "two").seq, 2);
    }
}

static void an_unknown_op_is_refused(Trial *p)
{
    static const int odd[] = { 0, 4, -1, 99 };
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        Draft d = PUT("one");
        d.op = (Op)odd[i];
        refused(p, JOT_INVALID, "x/a", ANY, d);
    }
}

static void a_delete_with_a_body_is_refused(Trial *p)
{
    put(p, "notes/a", "one");
    Draft d = DELETE;
    d.body = S("x");
    refused(p, JOT_INVALID, "notes/a", ANY, d);
}

static void two_handles_race_and_one_wins(Trial *p)
{
    put(p, "notes/a", "one");
    trial_use(p, 1);
    Mark won = append(p, "notes/a", VERSION("one"), PUT("two"));
    trial_use(p, 0);
    Mark answer = refused(p, JOT_CONFLICT, "notes/a", VERSION("one"), PUT("three"));
    CHECK_MARK(answer, won);
    answer = refused(p, JOT_CONFLICT, "notes/a", AT_SEQ(1), PUT("three"));
    CHECK_MARK(answer, won);
}

static void a_stream_made_by_one_handle_is_there_for_the_other(Trial *p)
{
    trial_use(p, 1);
    trial_use(p, 0);
    put(p, "notes/a", "one");
    trial_use(p, 1);
    refused(p, JOT_CONFLICT, "notes/a", ABSENT, PUT("two"));
    bury(p, "notes/a");
    trial_use(p, 0);
    CHECK_NUM(append(p, "notes/a", ABSENT, PUT("three")).seq, 3);
}

const Promise expect_promises[] = {
    PROMISE(any_expects_nothing_of_a_missing_stream),
    PROMISE(any_expects_nothing_of_a_live_stream),
    PROMISE(any_expects_nothing_of_a_tombstone),
    PROMISE(no_expectation_is_any),
    PROMISE(the_mark_an_append_answers_is_the_heads),
    PROMISE(absent_holds_where_nothing_ever_was),
    PROMISE(absent_holds_on_a_tombstone),
    PROMISE(absent_does_not_hold_on_a_live_value),
    PROMISE(absent_does_not_hold_on_an_empty_value),
    PROMISE(absent_does_not_hold_on_a_log),
    PROMISE(a_seq_holds_only_where_the_head_has_it),
    PROMISE(seq_0_means_that_there_is_no_record_at_all),
    PROMISE(a_seq_of_a_missing_stream_is_a_conflict_with_nothing),
    PROMISE(a_tombstones_seq_can_be_expected),
    PROMISE(a_seq_serves_logs_too),
    PROMISE(a_hash_holds_only_where_the_head_has_that_text),
    PROMISE(equal_text_is_the_same_version_by_definition),
    PROMISE(the_hash_of_nothing_matches_an_empty_value_and_nothing_else),
    PROMISE(a_hash_never_matches_a_tombstone),
    PROMISE(a_zero_hash_never_matches_a_missing_stream),
    PROMISE(a_hash_never_matches_an_entry_of_a_log),
    PROMISE(an_unknown_kind_of_expectation_is_refused),
    PROMISE(a_delete_can_be_conditional),
    PROMISE(a_delete_of_what_is_not_there_is_not_found),
    PROMISE(a_tombstone_has_neither_body_nor_hash),
    PROMISE(a_delete_keeps_what_was_there_readable),
    PROMISE(a_log_can_be_deleted_and_goes_on),
    PROMISE(conflicts_name_the_stream_and_its_seq),
    PROMISE(documents_are_not_logs),
    PROMISE(everything_else_can_be_a_log),
    PROMISE(an_unknown_op_is_refused),
    PROMISE(a_delete_with_a_body_is_refused),
    LASTING(two_handles_race_and_one_wins),
    LASTING(a_stream_made_by_one_handle_is_there_for_the_other),
    { 0 },
};
