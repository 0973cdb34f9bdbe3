/* test_planted.c - things in a pad that are no files: symlinks, FIFOs, devices, sockets.
 *
 * Whatever was planted, wherever: nothing outside the pad is read, changed or
 * made, nothing blocks, nothing crashes, and a document that can no longer be
 * written says so while the others go on.  Taken away again, all is well. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#define CANARY "canary: not to be read or changed"

/* --- What can be planted ------------------------------------------------------------------- */

typedef enum Plant {
    LINK_TO_FILE,
    LINK_TO_NOTHING,
    LINK_TO_DIRECTORY,
    FIFO,
    DEVICE,
    SOCKET,
    DIRECTORY,
    FULL_DIRECTORY,
    HARD_LINK,
    PLANTS
} Plant;

static const char *const plant_names[] = {
    [LINK_TO_FILE] = "a symlink to a file",
    [LINK_TO_NOTHING] = "a dangling symlink",
    [LINK_TO_DIRECTORY] = "a symlink to a directory",
    [FIFO] = "a FIFO",
    [DEVICE] = "a device",
    [SOCKET] = "a socket",
    [DIRECTORY] = "a directory",
    [FULL_DIRECTORY] = "a directory with a file",
    [HARD_LINK] = "a hard link",
};

/* The directory beside the pad that nobody may touch. */
static char *outside(Bench *b, const char *name)
{
    return arena_cstr(&b->arena, arena_printf(&b->arena, "%s/outside/%s", b->dir, name));
}

static void make_outside(Bench *b)
{
    assert_int_equal(mkdir(outside(b, ""), 0700), 0);
    assert_int_equal(mkdir(outside(b, "directory"), 0700), 0);
    AUTO(Fd) fd = open(outside(b, "file"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, CANARY, strlen(CANARY)), (ssize_t)strlen(CANARY));
}

static bool make_socket(const char *at)
{
    AUTO(Fd) fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    snprintf(name.sun_path, sizeof name.sun_path, "%s", at);
    return strlen(at) < sizeof name.sun_path && fd >= 0 &&
           bind(fd, (struct sockaddr *)&name, sizeof name) == 0;
}

static bool make_full_directory(Bench *b, const char *at)
{
    AUTO(Fd) fd = FD_NONE;
    if (mkdir(at, 0700) != 0)
        return false;
    fd = open(arena_printf(&b->arena, "%s/x", at).p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd >= 0;
}

/* Put it where `path` is; what was there goes to `aside`.  False if the system does not let us. */
static bool plant(Bench *b, Plant what, const char *path)
{
    char *at = full_path(b, path);
    (void)rename(at, arena_printf(&b->arena, "%s/aside", b->dir).p);
    switch (what) {
    case LINK_TO_FILE:
        return symlink(outside(b, "file"), at) == 0;
    case LINK_TO_NOTHING:
        return symlink(outside(b, "nothing"), at) == 0;
    case LINK_TO_DIRECTORY:
        return symlink(outside(b, "directory"), at) == 0;
    case FIFO:
        return mkfifo(at, 0600) == 0;
    case DEVICE:
        return mknod(at, S_IFCHR | 0600, makedev(1, 5)) == 0; /* endless zeros */
    case SOCKET:
        return make_socket(at);
    case DIRECTORY:
        return mkdir(at, 0700) == 0;
    case FULL_DIRECTORY:
        return make_full_directory(b, at);
    case HARD_LINK:
        return link(outside(b, "file"), at) == 0;
    case PLANTS:
        break;
    }
    return false;
}

/* Take it away and put back what was there. */
static void weed(Bench *b, const char *path)
{
    char *at = full_path(b, path);
    if (unlink(at) != 0 && (errno == EISDIR || errno == EPERM)) {
        unlink(arena_printf(&b->arena, "%s/x", at).p);
        rmdir(at);
    }
    (void)rename(arena_printf(&b->arena, "%s/aside", b->dir).p, at);
}

/* --- Where it can be planted --------------------------------------------------------------- */

static const char *const places[] = {
    "notes/plan.txt",
    "notes/.plan.txt.new",
    "notes",
    "streams/notes.d/plan.jsonl",
    "streams/notes.d/.plan.jsonl.new",
    "streams/notes.d",
    "streams",
    "runs/r.jsonl",
    "runs",
    "recent",
    "checked",
    ".checking",
    "format",
    "quarantine",
    ".gitignore",
};

/* Everything a store can be asked; what it answers does not matter here. */
static void ask_everything(Bench *b)
{
    Record r;
    Records all;
    Listing page;
    Changes c;
    Mark m;
    uint64_t dropped;
    Cursor none = { "" };
    jot_status st = try_head(b, "notes/plan", &r);
    st = store_head(b->s, S("notes/plan"), HEAD_VALUE, &b->arena, &r, &b->e);
    st = store_read(b->s, S("notes/plan"), (SeqRange){ 1, 10 }, &b->arena, &all, &b->e);
    st = store_list(b->s, &(ListQuery){ .limit = 100, .which = LIST_ALL }, &b->arena, &page, &b->e);
    st = store_changes(b->s, &none, 0, &b->arena, &c, &b->e);
    st = store_changes(b->s, &c.next, 1, &b->arena, &c, &b->e);
    st = try_put(b, "notes/plan", ANYTHING, "new", NULL);
    st = try_entry(b, "runs/r", "new", NULL);
    st = store_trim(b->s, S("runs/r"), NULL, 1, &dropped, &b->e);
    st = store_redact(b->s, S("notes/plan"), NULL, 1, &b->e);
    st = try_delete(b, "notes/plan", NULL);
    st = store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e);
    Expect guarded = { .kind = EXPECT_ANY, .guard = S("runs/r"), .guard_seq = 1 };
    st = try_put(b, "notes/other", guarded, "new", NULL);
    (void)st;
}

static void a_pad(Bench *b)
{
    put(b, "notes/plan", "old");
    put(b, "notes/plan", "text");
    entry(b, "runs/r", "text");
    make_outside(b);
}

static void nothing_happens(Plant what, const char *place)
{
    void *fresh = NULL;
    assert_int_equal(bench_new(&fresh), 0);
    Bench *b = fresh;
    a_pad(b);
    Str before = tree_of(b, outside(b, ""));
    if (!plant(b, what, place)) {
        print_message("SKIP: the system does not let us plant %s\n", plant_names[what]);
        bench_free(&fresh);
        return;
    }
    Str planted = tree_of(b, outside(b, "")); /* a hard link counts its names */
    alarm(300);                               /* nothing may block */
    for (int i = 0; i < 3; i++) {
        if (b->s)
            ask_everything(b);
        store_close(b->s);
        b->io.boot_id = i == 1 ? "99999999999999999999999999999999" : b->io.boot_id;
        b->s = open_pad(b, (StoreOptions){ .create = i == 1 });
    }
    alarm(0);
    Str after = tree_of(b, outside(b, ""));
    if (what != HARD_LINK && !str_eq(before, after))
        fail_msg("%s as %s: the outside was touched", plant_names[what], place);
    if (!str_eq(after, planted) && what != HARD_LINK)
        fail_msg("%s as %s: the outside was touched", plant_names[what], place);
    AUTO(Fd) fd = open(outside(b, "file"), O_RDONLY | O_CLOEXEC);
    char text[64] = "";
    assert_int_equal(read(fd, text, sizeof text - 1), (ssize_t)strlen(CANARY));
    assert_string_equal(text, CANARY);
    bench_free(&fresh);
}

static void whatever_is_planted_anywhere_the_outside_is_untouched_and_nothing_blocks(void **state)
{
    (void)state;
    for (int what = 0; what < PLANTS; what++)
        for (size_t i = 0; i < COUNT_OF(places); i++)
            nothing_happens((Plant)what, places[i]);
}

/* --- What is answered ---------------------------------------------------------------------- */

typedef struct Row {
    const char *place;
    Plant what;
    jot_status head, put;
} Row;

/* clang-format off */
static const Row rows[] = {
    { "notes/plan.txt",             LINK_TO_FILE,      JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             LINK_TO_NOTHING,   JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             LINK_TO_DIRECTORY, JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             FIFO,              JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             DEVICE,            JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             SOCKET,            JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             HARD_LINK,         JOT_DENIED,    JOT_DENIED },
    { "notes/plan.txt",             FULL_DIRECTORY,    JOT_OK,        JOT_INVALID }, /* deleted */
    { "notes/plan.txt",             DIRECTORY,         JOT_OK,        JOT_OK },
    { "notes",                      LINK_TO_DIRECTORY, JOT_DENIED,    JOT_DENIED },
    { "notes",                      LINK_TO_NOTHING,   JOT_DENIED,    JOT_DENIED },
    { "notes",                      FIFO,              JOT_OK,        JOT_INVALID },
    { "streams/notes.d/plan.jsonl", LINK_TO_FILE,      JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", LINK_TO_NOTHING,   JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", FIFO,              JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", DEVICE,            JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", SOCKET,            JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", DIRECTORY,         JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d/plan.jsonl", HARD_LINK,         JOT_OK,        JOT_DENIED },
    { "streams/notes.d",            LINK_TO_DIRECTORY, JOT_DENIED,    JOT_DENIED },
    { "streams/notes.d",            FIFO,              JOT_DENIED,    JOT_DENIED },
    { "streams",                    LINK_TO_DIRECTORY, JOT_DENIED,    JOT_DENIED },
    { "recent",                     LINK_TO_FILE,      JOT_OK,        JOT_DENIED },
    { "recent",                     LINK_TO_NOTHING,   JOT_OK,        JOT_DENIED },
    { "recent",                     FIFO,              JOT_OK,        JOT_DENIED },
    { "recent",                     DEVICE,            JOT_OK,        JOT_DENIED },
    { "recent",                     SOCKET,            JOT_OK,        JOT_DENIED },
    { "recent",                     DIRECTORY,         JOT_OK,        JOT_DENIED },
    { "recent",                     HARD_LINK,         JOT_OK,        JOT_DENIED },
    { "notes/.plan.txt.new",        LINK_TO_FILE,      JOT_OK,        JOT_OK },
    { "notes/.plan.txt.new",        FIFO,              JOT_OK,        JOT_OK },
    { "notes/.plan.txt.new",        DEVICE,            JOT_OK,        JOT_OK },
    { "notes/.plan.txt.new",        SOCKET,            JOT_OK,        JOT_OK },
    { "notes/.plan.txt.new",        FULL_DIRECTORY,    JOT_OK,        JOT_OK },
    { "notes/.plan.txt.new",        HARD_LINK,         JOT_OK,        JOT_OK },
    { "checked",                    LINK_TO_FILE,      JOT_OK,        JOT_OK },
    { "checked",                    FULL_DIRECTORY,    JOT_OK,        JOT_OK },
    { "quarantine",                 LINK_TO_DIRECTORY, JOT_OK,        JOT_OK }, /* not needed */
};
/* clang-format on */

static bool row_holds(Bench *b, const Row *row, const char **why)
{
    Record r;
    a_pad(b);
    if (!plant(b, row->what, row->place))
        return true;
    reopen(b);
    *why = "head";
    if (try_head(b, "notes/plan", &r) != row->head)
        return false;
    *why = "put";
    if (try_put(b, "notes/plan", ANYTHING, "new", NULL) != row->put)
        return false;
    *why = "a refusal without a sentence";
    if (row->put != JOT_OK && !b->e.text[0])
        return false;
    weed(b, row->place);
    reopen(b);
    *why = "afterwards";
    return try_put(b, "notes/plan", ANYTHING, "after", NULL) == JOT_OK &&
           str_eq(head(b, "notes/plan").body, S("after"));
}

static void what_was_planted_is_refused_or_put_aside_as_the_table_says(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        void *fresh = NULL;
        const char *why = "";
        assert_int_equal(bench_new(&fresh), 0);
        Bench *b = fresh;
        if (!row_holds(b, &rows[i], &why)) {
            print_error("%s as %s: %s: %s: %s\n", plant_names[rows[i].what], rows[i].place, why,
                        status_info(b->e.status)->name, b->e.text);
            wrong++;
        }
        bench_free(&fresh);
    }
    assert_int_equal(wrong, 0);
}

static uint64_t faults(Bench *b)
{
    VerifyCount count = { 0 };
    assert_ok(b, store_verify(b->s, NULL, &count, &b->e));
    return count.faults;
}

/* Also by whoever repairs the pad meanwhile: the history is behind what was planted, not lost. */
static bool is_told(Bench *b, const Row *row, const char **why)
{
    a_pad(b);
    reopen(b);
    *why = "a fault before";
    if (faults(b) != 0)
        return false;
    if (!plant(b, row->what, row->place))
        return true;
    reopen(b);
    *why = "verify says nothing";
    if (faults(b) == 0)
        return false;
    *why = "verify says nothing when it was repaired";
    if (store_mend(b->s, NULL, &b->e) != JOT_OK)
        print_message("%s as %s: %s\n", plant_names[row->what], row->place, b->e.text);
    if (faults(b) == 0)
        return false;
    weed(b, row->place);
    reopen(b);
    *why = "a fault afterwards";
    return faults(b) == 0;
}

static void verify_tells_of_everything_that_keeps_a_document_from_being_written(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        void *fresh = NULL;
        const char *why = "";
        assert_int_equal(bench_new(&fresh), 0);
        if (rows[i].put == JOT_DENIED && !is_told(fresh, &rows[i], &why)) {
            print_error("%s as %s: %s\n", plant_names[rows[i].what], rows[i].place, why);
            wrong++;
        }
        bench_free(&fresh);
    }
    assert_int_equal(wrong, 0);
}

static void a_refused_document_does_not_stop_the_others(void **state)
{
    static const char *const own[] = { "notes/plan.txt", "streams/notes.d/plan.jsonl" };
    (void)state;
    for (int what = 0; what < PLANTS; what++) {
        for (size_t i = 0; i < COUNT_OF(own); i++) {
            void *fresh = NULL;
            assert_int_equal(bench_new(&fresh), 0);
            Bench *b = fresh;
            a_pad(b);
            put(b, "notes/other", "fine");
            if (plant(b, (Plant)what, own[i])) {
                reboot(b);
                put(b, "notes/other", "still fine");
                put(b, "notes/third", "too");
                entry(b, "runs/r", "too");
                assert_true(lists(b, "", "notes/other"));
                assert_true(compared(b));
            }
            bench_free(&fresh);
        }
    }
}

static void what_is_left_out_of_a_list_is_reported(void **state)
{
    Bench *b = *state;
    a_pad(b);
    put(b, "notes/other", "fine");
    assert_true(plant(b, LINK_TO_FILE, "notes/plan.txt"));
    assert_int_equal(listed(b, "").n, 2);
    assert_int_equal(store_report(b->s)->damaged, 1);
    assert_non_null(strstr(store_report(b->s)->last, "notes/plan"));
}

static void a_directory_of_views_behind_a_symlink_does_not_hide_the_others(void **state)
{
    Bench *b = *state;
    a_pad(b);
    put(b, "memories/m", "fine");
    assert_true(plant(b, LINK_TO_DIRECTORY, "notes"));
    reboot(b);
    assert_true(lists(b, "", "memories/m"));
    assert_true(store_report(b->s)->damaged > 0);
    put(b, "memories/m", "still fine");
}

static void purging_says_so_if_something_planted_cannot_be_purged(void **state)
{
    Bench *b = *state;
    Mark m;
    a_pad(b);
    assert_true(plant(b, FULL_DIRECTORY, "notes/.plan.txt.new"));
    put(b, "notes/plan", "new"); /* the directory goes to quarantine/ */
    assert_int_equal(store_report(b->s)->quarantined, 1);
    jot_status st = store_purge(b->s, S("notes/plan"), NULL, S("ann"), &m, &b->e);
    assert_status(b, st, JOT_DENIED);
    assert_non_null(strstr(b->e.text, "quarantine"));
    assert_int_equal(head(b, "notes/plan").mark.op, OP_PUT); /* refused is refused: it is there */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_planted_anywhere_the_outside_is_untouched_and_nothing_blocks),
        cmocka_unit_test(what_was_planted_is_refused_or_put_aside_as_the_table_says),
        cmocka_unit_test(verify_tells_of_everything_that_keeps_a_document_from_being_written),
        cmocka_unit_test(a_refused_document_does_not_stop_the_others),
        BENCH_TEST(what_is_left_out_of_a_list_is_reported),
        BENCH_TEST(a_directory_of_views_behind_a_symlink_does_not_hide_the_others),
        BENCH_TEST(purging_says_so_if_something_planted_cannot_be_purged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
