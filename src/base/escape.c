/* escape.c - leaving a call when memory runs out.
 *
 *     jot_doc_write      sets the Escape, will return JOT_... to its caller
 *       doc_write        AUTO variables: cleanups run as the frames are left
 *         buf_add        the same
 *           mem_alloc    no memory: mem_exhausted()
 *
 * The unwinder walks the frames twice: once to see where the function lies that set the Escape,
 * then to run the cleanups of all below it.  Before each frame it asks stop(), which ends the walk
 * there by longjmp().  The C library does the same when a thread is cancelled.  Nothing here
 * allocates. */
#include "base/escape.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

static _Thread_local Escape *current;
static _Thread_local struct _Unwind_Exception unwinding;

void escape_set(Escape *x, void *frame)
{
    x->above = current;
    x->frame = frame;
    current = x;
}

void escape_done(Escape *x)
{
    assert(current == x);
    current = x->above;
}

/* What the unwinder tells of a frame is where the stack ended while the frame was running.  That
 * lies below everything in the frame itself, and above everything in those it called. */
static uintptr_t end_of(struct _Unwind_Context *frame)
{
    return _Unwind_GetCFA(frame);
}

/* The highest end that does not lie above the Escape's frame is that frame's own. */
static _Unwind_Reason_Code find_end(struct _Unwind_Context *frame, void *ctx)
{
    Escape *x = ctx;
    if (end_of(frame) > (uintptr_t)x->frame)
        return _URC_END_OF_STACK;
    x->end = end_of(frame);
    return _URC_NO_REASON;
}

/* Called before a frame's cleanups are run: those of the Escape's own frame are not. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions,
                                _Unwind_Exception_Class of_class,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *frame,
                                void *ctx)
{
    (void)version;
    (void)of_class;
    (void)exception;
    Escape *x = ctx;
    if ((actions & _UA_END_OF_STACK) || end_of(frame) >= x->end)
        longjmp(x->jump, 1);
    return _URC_NO_REASON;
}

void mem_exhausted(void)
{
    if (current) {
        _Unwind_Backtrace(find_end, current);
        unwinding = (struct _Unwind_Exception){ 0 };
        _Unwind_ForcedUnwind(&unwinding, stop, current);
    }
    static const char text[] = "jotter: out of memory\n";
    fwrite(text, 1, sizeof text - 1, stderr);
    abort();
}
