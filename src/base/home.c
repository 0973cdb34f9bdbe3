/* home.c - the user's own directories for what no pad may decide.
 *
 * A file is written beside its place under a random name, synced, and renamed
 * over it; a leftover of a killed writer is a few bytes nobody reads. */
#include "base/home.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/lock.h"

#define SECRET "secret"
#define LOCK "lock"

enum { LOCK_WAIT_MS = 10 * 1000 };

typedef struct Home {
    const char *variable, *below; /* "$variable/jotter", else "$HOME/below/jotter" */
    const char *name;             /* in a sentence */
} Home;

static const Home homes[] = {
    [HOME_STATE] = { "XDG_STATE_HOME", ".local/state", "your state directory" },
    [HOME_CONFIG] = { "XDG_CONFIG_HOME", ".config", "your configuration" },
};

Str home_path(HomeKind kind, Arena *into)
{
    const Home *h = &homes[kind];
    const char *own = getenv(h->variable), *home = getenv("HOME");
    if (own && own[0] == '/')
        return arena_printf(into, "%s/jotter", own);
    if (home && home[0] == '/')
        return arena_printf(into, "%s/%s/jotter", home, h->below);
    return (Str){ 0 };
}

/* --- The directory --------------------------------------------------------------------- */

static jot_status check_ours(const Io *io, const Home *h, int dir, Err *e)
{
    struct stat info;
    int got = io_fstat(io, dir, &info);
    if (got < 0)
        return err_errno(e, -got, "could not look at %s", h->name);
    /* What lies here decides what a pad may not: which rules are approved, which pads are used. */
    if (info.st_uid != geteuid() || (info.st_mode & 022))
        return err_set(e, JOT_DENIED,
                       "%s (jotter/ in %s or ~/%s) is not yours alone: it must be yours, and "
                       "nobody else may write it",
                       h->name, h->variable, h->below);
    return JOT_OK;
}

jot_status home_open(const Io *io, HomeKind kind, bool make, Fd *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    const Home *h = &homes[kind];
    Str path = home_path(kind, &arena);
    if (!path.n)
        return err_set(e, JOT_UNAVAILABLE,
                       "there is no place for %s: neither %s nor HOME is an absolute path", h->name,
                       h->variable);
    AUTO(Fd) dir = io_open_root(io, path.p);
    if (dir == -ENOENT && make) {
        int made = io_make_dirs(io, path.p);
        dir = made < 0 ? made : io_open_root(io, path.p);
    }
    if (dir == -ENOENT)
        return err_set(e, JOT_NOT_FOUND, "%s is not there yet", h->name);
    if (dir < 0)
        return err_errno(e, -dir, "could not open %s", h->name);
    TRY(check_ours(io, h, dir, e));
    *out = fd_take(&dir);
    return JOT_OK;
}

jot_status home_lock(const Io *io, HomeKind kind, Fd *out, Err *e)
{
    const Home *h = &homes[kind];
    AUTO(Fd) dir = FD_NONE;
    TRY(home_open(io, kind, true, &dir, e));
    AUTO(Fd) fd = io_open(io, dir, LOCK, O_RDWR | O_CREAT | O_NONBLOCK, 0600);
    int got = fd < 0 ? fd : lock_wait(io, fd, F_WRLCK, 0, LOCK_WAIT_MS);
    if (got == -EAGAIN)
        return err_set(e, JOT_UNAVAILABLE, "another process is changing %s", h->name);
    if (got < 0)
        return err_errno(e, -got, "could not lock %s", h->name);
    *out = fd_take(&fd);
    return JOT_OK;
}

void home_unlock(const Io *io, Fd *lock)
{
    /* A child that was forked meanwhile has the lock too, until somebody says so. */
    lock_release(io, *lock, 0);
    fd_close(lock);
}

/* --- Files ----------------------------------------------------------------------------- */

jot_status home_read(const Io *io, HomeKind kind, const char *name, Arena *into, Str *out, Err *e)
{
    const Home *h = &homes[kind];
    AUTO(Fd) dir = FD_NONE;
    TRY(home_open(io, kind, false, &dir, e));
    AUTO(Fd) fd = io_open(io, dir, name, O_RDONLY | O_NONBLOCK, 0);
    if (fd == -ENOENT)
        return err_set(e, JOT_NOT_FOUND, "%s has no '%s'", h->name, name);
    struct stat info;
    int got = fd < 0 ? fd : io_fstat(io, fd, &info);
    if (got < 0)
        return err_errno(e, -got, "could not read '%s' of %s", name, h->name);
    if (!S_ISREG(info.st_mode) || info.st_size > HOME_FILE_MAX)
        return err_set(e, JOT_TOO_BIG, "'%s' of %s is not a file of at most %d bytes", name,
                       h->name, HOME_FILE_MAX);
    char *text = arena_alloc(into, (size_t)info.st_size + 1, 1);
    ssize_t n = io_read_all(io, fd, text, (size_t)info.st_size, 0);
    if (n < 0)
        return err_errno(e, (int)-n, "could not read '%s' of %s", name, h->name);
    *out = (Str){ text, (size_t)n };
    return JOT_OK;
}

/* -EEXIST: RENAME_NOREPLACE was asked for, and there is one. */
static int place(const Io *io, int dir, const char *name, Str text, unsigned flags)
{
    char draft[64];
    snprintf(draft, sizeof draft, ".%.20s.%.16s", name, id_random(io, 8).text);
    AUTO(Fd) fd = io_open(io, dir, draft, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return fd;
    /* Its bytes are durable before it has the name, and the name before anybody is answered. */
    int got = io_write_all(io, fd, text);
    if (got == 0)
        got = io_fsync(io, fd);
    if (got == 0)
        got = io_rename(io, dir, draft, name, flags);
    if (got < 0)
        (void)io_unlink(io, dir, draft);
    return got < 0 ? got : io_fsync(io, dir);
}

jot_status home_write(const Io *io, HomeKind kind, const char *name, Str text, Err *e)
{
    const Home *h = &homes[kind];
    if (text.n > HOME_FILE_MAX)
        return err_set(e, JOT_TOO_BIG, "a file of %s has at most %d bytes", h->name, HOME_FILE_MAX);
    AUTO(Fd) dir = FD_NONE;
    TRY(home_open(io, kind, true, &dir, e));
    int got = place(io, dir, name, text, 0);
    return got < 0 ? err_errno(e, -got, "could not write '%s' of %s", name, h->name) : JOT_OK;
}

/* Of two that make one at once the first is right. */
static jot_status make_secret(const Io *io, Err *e)
{
    Hash fresh = { 0 };
    io_random(io, fresh.b, sizeof fresh.b);
    AUTO(Fd) dir = FD_NONE;
    TRY(home_open(io, HOME_STATE, true, &dir, e));
    int got = place(io, dir, SECRET, str(hash_hex(fresh).text), RENAME_NOREPLACE);
    return got < 0 && got != -EEXIST ? err_errno(e, -got, "could not keep a secret") : JOT_OK;
}

jot_status home_secret(const Io *io, Hash *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    jot_status st = home_read(io, HOME_STATE, SECRET, &arena, &text, e);
    if (st == JOT_NOT_FOUND) {
        TRY(make_secret(io, e));
        st = home_read(io, HOME_STATE, SECRET, &arena, &text, e);
    }
    TRY(st);
    if (!hash_parse(text, out))
        return err_set(e, JOT_CORRUPT,
                       "'" SECRET "' of your state directory is damaged: remove it, and another "
                       "is made");
    return JOT_OK;
}
