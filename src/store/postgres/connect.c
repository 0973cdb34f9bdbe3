/* connect.c - from a URL to a connection that is fit to be used.
 *
 *   postgres://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?pad=NAME&KEY=VALUE...]
 *
 * What the URL does not say libpq takes from where it always does: PG* variables,
 * service files, .pgpass.  Other keys are libpq's own (sslmode, sslrootcert, host
 * for a socket's directory ...).  A standby is never connected to: what it says
 * may be old.  The URL is taken apart here, so that no sentence of libpq can
 * show it with its password.
 *
 * A server behind a pooler is recognised by its process, which is not the one
 * that greeted us.  Then nothing is left in the session that was not there. */
#include "store/postgres/connect.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/postgres/flight.h"
#include "store/postgres/schema.h"
#include "store/postgres/statement.h"
#include "store/postgres/tuple.h"

enum {
    KEYWORDS_MAX = 40,
    IDLE_MS = 5000, /* a stopped writer may keep others waiting for so long */
};

/* --- The URL --------------------------------------------------------------------------- */

typedef struct Keywords {
    Pg *p;
    size_t n;
} Keywords;

static bool has_keyword(const Keywords *k, const char *key)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->p->keywords[i], key) == 0)
            return true;
    return false;
}

static void add_keyword(Keywords *k, const char *key, Str value)
{
    if (value.n == 0 || k->n == KEYWORDS_MAX || has_keyword(k, key))
        return;
    k->p->keywords[k->n] = arena_cstr(&k->p->keep, str(key));
    k->p->values[k->n++] = arena_cstr(&k->p->keep, value);
}

/* The same, whatever it was. */
static void set_keyword(Pg *p, const char *key, Str value)
{
    Keywords k = { p, 0 };
    while (p->keywords[k.n] && strcmp(p->keywords[k.n], key) != 0)
        k.n++;
    if (!p->keywords[k.n])
        add_keyword(&k, key, value);
    else if (strlen(p->values[k.n]) == value.n)
        memcpy(p->values[k.n], value.p, value.n); /* again and again, if a host stays away */
    else
        p->values[k.n] = arena_cstr(&p->keep, value);
}

static bool is_keyword(const Pg *p, Str key)
{
    bool found = false;
    PQconninfoOption *all = p->pq->conndefaults();
    for (const PQconninfoOption *o = all; o && o->keyword; o++)
        found = found || str_eq(str(o->keyword), key);
    p->pq->conninfo_free(all);
    return found;
}

static jot_status set_pad(Pg *p, Str name, Err *e)
{
    Shown shown;
    bool good = name.n > 0 && name.n <= PG_PAD_MAX && !str_starts(name, S("pg_"));
    if (!good || store_check_key(name, NULL) != JOT_OK)
        return err_set(e, JOT_INVALID,
                       "invalid pad '%s': use [A-Za-z0-9_-]+, at most %d bytes, not pg_...",
                       err_show(&shown, name), PG_PAD_MAX);
    snprintf(p->pad, sizeof p->pad, STR_FMT, STR_ARG(name));
    p->schema = arena_printf(&p->keep, "\"%s\"", p->pad).p;
    return JOT_OK;
}

jot_status pg_address(Pg *p, const Url *url, Err *e)
{
    Keywords k = { p, 0 };
    Str key, value;
    Shown shown;
    if (!url->authority)
        return err_set(e, JOT_INVALID, "write postgres://HOST/DATABASE, or postgres:///DATABASE");
    p->keywords = NEW_ARRAY(&p->keep, char *, KEYWORDS_MAX + 1);
    p->values = NEW_ARRAY(&p->keep, char *, KEYWORDS_MAX + 1);
    TRY(set_pad(p, S("jotter"), e));
    for (size_t at = 0; url_next_param(url, &at, &p->keep, &key, &value);) {
        if (str_eq(key, S("pad"))) {
            TRY(set_pad(p, value, e));
        } else if (is_keyword(p, key)) {
            add_keyword(&k, key.p, value);
        } else {
            return err_set(
                e, JOT_INVALID,
                "'%s' is no parameter of a postgres: URL: use pad=NAME or one of libpq's",
                err_show(&shown, key));
        }
    }
    char port[8] = "", seconds[8];
    if (url->port)
        snprintf(port, sizeof port, "%d", url->port);
    snprintf(seconds, sizeof seconds, "%d", PG_CONNECT_MS / 1000);
    add_keyword(&k, "user", url->user);
    add_keyword(&k, "password", url->password);
    add_keyword(&k, "host", url->host);
    add_keyword(&k, "port", str(port));
    add_keyword(&k, "dbname", str_from(url->path, 1));
    add_keyword(&k, "connect_timeout", str(seconds));
    add_keyword(&k, "tcp_user_timeout", S("20000"));
    add_keyword(&k, "keepalives_idle", S("30"));
    add_keyword(&k, "client_encoding", S("UTF8"));
    add_keyword(&k, "fallback_application_name", S("jotter"));
    add_keyword(&k, "target_session_attrs", S("primary"));
    pg_make_texts(p);
    return JOT_OK;
}

/* --- What went wrong ------------------------------------------------------------------- */

/* The reason alone: one line, without the address and "FATAL:  28P01: " in front. */
static Str first_line(const char *said)
{
    static const char *const fronts[] = { "failed: ", "FATAL:  " };
    for (size_t i = 0; i < COUNT_OF(fronts); i++) {
        const char *at = strstr(said, fronts[i]);
        said = at ? at + strlen(fronts[i]) : said;
    }
    Str s = str(said);
    if (s.n > 7 && s.p[5] == ':' && s.p[6] == ' ')
        s = str_from(s, 7);
    return str_trim(str_slice(s, 0, str_find(s, '\n')));
}

/* The five characters after "FATAL:  ", or "". */
static void find_sqlstate(const char *said, char out[6])
{
    const char *at = strstr(said, "FATAL:  ");
    out[0] = 0;
    if (at && strlen(at) > 13 && at[13] == ':')
        snprintf(out, 6, "%.5s", at + 8);
}

static bool says(const char *said, const char *what)
{
    return strstr(said, what) != NULL;
}

/* libpq has one status for everything that can go wrong here, and a text. */
static jot_status say_unconnected(Pg *p, PGconn *c, const char *said, Err *e)
{
    Shown host, user, db, why;
    char code[6];
    find_sqlstate(said, code);
    const char *at = err_show(&host, str(p->pq->host(c)));
    if (says(code, "28P01") || says(said, "no password supplied"))
        return err_set(e, JOT_DENIED,
                       "the Postgres server at '%s' refuses user '%s': check the password (in the "
                       "URL, PGPASSWORD or ~/.pgpass)",
                       at, err_show(&user, str(p->pq->user(c))));
    if (says(code, "28"))
        return err_set(e, JOT_DENIED,
                       "the Postgres server at '%s' does not let user '%s' in: its pg_hba.conf "
                       "must allow it",
                       at, err_show(&user, str(p->pq->user(c))));
    if (says(code, "3D000"))
        return err_set(e, JOT_UNAVAILABLE,
                       "there is no database '%s' at '%s': make it with createdb",
                       err_show(&db, str(p->pq->db(c))), at);
    if (says(said, "certificate"))
        return err_set(e, JOT_DENIED,
                       "the certificate of '%s' is not to be trusted: %s (see sslrootcert and "
                       "sslmode)",
                       at, err_show(&why, first_line(said)));
    if (says(said, "invalid response to SSL") || says(said, "expected authentication request"))
        return err_set(e, JOT_UNAVAILABLE,
                       "what answers at '%s' is not a Postgres server: check host and port", at);
    if (says(said, "not read-write") || says(said, "hot standby") || says(said, "is in recovery"))
        return err_set(e, JOT_UNAVAILABLE,
                       "the Postgres server at '%s' is a standby: name the primary, or all hosts",
                       at);
    return err_set(e, JOT_UNAVAILABLE, "could not connect to Postgres at '%s': %s", at,
                   err_show(&why, first_line(said)));
}

/* --- Connecting ------------------------------------------------------------------------ */

/* Notices are nothing to tell anybody, but a warning says that something was not done. */
static void hear_notice(void *ctx, const PGresult *r)
{
    Pg *p = ctx;
    const char *severity = p->pq->error_field(r, PG_DIAG_SEVERITY_NONLOCALIZED);
    p->warned = p->warned || (severity && strcmp(severity, "WARNING") == 0);
    /* pg_cancel_backend() ends this wait, and the commit is acknowledged all the same. */
    const char *function = p->pq->error_field(r, PG_DIAG_SOURCE_FUNCTION);
    p->unconfirmed = p->unconfirmed || (function && strcmp(function, "SyncRepWaitForLSN") == 0);
}

/* *late: a host has not answered within so long. */
static jot_status poll_connection(Pg *p, PGconn *c, int64_t wait_ms, bool *late, Err *e)
{
    PostgresPollingStatusType st = PGRES_POLLING_WRITING;
    int64_t until = io_awake_ms(&io_system) + wait_ms;
    while (st == PGRES_POLLING_READING || st == PGRES_POLLING_WRITING) {
        struct pollfd fd = { p->pq->socket(c), st == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0 };
        int64_t left = until - io_awake_ms(&io_system);
        *late = left <= 0 || fd.fd < 0 || poll(&fd, 1, (int)left) == 0;
        if (*late)
            return say_unconnected(p, c, "it does not answer", e);
        st = p->pq->connect_poll(c);
    }
    return st == PGRES_POLLING_OK ? JOT_OK : say_unconnected(p, c, p->pq->error_message(c), e);
}

/* libpq goes on to the next host when one refuses, but waits for ever for one that says nothing, as
 * a machine does that is off.  So each has its share of the time, and then the list begins after
 * it. */
static size_t turn_hosts(Pg *p, PGconn *c, bool turn)
{
    static const char *const lists[] = { "host", "hostaddr", "port" };
    AUTO(Arena) arena = { 0 };
    size_t hosts = 1;
    PQconninfoOption *all = p->pq->conninfo(c);
    for (const PQconninfoOption *o = all; o && o->keyword; o++)
        for (size_t i = 0; i < COUNT_OF(lists); i++) {
            Str first, rest = str(o->val ? o->val : "");
            if (strcmp(o->keyword, lists[i]) != 0 || !str_cut(&rest, ',', &first))
                continue;
            if (turn)
                set_keyword(
                    p, lists[i],
                    arena_printf(&arena, STR_FMT "," STR_FMT, STR_ARG(rest), STR_ARG(first)));
            size_t n = 2;
            for (Str one; str_cut(&rest, ',', &one);)
                n++;
            hosts = n > hosts ? n : hosts;
        }
    p->pq->conninfo_free(all);
    return hosts;
}

/* Try the hosts; `left` of them have not had their time yet, and 0 says that nobody knows how many
 * there are.  *late as above. */
static jot_status try_hosts(Pg *p, size_t *left, PGconn **out, bool *late, Err *e)
{
    PGconn *c =
        p->pq->connect_start((const char *const *)p->keywords, (const char *const *)p->values, 0);
    if (!c)
        mem_exhausted();
    *late = false;
    p->pq->set_verbosity(c, PQERRORS_VERBOSE); /* with the code of what is wrong */
    p->pq->set_notice_receiver(c, hear_notice, p);
    if (*left == 0)
        *left = turn_hosts(p, c, false);
    jot_status st = p->pq->status(c) == CONNECTION_BAD
                        ? say_unconnected(p, c, p->pq->error_message(c), e)
                        : poll_connection(p, c, pg_left_ms(p) / (int64_t)*left, late, e);
    if (*late && *left > 1)
        turn_hosts(p, c, true);
    *out = c;
    return st;
}

static jot_status open_connection(Pg *p, Err *e)
{
    PGconn *c = NULL;
    Err why = { 0 };
    bool late;
    size_t left = 0;
    jot_status st = try_hosts(p, &left, &c, &late, &why);
    while (late && --left > 0) {
        p->pq->finish(c);
        st = try_hosts(p, &left, &c, &late, &why);
    }
    (void)err_pass(e, &why, st);
    if (st == JOT_OK && p->pq->server_version(c) < PG_SERVER_MIN)
        st = err_set(e, JOT_UNSUPPORTED, "Postgres %d is too old: a pad needs 13 or newer",
                     p->pq->server_version(c) / 10000);
    if (st == JOT_OK && (p->pq->set_nonblocking(c, 1) != 0 || p->pq->enter_pipeline(c) != 1))
        st = err_set(e, JOT_UNAVAILABLE, "libpq cannot send without waiting here");
    if (st != JOT_OK) {
        p->pq->finish(c);
        return st;
    }
    p->conn = c;
    return JOT_OK;
}

static void add_caveat(Pg *p, const char *text)
{
    size_t n = strlen(p->caveats);
    snprintf(p->caveats + n, sizeof p->caveats - n, "%s%s", n ? "\n" : "", text);
}

static jot_status learn_facts(Pg *p, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    p->pooled = true; /* until it is known, nothing is prepared in a session that may not be ours */
    TRY(pg_ask(p, PG_FACTS, NULL, &r, e));
    p->pooled = tuple_i64(p, r, 0, 0) != p->pq->backend_pid(p->conn);
    Str encoding = tuple_bytes(p, r, 0, 1), system = tuple_bytes(p, r, 0, 5);
    Shown shown;
    if (!str_eq(encoding, S("UTF8")) && !str_eq(encoding, S("SQL_ASCII")))
        return err_set(e, JOT_UNSUPPORTED,
                       "the database is encoded in %s: a pad needs one with UTF8",
                       err_show(&shown, encoding));
    if (tuple_i64(p, r, 0, 3))
        return err_set(e, JOT_UNAVAILABLE, "this Postgres server is a standby: name the primary");
    if (p->pooled && !str_eq(tuple_bytes(p, r, 0, 6), S("read committed")))
        return err_set(e, JOT_UNSUPPORTED,
                       "through a pooler, default_transaction_isolation must be 'read committed'");
    store_saw_clock(&p->base, tuple_i64(p, r, 0, 4));
    snprintf(p->system, sizeof p->system, STR_FMT, STR_ARG(system));
    p->durable = str_eq(tuple_bytes(p, r, 0, 2), S("on"));
    p->caveats[0] = 0;
    add_caveat(p, tuple_bytes(p, r, 0, 7).n
                      ? "a failover to a synchronous standby loses nothing that was acknowledged"
                      : "the server has no synchronous standby: a failover may lose what was "
                        "acknowledged last");
    if (p->pooled)
        add_caveat(p, "a pooler stands between: leases end by time only, and changes are asked for "
                      "again and again");
    add_caveat(p, "purged text may stay in the server's log files and backups");
    return JOT_OK;
}

static void set_limits(Pg *p)
{
    int64_t wait = p->base.wait_ms, lock = wait ? wait : 1; /* 0 would be for ever */
    snprintf(p->limits[0], sizeof p->limits[0], "%lld", (long long)wait + p->base.answer_ms);
    snprintf(p->limits[1], sizeof p->limits[1], "%lld", (long long)lock);
    snprintf(p->limits[2], sizeof p->limits[2], "%d", IDLE_MS);
}

static jot_status set_up(Pg *p, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = pg_limits(p);
    return pg_ask(p, PG_SETTINGS, &q, &r, e);
}

jot_status pg_connect(Pg *p, Err *e)
{
    TRY(open_connection(p, e));
    set_limits(p);
    jot_status st = learn_facts(p, e);
    if (st == JOT_OK && !p->pooled)
        st = set_up(p, e);
    if (st == JOT_OK && p->id[0]) /* connected once more: it must still be the same pad */
        st = pg_identify(p, false, e);
    if (st != JOT_OK)
        pg_disconnect(p);
    return st;
}

void pg_disconnect(Pg *p)
{
    if (p->conn)
        p->pq->finish(p->conn);
    p->conn = NULL;
    memset(p->prepared, 0, sizeof p->prepared);
    p->trailing = p->listening = p->flying = false;
    p->holds_n = 0; /* the session has held them */
}
