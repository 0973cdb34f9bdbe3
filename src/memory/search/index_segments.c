/* index_segments.c - the segments of an index, taken together. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/index.h"
#include "memory/search/merge.h"

bool index_add(Index *x, Buf *bytes)
{
    AUTO(Segment) s = { .fd = FD_NONE };
    if (!seg_from_bytes(&s, bytes))
        return false;
    if (x->n == x->cap) {
        x->cap = x->cap ? x->cap * 2 : 8;
        x->segs = mem_grow(x->segs, x->cap * sizeof *x->segs);
    }
    assert(x->n < x->cap);
    x->segs[x->n++] = s;
    s = (Segment){ .fd = FD_NONE };
    x->viewed = false;
    return true;
}

const View *index_view(Index *x)
{
    if (x->viewed)
        return &x->view;
    view_free(&x->view);
    x->viewed = view_make(&x->view, x->segs, x->n);
    x->broken = x->broken || !x->viewed;
    return x->viewed ? &x->view : NULL;
}

static bool stream_key(Str stream, char *to, Str *out)
{
    if (stream.n + 1 > SEG_KEY_MAX)
        return false;
    to[0] = KEY_STREAM;
    memcpy(to + 1, stream.p, stream.n);
    *out = (Str){ to, stream.n + 1 };
    return true;
}

bool index_known(Index *x, Str stream, SegStream *out)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    SegTerm term;
    *out = (SegStream){ 0 };
    for (size_t i = x->n; stream_key(stream, bytes, &key) && i-- > 0;) {
        bool there = seg_find(&x->segs[i], key, &term) && seg_stream(&x->segs[i], &term, out);
        x->broken = x->broken || x->segs[i].bad;
        if (there)
            return !out->gone;
    }
    return false;
}

void index_kill(Index *x, Str stream, uint64_t from, uint64_t to)
{
    char bytes[SEG_KEY_MAX];
    Str key;
    SegTerm term;
    SegStream known;
    for (size_t i = 0; stream_key(stream, bytes, &key) && i < x->n; i++) {
        Segment *s = &x->segs[i];
        if (!seg_find(s, key, &term) || !seg_stream(s, &term, &known)) {
            x->broken = x->broken || s->bad;
            continue;
        }
        for (uint32_t k = known.first; k < known.first + known.n; k++) {
            SegRow r;
            if (!seg_row(s, k, &r) || r.seq < from || r.seq > to || seg_dead(s, k))
                continue;
            seg_kill(s, k);
            x->dirty = x->dirty || s->id;
            x->viewed = false;
        }
    }
}
