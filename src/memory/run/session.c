/* session.c - sessions of other programs' agents, as their hooks tell them.
 *
 *     asked ──► is there a run? ──no──► held back: hook-HASH of the state directory
 *                     │yes
 *                     ▼
 *     changed,  ──► run, made from what was held back if there is none yet
 *     ran, todo       │
 *                     ▼
 *     answered, ──► run, if there is one
 *     compacted, ended
 *
 * Of two hooks that begin the run at once, one does; the other adds to it.  What was held back is
 * removed by the one that used it. */
#include "memory/run/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/home.h"
#include "base/time.h"
#include "base/utf8.h"
#include "memory/doc/secret.h"

#define FAILURES "hook-failures"
#define HELD "hook-held-"

enum {
    HASH_SHOWN = 16,
    FAILURES_MAX = 64 * 1024, /* bytes of the file */
    HELD_DAYS = 7,
    DAY_MS = 24 * 60 * 60 * 1000,
};

typedef struct HeldName {
    char text[sizeof HELD + HASH_SHOWN];
} HeldName;

static Hash hash_of_name(const SessionName *n)
{
    AUTO(Buf) both = { 0 };
    buf_add(&both, n->client);
    buf_add_char(&both, '\0');
    buf_add(&both, n->session);
    return hash_of(buf_str(&both));
}

static HeldName held_name(const SessionName *n)
{
    HeldName out;
    snprintf(out.text, sizeof out.text, HELD "%.16s", hash_hex(hash_of_name(n)).text);
    return out;
}

static Str run_id(const SessionName *n, Arena *into)
{
    return arena_printf(into, "hook-" STR_FMT "-%.16s", STR_ARG(n->client),
                        hash_hex(hash_of_name(n)).text);
}

/* UTF-8, without secrets, and no longer than this. */
static Str clean(Str text, size_t max, Arena *into)
{
    /* A secret that the cut would halve is looked for in a little more than is kept. */
    Str some = str_slice(text, 0, text.n < 4 * max ? text.n : 4 * max);
    some = secret_redact(utf8_mended(str_trim(some), into), into);
    if (some.n <= max && text.n <= 4 * max)
        return some;
    size_t end = utf8_floor(some, some.n < max ? some.n : max);
    return arena_printf(into, STR_FMT " ...", STR_ARG(str_slice(some, 0, end)));
}

/* --- Held back ------------------------------------------------------------------------------- */

static json_t *read_held(const SessionName *n)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    json_t *read = NULL;
    if (home_read(&io_system, HOME_STATE, held_name(n).text, &arena, &text, &(Err){ 0 }) !=
            JOT_OK ||
        json_read(text, &read, NULL) != JOT_OK || !json_is_array(read)) {
        json_decref(read);
        return json_array();
    }
    return read;
}

static jot_status hold(const SessionName *n, Str asked, Err *e)
{
    AUTO_PTR(json_t) held = read_held(n);
    AUTO(Buf) text = { 0 };
    json_array_append_new(held, json_text(asked));
    if (json_array_size(held) > SESSION_HELD_MAX)
        json_array_remove(held, 1);
    json_write(&text, held);
    return home_write(&io_system, HOME_STATE, held_name(n).text, buf_str(&text), e);
}

void session_drop_held(const SessionName *name)
{
    AUTO(Fd) dir = FD_NONE;
    if (home_open(&io_system, HOME_STATE, false, &dir, &(Err){ 0 }) == JOT_OK)
        (void)io_unlink(&io_system, dir, held_name(name).text);
}

static int sweep_one(void *ctx, int dir, const struct dirent *d)
{
    const int64_t *before = ctx;
    struct stat info;
    if (str_starts(str(d->d_name), S(HELD)) && io_stat(&io_system, dir, d->d_name, &info) == 0 &&
        (int64_t)info.st_mtim.tv_sec * 1000 < *before)
        (void)io_unlink(&io_system, dir, d->d_name);
    return 0;
}

void session_sweep(void)
{
    AUTO(Fd) dir = FD_NONE;
    int64_t before = io_wall_ms(&io_system) - (int64_t)HELD_DAYS * DAY_MS;
    if (home_open(&io_system, HOME_STATE, false, &dir, &(Err){ 0 }) == JOT_OK)
        (void)io_list(&io_system, &dir, sweep_one, &before);
}

/* --- The run --------------------------------------------------------------------------------- */

static const char *const words[] = {
    [SESSION_ASKED] = "asked",  [SESSION_CHANGED] = "changed",     [SESSION_RAN] = "ran",
    [SESSION_THINGS] = "todo",  [SESSION_COMPACTED] = "compacted", [SESSION_ANSWERED] = "answered",
    [SESSION_ENDED] = "session"
};

static Str held_text(const json_t *held, size_t i)
{
    const json_t *x = json_array_get(held, i);
    return json_is_string(x) ? (Str){ json_string_value(x), json_string_length(x) } : (Str){ 0 };
}

static jot_status add(Run *r, SessionKind kind, Str text, Err *e)
{
    if (kind == SESSION_ENDED && r->state.answer_seq == r->state.seq)
        return JOT_OK;
    return kind == SESSION_ANSWERED
               ? run_say(r, RUN_ANSWER, text, e)
               : run_record(r, kind == SESSION_ENDED ? RUN_END : RUN_NOTICE, words[kind], text, e);
}

/* The run, begun with what was held back. */
static jot_status begin(Memory *m, const SessionName *n, Str id, Run *out, Err *e)
{
    AUTO_PTR(json_t) held = read_held(n);
    bool known = json_array_size(held) > 0;
    jot_status st = run_begin_as(m, id, known ? held_text(held, 0) : S("(not known)"), out, e);
    if (st == JOT_CONFLICT) /* another hook of the session was faster */
        return run_refresh(out, e);
    TRY(st);
    for (size_t i = 1; i < json_array_size(held); i++)
        TRY(add(out, SESSION_ASKED, held_text(held, i), e));
    session_drop_held(n);
    return JOT_OK;
}

jot_status session_add(const SessionPad *pad, const SessionName *name, SessionKind kind, Str text,
                       Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Run) r = { 0 };
    Memory *m = NULL;
    Str id = run_id(name, &arena);
    bool done = kind == SESSION_CHANGED || kind == SESSION_RAN || kind == SESSION_THINGS;
    bool line = kind == SESSION_CHANGED || kind == SESSION_RAN;
    text = clean(text, line ? SESSION_LINE_MAX : SESSION_TEXT_MAX, &arena);
    if (!text.n)
        return JOT_OK;
    /* A session that only asks makes neither a pad nor a run.  The first thing that is done makes
     * both, with the questions that were held back until then. */
    Err none = { 0 };
    jot_status st = pad->open(pad->ctx, done, &m, &none);
    if (st == JOT_OK)
        st = run_at(m, id, &r, &none);
    if (st == JOT_OK)
        st = run_refresh(&r, &none);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &none, st);
    if (st == JOT_NOT_FOUND && !done)
        return kind == SESSION_ASKED ? hold(name, text, e) : JOT_OK;
    if (st == JOT_NOT_FOUND)
        TRY(begin(m, name, id, &r, e));
    return add(&r, kind, text, e);
}

/* --- What went wrong ---------------------------------------------------------------------------
 */

void session_failed(Str client, const char *why)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) dir = FD_NONE;
    struct stat info;
    if (home_open(&io_system, HOME_STATE, true, &dir, &(Err){ 0 }) != JOT_OK)
        return;
    AUTO(Fd) fd = io_open(&io_system, dir, FAILURES, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd < 0 || io_fstat(&io_system, fd, &info) < 0 || info.st_size > FAILURES_MAX)
        return;
    Shown who, shown;
    Str text = arena_printf(&arena, "%s %s: %s\n", time_text(io_wall_ms(&io_system)).text,
                            err_show(&who, client), err_show(&shown, str(why)));
    (void)io_write_all(&io_system, fd, text);
}

SessionFailures session_failures(Arena *into)
{
    SessionFailures out = { 0 };
    Str text, line;
    if (home_read(&io_system, HOME_STATE, FAILURES, into, &text, &(Err){ 0 }) != JOT_OK)
        return out;
    out.more = text.n > FAILURES_MAX;
    for (; str_cut(&text, '\n', &line); out.n++)
        out.last = line;
    return out;
}

void session_forget_failures(void)
{
    AUTO(Fd) dir = FD_NONE;
    if (home_open(&io_system, HOME_STATE, false, &dir, &(Err){ 0 }) == JOT_OK)
        (void)io_unlink(&io_system, dir, FAILURES);
}

/* --- What can go -------------------------------------------------------------------------------
 */

typedef struct Purge {
    Memory *m;
    int64_t before_ms;
    bool dry_run;
    uint64_t n;
    Err *e;
} Purge;

static jot_status purge_one(void *ctx, const Listed *l)
{
    Purge *p = ctx;
    Mark mark;
    if (l->mark.at_ms >= p->before_ms)
        return JOT_OK;
    p->n++;
    return p->dry_run ? JOT_OK : memory_purge(p->m, l->name, &mark, p->e);
}

jot_status session_purge(Memory *m, int64_t before_ms, bool dry_run, uint64_t *n, Err *e)
{
    Purge p = { m, before_ms, dry_run, 0, e };
    jot_status st = memory_each(m, S(SESSION_RUNS), LIST_LIVE, purge_one, &p, e);
    *n = p.n;
    return st;
}
