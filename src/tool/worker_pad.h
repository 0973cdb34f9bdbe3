/* worker_pad.h - WorkerPad, a worker's own handle on the pad that is served.
 *
 * A handle belongs to one thread, so every thread that runs requests has one.  It is
 * opened by the first request that needs it.
 *
 * A server lives for days, and a pad may be taken away under it: by `git clean`, by a
 * branch without it, by a backup that is restored.  So before each request the worker
 * asks whether the pad is where it was, and if not opens what is there. */
#ifndef TOOL_WORKER_PAD_H
#define TOOL_WORKER_PAD_H

#include "memory/memory.h"
#include "tool/tool.h"

/* The pad, and how it is used; must outlive whatever is served from it. */
typedef struct PadOptions {
    Str url;
    const char *found;     /* as in Where: nobody named it */
    Str by;                /* the author; empty: each client by its own name, */
    Str user;              /* or, if it has none, this */
    uint64_t lease;        /* the token to write under; 0: none */
    unsigned profiles;     /* of tools; 0: the default */
    MemoryDialect dialect; /* of the memory tool */
    const Io *io;          /* NULL: the system */
    bool read_only;        /* nothing is written for any caller */
    bool looks;            /* ... by this handle: others may */
    struct Roll *roll;     /* for its handles (memory/roll.h); may be NULL */
} PadOptions;

typedef struct WorkerPad {
    const PadOptions *o;
    bool *existed; /* some worker of this server has had the pad open; atomic */
    Memory memory;
    ToolHost host;
    MemoryProgress *progress; /* of the request that runs; NULL: it cannot be cancelled */
    Str by;                   /* who asked for it */
} WorkerPad;

/* `existed` is shared by all pads of a server, and outlives them. */
void worker_pad_init(WorkerPad *p, const PadOptions *o, bool *existed);
void worker_pad_done(WorkerPad *p);

/* Let go of a pad that was moved, replaced or removed: the next request opens what is there then.
 */
void worker_pad_check(WorkerPad *p);
/* Whose request runs next, and how it reports progress. */
void worker_pad_serve(WorkerPad *p, Str by, MemoryProgress *progress);
/* JOT_NOT_FOUND: there is no pad yet, and it was not to be made.  JOT_UNAVAILABLE: there was one,
 * and it is gone: whatever a client knows of it, "empty" would be the wrong answer, and to make
 * another is not for it to decide. */
MUST_USE jot_status worker_pad_open(WorkerPad *p, bool create, Memory **out, Err *e);

/* True for a pad in memory, which is one handle's own: there one worker does everything. */
bool worker_pad_single(const PadOptions *o);

#endif
