/* cycle_state.h - State, the document an agent keeps between two cycles.
 *
 * A map in YAML that people read and edit: goals, current_task, pending_actions,
 * completed_tasks, notes and last_updated, and whatever else somebody put there,
 * which is kept, in its order.  What is missing is filled in; what has the wrong
 * type is refused by a sentence with line and column, never guessed.
 *
 * `notes` is a log the agent reads: one entry a line, each with a tag in front.
 * It is bounded: the oldest whole entries go, and the first line says so.  A
 * value never forges an entry: what goes into one has no line breaks left. */
#ifndef MEMORY_CYCLE_CYCLE_STATE_H
#define MEMORY_CYCLE_CYCLE_STATE_H

#include "base/json.h"
#include "base/yaml.h"

enum {
    CYCLE_STATE_BYTES_MAX =
        1024 * 1024, /* of a document a cycle may begin with, or be given to keep */
    CYCLE_STATE_NODES_MAX = 90 * 1000, /* the same in scalars, keys, lists and maps */
    CYCLE_STATE_NOTES_MAX = 32 * 1024, /* bytes of `notes` after an entry was added */
    CYCLE_STATE_LINE_CHARS = 300,      /* of one value in an entry */
};

/* The document in `text`, with defaults filled in; an empty text is the empty document.
 * JOT_INVALID or JOT_TOO_BIG with a sentence that gives line and column. */
MUST_USE jot_status cycle_state_read(Str text, Arena *into, Yaml **out, Err *e);

/* The same of a text that we wrote and that could be read then.  If it cannot any more, the empty
 * document, with an entry that says so: what is lost is in the history, and a cycle can
 * begin. */
Yaml *cycle_state_salvage(Str text, Arena *into);

/* The document as text.  JOT_INVALID if a text in it holds NUL or is not UTF-8.  A document that
 * fits can take what one cycle adds by itself (notes, a finished task) and still be written. */
MUST_USE jot_status cycle_state_write(const Yaml *state, Arena *into, Str *out, Err *e);
/* JOT_TOO_BIG unless the document, as written, is within the limits above. */
MUST_USE jot_status cycle_state_fits(const Yaml *state, Err *e);

/* The empty document. */
Yaml *cycle_state_new(Arena *a);
/* A tree of its own, texts included. */
Yaml *cycle_state_copy(Arena *a, const Yaml *tree);

/* JOT_INVALID with a sentence unless a value of this kind may stand under the key. */
MUST_USE jot_status cycle_state_check(Str key, const Yaml *value, Err *e);

/* --- Notes ----------------------------------------------------------------------------- */

/* At most `chars_max` characters of any bytes as part of one line: line breaks and control
 * characters are escaped; what was cut is said. */
Str cycle_state_line(Arena *a, Str text, size_t chars_max);
/* The same without saying what was cut; *chars is how many there are in all. */
Str cycle_state_part(Arena *a, Str text, size_t chars_max, size_t *chars);

/* Add an entry.  `line` is one line already; whatever is in it went through cycle_state_line. */
void cycle_state_note(Arena *a, Yaml *state, Str line);

/* Replace the notes by what an agent wrote.  A line that looks like one of our entries and was not
 * there before is quoted ("> "); how many were is returned. */
size_t cycle_state_set_notes(Arena *a, Yaml *state, Str text);

/* --- Two at once ----------------------------------------------------------------------- */

typedef struct CycleMerge {
    size_t clashes;  /* values that both changed: lines [CONFLICT] in the notes */
    size_t compared; /* keys and items: n log n of them */
} CycleMerge;

/* A person edited `base` into `theirs` while a cycle made `ours` of it.  What only one of them
 * changed is taken; lists lose what either removed and get what either added, equal items counted
 * (cycle_state_list.h); text both added to the notes is kept from both.  Where the two cannot be
 * joined the person's value stands and the cycle's goes into the notes, as a [CONFLICT]; so does a
 * list in which both replaced the same items.  In `a`. */
Yaml *cycle_state_merge(Arena *a, const Yaml *base, const Yaml *ours, const Yaml *theirs,
                        CycleMerge *told);

#endif
