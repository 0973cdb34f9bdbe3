/* stem.h - Stemmer, what is left of a word without its endings: backups, backup; went, go.
 *
 * By libstemmer, which is loaded when the first word is asked for: it is large,
 * and only searching needs it. */
#ifndef MEMORY_SEARCH_STEM_H
#define MEMORY_SEARCH_STEM_H

#include "base/str.h"

#define STEM_DEFAULT "english"
#define STEM_NONE "none" /* words are taken as they are written */

typedef struct Stemmer Stemmer;

/* A stemmer for a language as libstemmer calls it; NULL if there is none, or no libstemmer. */
Stemmer *stemmer_new(const char *language);
void stemmer_free(Stemmer *s); /* NULL is fine */

/* The stem of a folded word, or of the one it is a form of (irregular.h), borrowed until the next
 * call.  The word itself if it has none: for NULL, for numbers, for words shorter than three
 * letters. */
Str stem_of(Stemmer *s, Str word);

#endif
