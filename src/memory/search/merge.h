/* merge.h - several segments become one. */
#ifndef MEMORY_SEARCH_MERGE_H
#define MEMORY_SEARCH_MERGE_H

#include "memory/search/segment.h"

/* The live rows of `n` segments, the oldest first, as the bytes of one.  Of a stream the newest
 * word counts; `oldest`: nothing is older than these, so streams that are gone need no word.
 * False: one of them is bad. */
MUST_USE bool merge_segments(Segment *segs, size_t n, bool oldest, Buf *out);

#endif
