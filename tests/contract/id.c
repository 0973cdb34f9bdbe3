/* id.c - promises about idempotency: the same append sent twice happens once, as long as the
 * first is among the newest STORE_ID_WINDOW records. */
#include "contract.h"

static Draft with_id(Draft d, const char *id)
{
    d.id = str(id);
    return d;
}

/* Sent again, the draft must answer with `first` and change nothing. */
static void again(Trial *p, const char *stream, Expect expect, Draft draft, Mark first)
{
    Str before = trial_dump(p);
    Mark answer = append(p, stream, expect, draft);
    CHECK_MARK(answer, first);
    CHECK_TEXT(trial_dump(p), before);
}

static void an_id_is_kept_with_its_record(Trial *p)
{
    append(p, "notes/a", ANY, with_id(PUT("one"), "call-1"));
    CHECK_TEXT(head(p, "notes/a", HEAD_MARK).id, S("call-1"));
    CHECK_TEXT(record_at(p, "notes/a", 1).id, S("call-1"));
}

static void the_same_content_again_is_the_same_record(Trial *p)
{
    Draft d = with_id(PUT("one"), "call-1");
    again(p, "notes/a", ANY, d, append(p, "notes/a", ANY, d));
}

static void an_older_record_is_answered_with_its_own_mark(Trial *p)
{
    Draft d = with_id(PUT("one"), "call-1");
    Mark first = append(p, "notes/a", ANY, d);
    p->now_ms += 1000;
    put(p, "notes/a", "two");
    put(p, "notes/a", "three");
    again(p, "notes/a", ANY, d, first);
}

static void other_content_under_the_same_id_is_refused(Trial *p)
{
    Mark first = append(p, "x/a", ANY, with_id(PUT("one"), "call-1"));
    Mark answer = refused(p, JOT_ID_REUSED, "x/a", ANY, with_id(PUT("two"), "call-1"));
    CHECK_MARK(answer, first);
    refused(p, JOT_ID_REUSED, "x/a", ANY, with_id(ENTRY("one"), "call-1"));
    refused(p, JOT_ID_REUSED, "x/a", ANY, with_id(DELETE, "call-1"));
    Draft meta = with_id(PUT("one"), "call-1");
    meta.meta = S("{}");
    refused(p, JOT_ID_REUSED, "x/a", ANY, meta);
}

static void an_empty_body_is_other_content_than_a_tombstone(Trial *p)
{
    put(p, "x/a", "one");
    append(p, "x/a", ANY, with_id(PUT(""), "call-1"));
    refused(p, JOT_ID_REUSED, "x/a", ANY, with_id(DELETE, "call-1"));
}

static void an_id_is_looked_up_before_the_expectation(Trial *p)
{
    Draft d = with_id(PUT("one"), "call-1");
    Mark first = append(p, "notes/a", ABSENT, d);
    again(p, "notes/a", ABSENT, d, first);
    again(p, "notes/a", AT_SEQ(0), d, first);
    put(p, "notes/a", "two");
    again(p, "notes/a", ABSENT, d, first);
    again(p, "notes/a", VERSION("zero"), d, first);
    refused(p, JOT_ID_REUSED, "notes/a", ABSENT, with_id(PUT("other"), "call-1"));
}

static void an_id_is_looked_up_before_the_guard(Trial *p)
{
    put(p, "leases/table", "{}");
    Draft d = with_id(PUT("one"), "call-1");
    Expect x = { .guard = S("leases/table"), .guard_seq = 1 };
    Mark first = append(p, "notes/a", x, d);
    put(p, "leases/table", "{}");
    again(p, "notes/a", x, d, first);
    refused(p, JOT_ID_REUSED, "notes/a", x, with_id(PUT("other"), "call-1"));
}

static void an_id_is_looked_up_before_the_fence(Trial *p)
{
    Draft d = with_id(PUT("one"), "call-1");
    d.fence = 3;
    Mark first = append(p, "notes/a", ANY, d);
    Draft later = PUT("two");
    later.fence = 9;
    append(p, "notes/a", ANY, later);
    again(p, "notes/a", ANY, d, first);
}

static void a_delete_sent_twice_happens_once(Trial *p)
{
    put(p, "notes/a", "one");
    Draft d = with_id(DELETE, "call-1");
    Mark gone = append(p, "notes/a", ANY, d);
    again(p, "notes/a", ANY, d, gone);
    again(p, "notes/a", VERSION("one"), d, gone);
}

static void an_entry_sent_twice_happens_once(Trial *p)
{
    Draft d = with_id(ENTRY("one"), "call-1");
    again(p, "runs/r", ANY, d, append(p, "runs/r", ANY, d));
    CHECK_NUM(read_all(p, "runs/r").n, 1);
}

static void without_an_id_the_same_content_is_a_new_record(Trial *p)
{
    put(p, "notes/a", "one");
    CHECK_NUM(put(p, "notes/a", "one").seq, 2);
}

static void ids_belong_to_their_stream(Trial *p)
{
    append(p, "notes/a", ANY, with_id(PUT("one"), "call-1"));
    CHECK_NUM(append(p, "notes/b", ANY, with_id(PUT("two"), "call-1")).seq, 1);
}

static void ids_are_compared_byte_by_byte(Trial *p)
{
    append(p, "notes/a", ANY, with_id(PUT("one"), "call-1"));
    CHECK_NUM(append(p, "notes/a", ANY, with_id(PUT("two"), "call-")).seq, 2);
    CHECK_NUM(append(p, "notes/a", ANY, with_id(PUT("two"), "call-10")).seq, 3);
    CHECK_NUM(append(p, "notes/a", ANY, with_id(PUT("two"), "CALL-1")).seq, 4);
}

static void the_16th_newest_record_is_still_found_by_its_id(Trial *p)
{
    Draft d = with_id(ENTRY("first"), "call-1");
    Mark first = append(p, "runs/r", ANY, d);
    entries(p, "runs/r", STORE_ID_WINDOW - 1);
    again(p, "runs/r", ANY, d, first);
    refused(p, JOT_ID_REUSED, "runs/r", ANY, with_id(ENTRY("other"), "call-1"));
}

static void the_17th_newest_record_is_not_found_by_its_id(Trial *p)
{
    Draft d = with_id(ENTRY("first"), "call-1");
    append(p, "runs/r", ANY, d);
    entries(p, "runs/r", STORE_ID_WINDOW);
    CHECK_NUM(append(p, "runs/r", ANY, d).seq, STORE_ID_WINDOW + 2);
}

static void a_repeated_append_does_not_move_the_window(Trial *p)
{
    Draft d = with_id(ENTRY("first"), "call-1");
    Mark first = append(p, "runs/r", ANY, d);
    entries(p, "runs/r", STORE_ID_WINDOW - 1);
    for (int i = 0; i < 3; i++)
        again(p, "runs/r", ANY, d, first);
    entry(p, "runs/r", "one more");
    CHECK_NUM(append(p, "runs/r", ANY, d).seq, STORE_ID_WINDOW + 2);
}

static void the_window_survives_a_trim(Trial *p)
{
    entries(p, "runs/r", 30);
    Draft d = with_id(ENTRY("first"), "call-1");
    Mark first = append(p, "runs/r", ANY, d);
    entries(p, "runs/r", STORE_ID_WINDOW - 1);
    uint64_t dropped = 0;
    CHECK_IS(p, store_trim(p->s, S("runs/r"), NULL, STORE_SEQ_MAX, &dropped, &p->e), JOT_OK);
    CHECK_NUM(dropped, 30);
    again(p, "runs/r", ANY, d, first);
}

static void a_redacted_record_is_still_found_by_its_id(Trial *p)
{
    Draft d = with_id(PUT("secret"), "call-1");
    append(p, "notes/a", ANY, d);
    put(p, "notes/a", "two");
    CHECK_IS(p, store_redact(p->s, S("notes/a"), NULL, 1, &p->e), JOT_OK);
    CHECK_NUM(append(p, "notes/a", ANY, d).seq, 1);
    refused(p, JOT_ID_REUSED, "notes/a", ANY, with_id(PUT(""), "call-1"));
}

static void a_purge_forgets_ids(Trial *p)
{
    append(p, "notes/a", ANY, with_id(PUT("one"), "call-1"));
    Mark m;
    CHECK_IS(p, store_purge(p->s, S("notes/a"), NULL, S("ann"), &m, &p->e), JOT_OK);
    CHECK_NUM(append(p, "notes/a", ANY, with_id(PUT("two"), "call-1")).seq, 3);
}

static void an_id_is_found_by_every_handle_and_after_reopening(Trial *p)
{
    Draft d = with_id(PUT("one"), "call-1");
    Mark first = append(p, "notes/a", ANY, d);
    trial_use(p, 1);
    again(p, "notes/a", ANY, d, first);
    put(p, "notes/a", "two");
    trial_reopen(p);
    again(p, "notes/a", ABSENT, d, first);
}

const Promise id_promises[] = {
    PROMISE(an_id_is_kept_with_its_record),
    PROMISE(the_same_content_again_is_the_same_record),
    PROMISE(an_older_record_is_answered_with_its_own_mark),
    PROMISE(other_content_under_the_same_id_is_refused),
    PROMISE(an_empty_body_is_other_content_than_a_tombstone),
    PROMISE(an_id_is_looked_up_before_the_expectation),
    PROMISE(an_id_is_looked_up_before_the_guard),
    PROMISE(an_id_is_looked_up_before_the_fence),
    PROMISE(a_delete_sent_twice_happens_once),
    PROMISE(an_entry_sent_twice_happens_once),
    PROMISE(without_an_id_the_same_content_is_a_new_record),
    PROMISE(ids_belong_to_their_stream),
    PROMISE(ids_are_compared_byte_by_byte),
    PROMISE(the_16th_newest_record_is_still_found_by_its_id),
    PROMISE(the_17th_newest_record_is_not_found_by_its_id),
    PROMISE(a_repeated_append_does_not_move_the_window),
    PROMISE(the_window_survives_a_trim),
    PROMISE(a_redacted_record_is_still_found_by_its_id),
    PROMISE(a_purge_forgets_ids),
    LASTING(an_id_is_found_by_every_handle_and_after_reopening),
    { 0 },
};
