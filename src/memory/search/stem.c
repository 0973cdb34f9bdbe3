/* stem.c - libstemmer, behind a small table.
 *
 * Its tables of all languages need ten thousand relocations.  Linked in they
 * would be paid at every start of the program, so it is opened when used. */
#include "memory/search/stem.h"

#include <dlfcn.h>
#include <libstemmer.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define LIBRARY "libstemmer.so.0d"

enum { STEM_LETTERS_MIN = 3 };

struct Stemmer {
    void *library;
    struct sb_stemmer *(*make)(const char *, const char *);
    void (*remove)(struct sb_stemmer *);
    const sb_symbol *(*stem)(struct sb_stemmer *, const sb_symbol *, int);
    int (*length)(struct sb_stemmer *);
    struct sb_stemmer *one;
};

/* ISO C has no cast from an object's pointer to a function's. */
static bool find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

Stemmer *stemmer_new(const char *language)
{
    void *library = strcmp(language, STEM_NONE) ? dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return NULL;
    Stemmer *s = mem_alloc(sizeof *s);
    s->library = library;
    bool good = find(library, "sb_stemmer_new", &s->make) &&
                find(library, "sb_stemmer_delete", &s->remove) &&
                find(library, "sb_stemmer_stem", &s->stem) &&
                find(library, "sb_stemmer_length", &s->length);
    s->one = good ? s->make(language, "UTF_8") : NULL;
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
        s->remove(s->one);
    dlclose(s->library);
    free(s);
}

Str stem_of(Stemmer *s, Str word)
{
    if (!s || word.n < STEM_LETTERS_MIN || word.n > INT_MAX)
        return word;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] >= '0' && word.p[i] <= '9')
            return word;
    const sb_symbol *stem = s->stem(s->one, (const sb_symbol *)word.p, (int)word.n);
    if (!stem)
        mem_exhausted();
    int n = s->length(s->one);
    return n > 0 ? (Str){ (const char *)stem, (size_t)n } : word;
}
