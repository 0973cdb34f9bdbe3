/* holding.c - writing under a lease: how a writer that slept too long is stopped.
 *
 * A lease that is only looked at before a write protects nothing: between the look
 * and the write its time may end and somebody else may get it.  So each write
 * carries a guard, which the store compares in the same step in which it appends:
 *
 *     leases/table   ...  41   42   43   44          head: seq 44
 *                                   |    |
 *                          granted: |    | renewed
 *                        token = 43 |    |
 *                                   v    v
 *     append notes/plan   fence = 43, guard = (leases/table, 44)
 *
 * To give the lease to another, the table must move to 45; then the guard does not
 * hold, the store answers FENCED and nothing is written.  The table also moves
 * when anybody takes, renews or releases any other lease of the pad.  That must
 * not stop us, so we look what became of ours and write again under the new seq:
 *
 *     known from the last look: seq, and for each lease until when
 *            |
 *            v            expired by our clock
 *     +-- covered? -----------------------------> look again, it may have been renewed elsewhere
 *     |      | yes, until later                          | still expired, or not in the table
 *     | no   v                                           v
 *     |   append under the guard --FENCED--> look      refuse: FENCED
 *     v      | ok                             | the table moved: once more
 *   append   v                                | it did not: a higher token was
 *          done                               v         in the stream before us
 *                                           FENCED
 *
 * In the usual case nothing is read: one append, as without a lease.
 *
 * Invariants:
 *   1. No append is sent under a lease without the guard and the token as its fence.
 *   2. A holding that was lost stays, and refuses the writes it covers, until it is
 *      dropped: to write without it is what leases are there to prevent.
 *   3. leases/ itself is written without a lease. */
#include "memory/holding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_TRIES = 200 }; /* how often the table may move under one write */

/* --- What the handle holds ------------------------------------------------------------- */

Holding *holding_find(const Memory *m, uint64_t token)
{
    for (size_t i = 0; m->leases && i < m->leases->n; i++)
        if (m->leases->items[i].token == token)
            return &m->leases->items[i];
    return NULL;
}

Holding *holding_add(Memory *m, uint64_t token)
{
    assert(!holding_find(m, token));
    if (!m->leases)
        m->leases = mem_alloc(sizeof *m->leases);
    struct Holdings *all = m->leases;
    if (all->n == all->cap) {
        all->cap = all->cap ? all->cap * 2 : 4;
        all->items = mem_grow(all->items, all->cap * sizeof *all->items);
    }
    all->items[all->n] = (Holding){ .token = token };
    return &all->items[all->n++];
}

void holding_drop(Memory *m, Holding *h)
{
    if (!h)
        return;
    assert(h >= m->leases->items && h < m->leases->items + m->leases->n);
    if (h->lives)
        store_let_go(m->store, h->token);
    free(h->on);
    *h = m->leases->items[--m->leases->n];
}

void holdings_close(Memory *m)
{
    for (size_t i = 0; m->leases && i < m->leases->n; i++)
        free(m->leases->items[i].on);
    if (m->leases)
        free(m->leases->items);
    free(m->leases);
    m->leases = NULL;
}

void holding_saw(Holding *h, const LeaseTable *t, const Lease *l)
{
    assert(h->token == l->token);
    if (!h->on) {
        h->on = mem_alloc(l->on.n + 1);
        memcpy(h->on, l->on.p, l->on.n);
        h->on_n = l->on.n;
        h->prefix = l->prefix;
    }
    h->until_ms = t->asked_ms + l->left_ms;
}

bool holding_binds(const Memory *m, const Lease *l)
{
    if (l->left_ms <= 0 && !l->late)
        return false;
    const Holding *h = holding_find(m, l->token);
    return !l->live || (h && h->lives) || store_held(m->store, l->token);
}

/* Read the table, and what became of each holding. */
static jot_status look(Memory *m, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    assert(m->leases);
    TRY(lease_table_read(m->store, m->io, &t, e));
    /* One look is about all holdings: they are guarded by the same table at the same seq. */
    m->leases->seq = t.seq;
    for (size_t i = 0; i < m->leases->n; i++) {
        Holding *h = &m->leases->items[i];
        size_t at = lease_table_find(&t, h->token);
        h->lost = at == lease_table_count(&t);
        if (h->lost)
            continue;
        Lease l = lease_table_at(&t, at);
        h->lost = !holding_binds(m, &l);
        holding_saw(h, &t, &l);
    }
    return JOT_OK;
}

/* --- Writing under a lease ------------------------------------------------------------- */

bool holding_covers(Str on, bool prefix, Str stream)
{
    return prefix ? str_starts(stream, on) : str_eq(stream, on);
}

/* The holding under which `stream` is to be written.  One whose name is not known, because it
 * ended before it was seen, covers everything; of several the newest counts. */
static Holding *covering(const Memory *m, Str stream)
{
    Holding *best = NULL;
    for (size_t i = 0; i < m->leases->n; i++) {
        Holding *h = &m->leases->items[i];
        if ((!h->on || holding_covers((Str){ h->on, h->on_n }, h->prefix, stream)) &&
            (!best || h->token > best->token))
            best = h;
    }
    return best;
}

static bool seen_all(const Memory *m)
{
    for (size_t i = 0; i < m->leases->n; i++)
        if (!m->leases->items[i].on)
            return false;
    return true;
}

static bool has_ended(const Memory *m, const Holding *h)
{
    return h->lost || !h->on || h->until_ms <= io_awake_ms(m->io);
}

static jot_status say_ended(const Holding *h, Err *e)
{
    Shown shown;
    return err_set(e, JOT_FENCED, "lease %llu%s%s%s has ended: nothing was written",
                   (unsigned long long)h->token, h->on ? " on '" : "",
                   h->on ? err_show(&shown, (Str){ h->on, h->on_n }) : "", h->on ? "'" : "");
}

static jot_status append_under(Memory *m, Str stream, Expect x, Draft d, Mark *out, Err *e)
{
    assert(m->leases->n > 0 && !str_starts(stream, S("leases/")));
    /* `fresh`: what is known was read in this call, or there is no reason yet to doubt it. */
    x.guard = S(LEASE_TABLE);
    bool fresh = seen_all(m);
    for (int i = 0; i < WRITE_TRIES; i++) {
        if (!fresh)
            TRY(look(m, e));
        const Holding *h = covering(m, stream);
        if (!h) {
            x.guard = (Str){ 0 };
            return store_append(m->store, stream, &x, &d, out, e);
        }
        bool ended = has_ended(m, h);
        if (ended && fresh) { /* it was renewed elsewhere, perhaps */
            fresh = false;
            continue;
        }
        d.fence = h->token;
        /* A guard that cannot hold: nothing is written, but the store still answers with the head,
         * or with a record of the same id that was written in time. */
        uint64_t seen = x.guard_seq = ended ? UINT64_MAX : m->leases->seq;
        jot_status st = store_append(m->store, stream, &x, &d, out, e);
        if (st != JOT_FENCED)
            return st;
        if (ended)
            return say_ended(h, e);
        Err sentence = e ? *e : (Err){ 0 };
        TRY(look(m, e));
        if (m->leases->seq == seen) /* not the guard: a higher token has been here */
            return err_set(e, JOT_FENCED, "%s", sentence.text);
        fresh = true;
    }
    return err_set(e, JOT_UNAVAILABLE, "could not write: the leases of this pad change too fast");
}

static bool holds_none(const Memory *m, Str stream)
{
    return str_starts(stream, S("leases/")) || !m->leases || m->leases->n == 0;
}

jot_status holding_append(Memory *m, Str stream, const Expect *expect, const Draft *draft,
                          Mark *out, Err *e)
{
    if (holds_none(m, stream))
        return store_append(m->store, stream, expect, draft, out, e);
    Expect x = expect ? *expect : (Expect){ 0 };
    assert(x.guard.n == 0); /* there is room for one */
    return append_under(m, stream, x, *draft, out, e);
}

jot_status holding_guard(Memory *m, Str stream, Expect *out, Err *e)
{
    *out = (Expect){ 0 };
    if (holds_none(m, stream))
        return JOT_OK;
    TRY(look(m, e));
    const Holding *h = covering(m, stream);
    if (!h)
        return JOT_OK;
    *out = (Expect){ .guard = S(LEASE_TABLE), .guard_seq = m->leases->seq };
    return has_ended(m, h) ? say_ended(h, e) : JOT_OK;
}
