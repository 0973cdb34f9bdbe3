/* history.h - History, what several processes asked of one pad, what they were told, and what
 * was left at the end.
 *
 * An Entry is one operation: what was asked, between which two moments, and the answer.  It is
 * written twice, before the call and after it, into memory that outlives the writer, so that a
 * process killed at any instruction leaves a true account behind: an entry without an answer
 * may or may not have happened.
 *
 * Every append is signed with its place in the logs ("w3.2.1041": worker 3, second incarnation,
 * entry 1041), in the record's author.  So each record names the one entry that made it. */
#ifndef CONCURRENCY_HISTORY_H
#define CONCURRENCY_HISTORY_H

#include <stdatomic.h>

#include "store/store.h"

enum {
    HISTORY_WORKERS_MAX = 16,
    HISTORY_STREAMS_MAX = 64,
    HISTORY_NO_STREAM = 0xFFFF,
};

typedef enum EntryKind {
    ENTRY_APPEND = 1,
    ENTRY_HEAD,
    ENTRY_READ,
    ENTRY_LIST,     /* the call itself; what it showed follows as the next two kinds */
    ENTRY_LISTED,   /* a stream as one listing showed it */
    ENTRY_UNLISTED, /* a stream one listing should have shown, if it was there, and did not */
} EntryKind;

/* What a worker noticed while it held the answer in its hands. */
enum {
    ENTRY_BAD_VALUE = 1,   /* the body is not the one its version stands for */
    ENTRY_BAD_LISTING = 2, /* names out of order, or out of the range that was asked for */
    ENTRY_MORE = 4,        /* a read or a listing said that there is more */
    ENTRY_OUTAGE = 8,      /* UNAVAILABLE, while the server was out of reach: nothing was written */
};

typedef struct Entry {
    uint64_t invoke_ns, answer_ns; /* CLOCK_MONOTONIC */
    uint64_t content;              /* append: which body; see content_body */
    uint64_t id;                   /* append: idempotency key; 0: none */
    uint64_t expect_seq;           /* append: for EXPECT_SEQ; read: from */
    uint64_t guard_seq;
    uint64_t limit; /* read */
    uint64_t seq;   /* answer: the mark's; read: of the last record */
    uint64_t count; /* answer of a read: records */
    Hash expect_sha;
    Hash sha; /* answer: the mark's; read: digest of (seq, sha256) of all records */
    uint32_t incarnation;
    uint16_t stream, guard; /* indexes of names; HISTORY_NO_STREAM: none */
    uint8_t kind;           /* EntryKind */
    uint8_t op;             /* append: what was asked; else what the mark said */
    uint8_t expect;         /* ExpectKind */
    uint8_t which;          /* head: HeadWant; list, unlisted: ListWhich */
    uint8_t status;         /* jot_status */
    uint8_t mark_op;        /* answer: op of the mark; 0: no record */
    uint8_t flags;
    atomic_uchar answered; /* set last */
} Entry;

/* What one worker did, over all its incarnations. */
typedef struct Log {
    Entry *items;
    size_t n;
} Log;

/* A record as it was found at the end. */
typedef struct Found {
    uint64_t content; /* which body it should have, as the body itself says; 0 for a tombstone */
    uint64_t id;      /* 0: none */
    Hash sha;
    uint32_t worker, index; /* the entry that signed it */
    uint32_t incarnation;
    uint8_t op;
    bool signed_by_us; /* false: the author is nobody's signature */
    bool sound;        /* body, meta and id are as content_* makes them, and the body fits sha */
} Found;

/* A stream as it was found at the end: records 1 to n. */
typedef struct Stream {
    const char *name;
    Found *records;
    size_t n;
    char fault[160]; /* why it cannot be read as 1 to n with fitting chains, or "" */
} Stream;

typedef struct History {
    Log logs[HISTORY_WORKERS_MAX];
    size_t log_n;
    Stream streams[HISTORY_STREAMS_MAX];
    size_t stream_n;
} History;

/* --- Contents, ids and signatures ------------------------------------------------------- */

/* The body a content number stands for; lives in `into`.  Never empty, unique for each number,
 * mostly short, sometimes a few pages long. */
Str content_body(uint64_t content, Arena *into);
Hash content_sha(uint64_t content);
/* The number of a body, or 0 if it is no number's body, to the last byte. */
uint64_t content_of_body(Str body);

typedef struct Label {
    char text[40];
} Label;
Label id_label(uint64_t id);
/* 0 for the empty text; UINT64_MAX for a text that is no label. */
uint64_t id_of_label(Str text);
Label signature_label(uint32_t worker, uint32_t incarnation, uint32_t index);
bool signature_parse(Str by, uint32_t *worker, uint32_t *incarnation, uint32_t *index);

/* The digest a read's answer is logged as: start with {0}, add each record in turn. */
Hash digest_add(Hash digest, uint64_t seq, const Hash *sha);

/* --- The end of a pad ------------------------------------------------------------------- */

/* Read every stream of `h` (their names are set) from the store; records live in `into`.
 * Chains are computed again.  What cannot be read is said in the stream's fault. */
void history_gather(History *h, Store *s, Arena *into);

/* --- Showing ---------------------------------------------------------------------------- */

/* The entry as one line, without a line break. */
typedef struct EntryText {
    char text[320];
} EntryText;
EntryText entry_text(const History *h, size_t worker, size_t index);

#endif
