/* running.c - the file of a server that runs. */
#include "web/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/home.h"
#include "base/lock.h"

enum { LOCK_BYTE = 0, PAUSE_US = 10 * 1000 };

/* The line that is written there; empty: none yet. */
static Str read_line(const Io *io, int fd, Arena *into)
{
    char bytes[RUNNING_TEXT_MAX];
    ssize_t n = io_read_all(io, fd, bytes, sizeof bytes, 0);
    Str text = { bytes, n > 0 ? (size_t)n : 0 };
    return str_ends(text, S("\n")) ? arena_copy(into, str_slice(text, 0, text.n - 1)) : (Str){ 0 };
}

jot_status running_claim(const Io *io, const char *id, Arena *into, Running *out, Str *other,
                         Err *e)
{
    char name[64];
    AUTO(Fd) dir = FD_NONE;
    out->fd = FD_NONE;
    *other = (Str){ 0 };
    snprintf(name, sizeof name, "serve-%s", id);
    TRY(home_open(io, HOME_STATE, true, &dir, e));
    int fd = lock_open(io, dir, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_errno(e, -fd, "could not open '%s' in your state directory", name);
    Patience p = patience_new(io, RUNNING_WAIT_MS, PAUSE_US, PAUSE_US);
    do {
        int got = lock_wait(io, fd, F_WRLCK, LOCK_BYTE, 0);
        if (got == 0) {
            out->fd = fd;
            got = io_truncate(io, fd, 0);
            return got < 0 ? err_errno(e, -got, "could not empty '%s'", name) : JOT_OK;
        }
        if (got != -EAGAIN) {
            lock_close(io, &fd);
            return err_errno(e, -got, "could not lock '%s' in your state directory", name);
        }
        *other = read_line(io, fd, into);
    } while (!other->n && patience_pause(&p));
    lock_close(io, &fd);
    if (other->n)
        return JOT_OK;
    return err_set(e, JOT_UNAVAILABLE,
                   "another server is being started for this pad, and does not say where");
}

jot_status running_announce(const Io *io, const Running *r, Str address, Err *e)
{
    AUTO(Buf) line = { 0 };
    buf_addf(&line, STR_FMT "\n", STR_ARG(address));
    int got = io_write_at(io, r->fd, buf_str(&line), 0);
    return got < 0 ? err_errno(e, -got, "could not write where the pad is served") : JOT_OK;
}

void running_release(const Io *io, Running *r)
{
    if (r->fd != FD_NONE)
        lock_close(io, &r->fd);
}
