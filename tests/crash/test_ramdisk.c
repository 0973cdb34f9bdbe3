/* test_ramdisk.c - the ramdisk is a file system: random calls are made to it and to a real one.
 *
 * Both must answer the same, errors included, and hold the same afterwards:
 * names, types, bytes, links, and who has locked what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "rig/live.h"
#include "rig/ramdisk.h"

enum { CALLS = 60000, FDS = 6, BYTES = 40 };

/* One call's arguments, and each side's descriptors: [0] real, [1] on the ramdisk. */
typedef struct Dice {
    uint64_t random;
    int roots[2];
    int fds[FDS][2];
} Dice;

static uint64_t roll(Dice *d, uint64_t n)
{
    d->random = mix64(d->random, 11);
    return d->random % n;
}

static const char *name(Dice *d)
{
    static const char *const names[] = { "a",   "b",   "d",     "e",   "d/a",
                                         "d/b", "d/e", "d/e/a", "e/a", "x/y" };
    return names[roll(d, COUNT_OF(names))];
}

static long said(long got)
{
    return got < 0 ? -errno : got;
}

/* The same of both, or the test ends. */
static void same(const char *call, const char *on, long real, long ram)
{
    if (real != ram)
        fail_msg("%s %s: %ld (%s) and on the ramdisk %ld (%s)", call, on, real,
                 real < 0 ? strerror((int)-real) : "fine", ram,
                 ram < 0 ? strerror((int)-ram) : "fine");
}

static void try_open(Dice *d, int slot)
{
    static const int flags[] = { O_RDONLY,
                                 O_WRONLY,
                                 O_RDWR,
                                 O_RDWR | O_CREAT,
                                 O_RDWR | O_CREAT | O_EXCL,
                                 O_WRONLY | O_CREAT | O_APPEND,
                                 O_WRONLY | O_TRUNC,
                                 O_PATH,
                                 O_RDONLY | O_DIRECTORY };
    const char *path = name(d);
    int how = flags[roll(d, COUNT_OF(flags))];
    long got[2];
    for (int i = 0; i < 2; i++) {
        if (d->fds[slot][i] >= 0)
            close(d->fds[slot][i]);
        got[i] = said(openat(d->roots[i], path, how | O_CLOEXEC, 0600));
        d->fds[slot][i] = (int)(got[i] < 0 ? -1 : got[i]);
    }
    same("open", path, got[0] < 0 ? got[0] : 0, got[1] < 0 ? got[1] : 0);
}

static void try_names(Dice *d)
{
    static const unsigned flags[] = { 0, RENAME_NOREPLACE, RENAME_EXCHANGE };
    const char *a = name(d), *b = name(d);
    unsigned how = flags[roll(d, 3)];
    uint64_t what = roll(d, 5);
    long got[2];
    for (int i = 0; i < 2; i++) {
        int root = d->roots[i];
        got[i] = said(what == 0   ? mkdirat(root, a, 0700)
                      : what == 1 ? unlinkat(root, a, 0)
                      : what == 2 ? unlinkat(root, a, AT_REMOVEDIR)
                                  : renameat2(root, a, root, b, how));
    }
    char call[40];
    snprintf(call, sizeof call, "%s (%u) to %s of", what < 3 ? "names" : "rename", how, b);
    same(call, a, got[0], got[1]);
}

static void try_stat(Dice *d)
{
    const char *path = name(d);
    struct stat st[2] = { 0 };
    long got[2];
    for (int i = 0; i < 2; i++)
        got[i] = said(fstatat(d->roots[i], path, &st[i], AT_SYMLINK_NOFOLLOW));
    same("stat", path, got[0], got[1]);
    if (got[0] < 0)
        return;
    same("type", path, st[0].st_mode & S_IFMT, st[1].st_mode & S_IFMT);
    if (S_ISREG(st[0].st_mode))
        same("size", path, st[0].st_size, st[1].st_size);
}

/* Which of several locks stands in the way is not said anywhere. */
static long one_lock(int fd, int command, short kind, off_t from, off_t n)
{
    struct flock f = { .l_type = kind, .l_whence = SEEK_SET, .l_start = from, .l_len = n };
    long got = said(fcntl(fd, command, &f));
    return got < 0 || command != F_OFD_GETLK || f.l_type == F_UNLCK ? got : 1;
}

static void try_file(Dice *d, int slot)
{
    static const short kinds[] = { F_RDLCK, F_WRLCK, F_UNLCK };
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char bytes[2][BYTES] = { { 0 } };
    uint64_t what = roll(d, 8), n = roll(d, BYTES - 4), at = roll(d, BYTES), kind = roll(d, 3);
    long got[2];
    for (int i = 0; i < 2; i++) {
        int fd = d->fds[slot][i];
        struct stat st = { 0 };
        got[i] = what == 0   ? said(write(fd, text, n))
                 : what == 1 ? said(pwrite(fd, text, n, (off_t)at))
                 : what == 2 ? said(pread(fd, bytes[i], n, (off_t)at))
                 : what == 3 ? said(read(fd, bytes[i], n))
                 : what == 4 ? said(ftruncate(fd, (off_t)at))
                 : what == 5 ? one_lock(fd, F_OFD_SETLK, kinds[kind], (off_t)at, (off_t)n)
                 : what == 6 ? one_lock(fd, F_OFD_GETLK, kinds[kind % 2], (off_t)at, (off_t)n)
                             : said(fstat(fd, &st));
        if (what == 7 && got[i] == 0 && S_ISREG(st.st_mode))
            got[i] = (long)st.st_nlink * 1000 + st.st_size;
    }
    char call[20];
    snprintf(call, sizeof call, "call %d", (int)what);
    same(call, "of a file", got[0], got[1]);
    assert_memory_equal(bytes[0], bytes[1], BYTES);
}

/* What a listing of everything shows. */
static uint64_t whole(const char *root)
{
    AUTO(Arena) arena = { 0 };
    Live live;
    Image image;
    live_open(&live, root, NULL);
    live_image(&live, &arena, &image);
    uint64_t hash = image_hash(&image);
    live_close(&live);
    return hash;
}

static void the_ramdisk_answers_as_the_system_does(void **state)
{
    char real[] = "/dev/shm/jotter-ramdisk-XXXXXX";
    const char *roots[2] = { mkdtemp(real), RAMDISK "/try" };
    assert_non_null(roots[0]);
    assert_int_equal(mkdir(roots[1], 0700), 0);
    Dice d = { .random = 1 };
    const char *seed = getenv("JOT_TEST_SEED");
    if (seed)
        assert_true(str_to_u64(str(seed), UINT64_MAX, &d.random));
    memset(d.fds, 0xFF, sizeof d.fds);
    for (int i = 0; i < 2; i++)
        d.roots[i] = open(roots[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int n = 0; n < CALLS; n++) {
        int slot = (int)roll(&d, FDS);
        uint64_t what = roll(&d, 8);
        if (what == 0 || d.fds[slot][0] < 0)
            try_open(&d, slot);
        else if (what < 3)
            try_names(&d);
        else if (what < 4)
            try_stat(&d);
        else
            try_file(&d, slot);
        if (n % 500 == 0)
            assert_true(whole(roots[0]) == whole(roots[1]));
    }
    for (int i = 0; i < 2; i++) {
        for (int slot = 0; slot < FDS; slot++)
            if (d.fds[slot][i] >= 0)
                close(d.fds[slot][i]);
        close(d.roots[i]);
        dir_remove(roots[i]);
    }
    assert_int_equal(ramdisk_descriptors(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ramdisk_answers_as_the_system_does),
    };
    return cmocka_run_group_tests_name("ramdisk", tests, NULL, NULL);
}
