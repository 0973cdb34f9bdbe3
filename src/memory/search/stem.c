/* stem.c - libstemmer, behind a small table.
 *
 * Its tables of all languages need ten thousand relocations.  Linked in they
 * would be paid at every start of the program, so it is opened when used.
 *
 * Every word of a text that is shown is asked for its stem, and most words of a
 * text are few: the last stem of each slot is kept. */
#include "memory/search/stem.h"

#include <libstemmer.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/library.h"
#include "memory/search/irregular.h"
#include "memory/search/segment.h"

enum {
    STEM_LETTERS_MIN = 3,
    SLOTS = 1024,   /* of words known; a power of two */
    KNOWN_MAX = 15, /* bytes of a word that is kept, and of its stem */
};

/* A word whose stem is known. */
typedef struct Known {
    uint8_t word_n, stem_n; /* word_n 0: free */
    char word[KNOWN_MAX], stem[KNOWN_MAX];
} Known;

struct Stemmer {
    struct sb_stemmer *one;
    Known known[SLOTS];
};

static struct {
    __typeof__(sb_stemmer_new) *new;
    __typeof__(sb_stemmer_delete) *delete;
    __typeof__(sb_stemmer_stem) *stem;
    __typeof__(sb_stemmer_length) *length;
} table;

static const LibraryFunction functions[] = {
    { "sb_stemmer_new", (void *)&table.new, LIBRARY_LINKED(sb_stemmer_new) },
    { "sb_stemmer_delete", (void *)&table.delete, LIBRARY_LINKED(sb_stemmer_delete) },
    { "sb_stemmer_stem", (void *)&table.stem, LIBRARY_LINKED(sb_stemmer_stem) },
    { "sb_stemmer_length", (void *)&table.length, LIBRARY_LINKED(sb_stemmer_length) },
};

static Library library = {
    .use = "cutting endings",
    .package = "libstemmer0d",
    .names = { "libstemmer.so.0d", "libstemmer.so.0", "libstemmer.so" },
    .functions = functions,
    .count = COUNT_OF(functions),
};

Stemmer *stemmer_new(const char *language)
{
    Err ignored;
    if (!strcmp(language, STEM_NONE) || library_open(&library, &ignored) != JOT_OK)
        return NULL;
    Stemmer *s = mem_alloc(sizeof *s);
    s->one = table.new(language, "UTF_8");
    if (s->one)
        return s;
    stemmer_free(s);
    return NULL;
}

void stemmer_free(Stemmer *s)
{
    if (!s)
        return;
    if (s->one)
        table.delete(s->one);
    free(s);
}

static Str find_stem(Stemmer *s, Str word)
{
    if (word.n < STEM_LETTERS_MIN || word.n > INT_MAX)
        return word;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] >= '0' && word.p[i] <= '9')
            return word;
    const sb_symbol *stem = table.stem(s->one, (const sb_symbol *)word.p, (int)word.n);
    if (!stem)
        mem_exhausted();
    int n = table.length(s->one);
    return n > 0 ? (Str){ (const char *)stem, (size_t)n } : word;
}

Str stem_of(Stemmer *s, Str word)
{
    if (!s || word.n == 0)
        return word;
    if (word.n > KNOWN_MAX)
        return find_stem(s, irregular_word(word));
    Known *k = &s->known[seg_hash(word) % SLOTS];
    if (str_eq((Str){ k->word, k->word_n }, word))
        return (Str){ k->stem, k->stem_n };
    Str stem = find_stem(s, irregular_word(word));
    if (stem.n > KNOWN_MAX)
        return stem;
    k->word_n = (uint8_t)word.n;
    k->stem_n = (uint8_t)stem.n;
    memcpy(k->word, word.p, word.n);
    memcpy(k->stem, stem.p, stem.n);
    return (Str){ k->stem, k->stem_n };
}
