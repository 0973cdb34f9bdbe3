/* changes.h - Change, what happened in a pad last: who changed what, how much and when.
 *
 * Of documents, tasks and plans every record is a change.  A run and a log of lines grow by
 * hundreds of records, so each of them is one change, its newest.  What Jotter keeps for itself
 * (leases and the like) is not shown unless it is asked for by its kind. */
#ifndef MEMORY_DOC_CHANGES_H
#define MEMORY_DOC_CHANGES_H

#include "memory/doc/doc.h"

enum {
    CHANGES_MAX = 1000,          /* in one answer */
    CHANGES_STREAMS = 10 * 1000, /* the newest streams, in which somebody's changes are sought */
};

typedef struct ChangesAsk {
    Str kind;         /* "notes", "tasks" ...; empty: all that people and agents write */
    Str by;           /* whose; empty: anybody's */
    int64_t since_ms; /* not before; 0: any */
    size_t limit;     /* 1 to CHANGES_MAX */
} ChangesAsk;

typedef struct Change {
    Str stream;
    Record record;   /* without its body; seq 0: a person's edit that is not recorded yet */
    int64_t grew;    /* bytes more than before; of the first version all */
    uint64_t joined; /* of a run or a log: how many records it has; else 0 */
} Change;

typedef struct ChangeList {
    Change *items; /* newest first; of one millisecond by name, then by seq */
    size_t n;
    bool more;     /* there are older ones */
    size_t unseen; /* streams that were not looked at, older than all that were: of `by` only */
} ChangeList;

/* JOT_INVALID: what cannot be a kind.  Lives in `into`. */
MUST_USE jot_status changes_list(Memory *m, const ChangesAsk *ask, Arena *into, ChangeList *out,
                                 Err *e);

/* "made", "wrote", "edited" (by a person, in the file itself), "deleted", "added". */
const char *change_word(const Change *c);

/* {"changes": [mark_json with "change", "grew", "records" ...], "more", "unseen" if not 0}; the
 * caller owns it. */
json_t *changes_json(const ChangeList *l);

#endif
