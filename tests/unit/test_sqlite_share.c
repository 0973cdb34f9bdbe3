/* test_sqlite_share.c - the SQLite engine among processes, and on a disk that fails. */
#include <signal.h>
#include <sys/wait.h>

#include "rig/vfs.h"
#include "rig/volume.h"
#include "unit/sqlite_place.h"

enum { PROCESSES = 4 };

/* --- Processes ------------------------------------------------------------------------- */

static pid_t start(const Place *p, int (*run)(const Place *p, int number), int number)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(run(p, number));
    return pid;
}

static int finish(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void together(const Place *p, int (*run)(const Place *p, int number))
{
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++)
        pids[i] = start(p, run, i);
    for (int i = 0; i < PROCESSES; i++)
        assert_int_equal(finish(pids[i]), 0);
}

static int complain(const char *what, const Err *e)
{
    fprintf(stderr, "%s: %s\n", what, e->text);
    return 1;
}

/* The number of records of a stream, which store_read has verified to be without gaps. */
static uint64_t count_records(const Place *p, Str stream)
{
    Store *s = place_open_with(p, NULL);
    uint64_t n = 0;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Records r;
        assert_int_equal(store_read(s, stream, (SeqRange){ n + 1, 500 }, &arena, &r, NULL), JOT_OK);
        for (size_t i = 0; i < r.n; i++)
            assert_int_equal(r.items[i].mark.seq, ++n);
        more = r.more;
    }
    store_close(s);
    return n;
}

enum { APPENDS = 300 };

static int append_many(const Place *p, int number)
{
    Store *s = NULL;
    Err e = { 0 };
    Mark m;
    if (store_open(&s, str(p->url), NULL, &e) != JOT_OK)
        return complain("open", &e);
    for (int i = 0; i < APPENDS; i++)
        if (put(s, S("runs/shared"), S("x"), &m, &e) != JOT_OK)
            return complain("append", &e);
    store_close(s);
    return 0;
}

static void processes_append_without_errors_and_without_gaps(void **state)
{
    const Place *p = *state;
    store_close(place_open(p));
    together(p, append_many);
    assert_int_equal(count_records(p, S("runs/shared")), PROCESSES * APPENDS);
}

enum { VISITS = 40 };

/* The first one here makes the pad, the last one to leave takes the log away. */
static int come_and_go(const Place *p, int number)
{
    Err e = { 0 };
    Mark m;
    for (int i = 0; i < VISITS; i++) {
        Store *s = NULL;
        if (store_open(&s, str(p->url), &(StoreOptions){ .create = true }, &e) != JOT_OK)
            return complain("open", &e);
        if (put(s, S("runs/shared"), S("x"), &m, &e) != JOT_OK)
            return complain("append", &e);
        store_close(s);
    }
    return 0;
}

static void processes_may_come_and_go(void **state)
{
    const Place *p = *state;
    together(p, come_and_go);
    assert_int_equal(count_records(p, S("runs/shared")), PROCESSES * VISITS);
}

/* --- A writer that stops --------------------------------------------------------------- */

/* A hook that stops the process at a step of this kind (and these flags): a write to the log, or
 * the moment before the writer's byte is released. */
typedef struct Stopper {
    IoKind kind;
    unsigned flags;
} Stopper;

static long stop_at(void *ctx, IoCall *call)
{
    const Stopper *s = ctx;
    bool other_byte = call->kind == IO_LOCK && call->at != 0;
    if (call->kind == s->kind && call->flags == s->flags && !other_byte)
        raise(SIGSTOP);
    return 0;
}

/* Append once, and stop at the step on the way. */
static int append_and_stop(const Place *p, int in_commit)
{
    Stopper stopper = { .kind = in_commit ? IO_WRITE : IO_LOCK,
                        .flags = in_commit ? 0 : (unsigned)F_UNLCK };
    IoHook hook = { .before = stop_at, .ctx = &stopper };
    Io io = { 0 };
    Err e = { 0 };
    Store *s = NULL;
    Mark m;
    char url[200];
    vfs_install("stopping", &io);
    snprintf(url, sizeof url, "%s?vfs=stopping", p->url);
    if (store_open(&s, str(url), &(StoreOptions){ .io = &io }, &e) != JOT_OK)
        return complain("open", &e);
    io.hook = &hook;
    return put(s, S("notes/a"), S("two"), &m, &e) == JOT_OK ? 0 : complain("append", &e);
}

static void a_stopped_writer_is_named_and_readers_do_not_wait(void **state)
{
    const Place *p = *state;
    for (int in_commit = 0; in_commit < 2; in_commit++) {
        Store *s = place_open_with(p, &(StoreOptions){ .create = true, .wait_ms = 150 });
        must_put(s, S("notes/a"), S("one"));
        pid_t pid = start(p, append_and_stop, in_commit);
        int status = 0;
        assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
        assert_true(WIFSTOPPED(status));
        must_hold(s, S("notes/a"), in_commit ? S("one") : S("two"));
        Err e = { 0 };
        Mark m;
        char who[64];
        assert_int_equal(put(s, S("notes/b"), S("x"), &m, &e), JOT_UNAVAILABLE);
        snprintf(who, sizeof who, "'notes/b': pid %d (", (int)pid);
        if (!strstr(e.text, who) || !strstr(e.text, "150 ms"))
            fail_msg("%s", e.text);
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        must_put(s, S("notes/b"), S("x"));
        must_hold(s, S("notes/a"), in_commit ? S("one") : S("two"));
        store_close(s);
        place_empty(p);
    }
}

/* --- A writer that dies ---------------------------------------------------------------- */

static int report_to;

/* Append for ever, and tell the seq of each record that was acknowledged. */
static int append_and_tell(const Place *p, int number)
{
    Store *s = NULL;
    Err e = { 0 };
    if (store_open(&s, str(p->url), NULL, &e) != JOT_OK)
        return complain("open", &e);
    for (;;) {
        Mark m;
        if (put(s, S("runs/r"), S("some text"), &m, &e) != JOT_OK)
            return complain("append", &e);
        if (write(report_to, &m.seq, sizeof m.seq) != sizeof m.seq)
            return 2;
    }
}

static void what_was_acknowledged_survives_kill_9(void **state)
{
    const Place *p = *state;
    store_close(place_open(p));
    uint64_t acknowledged = 0;
    for (int round = 0; round < 30; round++) {
        int ends[2];
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        report_to = ends[1];
        pid_t pid = start(p, append_and_tell, 0);
        close(ends[1]);
        for (int i = 0; i < round % 7 + 1; i++)
            assert_int_equal(read(ends[0], &acknowledged, sizeof acknowledged),
                             sizeof acknowledged);
        kill(pid, SIGKILL);
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        for (uint64_t seq; read(ends[0], &seq, sizeof seq) == sizeof seq;)
            acknowledged = seq;
        close(ends[0]);
        uint64_t there = count_records(p, S("runs/r"));
        assert_in_range(there, acknowledged, acknowledged + 1);
    }
}

/* --- Changes --------------------------------------------------------------------------- */

static bool names(const Changes *c, Str name)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_eq(c->names[i], name))
            return true;
    return false;
}

static Changes ask(Store *s, const Cursor *from, int64_t wait_ms, Arena *arena)
{
    Changes c;
    Err e = { 0 };
    if (store_changes(s, from, wait_ms, arena, &c, &e) != JOT_OK)
        fail_msg("%s", e.text);
    return c;
}

/* Called when the waiting process goes to sleep: only then does the other one write. */
static void wake_writer(void *ctx, int64_t us)
{
    int *to = ctx;
    if (*to >= 0)
        assert_int_equal(write(*to, "x", 1), 1);
    *to = -1;
    usleep((useconds_t)us);
}

static int wait_for;

static int append_when_told(const Place *p, int number)
{
    char byte;
    Store *s = NULL;
    Mark m;
    if (read(wait_for, &byte, 1) != 1 || store_open(&s, str(p->url), NULL, NULL) != JOT_OK)
        return 1;
    return put(s, S("notes/b"), S("x"), &m, NULL) == JOT_OK ? 0 : 2;
}

static void whoever_waits_for_changes_sees_those_of_other_processes(void **state)
{
    const Place *p = *state;
    AUTO(Arena) arena = { 0 };
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    wait_for = ends[0];
    int to = ends[1];
    Io io = { .sleep_us = wake_writer, .ctx = &to };
    Store *s = place_open_with(p, &(StoreOptions){ .io = &io, .create = true });
    must_put(s, S("notes/a"), S("one"));
    Changes first = ask(s, NULL, 0, &arena);
    assert_true(first.rescan);
    pid_t pid = start(p, append_when_told, 0);
    Changes c = ask(s, &first.next, 60000, &arena);
    assert_false(c.rescan);
    assert_int_equal(c.n, 1);
    assert_true(names(&c, S("notes/b")));
    assert_int_equal(finish(pid), 0);
    c = ask(s, &c.next, 0, &arena);
    assert_int_equal(c.n, 0);
    store_close(s);
    close(ends[0]);
    close(ends[1]);
}

static void a_redaction_and_a_purge_are_changes(void **state)
{
    const Place *p = *state;
    AUTO(Arena) arena = { 0 };
    Store *s = place_open(p);
    must_put(s, S("runs/a"), S("one"));
    must_put(s, S("runs/a"), S("two"));
    must_put(s, S("runs/b"), S("one"));
    Cursor start_at = ask(s, NULL, 0, &arena).next;
    assert_int_equal(store_redact(s, S("runs/a"), NULL, 1, NULL), JOT_OK);
    Changes c = ask(s, &start_at, 0, &arena);
    assert_true(c.n == 1 && names(&c, S("runs/a")));
    must_hold(s, S("runs/a"), S("two"));
    /* The newest record goes, and its number must not come again. */
    Mark m;
    assert_int_equal(store_purge(s, S("runs/a"), NULL, S("ann"), &m, NULL), JOT_OK);
    c = ask(s, &c.next, 0, &arena);
    assert_true(c.n == 1 && names(&c, S("runs/a")));
    must_put(s, S("runs/b"), S("two"));
    c = ask(s, &c.next, 0, &arena);
    assert_true(c.n == 1 && names(&c, S("runs/b")));
    store_close(s);
}

static void a_cursor_of_another_pad_says_rescan(void **state)
{
    Place p = *(const Place *)*state;
    AUTO(Arena) arena = { 0 };
    Store *s = place_open(&p);
    must_put(s, S("notes/a"), S("one"));
    Cursor mine = ask(s, NULL, 0, &arena).next;
    store_close(s);
    place_empty(&p);
    s = place_open(&p);
    must_put(s, S("notes/a"), S("one"));
    assert_true(ask(s, &mine, 0, &arena).rescan);
    static const char *const wrong[] = { "x", "1", "..", "0.0.0", "0000000000000000.1." };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Cursor c;
        snprintf(c.text, sizeof c.text, "%s", wrong[i]);
        assert_true(ask(s, &c, 0, &arena).rescan);
    }
    store_close(s);
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 20];
    AUTO(Fd) in = open(from, O_RDONLY | O_CLOEXEC);
    AUTO(Fd) out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t n = read(in, bytes, sizeof bytes);
    assert_true(n > 0 && n < (ssize_t)sizeof bytes);
    assert_int_equal(write(out, bytes, (size_t)n), n);
}

static void a_pad_restored_from_a_copy_says_rescan(void **state)
{
    const Place *p = *state;
    AUTO(Arena) arena = { 0 };
    char copy[160];
    snprintf(copy, sizeof copy, "%s/copy", p->dir);
    Store *s = place_open(p);
    must_put(s, S("notes/a"), S("one"));
    store_close(s);
    copy_file(p->db, copy);
    s = place_open(p);
    must_put(s, S("notes/a"), S("two"));
    Cursor seen = ask(s, NULL, 0, &arena).next;
    store_close(s);
    copy_file(copy, p->db);
    s = place_open(p);
    must_put(s, S("notes/b"), S("other"));
    must_put(s, S("notes/c"), S("more"));
    assert_true(ask(s, &seen, 0, &arena).rescan);
    store_close(s);
}

/* --- A disk that fails ----------------------------------------------------------------- */

typedef struct Fault {
    IoHook hook;
    Io io;
    bool armed;
    bool only_syncs;
    int after; /* steps that still succeed */
    bool sticky;
    bool cut; /* shorten a write instead */
    int error;
    int met; /* how often it struck */
} Fault;

static long strike(void *ctx, IoCall *call)
{
    Fault *f = ctx;
    bool sync = call->kind == IO_FSYNC || call->kind == IO_FDATASYNC;
    if (!f->armed || (f->only_syncs && !sync) || f->after-- > 0)
        return 0;
    f->armed = f->sticky;
    f->after = 0;
    f->met++;
    if (f->cut && call->kind == IO_WRITE)
        call->data = str_slice(call->data, 0, call->data.n / 2);
    return f->cut ? 0 : -f->error;
}

static void fault_new(Fault *f)
{
    *f = (Fault){ .hook = { .before = strike, .ctx = f } };
    f->io = (Io){ .hook = &f->hook };
    vfs_install("failing", &f->io);
}

static jot_status open_failing(const Place *p, Fault *f, Store **out)
{
    char url[200];
    snprintf(url, sizeof url, "%s?vfs=failing", p->url);
    return store_open(out, str(url), &(StoreOptions){ .io = &f->io, .create = true }, NULL);
}

static void a_sync_that_fails_once_is_undone_and_the_outcome_known(void **state)
{
    const Place *p = *state;
    Fault f;
    Store *s;
    Mark m;
    fault_new(&f);
    assert_int_equal(open_failing(p, &f, &s), JOT_OK);
    must_put(s, S("runs/r"), S("one"));
    f.armed = f.only_syncs = true;
    f.error = EIO;
    assert_int_equal(put(s, S("runs/r"), S("lost"), &m, NULL), JOT_IO);
    assert_int_equal(f.met, 1);
    assert_int_equal(must_put(s, S("runs/r"), S("two")), 2);
    assert_int_equal(store_read_only_why(s)[0], 0);
    store_close(s);
    vfs_remove("failing");
    assert_int_equal(count_records(p, S("runs/r")), 2);
}

static void while_syncs_fail_nothing_is_acknowledged_and_reads_go_on(void **state)
{
    const Place *p = *state;
    Fault f;
    Store *s;
    Mark m;
    fault_new(&f);
    assert_int_equal(open_failing(p, &f, &s), JOT_OK);
    must_put(s, S("notes/a"), S("one"));
    f.armed = f.only_syncs = f.sticky = true;
    f.error = EIO;
    assert_int_equal(put(s, S("notes/a"), S("lost"), &m, NULL), JOT_UNKNOWN);
    must_hold(s, S("notes/a"), S("one"));
    assert_int_not_equal(put(s, S("notes/a"), S("lost"), &m, NULL), JOT_OK);
    must_hold(s, S("notes/a"), S("one"));
    store_close(s);
    f.armed = false;
    s = place_open(p);
    must_put(s, S("notes/a"), S("two"));
    store_close(s);
    vfs_remove("failing");
}

static void an_error_that_passes_leaves_the_handle_working(void **state)
{
    const Place *p = *state;
    Fault f;
    Store *s;
    Mark m;
    fault_new(&f);
    assert_int_equal(open_failing(p, &f, &s), JOT_OK);
    must_put(s, S("notes/a"), S("one"));
    f.armed = f.sticky = true;
    f.error = EIO;
    assert_int_not_equal(put(s, S("notes/a"), S("two"), &m, NULL), JOT_OK);
    f.armed = false;
    must_hold(s, S("notes/a"), S("one"));
    must_put(s, S("notes/a"), S("three"));
    store_close(s);
    vfs_remove("failing");
}

/* What a run of the workload was told. */
enum { WRITES = 8 };
typedef struct Told {
    bool opened;
    jot_status writes[WRITES];
    jot_status gone, purge;
} Told;

static Str body_of(int i, char out[16])
{
    snprintf(out, 16, "body %d", i);
    return str(out);
}

static Told work(const Place *p, Fault *f)
{
    Told told = { 0 };
    Store *s = NULL;
    Mark m;
    char body[16];
    told.opened = open_failing(p, f, &s) == JOT_OK;
    if (!told.opened)
        return told;
    for (int i = 0; i < WRITES; i++)
        told.writes[i] = put(s, S("runs/r"), body_of(i, body), &m, NULL);
    told.gone = put(s, S("runs/gone"), S("x"), &m, NULL);
    told.purge = store_purge(s, S("runs/gone"), NULL, S("ann"), &m, NULL);
    store_close(s);
    return told;
}

static bool has_body(const Records *r, Str body)
{
    for (size_t i = 0; i < r->n; i++)
        if (str_eq(r->items[i].body, body))
            return true;
    return false;
}

static void check_told(const Place *p, const Told *told)
{
    AUTO(Arena) arena = { 0 };
    Store *s = place_open(p);
    Records r = { 0 };
    char body[16];
    jot_status st = store_read(s, S("runs/r"), (SeqRange){ 1, 100 }, &arena, &r, NULL);
    assert_true(st == JOT_OK || st == JOT_NOT_FOUND);
    for (int i = 0; told->opened && i < WRITES; i++)
        if (told->writes[i] != JOT_UNKNOWN)
            assert_int_equal(has_body(&r, body_of(i, body)), told->writes[i] == JOT_OK);
    Records gone = { 0 };
    st = store_read(s, S("runs/gone"), (SeqRange){ 1, 100 }, &arena, &gone, NULL);
    if (told->opened && told->gone == JOT_OK && told->purge != JOT_UNKNOWN)
        assert_int_equal(gone.items[0].mark.op, told->purge == JOT_OK ? OP_DELETE : OP_APPEND);
    must_put(s, S("runs/r"), S("after"));
    store_close(s);
}

/* Let every step fail in turn; how many there are. */
static int fail_each(const Place *p, int error, bool sticky, bool cut)
{
    for (int n = 0;; n++) {
        Fault f;
        fault_new(&f);
        f.armed = true;
        f.after = n;
        f.error = error;
        f.sticky = sticky;
        f.cut = cut;
        Told told = work(p, &f);
        vfs_remove("failing");
        check_told(p, &told);
        place_empty(p);
        if (f.met == 0)
            return n;
    }
}

static void an_error_at_any_step_is_told_truly(void **state)
{
    const Place *p = *state;
    static const struct {
        int error;
        bool sticky, cut;
    } rows[] = {
        { EIO, false, false },   { EIO, true, false },    { ENOSPC, false, false },
        { ENOSPC, true, false }, { EINTR, false, false }, { EMFILE, false, false },
        { EROFS, false, false }, { 0, false, true },
    };
    /* A small volume is every third kind of error, at all steps. */
    for (size_t i = 0; i < COUNT_OF(rows); i += volume_small() ? 3 : 1)
        assert_true(fail_each(p, rows[i].error, rows[i].sticky, rows[i].cut) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, place_make, place_remove)
        T(processes_append_without_errors_and_without_gaps),
        T(processes_may_come_and_go),
        T(a_stopped_writer_is_named_and_readers_do_not_wait),
        T(what_was_acknowledged_survives_kill_9),
        T(whoever_waits_for_changes_sees_those_of_other_processes),
        T(a_redaction_and_a_purge_are_changes),
        T(a_cursor_of_another_pad_says_rescan),
        T(a_pad_restored_from_a_copy_says_rescan),
        T(a_sync_that_fails_once_is_undone_and_the_outcome_known),
        T(while_syncs_fail_nothing_is_acknowledged_and_reads_go_on),
        T(an_error_that_passes_leaves_the_handle_working),
        T(an_error_at_any_step_is_told_truly),
#undef T
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
