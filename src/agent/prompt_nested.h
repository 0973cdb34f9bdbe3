/* prompt_nested.h - rules of directories below the working directory.
 *
 * AGENTS.md and CLAUDE.md of the working directory and of all above it are part of what a run
 * begins with (prompt.h).  Those below it are read when the agent first touches a file there: by
 * the path of read_file and write_file, by the words of a command that name something that exists.
 * The loop records them as a notice, so a resumed run has them as they were.
 *
 * They are trusted as those above are: a file counts if it is the user's own or root's.  Where a
 * confined command may leave files of these names they do not count: in what package managers
 * fill, in git's directories, in what was moved away (plant.h), in the pad. */
#ifndef AGENT_PROMPT_NESTED_H
#define AGENT_PROMPT_NESTED_H

#include "agent/call.h"
#include "agent/sandbox/workdir.h"
#include "base/buf.h"
#include "base/json.h"
#include "memory/frame/frame.h"

enum {
    NESTED_DIRS_MAX = 32, /* directories with rules that one call touches */
    NESTED_WORDS_MAX = 64 /* words of a command that are looked at */
};

/* The directories with rules that a call has touched, from the working directory, the outermost
 * first; at most NESTED_DIRS_MAX.  They live in `into`. */
size_t nested_dirs(const Workdir *p, const Call *call, Arena *into, Str out[NESTED_DIRS_MAX]);

/* Add what the model is shown of the rules of a directory, of each file at most `tokens`; nothing
 * if there are none.  `left_out` gets a sentence a line about files that are not shown. */
void nested_rules_add(const Workdir *p, Str dir, const Frame *f, size_t tokens, Buf *to,
                      Buf *left_out);

#endif
