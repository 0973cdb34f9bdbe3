/* kept.h - KeptRows, what was read from the pad for hits, until anything in the pad changes.
 *
 * The same rows are found again and again: an agent asks once more with other words, or asks what
 * it asked before.  Each search looks whether the pad has changed; while it has not, a record is
 * what it was when it was read, and its text, version and length in tokens need not be read and
 * counted again.  A person's edit is such a change from the moment it is found: two seconds at
 * most.  Records of runs are not kept, because changes do not tell what was trimmed. */
#ifndef MEMORY_SEARCH_KEPT_H
#define MEMORY_SEARCH_KEPT_H

#include "store/record.h"

enum { KEPT_ROWS = 1024, KEPT_BYTES = 4096 /* of one; larger ones are read each time */ };

typedef struct KeptRow {
    Mark mark;
    Str by, label;
    Str text;        /* as a person reads it (index_text) */
    uint64_t tokens; /* of the body */
    uint32_t place;
    char *bytes; /* of the strings; NULL: nothing is kept here */
} KeptRow;

typedef struct KeptRows {
    KeptRow *rows; /* by place, modulo KEPT_ROWS; NULL: none was kept yet */
    uint64_t view, changes;
} KeptRows;

/* To be called before each use: forgets all rows if they were read of another view, or before a
 * change (Index). */
void kept_follow(KeptRows *k, uint64_t view, uint64_t changes);
const KeptRow *kept_find(const KeptRows *k, uint32_t place); /* NULL: it is not kept */
/* Keep what was read of the row at row->place, in the place of another; its strings are copied. */
void kept_put(KeptRows *k, const KeptRow *row);
void kept_free(KeptRows *k);

#endif
