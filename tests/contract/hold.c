/* hold.c - promises about holding: who lives is told by the kernel, not by the stored bytes. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"

static void hold(Trial *p, uint64_t number)
{
    CHECK_IS(p, store_hold(p->s, number, &p->e), JOT_OK);
}

static void a_handle_does_not_see_what_it_holds_itself(Trial *p)
{
    CHECK(!store_held(p->s, 7));
    hold(p, 7);
    CHECK(!store_held(p->s, 7));
    hold(p, 7); /* once more is fine */
    store_let_go(p->s, 7);
    store_let_go(p->s, 7);
    store_let_go(p->s, 8);
}

static void a_number_beyond_the_limit_is_refused_and_counts_as_held(Trial *p)
{
    CHECK_IS(p, store_hold(p->s, (uint64_t)1 << STORE_HOLD_BITS, &p->e), JOT_INVALID);
    CHECK(store_held(p->s, UINT64_MAX));
    store_let_go(p->s, UINT64_MAX);
    hold(p, ((uint64_t)1 << STORE_HOLD_BITS) - 1);
}

static void holding_stores_nothing(Trial *p)
{
    put(p, "notes/a", "one");
    Str before = trial_dump(p);
    hold(p, 1);
    CHECK_TEXT(trial_dump(p), before);
    put(p, "notes/a", "two");
    store_let_go(p->s, 1);
}

static void what_one_handle_holds_another_cannot(Trial *p)
{
    hold(p, 7);
    trial_use(p, 1);
    CHECK(store_held(p->s, 7));
    CHECK(!store_held(p->s, 6) && !store_held(p->s, 8) && !store_held(p->s, 0));
    CHECK_IS(p, store_hold(p->s, 7, &p->e), JOT_CONFLICT);
    hold(p, 8);
    trial_use(p, 0);
    CHECK(store_held(p->s, 8) && !store_held(p->s, 7));
    store_let_go(p->s, 7);
    trial_use(p, 1);
    CHECK(!store_held(p->s, 7));
    hold(p, 7);
}

static void writing_does_not_disturb_what_is_held(Trial *p)
{
    hold(p, 3);
    trial_use(p, 1);
    for (int i = 0; i < 20; i++)
        put(p, "notes/a", i % 2 ? "one" : "two");
    trial_use(p, 0);
    put(p, "notes/a", "three");
    trial_use(p, 1);
    CHECK(store_held(p->s, 3));
}

static void a_closed_handle_holds_nothing(Trial *p)
{
    hold(p, 7);
    trial_close(p);
    trial_use(p, 1);
    CHECK(!store_held(p->s, 7));
    hold(p, 7);
}

static void a_read_only_handle_sees_what_is_held_and_holds_nothing(Trial *p)
{
    hold(p, 7);
    CHECK_IS(p, trial_open(p, 1, (StoreOptions){ .read_only = true }), JOT_OK);
    CHECK(store_held(p->open[1], 7));
    CHECK(!store_held(p->open[1], 8));
    CHECK_IS(p, store_hold(p->open[1], 8, &p->e), JOT_READ_ONLY);
    store_let_go(p->open[1], 8);
}

/* Another process that holds `number` until it is killed. */
static pid_t start_holder(Trial *p, uint64_t number)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        Store *s = NULL;
        StoreOptions o = { .io = &p->io };
        bool good = store_open(&s, str(p->url), &o, &p->e) == JOT_OK &&
                    store_hold(s, number, &p->e) == JOT_OK;
        if (write(ends[1], good ? "y" : "n", 1) == 1)
            pause();
        _exit(1);
    }
    close(ends[1]);
    char answer = 0;
    CHECK(read(ends[0], &answer, 1) == 1 && answer == 'y');
    close(ends[0]);
    return pid;
}

static void a_killed_process_holds_nothing(Trial *p)
{
    pid_t pid = start_holder(p, 9);
    CHECK(store_held(p->s, 9));
    CHECK_IS(p, store_hold(p->s, 9, &p->e), JOT_CONFLICT);
    CHECK(kill(pid, SIGSTOP) == 0);
    CHECK(store_held(p->s, 9)); /* stopped is not dead */
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    /* The kernel knows it at once; a server when it has read the end of the session. */
    for (int i = 0; p->engine->server && i < 2000 && store_held(p->s, 9); i++)
        io_sleep_us(&io_system, 5000);
    CHECK(!store_held(p->s, 9));
    hold(p, 9);
}

/* Whoever cannot tell must not be taken to know that nobody lives. */
static void an_engine_that_cannot_tell_who_lives_says_so(Trial *p)
{
    CHECK(store_promise(p->s).holds == !p->engine->timed);
    if (!p->engine->timed)
        return;
    CHECK_IS(p, store_hold(p->s, 7, &p->e), JOT_UNSUPPORTED);
    CHECK(store_held(p->s, 7));
    store_let_go(p->s, 7);
}

const Promise hold_promises[] = {
    { .name = "a_handle_does_not_see_what_it_holds_itself",
      .keep = a_handle_does_not_see_what_it_holds_itself,
      .holding = true },
    { .name = "a_number_beyond_the_limit_is_refused_and_counts_as_held",
      .keep = a_number_beyond_the_limit_is_refused_and_counts_as_held,
      .holding = true },
    { .name = "holding_stores_nothing", .keep = holding_stores_nothing, .holding = true },
    PROMISE(an_engine_that_cannot_tell_who_lives_says_so),
    HOLDING(what_one_handle_holds_another_cannot),
    HOLDING(writing_does_not_disturb_what_is_held),
    HOLDING(a_closed_handle_holds_nothing),
    HOLDING(a_read_only_handle_sees_what_is_held_and_holds_nothing),
    HOLDING(a_killed_process_holds_nothing),
    { 0 },
};
