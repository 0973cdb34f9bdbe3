/* test_sqlite.c - the SQLite engine as a file: making, recognising and refusing.
 *
 * What every engine promises is tried in tests/contract; here is what only
 * this one can get wrong. */
#include <sqlite3.h>

#include "unit/sqlite_place.h"

/* --- Helpers --------------------------------------------------------------------------- */

static jot_status try_open(const Place *p, const StoreOptions *o, Err *e)
{
    Store *s = NULL;
    jot_status st = store_open(&s, str(p->url), o, e);
    store_close(s);
    return st;
}

/* The pad, its lock, and room for a full disk. */
enum { CLOSED_FILES = 3 };

static void write_file(const char *path, Str text)
{
    AUTO(Fd) fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    assert_true(fd >= 0);
    assert_int_equal(io_write_all(&io_system, fd, text), 0);
}

/* Run SQL on the pad's file behind the engine's back. */
static void run_sql(const Place *p, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    char *said = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &said) != SQLITE_OK)
        fail_msg("%s", said);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static unsigned mode_of(const char *path, const char *suffix)
{
    char name[160];
    struct stat st;
    snprintf(name, sizeof name, "%s%s", path, suffix);
    assert_int_equal(stat(name, &st), 0);
    return st.st_mode & 07777;
}

/* The name of a file of the pad; good until the call after the next. */
static const char *beside(const Place *p, const char *suffix)
{
    static char names[2][160];
    static int at;
    at = !at;
    snprintf(names[at], sizeof names[at], "%s%s", p->db, suffix);
    return names[at];
}

static void close_and_make(const Place *p)
{
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    store_close(s);
}

/* --- Making a pad ---------------------------------------------------------------------- */

static void a_pad_is_made_only_when_asked(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    assert_int_equal(try_open(p, NULL, &e), JOT_NOT_FOUND);
    assert_int_equal(try_open(p, &(StoreOptions){ .create = true, .read_only = true }, &e),
                     JOT_NOT_FOUND);
    assert_int_equal(place_count(p), 0);
    assert_int_equal(try_open(p, &(StoreOptions){ .create = true }, &e), JOT_OK);
    assert_int_equal(try_open(p, NULL, &e), JOT_OK);
}

static void a_pad_is_not_made_where_there_is_no_directory(void **state)
{
    Place p = *(const Place *)*state;
    Err e = { 0 };
    snprintf(p.url, sizeof p.url, "sqlite:%s/no/pad.db", p.dir);
    assert_int_equal(try_open(&p, &(StoreOptions){ .create = true }, &e), JOT_NOT_FOUND);
    assert_int_equal(place_count(&p), 0);
}

static void a_new_pad_is_only_its_owners_whatever_the_umask(void **state)
{
    const Place *p = *state;
    static const mode_t umasks[] = { 0, 0777 };
    for (size_t i = 0; i < COUNT_OF(umasks); i++) {
        mode_t was = umask(umasks[i]);
        Store *s = place_open(p);
        must_put(s, S("notes/a"), S("one"));
        umask(was);
        assert_int_equal(mode_of(p->db, ""), 0600);
        assert_int_equal(mode_of(p->db, ".lock"), 0600);
        assert_int_equal(mode_of(p->db, "-wal"), 0600);
        assert_int_equal(mode_of(p->db, "-shm"), 0600);
        store_close(s);
        place_empty(p);
    }
}

static void a_closed_pad_is_one_file_its_lock_and_its_reserve(void **state)
{
    const Place *p = *state;
    close_and_make(p);
    assert_int_equal(place_count(p), CLOSED_FILES);
}

static void an_empty_file_becomes_a_pad_when_asked(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    write_file(p->db, S(""));
    assert_int_equal(try_open(p, NULL, &e), JOT_NOT_FOUND);
    close_and_make(p);
    assert_int_equal(mode_of(p->db, ""), 0600);
    assert_int_equal(try_open(p, NULL, &e), JOT_OK);
}

static void what_a_killed_maker_left_is_taken_away(void **state)
{
    const Place *p = *state;
    write_file(beside(p, ".jotter-new"), S("half of a p"));
    write_file(p->db, S(""));
    close_and_make(p);
    assert_int_equal(place_count(p), CLOSED_FILES);
}

/* A log is full of whole pages, and a journal cuts the file to the size it remembers. */
static void a_log_without_its_pad_is_not_applied_to_a_new_one(void **state)
{
    const Place *p = *state;
    static const char *const suffixes[] = { "-wal", "-journal" };
    for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
        AUTO(Arena) arena = { 0 };
        Err e = { 0 };
        Listing all;
        sqlite3 *db = NULL;
        /* What an open database has beside it, kept while the database goes. */
        assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
        const char *sql = i == 0 ? "PRAGMA journal_mode = WAL; CREATE TABLE mine(x);"
                                 : "PRAGMA cache_size = 1; CREATE TABLE mine(x); BEGIN;"
                                   "INSERT INTO mine VALUES(randomblob(100000));";
        assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(rename(beside(p, suffixes[i]), beside(p, ".kept")), 0);
        sqlite3_close(db);
        char kept[160];
        snprintf(kept, sizeof kept, "%s", beside(p, ".kept"));
        assert_int_equal(unlink(p->db), 0);
        unlink(beside(p, "-shm"));
        assert_int_equal(rename(kept, beside(p, suffixes[i])), 0);
        close_and_make(p);
        Store *s = place_open_with(p, NULL);
        assert_int_equal(
            store_list(s, &(ListQuery){ .limit = 10, .which = LIST_ALL }, &arena, &all, &e),
            JOT_OK);
        assert_int_equal(all.n, 1);
        store_close(s);
        place_empty(p);
    }
}

static void a_file_that_somebody_is_filling_is_left_to_him(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    sqlite3 *db = NULL;
    StoreOptions making = { .create = true, .wait_ms = 10 };
    assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; CREATE TABLE mine(x); INSERT INTO mine VALUES(1)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(try_open(p, &making, &e), JOT_UNAVAILABLE);
    assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(try_open(p, &making, &e), JOT_INVALID);
    assert_int_equal(sqlite3_exec(db, "INSERT INTO mine VALUES(2)", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    run_sql(p, "INSERT INTO mine VALUES(3)");
}

static void a_pad_may_lie_behind_symlinks(void **state)
{
    Place p = *(const Place *)*state;
    char link[128];
    close_and_make(&p);
    snprintf(link, sizeof link, "%s/link.db", p.dir);
    assert_int_equal(symlink("pad.db", link), 0);
    Store *s = place_open(&p);
    snprintf(p.url, sizeof p.url, "sqlite:%s", link);
    Store *t = place_open_with(&p, NULL);
    must_put(t, S("notes/a"), S("two"));
    must_hold(s, S("notes/a"), S("two"));
    store_close(t);
    store_close(s);
    assert_int_equal(place_count(&p), CLOSED_FILES + 1); /* one lock file, not two */
}

static void a_symlink_to_nothing_makes_no_pad(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    assert_int_equal(symlink("elsewhere", p->db), 0);
    assert_int_equal(try_open(p, &(StoreOptions){ .create = true }, &e), JOT_NOT_FOUND);
    assert_int_equal(place_count(p), 1);
}

static void a_url_says_what_it_takes(void **state)
{
    static const struct {
        const char *url;
        jot_status st;
    } rows[] = {
        { "sqlite:", JOT_INVALID },
        { "sqlite://host/pad.db", JOT_INVALID },
        { "sqlite:x.db?mode=memory", JOT_INVALID },
        { "sqlite:x.db?vfs=nothing", JOT_INVALID },
        { "sqlite:/", JOT_INVALID },
        { "sqlite:nowhere/", JOT_INVALID },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Store *s = NULL;
        Err e = { 0 };
        assert_int_equal(store_open(&s, str(rows[i].url), NULL, &e), rows[i].st);
        assert_null(s);
    }
}

/* --- Recognising a pad ----------------------------------------------------------------- */

static void refuses_untouched(const Place *p, jot_status expected)
{
    struct stat before, after;
    Err e = { 0 };
    int files = place_count(p);
    assert_int_equal(lstat(p->db, &before), 0);
    assert_int_equal(try_open(p, &(StoreOptions){ .create = true }, &e), expected);
    assert_true(e.text[0]);
    assert_int_equal(lstat(p->db, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(place_count(p), files);
}

static void a_handle_can_tell_that_its_path_leads_elsewhere(void **state)
{
    Place *p = *state;
    char aside[sizeof p->db + 8];
    snprintf(aside, sizeof aside, "%s.aside", p->db);
    AUTO_PTR(Store) s = place_open(p);
    assert_false(store_moved(s));
    assert_int_equal(rename(p->db, aside), 0);
    assert_true(store_moved(s));
    close(open(p->db, O_WRONLY | O_CREAT, 0600));
    assert_true(store_moved(s));
    assert_int_equal(rename(aside, p->db), 0);
    assert_false(store_moved(s));
}

static void a_file_of_somebody_else_is_refused_and_not_touched(void **state)
{
    const Place *p = *state;
    write_file(p->db, S("dear diary"));
    refuses_untouched(p, JOT_CORRUPT);
    place_empty(p);
    run_sql(p, "PRAGMA journal_mode = WAL; CREATE TABLE mine(x);");
    refuses_untouched(p, JOT_INVALID);
    place_empty(p);
    assert_int_equal(mkfifo(p->db, 0600), 0);
    refuses_untouched(p, JOT_INVALID);
    place_empty(p);
}

/* The journal of a first transaction says that a database had nothing in it; of other files it
 * says nothing. */
static void a_journal_does_not_prove_that_a_strangers_file_is_empty(void **state)
{
    const Place *p = *state;
    char journal[512 + 16] = "\xD9\xD5\x05\xF9\x20\xA1\x63\xD7";
    write_file(beside(p, "-journal"), (Str){ journal, sizeof journal });
    write_file(p->db, S("dear diary"));
    refuses_untouched(p, JOT_CORRUPT);
    write_file(p->db, S("SQLite, a diary"));
    refuses_untouched(p, JOT_CORRUPT);
    /* With a page or more before the transaction, a stranger's stays a stranger's. */
    place_empty(p);
    run_sql(p, "CREATE TABLE mine(x);");
    journal[19] = 2;
    write_file(beside(p, "-journal"), (Str){ journal, sizeof journal });
    refuses_untouched(p, JOT_INVALID);
}

static void a_directory_is_not_a_pad(void **state)
{
    const Place *p = *state;
    assert_int_equal(mkdir(p->db, 0700), 0);
    refuses_untouched(p, JOT_INVALID);
    assert_int_equal(rmdir(p->db), 0);
}

static void a_format_that_cannot_be_read_is_refused(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    close_and_make(p);
    run_sql(p, "PRAGMA user_version = 196610"); /* 3 to read, 2 to write */
    assert_int_equal(try_open(p, &(StoreOptions){ .create = true }, &e), JOT_UNSUPPORTED);
    assert_non_null(strstr(e.text, "format 3"));
}

static void a_format_that_cannot_be_written_opens_read_only(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    close_and_make(p);
    run_sql(p, "PRAGMA user_version = 131075"); /* 2 to read, 3 to write */
    Store *s = place_open(p);
    assert_non_null(strstr(store_read_only_why(s), "format 3"));
    must_hold(s, S("notes/a"), S("one"));
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    store_close(s);
}

static void a_format_that_changes_under_an_open_handle_is_noticed(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    run_sql(p, "PRAGMA user_version = 131075");
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_UNAVAILABLE);
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    must_hold(s, S("notes/a"), S("one"));
    store_close(s);
}

static void a_pad_of_format_1_is_raised_by_its_first_write_under_every_handle(void **state)
{
    const Place *p = *state;
    close_and_make(p);
    run_sql(p, "PRAGMA user_version = 65537");
    Store *s = place_open(p), *other = place_open(p);
    must_hold(s, S("notes/a"), S("one"));
    must_put(s, S("notes/a"), S("two"));
    must_put(other, S("notes/a"), S("three"));
    must_put(s, S("notes/a"), S("four"));
    store_close(other);
    store_close(s);
    run_sql(p, "CREATE TEMP TABLE t(v CHECK(v = 131074));"
               "INSERT INTO t SELECT * FROM pragma_user_version");
}

static void a_pad_with_a_trigger_is_refused(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    close_and_make(p);
    run_sql(p, "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END");
    assert_int_equal(try_open(p, NULL, &e), JOT_CORRUPT);
}

static void a_pad_without_its_tables_is_damaged(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    AUTO(Arena) arena = { 0 };
    Record r;
    close_and_make(p);
    run_sql(p, "DROP TABLE records");
    Store *s = place_open_with(p, NULL);
    assert_int_equal(store_head(s, S("notes/a"), HEAD_RECORD, &arena, &r, &e), JOT_CORRUPT);
    store_close(s);
}

static void a_body_that_was_changed_is_not_believed(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    AUTO(Arena) arena = { 0 };
    Record r;
    Records all;
    close_and_make(p);
    run_sql(p, "UPDATE records SET body = x'6F6E46'");
    Store *s = place_open_with(p, NULL);
    assert_int_equal(store_head(s, S("notes/a"), HEAD_VALUE, &arena, &r, &e), JOT_NOT_FOUND);
    assert_int_equal(r.mark.lost, 1);
    assert_non_null(strstr(e.text, "damaged"));
    assert_int_equal(store_report(s)->damaged, 1);
    assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 1, 10 }, &arena, &all, &e), JOT_OK);
    assert_int_equal(all.n, 0);
    assert_int_equal(all.damaged, 1);
    assert_int_equal(store_report(s)->damaged, 2);
    store_close(s);
}

static void count_fault(void *ctx, const StoreFault *f)
{
    *(int *)ctx += fault_counts(f->kind);
}

/* The chain does not cover the mark of a redaction; that there is no text any more does. */
static void a_text_is_not_hidden_by_a_bit_that_turned_over(void **state)
{
    static const char *const rows[] = { "UPDATE records SET redacted = 1",
                                        "UPDATE heads SET redacted = 1" };
    const Place *p = *state;
    Err e = { 0 };
    AUTO(Arena) arena = { 0 };
    Records all;
    close_and_make(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int faults = 0;
        VerifyCount count;
        VerifyHooks hooks = { .fault = count_fault, .ctx = &faults };
        run_sql(p, rows[i]);
        Store *s = place_open_with(p, NULL);
        must_hold(s, S("notes/a"), S("one"));
        assert_int_equal(store_read(s, S("notes/a"), (SeqRange){ 1, 10 }, &arena, &all, &e),
                         JOT_OK);
        assert_int_equal(all.n, 1);
        assert_false(all.items[0].mark.redacted);
        assert_int_equal(store_verify(s, &hooks, &count, &e), JOT_OK);
        assert_true(faults > 0);
        store_close(s);
    }
}

/* --- Reading what cannot be written ---------------------------------------------------- */

static void a_file_with_two_names_is_not_written(void **state)
{
    const Place *p = *state;
    char other[160];
    Err e = { 0 };
    Mark m;
    close_and_make(p);
    snprintf(other, sizeof other, "%s/other.db", p->dir);
    assert_int_equal(link(p->db, other), 0);
    Store *s = place_open(p);
    must_hold(s, S("notes/a"), S("one"));
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    store_close(s);
}

/* In a process that is nobody: 0 if the pad can be read and says why it cannot be written. */
static int read_as_nobody(const Place *p)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        return 1;
    AUTO(Arena) arena = { 0 };
    Store *s = NULL;
    Record r;
    Err e = { 0 };
    if (store_open(&s, str(p->url), &(StoreOptions){ .create = true }, &e) != JOT_OK)
        return fprintf(stderr, "%s\n", e.text), 2;
    if (!store_read_only_why(s)[0])
        return 3;
    if (store_head(s, S("notes/a"), HEAD_RECORD, &arena, &r, &e) != JOT_OK)
        return fprintf(stderr, "%s\n", e.text), 4;
    store_close(s);
    return str_eq(r.body, S("one")) ? 0 : 5;
}

static void a_pad_that_may_only_be_read_opens_read_only(void **state)
{
    const Place *p = *state;
    if (geteuid() != 0)
        skip();
    close_and_make(p);
    assert_int_equal(chmod(p->dir, 0755), 0);
    assert_int_equal(chmod(p->db, 0644), 0);
    assert_int_equal(in_child(p, read_as_nobody), 0);
    assert_int_equal(place_count(p), CLOSED_FILES);
}

static void a_pad_asked_for_read_only_is_not_changed(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    close_and_make(p);
    Store *s = place_open_with(p, &(StoreOptions){ .read_only = true });
    must_hold(s, S("notes/a"), S("one"));
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    Store *t = place_open(p);
    must_put(t, S("notes/a"), S("two"));
    must_hold(s, S("notes/a"), S("two"));
    store_close(t);
    store_close(s);
}

/* --- What happens to the files --------------------------------------------------------- */

static void a_deleted_lock_file_is_made_again(void **state)
{
    const Place *p = *state;
    char lock[160];
    snprintf(lock, sizeof lock, "%s.lock", p->db);
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    assert_int_equal(unlink(lock), 0);
    must_put(s, S("notes/a"), S("two"));
    assert_int_equal(access(lock, F_OK), 0);
    store_close(s);
}

/* By a write, by holding one more, and by asking: each of the three notices. */
static void what_is_held_moves_to_a_lock_file_that_was_replaced(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    for (int way = 0; way < 3; way++) {
        Store *s = place_open(p), *t = place_open(p);
        assert_int_equal(store_hold(s, 5, &e), JOT_OK);
        assert_int_equal(store_hold(s, 6, &e), JOT_OK);
        assert_int_equal(unlink(beside(p, ".lock")), 0);
        write_file(beside(p, ".lock"), S(""));
        /* Whoever was there before sees it all the time, whichever file it has come to. */
        assert_true(store_held(t, 5));
        must_put(t, S("notes/a"), S("one"));
        assert_true(store_held(t, 5) && store_held(t, 6));
        if (way == 0)
            must_put(s, S("notes/a"), S("two"));
        else if (way == 1)
            assert_int_equal(store_hold(s, 7, &e), JOT_OK);
        else
            assert_false(store_held(s, 8));
        Store *late = place_open(p);
        assert_true(store_held(late, 5) && store_held(late, 6) && store_held(t, 6));
        store_let_go(s, 5);
        assert_false(store_held(late, 5) || store_held(t, 5));
        assert_true(store_held(late, 6) && store_held(t, 6));
        store_close(s);
        assert_false(store_held(late, 6) || store_held(t, 6));
        store_close(late);
        store_close(t);
    }
}

static void a_pad_that_was_replaced_is_not_written(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    place_empty(p);
    Store *t = place_open(p);
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    must_put(t, S("notes/a"), S("three"));
    store_close(s);
    must_hold(t, S("notes/a"), S("three"));
    store_close(t);
}

/* What was acknowledged is in the log only.  Two handles, because servers have several. */
static void a_log_that_was_removed_loses_nothing_and_is_not_written_to(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    char log[160];
    snprintf(log, sizeof log, "%s-wal", p->db);
    Store *s = place_open(p), *t = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    must_put(t, S("notes/b"), S("two"));
    assert_int_equal(unlink(log), 0);
    assert_int_equal(put(s, S("notes/a"), S("three"), &m, &e), JOT_READ_ONLY);
    assert_non_null(strstr(e.text, "its log (-wal) was removed or replaced"));
    assert_int_equal(put(t, S("notes/b"), S("four"), &m, &e), JOT_READ_ONLY);
    must_hold(s, S("notes/b"), S("two")); /* what was read can still be read */
    store_close(s);
    store_close(t);
    Store *u = place_open(p);
    must_hold(u, S("notes/a"), S("one"));
    must_hold(u, S("notes/b"), S("two"));
    must_put(u, S("notes/a"), S("five"));
    store_close(u);
}

static void a_log_that_was_replaced_is_not_written_past(void **state)
{
    const Place *p = *state;
    Err e = { 0 };
    Mark m;
    char log[160], other[160];
    snprintf(log, sizeof log, "%s-wal", p->db);
    snprintf(other, sizeof other, "%s-other", p->db);
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    FILE *f = fopen(other, "we");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(rename(other, log), 0);
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    assert_int_equal(put(s, S("notes/a"), S("two"), &m, &e), JOT_READ_ONLY);
    store_close(s);
}

static void the_log_does_not_grow_without_end(void **state)
{
    const Place *p = *state;
    char body[2000], log[160];
    struct stat st;
    memset(body, 'x', sizeof body);
    snprintf(log, sizeof log, "%s-wal", p->db);
    Store *s = place_open(p);
    for (int i = 0; i < 2000; i++)
        must_put(s, S("runs/r"), (Str){ body, sizeof body });
    assert_int_equal(stat(log, &st), 0);
    assert_true(st.st_size < 3 * 1000 * 4096);
    store_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
        T(a_pad_is_made_only_when_asked),
        T(a_pad_is_not_made_where_there_is_no_directory),
        T(a_new_pad_is_only_its_owners_whatever_the_umask),
        T(a_closed_pad_is_one_file_its_lock_and_its_reserve),
        T(an_empty_file_becomes_a_pad_when_asked),
        T(what_a_killed_maker_left_is_taken_away),
        T(a_log_without_its_pad_is_not_applied_to_a_new_one),
        T(a_file_that_somebody_is_filling_is_left_to_him),
        T(a_pad_may_lie_behind_symlinks),
        T(a_symlink_to_nothing_makes_no_pad),
        T(a_url_says_what_it_takes),
        T(a_handle_can_tell_that_its_path_leads_elsewhere),
        T(a_file_of_somebody_else_is_refused_and_not_touched),
        T(a_journal_does_not_prove_that_a_strangers_file_is_empty),
        T(a_directory_is_not_a_pad),
        T(a_format_that_cannot_be_read_is_refused),
        T(a_format_that_cannot_be_written_opens_read_only),
        T(a_format_that_changes_under_an_open_handle_is_noticed),
        T(a_pad_of_format_1_is_raised_by_its_first_write_under_every_handle),
        T(a_pad_with_a_trigger_is_refused),
        T(a_pad_without_its_tables_is_damaged),
        T(a_body_that_was_changed_is_not_believed),
        T(a_text_is_not_hidden_by_a_bit_that_turned_over),
        T(a_file_with_two_names_is_not_written),
        T(a_pad_that_may_only_be_read_opens_read_only),
        T(a_pad_asked_for_read_only_is_not_changed),
        T(a_deleted_lock_file_is_made_again),
        T(what_is_held_moves_to_a_lock_file_that_was_replaced),
        T(a_pad_that_was_replaced_is_not_written),
        T(a_log_that_was_removed_loses_nothing_and_is_not_written_to),
        T(a_log_that_was_replaced_is_not_written_past),
        T(the_log_does_not_grow_without_end),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
