/* query.h - Query, what is asked for, as terms an index can look up. */
#ifndef MEMORY_SEARCH_QUERY_H
#define MEMORY_SEARCH_QUERY_H

#include "memory/search/search.h"
#include "memory/search/stem.h"
#include "memory/search/word.h"

typedef enum TermKind {
    TERM_WORD,     /* one word; its stem and its use as an identifier count too */
    TERM_NAME,     /* an identifier: the whole, or its parts in a row */
    TERM_PREFIX,   /* parts in a row, of which the last only begins so */
    TERM_SEQUENCE, /* parts in a row */
} TermKind;

typedef struct Term {
    TermKind kind;
    Str shown; /* as it was asked for */
    Str *parts;
    size_t parts_n;
    Str stem, whole; /* may be empty */
    bool must;       /* a hit without it is none */
    bool bonus;      /* it is shown where it is, and finds nothing itself */
    bool dense;      /* parts are characters of a dense script */
    uint32_t times;  /* how often it is asked for */
} Term;

enum { QUERY_TERMS_MAX = 1024, QUERY_WORDS_MAX = 2048 };

typedef struct Query {
    Term *terms; /* none twice */
    size_t n;
    Str *words; /* all of them as they come, folded: what is asked is also how it is asked */
    size_t words_n;
} Query;

/* Any bytes are a query; one without a word has no terms.  `stemmer` may be NULL. */
void query_read(Str text, Stemmer *stemmer, Arena *into, Query *out);

/* Is this word so common that it says nothing? */
bool query_is_common(Str word);

/* Must a hit have the query's words as they stand there? */
bool query_is_strict(const Query *q);

/* Where the terms stand in a text. */
typedef struct Match {
    size_t term;
    size_t from, to;
} Match;

typedef struct Matches {
    Match *items; /* by `to` */
    size_t n;
} Matches;

enum { MATCHES_MAX = 2000 }; /* in one text; what comes behind them is not looked for */

Matches query_match(const Query *q, Stemmer *stemmer, Str text, Arena *into);

#endif
