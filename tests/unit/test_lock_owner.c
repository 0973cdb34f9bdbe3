/* test_lock_owner.c - who keeps us waiting. */
#include "unit/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/lock_owner.h"

/* Another process that holds a lock until its pipe is closed. */
typedef struct Other {
    pid_t pid;
    Fd until;
} Other;

static Fd open_again(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDWR | O_CLOEXEC);
}

static Other start_holder(int file, short kind, off_t byte, const char *name)
{
    int until[2], ready[2];
    char nothing;
    assert_int_equal(pipe2(until, O_CLOEXEC), 0);
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(until[1]);
        Fd own = open_again(file);
        close(file);
        prctl(PR_SET_NAME, name);
        if (io_lock(&io_system, own, kind, byte) != 0)
            _exit(1);
        close(ready[0]);
        close(ready[1]);
        _exit(read(until[0], &nothing, 1) == 0 ? 0 : 1);
    }
    close(until[0]);
    close(ready[1]);
    assert_int_equal(read(ready[0], &nothing, 1), 0);
    close(ready[0]);
    return (Other){ pid, until[1] };
}

static void stop_holder(Other *o)
{
    int status = 0;
    fd_close(&o->until);
    assert_int_equal(waitpid(o->pid, &status, 0), o->pid);
    assert_int_equal(status, 0);
}

static void the_process_that_holds_the_lock_is_found(void **state)
{
    AUTO(Fd) fd = memfd_create("holder", MFD_CLOEXEC);
    LockOwner h = { .pid = 4711 };
    assert_false(lock_owner_find(fd, 3, &h));
    assert_int_equal(h.pid, 0);
    static const short kinds[] = { F_WRLCK, F_RDLCK };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        Other o = start_holder(fd, kinds[i], 3, "the \x1b holder");
        assert_true(lock_owner_find(fd, 3, &h));
        assert_int_equal(h.pid, o.pid);
        assert_string_equal(h.name, "the ? holder");
        assert_false(lock_owner_find(fd, 2, &h)); /* another byte */
        assert_false(lock_owner_find(fd, 4, &h));
        assert_int_equal(h.pid, 0);
        stop_holder(&o);
        assert_false(lock_owner_find(fd, 3, &h));
    }
}

static void a_lock_on_a_high_byte_is_found_too(void **state)
{
    AUTO(Fd) fd = memfd_create("holder", MFD_CLOEXEC);
    off_t high = ((off_t)1 << 40) + 7;
    Other o = start_holder(fd, F_WRLCK, high, "far");
    LockOwner h;
    assert_true(lock_owner_find(fd, high, &h));
    assert_int_equal(h.pid, o.pid);
    assert_false(lock_owner_find(fd, 7, &h));
    stop_holder(&o);
}

static void the_lock_of_another_file_is_not_mistaken_for_ours(void **state)
{
    AUTO(Fd) ours = memfd_create("ours", MFD_CLOEXEC);
    AUTO(Fd) theirs = memfd_create("theirs", MFD_CLOEXEC);
    Other o = start_holder(theirs, F_WRLCK, 0, "x");
    LockOwner h;
    assert_false(lock_owner_find(ours, 0, &h));
    assert_true(lock_owner_find(theirs, 0, &h));
    stop_holder(&o);
}

static void our_own_descriptor_does_not_count_but_a_second_one_does(void **state)
{
    AUTO(Fd) fd = memfd_create("holder", MFD_CLOEXEC);
    AUTO(Fd) second = open_again(fd);
    LockOwner h;
    assert_int_equal(io_lock(&io_system, fd, F_WRLCK, 0), 0);
    assert_false(lock_owner_find(fd, 0, &h));
    assert_true(lock_owner_find(second, 0, &h));
    assert_int_equal(h.pid, getpid());
}

static void a_holder_is_shown_in_one_phrase(void **state)
{
    LockOwnerShown shown;
    assert_string_equal(lock_owner_show(&shown, &(LockOwner){ .pid = 12, .name = "jotter" }),
                        "pid 12 (jotter)");
    assert_string_equal(lock_owner_show(&shown, &(LockOwner){ 0 }), "somebody");
    assert_false(lock_owner_find(-1, 0, &(LockOwner){ 0 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_process_that_holds_the_lock_is_found),
        cmocka_unit_test(a_lock_on_a_high_byte_is_found_too),
        cmocka_unit_test(the_lock_of_another_file_is_not_mistaken_for_ours),
        cmocka_unit_test(our_own_descriptor_does_not_count_but_a_second_one_does),
        cmocka_unit_test(a_holder_is_shown_in_one_phrase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
