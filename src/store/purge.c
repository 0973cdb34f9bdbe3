/* purge.c - the tombstone that a purge leaves, and what it tells of what is gone.
 *
 * A purge must reach the copies of a stream that were made before it, and must
 * not touch a stream of the same name that is none.  Records of one history are
 * known by their chains; so the tombstone tells the chain of the oldest record it
 * removed, which a copy still has:
 *
 *   {"purged":{"1":"0123456789abcdef"}}
 *
 * and, if that was the tombstone of an earlier purge, what that one told.  The
 * chain is a hash of hashes: no text can be guessed from it that the header of a
 * redacted record would not give away sooner. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "store/engine.h"

static int by_seq(const void *a, const void *b)
{
    const Purged *x = a, *y = b;
    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

size_t store_purged(const Record *tombstone, Purged out[STORE_PURGED_MAX])
{
    json_t *read = NULL;
    Err ignored;
    size_t n = 0;
    if (tombstone->mark.op != OP_DELETE || tombstone->meta.n == 0 ||
        json_read(tombstone->meta, &read, &ignored) != JOT_OK)
        return 0;
    AUTO_PTR(json_t) meta = read;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(meta, "purged"), key, value)
    {
        Str chain = json_str(value);
        if (n == STORE_PURGED_MAX || chain.n != STORE_PURGED_HEX ||
            !str_to_u64(str(key), STORE_SEQ_MAX, &out[n].seq))
            continue;
        memcpy(out[n].chain, chain.p, chain.n);
        out[n++].chain[chain.n] = 0;
    }
    if (n)
        qsort(out, n, sizeof *out, by_seq);
    return n;
}

Record store_tombstone(Store *s, Str stream, Str by, const Mark *head, const Record *oldest,
                       Arena *into)
{
    Draft d = { .op = OP_DELETE, .by = by };
    Purged told[STORE_PURGED_MAX];
    if (!oldest)
        return store_next(s, stream, &d, head);
    size_t n = store_purged(oldest, told);
    /* What was told first is what the oldest copies have: the one before the last gives way. */
    if (n == STORE_PURGED_MAX)
        n--;
    told[n].seq = oldest->mark.seq;
    snprintf(told[n].chain, sizeof told[n].chain, "%.*s", STORE_PURGED_HEX,
             hash_hex(oldest->mark.chain).text);
    n++;
    AUTO(Buf) meta = { 0 };
    for (size_t i = 0; i < n; i++)
        buf_addf(&meta, "%s\"%llu\":\"%s\"", i ? "," : "{\"purged\":{",
                 (unsigned long long)told[i].seq, told[i].chain);
    buf_add(&meta, S("}}"));
    d.meta = arena_copy(into, buf_str(&meta));
    return store_next(s, stream, &d, head);
}
