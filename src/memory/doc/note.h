/* note.h - notes: documents under a key, the scratchpad itself.
 *
 * A note is the stream notes/KEY; everything doc.h, history.h and forget.h can do
 * with a document it can do with a note.  Here is what only notes have: keys,
 * lists, and the sentences a model is answered with. */
#ifndef MEMORY_DOC_NOTE_H
#define MEMORY_DOC_NOTE_H

#include "memory/doc/doc.h"

/* The stream of a note; JOT_INVALID unless the key is one (store_check_note).  Lives in `into`. */
MUST_USE jot_status note_stream(Str key, Arena *into, Str *out, Err *e);

/* The stream of any document a word may mean: a name that begins with notes/, memories/,
 * artifacts/, cycles/, threads/ or shared/ is that stream, and any other word is a note's key.  No
 * note lies in a folder that is called as a kind, so no word means both. */
MUST_USE jot_status note_resolve(Str word, Arena *into, Str *out, Err *e);

/* The same for an agent.  The notes it makes have keys of [A-Za-z0-9_-]+ alone, so that is what it
 * is told of a word that is no key; what people called otherwise it may read, and change. */
MUST_USE jot_status note_resolve_agent(Str word, Arena *into, Str *out, Err *e);
/* And for one that writes: another key only if there is, or was, such a note. */
MUST_USE jot_status note_resolve_change(Memory *m, Str word, Arena *into, Str *out, Err *e);

typedef enum NoteWhich {
    NOTE_LIVE = 0,
    NOTE_DELETED,
    NOTE_NAMES /* of the living, without heads */
} NoteWhich;

typedef struct NoteAsk {
    Str prefix;   /* what names begin with, resolved as above; empty: all notes */
    Str after;    /* the stream they come after; empty: from the first */
    size_t limit; /* 1 to STORE_LIST_MAX */
    NoteWhich which;
} NoteAsk;

/* The names are those of streams. */
MUST_USE jot_status note_list(Memory *m, const NoteAsk *ask, Arena *into, Listing *out, Err *e);
/* [mark_json ...]; the caller owns it. */
json_t *note_list_json(const Listing *l);

/* "wrote N chars to scratchpad[KEY]"; other documents by their name. */
Str note_wrote(Str stream, Str text, bool joined, Arena *into);

/* A sentence if the text looks as if it held a secret, with the command that forgets it; else
 * empty. */
Str note_warns(Str stream, Str text, Arena *into);

#endif
