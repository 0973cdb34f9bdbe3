/* checkpoint.h - Checkpoint, the state of a run at a moment, and the way back.
 *
 * The checkpoints of a run are the stream `checkpoints/RUN`.  Each record holds a
 * whole state; its seq is its version.  Saving puts a state on top of a stack,
 * undoing takes the top off and makes the one below it the present state again.
 * Both only append, so every version stays readable until it is dropped, and
 * the newest record is always the state to continue from.
 *
 * Undo: the top is taken off; what lies below it is restored and stays on the
 * stack.  If it was the only one, it is restored itself and the stack is empty.
 * On an empty stack there is nothing to restore. */
#ifndef MEMORY_ARTIFACT_CHECKPOINT_H
#define MEMORY_ARTIFACT_CHECKPOINT_H

#include "base/json.h"
#include "memory/memory.h"

#define CHECKPOINT_KIND "checkpoints/"

enum {
    CHECKPOINT_LIST_MAX = 1000,
    CHECKPOINT_LABEL_MAX = 128, /* bytes */
};

typedef struct Checkpoint {
    uint64_t version;
    int64_t at_ms;
    Str by;
    Str label;         /* may be empty */
    uint64_t undone;   /* an undo: the version that was taken off; else 0 */
    uint64_t restored; /* an undo: the version whose state this is; else 0 */
    bool live;         /* it is on the stack; set by checkpoint_list only */
    uint64_t size;
    Hash sha256;
    Str state; /* empty in a list */
} Checkpoint;

typedef struct CheckpointWrite {
    Str state; /* any bytes, at most STORE_BODY_MAX */
    Str label;
} CheckpointWrite;

/* Put a state on top.  Somebody else who saves at the same moment is put below or above it. */
MUST_USE jot_status checkpoint_write(Memory *m, Str run, const CheckpointWrite *s, Checkpoint *out,
                                     Err *e);

/* What may go. */
typedef struct CheckpointKeep {
    uint64_t states; /* keep this many states on the stack, and what is newer; 0: any number */
    int64_t age_ms;  /* keep what is not older; 0: any age */
} CheckpointKeep;

typedef struct CheckpointWritten {
    Checkpoint c;
    uint64_t dropped; /* versions that were let go */
    Err not_dropped;  /* status not JOT_OK: why they could not be */
} CheckpointWritten;

/* The same, and then drop what may go.  It is saved whatever comes of that. */
MUST_USE jot_status checkpoint_write_keep(Memory *m, Str run, const CheckpointWrite *s,
                                          const CheckpointKeep *keep, CheckpointWritten *out,
                                          Err *e);

/* A version, or the present state (0).  JOT_NOT_FOUND: there is none, or it is not kept. */
MUST_USE jot_status checkpoint_read(Memory *m, Str run, uint64_t version, Arena *into,
                                    Checkpoint *out, Err *e);

/* Go one back; *out is the state to continue from.  `if_version` is the version as the caller
 * knows it (0: any).  JOT_NOT_FOUND: the stack is empty.  JOT_CONFLICT: somebody saved or undid
 * meanwhile; nothing was changed, so nobody goes back twice by accident. */
MUST_USE jot_status checkpoint_undo(Memory *m, Str run, uint64_t if_version, Arena *into,
                                    Checkpoint *out, Err *e);

typedef struct CheckpointList {
    Checkpoint *items; /* by version, ascending; the newest ones if there are more than asked for */
    size_t n;
    uint64_t total;   /* versions kept */
    uint64_t depth;   /* states on the stack */
    uint64_t damaged; /* versions that cannot be read */
} CheckpointList;

/* `limit` is 1 to CHECKPOINT_LIST_MAX; 0: as many.  A run without checkpoints has an empty list. */
MUST_USE jot_status checkpoint_list(Memory *m, Str run, size_t limit, Arena *into,
                                    CheckpointList *out, Err *e);

/* Drop versions that either rule lets go, never the newest one.  Of the newest STORE_ID_WINDOW
 * records the store keeps a line each, without the state. */
MUST_USE jot_status checkpoint_trim(Memory *m, Str run, const CheckpointKeep *keep,
                                    uint64_t *dropped, Err *e);

/* {"version", "at", "by", "label", "undone", "restored", "live", "size", "sha256"}, label and the
 * two numbers null when there is none; with `state` "state" too.  The caller owns these. */
json_t *checkpoint_json(const Checkpoint *c, bool state);
/* {"checkpoints": [...], "total", "depth", "damaged"} */
json_t *checkpoint_list_json(const CheckpointList *list);

#endif
