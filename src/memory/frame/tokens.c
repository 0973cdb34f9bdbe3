/* tokens.c - counting piece by piece, and cutting.
 *
 * Where a text is cut, what stands before the cut is another text: its last pieces may end
 * elsewhere.  Cut after a line break it is simple.  Only two kinds of pieces hold one, punctuation
 * with the line breaks after it and space up to a line break, and a beginning of either is a piece
 * of the same kind; so only the tokens of that piece are counted again, from the one on that
 * reaches over the cut:
 *
 *     ... | tok | tok | to:k | tok |         : is the cut, | ends a piece or token
 *
 * Within a line a cut can join two pieces (the last of several spaces belongs to the word after
 * them) or part one ("don't").  That reaches no further back than one piece.  So the guess is what
 * the count says, and going backwards from there each place is tried by counting again from the
 * beginning of the piece before. */
#include "memory/frame/tokens.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/pieces.h"
#include "memory/frame/vocabulary.h"

enum { UTF8_MAX = 4 /* bytes of a character */ };

/* A place in a text, and the tokens before it. */
typedef struct Count {
    size_t at, tokens;
} Count;

/* Count on to `end`, which is in the piece at `c` or ends it; no further than to `most` tokens. */
static void count_piece(Str text, Count *c, size_t end, size_t most)
{
    while (c->at < end && c->tokens < most) {
        c->at += vocabulary_token(text, c->at, end);
        c->tokens++;
    }
}

/* The same over all pieces up to `end`, which ends the text. */
static void count_on(Str text, Count *c, size_t end, size_t most)
{
    text.n = end;
    while (c->at < end && c->tokens < most)
        count_piece(text, c, piece_end(text, c->at), most);
}

size_t tokens_estimate(Str text)
{
    Count c = { 0 };
    count_on(text, &c, text.n, SIZE_MAX);
    return c.tokens;
}

bool tokens_fit(Str text, size_t budget)
{
    Count c = { 0 };
    if (text.n <= budget)
        return true;
    count_on(text, &c, text.n, budget);
    return c.at == text.n;
}

/* The last place after a line break in the piece from `c` to `end` before which there are no more
 * than `budget` tokens; `line` if there is none. */
static size_t last_line(Str text, Count c, size_t end, size_t budget, size_t line)
{
    while (c.at < end && c.tokens < budget) {
        size_t next = c.at + vocabulary_token(text, c.at, end);
        for (size_t at = c.at; at < next; at++) {
            Count cut = c;
            if (text.p[at] != '\n')
                continue;
            count_piece(text, &cut, at + 1, budget);
            line = cut.at == at + 1 ? at + 1 : line;
        }
        c = (Count){ next, c.tokens + 1 };
    }
    return line;
}

/* The beginning of the character that `at` is in; `at` itself if it is in none. */
static size_t char_start(Str text, size_t at)
{
    uint32_t c;
    for (size_t back = 1; back < UTF8_MAX && back <= at; back++)
        if (utf8_char(text, at - back, &c) > back)
            return at - back;
    return at;
}

/* The last place up to `guess` that fits; `from` does. */
static size_t back_from(Str text, Count from, size_t guess, size_t budget)
{
    size_t at = char_start(text, guess);
    for (; at > from.at; at = char_start(text, at - 1)) {
        Count cut = from;
        count_on(text, &cut, at, budget);
        if (cut.at == at)
            return at;
    }
    assert(at == from.at);
    return at;
}

size_t tokens_cut(Str text, size_t budget)
{
    Count now = { 0 }, before = { 0 };
    size_t line = 0;
    if (text.n <= budget)
        return text.n;
    while (now.at < text.n && now.tokens < budget) {
        Count begin = now;
        size_t end = piece_end(text, now.at);
        if (memchr(text.p + now.at, '\n', end - now.at))
            line = last_line(text, now, end, budget, line);
        count_piece(text, &now, end, budget);
        if (now.at < end)
            break; /* `before` is that of this piece */
        before = begin;
    }
    if (now.at == text.n || line)
        return now.at == text.n ? text.n : line;
    return back_from(text, before, now.at, budget);
}
