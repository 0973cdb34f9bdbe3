/* confine.c - running a command: what it writes, how long it may, how it ended.
 *
 *     jotter (this file)             supervisor (supervisor.c)        command
 *       | fork ------------------------> | fork -----------------------> | jail_enter.c:
 *       |                                |                               | limits, walls, exec
 *       | <------------ output (pipe) ---------------------------------- | stdout, stderr
 *       | --- control: TERM, KILL -----> | counts processes, memory,     |
 *       |     (closed: KILL)             | disk; kills all of them when  |
 *       | <---------- report: how ------ | the command has ended         x
 *       | plant_after(): what was left   x
 *
 * This process reads the output and watches the clock.  It never signals the command
 * itself: only the supervisor, its parent, knows that the number is still the command's.
 * The end of the control channel means KILL, so a command does not outlive us.
 *
 * Output is kept in two pieces, because what matters is at the beginning or at the end:
 * the first three quarters of the room fill once, the rest is a ring.
 *
 * Time is the real one, whatever clock the pad has: limits on a real process are. */
#include "agent/sandbox/confine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

#include <dirent.h>

#include "agent/sandbox/supervisor.h"
#include "base/time.h"

enum {
    TICK_MS = 50,                         /* between two looks at cancelled() */
    PATIENCE_MS = JAIL_ENDING_MS + 10000, /* for the supervisor to kill everything */
    TRY_MS = 60000, /* only keeps a mistake from hanging: a busy machine takes a while */
};

const char *confine_name(ConfineHow how)
{
    static const char *const names[] = { "best", "bwrap", "landlock", "none" };
    return (size_t)how < COUNT_OF(names) ? names[how] : "?";
}

/* --- Output: the beginning and the end ----------------------------------------------------- */

typedef struct Output {
    char *head, *tail; /* the tail is a ring */
    size_t head_max, tail_max;
    uint64_t total;
} Output;

static void take(Output *o, const char *bytes, size_t n)
{
    size_t at = o->total < o->head_max ? (size_t)o->total : o->head_max;
    size_t first = n < o->head_max - at ? n : o->head_max - at;
    assert(at <= o->head_max);
    memcpy(o->head + at, bytes, first);
    o->total += n;
    /* Of the rest only the end can stay; it goes to the ring in one piece or two. */
    size_t rest = n - first, kept = rest < o->tail_max ? rest : o->tail_max;
    if (!kept)
        return;
    size_t to = (size_t)((o->total - kept - o->head_max) % o->tail_max);
    size_t piece = kept < o->tail_max - to ? kept : o->tail_max - to;
    memcpy(o->tail + to, bytes + n - kept, piece);
    memcpy(o->tail, bytes + n - kept + piece, kept - piece);
}

static void show(const Output *o, Arena *into, Confined *out)
{
    uint64_t behind = o->total > o->head_max ? o->total - o->head_max : 0;
    size_t kept = behind < o->tail_max ? (size_t)behind : o->tail_max;
    AUTO(Buf) tail = { 0 };
    for (uint64_t i = behind - kept; i < behind; i++)
        buf_add_char(&tail, o->tail[i % o->tail_max]);
    out->head = (Str){ o->head, o->total < o->head_max ? (size_t)o->total : o->head_max };
    out->tail = arena_copy(into, buf_str(&tail));
    out->left_out = behind - kept;
}

/* --- One command --------------------------------------------------------------------------- */

typedef struct Watch {
    const ConfineJob *job;
    Fd output, report, control;
    Output text;
    SupervisorReport said;
    bool told; /* `said` is there */
    bool flooded, timed_out, cancelled;
    int64_t end_at; /* when time is up; later: when patience is */
} Watch;

static void say(Watch *w, char word, int64_t patience_ms)
{
    ssize_t sent = send(w->control, &word, 1, MSG_NOSIGNAL);
    (void)sent; /* a supervisor that is gone has reported */
    w->end_at = time_steady_ms() + patience_ms;
}

static void read_output(Watch *w)
{
    char chunk[65536];
    ssize_t n = read(w->output, chunk, sizeof chunk);
    if (n > 0)
        take(&w->text, chunk, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        fd_close(&w->output);
    if (w->text.total > CONFINE_FLOOD_BYTES && !w->flooded && !w->told) {
        w->flooded = true;
        say(w, SUPERVISOR_KILL, PATIENCE_MS);
    }
}

static void read_report(Watch *w)
{
    SupervisorReport r = { 0 };
    ssize_t n = read(w->report, &r, sizeof r);
    if (n == (ssize_t)sizeof r && !w->told) {
        w->said = r;
        w->told = true;
        w->end_at = time_steady_ms() + PATIENCE_MS; /* for the rest of the output */
    } else if (n <= 0 && !(n < 0 && errno == EINTR)) {
        fd_close(&w->report); /* the supervisor has ended */
    }
}

/* False: even the supervisor does not end.  A command that has ended is neither late nor cancelled.
 */
static bool check_time(Watch *w)
{
    const ConfineJob *j = w->job;
    if (w->told)
        return true;
    bool ending = w->timed_out || w->flooded || w->cancelled;
    if (!w->cancelled && j->cancelled && j->cancelled(j->ctx)) {
        w->cancelled = true;
        say(w, SUPERVISOR_KILL, PATIENCE_MS);
    } else if (!ending && time_steady_ms() >= w->end_at) {
        w->timed_out = true;
        say(w, SUPERVISOR_TERM, CONFINE_GRACE_MS + PATIENCE_MS);
    } else if (ending && time_steady_ms() >= w->end_at) {
        return false;
    }
    return true;
}

/* Until the supervisor has ended and all output is read. */
static jot_status watch(Watch *w, Err *e)
{
    while (w->report >= 0 || w->output >= 0) {
        struct pollfd p[] = { { .fd = w->output, .events = POLLIN },
                              { .fd = w->report, .events = POLLIN } };
        int64_t left = w->end_at - time_steady_ms();
        int wait = left < 0 ? 0 : left < TICK_MS ? (int)left : TICK_MS;
        if (poll(p, COUNT_OF(p), wait) > 0) {
            if (p[0].revents)
                read_output(w);
            if (p[1].revents)
                read_report(w);
        } else if (w->told && time_steady_ms() >= w->end_at)
            break; /* nothing came for long: what holds the pipe open is none of the command's */
        if (!check_time(w))
            return err_set(e, JOT_IO, "the command does not end, not even when it is killed");
    }
    return JOT_OK;
}

static jot_status outcome(const Watch *w, Confined *out, Err *e)
{
    if (!w->told)
        return err_set(e, JOT_IO,
                       "the command's supervisor was killed; what the command did is not "
                       "known");
    if (w->said.end == SUPERVISOR_FAILED)
        return err_errno(e, w->said.code, "the command was not run: could not set up '%s'",
                         w->said.what);
    /* We may have spoken too late: the supervisor knows whether it was still running. */
    if (w->said.end == SUPERVISOR_LEFT)
        return err_set(e, JOT_IO,
                       "what the command started could not be killed and may still be at work; "
                       "what it does is not known");
    bool stopped = w->said.stopped;
    if (w->cancelled && stopped)
        return err_set(e, JOT_CANCELLED, "the command was cancelled and killed");
    out->code = w->said.code;
    out->end = w->said.end == SUPERVISOR_SIGNALLED ? CONFINE_SIGNALLED : CONFINE_EXITED;
    if (w->said.end == SUPERVISOR_SWARMED)
        out->end = CONFINE_SWARMED;
    else if (w->said.end == SUPERVISOR_MEMORY)
        out->end = CONFINE_MEMORY;
    else if (w->said.end == SUPERVISOR_DISK)
        out->end = CONFINE_DISK;
    else if (w->timed_out && stopped)
        out->end = CONFINE_TIMED_OUT;
    else if (w->flooded && stopped)
        out->end = CONFINE_FLOODED;
    return JOT_OK;
}

static jot_status make_pipe(Fd *in, Fd *out, Err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_errno(e, errno, "could not make a pipe");
    *in = ends[0];
    *out = ends[1];
    return JOT_OK;
}

static jot_status start(Watch *w, Jail *j, pid_t *supervisor, Err *e)
{
    AUTO(Fd) control = FD_NONE;
    AUTO(Fd) report = FD_NONE;
    TRY(make_pipe(&w->output, &j->output, e));
    TRY(make_pipe(&w->report, &report, e));
    /* A pair of sockets, because a word to a supervisor that is gone must not be a signal to us. */
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return err_errno(e, errno, "could not make a pair of sockets");
    control = ends[0];
    w->control = ends[1];
    *supervisor = fork();
    if (*supervisor < 0)
        return err_errno(e, errno, "could not start a process");
    if (*supervisor == 0) {
        close(w->control);
        close(w->output);
        close(w->report);
        supervisor_run(j, control, report);
    }
    fd_close(&j->output);
    return JOT_OK;
}

/* How many threads this user has: RLIMIT_NPROC counts all of them, and a browser has hundreds in a
 * few processes.  The directory of a process's threads has a link for each, and two of its own.
 * Root has no such limit. */
static uint64_t threads_of_user(void)
{
    DIR *d = opendir("/proc");
    struct dirent *entry;
    struct stat info;
    uint64_t n = 0;
    while (d && (entry = readdir(d))) {
        char tasks[sizeof entry->d_name + sizeof "/task"];
        snprintf(tasks, sizeof tasks, "%s/task", entry->d_name);
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
            fstatat(dirfd(d), tasks, &info, 0) == 0 && info.st_uid == getuid())
            n += info.st_nlink > 2 ? info.st_nlink - 2 : 1;
    }
    if (d)
        closedir(d);
    return n;
}

static jot_status make_jail(const ConfineJob *job, Arena *into, Jail *j, Err *e)
{
    j->cwd = job->workdir->path.p;
    j->workdir_fd = job->workdir->dir;
    j->time_ms = job->time_ms;
    /* At most three quarters of what the machine has. */
    struct sysinfo s;
    uint64_t want = job->memory_bytes ? job->memory_bytes : CONFINE_MEMORY_BYTES;
    uint64_t most = sysinfo(&s) == 0 ? (uint64_t)s.totalram * s.mem_unit / 4 * 3 : want;
    j->memory_bytes = want < most ? want : most;
    j->disk_bytes = job->disk_bytes ? job->disk_bytes : CONFINE_DISK_BYTES;
    /* More than the supervisor allows, so that it is the supervisor who says why. */
    unsigned max = CONFINE_PROCESSES_MAX + CONFINE_PROCESSES_MAX / 4;
    jail_limits(j, max, into);
    if (getuid() != 0)
        j->nproc = threads_of_user() + CONFINE_SPARE + max;
    switch (job->how) {
    case CONFINE_BWRAP:
        return jail_bwrap(job, into, j, e);
    case CONFINE_LANDLOCK:
        return jail_landlock(job, into, j, e);
    case CONFINE_NOT:
        return jail_open(job, into, j, e);
    case CONFINE_BEST:
    case CONFINE_HOWS:
        break;
    }
    return err_set(e, JOT_INVALID, "no mechanism was chosen");
}

/* A command that may write all of it is not confined, or can change the machine's settings. */
static bool cannot_be_given(Str dir)
{
    static const char *const never[] = { "/proc", "/sys", "/dev" };
    for (size_t i = 0; i < COUNT_OF(never); i++) {
        size_t n = strlen(never[i]);
        if (str_starts(dir, str(never[i])) && (dir.n == n || dir.p[n] == '/'))
            return !str_starts(dir, S("/dev/shm/"));
    }
    return dir.n == 1;
}

jot_status confine_run(const ConfineJob *job, Arena *into, Confined *out, Err *e)
{
    AUTO(Jail) j = jail_none();
    Watch w = { .job = job, .output = FD_NONE, .report = FD_NONE, .control = FD_NONE };
    pid_t supervisor = -1;
    AUTO(PlantWatch) plants = { 0 };
    *out = (Confined){ 0 };
    assert(job->time_ms > 0 && job->output_max > 0 && job->workdir->dir >= 0);
    if (cannot_be_given(job->workdir->path) && job->how != CONFINE_NOT)
        return err_set(e, JOT_UNSUPPORTED,
                       "a command cannot be confined to '/', /proc, /sys or /dev: use another "
                       "working directory");
    if (job->how != CONFINE_NOT) {
        plant_before(&plants, job->workdir);
        j.plants = &plants;
    }
    TRY(make_jail(job, into, &j, e));
    w.text = (Output){ .head_max = job->output_max - job->output_max / 4,
                       .tail_max = job->output_max / 4 };
    w.text.head = arena_alloc(into, w.text.head_max, 1);
    w.text.tail = arena_alloc(into, w.text.tail_max, 1);
    jot_status st = start(&w, &j, &supervisor, e);
    w.end_at = time_steady_ms() + job->time_ms;
    if (st == JOT_OK)
        st = watch(&w, e);
    fd_close(&w.control);
    if (supervisor > 0 && st != JOT_OK)
        kill(supervisor, SIGKILL);
    if (supervisor > 0)
        while (waitpid(supervisor, NULL, 0) < 0 && errno == EINTR)
            continue;
    fd_close(&w.output);
    fd_close(&w.report);
    if (j.plants && supervisor > 0)
        plant_after(&plants, into, &out->planted);
    TRY(st);
    show(&w.text, into, out);
    return outcome(&w, out, e);
}

/* --- Which mechanism ------------------------------------------------------------------------ */

jot_status confine_try(const Workdir *workdir, ConfineHow how, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Confined c;
    ConfineJob job = { .workdir = workdir,
                       .command = S("exit 42"),
                       .how = how,
                       .time_ms = TRY_MS,
                       .output_max = 1024 };
    TRY(confine_run(&job, &arena, &c, e));
    if (c.end == CONFINE_EXITED && c.code == 42)
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_UNSUPPORTED, "%s does not work here: %s", confine_name(how),
                   err_show(&shown, c.head));
}

jot_status confine_best(const Workdir *workdir, ConfineHow *out, Err *e)
{
    Err first = { 0 };
    for (ConfineHow how = CONFINE_BWRAP; how <= CONFINE_LANDLOCK; how++) {
        Err *why = how == CONFINE_BWRAP ? &first : e;
        if (confine_try(workdir, how, why) == JOT_OK) {
            *out = how;
            return JOT_OK;
        }
    }
    Err second = *e;
    return err_set(e, JOT_UNSUPPORTED, "commands cannot be confined here: %.90s; %.90s", first.text,
                   second.text);
}
