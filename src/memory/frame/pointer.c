/* pointer.c - pointers in words: what each reader has to say to get something. */
#include "memory/frame/pointer.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/frame.h"

/* `before`, a name, `after`. */
static Str around(const char *before, Str name, const char *after, Arena *into)
{
    AUTO(Buf) text = { 0 };
    buf_add(&text, str(before));
    frame_name_add(&text, name);
    buf_add(&text, str(after));
    return arena_copy(into, buf_str(&text));
}

/* The same as a command: a name is one word of a shell, whatever is in it, and nothing in it runs.
 */
static Str command(const char *before, Str name, const char *after, Arena *into)
{
    Str word = arena_shell_word(into, name);
    return arena_printf(into, "%s" STR_FMT "%s", before, STR_ARG(word), after);
}

Str point_note(unsigned reach, Str key, Arena *into)
{
    if (reach == POINT_SHELL)
        return command("jotter read ", key, "", into);
    return around(reach & POINT_NOTES ? "scratchpad_read key=" : "jotter://notes/", key, "", into);
}

Str point_notes(unsigned reach, const char *prefix, Arena *into)
{
    if (prefix[0] == '\0' && reach == POINT_SHELL)
        return S("jotter list");
    if (prefix[0] == '\0')
        return reach & POINT_NOTES ? S("scratchpad_list") : S("jotter://notes");
    if (reach == POINT_SHELL)
        return command("jotter list ", str(prefix), "", into);
    return around(reach & POINT_NOTES ? "scratchpad_list prefix=" : "jotter://notes/", str(prefix),
                  "", into);
}

Str point_work(unsigned reach)
{
    return reach == POINT_SHELL ? S("jotter status") : (Str){ 0 };
}

static Str run_address(const char *run, Arena *into)
{
    return around("jotter://runs/", str(run), "", into);
}

Str point_record(unsigned reach, const char *run, uint64_t seq, Arena *into)
{
    unsigned long long n = seq;
    if (reach == POINT_SHELL)
        return arena_printf(into, "jotter runs read %s --record %llu", run, n);
    return reach & POINT_RUNS ? arena_printf(into, "run_read run=%s record=%llu", run, n)
                              : run_address(run, into);
}

Str point_results(unsigned reach, const char *run, uint64_t from, uint64_t to, Arena *into)
{
    Str a = from ? arena_printf(into, "%llu", (unsigned long long)from) : S("N");
    Str b = from ? arena_printf(into, "%llu", (unsigned long long)to) : S("N");
    if (reach == POINT_SHELL)
        return arena_printf(into, "jotter runs results %s --from " STR_FMT " --to " STR_FMT, run,
                            STR_ARG(a), STR_ARG(b));
    return reach & POINT_RUNS
               ? arena_printf(into, "run_results run=%s from=" STR_FMT " to=" STR_FMT, run,
                              STR_ARG(a), STR_ARG(b))
               : run_address(run, into);
}

Str point_open(unsigned reach, const char *run, Arena *into)
{
    if (reach == POINT_SHELL)
        return arena_printf(into, "jotter runs unfinished %s", run);
    return reach & POINT_RUNS ? arena_printf(into, "run_read run=%s", run) : run_address(run, into);
}

Str point_usage(unsigned reach, const char *run, Arena *into)
{
    if (reach == POINT_SHELL)
        return arena_printf(into, "jotter runs usage %s", run);
    return reach & POINT_RUNS ? arena_printf(into, "run_usage run=%s", run)
                              : run_address(run, into);
}

Str point_state(unsigned reach, Str agent, Arena *into)
{
    if (reach & POINT_CYCLES)
        return around("cycle_status agent=", agent, "", into);
    if (reach & POINT_NOTES)
        return around("scratchpad_read key=cycles/", agent, "", into);
    if (reach == POINT_SHELL)
        return command("jotter cycle read --agent ", agent, "", into);
    return (Str){ 0 };
}

Str point_kept(unsigned reach, Str call, Str stream, Str shown, Arena *into)
{
    char after[32];
    if (reach == POINT_SHELL) {
        snprintf(after, sizeof after, " --bytes %zu", shown.n);
        return command("jotter sink read ", call, shown.n ? after : "", into);
    }
    if (!(reach & POINT_NOTES))
        return around("jotter://", stream, "", into);
    return point_after(around("scratchpad_read key=", stream, "", into), shown, into);
}

Str point_after(Str pointer, Str shown, Arena *into)
{
    if (!str_starts(pointer, S("scratchpad_read ")) && !str_starts(pointer, S("run_read ")))
        return pointer;
    return arena_printf(into, STR_FMT " from_char=%zu", STR_ARG(pointer), utf8_count(shown) + 1);
}
