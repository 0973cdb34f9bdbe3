/* tokens.h - how many tokens a text costs, estimated.
 *
 * The text is cut into the pieces that o200k_base cuts it into (pieces.h), and each is spelled by
 * the longest tokens of its vocabulary (vocabulary.h).  Over the 70 kinds of text in
 * tests/memory/samples the mean error is 0.9 %, the 95th percentile 3 %; tests/memory/test_tokens.c
 * prints it for each and sees that it stays so.
 *
 * The same bytes give the same number on every machine and in every locale, and any bytes will do.
 * Two things do not hold, and nobody may count on them: that a longer beginning of a text costs no
 * less than a shorter one ("don'" costs two tokens, "don't" one), and that two texts put together
 * cost no more than both.  What is put together to a budget is therefore estimated as a whole at
 * last.  What does hold: a token has at least one byte. */
#ifndef MEMORY_FRAME_TOKENS_H
#define MEMORY_FRAME_TOKENS_H

#include "base/str.h"

/* About how many tokens the text takes; 0 only for the empty text. */
size_t tokens_estimate(Str text);

/* Whether that is no more than `budget`; of a longer text no more is looked at than decides it. */
bool tokens_fit(Str text, size_t budget);

/* The length of the longest beginning of `text` that ends after a line break and is estimated at no
 * more than `budget` tokens; all of it, if that is.  If not even the first line fits: of a
 * beginning of it that fits, and with which one token more would not. */
size_t tokens_cut(Str text, size_t budget);

#endif
