/* fuzz_query.c - any bytes as a query, and as a text in which it is looked for.
 *
 * A query without a word has no terms; any other finds its words in its own
 * text, and what it finds lies in there. */

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "memory/search/query.h"

const char *const fuzz_words[] = {
    "\"",     "*",  "parseConfig", "parse_config", "src/main.c", "1.2.3", "C++", "C#",    "it's",
    "数据库", "ﾀﾞ", "é",           "e\xCC\x81",    " ",          "-",     "::",  "NEAR(", "OR",
    "{name}", ":",  "^",           "AND NOT",      "한국",       "\xff",  NULL
};

/* Parts lie in the text, in order. */
static void check_cut(Str text)
{
    AUTO(Words) words;
    Chunk c;
    size_t last = 0;
    words_init(&words, text);
    while (words_next(&words, &c)) {
        MUST(c.from < c.to && c.to <= text.n && c.parts_n && c.parts_n <= CHUNK_PARTS_MAX);
        MUST(c.wholes_n <= CHUNK_WHOLES_MAX);
        for (size_t i = 0; i < c.parts_n; i++) {
            Str part = c.parts[i].text;
            MUST(part.n && part.n <= WORD_BYTES_MAX && utf8_valid(part));
            MUST(c.parts[i].from >= last && c.parts[i].to <= text.n);
            MUST(str_find(part, '"') == part.n && str_find(part, ' ') == part.n);
            MUST(str_find(part, 0) == part.n);
            last = c.parts[i].from;
        }
        for (size_t i = 0; i < c.wholes_n; i++)
            MUST(c.wholes[i].n && utf8_valid(c.wholes[i]) &&
                 str_find(c.wholes[i], '"') == c.wholes[i].n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(Arena) arena = { 0 };
    Str text = { (const char *)data, size };
    Query *q = NEW(&arena, Query);
    query_read(text, NULL, &arena, q);
    if (!utf8_valid(text))
        return 0;
    check_cut(text);
    if (q->n == 0)
        return 0;
    MUST(q->n <= QUERY_TERMS_MAX);
    Matches m = query_match(q, NULL, text, &arena);
    for (size_t i = 0; i < m.n; i++)
        MUST(m.items[i].term < q->n && m.items[i].from < m.items[i].to && m.items[i].to <= text.n);
    MUST(m.n > 0); /* its own words are in it */
    return 0;
}
