/* copy.c - promises about store_copy: a pad moves between any two engines with its history, can
 * be stopped and started again, and never changes a target whose history differs.
 *
 * Every promise is tried from this engine to every other and back, itself included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "rig/volume.h"

static CopyCount copy(Trial *from, Trial *to)
{
    CopyCount count = { 0 };
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_OK);
    return count;
}

static void copy_refused(Trial *from, Trial *to, jot_status want)
{
    Str before = trial_dump(to);
    CopyCount count;
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), want);
    CHECK_TEXT(trial_dump(to), before);
}

static void check_equal(Trial *from, Trial *to)
{
    CHECK_TEXT(trial_dump(to), trial_dump(from));
    check_all_chains(to);
}

void for_each_pair(Trial *p, void (*test)(Trial *from, Trial *to))
{
    for (size_t i = 0; engine_at(i); i++) {
        if (!engine_present(engine_at(i)))
            continue;
        /* Where every step is a request, and little is asked for: files alone, from and to. */
        if (volume_small() && strcmp(p->engine->name, "s3") == 0 && !getenv("JOT_TEST_WHOLE") &&
            strcmp(engine_at(i)->name, "files") != 0)
            continue;
        /* From an engine to itself there is one direction. */
        int directions = engine_at(i) == p->engine ? 1 : 2;
        for (int direction = 0; direction < directions; direction++) {
            Trial *mine = trial_other(p, p->engine), *other = trial_other(p, engine_at(i));
            other->now_ms = mine->now_ms;
            test(direction ? other : mine, direction ? mine : other);
            memset(p->others, 0, sizeof p->others);
            trial_free(mine);
            trial_free(other);
        }
    }
}

/* --- What a pad can hold --------------------------------------------------------------- */

static void fill(Trial *p)
{
    Draft full = { .op = OP_PUT,
                   .by = S("bob"),
                   .id = S("call-1"),
                   .meta = S("{\n\"k\": 1}"),
                   .body = S("a\0b\xFF"),
                   .fence = 4 };
    put(p, "notes/plan", "one");
    append(p, "notes/plan", ANY, full);
    put(p, "notes/plan", "three");
    put(p, "notes/gone", "x");
    bury(p, "notes/gone");
    put(p, "notes/back", "x");
    bury(p, "notes/back");
    put(p, "notes/back", "");
    put(p, "memories/d/e/f", "deep");
    put(p, "memories/d-e", "beside");
    put(p, "artifacts/planning/plan_001", "{}");
    put(p, "cycles/main", "state: awake\n");
    p->now_ms += 1000;
    entries(p, "runs/20261115", 40);
    entry(p, "logs/a/b", "line");
}

static void forget(Trial *p)
{
    uint64_t dropped;
    Mark m;
    CHECK_IS(p, store_redact(p->s, S("notes/plan"), NULL, 1, &p->e), JOT_OK);
    CHECK_IS(p, store_redact(p->s, S("runs/20261115"), NULL, 40, &p->e), JOT_OK);
    CHECK_IS(p, store_redact(p->s, S("notes/gone"), NULL, 1, &p->e), JOT_OK);
    CHECK_IS(p, store_trim(p->s, S("runs/20261115"), NULL, 12, &dropped, &p->e), JOT_OK);
    CHECK_IS(p, store_purge(p->s, S("memories/d-e"), NULL, S("bob"), &m, &p->e), JOT_OK);
}

static void put_strange(Trial *p)
{
    Mark before = { .seq = 41, .at_ms = 5, .chain = hash_of(S("x")) };
    Draft d = { .op = OP_APPEND, .by = S(STORE_OUTSIDE), .body = S("from far away") };
    Record r = next_record("x/strange", &before, d, 77);
    r.extra = S("\"colour\":\"red\",\"n\":[1,2]");
    CHECK_IS(p, store_put_records(p->s, S("x/strange"), &r, 1, &p->e), JOT_OK);
}

/* --- The promises ---------------------------------------------------------------------- */

static void copy_all(Trial *from, Trial *to)
{
    fill(from);
    forget(from);
    put_strange(from);
    Str before = trial_dump(from);
    CopyCount count = copy(from, to);
    check_equal(from, to);
    CHECK_TEXT(trial_dump(from), before);
    CHECK_NUM(count.streams, list(from, "", "", 100, LIST_ALL).n);
    CHECK_NUM(count.copied, count.records);
    CHECK_TEXT(head(to, "notes/plan", HEAD_VALUE).body, S("three"));
    CHECK_TEXT(head(to, "memories/d/e/f", HEAD_VALUE).body, S("deep"));
    CHECK(head(to, "notes/gone", HEAD_VALUE).mark.op == OP_DELETE);
}

static void a_copy_is_the_same_pad(Trial *p)
{
    for_each_pair(p, copy_all);
}

static void use_both(Trial *from, Trial *to)
{
    fill(from);
    forget(from);
    copy(from, to);
    to->now_ms = from->now_ms;
    Mark a = put(from, "notes/plan", "four"), b = put(to, "notes/plan", "four");
    CHECK_MARK(b, a);
    a = entry(from, "runs/20261115", "41");
    b = entry(to, "runs/20261115", "41");
    CHECK_MARK(b, a);
    check_equal(from, to);
}

static void a_copy_goes_on_like_the_pad_it_was_made_from(Trial *p)
{
    for_each_pair(p, use_both);
}

static void copy_empty(Trial *from, Trial *to)
{
    CopyCount count = copy(from, to);
    CHECK_NUM(count.streams, 0);
    CHECK_NUM(list(to, "", "", 10, LIST_ALL).n, 0);
}

static void an_empty_pad_is_copied_to_an_empty_pad(Trial *p)
{
    for_each_pair(p, copy_empty);
}

static void copy_twice(Trial *from, Trial *to)
{
    fill(from);
    forget(from);
    uint64_t records = copy(from, to).records;
    CopyCount again = copy(from, to);
    CHECK_NUM(again.copied, 0);
    CHECK_NUM(again.records, records);
    check_equal(from, to);
}

static void copying_again_copies_nothing(Trial *p)
{
    for_each_pair(p, copy_twice);
}

static void copy_and_go_on(Trial *from, Trial *to)
{
    fill(from);
    copy(from, to);
    put(from, "notes/plan", "four");
    bury(from, "notes/back");
    put(from, "notes/fresh", "x");
    put(from, "notes/gone", "back");
    entries(from, "runs/20261115", 3);
    CHECK_NUM(copy(from, to).copied, 7);
    check_equal(from, to);
    CHECK_TEXT(head(to, "notes/plan", HEAD_VALUE).body, S("four"));
}

static void copying_again_brings_what_is_new(Trial *p)
{
    for_each_pair(p, copy_and_go_on);
}

/* Stop the target after each possible number of puts, and start again. */
static void copy_with_stops(Trial *from, Trial *to)
{
    fill(from);
    forget(from);
    Store *real = to->s;
    to->s = to->open[0] = wrong_wrap(real, WRONG_STOPS_WORKING);
    jot_status st = JOT_UNAVAILABLE;
    int stops = 0;
    for (; st != JOT_OK && stops < 100; stops++) {
        CopyCount count;
        wrong_allow(to->s, 1);
        st = store_copy(from->s, to->s, NULL, &count, &to->e);
        CHECK(st == JOT_OK || st == JOT_UNAVAILABLE);
        check_all_chains(to);
    }
    to->s = to->open[0] = wrong_unwrap(to->s);
    CHECK(st == JOT_OK && stops > 5);
    check_equal(from, to);
}

static void a_copy_that_was_stopped_goes_on_where_it_was(Trial *p)
{
    for_each_pair(p, copy_with_stops);
}

static void resume_inside_a_stream(Trial *from, Trial *to)
{
    entries(from, "runs/r", 30);
    Records all = read_all(from, "runs/r");
    CHECK_IS(to, store_put_records(to->s, S("runs/r"), all.items, 11, &to->e), JOT_OK);
    CHECK_NUM(copy(from, to).copied, 19);
    check_equal(from, to);
}

static void a_copy_goes_on_inside_a_stream(Trial *p)
{
    for_each_pair(p, resume_inside_a_stream);
}

static void copy_other_history(Trial *from, Trial *to)
{
    put(from, "notes/a", "one");
    put(from, "notes/a", "two");
    put(to, "notes/a", "other");
    copy_refused(from, to, JOT_CONFLICT);
    CHECK(strstr(to->e.text, "notes/a") != NULL);
}

static void a_target_with_another_history_is_not_changed(Trial *p)
{
    for_each_pair(p, copy_other_history);
}

static void copy_to_longer(Trial *from, Trial *to)
{
    put(from, "notes/a", "one");
    copy(from, to);
    put(to, "notes/a", "two");
    copy_refused(from, to, JOT_CONFLICT);
    CHECK(strstr(to->e.text, "notes/a") != NULL);
}

static void a_target_that_went_on_by_itself_is_not_changed(Trial *p)
{
    for_each_pair(p, copy_to_longer);
}

static void copy_beside(Trial *from, Trial *to)
{
    put(from, "notes/a", "one");
    Mark own = put(to, "notes/b", "own");
    copy(from, to);
    CHECK_MARK(head(to, "notes/b", HEAD_MARK).mark, own);
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("one"));
}

static void streams_only_the_target_has_are_left_alone(Trial *p)
{
    for_each_pair(p, copy_beside);
}

static void redact_after_copy(Trial *from, Trial *to)
{
    fill(from);
    copy(from, to);
    forget(from);
    CHECK_IS(from, store_redact(from->s, S("notes/plan"), NULL, 2, &from->e), JOT_OK);
    copy(from, to);
    CHECK(record_at(to, "notes/plan", 1).mark.redacted);
    CHECK(record_at(to, "notes/plan", 2).mark.redacted);
    CHECK_NUM(record_at(to, "notes/plan", 2).body.n, 0);
    CHECK(head(to, "runs/20261115", HEAD_RECORD).mark.redacted);
    check_all_chains(to);
}

static void a_later_redaction_reaches_the_copy(Trial *p)
{
    for_each_pair(p, redact_after_copy);
}

/* In the target it is still the live value when the redaction arrives. */
static void redact_the_copied_head(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    copy(from, to);
    put(from, "notes/a", "two");
    CHECK_IS(from, store_redact(from->s, S("notes/a"), NULL, 1, &from->e), JOT_OK);
    CHECK_NUM(copy(from, to).copied, 1);
    check_equal(from, to);
    CHECK(record_at(to, "notes/a", 1).mark.redacted);
}

static void the_redaction_of_what_was_the_copys_value_reaches_it(Trial *p)
{
    for_each_pair(p, redact_the_copied_head);
}

static void redact_in_target(Trial *from, Trial *to)
{
    put(from, "notes/a", "one");
    put(from, "notes/a", "two");
    copy(from, to);
    CHECK_IS(to, store_redact(to->s, S("notes/a"), NULL, 1, &to->e), JOT_OK);
    copy_refused(from, to, JOT_CONFLICT);
}

static void what_the_target_redacted_does_not_come_back(Trial *p)
{
    for_each_pair(p, redact_in_target);
}

static void trim_the_source(Trial *from, Trial *to)
{
    entries(from, "runs/r", 30);
    copy(from, to);
    uint64_t dropped;
    CHECK_IS(from, store_trim(from->s, S("runs/r"), NULL, 10, &dropped, &from->e), JOT_OK);
    entry(from, "runs/r", "31");
    CHECK_NUM(copy(from, to).copied, 1);
    CHECK_NUM(read_all(to, "runs/r").n, 31);
    check_chain(to, "runs/r");
}

static void a_trim_of_the_source_leaves_the_copy_whole(Trial *p)
{
    for_each_pair(p, trim_the_source);
}

/* --- Gaps ------------------------------------------------------------------------------ */

static void trim_too_much(Trial *from, Trial *to)
{
    entries(from, "runs/r", 5);
    copy(from, to);
    entries(from, "runs/r", 40);
    uint64_t dropped;
    CHECK_IS(from, store_trim(from->s, S("runs/r"), NULL, 20, &dropped, &from->e), JOT_OK);
    put(from, "runs/s", "behind it");
    CHECK_NUM(copy(from, to).copied, 27);
    CHECK_NUM(read_all(to, "runs/r").n, 31); /* 1 to 5, and 20 to 45 */
    CHECK_RECORD(record_at(to, "runs/r", 5), read_from(to, "runs/r", 1, 5).items[4]);
    CHECK_RECORD(record_at(to, "runs/r", 20), record_at(from, "runs/r", 20));
    CHECK_NUM(copy(from, to).copied, 0);
    entry(from, "runs/r", "46");
    CHECK_NUM(copy(from, to).copied, 1);
}

static void what_was_trimmed_before_it_was_copied_is_a_gap(Trial *p)
{
    for_each_pair(p, trim_too_much);
}

/* The stream 1 2 _ 4 _ _ 7, of which some other pad has all. */
static void make_gaps(Trial *p, Trial *whole)
{
    for (int i = 0; i < 7; i++)
        put(whole, "notes/a", (const char *[]){ "1", "2", "3", "4", "5", "6", "7" }[i]);
    Records all = read_all(whole, "notes/a");
    Record some[4] = { all.items[0], all.items[1], all.items[3], all.items[6] };
    CHECK_IS(p, store_place_records(p->s, S("notes/a"), NULL, some, 4, &p->e), JOT_OK);
}

static void copy_gaps(Trial *from, Trial *to)
{
    Trial *whole = trial_other(from, engine_find("mem"));
    make_gaps(from, whole);
    put(from, "notes/b", "behind it");
    CHECK_NUM(copy(from, to).copied, 5);
    CHECK_TEXT(trial_dump(to), trial_dump(from));
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("7"));
    CHECK_NUM(copy(from, to).copied, 0);
    /* A source that has them all. */
    CHECK_NUM(copy(whole, to).copied, 3);
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("7"));
    check_chain(to, "notes/a");
    /* And what it has is not taken away again. */
    CHECK_NUM(copy(from, to).copied, 0);
    check_chain(to, "notes/a");
    trial_free(whole);
    memset(from->others, 0, sizeof from->others);
}

static void gaps_are_copied_and_filled_by_a_source_that_has_more(Trial *p)
{
    for_each_pair(p, copy_gaps);
}

static void trim_the_target(Trial *from, Trial *to)
{
    entries(from, "runs/r", 40);
    copy(from, to);
    uint64_t dropped;
    CHECK_IS(to, store_trim(to->s, S("runs/r"), NULL, 20, &dropped, &to->e), JOT_OK);
    CHECK_NUM(copy(from, to).copied, 19);
    check_equal(from, to);
}

static void what_the_target_trimmed_comes_back(Trial *p)
{
    for_each_pair(p, trim_the_target);
}

/* --- One stream and the others --------------------------------------------------------- */

typedef struct Heard {
    int lost, refused, gaps, forgot;
    char last[200];
} Heard;

static void hear(void *ctx, const CopyNotice *t)
{
    Heard *h = ctx;
    h->lost += t->news == COPY_LOST;
    h->refused += t->news == COPY_REFUSED;
    h->gaps += t->news == COPY_GAP;
    h->forgot += t->news == COPY_FORGOT;
    snprintf(h->last, sizeof h->last, "%s", t->what);
}

static void copy_past_conflicts(Trial *from, Trial *to)
{
    static const char *const names[] = { "notes/a", "notes/b", "notes/c", "notes/d", "notes/e" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        put(from, names[i], "theirs");
    put(to, "notes/b", "mine");
    put(to, "notes/d", "mine too");
    Heard h = { 0 };
    CopyCount count;
    CopyHooks hooks = { .notice = hear, .ctx = &h };
    CHECK_IS(to, store_copy(from->s, to->s, &hooks, &count, &to->e), JOT_CONFLICT);
    CHECK(strstr(to->e.text, "2 streams") && strstr(to->e.text, "'notes/b'"));
    CHECK(h.refused == 2 && strstr(h.last, "notes/d"));
    CHECK_NUM(count.refused, 2);
    CHECK_NUM(count.copied, 3);
    CHECK_TEXT(head(to, "notes/e", HEAD_VALUE).body, S("theirs"));
    CHECK_TEXT(head(to, "notes/b", HEAD_VALUE).body, S("mine"));
}

static void a_stream_that_differs_stops_no_other(Trial *p)
{
    for_each_pair(p, copy_past_conflicts);
}

/* A source that loses records on their way: only its answers are damaged. */
static void copy_past_damage(Trial *from, Trial *to)
{
    for (int i = 0; i < 5; i++) {
        put(from, "notes/a", "text");
        put(from, "notes/z", "text");
    }
    Store *real = from->s;
    Heard h = { 0 };
    CopyCount count;
    CopyHooks hooks = { .notice = hear, .ctx = &h };
    from->s = wrong_wrap(real, WRONG_RECORD_DAMAGED);
    jot_status st = store_copy(from->s, to->s, &hooks, &count, &to->e);
    from->s = wrong_unwrap(from->s);
    CHECK_IS(to, st, JOT_CORRUPT);
    CHECK_NUM(h.lost, 2);
    CHECK_NUM(count.lost, 2);
    CHECK_TEXT(str(h.last), S("record 3 of 'notes/z' cannot be read"));
    CHECK_NUM(read_all(to, "notes/a").n, 4);
    CHECK_NUM(read_all(to, "notes/z").n, 4);
    /* Later it can be read again. */
    CHECK_NUM(copy(from, to).copied, 2);
    check_equal(from, to);
}

static void what_cannot_be_read_is_told_and_all_else_is_copied(Trial *p)
{
    for_each_pair(p, copy_past_damage);
}

/* --- Names ----------------------------------------------------------------------------- */

/* A file became a directory, and a directory a file. */
static void swap_names(Trial *from, Trial *to)
{
    put(from, "memories/a", "file");
    put(from, "memories/b/c", "in a directory");
    copy(from, to);
    bury(from, "memories/a");
    put(from, "memories/a/x", "now a directory");
    bury(from, "memories/b/c");
    put(from, "memories/b", "now a file");
    copy(from, to);
    check_equal(from, to);
}

static void a_name_that_became_a_directory_or_a_file_is_copied(Trial *p)
{
    for_each_pair(p, swap_names);
}

static void clash_in_target(Trial *from, Trial *to)
{
    put(from, "memories/a", "file");
    put(to, "memories/a/b", "in a directory");
    copy_refused(from, to, JOT_INVALID);
}

static void a_name_taken_in_the_target_is_told(Trial *p)
{
    for_each_pair(p, clash_in_target);
}

static void copy_long(Trial *from, Trial *to)
{
    entries(from, "runs/r", 700);
    CHECK_NUM(copy(from, to).copied, 700);
    check_equal(from, to);
}

static void a_long_stream_is_copied_in_parts(Trial *p)
{
    for_each_pair(p, copy_long);
}

/* More than one read can give. */
static void copy_large(Trial *from, Trial *to)
{
    size_t n = volume_bytes(STORE_READ_BYTES / 2 + 1);
    char *bytes = arena_alloc(&from->arena, n, 1);
    memset(bytes, 'b', n);
    Draft large = { .op = OP_PUT, .by = S("ann"), .body = { bytes, n } };
    append(from, "notes/large", ANY, large);
    append(from, "notes/large", ANY, large);
    CHECK_NUM(copy(from, to).copied, 2);
    check_equal(from, to);
}

static void large_records_are_copied_one_by_one(Trial *p)
{
    copy_large(p, trial_other(p, engine_find("mem")));
    copy_large(trial_other(p, engine_find("mem")), trial_other(p, p->engine));
}

static void count_up(void *ctx, const CopyCount *count)
{
    CopyCount *last = ctx;
    if (count->records < last->records || count->copied < last->copied)
        FAIL("the count goes back");
    *last = *count;
}

static void count_progress(Trial *from, Trial *to)
{
    fill(from);
    CopyCount count, last = { 0 };
    CopyHooks hooks = { .progress = count_up, .ctx = &last };
    CHECK_IS(to, store_copy(from->s, to->s, &hooks, &count, &to->e), JOT_OK);
    CHECK_NUM(last.records, count.records);
    CHECK_NUM(last.copied, count.copied);
    CHECK_NUM(last.bytes, count.bytes);
    CHECK(count.bytes > 0);
}

static void progress_only_grows(Trial *p)
{
    for_each_pair(p, count_progress);
}

static void a_read_only_pad_can_be_copied_but_not_copied_to(Trial *p)
{
    fill(p);
    forget(p);
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    Trial *to = trial_other(p, engine_find("mem"));
    CopyCount count;
    CHECK_IS(p, store_copy(p->open[1], to->s, NULL, &count, &p->e), JOT_OK);
    check_equal(p, to);
    put(to, "notes/fresh", "x");
    CHECK_IS(p, store_copy(to->s, p->open[1], NULL, &count, &p->e), JOT_READ_ONLY);
    check_equal(p, p);
}

const Promise copy_promises[] = {
    PROMISE(a_copy_is_the_same_pad),
    PROMISE(a_copy_goes_on_like_the_pad_it_was_made_from),
    PROMISE(an_empty_pad_is_copied_to_an_empty_pad),
    PROMISE(copying_again_copies_nothing),
    PROMISE(copying_again_brings_what_is_new),
    PROMISE(a_copy_that_was_stopped_goes_on_where_it_was),
    PROMISE(a_copy_goes_on_inside_a_stream),
    PROMISE(a_target_with_another_history_is_not_changed),
    PROMISE(a_target_that_went_on_by_itself_is_not_changed),
    PROMISE(streams_only_the_target_has_are_left_alone),
    PROMISE(a_later_redaction_reaches_the_copy),
    PROMISE(the_redaction_of_what_was_the_copys_value_reaches_it),
    PROMISE(what_the_target_redacted_does_not_come_back),
    PROMISE(a_trim_of_the_source_leaves_the_copy_whole),
    PROMISE(what_was_trimmed_before_it_was_copied_is_a_gap),
    PROMISE(gaps_are_copied_and_filled_by_a_source_that_has_more),
    PROMISE(what_the_target_trimmed_comes_back),
    PROMISE(a_stream_that_differs_stops_no_other),
    PROMISE(what_cannot_be_read_is_told_and_all_else_is_copied),
    PROMISE(a_name_that_became_a_directory_or_a_file_is_copied),
    PROMISE(a_name_taken_in_the_target_is_told),
    PROMISE(a_long_stream_is_copied_in_parts),
    PROMISE(large_records_are_copied_one_by_one),
    PROMISE(progress_only_grows),
    LASTING(a_read_only_pad_can_be_copied_but_not_copied_to),
    { 0 },
};
