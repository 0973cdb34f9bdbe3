/* index.h - Index, the words of a pad, in segments.
 *
 * What was found in the pad lies in segments (segment.h), the older ones in
 * files of a directory, what came since in memory.  A manifest names the files,
 * the rows of them that are dead, and the cursor up to which the pad is in them.
 *
 *   - A write never touches the index.  A search reads the manifest if it is
 *     another one than before, then what changed in the pad since its cursor.
 *   - One process at a time writes files, under a lock that nobody waits for:
 *     whoever does not get it goes on with what it has in memory.
 *   - Files are synced before a manifest names them, which then takes the place
 *     of the old one in one step.  A file never changes.
 *   - A manifest is only replaced by one that was made from it.  So what was
 *     read before a purge cannot come back behind it.
 *
 * A fault of the index is never a fault of a search: search.c then makes the
 * index again, or does without files. */
#ifndef MEMORY_SEARCH_INDEX_H
#define MEMORY_SEARCH_INDEX_H

#include <sys/stat.h>

#include "memory/search/draft.h"
#include "memory/search/kept.h"
#include "memory/search/likeness.h"
#include "memory/search/manifest.h"
#include "memory/search/meaning.h"
#include "memory/search/query.h"
#include "memory/search/rank.h"
#include "memory/search/search.h"
#include "memory/search/view.h"
#include "net/embeddings.h"

typedef struct Index {
    Memory *m;
    char *path;       /* of the directory; "": in memory */
    const char *why;  /* it is in memory, or NULL */
    Stemmer *stemmer; /* NULL: words are taken as written */
    char language[32];
    char pad[STORE_PAD_ID + 1];
    int64_t wait_ms; /* for the lock, where text must go */
    Segment *segs;   /* the oldest first; those without a file are the newest */
    size_t n, cap;
    uint64_t generation; /* of the manifest it was made from; 0: none */
    struct stat seen;    /* that manifest's file */
    bool loaded;
    bool dirty;          /* rows of files have died since */
    bool broken;         /* a file is not as it must be */
    bool busy;           /* somebody else holds the lock */
    bool full;           /* there is no room for what it lacks */
    Cursor at;           /* how far the pad is in it */
    uint64_t changes;    /* counts when the pad named a change, or all was given up */
    RowVectors *vectors; /* what an embeddings server said of rows, the oldest first */
    size_t vectors_n;
    uint64_t vectors_state; /* counts their changes */
    uint64_t told;          /* of the manifest */
    View view;
    RankScratch scratch;
    bool viewed;
    bool scrub; /* text in it was purged or redacted */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
} Index;

/* The embeddings server, as far as it is known. */
typedef struct SearchServer {
    Embeddings *at; /* NULL: there is none, or it cannot be used */
    bool looked;
    bool told;       /* it was announced here */
    Err why;         /* it cannot be used, or did not answer */
    bool noticed;    /* that was said */
    int64_t wait_ms; /* until then it is not asked again; 0: it may be */
    Meaning meaning;
} SearchServer;

struct Search {
    Index index;
    KeptRows kept;
    Likeness like;
    SearchServer server;
    void (*announce)(void *ctx, const char *sentence);
    void *ctx;
};

/* --- Files (index.c) --------------------------------------------------------------------- */

/* Forget what is in memory; the files stay. */
void index_unload(Index *x);
/* Load what the manifest names, if that is not what is loaded.  JOT_OK also if there is none. */
MUST_USE jot_status index_load(Index *x, Err *e);
/* Write what is in memory to files, merging what is small; `all`: everything becomes one.  Whatever
 * keeps it from that leaves the index as good as it was. */
void index_publish(Index *x, bool all);
/* Nothing of what was in the files is left in them. */
MUST_USE jot_status index_empty(Index *x, Err *e);
/* Nothing of what these streams have lost is left in the files: their rows die, they are read
 * again, and segments with dead rows are written again without them. */
MUST_USE jot_status index_forget(Index *x, const Str *streams, size_t n, Err *e);
/* Nothing of dead rows is left, in memory or in files.  *done is false if the pad must be looked at
 * again first: somebody else has published, or forgotten text. */
MUST_USE jot_status index_scrub(Index *x, bool *done, Err *e);
/* Go on without files. */
void index_leave_files(Index *x, const char *why);
bool index_has_files(const Index *x);

/* --- Segments (index_segments.c) --------------------------------------------------------- */

/* Take over the bytes of a segment. */
MUST_USE bool index_add(Index *x, Buf *bytes);
/* The live rows in one order; NULL: a segment is bad. */
const View *index_view(Index *x);
/* What is known of a stream; false: nothing. */
MUST_USE bool index_known(Index *x, Str stream, SegStream *out);
/* Its rows with records in [from, to] are dead. */
void index_kill(Index *x, Str stream, uint64_t from, uint64_t to);

/* --- Vectors (index_vectors.c) ------------------------------------------------------------ */

/* Read the files of vectors that were not read yet; one that is not whole counts as empty. */
void index_read_vectors(Index *x);
void index_free_vectors(Index *x);
/* Vectors of rows that are not live, and of models other than `model` if that is not empty, go;
 * what is small becomes one.  False: a segment is bad. */
MUST_USE bool index_sift_vectors(Index *x, Str model);

/* Vectors that just came. */
typedef struct FreshVectors {
    Str model;
    uint32_t columns;
    RowVector *items; /* in any order */
    size_t n;
    uint64_t told; /* where they came from */
    int64_t wait_ms;
} FreshVectors;
/* Keep those whose rows are live, in files (index.c).  False: not now; what is loaded may not be
 * what counts. */
MUST_USE bool index_add_vectors(Index *x, const FreshVectors *fresh);
/* The same in memory: publishing them is the caller's. */
MUST_USE bool index_take_vectors(Index *x, const FreshVectors *fresh);

/* --- Feeding it (feed.c) ----------------------------------------------------------------- */

/* Is this stream looked through?  */
bool index_covers(Str stream);
/* Bring the index up to date with the pad. */
MUST_USE jot_status index_catch_up(Index *x, Err *e);
/* Read these streams as if nothing were known of them. */
MUST_USE jot_status index_read_again(Index *x, const Str *streams, size_t n, Err *e);
/* The text of a body as a person reads it: in JSON the escapes of strings are taken back. */
Str index_text(Str stream, Str body, Arena *into);
/* What of a record can be found: false if nothing.  The label is borrowed from `into`. */
bool index_label(Str stream, const Record *r, Arena *into, Str *label);

/* --- Reading (search.c) ------------------------------------------------------------------ */

/* The record a row stands for, as it is now; JOT_NOT_FOUND if it is not there any more. */
MUST_USE jot_status search_read_row(Memory *m, Str stream, uint64_t seq, Arena *into, Record *out,
                                    Str *label);

/* --- Meaning (search_embed.c) ------------------------------------------------------------- */

/* How near each row of the index is to a question, by place, in ONE; NULL: words alone count.  The
 * view of the index may be another one afterwards.  *bad: a segment is. */
const int32_t *search_ask_server(Search *s, Str question, Arena *into, bool *bad);
/* What should be said of the server, once. */
Str search_notice(Search *s, Arena *into);
void search_server_done(SearchServer *server);

/* --- Showing (search_snippet.c) ---------------------------------------------------------- */

/* What a snippet is cut from. */
typedef struct SnippetSource {
    Str stream, label;
    Str text; /* as a person reads it */
} SnippetSource;

/* The part of the text that has most of what was asked for, on one line, the words marked with **.
 * *matched: anything of the query is in the text or the name at all. */
Str search_snippet(const Query *q, Stemmer *stemmer, const SnippetSource *from, Arena *into,
                   bool *matched);
/* Of matches, of which there is one at least: from which on most of the query is close together. */
size_t search_best_match(const Query *q, const Matches *m);
/* Where to begin so that a word is whole and a little comes before `at`. */
size_t search_begin_before(Str text, size_t at);

#endif
