/* excerpt.h - Excerpt, a part of a text that fits, and what was left out.
 *
 * A reader with a small window asks for lines, for a number of tokens, or both.
 * What is given ends after a line wherever it can; what is not given is
 * counted, so that nothing is left out silently. */
#ifndef MEMORY_FRAME_EXCERPT_H
#define MEMORY_FRAME_EXCERPT_H

#include "base/arena.h"
#include "base/err.h"

typedef struct ExcerptWant {
    size_t from;   /* the first line, from 1 on; 0: the first */
    size_t count;  /* lines; 0: all */
    size_t tokens; /* estimated; 0: any number */
} ExcerptWant;

typedef struct Excerpt {
    Str text;           /* borrowed from the whole */
    size_t first, last; /* its lines, from 1 on; last < first: none */
    size_t lines;       /* of the whole */
    size_t tokens, tokens_all;
    bool partly; /* only the beginning of its one line: not even that fits */
    bool whole;  /* nothing was left out */
} Excerpt;

void excerpt_make(Str text, const ExcerptWant *want, Excerpt *out);

/* "A:B", "A:", ":B" or "A" as lines; JOT_INVALID says so. */
MUST_USE jot_status excerpt_parse(Str range, ExcerptWant *out, Err *e);

/* What was left out, as a clause without brackets: "lines 1-40 of 120, about 790 of 2400 tokens";
 * empty if nothing was.  The line to continue with is last + 1. */
Str excerpt_says(const Excerpt *x, Arena *into);

#endif
