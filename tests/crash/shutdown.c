/* shutdown.c - real file systems that are shut down under a writer, and mounted again.
 *
 *   shutdown ext4|xfs ROUNDS [SEED]
 *
 * A file system in an image file is mounted.  A process writes to a pad on it and
 * says what was acknowledged.  At a random moment it is stopped, the file system
 * is shut down as if its disk were gone (the ioctl of xfs_io's `shutdown`, with
 * each of its three ways to treat the log), the process is killed, and the file
 * system is mounted again: in every second round as the same boot of the machine,
 * in the others as the next.  Then every acknowledged write must be there: the
 * value of its note, or a version of it; every entry of the log.  What a person
 * edited and synced must be there too.
 *
 * Needs root, loop devices, mkfs.ext4 or mkfs.xfs.  Ends with 0 and a line of counters, with 1 if
 * something was lost, with 77 if it cannot be done here. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/boot.h"
#include "base/buf.h"
#include "store/store.h"

#define IOC_SHUTDOWN _IOR('X', 125, uint32_t)

enum {
    KEYS = 12,
    ACKS_MAX = 400,
    TEXT_MAX = 4000,
    FRESH_EVERY = 8, /* rounds on one file system */
    CANNOT = 77,
};

static char home[] = "/tmp/jotter-shutdown-XXXXXX";
static char image[64], mnt[64], again[64], url[96];
static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* --- The machine --------------------------------------------------------------------------- */

static int run(const char *const *args)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        execvp(args[0], (char *const *)args);
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static bool make_fs(const char *kind)
{
    unlink(image);
    int fd = open(image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool made = fd >= 0 && ftruncate(fd, (off_t)320 << 20) == 0;
    if (fd >= 0)
        close(fd);
    const char *ext4[] = { "/sbin/mkfs.ext4", "-q", "-F", image, NULL };
    const char *xfs[] = { "/sbin/mkfs.xfs", "-q", "-f", image, NULL };
    return made && run(strcmp(kind, "xfs") == 0 ? xfs : ext4) == 0;
}

static bool mount_fs(void)
{
    return run((const char *[]){ "mount", "-o", "loop", image, mnt, NULL }) == 0;
}

static bool unmount_fs(void)
{
    for (int i = 0; i < 50; i++, usleep(100 * 1000))
        if (umount2(mnt, 0) == 0)
            return true;
    return false;
}

static void leave(void)
{
    umount2(again, MNT_DETACH);
    umount2(mnt, MNT_DETACH);
    unlink(image);
    rmdir(mnt);
    rmdir(again);
    rmdir(home);
}

static bool shut_down(uint32_t how)
{
    int fd = open(mnt, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && ioctl(fd, IOC_SHUTDOWN, &how) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

/* --- What was said ------------------------------------------------------------------------- */

/* A text says which write it is, is of any length, and has no zeros in it. */
static Str text_of(uint64_t n, char to[TEXT_MAX])
{
    size_t size = 20 + (size_t)((n * 2654435761U) % (TEXT_MAX - 40));
    int head = snprintf(to, TEXT_MAX, "write %" PRIu64 " ", n);
    memset(to + head, 'a' + (int)(n % 26), size);
    return (Str){ to, (size_t)head + size };
}

typedef struct Told {
    uint64_t last[KEYS];   /* the newest acknowledged write of each note; 0: none */
    uint64_t begun[KEYS];  /* the write under way when it ended; 0: none */
    uint64_t entries;      /* of the log */
    uint64_t edited;       /* a person's text, synced; 0: none */
    uint64_t n;            /* writes so far, over all rounds */
    uint64_t acknowledged; /* of this round and all before */
} Told;

static Store *open_pad(const Io *io, Err *e)
{
    Store *s = NULL;
    StoreOptions o = { .io = io, .create = true };
    return store_open(&s, str(url), &o, e) == JOT_OK ? s : NULL;
}

/* --- The writer ---------------------------------------------------------------------------- */

/* What the writer says before (`begun`) and after each write. */
typedef struct Word {
    uint64_t n;
    int key; /* KEYS: the log */
    bool begun;
} Word;

static void say(int to, Word w)
{
    if (write(to, &w, sizeof w) != sizeof w)
        _exit(3);
}

static void write_until_killed(const Io *io, uint64_t n, int to)
{
    Err e = { 0 };
    Store *s = open_pad(io, &e);
    if (!s) {
        fprintf(stderr, "the writer could not open the pad: %s\n", e.text);
        _exit(2);
    }
    for (;; n++) {
        char room[TEXT_MAX], name[32];
        int key = (int)draw(KEYS + 1);
        bool log = key == KEYS;
        Draft d = { .op = log ? OP_APPEND : OP_PUT, .by = S("rig"), .body = text_of(n, room) };
        Mark mark;
        snprintf(name, sizeof name, log ? "runs/log" : "notes/n%d", key);
        say(to, (Word){ n, key, true });
        if (store_append(s, str(name), NULL, &d, &mark, &e) != JOT_OK)
            _exit(0); /* the disk is gone */
        say(to, (Word){ n, key, false });
    }
}

static bool hear(int from, Told *t)
{
    Word w;
    ssize_t got = read(from, &w, sizeof w);
    if (got != sizeof w)
        return false;
    t->n = w.n;
    if (w.begun) {
        if (w.key < KEYS)
            t->begun[w.key] = w.n;
        return true;
    }
    t->acknowledged++;
    if (w.key == KEYS) {
        t->entries++;
    } else {
        t->last[w.key] = w.n;
        t->begun[w.key] = 0;
    }
    return true;
}

/* --- One round ----------------------------------------------------------------------------- */

/* A person writes a note of their own, with an editor that syncs. */
static void edit(Told *t)
{
    char room[TEXT_MAX], path[128];
    Str text = text_of(t->n + 1000000, room);
    snprintf(path, sizeof path, "%s/pad/notes/person.txt", mnt);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool done = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    snprintf(path, sizeof path, "%s/pad/notes", mnt);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    done = done && fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    t->edited = done ? t->n + 1000000 : t->edited;
}

static bool write_and_shut_down(const Io *io, Told *t, uint32_t how)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    uint64_t from = t->n + 1, stop = t->acknowledged + 1 + draw(draw(4) ? 60 : ACKS_MAX);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        write_until_killed(io, from, ends[1]);
    }
    close(ends[1]);
    bool heard = true;
    while (heard && t->acknowledged < stop)
        heard = hear(ends[0], t);
    if (draw(2))
        edit(t);
    kill(pid, SIGSTOP);
    bool down = shut_down(how);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    while (hear(ends[0], t)) /* what it said before it stopped */
        ;
    close(ends[0]);
    return heard && down;
}

static bool is_text(Str got, uint64_t n)
{
    char room[TEXT_MAX];
    return n && str_eq(got, text_of(n, room));
}

/* The list of heads knows of records that are not there. */
static void hear_of_loss(void *ctx, const StoreFault *f)
{
    if (f->kind != FAULT_LOST)
        return;
    printf("%.*s: %s\n", (int)f->stream.n, f->stream.p, f->what);
    ++*(uint64_t *)ctx;
}

static uint64_t check(const Io *io, Told *t, const char *kind, int round)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    uint64_t lost = 0;
    Store *s = open_pad(io, &e);
    if (!s) {
        printf("%s round %d: the pad does not open: %s\n", kind, round, e.text);
        return 1;
    }
    for (int key = 0; key <= KEYS; key++) {
        char name[32];
        Record head = { 0 };
        snprintf(name, sizeof name, key < KEYS ? "notes/n%d" : "notes/person", key);
        uint64_t want = key < KEYS ? t->last[key] : t->edited;
        jot_status st = store_head(s, str(name), HEAD_RECORD, &arena, &head, &e);
        bool held = st == JOT_OK &&
                    (is_text(head.body, want) || (key < KEYS && is_text(head.body, t->begun[key])));
        if (want && !held) {
            printf("%s round %d: %s is '%.*s' (%s, by %.*s), not write %" PRIu64 "\n", kind, round,
                   name, (int)(head.body.n < 30 ? head.body.n : 30), head.body.n ? head.body.p : "",
                   st == JOT_OK ? "ok" : e.text, (int)head.by.n, head.by.n ? head.by.p : "", want);
            lost++;
        }
        if (key < KEYS && is_text(head.body, t->begun[key]))
            t->last[key] = t->begun[key];
        if (key < KEYS)
            t->begun[key] = 0;
    }
    uint64_t entries = 0;
    for (bool more = t->entries > 0; more;) {
        AUTO(Arena) page = { 0 };
        Records some;
        more = store_read(s, S("runs/log"), (SeqRange){ entries + 1, 500 }, &page, &some, &e) ==
                   JOT_OK &&
               some.n && some.more;
        entries += some.n;
    }
    lost += entries < t->entries ? t->entries - entries : 0;
    t->entries = entries;
    VerifyCount count = { 0 };
    VerifyHooks hooks = { .fault = hear_of_loss, .ctx = &lost };
    if (store_verify(s, &hooks, &count, &e) != JOT_OK)
        lost++;
    Mark mark;
    Draft d = { .op = OP_PUT, .by = S("rig"), .body = S("a write compares everything") };
    if (store_append(s, S("notes/other"), NULL, &d, &mark, &e) != JOT_OK ||
        store_mend(s, NULL, &e) != JOT_OK || store_verify(s, NULL, &count, &e) != JOT_OK ||
        count.faults) {
        printf("%s round %d: verify: %" PRIu64 " faults, %s\n", kind, round, count.faults, e.text);
        lost++;
    }
    store_close(s);
    return lost;
}

/* Another mount of the same file system has the same word, or the pad would be compared by turns.
 */
static bool seen_alike(void)
{
    char here[MOUNT_TEXT], there[MOUNT_TEXT];
    if (mount(mnt, again, NULL, MS_BIND, NULL) != 0)
        return false;
    int a = open(mnt, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int b = open(again, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool alike = io_mount_id(&io_system, a, here) == 0 && io_mount_id(&io_system, b, there) == 0 &&
                 (here[0] != 's' || strcmp(here, there) == 0);
    close(a);
    close(b);
    return umount2(again, 0) == 0 && alike;
}

static int cannot(const char *what)
{
    printf("shutdown: left out: %s\n", what);
    return CANNOT;
}

int main(int argc, char **argv)
{
    uint64_t rounds = 0, seed = 1;
    if (argc < 3 || !str_to_u64(str(argv[2]), 100000, &rounds) ||
        (argc > 3 && !str_to_u64(str(argv[3]), UINT64_MAX, &seed))) {
        fprintf(stderr, "usage: shutdown ext4|xfs ROUNDS [SEED]\n");
        return 2;
    }
    if (geteuid() != 0)
        return cannot("it mounts file systems, which needs root");
    /* In a namespace of its own: a copy of the mount elsewhere would keep the dead file system. */
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return cannot("it may not have mounts of its own");
    if (!mkdtemp(home))
        return cannot("no directory could be made");
    random_state = seed * 0x9E3779B97F4A7C15U + 1;
    snprintf(image, sizeof image, "%s/image", home);
    snprintf(mnt, sizeof mnt, "%s/mnt", home);
    snprintf(again, sizeof again, "%s/again", home);
    snprintf(url, sizeof url, "files:%s/pad", mnt);
    mkdir(mnt, 0700);
    mkdir(again, 0700);
    atexit(leave);
    const char *kind = argv[1];
    Told t = { 0 };
    uint64_t lost = 0, downs = 0;
    char boot[BOOT_TEXT] = "00000000000000000000000000000001";
    Io io = { .boot_id = boot };
    for (uint64_t i = 0; i < rounds; i++) {
        if (i % FRESH_EVERY == 0) {
            if (i && !unmount_fs())
                return cannot("the file system could not be unmounted");
            t = (Told){ .n = t.n, .acknowledged = t.acknowledged };
            if (!make_fs(kind) || !mount_fs())
                return cannot("the file system could not be made and mounted");
            if (!seen_alike())
                return cannot("a bind mount does not look the same");
        }
        if (!write_and_shut_down(&io, &t, (uint32_t)(i % 3)) || !unmount_fs() || !mount_fs()) {
            printf("%s round %" PRIu64 ": the shutdown itself failed\n", kind, i);
            return 1;
        }
        downs++;
        if (i % 2)
            snprintf(boot, sizeof boot, "%032" PRIx64, i + 2);
        lost += check(&io, &t, kind, (int)i);
    }
    unmount_fs();
    printf("shutdown %s: %" PRIu64 " shutdowns, %" PRIu64 " acknowledged writes, %" PRIu64
           " lost\n",
           kind, downs, t.acknowledged, lost);
    return lost ? 1 : 0;
}
