/* path.c - where a stream and its view lie in the pad.
 *
 *   stream                 its file                             its view
 *   notes/plan             streams/notes.d/plan.jsonl           notes/plan.txt
 *   notes/a/b              streams/notes.d/a.d/b.jsonl          notes/a/b.txt or notes/a/b.md
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
 * Which of its two endings the file of a note has is seen where it lies (view.c); its draft is
 * called the same in both.
 *
 * Directories of streams end in .d and files in .jsonl, so no two names can
 * meet; a segment never begins with '.', so drafts meet nothing either. */
#include <assert.h>
#include <stdio.h>
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

bool view_stem(const Files *f, const StoreKind *kind, Str file, Str *stem)
{
    Str tail = str(kind->tail), also = str(f->wide && kind->also ? kind->also : "");
    size_t n = str_ends(file, tail) ? tail.n : also.n && str_ends(file, also) ? also.n : SIZE_MAX;
    if (n > file.n || (n == file.n && tail.n))
        return false;
    *stem = str_slice(file, 0, file.n - n);
    return true;
}

void view_turned(const Paths *p, char to[FILES_PATH_MAX])
{
    const StoreKind *kind = store_kind(p->name);
    assert(p->either);
    size_t n = strlen(p->view_path) - strlen(p->turned ? kind->also : kind->tail);
    to[0] = 0;
    join(to, FILES_PATH_MAX, (Str){ p->view_path, n });
    join(to, FILES_PATH_MAX, str(p->turned ? kind->tail : kind->also));
}

void paths_turn(Paths *p)
{
    char other[FILES_PATH_MAX];
    view_turned(p, other);
    memcpy(p->view_path, other, sizeof other);
    p->view[0] = 0;
    join(p->view, sizeof p->view, str(other + strlen(p->view_dir) + 1));
    p->turned = !p->turned;
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
        join(p->view, sizeof p->view, str(kind->tail));
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
    Paths p = paths_in(f->form, name);
    p.either = f->wide && p.viewed && store_kind(name)->also;
    p.placed = p.viewed && notes_dir_has(f, p.view_dir);
    /* Folders are not made twice: one directory holds all drafts. */
    p.obeyed = p.placed && notes_dir_is_obeyed(f, str_base_name(name));
    if (p.placed)
        snprintf(p.draft, sizeof p.draft, "%.32s.new", hash_hex(hash_of(name)).text);
    return p;
}

/* A path is believed only if it is the one its name leads to. */
static bool leads_back(const Files *f, const Buf *name, Str path, bool view)
{
    char other[FILES_PATH_MAX] = "";
    if (!buf_ok(name) || store_check_name(buf_str(name), NULL) != JOT_OK)
        return false;
    Paths p = f ? paths_of(f, buf_str(name)) : paths_in(RECORD_NESTED, buf_str(name));
    if (!view)
        return str_eq(str(p.path), path);
    if (p.either)
        view_turned(&p, other);
    return p.viewed && !p.obeyed && (str_eq(path, str(p.view_path)) || str_eq(path, str(other)));
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
    return leads_back(NULL, to, path, false); /* the same in all */
}

bool stream_of_view(const Files *f, Str path, Buf *to)
{
    buf_clear(to);
    Str above, last;
    split(path, &above, &last);
    const StoreKind *kind = store_kind(path);
    if (!kind->document)
        return false;
    Str stem;
    if (!view_stem(f, kind, last, &stem))
        return false;
    if (str_eq(str(kind->name), S("cycles"))) {
        bool state = str_eq(last, S(ACTIVE));
        Str agent = str_from(above, str_find(above, '/') + 1);
        buf_add(to, state ? S("cycles/") : S("snapshots/"));
        buf_add(to, agent.n ? agent : S(DEFAULT_AGENT));
        buf_add(to, state ? S("") : S("/"));
        buf_add(to, state ? S("") : stem);
    } else {
        buf_add(to, str_slice(path, 0, path.n - (last.n - stem.n)));
    }
    return leads_back(f, to, path, true);
}
