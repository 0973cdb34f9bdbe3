/* read.c - promises about head and read: what was appended is what comes back. */
#include <stdio.h>

#include "contract.h"

static Draft full_draft(void)
{
    return (Draft){ .op = OP_PUT,
                    .by = S("bob"),
                    .id = S("call-1"),
                    .meta = S("{\"kind\": \"plan\"}"),
                    .body = S("text"),
                    .fence = 4 };
}

/* --- Head ------------------------------------------------------------------------------ */

static void the_head_of_nothing_is_not_found(Trial *p)
{
    put(p, "notes/b", "one");
    Record r = { 0 };
    HeadWant wants[] = { HEAD_RECORD, HEAD_MARK, HEAD_VALUE };
    for (size_t i = 0; i < COUNT_OF(wants); i++) {
        CHECK_IS(p, store_head(p->s, S("notes/a"), wants[i], &p->arena, &r, &p->e), JOT_NOT_FOUND);
        CHECK_TEXT(str(p->e.text), S("'notes/a' not found"));
    }
}

static void the_head_is_the_newest_record_and_all_of_it(Trial *p)
{
    put(p, "notes/a", "one");
    Draft d = full_draft();
    Mark m = append(p, "notes/a", ANY, d);
    Record want = { .mark = m, .by = d.by, .id = d.id, .meta = d.meta, .body = d.body };
    Record got = head(p, "notes/a", HEAD_RECORD);
    CHECK_RECORD(got, want);
}

static void head_mark_is_all_but_the_body(Trial *p)
{
    Draft d = full_draft();
    Mark m = append(p, "notes/a", ANY, d);
    Record want = { .mark = m, .by = d.by, .id = d.id, .meta = d.meta };
    Record got = head(p, "notes/a", HEAD_MARK);
    CHECK_RECORD(got, want);
}

static void head_value_is_the_body_and_its_version(Trial *p)
{
    static const char *const streams[] = { "notes/a", "memories/d/e", "x/a" };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        put(p, streams[i], "one");
        put(p, streams[i], "two");
        Record got = head(p, streams[i], HEAD_VALUE);
        CHECK_TEXT(got.body, S("two"));
        CHECK_NUM(got.mark.size, 3);
        CHECK(hash_eq(got.mark.sha256, hash_of(S("two"))));
        CHECK(mark_live(&got.mark) && !got.mark.redacted);
    }
}

static void head_value_of_an_empty_value_is_a_value(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "notes/a", "");
    Record got = head(p, "notes/a", HEAD_VALUE);
    CHECK(mark_live(&got.mark));
    CHECK_NUM(got.body.n, 0);
    CHECK(hash_eq(got.mark.sha256, hash_of(S(""))));
}

static void head_value_says_that_it_is_deleted(Trial *p)
{
    put(p, "notes/a", "one");
    put(p, "x/a", "one");
    bury(p, "notes/a");
    bury(p, "x/a");
    CHECK(head(p, "notes/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK(head(p, "x/a", HEAD_VALUE).mark.op == OP_DELETE);
    CHECK_NUM(head(p, "notes/a", HEAD_VALUE).body.n, 0);
}

static void the_head_of_a_log_is_its_last_entry(Trial *p)
{
    entries(p, "runs/r", 3);
    CHECK_TEXT(head(p, "runs/r", HEAD_RECORD).body, S("3"));
    CHECK_TEXT(head(p, "runs/r", HEAD_VALUE).body, S("3"));
    CHECK(head(p, "runs/r", HEAD_MARK).mark.op == OP_APPEND);
}

static void the_head_of_a_deleted_stream_is_its_tombstone(Trial *p)
{
    put(p, "notes/a", "one");
    Mark gone = bury(p, "notes/a");
    CHECK_MARK(head(p, "notes/a", HEAD_RECORD).mark, gone);
    CHECK_MARK(head(p, "notes/a", HEAD_MARK).mark, gone);
}

static void what_one_handle_writes_the_other_reads(Trial *p)
{
    trial_use(p, 1);
    for (int i = 0; i < 5; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        trial_use(p, (size_t)i % 2);
        Mark m = put(p, "notes/a", text);
        trial_use(p, (size_t)(i + 1) % 2);
        Record got = head(p, "notes/a", HEAD_RECORD);
        CHECK_MARK(got.mark, m);
        CHECK_TEXT(got.body, str(text));
        CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, str(text));
        CHECK_NUM(read_all(p, "notes/a").n, i + 1);
    }
}

/* --- Read ------------------------------------------------------------------------------ */

static void reading_nothing_is_not_found(Trial *p)
{
    put(p, "notes/b", "one");
    Records got;
    CHECK_IS(p, store_read(p->s, S("notes/a"), (SeqRange){ 1, 1 }, &p->arena, &got, &p->e),
             JOT_NOT_FOUND);
    CHECK_TEXT(str(p->e.text), S("'notes/a' not found"));
}

static void every_record_comes_back_as_it_was_appended(Trial *p)
{
    Draft drafts[] = { full_draft(), DELETE, PUT(""), ENTRY("four"), full_draft() };
    drafts[4].id = S("");
    Record want[COUNT_OF(drafts)];
    for (size_t i = 0; i < COUNT_OF(drafts); i++) {
        Draft d = drafts[i];
        p->now_ms += 5;
        want[i] = (Record){ append(p, "x/a", ANY, d), d.by, d.id, d.meta, S(""), d.body };
    }
    Records all = read_all(p, "x/a");
    CHECK_NUM(all.n, COUNT_OF(drafts));
    for (size_t i = 0; i < all.n; i++)
        CHECK_RECORD(all.items[i], want[i]);
}

static void a_read_begins_at_from(Trial *p)
{
    entries(p, "runs/r", 9);
    for (uint64_t from = 1; from <= 9; from++) {
        Records got = read_from(p, "runs/r", from, 100);
        CHECK_NUM(got.n, 10 - from);
        CHECK_NUM(got.items[0].mark.seq, from);
        CHECK(!got.more);
    }
}

static void from_0_is_from_the_first(Trial *p)
{
    entries(p, "runs/r", 2);
    Records got = read_from(p, "runs/r", 0, 100);
    CHECK_NUM(got.n, 2);
    CHECK_NUM(got.items[0].mark.seq, 1);
}

static void from_behind_the_head_is_an_empty_answer(Trial *p)
{
    entries(p, "runs/r", 2);
    uint64_t behind[] = { 3, 4, 1000000, STORE_SEQ_MAX };
    for (size_t i = 0; i < COUNT_OF(behind); i++) {
        Records got = read_from(p, "runs/r", behind[i], 100);
        CHECK_NUM(got.n, 0);
        CHECK(!got.more);
    }
}

static void from_before_the_oldest_kept_begins_with_that(Trial *p)
{
    entries(p, "runs/r", 30);
    uint64_t dropped;
    CHECK_IS(p, store_trim(p->s, S("runs/r"), NULL, 10, &dropped, &p->e), JOT_OK);
    uint64_t froms[] = { 0, 1, 9, 10 };
    for (size_t i = 0; i < COUNT_OF(froms); i++) {
        Records got = read_from(p, "runs/r", froms[i], 2);
        CHECK_NUM(got.n, 2);
        CHECK_NUM(got.items[0].mark.seq, 10);
        CHECK_TEXT(got.items[0].body, S("10"));
    }
}

static void a_read_stops_at_its_limit_and_says_that_there_is_more(Trial *p)
{
    entries(p, "runs/r", 5);
    Records got = read_from(p, "runs/r", 2, 3);
    CHECK_NUM(got.n, 3);
    CHECK(got.more);
    CHECK_NUM(got.items[2].mark.seq, 4);
}

static void a_read_that_just_reaches_the_head_says_that_there_is_no_more(Trial *p)
{
    entries(p, "runs/r", 5);
    CHECK(!read_from(p, "runs/r", 3, 3).more);
    CHECK(read_from(p, "runs/r", 3, 2).more);
    CHECK(!read_from(p, "runs/r", 5, 1).more);
}

static void tombstones_are_records_too(Trial *p)
{
    put(p, "notes/a", "one");
    bury(p, "notes/a");
    Records got = read_all(p, "notes/a");
    CHECK_NUM(got.n, 2);
    CHECK(got.items[1].mark.op == OP_DELETE);
}

static void reading_on_behind_the_last_record_finds_what_was_appended_since(Trial *p)
{
    entries(p, "runs/r", 3);
    CHECK_NUM(read_from(p, "runs/r", 4, 10).n, 0);
    entry(p, "runs/r", "four");
    Records got = read_from(p, "runs/r", 4, 10);
    CHECK_NUM(got.n, 1);
    CHECK_TEXT(got.items[0].body, S("four"));
}

static void results_outlive_later_appends(Trial *p)
{
    put(p, "notes/a", "one");
    Record before = head(p, "notes/a", HEAD_RECORD);
    Records old = read_all(p, "notes/a");
    put(p, "notes/a", "two");
    bury(p, "notes/a");
    CHECK_TEXT(before.body, S("one"));
    CHECK_TEXT(old.items[0].body, S("one"));
}

static void all_is_there_after_reopening(Trial *p)
{
    append(p, "notes/a", ANY, full_draft());
    put(p, "notes/a", "two");
    bury(p, "notes/a");
    put(p, "memories/d/e", "three");
    entries(p, "runs/r", 40);
    put(p, "x/a/b", "four");
    Str before = trial_dump(p);
    trial_reopen(p);
    CHECK_TEXT(trial_dump(p), before);
    CHECK_TEXT(head(p, "memories/d/e", HEAD_VALUE).body, S("three"));
}

const Promise read_promises[] = {
    PROMISE(the_head_of_nothing_is_not_found),
    PROMISE(the_head_is_the_newest_record_and_all_of_it),
    PROMISE(head_mark_is_all_but_the_body),
    PROMISE(head_value_is_the_body_and_its_version),
    PROMISE(head_value_of_an_empty_value_is_a_value),
    PROMISE(head_value_says_that_it_is_deleted),
    PROMISE(the_head_of_a_log_is_its_last_entry),
    PROMISE(the_head_of_a_deleted_stream_is_its_tombstone),
    LASTING(what_one_handle_writes_the_other_reads),
    PROMISE(reading_nothing_is_not_found),
    PROMISE(every_record_comes_back_as_it_was_appended),
    PROMISE(a_read_begins_at_from),
    PROMISE(from_0_is_from_the_first),
    PROMISE(from_behind_the_head_is_an_empty_answer),
    PROMISE(from_before_the_oldest_kept_begins_with_that),
    PROMISE(a_read_stops_at_its_limit_and_says_that_there_is_more),
    PROMISE(a_read_that_just_reaches_the_head_says_that_there_is_no_more),
    PROMISE(tombstones_are_records_too),
    PROMISE(reading_on_behind_the_last_record_finds_what_was_appended_since),
    PROMISE(results_outlive_later_appends),
    LASTING(all_is_there_after_reopening),
    { 0 },
};
