/* escape.h - Escape, the way out of a call when memory runs out.
 *
 * Allocations are never checked where they are made: there are thousands, each check would be
 * a path no test walks, and a forgotten one a wrong answer.  Instead mem_exhausted() leaves the
 * call as a whole.  It unwinds the stack to the Escape that was set last in this thread; every
 * AUTO variable on the way is released, as it is by a return (the build has -fexceptions for
 * that).  So descriptors, locks and memory that belong to a scope are gone; what belongs to a
 * handle is not, and may be half changed: the function that set the Escape closes that handle.
 *
 *     ESCAPE(out)
 *         return closed_for_want_of_memory(pad);
 *     ...
 *
 * Where nobody set one the process ends: for a store that is a crash like any other, and
 * nothing acknowledged is lost.
 *
 * Not for faults of any other kind; those are statuses. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <setjmp.h>
#include <stdint.h>

#include "base/attr.h"

typedef struct Escape {
    struct Escape *above; /* the one before, of a caller */
    void *frame;          /* an address in the frame of the function it stands in */
    uintptr_t end;        /* where the stack ends in that function, found out when it is needed */
    jmp_buf jump;
} Escape;

void escape_set(Escape *x, void *frame);
void escape_done(Escape *x);
DEFINE_AUTO(Escape, escape_done)

/* What follows is done if memory ran out further down, and must leave the function.  AUTO variables
 * of this very function that are declared later are not released then: keep them further down. */
#define ESCAPE(name)                                 \
    AUTO(Escape) name;                               \
    escape_set(&(name), __builtin_frame_address(0)); \
    if (setjmp((name).jump))

/* Leave for the Escape set last; abort() if there is none. */
NO_RETURN void mem_exhausted(void);

#endif
