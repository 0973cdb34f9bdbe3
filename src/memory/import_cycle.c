/* import_cycle.c - the state of an agent and its snapshots, as files beside each other. */
#include <fcntl.h>
#include <string.h>

#include "base/yaml.h"
#include "memory/foreign.h"
#include "memory/import.h"

/* A state must be YAML, or no cycle could begin with it; a snapshot is kept as it is. */
static jot_status import_state(Import *x, int dir, Str agent, const ForeignEntry *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Yaml *tree;
    Str text;
    Err why;
    bool live = str_eq(f->name, S(IMPORT_STATE)), snapshot = import_is_snapshot(f->name);
    if (!f->regular || (!live && !snapshot)) {
        layout_skip(x->report, x->into, f->name, "%s",
                    f->regular ? "it is neither a state nor a snapshot" : NOT_A_FILE);
        return JOT_OK;
    }
    if (!import_read(x, dir, f->name, f->name, &arena, &text))
        return JOT_OK;
    if (live && yaml_read(text, &arena, &tree, &why) != JOT_OK) {
        layout_miss(x->report, x->into, JOT_INVALID, f->name, "%s", why.text);
        return JOT_OK;
    }
    Str stem = str_slice(f->name, 0, f->name.n - strlen(".yaml"));
    Str stream = live ? arena_printf(&arena, "cycles/" STR_FMT, STR_ARG(agent))
                      : arena_printf(&arena, "snapshots/" STR_FMT "/" STR_FMT, STR_ARG(agent),
                                     STR_ARG(stem));
    return import_document(x, f->name, stream, text, live ? S("{\"kind\":\"state\"}") : (Str){ 0 },
                           e);
}

/* One agent's directory; those of others lie below that of the default one. */
static jot_status import_agent(Import *x, int dir, Str agent, bool top, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ForeignDir all;
    TRY(foreign_list(x->m->io, dir, &arena, &all, e));
    for (size_t i = 0; i < all.n; i++) {
        const ForeignEntry *f = &all.items[i];
        AUTO(Fd)
        deeper = top && f->directory && f->name.p[0] != '.'
                     ? io_open(x->m->io, dir, f->name.p, O_RDONLY | O_DIRECTORY, 0)
                     : FD_NONE;
        if (deeper >= 0)
            TRY(import_agent(x, deeper, f->name, false, e));
        else
            TRY(import_state(x, dir, agent, f, e));
    }
    return JOT_OK;
}

jot_status import_cycles(Import *x, Err *e)
{
    return import_agent(x, x->dir, S("default"), true, e);
}
