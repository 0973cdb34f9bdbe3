/* guess.h - Guess, the name that was probably meant by a word that is none.
 *
 *     Guess g = { .word = word };
 *     guess_add(&g, "write");
 *     g.name                       -- "write" if the word was "wirte"; NULL: nothing is near
 */
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include "base/str.h"

typedef struct Guess {
    Str word;
    const char *name; /* the nearest so far, the first of several; NULL: none */
    size_t far;
} Guess;

/* One name there is; it must live as long as the guess. */
void guess_add(Guess *g, const char *name);

#endif
