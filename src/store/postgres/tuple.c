/* tuple.c - between rows of results and the contract's marks and records. */
#include "store/postgres/tuple.h"

#include <assert.h>
#include <string.h>

#include "store/postgres/flight.h"

bool tuple_null(const Pg *p, const PGresult *r, int row, int at)
{
    return p->pq->getisnull(r, row, at);
}

Str tuple_bytes(const Pg *p, const PGresult *r, int row, int at)
{
    return (Str){ p->pq->getvalue(r, row, at), (size_t)p->pq->getlength(r, row, at) };
}

int64_t tuple_i64(const Pg *p, const PGresult *r, int row, int at)
{
    Str s = tuple_bytes(p, r, row, at);
    uint64_t number = 0;
    for (size_t i = 0; i < s.n && i < 8; i++)
        number = number << 8 | (unsigned char)s.p[i];
    assert(s.n == 0 || s.n == 8); /* every number of ours is a bigint */
    return (int64_t)number;
}

/* NULL is the zero hash; false if it is there and has another size. */
static bool tuple_hash(const Pg *p, const PGresult *r, int row, int at, Hash *out)
{
    Str s = tuple_bytes(p, r, row, at);
    *out = (Hash){ 0 };
    if (s.n == sizeof out->b)
        memcpy(out->b, s.p, sizeof out->b);
    return s.n == sizeof out->b || tuple_null(p, r, row, at);
}

jot_status pg_check_mark(Pg *p, const Mark *m, Err *e)
{
    if (m->op < OP_PUT || m->op > OP_APPEND || m->seq == 0 || m->seq > STORE_SEQ_MAX)
        return pg_say(p, e, JOT_CORRUPT, "a row of it is not as Jotter writes it");
    return JOT_OK;
}

jot_status tuple_mark(Pg *p, const PGresult *r, int row, int at, Mark *out, Err *e)
{
    int64_t op = tuple_i64(p, r, row, at + 2);
    uint64_t flags = (uint64_t)tuple_i64(p, r, row, at + 5);
    *out = (Mark){ .seq = (uint64_t)tuple_i64(p, r, row, at),
                   .at_ms = tuple_i64(p, r, row, at + 1),
                   .op = (Op)op,
                   .fence = (uint64_t)tuple_i64(p, r, row, at + 3),
                   .size = (uint64_t)tuple_i64(p, r, row, at + 4),
                   .redacted = flags & 1,
                   .gap = flags >> 1 };
    bool good =
        tuple_hash(p, r, row, at + 6, &out->sha256) && tuple_hash(p, r, row, at + 7, &out->chain);
    if (!good)
        out->seq = 0; /* no mark has that */
    return pg_check_mark(p, out, e);
}

jot_status tuple_record(Pg *p, const PGresult *r, int row, Arena *into, Record *out, Err *e)
{
    *out = (Record){ 0 };
    TRY(tuple_mark(p, r, row, 0, &out->mark, e));
    out->by = arena_copy(into, tuple_bytes(p, r, row, 8));
    out->id = arena_copy(into, tuple_bytes(p, r, row, 9));
    out->meta = arena_copy(into, tuple_bytes(p, r, row, 10));
    out->extra = arena_copy(into, tuple_bytes(p, r, row, 11));
    return JOT_OK;
}

Str tuple_body(const Pg *p, const PGresult *r, int row, Arena *into)
{
    return arena_copy(into, tuple_bytes(p, r, row, 12));
}
