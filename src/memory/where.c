/* where.c - finding the pad. */
#include "memory/where.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
        return arena_printf(into, "files:%s/jotter/pad", data);
    if (home && home[0] == '/')
        return arena_printf(into, "files:%s/.local/share/jotter/pad", home);
    return (Str){ 0 };
}

Where where_find(Str given, Arena *into)
{
    if (given.n)
        return (Where){ given, "it was named" };
    const char *pad = getenv("JOTTER_PAD");
    if (pad && pad[0])
        return (Where){ arena_copy(into, str(pad)), "JOTTER_PAD says so" };
    Str near = find_upward(into);
    if (near.n)
        return (Where){ arena_printf(into, "files:" STR_FMT, STR_ARG(near)),
                        "it is the nearest .jotter/ from here upward" };
    return (Where){ own_pad(into), "it is your own: there is no .jotter/ from here upward" };
}

jot_status where_check(const Where *w, Err *e)
{
    if (w->url.n)
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "no pad is named, and there is no place for your own: HOME is not set to an "
                   "absolute path");
}
