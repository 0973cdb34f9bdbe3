/* line.c - walking over the lines of a stream file, forwards and backwards.
 *
 * A body never contains a raw newline, so '\n' ends a record and nothing else.
 * The window is read in steps that double, so that a short line costs one read,
 * a long one costs its length, and many are not read one by one.
 *
 * A line longer than any record is damage, or zeros where a write was torn.  It
 * is passed over without being kept, and one byte stands for it. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "store/files/files.h"

enum {
    STEP_MIN = 8 * 1024,
    STEP_MAX = 16 * 1024,
    STEP_BACK_MIN = 4 * 1024 /* mostly one record is wanted */
};

static const Str no_record = { "\n", 1 };
static const Str no_end = { "?", 1 }; /* the same for bytes after the last '\n' */

void lines_init(Lines *l, const Io *io, int fd, off_t at, off_t end)
{
    assert(at >= 0 && at <= end);
    *l = (Lines){ .io = io, .fd = fd, .at = at, .end = end, .start = at, .step = STEP_MIN };
    l->window.max = 2 * (size_t)RECORD_LINE_MAX;
}

void lines_done(Lines *l)
{
    buf_free(&l->window);
}

/* Append up to `n` more bytes of the file to the window. */
static int read_more(Lines *l, size_t n)
{
    off_t from = l->start + (off_t)l->window.n;
    if ((off_t)n > l->end - from)
        n = (size_t)(l->end - from);
    if (n > l->window.max - l->window.n)
        return -EFBIG;
    ssize_t got = io_read_all(l->io, l->fd, buf_room(&l->window, n), n, from);
    if (got < 0)
        return (int)got;
    buf_grew(&l->window, (size_t)got);
    if ((size_t)got < n)
        l->end = from + got; /* somebody cut the file: what is gone does not count */
    return 0;
}

/* Drop the first `n` bytes of the window. */
static void drop_front(Lines *l, size_t n)
{
    if (n == 0)
        return;
    memmove(l->window.p, l->window.p + n, l->window.n - n);
    l->window.n -= n;
    l->start += (off_t)n;
}

int lines_next(Lines *l, Str *line, off_t *at)
{
    *line = (Str){ 0 };
    *at = l->at;
    size_t skip = (size_t)(l->at - l->start), searched = skip;
    assert(skip <= l->window.n);
    for (bool passing = false;;) {
        Str rest = str_from(buf_str(&l->window), searched);
        size_t nl = str_find(rest, '\n');
        if (nl < rest.n) {
            size_t end = searched + nl + 1;
            *line = passing ? no_record : str_slice(buf_str(&l->window), skip, end);
            l->at = l->start + (off_t)end;
            return 0;
        }
        if (l->start + (off_t)l->window.n >= l->end) {
            if (l->open && !passing) {
                *line = str_from(buf_str(&l->window), skip);
                l->at = l->end;
            }
            return 0;
        }
        drop_front(l, skip); /* what was handed out is no longer needed */
        skip = 0;
        searched = l->window.n;
        int got = read_more(l, l->window.n > l->step ? l->window.n : l->step);
        if (l->step < STEP_MAX)
            l->step *= 2;
        if (got == -EFBIG) {
            passing = true;
            drop_front(l, searched);
            searched = 0;
        } else if (got < 0) {
            return got;
        }
    }
}

/* Put `n` bytes of the file in front of the window. */
static int read_before(Lines *l, size_t n)
{
    if ((off_t)n > l->start)
        n = (size_t)l->start;
    if (n > l->window.max - l->window.n)
        return -EFBIG;
    buf_room(&l->window, n);
    memmove(l->window.p + n, l->window.p, l->window.n);
    ssize_t got = io_read_all(l->io, l->fd, l->window.p, n, l->start - (off_t)n);
    if (got < 0)
        return (int)got;
    if ((size_t)got < n)
        return -EIO;
    buf_grew(&l->window, n);
    l->start -= (off_t)n;
    return 0;
}

int lines_previous(Lines *l, Str *line, off_t *at)
{
    *line = (Str){ 0 };
    *at = l->at;
    if (l->at == 0)
        return 0;
    l->window.n = (size_t)(l->at - l->start); /* what was handed out goes */
    Str passed = no_record;
    /* The line's own '\n' is its last byte; the one before it ends its predecessor. */
    for (size_t own = 1;;) {
        Str seen = buf_str(&l->window);
        Str inner = seen.n ? str_slice(seen, 0, seen.n - own) : seen;
        size_t nl = str_find_last(inner, '\n');
        bool found = nl < inner.n;
        if (found || (l->start == 0 && (seen.n || own == 0))) {
            size_t begin = found ? nl + 1 : 0;
            *line = own ? str_from(seen, begin) : passed;
            l->at = l->start + (off_t)begin;
            *at = l->at;
            return 0;
        }
        int got = read_before(l, l->window.n > STEP_BACK_MIN ? l->window.n : STEP_BACK_MIN);
        if (got == -EFBIG) {
            if (own && seen.p[seen.n - 1] != '\n')
                passed = no_end;
            own = 0;
            l->window.n = 0;
        } else if (got < 0) {
            return got;
        }
    }
}
