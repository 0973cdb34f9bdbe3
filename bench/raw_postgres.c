/* raw_postgres.c - the same with libpq alone: a table of heads, a table of records, one statement
 * each.
 *
 * Columns, keys and indexes are those that a pad has, for they are what must be stored; parameters
 * and results are binary.  An append is one statement that moves the head, if it stands where it
 * should, and adds the record. */
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/raw.h"

struct Raw {
    PGconn *c;
    Text text;
    uint64_t seq; /* of the head of the stream that is written to */
    uint64_t sum; /* of bytes that came back: they must be looked at by somebody */
    bool hashing, paging;
};

enum { PARAMS = 15 };

typedef struct Params {
    const char *values[PARAMS];
    int lengths[PARAMS], formats[PARAMS], n;
    char numbers[PARAMS][8];
} Params;

static void add_bytes(Params *p, Str bytes)
{
    p->values[p->n] = bytes.p;
    p->lengths[p->n] = (int)bytes.n;
    p->formats[p->n++] = 1;
}

static void add_number(Params *p, uint64_t number)
{
    char *to = p->numbers[p->n];
    for (int i = 0; i < 8; i++)
        to[i] = (char)(number >> (56 - 8 * i));
    add_bytes(p, (Str){ to, 8 });
}

static PGresult *checked(Raw *r, PGresult *got)
{
    ExecStatusType st = PQresultStatus(got);
    if (st != PGRES_TUPLES_OK && st != PGRES_COMMAND_OK)
        die("libpq: %s", PQerrorMessage(r->c));
    return got;
}

static void run(Raw *r, const char *sql)
{
    PQclear(checked(r, PQexec(r->c, sql)));
}

/* Ask, and copy what came, as any caller has to who goes on. */
static void ask(Raw *r, const char *statement, const Params *p, int rows)
{
    char copy[RAW_BYTES];
    PGresult *got =
        checked(r, PQexecPrepared(r->c, statement, p->n, p->values, p->lengths, p->formats, 1));
    must(PQntuples(got) == rows, "libpq: another number of rows");
    for (int i = 0; i < PQntuples(got); i++)
        for (int k = 0; k < PQnfields(got); k++) {
            size_t n = (size_t)PQgetlength(got, i, k);
            memcpy(copy, PQgetvalue(got, i, k), n < sizeof copy ? n : sizeof copy);
            r->sum += n + (unsigned char)copy[0];
            if (r->hashing && n == RAW_BYTES)
                r->sum += raw_hash(PQgetvalue(got, i, k), n, r->paging);
        }
    PQclear(got);
}

static void prepare(Raw *r, const char *name, const char *sql)
{
    PQclear(checked(r, PQprepare(r->c, name, sql, 0, NULL)));
}

#define MARK "r.seq, r.at, r.op, r.fence, r.size, r.flags, r.sha256, r.chain"
#define TEXTS "r.\"by\", r.id, r.meta, r.extra"
/* clang-format off */
static const char making[] =
    "DROP SCHEMA IF EXISTS raw CASCADE; CREATE SCHEMA raw;"
    "CREATE TABLE raw.heads(stream bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " name bytea NOT NULL UNIQUE, seq bigint NOT NULL, chain bytea NOT NULL,"
    " live boolean NOT NULL) WITH (fillfactor = 70);"
    "CREATE TABLE raw.records(stream bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,"
    " op bigint NOT NULL, fence bigint NOT NULL, size bigint NOT NULL, flags bigint NOT NULL,"
    " sha256 bytea, chain bytea NOT NULL, \"by\" text NOT NULL, id text NOT NULL, meta text NOT NULL,"
    " extra text NOT NULL, body bytea NOT NULL, nonce bigint NOT NULL,"
    " xact xid8 NOT NULL DEFAULT pg_current_xact_id(), PRIMARY KEY(stream, seq));"
    "CREATE INDEX ON raw.records(xact)";
static const char *const statements[][2] = {
    { "append", "WITH h AS (UPDATE raw.heads SET seq = $2::bigint + 1, chain = $3::bytea WHERE name = $1 AND seq = $2::bigint"
                " RETURNING stream, seq) INSERT INTO raw.records SELECT stream, seq, $4::bigint, $5::bigint, $6::bigint,"
                " $7::bigint, $8::bigint, $9::bytea, $3::bytea, $10::text, $11::text, $12::text, $13::text, $14::bytea,"
                " $15::bigint FROM h RETURNING seq" },
    { "make", "INSERT INTO raw.heads(name, seq, chain, live) VALUES($1, 0, '', true)" },
    { "head", "SELECT " MARK ", " TEXTS ", r.body FROM raw.heads h JOIN raw.records r"
              " ON r.stream = h.stream AND r.seq = h.seq WHERE h.name = $1" },
    { "read", "SELECT " MARK ", " TEXTS ", r.body FROM raw.records r WHERE r.stream = (SELECT h.stream"
              " FROM raw.heads h WHERE h.name = $1) AND r.seq >= $2 ORDER BY r.stream, r.seq LIMIT $3" },
    { "list", "SELECT " MARK ", h.name, r.\"by\", r.meta FROM raw.heads h JOIN raw.records r"
              " ON r.stream = h.stream AND r.seq = h.seq WHERE h.name > $1 AND h.live ORDER BY h.name"
              " LIMIT $2" },
    { "names", "SELECT h.name FROM raw.heads h WHERE h.name > $1 AND h.live ORDER BY h.name LIMIT $2" },
};
/* clang-format on */

static void append_to(Raw *r, Str name, uint64_t seq)
{
    static const char chain[32];
    Params p = { 0 };
    add_bytes(&p, name);
    add_number(&p, seq);
    add_bytes(&p, (Str){ chain, sizeof chain });
    Str body = text_next(&r->text);
    if (r->hashing)
        r->sum += raw_hash(body.p, body.n, true);
    add_number(&p, r->text.turn); /* at, op, fence, size and flags */
    add_number(&p, OP_APPEND);
    add_number(&p, 0);
    add_number(&p, body.n);
    add_number(&p, 0);
    add_bytes(&p, (Str){ chain, sizeof chain });
    add_bytes(&p, S("bench")); /* by, id, meta and extra */
    for (int i = 0; i < 3; i++)
        add_bytes(&p, S(""));
    add_bytes(&p, body);
    add_number(&p, r->text.turn);
    ask(r, "append", &p, 1);
}

static void make(Raw *r, Str name)
{
    Params p = { 0 };
    add_bytes(&p, name);
    ask(r, "make", &p, 0);
}

static Raw *raw_open(const char *address, size_t notes)
{
    Raw *r = mem_alloc(sizeof *r);
    NoteName name;
    *r = (Raw){ .c = PQconnectdb(address), .text = text_new(RAW_BYTES) };
    if (PQstatus(r->c) != CONNECTION_OK)
        die("libpq: %s", PQerrorMessage(r->c));
    PQclear(PQexec(r->c, "SET client_min_messages = error"));
    run(r, making);
    for (size_t i = 0; i < COUNT_OF(statements); i++)
        prepare(r, statements[i][0], statements[i][1]);
    for (size_t i = 0; i < notes; i++) {
        make(r, note_name(&name, i));
        append_to(r, note_name(&name, i), 0);
    }
    make(r, S("runs/log"));
    for (; r->seq < RAW_RECORDS; r->seq++)
        append_to(r, S("runs/log"), r->seq);
    return r;
}

static void raw_append(void *raw)
{
    Raw *r = raw;
    append_to(r, S("runs/log"), r->seq++);
}

static void raw_head(void *raw)
{
    Params p = { 0 };
    add_bytes(&p, S("notes/n00000000"));
    ask(raw, "head", &p, 1);
}

static void raw_read(void *raw)
{
    Params p = { 0 };
    add_bytes(&p, S("runs/log"));
    add_number(&p, 1);
    add_number(&p, RAW_RECORDS);
    ((Raw *)raw)->paging = true;
    ask(raw, "read", &p, RAW_RECORDS);
    ((Raw *)raw)->paging = false;
}

static void list(Raw *r, const char *statement)
{
    Params p = { 0 };
    add_bytes(&p, S("notes/"));
    add_number(&p, RAW_NAMES);
    ask(r, statement, &p, RAW_NAMES);
}

static void raw_list(void *raw)
{
    list(raw, "list");
}

static void only_names(void *raw)
{
    list(raw, "names");
}

static void raw_hashing(void *raw, bool hashing)
{
    ((Raw *)raw)->hashing = hashing;
}

static void raw_close(Raw *r)
{
    PQfinish(r->c);
    text_free(&r->text);
    free(r);
}

const RawOps raw_postgres = { "libpq",  raw_open,   raw_append,  raw_head, raw_read,
                              raw_list, only_names, raw_hashing, raw_close };
