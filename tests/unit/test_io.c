/* test_io.c - system calls as named steps: what a hook sees and decides, and what a name
 * cannot reach. */
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/io.h"

/* --- A directory to work in ------------------------------------------------------------ */

typedef struct Place {
    char path[128];
    Fd dir;
} Place;

static int make_place(void **state)
{
    Place *p = mem_alloc(sizeof *p);
    const char *tmp = getenv("TMPDIR");
    snprintf(p->path, sizeof p->path, "%s/jotter-io-XXXXXX", tmp && tmp[0] ? tmp : "/dev/shm");
    if (!mkdtemp(p->path))
        return -1;
    p->dir = io_open_root(&io_system, p->path);
    *state = p;
    return p->dir >= 0 ? 0 : -1;
}

static int remove_place(void **state)
{
    Place *p = *state;
    static const char *const names[] = { "f", "g", "link", "out", "up", "loop", "fifo", "d/f" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        unlinkat(p->dir, names[i], 0);
    unlinkat(p->dir, "d", AT_REMOVEDIR);
    fd_close(&p->dir);
    int st = rmdir(p->path);
    free(p);
    return st;
}

static void make_file(const Place *p, const char *name, const char *text)
{
    AUTO(Fd) fd = io_open(&io_system, p->dir, name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(io_write_all(&io_system, fd, str(text)), 0);
}

static Str content(const Place *p, const char *name, Arena *into)
{
    AUTO(Fd) fd = io_open(&io_system, p->dir, name, O_RDONLY, 0);
    assert_true(fd >= 0);
    char *to = arena_alloc(into, 1000, 1);
    ssize_t n = io_read_all(&io_system, fd, to, 1000, 0);
    assert_true(n >= 0);
    return (Str){ to, (size_t)n };
}

/* --- A hook that writes down what it sees ---------------------------------------------- */

typedef struct Log {
    IoCall before[64], after[64];
    size_t before_n, after_n;
    IoKind kind;    /* the steps that get `answer`, `times` of them */
    long answer;    /* 0: go on */
    size_t shorten; /* what a write is cut to, SIZE_MAX: not at all */
    int times;
} Log;

static long log_before(void *ctx, IoCall *call)
{
    Log *log = ctx;
    assert_true(log->before_n < COUNT_OF(log->before));
    log->before[log->before_n++] = *call;
    if (call->kind != log->kind || log->times == 0)
        return 0;
    log->times--;
    if (call->kind == IO_WRITE && log->shorten != SIZE_MAX)
        call->data.n = log->shorten;
    return log->answer;
}

static void log_after(void *ctx, const IoCall *call)
{
    Log *log = ctx;
    log->after[log->after_n++] = *call;
}

#define LOGGED(log, io)                                        \
    Log log = { .kind = IO_KINDS, .shorten = SIZE_MAX };       \
    const IoHook log##_hook = { log_before, log_after, &log }; \
    const Io io = { .hook = &log##_hook, .mount_id = "m1" }

static int no_name(void *ctx, int dir, const struct dirent *d)
{
    return -EEXIST;
}

/* Every call that a hook can see, once. */
static void make_every_call(const Io *io, const Place *p)
{
    struct stat st;
    char byte, boot[33], mount[MOUNT_TEXT];
    AUTO(Fd) fd = io_open(io, p->dir, "f", O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(io_write(io, fd, S("hello")), 5);
    assert_int_equal(io_read_at(io, fd, &byte, 1, 0), 1);
    assert_int_equal(io_fsync(io, fd), 0);
    assert_int_equal(io_fdatasync(io, fd), 0);
    assert_int_equal(io_truncate(io, fd, 2), 0);
    assert_int_equal(io_fstat(io, fd, &st), 0);
    assert_int_equal(io_lock(io, fd, F_WRLCK, 7), 0);
    assert_int_equal(io_rename(io, p->dir, "f", "g", RENAME_NOREPLACE), 0);
    assert_int_equal(io_stat(io, p->dir, "g", &st), 0);
    assert_int_equal(io_unlink(io, p->dir, "g"), 0);
    assert_int_equal(io_mkdir(io, p->dir, "d"), 0);
    assert_false(io_locked(io, fd, F_WRLCK, 7));
    AUTO(Fd) dir = io_open(&io_system, p->dir, "d", O_RDONLY | O_DIRECTORY, 0);
    assert_int_equal(io_list(io, &dir, no_name, NULL), 0);
    assert_int_equal(io_boot_id(io, boot), 0);
    assert_int_equal(io_mount_id(io, fd, mount), 0);
    assert_int_equal(io_rmdir(io, p->dir, "d"), 0);
    assert_int_equal(io_set_mtime(io, fd, 1763241838000000001), 0);
    assert_int_equal(io_sync_all(io, fd), 0);
}

static void a_hook_sees_every_step_in_order(void **state)
{
    const Place *p = *state;
    LOGGED(log, io);
    make_every_call(&io, p);
    static const IoKind order[] = { IO_OPEN,     IO_WRITE,  IO_READ,  IO_FSYNC,  IO_FDATASYNC,
                                    IO_TRUNCATE, IO_STAT,   IO_LOCK,  IO_RENAME, IO_STAT,
                                    IO_UNLINK,   IO_MKDIR,  IO_ASK,   IO_LIST,   IO_BOOT,
                                    IO_MOUNT,    IO_UNLINK, IO_TIMES, IO_SYNCFS };
    assert_int_equal(log.before_n, COUNT_OF(order));
    assert_int_equal(log.after_n, COUNT_OF(order));
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        assert_int_equal(log.before[i].kind, order[i]);
        assert_int_equal(log.after[i].kind, order[i]);
        assert_true(log.after[i].result >= 0);
    }
}

static void a_hook_sees_what_each_step_is_about(void **state)
{
    const Place *p = *state;
    LOGGED(log, io);
    make_every_call(&io, p);
    const IoCall *open = &log.after[0], *write = &log.before[1];
    assert_string_equal(open->name, "f");
    assert_int_equal(open->dir, p->dir);
    assert_int_equal(open->fd, open->result);
    assert_int_equal(open->flags, O_RDWR | O_CREAT);
    assert_int_equal(write->fd, open->fd);
    assert_str(write->data, S("hello"));
    assert_int_equal(write->at, -1);
    assert_int_equal(log.before[5].at, 2);
    assert_int_equal(log.before[7].at, 7);
    assert_int_equal(log.before[7].flags, F_WRLCK);
    assert_string_equal(log.before[8].name, "f");
    assert_string_equal(log.before[8].name2, "g");
    assert_int_equal(log.before[8].fd, p->dir);
    assert_int_equal(log.before[8].flags, RENAME_NOREPLACE);
    assert_string_equal(log.before[10].name, "g");
    assert_int_equal(log.before[10].flags, 0);
    assert_string_equal(log.before[11].name, "d");
    assert_int_equal(log.before[12].at, 7);
    assert_string_equal(log.before[16].name, "d");
    assert_int_equal(log.before[16].flags, AT_REMOVEDIR);
}

static void a_step_that_a_hook_fails_does_not_happen(void **state)
{
    const Place *p = *state;
    make_file(p, "f", "old");
    AUTO(Arena) arena = { 0 };
    struct stat st;
    for (int kind = 0; kind < IO_KINDS; kind++) {
        LOGGED(log, io);
        log.kind = (IoKind)kind;
        log.answer = -ENOSPC;
        log.times = 1;
        AUTO(Fd) fd = open(p->path, O_TMPFILE | O_RDWR, 0600);
        char byte, boot[33], mount[MOUNT_TEXT];
        long got[] = {
            [IO_OPEN] = kind == IO_OPEN ? io_open(&io, p->dir, "g", O_CREAT | O_RDWR, 0600) : 0,
            [IO_READ] = kind == IO_READ ? io_read_at(&io, fd, &byte, 1, 0) : 0,
            [IO_WRITE] = kind == IO_WRITE ? io_write_all(&io, fd, S("new")) : 0,
            [IO_FSYNC] = kind == IO_FSYNC ? io_fsync(&io, fd) : 0,
            [IO_FDATASYNC] = kind == IO_FDATASYNC ? io_fdatasync(&io, fd) : 0,
            [IO_SYNCFS] = kind == IO_SYNCFS ? io_sync_all(&io, fd) : 0,
            [IO_TRUNCATE] = kind == IO_TRUNCATE ? io_truncate(&io, fd, 100) : 0,
            [IO_RENAME] = kind == IO_RENAME ? io_rename(&io, p->dir, "f", "g", 0) : 0,
            [IO_UNLINK] = kind == IO_UNLINK ? io_unlink(&io, p->dir, "f") : 0,
            [IO_MKDIR] = kind == IO_MKDIR ? io_mkdir(&io, p->dir, "d") : 0,
            [IO_STAT] = kind == IO_STAT ? io_fstat(&io, fd, &st) : 0,
            [IO_LOCK] = kind == IO_LOCK ? io_lock(&io, fd, F_WRLCK, 0) : 0,
            [IO_ASK] = kind == IO_ASK && io_locked(&io, fd, F_WRLCK, 0) ? -ENOSPC : 0,
            [IO_LIST] = kind == IO_LIST ? io_list(&io, &fd, no_name, NULL) : 0,
            [IO_BOOT] = kind == IO_BOOT ? io_boot_id(&io, boot) : 0,
            [IO_MOUNT] = kind == IO_MOUNT ? io_mount_id(&io, fd, mount) : 0,
            [IO_TIMES] = kind == IO_TIMES ? io_set_mtime(&io, fd, 1) : 0,
        };
        assert_int_equal(got[kind], -ENOSPC);
        assert_int_equal(log.after_n, 0);
        if (kind != IO_LIST) { /* which takes the descriptor */
            assert_int_equal(io_fstat(&io_system, fd, &st), 0);
            assert_int_equal(st.st_size, 0);
        }
        assert_str(content(p, "f", &arena), S("old"));
        assert_int_equal(io_stat(&io_system, p->dir, "g", &st), -ENOENT);
        assert_int_equal(io_stat(&io_system, p->dir, "d", &st), -ENOENT);
    }
}

static void a_pretended_step_succeeds_and_does_not_happen(void **state)
{
    const Place *p = *state;
    make_file(p, "f", "old");
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) fd = io_open(&io_system, p->dir, "f", O_RDWR | O_APPEND, 0);
    LOGGED(log, io);
    log.answer = IO_PRETEND;
    log.times = 100;
    log.kind = IO_WRITE;
    assert_int_equal(io_write_all(&io, fd, S(" and new")), 0);
    log.kind = IO_FSYNC;
    assert_int_equal(io_fsync(&io, -1), 0); /* would be EBADF */
    log.kind = IO_TRUNCATE;
    assert_int_equal(io_truncate(&io, fd, 0), 0);
    log.kind = IO_RENAME;
    assert_int_equal(io_rename(&io, p->dir, "f", "g", 0), 0);
    log.kind = IO_UNLINK;
    assert_int_equal(io_unlink(&io, p->dir, "f"), 0);
    assert_str(content(p, "f", &arena), S("old"));
}

static void a_shortened_write_is_finished_by_write_all(void **state)
{
    const Place *p = *state;
    AUTO(Arena) arena = { 0 };
    LOGGED(log, io);
    AUTO(Fd) fd = io_open(&io, p->dir, "f", O_RDWR | O_CREAT, 0600);
    log.kind = IO_WRITE;
    log.shorten = 2;
    log.times = 3;
    assert_int_equal(io_write(&io, fd, S("0123")), 2);
    assert_int_equal(io_write_all(&io, fd, S("456789")), 0);
    assert_str(content(p, "f", &arena), S("01456789"));
    assert_int_equal(log.before_n, 5);
    assert_str(log.before[4].data, S("89"));
}

static long shorten_to_nothing(void *ctx, IoCall *call)
{
    ++*(int *)ctx;
    call->data.n = 0;
    return 0;
}

static void a_write_that_never_gets_anywhere_is_given_up(void **state)
{
    const Place *p = *state;
    int asked = 0;
    AUTO(Fd) fd = io_open(&io_system, p->dir, "f", O_RDWR | O_CREAT, 0600);
    const IoHook hook = { shorten_to_nothing, NULL, &asked };
    const Io io = { .hook = &hook };
    assert_int_equal(io_write_all(&io, fd, S("x")), -EIO);
    assert_true(asked > 1 && asked < 1000);
}

static void an_interrupted_step_is_taken_again(void **state)
{
    const Place *p = *state;
    for (int kind = 0; kind < IO_KINDS; kind++) {
        LOGGED(log, io);
        log.kind = (IoKind)kind;
        log.answer = -EINTR;
        log.times = 3;
        make_every_call(&io, p);
        assert_int_equal(log.times, 0);
        assert_int_equal(log.before_n, 19 + 3);
        assert_int_equal(log.after_n, 19);
    }
}

static long always_interrupt(void *ctx, IoCall *call)
{
    ++*(int *)ctx;
    return -EINTR;
}

static void a_step_that_is_interrupted_for_ever_is_given_up(void **state)
{
    const Place *p = *state;
    int asked = 0;
    const IoHook hook = { always_interrupt, NULL, &asked };
    const Io io = { .hook = &hook };
    assert_int_equal(io_unlink(&io, p->dir, "f"), -EINTR);
    assert_int_equal(asked, IO_EINTR_MAX);
    assert_int_equal(io_write_all(&io, 1, S("x")), -EINTR);
}

static void ignore_signal(int number)
{
    (void)number;
}

/* A reader so slow that the writer is asleep in write() most of the time. */
static int drain_slowly(int from)
{
    char bytes[4096];
    size_t total = 0;
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0; total += (size_t)n)
        usleep(200);
    return total == 1 << 20 ? 0 : 1;
}

static void signals_do_not_interrupt_a_write(void **state)
{
    AUTO(Arena) arena = { 0 };
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        _exit(drain_slowly(ends[0]));
    }
    close(ends[0]);
    /* Without SA_RESTART, so that the kernel says EINTR as often as it can. */
    struct sigaction act = { .sa_handler = ignore_signal }, was;
    assert_int_equal(sigaction(SIGALRM, &act, &was), 0);
    struct itimerval tick = { { 0, 300 }, { 0, 300 } }, stop = { 0 };
    setitimer(ITIMER_REAL, &tick, NULL);
    int got = io_write_all(&io_system, ends[1], (Str){ arena_alloc(&arena, 1 << 20, 1), 1 << 20 });
    setitimer(ITIMER_REAL, &stop, NULL);
    sigaction(SIGALRM, &was, NULL);
    close(ends[1]);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(got, 0);
    assert_int_equal(status, 0);
}

static void errors_of_the_system_come_back_negative(void **state)
{
    const Place *p = *state;
    struct stat st;
    make_file(p, "f", "x");
    make_file(p, "g", "y");
    assert_int_equal(io_open(&io_system, p->dir, "no", O_RDONLY, 0), -ENOENT);
    assert_int_equal(io_open(&io_system, p->dir, "f", O_CREAT | O_EXCL | O_RDWR, 0600), -EEXIST);
    assert_int_equal(io_open(&io_system, p->dir, "f/x", O_RDONLY, 0), -ENOTDIR);
    assert_int_equal(io_open_root(&io_system, "/dev/null"), -ENOTDIR);
    assert_int_equal(io_write(&io_system, -1, S("x")), -EBADF);
    assert_int_equal(io_write_all(&io_system, -1, S("x")), -EBADF);
    assert_int_equal(io_read_at(&io_system, -1, &st, 1, 0), -EBADF);
    assert_int_equal(io_fsync(&io_system, -1), -EBADF);
    assert_int_equal(io_rename(&io_system, p->dir, "f", "g", RENAME_NOREPLACE), -EEXIST);
    assert_int_equal(io_unlink(&io_system, p->dir, "no"), -ENOENT);
    assert_int_equal(io_stat(&io_system, p->dir, "no", &st), -ENOENT);
    AUTO(Fd) full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(io_write_all(&io_system, full, S("x")), -ENOSPC);
}

/* --- Beneath the directory ------------------------------------------------------------- */

static void a_name_cannot_leave_its_directory(void **state)
{
    const Place *p = *state;
    assert_int_equal(mkdirat(p->dir, "d", 0700), 0);
    make_file(p, "d/f", "inside");
    assert_int_equal(symlinkat("f", p->dir, "link"), 0);
    assert_int_equal(symlinkat("/etc/passwd", p->dir, "out"), 0);
    assert_int_equal(symlinkat("..", p->dir, "up"), 0);
    assert_int_equal(symlinkat("loop", p->dir, "loop"), 0);
    make_file(p, "f", "inside");
    static const struct {
        const char *name, *why;
    } rows[] = {
        { "..", "the directory above" },
        { "../x", "something above" },
        { "d/../../x", "something above, by way of below" },
        { "/etc/passwd", "an absolute path" },
        { "/", "the root" },
        { "/proc/self/root/etc/passwd", "the root by a magic link" },
        { "link", "a symlink that stays inside" },
        { "out", "a symlink that leaves" },
        { "out/x", "something behind a symlink" },
        { "up", "a symlink to above" },
        { "up/x", "something above, by a symlink" },
        { "loop", "a symlink to itself" },
        { "", "nothing" },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int flags = 0; flags < 3; flags++) {
            static const int ways[] = { O_RDONLY, O_RDWR | O_CREAT, O_RDONLY | O_DIRECTORY };
            int fd = io_open(&io_system, p->dir, rows[i].name, ways[flags],
                             ways[flags] & O_CREAT ? 0600 : 0);
            assert_row(fd == -EXDEV || fd == -ELOOP || fd == -ENOENT || fd == -EISDIR, i,
                       rows[i].why);
        }
    }
    AUTO(Fd) inside = io_open(&io_system, p->dir, "d/f", O_RDONLY, 0);
    assert_true(inside >= 0);
    AUTO(Fd) round = io_open(&io_system, p->dir, "d/../f", O_RDONLY, 0);
    assert_true(round >= 0); /* stays beneath all the way */
}

static void magic_links_are_refused(void **state)
{
    const Place *p = *state;
    make_file(p, "f", "x");
    AUTO(Fd) f = io_open(&io_system, p->dir, "f", O_RDONLY, 0);
    AUTO(Fd) proc = io_open_root(&io_system, "/proc/self/fd");
    assert_true(f >= 0 && proc >= 0);
    char name[16];
    snprintf(name, sizeof name, "%d", f);
    assert_int_equal(io_open(&io_system, proc, name, O_RDONLY, 0), -ELOOP);
    AUTO(Fd) self = io_open_root(&io_system, "/proc/self");
    assert_int_equal(io_open(&io_system, self, "root", O_RDONLY | O_DIRECTORY, 0), -ELOOP);
    assert_int_equal(io_open(&io_system, self, "cwd/x", O_RDONLY, 0), -ELOOP);
}

static void every_descriptor_closes_on_exec(void **state)
{
    const Place *p = *state;
    AUTO(Fd) fd = io_open(&io_system, p->dir, "f", O_RDWR | O_CREAT, 0600);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(p->dir, F_GETFD) & FD_CLOEXEC);
}

static void files_and_directories_are_private(void **state)
{
    const Place *p = *state;
    struct stat st;
    mode_t was = umask(0);
    assert_int_equal(io_mkdir(&io_system, p->dir, "d"), 0);
    AUTO(Fd) fd = io_open(&io_system, p->dir, "f", O_RDWR | O_CREAT, 0600);
    umask(was);
    assert_int_equal(io_stat(&io_system, p->dir, "d", &st), 0);
    assert_int_equal(st.st_mode, S_IFDIR | 0700);
    assert_int_equal(io_fstat(&io_system, fd, &st), 0);
    assert_int_equal(st.st_mode, S_IFREG | 0600);
}

static void stat_shows_a_symlink_and_does_not_follow_it(void **state)
{
    const Place *p = *state;
    struct stat st;
    assert_int_equal(symlinkat("/etc", p->dir, "link"), 0);
    assert_int_equal(io_stat(&io_system, p->dir, "link", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* --- Locks, clocks, random bytes ------------------------------------------------------- */

static void a_lock_is_held_against_every_other_open(void **state)
{
    const Place *p = *state;
    AUTO(Fd) a = io_open(&io_system, p->dir, "f", O_RDWR | O_CREAT, 0600);
    AUTO(Fd) b = io_open(&io_system, p->dir, "f", O_RDWR, 0);
    assert_int_equal(io_lock(&io_system, a, F_WRLCK, 0), 0);
    assert_int_equal(io_lock(&io_system, a, F_WRLCK, 0), 0);
    assert_int_equal(io_lock(&io_system, b, F_WRLCK, 0), -EAGAIN);
    assert_int_equal(io_lock(&io_system, b, F_RDLCK, 0), -EAGAIN);
    assert_true(io_locked(&io_system, b, F_RDLCK, 0));
    assert_false(io_locked(&io_system, a, F_WRLCK, 0)); /* not by somebody else */
    assert_int_equal(io_lock(&io_system, b, F_WRLCK, 1), 0);
    assert_int_equal(io_lock(&io_system, a, F_RDLCK, 0), 0);
    assert_int_equal(io_lock(&io_system, b, F_RDLCK, 0), 0);
    assert_true(io_locked(&io_system, b, F_WRLCK, 0));
    assert_false(io_locked(&io_system, b, F_RDLCK, 0));
    assert_int_equal(io_lock(&io_system, a, F_UNLCK, 0), 0);
    assert_int_equal(io_lock(&io_system, b, F_WRLCK, (off_t)1 << 40), 0);
    fd_close(&b);
    assert_int_equal(io_lock(&io_system, a, F_WRLCK, 1), 0);
}

static int64_t fixed_clock(void *ctx)
{
    return *(int64_t *)ctx;
}

static void pass_time(void *ctx, int64_t us)
{
    *(int64_t *)ctx += us / 1000;
}

static void a_test_may_set_clocks_and_boot(void **state)
{
    int64_t now = 1234567;
    Io io = { .wall_ms = fixed_clock,
              .awake_ms = fixed_clock,
              .sleep_us = pass_time,
              .boot_id = "0123456789abcdef0123456789abcdef",
              .ctx = &now };
    assert_int_equal(io_wall_ms(&io), 1234567);
    io_sleep_us(&io, 1000);
    assert_int_equal(io_awake_ms(&io), 1234568);
    char boot[33];
    io_boot_id(&io, boot);
    assert_string_equal(boot, io.boot_id);
}

static void the_system_has_clocks_and_a_boot_id(void **state)
{
    assert_true(io_wall_ms(&io_system) > INT64_C(1700000000000));
    int64_t before = io_awake_ms(&io_system);
    io_sleep_us(&io_system, 2000);
    assert_true(io_awake_ms(&io_system) > before);
    char first[33], second[33];
    io_boot_id(&io_system, first);
    io_boot_id(&io_system, second);
    assert_string_equal(first, second);
    assert_int_equal(strspn(first, "0123456789abcdef"), strlen(first));
    assert_true(strlen(first) == 32 || first[0] == 0);
}

static void random_bytes_fill_all_that_was_asked_for(void **state)
{
    unsigned char seen[600] = { 0 }, bytes[600];
    for (int round = 0; round < 20; round++) {
        io_random(&io_system, bytes, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; i++)
            seen[i] |= bytes[i];
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_true(seen[i] != 0);
    io_random(&io_system, bytes, 0);
}

static void no_file_takes_the_place_of_a_closed_stream(void **state)
{
    Place *p = *state;
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        int kept = dup(stream);
        assert_true(kept > STDERR_FILENO);
        close(stream);
        AUTO(Fd) file = io_open(&io_system, p->dir, "f", O_RDWR | O_CREAT, 0600);
        AUTO(Fd) root = io_open_root(&io_system, p->path);
        bool closed = fcntl(stream, F_GETFD) < 0;
        dup2(kept, stream);
        close(kept);
        assert_true(closed);
        assert_true(file > STDERR_FILENO && root > STDERR_FILENO);
        assert_true((fcntl(file, F_GETFD) & FD_CLOEXEC) && (fcntl(root, F_GETFD) & FD_CLOEXEC));
    }
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(a_hook_sees_every_step_in_order),
        HERE(a_hook_sees_what_each_step_is_about),
        HERE(a_step_that_a_hook_fails_does_not_happen),
        HERE(a_pretended_step_succeeds_and_does_not_happen),
        HERE(a_shortened_write_is_finished_by_write_all),
        HERE(a_write_that_never_gets_anywhere_is_given_up),
        HERE(an_interrupted_step_is_taken_again),
        HERE(a_step_that_is_interrupted_for_ever_is_given_up),
        cmocka_unit_test(signals_do_not_interrupt_a_write),
        HERE(errors_of_the_system_come_back_negative),
        HERE(a_name_cannot_leave_its_directory),
        HERE(magic_links_are_refused),
        HERE(every_descriptor_closes_on_exec),
        HERE(no_file_takes_the_place_of_a_closed_stream),
        HERE(files_and_directories_are_private),
        HERE(stat_shows_a_symlink_and_does_not_follow_it),
        HERE(a_lock_is_held_against_every_other_open),
        cmocka_unit_test(a_test_may_set_clocks_and_boot),
        cmocka_unit_test(the_system_has_clocks_and_a_boot_id),
        cmocka_unit_test(random_bytes_fill_all_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
