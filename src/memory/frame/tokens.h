/* tokens.h - how many tokens a text costs, estimated.
 *
 * A model's own tokenizer needs megabytes of tables; this needs one pass and
 * a dozen counters.  Against o200k_base the mean error over the samples of
 * tests/memory/samples is stated, and checked, in tests/memory/test_tokens.c.
 * The same bytes give the same number on every machine and in every locale. */
#ifndef MEMORY_FRAME_TOKENS_H
#define MEMORY_FRAME_TOKENS_H

#include "base/str.h"

/* What is counted.  Any bytes will do: what is not UTF-8 counts as letters of another script. */
typedef enum TokenClass {
    TOKEN_WORDS,       /* runs of Latin letters, cut where camelCase begins a new word */
    TOKEN_LONG,        /* letters of a word beyond the seventh */
    TOKEN_CAPS,        /* capitals after a capital */
    TOKEN_DIGITS,      /* groups of up to three digits */
    TOKEN_MARKS,       /* runs of punctuation and symbols */
    TOKEN_MORE_MARKS,  /* those after the first of a run */
    TOKEN_BREAKS,      /* runs of line breaks */
    TOKEN_INDENTS,     /* runs of two and more spaces or tabs */
    TOKEN_CJK,         /* Chinese, Japanese and Korean characters */
    TOKEN_OTHER_WORDS, /* words in other scripts */
    TOKEN_OTHER,       /* their letters */
    TOKEN_ACCENTS,     /* Latin letters beyond ASCII */
    TOKEN_CLASSES
} TokenClass;

/* About how many tokens the text takes; 0 only for the empty text. */
size_t tokens_estimate(Str text);

/* Whether that is no more than `budget`; texts that are short for it are not even looked at. */
bool tokens_fit(Str text, size_t budget);

/* The length of the longest beginning of `text` that is estimated at no more than `budget` tokens
 * and ends after a line break, or, if not even the first line fits, after a character of it. */
size_t tokens_cut(Str text, size_t budget);

#endif
