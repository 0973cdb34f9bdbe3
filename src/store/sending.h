/* sending.h - Sending, an append on its way to a server, and what a change of one is about.
 *
 * An engine on a server cannot hold a lock while it thinks.  So a record is sealed
 * against the head that was seen last, and sent together with that head:
 *
 *     known head ──► seal ──► send ──► stored                     one round trip
 *                     ▲         │
 *                     └─ seen ◄─┴── the head has moved: seal again, against the one in the answer
 *
 * The answer may be lost.  Then the same record is sent again, under the number that its
 * writer drew: it is stored now, or it was, or another's record stands in its place.
 *
 * The engines differ in how they send and what a server says; the rest is here. */
#ifndef STORE_SENDING_H
#define STORE_SENDING_H

#include "store/engine.h"
#include "store/known.h"

/* What a server showed of a stream. */
typedef struct Seen {
    Arena arena;
    Mark head;
    Record recent[STORE_ID_WINDOW]; /* newest first, with mark, id and meta */
    size_t recent_n;
    uint64_t guard_seq;
} Seen;

void seen_done(Seen *s);
DEFINE_AUTO(Seen, seen_done)

typedef struct Sending {
    Str stream;
    const Expect *x;
    const Draft *draft;
    Mark *out;
    Record sealed;  /* what was sent last ... */
    Mark against;   /* ... and against which head ... */
    uint64_t nonce; /* ... under this number */
    bool under_way; /* its answer was lost */
    bool again;     /* the id was found: nothing is to be stored */
} Sending;

/* How many of the newest records the server returns: an id is looked up among them. */
size_t sending_window(const Sending *a);

/* Decide the append by what was seen, under a number that its writer has drawn.  JOT_OK: send
 * a->sealed, unless a->again. */
MUST_USE jot_status sending_seal(Store *s, Sending *a, const Seen *seen, uint64_t nonce, Err *e);

/* Seal it against the head that this handle knows.  False if it must look first: a condition that
 * the known head does not meet may be met by now, and an id is looked up before any condition. */
bool sending_seal_known(Store *s, Sending *a, const Known *known, uint64_t nonce);

/* The server has stored it. */
MUST_USE jot_status sending_done(Sending *a, Known *known, Err *e);
/* JOT_UNKNOWN: the answer was lost, and nothing shows any more what became of the record. */
jot_status sending_unknown(Err *e);

/* What a trim, a redaction, a purge, or records that are put where they were are about. */
typedef struct Forget {
    Str stream;
    const Expect *x;
    uint64_t seq; /* trim, forget_before: before which */
    uint64_t dropped;
    bool more;
    const Redaction *set;
    Str by;
    Mark *out;
    uint64_t nonce;
    Mark sent;          /* the tombstone that was sent last; seq 0: none */
    const Batch *batch; /* to put ... */
    int64_t seen_ms;    /* ... after a head that was seen then (S3) */
} Forget;

#endif
