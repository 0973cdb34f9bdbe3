/* phrase.h - a phrase in a text: as it stands there, as JSON writes it, or as Jotter lays it out.
 *
 * Arguments of calls, replies of models and results in the sink are JSON, and
 * JSON in a string of JSON: there a quote is \" or \\\", a line break \n, and any
 * character may be \uXXXX.  A text that holds a phrase in one of these forms holds
 * it, up to PHRASE_DEPTH times written as JSON.
 *
 * Jotter itself shows texts in other lines than they were written in: indented in
 * the YAML of a state, after "| " or a number and a tab in a view, on one line and
 * with ** around what was looked for in a hit of a search.  So a phrase of several
 * words is also found where other blanks than its own stand between them, with these
 * at the beginning of a line passed over, and one that has more than letters and
 * digits where ** stands inside it.  Other ways of writing (base64) are other texts. */
#ifndef MEMORY_FORGET_PHRASE_H
#define MEMORY_FORGET_PHRASE_H

#include "base/arena.h"

enum { PHRASE_DEPTH = 4 };

/* `phrase` is not empty. */
bool phrase_in(Str text, Str phrase);

/* The text with `mark` in the place of each.  What JSON writes as one character is never cut, so
 * that JSON stays JSON if `mark` needs no escapes.  Lives in `into`. */
Str phrase_replace(Str text, Str phrase, Str mark, Arena *into);

#endif
