/* view.h - View, the live rows of several segments in one order.
 *
 * A place is a row's number in that order: documents by time, then runs by name
 * and record.  It follows from the rows alone, whatever segments they lie in, so
 * everything that is reckoned by places is the same for all. */
#ifndef MEMORY_SEARCH_VIEW_H
#define MEMORY_SEARCH_VIEW_H

#include "memory/search/segment.h"

enum { NO_PLACE = UINT32_MAX };

typedef struct View {
    Segment *segs;
    size_t n;
    uint32_t *base; /* of each segment: the number of its first row among all */
    uint32_t rows;  /* live */
    /* NULL where places and rows are the same: one segment without dead rows. */
    uint32_t *place_of, *row_at;
    const uint16_t *norms;            /* by place: length, and profile << 8 */
    const uint32_t *session_of;       /* by place */
    const SegSession *sessions;       /* `first` is a place */
    uint32_t sessions_n, documents_n; /* sessions of documents come first */
    uint64_t number;                  /* of this view: no other of this process has it */
    bool grams;                       /* there are some */
    Arena arena;
} View;

/* False: a segment is bad. */
MUST_USE bool view_make(View *v, Segment *segs, size_t n);
void view_free(View *v);

MUST_USE bool view_row(const View *v, uint32_t place, SegRow *out, Segment **seg);
Str view_name(const View *v, uint32_t place, Arena *into); /* of its stream */

typedef struct ViewPost {
    uint32_t place;
    uint8_t bits;
} ViewPost;

typedef struct ViewPosts {
    ViewPost *items; /* by place */
    size_t n;
} ViewPosts;

/* The live rows of a key; false: a segment is bad. */
MUST_USE bool view_posts(const View *v, Str key, Arena *into, ViewPosts *out);
/* The first of the postings from `from` on that is not before this place. */
size_t view_post_at(const ViewPosts *posts, size_t from, uint32_t place);
/* What is known of a key without reading its rows: `term` and, if their bits say so, `sums` and
 * `dense`.  False: there is none, or places and rows are not the same. */
typedef struct ViewTerm {
    SegTerm term;
    SegSums sums;
    SegDense dense;
} ViewTerm;
MUST_USE bool view_term(const View *v, Str key, ViewTerm *out);

#endif
