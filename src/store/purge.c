/* purge.c - the tombstone that a purge leaves, and what it tells of what is gone.
 *
 * A purge must reach the copies of a stream that were made before it, and must
 * not touch a stream of the same name that is none, nor one that began as a copy
 * and went its own way.  Records of one history are known by their chains; so the
 * tombstone tells the chain of the oldest record it removed, and the beginnings of
 * the chains of the newest ones, because the head of a copy is one of those:
 *
 *   {"purged":{"1":"0123456789abcdef"},"from":1,"chains":"01234567--------89abcdef"}
 *
 * Here records 1 and 3 are reported, 2 could not be read.  If the oldest was the tombstone of an
 * earlier purge, what that one told is reported again.  A chain covers every record before it, so
 * one that fits proves all of them, down to the next missing number.  32 bits are enough: they need
 * not stand up to somebody who wants them to fit, for such a person can write to the target.
 *
 * The chain is a hash of hashes: a guess at a text can be tried only together with
 * the time, the author and every record before it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "store/engine.h"
#include "store/walk.h"

#define UNKNOWN '-'

/* --- What a tombstone tells --------------------------------------------------------------- */

static int by_seq(const void *a, const void *b)
{
    const Purged *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void read_oldest(json_t *purged, PurgeTrace *out)
{
    const char *key;
    json_t *value;
    json_object_foreach(purged, key, value)
    {
        Str chain = json_str(value);
        Purged *p = &out->oldest[out->oldest_n];
        if (chain.n != STORE_PURGED_HEX || !str_to_u64(str(key), STORE_SEQ_MAX, &p->seq))
            continue;
        memcpy(p->chain, chain.p, chain.n);
        p->chain[chain.n] = 0;
        if (++out->oldest_n == STORE_PURGED_MAX)
            break;
    }
    if (out->oldest_n)
        qsort(out->oldest, out->oldest_n, sizeof *out->oldest, by_seq);
}

static void read_chains(json_t *meta, PurgeTrace *out)
{
    Str chains = json_str(json_object_get(meta, "chains"));
    json_int_t first = json_integer_value(json_object_get(meta, "from"));
    if (first < 1 || chains.n % STORE_TOLD_HEX || chains.n > sizeof out->chains)
        return;
    out->first = (uint64_t)first;
    out->n = chains.n / STORE_TOLD_HEX;
    if (chains.n)
        memcpy(out->chains, chains.p, chains.n);
}

bool store_purge_trace(const Record *tombstone, PurgeTrace *out)
{
    json_t *read = NULL;
    Err ignored;
    out->oldest_n = out->n = 0;
    out->first = 0;
    if (tombstone->mark.op != OP_DELETE || tombstone->meta.n == 0 ||
        json_read(tombstone->meta, &read, &ignored) != JOT_OK)
        return false;
    AUTO_PTR(json_t) meta = read;
    read_oldest(json_object_get(meta, "purged"), out);
    read_chains(meta, out);
    return out->oldest_n || out->n;
}

/* --- Making it ------------------------------------------------------------------------------ */

/* Make room for the `n` numbers up to `last`; what was reported of others is dropped. */
static void move_window(PurgeTrace *t, uint64_t last, size_t n)
{
    assert(n > 0 && n <= STORE_TOLD_MAX);
    PurgeTrace old = *t;
    t->n = last < n ? (size_t)last : n;
    t->first = last - t->n + 1;
    memset(t->chains, UNKNOWN, sizeof t->chains);
    for (size_t i = 0; i < old.n; i++) {
        uint64_t seq = old.first + i;
        if (seq >= t->first && seq <= last)
            memcpy(t->chains + (seq - t->first) * STORE_TOLD_HEX, old.chains + i * STORE_TOLD_HEX,
                   STORE_TOLD_HEX);
    }
}

/* Let the newest records be reported, `max` at most. */
static void state_newest(PurgeTrace *t, const Gone *gone, size_t max)
{
    uint64_t last = t->n ? t->first + t->n - 1 : 0;
    for (size_t i = 0; i < gone->n; i++)
        if (gone->newest[i].mark.seq > last)
            last = gone->newest[i].mark.seq;
    move_window(t, last, max);
    for (size_t i = 0; i < gone->n; i++) {
        const Mark *m = &gone->newest[i].mark;
        assert(m->seq < t->first + t->n); /* the window ends at the newest of all */
        if (m->seq >= t->first)
            memcpy(t->chains + (m->seq - t->first) * STORE_TOLD_HEX, hash_hex(m->chain).text,
                   STORE_TOLD_HEX);
    }
    /* What is not known in front need not be reported. */
    size_t from = 0;
    while (from < t->n && t->chains[from * STORE_TOLD_HEX] == UNKNOWN)
        from++;
    memmove(t->chains, t->chains + from * STORE_TOLD_HEX, (t->n - from) * STORE_TOLD_HEX);
    t->first += from;
    t->n -= from;
}

/* What is reported, as meta; empty if nothing is. */
static Str write_trace(PurgeTrace *t, const Gone *gone, Arena *into)
{
    enum { FRAME = sizeof "{,\"from\":,\"chains\":\"\"}" + 20 };
    AUTO(Buf) meta = { 0 };
    /* The oldest ones first: there are few of them, and they show the oldest copies.  What is left
     * of the room is for the newest. */
    for (size_t i = 0; i < t->oldest_n; i++)
        buf_addf(&meta, "%s\"%llu\":\"%s\"", i ? "," : "{\"purged\":{",
                 (unsigned long long)t->oldest[i].seq, t->oldest[i].chain);
    if (t->oldest_n)
        buf_add(&meta, S("}"));
    size_t room = (STORE_META_MAX - FRAME - buf_str(&meta).n) / STORE_TOLD_HEX;
    state_newest(t, gone, room < STORE_TOLD_MAX ? room : STORE_TOLD_MAX);
    if (t->n)
        buf_addf(&meta, "%s\"from\":%llu,\"chains\":\"%.*s\"", t->oldest_n ? "," : "{",
                 (unsigned long long)t->first, (int)(t->n * STORE_TOLD_HEX), t->chains);
    if (buf_str(&meta).n)
        buf_add(&meta, S("}"));
    assert(buf_str(&meta).n <= STORE_META_MAX);
    return arena_copy(into, buf_str(&meta));
}

Record store_tombstone(Store *s, Str stream, Str by, const Mark *head, const Gone *gone,
                       Arena *into)
{
    PurgeTrace told = { 0 };
    assert(gone->n <= STORE_TOLD_MAX && (gone->n == 0 || gone->newest));
    if (gone->oldest) {
        (void)store_purge_trace(gone->oldest, &told);
        /* The oldest record is reported, too.  What was reported first is what the oldest copies
         * have, so where there is no room the one before the last gives way. */
        if (told.oldest_n == STORE_PURGED_MAX)
            told.oldest_n--;
        Purged *p = &told.oldest[told.oldest_n++];
        p->seq = gone->oldest->mark.seq;
        snprintf(p->chain, sizeof p->chain, "%.*s", STORE_PURGED_HEX,
                 hash_hex(gone->oldest->mark.chain).text);
    }
    Draft d = { .op = OP_DELETE, .by = by, .meta = write_trace(&told, gone, into) };
    return store_next(s, stream, &d, head);
}

/* --- Recognising a copy --------------------------------------------------------------------- */

typedef enum Likeness { NOT_TOLD, TOLD_SO, TOLD_OTHERWISE } Likeness;

/* What is reported of a record, against the record. */
static Likeness compare(const PurgeTrace *t, const Mark *m)
{
    Likeness like = NOT_TOLD;
    HashHex hex = hash_hex(m->chain);
    for (size_t i = 0; i < t->oldest_n; i++)
        if (t->oldest[i].seq == m->seq)
            like = str_starts(str(hex.text), str(t->oldest[i].chain)) ? TOLD_SO : TOLD_OTHERWISE;
    if (like == TOLD_OTHERWISE || m->seq < t->first || m->seq - t->first >= t->n)
        return like;
    const char *chain = t->chains + (m->seq - t->first) * STORE_TOLD_HEX;
    if (*chain == UNKNOWN)
        return like;
    return memcmp(chain, hex.text, STORE_TOLD_HEX) == 0 ? TOLD_SO : TOLD_OTHERWISE;
}

/* The records of the target, one by one. */
typedef struct Proof {
    PurgeTrace told;
    uint64_t before; /* the tombstone's seq */
    Mark last;       /* seq 0: none yet */
    bool proved;     /* the last one is reported */
    bool fits;       /* nothing says no so far */
} Proof;

static void prove(Proof *p, const Mark *m)
{
    if (m->seq >= p->before)
        return;
    assert(m->seq > p->last.seq); /* a walk goes forward */
    /* A chain covers all before it, down to the next gap: so the last record before a gap must have
     * been reported, or nothing shows what the row is. */
    bool gap = p->last.seq && m->seq != p->last.seq + 1;
    Likeness like = compare(&p->told, m);
    p->fits = p->fits && like != TOLD_OTHERWISE && (!gap || p->proved);
    p->proved = like == TOLD_SO;
    p->last = *m;
}

jot_status store_shows_copy(Store *to, Str stream, const Mark *head, const Record *tombstone,
                            bool *out, Err *e)
{
    Proof p = { .before = tombstone->mark.seq, .fits = true };
    assert(tombstone->mark.op == OP_DELETE);
    (void)store_purge_trace(tombstone, &p.told);
    Walk w = walk_new(to, stream, mark_last(head));
    while (w.more && p.fits) {
        AUTO(Arena) arena = { 0 };
        Records page;
        TRY(walk_read(&w, &arena, &page, e));
        for (size_t i = 0; i < page.n; i++)
            prove(&p, &page.items[i].mark);
    }
    /* The last row has no gap after it: it must be reported, or be what the tombstone continues. */
    bool next =
        p.last.seq + 1 == p.before && store_check_next(stream, &p.last, tombstone, NULL) == JOT_OK;
    *out = p.fits && p.last.seq && (p.proved || next) && head->lost == 0;
    return JOT_OK;
}
