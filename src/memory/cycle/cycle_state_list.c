/* cycle_state_list.c - joining two lists that were made from one: numbers, two diffs, and counts.
 *
 * A list of tasks is no text: the same item may be there twice, and both sides may have added it.
 * So two questions are asked apart, "how often" and "where".
 *
 *  1. Every distinct item of the three lists gets a number, by the digest of what it holds, and is
 *     counted in each.  merge_counts says how often the joined list has it.
 *  2. Each side is compared with the base as two texts of these numbers (doc/diff.h): that tells
 *     which items of the base a side kept, and in front of which its new ones stand.
 *  3. Items are chosen until their count is reached: first what both kept, then what either added,
 *     theirs before ours, and at last, if the count asks for more, what only one of them kept.
 *  4. The joined list is written along the base, with what was added in its places.
 *
 * Both sides replaced the same items by different ones: the lists clash, and both stand there. */
#include "memory/cycle/cycle_state_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "memory/doc/diff.h"

enum { BASE, OURS, THEIRS, LISTS };

/* A distinct item: how often each list has it, how often the joined one will, and how often it is
 * there so far. */
typedef struct Word {
    size_t in[LISTS];
    size_t wanted, there;
} Word;

typedef struct Join {
    Arena *a;
    const Yaml *list[LISTS]; /* none is NULL */
    size_t *word[LISTS];     /* which word each item is */
    Word *words;
    size_t words_n;
    bool *kept[LISTS]; /* which items of the base the side still has */
    Diff diff[LISTS];  /* from the base to the side */
    size_t *compared;
} Join;

/* --- Numbers for items ------------------------------------------------------------------- */

/* Equal items, as yaml_eq has it, and only those get the same digest. */
static void add_item(HashState *h, const Yaml *y) /* NOLINT(misc-no-recursion): YAML_DEPTH_MAX */
{
    hash_add_u64(h, (uint64_t)y->kind);
    hash_add_u64(h, y->kind == YAML_SCALAR ? (uint64_t)y->type : y->n);
    if (y->kind == YAML_SCALAR)
        hash_add_field(h, y->text);
    for (size_t i = 0; y->kind == YAML_LIST && i < y->n; i++)
        add_item(h, y->items[i]);
    for (size_t i = 0; y->kind == YAML_MAP && i < y->n; i++) {
        hash_add_u64(h, (uint64_t)y->pairs[i].key_type);
        hash_add_field(h, y->pairs[i].key);
        add_item(h, y->pairs[i].value);
    }
}

typedef struct Item {
    Hash hash;
    int list;
    size_t at;
} Item;

static int by_hash(const void *a, const void *b, void *compared)
{
    ++*(size_t *)compared;
    return memcmp(((const Item *)a)->hash.b, ((const Item *)b)->hash.b, sizeof(Hash));
}

static void number_items(Join *j, Arena *scratch)
{
    size_t n = 0, all = j->list[BASE]->n + j->list[OURS]->n + j->list[THEIRS]->n;
    Item *items = NEW_ARRAY(scratch, Item, all + 1);
    for (int l = 0; l < LISTS; l++) {
        j->word[l] = NEW_ARRAY(scratch, size_t, j->list[l]->n + 1);
        for (size_t i = 0; i < j->list[l]->n; i++) {
            HashState h;
            hash_init(&h);
            add_item(&h, j->list[l]->items[i]);
            items[n++] = (Item){ hash_end(&h), l, i };
        }
    }
    qsort_r(items, n, sizeof *items, by_hash, j->compared);
    j->words = NEW_ARRAY(scratch, Word, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !hash_eq(items[i].hash, items[i - 1].hash))
            j->words_n++;
        assert(j->words_n > 0 && j->words_n <= i + 1);
        j->word[items[i].list][items[i].at] = j->words_n - 1;
        j->words[j->words_n - 1].in[items[i].list]++;
    }
}

/* --- How often --------------------------------------------------------------------------- */

/* What one side left alone is the other's.  Both took away: the lower.  Both added: the higher, for
 * they may well have added the same.  One added, the other took away: both is done. */
static size_t merge_counts(size_t base, size_t ours, size_t theirs)
{
    if (ours == theirs || theirs == base)
        return ours;
    if (ours == base)
        return theirs;
    if (ours < base && theirs < base)
        return ours < theirs ? ours : theirs;
    if (ours > base && theirs > base)
        return ours > theirs ? ours : theirs;
    return ours + theirs - base;
}

/* --- Where ------------------------------------------------------------------------------- */

/* The list as a text of numbers, a line each. */
static Str text_of(const Join *j, int list, Arena *scratch)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    for (size_t i = 0; i < j->list[list]->n; i++)
        buf_addf(&text, "%zx\n", j->word[list][i]);
    return arena_copy(scratch, buf_str(&text));
}

/* Which items of the base are not in this side any more, and which of the side are new. */
static void compare_side(Join *j, int side, Str base, Arena *scratch)
{
    Diff *d = &j->diff[side];
    diff_make(base, text_of(j, side, scratch), scratch, d);
    j->kept[side] = NEW_ARRAY(scratch, bool, j->list[BASE]->n + 1);
    memset(j->kept[side], true, j->list[BASE]->n);
    for (size_t i = 0; i < d->n; i++)
        memset(j->kept[side] + d->hunks[i].a, false, d->hunks[i].a_n);
}

/* Both replaced some of the same items, and not by the same. */
static bool same_change(const Join *j, const Hunk *ours, const Hunk *theirs)
{
    bool same = ours->a == theirs->a && ours->a_n == theirs->a_n && ours->b_n == theirs->b_n;
    for (size_t i = 0; same && i < ours->b_n; i++)
        same = j->word[OURS][ours->b + i] == j->word[THEIRS][theirs->b + i];
    return same;
}

static bool clash(const Join *j)
{
    const Diff *ours = &j->diff[OURS], *theirs = &j->diff[THEIRS];
    for (size_t i = 0, k = 0; i < ours->n && k < theirs->n;) {
        const Hunk *o = &ours->hunks[i], *t = &theirs->hunks[k];
        bool overlap = o->a < t->a + t->a_n && t->a < o->a + o->a_n;
        if (overlap && (o->b_n || t->b_n) && !same_change(j, o, t))
            return true;
        if (o->a + o->a_n <= t->a + t->a_n)
            i++;
        else
            k++;
    }
    return false;
}

/* --- Choosing ---------------------------------------------------------------------------- */

/* Take what a side has added, as far as the counts go. */
static void choose_added(const Join *j, int side, bool *chosen)
{
    const Diff *d = &j->diff[side];
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->hunks[i].b_n; k++) {
            size_t at = d->hunks[i].b + k;
            Word *w = &j->words[j->word[side][at]];
            chosen[at] = w->there < w->wanted;
            w->there += chosen[at];
        }
}

/* Items of the base: those both still have; then, after all that was added, as many of those that
 * one of them has as the counts ask for.  Of equal items a diff cannot tell which one went. */
static void choose_base(const Join *j, bool both, bool *chosen)
{
    for (size_t i = 0; i < j->list[BASE]->n; i++) {
        Word *w = &j->words[j->word[BASE][i]];
        bool ours = j->kept[OURS][i], theirs = j->kept[THEIRS][i];
        if (both ? !(ours && theirs) : ours == theirs || w->there == w->wanted)
            continue;
        chosen[i] = true;
        w->there++;
    }
}

/* What a side added in front of item `at` of the base; *next is its first hunk not yet written. */
static void write_added(const Join *j, int side, size_t at, size_t *next, const bool *chosen,
                        Yaml *out)
{
    const Diff *d = &j->diff[side];
    for (; *next < d->n && d->hunks[*next].a == at; ++*next)
        for (size_t k = 0; k < d->hunks[*next].b_n; k++)
            if (chosen[d->hunks[*next].b + k])
                yaml_add(j->a, out, j->list[side]->items[d->hunks[*next].b + k]);
}

static Yaml *write_joined(const Join *j, bool *chosen[LISTS])
{
    Yaml *out = yaml_list(j->a);
    size_t next[LISTS] = { 0 };
    for (size_t at = 0; at <= j->list[BASE]->n; at++) {
        write_added(j, THEIRS, at, &next[THEIRS], chosen[THEIRS], out);
        write_added(j, OURS, at, &next[OURS], chosen[OURS], out);
        if (at < j->list[BASE]->n && chosen[BASE][at])
            yaml_add(j->a, out, j->list[BASE]->items[at]);
    }
    return out;
}

Yaml *cycle_state_join_lists(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs,
                             bool *clashed, size_t *compared)
{
    AUTO(Arena) scratch = { 0 };
    const Yaml *none = yaml_list(&scratch);
    Join j = { .a = a, .list = { base ? base : none, ours, theirs }, .compared = compared };
    bool *chosen[LISTS];
    number_items(&j, &scratch);
    for (size_t i = 0; i < j.words_n; i++) {
        Word *w = &j.words[i];
        w->wanted = merge_counts(w->in[BASE], w->in[OURS], w->in[THEIRS]);
    }
    Str text = text_of(&j, BASE, &scratch);
    compare_side(&j, OURS, text, &scratch);
    compare_side(&j, THEIRS, text, &scratch);
    for (int l = 0; l < LISTS; l++)
        chosen[l] = NEW_ARRAY(&scratch, bool, j.list[l]->n + 1);
    choose_base(&j, true, chosen[BASE]);
    choose_added(&j, THEIRS, chosen[THEIRS]);
    choose_added(&j, OURS, chosen[OURS]);
    choose_base(&j, false, chosen[BASE]);
    *clashed = clash(&j);
    for (size_t i = 0; i < j.words_n; i++)
        assert(j.words[i].there <=
               j.words[i].in[BASE] + j.words[i].in[OURS] + j.words[i].in[THEIRS]);
    return write_joined(&j, chosen);
}
