/* test_room.c - the power fails while a sqlite pad is purged on a full disk.
 *
 * The disk is full for one write, in the middle of a purge: so the purge is done
 * in steps, with what is freed left as it is until the end (room.c of the
 * engine).  Every state of the two disk models is judged: nothing else is
 * touched, what was acknowledged is in no file, and a purge that was interrupted
 * can be made again, and then nothing of it is left anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "rig/ramdisk.h"
#include "rig/replay.h"
#include "rig/test_io.h"
#include "rig/volume.h"
#include "store/engine.h"
#include "target.h"

#define WORK RAMDISK "/work"
#define LOOK RAMDISK "/look"
#define CANARY "canary-5c01d9"
#define RUN S("runs/r")
#define KEPT S("notes/kept")

enum { SMALL_RECORDS = 40, LARGE_BYTES = 30000, STATES = 1500, STATES_SMALL = 60 };

/* The disk has no room for one write. */
typedef struct Full {
    IoHook hook;
    bool armed;
} Full;

static long refuse(void *ctx, IoCall *call)
{
    Full *f = ctx;
    if (!f->armed || call->kind != IO_WRITE)
        return 0;
    f->armed = false;
    return -ENOSPC;
}

static void make_dir(const char *path)
{
    dir_remove(path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static Store *open_at(const char *root, const Io *io)
{
    const Target *t = target_find("sqlite");
    Store *s = NULL;
    Err e = { 0 };
    if (t->open(t, root, io, &s, &e) != JOT_OK)
        fail_msg("open: %s", e.text);
    return s;
}

static void add(Store *s, Str stream, Op op, Str body)
{
    Mark mark;
    Err e = { 0 };
    Draft draft = { .op = op, .by = S("rig"), .body = body };
    assert_int_equal(store_append(s, stream, NULL, &draft, &mark, &e), JOT_OK);
}

static void set_up(void)
{
    AUTO(Arena) arena = { 0 };
    TestIo io;
    make_dir(WORK);
    test_io_init(&io, NULL, test_boots[0], 7);
    Store *s = open_at(WORK, &io.io);
    add(s, KEPT, OP_PUT, S("kept"));
    for (int i = 0; i < SMALL_RECORDS; i++)
        add(s, RUN, OP_APPEND, arena_printf(&arena, "%d " CANARY, i));
    char *large = NEW_ARRAY(&arena, char, LARGE_BYTES + 1);
    for (size_t i = 0; i < LARGE_BYTES; i++)
        large[i] = CANARY[i % (sizeof CANARY - 1)];
    add(s, RUN, OP_APPEND, (Str){ large, LARGE_BYTES });
    store_close(s);
}

static void record(Recording *to)
{
    Live live;
    Recorder recorder;
    TestIo io;
    Mark mark;
    Err e = { 0 };
    Full full = { .armed = false };
    full.hook = (IoHook){ refuse, NULL, &full };
    live_open(&live, WORK, "pad.db-shm");
    recorder_start(&recorder, &live, to, &full.hook);
    test_io_init(&io, &recorder.hook, test_boots[0], 9);
    Store *s = open_at(WORK, &io.io);
    recorder_begin(&recorder, 0);
    full.armed = true;
    jot_status st = store_purge(s, RUN, NULL, S("rig"), &mark, &e);
    recorder_ack(&recorder, 0);
    if (st != JOT_OK)
        print_error("%s\n", e.text);
    assert_int_equal(st, JOT_OK);
    assert_false(full.armed);
    store_close(s);
    live_close(&live);
}

/* --- Judging --------------------------------------------------------------------------- */

typedef struct Judge {
    Live live;
    Recorder follow;
    TestIo io;
    size_t states, in_part;
} Judge;

static bool holds_canary(const Image *image)
{
    for (size_t i = 0; i < image->names.n; i++) {
        const Content *c = image->contents[image->names.items[i].inode];
        if (c && c->bytes.n && memmem(c->bytes.p, c->bytes.n, CANARY, sizeof CANARY - 1))
            return true;
    }
    return false;
}

static void count_damage(void *ctx, const StoreFault *f)
{
    if (f->kind == FAULT_LEFTOVER)
        return;
    print_error("%s\n", f->what);
    *(int *)ctx += 1;
}

/* The pad is whole: the stream is there or deleted, everything else is as it was. */
static void judge_whole(Judge *j, Store *s, bool acked)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 }, kept = { 0 };
    Err e = { 0 };
    int damage = 0;
    VerifyCount count;
    assert_int_equal(store_head(s, KEPT, HEAD_RECORD, &arena, &kept, &e), JOT_OK);
    assert_true(str_eq(kept.body, S("kept")));
    assert_int_equal(store_head(s, RUN, HEAD_MARK, &arena, &head, &e), JOT_OK);
    assert_true(head.mark.op == OP_DELETE || !acked);
    VerifyHooks hooks = { .fault = count_damage, .ctx = &damage };
    assert_int_equal(store_verify(s, &hooks, &count, &e), JOT_OK);
    assert_int_equal(damage, 0);
    assert_true(count.records >= 2);
    j->in_part += head.mark.op == OP_DELETE && count.records > 2;
}

static Visit visit(void *ctx, const CrashState *s)
{
    Judge *j = ctx;
    AUTO(Arena) arena = { 0 };
    Image left;
    Mark mark;
    Err e = { 0 };
    j->states++;
    if (s->acked && holds_canary(s->image))
        fail_msg("state %zu.%zu: what was acknowledged as purged is in a file", s->point,
                 s->number);
    live_become(&j->live, s->image);
    test_io_init(&j->io, &j->follow.hook, test_boots[1], 11);
    Store *store = open_at(LOOK, &j->io.io);
    judge_whole(j, store, s->acked > 0);
    assert_int_equal(store_purge(store, RUN, NULL, S("rig"), &mark, &e), JOT_OK);
    assert_int_equal(store_scrub(store, &e), JOT_OK);
    store_close(store);
    live_image(&j->live, &arena, &left);
    if (holds_canary(&left))
        fail_msg("state %zu.%zu: purged again, it is still in a file", s->point, s->number);
    return VISIT_NEW;
}

static void a_purge_on_a_full_disk_survives_a_power_failure(void **state)
{
    AUTO(Recording) recording = { 0 };
    Judge j = { .states = 0 };
    set_up();
    record(&recording);
    make_dir(LOOK);
    live_open(&j.live, LOOK, "pad.db-shm");
    recorder_start(&j.follow, &j.live, NULL, NULL);
    for (DiskModel model = MODEL_ORDERED; model < MODEL_COUNT; model++) {
        ReplayOptions options = { .model = model,
                                  .seed = 1,
                                  .budget = volume_small() ? STATES_SMALL : STATES,
                                  .new_min = 1,
                                  .tries_max = 40,
                                  .point_last = recording.n };
        replay(&recording, &options, visit, &j);
    }
    live_close(&j.live);
    print_message("%zu steps, %zu states, %zu of them with a part of it gone\n", recording.n,
                  j.states, j.in_part);
    assert_true(j.in_part > 0);
}

int main(void)
{
    ramdisk_serve_sqlite();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_purge_on_a_full_disk_survives_a_power_failure),
    };
    return cmocka_run_group_tests_name("a full disk", tests, NULL, NULL);
}
