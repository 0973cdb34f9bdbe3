/* toy.h - the smallest store that several processes can share, and some ways to get it wrong.
 *
 * The rig must work before it can judge: with toy:FILE it runs without any real engine, and
 * with toy:FILE?bug=NAME it must find the bug.  One lock for all, records in a shared mapping,
 * durable against kill -9 and nothing else. */
#ifndef CONCURRENCY_TOY_H
#define CONCURRENCY_TOY_H

#include "store/store.h"

/* Open any pad, toy: included. */
MUST_USE jot_status open_any(Store **out, Str url, const StoreOptions *options, Err *e);

/* The names of the bugs, NULL at the end. */
extern const char *const toy_bugs[];

#endif
