/* note_file.h - notes that other programs keep as files, or as rows, under names that are no keys.
 *
 * The directories they lie in are the folders of their keys.  What is called as no key can be, or
 * as a folder beside it, gets a key made of its name: what can be read of it in [A-Za-z0-9_-], and
 * eight digits of its hash, so that two names never become one key.  The name itself is kept in the
 * meta of the note's record, {"file":PATH} or
 * {"key":NAME}, and an export gives it back, whatever was written to the note since. */
#ifndef MEMORY_PORT_NOTE_FILE_H
#define MEMORY_PORT_NOTE_FILE_H

#include "memory/memory.h"

/* The text after which a note's file ends, ".txt" or ".md"; empty for any other file. */
Str note_file_tail(Str path);

typedef struct NoteFile {
    Str key;
    Str meta;    /* for the record; empty if the file is KEY.txt */
    bool mapped; /* the key is not what the file is called */
} NoteFile;

/* The note of a file, or, with `row`, of a row of a table.  `taken`: another file is called as its
 * key would be.  Lives in `into`. */
NoteFile note_file_of(Str name, bool row, bool taken, Arena *into);

/* What a note was called where it came from: the newest name in its history, or empty. */
typedef struct NoteName {
    Str file;
    bool row; /* it was a row, and this is its key, perhaps empty */
    Str key;
} NoteName;
MUST_USE jot_status note_file_name(Memory *m, Str stream, Arena *into, NoteName *out, Err *e);

#endif
