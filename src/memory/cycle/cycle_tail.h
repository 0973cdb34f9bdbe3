/* cycle_tail.h - Tail, the end of an agent's state stream: where it stands, and what people did.
 *
 * The stream cycles/AGENT decides everything about an agent's cycles.  Its
 * records are whole documents; their meta says what each is:
 *
 *   {"kind":"before","cycle":ID, ...}   a cycle began; the body is what stood there, to the byte
 *   {"kind":"after","cycle":ID, ...}    it ended, and how; the body lacks the new last_updated
 *   {"kind":"state","cycle":ID}         the same with it: what the next cycle begins with
 *   {"kind":"state","from":...}         a beginning: a first state, or a reset
 *   anything else                       an edit: a person's, or another program's
 *
 * An edit between `before` and `state` came during a cycle.  Own records say up to
 * which seq edits are in them ("edit"); a later one is pending and will be merged.
 * On files an edit may come in the very moment of a write; then it stands between
 * two equal records of ours, and was made of what stood before the first. */
#ifndef MEMORY_CYCLE_CYCLE_TAIL_H
#define MEMORY_CYCLE_CYCLE_TAIL_H

#include "memory/cycle/cycle.h"

typedef enum TailPhase {
    TAIL_NOTHING = 0, /* no state, or a deleted one */
    TAIL_IDLE,
    TAIL_OPEN,   /* a `before` that no `after` follows */
    TAIL_ENDING, /* an `after` that no `state` follows */
} TailPhase;

typedef struct Tail {
    TailPhase phase;
    Str stream;
    Mark head; /* seq 0: no record; or an edit that cannot be recorded, see `unrecorded` */
    bool unrecorded;
    bool own;     /* the head is ours, and not an edit */
    Str text, by; /* the head's */
    Str id;       /* of the newest cycle, or empty */

    /* The newest cycle; texts only if its records are in the tail. */
    uint64_t before_seq, after_seq;
    Str before, after, woken_by;
    int64_t started_ms, ended_ms;
    size_t iterations, iterations_max;
    int64_t ttl_ms, awake_ms;
    uint64_t lease;
    uint64_t replies; /* of all cycles since a beginning, without those of one that runs */
    Str boot;
    CycleEnd end;
    Str why;

    /* A pending edit. */
    bool edited, edit_deleted;
    uint64_t edit_seq;
    Str edit_base, edit;
} Tail;

/* The tail lives in `into`.  An edit that has not been recorded is recorded first, if possible. */
MUST_USE jot_status cycle_tail_read(Memory *m, Str agent, Arena *into, Tail *out, Err *e);

/* Append a record after exactly this tail.  JOT_CONFLICT: it has moved; read it again. */
MUST_USE jot_status cycle_tail_add(Memory *m, const Tail *t, json_t *meta, Str body, Mark *out,
                                   Err *e);

/* How a cycle ended, by its name in a meta; CYCLE_KILLED for one that is not known. */
CycleEnd cycle_tail_end(Str name);

/* A cycle as the tail knows it; the state is what the newest own record says. */
void cycle_tail_cycle(const Tail *t, Str agent, Cycle *out);

#endif
