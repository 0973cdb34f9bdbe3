/* order.h - Order, where operations stand in their streams, against the clock.
 *
 * An operation that made record s stands at position 2s of its stream; one that saw record s
 * as the head stands at 2s + 1, between it and the next.  These positions and real time must
 * agree: an operation that ended before another began cannot stand behind it.  As positions
 * are totally ordered up to operations that change nothing, comparing pairs is enough: if no
 * pair disagrees, the operations can be put into one line.
 *
 * An operation whose answer is right in several states (a tombstone without a seq, a repeated
 * id) is put at the first of them that the clock allows, in the order of their questions; the
 * first is best, for it leaves the most room to all that come later.
 *
 * A guard joins two streams: the operation stands in both at once.  Then disagreement can run
 * through many operations, and a graph is searched for a cycle. */
#ifndef CONCURRENCY_ORDER_H
#define CONCURRENCY_ORDER_H

#include "checker.h"

typedef enum Role {
    ROLE_MADE,  /* made record `state` */
    ROLE_SAW,   /* was answered in `state` */
    ROLE_GUARD, /* was decided while this stream, its guard, was in `state` */
} Role;

typedef struct Place {
    uint64_t invoke_ns, answer_ns; /* answer UINT64_MAX: never */
    uint64_t state;
    uint32_t worker, index;
    uint16_t stream;
    uint8_t role; /* Role */
    bool vague;   /* any state will do in which it fits; `state` is found later */
} Place;

typedef struct Order {
    const History *h;
    Place *places;
    size_t n, cap;
    bool joined[HISTORY_STREAMS_MAX]; /* has or is a guard */
} Order;

/* The entry stands at `state` of `stream`. */
void order_place(Order *o, size_t worker, size_t index, uint16_t stream, Role role, uint64_t state);
/* The entry stands at some state of `stream` in which it fits. */
void order_vague(Order *o, size_t worker, size_t index, uint16_t stream, Role role);

/* Compare all places with the clock. */
void order_check(Order *o, Verdict *v);
void order_done(Order *o);
DEFINE_AUTO(Order, order_done)

#endif
