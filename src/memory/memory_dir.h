/* memory_dir.h - the memory directory: files under /memories, as Anthropic's memory tool has them.
 *
 * A file /memories/a/b.md is the document memories/a/b.md; a directory is there as
 * long as a file is below it.  The six commands and their answers are those of
 * memory_20250818 as documented, word for word, so that a model that was taught
 * the tool finds what it expects.  What the documentation leaves open:
 *
 *   - `create` never overwrites;
 *   - a directory's size is that of all files below it;
 *   - lines are what is between line breaks, so a text that ends in one has an
 *     empty last line, in `view` as in `insert`;
 *   - `str_replace` looks through the whole text, over line breaks too.
 *
 * Changes are made on condition that nobody changed the file in between, and
 * begun again if somebody did: no edit is lost.  A directory is renamed or deleted
 * file by file; killed in between, the same command goes on with the rest. */
#ifndef MEMORY_MEMORY_DIR_H
#define MEMORY_MEMORY_DIR_H

#include "base/json.h"
#include "memory/memory.h"

enum {
    MEMORY_DIR_CHARS = 16000,      /* of a text that is viewed at once */
    MEMORY_DIR_LINES_MAX = 999999, /* beyond it a file is not viewed */
    MEMORY_DIR_FILES_MAX = 10000,  /* of a directory that is viewed, renamed or deleted */
};

/* {"command": "view", "path": "/memories", ...}.  *text is the answer, also with a failure: always
 * UTF-8, lives in `into`.  `tokens` bounds it (0: no bound); a last line says what was left out. */
MUST_USE jot_status memory_dir_call(Memory *m, const json_t *command, size_t tokens, Arena *into,
                                    Str *text);

#endif
