/* lease_desk.h - what the tests of leases say to a desk: take, write, and let time pass. */
#ifndef TESTS_MEMORY_LEASE_DESK_H
#define TESTS_MEMORY_LEASE_DESK_H

#include "memory/desk.h"
#include "memory/lease.h"

static const Str plan = { "notes/plan", 10 };

static inline jot_status ask(Desk *d, Memory *m, const char *on, bool prefix, int64_t ttl_ms,
                             Lease *out)
{
    LeaseAsk a = { .on = str(on), .prefix = prefix, .ttl_ms = ttl_ms };
    return lease_acquire(m, &a, &d->a, out, &d->e);
}

/* A lease that must be had. */
static inline Lease take(Desk *d, Memory *m, const char *on)
{
    Lease l = { 0 };
    desk_ok(d, ask(d, m, on, false, 0, &l));
    return l;
}

static inline jot_status put(Desk *d, Memory *m, Str stream, const char *text, Mark *out)
{
    Draft draft = { .op = OP_PUT, .body = str(text) };
    return memory_append(m, stream, NULL, &draft, out, &d->e);
}

static inline Mark write_plan(Desk *d, Memory *m, const char *text)
{
    Mark mark = { 0 };
    desk_ok(d, put(d, m, plan, text, &mark));
    return mark;
}

static inline void pass(Desk *d, int64_t ms)
{
    d->awake_ms += ms;
}

#endif
