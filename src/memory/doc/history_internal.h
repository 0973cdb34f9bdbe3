/* history_internal.h - single records of a document's past, for history.c, history_undo.c and
 * history_blame.c. */
#ifndef MEMORY_DOC_HISTORY_INTERNAL_H
#define MEMORY_DOC_HISTORY_INTERNAL_H

#include "memory/doc/doc.h"

/* The record of this seq; its mark.seq is 0 if it was trimmed, is damaged or never was. */
MUST_USE jot_status history_record(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out,
                                   Err *e);

/* The seq of the newest record that is recorded; 0 if there is none. */
MUST_USE jot_status history_last(Memory *m, Str stream, const Mark *head, uint64_t *out, Err *e);

/* *at is the head, and then the state `steps` undos would bring back; its mark.seq is 0 if the
 * document did not exist then.  JOT_NOT_FOUND: it does not go that far back, or is not kept. */
MUST_USE jot_status history_back(Memory *m, Str stream, uint64_t steps, Arena *into, Record *at,
                                 Err *e);

#endif
