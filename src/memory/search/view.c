/* view.c - putting the rows of segments into one order.
 *
 *     segment 0        segment 1             the view
 *     rows 0 1 2 3     rows 4 5              place   0  1  2  3  4
 *          a c x d          b e              row_at  0  4  1  3  5      x is dead: no place
 *
 * The rows of a segment are in order already, and mostly all of the next one come after them, so
 * a segment is appended; where they do not, each row is looked up from where the one before went,
 * with steps that double (put_between), which costs little where few rows go far in.  One segment
 * without dead rows is its own view, and nothing is copied.
 *
 * Sessions are made again from the rows in their order: two segments may each have a part of one.
 */
#include "memory/search/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t segment_of(const View *v, uint32_t row)
{
    assert(v->n > 0);
    size_t low = 0, high = v->n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (v->base[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool load(const View *v, uint32_t row, SegRow *out, Segment **seg)
{
    size_t i = segment_of(v, row);
    *seg = &v->segs[i];
    return seg_row(*seg, row - v->base[i], out);
}

bool view_row(const View *v, uint32_t place, SegRow *out, Segment **seg)
{
    return load(v, v->row_at ? v->row_at[place] : place, out, seg);
}

Str view_name(const View *v, uint32_t place, Arena *into)
{
    SegRow r;
    Segment *seg;
    return view_row(v, place, &r, &seg) ? seg_stream_name(seg, r.stream, into) : (Str){ 0 };
}

/* --- The order --------------------------------------------------------------------------- */

static int compare_streams(Segment *a, const SegRow *x, Segment *b, const SegRow *y)
{
    AUTO(Arena) arena = { 0 };
    if (a == b)
        return (x->stream > y->stream) - (x->stream < y->stream);
    return str_cmp(seg_stream_name(a, x->stream, &arena), seg_stream_name(b, y->stream, &arena));
}

/* As draft.c has it for the rows of one segment. */
static int compare(const View *v, uint32_t row, uint32_t other)
{
    SegRow x, y;
    Segment *a, *b;
    if (!load(v, row, &x, &a) || !load(v, other, &y, &b))
        return 0;
    int log_x = x.flags & ROW_LOG, log_y = y.flags & ROW_LOG;
    if (log_x != log_y)
        return log_x ? 1 : -1;
    if (!log_x && x.at_ms != y.at_ms)
        return x.at_ms < y.at_ms ? -1 : 1;
    int streams = compare_streams(a, &x, b, &y);
    return streams ? streams : (x.seq > y.seq) - (x.seq < y.seq);
}

/* How many of the rows from `from` on come before this one. */
static size_t rows_before(const View *v, const uint32_t *rows, size_t from, size_t n, uint32_t row)
{
    size_t low = from, step = 1;
    while (low + step < n && compare(v, rows[low + step], row) < 0) {
        low += step;
        step *= 2;
    }
    size_t high = low + step < n ? low + step : n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(v, rows[middle], row) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Put the rows of one more segment between those that are in order already. */
static void put_between(View *v, const uint32_t *fresh, size_t fresh_n, uint32_t *spare)
{
    size_t from = 0, to = 0;
    for (size_t i = 0; i < fresh_n; i++) {
        size_t next = rows_before(v, v->row_at, from, v->rows, fresh[i]);
        assert(from <= next && next <= v->rows);
        memcpy(spare + to, v->row_at + from, (next - from) * sizeof *spare);
        to += next - from;
        from = next;
        spare[to++] = fresh[i];
    }
    memcpy(spare + to, v->row_at + from, (v->rows - from) * sizeof *spare);
    v->rows += (uint32_t)fresh_n;
    memcpy(v->row_at, spare, v->rows * sizeof *spare);
}

static void add_segment(View *v, size_t i, uint32_t *fresh, uint32_t *spare)
{
    const Segment *s = &v->segs[i];
    size_t n = 0;
    for (uint32_t r = 0; r < s->rows; r++)
        if (!seg_dead(s, r))
            fresh[n++] = v->base[i] + r;
    if (n && v->rows && compare(v, v->row_at[v->rows - 1], fresh[0]) > 0) {
        put_between(v, fresh, n, spare);
        return;
    }
    memcpy(v->row_at + v->rows, fresh, n * sizeof *fresh);
    v->rows += (uint32_t)n;
}

static void find_places(View *v, uint32_t all)
{
    memset(v->place_of, 0xFF, all * sizeof *v->place_of);
    for (uint32_t p = 0; p < v->rows; p++)
        v->place_of[v->row_at[p]] = p;
}

/* --- Sessions ---------------------------------------------------------------------------- */

/* Does the row at this place go on with the session of the one before it? */
static bool goes_on(const View *v, uint32_t place, const uint32_t *const *session_of)
{
    uint32_t row = v->row_at[place], before = v->row_at[place - 1];
    size_t i = segment_of(v, row);
    if (row == before + 1 && row > v->base[i])
        return session_of[i][row - v->base[i]] == session_of[i][before - v->base[i]];
    SegRow x, y;
    Segment *a, *b;
    if (!load(v, before, &x, &a) || !load(v, row, &y, &b))
        return false;
    bool logs = (x.flags & ROW_LOG) && (y.flags & ROW_LOG);
    return seg_same_session(&x, &y, logs && compare_streams(a, &x, b, &y) == 0);
}

static bool fill(View *v)
{
    const uint16_t **norms_in = NEW_ARRAY(&v->arena, const uint16_t *, v->n);
    const uint32_t **session_in = NEW_ARRAY(&v->arena, const uint32_t *, v->n);
    uint16_t *norms = NEW_ARRAY(&v->arena, uint16_t, v->rows + 1);
    uint32_t *session_of = NEW_ARRAY(&v->arena, uint32_t, v->rows + 1);
    SegSession *sessions = NEW_ARRAY(&v->arena, SegSession, v->rows + 1);
    for (size_t i = 0; i < v->n; i++) {
        norms_in[i] = seg_norms(&v->segs[i]);
        session_in[i] = seg_session_of(&v->segs[i]);
        if (!norms_in[i] || !session_in[i])
            return false;
    }
    for (uint32_t p = 0; p < v->rows; p++) {
        size_t i = segment_of(v, v->row_at[p]);
        norms[p] = norms_in[i][v->row_at[p] - v->base[i]];
        if (p == 0 || !goes_on(v, p, session_in))
            sessions[v->sessions_n++] = (SegSession){ .first = p };
        session_of[p] = v->sessions_n - 1;
        sessions[v->sessions_n - 1].len += norm_len((uint8_t)norms[p]);
    }
    assert(v->sessions_n <= v->rows);
    v->norms = norms;
    v->session_of = session_of;
    v->sessions = sessions;
    return true;
}

/* --- All of it --------------------------------------------------------------------------- */

static bool take_single(View *v)
{
    Segment *s = &v->segs[0];
    v->rows = s->rows;
    v->norms = seg_norms(s);
    v->session_of = seg_session_of(s);
    v->sessions = seg_sessions(s);
    v->sessions_n = s->sessions;
    return !s->bad;
}

static bool take_several(View *v, uint32_t all)
{
    v->row_at = NEW_ARRAY(&v->arena, uint32_t, all + 1);
    v->place_of = NEW_ARRAY(&v->arena, uint32_t, all + 1);
    AUTO(Arena) arena = { 0 };
    uint32_t *fresh = NEW_ARRAY(&arena, uint32_t, (size_t)all + 1);
    uint32_t *spare = NEW_ARRAY(&arena, uint32_t, (size_t)all + 1);
    for (size_t i = 0; i < v->n; i++)
        add_segment(v, i, fresh, spare);
    find_places(v, all);
    return fill(v);
}

/* Documents come first: where do they end? */
static bool count_documents(View *v)
{
    uint32_t low = 0, high = v->sessions_n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        SegRow r;
        Segment *seg;
        if (!view_row(v, v->sessions[middle].first, &r, &seg))
            return false;
        if (r.flags & ROW_LOG)
            high = middle;
        else
            low = middle + 1;
    }
    assert(low <= v->sessions_n);
    v->documents_n = low;
    return true;
}

static bool has_grams(const View *v)
{
    char from[] = { KEY_GRAM };
    SegKeys k;
    for (size_t i = 0; i < v->n; i++)
        if (seg_keys_from(&k, &v->segs[i], (Str){ from, 1 }) && k.key[0] == KEY_GRAM)
            return true;
    return false;
}

bool view_make(View *v, Segment *segs, size_t n)
{
    static _Atomic uint64_t numbers;
    uint32_t all = 0;
    *v = (View){ .segs = segs, .n = n, .number = ++numbers };
    v->base = NEW_ARRAY(&v->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        v->base[i] = all;
        all += segs[i].rows;
    }
    bool good = n == 1 && segs[0].dead_n == 0 ? take_single(v) : take_several(v, all);
    good = good && count_documents(v);
    v->grams = good && has_grams(v);
    for (size_t i = 0; i < n; i++)
        good = good && !segs[i].bad;
    return good;
}

void view_free(View *v)
{
    arena_free(&v->arena);
    *v = (View){ 0 };
}

/* --- Keys -------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    uint32_t x = ((const ViewPost *)a)->place, y = ((const ViewPost *)b)->place;
    return (x > y) - (x < y);
}

_Static_assert(sizeof(ViewPost) == sizeof(SegPost), "rows become places where they lie");

bool view_posts(const View *v, Str key, Arena *into, ViewPosts *out)
{
    SegTerm *terms = NEW_ARRAY(into, SegTerm, v->n + 1);
    size_t all = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!seg_find(&v->segs[i], key, &terms[i]))
            terms[i].n = 0;
        if (v->segs[i].bad)
            return false;
        all += terms[i].n;
    }
    *out = (ViewPosts){ .items = NEW_ARRAY(into, ViewPost, all + 1) };
    bool ordered = true;
    for (size_t i = 0; i < v->n; i++) {
        SegPost *raw = (SegPost *)(void *)(out->items + out->n);
        size_t n = terms[i].n ? seg_posts(&v->segs[i], &terms[i], raw) : 0;
        if (!v->place_of)
            out->n = n;
        for (size_t k = 0; v->place_of && k < n; k++) {
            uint32_t place = v->place_of[v->base[i] + raw[k].row];
            if (place == NO_PLACE)
                continue;
            ordered = ordered && (out->n == 0 || out->items[out->n - 1].place < place);
            out->items[out->n++] = (ViewPost){ place, raw[k].bits };
        }
        if (v->segs[i].bad)
            return false;
    }
    if (!ordered)
        qsort(out->items, out->n, sizeof *out->items, by_place);
    return true;
}

bool view_term(const View *v, Str key, ViewTerm *out)
{
    *out = (ViewTerm){ 0 };
    if (v->place_of || v->n != 1 || !seg_find(&v->segs[0], key, &out->term))
        return false;
    return (!out->term.summed || seg_sums(&v->segs[0], &out->term, &out->sums)) &&
           (!out->term.dense || seg_dense(&v->segs[0], &out->term, &out->dense));
}

/* In steps that double, then by halves, for what is looked for is few and postings may be many. */
size_t view_post_at(const ViewPosts *posts, size_t from, uint32_t place)
{
    size_t low = from, step = 1;
    while (low + step <= posts->n && posts->items[low + step - 1].place < place) {
        low += step;
        step *= 2;
    }
    size_t high = low + step - 1 < posts->n ? low + step - 1 : posts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (posts->items[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
