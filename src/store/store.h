/* store.h - Store, streams of records that survive the process.
 *
 * A pad is a set of named streams; a stream is a sequence of records that only
 * grows at its end; the only way to change anything is a conditional append.
 *
 * What every engine promises, and tests/contract/ verifies for each:
 *   1. append is atomic, and durable when it returns JOT_OK;
 *   2. the expectation is checked and the record added as one step;
 *   3. seq runs 1, 2, 3 ... without repeats; the head is the highest.  A number is missing only
 *      where a record was lost (below), or where a copy could not have it (store_place_records);
 *   4. a condition that does not hold changes nothing and returns the head;
 *   5. list visits names in byte order and survives appends between two calls;
 *   6. changes names every changed stream at least once, or says RESCAN;
 *   7. anyone who waits for another writer waits a bounded time; readers never wait;
 *   8. damage costs the records it hits, and never stops a stream.
 *
 * A stream whose newest records were damaged afterwards continues from the newest
 * one that can be read: that is its head, and head.lost says how many after it
 * are lost.  They were acknowledged, so
 *   - whatever still proves a lost record brings it back with the next write;
 *   - its number is never given again: the next record has seq + lost + 1, and
 *     its chain continues the head's;
 *   - a condition that names it never holds, and the first conditional write
 *     of any kind is a JOT_CONFLICT (head.loss_reported from then on), so that nobody who
 *     saw it writes over it unaware; as a guard the stream does not stand
 *     anywhere until its next record;
 *   - verify reports it, and the gap for as long as that is kept.
 * What lies after the head and was never a record (an unfinished one, lines by
 * an editor) is passed over, and quarantined by the next write.
 *
 * On a server three more things hold, because an answer can be lost on its way:
 *   - what is sent is sealed against a head (seq, chain) that was seen, and carries a number its
 *     writer drew.  When the answer is lost the same record is sent again: either the record at
 *     its seq has the writer's number, or another's, and then this one was not written.  Only if
 *     nobody answers in time, or that record was trimmed meanwhile, is the answer JOT_UNKNOWN.
 *     The id of a draft is for callers and has no part in this;
 *   - a head that is behind what this handle saw, or has another chain, is JOT_CORRUPT: the server
 *     went back (a failover, a restored backup), and what was acknowledged is not continued over;
 *   - text is gone from the streams when purge or redact returns; in the server's own files (dead
 *     rows, logs) it is after store_scrub, as far as StorePromise.caveats does not say otherwise.
 *
 * store.c checks arguments, limits and chains once, for all engines; an engine
 * only stores.  A Store belongs to one thread at a time, and to the process that
 * opened it: in a forked child every call says so, and closing it does nothing.
 * Locks that are held while another thread forks are held by nobody else for it.
 * Nothing is atomic across two streams, except that an append may demand another stream's head. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/safe.h"

enum {
    STORE_NAME_MAX = 480,    /* bytes of a stream's name */
    STORE_SEGMENT_MAX = 200, /* bytes between two slashes */
    STORE_KEY_MAX = 128,     /* bytes of a key, where a name must be one; of a part of a note's */
    STORE_NOTE_MAX = 255,    /* bytes of a note's key, with its folders */
    STORE_BODY_MAX = 16 * 1024 * 1024,
    STORE_META_MAX = 4096,
    STORE_BY_MAX = 128,
    STORE_EXTRA_MAX = 16 * 1024, /* of members a newer version wrote */
    STORE_ID_MAX = 64,
    STORE_ID_WINDOW = 16, /* an id is looked up among this many newest records */
    STORE_LIST_MAX = 1000,
    STORE_READ_MAX = 1000,               /* records in one read */
    STORE_READ_BYTES = 16 * 1024 * 1024, /* bodies in one read; the first always fits */
    STORE_AHEAD_MS = 60 * 60 * 1000, /* a time further ahead is a wrong clock's, not another's */
    STORE_WAIT_MS = 10 * 1000,       /* how long a writer waits for another */
    STORE_CURSOR_MAX = 120,
    STORE_REDACT_MAX = 10 * 1000, /* records redacted in one step */
};

#define STORE_SEQ_MAX ((uint64_t)INT64_MAX)
/* The author of versions that were not written through Jotter. */
#define STORE_OUTSIDE "outside"

typedef struct Store Store;

/* --- What a record is ------------------------------------------------------------------ */

/* The numbers are stored; append, never renumber. */
typedef enum Op {
    OP_PUT = 1,    /* the body is the stream's value */
    OP_DELETE = 2, /* a tombstone: the stream has no value any more */
    OP_APPEND = 3, /* one more entry of a log */
} Op;

/* Where a record stands and which version it is: the part of fixed size. */
typedef struct Mark {
    uint64_t seq;  /* 0: no record, or (head on files) an edit from outside not yet recorded */
    int64_t at_ms; /* UTC; never before its predecessor's */
    Op op;
    bool redacted;      /* the body was removed later; sha256 and size are those it had */
    uint64_t fence;     /* highest lease token seen by this stream */
    uint64_t size;      /* of the body, in bytes */
    Hash sha256;        /* of the body; zero for a tombstone */
    Hash chain;         /* sha256(chain of the predecessor, hash of this record's header) */
    uint64_t lost;      /* of a head: so many records after it were damaged and cannot be read */
    bool loss_reported; /* ... and a conditional write was refused because of it */
    uint64_t gap; /* so many numbers before it were trimmed: at the source it was copied from, or
                   * (oldest record, files) here */
} Mark;

/* The highest number that was given, of this record or of a lost one after it. */
static inline uint64_t mark_last(const Mark *m)
{
    return m->seq + m->lost;
}

/* True if the mark is that of a live value or log (and not of a tombstone or of nothing). */
static inline bool mark_live(const Mark *m)
{
    return m->op == OP_PUT || m->op == OP_APPEND;
}

typedef struct Record {
    Mark mark;
    Str by;    /* the agent's name */
    Str id;    /* idempotency key, or empty */
    Str meta;  /* a JSON object as the writer gave it, or empty */
    Str extra; /* members a newer version wrote: kept verbatim on copy, otherwise ignored */
    Str body;
} Record;

/* --- Appending ------------------------------------------------------------------------- */

/* What must hold for an append to happen. */
typedef enum ExpectKind {
    EXPECT_ANY = 0,
    EXPECT_ABSENT, /* no live head (and on files nothing a person put there) */
    EXPECT_SEQ,    /* the head has this seq; 0: there is no record at all, and none was lost */
    EXPECT_HASH,   /* the head is a live put with this sha256 */
} ExpectKind;

typedef struct Expect {
    ExpectKind kind;
    uint64_t seq;
    Hash sha256;
    Str guard;          /* another stream whose head must stand ... */
    uint64_t guard_seq; /* ... at this seq, in the same step; empty: no guard */
} Expect;

/* The condition that a stream still stands where it was read: at this seq, or (0) without any
 * record that can be read. */
static inline Expect expect_at(uint64_t seq)
{
    return (Expect){ .kind = seq ? EXPECT_SEQ : EXPECT_ABSENT, .seq = seq };
}

typedef struct Draft {
    Op op;
    Str by;
    Str id;
    Str meta;
    Str body;       /* empty for OP_DELETE */
    uint64_t fence; /* token of the lease this is written under; 0: none */
    /* When it was made, of what comes from elsewhere; 0: now.  It is not taken if it is before the
     * head's, which counts then, or still to come. */
    int64_t at_ms;
} Draft;

/* May this be the author of a record?  Empty may. */
MUST_USE jot_status store_check_by(Str by, Err *e);

/* Add one record.  *out is the new record's mark; with JOT_CONFLICT and JOT_FENCED it is the
 * present head's.
 * An id is looked up first: found with the same content, its record's mark is returned and
 * nothing is written; with other content, JOT_ID_REUSED.
 * JOT_FENCED: the guard moved, or a higher token was seen.  JOT_NOT_FOUND: a delete of what is
 * not there.  JOT_UNKNOWN: the record may or may not be there. */
MUST_USE jot_status store_append(Store *s, Str stream, const Expect *expect, const Draft *draft,
                                 Mark *out, Err *e);

/* --- Many appends at once --------------------------------------------------------------- */

enum {
    STORE_MANY_MAX = 512,                /* appends in one call */
    STORE_MANY_BYTES = 16 * 1024 * 1024, /* bodies in one call; the first always fits */
};

/* One of many, and what became of it. */
typedef struct Append {
    Str stream;
    Expect expect;
    Draft draft;
    jot_status status;
    Mark mark; /* as store_append says */
    Err why;   /* if the status is not JOT_OK */
} Append;

/* Append to many streams and share what makes them durable.  Each is decided by itself, as
 * store_append would, and each status is the truth about its own:
 *   1. JOT_OK is durable when this returns; before that nothing is acknowledged.
 *   2. Nothing is atomic across them.  What dies in between leaves any of them written, whole, and
 *      the others not; the same call again finishes it, if its conditions allow that.
 *   3. Those to one stream happen in the order they have here; all others in any order.
 *   4. If the shared step fails, all that shared it are JOT_UNKNOWN.
 *   5. Until this returns others may have to wait for each of these streams, as for any writer.
 * The result is JOT_OK if every status is set, also to a failure; anything else is about the whole
 * call (nothing was written). */
MUST_USE jot_status store_append_many(Store *s, Append *items, size_t n, Err *e);

/* --- Reading --------------------------------------------------------------------------- */

typedef enum HeadWant {
    HEAD_RECORD = 0, /* all of it */
    HEAD_MARK,       /* all but the body */
    HEAD_VALUE,      /* body, size and sha256 (or that it is deleted); the rest only if cheap */
} HeadWant;

/* The newest record that can be read, also if it is a tombstone; mark.lost counts those after it
 * that cannot, and store_report tells.  JOT_NOT_FOUND: there is none; out->mark.lost is set then
 * too. */
MUST_USE jot_status store_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out,
                               Err *e);

typedef struct Records {
    Record *items; /* by seq, ascending */
    size_t n;
    bool more;        /* there are records after the last one */
    uint64_t damaged; /* in this range: records passed over, or not continuing the one before */
} Records;

typedef struct SeqRange {
    uint64_t from; /* the first seq; the oldest record that is kept, if that is later */
    size_t limit;  /* records, 1 to STORE_READ_MAX */
} SeqRange;

/* The records of a range.  JOT_NOT_FOUND: the stream has no record at all. */
MUST_USE jot_status store_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                               Err *e);

typedef struct Listed {
    Str name;
    Mark mark;
    Str by;
    Str meta;
} Listed;

typedef struct Listing {
    Listed *items; /* by name, in byte order */
    size_t n;
    bool more;
} Listing;

/* Which names, and how much of each: with its head, or the name alone (mark, by and meta are empty
 * then).  Names alone are cheap on every engine; heads may cost one look at each stream.  Among
 * names alone there may be one whose value cannot be read. */
typedef enum ListWhich {
    LIST_LIVE = 0,
    LIST_ALL = 1, /* tombstones too */
    LIST_LIVE_NAMES = 2,
    LIST_ALL_NAMES = 3,
} ListWhich;

static inline bool list_takes_all(ListWhich which)
{
    return which == LIST_ALL || which == LIST_ALL_NAMES;
}

static inline bool list_takes_heads(ListWhich which)
{
    return which == LIST_LIVE || which == LIST_ALL;
}

typedef struct ListQuery {
    Str prefix;   /* names that start with it */
    Str after;    /* names that come after it; "": from the first */
    size_t limit; /* names, 1 to STORE_LIST_MAX */
    ListWhich which;
} ListQuery;

/* The names that match a query. */
MUST_USE jot_status store_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e);

typedef struct Cursor {
    char text[STORE_CURSOR_MAX]; /* printable, ends in NUL; "" is the cursor nobody has given */
} Cursor;

typedef struct Changes {
    Str *names;
    size_t n;
    bool rescan; /* anything may have changed */
    bool forgot; /* text was redacted or purged, in one of these streams at least */
    Cursor next; /* where to continue */
} Changes;

/* The names that MAY have changed since `cursor`: at least once, in no order.  Waits up to
 * `wait_ms` for the first one.  A consumer keeps (seq, chain) for each stream and reads on from
 * there; if the chain differs it reads the stream from its start.  Text goes from records that were
 * read before only if `forgot` or `rescan` says so (trimming old ones apart). */
MUST_USE jot_status store_changes(Store *s, const Cursor *cursor, int64_t wait_ms, Arena *into,
                                  Changes *out, Err *e);

/* --- Edits from outside (walk.c) -------------------------------------------------------- */

/* Make a person's edit or deletion (a head whose seq is 0) a record, and repair what is broken, as
 * any write to the stream does.  JOT_OK also if there is nothing to record. */
MUST_USE jot_status store_record_edits(Store *s, Str stream, Err *e);
/* The same for somebody who reads: waits at most `wait_ms` for another writer, and leaves a stream
 * that has lost records as it is (JOT_CORRUPT), for the text may be what was lost. */
MUST_USE jot_status store_record_seen(Store *s, Str stream, int64_t wait_ms, Err *e);

/* --- Forgetting ------------------------------------------------------------------------ */

/* Each of these may be conditional, as an append is; NULL: any.  JOT_CONFLICT, JOT_FENCED: the
 * condition does not hold, and nothing was removed (but by trim, which may have begun). */

/* Drop records before seq `before`, but keep the newest STORE_ID_WINDOW.  *dropped counts. */
MUST_USE jot_status store_trim(Store *s, Str stream, const Expect *expect, uint64_t before,
                               uint64_t *dropped, Err *e);

/* Remove one record's body.  The chain stays verifiable, for it covers only the body's hash.
 * JOT_INVALID for a tombstone, and for the live value: write a new version first. */
MUST_USE jot_status store_redact(Store *s, Str stream, const Expect *expect, uint64_t seq, Err *e);

typedef struct Redaction {
    const uint64_t *seqs; /* ascending */
    size_t n;             /* 1 to STORE_REDACT_MAX */
    bool aside;           /* what was quarantined of the stream goes too, whatever it is */
} Redaction;

/* The same for several records in one step: if one of them cannot be redacted, none is.
 * store_redact is the case of one, with `aside`. */
MUST_USE jot_status store_redact_set(Store *s, Str stream, const Expect *expect, const Redaction *r,
                                     Err *e);

/* Remove everything but a fresh tombstone, so that seq and fence never restart.  *out is its mark,
 * or the head's, as for an append.  Its meta tells what went, so that a copy of the stream can be
 * recognised and purged too: by the chains of the oldest record (and those of earlier purges) and
 * of the newest ones, up to 400, as far as they can be read (docs/format.md). */
MUST_USE jot_status store_purge(Store *s, Str stream, const Expect *expect, Str by, Mark *out,
                                Err *e);

/* See that what was purged and redacted, by anybody, is in no file of the pad any more: it is gone
 * from the streams at once, but a reader may hold on to a log.  JOT_UNAVAILABLE: one does; the next
 * write, close or open finishes it, and so does calling again. */
MUST_USE jot_status store_scrub(Store *s, Err *e);

typedef struct QuarantineCount {
    uint64_t removed, unread;
} QuarantineCount;

/* Look through what was quarantined of a stream (empty: of any), which no stream has any more: what
 * `holds` says true for is removed.  A purge removes all that was quarantined of its own stream. */
MUST_USE jot_status store_forget_quarantined(Store *s, Str stream,
                                             bool (*holds)(void *ctx, Str text), void *ctx,
                                             QuarantineCount *out, Err *e);

/* How many things lie in quarantine; nothing is changed. */
MUST_USE jot_status store_count_quarantined(Store *s, uint64_t *out, Err *e);

/* --- Copying (copy.c) ------------------------------------------------------------------- */

/* Add records verbatim, in one step, after the head and with fitting chains; into an empty
 * stream the first may have any seq.  A number may be left out only where the chain continues
 * over it: a record was lost there.  JOT_CONFLICT if they do not fit. */
MUST_USE jot_status store_put_records(Store *s, Str stream, const Record *records, size_t n,
                                      Err *e);

/* The same, but over missing numbers: the records go where their seqs say, all of them after the
 * head or all of them between two neighbours.  What is next to each other (n and n + 1) must fit
 * by its chain, everything by time and fence.  JOT_CONFLICT if it does not, if a number is taken,
 * or if the condition does not hold (NULL: any). */
MUST_USE jot_status store_place_records(Store *s, Str stream, const Expect *expect,
                                        const Record *records, size_t n, Err *e);

/* Remove for good all records before the one with this seq, as a purge does, and what was put
 * aside of the stream.  JOT_NOT_FOUND: there is no such record. */
MUST_USE jot_status store_forget_before(Store *s, Str stream, const Expect *expect, uint64_t seq,
                                        Err *e);

/* The stream whose seqs are the tokens that fences are made of.  It belongs to its pad: a copy does
 * not bring its records, it only sees to it that the target's seq is not behind the source's, so
 * that no token is too old for what was copied.  What stood in the target's stays in force, what
 * stands in the source's binds nobody there. */
#define STORE_TOKENS "leases/table"
/* After the last token that is known there may have been others, but not so many. */
#define STORE_TOKENS_UNSEEN ((uint64_t)1 << 32)

typedef struct CopyCount {
    uint64_t total;                   /* streams of the source; 0: nobody asked for the progress */
    uint64_t streams, records, bytes; /* looked at, so far */
    uint64_t copied;                  /* records that were not there before */
    uint64_t lost;                    /* records of the source that cannot be read */
    uint64_t refused;                 /* streams that could not be copied, or not to their end */
} CopyCount;

typedef enum CopyNews {
    COPY_LOST,    /* records of the source cannot be read; all others of the stream were copied */
    COPY_REFUSED, /* the stream was not copied, or not to its end; `status` says why */
    COPY_GAP,     /* worth knowing: the source has trimmed what would come after the target's */
    COPY_FORGOT,  /* worth knowing: text was purged or redacted, as at the source */
} CopyNews;

typedef struct CopyNotice {
    CopyNews news;
    Str stream;
    jot_status status; /* JOT_OK for what is only worth knowing */
    const char *what;  /* one sentence, without the stream's name where it is only worth knowing */
} CopyNotice;

typedef struct CopyHooks {
    void (*progress)(void *ctx, const CopyCount *so_far);
    void (*notice)(void *ctx, const CopyNotice *t);
    /* Asked between two steps; may be NULL.  False ends it with JOT_CANCELLED: what was copied
     * stays, of an archive there is no file. */
    bool (*go_on)(void *ctx);
    void *ctx;
} CopyHooks;

/* Bring every stream of `from` into `to`, with history, and read each record back.  Afterwards the
 * target has every record of the source that can be read; `hooks` and its members may be NULL.
 *   1. Copying again continues where the last one stopped, also after a crash.
 *   2. What one stream refuses stops no other.  JOT_CORRUPT: something could not be read at the
 *      source, and all that could is in the target.  JOT_CONFLICT: a target's history differs; it
 *      was not changed.  The sentence names the first of them, the hook hears of each.  A
 *      failure of the target as a whole ends the copy.
 *   3. Where a record is lost the target has a gap, until a source has it again.
 *   4. What the source has trimmed stays in the target.  If it has trimmed more than the target
 *      had, its records go after those of the target, over the gap.
 *   5. What was redacted or purged at the source since is redacted or purged at the target: a
 *      purge if all that the target has is shown to be a copy, by the tombstone's chain or meta;
 *      otherwise it is a conflict.  A trim of the source takes such traces away.  What was purged
 *      at the target does not come back: a source that has it still is a conflict.
 *   6. STORE_TOKENS is treated as said there, and last. */
MUST_USE jot_status store_copy(Store *from, Store *to, const CopyHooks *hooks, CopyCount *out,
                               Err *e);

/* Bring the stream of tokens to `seq`, if it stands lower: what it says stays, and the next token
 * is higher than `seq`. */
MUST_USE jot_status store_raise_tokens(Store *s, uint64_t seq, Err *e);

/* The same beyond every token that can have been given, also if the newest ones are lost: to the
 * time, in milliseconds and ten bits. */
MUST_USE jot_status store_leap_tokens(Store *s, Err *e);

/* For a pad whose stream of tokens is gone: a number that no token which was ever given is beyond,
 * as far as anything is left that knows of one: the engine's own account, and the fences of all
 * streams, which are looked at.  0: none was given. */
MUST_USE jot_status store_tokens_given(Store *s, uint64_t *out, Err *e);

/* --- Time ------------------------------------------------------------------------------ */

/* The clock by which everybody who shares the pad judges how old something is.  On one machine it
 * is CLOCK_BOOTTIME, and what was noted in another era (another boot) is past.  A pad on a server
 * has the server's clock, whatever clocks and boots its users have: else what one machine takes
 * would be over on another.  Each call asks the server, so that a lease is judged by the time at
 * which its table was fetched.  `at` of records comes from the server too. */
typedef struct StoreTime {
    int64_t now_ms;    /* not later than the clock says when the call returns */
    int64_t margin_ms; /* servers' clocks step: what another holds ends only so much later */
    char era[33];      /* moments of another era cannot be compared with this one */
    bool served;       /* it is a server's clock, which counts from 1970 */
} StoreTime;

/* JOT_UNAVAILABLE: the boot, or the server, cannot be asked. */
MUST_USE jot_status store_clock(Store *s, StoreTime *out, Err *e);

/* --- Being alive ----------------------------------------------------------------------- */

/* A handle may hold numbers.  It holds one until it lets go, is closed, or its process ends
 * however it ends: the kernel sees to that, so anyone who asks learns who is alive and no pid is
 * ever compared.  A child made by fork holds nothing of it.
 * Nothing is stored.  On a server that can tell, the session stands for the handle: one that breaks
 * off is a hold that is lost, whether or not the process still lives, as soon as the server has
 * noticed. */
enum { STORE_HOLD_BITS = 62 };

/* JOT_CONFLICT: another handle holds it.  JOT_UNSUPPORTED: the engine cannot tell who lives. */
MUST_USE jot_status store_hold(Store *s, uint64_t number, Err *e);
void store_let_go(Store *s, uint64_t number); /* one that is not held is fine */
/* True if another handle holds it, or if that cannot be known. */
bool store_held(Store *s, uint64_t number);

/* --- Care (verify.c) -------------------------------------------------------------------- */

typedef enum FaultKind {
    FAULT_DAMAGE,   /* a record that cannot be read, or is not what it says */
    FAULT_LOST,     /* records that were there, as the list of heads or their number knows */
    FAULT_FORK,     /* two histories in one place, as a merge by git leaves them */
    FAULT_VIEW,     /* a file people see cannot be used */
    FAULT_LEFTOVER, /* something a dead writer left */
    FAULT_STRAY,    /* a file that is nobody's */
    FAULT_PAD,      /* the pad as a whole */
    FAULT_INDEX,    /* the search index says something else than the pad */
    /* Not wrong, but worth knowing: */
    FAULT_QUARANTINE, /* something lies in quarantine */
    FAULT_EDIT,       /* a person's edit that no write has recorded yet */
    FAULT_OTHER,      /* a file among those people see that no name leads to */
    FAULT_UNCHECKED,  /* the search index, which is held or has no room to be brought up to date */
    FAULT_TIME,       /* a stream whose newest record is of a time that is still to come */
    FAULT_GAP,        /* records a copy never had: they had been trimmed at its source */
} FaultKind;

/* The word for it: "damage", "fork" ...; never NULL. */
const char *fault_name(FaultKind kind);
/* False for what is only worth knowing. */
bool fault_counts(FaultKind kind);

typedef struct StoreFault {
    FaultKind kind;
    Str stream;         /* may be empty */
    const char *what;   /* one sentence */
    const char *advice; /* what to do */
    bool mends;         /* store_mend does it */
} StoreFault;

/* The list of heads that streams were held against. */
typedef struct HeadsSeen {
    bool kept;      /* the engine keeps one */
    int64_t at_ms;  /* when it was last complete; 0: never */
    uint64_t names; /* it had */
} HeadsSeen;

typedef struct VerifyCount {
    uint64_t total;                   /* streams; 0: nobody asked for the progress */
    uint64_t streams, records, bytes; /* read so far */
    uint64_t faults;                  /* that count */
    HeadsSeen heads;
} VerifyCount;

/* Read every byte: records, hashes, chains, heads, and what only the engine knows.  A fault is
 * told and the next one looked for; every callback may be NULL.  JOT_OK also if there are faults:
 * out->faults counts them.  The list of heads is brought up to date, if the handle may write. */
typedef struct VerifyHooks {
    void (*fault)(void *ctx, const StoreFault *f);
    void (*progress)(void *ctx, const VerifyCount *so_far);
    void *ctx;
    bool (*go_on)(void *ctx); /* asked before each stream: false ends it with JOT_CANCELLED */
} VerifyHooks;
MUST_USE jot_status store_verify(Store *s, const VerifyHooks *hooks, VerifyCount *out, Err *e);

typedef struct MendOptions {
    bool after_crash; /* compare everything as after a power loss */
} MendOptions;

/* Finish or undo what dead writers left, as the next write to each of those streams would: what has
 * no place is quarantined.  `failed` (may be NULL) hears of a stream that refuses. */
MUST_USE jot_status store_settle(Store *s, void (*failed)(void *ctx, Str stream, const char *why),
                                 void *ctx, Err *e);

/* Repair what can be repaired without losing anything: what does not fit is quarantined, never
 * removed.  store_report says what was done. */
MUST_USE jot_status store_mend(Store *s, const MendOptions *o, Err *e);

/* Bring the list of heads up to date, by reading the end of every stream.  Nothing is reported;
 * what is missing stays in it, for store_verify. */
MUST_USE jot_status store_note_heads(Store *s, Err *e);
/* True if the path this pad was opened by names something else by now, or nothing: it was moved,
 * replaced or removed.  Cheap.  The handle continues with what it has open; anyone who keeps one
 * for long asks before each thing it does, and opens the pad again.  False also if it cannot be
 * known.
 */
bool store_moved(Store *s);
/* For a caller that has nothing to do: note what this handle has written, as closing it does.
 * Cheap. */
void store_idle(Store *s);

/* --- Opening --------------------------------------------------------------------------- */

typedef struct StoreOptions {
    const Io *io;    /* NULL: the system */
    bool create;     /* make the pad if there is none */
    bool read_only;  /* never write, not even to recover */
    int64_t wait_ms; /* 0: STORE_WAIT_MS; below 0: do not wait */
    /* NULL: somebody named the pad.  Else it was found, and is opened only if it is ours or listed
     * as safe (JOT_DENIED); files: only. */
    SafeFound *found;
} StoreOptions;

/* Open the pad a URL names: files:DIR, sqlite:FILE, mem:.  *out is set only on success.
 * JOT_NOT_FOUND: there is no pad and create is not set.  JOT_UNSUPPORTED: an unknown or
 * left-out engine, or a format newer than this library. */
MUST_USE jot_status store_open(Store **out, Str url, const StoreOptions *options, Err *e);
void store_close(Store *s); /* NULL is fine */
DEFINE_AUTO_PTR(Store, store_close)

/* JOT_INVALID in a process that was forked since: its copy of the handle is of no use. */
MUST_USE jot_status store_check_mine(const Store *s, Err *e);

/* What this handle met and mended so far; never reset. */
typedef struct StoreReport {
    uint64_t torn;        /* unfinished records and stray lines cut from the end of a stream */
    uint64_t damaged;     /* unreadable records passed over */
    uint64_t outside;     /* edits by people that became versions */
    uint64_t quarantined; /* files moved to quarantine/ */
    uint64_t restored;    /* views rebuilt from their stream; newest records rebuilt */
    uint64_t accepted;    /* streams whose loss was accepted */
    uint64_t requests;    /* sent to a server that bills them one by one (S3) */
    char last[160];       /* the latest of these, as a sentence */
    uint64_t lost;        /* heads that were read in the place of a lost record ... */
    char loss[160];       /* ... and the latest of them, as a sentence */
    /* What this handle has changed and was acknowledged: how often, and the last of it. */
    uint64_t changes;
    char changed[STORE_NAME_MAX + 1]; /* "": none, or of no stream */
    Mark mark;                        /* of its head; seq 0 if that was not looked at */
} StoreReport;
const StoreReport *store_report(const Store *s);

/* Somebody above found that a record is whole, but not what its stream is for, and continues
 * without: reported as a lost one is.  `what` continues "record N of STREAM is ...". */
void store_met_foreign(Store *s, Str stream, uint64_t seq, const char *what);

/* Why the handle cannot write, or "".  Borrowed from `s`. */
const char *store_read_only_why(const Store *s);

/* What the engine guarantees here, one sentence a line, for `jotter where`. */
typedef struct StorePromise {
    const char *scheme;
    bool durable;       /* JOT_OK survives power loss */
    bool shared;        /* several processes may use the pad */
    bool edits_seen;    /* people may edit the files */
    bool edits_guarded; /* an edit during a write cannot be overwritten unseen */
    bool holds;         /* store_hold tells who lives; otherwise only time does */
    bool guards;        /* a guard is checked in the same step as its append */
    const char *notes;  /* where the notes are, from the directory the pad lies in; NULL: in it */
    /* What else is worth knowing, one sentence a line; NULL: nothing.  Borrowed from the store. */
    const char *caveats;
} StorePromise;
StorePromise store_promise(const Store *s);

enum { STORE_PAD_ID = 16 };

/* Which pad this is, wherever it lies and by whatever URL it was opened: 16 hex digits, chosen once
 * and kept with the pad.  A pad made by store_copy has its own; a directory copied by hand brings
 * its id along.  "" for what has none and cannot be given one (an archive; an old pad that may not
 * be written). */
MUST_USE jot_status store_id(Store *s, char out[STORE_PAD_ID + 1], Err *e);

/* Where the search index of this pad lies: a path, or "" if it has no place but memory.  What is
 * there is a cache; nobody but the search touches it.  The directory exists. */
MUST_USE jot_status store_index_path(Store *s, Arena *into, Str *out, Err *e);

/* --- Names (name.c) --------------------------------------------------------------------- */

/* JOT_OK, or JOT_INVALID with a sentence, for a stream's name. */
MUST_USE jot_status store_check_name(Str name, Err *e);
/* The same for a key, of which the names of states are made: [A-Za-z0-9_-]+.  The empty one passes:
 * the caller says what is missing.  An agent's new note has such a key, too (memory/doc/note.h). */
MUST_USE jot_status store_check_key(Str key, Err *e);
/* The same for the key of a note: letters and digits of any script, some signs and blanks, in
 * folders.  A first folder that is called as a kind is none. */
MUST_USE jot_status store_check_note(Str key, Err *e);
/* The same for what such keys can begin with. */
MUST_USE jot_status store_check_note_prefix(Str prefix, Err *e);
/* True for what begins with a kind that Jotter keeps, and a slash: it is no key of a note. */
bool store_names_kind(Str word);
/* True if such a name needs a pad that knows of folders: it is no key as all pads know. */
bool store_note_is_wide(Str name);
/* The same for what names can begin with. */
MUST_USE jot_status store_check_prefix(Str prefix, Err *e);

#endif
