/* doc.h - Doc, a stream whose value is its head: a note, a memory file, an artifact, a state.
 *
 * A version is the SHA-256 of the text, shown by its first VERSION_HEX digits:
 * equal text is the same version, by definition.  A writer who names the version he
 * has read writes only if nobody wrote in between; the answer to a conflict is
 * the document as it is now (and conflict.h says more about it).
 *
 * history.h has what a document was, forget.h how it is forgotten. */
#ifndef MEMORY_DOC_DOC_H
#define MEMORY_DOC_DOC_H

#include "base/json.h"
#include "memory/memory.h"

enum {
    VERSION_HEX = 12,     /* digits that are shown */
    VERSION_SHORT = 7,    /* digits that are understood, while they name one version */
    DOC_TRIES_MAX = 64,   /* how often edit and append begin again when somebody was faster */
    DOC_PLACES_SHOWN = 8, /* lines named when a text to replace is not unique */
    DOC_PLACES_MAX = 100, /* places counted then; beyond it there are "100 or more" */
};

typedef struct Version {
    char text[VERSION_HEX + 1];
} Version;

Version version_of(Hash sha256);
/* The same for who shows many documents and records no edit: "edited" for one that has no record
 * (seq 0), because nobody promises that its text stays readable. */
Version version_listed(uint64_t seq, Hash sha256);

/* JOT_INVALID unless `text` is VERSION_SHORT to HASH_HEX lower-case hex digits. */
MUST_USE jot_status version_check(Str text, Err *e);
/* True if the (checked) text is the beginning of this hash. */
bool version_names(Str text, Hash sha256);

/* --- What a document is called --------------------------------------------------------- */

/* A document inside a sentence: scratchpad[KEY] for a note, 'NAME' for any other. */
typedef struct DocName {
    char text[STORE_NOTE_MAX + 32];
} DocName;
DocName doc_name(Str stream);

/* The words people and models use: a note's key, any other document's whole name.  Borrowed. */
Str doc_word(Str stream);

/* The first line of a text that says something, without the marks of a heading; empty if there is
 * none, or the text is not UTF-8.  Borrowed. */
Str doc_title(Str text);

/* --- Reading --------------------------------------------------------------------------- */

typedef struct Doc {
    Str text;
    Str by;
    Str meta;
    Mark mark; /* seq 0: a person's edit that has no record yet */
} Doc;

/* JOT_NOT_FOUND also if it was deleted.  A person's edit is recorded first (memory_head). */
MUST_USE jot_status doc_read(Memory *m, Str stream, Arena *into, Doc *out, Err *e);

/* The same for who shows many documents, and names no versions: an edit stays unrecorded. */
MUST_USE jot_status doc_glance(Memory *m, Str stream, Arena *into, Doc *out, Err *e);

/* The head whatever it is: mark.op is OP_DELETE for what was deleted, 0 for what never was.  A
 * person's edit is recorded first. */
MUST_USE jot_status doc_present(Memory *m, Str stream, Arena *into, Doc *out, Err *e);

/* JOT_CONFLICT, with a sentence that says where it stands now and who brought it there.  `absent`:
 * there was to be nothing. */
jot_status doc_conflict(Str stream, bool absent, const Doc *now, Err *e);

/* --- Changing -------------------------------------------------------------------------- */

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
    bool merge; /* on conflict write both changes, if they merge: conflict_write() */
} DocWrite;

/* Make `text` the value.  *out is the document as it is now: with JOT_OK the one just written, with
 * JOT_CONFLICT the one that stands in the way (mark.op OP_DELETE or 0: there is none). */
MUST_USE jot_status doc_write(Memory *m, Str stream, const DocWrite *w, Arena *into, Doc *out,
                              Err *e);

typedef struct DocAppend {
    Str text;
    bool line; /* begin a new line, if what is there does not end in a line break */
    DocIf when;
} DocAppend;

/* Add the text to what is there; begins again with the new text if somebody writes in between,
 * unless `when` names a version.  A document that is not there is made.  The meta stays. */
MUST_USE jot_status doc_append(Memory *m, Str stream, const DocAppend *a, Arena *into, Doc *out,
                               Err *e);

typedef struct DocEdit {
    Str old_text, new_text;
    DocIf when;
    size_t line; /* set by doc_edit: where it was, from 1 on */
} DocEdit;

/* Replace the one place that reads exactly `old_text`.  JOT_INVALID says that there is none, or how
 * many there are and where; nothing is changed then.  The meta stays. */
MUST_USE jot_status doc_edit(Memory *m, Str stream, DocEdit *w, Arena *into, Doc *out, Err *e);

/* Make it a tombstone; JOT_NOT_FOUND if it is not there. */
MUST_USE jot_status doc_delete(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                               Err *e);

/* Move it to a name nobody has; *out is the new document, whose meta says {"from": the old name}.
 * The history stays with the old name.  JOT_CONFLICT: the new name is taken.  The new one is
 * written before the old one is deleted: killed in between, both are there with the same text, and
 * the same call finishes the move. */
MUST_USE jot_status doc_move(Memory *m, Str from, Str to, Arena *into, Doc *out, Err *e);

/* --- As JSON --------------------------------------------------------------------------- */

/* {"key", "stream", "version", "sha256", "seq", "at", "by", "chars", "bytes", "meta"}, and "text"
 * if it is wanted; a note has a key, others only a stream.  "deleted": true stands for the version
 * of a tombstone, "edited": true beside that of a person's edit that has no record.  The caller
 * owns it. */
json_t *doc_json(Str stream, const Doc *d, bool with_text);
/* The same for what a list or a history knows of a record: all but the text and its characters. */
json_t *mark_json(Str stream, const Mark *mark, Str by, Str meta);

/* What of a meta a changed text keeps: all but what was said of one record ("undo", "restored",
 * "shows"). Lives in `into`. */
Str meta_kept(Str meta, Arena *into);
/* That, with one more member; what is no JSON object counts as empty.  Lives in `into`. */
Str meta_with(Str meta, const char *name, json_t *value, Arena *into);
/* A member of a meta as a number (0: none), or as text. */
uint64_t meta_number(Str meta, const char *name);
Str meta_text(Str meta, const char *name, Arena *into);

#endif
