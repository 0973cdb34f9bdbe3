/* pieces.h - a text as a tokenizer first sees it: words, numbers, runs of punctuation and space.
 *
 * These are the pieces of o200k_base, whose tokens never reach from one piece into the next.  It
 * describes them by a regular expression; L is a letter, M a mark on one, N a number:
 *
 *     [^\r\n L N]? [Lu Lt Lm Lo M]* [Ll Lm Lo M]+ ('s|'t|'re|'ve|'m|'ll|'d)?    in any case
 *     [^\r\n L N]? [Lu Lt Lm Lo M]+ [Ll Lm Lo M]* ('s|'t|'re|'ve|'m|'ll|'d)?
 *     N{1,3}
 *     ' '? [^\s L N]+ [\r\n/]*
 *     \s* [\r\n]+
 *     \s+ (?!\S)
 *     \s+
 *
 * The first that matches counts.  Nothing looks back: a piece depends on where it begins and on
 * what follows. */
#ifndef MEMORY_FRAME_PIECES_H
#define MEMORY_FRAME_PIECES_H

#include "base/str.h"

/* Where the piece ends that begins at `at`, which is before the end of the text.  Any bytes will
 * do: one that is not UTF-8 is a symbol. */
size_t piece_end(Str text, size_t at);

#endif
