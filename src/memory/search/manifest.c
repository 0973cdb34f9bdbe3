/* manifest.c - the bytes of a manifest, field by field. */
#include "memory/search/manifest.h"

#include <string.h>

enum { MANIFEST_FORMAT = 2 };

static const char magic[8] = "JOTIDX1";

/* --- Reading ----------------------------------------------------------------------------- */

/* What is left to be read. */
typedef struct Reading {
    Str rest;
    bool bad;
} Reading;

static void get(Reading *r, void *to, size_t n)
{
    if (r->rest.n < n) {
        r->bad = true;
        memset(to, 0, n);
        return;
    }
    memcpy(to, r->rest.p, n);
    r->rest = str_from(r->rest, n);
}

static void get_segment(Reading *r, ManifestSegment *out, Arena *into)
{
    get(r, &out->id, sizeof out->id);
    get(r, &out->bytes, sizeof out->bytes);
    get(r, &out->rows, sizeof out->rows);
    get(r, &out->dead_n, sizeof out->dead_n);
    if (r->bad || out->dead_n > out->rows || out->dead_n > r->rest.n / sizeof(uint32_t)) {
        r->bad = true;
        return;
    }
    uint32_t *dead = NEW_ARRAY(into, uint32_t, out->dead_n + 1);
    get(r, dead, out->dead_n * sizeof *dead);
    for (uint32_t i = 0; i < out->dead_n; i++)
        r->bad = r->bad || dead[i] >= out->rows;
    out->dead = dead;
}

/* A number of things that take at least a byte each. */
static uint32_t get_count(Reading *r)
{
    uint32_t n;
    get(r, &n, sizeof n);
    r->bad = r->bad || n > r->rest.n;
    return r->bad ? 0 : n;
}

static void get_lists(Reading *r, Arena *into, Manifest *out)
{
    out->n = get_count(r);
    out->segs = NEW_ARRAY(into, ManifestSegment, out->n + 1);
    for (uint32_t i = 0; i < out->n && !r->bad; i++)
        get_segment(r, &out->segs[i], into);
    out->vectors_n = get_count(r);
    out->vectors = NEW_ARRAY(into, ManifestVectors, out->vectors_n + 1);
    for (uint32_t i = 0; i < out->vectors_n && !r->bad; i++) {
        get(r, &out->vectors[i].id, sizeof out->vectors[i].id);
        get(r, &out->vectors[i].bytes, sizeof out->vectors[i].bytes);
    }
}

bool manifest_parse(Str text, Arena *into, Manifest *out)
{
    uint64_t sum;
    uint32_t format;
    char begins[sizeof magic];
    *out = (Manifest){ 0 };
    if (text.n < sizeof sum)
        return false;
    Str body = str_slice(text, 0, text.n - sizeof sum);
    memcpy(&sum, text.p + body.n, sizeof sum);
    Reading r = { .rest = body, .bad = sum != seg_hash(body) };
    get(&r, begins, sizeof begins);
    get(&r, &format, sizeof format);
    if (r.bad || format != MANIFEST_FORMAT || memcmp(begins, magic, sizeof begins) != 0)
        return false;
    get(&r, &out->generation, sizeof out->generation);
    get(&r, out->at.text, sizeof out->at.text);
    get(&r, out->pad, sizeof out->pad);
    get(&r, out->language, sizeof out->language);
    get(&r, &out->told, sizeof out->told);
    out->at.text[sizeof out->at.text - 1] = out->pad[STORE_PAD_ID] = out->language[31] = 0;
    get_lists(&r, into, out);
    return !r.bad && out->generation > 0 && r.rest.n == 0;
}

/* --- Writing ----------------------------------------------------------------------------- */

static void put(Buf *to, const void *from, size_t n)
{
    buf_add(to, (Str){ from, n });
}

static void put_segment(Buf *to, const Segment *s)
{
    uint64_t bytes = s->n;
    put(to, &s->id, sizeof s->id);
    put(to, &bytes, sizeof bytes);
    put(to, &s->rows, sizeof s->rows);
    put(to, &s->dead_n, sizeof s->dead_n);
    for (uint32_t i = 0; s->dead_n && i < s->rows; i++)
        if (seg_dead(s, i))
            put(to, &i, sizeof i);
}

void manifest_write(const Manifest *m, const ManifestFiles *files, Buf *to)
{
    uint32_t format = MANIFEST_FORMAT, n = (uint32_t)files->n, vectors = (uint32_t)files->vectors_n;
    to->max = SIZE_MAX / 2;
    put(to, magic, sizeof magic);
    put(to, &format, sizeof format);
    put(to, &m->generation, sizeof m->generation);
    put(to, m->at.text, sizeof m->at.text);
    put(to, m->pad, sizeof m->pad);
    put(to, m->language, sizeof m->language);
    put(to, &m->told, sizeof m->told);
    put(to, &n, sizeof n);
    for (size_t i = 0; i < files->n; i++)
        put_segment(to, &files->segs[i]);
    put(to, &vectors, sizeof vectors);
    for (size_t i = 0; i < files->vectors_n; i++) {
        put(to, &files->vectors[i].id, sizeof files->vectors[i].id);
        put(to, &files->vectors[i].bytes, sizeof files->vectors[i].bytes);
    }
    uint64_t sum = seg_hash(buf_str(to));
    put(to, &sum, sizeof sum);
}
