/* lease.c - taking, renewing, releasing leases, and writing under them.
 *
 * The deciding stream is leases/table; everything else is derived from it.
 * A process may die at any point:
 *   - before the table was appended: nothing happened; a number it held is let
 *     go of by the kernel;
 *   - afterwards: the lease stands until its time is over, or, if it lives with
 *     its handle, is void at once, because nobody holds its number.
 * A number is held BEFORE the record that grants it is written, so there is no
 * moment at which a living holder looks dead.
 *
 * Invariants:
 *   1. A token is the seq of the record that granted it, so tokens only grow and
 *      none is ever given twice, also over deletes and purges.
 *   2. No two valid leases of the table overlap.
 *   3. A write under a lease carries the guard (leases/table, the seq at which
 *      the lease was seen there): if the table moved, it is looked at again.
 *   4. A lease that was lost stays with the handle, and refuses its writes, until
 *      it is released or taken anew: to go on without would be the very write
 *      that leases are there to prevent. */
#include "memory/lease.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "memory/lease_table.h"

enum {
    RACE_MS = 10 * 1000, /* how long a change of the table is tried against others' */
    RACE_PAUSE_US = 200,
    RACE_PAUSE_US_MAX = 20 * 1000,
    WAIT_PAUSE_US = 10 * 1000, /* and how often a waiting acquire looks */
    WAIT_PAUSE_US_MAX = 200 * 1000,
    WRITE_TRIES = 200, /* how often the table may move under one write */
};

/* A lease as its handle knows it. */
typedef struct Holding {
    uint64_t token;
    char *on; /* owned; NULL: adopted and never seen yet */
    size_t on_n;
    bool prefix;
    bool lives;       /* this handle holds the number */
    bool lost;        /* it was not in the table, or over, when last looked at */
    int64_t until_ms; /* by io_awake_ms, when last looked at */
} Holding;

struct Holdings {
    Holding *items;
    size_t n, cap;
    uint64_t seq; /* of the table when last looked at */
};

/* --- What the handle holds ------------------------------------------------------------- */

static Holding *holding_of(const Memory *m, uint64_t token)
{
    for (size_t i = 0; m->leases && i < m->leases->n; i++)
        if (m->leases->items[i].token == token)
            return &m->leases->items[i];
    return NULL;
}

bool lease_lives_here(const Memory *m, uint64_t token)
{
    const Holding *h = holding_of(m, token);
    return h && h->lives;
}

static Holding *holding_add(Memory *m, uint64_t token)
{
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

static void holding_drop(Memory *m, Holding *h)
{
    if (!h)
        return;
    if (h->lives)
        store_let_go(m->store, h->token);
    free(h->on);
    *h = m->leases->items[--m->leases->n];
}

void lease_close(Memory *m)
{
    for (size_t i = 0; m->leases && i < m->leases->n; i++)
        free(m->leases->items[i].on);
    if (m->leases)
        free(m->leases->items);
    free(m->leases);
    m->leases = NULL;
}

void lease_adopt(Memory *m, uint64_t token)
{
    if (!holding_of(m, token))
        holding_add(m, token);
}

void lease_disown(Memory *m, uint64_t token)
{
    Holding *h = holding_of(m, token);
    if (h && !h->lives)
        holding_drop(m, h);
}

/* Remember a lease as the table has it. */
static void holding_saw(Holding *h, const LeaseTable *t, const Lease *l)
{
    if (!h->on) {
        h->on = mem_alloc(l->on.n + 1);
        memcpy(h->on, l->on.p, l->on.n);
        h->on_n = l->on.n;
        h->prefix = l->prefix;
    }
    h->until_ms = t->asked_ms + l->left_ms;
}

/* Look at the table, and what became of each. */
static jot_status holdings_look(Memory *m, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    m->leases->seq = t.seq;
    for (size_t i = 0; i < m->leases->n; i++) {
        Holding *h = &m->leases->items[i];
        size_t at = lease_table_find(&t, h->token);
        Lease l = { 0 };
        if (at < lease_table_count(&t))
            l = lease_table_at(&t, at);
        h->lost = !lease_table_valid(m, &l);
        if (l.on.n)
            holding_saw(h, &t, &l);
    }
    return JOT_OK;
}

static bool covers(Str on, bool prefix, Str stream)
{
    return prefix ? str_starts(stream, on) : str_eq(stream, on);
}

bool lease_covers(const Lease *l, Str stream)
{
    return covers(l->on, l->prefix, stream);
}

/* The holding under which `stream` is to be written.  One whose name is not known, because it was
 * over before it was seen, covers everything; of several the newest counts. */
static Holding *covering(const Memory *m, Str stream)
{
    Holding *best = NULL;
    for (size_t i = 0; i < m->leases->n; i++) {
        Holding *h = &m->leases->items[i];
        if ((!h->on || covers((Str){ h->on, h->on_n }, h->prefix, stream)) &&
            (!best || h->token > best->token))
            best = h;
    }
    return best;
}

/* --- Writing under a lease ------------------------------------------------------------- */

static bool seen_all(const Memory *m)
{
    for (size_t i = 0; i < m->leases->n; i++)
        if (!m->leases->items[i].on)
            return false;
    return true;
}

static bool holding_over(const Memory *m, const Holding *h)
{
    return h->lost || !h->on || h->until_ms <= io_awake_ms(m->io);
}

static jot_status say_over(const Holding *h, Err *e)
{
    Shown shown;
    return err_set(e, JOT_FENCED, "lease %llu%s%s%s is over: nothing was written",
                   (unsigned long long)h->token, h->on ? " on '" : "",
                   h->on ? err_show(&shown, (Str){ h->on, h->on_n }) : "", h->on ? "'" : "");
}

/* Nothing may be written.  The store still answers, with the head or with a record of the same
 * id that was written in time. */
static jot_status refuse(Memory *m, const Holding *h, Str stream, Expect x, const Draft *d,
                         Mark *out, Err *e)
{
    x.guard = S(LEASE_TABLE);
    x.guard_seq = UINT64_MAX;
    jot_status st = store_append(m->store, stream, &x, d, out, e);
    return st == JOT_FENCED ? say_over(h, e) : st;
}

static jot_status append_under(Memory *m, Str stream, Expect x, Draft d, Mark *out, Err *e)
{
    bool fresh = seen_all(m);
    for (int i = 0; i < WRITE_TRIES; i++) {
        if (!fresh)
            TRY(holdings_look(m, e));
        Holding *h = covering(m, stream);
        if (!h)
            return store_append(m->store, stream, &x, &d, out, e);
        bool over = holding_over(m, h);
        if (over && fresh) { /* it was renewed elsewhere, perhaps */
            fresh = false;
            continue;
        }
        d.fence = h->token;
        if (over)
            return refuse(m, h, stream, x, &d, out, e);
        x.guard = S(LEASE_TABLE);
        uint64_t seen = x.guard_seq = m->leases->seq;
        jot_status st = store_append(m->store, stream, &x, &d, out, e);
        if (st != JOT_FENCED)
            return st;
        Err sentence = e ? *e : (Err){ 0 };
        TRY(holdings_look(m, e));
        if (m->leases->seq == seen) /* not the guard: a higher token has been here */
            return err_set(e, JOT_FENCED, "%s", sentence.text);
        fresh = true;
    }
    return err_set(e, JOT_UNAVAILABLE, "could not write: the leases of this pad change too fast");
}

jot_status lease_append(Memory *m, Str stream, const Expect *expect, const Draft *draft, Mark *out,
                        Err *e)
{
    bool own = str_starts(stream, S("leases/"));
    if (own || !m->leases || !m->leases->n)
        return store_append(m->store, stream, expect, draft, out, e);
    Expect x = { 0 };
    if (expect)
        x = *expect;
    assert(x.guard.n == 0); /* there is room for one */
    return append_under(m, stream, x, *draft, out, e);
}

jot_status lease_guard(Memory *m, Str stream, Expect *out, Err *e)
{
    *out = (Expect){ 0 };
    if (str_starts(stream, S("leases/")) || !m->leases || !m->leases->n)
        return JOT_OK;
    TRY(holdings_look(m, e));
    const Holding *h = covering(m, stream);
    if (!h)
        return JOT_OK;
    *out = (Expect){ .guard = S(LEASE_TABLE), .guard_seq = m->leases->seq };
    return holding_over(m, h) ? say_over(h, e) : JOT_OK;
}

/* --- Changing the table ---------------------------------------------------------------- */

static Lease copy_lease(const Lease *l, Arena *into)
{
    Lease copy = *l;
    copy.on = arena_copy(into, l->on);
    copy.by = arena_copy(into, l->by);
    return copy;
}

static bool overlap(Str a, bool a_prefix, Str b, bool b_prefix)
{
    if (a_prefix && b_prefix)
        return str_starts(a, b) || str_starts(b, a);
    return a_prefix ? str_starts(b, a) : covers(b, b_prefix, a);
}

/* Take out what binds nobody any more. */
static void reap(Memory *m, LeaseTable *t)
{
    for (size_t i = lease_table_count(t); i-- > 0;) {
        Lease l = lease_table_at(t, i);
        if (!lease_table_valid(m, &l))
            lease_table_drop(t, i);
    }
}

/* The first lease that overlaps, or the count. */
static size_t find_overlap(const LeaseTable *t, Str on, bool prefix)
{
    size_t i = 0, n = lease_table_count(t);
    for (; i < n; i++) {
        Lease l = lease_table_at(t, i);
        if (overlap(on, prefix, l.on, l.prefix))
            break;
    }
    return i;
}

LeaseRest lease_rest(const Lease *l)
{
    LeaseRest r;
    if (l->live)
        snprintf(r.text, sizeof r.text,
                 ": another process is at it, and the lease ends with that process");
    else
        snprintf(r.text, sizeof r.text, " for %lld s more", (long long)(l->left_ms + 999) / 1000);
    return r;
}

static jot_status in_the_way(const LeaseAsk *ask, const Lease *l, Err *e)
{
    Shown a, b, by;
    const char *on = err_show(&a, ask->on), *other = err_show(&b, l->on);
    bool same = str_eq(ask->on, l->on) && ask->prefix == l->prefix;
    return err_set(e, JOT_LEASED, "'%s' is leased%s%s%s to '%s'%s", on, same ? "" : ", with '",
                   same ? "" : other, same ? "" : "',", err_show(&by, l->by), lease_rest(l).text);
}

static jot_status over(uint64_t token, Err *e)
{
    return err_set(e, JOT_FENCED, "lease %llu is over: acquire it again",
                   (unsigned long long)token);
}

/* What is being asked for, and what came of it. */
typedef struct Change {
    const LeaseAsk *ask; /* of an acquire */
    uint64_t token;      /* of a renewal or release */
    int64_t ttl_ms;
    Arena *into;
    Lease out;
} Change;

static jot_status renew_at(Memory *m, LeaseTable *t, size_t at, int64_t ttl_ms, Change *c, Err *e)
{
    Lease l = lease_table_at(t, at);
    lease_table_renew(t, at, ttl_ms ? ttl_ms : l.ttl_ms);
    l = lease_table_at(t, at);
    c->out = copy_lease(&l, c->into);
    TRY(lease_table_write(m, t, "renew", l.token, e));
    Holding *h = holding_of(m, l.token);
    if (h)
        holding_saw(h, t, &l);
    return JOT_OK;
}

/* Grant `l` in the table as it was read.  What lives with its handle is held first. */
static jot_status grant(Memory *m, LeaseTable *t, Lease *l, Err *e)
{
    if (l->live) {
        jot_status held = store_hold(m->store, l->token, e);
        if (held == JOT_UNSUPPORTED)
            l->live = false;
        else
            TRY(held);
    }
    lease_table_add(t, l);
    jot_status st = lease_table_write(m, t, "acquire", l->token, e);
    if (st != JOT_OK && l->live)
        store_let_go(m->store, l->token);
    TRY(st);
    /* What it had of the same name before is lost, and this takes its place. */
    for (size_t i = m->leases ? m->leases->n : 0; i-- > 0;) {
        Holding *old = &m->leases->items[i];
        if (old->on && str_eq((Str){ old->on, old->on_n }, l->on) && old->prefix == l->prefix)
            holding_drop(m, old);
    }
    Holding *h = holding_add(m, l->token);
    h->lives = l->live;
    holding_saw(h, t, l);
    m->leases->seq = t->seq;
    return JOT_OK;
}

/* A table that was lost as a whole begins anew, and its tokens would be too old for what was
 * written under those before: they go on behind the stream's fence. */
static jot_status pass_fence(Memory *m, const LeaseTable *t, const LeaseAsk *ask, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err why = { 0 };
    if (ask->prefix)
        return JOT_OK;
    jot_status st = store_head(m->store, ask->on, HEAD_MARK, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return JOT_OK; /* that is for whoever writes it */
    if (head.mark.fence < t->next)
        return JOT_OK;
    TRY(store_raise_tokens(m->store, head.mark.fence, e));
    return err_set(e, JOT_CONFLICT, "the table of leases has moved");
}

static jot_status try_acquire(Memory *m, Change *c, Err *e)
{
    const LeaseAsk *ask = c->ask;
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    size_t at = find_overlap(&t, ask->on, ask->prefix);
    int64_t ttl_ms = ask->ttl_ms ? ask->ttl_ms : LEASE_TTL_MS;
    if (at < lease_table_count(&t)) {
        Lease l = lease_table_at(&t, at);
        if (holding_of(m, l.token) && str_eq(l.on, ask->on) && l.prefix == ask->prefix)
            return renew_at(m, &t, at, ttl_ms, c, e);
        c->out = copy_lease(&l, c->into);
        return in_the_way(ask, &l, e);
    }
    if (lease_table_count(&t) >= LEASE_MAX)
        return err_set(e, JOT_TOO_BIG, "%d leases are held already: the limit", LEASE_MAX);
    TRY(pass_fence(m, &t, ask, e));
    Lease l = { .on = ask->on,
                .prefix = ask->prefix,
                .token = t.next,
                .by = m->by,
                .ttl_ms = ttl_ms,
                .left_ms = ttl_ms,
                .live = ask->live };
    TRY(grant(m, &t, &l, e));
    c->out = copy_lease(&l, c->into);
    return JOT_OK;
}

static jot_status try_renew(Memory *m, Change *c, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    size_t at = lease_table_find(&t, c->token);
    if (at == lease_table_count(&t))
        return over(c->token, e);
    return renew_at(m, &t, at, c->ttl_ms, c, e);
}

static jot_status try_release(Memory *m, Change *c, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    size_t at = lease_table_find(&t, c->token);
    if (at == lease_table_count(&t))
        return err_set(e, JOT_FENCED, "lease %llu was over already", (unsigned long long)c->token);
    lease_table_drop(&t, at);
    return lease_table_write(m, &t, "release", c->token, e);
}

/* Others change the table too: whoever loses looks again. */
static jot_status change(Memory *m, jot_status (*try)(Memory *m, Change *c, Err *e), Change *c,
                         Err *e)
{
    Patience p = patience_new(m->io, RACE_MS, RACE_PAUSE_US, RACE_PAUSE_US_MAX);
    for (;;) {
        jot_status st = try(m, c, e);
        if (st != JOT_CONFLICT)
            return st;
        if (!patience_pause(&p))
            return err_set(e, JOT_UNAVAILABLE, "the leases of this pad change too fast");
    }
}

/* --- Taking and letting go ------------------------------------------------------------- */

static jot_status check_ttl(int64_t ttl_ms, Err *e)
{
    if (ttl_ms == 0 || (ttl_ms >= LEASE_TTL_MS_MIN && ttl_ms <= LEASE_TTL_MS_MAX))
        return JOT_OK;
    return err_set(e, JOT_INVALID, "a lease lasts from %d to %d ms", LEASE_TTL_MS_MIN,
                   LEASE_TTL_MS_MAX);
}

static jot_status check_on(Str on, bool prefix, Err *e)
{
    if (prefix && on.n == 0)
        return err_set(e, JOT_INVALID, "a lease needs a name or the beginning of one");
    TRY(prefix ? store_check_prefix(on, e) : store_check_name(on, e));
    if (str_starts(on, S("leases/")))
        return err_set(e, JOT_INVALID, "leases/ cannot be leased");
    return JOT_OK;
}

jot_status lease_acquire(Memory *m, const LeaseAsk *ask, Arena *into, Lease *out, Err *e)
{
    TRY(check_on(ask->on, ask->prefix, e));
    TRY(check_ttl(ask->ttl_ms, e));
    Patience p = patience_new(m->io, ask->wait_ms, WAIT_PAUSE_US, WAIT_PAUSE_US_MAX);
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Change c = { .ask = ask, .into = &arena };
        jot_status st = change(m, try_acquire, &c, e);
        if (st == JOT_LEASED && patience_pause(&p))
            continue;
        *out = copy_lease(&c.out, into);
        return st;
    }
}

jot_status lease_renew(Memory *m, uint64_t token, int64_t ttl_ms, Arena *into, Lease *out, Err *e)
{
    TRY(check_ttl(ttl_ms, e));
    AUTO(Arena) arena = { 0 };
    Change c = { .token = token, .ttl_ms = ttl_ms, .into = &arena };
    TRY(change(m, try_renew, &c, e));
    *out = copy_lease(&c.out, into);
    return JOT_OK;
}

jot_status lease_release(Memory *m, uint64_t token, Err *e)
{
    Change c = { .token = token };
    jot_status st = change(m, try_release, &c, e);
    if (st == JOT_OK || st == JOT_FENCED)
        holding_drop(m, holding_of(m, token));
    return st;
}

/* --- Looking --------------------------------------------------------------------------- */

jot_status lease_check(Memory *m, uint64_t token, Arena *into, Lease *out, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    size_t at = lease_table_find(&t, token);
    if (at == lease_table_count(&t))
        return over(token, e);
    Lease l = lease_table_at(&t, at);
    *out = copy_lease(&l, into);
    return JOT_OK;
}

jot_status lease_find(Memory *m, Str on, bool prefix, Arena *into, Lease *out, Err *e)
{
    Shown shown;
    AUTO(LeaseTable) t = { 0 };
    TRY(check_on(on, prefix, e));
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    size_t at = find_overlap(&t, on, prefix);
    if (at == lease_table_count(&t))
        return err_set(e, JOT_NOT_FOUND, "nobody has a lease on '%s'", err_show(&shown, on));
    Lease l = lease_table_at(&t, at);
    *out = copy_lease(&l, into);
    return JOT_OK;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const Lease *)a)->on, ((const Lease *)b)->on);
}

jot_status lease_list(Memory *m, Arena *into, LeaseList *out, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m, &t, e));
    reap(m, &t);
    *out = (LeaseList){ .items = NEW_ARRAY(into, Lease, lease_table_count(&t) + 1) };
    for (size_t i = 0; i < lease_table_count(&t); i++) {
        Lease l = lease_table_at(&t, i);
        out->items[out->n++] = copy_lease(&l, into);
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_name);
    return JOT_OK;
}

json_t *lease_json(const Lease *l)
{
    return json_pack("{s:s%, s:b, s:I, s:s%, s:I, s:I, s:b}", "on", l->on.p, l->on.n, "prefix",
                     l->prefix, "token", (json_int_t)l->token, "by", l->by.n ? l->by.p : "",
                     l->by.n, "ttl_ms", (json_int_t)l->ttl_ms, "left_ms", (json_int_t)l->left_ms,
                     "live", l->live);
}
