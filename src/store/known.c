/* known.c - the heads a handle saw last, a few hundred of them.
 *
 * They save a round trip, because a record can be sealed against a head that is
 * known; and they notice a server that went back.  A stream's seq only grows and
 * its head's chain is that of its seq, no matter who writes: a head before the one that
 * was seen, or another one in its place, is a server that has lost what it
 * acknowledged. */
#include "store/known.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mutant.h"

/* FNV-1a: names that share a place only cost a round trip each, so nobody gains by finding some. */
static size_t place_of(Str stream)
{
    uint32_t h = 2166136261U;
    for (size_t i = 0; i < stream.n; i++)
        h = (h ^ (unsigned char)stream.p[i]) * 16777619U;
    return (h ^ h >> 16) % KNOWN_MAX;
}

static bool is_of(const KnownHead *s, Str stream)
{
    return s->name && str_eq((Str){ s->name, s->name_n }, stream);
}

const Mark *known_find(const Known *k, Str stream)
{
    const KnownHead *s = &k->heads[place_of(stream)];
    return is_of(s, stream) ? &s->mark : NULL;
}

const Mark *known_steady(const Known *k, Str stream)
{
    const KnownHead *s = &k->heads[place_of(stream)];
    return is_of(s, stream) && s->steady ? &s->mark : NULL;
}

jot_status known_keep(Known *k, Str stream, const Mark *mark, Err *e)
{
    assert(stream.n > 0 && stream.n <= STORE_NAME_MAX);
    KnownHead *s = &k->heads[place_of(stream)];
    Shown shown;
    bool back = mark->seq < s->mark.seq;
    bool other = mark->seq == s->mark.seq && mark->seq && !hash_eq(mark->chain, s->mark.chain);
    if (is_of(s, stream) && (back || other) && !MUTANT(SERVER_WENT_BACK))
        return err_set(e, JOT_CORRUPT,
                       "the server went back: '%s' stood at record %llu, and now at %llu%s; what "
                       "was acknowledged since is lost: open the pad again to continue without it",
                       err_show(&shown, stream), (unsigned long long)s->mark.seq,
                       (unsigned long long)mark->seq, other ? ", another one" : "");
    if (!is_of(s, stream)) { /* another stream's place: the newer one has it */
        char *name = mem_alloc(stream.n + 1);
        memcpy(name, stream.p, stream.n);
        free(s->name);
        s->name = name;
        s->name_n = stream.n;
        s->mark = (Mark){ 0 };
    }
    s->steady = s->mark.seq == mark->seq;
    s->mark = *mark;
    return JOT_OK;
}

void known_free(Known *k)
{
    for (size_t i = 0; i < KNOWN_MAX; i++)
        free(k->heads[i].name);
    *k = (Known){ 0 };
}
