/* vocabulary.h - what a piece of text costs in tokens: o200k_base's vocabulary as a filter.
 *
 * The tokenizer joins bytes by rank, for which it needs the rank of each of its 199,998 tokens, a
 * table of megabytes.  Here a piece is spelled from left to right by the longest token that is
 * known, which nearly always takes as many; and whether a token is known is asked of a filter that
 * takes nine bits a token and says yes wrongly to one of 256 that are not.
 *
 * The table (vocabulary.bin, 299,008 bytes) is made by tools/gen-vocabulary from the published
 * vocabulary; tests/memory/samples has the true counts of texts of 70 kinds.
 *
 *     0        heads    16,384 numbers of 32 bits, little-endian.  Which one a token belongs to is
 *                       a hash of its first three bytes; bit n - 1 is set if some token of n bytes
 *                       does, bit 31 if one of 32 or more.  So only lengths are asked for
 *                       that there are.
 *     65,536   prints   a binary fuse filter: three places of it, taken from the hash of a token,
 *                       xor to the low byte of that hash.  The first is anywhere, the second and
 *                       third in the next two segments of 4,096: seldom far away. */
#ifndef MEMORY_FRAME_VOCABULARY_H
#define MEMORY_FRAME_VOCABULARY_H

#include "base/str.h"

enum { VOCABULARY_TOKEN_MAX = 64 /* bytes that are ever taken for one token */ };

/* How many bytes at `at` are one token, the piece ending at `end`; at least 1. */
size_t vocabulary_token(Str text, size_t at, size_t end);

#endif
