/* clash.c - names that cannot live side by side.
 *
 * A name is a file or a directory, never both, so a name that comes to life
 * looks above and below itself.  Check-then-create alone would let `a/b` and
 * `a/b/c` both come to life; so names that could clash lock each other out while
 * one of them is made.
 *
 * Keys of notes that differ only in case are names like that, too, on every file system: the note
 * that comes second is refused (twins.c).
 *
 * Where the file system does not tell `A` from `a`, names that differ only in
 * case would be one file: anyone who comes second is refused. */
#include <fcntl.h>
#include <stdio.h>

#include "base/lock.h"
#include "store/files/files.h"

/* True if something lives below `path` (a directory of streams). */
static jot_status find_below(Files *f, Str name, Arena *into, Str *out, Err *e)
{
    Listing page;
    *out = (Str){ 0 };
    Str prefix = arena_printf(into, STR_FMT "/", STR_ARG(name));
    if (prefix.n >= STORE_NAME_MAX)
        return JOT_OK;
    TRY(files_list(&f->base, &(ListQuery){ .prefix = prefix, .limit = 1 }, into, &page, e));
    if (page.n)
        *out = page.items[0].name;
    return JOT_OK;
}

/* True if there is neither a directory of streams below this one nor one of views, so that nothing
 * need be listed. */
static bool ends_here(Files *f, const Paths *p)
{
    struct stat info = { 0 };
    char path[FILES_PATH_MAX + FILES_NAME_MAX];
    snprintf(path, sizeof path, "%.*s.d", (int)(strlen(p->path) - strlen(".jsonl")), p->path);
    if (!io_missing(io_stat_path(f->base.io, f->root, path, &info)))
        return false;
    snprintf(path, sizeof path, STR_FMT, STR_ARG(p->name)); /* views lie as the names do */
    int got = pad_stat(f, path, &info);
    return got == 0 ? !S_ISDIR(info.st_mode) : io_missing(got);
}

static jot_status lock_name(Files *f, const Writing *w, Str name, short kind, Err *e)
{
    Hash h = hash_of(name);
    off_t byte = LOCK_NAMES + (off_t)(((uint32_t)h.b[0] << 16 | (uint32_t)h.b[1] << 8) | h.b[2]);
    return lock_wait(f->base.io, w->names, kind, byte, pad_wait_left(f)) < 0
               ? err_set(e, JOT_UNAVAILABLE, "could not lock the names of the pad")
               : JOT_OK;
}

/* Names that could clash lock each other out while one of them comes into being: exclusively the
 * name itself and what its twins have in common, shared every name above it, on bytes of `format`.
 */
static jot_status lock_names(Files *f, Writing *w, Err *e)
{
    Str name = w->paths.name;
    if (w->names < 0)
        w->names = lock_open(f->base.io, f->root, "format", O_RDWR | O_NONBLOCK, 0);
    if (w->names < 0)
        return err_errno(e, -w->names, "could not lock the names of the pad");
    for (size_t end = str_find(name, '/') + 1; end <= name.n; end++) {
        if (end < name.n && name.p[end] != '/')
            continue;
        /* Shorter names come first for everybody, so nobody waits in a circle but by a clash of
         * two hashes, and that ends with the bounded wait. */
        TRY(lock_name(f, w, str_slice(name, 0, end), end < name.n ? F_RDLCK : F_WRLCK, e));
    }
    Str caseless = store_kind(name)->note ? store_caseless(name, &w->arena) : name;
    return str_eq(caseless, name) ? JOT_OK : lock_name(f, w, caseless, F_WRLCK, e);
}

/* May this name come to life?  Kinds of a fixed depth cannot clash. */
jot_status clash_check(Files *f, Writing *w, Err *e)
{
    Str name = w->paths.name, other = { 0 };
    if (store_kind(name)->flat || store_kind(name)->pair)
        return JOT_OK;
    TRY(lock_names(f, w, e));
    for (size_t end = str_find(name, '/') + 1; end < name.n; end++) {
        if (name.p[end] != '/')
            continue;
        Record head;
        Str above = str_slice(name, 0, end);
        jot_status st = files_head(&f->base, above, HEAD_MARK, &w->arena, &head, e);
        if (st == JOT_OK && mark_live(&head.mark))
            return store_name_taken(e, name, above);
        if (st != JOT_OK && st != JOT_NOT_FOUND)
            return st;
    }
    if (!ends_here(f, &w->paths))
        TRY(find_below(f, name, &w->arena, &other, e));
    return other.n ? store_name_taken(e, name, other) : JOT_OK;
}

jot_status clash_check_twin(Files *f, Writing *w, Err *e)
{
    Str twin;
    TRY(twins_find(f, w->paths.name, &w->arena, &twin, e));
    return twin.n ? store_twin_taken(e, w->paths.name, twin) : JOT_OK;
}

/* --- Where case does not count ---------------------------------------------------------- */

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool same_but_case(Str a, Str b)
{
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; i++)
        same = lower(a.p[i]) == lower(b.p[i]);
    return same && !str_eq(a, b);
}

/* True if the entry of a directory is another's by all but its case.  Of letters beyond ASCII it is
 * asked what the file system makes of them: a name that is not listed but leads to a file all the
 * same is another's. */
static jot_status taken_by_case(Files *f, const char *dir, Str entry, const Names *names,
                                bool *taken, Err *e)
{
    bool listed = false;
    *taken = false;
    for (size_t i = 0; i < names->n; i++) {
        Str here = names->items[i];
        here.n -= str_ends(here, S("/"));
        *taken = *taken || same_but_case(here, entry);
        listed = listed || str_eq(here, entry);
    }
    struct stat info;
    char path[FILES_PATH_MAX + FILES_NAME_MAX];
    snprintf(path, sizeof path, "%s/" STR_FMT, dir, STR_ARG(entry));
    int got = *taken || listed ? -ENOENT : pad_stat(f, path, &info);
    *taken = *taken || got == 0;
    return got < 0 && !io_missing(got) ? err_errno(e, -got, "could not look at a name of the pad")
                                       : JOT_OK;
}

static jot_status check_case(Files *f, const Paths *p, const char *path, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str rest = str(path), entry;
    for (const char *dir = "."; rest.n;
         dir = arena_cstr(&arena, (Str){ path, (size_t)(entry.p - path) + entry.n })) {
        Names names;
        if (!str_cut(&rest, '/', &entry)) {
            entry = rest;
            rest = (Str){ 0 };
        }
        TRY(list_directory(f, dir, &arena, &names, e));
        Shown shown;
        bool taken;
        TRY(taken_by_case(f, dir, entry, &names, &taken, e));
        if (taken)
            return err_set(e, JOT_INVALID,
                           "'%s' differs only in case from another name, and this file system "
                           "cannot tell them apart",
                           err_show(&shown, p->name));
    }
    return JOT_OK;
}

jot_status clash_check_case(Files *f, const Paths *p, Err *e)
{
    if (!f->folds)
        return JOT_OK;
    TRY(check_case(f, p, p->path, e));
    return p->viewed ? check_case(f, p, p->view_path, e) : JOT_OK;
}
