/* jail_landlock.c - rules about files, and no sockets.
 *
 * Landlock knows only what is allowed, and a rule for a directory holds for all
 * below it.  To leave something out, each of its siblings is allowed instead, on
 * every level from the directory down to it.
 *
 * In the trees where secrets are (jail_secret_trees) each file that everybody may read
 * is allowed by itself: what is put there later, or in the place of another, is
 * another file, and no rule is about it.
 *
 * ABI 6 is needed: before 3, nothing could be said about truncating a file, and
 * before 6, nothing about signals, with which a command could kill its supervisor. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "agent/sandbox/jail.h"

enum {
    CREATE_RULESET = 444, /* these numbers are the same on every machine */
    ADD_RULE = 445,
    GET_VERSION = 1,
    PATH_BENEATH = 1,
    ABI_MIN = 6,
    ENTRIES_MAX = 20000, /* of a directory */
    LISTED_MAX = 20000,  /* files that are allowed one by one; of more, their directories are */
};

/* As the kernel defines them; its header may be older than the kernel. */
#define EXECUTE (UINT64_C(1) << 0)
#define WRITE_FILE (UINT64_C(1) << 1)
#define READ_FILE (UINT64_C(1) << 2)
#define READ_DIR (UINT64_C(1) << 3)
#define REMOVE_DIR (UINT64_C(1) << 4)
#define REMOVE_FILE (UINT64_C(1) << 5)
#define MAKE_CHAR (UINT64_C(1) << 6)
#define MAKE_DIR (UINT64_C(1) << 7)
#define MAKE_REG (UINT64_C(1) << 8)
#define MAKE_SOCK (UINT64_C(1) << 9)
#define MAKE_FIFO (UINT64_C(1) << 10)
#define MAKE_BLOCK (UINT64_C(1) << 11)
#define MAKE_SYM (UINT64_C(1) << 12)
#define REFER (UINT64_C(1) << 13)
#define TRUNCATE (UINT64_C(1) << 14)
#define IOCTL_DEV (UINT64_C(1) << 15)

#define READS (EXECUTE | READ_FILE | READ_DIR)
#define WRITES                                                                                     \
    (READS | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | \
     MAKE_SYM | REFER | TRUNCATE)
#define OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)

typedef struct RulesetAttr {
    uint64_t fs, net, scoped;
} RulesetAttr;

typedef struct PathAttr {
    uint64_t access;
    int32_t fd;
} __attribute__((packed)) PathAttr;

/* What is left out of the rules. */
typedef struct Except {
    Str path;
    bool begins;     /* and everything that begins with it: a database and its journals */
    uint64_t rights; /* that are given all the same */
} Except;

typedef struct Rules {
    int ruleset;
    uint64_t known; /* the rights it is about */
    Except *except;
    size_t except_n;
    Str work;      /* the working directory: in there, all is as its rights say */
    size_t listed; /* files of the trees where secrets are, so far */
    int failed;    /* errno of the first rule that could not be made */
} Rules;

static void allow_fd(Rules *r, int fd, uint64_t rights)
{
    struct stat info;
    PathAttr a = { .access = rights & r->known, .fd = fd };
    if (fstat(fd, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode))
        a.access &= OF_FILES;
    if (a.access && syscall(ADD_RULE, r->ruleset, PATH_BENEATH, &a, 0) != 0 && !r->failed)
        r->failed = errno;
}

/* A path that is not there needs no rule. */
static void allow(Rules *r, const char *path, uint64_t rights)
{
    AUTO(Fd) fd = open(path, O_PATH | O_CLOEXEC);
    if (fd >= 0)
        allow_fd(r, fd, rights);
}

static bool is_below(Str path, Str dir)
{
    return str_starts(path, dir) && (dir.n == 1 || (path.n > dir.n && path.p[dir.n] == '/'));
}

static const Except *excepted(const Rules *r, Str path)
{
    for (size_t i = 0; i < r->except_n; i++) {
        const Except *x = &r->except[i];
        if (x->begins ? str_starts(path, x->path) : str_eq(path, x->path))
            return x;
    }
    return NULL;
}

static bool holds_exception(const Rules *r, Str path)
{
    for (size_t i = 0; i < r->except_n; i++)
        if (is_below(r->except[i].path, path))
            return true;
    return false;
}

static bool is_work(const Rules *r, Str path)
{
    return str_eq(path, r->work) || is_below(path, r->work);
}

/* 1 for a tree where secrets are and what is below it, -1 for what is above one. */
static int secret_tree(const Rules *r, Str path)
{
    if (is_work(r, path))
        return 0;
    for (const char *const *tree = jail_secret_trees; *tree; tree++) {
        if (str_eq(path, str(*tree)) || is_below(path, str(*tree)))
            return 1;
        if (is_below(str(*tree), path))
            return -1;
    }
    return 0;
}

static void allow_below(Rules *r, int at, const char *name, Str path, uint64_t rights, Arena *into);

static void allow_entries(Rules *r, int dir, Str path, uint64_t rights, Arena *into)
{
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    if (!d && fd >= 0)
        close(fd);
    for (int n = 0; d && n < ENTRIES_MAX && (entry = readdir(d)); n++) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        Str child = arena_printf(into, "%s/%s", path.n == 1 ? "" : path.p, entry->d_name);
        allow_below(r, dirfd(d), entry->d_name, child, rights, into);
    }
    if (d)
        closedir(d);
}

/* Allow what is below a path, but for the exceptions.  It is opened by its name in the directory
 * that is being read, and never through a link, which would count as what it points to: another
 * command may be at work there and put one in its place. */
static void allow_below(Rules *r, int at, const char *name, Str path, uint64_t rights, Arena *into)
{
    struct stat info;
    AUTO(Fd) fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0 || S_ISLNK(info.st_mode))
        return;
    const Except *x = excepted(r, path);
    int secret = secret_tree(r, path);
    bool listed = secret > 0 && r->listed++ < LISTED_MAX;
    if (listed && !jail_is_for_all(&info))
        return;
    if (x)
        allow_fd(r, fd, rights & x->rights);
    else if (S_ISDIR(info.st_mode) && (listed || secret < 0 || holds_exception(r, path))) {
        allow_fd(r, fd, rights & READ_DIR);
        allow_entries(r, fd, path, rights, into);
    } else
        allow_fd(r, fd, rights);
}

static void add_rules(Rules *r, const ConfineJob *job, Str tmp, Arena *into)
{
    static const char *const reads[] = { "/bin",   "/sbin",   "/lib",  "/lib32",
                                         "/lib64", "/libx32", "/proc", "/run/systemd/resolve" };
    static const char *const looked_through[] = { "/usr", "/opt", "/etc" };
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                           "/dev/urandom" };
    for (size_t i = 0; i < COUNT_OF(reads); i++)
        allow(r, reads[i], READS);
    for (size_t i = 0; i < COUNT_OF(devices); i++)
        allow(r, devices[i], READ_FILE | WRITE_FILE);
    for (const char *const *told = jail_sys_readable; *told; told++)
        allow(r, *told, READS);
    for (size_t i = 0; i < COUNT_OF(looked_through); i++)
        allow_below(r, AT_FDCWD, looked_through[i], str(looked_through[i]), READS, into);
    /* The directory that was opened, whatever has its name by now. */
    allow_below(r, job->workdir->dir, ".", job->workdir->path, WRITES, into);
    allow(r, tmp.p, WRITES);
}

/* What a ruleset of an older kernel can say: each version knew more of the bits. */
static RulesetAttr known_to(long abi, RulesetAttr a)
{
    static const struct {
        long abi;
        uint64_t fs;
    } since[] = { { 2, REFER }, { 3, TRUNCATE }, { 5, IOCTL_DEV } };
    for (size_t i = 0; i < COUNT_OF(since); i++)
        if (abi < since[i].abi)
            a.fs &= ~since[i].fs;
    if (abi < 4)
        a.net = 0;
    if (abi < 6)
        a.scoped = 0;
    return a;
}

jot_status jail_second_wall(const char *dir, Fd *out, Err *e)
{
    enum { REFER_SINCE = 2 }; /* before, no file could be moved to another directory */
    static const char *const devices[] = { "/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
                                           "/dev/urandom", "/dev/tty",  "/dev/ptmx", "/dev/pts" };
    long abi = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);
    if (abi < REFER_SINCE)
        return err_set(e, JOT_UNSUPPORTED, "this kernel's Landlock cannot be used");
    RulesetAttr a = known_to(
        abi, (RulesetAttr){ .fs = WRITES | MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV, .scoped = 3 });
    AUTO(Fd) fd = (int)syscall(CREATE_RULESET, &a, sizeof a, 0);
    Rules r = { .ruleset = fd, .known = a.fs, .work = str(dir) };
    if (fd < 0)
        return err_errno(e, errno, "could not use Landlock");
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    allow(&r, "/", READ_DIR);
    allow_entries(&r, root, S("/"), READS, &arena);
    allow(&r, dir, WRITES);
    allow(&r, "/tmp", WRITES);
    allow(&r, "/dev/shm", WRITES);
    for (size_t i = 0; i < COUNT_OF(devices); i++)
        allow(&r, devices[i], READ_FILE | WRITE_FILE | IOCTL_DEV);
    if (r.failed)
        return err_errno(e, r.failed, "could not use Landlock");
    *out = fd_take(&fd);
    return JOT_OK;
}

static jot_status make_ruleset(bool network, Rules *r, Fd *out, Err *e)
{
    long abi = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);
    RulesetAttr a = { .fs = WRITES | MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV,
                      .net = network ? 0 : 3, /* bind and connect with TCP */
                      .scoped = 3 }; /* sockets without a name in the file system, signals */
    if (abi < 0)
        return err_set(e, JOT_UNSUPPORTED, "this kernel has no Landlock");
    if (abi < ABI_MIN)
        return err_set(e, JOT_UNSUPPORTED, "this kernel's Landlock is version %ld: %d is needed",
                       abi, ABI_MIN);
    *out = (int)syscall(CREATE_RULESET, &a, sizeof a, 0);
    r->ruleset = *out;
    r->known = a.fs;
    return *out < 0 ? err_errno(e, errno, "could not use Landlock") : JOT_OK;
}

/* A supervisor under this ruleset can signal only what it started. */
static jot_status make_fence(Fd *out, Err *e)
{
    RulesetAttr a = { .scoped = 2 };
    *out = (int)syscall(CREATE_RULESET, &a, sizeof a, 0);
    return *out < 0 ? err_errno(e, errno, "could not use Landlock") : JOT_OK;
}

/* What is not compared afterwards must not be written to at all; and a pad not even be opened: who
 * can open a file can lock it, and a writer waits for that lock. */
static void except_plants(Rules *r, const Workdir *p, const PlantWatch *w, Arena *into)
{
    for (size_t i = 0; w && i < w->roots_n; i++)
        if (w->roots[i].busy || w->roots[i].unseen)
            r->except[r->except_n++] =
                (Except){ .path = arena_printf(into, "%s/%s", p->path.p, w->roots[i].path.p),
                          .rights = plant_is_pad(w->roots[i].row) ? 0 : READS };
}

jot_status jail_landlock(const ConfineJob *job, Arena *into, Jail *out, Err *e)
{
    const Workdir *p = job->workdir;
    JailHidden hidden = { 0 };
    Rules r = { .work = p->path };
    struct sock_filter *code = NEW_ARRAY(into, struct sock_filter, JAIL_FILTER_MAX);
    size_t n = jail_filter(code, job->network, false);
    if (!n)
        return err_set(e, JOT_UNSUPPORTED, "system calls cannot be filtered on this machine");
    jail_hidden(into, &hidden);
    size_t plants_n = out->plants ? out->plants->roots_n : 0;
    r.except = NEW_ARRAY(into, Except, hidden.n + 1 + WORKDIR_OWN + plants_n);
    if (p->pad.n)
        r.except[r.except_n++] = (Except){ .path = p->pad, .begins = p->pad_is_file };
    for (size_t i = 0; i < WORKDIR_OWN; i++)
        if (p->own[i].path.n)
            r.except[r.except_n++] = (Except){ .path = p->own[i].path };
    for (size_t i = 0; i < hidden.n; i++)
        if (!is_work(&r, hidden.at[i]))
            r.except[r.except_n++] = (Except){ .path = hidden.at[i] };
    except_plants(&r, p, out->plants, into);
    assert(r.except_n <= hidden.n + 1 + WORKDIR_OWN + plants_n);
    TRY(make_ruleset(job->network, &r, &out->ruleset, e));
    TRY(make_fence(&out->fence, e));
    TRY(jail_open(job, into, out, e));
    add_rules(&r, job, out->tmp, into);
    if (r.failed)
        return err_errno(e, r.failed, "could not use Landlock");
    out->filter = (struct sock_fprog){ .len = (unsigned short)n, .filter = code };
    out->sealed = true;
    return JOT_OK;
}
