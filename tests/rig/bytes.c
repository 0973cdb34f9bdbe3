/* bytes.c - building what a disk may hold of a file, from its synced bytes and the writes since.
 *
 * A byte that did not get there is what it was before, or a zero where there was
 * nothing: a write that is missing is never the bytes of something else. */
#include "rig/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SECTOR = 512 };

static void resize(Buf *b, size_t n)
{
    if (n > b->n) {
        char *room = buf_room(b, n - b->n);
        assert(room);
        memset(room, 0, n - b->n);
        buf_grew(b, n - b->n);
    }
    b->n = n;
}

static void apply_bytes(Buf *b, const Step *s, size_t cut)
{
    if (s->kind == STEP_TRUNCATE) {
        resize(b, (size_t)s->at);
        return;
    }
    size_t n = cut < s->data.n ? cut : s->data.n, end = (size_t)s->at + n;
    if (n == 0)
        return;
    if (end > b->n)
        resize(b, end);
    memcpy(b->p + s->at, s->data.p, n);
}

void file_write(File *f, size_t step)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? f->cap * 2 : 16;
        f->pending = mem_grow(f->pending, f->cap * sizeof *f->pending);
    }
    f->pending[f->n++] = step;
}

void file_settle(File *f, bool failed)
{
    for (size_t i = 0; i < f->n; i++) {
        const Step *s = &f->steps[f->pending[i]];
        apply_bytes(&f->base[1], s, SIZE_MAX);
        if (!failed)
            apply_bytes(&f->base[0], s, SIZE_MAX);
    }
    f->n = 0;
    f->doomed = f->doomed || failed;
    f->settled = (Content){ buf_str(&f->base[1]), bytes_hash(buf_str(&f->base[1])) };
}

void file_init(File *f, const Step *steps, Str bytes)
{
    *f = (File){ .steps = steps };
    buf_add(&f->base[0], bytes);
    buf_add(&f->base[1], bytes);
    file_settle(f, false);
}

void file_done(File *f)
{
    buf_free(&f->base[0]);
    buf_free(&f->base[1]);
    free(f->pending);
}

/* --- Building -------------------------------------------------------------------------- */

/* Up to where the file's old bytes are still on the disk: a cut gives them up. */
static size_t old_end(const File *f, const Variant *v)
{
    size_t end = f->base[!v->lost].n;
    for (size_t i = 0; i < f->n; i++) {
        const Step *s = &f->steps[f->pending[i]];
        if (s->kind == STEP_TRUNCATE && (size_t)s->at < end)
            end = (size_t)s->at;
    }
    return end;
}

/* A byte of a write that did not get there is what it was before, or a zero where there was
 * nothing and only the file's new size has arrived. */
static void lose_bytes(const File *f, const Variant *v, const Step *s, Buf *b)
{
    const Buf *old = &f->base[!v->lost];
    size_t from = v->kind == BYTES_TORN_ZERO ? (size_t)v->arg : 0, keep = old_end(f, v);
    for (size_t i = from; i < s->data.n && (size_t)s->at + i < b->n; i++) {
        size_t at = (size_t)s->at + i;
        if (v->kind != BYTES_PAGES || mix64(v->arg, at / PAGE) & 1)
            b->p[at] = at < keep ? old->p[at] : 0;
    }
}

static void build_into(const File *f, const Variant *v, Buf *b)
{
    buf_add(b, buf_str(&f->base[!v->lost]));
    size_t n = f->n;
    if (v->kind == BYTES_NONE)
        n = 0;
    if (v->kind == BYTES_PREFIX)
        n = (size_t)v->arg;
    for (size_t i = 0; i < n; i++) {
        bool torn = v->kind == BYTES_TORN && i + 1 == n;
        apply_bytes(b, &f->steps[f->pending[i]], torn ? (size_t)v->arg : SIZE_MAX);
    }
    bool holes = v->kind == BYTES_ZEROS || v->kind == BYTES_PAGES;
    for (size_t i = 0; i < f->n; i++) {
        const Step *s = &f->steps[f->pending[i]];
        bool torn = v->kind == BYTES_TORN_ZERO && i + 1 == f->n;
        if (s->kind == STEP_WRITE && (holes || torn))
            lose_bytes(f, v, s, b);
    }
}

static Content *build(const File *f, const Variant *v, Arena *into)
{
    AUTO(Buf) b = { 0 };
    build_into(f, v, &b);
    Content *made = NEW(into, Content);
    made->bytes = arena_copy(into, buf_str(&b));
    made->hash = bytes_hash(made->bytes);
    return made;
}

const Content *file_content(File *f, Arena *into)
{
    if (!f->variants_n)
        return &f->settled;
    if (f->chosen.made)
        return f->chosen.made;
    f->chosen.made = build(f, &f->chosen, into);
    for (size_t j = 0; j < f->variants_n; j++) {
        Variant *v = &f->variants[j];
        if (v->kind == f->chosen.kind && v->arg == f->chosen.arg && v->lost == f->chosen.lost)
            v->made = f->chosen.made;
    }
    return f->chosen.made;
}

/* --- Offering and choosing ------------------------------------------------------------- */

static bool dirty(const File *f)
{
    return f->n > 0 || f->doomed;
}

static const Step *last_pending(const File *f)
{
    return f->n ? &f->steps[f->pending[f->n - 1]] : NULL;
}

static void offer(File *f, VariantKind kind, uint64_t arg)
{
    if (f->variants_n < VARIANTS_MAX)
        f->variants[f->variants_n++] = (Variant){ .kind = kind, .arg = arg };
    if (f->doomed && f->variants_n < VARIANTS_MAX)
        f->variants[f->variants_n++] = (Variant){ .kind = kind, .lost = true, .arg = arg };
}

static void offer_cuts(File *f, const Step *last)
{
    size_t n = last->data.n, to_sector = SECTOR - (size_t)last->at % SECTOR;
    size_t last_sector = ((size_t)last->at + n - 1) / SECTOR * SECTOR;
    size_t cuts[] = { n / 2, 1, n - 1, to_sector, last_sector - (size_t)last->at };
    for (size_t i = 0; i < COUNT_OF(cuts); i++)
        if (cuts[i] > 0 && cuts[i] < n)
            offer(f, BYTES_TORN, cuts[i]);
    offer(f, BYTES_TORN_ZERO, n / 2);
    if (to_sector < n)
        offer(f, BYTES_TORN_ZERO, to_sector);
}

void file_offer(File *f)
{
    f->variants_n = 0;
    if (!dirty(f))
        return;
    offer(f, BYTES_ALL, 0);
    if (f->n == 0)
        return;
    offer(f, BYTES_NONE, 0);
    offer(f, BYTES_ZEROS, 0);
    const Step *last = last_pending(f);
    if (last->kind == STEP_WRITE)
        offer_cuts(f, last);
    if (f->n > 1) {
        offer(f, BYTES_PREFIX, f->n - 1);
        offer(f, BYTES_PREFIX, 1);
        offer(f, BYTES_PREFIX, f->n / 2);
    }
    offer(f, BYTES_PAGES, 1);
    offer(f, BYTES_PAGES, 2);
}

void file_choose(File *f, VariantKind kind)
{
    Variant *found = f->variants_n ? &f->variants[0] : NULL;
    for (size_t j = 0; j < f->variants_n && found->kind != kind; j++)
        if (f->variants[j].kind == kind)
            found = &f->variants[j];
    if (found)
        f->chosen = *found;
}

void file_choose_random(File *f, uint64_t dice, uint64_t arg)
{
    Variant *v = &f->chosen;
    *v = f->variants[dice % f->variants_n];
    if (v->kind != BYTES_TORN && v->kind != BYTES_PAGES && v->kind != BYTES_PREFIX)
        return;
    if (dice >> 62 == 0)
        return;
    v->made = NULL;
    if (v->kind == BYTES_TORN)
        v->arg = 1 + arg % last_pending(f)->data.n;
    if (v->kind == BYTES_PREFIX)
        v->arg = arg % (f->n + 1);
    if (v->kind == BYTES_PAGES)
        v->arg = arg;
}

/* --- In words -------------------------------------------------------------------------- */

void file_describe(const File *f, const char *path, Buf *to)
{
    const Variant *v = &f->chosen;
    unsigned long long arg = v->arg;
    bool whole = v->kind == BYTES_ALL && !v->lost;
    if (!f->variants_n || whole)
        return;
    buf_addf(to, "  %s: ", path);
    if (v->lost)
        buf_addf(to, "without what a failed sync left; ");
    switch (v->kind) {
    case BYTES_ALL:
        buf_addf(to, "all later bytes\n");
        break;
    case BYTES_NONE:
        buf_addf(to, "none of %zu unsynced writes\n", f->n);
        break;
    case BYTES_ZEROS:
        buf_addf(to, "zeros instead of %zu unsynced writes\n", f->n);
        break;
    case BYTES_TORN:
        buf_addf(to, "the last write ends after %llu bytes\n", arg);
        break;
    case BYTES_TORN_ZERO:
        buf_addf(to, "the last write is zeros after %llu bytes\n", arg);
        break;
    case BYTES_PREFIX:
        buf_addf(to, "only %llu of %zu unsynced writes\n", arg, f->n);
        break;
    case BYTES_PAGES:
        buf_addf(to, "some pages of the unsynced writes are missing\n");
        break;
    }
}
