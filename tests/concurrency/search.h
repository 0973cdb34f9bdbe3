/* search.h - linearizability of short histories of one stream, by trying (Wing and Gong, with
 * Lowe's memory of what was tried).
 *
 * It shares no rule with checker.c: it carries a model of the stream along and asks at each
 * step what the model would answer.  So each can find the other's mistakes.  It is for at most
 * SEARCH_MAX operations; guards are taken as given. */
#ifndef CONCURRENCY_SEARCH_H
#define CONCURRENCY_SEARCH_H

#include "checker.h"

enum { SEARCH_MAX = 200 };

typedef enum SearchResult {
    SEARCH_NO = 0,
    SEARCH_YES,
    SEARCH_GAVE_UP, /* too many branches */
} SearchResult;

/* Can these operations on `stream` be put into one line that leads from state `from` to state
 * `to`, with the records in between made by exactly the entries that signed them? */
SearchResult search_run(const History *h, size_t stream, uint64_t from, uint64_t to,
                        const Culprit *ops, size_t n);

/* All operations on one stream.  `ops` has room for SEARCH_MAX + 1; if it is filled, there were
 * too many. */
size_t search_all(const History *h, size_t stream, Culprit *ops);

/* A piece of a long history that the checker has accepted: those that made the records behind
 * `from` up to `to`, or saw a state in between and say which. */
size_t search_window(const History *h, size_t stream, uint64_t from, uint64_t to, Culprit *ops);

#endif
