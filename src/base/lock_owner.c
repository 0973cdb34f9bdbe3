/* lock_owner.c - who holds a lock, read from /proc.
 *
 * A line of /proc/PID/fdinfo/FD looks like this (numbers of the device in hex,
 * then inode, first and last byte):
 *
 *     lock:   1: OFDLCK  ADVISORY  WRITE -1 08:02:131075 0 0
 *
 * The device there is not always the one stat() gives (btrfs, overlayfs), so
 * the file is recognised by stat of /proc/PID/fd/FD instead. */
#include "base/lock_owner.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"

typedef struct Search {
    int proc;         /* /proc */
    struct stat file; /* what must be locked */
    int own_fd;       /* our own descriptor, which does not count */
    off_t byte;
    LockOwner *out;
    bool exclusive; /* *out holds the lock exclusively: good enough to stop */
} Search;

/* The content of a small file beneath /proc, cut at `size`; false if it cannot be read. */
static bool read_proc(int proc, const char *name, char *to, size_t size)
{
    AUTO(Fd) fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t n = 0;
    while (n < size - 1) {
        ssize_t got = read(fd, to + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    to[n] = 0;
    return true;
}

/* True if the line after "lock:" is an OFD lock that covers the byte. */
static bool covers(const char *line, off_t byte, bool *exclusive)
{
    char kind[16], mode[16], access[16], last[32];
    long long first;
    int got =
        sscanf(line, " %*d: %15s %15s %15s %*d %*s %lld %31s", kind, mode, access, &first, last);
    if (got != 5 || strcmp(kind, "OFDLCK") != 0 || byte < first)
        return false;
    *exclusive = strcmp(access, "WRITE") == 0;
    return strcmp(last, "EOF") == 0 || byte <= strtoll(last, NULL, 10);
}

static bool locks_byte(const char *fdinfo, off_t byte, bool *exclusive)
{
    static const char word[] = "lock:";
    for (const char *at = strstr(fdinfo, word); at; at = strstr(at + 1, word))
        if (covers(at + sizeof word - 1, byte, exclusive))
            return true;
    return false;
}

static void look_at_fd(Search *s, int pid, int fd)
{
    if (pid == getpid() && fd == s->own_fd)
        return;
    char path[64], info[4096];
    bool exclusive = false;
    snprintf(path, sizeof path, "%d/fdinfo/%d", pid, fd);
    if (!read_proc(s->proc, path, info, sizeof info) || !locks_byte(info, s->byte, &exclusive))
        return;
    struct stat st;
    snprintf(path, sizeof path, "%d/fd/%d", pid, fd);
    if (fstatat(s->proc, path, &st, 0) != 0 || st.st_dev != s->file.st_dev ||
        st.st_ino != s->file.st_ino)
        return;
    if (exclusive || s->out->pid == 0) {
        /* Its name is what a person is shown, and the process chose it. */
        char comm[40], name[sizeof s->out->name] = "";
        snprintf(comm, sizeof comm, "%d/comm", pid);
        if (!read_proc(s->proc, comm, name, sizeof name))
            name[0] = 0;
        name[strcspn(name, "\n")] = 0;
        for (char *c = name; *c; c++)
            if (*c < 0x20 || *c == 0x7F)
                *c = '?';
        s->out->pid = pid;
        memcpy(s->out->name, name, sizeof name);
        s->exclusive = exclusive;
    }
}

/* Call `look` for every entry of a directory beneath /proc whose name is a number. */
static void each_number(Search *s, const char *name, int pid,
                        void (*look)(Search *s, int pid, int number))
{
    AUTO(Fd) fd = openat(s->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_PTR(DIR) dir = fd_entries(&fd);
    if (!dir)
        return;
    for (struct dirent *d = readdir(dir); d && !s->exclusive; d = readdir(dir)) {
        int64_t number;
        Str text = { d->d_name, strlen(d->d_name) };
        if (str_to_i64(text, 0, INT32_MAX, &number))
            look(s, pid, (int)number);
    }
}

static void look_at_process(Search *s, int unused, int pid)
{
    char path[40];
    snprintf(path, sizeof path, "%d/fdinfo", pid);
    each_number(s, path, pid, look_at_fd);
}

bool lock_owner_find(int fd, off_t byte, LockOwner *out)
{
    assert(out);
    *out = (LockOwner){ 0 };
    AUTO(Fd) proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Search s = { .proc = proc, .own_fd = fd, .byte = byte, .out = out };
    if (proc < 0 || fstat(fd, &s.file) != 0)
        return false;
    each_number(&s, ".", 0, look_at_process);
    return out->pid != 0;
}

const char *lock_owner_show(LockOwnerShown *shown, const LockOwner *h)
{
    if (h->pid == 0)
        snprintf(shown->text, sizeof shown->text, "somebody");
    else
        snprintf(shown->text, sizeof shown->text, "pid %d (%s)", (int)h->pid, h->name);
    return shown->text;
}
