/* jail_bwrap.c - the arguments of bubblewrap.
 *
 * The command gets a file system put together from the machine's programs (read
 * only), a /proc, /dev and /tmp of its own, and the working directory under its own
 * name.  Pads that lie in it are shut: an empty directory without any permission is
 * mounted over each.  Read-only would not do, because who can open a file can lock
 * it, and a writer outside waits for that lock.  Nor would an empty directory that can
 * be read: git would take what was in it for removed.
 *
 * Each directory between the working directory and the pad is mounted over itself,
 * because a directory in which something is mounted can be renamed, and with it the
 * pad, while one that is a mount cannot.
 *
 * A pad that is a database file has others beside it: journals, lock, index.  Those
 * that are not there must not be made either: SQLite would believe them.  So each
 * stands, while the command runs, as an empty file that nobody can write, with a
 * mount over it.  Each process that needs it holds a lock on it; the last one removes it. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "agent/sandbox/jail.h"

enum { ARGS_MAX = 8000 /* bwrap takes 9,000 */, TRIES = 16, ROOM_FOR_REST = 64 };

typedef struct Args {
    const char **at;
    size_t n;
    Arena *into;
} Args;

static void add(Args *a, const char *arg)
{
    if (a->n < ARGS_MAX)
        a->at[a->n++] = arg;
}

static void add2(Args *a, const char *option, const char *value)
{
    add(a, option);
    add(a, value);
}

static void add3(Args *a, const char *option, const char *from, const char *to)
{
    add2(a, option, from);
    add(a, to);
}

/* A directory of the root: a symlink as on this machine, or read-only. */
static void add_top(Args *a, const char *path)
{
    char target[256];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n > 0) {
        target[n] = 0;
        add3(a, "--symlink", arena_cstr(a->into, str(target)), path);
    } else if (access(path, F_OK) == 0) {
        add3(a, "--ro-bind", path, path);
    }
}

static void hide(Args *a, const char *path)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return;
    if (S_ISDIR(info.st_mode))
        add2(a, "--tmpfs", path);
    else if (S_ISREG(info.st_mode))
        add3(a, "--ro-bind", "/dev/null", path);
}

/* Files of /proc that are not for everybody; root could read some of them. */
static void hide_unreadable(Args *a, const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    struct stat info;
    while (d && (entry = readdir(d))) {
        if (entry->d_name[0] == '.' || (entry->d_name[0] >= '0' && entry->d_name[0] <= '9') ||
            fstatat(dirfd(d), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(info.st_mode) && !(info.st_mode & S_IROTH))
            add3(a, "--ro-bind", "/dev/null", arena_printf(a->into, "%s/%s", dir, entry->d_name).p);
    }
    if (d)
        closedir(d);
}

static void add_tmpfs(Args *a, const char *path)
{
    add2(a, "--size", arena_printf(a->into, "%d", CONFINE_TMP_BYTES).p);
    add2(a, "--tmpfs", path);
}

static void add_system(Args *a, bool network)
{
    static const char *const tops[] = { "/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                        "/lib64", "/libx32", "/opt",  "/etc" };
    JailHidden hidden = { 0 };
    for (size_t i = 0; i < COUNT_OF(tops); i++)
        add_top(a, tops[i]);
    for (const char *const *told = jail_sys_readable; *told; told++)
        add3(a, "--ro-bind-try", *told, *told);
    jail_hidden(a->into, &hidden);
    for (size_t i = 0; i < hidden.n; i++)
        hide(a, hidden.at[i].p);
    if (network)
        add3(a, "--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve");
    /* What the kernel shows, and what is the command's alone. A /proc of its own is not the
     * command's to write: for root, what is below /proc/sys is the machine's, and the kernel
     * asks for no privilege but the user's number. */
    add2(a, "--proc", "/proc");
    hide_unreadable(a, "/proc");
    add2(a, "--remount-ro", "/proc");
    add2(a, "--dev", "/dev");
    add_tmpfs(a, "/dev/shm");
    add2(a, "--remount-ro", "/dev");
    add_tmpfs(a, "/tmp");
    add3(a, "--symlink", "/tmp", "/var/tmp");
}

/* Mounted already?  A second mount would cover what is mounted below the first. */
static bool is_bound(const Args *a, const char *dir)
{
    for (size_t i = 0; i + 1 < a->n; i++)
        if (strcmp(a->at[i], "--bind") == 0 && strcmp(a->at[i + 1], dir) == 0)
            return true;
    return false;
}

/* Every directory from the working directory to the place is a mount of its own. */
static void add_way(Args *a, const Workdir *p, Str to)
{
    for (size_t at = p->path.n + 1; at < to.n; at++)
        if (to.p[at] == '/') {
            const char *dir = arena_cstr(a->into, str_slice(to, 0, at));
            if (!is_bound(a, dir))
                add3(a, "--bind", dir, dir);
        }
}

/* The ways to all that is mounted in the working directory, before anything is mounted there: a
 * directory that is mounted later covers what was mounted below it. */
static void add_ways(Args *a, const Workdir *p)
{
    if (workdir_holds_pad(p))
        add_way(a, p, p->pad);
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        if (p->own[i].below)
            add_way(a, p, p->own[i].path);
}

/* It is there, and nobody can open it or anything in it: a file is covered by a device, which a
 * mount of bwrap's does not let anybody open. */
static void shut(Args *a, const char *path, bool is_dir)
{
    if (!is_dir) {
        add3(a, "--ro-bind", "/dev/null", path);
        return;
    }
    add2(a, "--perms", "0000");
    add2(a, "--tmpfs", path);
    add2(a, "--remount-ro", path);
}

/* What is the user's own is not there. */
static void hide_own(Args *a, const Workdir *p)
{
    for (size_t i = 0; i < WORKDIR_OWN; i++) {
        if (!p->own[i].below)
            continue;
        add2(a, "--tmpfs", p->own[i].path.p);
        add2(a, "--remount-ro", p->own[i].path.p);
    }
}

static bool is_stand_in(const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_size == 0 && (info->st_mode & 0777) == 0444;
}

/* Hold a stand-in at this path if nothing else is there.  A file of SQLite's is never opened: to
 * close it again would let go of the locks that this process has on it. */
static Fd hold_stand_in(const char *path)
{
    struct stat held, now;
    for (int i = 0; i < TRIES; i++) {
        bool there = lstat(path, &now) == 0;
        if (there && !is_stand_in(&now))
            return FD_NONE;
        int make = there ? 0 : O_CREAT | O_EXCL;
        AUTO(Fd) fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | make, 0444);
        if (fd < 0 || (!there && fchmod(fd, 0444) != 0) || flock(fd, LOCK_SH | LOCK_NB) != 0)
            continue;
        /* It may have been removed between the two. */
        if (fstat(fd, &held) == 0 && lstat(path, &now) == 0 && held.st_ino == now.st_ino)
            return fd_take(&fd);
    }
    return FD_NONE;
}

void jail_release(Jail *j)
{
    struct stat held, now;
    for (size_t i = 0; i < COUNT_OF(j->stand_ins); i++) {
        int fd = j->stand_ins[i].fd;
        const char *path = j->stand_ins[i].path;
        if (!path || fd < 0)
            continue;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 && is_stand_in(&held) &&
            lstat(path, &now) == 0 && held.st_ino == now.st_ino)
            unlink(path);
        fd_close(&j->stand_ins[i].fd);
    }
}

static jot_status add_pad(Args *a, const Workdir *p, Jail *out, Err *e)
{
    if (!workdir_holds_pad(p))
        return JOT_OK;
    shut(a, p->pad.p, !p->pad_is_file);
    for (size_t i = 0; p->pad_is_file && i < JAIL_STAND_INS; i++) {
        char *path =
            arena_cstr(a->into, arena_printf(a->into, "%s%s", p->pad.p, workdir_beside[i]));
        out->stand_ins[i].fd = hold_stand_in(path);
        out->stand_ins[i].path = path;
        struct stat info;
        if (stat(path, &info) != 0)
            return err_set(e, JOT_UNSUPPORTED,
                           "the pad cannot be kept apart: nothing can be made "
                           "beside it");
        shut(a, path, S_ISDIR(info.st_mode));
    }
    return JOT_OK;
}

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* What lies in the working directory or in its directory of git is a mount, in one. */
static bool cannot_be_moved(Str path)
{
    Str rest = str_starts(path, S(".git/")) ? str_from(path, strlen(".git/")) : path;
    return str_find(rest, '/') == rest.n;
}

/* What is there of the files that others run or obey, over itself and read-only.  The directory of
 * git in the working directory is a mount, too, so that nobody moves it away with what is in it.
 * What lies deeper can be moved with the directories above it: that is seen afterwards. */
static void add_plants(Args *a, const Workdir *p, PlantWatch *w)
{
    for (size_t i = 0; i < w->roots_n && a->n + ROOM_FOR_REST < ARGS_MAX; i++) {
        const PlantRoot *r = &w->roots[i];
        const char *path = arena_printf(a->into, "%s/%s", p->path.p, r->path.p).p;
        if (r->is_git && str_find(r->path, '/') != r->path.n)
            continue;
        if (r->is_git && r->path.n && !is_bound(a, path))
            add3(a, "--bind-try", path, path);
        if (r->is_git || is_link(path))
            continue;
        if (plant_is_pad(r->row))
            shut(a, path, r->is_dir);
        else
            add3(a, "--ro-bind-try", path, path); /* somebody may just have removed it */
        if (cannot_be_moved(r->path))
            plant_guarded(w, r->path);
    }
}

static void add_environment(Args *a, char *const *env)
{
    add(a, "--clearenv");
    for (; *env; env++) {
        char *name = arena_cstr(a->into, str(*env)), *equals = strchr(name, '=');
        *equals = 0;
        add3(a, "--setenv", name, equals + 1);
    }
}

/* The filter as bytes in a file that bwrap reads. */
static jot_status store_filter(Arena *into, Jail *out, Err *e)
{
    struct sock_filter *code = NEW_ARRAY(into, struct sock_filter, JAIL_FILTER_MAX);
    /* Where no network is given, the internet's sockets lead nowhere but to the command itself. */
    size_t n = jail_filter(code, true, true), bytes = n * sizeof *code;
    if (!n)
        return err_set(e, JOT_UNSUPPORTED, "system calls cannot be filtered on this machine");
    out->filter_fd = memfd_create("filter", MFD_CLOEXEC);
    if (out->filter_fd < 0 || write(out->filter_fd, code, bytes) != (ssize_t)bytes ||
        lseek(out->filter_fd, 0, SEEK_SET) != 0)
        return err_errno(e, errno, "could not hand over the filter");
    return JOT_OK;
}

static const char *find_bwrap(void)
{
    static const char *const places[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap" };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

jot_status jail_bwrap(const ConfineJob *job, Arena *into, Jail *out, Err *e)
{
    Args a = { .at = NEW_ARRAY(into, const char *, ARGS_MAX + 16), .into = into };
    const char *bwrap = find_bwrap(), *dir = job->workdir->path.p;
    if (!bwrap)
        return err_set(e, JOT_UNSUPPORTED, "bubblewrap is not installed");
    TRY(store_filter(into, out, e));
    out->self_fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
    if (out->self_fd < 0)
        return err_errno(e, errno, "could not find this program");
    out->envp = jail_environment(S("/tmp"), job->workdir->path, into);
    add(&a, bwrap);
    add(&a, "--unshare-all");
    if (job->network)
        add(&a, "--share-net");
    add(&a, "--die-with-parent");
    add2(&a, "--cap-drop", "ALL");
    add_environment(&a, out->envp);
    add_system(&a, job->network);
    add3(&a, "--bind", dir, dir);
    add_ways(&a, job->workdir);
    if (out->plants)
        add_plants(&a, job->workdir, out->plants);
    TRY(add_pad(&a, job->workdir, out, e));
    hide_own(&a, job->workdir);
    add2(&a, "--remount-ro", "/");
    add2(&a, "--chdir", dir);
    add2(&a, "--seccomp", arena_printf(into, "%d", JAIL_FILTER_FD).p);
    add(&a, "--");
    if (a.n >= ARGS_MAX)
        return err_set(e, JOT_UNSUPPORTED,
                       "too much would have to be hidden or kept apart for a command");
    jail_inside(dir, a.at, &a.n);
    jail_shell(job, into, a.at, &a.n);
    assert(a.n < ARGS_MAX + 16 && !a.at[a.n]); /* NULL ends them */
    out->argv = (char *const *)a.at;
    return JOT_OK;
}
