/* test_sqlite_count.c - records that go past Jotter are missed by their number. */
#include <sqlite3.h>

#include "unit/sqlite_place.h"

/* --- Helpers --------------------------------------------------------------------------- */

/* Run SQL on the pad's file behind the engine's back. */
static void run_sql(const Place *p, const char *sql)
{
    sqlite3 *db = NULL;
    char *said = NULL;
    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &said) != SQLITE_OK)
        fail_msg("%s", said);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

typedef struct Heard {
    int lost;
    char last[300];
} Heard;

static void hear(void *ctx, const StoreFault *f)
{
    Heard *h = ctx;
    if (!fault_counts(f->kind))
        return;
    h->lost += f->kind == FAULT_LOST && f->stream.n == 0;
    snprintf(h->last, sizeof h->last, "%s", f->what);
}

/* How often verify says that records are gone; the sentence in `said`. */
static int missed(const Place *p, char said[300])
{
    Heard h = { 0 };
    VerifyCount count;
    VerifyHooks hooks = { .fault = hear, .ctx = &h };
    Store *s = place_open(p);
    assert_int_equal(store_verify(s, &hooks, &count, NULL), JOT_OK);
    store_close(s);
    if (said)
        snprintf(said, 300, "%s", h.last);
    return h.lost;
}

static void fill(const Place *p)
{
    Store *s = place_open(p);
    for (int i = 0; i < 3; i++) {
        must_put(s, S("notes/a"), S("text"));
        must_put(s, S("notes/b"), S("text"));
    }
    must_put(s, S("notes/newest"), S("text"));
    store_close(s);
}

#define DROP(name)                                                                           \
    "DELETE FROM records WHERE stream = (SELECT stream FROM heads WHERE name = '" name "');" \
    "DELETE FROM heads WHERE name = '" name "'"

/* --- Tests ----------------------------------------------------------------------------- */

static void what_is_deleted_by_sql_is_missed(void **state)
{
    static const struct {
        const char *sql, *says;
    } rows[] = {
        { DROP("notes/a"), "3 of 7 records are gone" },
        { DROP("notes/newest"), "1 of 7 records is gone" },
        { "DELETE FROM records; DELETE FROM heads", "7 of 7 records are gone" },
        { "DELETE FROM records WHERE seq = 1 AND n < 3", "2 of 7 records are gone" },
    };
    const Place *p = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char said[300];
        fill(p);
        assert_int_equal(missed(p, said), 0);
        run_sql(p, rows[i].sql);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(missed(p, said), 1);
            assert_non_null(strstr(said, rows[i].says));
        }
        Store *s = place_open(p);
        must_put(s, S("notes/newest"), S("written on"));
        must_put(s, S("notes/c"), S("written on"));
        store_close(s);
        assert_int_equal(missed(p, NULL), 1);
        s = place_open(p);
        assert_int_equal(store_mend(s, NULL, NULL), JOT_OK);
        assert_int_equal(store_report(s)->accepted, 1);
        store_close(s);
        assert_int_equal(missed(p, NULL), 0);
        place_empty(p);
    }
}

static void everything_that_takes_records_away_counts_them(void **state)
{
    const Place *p = *state;
    uint64_t dropped;
    Mark m;
    Store *s = place_open(p);
    for (int i = 0; i < 40; i++) {
        must_put(s, S("notes/trimmed"), S("text"));
        must_put(s, S("notes/purged"), S("text"));
        must_put(s, S("notes/redacted"), S("text"));
    }
    assert_int_equal(store_trim(s, S("notes/trimmed"), NULL, 20, &dropped, NULL), JOT_OK);
    assert_int_equal(missed(p, NULL), 0);
    assert_int_equal(store_redact(s, S("notes/redacted"), NULL, 7, NULL), JOT_OK);
    assert_int_equal(missed(p, NULL), 0);
    assert_int_equal(store_purge(s, S("notes/purged"), NULL, S("ann"), &m, NULL), JOT_OK);
    assert_int_equal(missed(p, NULL), 0);
    Expect never = { .kind = EXPECT_SEQ, .seq = 1 };
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = S("refused") };
    assert_int_equal(store_append(s, S("notes/trimmed"), &never, &d, &m, NULL), JOT_CONFLICT);
    must_put(s, S("notes/purged"), S("text"));
    store_close(s);
    assert_int_equal(missed(p, NULL), 0);
    run_sql(p, DROP("notes/trimmed"));
    assert_int_equal(missed(p, NULL), 1);
}

/* Its row was made again from what was left of it: it is there, and not twice. */
static void a_record_that_comes_back_is_not_counted_again(void **state)
{
    const Place *p = *state;
    Store *s = place_open(p);
    Draft d = { .op = OP_DELETE, .by = S("ann") };
    Mark m;
    must_put(s, S("notes/a"), S("text"));
    assert_int_equal(store_append(s, S("notes/a"), NULL, &d, &m, NULL), JOT_OK);
    store_close(s);
    run_sql(p, "DELETE FROM records WHERE seq = 2");
    s = place_open(p);
    must_put(s, S("notes/a"), S("again"));
    store_close(s);
    assert_int_equal(missed(p, NULL), 0);
}

static void a_pad_that_was_not_counted_is_counted_from_now_on(void **state)
{
    static const char *const before[] = {
        "DELETE FROM pad WHERE key IN ('given', 'taken')", /* made by an earlier version, ... */
        /* ... or one has written to it: it knows nothing of its two last records */
        "UPDATE pad SET value = value - 2 WHERE key = 'given'",
    };
    const Place *p = *state;
    for (size_t i = 0; i < COUNT_OF(before); i++) {
        fill(p);
        run_sql(p, before[i]);
        run_sql(p, DROP("notes/a"));
        Store *s = place_open(p);
        must_put(s, S("notes/b"), S("text"));
        store_close(s);
        assert_int_equal(missed(p, NULL), 0); /* nobody knows */
        run_sql(p, DROP("notes/b"));
        assert_int_equal(missed(p, NULL), 1);
        place_empty(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
        T(what_is_deleted_by_sql_is_missed),
        T(everything_that_takes_records_away_counts_them),
        T(a_record_that_comes_back_is_not_counted_again),
        T(a_pad_that_was_not_counted_is_counted_from_now_on),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
