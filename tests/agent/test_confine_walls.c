/* test_confine_walls.c - what stands between a command and the machine: files of the kernel,
 * secrets of others, calls that reach further than files. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/sandbox/jail.h"
#include "agent/yard.h"

/* Every file below /proc, /sys and /dev is opened for writing, and none is written: to some,
 * writing their own value is an order.  What may be opened is listed.  /proc/PID/fd leads to what a
 * process has open already, and a watchdog begins to count when it is opened. */
static const char walk_script[] =
    "import os, re, sys\n"
    "fine = re.compile(r'/dev/(null|zero|full|random|urandom|tty|ptmx|pts/ptmx)$'\n"
    "                  r'|/proc/[^/]+(/task/[0-9]+)?/fd/')\n"
    "skip = "
    "re.compile(r'/dev/watchdog|/proc/(self|thread-self)$|/proc/[0-9]+/(map_files|cwd|root)$')\n"
    "tried, opened, mine = 0, [], {'self', str(os.getpid()), str(os.getppid()), '1'}\n"
    "def walk(top):\n"
    "    global tried\n"
    "    try: entries = list(os.scandir(top))\n"
    "    except OSError: return\n"
    "    for e in entries:\n"
    "        if skip.match(e.path) or fine.match(e.path): continue\n"
    "        if top == '/proc' and e.name.isdigit() and e.name not in mine: continue\n"
    "        if e.is_dir(follow_symlinks=False): walk(e.path); continue\n"
    "        if e.is_symlink(): continue\n"
    "        tried += 1\n"
    "        try: os.close(os.open(e.path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | "
    "os.O_NOFOLLOW))\n"
    "        except OSError: continue\n"
    "        opened.append(e.path)\n"
    "for top in '/proc', '/sys', '/dev': walk(top)\n"
    "for path in ['/proc/%s/%s' % (p, f) for p in mine for f in ('mem', 'oom_score_adj', "
    "'uid_map', 'comm', 'attr/current')] + ['/proc/sys/kernel/core_pattern', "
    "'/proc/sysrq-trigger']:\n"
    "    try: os.open(path, os.O_WRONLY); opened.append(path)\n"
    "    except OSError: tried += 1\n"
    "print('opened', opened) if opened else print('none of many' if tried > 500 else tried)\n";

static void no_file_of_the_kernel_opens_for_writing(Yard *y)
{
    yard_put(yard_path(y, "work/sub/walk.py"), walk_script);
    ConfineJob job = yard_job(y, "python3 sub/walk.py");
    Confined c;
    job.time_ms = 300000;
    assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_OK);
    assert_str(c.head, S("none of many\n"));
}

/* Where the working directory would be all that stands above. */
static void no_command_works_in_the_kernels_files(Yard *y)
{
    static const char *const dirs[] = { "/", "/proc/sys/kernel", "/sys/kernel", "/dev" };
    for (size_t i = 0; i < COUNT_OF(dirs); i++) {
        AUTO(Workdir) workdir = { 0 };
        ConfineJob job = yard_job(y, "true");
        Confined c;
        assert_int_equal(workdir_open(&workdir, &io_system, str(dirs[i]), S("mem:"), &y->e),
                         JOT_OK);
        job.workdir = &workdir;
        assert_int_equal(confine_run(&job, &y->a, &c, &y->e), JOT_UNSUPPORTED);
    }
}

static void nothing_new_is_made_outside_the_few_places(Yard *y)
{
    static const char *const dirs[] = {
        "/", "/dev", "/proc", "/sys", "/usr", "/etc", "/run", "/var"
    };
    for (size_t i = 0; i < COUNT_OF(dirs); i++)
        yard_fails(
            y,
            arena_printf(&y->a, "mkdir %s/evil 2>/dev/null || touch %s/evil", dirs[i], dirs[i]).p);
}

/* A process can be under sixteen rulesets: the command is under some already. */
static void landlock_stands_under_every_mechanism(Yard *y)
{
    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 6)
        yard_skip(y);
    yard_prints(y,
                "python3 -c '\n"
                "import ctypes\n"
                "c = ctypes.CDLL(None)\n"
                "a = (ctypes.c_uint64 * 3)(0, 0, 2)\n"
                "f = c.syscall(444, a, 24, 0)\n"
                "n = 0\n"
                "while n < 20 and c.syscall(446, f, 0) == 0: n += 1\n"
                "print(f >= 0, 0 < n < 16)'",
                "True True\n");
}

static int open_under_second_wall(Yard *y, const char *path, int flags)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        Fd wall = FD_NONE;
        Err e;
        if (jail_second_wall(y->work, &wall, &e) != JOT_OK)
            _exit(99);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (syscall(JAIL_RESTRICT_SELF, wall, 0) != 0)
            _exit(98);
        _exit(open(path, flags | O_CLOEXEC, 0600) >= 0 ? 0 : errno);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

/* Without any namespace around it. */
static void the_second_wall_holds_by_itself(Yard *y)
{
    const char *secret = yard_path(y, "outside/secret");
    int got = open_under_second_wall(y, secret, O_RDONLY);
    if (got == 99)
        yard_skip(y);
    assert_int_equal(got, 0);
    /* The yard is in /tmp, which is the command's own in a namespace; so another place. */
    assert_int_equal(open_under_second_wall(y, "/proc/self/comm", O_WRONLY), EACCES);
    assert_int_equal(open_under_second_wall(y, "/proc/sys/kernel/core_pattern", O_WRONLY), EACCES);
    assert_int_equal(open_under_second_wall(y, "/dev/null", O_WRONLY), 0);
    assert_int_equal(open_under_second_wall(y, yard_path(y, "work/sub/new"), O_WRONLY | O_CREAT),
                     0);
}

/* The mounts of a namespace refuse by themselves what the second wall refuses too: a mistake in one
 * of them opens nothing, and is seen here. */
static void the_first_wall_holds_by_itself(Yard *y)
{
    if (y->how != CONFINE_BWRAP)
        yard_skip(y);
    yard_prints(y,
                "while read -r _ place _ how _; do case $place in /proc|/dev|/usr|/) echo $place "
                "${how%%,*};; esac; done </proc/self/mounts | sort -u",
                "/ ro\n/dev ro\n/proc ro\n/usr ro\n");
}

/* --- Secrets ------------------------------------------------------------------------------- */

/* Only root can put a secret there; for others it is one of those that are there. */
static void what_others_cannot_read_is_hidden(Yard *y)
{
    static const char *const names[] = { "etc", "opt", "usr/local/etc" };
    bool put = getuid() == 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *dir = arena_printf(&y->a, "/%s/jotter-test-%d", names[i], getpid()).p;
        const char *file = arena_printf(&y->a, "%s/secret", dir).p;
        const char *open_file = arena_printf(&y->a, "%s/told", dir).p;
        if (!put || mkdir(dir, 0755) != 0)
            continue;
        chmod(dir, 0755);
        yard_put(file, "canary-system\n");
        yard_put(open_file, "told\n");
        chmod(file, 0600);
        chmod(open_file, 0644);
        Confined c = yard_command(y, arena_printf(&y->a, "cat %s", file).p);
        Confined fine = yard_command(y, arena_printf(&y->a, "cat %s", open_file).p);
        chmod(dir, 0700);
        Confined shut = yard_command(y, arena_printf(&y->a, "cat %s", open_file).p);
        unlink(file);
        unlink(open_file);
        rmdir(dir);
        assert_true(c.code != 0 && !memmem(c.head.p, c.head.n, "canary", 6));
        assert_str(fine.head, S("told\n"));
        assert_true(shut.code != 0 && !memmem(shut.head.p, shut.head.n, "told\n", 5));
    }
    yard_fails(y, "cat /etc/shadow /etc/gshadow | grep .");
    yard_fails(y, "cat /proc/kcore | head -c 1 | grep -c .");
}

/* Where secrets may be, but it is the user who works there. */
static void a_working_directory_in_opt_is_written(Yard *y)
{
    if (getuid() != 0)
        return;
    const char *dir = arena_printf(&y->a, "/opt/jotter-test-%d", getpid()).p;
    assert_int_equal(mkdir(dir, 0700), 0);
    Workdir workdir = { 0 };
    assert_int_equal(workdir_open(&workdir, &io_system, str(dir), S("mem:"), &y->e), JOT_OK);
    ConfineJob job = yard_job(y, "mkdir a && echo x > a/b && chmod 700 a && mv a c && cat c/b");
    Confined c;
    job.workdir = &workdir;
    jot_status st = confine_run(&job, &y->a, &c, &y->e);
    workdir_close(&workdir);
    unlink(arena_printf(&y->a, "%s/c/b", dir).p);
    rmdir(arena_printf(&y->a, "%s/c", dir).p);
    rmdir(dir);
    assert_int_equal(st, JOT_OK);
    assert_str(c.head, S("x\n"));
}

static void put_shut(const char *path)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, "canary-system\n", 14) == 14);
}

/* A program that changes its key replaces the file, or makes a directory for it, at any moment. */
static void a_secret_that_is_put_there_meanwhile_is_hidden(Yard *y)
{
    if (getuid() != 0)
        return; /* others could not read it anyway */
    const char *dir = arena_printf(&y->a, "/etc/jotter-test-%d", getpid()).p;
    const char *plain = arena_printf(&y->a, "%s/plain", dir).p;
    const char *old = arena_printf(&y->a, "%s/secret", dir).p;
    const char *draft = arena_printf(&y->a, "%s/draft", dir).p;
    const char *fresh = arena_printf(&y->a, "%s/fresh", plain).p;
    const char *told = arena_printf(&y->a, "%s/told", plain).p;
    assert_true(mkdir(dir, 0755) == 0 && mkdir(plain, 0755) == 0);
    assert_true(chmod(dir, 0755) == 0 && chmod(plain, 0755) == 0);
    put_shut(old);
    put_shut(told);
    chmod(told, 0644);
    int said[2];
    assert_int_equal(pipe(said), 0);
    pid_t us = fork();
    assert_true(us >= 0);
    if (us == 0) {
        Confined c = yard_command(
            y, arena_printf(&y->a,
                            "touch sub/begun; while test ! -e sub/go; do sleep 0.01; done; cat %s "
                            "%s; wc -l < %s",
                            old, fresh, told)
                   .p);
        _exit(write(said[1], c.head.p, c.head.n) == (ssize_t)c.head.n ? 0 : 1);
    }
    yard_await(y, "work/sub/begun");
    put_shut(draft);
    int moved = rename(draft, old);
    put_shut(fresh);
    yard_put(yard_path(y, "work/sub/go"), "");
    waitpid(us, NULL, 0);
    char text[YARD_OUTPUT] = "";
    close(said[1]);
    ssize_t n = read(said[0], text, sizeof text - 1);
    close(said[0]);
    unlink(old);
    unlink(fresh);
    unlink(told);
    rmdir(plain);
    rmdir(dir);
    assert_true(moved == 0 && n > 0);
    if (strstr(text, "canary") || !strstr(text, "1\n"))
        fail_msg("%s: read '%s'", confine_name(y->how), text);
}

/* A user has few queues of inotify; in bubblewrap's namespaces programs that need one may have it.
 */
static void the_users_queues_of_events_are_not_used_up(Yard *y)
{
    Confined c =
        yard_command(y, "python3 -c 'import ctypes, sys; lib = ctypes.CDLL(None); sys.exit(0 if "
                        "max(lib.inotify_init1(0), lib.inotify_init()) >= 0 else 1)'");
    assert_int_equal(c.code, y->how == CONFINE_LANDLOCK ? 1 : 0);
}

/* --- Calls that reach other processes -------------------------------------------------------- */

static pid_t bystander(void)
{
    pid_t other = fork();
    assert_true(other >= 0);
    while (other == 0)
        pause();
    return other;
}

static void dismiss(pid_t other)
{
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, NULL, 0), other);
}

/* Each call is made with the number of a process outside; none may succeed. */
static void no_call_reaches_another_process(Yard *y)
{
    static const char *const calls[] = {
        "prlimit64, P, 1, ref(Q(0, 0)), 0",
        "prlimit64, P, 7, 0, ref(Q(0, 0))",
        "setpriority, 0, P, 19",
        "setpriority, 1, P, 19",
        "setpriority, 2, 0, 19",
        "sched_setaffinity, P, 8, ref(Q(1, 0))",
        "sched_setscheduler, P, 3, ref(Q(0, 0))",
        "sched_setparam, P, ref(Q(0, 0))",
        "sched_setattr, P, ref(Q(48, 0)), 0",
        "ioprio_set, 1, P, 0x6000",
        "ioprio_set, 3, 0, 0x6000",
        "kill, P, 9",
        "tkill, P, 9",
        "tgkill, P, P, 9",
        "rt_sigqueueinfo, P, 9, ref(Q(0, 0))",
        "ptrace, 16, P, 0, 0",
        "process_vm_readv, P, 0, 0, 0, 0, 0",
        "process_vm_writev, P, 0, 0, 0, 0, 0",
        "move_pages, P, 0, 0, 0, 0, 0",
        "migrate_pages, P, 0, 0, 0",
        "kcmp, P, P, 0, 0, 0",
        "get_robust_list, P, ref(Q(0, 0)), ref(Q(0, 0))",
        "pidfd_getfd, 0, 0, 0",
        "process_madvise, 0, 0, 0, 4, 0",
        "process_mrelease, 0, 0",
        "keyctl, 0, -3, 0, 0, 0",
        "add_key, 0, 0, 0, 0, 0",
        "request_key, 0, 0, 0, 0",
        "io_uring_setup, 1, 0",
        "bpf, 0, 0, 0",
        "perf_event_open, 0, P, -1, -1, 0",
        "userfaultfd, 0",
        "unshare, 0x10000000",
        "setns, 0, 0",
        "mount, 0, 0, 0, 0, 0",
        "open_by_handle_at, 0, 0, 0",
        "name_to_handle_at, 0, 0, 0, 0, 0",
        "syslog, 10, 0, 0",
        "quotactl, 0, 0, 0, 0",
        "fanotify_init, 0, 0",
        "personality, 0x0040000",
        "vhangup, 0",
    };
    pid_t other = bystander();
    struct rlimit before, after;
    cpu_set_t all, now;
    prlimit(other, RLIMIT_FSIZE, NULL, &before);
    sched_getaffinity(other, sizeof all, &all);
    AUTO(Buf) script = { 0 };
    buf_addf(&script,
             "import ctypes as c, re\n"
             "lib, P, ref, Q = c.CDLL(None, use_errno=True), %d, c.byref, c.c_uint64 * 2\n"
             "num = dict(re.findall(r'define __NR_(\\w+) (\\d+)', open(%s).read()))\n"
             "new = dict(io_uring_setup=425, pidfd_getfd=438, process_madvise=440, "
             "process_mrelease=448)\n"
             "def t(name, *a):\n"
             "    n = int(num.get(name, new.get(name, -1)))\n"
             "    if n >= 0 and lib.syscall(n, *a) >= 0: print('worked:', name, a)\n",
             other, "'sub/numbers'");
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        Str rest = str(calls[i]), name;
        str_cut(&rest, ',', &name);
        buf_addf(&script, "t('" STR_FMT "'," STR_FMT ")\n", STR_ARG(name), STR_ARG(rest));
    }
    buf_add(&script, S("print('done')\n"));
    yard_put(yard_path(y, "work/sub/calls.py"), arena_cstr(&y->a, buf_str(&script)));
    AUTO(Buf) numbers = { 0 };
    /* Numbers of this machine, as the compiler knows them. */
#define NUMBER(name) buf_addf(&numbers, "define __NR_" #name " %d\n", (int)SYS_##name)
    NUMBER(prlimit64), NUMBER(setpriority), NUMBER(sched_setaffinity), NUMBER(sched_setscheduler);
    NUMBER(sched_setparam), NUMBER(sched_setattr), NUMBER(ioprio_set), NUMBER(kill), NUMBER(tkill);
    NUMBER(tgkill), NUMBER(rt_sigqueueinfo), NUMBER(ptrace), NUMBER(process_vm_readv);
    NUMBER(process_vm_writev), NUMBER(move_pages), NUMBER(migrate_pages), NUMBER(kcmp);
    NUMBER(get_robust_list), NUMBER(keyctl), NUMBER(add_key), NUMBER(request_key), NUMBER(bpf);
    NUMBER(perf_event_open), NUMBER(userfaultfd), NUMBER(unshare), NUMBER(setns), NUMBER(mount);
    NUMBER(open_by_handle_at), NUMBER(name_to_handle_at), NUMBER(syslog), NUMBER(quotactl);
    NUMBER(fanotify_init), NUMBER(personality), NUMBER(vhangup);
#undef NUMBER
    yard_put(yard_path(y, "work/sub/numbers"), arena_cstr(&y->a, buf_str(&numbers)));
    Confined c = yard_command(y, "python3 sub/calls.py");
    prlimit(other, RLIMIT_FSIZE, NULL, &after);
    sched_getaffinity(other, sizeof now, &now);
    int nice_now = getpriority(PRIO_PROCESS, (id_t)other);
    bool alive = kill(other, 0) == 0 && waitpid(other, NULL, WNOHANG) == 0;
    if (alive)
        dismiss(other);
    /* In namespaces, "all processes of this user" are the command's own. */
    if (y->how == CONFINE_LANDLOCK || !str_starts(c.head, S("worked: setpriority (2, 0")))
        assert_str(c.head, S("done\n"));
    assert_true(alive && nice_now == getpriority(PRIO_PROCESS, 0));
    assert_memory_equal(&before, &after, sizeof before);
    assert_true(CPU_EQUAL(&all, &now));
}

/* What a program does to itself goes on. */
static void a_process_still_rules_itself(Yard *y)
{
    yard_prints(y, "ulimit -n 64 && ulimit -n; nice -n 19 nice", "64\n19\n");
    yard_prints(y,
                "python3 -c 'import os, resource as r; r.setrlimit(r.RLIMIT_NOFILE, (32, 32)); "
                "os.sched_setaffinity(0, os.sched_getaffinity(0)); os.setpriority(0, 0, 19); "
                "print(r.getrlimit(r.RLIMIT_NOFILE), os.getpriority(0, 0))'",
                "(32, 32) 19\n");
    yard_prints(y, "sleep 60 & kill $!; wait $!; echo $?", "143\n");
}

/* Memory by System V's numbers belongs to whoever knows the number. */
static void memory_of_others_is_not_there(Yard *y)
{
    struct shmid_ds info;
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    assert_true(id >= 0);
    Confined c = yard_command(y, arena_printf(&y->a,
                                              "python3 -c 'import ctypes; l = ctypes.CDLL(None); "
                                              "l.shmat.restype = ctypes.c_long; "
                                              "print(l.shmat(%d, None, 0), l.shmctl(%d, 0, None))'",
                                              id, id)
                                     .p);
    int there = shmctl(id, IPC_STAT, &info);
    shmctl(id, IPC_RMID, NULL);
    assert_str(c.head, S("-1 -1\n"));
    assert_int_equal(there, 0);
}

static void *sleep_on(void *unused)
{
    (void)unused;
    pause();
    return NULL;
}

/* The user has a program of many threads, as a browser is, before the command is run. */
static void the_users_own_threads_leave_a_command_its_processes(Yard *y)
{
    int ready[2];
    char word;
    assert_int_equal(pipe(ready), 0);
    pid_t busy = fork();
    if (busy == 0) {
        pthread_attr_t small;
        pthread_t thread;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, 65536);
        for (int i = 0; i < 2 * CONFINE_SPARE; i++)
            if (pthread_create(&thread, &small, sleep_on, NULL))
                _exit(1);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    ssize_t told = read(ready[0], &word, 1);
    close(ready[0]);
    Confined c = yard_command(y, "sleep 0 & sleep 0 & wait; echo done");
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    assert_int_equal(told, 1);
    assert_str(c.head, S("done\n"));
}

/* clang-format off */
static const Trial trials[] = {
    TRIAL(no_file_of_the_kernel_opens_for_writing, "outside", true),
    TRIAL(no_command_works_in_the_kernels_files, "outside", true),
    TRIAL(nothing_new_is_made_outside_the_few_places, "outside", true),
    TRIAL(landlock_stands_under_every_mechanism, "outside", true),
    TRIAL(the_second_wall_holds_by_itself, "outside", true),
    TRIAL(the_first_wall_holds_by_itself, "outside", true),
    TRIAL(the_users_queues_of_events_are_not_used_up, "outside", true),
    TRIAL(a_secret_that_is_put_there_meanwhile_is_hidden, "outside", true),
    TRIAL(a_working_directory_in_opt_is_written, "outside", true),
    TRIAL(what_others_cannot_read_is_hidden, "outside", true),
    TRIAL(no_call_reaches_another_process, "outside", true),
    TRIAL(a_process_still_rules_itself, "outside", true),
    TRIAL(memory_of_others_is_not_there, "outside", true),
    TRIAL(the_users_own_threads_leave_a_command_its_processes, "outside", false),
};
/* clang-format on */

int main(void)
{
    return yard_run("confine_walls", trials, COUNT_OF(trials));
}
