/* search.h - Search, finding what was remembered by its words.
 *
 * Notes, memory files, artifacts (the text of their head) and runs (record by
 * record) are looked through.  The words are in an index (index.h), which is a
 * cache and nothing more: it is brought up to date before every search, made
 * again when anything is wrong with it, and done without (in memory) where it
 * cannot be used.  Every hit is read from the pad itself before it is shown, if
 * the pad has changed since it was read.
 *
 *   backup restore      both words, or the one that says more; endings do not matter
 *   "exact words"       as the whole query: all of them, in this order, as written
 *   back*               words that begin so
 *   parseConfig  src/main.c  1.2.3    an identifier as a whole, or its parts in a row
 *
 * The same pad and query give the same hits with the same scores, whoever asks
 * and whenever: no clock is asked, and what is near a row in time or in its run
 * counts, never when it came into the index. */
#ifndef MEMORY_SEARCH_SEARCH_H
#define MEMORY_SEARCH_SEARCH_H

#include "base/json.h"
#include "memory/memory.h"

enum {
    SEARCH_TERMS_MAX = 64, /* of a query: the heaviest count */
    SEARCH_LIMIT = 10,
    SEARCH_LIMIT_MAX = 100,
    SEARCH_OFFSET_MAX = 10000,
    SEARCH_SNIPPET_MAX = 240, /* bytes of text, without the marks */
};

typedef struct Search Search;

typedef struct SearchOptions {
    const char *language; /* of the endings, as libstemmer calls it; NULL: english */
    int64_t wait_ms;      /* how long forgetting waits for who writes the index; 0: STORE_WAIT_MS */
    /* Called now and then while much is read or sent; may be NULL. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    /* Called once, before the first text of this pad goes to the embeddings server that
     * JOTTER_EMBED names, with a sentence that says what goes where.  NULL: nobody can be told, so
     * that server is used only if somebody was told before (search_embed). */
    void (*announce)(void *ctx, const char *sentence);
    void *ctx;
} SearchOptions;

/* Nothing is opened or read yet.  `m` must outlive it.  JOT_INVALID: a language nobody knows. */
MUST_USE jot_status search_open(Search **out, Memory *m, const SearchOptions *o, Err *e);
void search_close(Search *s); /* NULL is fine */
/* The one that is kept with the pad, for whoever asks again and again: memory_close() closes it.
 * Borrowed. */
MUST_USE jot_status search_of(Memory *m, Search **out, Err *e);
DEFINE_AUTO_PTR(Search, search_close)

/* --- Asking ------------------------------------------------------------------------------ */

typedef struct SearchQuery {
    Str text;
    Str kind;                   /* "notes", "memories", "artifacts" or "runs"; empty: all */
    Str prefix;                 /* of the stream's name, kind included; empty: any */
    Str by;                     /* who wrote it; empty: anybody */
    int64_t since_ms, until_ms; /* when it was written, both included; 0: no bound */
    size_t limit;               /* 0: SEARCH_LIMIT */
    size_t offset;              /* hits to pass over */
    bool explain;
    bool bare; /* hits are not read: stream, seq, time, author and score are all */
} SearchQuery;

/* Why a hit stands where it stands. */
typedef struct HitPart {
    const char *what; /* for a person */
    double points;
} HitPart;

typedef struct Hit {
    Str stream;
    uint64_t seq; /* of the record; 0: a person's edit that no write has recorded yet */
    int64_t at_ms;
    Str by;
    Hash sha256; /* the version */
    uint64_t size;
    uint64_t tokens; /* about what reading all of it costs */
    Str snippet;     /* on one line, the words that were found between ** */
    double score;
    HitPart *parts; /* that add up to the score, the largest first; if explain was asked for */
    size_t parts_n;
} Hit;

typedef struct Hits {
    Hit *items; /* the best first */
    size_t n;
    bool more;         /* there are hits behind the last one */
    bool stemmed;      /* false: libstemmer is missing, endings mattered */
    const char *where; /* why the index is in memory, or NULL; explain shows it */
    Str notice; /* what the person should know, said once a handle: the embeddings server is away */
} Hits;

/* No query is refused, whatever it holds; one without a word finds nothing.  JOT_INVALID,
 * JOT_TOO_BIG: a bad filter.  Results live in `into`. */
MUST_USE jot_status search_find(Search *s, const SearchQuery *q, Arena *into, Hits *out, Err *e);

json_t *search_json(const Hits *h, bool explain);

/* --- Meaning ----------------------------------------------------------------------------- */

enum {
    SEARCH_EMBED_AGAIN_MS = 30 * 1000, /* after a failure it is left alone for so long */
    SEARCH_EMBED_TEXT_MAX = 4096,      /* bytes of a text that are sent */
};

/* How many rows have a vector of the server that JOTTER_EMBED names. */
typedef struct SearchEmbedded {
    Str url, model;
    uint64_t rows, had, made;
    uint32_t columns; /* 0: none has */
    bool told;        /* it was announced */
} SearchEmbedded;

/* Send all texts that have no vector yet, in batches; what was made is kept if it is interrupted.
 * Announces it first.  `only_look`: nothing is sent.  JOT_NOT_FOUND: JOTTER_EMBED is not set.
 * JOT_UNAVAILABLE, JOT_DENIED, JOT_INVALID as embeddings_ask(): `out` says how far it came. */
MUST_USE jot_status search_embed(Search *s, bool only_look, Arena *into, SearchEmbedded *out,
                                 Err *e);

/* --- Care -------------------------------------------------------------------------------- */

/* Forget the index and make it again. */
MUST_USE jot_status search_rebuild(Search *s, Err *e);

/* To be called when text of streams was purged or redacted: afterwards no file of the index holds a
 * trace of it.  The streams are read again, and what lies in files with text that is gone is
 * written again without it; where that is not possible the index is emptied, and the next search
 * fills it. No streams (n is 0) stand for any: the index is emptied.  Does nothing if there is no
 * index. JOT_UNAVAILABLE: somebody else writes it; the next search does it. */
MUST_USE jot_status search_forget(Memory *m, const Str *streams, size_t n, Err *e);

/* The same, of whatever the pad says was forgotten since the index last followed it. */
MUST_USE jot_status search_forget_all(Memory *m, Err *e);

/* Compare all of the index with the pad.  Each difference is told as a sentence. */
typedef struct SearchCheck {
    uint64_t rows;     /* looked at */
    uint64_t problems; /* told */
    bool there;        /* there is an index file */
    Err unchecked;     /* with a text: it is not wrong, but could not be compared now */
} SearchCheck;
MUST_USE jot_status search_verify(Search *s,
                                  void (*report)(void *ctx, Str stream, const char *what),
                                  void *ctx, SearchCheck *out, Err *e);

#endif
