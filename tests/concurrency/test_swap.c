/* test_swap.c - a name in a pad is swapped for a symlink and back, as fast as it goes, while
 * others read and write through it.
 *
 * Outside the pad lies a canary.  Whatever the store answers during the race, the canary's text
 * must never come out of the pad, and neither it nor its directory may ever change.  And the
 * race costs nothing: every write that was acknowledged is in the stream. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "rig/volume.h"
#include "store/store.h"
#include "trial.h"

enum { HANG_S = 240, READERS = 2, WRITERS = 2, TRIES_MIN = 500, WRITES_MAX = 1 << 16 };

#define CANARY "the canary sings outside"

/* What the processes of one race share. */
typedef struct Race {
    atomic_uint flips, reads, writes_tried, writes_done, escapes;
    atomic_bool over;
    atomic_uint statuses[32];
    char first_escape[200];
    atomic_uchar fates[WRITERS][WRITES_MAX]; /* Fate, by writer and number */
} Race;

typedef enum Fate {
    FATE_OPEN, /* never tried, or nobody knows */
    FATE_SAFE, /* acknowledged */
    FATE_REFUSED,
    FATE_FOUND, /* in the stream */
} Fate;

typedef struct Stage {
    Arena arena;
    const char *dir;  /* holds all of it */
    const char *pad;  /* the pad's directory */
    const char *name; /* what is swapped, in the pad */
    const char *bait; /* what it points to while it is a symlink */
    Str url, stream;
    bool directory; /* a directory is swapped, not a file */
    unsigned flips;
    Race *race;
    unsigned number; /* of this reader or writer */
} Stage;

static Stage stage;

/* --- The canary ------------------------------------------------------------------------- */

static const char *path_in(Arena *a, const char *dir, const char *name)
{
    return arena_cstr(a, arena_printf(a, "%s/%s", dir, name));
}

static void write_file(const char *path, const char *text)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

/* Inode, size, link count, times and text: whatever a write would move. */
static Str canary_state(Arena *into)
{
    AUTO(Arena) arena = { 0 };
    const char *path = path_in(&arena, stage.dir, "outside/canary.txt");
    struct stat st;
    char text[100] = "";
    assert_int_equal(stat(path, &st), 0);
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && read(fd, text, sizeof text - 1) >= 0);
    size_t names = 0;
    DIR *outside = opendir(path_in(&arena, stage.dir, "outside"));
    assert_non_null(outside);
    while (readdir(outside))
        names++;
    closedir(outside);
    return arena_printf(into, "%ju %jd %ju %jd.%09ld %o %zu %s", (uintmax_t)st.st_ino,
                        (intmax_t)st.st_size, (uintmax_t)st.st_nlink, (intmax_t)st.st_mtim.tv_sec,
                        st.st_mtim.tv_nsec, st.st_mode, names, text);
}

/* --- The one who swaps ------------------------------------------------------------------ */

static const char *last_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Make `path` a symlink to the bait, or a person's file again, each in one step. */
static int flip_file(const char *path, const char *spare, unsigned n)
{
    if (n % 2 == 0)
        return symlink(stage.bait, spare) | rename(spare, path);
    FILE *f = fopen(spare, "we");
    if (!f)
        return -1;
    fprintf(f, "a person was here %u", n);
    return fclose(f) | rename(spare, path);
}

/* A directory and a symlink change places. */
static int flip_directory(const char *path, const char *spare)
{
    return renameat2(AT_FDCWD, spare, AT_FDCWD, path, RENAME_EXCHANGE);
}

static int live_as_swapper(void *ctx)
{
    Race *race = stage.race;
    AUTO(Arena) arena = { 0 };
    const char *path = path_in(&arena, stage.pad, stage.name);
    const char *spare = path_in(&arena, stage.dir, "spare");
    if (stage.directory && symlink(stage.bait, spare) != 0)
        return 2;
    /* An even number of flips: at the end no symlink stands there. */
    for (unsigned n = 0; n < stage.flips || n % 2 || atomic_load(&race->writes_tried) < TRIES_MIN;
         n++) {
        int bad = stage.directory ? flip_directory(path, spare) : flip_file(path, spare, n);
        if (bad) {
            fprintf(stderr, "swapping %s: %s\n", last_of(path), strerror(errno));
            return 2;
        }
        atomic_fetch_add(&race->flips, 1);
    }
    atomic_store(&race->over, true);
    return 0;
}

/* --- The ones who use the pad ----------------------------------------------------------- */

static void note(Race *race, jot_status st)
{
    atomic_fetch_add(&race->statuses[(unsigned)st % COUNT_OF(race->statuses)], 1);
}

static void look_for_canary(Race *race, Str body, const char *where)
{
    if (!memmem(body.p ? body.p : "", body.n, CANARY, strlen(CANARY)))
        return;
    if (atomic_fetch_add(&race->escapes, 1) == 0)
        snprintf(race->first_escape, sizeof race->first_escape, "%s", where);
}

static int live_as_reader(void *ctx)
{
    static const HeadWant wants[] = { HEAD_VALUE, HEAD_RECORD, HEAD_MARK };
    Race *race = stage.race;
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    if (store_open(&s, stage.url, NULL, &e) != JOT_OK)
        return 2;
    for (unsigned i = 0; !atomic_load(&race->over); i++) {
        AUTO(Arena) arena = { 0 };
        Record r = { 0 };
        Records records = { 0 };
        Listing listing = { 0 };
        jot_status st = store_head(s, stage.stream, wants[i % 3], &arena, &r, &e);
        note(race, st);
        if (st == JOT_OK)
            look_for_canary(race, r.body, "a head");
        if (i % 4 == 0 &&
            store_read(s, stage.stream, (SeqRange){ 1, 50 }, &arena, &records, &e) == JOT_OK)
            for (size_t k = 0; k < records.n; k++)
                look_for_canary(race, records.items[k].body, "a record");
        if (i % 8 == 0)
            note(race, store_list(s, &(ListQuery){ .limit = 20, .which = LIST_ALL }, &arena,
                                  &listing, &e));
        look_for_canary(race, str(e.text), "a sentence");
        atomic_fetch_add(&race->reads, 1);
    }
    return 0;
}

static Str text_of(unsigned writer, unsigned n, Arena *into)
{
    return arena_printf(into, "writer %u number %u", writer, n);
}

static int live_as_writer(void *ctx)
{
    Race *race = stage.race;
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    if (store_open(&s, stage.url, NULL, &e) != JOT_OK)
        return 2;
    for (unsigned n = 0; n < WRITES_MAX && !atomic_load(&race->over); n++) {
        AUTO(Arena) arena = { 0 };
        Mark mark;
        bool remove = n % 16 == 15;
        Draft d = { .op = remove ? OP_DELETE : OP_PUT, .by = S("swap") };
        if (!remove)
            d.body = text_of(stage.number, n, &arena);
        jot_status st = store_append(s, stage.stream, &(Expect){ 0 }, &d, &mark, &e);
        note(race, st);
        Fate fate = st == JOT_OK ? FATE_SAFE : st == JOT_UNKNOWN ? FATE_OPEN : FATE_REFUSED;
        race->fates[stage.number][n] = (unsigned char)(remove ? FATE_OPEN : fate);
        atomic_fetch_add(&race->writes_done, st == JOT_OK);
        atomic_fetch_add(&race->writes_tried, 1);
    }
    return 0;
}

/* --- The race --------------------------------------------------------------------------- */

static void run_race(void)
{
    pid_t pids[READERS + WRITERS + 1];
    size_t n = 0;
    for (stage.number = 0; stage.number < READERS; stage.number++)
        pids[n++] = child_start(live_as_reader, NULL, HANG_S);
    for (stage.number = 0; stage.number < WRITERS; stage.number++)
        pids[n++] = child_start(live_as_writer, NULL, HANG_S);
    pids[n++] = child_start(live_as_swapper, NULL, HANG_S);
    for (size_t i = n; i-- > 0;) {
        assert_true(pids[i] > 0);
        int code = child_end(pids[i]);
        atomic_store(&stage.race->over, true);
        assert_int_equal(code, 0);
    }
}

/* The writer's number behind a text, or NULL for a person's. */
static atomic_uchar *fate_of(Race *race, Str body)
{
    AUTO(Arena) arena = { 0 };
    unsigned writer, number;
    bool ours = sscanf(arena_cstr(&arena, body), "writer %u number %u", &writer, &number) == 2;
    return ours && writer < WRITERS && number < WRITES_MAX ? &race->fates[writer][number] : NULL;
}

static void check_record(Race *race, const Record *r)
{
    look_for_canary(race, r->body, "the history");
    atomic_uchar *fate = fate_of(race, r->body);
    if (!fate || str_eq(r->by, S(STORE_OUTSIDE)))
        return; /* a text of ours that a person brought back is the person's */
    if (*fate == FATE_REFUSED)
        fail_msg("record %d was refused and is there", (int)r->mark.seq);
    *fate = FATE_FOUND; /* perhaps again, behind a person's edit that came in between */
}

/* Every acknowledged text is in the stream, no refused one is, and none is the canary's. */
static void check_stream(void)
{
    Race *race = stage.race;
    Err e = { 0 };
    AUTO_PTR(Store) s = NULL;
    assert_int_equal(store_open(&s, stage.url, NULL, &e), JOT_OK);
    bool more = true;
    for (uint64_t from = 1; more;) {
        AUTO(Arena) arena = { 0 };
        Records got;
        if (store_read(s, stage.stream, (SeqRange){ from, STORE_READ_MAX }, &arena, &got, &e) !=
            JOT_OK)
            fail_msg("%s", e.text);
        for (size_t i = 0; i < got.n; i++)
            check_record(race, &got.items[i]);
        from += got.n;
        more = got.more;
    }
    for (unsigned w = 0; w < WRITERS; w++)
        for (unsigned n = 0; n < WRITES_MAX; n++)
            if (race->fates[w][n] == FATE_SAFE)
                fail_msg("writer %u was told that number %u is safe, and it is not there", w, n);
}

static void tell_statuses(void)
{
    for (unsigned i = 0; i < COUNT_OF(stage.race->statuses); i++)
        if (atomic_load(&stage.race->statuses[i]))
            printf("  %s: %u times\n", status_info((jot_status)i)->name,
                   atomic_load(&stage.race->statuses[i]));
}

static int set_up(void **state)
{
    stage = (Stage){ 0 };
    stage.dir = trial_make(trial_where(), &stage.arena);
    if (!stage.dir)
        return -1;
    Arena *a = &stage.arena;
    stage.pad = path_in(a, stage.dir, "pad");
    stage.url = trial_url(a, "files:", stage.dir);
    if (mkdir(path_in(a, stage.dir, "outside"), 0700) != 0)
        return -1;
    write_file(path_in(a, stage.dir, "outside/canary.txt"), CANARY);
    stage.race =
        mmap(NULL, sizeof(Race), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return stage.race == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
    munmap(stage.race, sizeof(Race));
    trial_remove(stage.dir);
    arena_free(&stage.arena);
    return 0;
}

static void write_one(Str body)
{
    Err e = { 0 };
    Mark mark;
    AUTO_PTR(Store) s = NULL;
    jot_status st = store_open(&s, stage.url, &(StoreOptions){ .create = true }, &e);
    if (st == JOT_UNSUPPORTED)
        skip();
    assert_int_equal(st, JOT_OK);
    Draft d = { .op = OP_PUT, .by = S("swap"), .body = body };
    if (store_append(s, stage.stream, &(Expect){ 0 }, &d, &mark, &e) != JOT_OK)
        fail_msg("%s", e.text);
}

static void run_and_check(const char *what)
{
    AUTO(Arena) arena = { 0 };
    Str before = canary_state(&arena);
    run_race();
    Race *race = stage.race;
    Str after = canary_state(&arena);
    tell_statuses();
    assert_string_equal(before.p, after.p);
    check_stream();
    write_one(S("after the race"));
    if (atomic_load(&race->escapes))
        fail_msg("the canary's text came out as %s", race->first_escape);
    assert_true(atomic_load(&race->reads) > 0 && atomic_load(&race->writes_done) > 0);
    printf("concurrency swap files %s: %u flips, %u reads, %u writes tried, %u done, canary "
           "untouched\n",
           what, atomic_load(&race->flips), atomic_load(&race->reads),
           atomic_load(&race->writes_tried), atomic_load(&race->writes_done));
}

static void a_note_swapped_for_a_symlink_leads_nowhere(void **state)
{
    stage.stream = S("notes/victim");
    stage.name = "notes/victim.txt";
    stage.bait = path_in(&stage.arena, stage.dir, "outside/canary.txt");
    stage.flips = volume_small() ? 2000 : 20000;
    write_one(S("before the race"));
    run_and_check("file");
}

static void a_directory_swapped_for_a_symlink_leads_nowhere(void **state)
{
    stage.stream = S("memories/sub/canary.txt");
    stage.name = "memories/sub";
    stage.bait = path_in(&stage.arena, stage.dir, "outside");
    stage.directory = true;
    stage.flips = volume_small() ? 2000 : 20000;
    write_one(S("before the race"));
    run_and_check("directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_note_swapped_for_a_symlink_leads_nowhere, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_directory_swapped_for_a_symlink_leads_nowhere, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("swap", tests, NULL, NULL);
}
