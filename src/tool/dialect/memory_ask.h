/* memory_ask.h - Ask, one command of the memory directory: what memory_dir.c, memory_view.c
 * and memory_edit.c share.
 *
 * A command ends with ask_say() or one of its kind: the answer and the status in one. */
#ifndef TOOL_DIALECT_MEMORY_ASK_H
#define TOOL_DIALECT_MEMORY_ASK_H

#include "base/json.h"
#include "memory/doc/doc.h"
#include "tool/dialect/memory_dir.h"

typedef struct Ask {
    Memory *m;
    const json_t *command;
    MemoryDialect dialect;
    size_t tokens;
    Arena *into;
    Str at; /* the path that was looked at last, as it was said */
    Str text;
} Ask;

jot_status ask_say(Ask *a, jot_status st, const char *fmt, ...) PRINTF_LIKE(3, 4);
jot_status ask_say_buf(Ask *a, jot_status st, const Buf *text);
/* What the store says; of what is no plain file of the pad, also what that means here. */
jot_status ask_say_err(Ask *a, jot_status st, const Err *e);

/* A text among the arguments; empty if it is not there. */
Str ask_member(const Ask *a, const char *name);

/* --- Paths ------------------------------------------------------------------------------- */

typedef struct Path {
    Str shown;  /* as it was said */
    Str stream; /* memories, or memories/a/b */
    bool root;
    Str refused; /* why no file can have this name; empty: one can */
} Path;

/* The path that the argument `name` says. */
MUST_USE jot_status ask_path(Ask *a, const char *name, Path *out);

typedef enum Found { FOUND_NOTHING = 0, FOUND_FILE, FOUND_DIR } Found;

/* What is there; *doc is filled in for a file. */
MUST_USE jot_status ask_look(Ask *a, const Path *p, Doc *doc, Found *out);
jot_status ask_missing(Ask *a, const Path *p, const char *more);
/* No file can have the name. */
jot_status ask_refused(Ask *a, const Path *p);
MUST_USE jot_status ask_check_text(Ask *a, const Path *p, Str text);

/* --- Directories ------------------------------------------------------------------------- */

typedef struct Files {
    Arena *into;
    Listed *items;
    size_t n, cap;
} Files;

/* All files below a directory, in byte order. */
MUST_USE jot_status ask_files(Ask *a, const Path *p, Files *out);

/* --- Lines ------------------------------------------------------------------------------- */

size_t ask_count_lines(Str text);
/* Where a line (from 1 on) begins; text.n + 1 after the last. */
size_t ask_line_start(Str text, size_t line);
/* Lines `from` to `end`, numbered, while they fit; the number of the last one. */
size_t ask_number_lines(Ask *a, Buf *to, Str text, size_t from, size_t end, size_t chars);

/* --- Looking (memory_view.c) ---------------------------------------------------------- */

jot_status ask_view(Ask *a);

/* --- Changing (memory_edit.c) --------------------------------------------------------- */

jot_status ask_replace(Ask *a);
jot_status ask_insert(Ask *a);

#endif
