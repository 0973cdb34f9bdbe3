/* cycle_snapshot.h - the two texts a cycle leaves behind, as documents of their own.
 *
 * snapshots/AGENT/ID_before and _after hold the bodies of the records `before`
 * and `after` of the state stream, to the byte; on files they are
 * cycles/ID_before.yaml and cycles/ID_after.yaml.  They are made from those
 * records, once, and rebuilt if a process died in between; a person who edits
 * or deletes one changes nothing but the file they see. */
#ifndef MEMORY_CYCLE_CYCLE_SNAPSHOT_H
#define MEMORY_CYCLE_CYCLE_SNAPSHOT_H

#include "memory/cycle/cycle_tail.h"

/* Make what is missing of the snapshots of the tail's newest cycle. */
MUST_USE jot_status cycle_snapshot_keep(Memory *m, Str agent, const Tail *t, Err *e);

/* True if a cycle of this id has ever left a trace. */
MUST_USE jot_status cycle_snapshot_taken(Memory *m, Str agent, Str id, bool *taken, Err *e);

/* JOT_INVALID: this is no id of a cycle. */
jot_status cycle_refuse_id(Str id, Err *e);

/* The tail, if this is its newest cycle, else what the snapshots say.  JOT_NOT_FOUND; JOT_INVALID:
 * no cycle is called so. */
MUST_USE jot_status cycle_snapshot_locate(Memory *m, Str agent, Str id, Arena *into, Tail *out,
                                          Err *e);

#endif
