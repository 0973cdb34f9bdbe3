/* frame.h - Frame, how text from outside stands inside a prompt without passing for part of it.
 *
 * Two things see to it, each without the other.
 *
 * The sign.  A prompt is made of parts, and a part begins with a line that carries the frame's
 * sign, 16 hex digits that nobody outside can guess:
 *
 *   <jotter-note 5f3a9c0d1e2b4a67 key="plan">
 *
 * The value follows, then one line break, then the line of the next part, at last
 *
 *   <jotter-end 5f3a9c0d1e2b4a67>
 *
 * So a part costs the sign once, and ends only where the sign stands again.  A run draws its own
 * sign and keeps it in its first record; without a run it is made from the pad's id and a secret of
 * the user's, so that the same pad gives the same bytes.
 *
 * The backslash.  In a value, what would read as one of these gets a backslash more:
 *
 *   ### tool(k=v, ...)                        at the beginning of a line: a call, its result below
 *   [Tool result #3 cleared from context]     also [TOOL], [UNKNOWN TOOL], [PARSE ERROR]
 *   ## Tool Usage This Query
 *   New data retrieved after compaction:
 *   <jotter-  </jotter-                       anywhere
 *   the sign                                  anywhere; the backslash goes into its middle
 *
 * "Would read as" is generous, because the reader is a model: case, width and accents do not count
 * (NFKC), nor do spaces and characters that are not seen, in front or in between; a line begins
 * after anything that may be shown as a line break, and after backslashes.  No other byte is
 * touched: taking one backslash from each such place gives the value back, byte for byte. */
#ifndef MEMORY_FRAME_FRAME_H
#define MEMORY_FRAME_FRAME_H

#include "base/arena.h"
#include "base/io.h"
#include "base/json.h"

struct Memory;

enum { FRAME_SIGN = 16 };

typedef struct Frame {
    /* Empty: the frame of a run that has none.  Its values are marked as they always were
     * (frame_old.c), so that it continues with the same bytes; it has no parts. */
    char sign[FRAME_SIGN + 1];
} Frame;

/* --- Signs ------------------------------------------------------------------------------- */

/* A sign that was never there before. */
Frame frame_draw(const Io *io);
/* The frame of a pad; 0, 1, 2 ... are different ones, for a pad whose values hold the first.
 * Where the user has no state directory anybody can compute it from the pad's id: then the
 * backslash alone protects. */
Frame frame_of_pad(struct Memory *m, uint64_t n);
/* What is recorded of one: 16 hex digits, else the result is the frame without a sign. */
Frame frame_of_text(Str sign);
/* True if the value holds the sign, in whatever writing. */
bool frame_in(const Frame *f, Str value);

/* --- Values ------------------------------------------------------------------------------ */

/* Add a value, framed. */
void frame_add(Buf *to, const Frame *f, Str value);
/* Add the value that frame_add made `framed` of. */
void frame_read(Buf *to, const Frame *f, Str framed);
/* The same for a text whose lines are ours: only what stands anywhere is marked. */
void frame_add_places(Buf *to, const Frame *f, Str text);

/* The next place from `from` on that is marked wherever it stands: a tag or, if `f` is not NULL,
 * the sign.  A backslash goes right in front of *place; the search continues at *next. */
bool frame_place(const Frame *f, Str s, size_t from, size_t *place, size_t *next);

/* True if a line (after spaces, backslashes and the like) begins as one of these does: lower case,
 * no spaces. */
bool frame_opens(Str line, const Str *openings, size_t n);
/* True if it is one of those that mean something, above. */
bool frame_means(Str line);
/* The end of the line that begins at `at`: where its break begins; *next is after that. */
size_t frame_line_end(Str s, size_t at, size_t *next);

/* --- Parts ------------------------------------------------------------------------------- */

/* Begin a part: its line.  `attributes` as frame_attribute_add makes them, or empty. */
void frame_part_add(Buf *to, const Frame *f, const char *word, Str attributes);
/* Add ` name="value"`. */
void frame_attribute_add(Buf *to, const Frame *f, const char *name, Str value);
/* A whole part: its line, the value framed, a line break. */
void frame_value_add(Buf *to, const Frame *f, const char *word, Str attributes, Str value);
/* The end of the last one. */
void frame_end_add(Buf *to, const Frame *f);
/* What stands before the first part of a text. */
Str frame_before(const Frame *f, Str text);

/* --- Calls (frame_call.c) ---------------------------------------------------------------- */

/* Add a name on one line: as it is if it has only letters, digits and "_.-:/", else in quotes. */
void frame_name_add(Buf *to, Str name);
/* The same where nothing comes after it on the line: as it is if all of it is seen. */
void frame_last_name_add(Buf *to, Str name);

/* Add `tool(k=v, k=v)` on one line.  A string stands bare if nothing in it could be mistaken for
 * something else, and all of it is seen; whatever else there is, is JSON, in which what is not
 * seen is escaped.  `f` may be NULL where there is no frame; `args` is an object or NULL. */
void frame_call_add(Buf *to, const Frame *f, Str tool, const json_t *args);
/* The same with the arguments as text; what is no object is left out. */
void frame_call_add_text(Buf *to, const Frame *f, Str tool, Str args);

/* --- Runs without a sign (frame_old.c) --------------------------------------------------- */

void frame_old_add(Buf *to, Str value);
void frame_old_read(Buf *to, Str framed);

#endif
