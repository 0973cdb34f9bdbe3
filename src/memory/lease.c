/* lease.c - taking, renewing and releasing leases.
 *
 * The deciding stream is leases/table; everything else is derived from it.  Each
 * change reads the table, drops the rows that bind nobody any more, edits its own,
 * and appends the result on the condition that nobody was faster:
 *
 *     read table at seq n --> drop what has ended --> edit --> append, expect seq n
 *            ^                                                      |
 *            +------------- CONFLICT: somebody changed it ----------+
 *
 * The token of a new lease is the seq of the record that grants it, so it is known
 * before the append and true only if that succeeds.
 *
 * A process may die at any point:
 *   - before the table was appended: nothing happened; a number it held is
 *     released by the kernel;
 *   - afterwards: the lease stands until it expires, or, if it lives with
 *     its handle, ends at once, because nobody holds its number.
 * A number is held BEFORE the record that grants it is written, so there is no
 * moment at which a living holder looks dead.
 *
 * Where an engine cannot check a guard in the step that appends (S3), a writer that was held up
 * after its look at the table could still write.  There the new holder of a name writes its value
 * once more, under its token: that takes the number the other one counts on, and a lower token is
 * refused from then on.  A log, and a name without a value, are safe from the holder's first
 * record on; a prefix cannot be leased there.
 *
 * Invariants:
 *   1. A token is the seq of the record that granted it, so tokens only grow and
 *      none is ever given twice, also over deletes and purges.
 *   2. No two rows of the table that bind overlap.
 * What a lease is worth to a writer is in holding.c. */
#include "memory/lease.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"
#include "memory/holding.h"

enum {
    RACE_MS = 10 * 1000, /* how long a change of the table is tried against others' */
    RACE_PAUSE_US = 200,
    RACE_PAUSE_US_MAX = 20 * 1000,
    WAIT_PAUSE_US = 10 * 1000, /* and how often a waiting acquire looks */
    WAIT_PAUSE_US_MAX = 200 * 1000,
};

void lease_adopt(Memory *m, uint64_t token)
{
    if (!holding_find(m, token))
        holding_add(m, token);
}

void lease_disown(Memory *m, uint64_t token)
{
    Holding *h = holding_find(m, token);
    if (h && !h->lives)
        holding_drop(m, h);
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
    return a_prefix ? str_starts(b, a) : holding_covers(b, b_prefix, a);
}

/* The table as it stands, without the rows that bind nobody any more. */
static jot_status read_table(Memory *m, LeaseTable *out, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(lease_table_read(m->store, m->io, &t, e));
    for (size_t i = lease_table_count(&t); i-- > 0;) {
        Lease l = lease_table_at(&t, i);
        if (!holding_binds(m, &l))
            lease_table_drop(&t, i);
    }
    *out = TAKE(t);
    return JOT_OK;
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

/* To a caller that uses it, a lease that was never granted has ended, too. */
static jot_status say_ended(const LeaseTable *t, uint64_t token, Err *e)
{
    if (token >= t->next)
        return err_set(e, JOT_FENCED, "there never was a lease %llu here: acquire one",
                       (unsigned long long)token);
    return err_set(e, JOT_FENCED, "lease %llu has ended: acquire it again",
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
    assert(l.left_ms > 0 || l.late); /* read_table has dropped what expired */
    lease_table_renew(t, at, ttl_ms ? ttl_ms : l.ttl_ms);
    l = lease_table_at(t, at);
    c->out = copy_lease(&l, c->into);
    TRY(lease_table_write(m->store, m->by, t, "renew", l.token, e));
    Holding *h = holding_find(m, l.token);
    if (h)
        holding_saw(h, t, &l);
    return JOT_OK;
}

/* Grant `l` in the table as it was read.  What lives with its handle is held first. */
static jot_status grant(Memory *m, LeaseTable *t, Lease *l, Err *e)
{
    if (l->live) {
        /* Before the record: see above.  Where nobody can tell who lives, time alone ends it. */
        jot_status held = store_hold(m->store, l->token, e);
        if (held == JOT_UNSUPPORTED)
            l->live = false;
        else
            TRY(held);
    }
    assert(l->token == t->next && find_overlap(t, l->on, l->prefix) == lease_table_count(t));
    lease_table_add(t, l);
    jot_status st = lease_table_write(m->store, m->by, t, "acquire", l->token, e);
    if (st != JOT_OK && l->live)
        store_let_go(m->store, l->token);
    TRY(st);
    /* What it had of the same name before is lost, and this takes its place. */
    for (size_t i = m->leases ? m->leases->n : 0; i-- > 0;) {
        Holding *old = &m->leases->items[i];
        if (old->on && str_eq((Str){ old->on, old->on_n }, l->on) && old->prefix == l->prefix)
            holding_drop(m, old);
    }
    Holding *h = holding_find(m, l->token); /* adopted before it was there */
    if (!h)
        h = holding_add(m, l->token);
    assert(m->leases); /* it is made with the first holding */
    h->lives = l->live;
    holding_saw(h, t, l);
    m->leases->seq = t->seq;
    return JOT_OK;
}

/* The next token would be too low. */
static jot_status raise_table(Memory *m, uint64_t given, Err *e)
{
    assert(given > 0);
    TRY(store_raise_tokens(m->store, given, e));
    return err_set(e, JOT_CONFLICT, "the table of leases has moved");
}

/* A table that was lost as a whole must not begin again at 1: its tokens would be too old for what
 * was written under those before, and a holder from before would pass for a later one. */
static jot_status pass_given(Memory *m, const LeaseTable *t, Err *e)
{
    uint64_t given = 0;
    if (t->next == 1)
        TRY(store_tokens_given(m->store, &given, e));
    return given ? raise_table(m, given, e) : JOT_OK;
}

/* The same where only a part is lost, as when an older table was put in its place: tokens continue
 * after the stream's fence. */
static jot_status pass_fence(Memory *m, const LeaseTable *t, const LeaseAsk *ask, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err why = { 0 };
    if (ask->prefix)
        return JOT_OK;
    jot_status st = store_head(m->store, ask->on, HEAD_MARK, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return JOT_OK; /* a write will report it */
    if (head.mark.fence < t->next)
        return JOT_OK;
    return raise_table(m, head.mark.fence, e);
}

/* Write the value once more under the new token, where a guard does not do (see above). */
static jot_status fence_value(Memory *m, const Lease *l, Err *e)
{
    assert(!l->prefix && l->token > 0);
    Patience p = patience_new(m->io, RACE_MS, RACE_PAUSE_US, RACE_PAUSE_US_MAX);
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Record head = { 0 };
        Mark mark;
        jot_status st = store_head(m->store, l->on, HEAD_RECORD, &arena, &head, e);
        if (st == JOT_NOT_FOUND || (st == JOT_OK && head.mark.op != OP_PUT))
            return JOT_OK;
        TRY(st);
        Expect x = expect_at(head.mark.seq);
        Draft d = {
            .op = OP_PUT, .by = m->by, .meta = head.meta, .body = head.body, .fence = l->token
        };
        st = store_append(m->store, l->on, &x, &d, &mark, e);
        if (st != JOT_CONFLICT || !patience_pause(&p))
            return st;
    }
}

static jot_status try_acquire(Memory *m, Change *c, Err *e)
{
    const LeaseAsk *ask = c->ask;
    AUTO(LeaseTable) t = { 0 };
    TRY(read_table(m, &t, e));
    size_t at = find_overlap(&t, ask->on, ask->prefix);
    int64_t ttl_ms = ask->ttl_ms ? ask->ttl_ms : LEASE_TTL_MS;
    if (at < lease_table_count(&t)) {
        Lease l = lease_table_at(&t, at);
        /* Our own, of exactly this name: who asks twice wants it for longer. */
        if (holding_find(m, l.token) && str_eq(l.on, ask->on) && l.prefix == ask->prefix)
            return renew_at(m, &t, at, ttl_ms, c, e);
        c->out = copy_lease(&l, c->into);
        return in_the_way(ask, &l, e);
    }
    if (lease_table_count(&t) >= LEASE_MAX)
        return err_set(e, JOT_TOO_BIG, "%d leases are held already: the limit", LEASE_MAX);
    /* Before the token is promised: it must be higher than every one that was ever given, also if
     * the table that knew them is lost. */
    TRY(pass_given(m, &t, e));
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
    if (store_promise(m->store).guards)
        return JOT_OK;
    jot_status st = fence_value(m, &l, e);
    return st == JOT_CONFLICT ? JOT_UNAVAILABLE : st; /* the lease stands: it is not asked again */
}

static jot_status try_renew(Memory *m, Change *c, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(read_table(m, &t, e));
    size_t at = lease_table_find(&t, c->token);
    if (at == lease_table_count(&t))
        return say_ended(&t, c->token, e);
    return renew_at(m, &t, at, c->ttl_ms, c, e);
}

static jot_status try_release(Memory *m, Change *c, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(read_table(m, &t, e));
    size_t at = lease_table_find(&t, c->token);
    if (at == lease_table_count(&t))
        return err_set(e, JOT_FENCED, "lease %llu had ended already", (unsigned long long)c->token);
    lease_table_drop(&t, at);
    return lease_table_write(m->store, m->by, &t, "release", c->token, e);
}

/* Others change the table too: after a lost race it is read again. */
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
        return err_set(e, JOT_INVALID, "a lease needs a name or a prefix");
    TRY(prefix ? store_check_prefix(on, e) : store_check_name(on, e));
    if (str_starts(on, S("leases/")))
        return err_set(e, JOT_INVALID, "leases/ cannot be leased");
    return JOT_OK;
}

jot_status lease_read_token(Str text, uint64_t *out, Err *e)
{
    Shown shown;
    if (str_to_u64(text, STORE_SEQ_MAX, out) && *out > 0)
        return JOT_OK;
    return err_set(e, JOT_INVALID, "invalid lease '%s': use the token that acquire printed",
                   err_show(&shown, text));
}

jot_status lease_acquire(Memory *m, const LeaseAsk *ask, Arena *into, Lease *out, Err *e)
{
    Shown shown;
    TRY(check_on(ask->on, ask->prefix, e));
    TRY(check_ttl(ask->ttl_ms, e));
    if (ask->prefix && !store_promise(m->store).guards)
        return err_set(e, JOT_UNSUPPORTED,
                       "'%s' cannot be leased as a prefix in S3, which has no step over two "
                       "streams: lease one name",
                       err_show(&shown, ask->on));
    Patience p = patience_new(m->io, ask->wait_ms, WAIT_PAUSE_US, WAIT_PAUSE_US_MAX);
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Change c = { .ask = ask, .into = &arena };
        jot_status st = change(m, try_acquire, &c, e);
        /* Waiting is looking again: a lease may end without any record, by time or by a death. */
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
    /* Only then: while the table has the row the lease is ours, and its number must be held. */
    if (st == JOT_OK || st == JOT_FENCED)
        holding_drop(m, holding_find(m, token));
    return st;
}

/* --- Looking --------------------------------------------------------------------------- */

jot_status lease_check(Memory *m, uint64_t token, Arena *into, Lease *out, Err *e)
{
    AUTO(LeaseTable) t = { 0 };
    TRY(read_table(m, &t, e));
    size_t at = lease_table_find(&t, token);
    if (at == lease_table_count(&t))
        return say_ended(&t, token, e);
    Lease l = lease_table_at(&t, at);
    Holding *h = holding_find(m, token);
    if (h) /* one that was adopted: its name is known from here on */
        holding_saw(h, &t, &l);
    *out = copy_lease(&l, into);
    return JOT_OK;
}

jot_status lease_find(Memory *m, Str on, bool prefix, Arena *into, Lease *out, Err *e)
{
    Shown shown;
    AUTO(LeaseTable) t = { 0 };
    TRY(check_on(on, prefix, e));
    TRY(read_table(m, &t, e));
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
    TRY(read_table(m, &t, e));
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
