/* engine.h - what an engine of the store must provide, and what store.c does for it.
 *
 * An engine is one table.  Its functions get arguments that store.c has checked
 * and never check them again.  Under its own lock (or inside its transaction)
 * an engine shows the head to store_seal(), which decides; then it stores what
 * it was given. */
#ifndef STORE_ENGINE_H
#define STORE_ENGINE_H

#include "base/url.h"
#include "store/store.h"

/* Records that come from another pad, as they were written there: they fit each other. */
typedef struct Batch {
    const Record *items; /* by seq, ascending; at least one */
    size_t n;
    bool gaps; /* as for store_place_records, otherwise as for store_put_records */
} Batch;

/* The newest of them: the head, once they are at the end of a stream. */
static inline const Record *batch_last(const Batch *b)
{
    return &b->items[b->n - 1];
}

typedef struct StoreOps {
    const char *scheme;      /* the word before ':' in a store URL ... */
    const char *const *also; /* ... and others that it may be, NULL at the end; NULL: none */
    /* The URL lives only as long as the call. */
    jot_status (*open)(Store **out, const Url *url, const StoreOptions *o, Err *e);
    void (*close)(Store *s); /* never called with NULL */
    jot_status (*append)(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out, Err *e);
    /* Optional: append to many streams, those whose status is JOT_CANCELLED.  Whatever is not
     * simple may be left so, and is appended alone afterwards; NULL: each alone.  JOT_OK, or the
     * handle cannot write at all. */
    jot_status (*append_many)(Store *s, Append *items, size_t n, Err *e);
    jot_status (*head)(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e);
    jot_status (*read)(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e);
    bool bodies_checked; /* `read` has compared bodies with their hashes; otherwise store.c does */
    jot_status (*list)(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e);
    jot_status (*changes)(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                          Err *e);
    jot_status (*trim)(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                       Err *e);
    jot_status (*redact)(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e);
    jot_status (*purge)(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);
    /* Without gaps `x` is "any". */
    jot_status (*put_records)(Store *s, Str stream, const Expect *x, const Batch *b, Err *e);
    jot_status (*forget_before)(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e);
    StorePromise (*promise)(const Store *s);
    /* Optional: a server's clock, asked now (store_saw_clock keeps it); NULL: the machine's. */
    jot_status (*clock)(Store *s, StoreTime *out, Err *e);
    /* Optional: an engine that cannot tell who lives has neither. */
    int (*hold)(Store *s, uint64_t number, bool hold); /* 0, -EAGAIN or another -errno */
    bool (*held)(Store *s, uint64_t number);
    /* Optional, with what store.c does instead. */
    /* As store_id; NULL: it has none. */
    jot_status (*id)(Store *s, char out[STORE_PAD_ID + 1], Err *e);
    /* Where a search index may lie, "" for nowhere; NULL: in the user's cache. */
    jot_status (*index_path)(Store *s, Arena *into, Str *out, Err *e);
    /* Report what only the engine can see; NULL: nothing.  Streams reported as damaged or forked
     * are not reported again by store_verify. */
    jot_status (*verify)(Store *s, const VerifyHooks *hooks, Err *e);
    /* As store_scrub; NULL: what is forgotten is in no file when purge or redact returns. */
    jot_status (*scrub)(Store *s, Err *e);
    /* As store_forget_quarantined; NULL: nothing is ever quarantined. */
    jot_status (*forget_quarantined)(Store *s, Str stream, bool (*holds)(void *ctx, Str text),
                                     void *ctx, QuarantineCount *out, Err *e);
    /* Put aside what dead writers left where no record is yet, so that no list has it and verify
     * tells nothing; NULL: nothing. */
    jot_status (*settle)(Store *s, Err *e);
    /* Hold every stream against the list of heads, tell what is lost (hooks may be NULL), and bring
     * the list up to date; with `accept` what is lost goes from it.  NULL: the engine keeps none.
     */
    jot_status (*heads)(Store *s, const VerifyHooks *hooks, bool accept, HeadsSeen *out, Err *e);
    /* A number that no token is beyond, if the stream of tokens is gone or ends before one that was
     * given, as far as the engine knows; else 0.  NULL: it knows nothing. */
    jot_status (*tokens)(Store *s, uint64_t *out, Err *e);
    /* May somebody who only reads record an edit?  JOT_CORRUPT if records of the stream are
     * missing, or its end is damaged; NULL: people edit nothing here. */
    jot_status (*whole)(Store *s, Str stream, Err *e);
    void (*idle)(Store *s);  /* as store_idle; NULL: nothing */
    bool (*moved)(Store *s); /* as store_moved; NULL: it lies nowhere */
    /* Before every stream is written to once; NULL: nothing. */
    jot_status (*mend)(Store *s, const MendOptions *o, Err *e);
} StoreOps;

/* Engines embed this as their FIRST member. */
struct Store {
    const StoreOps *ops;
    const Io *io;
    int64_t wait_ms;
    int64_t answer_ms;       /* how long a server may take, beside waiting for others */
    pid_t pid;               /* of the process that opened it; 0: any may use its copy */
    char read_only_why[128]; /* "" while the handle may write */
    Hash url;                /* of the URL, filled in by store_open */
    int64_t served_ms;       /* a server's clock, ... */
    int64_t served_awake_ms; /* ... and when it was heard, by io_awake_ms */
    StoreReport report;
};

extern const StoreOps mem_ops;
extern const StoreOps files_ops;
extern const StoreOps sqlite_ops;
extern const StoreOps postgres_ops;
extern const StoreOps redis_ops;
extern const StoreOps s3_ops;

/* --- What every engine needs (store.c) -------------------------------------------------- */

/* Fill in the common part of a fresh engine object. */
void store_init(Store *s, const StoreOps *ops, const StoreOptions *o);

/* Remember what a server's clock said just now; a step back is a step back. */
void store_saw_clock(Store *s, int64_t now_ms);
/* The time for a new record: the machine's, or the server's as it was last heard and what has
 * passed since. */
int64_t store_now_ms(const Store *s);

/* Where held numbers lie in an engine's lock file: beyond every other byte it locks. */
static inline off_t store_hold_byte(uint64_t number)
{
    return ((off_t)1 << 40) + (off_t)number;
}

/* The sentences all engines share. */
jot_status store_not_found(Err *e, Str stream);
jot_status store_name_taken(Err *e, Str stream, Str other); /* a name is a file or a directory */
jot_status store_refuse_write(const Store *s, Err *e);

/* JOT_NOT_FOUND for a stream of whose records none can be read. */
jot_status store_all_lost(Err *e, Str stream);
/* Say in the report that the head has lost records after it. */
void store_met_lost(Store *s, Str stream, const Mark *head);

/* Count something in the report and keep its sentence. */
void store_met(Store *s, uint64_t *counter, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* --- Kinds of streams, by the first segment of their names (name.c) --------------------- */

typedef struct StoreKind {
    const char *name;
    bool flat;        /* KIND/KEY and nothing deeper */
    bool key;         /* the name must be a key: [A-Za-z0-9_-]+, at most STORE_KEY_MAX */
    bool note;        /* the name must be a note's key: store_check_note */
    bool pair;        /* KIND/KEY/KEY: a cycle's snapshots, below their agent */
    bool document;    /* holds a value people may see as a file; no OP_APPEND */
    bool mirrored;    /* on files people see its records in files that only show them */
    const char *tail; /* what the value's file adds to its name on files, e.g. ".txt" ... */
    const char *also; /* ... or, if a person chose so, e.g. ".md"; NULL: nothing else */
} StoreKind;
/* The row for a checked stream name; never NULL. */
const StoreKind *store_kind(Str stream);

/* The names [from, to) that a query is about, for engines that keep them in byte order. */
void list_range(const ListQuery *q, Arena *into, Str *from, Str *to);

/* --- Keys that differ only in case (twin.c) --------------------------------------------- */

/* Two notes whose keys differ only in case would be one file elsewhere, so a note that comes to
 * life looks for such a twin.  `next` gives the first living name from `from` on, in byte order, or
 * an empty one.  *out is empty if there is none, and for any other kind. */
typedef jot_status NextName(void *ctx, Str from, Arena *into, Str *out, Err *e);
MUST_USE jot_status store_find_twin(Str name, NextName *next, void *ctx, Arena *into, Str *out,
                                    Err *e);
/* The name as its twins have it in common; lives in `into`. */
Str store_caseless(Str name, Arena *into);
/* JOT_INVALID, with a sentence that names the twin. */
jot_status store_twin_taken(Err *e, Str stream, Str other);

/* --- Deciding (seal.c) ------------------------------------------------------------------ */

/* All that an append is decided by: what the caller wants, and what the engine sees of the stream
 * under its lock. */
typedef struct Sealing {
    Str stream;
    const Expect *x;
    const Draft *draft;
    const Mark *head;     /* the newest mark; seq 0: there is none */
    const Record *recent; /* the newest records, newest first, with mark, id and meta; ... */
    size_t recent_n;      /* ... at most STORE_ID_WINDOW, needed only if the draft has an id */
    uint64_t guard_seq;   /* of the guard stream's head; 0: none */
} Sealing;

/* Decide an append.
 * JOT_OK with *again false: store *out (its strings are the draft's).  JOT_OK with *again true:
 * *out is the mark of the record that had the id; store nothing.  Otherwise store nothing;
 * out->mark is the head's. */
MUST_USE jot_status store_seal(Store *s, const Sealing *a, Record *out, bool *again, Err *e);

/* Does the condition hold for this head, with the guard stream's head at `guard_seq`?  For what is
 * no append; store_seal() looks for itself. */
MUST_USE jot_status store_check_expect(Str stream, const Expect *x, const Mark *head,
                                       uint64_t guard_seq, Err *e);

/* True if a write on this condition is refused because of the records lost after `head`, which
 * must then be remembered as told (mark.loss_reported). */
bool store_must_report(const Expect *x, const Mark *head);

/* What a guard stream's seq is compared with: one whose newest record is lost stands nowhere. */
static inline uint64_t store_guard_seq(const Mark *head)
{
    return head->lost ? UINT64_MAX - 1 : head->seq;
}

/* The record that follows `head`, without any condition (edits from outside, purges). */
Record store_next(Store *s, Str stream, const Draft *d, const Mark *head);

/* JOT_OK if `r` continues `head` (seq 0: starts a stream): seq, time, chain. */
MUST_USE jot_status store_check_next(Str stream, const Mark *head, const Record *r, Err *e);

/* The same, but numbers may be missing between the two; the chain is asked only of neighbours. */
MUST_USE jot_status store_check_behind(Str stream, const Mark *head, const Record *r, Err *e);

/* JOT_OK if these records may stand between what comes before (seq 0: nothing) and what comes after
 * (NULL: nothing). */
MUST_USE jot_status store_check_place(Str stream, const Batch *b, const Mark *before,
                                      const Record *after, Err *e);

/* Are there `n` numbers left after this head, for records nobody has asked for? */
MUST_USE jot_status store_check_room(Str stream, const Mark *head, uint64_t n, Err *e);

/* The chain of a record whose predecessor had `previous`. */
Hash record_chain(Hash previous, Str stream, const Record *r);

/* The lowest seq that trim may leave as the oldest, given what was asked for. */
uint64_t store_trim_from(const Mark *head, uint64_t before);

/* JOT_OK if the record may be redacted. */
MUST_USE jot_status store_check_redact(Str stream, const Mark *head, const Mark *m, Err *e);

/* --- What a purge leaves (purge.c) ------------------------------------------------------ */

enum {
    STORE_PURGED_MAX = 32,
    STORE_PURGED_HEX = 16,
    STORE_TOLD_MAX = 400, /* fewer where meta has no room for them */
    STORE_TOLD_HEX = 8,
};

/* What a purge removes, as far as the engine can read it. */
typedef struct Gone {
    const Record *oldest; /* NULL: it cannot be read */
    const Record *newest; /* up to STORE_TOLD_MAX of the newest, in any order; only marks matter */
    size_t n;
} Gone;

/* The tombstone that a purge leaves, with what shows a copy of the stream to be one.  Its meta
 * lives in `into`. */
Record store_tombstone(Store *s, Str stream, Str by, const Mark *head, const Gone *gone,
                       Arena *into);

/* The oldest record that a purge removed, as its tombstone reports it. */
typedef struct Purged {
    uint64_t seq;
    char chain[STORE_PURGED_HEX + 1]; /* the first digits */
} Purged;

/* What a tombstone tells of the records that were purged. */
typedef struct PurgeTrace {
    Purged oldest[STORE_PURGED_MAX]; /* of this purge and of those before it, by seq */
    size_t oldest_n;
    uint64_t first; /* the seq of the first of `n` ... */
    size_t n;
    char chains[STORE_TOLD_MAX * STORE_TOLD_HEX]; /* ... whose chains begin so; '-': not known */
} PurgeTrace;

/* False for any record that is not the tombstone of a purge, and for those of purges before Jotter
 * told anything: *out is empty then. */
bool store_purge_trace(const Record *tombstone, PurgeTrace *out);

/* Is everything that `to` has of the stream before the tombstone's seq shown to be what was purged?
 * The end of each row of records must be reported, or continued by the tombstone, for its chain
 * covers the row; nothing that is reported may differ.  `head` is the stream's. */
MUST_USE jot_status store_shows_copy(Store *to, Str stream, const Mark *head,
                                     const Record *tombstone, bool *out, Err *e);

#endif
