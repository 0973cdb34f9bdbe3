/* history_internal.h - single records of a document's past, for doc.c, history.c, history_undo.c
 * and history_blame.c. */
#ifndef MEMORY_DOC_HISTORY_INTERNAL_H
#define MEMORY_DOC_HISTORY_INTERNAL_H

#include "memory/doc/doc.h"

/* The record of this seq; its mark.seq is 0 if it was trimmed, is damaged or never was. */
MUST_USE jot_status history_record(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out,
                                   Err *e);

/* The seq of the newest record that is recorded; 0 if there is none. */
MUST_USE jot_status history_last(Memory *m, Str stream, const Mark *head, uint64_t *out, Err *e);

/* JOT_INVALID if fewer than VERSION_HEX digits, which name `one`, name another version too. */
MUST_USE jot_status history_only(Memory *m, Str stream, Str version, Hash one, Err *e);

/* *at is the head, and then the version `steps` before it in its history; one with the same text as
 * the one after it does not count.  Its mark.seq is 0 if the document did not exist then.
 * JOT_NOT_FOUND: it does not go that far back, or is not kept. */
MUST_USE jot_status history_earlier(Memory *m, Str stream, uint64_t steps, Arena *into, Record *at,
                                    Err *e);

/* --- The head (doc.c) ------------------------------------------------------------------- */

/* The head whatever it is: doc_present if its version is named to somebody, otherwise an edit stays
 * unrecorded (doc.c). */
MUST_USE jot_status doc_look(Memory *m, Str stream, bool names, Arena *into, Doc *out, Err *e);

/* Notes may be files that end in .md, and then meta says so ("file").  Where this one does not,
 * because the text was written over since, the stream's oldest record is asked. */
MUST_USE jot_status doc_keep_file(Memory *m, Str stream, Str *meta, Arena *into, Err *e);

#endif
