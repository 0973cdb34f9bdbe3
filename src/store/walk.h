/* walk.h - Walk, all of a stream that can be read, past what cannot.
 *
 * What a walk gives out fits together: every record is whole, and continues the
 * one before it where the two are neighbours.  What is left out is counted and
 * reported by its numbers. */
#ifndef STORE_WALK_H
#define STORE_WALK_H

#include "store/store.h"

typedef struct Walk {
    Store *s;
    Str stream;
    uint64_t newest; /* the seq of the head, as far as it is known; 0: it is not */
    uint64_t next;   /* the seq to read from */
    Mark last;       /* of the record given out last; seq 0: none yet */
    bool more;
    uint64_t lost;     /* records that cannot be read, or do not fit */
    uint64_t in_a_row; /* that had to be stepped over, since one was good */
    bool damaged;      /* something was lost since one was good */
    char seqs[120];    /* their numbers, as far as they are known: "3, 5 to 7" */
} Walk;

/* `stream` must outlive the walk. */
Walk walk_new(Store *s, Str stream, uint64_t newest);

/* Some more records, perhaps none; w->more says whether it is worth asking again.  JOT_NOT_FOUND:
 * there is no record at all. */
MUST_USE jot_status walk_read(Walk *w, Arena *into, Records *out, Err *e);

/* The sentence for what was lost: "record 3 of 'x' cannot be read". */
void walk_say(const Walk *w, char *to, size_t size);

/* The names of a list, a page at a time, so that a list as long as the pad is never in memory. */
typedef struct Pages {
    Store *s;
    ListQuery q; /* of every page, but for `after` */
    bool more;
    size_t last_n;
    char last[STORE_NAME_MAX]; /* the name the next page comes after; last_n 0: none */
} Pages;

/* `q->after` is a checked name or empty; `q->prefix` must outlive the pages. */
Pages pages_new(Store *s, const ListQuery *q);

/* The next page, perhaps an empty one; p->more says whether there is another. */
MUST_USE jot_status pages_read(Pages *p, Arena *into, Listing *out, Err *e);

/* Every stream of a store, tombstones too, with edits from outside made records first.  `edit` is
 * why that could not be, or NULL.  `each` may stop the walk by returning anything but JOT_OK, which
 * is then returned. */
MUST_USE jot_status walk_streams(Store *s,
                                 jot_status (*each)(void *ctx, const Listed *l, const Err *edit,
                                                    Err *e),
                                 void *ctx, Err *e);

/* How many streams a store has, tombstones too: for those who show how far they have come. */
MUST_USE jot_status walk_count(Store *s, uint64_t *out, Err *e);

#endif
