/* test_sqlite_forget.c - text that was purged or redacted is in no page of any file of a sqlite:
 * pad. */
#include <sqlite3.h>

#include "unit/sqlite_place.h"

#define CANARY "canary-7f3b21c0"

static void put_canary(Store *s)
{
    Draft d = { .op = OP_APPEND,
                .by = S("ann"),
                .meta = S("{\"a\":\"" CANARY "-meta\"}"),
                .body = S(CANARY "-body") };
    Mark m;
    assert_int_equal(store_append(s, S("runs/r"), NULL, &d, &m, NULL), JOT_OK);
    must_put(s, S("runs/other"), S("it sings"));
}

static void purged_text_is_in_no_file(void **state)
{
    const Place *p = *state;
    Mark m;
    Store *s = place_open(p);
    put_canary(s);
    assert_int_not_equal(place_found(p, S(CANARY)), 0);
    assert_int_equal(store_purge(s, S("runs/r"), NULL, S("ann"), &m, NULL), JOT_OK);
    assert_int_equal(place_found(p, S(CANARY)), 0);
    store_close(s);
    assert_int_equal(place_found(p, S(CANARY)), 0);
}

static void redacted_text_is_in_no_file(void **state)
{
    const Place *p = *state;
    Store *s = place_open(p);
    put_canary(s);
    must_put(s, S("runs/r"), S("next"));
    assert_int_equal(store_redact(s, S("runs/r"), NULL, 1, NULL), JOT_OK);
    assert_int_equal(place_found(p, S(CANARY "-body")), 0);
    store_close(s);
    assert_int_equal(place_found(p, S(CANARY "-body")), 0);
}

/* A reader of ours that stays in the middle of a read. */
static sqlite3 *hold_log(const Place *p)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM records;", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static void text_held_back_by_a_reader_goes_with_the_next_write(void **state)
{
    const Place *p = *state;
    Mark m;
    Store *s = place_open(p);
    put_canary(s);
    sqlite3 *reader = hold_log(p);
    assert_int_equal(store_purge(s, S("runs/r"), NULL, S("ann"), &m, NULL), JOT_OK);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_not_equal(place_found(p, S(CANARY)), 0);
    must_put(s, S("runs/other"), S("louder"));
    assert_int_equal(place_found(p, S(CANARY)), 0);
    store_close(s);
}

static void count_leftover(void *ctx, const StoreFault *f)
{
    *(int *)ctx += f->kind == FAULT_LEFTOVER;
}

static int leftovers(Store *s)
{
    int n = 0;
    VerifyCount count;
    assert_int_equal(
        store_verify(s, &(VerifyHooks){ .fault = count_leftover, .ctx = &n }, &count, NULL),
        JOT_OK);
    return n;
}

static void text_held_back_by_a_reader_is_told_until_it_is_gone(void **state)
{
    const Place *p = *state;
    Mark m;
    Err e = { 0 };
    Store *s = place_open(p), *other = place_open(p);
    put_canary(s);
    assert_int_equal(store_scrub(s, &e), JOT_OK);
    assert_int_equal(leftovers(s), 0);
    sqlite3 *reader = hold_log(p);
    assert_int_equal(store_purge(s, S("runs/r"), NULL, S("ann"), &m, NULL), JOT_OK);
    assert_int_equal(store_scrub(s, &e), JOT_UNAVAILABLE);
    assert_int_equal(store_scrub(other, &e), JOT_UNAVAILABLE);
    assert_int_equal(leftovers(other), 1);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_equal(store_scrub(other, &e), JOT_OK);
    assert_int_equal(leftovers(s), 0);
    assert_int_equal(place_found(p, S(CANARY)), 0);
    store_close(other);
    store_close(s);
}

/* The handle that was open before knows of the purge only from the pad. */
static void text_held_back_goes_with_the_next_write_of_another_handle(void **state)
{
    const Place *p = *state;
    Mark m;
    Store *s = place_open(p), *other = place_open(p);
    put_canary(s);
    sqlite3 *reader = hold_log(p);
    assert_int_equal(store_purge(s, S("runs/r"), NULL, S("ann"), &m, NULL), JOT_OK);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_not_equal(place_found(p, S(CANARY)), 0);
    must_put(other, S("notes/other"), S("two"));
    assert_int_equal(place_found(p, S(CANARY)), 0);
    store_close(other);
    store_close(s);
}

/* Leave with the text still in the log, as a killed process would. */
static int purge_and_die(const Place *p)
{
    Store *s = NULL;
    Mark m;
    if (store_open(&s, str(p->url), NULL, NULL) != JOT_OK)
        return 1;
    return store_purge(s, S("runs/r"), NULL, S("ann"), &m, NULL) == JOT_OK ? 0 : 2;
}

static void text_a_dead_process_left_in_the_log_goes_with_the_next_open(void **state)
{
    const Place *p = *state;
    Store *s = place_open(p);
    put_canary(s);
    sqlite3 *reader = hold_log(p);
    assert_int_equal(in_child(p, purge_and_die), 0);
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
    assert_int_not_equal(place_found(p, S(CANARY)), 0);
    Store *t = place_open_with(p, NULL);
    assert_int_equal(place_found(p, S(CANARY)), 0);
    store_close(t);
    store_close(s);
}

/* Pages that SQLite rebuilds keep stale copies of what they held: a few of each thousand texts
 * removed here are found again if those are not zeroed. */
enum { CHURN_STREAMS = 120, CHURN_STEPS = 3000 };

typedef struct Churn {
    uint64_t seed;
    int texts;
    bool purged[CHURN_STEPS];
    int held[CHURN_STREAMS][CHURN_STEPS / 10], held_n[CHURN_STREAMS];
} Churn;

static int64_t standing_clock(void *ctx)
{
    return 1700000000000;
}

/* Text number n, "<textN>" again and again, in the body and in the meta of one record. */
static void churn_add(Churn *c, Store *s, unsigned k, Str name, unsigned random)
{
    static const size_t sizes[] = { 30, 200, 1000, 3000, 9000 };
    char body[9200], meta[600];
    size_t n = 0, size = sizes[(random >> 12) % COUNT_OF(sizes)];
    while (n < size)
        n += (size_t)snprintf(body + n, sizeof body - n, "<text1%06d>", c->texts);
    snprintf(meta, sizeof meta, "{\"a\":\"<text1%06d>%*s\"}", c->texts, (int)(random >> 16) % 500,
             "");
    Draft d = { .op = OP_APPEND, .by = S("ann"), .meta = str(meta), .body = { body, n } };
    Mark m;
    assert_int_equal(store_append(s, name, NULL, &d, &m, NULL), JOT_OK);
    assert_true(c->held_n[k] < CHURN_STEPS / 10);
    c->held[k][c->held_n[k]++] = c->texts++;
}

static void churn_step(Churn *c, Store *s)
{
    c->seed = c->seed * 6364136223846793005U + 1442695040888963407U;
    unsigned random = (unsigned)(c->seed >> 33), k = random % CHURN_STREAMS;
    char name[32];
    snprintf(name, sizeof name, "runs/%u", k * 7919 % 1000);
    if ((random >> 8) % 10 || !c->held_n[k]) {
        churn_add(c, s, k, str(name), random);
        return;
    }
    Mark m;
    assert_int_equal(store_purge(s, str(name), NULL, S("ann"), &m, NULL), JOT_OK);
    while (c->held_n[k])
        c->purged[c->held[k][--c->held_n[k]]] = true;
}

/* How many purged texts the file still holds. */
static int churn_found(const Churn *c, const char *path)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char *bytes = mem_alloc((size_t)st.st_size);
    assert_int_equal(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
    int found = 0, seen = 0;
    Str rest = { bytes, (size_t)st.st_size };
    for (size_t at = str_find(rest, '<'); at < rest.n; at = str_find(rest, '<')) {
        rest = str_from(rest, at + 1);
        uint64_t text;
        if (!str_starts(rest, S("text1")) || !str_to_u64(str_slice(rest, 4, 11), 1999999, &text))
            continue;
        found += c->purged[text - 1000000];
        seen++;
    }
    free(bytes);
    assert_true(seen > 0);
    return found;
}

static void no_page_keeps_a_copy_of_purged_text(void **state)
{
    static const uint64_t seeds[] = { 1, 6, 10 };
    const Place *p = *state;
    Io io = { .wall_ms = standing_clock };
    for (size_t i = 0; i < COUNT_OF(seeds); i++) {
        Churn *c = mem_alloc(sizeof *c);
        c->seed = seeds[i];
        Store *s = place_open_with(p, &(StoreOptions){ .io = &io, .create = true });
        for (int step = 0; step < CHURN_STEPS; step++)
            churn_step(c, s);
        store_close(s);
        assert_int_equal(churn_found(c, p->db), 0);
        free(c);
        place_empty(p);
    }
}

/* As it is between a purge on a full disk and the end of it: pages were freed as they are. */
static void text_in_free_pages_goes_with_the_next_open(void **state)
{
    const Place *p = *state;
    sqlite3 *db = NULL;
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("kept"));
    store_close(s);
    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA secure_delete = OFF; CREATE TABLE t(x);"
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
                     " INSERT INTO t SELECT replace(hex(zeroblob(3000)), '00', '" CANARY
                     "') FROM n;"
                     "DROP TABLE t; UPDATE pad SET value = 2 WHERE key = 'scrub';"
                     "PRAGMA wal_checkpoint(TRUNCATE);",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_not_equal(place_found(p, S(CANARY)), 0);
    s = place_open(p);
    must_put(s, S("notes/b"), S("added"));
    must_hold(s, S("notes/a"), S("kept"));
    assert_int_equal(leftovers(s), 0); /* and SQLite finds nothing wrong */
    store_close(s);
    assert_int_equal(place_found(p, S(CANARY)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
        T(purged_text_is_in_no_file),
        T(redacted_text_is_in_no_file),
        T(text_held_back_by_a_reader_goes_with_the_next_write),
        T(text_held_back_by_a_reader_is_told_until_it_is_gone),
        T(text_held_back_goes_with_the_next_write_of_another_handle),
        T(text_a_dead_process_left_in_the_log_goes_with_the_next_open),
        T(no_page_keeps_a_copy_of_purged_text),
        T(text_in_free_pages_goes_with_the_next_open),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
