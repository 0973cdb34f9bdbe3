/* memory_dir.h - the memory directory: files under /memories, as Anthropic's memory tool has them.
 *
 * A file /memories/a/b.md is the document memories/a/b.md; a directory is there as
 * long as a file is below it.  The six commands and their answers are those of the
 * file-system memory tools that come with Anthropic's SDKs, word for word, so that a
 * model that was taught the tool finds what it expects; `make conformance` plays
 * random commands to them and to us.  Where the two SDKs differ there are dialects:
 *
 *                     documented         typescript            python
 *   node_modules      not listed         not listed            listed
 *   too many lines    as documented      words of its own      as documented
 *   old_str           anywhere, once     on one line           anywhere, once
 *   lines of old_str  each once          each once             each as often as it is there
 *   insert_text       loses one \n at its end, likewise        all of them, and the file
 *                     the file's end stays                     ends in \n
 *   insert_line       up to the lines of view, likewise        up to those that end in \n
 *   1280 bytes        1.2K               1.3K                  1.2K
 *
 * Not as in either: the size of a directory is that of all files below it; an empty
 * old_str is nowhere; names are those a pad takes; /memoriesX is no path; nothing of
 * the file system is told.  A path may have empty and "." segments, and ".." as long
 * as it stays inside; it is shown as it was said.
 *
 * Changes are made on condition that nobody changed the file in between, and
 * begun again if somebody did: no edit is lost.  A directory is renamed or deleted
 * file by file; killed in between, the same command continues with the rest. */
#ifndef TOOL_DIALECT_MEMORY_DIR_H
#define TOOL_DIALECT_MEMORY_DIR_H

#include "base/json.h"
#include "memory/memory.h"

enum {
    MEMORY_DIR_CHARS = 16000,      /* of a text that is viewed at once */
    MEMORY_DIR_LINES_MAX = 999999, /* beyond it a file is not viewed */
    MEMORY_DIR_FILES_MAX = 10000,  /* of a directory that is viewed, renamed or deleted */
};

typedef enum MemoryDialect {
    DIALECT_DOCUMENTED = 0,
    DIALECT_TYPESCRIPT,
    DIALECT_PYTHON,
} MemoryDialect;

/* The dialect of this name; empty: documented.  JOT_INVALID says which there are. */
MUST_USE jot_status memory_dialect(Str name, MemoryDialect *out, Err *e);

/* {"command": "view", "path": "/memories", ...}.  *text is the answer, also with a failure: always
 * UTF-8, lives in `into`.  `tokens` bounds it (0: no bound); a last line says what was left out. */
MUST_USE jot_status memory_dir_call(Memory *m, const json_t *command, MemoryDialect dialect,
                                    size_t tokens, Arena *into, Str *text);

#endif
