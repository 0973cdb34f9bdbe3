/* memory.h - Memory, an open pad and the agent that uses it.
 *
 * The nouns of Jotter (notes, artifacts, runs, cycles, leases, tasks, logs) are
 * ways of looking at streams.  Each lives in a file of its own here, works on
 * every engine alike, and does all its writing through memory_append(), which
 * stamps the author and, if this handle holds a lease over the stream, writes
 * under it; what it removes, through memory_purge() and its like.
 *
 * A Memory belongs to one thread at a time. */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include "store/store.h"

/* The caller of a long scan, who may follow it and cancel it. */
typedef struct MemoryProgress {
    /* Called once a page with how many names and records were scanned so far.  False cancels the
     * scan: it ends with JOT_CANCELLED. */
    bool (*report)(void *ctx, uint64_t scanned);
    void *ctx;
    uint64_t scanned;
} MemoryProgress;

typedef struct Memory {
    Store *store; /* NULL until memory_open */
    const Io *io;
    Str by;                  /* who writes; borrowed */
    bool made;               /* the pad was allowed to come into being */
    bool looks;              /* it only reads, though the pad can be written: nobody asked for it */
    struct Holdings *leases; /* what it writes under (holding.h); NULL: nothing */
    /* For calls that change nothing, which may end anywhere; borrowed.  NULL: never cancelled. */
    MemoryProgress *progress;
    struct Search *search; /* search.h's: kept from one search to the next; NULL: none yet */
    int64_t order_us;      /* graph.c's: of what it added last */
    struct Roll *roll; /* roll.h's, borrowed: what a server remembers of all heads; may be NULL */
    Err unrecorded; /* why the edit that memory_head met last has no record; JOT_OK: it has one */
} Memory;

typedef struct MemoryOptions {
    const Io *io; /* NULL: the system */
    Str by;       /* at most STORE_BY_MAX bytes; must outlive the handle */
    bool create;  /* make the pad if there is none */
    bool read_only;
    int64_t wait_ms;  /* as in StoreOptions */
    SafeFound *found; /* as in StoreOptions */
} MemoryOptions;

/* `m` is {0}.  JOT_NOT_FOUND: there is no pad and create is not set. */
MUST_USE jot_status memory_open(Memory *m, Str url, const MemoryOptions *o, Err *e);
/* The pad of another handle as it was at a moment (store/as_of.h): nothing can be written.  `of`
 * must outlive it. */
void memory_open_past(Memory *m, const Memory *of, int64_t at_ms);
void memory_close(Memory *m); /* {0} and half-open ones are fine */
/* Nobody asks for anything now: time for what no answer should wait for.  {0} is fine. */
void memory_idle(Memory *m);
DEFINE_AUTO(Memory, memory_close)

/* The one way in which a noun writes: store_append with the author filled in, and under the lease
 * this handle holds over the stream, if any: JOT_FENCED, and nothing is written, if that has ended.
 * `expect` may be NULL, and has no guard. */
MUST_USE jot_status memory_append(Memory *m, Str stream, const Expect *expect, const Draft *draft,
                                  Mark *out, Err *e);
/* The same for many streams at once, as store_append_many. */
MUST_USE jot_status memory_append_many(Memory *m, Append *items, size_t n, Err *e);

enum { MEMORY_EDIT_WAIT_MS = 50 }; /* how long memory_head waits for another writer */

/* The head of a stream, for code that shows its version (read, history, diff, blame,
 * watch): what is shown as a version is kept as one.  So a person's edit or deletion that has no
 * record yet is recorded first; who shows many documents asks store_head, which writes nothing.
 * Where that fails (read-only, full, held by another, a damaged stream) the edit is read all the
 * same: mark.seq is 0 and m->unrecorded says why. */
MUST_USE jot_status memory_head(Memory *m, Str stream, HeadWant want, Arena *into, Record *out,
                                Err *e);

/* The head's mark, as store_head has it; op 0 if there never was a record. */
MUST_USE jot_status memory_mark(Memory *m, Str stream, Mark *out, Err *e);

/* What is shown in the place of a text that was redacted. */
#define FORGET_MARK "[redacted]"

/* Forgetting: store_purge, store_redact(_set) and store_trim, likewise under the lease this handle
 * holds over the stream, if any. */
MUST_USE jot_status memory_purge(Memory *m, Str stream, Mark *out, Err *e);
MUST_USE jot_status memory_redact(Memory *m, Str stream, uint64_t seq, Err *e);
MUST_USE jot_status memory_redact_set(Memory *m, Str stream, const Redaction *r, Err *e);
MUST_USE jot_status memory_trim(Memory *m, Str stream, uint64_t before, uint64_t *dropped, Err *e);

/* A noun whose streams are called by one segment. */
typedef struct MemoryKind {
    const char *prefix; /* of its streams, with the '/' it ends in: "tasks/" */
    const char *what;   /* the segment is, in a sentence: "a task's id" */
} MemoryKind;

/* The prefix, then `category` and a '/' if `category` is not NULL, then `name`.  JOT_INVALID for
 * what cannot be a stream's name.  Lives in `into`. */
MUST_USE jot_status memory_name(const MemoryKind *kind, const Str *category, Str name, Arena *into,
                                Str *out, Err *e);

/* A word that is kept in meta, such as a type: at most `max` bytes of UTF-8 without control
 * characters.  JOT_INVALID with a sentence that says `what` it is. */
MUST_USE jot_status memory_check_word(const char *what, Str word, int max, Err *e);

/* Report `n` more names or records as scanned.  JOT_CANCELLED: the caller does not want the rest.
 * The walks below call it themselves, once a page. */
MUST_USE jot_status memory_progress(Memory *m, size_t n, Err *e);

/* All names below a prefix, one by one, in byte order.  `each` may stop the walk by returning
 * anything but JOT_OK, which is then returned. */
MUST_USE jot_status memory_each(Memory *m, Str prefix, ListWhich which,
                                jot_status (*each)(void *ctx, const Listed *l), void *ctx, Err *e);

/* The same, from what is remembered of the heads (roll.h) if something is: for questions that are
 * asked again and again.  Names alone may come with their heads. */
MUST_USE jot_status memory_each_known(Memory *m, Str prefix, ListWhich which,
                                      jot_status (*each)(void *ctx, const Listed *l), void *ctx,
                                      Err *e);

typedef struct RecordVisit {
    uint64_t from;                                  /* the first seq */
    jot_status (*each)(void *ctx, const Record *r); /* the record is borrowed for the call */
    void *ctx;
    uint64_t *damaged; /* counts the records that cannot be read; NULL: nobody asks */
} RecordVisit;

/* All records of a stream from a seq on, oldest first; one that cannot be read is passed over.
 * `each` may stop the visit, as above. */
MUST_USE jot_status memory_each_record(Memory *m, Str stream, const RecordVisit *v, Err *e);

#endif
