/* schema.c - the pad as a schema: making it, recognising it.
 *
 * The three functions are part of the format: anyone who writes to the pad takes
 * its locks through lock(), and they decide where no client can see enough.
 *   lock    both rows, in the order of their names.  A row that is not there yet is
 *           locked by the key of its name, which anyone who makes it takes alone.
 *   clash   whether a live stream lies above or below a name that is about to
 *           live; what comes to live there meanwhile waits.
 *   add     one record, sealed by the client against a head it knew.  If that is
 *           still the head, and the guard stands where it should, the record is
 *           stored; otherwise the answer is what the client needs to seal again.
 * A pad of format 1 has an append() instead, which answered in columns: it gets the functions it
 * lacks when somebody who may make them opens it, and append() stays for who has it open. */
#include "store/postgres/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/mutant.h"
#include "store/postgres/flight.h"
#include "store/postgres/statement.h"
#include "store/postgres/tuple.h"

#define FORMAT_TEXT(read, write) #read " " #write
#define FORMAT_NOW FORMAT_TEXT(1, 2)
_Static_assert(PG_READ_FORMAT == 1 && PG_WRITE_FORMAT == 2, "FORMAT_NOW says the same");

/* Sixteen bytes, but for the last. */
#define TWO_NUMBERS "'\\x000000000000000000000000000000"

/* clang-format off */
static const char making[] =
    "SELECT pg_advisory_xact_lock(hashtextextended('jotter makes @', 14) | (-9223372036854775807 - 1));\n"
    "DO $make$ BEGIN IF NOT EXISTS(SELECT FROM pg_namespace WHERE nspname = '@') THEN\n"
    " CREATE SCHEMA \"@\"; END IF; END $make$;\n"
    "CREATE TABLE IF NOT EXISTS @.pad(key text PRIMARY KEY, value text NOT NULL);\n"
    "CREATE TABLE IF NOT EXISTS @.heads(\n"
    " stream bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,\n"
    " name bytea NOT NULL UNIQUE,\n"
    " seq bigint NOT NULL,\n"
    " chain bytea NOT NULL,\n"
    " live boolean NOT NULL) WITH (fillfactor = 70);\n"
    "CREATE TABLE IF NOT EXISTS @.records(\n"
    " stream bigint NOT NULL, seq bigint NOT NULL, at bigint NOT NULL, op bigint NOT NULL,\n"
    " fence bigint NOT NULL, size bigint NOT NULL, flags bigint NOT NULL,\n"
    " sha256 bytea, chain bytea NOT NULL,\n"
    " \"by\" text NOT NULL, id text NOT NULL, meta text NOT NULL, extra text NOT NULL,\n"
    " body bytea NOT NULL, nonce bigint NOT NULL,\n"
    " xact xid8 NOT NULL DEFAULT pg_current_xact_id(),\n"
    " PRIMARY KEY(stream, seq));\n"
    "CREATE INDEX IF NOT EXISTS records_xact ON @.records(xact);\n"
    "CREATE OR REPLACE VIEW @.streams AS SELECT convert_from(name, 'UTF8') AS name, seq, live FROM @.heads;\n"
    /* Keys of names are negative: the positive ones are held by handles. */
    "CREATE OR REPLACE FUNCTION @.key(a_name bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $f$\n"
    " SELECT hashtextextended('@ ' || encode(a_name, 'hex'), 14) | (-9223372036854775807 - 1) $f$;\n"
    "CREATE OR REPLACE FUNCTION @.lock_guard(a_name bytea) RETURNS bigint LANGUAGE plpgsql AS $f$\n"
    "DECLARE at bigint;\n"
    "BEGIN\n"
    " SELECT h.seq INTO at FROM @.heads h WHERE h.name = a_name FOR SHARE;\n"
    " IF NOT FOUND THEN\n"
    "  PERFORM pg_advisory_xact_lock_shared(@.key(a_name));\n"
    "  SELECT h.seq INTO at FROM @.heads h WHERE h.name = a_name FOR SHARE;\n"
    " END IF;\n"
    " RETURN coalesce(at, 0);\n"
    "END $f$;\n"
    "CREATE OR REPLACE FUNCTION @.lock(a_name bytea, a_guard bytea, OUT o_guard bigint,\n"
    " OUT o_stream bigint, OUT o_seq bigint, OUT o_chain bytea, OUT o_live boolean)\n"
    " LANGUAGE plpgsql AS $f$\n"
    "BEGIN\n"
    " o_guard := 0;\n"
    " IF a_guard <> '' AND a_guard < a_name THEN o_guard := @.lock_guard(a_guard); END IF;\n"
    " SELECT h.stream, h.seq, h.chain, h.live INTO o_stream, o_seq, o_chain, o_live\n"
    "  FROM @.heads h WHERE h.name = a_name FOR NO KEY UPDATE;\n"
    " IF NOT FOUND THEN\n"
    "  PERFORM pg_advisory_xact_lock(@.key(a_name));\n"
    "  SELECT h.stream, h.seq, h.chain, h.live INTO o_stream, o_seq, o_chain, o_live\n"
    "   FROM @.heads h WHERE h.name = a_name FOR NO KEY UPDATE;\n"
    " END IF;\n"
    " IF a_guard > a_name THEN o_guard := @.lock_guard(a_guard); END IF;\n"
    "END $f$;\n"
    "CREATE OR REPLACE FUNCTION @.clash(a_name bytea) RETURNS bytea LANGUAGE plpgsql AS $f$\n"
    "DECLARE other bytea; above bytea; segment int := 0;\n"
    "BEGIN\n"
    " PERFORM pg_advisory_xact_lock(@.key(a_name));\n"
    " FOR i IN 1 .. length(a_name) - 1 LOOP\n"
    "  CONTINUE WHEN get_byte(a_name, i) <> 47;\n"
    "  segment := segment + 1;\n"
    "  CONTINUE WHEN segment = 1;\n" /* a kind alone is no name */
    "  above := substring(a_name FROM 1 FOR i);\n"
    "  PERFORM pg_advisory_xact_lock_shared(@.key(above));\n"
    "  SELECT h.name INTO other FROM @.heads h WHERE h.name = above AND h.live;\n"
    "  IF FOUND THEN RETURN other; END IF;\n"
    " END LOOP;\n"
    /* '0' follows '/' in byte order. */
    " SELECT h.name INTO other FROM @.heads h WHERE h.name > a_name || '\\x2f'::bytea\n"
    "  AND h.name < a_name || '\\x30'::bytea AND h.live ORDER BY h.name LIMIT 1;\n"
    " RETURN other;\n"
    "END $f$;\n"
    /* The newest records of a stream as bytes, newest first: eight for each number, 32 for each hash, and id and meta
     * with their lengths before them. */
    "CREATE OR REPLACE FUNCTION @.newest(a_stream bigint, a_limit bigint) RETURNS bytea LANGUAGE sql STABLE AS $f$\n"
    " SELECT string_agg(int8send(q.seq) || int8send(q.at) || int8send(q.op) || int8send(q.fence) || int8send(q.size)\n"
    "  || int8send(q.flags) || coalesce(q.sha256, decode(repeat('00', 32), 'hex')) || q.chain\n"
    "  || int8send(length(textsend(q.id))) || textsend(q.id) || int8send(length(textsend(q.meta))) || textsend(q.meta),\n"
    "  ''::bytea ORDER BY q.seq DESC) FROM (SELECT * FROM @.records r WHERE r.stream = a_stream ORDER BY r.seq DESC\n"
    "  LIMIT a_limit) q $f$;\n"
    /* It answers with bytes, for a row of columns costs more than the two statements that are needed: code, whether
     * somebody waits for changes, the time, where the guard stands; then what newest() says, or the name in the way. */
    "CREATE OR REPLACE FUNCTION @.add(a_name bytea, a_seq bigint, a_chain bytea, a_guard bytea,\n"
    " a_guard_seq bigint, a_window bigint, r_seq bigint, r_at bigint, r_op bigint, r_fence bigint,\n"
    " r_size bigint, r_flags bigint, r_sha256 bytea, r_chain bytea, r_by text, r_id text, r_meta text,\n"
    " r_extra text, r_body bytea, r_nonce bigint) RETURNS bytea LANGUAGE plpgsql AS $f$\n"
    "DECLARE l record; s bigint; code bigint := 2; other bytea; guard bigint := 0;\n"
    "BEGIN\n"
    /* Whatever the role, the database or a pooler has set: what is acknowledged is synced. */
    " IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN\n"
    "  PERFORM set_config('synchronous_commit', 'on', true);\n"
    " END IF;\n"
    /* The usual append: to a value or a log that lives, without a guard and without an id.  It waits for whoever
     * holds the row, and sees what that has made of it.  Nothing is asked by a statement of its own: each costs
     * as much as the two that are needed. */
    " IF a_seq > 0 AND a_guard = '' AND r_id = '' THEN\n"
    "  UPDATE @.heads SET seq = r_seq, chain = r_chain, live = r_op <> 2\n"
    "   WHERE name = a_name AND seq = a_seq AND chain = a_chain AND live RETURNING stream INTO s;\n"
    " END IF;\n"
    " IF s IS NULL THEN\n"
    "  SELECT * INTO l FROM @.lock(a_name, a_guard);\n"
    "  guard := l.o_guard;\n"
    "  IF coalesce(l.o_seq, 0) <> a_seq OR (a_seq > 0 AND l.o_chain <> a_chain)\n"
    "   OR (a_guard <> '' AND l.o_guard <> a_guard_seq)\n"
    "   OR (r_id <> '' AND EXISTS(SELECT FROM (SELECT q.id FROM @.records q WHERE q.stream = l.o_stream\n"
    "    ORDER BY q.seq DESC LIMIT a_window) w WHERE w.id = r_id)) THEN\n"
    "   IF l.o_seq >= r_seq THEN\n"
    "    SELECT CASE WHEN q.nonce = r_nonce THEN 1 ELSE 2 END INTO code\n" /* it was written; or seal again */
    "     FROM @.records q WHERE q.stream = l.o_stream AND q.seq = r_seq;\n"
    "    IF NOT FOUND THEN code := 4; END IF;\n" /* nobody can tell any more */
    "   END IF;\n"
    "   RETURN int8send(code) || int8send(0) || timestamptz_send(clock_timestamp()) || int8send(guard)\n"
    "    || coalesce(@.newest(l.o_stream, CASE WHEN r_id = '' THEN 1 ELSE a_window END), '');\n"
    "  END IF;\n"
    "  IF r_op <> 2 AND l.o_live IS NOT TRUE THEN\n"
    "   other := @.clash(a_name);\n"
    "   IF other IS NOT NULL THEN\n"
    "    RETURN int8send(3) || int8send(0) || timestamptz_send(clock_timestamp()) || int8send(guard) || other;\n"
    "   END IF;\n"
    "  END IF;\n"
    "  s := l.o_stream;\n"
    "  IF s IS NULL THEN\n"
    "   INSERT INTO @.heads(name, seq, chain, live) VALUES(a_name, r_seq, r_chain, r_op <> 2)\n"
    "    RETURNING stream INTO s;\n"
    "  ELSE\n"
    "   UPDATE @.heads SET seq = r_seq, chain = r_chain, live = r_op <> 2 WHERE stream = s;\n"
    "  END IF;\n"
    " END IF;\n"
    " INSERT INTO @.records(stream, seq, at, op, fence, size, flags, sha256, chain, \"by\", id, meta,\n"
    "  extra, body, nonce) VALUES(s, r_seq, r_at, r_op, r_fence, r_size, r_flags, r_sha256, r_chain,\n"
    "  r_by, r_id, r_meta, r_extra, r_body, r_nonce);\n"
    /* Somebody who waits for changes holds this key, shared. */
    " RETURN CASE WHEN pg_try_advisory_lock(@.key('\\x00')) AND pg_advisory_unlock(@.key('\\x00'))\n"
    "  THEN " TWO_NUMBERS "00'::bytea ELSE " TWO_NUMBERS "01' END || timestamptz_send(clock_timestamp()) || int8send(guard);\n"
    "END $f$;\n"
    "INSERT INTO @.pad(key, value) VALUES('id', '%s'), ('system', '%s') ON CONFLICT (key) DO NOTHING;\n"
    "INSERT INTO @.pad(key, value) VALUES('format', '" FORMAT_NOW "')\n"
    " ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value WHERE @.pad.value = '1 1'";
/* clang-format on */

/* A handle that has used it would otherwise take every note for one that is not there. */
static jot_status not_there(Pg *p, Err *e)
{
    if (p->id[0])
        return err_set(e, JOT_CORRUPT, "the pad '%s' is gone from the database '%.60s'", p->pad,
                       p->pq->db(p->conn));
    return err_set(e, JOT_NOT_FOUND, "there is no pad '%s' in the database '%.60s'", p->pad,
                   p->pq->db(p->conn));
}

/* "READ WRITE", as everywhere: older than READ refuses, older than WRITE opens read-only. */
static jot_status check_format(Pg *p, Str text, Err *e)
{
    uint64_t read = 0, write = 0;
    Str first = { 0 };
    if (!str_cut(&text, ' ', &first) || !str_to_u64(first, INT32_MAX, &read) ||
        !str_to_u64(text, INT32_MAX, &write))
        return err_set(e, JOT_CORRUPT, "the pad '%s' does not say which format it has", p->pad);
    if (read > PG_READ_FORMAT)
        return err_set(e, JOT_UNSUPPORTED,
                       "the pad '%s' has format %llu, and this version knows %d: use a newer one",
                       p->pad, (unsigned long long)read, PG_READ_FORMAT);
    if (write > PG_WRITE_FORMAT && !p->base.read_only_why[0])
        snprintf(p->base.read_only_why, sizeof p->base.read_only_why,
                 "it was written by a newer version");
    p->older = write < PG_WRITE_FORMAT;
    return JOT_OK;
}

/* Which pad it is; *here: it was last used in this cluster, on this timeline.  A handle that knows
 * its pad keeps to it, whatever becomes of this: the next connection is asked again. */
static jot_status read_identity(Pg *p, bool *here, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    Str id = { 0 };
    bool format = false;
    *here = false;
    TRY(pg_ask(p, PG_IDENTIFY, NULL, &r, e));
    for (int i = 0; i < p->pq->ntuples(r); i++) {
        Str key = tuple_bytes(p, r, i, 0), value = tuple_bytes(p, r, i, 1);
        if (str_eq(key, S("id"))) {
            id = value;
        } else if (str_eq(key, S("system"))) {
            *here = str_eq(value, str(p->system));
        } else {
            TRY(check_format(p, value, e));
            format = true;
        }
    }
    if (id.n != STORE_PAD_ID || !format)
        return err_set(e, JOT_CORRUPT, "the schema '%s' is not a whole pad", p->pad);
    if (p->id[0] && !str_eq(id, str(p->id)))
        return err_set(e, JOT_CORRUPT, "the pad '%s' was replaced by another one: open it again",
                       p->pad);
    snprintf(p->id, sizeof p->id, STR_FMT, STR_ARG(id));
    return JOT_OK;
}

/* The pad is not there: its schema, or its tables. */
static bool is_missing(const Pg *p)
{
    return pg_refused_with(p, "3F000") || pg_refused_with(p, "42P01");
}

/* The pad comes from another cluster, or this one took over from one that failed: what was
 * acknowledged last may be lost, and with it the newest tokens.  So before this handle does
 * anything else they are raised beyond every one that can have been given.  Who may not write gives
 * none. */
static jot_status settle(Pg *p, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    Err why = { 0 };
    const char *verb = p->verb;
    Str subject = p->subject;
    int64_t deadline_ms = p->deadline_ms;
    PgParams q = { 0 };
    if (MUTANT(PG_TOKENS_STAY) || p->settling || p->base.read_only_why[0])
        return JOT_OK;
    p->settling = true;
    jot_status st = store_leap_tokens(&p->base, &why);
    p->settling = false;
    pg_add_bytes(&q, str(p->system));
    if (st == JOT_OK)
        st = pg_ask(p, PG_SYSTEM, &q, &r, &why);
    p->verb = verb;
    p->subject = subject;
    p->deadline_ms = deadline_ms;
    return st == JOT_DENIED || st == JOT_READ_ONLY ? JOT_OK : err_pass(e, &why, st);
}

/* Tables and functions, as far as they are not there, under a lock that every maker takes. */
static jot_status make_all(Pg *p, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Id id = id_random(p->base.io, STORE_PAD_ID / 2);
    /* The text has these two %s and no other. */
    const char *text = pg_with_schema(p, making), *at = strstr(text, "%s"),
               *next = strstr(at + 2, "%s");
    Str script = arena_printf(&arena, "%.*s%s%.*s%s%s", (int)(at - text), text, id.text,
                              (int)(next - at - 2), at + 2, p->system, next + 2);
    p->verb = "make";
    p->subject = str(p->pad);
    return pg_script(p, script.p, e);
}

static jot_status make(Pg *p, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams name = { 0 };
    bool here = false;
    pg_add_bytes(&name, str(p->pad));
    TRY(pg_ask(p, PG_OTHERS, &name, &r, e));
    /* Somebody else may have made it just now. */
    if (tuple_i64(p, r, 0, 0) > 0)
        return read_identity(p, &here, NULL) == JOT_OK
                   ? JOT_OK
                   : err_set(e, JOT_INVALID,
                             "the schema '%s' holds something that is not a pad: name another "
                             "with ?pad=",
                             p->pad);
    TRY(make_all(p, e));
    return read_identity(p, &here, e);
}

/* A pad of an older format gets what it lacks.  Who may not make that may read. */
static jot_status raise_format(Pg *p, Err *e)
{
    Err why = { 0 };
    const char *verb = p->verb;
    Str subject = p->subject;
    if (!p->older || p->base.read_only_why[0])
        return JOT_OK;
    jot_status st = make_all(p, &why);
    p->verb = verb;
    p->subject = subject;
    if (st != JOT_DENIED)
        return err_pass(e, &why, st);
    snprintf(p->base.read_only_why, sizeof p->base.read_only_why,
             "it has an older format, which its owner raises by opening it");
    return JOT_OK;
}

jot_status pg_identify(Pg *p, bool create, Err *e)
{
    Err why = { 0 };
    bool here = false;
    jot_status st = read_identity(p, &here, &why);
    if (st == JOT_OK) {
        TRY(raise_format(p, e));
        return here ? JOT_OK : settle(p, e);
    }
    if (!is_missing(p) || p->lost)
        return err_pass(e, &why, st);
    if (!create)
        return not_there(p, e);
    return make(p, e);
}
