/* roll.h - Roll, every stream of a pad with its head, remembered from one question to the next.
 *
 * To know the newest of 100,000 notes is to look at 100,000 heads, which takes seconds where each
 * is a file.  A server is asked again and again, so it looks at all of them once, and then only at
 * those that store_changes names: what a pad costs is what changes in it.
 *
 * A roll serves any number of handles of one pad, in any thread: it has a handle and a lock of its
 * own. */
#ifndef MEMORY_ROLL_H
#define MEMORY_ROLL_H

#include "memory/memory.h"

typedef struct Roll Roll;

/* Of the pad at `url`, which is opened so when somebody asks.  The url, and what the options name,
 * must outlive the roll. */
Roll *roll_new(Str url, const MemoryOptions *o);
void roll_free(Roll *r); /* NULL is fine */
DEFINE_AUTO_PTR(Roll, roll_free)

/* Everything that was written until now is on it afterwards.  `progress` may be NULL. */
MUST_USE jot_status roll_refresh(Roll *r, MemoryProgress *progress, Err *e);
/* A page of it, as store_list gives it: names alone have their heads, too. */
void roll_page(Roll *r, const ListQuery *q, Arena *into, Listing *out);

#endif
