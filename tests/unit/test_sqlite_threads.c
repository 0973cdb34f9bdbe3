/* test_sqlite_threads.c - a thread that closes a pad takes no lock of another thread.
 *
 * SQLite's locks belong to the process, and closing any descriptor of a file drops them.  So SQLite
 * looks whether somebody has a lock before it closes one, but it can be taken in between:
 *
 *     this thread:   closes ........... nobody has a lock ................ close(fd): all are
 * dropped the other:     opens ... reads the header (waits here) ... takes its lock
 *
 * Another process says whether the lock is there. */
#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "unit/sqlite_place.h"

/* Where SQLite's shared lock lies, which lasts as long as the pad is open. */
enum { SHARED_FIRST = 0x40000002, SHARED_BYTES = 510, SLOW_US = 200000 };

static ino_t pads_file;
static bool slow;           /* closing it takes a while */
static sem_t reads, closes; /* posted when the other thread is there, and when this one is */
static int closes_awaited;
static _Thread_local int pauses; /* this thread pauses at its nth read */

static bool is_pads(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_ino == pads_file;
}

static int close_slowly(int fd)
{
    if (slow && is_pads(fd)) {
        sem_post(&closes);
        usleep(SLOW_US);
    }
    return close(fd);
}

/* Where threads take turns nobody closes now, and the wait ends by itself. */
static ssize_t read_slowly(int fd, void *to, size_t n, off_t at)
{
    if (pauses && is_pads(fd) && --pauses == 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        sem_post(&reads);
        for (int i = 0; i < closes_awaited; i++)
            sem_timedwait(&closes, &until);
    }
    return pread(fd, to, n, at);
}

static int replace_calls(void **state)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    sem_init(&reads, 0, 0);
    sem_init(&closes, 0, 0);
    (void)vfs->xSetSystemCall(vfs, "pread64", (sqlite3_syscall_ptr)read_slowly);
    return vfs->xSetSystemCall(vfs, "pread", (sqlite3_syscall_ptr)read_slowly) ||
           vfs->xSetSystemCall(vfs, "close", (sqlite3_syscall_ptr)close_slowly);
}

static int restore_calls(void **state)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    sem_destroy(&reads);
    sem_destroy(&closes);
    return vfs->xSetSystemCall(vfs, NULL, NULL);
}

/* Does this process have the lock?  Only another one can tell. */
static bool is_locked(const Place *p)
{
    int status = -1;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct flock lock = { F_WRLCK, SEEK_SET, SHARED_FIRST, SHARED_BYTES, 0 };
        int fd = open(p->db, O_RDWR);
        if (fd < 0 || fcntl(fd, F_GETLK, &lock) < 0)
            _exit(2);
        _exit(lock.l_type != F_UNLCK);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 1;
}

static void make(const Place *p)
{
    struct stat st;
    store_close(place_open(p));
    assert_int_equal(stat(p->db, &st), 0);
    pads_file = st.st_ino;
}

typedef struct Opener {
    const Place *place;
    Store *store;
    pthread_t thread;
} Opener;

/* The second read is SQLite's own, before it takes a lock. */
static void *open_and_pause(void *arg)
{
    Opener *o = arg;
    pauses = 2;
    o->store = place_open_with(o->place, NULL);
    return NULL;
}

/* Another thread opens the pad; returns as soon as it pauses there. */
static void start(Opener *o, const Place *p)
{
    *o = (Opener){ .place = p };
    while (sem_trywait(&closes) == 0)
        ;
    assert_int_equal(pthread_create(&o->thread, NULL, open_and_pause, o), 0);
    sem_wait(&reads);
    slow = true;
}

static void join(Opener *o)
{
    pthread_join(o->thread, NULL);
    slow = false;
}

static void a_pad_that_is_opened_while_another_thread_closes_it_stays_locked(void **state)
{
    const Place *p = *state;
    Opener o;
    make(p);
    closes_awaited = 2; /* the first is of what was opened to see whether it is a pad */
    Store *first = place_open_with(p, NULL);
    assert_true(is_locked(p));
    start(&o, p);
    store_close(first);
    join(&o);
    assert_true(is_locked(p));
    store_close(o.store);
    assert_false(is_locked(p));
}

static void a_pad_that_two_threads_open_at_once_stays_locked(void **state)
{
    const Place *p = *state;
    Opener o;
    make(p);
    closes_awaited = 1;
    start(&o, p);
    Store *second = place_open_with(p, NULL); /* closes what it opened to see whether it is a pad */
    join(&o);
    assert_true(is_locked(p));
    store_close(o.store);
    assert_true(is_locked(p));
    store_close(second);
}

static void a_child_that_was_forked_while_a_thread_opened_a_pad_can_open_it(void **state)
{
    const Place *p = *state;
    Opener o;
    int status = -1;
    make(p);
    start(&o, p);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        store_close(place_open_with(p, NULL));
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    join(&o);
    store_close(o.store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pad_that_is_opened_while_another_thread_closes_it_stays_locked),
        TEST(a_pad_that_two_threads_open_at_once_stays_locked),
        TEST(a_child_that_was_forked_while_a_thread_opened_a_pad_can_open_it),
    };
    return cmocka_run_group_tests(tests, replace_calls, restore_calls);
}
