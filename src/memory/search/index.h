/* index.h - Index, the file in which words are looked up.
 *
 * An SQLite database of its own:
 *   facts    what the index says of itself: the cursor up to which the pad is in it, the language
 *            of the stems, whether forgotten text must still be cleared away
 *   streams  one row a stream that was read: how far, and what was seen of its history
 *   rows     what can be found: a document's head, or one record of a run
 *   words    FTS5, by the number of the row: name, plain, stem and whole words, cut and folded by
 *            word.c, so that FTS5 sees tokens between spaces and nothing else
 *
 * Rows and cursor change in one transaction: whoever dies leaves the index as
 * it was, and the next one goes on from its cursor.  The journal is a rollback
 * journal, so that between two searches there is one file and no log in which
 * forgotten text could stand.
 *
 * A fault of the index is never a fault of a search.  The functions here answer
 * it with any status and set `broken`; search.c then makes the index again, or
 * goes on in memory.  Faults of the pad leave `broken` alone and are passed on. */
#ifndef MEMORY_SEARCH_INDEX_H
#define MEMORY_SEARCH_INDEX_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "memory/search/query.h"
#include "memory/search/search.h"
#include "memory/search/stem.h"

enum {
    INDEX_FORMAT = 1,               /* another one is made again */
    INDEX_APPLICATION = 0x4A4F5449, /* "JOTI" */
};

typedef enum IndexStmt {
    INDEX_BEGIN,
    INDEX_COMMIT,
    INDEX_ROLLBACK,
    INDEX_FACT,
    INDEX_SET_FACT,
    INDEX_STREAM,
    INDEX_SET_STREAM,
    INDEX_DROP_STREAM,
    INDEX_UNSEEN,
    INDEX_ADD_ROW,
    INDEX_ADD_WORDS,
    INDEX_ROWS_OF,
    INDEX_DROP_ROW,
    INDEX_DROP_WORDS,
    INDEX_FIND,
    INDEX_NEWEST,
    INDEX_ALL,
    INDEX_STMTS
} IndexStmt;

typedef enum IndexColumn {
    COLUMN_NAME,
    COLUMN_PLAIN,
    COLUMN_STEM,
    COLUMN_WHOLE,
    COLUMNS
} IndexColumn;

typedef struct Index {
    Memory *m;
    char *path;      /* "" : in memory */
    const char *why; /* it is in memory, or NULL */
    sqlite3 *sql;    /* NULL: not open */
    sqlite3_stmt *stmts[INDEX_STMTS];
    struct stat seen; /* the file, as it was when it was opened */
    Stemmer *stemmer; /* NULL: words are taken as written */
    char language[32];
    int wait_ms;
    bool broken;           /* what was asked of the file last did not work ... */
    bool busy;             /* ... because somebody else holds it */
    bool full;             /* ... because there is no room for what it lacks */
    Cursor saved;          /* the cursor in the file when this handle looked last ... */
    Cursor at;             /* ... and how far it has looked since, with nothing to write */
    bool scrub;            /* the transaction drops text that was purged or redacted */
    struct Scorer *scorer; /* of the search under way */
    void (*progress)(void *ctx, uint64_t streams);
    void *ctx;
} Index;

struct Search {
    Index index;
};

/* --- The file (index.c) ---------------------------------------------------------------- */

/* Open it, and make it if there is none (or what is there is none).  If it was replaced or removed
 * since, the new one is opened. */
MUST_USE jot_status index_open(Index *x, Err *e);
void index_close(Index *x);
/* Empty it, whatever it holds. */
MUST_USE jot_status index_reset(Index *x, Err *e);
/* Go on without a file. */
void index_leave_file(Index *x, const char *why);

/* A statement ready for its parameters; to be reset by AUTO_PTR(sqlite3_stmt). */
MUST_USE jot_status index_stmt(Index *x, IndexStmt which, sqlite3_stmt **out, Err *e);
/* *row: there is a row. */
MUST_USE jot_status index_step(Index *x, sqlite3_stmt *q, bool *row, Err *e);
/* A statement without parameters and rows. */
MUST_USE jot_status index_run(Index *x, IndexStmt which, Err *e);
MUST_USE jot_status index_exec(Index *x, const char *sql, Err *e);
jot_status index_fault(Index *x, int rc, Err *e);

void index_reset_stmt(sqlite3_stmt *q); /* NULL is fine */
DEFINE_AUTO_PTR(sqlite3_stmt, index_reset_stmt)

void bind_str(sqlite3_stmt *q, int at, Str text);
void bind_hash(sqlite3_stmt *q, int at, const Hash *h);
void bind_i64(sqlite3_stmt *q, int at, int64_t value);
Str column_str(sqlite3_stmt *q, int at); /* borrowed until the next step */

MUST_USE jot_status index_fact(Index *x, const char *key, char *to, size_t size, Err *e);
MUST_USE jot_status index_set_fact(Index *x, const char *key, Str value, Err *e);

/* --- Feeding it (feed.c) ---------------------------------------------------------------- */

/* Is this stream looked through?  */
bool index_covers(Str stream);

/* Bring the index up to date with the pad. */
MUST_USE jot_status index_catch_up(Index *x, Err *e);

/* The words of a text, one list for each column, with spaces between. */
typedef struct IndexWords {
    Buf columns[COLUMNS];
} IndexWords;
void index_words_done(IndexWords *w);
DEFINE_AUTO(IndexWords, index_words_done)
/* `label` is looked for together with the name: a tool's, for example. */
void index_cut(Index *x, Str stream, Str label, Str text, IndexWords *out);

/* The text of a body as a person reads it: in JSON the escapes of strings are taken back. */
Str index_text(Str stream, Str body, Arena *into);

/* What of a record can be found: false if nothing.  The label is borrowed from `into`. */
bool index_label(Str stream, const Record *r, Arena *into, Str *label);

/* --- Ranking (search_rank.c) ------------------------------------------------------------ */

typedef struct TermHits {
    unsigned name, exact, stem, whole;
} TermHits;

/* What is known of a candidate. */
typedef struct Candidate {
    int64_t row;
    Str stream;
    uint64_t seq;
    int64_t at_ms; /* at most now */
    Str by;
    size_t words; /* of its text */
    TermHits hits[SEARCH_TERMS_MAX];
} Candidate;

/* What is known of all of them together. */
typedef struct Field {
    const Query *query;
    double rows;                        /* in the index */
    double words_mean;                  /* of a row */
    double rows_with[SEARCH_TERMS_MAX]; /* how many rows have the term */
    int64_t newest_ms;                  /* that is not still to come */
} Field;

typedef struct Rank {
    bool counts; /* false: it lacks what it must have */
    double score, points, coverage, kind, recency;
    double weight[SEARCH_TERMS_MAX], term[SEARCH_TERMS_MAX];
} Rank;

/* The one place where it is decided what is better. */
Rank search_rank(const Field *f, const Candidate *c);
/* Below 0 if a comes before b: by score, then the newer, then by name, then the later record. */
int search_order(double score_a, const Candidate *a, double score_b, const Candidate *b);

/* A hook for FTS5 that fills in hits, words and the field for the row at hand. */
typedef struct Scorer {
    Field field;
    bool counted; /* the field is known */
    Candidate now;
} Scorer;
MUST_USE jot_status index_add_scorer(Index *x, Err *e);

/* --- Showing (search_snippet.c) --------------------------------------------------------- */

/* The part of the text that has most of what was asked for, on one line, the words marked with **.
 * *matched: anything of the query is in the text or the name at all. */
Str search_snippet(const Query *q, Stemmer *stemmer, Str stream, Str label, Str text, Arena *into,
                   bool *matched);

#endif
