/* tree_diff.c - how one tree differs from another, key by key and element by element.
 *
 * Lists and texts are compared by their longest common subsequence, after what
 * they have in common at both ends is left out; a pair that is too long for
 * that is one change.  The recursion is bounded by YAML_DEPTH_MAX. */
#include "memory/cycle/tree_diff.h"

#include <assert.h>
#include <string.h>

#include "memory/cycle/cycle_state.h"

enum { TABLE_MAX = 1000 * 1000, SHOWN_CHARS = 300 };

typedef struct Diff {
    Arena *into;
    TreeDiff out;
} Diff;

/* --- Showing ----------------------------------------------------------------------------- */

static Str show(Arena *into, const Yaml *y)
{
    AUTO(Buf) text = { .max = YAML_BYTES_MAX };
    if (y->kind == YAML_SCALAR)
        return cycle_state_line(into, y->type == YAML_NULL ? S("null") : y->text, SHOWN_CHARS);
    if (y->n == 0)
        return y->kind == YAML_LIST ? S("[]") : S("{}");
    Err ignored = { 0 };
    if (yaml_write(&text, y, &ignored) != JOT_OK)
        return S("(too big)");
    Str shown = buf_str(&text);
    while (shown.n && shown.p[shown.n - 1] == '\n')
        shown.n--;
    return cycle_state_line(into, shown, SHOWN_CHARS);
}

static void add(Diff *d, ChangeKind kind, Str path, Str was, Str is)
{
    TreeDiff *out = &d->out;
    out->items =
        arena_grow(d->into, out->items, out->n, &out->cap, sizeof *out->items, alignof(TreeChange));
    out->items[out->n++] = (TreeChange){ kind, path, was, is };
}

static void added(Diff *d, Str path, Str is)
{
    add(d, CHANGE_ADDED, path, (Str){ 0 }, is);
}

static void removed(Diff *d, Str path, Str was)
{
    add(d, CHANGE_REMOVED, path, was, (Str){ 0 });
}

/* --- Sequences --------------------------------------------------------------------------- */

/* Two sequences of things that are equal or not. */
typedef struct Pair {
    const void *a, *b;
    size_t a_n, b_n;
    bool (*same)(const struct Pair *p, size_t i, size_t k);
    Str (*shown)(const struct Pair *p, bool old, size_t i, Arena *into);
} Pair;

static Str place(Diff *d, Str path, size_t i)
{
    return arena_printf(d->into, STR_FMT "[%zu]", STR_ARG(path), i);
}

/* The middle parts [i, ie) and [i, ke), which differ at both ends.
 *
 * best[r][c] is how many items the rest of both sides, from row r and column c on, have in common:
 * one more than best[r + 1][c + 1] where the two items are the same, else the better of the row
 * below and the column to the right.  Walking from the upper left corner along the best gives the
 * shortest list of changes. */
static void walk_table(Diff *d, const Pair *p, Str path, size_t i, size_t ie, size_t ke)
{
    AUTO(Arena) scratch = { 0 };
    assert(i <= ie && ie <= p->a_n && i <= ke && ke <= p->b_n);
    size_t rows = ie - i, columns = ke - i, wide = columns + 1;
    uint32_t *best = NEW_ARRAY(&scratch, uint32_t, (rows + 1) * wide);
    for (size_t r = rows; r-- > 0;)
        for (size_t c = columns; c-- > 0;) {
            uint32_t down = best[(r + 1) * wide + c], right = best[r * wide + c + 1];
            best[r * wide + c] = p->same(p, i + r, i + c) ? best[(r + 1) * wide + c + 1] + 1
                                 : down > right           ? down
                                                          : right;
        }
    size_t r = 0, c = 0;
    while (r < rows || c < columns) {
        bool both = r < rows && c < columns;
        if (both && p->same(p, i + r, i + c)) {
            r++;
            c++;
        } else if (c == columns || (both && best[(r + 1) * wide + c] >= best[r * wide + c + 1])) {
            removed(d, place(d, path, i + r), p->shown(p, true, i + r, d->into));
            r++;
        } else {
            added(d, place(d, path, i + c), p->shown(p, false, i + c, d->into));
            c++;
        }
    }
}

/* False if the two are too long to be compared. */
static bool diff_pair(Diff *d, const Pair *p, Str path)
{
    size_t i = 0, ie = p->a_n, ke = p->b_n;
    while (i < ie && i < ke && p->same(p, i, i))
        i++;
    while (ie > i && ke > i && p->same(p, ie - 1, ke - 1)) {
        ie--;
        ke--;
    }
    if ((ie - i + 1) > TABLE_MAX / (ke - i + 1))
        return false;
    walk_table(d, p, path, i, ie, ke);
    return true;
}

static bool same_items(const Pair *p, size_t i, size_t k)
{
    const Yaml *a = p->a, *b = p->b;
    return yaml_eq(a->items[i], b->items[k]);
}

static Str shown_item(const Pair *p, bool old, size_t i, Arena *into)
{
    const Yaml *list = old ? p->a : p->b;
    return show(into, list->items[i]);
}

static bool same_lines(const Pair *p, size_t i, size_t k)
{
    const Str *a = p->a, *b = p->b;
    return str_eq(a[i], b[k]);
}

static Str shown_line(const Pair *p, bool old, size_t i, Arena *into)
{
    const Str *lines = old ? p->a : p->b;
    return cycle_state_line(into, lines[i], SHOWN_CHARS);
}

static Str *split(Str text, size_t *n, Arena *into)
{
    Str *lines = NULL, line;
    size_t cap = 0;
    *n = 0;
    while (text.n) {
        if (!str_cut(&text, '\n', &line)) {
            line = text;
            text = (Str){ 0 };
        }
        lines = arena_grow(into, lines, *n, &cap, sizeof *lines, alignof(Str));
        lines[(*n)++] = line;
    }
    return lines;
}

/* --- Trees ------------------------------------------------------------------------------- */

static bool diff_lists(Diff *d, Str path, const Yaml *was, const Yaml *is)
{
    Pair p = { was, is, was->n, is->n, same_items, shown_item };
    return diff_pair(d, &p, path);
}

static bool has_lines(const Yaml *y)
{
    return y->kind == YAML_SCALAR && y->type == YAML_STRING;
}

static bool diff_lines(Diff *d, Str path, const Yaml *was, const Yaml *is)
{
    AUTO(Arena) scratch = { 0 };
    bool one = str_find(was->text, '\n') == was->text.n && str_find(is->text, '\n') == is->text.n;
    if (one)
        return false;
    Pair p = { .same = same_lines, .shown = shown_line };
    p.a = split(was->text, &p.a_n, &scratch);
    p.b = split(is->text, &p.b_n, &scratch);
    return diff_pair(d, &p, path);
}

static void diff_maps(Diff *d, Str path, const Yaml *was, const Yaml *is);

static void diff_value(Diff *d, Str path, /* NOLINT(misc-no-recursion): bounded depth */
                       const Yaml *was, const Yaml *is)
{
    if (yaml_eq(was, is))
        return;
    if (was->kind == YAML_MAP && is->kind == YAML_MAP) {
        diff_maps(d, path, was, is);
        return;
    }
    size_t before = d->out.n;
    bool told = (was->kind == YAML_LIST && is->kind == YAML_LIST && diff_lists(d, path, was, is)) ||
                (has_lines(was) && has_lines(is) && diff_lines(d, path, was, is));
    if (!told || d->out.n == before)
        add(d, CHANGE_CHANGED, path, show(d->into, was), show(d->into, is));
}

static Str below(Diff *d, Str path, Str key)
{
    Str shown = cycle_state_line(d->into, key, SHOWN_CHARS);
    return arena_printf(d->into, STR_FMT "%s" STR_FMT, STR_ARG(path), path.n ? "." : "",
                        STR_ARG(shown));
}

static void diff_maps(Diff *d, Str path, /* NOLINT(misc-no-recursion): bounded depth */
                      const Yaml *was, const Yaml *is)
{
    for (size_t i = 0; i < is->n; i++) {
        const Yaml *old = yaml_get(was, is->pairs[i].key);
        if (path.n == 0 && str_eq(is->pairs[i].key, S("last_updated")))
            continue;
        Str at = below(d, path, is->pairs[i].key);
        if (old)
            diff_value(d, at, old, is->pairs[i].value);
        else
            added(d, at, show(d->into, is->pairs[i].value));
    }
    for (size_t i = 0; i < was->n; i++)
        if (!yaml_get(is, was->pairs[i].key))
            removed(d, below(d, path, was->pairs[i].key), show(d->into, was->pairs[i].value));
}

TreeDiff tree_diff(const Yaml *before, const Yaml *after, Arena *into)
{
    Diff d = { .into = into };
    if (before->kind == YAML_MAP && after->kind == YAML_MAP)
        diff_maps(&d, (Str){ 0 }, before, after);
    else
        diff_value(&d, S("(all)"), before, after);
    return d.out;
}

json_t *tree_diff_json(const TreeDiff *d)
{
    static const char *const names[] = {
        [CHANGE_ADDED] = "added", [CHANGE_REMOVED] = "removed", [CHANGE_CHANGED] = "changed"
    };
    json_t *out = json_array();
    for (size_t i = 0; i < d->n; i++) {
        const TreeChange *c = &d->items[i];
        json_t *one =
            json_pack("{s:s, s:s%}", "change", names[c->kind], "path", c->path.p, c->path.n);
        if (c->kind != CHANGE_ADDED)
            json_object_set_new(one, "was", json_stringn(c->was.n ? c->was.p : "", c->was.n));
        if (c->kind != CHANGE_REMOVED)
            json_object_set_new(one, "is", json_stringn(c->is.n ? c->is.p : "", c->is.n));
        json_array_append_new(out, one);
    }
    return out;
}
