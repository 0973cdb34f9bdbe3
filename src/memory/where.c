/* where.c - finding the pad.
 *
 *     named (--pad, a call)  ──►  JOTTER_PAD  ──►  ./.jotter  ../.jotter  ../../.jotter ...  ──►
 *                                                  the user's own
 *
 * The first that says something is the answer; nothing is opened, and nothing made.  What was only
 * found, and not named, is handed on as such: somebody else may have put it there, for us to find.
 */
#include "memory/where.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/url.h"

/* The empty Str if the environment names no place: one relative to wherever we are is none. */
static Str own_pad(Arena *into)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        return url_from_path(into, "files", arena_printf(into, "%s/jotter/pad", data));
    if (home && home[0] == '/')
        return url_from_path(into, "files", arena_printf(into, "%s/.local/share/jotter/pad", home));
    return (Str){ 0 };
}

/* A home is for the shell to find: a program that gets "~/x" makes a directory named '~'. */
static bool begins_with_home(Str named)
{
    return str_eq(named, S("~")) || str_starts(named, S("~/"));
}

/* What a new pad at a path is, by its name. */
static bool is_database(Str path)
{
    return str_ends(path, S(".db")) || str_ends(path, S(".sqlite")) ||
           str_ends(path, S(".sqlite3"));
}

/* As it is if it is neither a URL nor a path. */
static Str url_of(Str named, Arena *into)
{
    struct stat info;
    if (url_has_scheme(named) || begins_with_home(named))
        return named;
    bool there = stat(arena_cstr(into, named), &info) == 0;
    bool database = there ? S_ISREG(info.st_mode) : is_database(named);
    bool path = there || database || str_starts(named, S(".")) || str_find(named, '/') < named.n;
    return path ? url_from_path(into, database ? "sqlite" : "files", named) : named;
}

/* The nearest one, or one without a URL. */
static Where nearest(Arena *into)
{
    /* The nearest .jotter from here upward, or the empty Str. What is no directory, or a link
     * to nothing, is taken too, and refused when it is opened: passed over, another pad would
     * be written than the one that is meant. */
    char *here = getcwd(NULL, 0);
    Str found = { 0 };
    for (Str at = str(here); at.n && !found.n;) {
        struct stat info;
        Str path = arena_printf(into, STR_FMT "%s.jotter", STR_ARG(at), at.n > 1 ? "/" : "");
        if (lstat(path.p, &info) == 0)
            found = path;
        size_t slash = str_find_last(at, '/');
        at = at.n > 1 ? str_slice(at, 0, slash ? slash : 1) : (Str){ 0 };
    }
    free(here);
    if (!found.n)
        return (Where){ 0 };
    return (Where){ url_from_path(into, "files", found),
                    "it is the nearest .jotter/ from here upward", false, found.p };
}

Where where_find(Str given, Arena *into)
{
    if (given.n)
        return (Where){ url_of(given, into), "it was named", true, NULL };
    const char *pad = getenv("JOTTER_PAD");
    if (pad && pad[0])
        return (Where){ url_of(arena_copy(into, str(pad)), into), "JOTTER_PAD says so", true,
                        NULL };
    Where near = nearest(into);
    if (near.url.n)
        return near;
    return (Where){ own_pad(into), "it is your own: there is no .jotter/ from here upward", false,
                    NULL };
}

Where where_in(Str dir, Arena *into)
{
    Str path = arena_printf(into, STR_FMT "%s.jotter", STR_ARG(dir), dir.n > 1 ? "/" : "");
    return (Where){ url_from_path(into, "files", path), "it is the one in this directory", false,
                    path.p };
}

void where_settle(Where *w, Arena *into)
{
    Where near = str_eq(w->url, S("files:.jotter")) ? nearest(into) : (Where){ 0 };
    if (near.url.n)
        *w = near;
}

static jot_status check_named(Str url, Err *e)
{
    if (begins_with_home(url))
        return err_set(e, JOT_INVALID, "only a shell expands '~': write the path in full");
    if (url_has_scheme(url))
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "a URL begins with a scheme, as in 'files:.jotter', and no such path is there: "
                   "put ./ in front of a new one");
}

jot_status where_url(Str named, Arena *into, Str *out, Err *e)
{
    *out = url_of(named, into);
    return check_named(*out, e);
}

jot_status where_check(const Where *w, Err *e)
{
    if (w->url.n)
        return check_named(w->url, e);
    return err_set(e, JOT_INVALID,
                   "no pad is named, and there is no place for your own: HOME is not set to an "
                   "absolute path");
}
