/* diff_merge.c - two changes of one text, made one: the classical three-way merge by lines.
 *
 * Both changes are diffs of the base.  Hunks of one side that overlap or touch
 * hunks of the other form a region:
 *
 *     base     1  2  3  4  5  6  7  8  9
 *     mine        [====]        [=]
 *     theirs            [=]           [=]
 *     regions     [=======]     [=]   [=]
 *                 conflict      mine  theirs
 *
 * Outside of regions the text is the base's, a region that only one side changed is
 * that side's, one that both changed alike is taken once, and any other is a
 * conflict.  So merge(b, b, x) = merge(b, x, b) = merge(b, x, x) = x, whatever the
 * diffs are, coarse ones included. */
#include "memory/doc/diff.h"

#include <assert.h>

/* One side's way through the base. */
typedef struct Way {
    const Diff *d;
    size_t next;    /* the first hunk not yet taken */
    size_t taken;   /* hunks in the present region */
    size_t b_begin; /* where the present region begins in this side's text */
    size_t b_end;   /* ... and, when it is complete, where it ends */
} Way;

static const Hunk *upcoming(const Way *w)
{
    return w->next < w->d->n ? &w->d->hunks[w->next] : NULL;
}

/* Where line `at` of the base is on this side, if it lies after all hunks taken so far. */
static size_t place(const Way *w, size_t at)
{
    if (w->next == 0)
        return at;
    const Hunk *h = &w->d->hunks[w->next - 1];
    return h->b + h->b_n + (at - (h->a + h->a_n));
}

/* Take the next hunk if it touches what ends at `*end`. */
static bool take(Way *w, size_t *end)
{
    const Hunk *h = upcoming(w);
    if (!h || h->a > *end)
        return false;
    w->next++;
    w->taken++;
    if (h->a + h->a_n > *end)
        *end = h->a + h->a_n;
    return true;
}

static Str part(const Way *w)
{
    return lines_slice(&w->d->b, w->b_begin, w->b_end);
}

static void add_side(Buf *to, Str text)
{
    buf_add(to, text);
    if (text.n && !str_ends(text, S("\n")))
        buf_add_char(to, '\n');
}

static void write_region(const Way *mine, const Way *theirs, Buf *to, Merge *out)
{
    if (mine->taken == 0 || (theirs->taken && str_eq(part(mine), part(theirs)))) {
        buf_add(to, part(theirs));
    } else if (theirs->taken == 0) {
        buf_add(to, part(mine));
    } else {
        out->conflicts++;
        buf_add(to, S("<<<<<<< mine\n"));
        add_side(to, part(mine));
        buf_add(to, S("=======\n"));
        add_side(to, part(theirs));
        buf_add(to, S(">>>>>>> theirs\n"));
    }
}

/* Where the next change of either side begins; the base's end if there is none. */
static size_t next_change(const Way *mine, const Way *theirs)
{
    size_t at = mine->d->a.n;
    const Hunk *m = upcoming(mine), *t = upcoming(theirs);
    if (m && m->a < at)
        at = m->a;
    return t && t->a < at ? t->a : at;
}

void diff_merge(Str base, Str mine, Str theirs, Arena *into, Merge *out)
{
    AUTO(Arena) scratch = { 0 };
    AUTO(Buf) text = { 0 };
    Diff m, t;
    diff_make(base, mine, &scratch, &m);
    diff_make(base, theirs, &scratch, &t);
    Way left = { .d = &m }, right = { .d = &t };
    *out = (Merge){ 0 };
    size_t at = 0;
    while (upcoming(&left) || upcoming(&right)) {
        size_t begin = next_change(&left, &right), end = begin;
        assert(at <= begin && begin <= m.a.n);
        buf_add(&text, lines_slice(&m.a, at, begin));
        left.taken = right.taken = 0;
        left.b_begin = place(&left, begin);
        right.b_begin = place(&right, begin);
        while (take(&left, &end) || take(&right, &end))
            continue;
        assert(left.taken + right.taken > 0 && end <= m.a.n);
        left.b_end = place(&left, end);
        right.b_end = place(&right, end);
        write_region(&left, &right, &text, out);
        at = end;
    }
    buf_add(&text, lines_slice(&m.a, at, m.a.n));
    out->text = arena_copy(into, buf_str(&text));
}
