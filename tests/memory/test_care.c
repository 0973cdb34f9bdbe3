/* test_care.c - looking after a pad: faults are told and mended, room is made, changes are seen. */
#include "memory/care.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/doc/doc.h"
#include "memory/search/search.h"
#include "memory/search_desk.h"
#include "memory/watch.h"

static void add(Desk *d, const char *stream, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_APPEND, .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e));
}

static bool on_files(const Desk *d)
{
    return strcmp(d->engine, "files") == 0;
}

/* What verify told. */
typedef struct Told {
    unsigned of[FAULT_GAP + 1];
    char last[400];
} Told;

static void hear(void *ctx, const StoreFault *f)
{
    Told *t = ctx;
    t->of[f->kind]++;
    assert_true(f->what[0] && f->advice[0]);
    snprintf(t->last, sizeof t->last, STR_FMT ": %s", STR_ARG(f->stream), f->what);
}

static Told verify(Desk *d, uint64_t faults)
{
    Told t = { 0 };
    CareCount c;
    desk_ok(d, care_verify(&d->m, &(VerifyHooks){ .fault = hear, .ctx = &t }, &c, &d->e));
    if (c.faults != faults)
        fail_msg("[%s] %llu faults, not %llu: %s", d->engine, (unsigned long long)c.faults,
                 (unsigned long long)faults, t.last);
    return t;
}

static void fix(Desk *d, uint64_t left)
{
    DoctorReport r;
    Told t = { 0 };
    VerifyHooks hooks = { .fault = hear, .ctx = &t };
    desk_ok(d, care_doctor(&d->m, &(DoctorOptions){ .fix = true }, &hooks, &r, &d->e));
    if (r.after.faults != left)
        fail_msg("%llu faults are left: %s", (unsigned long long)r.after.faults, t.last);
}

static const char *path_in(Desk *d, const char *name)
{
    return arena_printf(&d->a, "%s/pad/%s", d->dir, name).p;
}

static void write_file(const char *path, Str bytes)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), bytes.n);
}

static Str read_file(Desk *d, const char *path)
{
    AUTO(Fd) fd = open(path, O_RDONLY);
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    char *bytes = arena_alloc(&d->a, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
    return (Str){ bytes, (size_t)info.st_size };
}

static Str value(Desk *d, const char *stream)
{
    Doc doc;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &doc, &d->e));
    return doc.text;
}

/* --- Whole pads -------------------------------------------------------------------------- */

static void a_pad_in_order_has_no_faults(Desk *d)
{
    verify(d, 0);
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/a", "two");
    desk_put(d, "memories/x/y.md", "three");
    add(d, "runs/r", "four");
    desk_ok(d, store_redact(d->m.store, S("notes/a"), NULL, 1, &d->e));
    CareCount c;
    desk_ok(d, care_verify(&d->m, NULL, &c, &d->e));
    assert_int_equal(c.pad.streams, 3);
    assert_int_equal(c.pad.records, 4);
    assert_int_equal(c.pad.bytes, 3 + 5 + 4);
    verify(d, 0);
    fix(d, 0);
}

/* A note that was searched for; the path of the index. */
static Str put_and_search(Desk *d)
{
    Search *s = NULL;
    Hits h;
    Str path;
    desk_put(d, "notes/a", "pear");
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_find(s, &(SearchQuery){ .text = S("pear") }, &d->a, &h, &d->e));
    search_close(s);
    desk_ok(d, store_index_path(d->m.store, &d->a, &path, &d->e));
    return path;
}

/* Whoever writes the index keeps nobody from reading it. */
static void an_index_somebody_writes_is_checked_all_the_same(Desk *d)
{
    if (!on_files(d))
        return; /* the index is the same beside every engine */
    Str path = put_and_search(d);
    AUTO(Fd) lock = open(arena_printf(&d->a, "%s/lock", path.p).p, O_RDWR);
    struct flock byte = { .l_type = F_WRLCK, .l_len = 1 };
    assert_int_equal(fcntl(lock, F_OFD_SETLK, &byte), 0);
    desk_put(d, "notes/b", "pear");
    assert_int_equal(verify(d, 0).of[FAULT_UNCHECKED], 0);
}

static void flip_a_word(void *ctx, const char *path)
{
    (void)ctx;
    AUTO(Fd) fd = open(path, O_RDWR);
    if (str_ends(str(path), S(".seg")))
        assert_int_equal(pwrite(fd, "plum", 4, 530), 4);
}

static void a_lying_index_is_told_and_made_again(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    (void)put_and_search(d);
    assert_true(each_index_file(d, flip_a_word, NULL) >= 2);
    assert_int_equal(verify(d, 1).of[FAULT_INDEX], 1);
    fix(d, 0);
    verify(d, 0);
}

/* --- Files ------------------------------------------------------------------------------- */

/* One bit of a body is hit: the record is told, nothing else. */
static void a_damaged_record_is_told(Desk *d)
{
    if (!on_files(d))
        return;
    for (int i = 0; i < 5; i++)
        add(d, "runs/r", "some body of a record");
    const char *path = path_in(d, "runs/r.jsonl");
    Str bytes = read_file(d, path);
    char *hit = memmem(bytes.p + bytes.n / 2, bytes.n / 2, "some body", 9);
    assert_non_null(hit);
    hit[0] ^= 1;
    write_file(path, bytes);
    Told t = verify(d, 1);
    assert_int_equal(t.of[FAULT_DAMAGE], 1);
    assert_non_null(strstr(t.last, "runs/r: "));
    fix(d, 1); /* nobody can bring it back */
}

static void a_file_that_no_name_leads_to_is_told_and_is_no_fault(Desk *d)
{
    if (!on_files(d))
        return;
    desk_put(d, "notes/a", "pear");
    write_file(path_in(d, "notes/my plan?.txt"), S("hello"));
    write_file(path_in(d, "notes/a.html"), S("hello"));
    assert_int_equal(mkdir(path_in(d, "notes/runs"), 0700), 0);
    write_file(path_in(d, "notes/runs/b.txt"), S("hello"));
    Told t = verify(d, 0);
    assert_int_equal(t.of[FAULT_OTHER], 3);
    write_file(path_in(d, "notes/b.txt"), S("hello"));
    t = verify(d, 0);
    assert_int_equal(t.of[FAULT_OTHER], 3);
    assert_text(value(d, "notes/b"), "hello");
}

static void leftovers_are_told_and_put_aside(Desk *d)
{
    if (!on_files(d))
        return;
    desk_put(d, "notes/a", "pear");
    const char *stream = path_in(d, "streams/notes.d/a.jsonl");
    Str whole = read_file(d, stream);
    write_file(stream, arena_printf(&d->a, STR_FMT "{\"seq\":2,\"at", STR_ARG(whole)));
    write_file(path_in(d, "notes/.a.txt.new"), S("unknown text"));
    write_file(path_in(d, "streams/notes.d/readme.txt"), S("hello"));
    Told t = verify(d, 3);
    assert_int_equal(t.of[FAULT_LEFTOVER], 2);
    assert_int_equal(t.of[FAULT_STRAY], 1);
    fix(d, 1);
    t = verify(d, 1);
    assert_int_equal(t.of[FAULT_STRAY], 1);
    assert_int_equal(t.of[FAULT_QUARANTINE], 2);
    assert_text(value(d, "notes/a"), "pear");
}

static void an_edit_is_worth_knowing_and_no_fault(Desk *d)
{
    if (!on_files(d))
        return;
    desk_put(d, "notes/a", "pear");
    write_file(path_in(d, "notes/a.txt"), S("plum"));
    assert_int_equal(verify(d, 0).of[FAULT_EDIT], 1);
    fix(d, 0);
    assert_int_equal(verify(d, 0).of[FAULT_EDIT], 0);
    assert_text(value(d, "notes/a"), "plum");
}

/* Two clones of a pad whose streams were put into git: the same beginning, two endings. */
static void two_clones(Desk *d, Str *base, Str *ours, Str *theirs)
{
    const char *stream = path_in(d, "streams/notes.d/a.jsonl");
    desk_put(d, "notes/a", "one");
    *base = read_file(d, stream);
    desk_put(d, "notes/a", "our two");
    desk_put(d, "notes/a", "our three");
    *ours = str_from(read_file(d, stream), base->n);
    write_file(stream, *base);
    write_file(path_in(d, "notes/a.txt"), S("one"));
    desk_put(d, "notes/a", "their two");
    *theirs = str_from(read_file(d, stream), base->n);
}

static void check_merged(Desk *d, Str merged)
{
    write_file(path_in(d, "streams/notes.d/a.jsonl"), merged);
    write_file(path_in(d, "notes/a.txt"), S("our three"));
    Told t = verify(d, 1);
    assert_int_equal(t.of[FAULT_FORK], 1);
    fix(d, 0);
    assert_text(value(d, "notes/a"), "our three");
    Records r;
    desk_ok(d, store_read(d->m.store, S("notes/a"), (SeqRange){ 1, 100 }, &d->a, &r, &d->e));
    assert_int_equal(r.n, 3);
    assert_int_equal(r.damaged, 0);
    assert_text(r.items[2].body, "our three");
    assert_true(verify(d, 0).of[FAULT_QUARANTINE] >= 1);
}

static void a_stream_with_conflict_marks_is_told_and_mended(Desk *d)
{
    if (!on_files(d))
        return;
    Str base, ours, theirs;
    two_clones(d, &base, &ours, &theirs);
    check_merged(d, arena_printf(&d->a,
                                 STR_FMT "<<<<<<< HEAD\n" STR_FMT "=======\n" STR_FMT
                                         ">>>>>>> theirs\n",
                                 STR_ARG(base), STR_ARG(ours), STR_ARG(theirs)));
}

static void a_stream_of_two_histories_is_told_and_mended(Desk *d)
{
    if (!on_files(d))
        return;
    Str base, ours, theirs;
    two_clones(d, &base, &ours, &theirs);
    check_merged(d, arena_printf(&d->a, STR_FMT STR_FMT STR_FMT, STR_ARG(base), STR_ARG(ours),
                                 STR_ARG(theirs)));
}

static void a_view_with_conflict_marks_is_told(Desk *d)
{
    if (!on_files(d))
        return;
    desk_put(d, "notes/a", "one");
    write_file(path_in(d, "notes/a.txt"),
               S("<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"));
    Told t = verify(d, 1);
    assert_int_equal(t.of[FAULT_FORK], 1);
    write_file(path_in(d, "notes/a.txt"), S("both\n"));
    verify(d, 0);
}

/* The boot id says that nothing happened; whoever copied the pad knows better. */
static void after_a_crash_every_view_is_compared(Desk *d)
{
    if (!on_files(d))
        return;
    desk_put(d, "notes/a", "a long text that was cut");
    desk_put(d, "notes/b", "kept");
    write_file(path_in(d, "notes/a.txt"), S("a long text"));
    DoctorReport r;
    desk_expect(d, JOT_INVALID,
                care_doctor(&d->m, &(DoctorOptions){ .after_crash = true }, NULL, &r, &d->e));
    DoctorOptions o = { .fix = true, .after_crash = true };
    desk_ok(d, care_doctor(&d->m, &o, NULL, &r, &d->e));
    assert_int_equal(r.done.restored, 1);
    assert_text(value(d, "notes/a"), "a long text that was cut");
    assert_text(read_file(d, path_in(d, "notes/a.txt")), "a long text that was cut");
}

/* Run SQL on the pad's database, past the store. */
static void do_sql(Desk *d, const char *text)
{
    sqlite3 *sql = NULL;
    assert_int_equal(sqlite3_open(arena_printf(&d->a, "%s/pad.db", d->dir).p, &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
}

static void rows_that_are_gone_from_a_sqlite_pad_are_told(Desk *d)
{
    static const struct {
        const char *sql;
        int damage, lost, pad; /* records that are gone are told of their stream, and by number */
    } cuts[] = {
        { "DELETE FROM records WHERE seq = 5", 1, 1, 0 }, /* the newest */
        { "DELETE FROM records WHERE seq = 3", 0, 2, 0 },
        { "DELETE FROM records WHERE seq IN (2, 4)", 0, 2, 0 },
        { "DELETE FROM records", 1, 1, 0 },
        { "DELETE FROM heads", 0, 0, 1 },
    };
    if (strcmp(d->engine, "sqlite"))
        return;
    for (int i = 0; i < 5; i++)
        desk_put(d, "notes/plan", "text");
    verify(d, 0);
    do_sql(d, "CREATE TABLE r AS SELECT * FROM records; CREATE TABLE h AS SELECT * FROM heads");
    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        do_sql(d, cuts[i].sql);
        desk_reopen(d);
        Told t = verify(d, (uint64_t)(cuts[i].damage + cuts[i].lost + cuts[i].pad));
        assert_int_equal(t.of[FAULT_DAMAGE], cuts[i].damage);
        assert_int_equal(t.of[FAULT_LOST], cuts[i].lost);
        assert_int_equal(t.of[FAULT_PAD], cuts[i].pad);
        do_sql(d, "DELETE FROM records; INSERT INTO records SELECT * FROM r;"
                  "DELETE FROM heads; INSERT INTO heads SELECT * FROM h");
        desk_reopen(d);
        verify(d, 0);
    }
}

/* Verify reads 200 records at once. */
static void a_row_that_is_gone_between_two_reads_is_told(Desk *d)
{
    if (strcmp(d->engine, "sqlite"))
        return;
    for (int i = 0; i < 203; i++)
        desk_put(d, "notes/plan", "text");
    verify(d, 0);
    do_sql(d, "DELETE FROM records WHERE seq = 201");
    desk_reopen(d);
    assert_int_equal(verify(d, 2).of[FAULT_LOST], 2); /* of the stream, and by number */
}

static void a_sqlite_pad_whose_heads_lie_is_told(Desk *d)
{
    if (strcmp(d->engine, "sqlite"))
        return;
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/a", "two");
    memory_close(&d->m);
    sqlite3 *sql = NULL;
    assert_int_equal(sqlite3_open(arena_printf(&d->a, "%s/pad.db", d->dir).p, &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "UPDATE heads SET size = 4", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(sql);
    d->m = desk_open(d, "ann");
    Told t = verify(d, 1);
    assert_int_equal(t.of[FAULT_DAMAGE], 1);
}

/* --- Room -------------------------------------------------------------------------------- */

static size_t records_of(Desk *d, const char *stream)
{
    Records r;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 0, 1000 }, &d->a, &r, &d->e));
    return r.n;
}

static void old_versions_go_by_count_age_or_size(Desk *d)
{
    GcCount c;
    for (int i = 0; i < 40; i++)
        desk_put(d, "notes/a", arena_printf(&d->a, "%010d", i).p);
    for (int i = 0; i < 40; i++)
        add(d, "runs/r", "0123456789");
    desk_ok(d, care_gc(&d->m, &(GcPolicy){ .keep = 35, .dry_run = true }, NULL, &c, &d->e));
    assert_int_equal(c.streams, 1);
    assert_int_equal(c.records, 5);
    assert_int_equal(c.bytes, 50);
    assert_int_equal(records_of(d, "notes/a"), 40);
    desk_ok(d, care_gc(&d->m, &(GcPolicy){ .keep = 35 }, NULL, &c, &d->e));
    assert_int_equal(records_of(d, "notes/a"), 35);
    int64_t tenth = d->now_ms - 40 * 1000 - 30 * 1000;
    desk_ok(d, care_gc(&d->m, &(GcPolicy){ .before_ms = tenth }, NULL, &c, &d->e));
    assert_int_equal(records_of(d, "notes/a"), 31);
    desk_ok(d, care_gc(&d->m, &(GcPolicy){ .bytes = 205 }, NULL, &c, &d->e));
    assert_int_equal(records_of(d, "notes/a"), 20);
    desk_ok(d, care_gc(&d->m, &(GcPolicy){ .bytes = 1 }, NULL, &c, &d->e));
    assert_int_equal(records_of(d, "notes/a"), 16);
    assert_text(value(d, "notes/a"), "0000000039");
    assert_int_equal(records_of(d, "runs/r"), 40);
    verify(d, 0);
}

static void logs_go_only_where_they_are_named(Desk *d)
{
    GcCount c;
    Search *s = NULL;
    Hits h;
    for (int i = 0; i < 40; i++)
        add(d, "runs/r", arena_printf(&d->a, "word%d", i).p);
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_find(s, &(SearchQuery){ .text = S("word3") }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 1);
    GcPolicy p = { .prefix = S("runs/"), .keep = 20 };
    desk_ok(d, care_gc(&d->m, &p, NULL, &c, &d->e));
    assert_int_equal(records_of(d, "runs/r"), 20);
    desk_ok(d, search_find(s, &(SearchQuery){ .text = S("word3") }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 0);
    desk_ok(d, search_find(s, &(SearchQuery){ .text = S("word39") }, &d->a, &h, &d->e));
    assert_int_equal(h.n, 1);
    search_close(s);
    verify(d, 0);
}

static void a_policy_without_rule_or_against_folds_is_refused(Desk *d)
{
    GcCount c;
    desk_expect(d, JOT_INVALID, care_gc(&d->m, &(GcPolicy){ 0 }, NULL, &c, &d->e));
    static const char *const bad[] = { "tasks/", "plans/x", "leases/table", "notes" };
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        desk_expect(
            d, JOT_INVALID,
            care_gc(&d->m, &(GcPolicy){ .prefix = str(bad[i]), .keep = 20 }, NULL, &c, &d->e));
}

static void everything_is_counted_kind_by_kind(Desk *d)
{
    Stats s;
    Mark m;
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/b", "two");
    add(d, "runs/r", "three");
    Draft gone = { .op = OP_DELETE };
    desk_ok(d, memory_append(&d->m, S("notes/b"), NULL, &gone, &m, &d->e));
    desk_ok(d, care_stats(&d->m, &d->a, &s, &d->e));
    assert_int_equal(s.n, 2);
    assert_text(s.kinds[0].kind, "notes");
    assert_int_equal(s.kinds[0].streams, 1);
    assert_int_equal(s.kinds[0].deleted, 1);
    assert_int_equal(s.kinds[0].records, 3);
    assert_int_equal(s.kinds[0].bytes, 6);
    assert_int_equal(s.kinds[1].records, 1);
    assert_true(s.kinds[0].oldest_ms < s.kinds[1].newest_ms);
    uint64_t grew = 0; /* the day may have ended in between */
    for (size_t i = STATS_DAYS - 2; i < STATS_DAYS; i++)
        grew += s.kinds[0].grew[i];
    assert_int_equal(grew, 6);
    assert_int_equal(s.kinds[0].grew[0], 0);
}

/* --- Watching ---------------------------------------------------------------------------- */

static void changes_are_told_once(Desk *d)
{
    AUTO_PTR(Watch) w = NULL;
    Change *c;
    size_t n;
    desk_put(d, "notes/before", "x");
    desk_ok(d, watch_open(&w, &d->m, &(WatchAsk){ .names = true }, &d->e));
    desk_ok(d, watch_next(w, 0, &d->a, &c, &n, &d->e));
    assert_int_equal(n, 0);
    desk_put(d, "notes/a", "one");
    desk_put(d, "notes/a", "two");
    add(d, "runs/r", "three");
    size_t notes = 0, runs = 0;
    for (int i = 0; i < 3; i++) {
        desk_ok(d, watch_next(w, 0, &d->a, &c, &n, &d->e));
        for (size_t k = 0; k < n; k++) {
            bool note = str_eq(c[k].stream, S("notes/a"));
            *(note ? &notes : &runs) += 1;
            assert_int_equal(c[k].mark.seq, note ? 2 : 1);
            assert_text(c[k].by, "ann");
        }
    }
    assert_int_equal(notes, 1);
    assert_int_equal(runs, 1);
}

static void only_what_is_watched_is_told(Desk *d)
{
    AUTO_PTR(Watch) w = NULL;
    Change *c;
    size_t n;
    desk_ok(d, watch_open(&w, &d->m, &(WatchAsk){ .prefix = S("runs/") }, &d->e));
    desk_put(d, "notes/a", "one");
    add(d, "runs/r", "two");
    desk_ok(d, watch_next(w, 0, &d->a, &c, &n, &d->e));
    assert_int_equal(n, 1);
    assert_text(c[0].stream, "runs/r");
}

static void another_process_and_a_person_are_seen(Desk *d)
{
    if (strcmp(d->engine, "mem") == 0)
        return;
    AUTO_PTR(Watch) w = NULL;
    Change *c;
    size_t n = 0;
    desk_put(d, "notes/mine", "x");
    desk_ok(d, watch_open(&w, &d->m, &(WatchAsk){ .names = true }, &d->e));
    pid_t child = fork();
    if (child == 0) {
        Memory m = { 0 };
        Mark mark;
        Draft draft = { .op = OP_PUT, .body = S("hello") };
        MemoryOptions o = { .by = S("bob") };
        _exit(memory_open(&m, str(d->url), &o, NULL) != JOT_OK ||
              memory_append(&m, S("notes/theirs"), NULL, &draft, &mark, NULL) != JOT_OK);
    }
    for (int i = 0; i < 20 && n == 0; i++)
        desk_ok(d, watch_next(w, 1000, &d->a, &c, &n, &d->e));
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(n, 1);
    assert_text(c[0].stream, "notes/theirs");
    assert_text(c[0].by, "bob");
    if (!on_files(d))
        return;
    write_file(path_in(d, "notes/mine.txt"), S("edited"));
    n = 0;
    for (int i = 0; i < 20 && n == 0; i++)
        desk_ok(d, watch_next(w, 1000, &d->a, &c, &n, &d->e));
    assert_int_equal(n, 1);
    assert_text(c[0].stream, "notes/mine");
    assert_text(c[0].by, STORE_OUTSIDE);
}

static void a_stream_that_a_wrong_clock_has_moved_is_named(Desk *d)
{
    int64_t now = d->now_ms;
    desk_put(d, "notes/a", "one");
    d->now_ms = 4070908800000; /* 2099 */
    desk_put(d, "notes/moved", "one");
    d->now_ms = now + STORE_AHEAD_MS / 2;
    desk_put(d, "notes/near", "another machine's clock");
    d->now_ms = now + 10000;
    desk_put(d, "notes/moved", "two"); /* cannot go back */
    Told t = verify(d, 0);
    assert_int_equal(t.of[FAULT_TIME], 1);
    assert_non_null(strstr(t.last, "notes/moved: its newest record is of 2099-01-01T"));
    Record head;
    desk_ok(d, store_head(d->m.store, S("notes/moved"), HEAD_RECORD, &d->a, &head, &d->e));
    assert_text(head.body, "two");
    assert_true(head.mark.at_ms >= 4070908800000);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(a_stream_that_a_wrong_clock_has_moved_is_named),
        DESK_TEST(a_pad_in_order_has_no_faults),
        DESK_TEST(an_index_somebody_writes_is_checked_all_the_same),
        DESK_TEST(a_lying_index_is_told_and_made_again),
        DESK_TEST(a_damaged_record_is_told),
        DESK_TEST(a_file_that_no_name_leads_to_is_told_and_is_no_fault),
        DESK_TEST(leftovers_are_told_and_put_aside),
        DESK_TEST(an_edit_is_worth_knowing_and_no_fault),
        DESK_TEST(a_stream_with_conflict_marks_is_told_and_mended),
        DESK_TEST(a_stream_of_two_histories_is_told_and_mended),
        DESK_TEST(a_view_with_conflict_marks_is_told),
        DESK_TEST(after_a_crash_every_view_is_compared),
        DESK_TEST(rows_that_are_gone_from_a_sqlite_pad_are_told),
        DESK_TEST(a_row_that_is_gone_between_two_reads_is_told),
        DESK_TEST(a_sqlite_pad_whose_heads_lie_is_told),
        DESK_TEST(old_versions_go_by_count_age_or_size),
        DESK_TEST(logs_go_only_where_they_are_named),
        DESK_TEST(a_policy_without_rule_or_against_folds_is_refused),
        DESK_TEST(everything_is_counted_kind_by_kind),
        DESK_TEST(changes_are_told_once),
        DESK_TEST(only_what_is_watched_is_told),
        DESK_TEST(another_process_and_a_person_are_seen),
    };
    return desk_run(tests, COUNT_OF(tests), false);
}
