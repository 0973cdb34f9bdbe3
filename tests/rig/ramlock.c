/* ramlock.c - ranges in a list; there are a handful of them at any time. */
#include "rig/ramlock.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"

typedef struct RamLock {
    const void *owner;
    short kind;
    off_t from, to; /* `to` is the first byte behind it */
    struct RamLock *next;
} RamLock;

static RamLock range_of(const void *owner, const struct flock *f)
{
    assert(f->l_whence == SEEK_SET && f->l_start >= 0 && f->l_len >= 0);
    return (RamLock){ owner, f->l_type, f->l_start, f->l_len ? f->l_start + f->l_len : INT64_MAX,
                      NULL };
}

static bool overlap(const RamLock *a, const RamLock *b)
{
    return a->from < b->to && b->from < a->to;
}

static const RamLock *conflict(const RamLocks *l, const RamLock *wanted)
{
    for (const RamLock *have = l->first; have; have = have->next)
        if (have->owner != wanted->owner && overlap(have, wanted) &&
            (have->kind == F_WRLCK || wanted->kind == F_WRLCK))
            return have;
    return NULL;
}

static void add(RamLocks *l, RamLock lock)
{
    if (lock.from >= lock.to)
        return;
    RamLock *fresh = mem_alloc(sizeof *fresh);
    *fresh = lock;
    fresh->next = l->first;
    l->first = fresh;
}

/* Take a range out of what its owner has; what sticks out on either side stays. */
static void cut_out(RamLocks *l, const RamLock *range)
{
    for (RamLock **at = &l->first; *at;) {
        RamLock *have = *at;
        if (have->owner != range->owner || !overlap(have, range)) {
            at = &have->next;
            continue;
        }
        RamLock old = *have;
        *at = have->next;
        free(have);
        RamLock left = old, right = old;
        left.to = range->from;
        right.from = range->to;
        add(l, left);
        add(l, right);
        at = &l->first;
    }
}

long ramlock_set(RamLocks *l, const void *owner, const struct flock *wanted)
{
    RamLock lock = range_of(owner, wanted);
    if (lock.kind != F_UNLCK && conflict(l, &lock))
        return -EAGAIN;
    cut_out(l, &lock);
    if (lock.kind != F_UNLCK)
        add(l, lock);
    return 0;
}

long ramlock_get(const RamLocks *l, const void *owner, struct flock *wanted)
{
    RamLock lock = range_of(owner, wanted);
    const RamLock *found = conflict(l, &lock);
    wanted->l_type = F_UNLCK;
    if (!found)
        return 0;
    wanted->l_type = found->kind;
    wanted->l_start = found->from;
    wanted->l_len = found->to == INT64_MAX ? 0 : found->to - found->from;
    wanted->l_pid = found->owner == RAMLOCK_PROCESS ? getpid() : -1;
    return 0;
}

void ramlock_drop(RamLocks *l, const void *owner)
{
    for (RamLock **at = &l->first; *at;) {
        RamLock *have = *at;
        if (have->owner != owner) {
            at = &have->next;
            continue;
        }
        *at = have->next;
        free(have);
    }
}

void ramlock_free(RamLocks *l)
{
    while (l->first) {
        RamLock *next = l->first->next;
        free(l->first);
        l->first = next;
    }
}
