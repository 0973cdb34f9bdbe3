/* list.c - names in byte order, out of two directory trees.
 *
 * A stream is known by its file under streams/ (or runs/), a document also by
 * its view: a file that a person dropped there is a document before anything
 * was written through Jotter.  So each level of the tree is the union of two
 * directories, sorted as the names sort: a directory counts with its '/'.
 *
 * The last few large levels are kept, so that the next page of a listing costs
 * a page and not another pass over the directories.  A level is used again only
 * while both directories have the time they had, and only if that time was well
 * past when they were read: a change within one tick of the clock cannot hide.
 * A level in which a walk stands is not given up for one below it.
 *
 * For names alone no stream is opened where a file is enough of an answer: a document whose view
 * lies there lives, unless a writer is at work in that directory (there is a draft) or views cannot
 * be trusted yet after a reboot; a view is the head while there is no draft. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/files/files.h"

#define SNAPSHOTS "streams/snapshots.d"

enum { KEEP_MIN = 256, KEEP_LEVELS = 4, SETTLED_MS = 100 };

typedef struct Level {
    const StoreKind *kind;
    char streams[FILES_PATH_MAX]; /* "" if there is none */
    char views[FILES_PATH_MAX];
} Level;

/* A level that was read, with its names. */
typedef struct Kept {
    Arena arena; /* where the names live */
    Level level;
    struct stat streams, views;
    Names names;
    bool used;     /* a walk stands in it */
    uint64_t turn; /* of its last use */
} Kept;

struct ListCache {
    Kept kept[KEEP_LEVELS];
    uint64_t turn;
};

/* --- One directory --------------------------------------------------------------------- */

typedef enum Sort { SORT_FILE, SORT_DIRECTORY, SORT_OTHER } Sort;

typedef int EachName(void *ctx, Str name, Sort sort);

typedef struct Reading {
    const Io *io;
    EachName *each;
    void *ctx;
    bool drafts; /* a name was seen that may be a draft's */
} Reading;

static int read_name(void *ctx, int dir, const struct dirent *d)
{
    Reading *r = ctx;
    struct stat info = { .st_mode = (mode_t)DTTOIF(d->d_type) };
    if (d->d_name[0] == '.') {
        r->drafts = r->drafts || str_ends(str(d->d_name), S(".new"));
        return 0;
    }
    int got = d->d_type == DT_UNKNOWN ? io_stat(r->io, dir, d->d_name, &info) : 0;
    if (got < 0)
        return got == -ENOENT ? 0 : got;
    Sort sort = S_ISDIR(info.st_mode)   ? SORT_DIRECTORY
                : S_ISREG(info.st_mode) ? SORT_FILE
                                        : SORT_OTHER;
    return r->each(r->ctx, str(d->d_name), sort);
}

/* Call `each` for every name that does not begin with '.'.  *drafts is set if there is a draft. */
static jot_status read_directory(Files *f, const char *path, EachName *each, void *ctx,
                                 bool *drafts, Err *e)
{
    AUTO(Fd) fd = pad_open_dir(f, path, false);
    if (fd == -ENOENT || fd == -ENOTDIR)
        return JOT_OK;
    if (fd == NOTES_DIR_GONE && notes_dir_has(f, path))
        return notes_dir_gone(f, e);
    if (fd == -ELOOP || fd == -EXDEV) { /* what is behind it is none of the pad's */
        store_met(&f->base, &f->base.report.damaged,
                  "'%.100s' is a symlink: its files are left out", path);
        return JOT_OK;
    }
    Reading r = { f->base.io, each, ctx, false };
    int got = fd < 0 ? fd : io_list(f->base.io, &fd, read_name, &r);
    *drafts = *drafts || r.drafts;
    return got < 0 ? err_errno(e, -got, "could not list the pad") : JOT_OK;
}

typedef struct Collect {
    Arena *into;
    Names names;
    size_t cap;
    bool drafts;
} Collect;

/* The byte after a name says whether its view was seen. */
static bool view_seen(Str name)
{
    return name.p[name.n] != 0;
}

static void set_view_seen(Str name, bool seen)
{
    ((char *)name.p)[name.n] = seen ? 1 : 0;
}

static void collect(Collect *c, Str name, const char *end)
{
    c->names.items =
        arena_grow(c->into, c->names.items, c->names.n, &c->cap, sizeof(Str), alignof(Str));
    /* Not printed: this is done for every name of a directory. */
    Str tail = str(end);
    char *copy = arena_alloc(c->into, name.n + tail.n + 1, 1);
    memcpy(copy, name.p, name.n);
    for (size_t i = 0; i < tail.n; i++)
        copy[name.n + i] = tail.p[i];
    copy[name.n + tail.n] = 0;
    c->names.items[c->names.n++] = (Str){ copy, name.n + tail.n };
}

static int collect_plain(void *ctx, Str name, Sort sort)
{
    collect(ctx, name, sort == SORT_DIRECTORY ? "/" : "");
    return 0;
}

/* A name with the eight bytes at which names begin to differ, as a number that sorts like them:
 * most comparisons need not look at the name, which lies somewhere else. */
typedef struct Keyed {
    uint64_t key;
    Str name;
} Keyed;

/* `whole` bytes of a name are in its key or common to all: if both end there, the keys decide. */
static int by_key(const void *a, const void *b, void *whole)
{
    const Keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    size_t n = *(const size_t *)whole;
    return x->name.n <= n && y->name.n <= n ? 0 : str_cmp(x->name, y->name);
}

/* Bytes that all names have in common at their start. */
static size_t common_start(const Names *names)
{
    Str first = names->items[0];
    size_t n = first.n;
    for (size_t i = 1; i < names->n && n; i++) {
        Str other = names->items[i];
        size_t k = 0;
        while (k < n && k < other.n && other.p[k] == first.p[k])
            k++;
        n = k;
    }
    return n;
}

static uint64_t key_of(Str name, size_t from)
{
    uint64_t key = 0;
    for (size_t i = from; i < from + sizeof key; i++)
        key = key << 8 | (i < name.n ? (unsigned char)name.p[i] : 0); /* no name holds a NUL */
    return key;
}

static void sort_unique(Names *names)
{
    if (names->n == 0)
        return;
    Keyed *keyed = mem_alloc(names->n * sizeof *keyed);
    size_t from = common_start(names), kept = 0;
    for (size_t i = 0; i < names->n; i++)
        keyed[i] = (Keyed){ key_of(names->items[i], from), names->items[i] };
    size_t whole = from + sizeof keyed->key;
    qsort_r(keyed, names->n, sizeof *keyed, by_key, &whole);
    for (size_t i = 0; i < names->n; i++)
        if (kept == 0 || by_key(&keyed[i - 1], &keyed[i], &whole) != 0)
            names->items[kept++] = keyed[i].name;
        else if (view_seen(keyed[i].name))
            set_view_seen(names->items[kept - 1], true);
    names->n = kept;
    free(keyed);
}

jot_status list_directory(Files *f, const char *path, Arena *into, Names *out, Err *e)
{
    Collect c = { .into = into };
    TRY(read_directory(f, path, collect_plain, &c, &c.drafts, e));
    sort_unique(&c.names);
    *out = c.names;
    return JOT_OK;
}

/* --- One level of names ---------------------------------------------------------------- */

static int collect_stream(void *ctx, Str name, Sort sort)
{
    bool directory = sort == SORT_DIRECTORY;
    if (directory && str_ends(name, S(".d")))
        collect(ctx, str_slice(name, 0, name.n - 2), "/");
    else if (!directory && str_ends(name, S(".jsonl")))
        collect(ctx, str_slice(name, 0, name.n - 6), "");
    return 0;
}

typedef struct CollectViews {
    Collect *to;
    Files *f;
    const Level *level;
} CollectViews;

/* cycles/active.yaml and cycles/AGENT/active.yaml are both leaves. */
static int collect_cycle(CollectViews *v, Str name, bool directory)
{
    char path[FILES_PATH_MAX];
    struct stat info;
    if (!directory) {
        if (str_eq(name, S("active.yaml")))
            collect(v->to, S("default"), "");
        return 0;
    }
    snprintf(path, sizeof path, "cycles/" STR_FMT "/active.yaml", STR_ARG(name));
    int got = io_stat_path(v->f->base.io, v->f->root, path, &info);
    if (got == 0)
        collect(v->to, name, "");
    return io_missing(got) ? 0 : got;
}

/* Snapshots lie beside the state of their agent: in cycles/ for the default one, so that directory
 * is seen twice, once for the agents and once for the default agent's snapshots. */
static void collect_snapshot(CollectViews *v, Str name, bool directory)
{
    bool agents = strcmp(v->level->streams, SNAPSHOTS) == 0;
    Str tail = str(v->level->kind->tail);
    bool file = !directory && str_ends(name, tail) && name.n > tail.n;
    if (agents && (directory || file))
        collect(v->to, directory ? name : S("default"), "/");
    else if (file)
        collect(v->to, str_slice(name, 0, name.n - tail.n), "");
}

static int collect_view(void *ctx, Str name, Sort sort)
{
    CollectViews *v = ctx;
    bool directory = sort == SORT_DIRECTORY;
    Str stem;
    if (str_eq(str(v->level->kind->name), S("cycles")))
        return collect_cycle(v, name, directory);
    if (v->level->kind->pair)
        collect_snapshot(v, name, directory);
    else if (directory && !v->level->kind->flat)
        collect(v->to, name, "/");
    else if (!directory && view_stem(v->f, v->level->kind, name, &stem) &&
             (!notes_dir_has(v->f, v->level->views) ||
              (sort == SORT_FILE && !notes_dir_is_obeyed(v->f, stem)))) {
        collect(v->to, stem, "");
        set_view_seen(v->to->names.items[v->to->names.n - 1], sort == SORT_FILE);
    }
    return 0;
}

static jot_status read_level(Files *f, const Level *level, Arena *into, Names *out, Err *e)
{
    Collect c = { .into = into };
    if (level->streams[0])
        TRY(read_directory(f, level->streams, collect_stream, &c, &c.drafts, e));
    CollectViews views = { &c, f, level };
    if (level->views[0])
        TRY(read_directory(f, level->views, collect_view, &views, &c.drafts, e));
    for (size_t i = 0; c.drafts && i < c.names.n; i++)
        set_view_seen(c.names.items[i], false);
    sort_unique(&c.names);
    *out = c.names;
    return JOT_OK;
}

/* All zero if there is nothing; if that cannot be known, a time that is never the same again. */
static struct stat look(Files *f, const char *path)
{
    struct stat info = { 0 };
    int got = path[0] ? pad_stat(f, path, &info) : -ENOENT;
    if (got < 0)
        info = (struct stat){ .st_mtim.tv_nsec = io_missing(got) ? 0 : -1 };
    return info;
}

static bool same_time(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_mtim.tv_nsec >= 0;
}

static bool settled(const struct stat *s, int64_t now_ms)
{
    int64_t at = (int64_t)s->st_mtim.tv_sec * 1000 + s->st_mtim.tv_nsec / 1000000;
    return s->st_ino == 0 || at + SETTLED_MS < now_ms;
}

static bool is_level(const Kept *k, const Level *level)
{
    return k->names.n && strcmp(k->level.streams, level->streams) == 0 &&
           strcmp(k->level.views, level->views) == 0;
}

/* The slot that holds this level, or else the one to give up for it; NULL if all are in use. */
static Kept *slot_for(Files *f, const Level *level)
{
    if (!f->listed)
        f->listed = mem_alloc(sizeof *f->listed);
    Kept *oldest = NULL;
    for (size_t i = 0; i < KEEP_LEVELS; i++) {
        Kept *k = &f->listed->kept[i];
        if (is_level(k, level))
            return k;
        if (!k->used && (!oldest || k->turn < oldest->turn))
            oldest = k;
    }
    return oldest;
}

/* The names of a level: kept ones if nothing has changed, and then *kept is where (it is in use
 * until the caller says otherwise); otherwise they live in `into`, which is empty. */
static jot_status get_level(Files *f, const Level *level, Arena *into, Names *out, Kept **kept,
                            Err *e)
{
    struct stat streams = look(f, level->streams), views = look(f, level->views);
    Kept *k = slot_for(f, level);
    int64_t now = io_wall_ms(&io_system); /* compared with times the file system gives */
    *kept = NULL;
    bool fresh =
        k && is_level(k, level) && same_time(&k->streams, &streams) && same_time(&k->views, &views);
    if (!fresh) {
        TRY(read_level(f, level, into, out, e));
        /* Cycles are known by files one level further down, whose coming and going does not show.
         */
        bool worth = out->n >= KEEP_MIN && !str_eq(str(level->kind->name), S("cycles"));
        if (!k || !worth || !settled(&streams, now) || !settled(&views, now))
            return JOT_OK;
        arena_free(&k->arena);
        *k = (Kept){ TAKE(*into), *level, streams, views, *out, false, 0 };
    }
    *out = k->names;
    k->turn = ++f->listed->turn;
    k->used = true;
    *kept = k;
    return JOT_OK;
}

void list_close(Files *f)
{
    for (size_t i = 0; f->listed && i < KEEP_LEVELS; i++)
        arena_free(&f->listed->kept[i].arena);
    free(f->listed);
    f->listed = NULL;
}

/* --- The walk -------------------------------------------------------------------------- */

typedef struct Walk {
    Files *f;
    Str prefix, after;
    size_t limit;
    ListWhich which;
    Arena *into;
    Listing *out;
    size_t cap;    /* of out->items */
    bool by_views; /* a view that was seen is enough */
    bool done;
} Walk;

static void add(Walk *w, Str name, const Record *head)
{
    if (w->out->n == w->limit) {
        w->out->more = w->done = true;
        return;
    }
    w->out->items =
        arena_grow(w->into, w->out->items, w->out->n, &w->cap, sizeof(Listed), alignof(Listed));
    w->out->items[w->out->n++] =
        (Listed){ arena_copy(w->into, name), head->mark, arena_copy(w->into, head->by),
                  arena_copy(w->into, head->meta) };
}

static jot_status emit(Walk *w, Str name, bool viewed, Err *e)
{
    Record head = { 0 };
    if (store_check_name(name, NULL) != JOT_OK)
        return JOT_OK; /* a file that is nobody's */
    if (viewed && w->by_views) {
        add(w, name, &head);
        return JOT_OK;
    }
    AUTO(Arena) scratch = { 0 };
    Err ignored = { 0 };
    jot_status st = files_glance(w->f, name, &scratch, &head, &ignored);
    if (st == JOT_DENIED || st == JOT_TOO_BIG) {
        store_met(&w->f->base, &w->f->base.report.damaged, "%.150s", ignored.text);
        return JOT_OK;
    }
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    if (st != JOT_OK) {
        if (e)
            *e = ignored;
        return st;
    }
    if (list_takes_all(w->which) || mark_live(&head.mark))
        add(w, name, &head);
    return JOT_OK;
}

/* Can a name that begins with `start` be wanted? */
static bool may_hold(const Walk *w, Str start)
{
    Str shorter = start.n < w->prefix.n ? start : w->prefix;
    if (!str_eq(str_slice(start, 0, shorter.n), str_slice(w->prefix, 0, shorter.n)))
        return false;
    /* Everything below `start` sorts before `after` if `start` does and is not its beginning. */
    return w->after.n == 0 || str_starts(w->after, start) || str_cmp(start, w->after) > 0;
}

static bool wanted(const Walk *w, Str name)
{
    return str_starts(name, w->prefix) && (w->after.n == 0 || str_cmp(name, w->after) > 0);
}

/* The first child that can be wanted: everything before it sorts before prefix and after. */
static size_t first_child(const Walk *w, const Names *names, Str above)
{
    Str bound = str_cmp(w->prefix, w->after) > 0 ? w->prefix : w->after;
    if (!str_starts(bound, above))
        return 0;
    /* Of what leads to the bound only the directory on the way is needed. */
    Str key = str_from(bound, above.n);
    key = str_slice(key, 0, str_find(key, '/') + 1);
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(names->items[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void below(Level *to, const Level *from, Str segment)
{
    bool beside = strcmp(from->streams, SNAPSHOTS) == 0 && str_eq(segment, S("default"));
    *to = (Level){ from->kind, "", "" };
    if (from->streams[0])
        snprintf(to->streams, sizeof to->streams, "%.*s/" STR_FMT ".d",
                 FILES_PATH_MAX - FILES_NAME_MAX, from->streams, STR_ARG(segment));
    if (beside)
        *to = (Level){ from->kind, SNAPSHOTS "/default.d", "cycles" };
    else if (from->views[0])
        snprintf(to->views, sizeof to->views, "%.*s/" STR_FMT, FILES_PATH_MAX - FILES_NAME_MAX,
                 from->views, STR_ARG(segment));
}

static jot_status walk(Walk *w, const Level *level, Str above, Err *e);

static jot_status walk_names(Walk *w, const Level *level, Str above, const Names *names, Err *e)
{
    for (size_t i = first_child(w, names, above); i < names->n && !w->done; i++) {
        AUTO(Arena) scratch = { 0 };
        Str child = names->items[i];
        Str name = arena_printf(&scratch, STR_FMT STR_FMT, STR_ARG(above), STR_ARG(child));
        if (child.p[child.n - 1] == '/') {
            Level *next = NEW(&scratch, Level);
            below(next, level, str_slice(child, 0, child.n - 1));
            if (may_hold(w, name))
                TRY(walk(w, next, name, e));
        } else if (wanted(w, name)) {
            TRY(emit(w, name, view_seen(child), e));
        } else if (!may_hold(w, name) && str_cmp(name, w->prefix) > 0) {
            return JOT_OK; /* past the prefix: nothing wanted follows */
        }
    }
    return JOT_OK;
}

/* Depth is bounded by the length of a name. */
static jot_status walk(Walk *w, const Level *level, Str above, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Names names;
    Kept *kept = NULL;
    if (above.n > STORE_NAME_MAX)
        return JOT_OK;
    TRY(get_level(w->f, level, &arena, &names, &kept, e));
    jot_status st = walk_names(w, level, above, &names, e);
    if (kept)
        kept->used = false;
    return st;
}

static int collect_kind(void *ctx, Str name, Sort sort)
{
    if (sort == SORT_DIRECTORY && str_ends(name, S(".d")))
        collect(ctx, str_slice(name, 0, name.n - 2), "/");
    return 0;
}

static int collect_top(void *ctx, Str name, Sort sort)
{
    bool directory = sort == SORT_DIRECTORY;
    if (directory && (store_kind(name)->document || str_eq(name, S("runs"))))
        collect(ctx, name, "/");
    if (directory && str_eq(name, S("cycles")))
        collect(ctx, S("snapshots"), "/");
    return 0;
}

jot_status files_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Arena) arena = { 0 };
    Collect c = { .into = &arena };
    TRY(read_directory(f, "streams", collect_kind, &c, &c.drafts, e));
    TRY(read_directory(f, ".", collect_top, &c, &c.drafts, e));
    if (f->notes_dir[0])
        collect(&c, S("notes"), "/");
    sort_unique(&c.names);
    *out = (Listing){ 0 };
    Walk w = { .f = f,
               .prefix = q->prefix,
               .after = q->after,
               .limit = q->limit,
               .which = q->which,
               .into = into,
               .out = out,
               .by_views = !list_takes_heads(q->which) && !f->folds && pad_trusts_views(f) &&
                           !notes_dir_drafted(f) };
    for (size_t i = 0; i < c.names.n && !w.done; i++) {
        Str start = c.names.items[i], kind = str_slice(start, 0, start.n - 1);
        if (!may_hold(&w, start))
            continue;
        Level level = { store_kind(kind), "", "" };
        bool run = str_eq(kind, S("runs"));
        snprintf(level.streams, sizeof level.streams, run ? STR_FMT : "streams/" STR_FMT ".d",
                 STR_ARG(kind));
        if (level.kind->document)
            snprintf(level.views, sizeof level.views, STR_FMT,
                     STR_ARG(level.kind->pair ? S("cycles") : kind));
        TRY(walk(&w, &level, start, e));
    }
    return JOT_OK;
}
