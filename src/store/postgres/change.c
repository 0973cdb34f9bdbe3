/* change.c - which streams have changed, by the transactions that changed them.
 *
 * Every record carries the number of its transaction.  A cursor is a snapshot:
 * what was visible in it was seen, and everything else is new.  Numbers alone
 * would not do, because transactions do not end in the order of their numbers.
 *
 *   PAD.SYSTEM-TIMELINE.XMIN:XMAX:XIP,XIP... .CHECK
 *
 * A snapshot that lists too many open transactions is cut short: what is above
 * the first it leaves out counts as not seen, and is named once more.  Numbers
 * mean something only in their cluster, and on its timeline: a cursor of another
 * one is a RESCAN.
 *
 * Anyone who waits listens for wake-ups, which writers send after their commit and
 * only while somebody listens.  One that is lost costs PG_POLL_MS. */
#include "store/postgres/change.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/lock.h"
#include "base/mutant.h"
#include "store/postgres/connect.h"
#include "store/postgres/flight.h"
#include "store/postgres/tuple.h"

enum {
    CHANGES_MAX = 100000, /* more changed names than this are a RESCAN */
    POLL_PAUSE_US = 5000, /* behind a pooler */
    POLL_PAUSE_US_MAX = 200 * 1000,
    XID_DIGITS = 20,
    CHECK_HEX = 4, /* a cursor that lost a digit could still be one, and hide something */
};

/* A snapshot that is too long ends at the first open transaction that is left out. */
static void write_cursor(const Pg *p, Str snapshot, Cursor *out)
{
    AUTO(Buf) text = { 0 };
    buf_addf(&text, "%s.%s.", p->id, p->system);
    size_t room = sizeof out->text - 1 - text.n - 1 - CHECK_HEX;
    if (MUTANT(PG_CURSOR_IS_A_NUMBER)) {
        Str open = snapshot, xmin, xmax;
        (void)str_cut(&open, ':', &xmin);
        (void)str_cut(&open, ':', &xmax);
        buf_addf(&text, STR_FMT ":" STR_FMT ":", STR_ARG(xmax), STR_ARG(xmax));
    } else if (snapshot.n <= room) {
        buf_add(&text, snapshot);
    } else {
        Str open = snapshot, xmin, xmax;
        (void)str_cut(&open, ':', &xmin);
        (void)str_cut(&open, ':', &xmax);
        size_t fits = room - xmin.n - XID_DIGITS - 2;
        Str kept = str_slice(open, 0, str_find_last(str_slice(open, 0, fits), ','));
        Str left_out = str_from(open, kept.n + 1);
        left_out = str_slice(left_out, 0, str_find(left_out, ','));
        buf_addf(&text, STR_FMT ":" STR_FMT ":" STR_FMT, STR_ARG(xmin), STR_ARG(left_out),
                 STR_ARG(kept));
    }
    buf_addf(&text, ".%.*s", CHECK_HEX, hash_hex(hash_of(buf_str(&text))).text);
    *out = (Cursor){ "" };
    memcpy(out->text, text.p, text.n < sizeof out->text ? text.n : 0);
}

/* The snapshot of a cursor of this pad, cluster and timeline. */
static bool read_cursor(const Pg *p, const Cursor *c, Str *snapshot)
{
    Str all = str(c->text), id, system;
    size_t dot = str_find_last(all, '.');
    Str rest = str_slice(all, 0, dot), check = str_from(all, dot + 1);
    if (check.n != CHECK_HEX || !str_starts(str(hash_hex(hash_of(rest)).text), check) ||
        !str_cut(&rest, '.', &id) || !str_cut(&rest, '.', &system))
        return false;
    *snapshot = rest;
    return str_eq(id, str(p->id)) && str_eq(system, str(p->system)) && rest.n > 0;
}

/* Names that changed since the snapshot, or with an empty one only where we are. */
static jot_status look(Pg *p, Str since, Arena *into, Changes *out, Err *e)
{
    AUTO_PTR(PGresult) r = NULL;
    PgParams q = { 0 };
    /* Everything is visible in this one: it asks for no name. */
    pg_add_bytes(&q, since.n ? since : S("9223372036854775806:9223372036854775806:"));
    pg_add_u64(&q, CHANGES_MAX + 1);
    TRY(pg_ask(p, PG_CHANGES, &q, &r, e));
    size_t n = (size_t)p->pq->ntuples(r);
    bool none = n == 0 || tuple_null(p, r, 0, 2);
    write_cursor(p, tuple_bytes(p, r, 0, 0), &out->next);
    out->forgot = since.n && tuple_i64(p, r, 0, 1) == 1;
    out->rescan = !since.n || n > CHANGES_MAX;
    if (none || out->rescan)
        return JOT_OK;
    out->names = NEW_ARRAY(into, Str, n);
    for (out->n = 0; out->n < n; out->n++)
        out->names[out->n] = arena_copy(into, tuple_bytes(p, r, (int)out->n, 2));
    return JOT_OK;
}

static jot_status listen(Pg *p, Err *e)
{
    PGresult *got[2] = { NULL, NULL };
    jot_status st =
        pg_fly(p, (PgQuery[]){ { PG_LISTEN, NULL }, { PG_LISTENING, NULL } }, 2, got, e);
    pq_clear(got[0]);
    pq_clear(got[1]);
    p->listening = st == JOT_OK;
    return st;
}

/* Forget wake-ups that have come. */
static bool woken(Pg *p)
{
    bool any = false;
    for (PGnotify *n = p->pq->notifies(p->conn); n; n = p->pq->notifies(p->conn)) {
        any = true;
        p->pq->freemem(n);
    }
    return any;
}

/* Wait for a wake-up, but not longer than one may be lost for; a broken connection ends the wait.
 */
static void wait_for_news(Pg *p, int64_t wait_ms)
{
    if (!woken(p) && pg_wait(p, POLLIN, wait_ms < PG_POLL_MS ? wait_ms : PG_POLL_MS) &&
        !p->pq->consume(p->conn))
        pg_disconnect(p);
}

static bool is_quiet(const Changes *c)
{
    return c->n == 0 && !c->rescan && !c->forgot;
}

/* Be connected and look once; a connection that was lost is made again. */
static jot_status look_now(Pg *p, const Cursor *c, Arena *into, Changes *out, Err *e)
{
    Str since = { 0 };
    TRY(pg_ready(p, "look for changes", (Str){ 0 }, e));
    if (!read_cursor(p, c, &since))
        since = (Str){ 0 };
    *out = (Changes){ 0 };
    jot_status st = look(p, since, into, out, e);
    if (!p->lost)
        return st;
    TRY(pg_ready(p, "look for changes", (Str){ 0 }, e));
    if (!read_cursor(p, c, &since))
        since = (Str){ 0 };
    return look(p, since, into, out, e);
}

jot_status pg_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out, Err *e)
{
    Pg *p = (Pg *)s;
    const Cursor from = *c; /* it may lie in *out */
    int64_t until = io_awake_ms(&io_system) + wait_ms;
    Patience pause = patience_new(&io_system, wait_ms, POLL_PAUSE_US, POLL_PAUSE_US_MAX);
    TRY(look_now(p, &from, into, out, e));
    while (is_quiet(out)) {
        int64_t left = until - io_awake_ms(&io_system);
        if (left <= 0)
            break;
        if (p->pooled) {
            if (!patience_pause(&pause))
                break;
        } else if (p->conn && !p->listening) {
            TRY(listen(p, e)); /* what happened before it is looked for once more */
        } else if (p->conn) {
            wait_for_news(p, left);
        }
        TRY(look_now(p, &from, into, out, e));
    }
    return JOT_OK;
}
