/* kept.c - rows that were read, each in the slot of its place.
 *
 * A slot has one row, the one that was read last: what is found often comes back to its slot, and
 * nothing has to be counted or ordered.  Together they never take more than four megabytes. */
#include "memory/search/kept.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void forget_all(KeptRows *k)
{
    for (size_t i = 0; k->rows && i < KEPT_ROWS; i++) {
        free(k->rows[i].bytes);
        k->rows[i] = (KeptRow){ 0 };
    }
}

void kept_free(KeptRows *k)
{
    forget_all(k);
    free(k->rows);
    *k = (KeptRows){ 0 };
}

void kept_follow(KeptRows *k, uint64_t view, uint64_t changes)
{
    if (k->view == view && k->changes == changes)
        return;
    forget_all(k);
    k->view = view;
    k->changes = changes;
}

const KeptRow *kept_find(const KeptRows *k, uint32_t place)
{
    const KeptRow *row = k->rows ? &k->rows[place % KEPT_ROWS] : NULL;
    return row && row->bytes && row->place == place ? row : NULL;
}

static Str copy_to(char **to, Str s)
{
    if (s.n)
        memcpy(*to, s.p, s.n);
    Str copy = { *to, s.n };
    *to += s.n;
    return copy;
}

void kept_put(KeptRows *k, const KeptRow *row)
{
    size_t n = row->by.n + row->label.n + row->text.n;
    if (n > KEPT_BYTES)
        return;
    if (!k->rows)
        k->rows = mem_alloc(KEPT_ROWS * sizeof *k->rows);
    KeptRow *slot = &k->rows[row->place % KEPT_ROWS];
    free(slot->bytes);
    *slot = *row;
    slot->bytes = mem_alloc(n + 1);
    char *to = slot->bytes;
    slot->by = copy_to(&to, row->by);
    slot->label = copy_to(&to, row->label);
    slot->text = copy_to(&to, row->text);
    assert(to <= slot->bytes + n);
}
