/* cycle_log.h - what happened in a cycle: its steps, whole and one by one, and a log made of them.
 *
 * Every reply and every result is kept as it came (cycle_steps.h); the notes of the state hold the
 * beginnings.  A result is read by the key that stands in its entry, steps/AGENT/ID/SEQ.
 *
 * The log is the text another program would have written to logs/cycle_ID.log.  It is made of the
 * steps each time and kept nowhere: so it cannot say anything else than they do, and what is
 * redacted there is not in it.  A cycle that was imported has no steps; its log is what was
 * imported with it. */
#ifndef MEMORY_CYCLE_CYCLE_LOG_H
#define MEMORY_CYCLE_CYCLE_LOG_H

#include "memory/cycle/cycle.h"

enum { CYCLE_LOG_MAX = STORE_READ_MAX - 1 /* steps in one answer */ };

/* Which cycle. */
typedef struct CycleName {
    Str agent, id;
} CycleName;

typedef enum CycleLogKind { CYCLE_LOG_REPLY, CYCLE_LOG_RESULT, CYCLE_LOG_END } CycleLogKind;

/* "reply", "result", "end"; never NULL. */
const char *cycle_log_kind_name(CycleLogKind kind);

/* One step, as it was taken. */
typedef struct CycleLogStep {
    uint64_t seq;
    int64_t at_ms;
    Str by;
    CycleLogKind kind;
    Str text; /* the reply or the result, any bytes */
    bool redacted;
    Action action; /* what a reply asks for; of a result: what it answers */
    ToolEnd how;   /* of a result */
    CycleEnd end;  /* of the end */
    Str why;       /* of the end */
} CycleLogStep;

typedef struct CycleLog {
    CycleLogStep *items; /* oldest first */
    size_t n;
    bool more;
    uint64_t next;    /* the seq to continue from */
    uint64_t damaged; /* steps that cannot be read; the others are there all the same */
} CycleLog;

/* The steps of a range, 1 to CYCLE_LOG_MAX; fewer if they are long.
 * JOT_NOT_FOUND: there is no such cycle.  One that was imported has none. */
MUST_USE jot_status cycle_log_list(Memory *m, CycleName cycle, SeqRange range, Arena *into,
                                   CycleLog *out, Err *e);
/* The step of this number. */
MUST_USE jot_status cycle_log_read(Memory *m, CycleName cycle, uint64_t seq, Arena *into,
                                   CycleLogStep *out, Err *e);

/* The step that a key names.  JOT_INVALID: it is no such key, or a version of it was asked for:
 * a step has none. */
MUST_USE jot_status cycle_log_read_key(Memory *m, Str key, bool versioned, Arena *into,
                                       CycleLogStep *out, Err *e);

/* steps/AGENT/ID/SEQ, and back; false for what is no such key. */
Str cycle_log_key(Str agent, Str id, uint64_t seq, Arena *into);
MUST_USE bool cycle_log_key_read(Str key, Str *agent, Str *id, uint64_t *seq);

/* {"step", "at", "by", "kind", "text"}; of a reply also "action", "tool", "args" or "why", of a
 * result "tool", "status" and "key", of the end "end" and "why".  The caller owns these. */
json_t *cycle_log_step_json(const CycleLogStep *p);

/* Add the log of a cycle.  JOT_NOT_FOUND; JOT_TOO_BIG beyond the ceiling of `to`. */
MUST_USE jot_status cycle_log(Memory *m, Str agent, Str id, Buf *to, Err *e);
/* The stream of a cycle's traces, or of the log that came with it. */
Str cycle_log_stream(Str agent, Str id, Arena *into);

#endif
