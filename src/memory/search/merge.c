/* merge.c - reading several segments key by key, and writing one.
 *
 * No text is read again: postings are renumbered.  What is written depends on
 * the live rows alone, so the result is what a draft of the same rows gives. */
#include "memory/search/merge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/view.h"

typedef struct Source {
    Segment *s;
    SegKeys keys;
    bool more;
    uint32_t *streams;           /* by its own number: the new one */
    uint32_t *first, *streams_n; /* by its own number: the first place, and how many rows */
} Source;

typedef struct Merge {
    View view;
    Source *sources;
    size_t n;
    bool oldest;
    SegWriter w;
    Arena arena;
} Merge;

static void merge_done(Merge *m)
{
    seg_writer_free(&m->w);
    view_free(&m->view);
    arena_free(&m->arena);
}
DEFINE_AUTO(Merge, merge_done)

static Str key_at(const Source *s)
{
    return (Str){ s->keys.key, s->keys.key_n };
}

/* The source whose key comes first; NULL: all are at their end. */
static const Source *least(const Merge *m)
{
    const Source *best = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const Source *s = &m->sources[i];
        if (s->more && (!best || str_cmp(key_at(s), key_at(best)) < 0))
            best = s;
    }
    return best;
}

static bool count_rows(Merge *m)
{
    for (size_t i = 0; i < m->n; i++) {
        Source *s = &m->sources[i];
        s->streams = NEW_ARRAY(&m->arena, uint32_t, s->s->streams + 1);
        s->first = NEW_ARRAY(&m->arena, uint32_t, s->s->streams + 1);
        s->streams_n = NEW_ARRAY(&m->arena, uint32_t, s->s->streams + 1);
    }
    for (uint32_t p = m->view.rows; p-- > 0;) {
        SegRow r;
        Segment *seg;
        if (!view_row(&m->view, p, &r, &seg))
            return false;
        Source *s = &m->sources[seg - m->view.segs];
        s->first[r.stream] = p;
        s->streams_n[r.stream]++;
    }
    return true;
}

/* The newest word about a stream counts; its rows are those of all. */
static bool merge_stream(Merge *m, Str key)
{
    SegStream known = { 0 };
    uint32_t first = NO_PLACE, n = 0;
    for (size_t i = 0; i < m->n; i++) {
        Source *s = &m->sources[i];
        if (!s->more || !str_eq(key_at(s), key))
            continue;
        uint32_t own = s->keys.next - 1 - s->s->first_stream;
        if (own >= s->s->streams || !seg_stream(s->s, &s->keys.term, &known))
            return false;
        s->streams[own] = m->w.streams;
        if (s->streams_n[own] && s->first[own] < first)
            first = s->first[own];
        n += s->streams_n[own];
    }
    known.first = n ? first : 0;
    known.n = n;
    if (!known.gone || n || !m->oldest)
        seg_write_stream(&m->w, str_from(key, 1), &known);
    return true;
}

static bool merge_term(Merge *m, Str key)
{
    AUTO(Arena) arena = { 0 };
    ViewPosts posts;
    if (!view_posts(&m->view, key, &arena, &posts))
        return false;
    if (posts.n == 0)
        return true; /* nothing stays of a word that no live row has */
    _Static_assert(sizeof(ViewPost) == sizeof(SegPost), "places become rows where they lie");
    seg_write_term(&m->w, key, (const SegPost *)(const void *)posts.items, posts.n);
    return true;
}

static void step(Merge *m, Str key)
{
    for (size_t i = 0; i < m->n; i++) {
        Source *s = &m->sources[i];
        if (s->more && str_eq(key_at(s), key))
            s->more = seg_keys_next(&s->keys);
    }
}

static bool merge_keys(Merge *m)
{
    for (size_t i = 0; i < m->n; i++)
        m->sources[i].more = seg_keys_from(&m->sources[i].keys, m->sources[i].s, (Str){ 0 });
    for (const Source *s; (s = least(m));) {
        char bytes[SEG_KEY_MAX];
        Str key = { bytes, s->keys.key_n };
        memcpy(bytes, s->keys.key, key.n);
        if (!(bytes[0] == KEY_STREAM ? merge_stream(m, key) : merge_term(m, key)))
            return false;
        step(m, key);
    }
    return true;
}

static bool merge_rows(Merge *m, Buf *out)
{
    SegRow *rows = NEW_ARRAY(&m->arena, SegRow, m->view.rows + 1);
    for (uint32_t p = 0; p < m->view.rows; p++) {
        Segment *seg;
        if (!view_row(&m->view, p, &rows[p], &seg))
            return false;
        assert(seg >= m->view.segs && seg < m->view.segs + m->view.n);
        rows[p].author = seg_write_author(&m->w, seg_author(seg, rows[p].author));
        rows[p].stream = m->sources[seg - m->view.segs].streams[rows[p].stream];
    }
    seg_write_end(&m->w, rows, m->view.rows, out);
    return true;
}

bool merge_segments(Segment *segs, size_t n, bool oldest, Buf *out)
{
    AUTO(Merge) m = { .n = n, .oldest = oldest };
    bool good = view_make(&m.view, segs, n);
    m.w.rows = m.view.rows;
    m.w.session_of = m.view.session_of;
    m.sources = NEW_ARRAY(&m.arena, Source, n + 1);
    for (size_t i = 0; i < n; i++)
        m.sources[i].s = &segs[i];
    good = good && count_rows(&m) && merge_keys(&m) && merge_rows(&m, out);
    for (size_t i = 0; i < n; i++)
        good = good && !segs[i].bad;
    return good;
}
