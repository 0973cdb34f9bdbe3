/* rank.h - what of a pad answers a question, and in which order. */
#ifndef MEMORY_SEARCH_RANK_H
#define MEMORY_SEARCH_RANK_H

#include "memory/search/query.h"
#include "memory/search/view.h"

/* What a score is the sum of. */
typedef enum RankPart {
    RANK_WORDS,    /* the words of the query in the row */
    RANK_EXACT,    /* ... as they are written in the query */
    RANK_HEAD,     /* ... in its first line */
    RANK_ABOUT,    /* ... in what an artifact says of itself */
    RANK_GRAMS,    /* runs of four characters, across words */
    RANK_NEAR,     /* words of the query in the rows around it */
    RANK_SESSION,  /* ... in all of its session */
    RANK_BEFORE,   /* ... in the row before it */
    RANK_AFTER,    /* ... in the row behind it */
    RANK_ANSWER,   /* ... in the row before it, which is a question */
    RANK_SPEAKER,  /* the query names who says it */
    RANK_WRITTEN,  /* it was written at a date that the query names */
    RANK_SPOKEN,   /* it speaks of a date that the query names */
    RANK_WHEN,     /* the query asks when, and it speaks of a time */
    RANK_WHO,      /* the query asks who or where, and it has names */
    RANK_NUMBER,   /* the query asks how many, and it has a number */
    RANK_QUESTION, /* it is a question itself */
    RANK_LENGTH,
    RANK_RECENT,
    RANK_LIKE,         /* it means what the query means; these four only with vectors */
    RANK_LIKE_BEFORE,  /* ... the row before it does */
    RANK_LIKE_AFTER,   /* ... the row behind it */
    RANK_LIKE_SESSION, /* ... the best of its session */
    RANK_GROUP,        /* the best of the rows under the same title */
    RANK_PARTS,
} RankPart;

extern const char *const rank_part_names[RANK_PARTS]; /* for people */

typedef struct RankHit {
    uint32_t place;
    int64_t score;             /* in ONE */
    int32_t parts[RANK_PARTS]; /* that add up to it, likewise */
} RankHit;

typedef struct RankHits {
    RankHit *items; /* the best first */
    size_t n;
} RankHits;

/* Sums of all rows, kept from one search to the next: room for a hundred thousand rows that must be
 * got and cleared each time costs more than most searches. */
typedef struct RankScratch {
    uint64_t view;     /* for which it was made */
    uint32_t *words;   /* and all the others behind it */
    uint32_t *touched; /* places that are not zero */
    size_t touched_n;
    uint32_t *damping;         /* by session; 0: not reckoned yet */
    bool used;                 /* a search has begun and not ended */
    struct SessionKind *kinds; /* by session; NULL: not looked at yet */
    uint32_t session_least;    /* words of the shortest session */
    uint8_t row_least;         /* norm of the shortest row */
} RankScratch;

void rank_scratch_free(RankScratch *d);

/* Leave out what cannot be among the best: where that is quicker, always or never.  The hits are
 * the same. */
typedef enum PruneWhen { PRUNE_LARGE, PRUNE_ALL, PRUNE_NONE } PruneWhen;

typedef struct RankAsk {
    const View *view;
    Stemmer *stemmer;
    const Query *query;
    /* Rows that may be found; NULL: all. */
    bool (*keep)(void *ctx, const SegRow *row, Segment *seg);
    void *ctx;
    size_t limit;
    RankScratch *scratch; /* {0} at first */
    /* How near each place is to the query in meaning, in ONE (likeness.h, meaning.h), and of which
     * kinds of rows that is known; NULL: of none. */
    const int32_t *like;
    bool liked[PROFILES];
    PruneWhen prune;
} RankAsk;

/* False: a segment is bad. */
MUST_USE bool rank_find(const RankAsk *ask, Arena *into, RankHits *out);

#endif
