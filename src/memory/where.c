/* where.c - finding the pad. */
#include "memory/where.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/url.h"

/* A path as it stands in a URL: most as they are, and none is read as something else. */
static Str url_of(Str path, Arena *into)
{
    bool plain = str_find(path, '%') == path.n && str_find(path, '?') == path.n;
    return arena_printf(into, "files:" STR_FMT,
                        STR_ARG((plain ? path : url_encode(into, path, true))));
}

/* The nearest .jotter from here upward, or the empty Str.  What is no directory, or a link to
 * nothing, is taken too, and refused when it is opened: passed over, another pad would be written
 * than the one that is meant. */
static Str find_upward(Arena *into)
{
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
    return found;
}

/* The empty Str if the environment names no place: one relative to wherever we are is none. */
static Str own_pad(Arena *into)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        return url_of(arena_printf(into, "%s/jotter/pad", data), into);
    if (home && home[0] == '/')
        return url_of(arena_printf(into, "%s/.local/share/jotter/pad", home), into);
    return (Str){ 0 };
}

Where where_find(Str given, Arena *into)
{
    if (given.n)
        return (Where){ given, "it was named", true, NULL };
    const char *pad = getenv("JOTTER_PAD");
    if (pad && pad[0])
        return (Where){ arena_copy(into, str(pad)), "JOTTER_PAD says so", true, NULL };
    Str near = find_upward(into);
    if (near.n)
        return (Where){ url_of(near, into), "it is the nearest .jotter/ from here upward", false,
                        near.p };
    return (Where){ own_pad(into), "it is your own: there is no .jotter/ from here upward", false,
                    NULL };
}

Where where_in(Str dir, Arena *into)
{
    Str path = arena_printf(into, STR_FMT "%s.jotter", STR_ARG(dir), dir.n > 1 ? "/" : "");
    return (Where){ url_of(path, into), "it is the one in this directory", false, path.p };
}

jot_status where_check(const Where *w, Err *e)
{
    if (w->url.n)
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "no pad is named, and there is no place for your own: HOME is not set to an "
                   "absolute path");
}
