/* statement.c - every statement of the engine, in one table.
 *
 * '@' stands for the pad's schema.  Numbers travel as bigint and names as bytea,
 * so that they compare as bytes whatever the database's collation is. */
#include "store/postgres/statement.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"

#define MARK(r) \
    r ".seq, " r ".at, " r ".op, " r ".fence, " r ".size, " r ".flags, " r ".sha256, " r ".chain"
#define TEXTS(r) r ".\"by\", " r ".id, " r ".meta, " r ".extra"
#define NOW "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

/* clang-format off */
static const char *const texts[] = {
    [PG_FACTS] =
        "SELECT pg_backend_pid()::bigint, current_setting('server_encoding'), current_setting('fsync'),"
        " pg_is_in_recovery()::int::bigint, " NOW ","
        " CASE WHEN pg_is_in_recovery() THEN '' ELSE (SELECT system_identifier FROM"
        " pg_control_system())::text || '-' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END,"
        " current_setting('default_transaction_isolation'), current_setting('synchronous_standby_names')",
    /* Without statistics, as a young pad is, a server thinks little of sorting all of a stream for one page. */
    [PG_SETTINGS] =
        "SELECT set_config('enable_bitmapscan', 'off', false), set_config('jit', 'off', false),"
        " set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),"
        " set_config('idle_in_transaction_session_timeout', $3, false),"
        " set_config('default_transaction_isolation', 'read committed', false)",
    /* Behind a pooler: the same for this transaction alone; and one that leads to a standby, whose answers
     * may be old, ends it by a division by zero. */
    [PG_LOCAL] =
        "SELECT set_config('enable_bitmapscan', 'off', true),"
        " set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true),"
        " set_config('idle_in_transaction_session_timeout', $3, true),"
        " 1 / (NOT pg_is_in_recovery())::int",
    [PG_IDENTIFY] = "SELECT key, value FROM @.pad WHERE key IN ('format', 'id', 'system')",
    [PG_SYSTEM] =
        "INSERT INTO @.pad(key, value) VALUES('system', $1)"
        " ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
    [PG_OTHERS] =
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = $1",
    [PG_CLOCK] = "SELECT " NOW,
    [PG_BEGIN] = "BEGIN ISOLATION LEVEL READ COMMITTED",
    [PG_COMMIT] = "COMMIT",
    [PG_ROLLBACK] = "ROLLBACK",
    /* Whatever the role, the database or a pooler has set: what is acknowledged is synced. */
    [PG_LOCK] =
        "SELECT l.o_guard, set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit')"
        " = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) FROM @.lock($1, $2) l",
    /* After that, as a statement of its own: one that waited for a lock sees the moment before. */
    [PG_LOCKED] =
        "SELECT h.stream, " NOW ", " MARK("r") " FROM @.heads h"
        " JOIN @.records r ON r.stream = h.stream AND r.seq = h.seq WHERE h.name = $1",
    [PG_LOOK] =
        "SELECT int8send(2) || int8send(0) || timestamptz_send(clock_timestamp())"
        " || int8send(coalesce((SELECT g.seq FROM @.heads g WHERE g.name = $2), 0))"
        " || coalesce((SELECT @.newest(h.stream, $3) FROM @.heads h WHERE h.name = $1), '')",
    [PG_APPEND] =
        "SELECT @.add($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
    [PG_HEAD] =
        "SELECT " MARK("r") ", " TEXTS("r") ", r.body FROM @.heads h"
        " JOIN @.records r ON r.stream = h.stream AND r.seq = h.seq WHERE h.name = $1",
    [PG_HEAD_MARK] =
        "SELECT " MARK("r") ", " TEXTS("r") " FROM @.heads h"
        " JOIN @.records r ON r.stream = h.stream AND r.seq = h.seq WHERE h.name = $1",
    /* The bodies together have a limit, but the first always comes; behind the last of the page one more row says that
     * there are others.  The stream is a number of its own, for joined with heads all its later records are read and
     * sorted: a page would cost as much as the stream is long. */
    [PG_READ] =
        "SELECT " MARK("x") ", " TEXTS("x") ","
        " CASE WHEN x.i <= $3 AND (x.i = 1 OR x.bytes <= $4::bigint) THEN x.body END FROM (SELECT r.*,"
        " sum(CASE WHEN r.flags & 1 = 1 THEN 0 ELSE r.size END) OVER w AS bytes, row_number() OVER w AS i"
        " FROM (SELECT q.* FROM @.records q WHERE q.stream = (SELECT h.stream FROM @.heads h"
        " WHERE h.name = $1) AND q.seq >= $2 ORDER BY q.stream, q.seq LIMIT $3::bigint + 1) r"
        " WINDOW w AS (ORDER BY r.seq ROWS UNBOUNDED PRECEDING)) x",
    [PG_LIST] =
        "SELECT " MARK("r") ", h.name, r.\"by\", r.meta FROM @.heads h"
        " JOIN @.records r ON r.stream = h.stream AND r.seq = h.seq"
        " WHERE h.name >= $1 AND h.name < $2 AND (h.live OR $3::bigint = 1) ORDER BY h.name LIMIT $4",
    [PG_LIST_NAMES] =
        "SELECT h.name FROM @.heads h"
        " WHERE h.name >= $1 AND h.name < $2 AND (h.live OR $3::bigint = 1) ORDER BY h.name LIMIT $4",
    /* A number that is still to come is one of the cluster that the pad was brought from. */
    [PG_CHANGES] =
        "SELECT pg_current_snapshot()::text, (SELECT NOT pg_visible_in_snapshot(p.value::xid8,"
        " $1::text::pg_snapshot) AND p.value::xid8 < pg_snapshot_xmax(pg_current_snapshot())"
        " FROM @.pad p WHERE p.key = 'forgot')::int::bigint, n.name"
        " FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT DISTINCT h.name FROM @.records r"
        " JOIN @.heads h ON h.stream = r.stream"
        " WHERE r.xact >= pg_snapshot_xmin($1::text::pg_snapshot)"
        " AND r.xact < pg_snapshot_xmax(pg_current_snapshot())"
        " AND NOT pg_visible_in_snapshot(r.xact, $1::text::pg_snapshot) LIMIT $2) n ON true",
    [PG_LISTEN] = "LISTEN \"jotter @\"",
    [PG_LISTENING] = "SELECT pg_advisory_lock_shared(@.key('\\x00'))",
    [PG_NOTIFY] = "NOTIFY \"jotter @\"",
    [PG_HOLD] = "SELECT pg_try_advisory_lock($1)::int::bigint",
    [PG_LET_GO] = "SELECT pg_advisory_unlock($1)",
    [PG_HELD] =
        "SELECT EXISTS(SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database ="
        " (SELECT oid FROM pg_database WHERE datname = current_database())"
        " AND l.classid = ($1::bigint >> 32)::oid AND l.objid = ($1::bigint & 4294967295)::oid"
        " AND l.objsubid = 1 AND l.granted AND l.pid <> pg_backend_pid())::int::bigint",
    [PG_TRIM] =
        "WITH d AS (DELETE FROM @.records WHERE stream = $1 AND seq < least($2::bigint,"
        " (SELECT seq FROM @.records WHERE stream = $1 ORDER BY seq OFFSET $3 LIMIT 1))"
        " RETURNING 1) SELECT count(*) FROM d",
    [PG_FIND] =
        "SELECT " MARK("r") " FROM @.records r WHERE r.stream = $1"
        " AND r.seq = ANY($2::text::bigint[]) ORDER BY r.seq",
    [PG_BLANK] =
        "UPDATE @.records SET body = '', flags = flags | 1, xact = pg_current_xact_id()"
        " WHERE stream = $1 AND seq = ANY($2::text::bigint[])",
    [PG_TOUCH] =
        "UPDATE @.records SET xact = pg_current_xact_id() WHERE stream = $1 AND seq = $2",
    [PG_DROP] = "DELETE FROM @.records WHERE stream = $1 AND seq < $2",
    [PG_BESIDE] =
        "(SELECT " MARK("r") ", " TEXTS("r") " FROM @.records r WHERE r.stream = $1 AND r.seq < $2"
        " ORDER BY r.seq DESC LIMIT 1) UNION ALL (SELECT " MARK("r") ", " TEXTS("r")
        " FROM @.records r WHERE r.stream = $1 AND r.seq >= $2 ORDER BY r.seq LIMIT 1)",
    [PG_NEWEST] =
        "SELECT " MARK("r") " FROM @.records r WHERE r.stream = $1 ORDER BY r.seq DESC LIMIT $2",
    [PG_ADD] =
        "INSERT INTO @.records(stream, seq, at, op, fence, size, flags, sha256, chain, \"by\", id,"
        " meta, extra, body, nonce)"
        " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    [PG_MINE] =
        "SELECT (nonce = $3)::int::bigint FROM @.records WHERE stream = $1 AND seq = $2",
    [PG_NEW_HEAD] =
        "INSERT INTO @.heads(name, seq, chain, live) VALUES($1, $2, $3, $4::bigint = 1)"
        " RETURNING stream",
    [PG_SET_HEAD] =
        "UPDATE @.heads SET seq = $2, chain = $3, live = $4::bigint = 1 WHERE stream = $1",
    [PG_CLASH] = "SELECT @.clash($1)",
    [PG_FORGOT] =
        "INSERT INTO @.pad(key, value) VALUES('forgot', pg_current_xact_id()::text),"
        " ('scrub', 'due') ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value",
    [PG_SCRUB_DUE] = "SELECT 1 FROM @.pad WHERE key = 'scrub' AND value = 'due'",
    [PG_SCRUBBED] = "UPDATE @.pad SET value = 'done' WHERE key = 'scrub'",
    [PG_HEADS_WRONG] =
        "SELECT h.name FROM @.heads h LEFT JOIN @.records r ON r.stream = h.stream AND r.seq = h.seq"
        " WHERE r.stream IS NULL OR r.chain <> h.chain OR (r.op <> 2) <> h.live"
        " OR EXISTS(SELECT FROM @.records x WHERE x.stream = h.stream AND x.seq > h.seq)"
        " ORDER BY h.name LIMIT 100",
    [PG_STRAYS] =
        "SELECT count(*) FROM @.records r WHERE NOT EXISTS(SELECT FROM @.heads h"
        " WHERE h.stream = r.stream)",
};
/* clang-format on */
_Static_assert(COUNT_OF(texts) == PG_STMTS, "every statement has a text");

/* The same text with the schema's name for each '@'; inside a longer name, without its quotes. */
const char *pg_with_schema(Pg *p, const char *text)
{
    AUTO(Buf) out = { 0 };
    Str bare = str(p->pad);
    for (const char *at = text; *at; at++) {
        bool named = at[0] == '@' && at[1] == '.';
        if (*at != '@')
            buf_add(&out, (Str){ at, 1 });
        else
            buf_add(&out, named ? str(p->schema) : bare);
    }
    assert(buf_ok(&out));
    return arena_copy(&p->keep, buf_str(&out)).p;
}

void pg_make_texts(Pg *p)
{
    for (size_t i = 0; i < PG_STMTS; i++)
        p->texts[i] = pg_with_schema(p, texts[i]);
}
