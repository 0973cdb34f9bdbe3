/* order.c - promises about what follows what: seq, time and the chain. */
#include <stdio.h>
#include <string.h>

#include "contract.h"

static void purge(Trial *p, const char *stream, Mark *out)
{
    CHECK_IS(p, store_purge(p->s, str(stream), NULL, S("ann"), out, &p->e), JOT_OK);
}

/* --- Seq ------------------------------------------------------------------------------- */

static void seq_runs_1_2_3_whatever_is_appended(Trial *p)
{
    CHECK_NUM(entry(p, "x/a", "one").seq, 1);
    CHECK_NUM(put(p, "x/a", "two").seq, 2);
    CHECK_NUM(bury(p, "x/a").seq, 3);
    CHECK_NUM(put(p, "x/a", "four").seq, 4);
    CHECK_NUM(entry(p, "x/a", "five").seq, 5);
    Records all = read_all(p, "x/a");
    CHECK_NUM(all.n, 5);
    for (size_t i = 0; i < all.n; i++)
        CHECK_NUM(all.items[i].mark.seq, i + 1);
}

static void a_refused_append_uses_up_no_seq(Trial *p)
{
    put(p, "notes/a", "one");
    refused(p, JOT_CONFLICT, "notes/a", ABSENT, PUT("two"));
    refused(p, JOT_INVALID, "notes/a", ANY, ENTRY("two"));
    CHECK_NUM(put(p, "notes/a", "two").seq, 2);
}

static void streams_count_by_themselves(Trial *p)
{
    entries(p, "x/a", 3);
    CHECK_NUM(entry(p, "x/b", "one").seq, 1);
    CHECK_NUM(entry(p, "x/a", "four").seq, 4);
}

static void seq_never_restarts_after_a_delete(Trial *p)
{
    for (uint64_t i = 0; i < 5; i++) {
        CHECK_NUM(put(p, "notes/a", "x").seq, 2 * i + 1);
        CHECK_NUM(bury(p, "notes/a").seq, 2 * i + 2);
    }
}

static void seq_never_restarts_after_a_purge(Trial *p)
{
    Mark m;
    put(p, "notes/a", "one");
    put(p, "notes/a", "two");
    purge(p, "notes/a", &m);
    CHECK_NUM(m.seq, 3);
    purge(p, "notes/a", &m);
    CHECK_NUM(m.seq, 4);
    CHECK_NUM(put(p, "notes/a", "five").seq, 5);
}

static void seq_never_restarts_after_a_trim(Trial *p)
{
    uint64_t dropped;
    entries(p, "runs/r", 40);
    CHECK_IS(p, store_trim(p->s, S("runs/r"), NULL, STORE_SEQ_MAX, &dropped, &p->e), JOT_OK);
    CHECK_NUM(entry(p, "runs/r", "next").seq, 41);
}

static void seq_goes_on_after_reopening(Trial *p)
{
    Mark m;
    entries(p, "runs/r", 2);
    put(p, "notes/a", "one");
    purge(p, "notes/a", &m);
    put(p, "notes/b", "one");
    bury(p, "notes/b");
    trial_reopen(p);
    CHECK_NUM(entry(p, "runs/r", "three").seq, 3);
    CHECK_NUM(put(p, "notes/a", "three").seq, 3);
    CHECK_NUM(put(p, "notes/b", "three").seq, 3);
}

/* --- Time ------------------------------------------------------------------------------ */

static void a_record_carries_the_time_of_its_append(Trial *p)
{
    p->now_ms = 1000;
    CHECK_NUM(put(p, "notes/a", "one").at_ms, 1000);
    p->now_ms = 2000;
    CHECK_NUM(put(p, "notes/a", "two").at_ms, 2000);
    CHECK_NUM(record_at(p, "notes/a", 1).mark.at_ms, 1000);
}

/* What comes from elsewhere has the time it was made, as far as time goes on and is not over. */
static Mark put_made_at(Trial *p, const char *stream, const char *text, int64_t at_ms)
{
    Draft d = { .op = OP_PUT, .body = str(text), .at_ms = at_ms };
    Mark m = append(p, stream, ANY, d);
    CHECK_NUM(record_at(p, stream, m.seq).mark.at_ms, m.at_ms);
    return m;
}

static void a_record_may_carry_the_time_it_was_made_at(Trial *p)
{
    p->now_ms = 5000;
    CHECK_NUM(put_made_at(p, "notes/a", "one", 1000).at_ms, 1000);
    CHECK_NUM(put_made_at(p, "notes/a", "two", 2000).at_ms, 2000);
    CHECK_NUM(put_made_at(p, "notes/a", "three", 1500).at_ms, 2000);
    CHECK_NUM(put_made_at(p, "notes/a", "four", 9000).at_ms, 5000);
    CHECK_NUM(put_made_at(p, "notes/b", "one", -1).at_ms, 5000);
    CHECK_NUM(put(p, "notes/b", "two").at_ms, 5000);
}

static void time_stands_still_when_the_clock_is_set_back(Trial *p)
{
    p->now_ms = 5000;
    put(p, "notes/a", "one");
    p->now_ms = 3000;
    CHECK_NUM(put(p, "notes/a", "two").at_ms, 5000);
    CHECK_NUM(bury(p, "notes/a").at_ms, 5000);
    CHECK_NUM(put(p, "notes/b", "one").at_ms, 3000);
    p->now_ms = 5001;
    CHECK_NUM(put(p, "notes/a", "four").at_ms, 5001);
}

static void a_purge_does_not_go_back_in_time(Trial *p)
{
    p->now_ms = 5000;
    put(p, "notes/a", "one");
    p->now_ms = 3000;
    Mark m;
    purge(p, "notes/a", &m);
    CHECK_NUM(m.at_ms, 5000);
    CHECK_NUM(put(p, "notes/a", "three").at_ms, 5000);
}

static void time_does_not_go_back_after_reopening(Trial *p)
{
    p->now_ms = 5000;
    put(p, "notes/a", "one");
    p->now_ms = 3000;
    trial_reopen(p);
    CHECK_NUM(put(p, "notes/a", "two").at_ms, 5000);
}

static void a_clock_before_1970_counts_as_1970(Trial *p)
{
    p->now_ms = -5;
    CHECK_NUM(put(p, "notes/a", "one").at_ms, 0);
}

static void a_clock_far_in_the_future_is_kept(Trial *p)
{
    p->now_ms = INT64_MAX;
    CHECK_NUM(put(p, "notes/a", "one").at_ms, INT64_MAX);
    CHECK_NUM(record_at(p, "notes/a", 1).mark.at_ms, INT64_MAX);
    CHECK_NUM(put(p, "notes/a", "two").at_ms, INT64_MAX);
}

/* --- The chain ------------------------------------------------------------------------- */

static void everything(Trial *p, const char *stream)
{
    Draft full = { .op = OP_PUT,
                   .by = S("bob"),
                   .id = S("call-1"),
                   .meta = S("{\"k\":1}"),
                   .body = S("text"),
                   .fence = 4 };
    put(p, stream, "one");
    append(p, stream, ANY, full);
    bury(p, stream);
    p->now_ms += 17;
    put(p, stream, "");
    put(p, stream, "five");
}

static void the_chain_can_be_computed_again_from_the_records(Trial *p)
{
    everything(p, "notes/a");
    everything(p, "x/a/b");
    entries(p, "runs/r", 20);
    check_all_chains(p);
}

static void the_chain_covers_the_streams_name(Trial *p)
{
    Mark a = put(p, "notes/a", "one"), b = put(p, "notes/b", "one");
    CHECK(!hash_eq(a.chain, b.chain));
}

/* The published rule, written out once more by hand. */
static void the_chain_is_the_hash_the_format_describes(Trial *p)
{
    p->now_ms = 0x0102030405060708;
    Draft d = { .op = OP_PUT, .by = S("ann"), .id = S("i"), .meta = S("{}"), .body = S("x") };
    d.fence = 9;
    Mark m = append(p, "notes/a", ANY, d);
    HashState h;
    hash_init(&h);
    hash_add_field(&h, S("notes/a"));
    hash_add_u64(&h, 1); /* seq */
    hash_add_u64(&h, 0x0102030405060708);
    hash_add_field(&h, S("ann"));
    hash_add_u64(&h, 1); /* put */
    hash_add_u64(&h, 9);
    hash_add_u64(&h, 1); /* size */
    hash_add_field(&h, S("i"));
    hash_add_field(&h, S("{}"));
    hash_add_field(&h, S(""));
    Hash body = hash_of(S("x")), previous = { 0 };
    hash_add(&h, (Str){ (const char *)body.b, sizeof body.b });
    Hash header = hash_end(&h);
    char both[2 * sizeof(Hash)];
    memcpy(both, previous.b, sizeof previous.b);
    memcpy(both + sizeof previous.b, header.b, sizeof header.b);
    CHECK(hash_eq(m.chain, hash_of((Str){ both, sizeof both })));
}

static void the_chain_goes_on_behind_a_tombstone_and_a_purge(Trial *p)
{
    put(p, "notes/a", "one");
    Mark gone = bury(p, "notes/a"), purged;
    purge(p, "notes/a", &purged);
    Mark fresh = put(p, "notes/a", "four");
    Records all = read_all(p, "notes/a");
    CHECK_NUM(all.n, 2);
    CHECK(hash_eq(purged.chain, record_chain(gone.chain, S("notes/a"), &all.items[0])));
    CHECK(hash_eq(fresh.chain, record_chain(purged.chain, S("notes/a"), &all.items[1])));
}

static void the_chain_verifies_after_reopening(Trial *p)
{
    everything(p, "notes/a");
    trial_reopen(p);
    everything(p, "x/a/b");
    put(p, "notes/a", "more");
    check_all_chains(p);
}

const Promise order_promises[] = {
    PROMISE(seq_runs_1_2_3_whatever_is_appended),
    PROMISE(a_refused_append_uses_up_no_seq),
    PROMISE(streams_count_by_themselves),
    PROMISE(seq_never_restarts_after_a_delete),
    PROMISE(seq_never_restarts_after_a_purge),
    PROMISE(seq_never_restarts_after_a_trim),
    LASTING(seq_goes_on_after_reopening),
    PROMISE(a_record_carries_the_time_of_its_append),
    PROMISE(a_record_may_carry_the_time_it_was_made_at),
    PROMISE(time_stands_still_when_the_clock_is_set_back),
    PROMISE(a_purge_does_not_go_back_in_time),
    LASTING(time_does_not_go_back_after_reopening),
    PROMISE(a_clock_before_1970_counts_as_1970),
    PROMISE(a_clock_far_in_the_future_is_kept),
    PROMISE(the_chain_can_be_computed_again_from_the_records),
    PROMISE(the_chain_covers_the_streams_name),
    PROMISE(the_chain_is_the_hash_the_format_describes),
    PROMISE(the_chain_goes_on_behind_a_tombstone_and_a_purge),
    LASTING(the_chain_verifies_after_reopening),
    { 0 },
};
