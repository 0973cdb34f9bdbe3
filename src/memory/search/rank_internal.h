/* rank_internal.h - what the parts of a ranking share; nobody else needs it.
 *
 *   rank_weight.c  what each part of a score is worth, and how a count of words saturates
 *   rank_term.c    the question: its terms, what they weigh, and their postings added up
 *   rank_prune.c   the same for the best rows alone, where there are many
 *   rank.c         the rows that come near (candidates), and the best of them in order
 *   rank_score.c   the parts of the score of each candidate */
#ifndef MEMORY_SEARCH_RANK_INTERNAL_H
#define MEMORY_SEARCH_RANK_INTERNAL_H

#include "memory/search/candidate.h"
#include "memory/search/date.h"
#include "memory/search/rank.h"

enum {
    SAT = 255,                        /* a term that is there as often as can be */
    REACH = 5,                        /* rows before and behind that count */
    CANDIDATES = 500,                 /* that are looked at closely */
    LIKE_CANDIDATES = 200,            /* ... because they mean the like */
    CANDIDATES_ROOM = 2 * CANDIDATES, /* see choose() */
    AROUND_NOTES = 100,               /* of them: notes whose neighbours are, too */
    MESSAGE_TERMS_MIN = 4,            /* of a query that is more than a few words to look for */
    CONTEXT_TERMS_MIN = 2,            /* of a query that finds rows without any of its words */
    LONG_QUERY = 12,                  /* terms from which on a word that is repeated counts more */
    COUNTS = POST_COUNT + 1,
    COUNT_MAX = 4096, /* of a term in a session: more say nothing more */
    NORMS = 256,
    RECENT_MAX = 512, /* sessions after which a row is as old as any */
};

/* --- Weights (rank_weight.c) ------------------------------------------------------------- */

/* Thousandths. */
typedef struct Weights {
    uint32_t k1, b, mean;                         /* of a row */
    uint32_t session_k1, session_b, session_mean; /* of a session */
    int32_t of[RANK_PARTS];
    int32_t best; /* what a good row of this kind reaches */
} Weights;

extern const Weights rank_profiles[PROFILES];

/* What depends on nothing but the weights is reckoned once for all searches. */
typedef struct RankTables {
    uint8_t words[PROFILES][COUNTS][NORMS]; /* by profile, count and length */
    uint8_t grams[COUNTS][NORMS];
    uint8_t head[NORMS];
    int32_t length[NORMS];
    int32_t recent[RECENT_MAX];          /* by the sessions since */
    int32_t share[PROFILES][RANK_PARTS]; /* a weight as a share of the best, in ONE */
    int32_t liked[PROFILES][RANK_PARTS]; /* likewise */
} RankTables;

extern RankTables rank_tables;
void rank_tables_fill(void);

/* What a length takes off a term: k1 (1 - b + b len / mean), in thousandths. */
uint32_t rank_damping(uint32_t len, uint32_t k1, uint32_t b, uint32_t mean);
/* How much `count` of a term says: count / (count + damping), 0 to SAT. */
uint32_t rank_saturate(uint32_t count, uint32_t damping);

/* --- The question (rank_term.c) ---------------------------------------------------------- */

typedef struct RankTerm {
    ViewPosts posts;
    SegDense dense; /* ... are not read, if it has codes: most rows have it */
    uint32_t n;     /* rows that have it */
    SegSums sums;
    uint32_t idf, session_idf; /* in ONE */
    uint32_t weight[PROFILES]; /* shares of ONE */
    uint32_t session_weight[PROFILES];
    uint32_t times; /* how often it is asked for */
    ViewPosts form; /* rows that have it as it is asked for, unless that is its stem */
    bool plain;     /* that is its stem */
    bool name;      /* of somebody who speaks */
    bool must;
} RankTerm;

typedef struct Ranking {
    const RankAsk *ask;
    const View *view;
    Arena *into;
    RankTerm *terms;
    size_t n, cap;
    ViewPosts *speakers; /* rows of those the query names, each */
    size_t speakers_n, speakers_cap;
    Dates dates;         /* that it names */
    bool when, who, how; /* what it asks for */
    size_t musts;
    RankScratch *scratch;
    uint32_t *words;   /* by place, in ONE * SAT */
    uint32_t *grams;   /* likewise */
    uint32_t *session; /* by session, in ONE * SAT */
    uint16_t *must_n;  /* by place: how many of what it must have; NULL: nothing */
    bool lazy;         /* not every posting need be read */
    bool pruned;       /* nor is */
    bool bad;
} Ranking;

/* What the query asks for besides its words. */
void rank_read_question(Ranking *r);
/* Its terms, weighed, and their postings added up: `words`, `session` and `grams` are full. */
void rank_read_terms(Ranking *r);
/* The rows of a key; false: there are none, or a segment is bad. */
bool rank_posts_of(Ranking *r, Str key, ViewPosts *out);
/* What a posting says of the row at a place, 0 to SAT. */
uint32_t rank_sat_at(const Ranking *r, uint32_t place, uint8_t bits);
/* A posting is added to the words of its row. */
void rank_add_word(Ranking *r, const RankTerm *t, uint32_t place, uint8_t bits);
/* What a term adds that is so often in a session, in ONE * SAT. */
uint32_t rank_session_adds(Ranking *r, const RankTerm *t, uint32_t session, uint32_t count);

/* --- The best rows (rank.c, rank_prune.c) ------------------------------------------------ */

/* A row whose words and session are known becomes a candidate, if it is good enough. */
void rank_take(Ranking *r, Candidates *c, uint32_t place);
/* Take the best of all rows; `words` and `session` are then as before, zero. */
void rank_prune(Ranking *r, Candidates *c);
/* Words and sessions of these and of what is around them, and their postings. */
void rank_fill(Ranking *r, const Candidates *by_place);

/* --- Scores (rank_score.c) --------------------------------------------------------------- */

/* What is written as it is asked for, and what stands in the first line. */
typedef struct Extras {
    uint32_t *exact, *head, *about; /* by candidate */
} Extras;

typedef struct Scoring {
    Ranking *r;
    Candidates c;
    uint32_t *near;
    Extras extras;
    bool *spoken_by;  /* by candidate */
    uint32_t *spoken; /* how well a date fits that it speaks of */
    RankHit *hits;
    SegRow *rows;
    const int32_t *like_session; /* by session; NULL: not known */
} Scoring;

/* The hits of all candidates, with their parts and scores. */
void rank_look_closely(Scoring *s);

#endif
