/* doc.h - Doc, a stream whose value is its head: a note, a memory file, an artifact, a state.
 *
 * A version is the SHA-256 of the text, shown by its first VERSION_HEX digits:
 * equal text is the same version, by definition.  Whoever names the version he
 * has read writes only if nobody wrote in between; the answer to a conflict is
 * the document as it is now. */
#ifndef MEMORY_DOC_H
#define MEMORY_DOC_H

#include "memory/memory.h"

enum { VERSION_HEX = 12 };

typedef struct Version {
    char text[VERSION_HEX + 1];
} Version;

Version version_of(Hash sha256);

/* JOT_INVALID unless `text` is VERSION_HEX to HASH_HEX lower-case hex digits. */
MUST_USE jot_status version_check(Str text, Err *e);
/* True if the (checked) text is the beginning of this hash. */
bool version_names(Str text, Hash sha256);

typedef struct Doc {
    Str text;
    Str by;
    Str meta;
    Mark mark; /* seq 0: a person's edit that the next write will record */
} Doc;

/* JOT_NOT_FOUND also if it was deleted. */
MUST_USE jot_status doc_read(Memory *m, Str stream, Arena *into, Doc *out, Err *e);

/* On what a change of a document depends; {0}: on nothing. */
typedef struct DocIf {
    Str version; /* it is still this one; empty: any */
    bool absent; /* it does not exist */
} DocIf;

typedef struct DocWrite {
    Str text;
    Str meta;
    Str id; /* idempotency, as in Draft */
    DocIf when;
} DocWrite;

/* Make `text` the value.  *out is the document as it is now: with JOT_OK the one just written, with
 * JOT_CONFLICT the one that stands in the way (mark.op OP_DELETE or 0: there is none). */
MUST_USE jot_status doc_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out,
                              Err *e);

/* The same for deleting; JOT_NOT_FOUND if it is not there. */
MUST_USE jot_status doc_delete(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                               Err *e);

#endif
