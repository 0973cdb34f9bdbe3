/* jail_herd.c - a limit on the number of processes that holds for root, too.
 *
 * The kernel's limit for each user does not count root's processes.  A control
 * group's does, and root may make one, unless it is root of a container.  So this
 * is tried, and where it does not work the keeper's counting is all there is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "agent/jail.h"

#define GROUPS "/sys/fs/cgroup"

enum { TRIES = 20 /* to remove a group whose processes have just ended */ };

static Str read_file(const char *path, char *room, size_t size)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, room, size);
    return (Str){ room, n > 0 ? (size_t)n : 0 };
}

static bool write_file(const char *path, const char *text)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* The group in which a new one can be made: "N:pids:PATH" for the older kind, which has a tree for
 * each controller, "0::PATH" for the newer, where ours may have no groups in it but our parent's
 * may. */
static Str find_group(Arena *into)
{
    char room[4096], control[256];
    Str all = read_file("/proc/self/cgroup", room, sizeof room), line;
    Str found = { 0 };
    while (!found.n && str_cut(&all, '\n', &line)) {
        Str number = { 0 }, kind = { 0 };
        if (!str_cut(&line, ':', &number) || !str_cut(&line, ':', &kind))
            continue;
        if (str_eq(kind, S("pids")))
            found = arena_printf(into, GROUPS "/pids" STR_FMT, STR_ARG(line));
        if (str_eq(number, S("0")) && !kind.n) {
            Str above = str_slice(line, 0, str_find_last(line, '/'));
            Str dir = arena_printf(into, GROUPS STR_FMT, STR_ARG(above));
            Str path = arena_printf(into, "%s/cgroup.subtree_control", dir.p);
            Str enabled = read_file(path.p, control, sizeof control);
            if (enabled.n && memmem(enabled.p, enabled.n, "pids", 4))
                found = dir;
        }
    }
    return found;
}

void jail_herd(Jail *j, unsigned max, Arena *into)
{
    struct timespec now;
    Str group = find_group(into);
    if (!group.n)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    Str path = arena_printf(into, "%s/jotter-shell-%d-%ld", group.p, getpid(), now.tv_nsec);
    if (mkdir(path.p, 0700) != 0)
        return;
    j->herd = arena_cstr(into, path);
    Str limit = arena_printf(into, "%s/pids.max", path.p);
    Str members = arena_printf(into, "%s/cgroup.procs", path.p);
    if (write_file(limit.p, arena_printf(into, "%u", max).p))
        j->herd_fd = open(members.p, O_WRONLY | O_CLOEXEC);
    if (j->herd_fd < 0)
        jail_disband(j);
}

void jail_disband(Jail *j)
{
    fd_close(&j->herd_fd);
    for (int i = 0; j->herd && i < TRIES && rmdir(j->herd) != 0 && errno == EBUSY; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    j->herd = NULL;
}
