/* test_pad_copy.c - whole pads copied again and again, as a backup is: past real damage, beside
 * leases and gc, with what was forgotten gone from every file, and killed at every step. */
#include "memory/port/pad_copy.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/desk.h"
#include "memory/forget/forget.h"
#include "memory/lease.h"
#include "memory/search/search.h"
#include "rig/volume.h"
#include "store/archive.h"

static const char *const engines[] = { "files", "sqlite", "mem" };

/* Another pad of the desk. */
static Memory open_pad(Desk *d, const char *engine, const char *name)
{
    Memory m = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("bob"), .create = true };
    Str url = strcmp(engine, "mem") == 0
                  ? S("mem:")
                  : arena_printf(&d->a, "%s:%s/%s.%s", engine, d->dir, name, engine);
    desk_ok(d, memory_open(&m, url, &o, &d->e));
    return m;
}

static PadReport copy_to(Desk *d, Memory *to, jot_status want)
{
    PadReport r;
    desk_expect(d, want, pad_copy(d->m.store, to, NULL, &d->a, &r, &d->e));
    return r;
}

static void add(Desk *d, const char *stream, const char *text)
{
    Mark mark;
    Draft draft = { .op = OP_APPEND, .body = str(text) };
    d->now_ms += 1000;
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &draft, &mark, &d->e));
}

static uint64_t records_of(Desk *d, Store *s, const char *stream, Str *newest)
{
    Records got;
    desk_ok(d, store_read(s, str(stream), (SeqRange){ 0, STORE_READ_MAX }, &d->a, &got, &d->e));
    if (newest)
        *newest = got.items[got.n - 1].body;
    return got.n;
}

static Str slurp(Desk *d, const char *path)
{
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    char *text = arena_alloc(&d->a, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, text, (size_t)info.st_size), info.st_size);
    return (Str){ text, (size_t)info.st_size };
}

static void spill(const char *path, Str text)
{
    AUTO(Fd) fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n);
}

/* Everything a store holds, as the text of its archive. */
static Str all_of(Desk *d, Store *s)
{
    ArchiveCount count;
    const char *path = arena_printf(&d->a, "%s/all.jotter", d->dir).p;
    (void)unlink(path);
    desk_ok(d, archive_write(s, path, NULL, &count, &d->e));
    Str text = slurp(d, path);
    (void)unlink(path);
    return text;
}

/* --- Damage ---------------------------------------------------------------------------- */

static void run_sql(Desk *d, const char *sql)
{
    sqlite3 *db = NULL;
    char *why = NULL;
    const char *path = strchr(d->url, ':') + 1;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

/* The ways in which one record can be damaged and come back. */
typedef struct Damage {
    Desk *d;
    const char *stream;
    unsigned long long seq;
    int way;
    Str was; /* files: the whole stream file */
} Damage;

enum { WAYS = 3 };

static const char *stream_path(const Damage *x)
{
    Str name = str(x->stream), first;
    str_cut(&name, '/', &first);
    if (str_eq(first, S("runs")))
        return arena_printf(&x->d->a, "%s/%s.jsonl", strchr(x->d->url, ':') + 1, x->stream).p;
    return arena_printf(&x->d->a, "%s/streams/" STR_FMT ".d/" STR_FMT ".jsonl",
                        strchr(x->d->url, ':') + 1, STR_ARG(first), STR_ARG(name))
        .p;
}

static void damage_line(Damage *x)
{
    static const char *const parts[WAYS] = { "\"at\":", "\"body\":\"", "\"chain\":\"" };
    x->was = slurp(x->d, stream_path(x));
    char *copy = arena_cstr(&x->d->a, x->was), *line = copy;
    for (unsigned long long i = 1; i < x->seq; i++)
        line = strchr(line, '\n') + 1;
    char *byte = strstr(line, parts[x->way]) + strlen(parts[x->way]);
    *byte = *byte == '7' ? '8' : '7';
    spill(stream_path(x), (Str){ copy, x->was.n });
}

static void damage_row(Damage *x)
{
    static const char *const sets[WAYS] = { "at = at - 1", "body = x'00'", "chain = x'00'" };
    run_sql(x->d, "CREATE TABLE IF NOT EXISTS kept AS SELECT * FROM records");
    run_sql(x->d, arena_printf(&x->d->a,
                               "UPDATE records SET %s WHERE seq = %llu AND stream ="
                               " (SELECT stream FROM heads WHERE name = '%s')",
                               sets[x->way], x->seq, x->stream)
                      .p);
}

static void damage(Damage *x)
{
    if (strcmp(x->d->engine, "files") == 0)
        damage_line(x);
    else
        damage_row(x);
}

static void repair(Damage *x)
{
    if (strcmp(x->d->engine, "files") == 0)
        spill(stream_path(x), x->was);
    else
        run_sql(x->d, "DELETE FROM records; INSERT INTO records SELECT * FROM kept;"
                      " DROP TABLE kept");
}

static void fill(Desk *d)
{
    static const char *const notes[] = { "notes/a", "notes/b", "notes/c" };
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < COUNT_OF(notes); k++)
            desk_put(d, notes[k], arena_printf(&d->a, "text %d", i).p);
        add(d, "runs/r", arena_printf(&d->a, "entry %d", i).p);
    }
    desk_put(d, "tasks/z", "the last in the alphabet");
}

/* One damaged record, copied past and saved, then repaired and copied again. */
static void copy_past(Desk *d, const char *stream, unsigned long long seq, int way, Str whole)
{
    Damage x = { .d = d, .stream = stream, .seq = seq, .way = way };
    damage(&x);
    desk_reopen(d);
    const char *path = arena_printf(&d->a, "%s/damaged.jotter", d->dir).p;
    ArchiveCount saved;
    desk_expect(d, JOT_CORRUPT, archive_write(d->m.store, path, NULL, &saved, &d->e));
    assert_int_equal(saved.records, 16);
    AUTO_PTR(Store) archive = NULL;
    desk_ok(d, archive_open(&archive, &d->io, path, &d->e));
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        static int number;
        Memory to = open_pad(d, engines[i], arena_printf(&d->a, "to%d", number++).p);
        PadReport r = copy_to(d, &to, JOT_CORRUPT);
        assert_int_equal(r.count.copied, 16);
        assert_int_equal(r.count.lost, 1);
        assert_int_equal(r.problems.skipped_total, 1);
        assert_text(r.problems.skipped[0].name, stream);
        if (seq > 1)
            assert_has(r.problems.skipped[0].why,
                       arena_printf(&d->a, "record %llu of '%s' cannot be read", seq, stream).p);
        assert_int_equal(records_of(d, to.store, stream, NULL), 3);
        /* The archive has the same. */
        desk_ok(d, pad_copy(archive, &to, NULL, &d->a, &r, &d->e));
        assert_int_equal(r.count.copied, 0);
        repair(&x);
        desk_reopen(d);
        copy_to(d, &to, JOT_OK);
        assert_str(all_of(d, to.store), whole);
        memory_close(&to);
        damage(&x);
        desk_reopen(d);
    }
    repair(&x);
    desk_reopen(d);
    (void)unlink(path);
}

static void each_readable_record_is_saved_whichever_is_damaged(Desk *d)
{
    fill(d);
    Str whole = all_of(d, d->m.store);
    for (int way = 0; way < WAYS; way++)
        for (unsigned long long seq = 1; seq <= 3; seq++) {
            copy_past(d, "notes/b", seq, way, whole);
            copy_past(d, "runs/r", seq, way, whole);
        }
}

/* Whatever becomes of that stream, the others are saved. */
static void a_damaged_newest_record_stops_no_other_stream(Desk *d)
{
    fill(d);
    Damage x = { .d = d, .stream = "runs/r", .seq = 4, .way = 1 };
    damage(&x);
    desk_reopen(d);
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        Memory to = open_pad(d, engines[i], "newest");
        PadReport r = copy_to(d, &to, JOT_CORRUPT);
        assert_int_equal(r.count.copied, 16);
        assert_int_equal(records_of(d, to.store, "runs/r", NULL), 3);
        assert_int_equal(records_of(d, to.store, "tasks/z", NULL), 1);
        copy_to(d, &to, JOT_CORRUPT); /* and again: it is told as long as it is so */
        memory_close(&to);
    }
}

static void a_damaged_head_hides_no_other_stream(Desk *d)
{
    if (strcmp(d->engine, "sqlite") != 0)
        return; /* files have no heads */
    fill(d);
    Str whole = all_of(d, d->m.store);
    run_sql(d, "UPDATE heads SET chain = x'00' WHERE name = 'notes/b'");
    desk_reopen(d);
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        Memory to = open_pad(d, engines[i], "head");
        copy_to(d, &to, JOT_OK); /* its records are as they were, and prove it */
        assert_str(all_of(d, to.store), whole);
        memory_close(&to);
    }
}

/* Their tokens were given: none of them is given again. */
static void damaged_tokens_are_told_and_not_given_again(Desk *d)
{
    Lease l;
    LeaseAsk ask = { .on = S("notes/k"), .ttl_ms = 60 * 1000 };
    desk_put(d, "notes/k", "one");
    for (int i = 0; i < 3; i++) {
        desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &l, &d->e));
        desk_ok(d, lease_release(&d->m, l.token, &d->e));
    }
    /* In a database the row of the head would prove all but the body. */
    int way = strcmp(d->engine, "sqlite") == 0 ? 1 : 0;
    Damage x = { .d = d, .stream = "leases/table", .seq = 6, .way = way };
    damage(&x);
    desk_reopen(d);
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        Memory to = open_pad(d, engines[i], "tokens");
        PadReport r = copy_to(d, &to, JOT_CORRUPT);
        assert_text(r.problems.skipped[0].name, "leases/table");
        desk_ok(d, lease_acquire(&to, &ask, &d->a, &l, &d->e));
        assert_true(l.token > 6);
        memory_close(&to);
    }
}

/* --- Leases and gc --------------------------------------------------------------------- */

static Lease take(Desk *d, Memory *m, const char *on, jot_status want)
{
    Lease l = { 0 };
    LeaseAsk ask = { .on = str(on), .ttl_ms = 60 * 1000 };
    desk_expect(d, want, lease_acquire(m, &ask, &d->a, &l, &d->e));
    return l;
}

static void leases_do_not_stop_a_copy_and_stay_with_their_pad(Desk *d)
{
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        Memory to = open_pad(d, engines[i], "leased");
        desk_put(d, "notes/k", "one");
        copy_to(d, &to, JOT_OK);
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k < 40; k++)
                desk_ok(d,
                        lease_release(&d->m, take(d, &d->m, "notes/other", JOT_OK).token, &d->e));
            Lease mine = take(d, &d->m, "notes/k", JOT_OK);
            desk_put(d, "notes/k", "under a lease");
            desk_put(d, "notes/z", "behind leases/ in the alphabet");
            copy_to(d, &to, JOT_OK);
            /* Nobody has it there, and whoever takes it may write what was fenced here. */
            Lease theirs = take(d, &to, "notes/k", JOT_OK);
            assert_true(theirs.token > mine.token);
            desk_ok(d, lease_release(&to, theirs.token, &d->e));
            assert_int_equal(records_of(d, to.store, "notes/z", NULL),
                             records_of(d, d->m.store, "notes/z", NULL));
            take(d, &d->m, "notes/k", JOT_OK); /* and here it stands: this renews it */
            desk_ok(d, lease_release(&d->m, mine.token, &d->e));
        }
        Lease own = take(d, &to, "notes/mine", JOT_OK);
        for (int k = 0; k < 70; k++)
            desk_ok(d, lease_release(&d->m, take(d, &d->m, "notes/other", JOT_OK).token, &d->e));
        copy_to(d, &to, JOT_OK);
        desk_ok(d, lease_check(&to, own.token, &d->a, &own, &d->e));
        Mark mark;
        Draft draft = { .op = OP_PUT, .body = S("under the target's own lease") };
        desk_ok(d, memory_append(&to, S("notes/mine"), NULL, &draft, &mark, &d->e));
        memory_close(&to);
    }
}

static void count_gaps(void *ctx, const StoreFault *f)
{
    *(uint64_t *)ctx += f->kind == FAULT_GAP;
}

/* The gaps of a pad that is in order but for them. */
static uint64_t gaps_of(Desk *d, Store *s)
{
    uint64_t gaps = 0;
    VerifyCount found;
    VerifyHooks hooks = { .fault = count_gaps, .ctx = &gaps };
    desk_ok(d, store_verify(s, &hooks, &found, &d->e));
    assert_int_equal(found.faults, 0);
    return gaps;
}

static void gc_and_copy_in_turn_need_nobody(Desk *d)
{
    for (size_t i = 0; i < COUNT_OF(engines); i++) {
        Memory to = open_pad(d, engines[i], "trimmed");
        for (int round = 0; round < 4; round++) {
            uint64_t dropped;
            for (int k = 0; k < 40; k++)
                desk_put(d, "notes/a", arena_printf(&d->a, "%d of %d", k, round).p);
            desk_put(d, "notes/z", "behind it");
            desk_ok(d, store_trim(d->m.store, S("notes/a"), NULL, STORE_SEQ_MAX, &dropped, &d->e));
            copy_to(d, &to, JOT_OK);
            Str here, there;
            records_of(d, d->m.store, "notes/a", &here);
            assert_int_equal(records_of(d, to.store, "notes/a", &there), 16 * (round + 1));
            assert_str(there, here);
            assert_int_equal(gaps_of(d, to.store), round);
        }
        /* A copy of the copy has the same gaps, and knows why. */
        Memory again = open_pad(d, engines[i], "again");
        PadReport r;
        desk_ok(d, pad_copy(to.store, &again, NULL, &d->a, &r, &d->e));
        assert_int_equal(gaps_of(d, again.store), 3);
        memory_close(&again);
        Mark mark;
        desk_ok(d, store_purge(d->m.store, S("notes/a"), NULL, S("ann"), &mark, &d->e));
        desk_ok(d, store_purge(d->m.store, S("notes/z"), NULL, S("ann"), &mark, &d->e));
        memory_close(&to);
    }
}

/* --- Forgetting ------------------------------------------------------------------------ */

static size_t hits(Desk *d, Memory *m, const char *word)
{
    AUTO_PTR(Search) s = NULL;
    Hits h;
    SearchQuery q = { .text = str(word) };
    desk_ok(d, search_open(&s, m, NULL, &d->e));
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    return h.n;
}

static void begin_with_secrets(Desk *d, const char *run)
{
    Mark mark;
    Draft said = { .op = OP_APPEND, .meta = S("{\"kind\":\"thinking\"}"), .body = S("zzsecretzz") };
    desk_put(d, "notes/k", "zzsecretzz");
    desk_put(d, "notes/k", "zzsecretzz again");
    desk_put(d, "notes/other", "harmless");
    desk_ok(d, memory_append(&d->m, str(run), NULL, &said, &mark, &d->e));
    said.body = S("harmless too");
    desk_ok(d, memory_append(&d->m, str(run), NULL, &said, &mark, &d->e));
}

static void forget_secrets(Desk *d, const char *run)
{
    Mark mark;
    desk_put(d, "notes/k", "zzsecretzz, and never copied");
    desk_ok(d, forget_document(&d->m, S("notes/k"), &mark, &d->e));
    desk_ok(d, forget_record(&d->m, str(run), 1, &d->e));
}

static void what_is_forgotten_is_in_no_file_of_the_copy(Desk *d)
{
    for (size_t i = 0; i < 2; i++) {
        const char *run = i ? "runs/s" : "runs/r";
        begin_with_secrets(d, run);
        Memory to = open_pad(d, engines[i], "forgets");
        copy_to(d, &to, JOT_OK);
        assert_int_equal(hits(d, &to, "zzsecretzz"), 2);
        forget_secrets(d, run);
        assert_true(desk_files_with(d, "zzsecretzz") > 1); /* the copy, and its index */
        PadReport r = copy_to(d, &to, JOT_OK);
        assert_int_equal(r.notes.skipped_total, 2);
        assert_int_equal(desk_files_with(d, "zzsecretzz"), 0);
        assert_int_equal(hits(d, &to, "zzsecretzz"), 0);
        assert_int_equal(hits(d, &to, "harmless"), 2);
        memory_close(&to);
        assert_int_equal(desk_files_with(d, "zzsecretzz"), 0);
        Mark mark;
        desk_ok(d, store_purge(d->m.store, str(run), NULL, S("ann"), &mark, &d->e));
    }
}

/* Through an archive. */
static void carry(Desk *d, Memory *to)
{
    ArchiveCount count;
    PadReport r;
    const char *path = arena_printf(&d->a, "%s/carry.jotter", d->dir).p;
    desk_ok(d, archive_write(d->m.store, path, NULL, &count, &d->e));
    AUTO_PTR(Store) archive = NULL;
    desk_ok(d, archive_open(&archive, &d->io, path, &d->e));
    desk_ok(d, pad_copy(archive, to, NULL, &d->a, &r, &d->e));
    (void)unlink(path);
}

static void archives_carry_purges_and_redactions_too(Desk *d)
{
    begin_with_secrets(d, "runs/r");
    for (size_t i = 0; i < 2; i++) {
        Memory to = open_pad(d, engines[i], "carried");
        carry(d, &to);
        assert_int_equal(hits(d, &to, "zzsecretzz"), 2);
        memory_close(&to);
    }
    forget_secrets(d, "runs/r");
    for (size_t i = 0; i < 2; i++) {
        Memory to = open_pad(d, engines[i], "carried");
        carry(d, &to);
        assert_int_equal(hits(d, &to, "zzsecretzz"), 0);
        memory_close(&to);
    }
    assert_int_equal(desk_files_with(d, "zzsecretzz"), 0);
}

/* --- Killed ---------------------------------------------------------------------------- */

typedef struct Killer {
    IoHook hook;
    int left;
} Killer;

static long count_down(void *ctx, IoCall *call)
{
    Killer *k = ctx;
    bool reads = call->kind == IO_READ || call->kind == IO_STAT;
    if (!reads && k->left-- == 0)
        kill(getpid(), SIGKILL);
    return 0;
}

/* Copy to a pad in a process of its own, which is killed at this step; false if it was. */
static bool copy_killed(Desk *d, Str url, int step)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        Killer k = { .hook = { .before = count_down }, .left = step };
        k.hook.ctx = &k;
        Io io = d->io;
        io.hook = &k.hook;
        Store *to = NULL;
        CopyCount count;
        Err e;
        bool good = store_open(&to, url, &(StoreOptions){ .io = &io }, &e) == JOT_OK &&
                    store_copy(d->m.store, to, NULL, &count, &e) == JOT_OK;
        _exit(good ? 0 : 1);
    }
    return desk_lived(child);
}

/* What a copy has to do that is more than appending. */
static void go_on(Desk *d)
{
    Mark mark;
    uint64_t dropped;
    desk_put(d, "notes/a", "five");
    desk_ok(d, store_redact(d->m.store, S("notes/a"), NULL, 2, &d->e));
    desk_put(d, "notes/b", "five");
    desk_ok(d, store_purge(d->m.store, S("notes/b"), NULL, S("ann"), &mark, &d->e));
    desk_put(d, "notes/b", "seven");
    for (int i = 0; i < 20; i++)
        add(d, "runs/r", "more");
    desk_ok(d, store_trim(d->m.store, S("runs/r"), NULL, 9, &dropped, &d->e));
    desk_ok(d, store_purge(d->m.store, S("tasks/z"), NULL, S("ann"), &mark, &d->e));
}

static void a_copy_that_was_killed_anywhere_goes_on(Desk *d)
{
    fill(d);
    Memory before = open_pad(d, "mem", "");
    copy_to(d, &before, JOT_OK);
    go_on(d);
    Memory wanted = open_pad(d, "mem", "");
    CopyCount count;
    desk_ok(d, store_copy(before.store, wanted.store, NULL, &count, &d->e));
    copy_to(d, &wanted, JOT_OK);
    Str want = all_of(d, wanted.store);
    bool lived = false;
    int kills = 0, stride = volume_small() ? 7 : 1;
    for (int step = 0; !lived; step += stride, kills++) {
        assert_true(step < 5000);
        Str url = arena_printf(&d->a, "files:%s/killed%d", d->dir, step);
        AUTO_PTR(Store) to = NULL;
        desk_ok(d, store_open(&to, url, &(StoreOptions){ .io = &d->io, .create = true }, &d->e));
        desk_ok(d, store_copy(before.store, to, NULL, &count, &d->e));
        lived = copy_killed(d, url, step);
        desk_ok(d, store_copy(d->m.store, to, NULL, &count, &d->e));
        assert_str(all_of(d, to), want);
    }
    assert_true(kills > 20);
    memory_close(&before);
    memory_close(&wanted);
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(each_readable_record_is_saved_whichever_is_damaged),
        DESK_TEST(a_damaged_newest_record_stops_no_other_stream),
        DESK_TEST(a_damaged_head_hides_no_other_stream),
        DESK_TEST(damaged_tokens_are_told_and_not_given_again),
        DESK_TEST(leases_do_not_stop_a_copy_and_stay_with_their_pad),
        DESK_TEST(gc_and_copy_in_turn_need_nobody),
        DESK_TEST(what_is_forgotten_is_in_no_file_of_the_copy),
        DESK_TEST(archives_carry_purges_and_redactions_too),
    };
    static const DeskTest killed[] = { DESK_TEST(a_copy_that_was_killed_anywhere_goes_on) };
    int failed = desk_run(tests, COUNT_OF(tests), true);
    return failed + desk_run_on("mem", killed, COUNT_OF(killed));
}
