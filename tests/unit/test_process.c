/* test_process.c - the number of this process, in itself and in its children. */
#include "unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/process.h"

static void the_number_is_that_of_the_process(void **state)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(process_id(), getpid());
}

/* Ends the child: 0 if it knows itself, and the children below it do too. */
static void end_knowing(int depth)
{
    pid_t below;
    int status = 0;
    do {
        if (process_id() != getpid() || process_id() != getpid())
            _exit(1);
        below = depth-- > 0 ? fork() : -1;
    } while (below == 0);
    if (below > 0 && (waitpid(below, &status, 0) != below || status))
        _exit(2);
    _exit(0);
}

static void expect_good(pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_forked_child_and_its_own_child_know_themselves(void **state)
{
    assert_int_equal(process_id(), getpid());
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        end_knowing(1);
    expect_good(pid);
    assert_int_equal(process_id(), getpid());
}

/* No handler of pthread_atfork runs for such a child. */
static void a_child_made_by_the_bare_system_call_knows_itself(void **state)
{
    assert_int_equal(process_id(), getpid());
    fflush(NULL);
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(process_id() == (pid_t)syscall(SYS_getpid) ? 0 : 1);
    expect_good((pid_t)pid);
}

static void *ask(void *wrong)
{
    for (int i = 0; i < 10000; i++)
        *(int *)wrong += process_id() != getpid();
    return NULL;
}

static void threads_may_ask_at_once(void **state)
{
    fflush(NULL);
    pid_t pid = fork(); /* where nobody has asked yet */
    assert_true(pid >= 0);
    if (pid == 0) {
        pthread_t threads[4];
        int wrong[4] = { 0 };
        for (int i = 0; i < 4; i++)
            if (pthread_create(&threads[i], NULL, ask, &wrong[i]) != 0)
                _exit(2);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
        _exit(wrong[0] + wrong[1] + wrong[2] + wrong[3] ? 1 : 0);
    }
    expect_good(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_is_that_of_the_process),
        cmocka_unit_test(a_forked_child_and_its_own_child_know_themselves),
        cmocka_unit_test(a_child_made_by_the_bare_system_call_knows_itself),
        cmocka_unit_test(threads_may_ask_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
