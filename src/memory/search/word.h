/* word.h - Words, a text cut into what can be looked for.
 *
 * The same cutting serves the index, the query and the snippet, so they agree.
 * A chunk is what stands between spaces, as far as it belongs together:
 *   - a word: "Backups" has one part, "backups";
 *   - an identifier: "parseConfig", "parse_config", "src/HTTPServer2.c", "1.2.3"
 *     has the parts a person would read (http, server, 2, c) and the wholes in
 *     which they are joined (src/httpserver2.c, httpserver2, httpserver);
 *   - a run of a dense script: each two neighbouring characters are a part, and
 *     so is the last one alone.  Every substring of two and more characters is
 *     then a sequence of parts, and every character begins one.
 * Parts and wholes are folded (base/fold.h).  In a whole '_' and '-' are left
 * out, other connectors stay. */
#ifndef MEMORY_SEARCH_WORD_H
#define MEMORY_SEARCH_WORD_H

#include "base/buf.h"

enum {
    WORD_BYTES_MAX = 200, /* of one part or whole, folded */
    CHUNK_PARTS_MAX = 96,
    CHUNK_WHOLES_MAX = 8,
    CHUNK_CHARS_MAX = 96, /* a longer one is cut there */
};

typedef struct Word {
    Str text;
    size_t from, to; /* where it stands in the text */
} Word;

typedef struct Chunk {
    bool dense;  /* of a dense script: parts are pairs */
    bool loose;  /* words joined by nothing but hyphens */
    bool marked; /* C++, C#: the whole is more than its part */
    Word parts[CHUNK_PARTS_MAX];
    size_t parts_n;
    Str wholes[CHUNK_WHOLES_MAX];
    size_t wholes_n; /* 0 for a plain word and a dense run */
    size_t from, to;
} Chunk;

typedef struct Words {
    Str text; /* valid UTF-8; borrowed */
    size_t at;
    Buf store;
} Words;

void words_init(Words *w, Str text);
void words_done(Words *w);
DEFINE_AUTO(Words, words_done)

/* The next chunk, borrowed until the next call; false at the end. */
bool words_next(Words *w, Chunk *out);

#endif
