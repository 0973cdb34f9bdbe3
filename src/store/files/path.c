/* path.c - where a stream and its view lie in the pad.
 *
 *   stream                 its file                             its view
 *   notes/plan             streams/notes.d/plan.jsonl           notes/plan.txt
 *   notes/a/b.md           streams/notes.d/a.d/b.md.jsonl       notes/a/b.md
 *   memories/a/b.md        streams/memories.d/a.d/b.md.jsonl    memories/a/b.md
 *   artifacts/x/y          streams/artifacts.d/x.d/y.jsonl      artifacts/x/y.json
 *   artifacts/index/x/y    streams/artifacts.d/index.d/x.d/y.jsonl  (in format 1: as any other; now
 *                                                               mirror.c shows it in index/)
 *   cycles/default         streams/cycles.d/default.jsonl       cycles/active.yaml
 *   cycles/ann             streams/cycles.d/ann.jsonl           cycles/ann/active.yaml
 *   snapshots/default/C_after  streams/snapshots.d/default.d/C_after.jsonl  cycles/C_after.yaml
 *   snapshots/ann/C_after      streams/snapshots.d/ann.d/C_after.jsonl      cycles/ann/C_after.yaml
 *   runs/id                runs/id.jsonl                        (a run is its stream file)
 *   anything/else          streams/anything.d/else.jsonl
 *
 * Directories of streams end in .d and files in .jsonl, so no two names can
 * meet; a segment never begins with '.', so drafts meet nothing either. */
#include <assert.h>
#include <string.h>

#include "store/files/files.h"

#define STREAM_END ".jsonl"
#define DIRECTORY_END ".d"
#define DEFAULT_AGENT "default"
#define ACTIVE "active.yaml"

static void join(char *to, size_t size, Str text)
{
    size_t n = strlen(to);
    assert(text.n < size - n);
    if (text.n)
        memcpy(to + n, text.p, text.n);
    to[n + text.n] = 0;
}

/* The name under which a file waits to take effect. */
static void hide(char *to, size_t size, const char *file)
{
    join(to, size, S("."));
    join(to, size, str(file));
    join(to, size, S(".new"));
}

/* All but the last segment, and the last. */
static void split(Str name, Str *above, Str *last)
{
    size_t slash = str_find_last(name, '/');
    *above = str_slice(name, 0, slash == name.n ? 0 : slash);
    *last = slash == name.n ? name : str_from(name, slash + 1);
}

static void lay_stream(Paths *p, Str name)
{
    Str above, last, segment;
    split(name, &above, &last);
    if (str_eq(above, S("runs"))) {
        join(p->dir, sizeof p->dir, S("runs"));
    } else {
        join(p->dir, sizeof p->dir, S("streams"));
        for (Str rest = above; rest.n;) {
            if (!str_cut(&rest, '/', &segment)) {
                segment = rest;
                rest = (Str){ 0 };
            }
            join(p->dir, sizeof p->dir, S("/"));
            join(p->dir, sizeof p->dir, segment);
            join(p->dir, sizeof p->dir, S(DIRECTORY_END));
        }
    }
    join(p->file, sizeof p->file, last);
    join(p->file, sizeof p->file, S(STREAM_END));
    hide(p->fresh, sizeof p->fresh, p->file);
    join(p->path, sizeof p->path, str(p->dir));
    join(p->path, sizeof p->path, S("/"));
    join(p->path, sizeof p->path, str(p->file));
}

/* What belongs to one agent's cycles: cycles/ for the default one, cycles/AGENT/ for others. */
static void join_agent(Paths *p, Str agent)
{
    join(p->view_dir, sizeof p->view_dir, S("cycles"));
    if (str_eq(agent, S(DEFAULT_AGENT)))
        return;
    join(p->view_dir, sizeof p->view_dir, S("/"));
    join(p->view_dir, sizeof p->view_dir, agent);
}

Str view_tail(const StoreKind *kind, Str last)
{
    if (kind->own && str_ends(last, str(kind->own)))
        return (Str){ 0 };
    return str(kind->tail);
}

static void lay_view(Paths *p, Str name, const StoreKind *kind)
{
    Str above, last;
    split(name, &above, &last);
    if (str_eq(above, S("cycles"))) {
        join_agent(p, last);
        join(p->view, sizeof p->view, S(ACTIVE));
    } else {
        if (kind->pair)
            join_agent(p, str_from(above, str_find(above, '/') + 1));
        else
            join(p->view_dir, sizeof p->view_dir, above);
        join(p->view, sizeof p->view, last);
        join(p->view, sizeof p->view, view_tail(kind, last));
    }
    hide(p->draft, sizeof p->draft, p->view);
    join(p->view_path, sizeof p->view_path, str(p->view_dir));
    join(p->view_path, sizeof p->view_path, S("/"));
    join(p->view_path, sizeof p->view_path, str(p->view));
}

Paths paths_in(RecordForm format, Str name)
{
    Paths p = { .name = name };
    const StoreKind *kind = store_kind(name);
    lay_stream(&p, name);
    /* Index documents have a mirror instead. */
    bool index = str_starts(name, S(FILES_INDEX)) && format >= RECORD_NESTED;
    p.viewed = kind->document && !index;
    if (p.viewed)
        lay_view(&p, name, kind);
    return p;
}

Paths paths_of(const Files *f, Str name)
{
    return paths_in(f->form, name);
}

/* A path is believed only if it is the one its name leads to. */
static bool leads_back(RecordForm format, const Buf *name, Str path, bool view)
{
    if (!buf_ok(name) || store_check_name(buf_str(name), NULL) != JOT_OK)
        return false;
    Paths p = paths_in(format, buf_str(name));
    if (!view)
        return str_eq(str(p.path), path);
    return p.viewed && str_eq(path, str(p.view_path));
}

bool stream_of_path(Str path, Buf *to)
{
    buf_clear(to);
    Str rest = path, segment;
    if (!str_ends(path, S(STREAM_END)) || !str_cut(&rest, '/', &segment))
        return false;
    if (str_eq(segment, S("runs"))) {
        buf_add(to, S("runs/"));
    } else {
        while (str_cut(&rest, '/', &segment)) {
            if (!str_ends(segment, S(DIRECTORY_END)))
                return false;
            buf_add(to, str_slice(segment, 0, segment.n - 2));
            buf_add_char(to, '/');
        }
    }
    buf_add(to, str_slice(rest, 0, rest.n - strlen(STREAM_END)));
    return leads_back(RECORD_NESTED, to, path, false); /* the same in all */
}

bool stream_of_view(const Files *f, Str path, Buf *to)
{
    buf_clear(to);
    Str above, last;
    split(path, &above, &last);
    const StoreKind *kind = store_kind(path);
    if (!kind->document)
        return false;
    Str ending = view_tail(kind, last);
    if (!str_ends(last, ending))
        return false;
    if (str_eq(str(kind->name), S("cycles"))) {
        bool state = str_eq(last, S(ACTIVE));
        Str agent = str_from(above, str_find(above, '/') + 1);
        buf_add(to, state ? S("cycles/") : S("snapshots/"));
        buf_add(to, agent.n ? agent : S(DEFAULT_AGENT));
        buf_add(to, state ? S("") : S("/"));
        buf_add(to, state ? S("") : str_slice(last, 0, last.n - ending.n));
    } else {
        buf_add(to, str_slice(path, 0, path.n - ending.n));
    }
    return leads_back(f->form, to, path, true);
}
