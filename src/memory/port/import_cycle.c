/* import_cycle.c - what a program that wakes and sleeps keeps: its state, a pair of snapshots and a
 * log for each cycle, and states to begin again with.
 *
 *     active.yaml  20260401_100137_before.yaml  20260401_100137_after.yaml
 *     logs/cycle_20260401_100137.log  config/active.NAME.yaml
 *
 * Logs and templates lie beside the state, as an export writes them, or beside the directory of the
 * state in the project that was named.  Other agents have a directory each, with the same in it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "memory/cycle/cycle_log.h"
#include "memory/cycle/cycle_state.h"
#include "memory/port/import.h"

#define LOG_BEGINS "cycle_"
#define LOG_ENDS ".log"
#define TEMPLATE_BEGINS "active."
#define TEMPLATE_ENDS ".yaml"
#define TEMPLATE_NOTE "notes/cycle-template-"

/* Where a file lies: an open directory, what stands before its name in a report, whose it is. */
typedef struct Room {
    int dir;
    Str above;
    Str agent;
} Room;

static Str path_of(const Room *r, const ForeignEntry *f, Arena *into)
{
    return arena_printf(into, STR_FMT STR_FMT, STR_ARG(r->above), STR_ARG(f->name));
}

/* What stands between the beginning and the end of a name; false if it has not both. */
static bool inner(Str name, Str begins, Str ends, Str *out)
{
    if (!str_starts(name, begins) || !str_ends(name, ends) || name.n <= begins.n + ends.n)
        return false;
    *out = str_slice(name, begins.n, name.n - ends.n);
    return true;
}

/* --- States and snapshots ---------------------------------------------------------------- */

/* A cycle must be able to begin with it. */
static bool is_state(Import *x, Str path, Str text, Arena *into)
{
    Yaml *state = NULL;
    Err why = { 0 };
    jot_status st = cycle_state_read(text, into, &state, &why);
    if (st == JOT_OK)
        st = cycle_state_fits(state, &why);
    if (st != JOT_OK)
        layout_miss(x->report, x->into, st, path, "%s", why.text);
    return st == JOT_OK;
}

/* A snapshot is kept as it is: nobody begins with it. */
static jot_status import_state(Import *x, const Room *r, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text, path = path_of(r, f, &arena);
    bool live = str_eq(f->name, S(IMPORT_STATE));
    if (!f->regular || (!live && !import_is_snapshot(f->name))) {
        import_stray(x, f, path, "it is neither a state nor a snapshot");
        return JOT_OK;
    }
    if (!import_read(x, r->dir, f->name, path, &arena, &text) ||
        (live && !is_state(x, path, text, &arena)))
        return JOT_OK;
    Str stem = str_slice(f->name, 0, f->name.n - strlen(".yaml"));
    ImportDoc d = { .name = path, .text = text, .at_ms = f->at_ms };
    d.stream = live ? arena_printf(&arena, "cycles/" STR_FMT, STR_ARG(r->agent))
                    : arena_printf(&arena, "snapshots/" STR_FMT "/" STR_FMT, STR_ARG(r->agent),
                                   STR_ARG(stem));
    d.meta = live ? S("{\"kind\":\"state\"}") : (Str){ 0 };
    return import_document(x, &d, e);
}

/* --- Logs and templates ------------------------------------------------------------------ */

static jot_status import_cycle_log(Import *x, const Room *r, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text, id, path = path_of(r, f, &arena);
    Err why;
    if (!f->regular || !inner(f->name, S(LOG_BEGINS), S(LOG_ENDS), &id)) {
        import_stray(x, f, path, "it is not the log of a cycle");
        return JOT_OK;
    }
    jot_status st = foreign_read(
        &(ForeignFile){ x->m->io, r->dir, f->name.p, .max = IMPORT_FILE_MAX }, &arena, &text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, path, "%s", why.text);
        return JOT_OK;
    }
    return import_log(x, path, cycle_log_stream(r->agent, id, &arena), text, f->at_ms, e);
}

/* Others in such a directory are how the program is set up, and no memory. */
static jot_status import_template(Import *x, const Room *r, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text, name, path = path_of(r, f, &arena);
    if (!f->regular || !inner(f->name, S(TEMPLATE_BEGINS), S(TEMPLATE_ENDS), &name) ||
        !import_read(x, r->dir, f->name, path, &arena, &text))
        return JOT_OK;
    ImportDoc d = { .name = path,
                    .stream = arena_printf(&arena, TEMPLATE_NOTE STR_FMT, STR_ARG(name)),
                    .text = text,
                    .at_ms = f->at_ms };
    return import_document(x, &d, e);
}

typedef jot_status (*EachFile)(Import *x, const Room *r, const ForeignEntry *f, Err *e);

/* All entries of a directory, if it is there. */
static jot_status each_file(Import *x, int dir, const char *name, Room r, EachFile each, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    AUTO(Fd)
    open = dir == FD_NONE ? -ENOENT : io_open(x->m->io, dir, name, O_RDONLY | O_DIRECTORY, 0);
    if (open < 0)
        return JOT_OK;
    r.dir = open;
    r.above = arena_printf(&arena, STR_FMT "%s/", STR_ARG(r.above), name);
    TRY(foreign_list(x->m->io, open, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++)
        TRY(each(x, &r, &all.items[i], e));
    return JOT_OK;
}

/* --- All of it --------------------------------------------------------------------------- */

/* One agent's directory; those of others lie below that of the default one. */
static jot_status import_agent(Import *x, const Room *r, bool top, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, r->dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        bool logs = f->directory && str_eq(f->name, S("logs"));
        bool templates = f->directory && top && str_eq(f->name, S("config"));
        bool agent = f->directory && top && f->name.p[0] != '.' && !logs && !templates;
        Room room = { .above = path_of(r, f, &arena), .agent = f->name };
        room.above = arena_printf(&arena, STR_FMT "/", STR_ARG(room.above));
        AUTO(Fd)
        deeper = agent ? io_open(x->m->io, r->dir, f->name.p, O_RDONLY | O_DIRECTORY, 0) : FD_NONE;
        room.dir = deeper;
        if (logs)
            TRY(each_file(x, r->dir, "logs", *r, import_cycle_log, e));
        else if (templates)
            TRY(each_file(x, r->dir, "config", *r, import_template, e));
        else if (deeper >= 0)
            TRY(import_agent(x, &room, false, e));
        else
            TRY(import_state(x, r, f, e));
    }
    return JOT_OK;
}

jot_status import_cycles(Import *x, Err *e)
{
    Room room = { .dir = x->dir, .agent = S(CYCLE_DEFAULT_AGENT) };
    TRY(import_agent(x, &room, true, e));
    TRY(each_file(x, x->project, "logs", room, import_cycle_log, e));
    TRY(each_file(x, x->project, "config", room, import_template, e));
    return each_file(x, x->project, "scratchpads", room, import_template, e);
}
