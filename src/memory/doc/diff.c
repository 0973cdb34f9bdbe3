/* diff.c - line diff: Myers' O(ND) in linear space, on numbers that stand for lines.
 *
 *   1. Equal ends are cut off as bytes; most diffs of notes are nearly done then.
 *   2. Each distinct line of the rest becomes a number.
 *   3. A line that the other side does not have at all is changed, whatever else
 *      is; it is taken out, so that the search sees only lines that may match.
 *   4. A diff is a path through the grid of both sides: right removes a line of a, down
 *      adds one of b, diagonal keeps one that both have.  The search walks from both
 *      corners at once, by number of changes, until the two meet; there it splits, and
 *      continues in both halves (the smaller by recursion, so the stack is logarithmic).
 *
 *              a  x  b  c                  the path:   keep a, remove x, keep b,
 *            +--+--+--+--+                             add y, keep c
 *          a | \|  |  |  |
 *            +--+--+--+--+                 the middle: where the walk from the upper
 *          b |  |--| \|  |                 left corner and the one from the lower
 *            +--+--+--+--+                 right have made as many changes and meet
 *          y |  |  |  ||  |
 *            +--+--+--+--+
 *          c |  |  |  | \|
 *            +--+--+--+--+
 *
 * Two things bound the work.  A split that takes too many steps is made at the
 * furthest point reached so far: no longer a shortest path, still a path.  And
 * when DIFF_WORK_MAX steps are spent, the boxes that are left are all change.
 * Whatever was cut short, unchanged lines are equal and in the same order on
 * both sides, which is all that a right diff is. */
#include "memory/doc/diff.h"

#include <assert.h>
#include <string.h>

enum { SPLIT_STEPS_MIN = 256 };

/* --- Lines ------------------------------------------------------------------------------- */

DiffLines lines_of(Str text, Arena *into)
{
    assert(text.n < UINT32_MAX);
    size_t n = 0;
    for (Str rest = text; rest.n; n++)
        rest = str_from(rest, str_find(rest, '\n') + 1);
    DiffLines l = { .text = text, .n = n, .at = NEW_ARRAY(into, uint32_t, n + 1) };
    for (size_t i = 0, at = 0; i < n; i++) {
        l.at[i] = (uint32_t)at;
        at += str_find(str_from(text, at), '\n') + 1;
    }
    l.at[n] = (uint32_t)text.n;
    return l;
}

Str lines_slice(const DiffLines *l, size_t from, size_t to)
{
    assert(from <= to && to <= l->n);
    return str_slice(l->text, l->at[from], l->at[to]);
}

static Str line(const DiffLines *l, size_t i)
{
    return lines_slice(l, i, i + 1);
}

/* --- Numbers for lines ----------------------------------------------------------------- */

/* One side of the search. */
typedef struct Side {
    uint32_t *ids;   /* a number for each line looked at */
    uint32_t *where; /* which line of the text it is */
    size_t n;
    bool *changed; /* of the whole text, a flag a line */
} Side;

typedef struct Search {
    Side a, b;
    int32_t *forward, *backward; /* furthest x on each diagonal, from the two corners */
    size_t work;                 /* steps spent */
    bool coarse;
} Search;

/* A distinct line, and how often each side has it. */
typedef struct Word {
    Str text;
    uint32_t in_a, in_b;
} Word;

typedef struct Words {
    Word *items;
    uint32_t n;
    uint32_t *slots; /* number + 1, or 0 */
    size_t mask;
} Words;

static size_t hash_line(Str s)
{
    uint64_t h = 0x9E3779B97F4A7C15u ^ s.n;
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001B3u;
    return (size_t)(h ^ (h >> 29));
}

static uint32_t word_of(Words *w, Str text, size_t *work)
{
    assert(w->n <= w->mask); /* a slot is free, and ends the search */
    size_t at = hash_line(text) & w->mask;
    for (; w->slots[at]; at = (at + 1) & w->mask, ++*work)
        if (str_eq(w->items[w->slots[at] - 1].text, text))
            return w->slots[at] - 1;
    w->items[w->n].text = text;
    w->slots[at] = ++w->n;
    return w->n - 1;
}

static size_t power_above(size_t n)
{
    size_t p = 16;
    while (p < n)
        p *= 2;
    return p;
}

/* Number the lines [from, from + n) of one side. */
static bool number(Words *w, const DiffLines *l, size_t from, size_t n, Side *s, size_t *work)
{
    for (size_t i = 0; i < n && *work < DIFF_WORK_MAX; i++, s->n++) {
        s->ids[i] = word_of(w, line(l, from + i), work);
        s->where[i] = (uint32_t)(from + i);
    }
    return s->n == n;
}

/* Leave out what the other side does not have: that is changed in any case. */
static void drop_single(Side *s, const Words *w, bool is_a)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        const Word *word = &w->items[s->ids[i]];
        if (is_a ? word->in_b : word->in_a) {
            s->ids[kept] = s->ids[i];
            s->where[kept++] = s->where[i];
        } else {
            s->changed[s->where[i]] = true;
        }
    }
    assert(kept <= s->n);
    s->n = kept;
}

/* --- The search ------------------------------------------------------------------------ */

/* A rectangle of the grid: x runs over a, y over b. */
typedef struct Box {
    int32_t x0, x1, y0, y1;
} Box;

static int32_t steps_allowed(Box b)
{
    int64_t area = (int64_t)(b.x1 - b.x0) + (b.y1 - b.y0);
    int32_t root = SPLIT_STEPS_MIN;
    while ((int64_t)root * root < area)
        root += root / 2;
    return root;
}

typedef struct Point {
    int32_t x, y;
    bool found;
} Point;

/* The diagonals (x - y) in use: one more on each side a step, or one less where the box ends. */
typedef struct Range {
    int32_t low, high;
} Range;

static void widen(Range *r, int32_t *furthest, Box b, int32_t outside)
{
    if (r->low > b.x0 - b.y1)
        furthest[--r->low - 1] = outside;
    else
        r->low++;
    if (r->high < b.x1 - b.y0)
        furthest[++r->high + 1] = outside;
    else
        r->high--;
}

/* One more edit from the upper left corner, on every diagonal; found: it met the other search. */
static Point step_forward(Search *s, Box b, Range *mine, const Range *other, bool odd)
{
    int32_t *f = s->forward;
    widen(mine, f, b, -1);
    for (int32_t d = mine->high; d >= mine->low; d -= 2) {
        int32_t x = f[d - 1] >= f[d + 1] ? f[d - 1] + 1 : f[d + 1], start = x;
        for (; x < b.x1 && x - d < b.y1 && s->a.ids[x] == s->b.ids[x - d];)
            x++;
        f[d] = x;
        s->work += 1 + (size_t)(x - start);
        bool inside = x <= b.x1 && x - d <= b.y1;
        if (odd && inside && d >= other->low && d <= other->high && s->backward[d] <= x)
            return (Point){ x, x - d, true };
    }
    return (Point){ 0 };
}

static Point step_backward(Search *s, Box b, Range *mine, const Range *other, bool odd)
{
    int32_t *k = s->backward;
    widen(mine, k, b, INT32_MAX);
    for (int32_t d = mine->high; d >= mine->low; d -= 2) {
        int32_t x = k[d - 1] < k[d + 1] ? k[d - 1] : k[d + 1] - 1, start = x;
        for (; x > b.x0 && x - d > b.y0 && s->a.ids[x - 1] == s->b.ids[x - d - 1];)
            x--;
        k[d] = x;
        s->work += 1 + (size_t)(start - x);
        bool inside = x >= b.x0 && x - d >= b.y0;
        if (!odd && inside && d >= other->low && d <= other->high && x <= s->forward[d])
            return (Point){ x, x - d, true };
    }
    return (Point){ 0 };
}

/* The furthest point of the forward search, for want of a better one. */
static Point furthest(const Search *s, Box b, const Range *r)
{
    Point best = { b.x0, b.y0, false };
    for (int32_t d = r->high; d >= r->low; d -= 2) {
        int32_t x = s->forward[d] < b.x1 ? s->forward[d] : b.x1, y = x - d;
        if (y > b.y1) {
            y = b.y1;
            x = y + d;
        }
        if (x >= b.x0 && y >= b.y0 && x + y > best.x + best.y)
            best = (Point){ x, y, true };
    }
    return best;
}

/* A point on a path through the box, neither of its corners. */
static Point split(Search *s, Box b)
{
    int32_t top = b.x0 - b.y0, bottom = b.x1 - b.y1, allowed = steps_allowed(b);
    Range f = { top, top }, k = { bottom, bottom };
    bool odd = ((top - bottom) & 1) != 0;
    s->forward[top] = b.x0;
    s->backward[bottom] = b.x1;
    for (int32_t step = 0; step < allowed && s->work < DIFF_WORK_MAX; step++) {
        Point p = step_forward(s, b, &f, &k, odd);
        if (!p.found)
            p = step_backward(s, b, &k, &f, odd);
        if (p.found)
            return p;
    }
    return furthest(s, b, &f);
}

static int32_t size_of(Box b)
{
    return b.x1 - b.x0 + b.y1 - b.y0;
}

static void search(Search *s, Box b)
{
    for (;;) {
        assert(b.x0 <= b.x1 && b.y0 <= b.y1);
        /* Cut equal ends off. */
        while (b.x0 < b.x1 && b.y0 < b.y1 && s->a.ids[b.x0] == s->b.ids[b.y0]) {
            b.x0++;
            b.y0++;
        }
        while (b.x0 < b.x1 && b.y0 < b.y1 && s->a.ids[b.x1 - 1] == s->b.ids[b.y1 - 1]) {
            b.x1--;
            b.y1--;
        }
        if (b.x0 == b.x1 || b.y0 == b.y1)
            break;
        Point p = s->work < DIFF_WORK_MAX ? split(s, b) : (Point){ 0 };
        assert(!p.found || (b.x0 <= p.x && p.x <= b.x1 && b.y0 <= p.y && p.y <= b.y1));
        Box upper = { b.x0, p.x, b.y0, p.y }, lower = { p.x, b.x1, p.y, b.y1 };
        if (!p.found || size_of(upper) == 0 || size_of(lower) == 0) {
            s->coarse = true;
            break;
        }
        bool upper_small = size_of(upper) < size_of(lower);
        search(s, upper_small ? upper : lower);
        b = upper_small ? lower : upper;
    }
    /* Nothing in this box is common to both sides. */
    for (int32_t x = b.x0; x < b.x1; x++)
        s->a.changed[s->a.where[x]] = true;
    for (int32_t y = b.y0; y < b.y1; y++)
        s->b.changed[s->b.where[y]] = true;
}

/* --- Putting it together --------------------------------------------------------------- */

static void side_init(Side *s, size_t n, bool *changed, Arena *scratch)
{
    *s = (Side){ .changed = changed };
    s->ids = NEW_ARRAY(scratch, uint32_t, n + 1);
    s->where = NEW_ARRAY(scratch, uint32_t, n + 1);
}

static void change_lines(Search *s, size_t from, size_t a_n, size_t b_n)
{
    memset(s->a.changed + from, true, a_n);
    memset(s->b.changed + from, true, b_n);
    s->coarse = true;
}

/* Find out which of the lines between the equal ends are changed. */
static void compare(const Diff *d, size_t from, size_t a_n, size_t b_n, Search *s, Arena *scratch)
{
    if (a_n > DIFF_LINES_MAX || b_n > DIFF_LINES_MAX) {
        change_lines(s, from, a_n, b_n);
        return;
    }
    Words w = { .items = NEW_ARRAY(scratch, Word, a_n + b_n + 1) };
    w.mask = power_above(2 * (a_n + b_n)) - 1;
    w.slots = NEW_ARRAY(scratch, uint32_t, w.mask + 1);
    side_init(&s->a, a_n, s->a.changed, scratch);
    side_init(&s->b, b_n, s->b.changed, scratch);
    if (!number(&w, &d->a, from, a_n, &s->a, &s->work) ||
        !number(&w, &d->b, from, b_n, &s->b, &s->work)) {
        change_lines(s, from, a_n, b_n);
        return;
    }
    for (size_t i = 0; i < a_n; i++)
        w.items[s->a.ids[i]].in_a++;
    for (size_t i = 0; i < b_n; i++)
        w.items[s->b.ids[i]].in_b++;
    drop_single(&s->a, &w, true);
    drop_single(&s->b, &w, false);
    size_t diagonals = s->a.n + s->b.n + 5;
    s->forward = NEW_ARRAY(scratch, int32_t, diagonals) + s->b.n + 2;
    s->backward = NEW_ARRAY(scratch, int32_t, diagonals) + s->b.n + 2;
    search(s, (Box){ 0, (int32_t)s->a.n, 0, (int32_t)s->b.n });
}

/* How many lines are equal at the beginning, and at the end of what is left. */
static size_t equal_head(const Diff *d)
{
    size_t n = 0, most = d->a.n < d->b.n ? d->a.n : d->b.n;
    while (n < most && str_eq(line(&d->a, n), line(&d->b, n)))
        n++;
    return n;
}

static size_t equal_tail(const Diff *d, size_t head)
{
    assert(head <= d->a.n && head <= d->b.n);
    size_t n = 0, most = (d->a.n < d->b.n ? d->a.n : d->b.n) - head;
    while (n < most && str_eq(line(&d->a, d->a.n - n - 1), line(&d->b, d->b.n - n - 1)))
        n++;
    return n;
}

void diff_make(Str a, Str b, Arena *into, Diff *out)
{
    AUTO(Arena) scratch = { 0 };
    *out = (Diff){ .a = lines_of(a, into), .b = lines_of(b, into) };
    Search s = { 0 };
    s.a.changed = NEW_ARRAY(&scratch, bool, out->a.n + 1);
    s.b.changed = NEW_ARRAY(&scratch, bool, out->b.n + 1);
    size_t head = equal_head(out), tail = equal_tail(out, head);
    assert(head + tail <= out->a.n && head + tail <= out->b.n);
    bool *a_changed = s.a.changed, *b_changed = s.b.changed;
    compare(out, head, out->a.n - head - tail, out->b.n - head - tail, &s, &scratch);
    /* Neighbouring changed lines of either side make one hunk. */
    size_t i = 0, j = 0, cap = 0;
    while (i < out->a.n || j < out->b.n) {
        Hunk h = { .a = i, .b = j };
        while (i < out->a.n && a_changed[i])
            i++;
        while (j < out->b.n && b_changed[j])
            j++;
        h.a_n = i - h.a;
        h.b_n = j - h.b;
        if (h.a_n || h.b_n) {
            out->hunks = arena_grow(into, out->hunks, out->n, &cap, sizeof(Hunk), alignof(Hunk));
            out->hunks[out->n++] = h;
            out->removed += h.a_n;
            out->added += h.b_n;
        } else {
            i++;
            j++;
        }
    }
    assert(i == out->a.n && j == out->b.n); /* what is not changed stands on both sides */
    out->coarse = s.coarse;
}

/* --- As text --------------------------------------------------------------------------- */

static void write_lines(Buf *to, char sign, const DiffLines *l, size_t from, size_t to_line)
{
    for (size_t i = from; i < to_line; i++) {
        buf_add_char(to, sign);
        buf_add(to, line(l, i));
        if (!str_ends(line(l, i), S("\n")))
            buf_add(to, S("\n\\ No newline at end of file\n"));
    }
}

/* A range as `diff -u` counts: from 1, or the line before if it is empty. */
static void write_range(Buf *to, size_t at, size_t n)
{
    buf_addf(to, n == 1 ? "%zu" : "%zu,%zu", n ? at + 1 : at, n);
}

void diff_write(const Diff *d, Str a_name, Str b_name, Buf *to)
{
    if (d->n == 0)
        return;
    buf_addf(to, "--- " STR_FMT "\n+++ " STR_FMT "\n", STR_ARG(a_name), STR_ARG(b_name));
    for (size_t i = 0, end; i < d->n; i = end) {
        for (end = i + 1; end < d->n; end++) {
            size_t gap = d->hunks[end].a - (d->hunks[end - 1].a + d->hunks[end - 1].a_n);
            if (gap > (size_t)2 * DIFF_CONTEXT)
                break;
        }
        /* Hunks [i, end) stand close enough together to share their context. */
        const Hunk *first = &d->hunks[i], *last = &d->hunks[end - 1];
        size_t lead = first->a < DIFF_CONTEXT ? first->a : DIFF_CONTEXT;
        size_t a_end = last->a + last->a_n, left = d->a.n - a_end;
        size_t trail = left < DIFF_CONTEXT ? left : DIFF_CONTEXT;
        size_t a = first->a - lead, b = first->b - lead;
        buf_add(to, S("@@ -"));
        write_range(to, a, a_end + trail - a);
        buf_add(to, S(" +"));
        write_range(to, b, last->b + last->b_n + trail - b);
        buf_add(to, S(" @@\n"));
        for (; i < end; i++) {
            const Hunk *h = &d->hunks[i];
            write_lines(to, ' ', &d->a, a, h->a);
            write_lines(to, '-', &d->a, h->a, h->a + h->a_n);
            write_lines(to, '+', &d->b, h->b, h->b + h->b_n);
            a = h->a + h->a_n;
        }
        write_lines(to, ' ', &d->a, a, a + trail);
    }
}
