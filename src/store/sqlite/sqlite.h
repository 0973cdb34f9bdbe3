/* sqlite.h - what the files of the SQLite engine share with each other.
 *
 * open.c finds and recognises a pad, make.c makes one, room.c sees to a full disk; db.c and
 * write.c are its connection; row.c turns rows into records;
 * newest.c finds the head of a stream; sqlite.c and forget.c are the operations. */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

#include "store/sqlite/db.h"

/* --- Rows (row.c) ----------------------------------------------------------------------- */

Str row_text(sqlite3_stmt *q, int at, Arena *into);
uint64_t row_u64(sqlite3_stmt *q, int at);
/* NULL is the zero hash; false if it is there and has another size. */
MUST_USE bool row_hash(sqlite3_stmt *q, int at, Hash *out);
/* The first eight columns of every row that has a mark.  JOT_CORRUPT if they cannot be one. */
MUST_USE jot_status row_mark(Db *d, sqlite3_stmt *q, Mark *out, Err *e);
/* Eight columns of the mark, then four texts, then the body if it was asked for. */
MUST_USE jot_status row_record(Db *d, sqlite3_stmt *q, bool body, Arena *into, Record *out, Err *e);

/* --- The newest record (newest.c) ------------------------------------------------------- */

/* The newest record of a stream that can be read; number is 0 if there is no stream. */
typedef struct Newest {
    Record record;   /* with the body; mark.seq 0: none can be read */
    int64_t number;  /* of the stream */
    int64_t n;       /* of the record */
    bool wrong;      /* one of its two rows is not as it was written ... */
    bool missing;    /* ... but the one in records is not there */
    bool spoilt;     /* the row that was the head is damaged ... */
    int64_t damaged; /* ... and this is its n */
} Newest;

MUST_USE jot_status newest_find(Db *d, Str stream, Arena *into, Newest *out, Err *e);
/* Within a transaction: repair what can be, and mark what cannot. */
MUST_USE jot_status newest_settle(Db *d, Str stream, Newest *head, Err *e);

/* --- Heads (row.c) ---------------------------------------------------------------------- */

/* A stream as a writer needs it; mark_last and number are 0 if there is none. */
typedef struct Head {
    Mark mark;
    int64_t number; /* of the stream */
    int64_t n;      /* of the head's record */
} Head;

/* Within a transaction, and settled. */
MUST_USE jot_status head_find(Db *d, Str stream, Head *out, Err *e);
/* The same, where the stream must exist: JOT_NOT_FOUND otherwise. */
MUST_USE jot_status head_need(Db *d, Str stream, Head *out, Err *e);
/* Where a stream stands as a guard. */
MUST_USE jot_status head_guard(Db *d, Str stream, uint64_t *seq, Err *e);
/* Write both rows of a head again. */
MUST_USE jot_status head_rewrite(Db *d, Str stream, Newest *newest, Err *e);
/* The highest n of the pad and its record's chain; 0 in an empty pad. */
MUST_USE jot_status head_last(Db *d, int64_t *n, Hash *chain, Err *e);
/* Add records after the head; the last one becomes it.  *head follows. */
MUST_USE jot_status head_add(Db *d, Str stream, Head *head, const Record *records, size_t n,
                             Err *e);

/* Put records where their seqs say, before the head; what is there stays. */
MUST_USE jot_status head_fill(Db *d, const Head *head, const Record *records, size_t n, Err *e);
/* The records next to a seq: before it, and from it on; without bodies.  The seq of one that is not
 * there is 0. */
typedef struct Around {
    Record before, after;
} Around;
MUST_USE jot_status head_around(Db *d, const Head *head, uint64_t seq, Arena *into, Around *out,
                                Err *e);

/* --- Operations, as in StoreOps (open.c) ------------------------------------------------ */

jot_status sqlite_open(Store **out, const Url *url, const StoreOptions *o, Err *e);
void sqlite_close(Store *s);

/* --- Forgetting, as in StoreOps (forget.c) ---------------------------------------------- */

jot_status sqlite_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                       Err *e);
jot_status sqlite_redact(Store *s, Str stream, const Expect *x, const Redaction *r, Err *e);
jot_status sqlite_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e);
jot_status sqlite_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e);
jot_status sqlite_scrub(Store *s, Err *e);

/* --- Verifying (verify.c) --------------------------------------------------------------- */

MUST_USE jot_status sqlite_verify(Store *s, const VerifyHooks *hooks, Err *e);
/* The number of records, held against what each write has counted. */
MUST_USE jot_status sqlite_heads(Store *s, const VerifyHooks *hooks, bool accept, HeadsSeen *out,
                                 Err *e);
MUST_USE jot_status sqlite_tokens(Store *s, uint64_t *out, Err *e);

#endif
