/* cycle_state_merge.c - a person's edit and a cycle's work, joined key by key.
 *
 * The person's document gives the order of the keys.  Lists are joined as sets
 * that keep their order: the queue a cycle took a task from may have got a new
 * one meanwhile.  Where two values exclude each other the person's stands: he
 * can see the file, and the cycle's value is in the notes for both. */
#include <assert.h>

#include "memory/cycle_state.h"

/* Joining lists compares each with each. */
enum { LIST_MAX = 2000 };

typedef struct Merge {
    Arena *a;
    size_t clashes;
    Yaml *lost; /* of [CONFLICT] lines, texts */
} Merge;

static bool same(const Yaml *a, const Yaml *b)
{
    return a && b ? yaml_eq(a, b) : !a && !b;
}

static bool holds(const Yaml *list, const Yaml *item)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (yaml_eq(list->items[i], item))
            return true;
    return false;
}

static bool short_list(const Yaml *y)
{
    return y && y->kind == YAML_LIST && y->n <= LIST_MAX;
}

static Yaml *merge_lists(Merge *m, const Yaml *base, const Yaml *ours, const Yaml *theirs)
{
    Yaml *out = yaml_list(m->a);
    for (size_t i = 0; i < theirs->n; i++)
        if (!holds(base, theirs->items[i]) || holds(ours, theirs->items[i]))
            yaml_add(m->a, out, theirs->items[i]);
    for (size_t i = 0; i < ours->n; i++)
        if (!holds(base, ours->items[i]) && !holds(theirs, ours->items[i]))
            yaml_add(m->a, out, ours->items[i]);
    return out;
}

static bool is_text(const Yaml *y)
{
    return y && y->kind == YAML_SCALAR && y->type == YAML_STRING;
}

/* Both wrote to the same text: if one of them only added to it, that can be added to the other's.
 * NULL if neither did. */
static Yaml *merge_notes(Merge *m, const Yaml *base, const Yaml *ours, const Yaml *theirs)
{
    Str b = is_text(base) ? base->text : (Str){ 0 };
    bool ours_adds = str_starts(ours->text, b), theirs_adds = str_starts(theirs->text, b);
    if (!ours_adds && !theirs_adds)
        return NULL;
    Str first = ours_adds ? theirs->text : ours->text;
    Str more = str_from(ours_adds ? ours->text : theirs->text, b.n);
    bool apart = first.n && first.p[first.n - 1] != '\n' && !str_starts(more, S("\n"));
    return yaml_text(m->a, arena_printf(m->a, STR_FMT "%s" STR_FMT, STR_ARG(first),
                                        apart ? "\n" : "", STR_ARG(more)));
}

static Str shown(Merge *m, const Yaml *y)
{
    AUTO(Buf) text = { .max = CYCLE_STATE_BYTES_MAX };
    if (!y)
        return S("(removed)");
    if (y->kind == YAML_SCALAR)
        return cycle_state_line(m->a, y->text, CYCLE_STATE_LINE_CHARS);
    Err ignored = { 0 };
    bool written = yaml_write(&text, y, &ignored) == JOT_OK;
    return written ? cycle_state_line(m->a, buf_str(&text), CYCLE_STATE_LINE_CHARS)
                   : S("(too big)");
}

static void clash(Merge *m, Str key, const Yaml *ours)
{
    m->clashes++;
    Str line = arena_printf(
        m->a, "[CONFLICT] " STR_FMT ": a person's edit was kept, the cycle had: " STR_FMT,
        STR_ARG(cycle_state_line(m->a, key, CYCLE_STATE_LINE_CHARS)), STR_ARG(shown(m, ours)));
    yaml_add(m->a, m->lost, yaml_text(m->a, line));
}

static Yaml *merge_maps(Merge *m, const Yaml *base, const Yaml *ours, const Yaml *theirs);

/* The value of one key; NULL: it goes. */
static const Yaml *merge_value(Merge *m, Str key, /* NOLINT(misc-no-recursion): bounded depth */
                               const Yaml *base, const Yaml *ours, const Yaml *theirs)
{
    if (same(ours, theirs) || same(base, ours))
        return theirs;
    if (same(base, theirs))
        return ours;
    if (short_list(ours) && short_list(theirs))
        return merge_lists(m, short_list(base) ? base : NULL, ours, theirs);
    if (ours && theirs && ours->kind == YAML_MAP && theirs->kind == YAML_MAP)
        return merge_maps(m, base, ours, theirs);
    const Yaml *joined = NULL;
    if (str_eq(key, S("notes")) && is_text(ours) && is_text(theirs))
        joined = merge_notes(m, base, ours, theirs);
    if (joined)
        return joined;
    clash(m, key, ours);
    return theirs;
}

static Yaml *merge_maps(Merge *m, const Yaml *base, /* NOLINT(misc-no-recursion): bounded depth */
                        const Yaml *ours, const Yaml *theirs)
{
    Yaml *out = yaml_map(m->a);
    for (size_t i = 0; i < theirs->n; i++) {
        Str key = theirs->pairs[i].key;
        const Yaml *value =
            merge_value(m, key, yaml_get(base, key), yaml_get(ours, key), theirs->pairs[i].value);
        if (value)
            yaml_set(m->a, out, key, cycle_state_copy(m->a, value));
    }
    for (size_t i = 0; i < ours->n; i++) {
        Str key = ours->pairs[i].key;
        if (yaml_get(theirs, key))
            continue;
        const Yaml *value = merge_value(m, key, yaml_get(base, key), ours->pairs[i].value, NULL);
        if (value)
            yaml_set(m->a, out, key, cycle_state_copy(m->a, value));
    }
    return out;
}

Yaml *cycle_state_merge(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs,
                        size_t *clashes)
{
    assert(base->kind == YAML_MAP && ours->kind == YAML_MAP && theirs->kind == YAML_MAP);
    Merge m = { .a = a, .lost = yaml_list(a) };
    Yaml *out = merge_maps(&m, base, ours, theirs);
    for (size_t i = 0; i < m.lost->n; i++)
        cycle_state_note(a, out, m.lost->items[i]->text);
    *clashes = m.clashes;
    return out;
}
