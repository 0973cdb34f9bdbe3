/* pg.h - Pg, a pad in a Postgres database: one connection, and what the files of the engine share.
 *
 * A pad is a schema of its own (docs/format.md has its tables), so that several
 * share a database and each has the database's own grants:
 *   heads    one row a stream: its name, and where its newest record stands
 *   records  every record, by (stream, seq), with the transaction that wrote it
 *   pad      what the pad says of itself
 *
 * connect.c makes the connection, flight.c sends and waits, schema.c makes and
 * recognises a pad, statement.c has the texts, tuple.c reads rows; postgres.c,
 * append.c, change.c and forget.c are the operations.
 *
 * Invariants:
 *   1. Nothing waits without a deadline.  A connection that misses one is closed: whatever was
 *      under way on it may still happen, and is resolved by position.
 *   2. A writer holds the guard's row and the head's row, in the order of their names, before
 *      either is compared; so no two writes pass each other's guard.
 *   3. Nothing rests on a session but holds and listening: behind a pooler there are neither. */
#ifndef STORE_POSTGRES_PG_H
#define STORE_POSTGRES_PG_H

#include "store/engine.h"
#include "store/known.h"
#include "store/postgres/pq.h"

enum {
    PG_SERVER_MIN = 130000,    /* xid8 and snapshots of them */
    PG_READ_FORMAT = 1,        /* who knows less than this cannot read what we write ... */
    PG_WRITE_FORMAT = 2,       /* ... and who knows less than this must not write */
    PG_PAD_MAX = 48,           /* bytes of a pad's name */
    PG_CONNECT_MS = 10 * 1000, /* how long a connection may take */
    PG_POLL_MS = 2000,         /* a lost wake-up costs at most this */
    PG_MARGIN_MS = 1000,       /* of the server's clock */
    PG_PARAMS_MAX = 20,
    PG_FLIGHT_MAX = 4, /* statements at once, and one more behind a pooler */
    PG_CAVEATS_MAX = 512,
};

/* The statements, prepared when first used; the texts stand in statement.c. */
typedef enum PgStmt {
    PG_FACTS,
    PG_SETTINGS,
    PG_LOCAL,
    PG_IDENTIFY,
    PG_SYSTEM,
    PG_OTHERS,
    PG_CLOCK,
    PG_BEGIN,
    PG_COMMIT,
    PG_ROLLBACK,
    PG_LOCK,
    PG_LOCKED,
    PG_LOOK,
    PG_APPEND,
    PG_HEAD,
    PG_HEAD_MARK,
    PG_READ,
    PG_LIST,
    PG_LIST_NAMES,
    PG_CHANGES,
    PG_LISTEN,
    PG_LISTENING,
    PG_NOTIFY,
    PG_HOLD,
    PG_LET_GO,
    PG_HELD,
    PG_TRIM,
    PG_FIND,
    PG_BLANK,
    PG_TOUCH,
    PG_DROP,
    PG_BESIDE,
    PG_NEWEST,
    PG_ADD,
    PG_MINE,
    PG_NEW_HEAD,
    PG_SET_HEAD,
    PG_CLASH,
    PG_FORGOT,
    PG_SCRUB_DUE,
    PG_SCRUBBED,
    PG_HEADS_WRONG,
    PG_STRAYS,
    PG_STMTS
} PgStmt;

typedef struct Pg {
    Store base;
    const Pq *pq;
    Arena keep;      /* what lives as long as the handle */
    char **keywords; /* of the connection, NULL at the end ... */
    char **values;
    char pad[PG_PAD_MAX + 1];
    const char *schema; /* quoted */
    const char *texts[PG_STMTS];
    PGconn *conn; /* NULL: not connected */
    bool prepared[PG_STMTS];
    bool pooled;      /* a pooler stands between: the session is not ours */
    bool trailing;    /* a wake-up was sent whose answer was not read yet */
    bool listening;   /* the session has asked for wake-ups */
    bool flying;      /* a flight, or a transaction, was begun and not ended: memory ran out */
    bool lost;        /* the last flight was lost: what it asked for may have happened */
    bool warned;      /* the server has warned since this was reset */
    bool unconfirmed; /* it was made to stop waiting for its standby in the last flight */
    bool settling;    /* tokens are being raised: not again within that */
    bool older;       /* the pad lacks what this version needs to write */
    bool durable;     /* the server syncs what it commits */
    char sqlstate[6]; /* of the last refusal */
    char limits[3]
               [24]; /* how long a statement, a lock, and a pause in a transaction may take: ms */
    char id[STORE_PAD_ID + 1];
    char system[32]; /* the cluster and its timeline: numbers of transactions mean something
                        only there */
    char caveats[PG_CAVEATS_MAX];
    int64_t deadline_ms; /* of the operation under way, by the system's CLOCK_BOOTTIME */
    uint64_t *holds;     /* numbers this session holds */
    size_t holds_n, holds_cap;
    uint64_t trips; /* flights made: what an operation costs is measured in these */
    Known known;
    const char *verb; /* what is being done, for sentences ... */
    Str subject;      /* ... and to what */
} Pg;

#endif
