/* session.c - what a command works with: the open pad, and bytes from outside. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cli/cmd.h"
#include "cli/last_pad.h"
#include "memory/lease.h"

/* The first write to the user's own pad says where that is: nobody named it. */
static void say_own(Session *s)
{
    AUTO(Memory) there = { 0 };
    MemoryOptions o = { .by = s->by, .read_only = true };
    if (!s->json && memory_open(&there, s->where.url, &o, &(Err){ 0 }) == JOT_NOT_FOUND)
        say("this makes your own pad, " STR_FMT "; 'jotter init' makes one for a directory",
            STR_ARG(s->where.url));
}

/* The directory of a project was named, and its pad was meant. */
static void name_inner(Session *s)
{
    AUTO(Memory) there = { 0 };
    Str inner = arena_printf(&s->arena, STR_FMT "/.jotter", STR_ARG(s->where.url));
    MemoryOptions o = { .by = s->by, .read_only = true };
    if (s->err.status == JOT_NOT_FOUND && str_starts(s->where.url, S("files:")) &&
        memory_open(&there, inner, &o, &(Err){ 0 }) == JOT_OK)
        err_set(&s->err, JOT_NOT_FOUND,
                "there is no pad here, but there is one in .jotter below it");
}

jot_status session_open(Session *s, bool create)
{
    s->found = (SafeFound){ .path = s->where.found };
    MemoryOptions o = { .by = s->by, .create = create, .found = s->where.found ? &s->found : NULL };
    Shown shown;
    if (!s->where.url.n)
        return where_check(&s->where, &s->err);
    if (create && !s->where.named && !s->where.found)
        say_own(s);
    /* It may be another pad than the user thinks of: the nearest, or one that a variable names. */
    if (where_check(&s->where, &s->err) != JOT_OK ||
        memory_open(&s->memory, s->where.url, &o, &s->err) != JOT_OK) {
        name_inner(s);
        return err_at(&s->err, "pad '%s'", err_show(&shown, url_bare(&s->arena, s->where.url)));
    }
    if (s->lease)
        lease_adopt(&s->memory, s->lease);
    last_pad_check(s);
    return JOT_OK;
}

jot_status session_look(Session *s, bool *there)
{
    jot_status st = session_open(s, false);
    *there = st == JOT_OK;
    if (st != JOT_NOT_FOUND)
        return st;
    s->err = (Err){ 0 };
    return JOT_OK;
}

jot_status session_open_any(Session *s, bool *there)
{
    /* One that somebody named is meant to be there; the user's own comes with the first write. */
    if (s->where.named) {
        *there = true;
        return session_open(s, false);
    }
    TRY(session_look(s, there));
    if (!*there && !s->json)
        say("there is no pad yet: the first write makes " STR_FMT, STR_ARG(s->where.url));
    return JOT_OK;
}

jot_status session_judge(Session *s)
{
    Shown shown;
    SafeFound found = { .path = s->where.found };
    if (!s->where.found || safe_judge_path(&io_system, &found, &s->err) == JOT_OK)
        return JOT_OK;
    return err_at(&s->err, "pad '%s'", err_show(&shown, url_bare(&s->arena, s->where.url)));
}

static jot_status read_all(Session *s, int fd, const char *name, size_t max, Str *out)
{
    AUTO(Buf) text = { .max = max + 1 };
    for (;;) {
        /* One byte more than allowed is enough to know. */
        size_t room = text.max - text.n < 65536 ? text.max - text.n : 65536;
        ssize_t got = read(fd, buf_room(&text, room), room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_errno(&s->err, errno, "could not read %s", name);
        buf_grew(&text, (size_t)got);
        if (text.n > max)
            return err_set(&s->err, JOT_TOO_BIG, "%s is larger than %zu bytes", name, max);
        if (got == 0)
            break;
    }
    *out = arena_copy(&s->arena, buf_str(&text));
    return JOT_OK;
}

/* Who typed only the command waits for it, and it for them. */
static void warn_waiting(const Session *s)
{
    if (!s->json && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1)
        fputs("jotter: type the text; Ctrl-D at the beginning of a line ends it\n", stderr);
}

jot_status read_input(Session *s, size_t max, Str *out)
{
    warn_waiting(s);
    return read_all(s, STDIN_FILENO, "standard input", max, out);
}

jot_status read_file(Session *s, const char *path, size_t max, Str *out)
{
    Shown shown;
    const char *name = err_show(&shown, str(path));
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_errno(&s->err, errno, "could not open '%s'", name);
    return read_all(s, fd, arena_printf(&s->arena, "'%s'", name).p, max, out);
}

jot_status check_text(Session *s, const char *what, Str text)
{
    return utf8_check(what, text, &s->err);
}

jot_status check_prefix(Session *s, Str prefix)
{
    Shown shown;
    if (prefix.n == 0 || str_find(prefix, '/') < prefix.n)
        return JOT_OK;
    const char *name = err_show(&shown, prefix);
    return err_set(
        &s->err, JOT_INVALID,
        "the prefix '%s' has no kind in front: use notes/%s, or another kind: memories/, "
        "artifacts/, runs/",
        name, name);
}
