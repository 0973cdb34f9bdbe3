/* jail_limits.c - limits on all processes of a command together: how many, and how much memory.
 *
 * The kernel's limits are for each process or for all of a user, and the number of
 * root's processes it does not count.  Control groups do both.  Root may make one,
 * unless it is root of a container; a user may where a part of the tree was given
 * to them, as systemd does.  So this is tried, in both kinds of trees, and where it
 * does not work the supervisor's own counting is all there is. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/sandbox/jail.h"

#define GROUPS "/sys/fs/cgroup"
#define NAME "jotter-shell-"

enum { TRIES = 20 /* to remove a group whose processes have just ended */ };

/* The controllers, as both kinds of trees call what is limited. */
static const struct Controller {
    const char *name, *old_limit, *new_limit;
    const char *old_events, *new_events; /* where "oom_kill N" stands; NULL: nowhere */
} controllers[JAIL_GROUPS] = {
    { "pids", "pids.max", "pids.max", NULL, NULL },
    { "memory", "memory.limit_in_bytes", "memory.max", "memory.oom_control", "memory.events" },
};

typedef struct Making {
    Jail *jail;
    Arena *into;
    const char *limits[JAIL_GROUPS]; /* in the order of the controllers */
    char name[64];
} Making;

static Str read_some(int fd, char *room, size_t size)
{
    ssize_t n = fd < 0 ? 0 : pread(fd, room, size, 0);
    return (Str){ room, n > 0 ? (size_t)n : 0 };
}

static Str read_file(const char *path, char *room, size_t size)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    return read_some(fd, room, size);
}

static bool write_file(Str dir, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir.p, name);
    AUTO(Fd) fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool has_word(Str words, char sep, const char *word)
{
    Str one;
    while (str_cut(&words, sep, &one))
        if (str_eq(one, str(word)))
            return true;
    return str_eq(str_trim(words), str(word));
}

static int open_in(const Making *h, Str dir, const char *name, int flags)
{
    return open(arena_printf(h->into, "%s/%s", dir.p, name).p, flags | O_CLOEXEC);
}

/* A group in the directory `above`, as the i-th group; false: it cannot be made. */
static bool make(Making *h, size_t i, Str above, Str *path)
{
    *path = arena_printf(h->into, STR_FMT "/%s", STR_ARG(above), h->name);
    /* Groups that could not be removed, because something in them did not end in time, go with
     * the next one, once the process that made them is gone. */
    DIR *d = opendir(above.p);
    struct dirent *entry;
    while (d && (entry = readdir(d))) {
        Str rest = str(entry->d_name), pid;
        int64_t number;
        if (!str_starts(rest, S(NAME)))
            continue;
        rest = str_from(rest, strlen(NAME));
        if (str_cut(&rest, '-', &pid) && str_to_i64(pid, 1, INT32_MAX, &number) &&
            kill((pid_t)number, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
    }
    if (d)
        closedir(d);
    if (mkdir(path->p, 0700) != 0)
        return false;
    h->jail->groups[i].path = arena_cstr(h->into, *path);
    h->jail->groups[i].fd = open_in(h, *path, "cgroup.procs", O_WRONLY);
    return h->jail->groups[i].fd >= 0;
}

/* The older kind has a tree for each controller. */
static void make_old(Making *h, size_t i, Str kind, Str where)
{
    const struct Controller *c = &controllers[i];
    Str path,
        above = arena_printf(h->into, GROUPS "/" STR_FMT STR_FMT, STR_ARG(kind), STR_ARG(where));
    if (!make(h, i, above, &path))
        return;
    if (!write_file(path, c->old_limit, h->limits[i]))
        fd_close(&h->jail->groups[i].fd);
    if (!c->old_events)
        return;
    write_file(path, "memory.memsw.limit_in_bytes", h->limits[i]); /* where swap is counted */
    h->jail->groups[i].events = open_in(h, path, c->old_events, O_RDONLY);
}

/* The newer kind has one tree.  Our own group may have no groups in it, but our parent's may. */
static void make_new(Making *h, Str where)
{
    char room[256];
    Str above = str_slice(where, 0, str_find_last(where, '/')), path, enabled = { 0 };
    static const char *const roots[] = { GROUPS, GROUPS "/unified" };
    for (size_t i = 0; i < COUNT_OF(roots) && !enabled.n; i++) {
        Str dir = arena_printf(h->into, "%s" STR_FMT, roots[i], STR_ARG(above));
        enabled = read_file(arena_printf(h->into, "%s/cgroup.subtree_control", dir.p).p, room,
                            sizeof room);
        above = enabled.n ? dir : above;
    }
    enabled = str_trim(enabled);
    if (!has_word(enabled, ' ', "pids") && !has_word(enabled, ' ', "memory"))
        return;
    if (!make(h, 0, above, &path))
        return;
    for (size_t i = 0; i < COUNT_OF(controllers); i++)
        if (has_word(enabled, ' ', controllers[i].name) &&
            !write_file(path, controllers[i].new_limit, h->limits[i]))
            fd_close(&h->jail->groups[0].fd);
    write_file(path, "memory.swap.max", "0");
    write_file(path, "memory.oom.group", "1"); /* all of them end, not one in the middle */
    h->jail->groups[0].events = open_in(h, path, "memory.events", O_RDONLY);
}

void jail_limits(Jail *j, unsigned processes_max, Arena *into)
{
    struct timespec now;
    char room[4096];
    Making h = { .jail = j, .into = into };
    Str all = read_file("/proc/self/cgroup", room, sizeof room), line;
    h.limits[0] = arena_printf(into, "%u", processes_max).p;
    h.limits[1] = arena_printf(into, "%llu", (unsigned long long)j->memory_bytes).p;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(h.name, sizeof h.name, NAME "%d-%ld", getpid(), now.tv_nsec);
    while (str_cut(&all, '\n', &line)) {
        Str number = { 0 }, kind = { 0 };
        if (!str_cut(&line, ':', &number) || !str_cut(&line, ':', &kind))
            continue;
        for (size_t i = 0; i < COUNT_OF(controllers); i++)
            if (!j->groups[i].path && has_word(kind, ',', controllers[i].name))
                make_old(&h, i, kind, line);
        if (str_eq(number, S("0")) && !kind.n && !j->groups[0].path && !j->groups[1].path)
            make_new(&h, line);
    }
    for (size_t i = 0; i < COUNT_OF(j->groups); i++)
        if (j->groups[i].fd < 0 && j->groups[i].path) {
            rmdir(j->groups[i].path);
            j->groups[i].path = NULL;
        }
}

bool jail_limits_have_memory(const Jail *j)
{
    for (size_t i = 0; i < COUNT_OF(j->groups); i++)
        if (j->groups[i].path && j->groups[i].events >= 0)
            return true;
    return false;
}

bool jail_limits_starved(const Jail *j)
{
    char room[1024];
    for (size_t i = 0; i < COUNT_OF(j->groups); i++) {
        Str all = read_some(j->groups[i].events, room, sizeof room), line;
        while (str_cut(&all, '\n', &line))
            if (str_starts(line, S("oom_kill ")) && !str_eq(line, S("oom_kill 0")))
                return true;
    }
    return false;
}

void jail_limits_done(Jail *j)
{
    for (size_t i = 0; i < COUNT_OF(j->groups); i++) {
        JailGroup *h = &j->groups[i];
        fd_close(&h->fd);
        fd_close(&h->events);
        for (int k = 0; h->path && k < TRIES && rmdir(h->path) != 0 && errno == EBUSY; k++)
            nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
        h->path = NULL;
    }
}
