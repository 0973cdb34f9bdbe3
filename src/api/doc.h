/* doc.h - documents as jotter.h shows them, for the files that return some. */
#ifndef API_DOC_H
#define API_DOC_H

#include "api/api.h"
#include "memory/doc/doc.h"

/* The stream a name means; JOT_INVALID also for NULL. */
MUST_USE jot_status api_stream(jot_pad *p, const char *name, Str *out);
/* A condition; NULL: none. */
MUST_USE jot_status api_if(jot_pad *p, const char *if_version, DocIf *out);

/* What a list or a history knows of a record. */
jot_doc *api_give_mark(jot_pad *p, Str stream, const Mark *mark, Str by, Str meta);
jot_doc *api_give_doc(jot_pad *p, Str stream, const Doc *d);

/* The end of a change: *out is the document with JOT_OK and JOT_CONFLICT.  Returns `st`. */
MUST_USE jot_status api_end_change(jot_pad *p, jot_status st, Str stream, const Doc *now,
                                   const jot_doc **out);

/* A change that takes a name and a condition, and nothing else: jot_doc_delete, undo, redo. */
typedef jot_status ApiChange(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                             Err *e);
MUST_USE jot_status api_change(jot_pad *p, const char *name, const char *if_version,
                               ApiChange *change, const jot_doc **out);

#endif
