/* cycle_state_merge.c - a person's edit and a cycle's work, joined key by key.
 *
 * Three states: `base`, from which both began; `ours`, the cycle's; `theirs`, the
 * person's.  For each key, with - for a key that is not there:
 *
 *     base  ours  theirs   merged
 *      a     a      b      b            only one side changed it: that side's
 *      a     b      a      b
 *      a     b      b      b            both alike
 *      a     -      a      -            removed by one, left alone by the other
 *      a     b      c      lists item by item, maps key by key, notes by what was added;
 *                          else c, and a line [CONFLICT] in the notes with b
 *
 * The person's value stands in a conflict: they can see the file, and the cycle's value is in
 * the notes for both.  The person's document gives the order of the keys.  Lists are joined
 * item by item because the queue a cycle took a task from may have got a new one meanwhile.
 *
 * A map may have a hundred thousand keys, so those of each map are sorted once
 * and looked up there. */
#include <assert.h>
#include <stdlib.h>

#include "memory/cycle/cycle_state.h"
#include "memory/cycle/cycle_state_list.h"

typedef struct Merge {
    Arena *a;
    CycleMerge told;
    Yaml *lost; /* of [CONFLICT] lines, texts */
} Merge;

static bool same(const Yaml *a, const Yaml *b)
{
    return a && b ? yaml_eq(a, b) : !a && !b;
}

static bool is_list(const Yaml *y)
{
    return y && y->kind == YAML_LIST;
}

static bool is_map(const Yaml *y)
{
    return y && y->kind == YAML_MAP;
}

/* --- Keys -------------------------------------------------------------------------------- */

typedef struct Key {
    const YamlPair *pair;
} Key;

/* The pairs of a map by their keys. */
typedef struct Keys {
    Key *sorted;
    size_t n;
} Keys;

static int by_key(const void *a, const void *b, void *compared)
{
    const Key *x = a, *y = b;
    ++*(size_t *)compared;
    return str_cmp(x->pair->key, y->pair->key);
}

/* None of what is no map. */
static Keys sort_keys(Merge *m, const Yaml *map, Arena *scratch)
{
    Keys k = { .n = is_map(map) ? map->n : 0 };
    k.sorted = NEW_ARRAY(scratch, Key, k.n + 1);
    for (size_t i = 0; i < k.n; i++)
        k.sorted[i].pair = &map->pairs[i];
    qsort_r(k.sorted, k.n, sizeof(Key), by_key, &m->told.compared);
    return k;
}

/* The value of a key, or NULL. */
static const Yaml *look_up(Merge *m, const Keys *k, Str key)
{
    size_t low = 0, high = k->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(k->sorted[middle].pair->key, key);
        m->told.compared++;
        if (order == 0)
            return k->sorted[middle].pair->value;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

/* --- Values ------------------------------------------------------------------------------ */

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

static void clash(Merge *m, Str key, const char *kept, const Yaml *ours)
{
    m->told.clashes++;
    Str line = arena_printf(m->a, "[CONFLICT] " STR_FMT ": %s, the cycle had: " STR_FMT,
                            STR_ARG(cycle_state_line(m->a, key, CYCLE_STATE_LINE_CHARS)), kept,
                            STR_ARG(shown(m, ours)));
    yaml_add(m->a, m->lost, yaml_text(m->a, line));
}

static const Yaml *merge_lists(Merge *m, Str key, const Yaml *base, const Yaml *ours,
                               const Yaml *theirs)
{
    bool clashed;
    const Yaml *out = cycle_state_join_lists(m->a, is_list(base) ? base : NULL, ours, theirs,
                                             &clashed, &m->told.compared);
    if (clashed)
        clash(m, key,
              "a person and the cycle replaced the same items, what either put there is kept",
              ours);
    return out;
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
    if (is_list(ours) && is_list(theirs))
        return merge_lists(m, key, base, ours, theirs);
    if (is_map(ours) && is_map(theirs))
        return merge_maps(m, base, ours, theirs);
    const Yaml *joined = NULL;
    if (str_eq(key, S("notes")) && is_text(ours) && is_text(theirs))
        joined = merge_notes(m, base, ours, theirs);
    if (joined)
        return joined;
    clash(m, key, "a person's edit was kept", ours);
    return theirs;
}

/* The same key with another value; none if that is NULL. */
static void add_merged(Merge *m, Yaml *to, const YamlPair *pair, const Yaml *value)
{
    YamlPair merged = *pair;
    if (!value)
        return;
    merged.value = cycle_state_copy(m->a, value);
    yaml_add_pair(m->a, to, &merged);
}

static Yaml *merge_maps(Merge *m, const Yaml *base, /* NOLINT(misc-no-recursion): bounded depth */
                        const Yaml *ours, const Yaml *theirs)
{
    AUTO(Arena) scratch = { 0 };
    Keys in_base = sort_keys(m, base, &scratch), in_ours = sort_keys(m, ours, &scratch);
    Keys in_theirs = sort_keys(m, theirs, &scratch);
    /* The person's keys in the person's order, then those that only the cycle has. */
    Yaml *out = yaml_map(m->a);
    for (size_t i = 0; i < theirs->n; i++) {
        const YamlPair *p = &theirs->pairs[i];
        add_merged(m, out, p,
                   merge_value(m, p->key, look_up(m, &in_base, p->key),
                               look_up(m, &in_ours, p->key), p->value));
    }
    for (size_t i = 0; i < ours->n; i++) {
        const YamlPair *p = &ours->pairs[i];
        if (!look_up(m, &in_theirs, p->key))
            add_merged(m, out, p,
                       merge_value(m, p->key, look_up(m, &in_base, p->key), p->value, NULL));
    }
    return out;
}

Yaml *cycle_state_merge(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs,
                        CycleMerge *told)
{
    assert(is_map(base) && is_map(ours) && is_map(theirs));
    Merge m = { .a = a, .lost = yaml_list(a) };
    Yaml *out = merge_maps(&m, base, ours, theirs);
    for (size_t i = 0; i < m.lost->n; i++)
        cycle_state_note(a, out, m.lost->items[i]->text);
    *told = m.told;
    return out;
}
