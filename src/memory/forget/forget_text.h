/* forget_text.h - what a document is without a phrase.
 *
 * Notes and memories are plain text: the phrase is replaced where it stands.  A
 * state is YAML, an artifact and a thing of the graph are JSON: there it is replaced
 * inside the values, so that every reader of them reads the same document without it. */
#ifndef MEMORY_FORGET_FORGET_TEXT_H
#define MEMORY_FORGET_FORGET_TEXT_H

#include "base/arena.h"

/* Does a body of this stream hold the phrase?  As phrase_in, and in the bytes of a kept result that
 * is no text. */
bool forget_holds(Str stream, Str body, Str phrase);

/* True of documents in which a phrase may have to stay: what cannot be read, names that are the
 * layout's, a phrase that is partly a value and partly what stands around it. */
bool forget_has_layout(Str stream);

/* The document with FORGET_MARK in the place of each, as far as that leaves it a document of its
 * kind: what comes out of one that can be read can be read.  Lives in `into`, or is `text`. */
Str forget_clean(Str stream, Str text, Str phrase, Arena *into);

#endif
