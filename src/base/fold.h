/* fold.h - what a character is to somebody who looks for words, and how it is compared.
 *
 * Letters are folded: case, width, ligatures and the accents of Latin, Greek
 * and Cyrillic go; what tells words apart in other scripts stays.  Folding is
 * the same on every machine and in every locale. */
#ifndef BASE_FOLD_H
#define BASE_FOLD_H

#include "base/buf.h"

typedef enum FoldKind {
    FOLD_NONE,  /* a space, punctuation, a symbol */
    FOLD_LOWER, /* of a script that separates words; also one without case */
    FOLD_UPPER,
    FOLD_DIGIT,
    FOLD_MARK,  /* belongs to the letter before it */
    FOLD_DENSE, /* of a script without spaces between words: Chinese, Japanese, Thai, also Korean
                 */
} FoldKind;

FoldKind fold_kind(uint32_t c);

enum { FOLD_MAX = 20 };

/* The folded form of one character; 0 if nothing is left of it (an accent). */
size_t fold_char(uint32_t c, uint32_t out[FOLD_MAX]);

/* The character that two make together, or 0: a kana and its sound mark, parts of a syllable. */
uint32_t fold_join(uint32_t base, uint32_t next);

/* A letter, a digit or a mark of any script, that can be seen. */
bool fold_is_word(uint32_t c);

/* Add a text, which is UTF-8, in the normal form C: each letter in as few characters as it has. */
void fold_add_nfc(Buf *to, Str text);

/* Every character that differs from this one only in case, itself included, in order. */
enum { FOLD_CASES = 4 };
size_t fold_cases(uint32_t c, uint32_t out[FOLD_CASES]);

/* Add a text, which is UTF-8, in lower case and nothing else folded, to look for a part of a
 * text as it was written.  A sigma is the same at the end of a word and inside it. */
void fold_add_lower(Buf *to, Str text);

#endif
