/* copy_forget.c - promises about what store_copy takes away from a target, and what it does not
 * bring there: purges reach a copy and nothing else, tokens never fall behind, and the leases of
 * one pad are not those of another. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

static CopyCount copy(Trial *from, Trial *to)
{
    CopyCount count = { 0 };
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_OK);
    return count;
}

static void copy_refused(Trial *from, Trial *to)
{
    Str before = trial_dump(to);
    CopyCount count;
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_CONFLICT);
    CHECK_TEXT(trial_dump(to), before);
}

static void purge(Trial *p, const char *stream)
{
    Mark m;
    CHECK_IS(p, store_purge(p->s, str(stream), NULL, S("bob"), &m, &p->e), JOT_OK);
}

static void check_equal(Trial *from, Trial *to)
{
    CHECK_TEXT(trial_dump(to), trial_dump(from));
    check_all_chains(to);
}

/* --- Purges ---------------------------------------------------------------------------- */

static void purge_copied(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    put(from, "notes/a", "secret too");
    put(from, "notes/b", "other");
    copy(from, to);
    purge(from, "notes/a");
    copy(from, to);
    check_equal(from, to);
    CHECK_NUM(read_all(to, "notes/a").n, 1);
    CHECK_NUM(copy(from, to).copied, 0);
}

static void a_purge_reaches_the_copy(Trial *p)
{
    for_each_pair(p, purge_copied);
}

static void purge_after_more(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    copy(from, to);
    put(from, "notes/a", "secret too");
    put(from, "notes/a", "secret three");
    purge(from, "notes/a");
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_of_more_than_was_copied_reaches_the_copy(Trial *p)
{
    for_each_pair(p, purge_after_more);
}

static void purge_and_go_on(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    entries(from, "runs/r", 3);
    copy(from, to);
    put(from, "notes/a", "secret too");
    purge(from, "notes/a");
    put(from, "notes/a", "harmless");
    purge(from, "runs/r");
    entries(from, "runs/r", 300);
    copy(from, to);
    check_equal(from, to);
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("harmless"));
    purge(from, "notes/a"); /* twice, and the copy has seen neither of the last two */
    put(from, "notes/a", "more");
    purge(from, "notes/a");
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_reaches_the_copy_after_more_was_written(Trial *p)
{
    for_each_pair(p, purge_and_go_on);
}

static void purge_twice(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    copy(from, to);
    put(from, "notes/a", "2");
    purge(from, "notes/a");
    put(from, "notes/a", "4");
    purge(from, "notes/a");
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_after_a_purge_reaches_a_copy_from_before_both(Trial *p)
{
    for_each_pair(p, purge_twice);
}

/* As versions before did it: the tombstone is there, and all that it should have removed. */
static void purge_half_copied(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    put(from, "notes/a", "secret too");
    copy(from, to);
    purge(from, "notes/a");
    Records all = read_all(from, "notes/a");
    CHECK_IS(to, store_put_records(to->s, S("notes/a"), all.items, 1, &to->e), JOT_OK);
    put(from, "notes/a", "harmless");
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_that_was_carried_over_by_half_is_finished(Trial *p)
{
    for_each_pair(p, purge_half_copied);
}

/* A tombstone that does not tell what it removed. */
static void purge_untold(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    put(from, "notes/a", "secret too");
    copy(from, to);
    Mark last = head(from, "notes/a", HEAD_MARK).mark;
    Record tombstone = next_record("notes/a", &last, DELETE, from->now_ms);
    CHECK_IS(from, store_put_records(from->s, S("notes/a"), &tombstone, 1, &from->e), JOT_OK);
    CHECK_IS(from, store_forget_before(from->s, S("notes/a"), NULL, 3, &from->e), JOT_OK);
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_that_does_not_tell_reaches_a_copy_that_had_all(Trial *p)
{
    for_each_pair(p, purge_untold);
}

static void purge_of_another(Trial *from, Trial *to)
{
    put(to, "notes/a", "mine, and never copied");
    from->now_ms = to->now_ms += 1000;
    put(from, "notes/a", "theirs");
    put(from, "notes/a", "theirs too");
    purge(from, "notes/a");
    copy_refused(from, to);
    CHECK(strstr(to->e.text, "'notes/a' was purged at the source"));
    put(from, "notes/a", "theirs again");
    copy_refused(from, to);
    /* Even if only one number is missing. */
    put(to, "notes/b", "mine");
    put(from, "notes/b", "theirs");
    purge(from, "notes/b");
    copy_refused(from, to);
}

static void a_purge_does_not_touch_what_is_no_copy(Trial *p)
{
    for_each_pair(p, purge_of_another);
}

static void purge_of_what_went_on(Trial *from, Trial *to)
{
    put(from, "notes/a", "shared");
    put(from, "notes/z", "z");
    copy(from, to);
    to->now_ms += 1000;
    put(to, "notes/a", "mine");
    put(to, "notes/a", "mine too");
    purge(from, "notes/a");
    put(from, "notes/z", "zz");
    CopyCount count;
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_CONFLICT);
    CHECK_NUM(read_all(to, "notes/a").n, 3);
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("mine too"));
    CHECK_TEXT(head(to, "notes/z", HEAD_VALUE).body, S("zz"));
    /* Also if the source has come further by now, but earlier. */
    put(from, "notes/a", "4");
    put(from, "notes/a", "5");
    purge(from, "notes/a");
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_CONFLICT);
    CHECK_NUM(read_all(to, "notes/a").n, 3);
}

static void a_purge_is_a_conflict_where_the_target_went_on(Trial *p)
{
    for_each_pair(p, purge_of_what_went_on);
}

/* Both went on behind what they have in common, and the source came further. */
static void purge_after_diverging(Trial *from, Trial *to)
{
    put(from, "notes/a", "1");
    put(from, "notes/a", "2");
    put(from, "notes/a", "3");
    copy(from, to);
    to->now_ms += 1000;
    put(to, "notes/a", "the target's own");
    from->now_ms += 2000;
    put(from, "notes/a", "4");
    put(from, "notes/a", "5");
    copy_refused(from, to);
    purge(from, "notes/a");
    copy_refused(from, to);
    CHECK(strstr(to->e.text, "'jotter --pad TARGET purge notes/a' removes it there"));
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("the target's own"));
    /* What the sentence says helps, then and later. */
    to->now_ms = from->now_ms;
    purge(to, "notes/a");
    copy(from, to);
    CHECK_NUM(read_all(to, "notes/a").n, 1);
    put(from, "notes/a", "7");
    copy(from, to);
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_does_not_reach_what_only_the_target_has(Trial *p)
{
    for_each_pair(p, purge_after_diverging);
}

/* A head that is older than what the tombstone tells. */
static void purge_of_much_more(Trial *from, Trial *to)
{
    entries(from, "runs/r", 3);
    put(from, "notes/z", "z");
    copy(from, to);
    entries(from, "runs/r", STORE_TOLD_MAX + 1);
    purge(from, "runs/r");
    copy_refused(from, to);
    CHECK(strstr(to->e.text, "'jotter --pad TARGET purge runs/r'"));
    put(from, "notes/z", "zz");
    CopyCount count;
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_CONFLICT);
    CHECK_NUM(count.refused, 1);
    CHECK_TEXT(head(to, "notes/z", HEAD_VALUE).body, S("zz"));
    purge(to, "runs/r");
    copy(from, to);
    CHECK_NUM(read_all(to, "runs/r").n, 1);
    entries(from, "runs/r", 2);
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_is_refused_where_the_head_cannot_be_compared(Trial *p)
{
    for_each_pair(p, purge_of_much_more);
}

/* The tombstone of a version that told only the oldest record. */
static void purge_as_before(Trial *from, const char *stream)
{
    Record first = record_at(from, stream, 1);
    Mark last = head(from, stream, HEAD_MARK).mark;
    Draft d = DELETE;
    d.meta = arena_printf(&from->arena, "{\"purged\":{\"1\":\"%.16s\"}}",
                          hash_hex(first.mark.chain).text);
    Record tombstone = next_record(stream, &last, d, from->now_ms);
    CHECK_IS(from, store_put_records(from->s, str(stream), &tombstone, 1, &from->e), JOT_OK);
    CHECK_IS(from, store_forget_before(from->s, str(stream), NULL, tombstone.mark.seq, &from->e),
             JOT_OK);
}

static void purge_told_by_half(Trial *from, Trial *to)
{
    put(from, "notes/a", "1");
    put(from, "notes/b", "1");
    put(from, "notes/b", "2");
    put(from, "notes/c", "1");
    put(from, "notes/c", "2");
    copy(from, to);
    put(from, "notes/a", "2");
    purge_as_before(from, "notes/a"); /* the target's head is the oldest one */
    purge_as_before(from, "notes/b"); /* or what the tombstone continues */
    copy(from, to);
    check_equal(from, to);
    put(from, "notes/c", "3");
    purge_as_before(from, "notes/c");
    copy_refused(from, to);
}

static void a_purge_that_tells_less_reaches_only_what_it_shows(Trial *p)
{
    for_each_pair(p, purge_told_by_half);
}

/* A record of the target's own that came to stand before a gap. */
static void purge_behind_a_gap(Trial *from, Trial *to)
{
    uint64_t dropped;
    entries(from, "runs/r", 3);
    copy(from, to);
    entry(to, "runs/r", "the target's own");
    entries(from, "runs/r", 40);
    CHECK_IS(from, store_trim(from->s, S("runs/r"), NULL, 20, &dropped, &from->e), JOT_OK);
    copy(from, to);
    purge(from, "runs/r");
    copy_refused(from, to);
    CHECK_TEXT(record_at(to, "runs/r", 4).body, S("the target's own"));
}

static void a_purge_does_not_reach_what_stands_before_a_gap(Trial *p)
{
    for_each_pair(p, purge_behind_a_gap);
}

static void purge_what_was_trimmed(Trial *from, Trial *to)
{
    uint64_t dropped;
    entries(from, "runs/r", 40);
    copy(from, to);
    CHECK_IS(from, store_redact(from->s, S("runs/r"), NULL, 40, &from->e), JOT_OK);
    CHECK_IS(from, store_trim(from->s, S("runs/r"), NULL, 20, &dropped, &from->e), JOT_OK);
    entries(from, "runs/r", 2);
    purge(from, "runs/r");
    copy(from, to);
    check_equal(from, to);
}

static void a_purge_of_what_was_trimmed_and_redacted_reaches_the_copy(Trial *p)
{
    for_each_pair(p, purge_what_was_trimmed);
}

static void purge_on_both_sides(Trial *from, Trial *to)
{
    put(from, "notes/a", "1");
    copy(from, to);
    put(to, "notes/a", "own");
    put(to, "notes/a", "own too");
    purge(to, "notes/a");
    purge(from, "notes/a");
    Str before = trial_dump(to);
    CHECK_NUM(copy(from, to).copied, 0);
    CHECK_TEXT(trial_dump(to), before);
    put(from, "notes/a", "again");
    copy_refused(from, to); /* the numbers are taken */
    put(from, "notes/a", "and again");
    put(from, "notes/a", "and again");
    purge(from, "notes/a"); /* until there are others */
    put(from, "notes/a", "more");
    copy(from, to);
    check_equal(from, to);
}

static void what_was_purged_on_both_sides_is_no_conflict(Trial *p)
{
    for_each_pair(p, purge_on_both_sides);
}

static void purge_the_target(Trial *from, Trial *to)
{
    put(from, "notes/a", "secret");
    put(from, "notes/a", "secret too");
    entries(from, "runs/r", 3);
    copy(from, to);
    purge(to, "notes/a");
    purge(to, "runs/r");
    entries(to, "runs/r", 2);
    copy_refused(from, to);
    CHECK(strstr(to->e.text, "was purged at the target"));
    put(from, "notes/a", "more");
    put(from, "notes/a", "more");
    entries(from, "runs/r", 1);
    copy_refused(from, to);
    purge(from, "notes/a"); /* what the sentence says */
    CopyCount count;
    CHECK_IS(to, store_copy(from->s, to->s, NULL, &count, &to->e), JOT_CONFLICT);
    CHECK_NUM(count.refused, 1);
    CHECK_RECORD(head(to, "notes/a", HEAD_RECORD), head(from, "notes/a", HEAD_RECORD));
}

static void what_the_target_purged_does_not_come_back(Trial *p)
{
    for_each_pair(p, purge_the_target);
}

/* A tombstone in front that a trim left is no purge. */
static void trim_to_a_tombstone(Trial *from, Trial *to)
{
    uint64_t dropped;
    put(from, "notes/a", "one");
    bury(from, "notes/a");
    copy(from, to);
    for (int i = 0; i < 20; i++)
        put(from, "notes/a", "more");
    CHECK_IS(from, store_trim(from->s, S("notes/a"), NULL, 2, &dropped, &from->e), JOT_OK);
    CHECK_NUM(dropped, 1);
    copy(from, to);
    CHECK_TEXT(record_at(to, "notes/a", 1).body, S("one"));
}

static void a_tombstone_that_a_trim_left_takes_nothing_away(Trial *p)
{
    for_each_pair(p, trim_to_a_tombstone);
}

/* Stopped after each possible number of steps, and started again. */
static void stop_while_forgetting(Trial *from, Trial *to)
{
    put(from, "leases/table", "{}");
    put(from, "notes/a", "secret");
    put(from, "notes/b", "secret");
    put(from, "notes/b", "two");
    put(to, "leases/table", "own");
    copy(from, to);
    put(from, "notes/a", "secret too");
    purge(from, "notes/a");
    put(from, "notes/a", "harmless");
    purge(from, "notes/b");
    for (int i = 0; i < 5; i++)
        put(from, "leases/table", "{}");
    Store *real = to->s;
    to->s = to->open[0] = wrong_wrap(real, WRONG_STOPS_WORKING);
    jot_status st = JOT_UNAVAILABLE;
    int stops = 0;
    for (; st != JOT_OK && stops < 100; stops++) {
        CopyCount count;
        wrong_allow(to->s, 1);
        st = store_copy(from->s, to->s, NULL, &count, &to->e);
        CHECK(st == JOT_OK || st == JOT_UNAVAILABLE);
    }
    to->s = to->open[0] = wrong_unwrap(to->s);
    CHECK(st == JOT_OK && stops > 4);
    check_all_chains(to);
    CHECK_NUM(read_all(to, "notes/a").n, 2);
    CHECK_NUM(read_all(to, "notes/b").n, 1);
    CHECK_NUM(read_all(to, "leases/table").n, 1);
    CHECK_TEXT(head(to, "leases/table", HEAD_VALUE).body, S("own"));
    CHECK_NUM(copy(from, to).copied, 0);
}

static void a_copy_that_was_stopped_while_it_forgot_goes_on(Trial *p)
{
    for_each_pair(p, stop_while_forgetting);
}

/* --- Tokens ---------------------------------------------------------------------------- */

static void copy_tokens(Trial *from, Trial *to)
{
    for (int i = 0; i < 7; i++)
        put(from, "leases/table", "somebody has it");
    put(from, "notes/z", "behind it");
    copy(from, to);
    Record r = head(to, "leases/table", HEAD_RECORD);
    CHECK(r.mark.seq == 7 && r.mark.op == OP_DELETE); /* nobody has anything here */
    CHECK_NUM(read_all(to, "leases/table").n, 1);
    CHECK_TEXT(head(to, "notes/z", HEAD_VALUE).body, S("behind it"));
    Str before = trial_dump(to);
    copy(from, to);
    CHECK_TEXT(trial_dump(to), before);
    CHECK_NUM(put(to, "leases/table", "own").seq, 8);
}

static void tokens_are_not_behind_and_bind_nobody(Trial *p)
{
    for_each_pair(p, copy_tokens);
}

static void copy_to_tokens(Trial *from, Trial *to)
{
    Draft own = { .op = OP_PUT, .by = S("bob"), .meta = S("{\"token\":3}"), .body = S("own") };
    put(to, "leases/table", "1");
    put(to, "leases/table", "2");
    append(to, "leases/table", ANY, own);
    put(from, "leases/table", "theirs");
    put(from, "notes/a", "x");
    copy(from, to); /* three are not behind one */
    CHECK_NUM(read_all(to, "leases/table").n, 3);
    for (int i = 0; i < 90; i++)
        put(from, "leases/table", "theirs");
    uint64_t dropped;
    CHECK_IS(from, store_trim(from->s, S("leases/table"), NULL, 91, &dropped, &from->e), JOT_OK);
    copy(from, to);
    Record r = head(to, "leases/table", HEAD_RECORD);
    CHECK_NUM(r.mark.seq, 91);
    CHECK_TEXT(r.body, S("own"));
    CHECK_TEXT(r.by, S("bob"));
    CHECK_TEXT(r.meta, S("{\"token\":3}"));
    CHECK_NUM(read_all(to, "leases/table").n, 1);
    CHECK_TEXT(head(to, "notes/a", HEAD_VALUE).body, S("x"));
}

static void the_targets_own_leases_stay_in_force(Trial *p)
{
    for_each_pair(p, copy_to_tokens);
}

/* A token that was given while the copy ran. */
static void copy_fences(Trial *from, Trial *to)
{
    Draft fenced = PUT("x");
    fenced.fence = 40;
    put(from, "leases/table", "1");
    append(from, "notes/a", ANY, fenced);
    copy(from, to);
    CHECK_NUM(head(to, "leases/table", HEAD_MARK).mark.seq, 40);
    fenced.fence = put(to, "leases/table", "own").seq;
    append(to, "notes/a", ANY, fenced);
}

static void no_token_is_too_old_for_what_was_copied(Trial *p)
{
    for_each_pair(p, copy_fences);
}

const Promise copy_forget_promises[] = {
    PROMISE(a_purge_reaches_the_copy),
    PROMISE(a_purge_of_more_than_was_copied_reaches_the_copy),
    PROMISE(a_purge_reaches_the_copy_after_more_was_written),
    PROMISE(a_purge_after_a_purge_reaches_a_copy_from_before_both),
    PROMISE(a_purge_that_was_carried_over_by_half_is_finished),
    PROMISE(a_purge_that_does_not_tell_reaches_a_copy_that_had_all),
    PROMISE(a_purge_does_not_touch_what_is_no_copy),
    PROMISE(a_purge_is_a_conflict_where_the_target_went_on),
    PROMISE(a_purge_does_not_reach_what_only_the_target_has),
    PROMISE(a_purge_is_refused_where_the_head_cannot_be_compared),
    PROMISE(a_purge_that_tells_less_reaches_only_what_it_shows),
    PROMISE(a_purge_does_not_reach_what_stands_before_a_gap),
    PROMISE(a_purge_of_what_was_trimmed_and_redacted_reaches_the_copy),
    PROMISE(what_was_purged_on_both_sides_is_no_conflict),
    PROMISE(what_the_target_purged_does_not_come_back),
    PROMISE(a_tombstone_that_a_trim_left_takes_nothing_away),
    PROMISE(a_copy_that_was_stopped_while_it_forgot_goes_on),
    PROMISE(tokens_are_not_behind_and_bind_nobody),
    PROMISE(the_targets_own_leases_stay_in_force),
    PROMISE(no_token_is_too_old_for_what_was_copied),
    { 0 },
};
