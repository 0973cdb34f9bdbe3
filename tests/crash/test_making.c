/* test_making.c - the power fails while a sqlite pad is made.
 *
 * Making a pad is recorded, and the disk is put into every state that may be
 * left: what the disk models of rig/replay.h allow, and besides that every write
 * torn at every byte of its first page, with and without the size it would have
 * had.  Each state must open, take a note and give it back.  The same for pads
 * made in their place, in a transaction of the rollback journal, as the first
 * versions did. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rig/ramdisk.h"
#include "rig/replay.h"
#include "rig/test_io.h"
#include "rig/vfs.h"
#include "rig/volume.h"
#include "store/engine.h"
#include "target.h"

#define WORK RAMDISK "/work"
#define LOOK RAMDISK "/look"

enum {
    PAGE = 4096,
    BEYOND_STRIDE = 61,
    SMALL_STRIDE = 41,
    MODEL_STATES = 800,
    OPEN_EVERY = 5,
    AGAIN_EVERY = 16
};

typedef struct Judge {
    Live live;
    Recorder follow;
    TestIo io;
    const Recording *recording;
    Arena arena;

    Str *was;
    const char *boot;
    size_t states, stillborn; /* judged; of those: no pad yet for who does not make one */
} Judge;

static void make_dir(const char *path)
{
    dir_remove(path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void judge_start(Judge *j, const Recording *recording)
{
    *j = (Judge){ .recording = recording, .boot = test_boots[1] };
    make_dir(LOOK);
    live_open(&j->live, LOOK, "pad.db-shm");
    recorder_start(&j->follow, &j->live, NULL, NULL);
    j->was = mem_alloc(recording->inodes * sizeof *j->was);
}

static void judge_end(Judge *j)
{
    live_close(&j->live);
    arena_free(&j->arena);
    free(j->was);
}

/* Open as target.c does, but make nothing. */
static jot_status open_only(const Judge *j, Store **out, Err *e)
{
    StoreOptions options = { .io = &j->io.io, .wait_ms = 50 };
    return store_open(out, S("sqlite:" LOOK "/pad.db?vfs=crash"), &options, e);
}

static void describe(const CrashState *s, const char *how, const Err *e)
{
    AUTO(Buf) about = { 0 };
    crash_describe(s, &about);
    buf_add_char(&about, 0);
    print_error("state %zu.%zu, %s: %s\n%s", s->point, s->number, how, e->text, about.p);
}

/* Whoever does not make a pad finds one, or none. */
static void judge_open(Judge *j, const CrashState *s, const char *how)
{
    AUTO_PTR(Store) store = NULL;
    Err e = { 0 };
    jot_status st = open_only(j, &store, &e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        describe(s, how, &e);
    assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
    j->stillborn += st == JOT_NOT_FOUND;
}

/* Whoever makes one has one, with nothing in it, and it takes a note. */
static void judge_make(Judge *j, const CrashState *s, const char *how)
{
    AUTO_PTR(Store) store = NULL;
    AUTO(Arena) arena = { 0 };
    const Target *t = target_find("sqlite");
    Draft draft = { .op = OP_PUT, .by = S("rig"), .body = S("after the crash") };
    Listing all;
    Mark mark;
    Err e = { 0 };
    jot_status st = t->open(t, LOOK, &j->io.io, &store, &e);
    if (st == JOT_OK)
        st = store_list(store, &(ListQuery){ .limit = 10, .which = LIST_ALL }, &arena, &all, &e);
    if (st == JOT_OK)
        st = store_append(store, S("notes/a"), NULL, &draft, &mark, &e);
    if (st != JOT_OK)
        describe(s, how, &e);
    assert_int_equal(st, JOT_OK);
    assert_int_equal(all.n, 0);
}

/* The disk is `image`: whatever it is, it can be made a pad that works. */
static void judge(Judge *j, const CrashState *s, const Image *image, const char *how)
{
    live_become(&j->live, image);
    test_io_init(&j->io, &j->follow.hook, j->boot, 11);
    if (j->states % OPEN_EVERY == 0)
        judge_open(j, s, how);
    judge_make(j, s, how);
    if (j->states++ % AGAIN_EVERY)
        return;
    AUTO_PTR(Store) store = NULL;
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err e = { 0 };
    assert_int_equal(open_only(j, &store, &e), JOT_OK);
    assert_int_equal(store_head(store, S("notes/a"), HEAD_RECORD, &arena, &head, &e), JOT_OK);
    assert_true(str_eq(head.body, S("after the crash")));
}

/* --- Torn at every byte ---------------------------------------------------------------- */

static void judge_torn(Judge *j, const CrashState *s, const Step *step, Str before, size_t n,
                       bool sized)
{
    AUTO(Arena) arena = { 0 };
    size_t end = (size_t)step->at + n, whole = (size_t)step->at + step->data.n;
    size_t size = sized ? whole : end;
    size = size < before.n ? before.n : size;
    char *bytes = NEW_ARRAY(&arena, char, size + 1);
    memcpy(bytes, before.p ? before.p : "", before.n);
    memcpy(bytes + step->at, step->data.p, n);
    Content torn = { { bytes, size }, 0 };
    torn.hash = bytes_hash(torn.bytes);
    Image image = *s->image;
    image.contents = (const Content **)NEW_ARRAY(&arena, Content *, image.inodes);
    memcpy(image.contents, s->image->contents, image.inodes * sizeof *image.contents);
    image.contents[step->inode] = &torn;
    char how[80];
    snprintf(how, sizeof how, "the last write torn after %zu bytes%s", n,
             sized ? ", with its size" : "");
    judge(j, s, &image, how);
}

static Visit visit_torn(void *ctx, const CrashState *s)
{
    Judge *j = ctx;
    const Step *step = s->point ? &j->recording->steps[s->point - 1] : NULL;
    if (step && step->kind == STEP_WRITE) {
        Str before = j->was[step->inode];
        size_t fine = volume_small() ? SMALL_STRIDE : 1, coarse = fine * BEYOND_STRIDE;
        for (size_t n = 1; n < step->data.n; n += step->at == 0 && n < PAGE ? fine : coarse) {
            judge_torn(j, s, step, before, n, false);
            judge_torn(j, s, step, before, n, true);
        }
        judge_torn(j, s, step, before, 0, true); /* zeros */
    }
    for (size_t i = 0; i < s->image->names.n; i++) {
        int inode = s->image->names.items[i].inode;
        const Content *now = s->image->contents[inode];
        if (now)
            j->was[inode] = arena_copy(&j->arena, now->bytes);
    }
    return VISIT_NEW;
}

static Visit visit_model(void *ctx, const CrashState *s)
{
    judge(ctx, s, s->image, "as the model has it");
    return VISIT_NEW;
}

static void judge_all(const Recording *recording)
{
    Judge j;
    judge_start(&j, recording);
    ReplayOptions options = { .model = MODEL_KILL,
                              .seed = 1,
                              .budget = SIZE_MAX / 4,
                              .tries_max = 1,
                              .point_last = recording->n };
    replay(recording, &options, visit_torn, &j);
    size_t torn = j.states;
    for (DiskModel model = MODEL_ORDERED; model < MODEL_COUNT; model++) {
        options.model = model;
        options.budget = volume_small() ? 100 : MODEL_STATES;
        options.tries_max = 200;
        j.boot = test_boots[model != MODEL_KILL];
        replay(recording, &options, visit_model, &j);
    }
    print_message("%zu states with a torn write, %zu others\n", torn, j.states - torn);
    assert_true(torn > 100 && j.stillborn > 0);
    judge_end(&j);
}

/* --- Making a pad ---------------------------------------------------------------------- */

static void record_start(Live *live, Recorder *recorder, Recording *to, TestIo *io)
{
    make_dir(WORK);
    live_open(live, WORK, "pad.db-shm");
    recorder_start(recorder, live, to, NULL);
    test_io_init(io, &recorder->hook, test_boots[0], 7);
}

static void a_pad_that_was_being_made_is_made_again(void **state)
{
    Live live;
    Recorder recorder;
    AUTO(Recording) recording = { 0 };
    TestIo io;
    Err e = { 0 };
    Store *store = NULL;
    const Target *t = target_find("sqlite");
    record_start(&live, &recorder, &recording, &io);
    assert_int_equal(t->open(t, WORK, &io.io, &store, &e), JOT_OK);
    store_close(store);
    live_close(&live);
    judge_all(&recording);
}

/* --- As it was made before ------------------------------------------------------------- */

/* What a pad is made of, as SQL. */
static Str dump(Arena *into)
{
    Err e = { 0 };
    Store *store = NULL;
    TestIo io;
    const Target *t = target_find("sqlite");
    make_dir(WORK);
    test_io_init(&io, NULL, test_boots[0], 7);
    assert_int_equal(t->open(t, WORK, &io.io, &store, &e), JOT_OK);
    store_close(store);
    sqlite3 *sql = NULL;
    sqlite3_stmt *q = NULL;
    Str all = S("");
    assert_int_equal(sqlite3_open(WORK "/pad.db", &sql), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(sql,
                                        "SELECT sql || ';' FROM sqlite_schema WHERE sql NOT NULL",
                                        -1, &q, NULL),
                     SQLITE_OK);
    while (sqlite3_step(q) == SQLITE_ROW)
        all = arena_printf(into, STR_FMT "%s", STR_ARG(all), sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    sqlite3_close(sql);
    return all;
}

static void must_run(sqlite3 *sql, const char *text)
{
    int rc = sqlite3_exec(sql, text, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        print_error("%s: %s\n", text, sqlite3_errmsg(sql));
    assert_int_equal(rc, SQLITE_OK);
}

static void make_in_place(Str schema, const Io *io)
{
    AUTO(Arena) arena = { 0 };
    sqlite3 *sql = NULL;
    AUTO(Fd) dir = io_open_root(io, WORK);
    AUTO(Fd) lock = io_open(io, dir, "pad.db.lock", O_RDWR | O_CREAT | O_EXCL, 0600);
    AUTO(Fd) fd = io_open(io, dir, "pad.db", O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(lock >= 0 && fd >= 0);
    fd_close(&fd);
    assert_int_equal(sqlite3_open_v2(WORK "/pad.db", &sql, SQLITE_OPEN_READWRITE, "before"),
                     SQLITE_OK);
    must_run(sql, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA page_size = 4096");
    must_run(sql, arena_printf(&arena,
                               "BEGIN IMMEDIATE; PRAGMA application_id = 1246712914;"
                               "PRAGMA user_version = 65537; " STR_FMT
                               "INSERT INTO pad VALUES('id', '0123456789abcdef'), ('scrub', 0),"
                               "('undone', 0); COMMIT;",
                               STR_ARG(schema))
                      .p);
    must_run(sql, "PRAGMA journal_mode = WAL");
    assert_int_equal(io_fsync(io, dir), 0);
    sqlite3_close(sql);
}

static void a_pad_that_was_being_made_in_its_place_is_finished_or_made_again(void **state)
{
    Live live;
    Recorder recorder;
    AUTO(Recording) recording = { 0 };
    AUTO(Arena) arena = { 0 };
    TestIo io;
    Str schema = dump(&arena);
    record_start(&live, &recorder, &recording, &io);
    vfs_install("before", &io.io);
    make_in_place(schema, &io.io);
    vfs_remove("before");
    live_close(&live);
    judge_all(&recording);
}

int main(void)
{
    ramdisk_serve_sqlite();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pad_that_was_being_made_is_made_again),
        cmocka_unit_test(a_pad_that_was_being_made_in_its_place_is_finished_or_made_again),
    };
    return cmocka_run_group_tests_name("making a pad", tests, NULL, NULL);
}
