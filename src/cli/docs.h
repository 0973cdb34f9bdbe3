/* docs.h - what the commands about documents share: names, conditions, conflicts.
 *
 * A document is given as a note's key, or as a whole name (memories/a.md). */
#ifndef CLI_DOCS_H
#define CLI_DOCS_H

#include "cli/cmd.h"
#include "memory/doc/conflict.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"

/* The stream an argument means; JOT_INVALID before anything is opened or read. */
MUST_USE jot_status docs_arg(Session *s, int at, Str *stream);

/* Open the pad for a document that must be there: where there is no pad, it is not found. */
MUST_USE jot_status docs_open(Session *s, Str stream);

/* --if-version. */
MUST_USE jot_status docs_if(Session *s, DocIf *out);

/* The text of --file, else the argument at this place, else standard input; UTF-8.  JOT_INVALID if
 * both of the first two are given. */
MUST_USE jot_status docs_input(Session *s, int at, Str *out);

/* An option or argument that names a version. */
MUST_USE jot_status docs_when(Session *s, const char *text, When *out);
/* The same of an argument, as what is below the command line takes it: a moment is exact. */
MUST_USE jot_status docs_version(Session *s, int at, Str *out);

/* "version X" on a line of its own. */
void docs_print_version(const Mark *m);

/* Warn on standard error if the text looks like a secret; the sentence, or empty. */
Str docs_warn(Session *s, Str stream, Str text);

/* Print the answer to a change: the document as JSON, or one line and its version. */
void docs_answer(Session *s, Str stream, const Doc *d, Str line, Str warning);

/* Write, and answer; on conflict show both texts. */
MUST_USE jot_status docs_write(Session *s, Str stream, const DocWrite *w);

/* Show both texts of a conflict and what they make together; returns JOT_CONFLICT. */
jot_status docs_show_conflict(Session *s, const Conflict *c);

/* A unified diff, coloured on a terminal. */
void docs_print_diff(Str diff);

#endif
