/* descendants.c - reading /proc, without allocating. */
#include "agent/sandbox/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SEEN_MAX = 32 * 1024,        /* processes of the machine that are looked at in one round */
    PID_LIMIT = 4 * 1024 * 1024, /* the kernel's own */
};

#define UNKNOWN_BYTES (UINT64_C(1) << 48) /* more than anybody may have; many can be added up */

static int proc = -1; /* the directory */

bool descendants_begin(void)
{
    proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return proc >= 0;
}

/* --- Who is below -------------------------------------------------------------------------- */

typedef struct Seen {
    pid_t pid, parent;
} Seen;

/* Not on the stack: they are large, and there is one supervisor in a process. */
static Seen seen[SEEN_MAX];
static unsigned char below[PID_LIMIT / 8]; /* a bit for each process */

static bool is_below(pid_t pid)
{
    return pid > 0 && pid < PID_LIMIT && (below[pid / 8] >> pid % 8 & 1);
}

static pid_t number(const char *p)
{
    long n = 0;
    for (; *p >= '0' && *p <= '9' && n < INT32_MAX / 10; p++)
        n = n * 10 + (*p - '0');
    return (pid_t)n;
}

/* A file of a process, as far as there is room; followed by a NUL. */
static bool read_of(const char *pid, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%.20s/%s", pid, name);
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* The parent of a process, from "PID (NAME) STATE PARENT ..."; the name may hold anything. */
static pid_t parent_of(const char *pid)
{
    char text[512];
    if (!read_of(pid, "stat", text, sizeof text))
        return 0;
    const char *end = strrchr(text, ')');
    return end && end[1] && end[2] ? number(end + 4) : 0;
}

static size_t look(void)
{
    char names[8192];
    size_t n = 0;
    long got;
    lseek(proc, 0, SEEK_SET);
    while ((got = syscall(SYS_getdents64, proc, names, sizeof names)) > 0)
        for (long at = 0; at < got;) {
            /* The kernel's layout: inode, offset, length of this one, type, name. */
            unsigned short length;
            const char *name = names + at + 19;
            memcpy(&length, names + at + 16, sizeof length);
            if (name[0] >= '0' && name[0] <= '9' && n < SEEN_MAX)
                seen[n++] = (Seen){ .pid = number(name), .parent = parent_of(name) };
            at += length;
        }
    return n;
}

/* Mark what is below this process; returns how many those are.  Children mostly come after their
 * parents, so that two passes do. */
static size_t mark(size_t n)
{
    size_t marked = 0, before;
    pid_t self = getpid();
    memset(below, 0, sizeof below);
    do {
        before = marked;
        for (size_t i = 0; i < n; i++) {
            pid_t pid = seen[i].pid;
            bool mine = seen[i].parent == self || is_below(seen[i].parent);
            if (!mine || is_below(pid) || pid <= 0 || pid >= PID_LIMIT)
                continue;
            below[pid / 8] = (unsigned char)(below[pid / 8] | 1 << pid % 8);
            marked++;
        }
    } while (marked > before);
    return marked;
}

size_t descendants_count(void)
{
    return mark(look());
}

void descendants_kill(void)
{
    size_t n = look();
    mark(n);
    for (size_t i = 0; i < n; i++)
        if (is_below(seen[i].pid))
            kill(seen[i].pid, SIGKILL);
}

/* --- How much they have -------------------------------------------------------------------- */

/* The number after a word at the beginning of a line; 0: there is none. */
static uint64_t number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    if (!at || (at > text && at[-1] != '\n'))
        return 0;
    return strtoull(at + strlen(word), NULL, 10);
}

static uint64_t resident_of(const char *pid)
{
    char text[256];
    if (!read_of(pid, "statm", text, sizeof text))
        return 0;
    const char *resident = strchr(text, ' ');
    return resident ? strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* A page that n processes share counts as an n-th for each of them.  A process can forbid this look
 * at itself; then all that it has counts as its own. */
static uint64_t share_of(const char *pid)
{
    char text[512];
    uint64_t kib = read_of(pid, "smaps_rollup", text, sizeof text) ? number_after(text, "Pss:") : 0;
    return kib ? kib * 1024 : resident_of(pid);
}

/* A process can keep this from others, its supervisor too: then it may be anything. */
static uint64_t written_by(const char *pid)
{
    char text[512];
    errno = 0;
    if (!read_of(pid, "io", text, sizeof text))
        return errno == EACCES ? UNKNOWN_BYTES : 0;
    uint64_t taken_back = number_after(text, "cancelled_write_bytes:");
    uint64_t written = number_after(text, "write_bytes:");
    return written > taken_back ? written - taken_back : 0;
}

static uint64_t sum(uint64_t (*of)(const char *pid))
{
    size_t n = look();
    uint64_t total = 0;
    char pid[16];
    mark(n);
    for (size_t i = 0; i < n; i++)
        if (is_below(seen[i].pid)) {
            snprintf(pid, sizeof pid, "%d", seen[i].pid);
            total += of(pid);
        }
    return total;
}

/* Dividing what is shared means walking through all pages: that is done only where the plain sum,
 * which is never less, is too much already. */
bool descendants_memory_exceeds(uint64_t bytes)
{
    return sum(resident_of) > bytes && sum(share_of) > bytes;
}

/* What a process wrote is added to its parent's when it has ended and was waited for. */
uint64_t descendants_written(void)
{
    return sum(written_by) + written_by("self");
}
