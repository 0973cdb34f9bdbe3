/* record_same.h - are two records the same in every member?
 *
 * Not the store's own comparison: what judges it must not share its mistakes. */
#ifndef UNIT_RECORD_SAME_H
#define UNIT_RECORD_SAME_H

#include "store/store.h"

static inline bool same(const Record *a, const Record *b)
{
    const Mark *m = &a->mark, *n = &b->mark;
    return m->seq == n->seq && m->at_ms == n->at_ms && m->op == n->op && m->fence == n->fence &&
           m->size == n->size && m->redacted == n->redacted && hash_eq(m->sha256, n->sha256) &&
           hash_eq(m->chain, n->chain) && str_eq(a->by, b->by) && str_eq(a->id, b->id) &&
           str_eq(a->meta, b->meta) && str_eq(a->extra, b->extra) && str_eq(a->body, b->body);
}

#endif
