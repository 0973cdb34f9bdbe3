/* frame.h - Frame, how text from outside stands inside a prompt without passing for part of it.
 *
 * A prompt made by Jotter has lines that mean something:
 *
 *   ### tool(k=v, ...)                        a call, and its result below
 *   [Tool result #3 cleared from context]     a result that is elsewhere ([TOOL] is such a line
 * too)
 *   ## Tool Usage This Query
 *   New data retrieved after compaction:
 *   <jotter-note key="plan">                  parts of a context
 *
 * A value may hold the same lines.  So, in a value, a line that would read as
 * one of them gets one backslash in front, and so does a line that is such a
 * line behind backslashes already.  No other byte is touched; taking one
 * backslash from each such line gives the value back, byte for byte.
 *
 * "Would read as" is generous, because the reader is a model: upper and lower
 * case are the same, spaces and invisible characters in front do not count, and
 * a line begins behind anything that may be shown as a line break. */
#ifndef MEMORY_FRAME_H
#define MEMORY_FRAME_H

#include "base/arena.h"
#include "base/json.h"

/* Add a value, framed. */
void frame_add(Buf *to, Str value);
/* Add the value that frame_add made `framed` of. */
void frame_read(Buf *to, Str framed);
/* True if a line (behind spaces, backslashes and the like) is one of those that mean something. */
bool frame_means(Str line);

/* Add a name on one line: as it is if it has only letters, digits and "_.-:/", else in quotes. */
void frame_name_add(Buf *to, Str name);

/* Add `tool(k=v, k=v)` on one line.  A string stands bare if nothing in it could be mistaken for
 * something else; whatever else there is, is JSON.  `args` is an object or NULL. */
void frame_call_add(Buf *to, Str tool, const json_t *args);
/* The same with the arguments as text; what is no object is left out. */
void frame_call_add_text(Buf *to, Str tool, Str args);
/* The call at the start of `text`: the offset behind its ')', or 0 if there is none.  The caller
 * owns *args; tool lives in `into`. */
MUST_USE size_t frame_call_read(Str text, Arena *into, Str *tool, json_t **args);

#endif
