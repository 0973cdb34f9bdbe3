/* test_first.c - several processes make the same pad, and its first streams, at the same moment.
 *
 * Each opens a pad that is not there yet and writes a note of its own and a record of a run they
 * share.  None may be refused, and afterwards everything is there. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "rig/volume.h"
#include "store/store.h"
#include "trial.h"

enum { CREW = 16, ROUNDS = 24, ROUNDS_SMALL = 4, HANG_S = 120 };

typedef struct Starter {
    Str url;
    int number;
    int gate; /* closed when all are to start */
} Starter;

static jot_status write_both(Store *s, int number, Err *e)
{
    AUTO(Arena) a = { 0 };
    Mark m;
    Str name = arena_printf(&a, "notes/n%d", number);
    Draft note = { .op = OP_PUT, .body = name };
    Draft step = { .op = OP_APPEND, .body = name };
    TRY(store_append(s, name, &(Expect){ .kind = EXPECT_ABSENT }, &note, &m, e));
    return store_append(s, S("runs/shared"), NULL, &step, &m, e);
}

static int start(void *ctx)
{
    const Starter *me = ctx;
    char byte;
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    if (read(me->gate, &byte, 1) != 0)
        return 2;
    jot_status st = store_open(&s, me->url, &(StoreOptions){ .create = true }, &e);
    if (st == JOT_OK)
        st = write_both(s, me->number, &e);
    if (st != JOT_OK)
        fprintf(stderr, "%d: %s\n", me->number, e.text);
    return st != JOT_OK;
}

static void all_start_at_once(Str url)
{
    int gate[2];
    pid_t pids[CREW];
    assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
    for (int i = 0; i < CREW; i++) {
        Starter me = { url, i, gate[0] };
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            close(gate[1]);
            alarm(HANG_S);
            _exit(start(&me));
        }
    }
    close(gate[0]);
    close(gate[1]);
    int failed = 0;
    for (int i = 0; i < CREW; i++)
        failed += child_end(pids[i]) != 0;
    assert_int_equal(failed, 0);
}

static void everything_is_there(Str url)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    Listing notes;
    Records run;
    assert_int_equal(store_open(&s, url, &(StoreOptions){ 0 }, &e), JOT_OK);
    assert_int_equal(
        store_list(s, &(ListQuery){ .prefix = S("notes/"), .limit = 100 }, &a, &notes, &e), JOT_OK);
    assert_int_equal(notes.n, CREW);
    assert_int_equal(store_read(s, S("runs/shared"), (SeqRange){ 1, 100 }, &a, &run, &e), JOT_OK);
    assert_int_equal(run.n, CREW);
    assert_int_equal(run.damaged, 0);
}

static void first_writes(const char *engine)
{
    int rounds = volume_small() ? ROUNDS_SMALL : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        AUTO(Arena) a = { 0 };
        char *dir = trial_make(trial_where(), &a);
        assert_non_null(dir);
        Str url = trial_url(&a, engine, dir);
        all_start_at_once(url);
        everything_is_there(url);
        trial_remove(dir);
    }
    printf("concurrency first %s %d pads made by %d at once, nobody refused, nothing lost\n",
           engine, rounds, CREW);
}

static void several_first_writers_of_a_files_pad_all_succeed(void **state)
{
    (void)state;
    first_writes("files:");
}

static void several_first_writers_of_a_sqlite_pad_all_succeed(void **state)
{
    (void)state;
    first_writes("sqlite:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_first_writers_of_a_files_pad_all_succeed),
        cmocka_unit_test(several_first_writers_of_a_sqlite_pad_all_succeed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
