/* test_fork.c - programs that fork while they have pads open, as Python's multiprocessing does.
 *
 * The children never use their parent's pads, as rule 7 asks.  They only live:
 * whatever they got a copy of must not keep anybody waiting. */
#define _DEFAULT_SOURCE /* syscall() */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/caller.h"

enum { WRITES = 1500, CHILDREN = 60 };

typedef struct Writer {
    Caller *caller;
    pthread_t thread;
    pthread_mutex_t mutex;
    int written;
    int ended;
    char said[300];
} Writer;

static void note_end(Writer *w, const char *said)
{
    pthread_mutex_lock(&w->mutex);
    snprintf(w->said, sizeof w->said, "%s", said);
    w->ended = 1;
    pthread_mutex_unlock(&w->mutex);
}

static int has_ended(Writer *w)
{
    int ended;
    pthread_mutex_lock(&w->mutex);
    ended = w->ended;
    pthread_mutex_unlock(&w->mutex);
    return ended;
}

/* Notes, logs and writes under a lease, which lock another stream too. */
static void *write_on(void *arg)
{
    Writer *w = arg;
    jot_open_options o = { 0 };
    jot_pad *pad = jot_new();
    jot_status st;
    const jot_lease *lease;
    char key[24];
    o.size = sizeof o;
    o.as = "writer";
    o.wait_ms = 60000; /* the children must have run once, on a machine with other work */
    st = jot_open(pad, w->caller->url, &o);
    if (st == JOT_OK)
        st = jot_lease_acquire(pad, "leased", NULL, &lease);
    for (w->written = 0; st == JOT_OK && w->written < WRITES; w->written++) {
        snprintf(key, sizeof key, "%s",
                 w->written % 3 == 0   ? "leased"
                 : w->written % 3 == 1 ? "hot"
                                       : "memories/deep/er");
        st = jot_doc_write(pad, key, jot_str(w->written % 2 ? "odd" : "even"), NULL, NULL);
    }
    note_end(w, st == JOT_OK ? "" : jot_error(pad));
    jot_free(pad);
    return NULL;
}

/* A child that sleeps; it tells its pid first, if `to` is a descriptor: then it has run. */
static pid_t child_that_tells(int to)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        pid = getpid();
        if (to >= 0 && write(to, &pid, sizeof pid) != (ssize_t)sizeof pid)
            _exit(1);
        signal(SIGALRM, SIG_DFL);
        alarm(120); /* nobody stays behind for long, whatever happens */
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        for (;;)
            pause();
    }
    return pid;
}

static pid_t sleeping_child(void)
{
    return child_that_tells(-1);
}

static void end_child(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A child that no handler of fork() sees, as other languages' runtimes may make them. */
static pid_t unseen_child(void)
{
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    assert_true(pid >= 0);
    while (pid == 0) {
        alarm(120);
        pause();
    }
    return (pid_t)pid;
}

static void hold_up_nobody(Caller *c, pid_t (*make)(void))
{
    static Writer w;
    pid_t children[CHILDREN];
    int n = 0, i;
    memset(&w, 0, sizeof w);
    w.caller = c;
    pthread_mutex_init(&w.mutex, NULL);
    assert_int_equal(pthread_create(&w.thread, NULL, write_on, &w), 0);
    while (!has_ended(&w)) {
        if (n == CHILDREN) {
            for (i = 0; i < n / 2; i++)
                end_child(children[i]);
            memmove(children, children + n / 2, sizeof children[0] * (size_t)(n - n / 2));
            n -= n / 2;
        }
        children[n++] = make();
    }
    pthread_join(w.thread, NULL);
    if (w.said[0])
        fail_msg("write %d: %s", w.written, w.said);
    /* The newest of them still live, and others write. */
    ok(c->pad, jot_doc_write(c->pad, "hot", jot_str("ours"), NULL, NULL));
    for (i = 0; i < n; i++)
        end_child(children[i]);
    pthread_mutex_destroy(&w.mutex);
}

static void children_forked_while_a_thread_writes_hold_up_nobody(Caller *c)
{
    hold_up_nobody(c, sleeping_child);
}

/* They keep what they got a copy of: a lock must be released, not only its descriptor closed. */
static void children_that_keep_every_descriptor_hold_up_nobody(Caller *c)
{
    hold_up_nobody(c, unseen_child);
}

/* A process that writes in one thread, forks in another, and is killed in the middle of both. */
static void write_fork_and_die(Caller *c)
{
    static Writer w;
    int i;
    memset(&w, 0, sizeof w);
    w.caller = c;
    pthread_mutex_init(&w.mutex, NULL);
    if (pthread_create(&w.thread, NULL, write_on, &w) != 0)
        _exit(1);
    for (i = 0; i < 30; i++)
        (void)sleeping_child();
    kill(getpid(), SIGKILL);
}

static void a_writer_that_is_killed_leaves_no_lock_to_its_children(Caller *c)
{
    jot_open_options o = { 0 };
    jot_pad *pad = jot_new();
    int i;
    o.size = sizeof o;
    o.wait_ms = 60000; /* the children must have run once, on a machine with other work */
    ok(pad, jot_open(pad, c->url, &o));
    for (i = 0; i < 5; i++) {
        pid_t writer = fork();
        assert_true(writer >= 0);
        if (writer == 0) {
            write_fork_and_die(c);
            _exit(1);
        }
        assert_int_equal(waitpid(writer, NULL, 0), writer);
        ok(pad, jot_doc_write(pad, "hot", jot_str("ours"), NULL, NULL));
        ok(pad, jot_doc_write(pad, "memories/deep/er", jot_str("ours"), NULL, NULL));
    }
    jot_free(pad);
}

/* A process that takes a lease that lives with it, leaves a child behind, and ends.  The child
 * tells its pid and sleeps. */
static void take_and_leave(const Caller *c, int to)
{
    jot_open_options o = { 0 };
    jot_lease_options live = { 0 };
    const jot_lease *lease;
    jot_pad *pad = jot_new();
    pid_t child = 0;
    o.size = sizeof o;
    o.as = "holder";
    live.size = sizeof live;
    live.live = true;
    if (jot_open(pad, c->url, &o) == JOT_OK && jot_lease_acquire(pad, "x", &live, &lease) == JOT_OK)
        child = child_that_tells(to);
    _exit(child > 0 ? 0 : 1);
}

static void a_live_lease_ends_with_its_process_although_a_child_lives(Caller *c)
{
    int ends[2], status;
    pid_t holder, child = 0;
    const jot_lease *lease;
    assert_int_equal(pipe(ends), 0);
    holder = fork();
    assert_true(holder >= 0);
    if (holder == 0)
        take_and_leave(c, ends[1]);
    assert_int_equal(waitpid(holder, &status, 0), holder);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(read(ends[0], &child, sizeof child), (long)sizeof child);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(kill(child, 0), 0); /* it lives */
    ok(c->pad, jot_lease_acquire(c->pad, "x", NULL, &lease));
    kill(child, SIGKILL); /* not ours to wait for */
}

/* 0 if a pad that was opened before the fork says so, and can be opened again. */
static int use_in_child(Caller *c)
{
    const jot_doc *d;
    if (jot_doc_read(c->pad, "a", NULL, &d) != JOT_INVALID ||
        !strstr(jot_error(c->pad), "forked: open it again"))
        return 1;
    if (jot_doc_write(c->pad, "a", jot_str("child"), NULL, NULL) != JOT_INVALID)
        return 2;
    if (jot_open(c->pad, c->url, NULL) != JOT_OK)
        return 3;
    if (jot_doc_read(c->pad, "a", NULL, &d) != JOT_OK || strcmp(d->text.data, "parent") != 0)
        return 4;
    jot_free(c->pad);
    return 0;
}

static void a_pad_is_of_no_use_in_a_child_until_it_is_opened_there(Caller *c)
{
    int status;
    pid_t child;
    const jot_doc *d;
    ok(c->pad, jot_doc_write(c->pad, "a", jot_str("parent"), NULL, NULL));
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(use_in_child(c));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    ok(c->pad, jot_doc_read(c->pad, "a", NULL, &d)); /* the parent's is as it was */
    ok(c->pad, jot_doc_write(c->pad, "a", jot_str("parent again"), NULL, NULL));
}

static void a_child_that_only_frees_its_copy_disturbs_nobody(Caller *c)
{
    int status;
    pid_t child;
    const jot_lease *lease;
    jot_lease_options live = { 0 };
    jot_pad *other = caller_open(c, "bob");
    live.size = sizeof live;
    live.live = true;
    ok(c->pad, jot_lease_acquire(c->pad, "x", &live, &lease));
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        jot_free(c->pad);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(jot_lease_acquire(other, "x", NULL, &lease), JOT_LEASED);
    jot_free(other);
}

int main(void)
{
    static const CallerTest tests[] = {
        CALLER_TEST(children_forked_while_a_thread_writes_hold_up_nobody),
        CALLER_TEST(children_that_keep_every_descriptor_hold_up_nobody),
        CALLER_TEST(a_writer_that_is_killed_leaves_no_lock_to_its_children),
        CALLER_TEST(a_live_lease_ends_with_its_process_although_a_child_lives),
        CALLER_TEST(a_pad_is_of_no_use_in_a_child_until_it_is_opened_there),
        CALLER_TEST(a_child_that_only_frees_its_copy_disturbs_nobody),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
