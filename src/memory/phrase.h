/* phrase.h - a phrase in a text: as it stands there, or as JSON writes it.
 *
 * Arguments of calls, replies of models and results in the sink are JSON, and
 * JSON in a string of JSON: there a quote is \" or \\\", a line break \n, and any
 * character may be \uXXXX.  A text that holds a phrase in one of these forms holds
 * it, up to PHRASE_DEPTH times written as JSON.  Other ways of writing (base64,
 * line breaks that YAML folds) are other texts. */
#ifndef MEMORY_PHRASE_H
#define MEMORY_PHRASE_H

#include "base/arena.h"

enum { PHRASE_DEPTH = 4 };

/* `phrase` is not empty. */
bool phrase_in(Str text, Str phrase);

/* The text with `mark` in the place of each.  What JSON writes as one character is never cut, so
 * that JSON stays JSON if `mark` needs no escapes.  Lives in `into`. */
Str phrase_replace(Str text, Str phrase, Str mark, Arena *into);

#endif
