/* lock.c - waiting with a deadline, and locks that end with their process.
 *
 * Which descriptors a forked child must close is the one thing here that belongs
 * to the process and not to a handle: only a handler of pthread_atfork runs in the
 * child before anybody else does. */
#include "base/lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    PAUSE_US_MIN = 50,
    PAUSE_US_MAX = 2000,
    TURN_PAUSE_US_MAX = 200, /* only one process at a time looks this often */
    TURN_WAIT_MS = 100,
};

Patience patience_new(const Io *io, int64_t wait_ms, int64_t pause_us, int64_t pause_us_max)
{
    assert(pause_us > 0 && pause_us_max >= pause_us);
    return (Patience){ .io = io,
                       .started_ms = io_awake_ms(io),
                       .wait_ms = wait_ms,
                       .pause_us = pause_us,
                       .pause_us_max = pause_us_max };
}

/* What is left, in microseconds, by the clock and by the sleeping done, whichever is less: a test's
 * clock may stand still, and a machine may have slept meanwhile. */
static int64_t left_us(const Patience *p)
{
    int64_t by_clock = p->wait_ms - (io_awake_ms(p->io) - p->started_ms);
    int64_t by_sleep = p->wait_ms * 1000 - p->slept_us;
    return by_clock * 1000 < by_sleep ? by_clock * 1000 : by_sleep;
}

bool patience_pause(Patience *p)
{
    int64_t left = p->wait_ms > 0 ? left_us(p) : 0;
    if (left <= 0)
        return false;
    uint8_t random = 0;
    io_random(p->io, &random, sizeof random);
    /* Between half of the pause and all of it. */
    int64_t pause = p->pause_us / 2 + p->pause_us * random / 510;
    if (pause > left)
        pause = left;
    io_sleep_us(p->io, pause);
    p->slept_us += pause;
    p->pause_us = p->pause_us * 2 < p->pause_us_max ? p->pause_us * 2 : p->pause_us_max;
    return true;
}

static int wait_with(const Io *io, int fd, short kind, off_t byte, Patience p)
{
    int got = io_lock(io, fd, kind, byte);
    while (got == -EAGAIN && patience_pause(&p))
        got = io_lock(io, fd, kind, byte);
    return got;
}

int lock_wait(const Io *io, int fd, short kind, off_t byte, int64_t wait_ms)
{
    assert(kind == F_RDLCK || kind == F_WRLCK);
    return wait_with(io, fd, kind, byte, patience_new(io, wait_ms, PAUSE_US_MIN, PAUSE_US_MAX));
}

int lock_wait_turn(const Io *io, int fd, off_t byte, off_t turn, int64_t wait_ms)
{
    assert(byte != turn);
    int64_t started_ms = io_awake_ms(io);
    /* First the turn, then the lock: who has the turn is the only one that looks often, so who lets
     * go and comes again at once finds somebody ahead of it.  Whoever does not get the turn in time
     * goes on without: a process that was stopped with it must not stop everybody. */
    int64_t polite_ms = wait_ms < TURN_WAIT_MS ? wait_ms : TURN_WAIT_MS;
    bool mine = lock_wait(io, fd, F_WRLCK, turn, polite_ms) == 0;
    int64_t left_ms = wait_ms - (io_awake_ms(io) - started_ms);
    int64_t pause_max = mine ? TURN_PAUSE_US_MAX : PAUSE_US_MAX;
    int got = wait_with(io, fd, F_WRLCK, byte, patience_new(io, left_ms, PAUSE_US_MIN, pause_max));
    if (mine)
        lock_release(io, fd, turn);
    return got;
}

void lock_release(const Io *io, int fd, off_t byte)
{
    /* Nothing can be done about a failure; closing the descriptor releases it too. */
    (void)io_lock(io, fd, F_UNLCK, byte);
}

/* --- Forks ------------------------------------------------------------------------------- */

/* Descriptors that are not for children.  No fork happens while `forks` is held.  It is recursive,
 * for a hook of io may itself open something. */
static pthread_mutex_t forks = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct {
    Fd *items;
    size_t n, cap;
} own;

static void before_fork(void)
{
    pthread_mutex_lock(&forks);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&forks);
}

static void in_child(void)
{
    for (size_t i = 0; i < own.n; i++)
        close(own.items[i]);
    own.n = 0;
    /* It belongs to a thread of the parent, so nobody here can unlock it. */
    forks = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static bool watched;

static void watch_forks(void)
{
    watched = pthread_atfork(before_fork, after_fork, in_child) == 0;
}

/* Room for one more.  Memory that runs out is an answer here: nobody may leave with the mutex. */
static bool make_room(void)
{
    if (own.n < own.cap)
        return true;
    size_t cap = own.cap ? own.cap * 2 : 8;
    Fd *grown = realloc(own.items, cap * sizeof *grown);
    if (!grown)
        return false;
    own.items = grown;
    own.cap = cap;
    return true;
}

int lock_open(const Io *io, int dir, const char *name, int flags, mode_t mode)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&forks);
    /* Opened and remembered in one step, as far as forks can see: a child that is made between the
     * two would keep the parent's locks alive after the parent's death. */
    int fd = watched ? io_open(io, dir, name, flags, mode) : -ENOMEM;
    if (fd >= 0 && make_room()) {
        own.items[own.n++] = fd;
    } else if (fd >= 0) {
        fd_close(&fd);
        fd = -ENOMEM;
    }
    pthread_mutex_unlock(&forks);
    return fd;
}

void lock_close(const Io *io, Fd *fd)
{
    if (*fd < 0)
        return;
    pthread_mutex_lock(&forks);
    size_t i = 0;
    while (i < own.n && own.items[i] != *fd)
        i++;
    if (i < own.n)
        own.items[i] = own.items[--own.n];
    if (own.n == 0) {
        free(own.items);
        own.items = NULL;
        own.cap = 0;
    }
    pthread_mutex_unlock(&forks);
    /* Released before it is closed: a child may share it still, and would keep the locks. */
    (void)io_unlock_all(io, *fd);
    fd_close(fd);
}
