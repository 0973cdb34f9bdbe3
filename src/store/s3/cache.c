/* cache.c - records that this handle has read and need not be fetched again.
 *
 * Off unless the URL has ?cache=MIB: it is memory, and purged text may stay in it.
 * A record's object is written once, but may be overwritten when it is redacted, trimmed or purged,
 * so what was kept is believed only if a LIST of the same operation shows the object with the same
 * ETag, which is a hash of what is in it.  Every read begins with such a LIST anyway:
 *
 *     LIST ──► key, ETag ──► kept under both? ──► no GET
 *
 * An object has one place, by the hash of its key; what falls on the same place, or is one too
 * many, goes. */
#include "store/s3/cache.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 4096 };

typedef struct S3Kept {
    Hash key;
    char etag[S3_ETAG_MAX]; /* "": the place is free */
    char *text;             /* owned */
    size_t n;
    bool whole;
    uint64_t vouched; /* the operation in which a LIST showed it */
} S3Kept;

static S3Kept *place_of(const S3 *p, Hash key)
{
    return &p->cache.kept[(key.b[0] << 8 | key.b[1]) % PLACES];
}

/* What is kept of an object, or NULL. */
static S3Kept *find(const S3 *p, Str key)
{
    if (!p->cache.kept)
        return NULL;
    Hash name = hash_of(key);
    S3Kept *k = place_of(p, name);
    return k->etag[0] && hash_eq(k->key, name) ? k : NULL;
}

void s3_cache_vouch(S3 *p, Str key, Str etag)
{
    S3Kept *k = find(p, key);
    if (k && str_eq(etag, str(k->etag)))
        k->vouched = p->operation;
}

bool s3_cache_find(const S3 *p, Str key, bool whole, Str *text, Str *etag)
{
    const S3Kept *k = find(p, key);
    if (!k || k->vouched != p->operation || (whole && !k->whole))
        return false;
    *text = (Str){ k->text, k->n };
    *etag = str(k->etag);
    return true;
}

static void drop(S3Cache *c, S3Kept *k)
{
    c->bytes -= k->n;
    free(k->text);
    *k = (S3Kept){ 0 };
}

void s3_cache_keep(S3 *p, Str key, Str etag, Str text, bool whole)
{
    S3Cache *c = &p->cache;
    if (text.n > c->bytes_max || etag.n == 0 || etag.n >= S3_ETAG_MAX)
        return;
    if (!c->kept)
        c->kept = mem_alloc(PLACES * sizeof *c->kept);
    Hash name = hash_of(key);
    S3Kept *k = place_of(p, name);
    drop(c, k);
    for (; c->bytes + text.n > c->bytes_max; c->next = (c->next + 1) % PLACES)
        drop(c, &c->kept[c->next]);
    *k = (S3Kept){ .key = name, .text = mem_alloc(text.n + 1), .n = text.n, .whole = whole };
    snprintf(k->etag, sizeof k->etag, STR_FMT, STR_ARG(etag));
    memcpy(k->text, text.p, text.n);
    c->bytes += text.n;
}

void s3_cache_free(S3 *p)
{
    for (size_t i = 0; p->cache.kept && i < PLACES; i++)
        free(p->cache.kept[i].text);
    free(p->cache.kept);
    p->cache = (S3Cache){ 0 };
}
