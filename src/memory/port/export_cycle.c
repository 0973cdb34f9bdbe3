/* export_cycle.c - states, snapshots, the log of each cycle, and templates. */
#include <string.h>

#include "memory/cycle/cycle_log.h"
#include "memory/cycle/cycle_snapshot.h"
#include "memory/cycle/cycle_steps.h"
#include "memory/port/export.h"

#define TEMPLATES "notes/cycle-template-"
#define LOGS "logs/cycle/"

static Str agent_dir(Str agent, Arena *into)
{
    return str_eq(agent, S(CYCLE_DEFAULT_AGENT)) ? S("")
                                                 : arena_printf(into, STR_FMT "/", STR_ARG(agent));
}

static jot_status export_state(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Str above = agent_dir(str_from(l->name, strlen("cycles/")), &arena);
    return export_value(ctx, l->name, arena_printf(&arena, STR_FMT "active.yaml", STR_ARG(above)));
}

static bool has_records(Export *x, Str stream)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    return store_head(x->m->store, stream, HEAD_MARK, &arena, &head, NULL) == JOT_OK &&
           mark_live(&head.mark);
}

/* The log of a cycle that has steps; one that was imported with its log is found there. */
static jot_status export_steps(Export *x, Str stream, Str agent, Str id)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    Err why = { 0 };
    if (!has_records(x, cycle_steps_stream(agent, id, &arena)))
        return JOT_OK;
    jot_status st = cycle_log(x->m, agent, id, &text, &why);
    if (st != JOT_OK) {
        layout_miss(x->report, x->into, st, stream, "its log: %s", why.text);
        return JOT_OK;
    }
    ExportFile f = { .stream = stream, .text = buf_str(&text) };
    f.path = arena_printf(&arena, STR_FMT "logs/cycle_" STR_FMT ".log",
                          STR_ARG(agent_dir(agent, &arena)), STR_ARG(id));
    return export_file(x, &f);
}

static jot_status export_snapshot(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Export *x = ctx;
    Str agent, rest = str_from(l->name, strlen("snapshots/")), before = S("_before");
    if (!str_cut(&rest, '/', &agent)) {
        layout_skip(x->report, x->into, l->name, "it is no snapshot of an agent's cycle");
        return JOT_OK;
    }
    Str above = agent_dir(agent, &arena);
    TRY(export_value(x, l->name,
                     arena_printf(&arena, STR_FMT STR_FMT ".yaml", STR_ARG(above), STR_ARG(rest))));
    if (!str_ends(rest, before))
        return JOT_OK;
    return export_steps(x, l->name, agent, str_slice(rest, 0, rest.n - before.n));
}

/* What was imported; the traces of our own cycles stand in the logs made of their steps. */
static jot_status export_imported(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    Export *x = ctx;
    Str name = str_from(l->name, strlen(LOGS));
    size_t dot = str_find(name, '.');
    Str id = str_slice(name, 0, dot);
    Str agent = dot < name.n ? str_from(name, dot + 1) : S(CYCLE_DEFAULT_AGENT);
    if (has_records(x, cycle_steps_stream(agent, id, &arena)))
        return JOT_OK;
    return export_lines(x, l->name,
                        arena_printf(&arena, STR_FMT "logs/cycle_" STR_FMT ".log",
                                     STR_ARG(agent_dir(agent, &arena)), STR_ARG(id)));
}

static jot_status export_template(void *ctx, const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    return export_value(ctx, l->name,
                        arena_printf(&arena, "config/active." STR_FMT ".yaml",
                                     STR_ARG(str_from(l->name, strlen(TEMPLATES)))));
}

jot_status export_cycles(Export *x)
{
    TRY(memory_each(x->m, S("cycles/"), LIST_LIVE, export_state, x, x->e));
    TRY(memory_each(x->m, S("snapshots/"), LIST_LIVE, export_snapshot, x, x->e));
    TRY(memory_each(x->m, S(LOGS), LIST_LIVE, export_imported, x, x->e));
    return memory_each(x->m, S(TEMPLATES), LIST_LIVE, export_template, x, x->e);
}
