/* test_newest.c - damage to the newest record of a stream, in every noun and every byte.
 *
 * On files each byte of the newest line is changed, and taken out, and lines are
 * added behind it; on sqlite each byte of each column of both its rows is changed.
 * Whatever was hit: the noun can be read, it can be written (a conditional write
 * may be refused once), no record before is lost, and the number of the record is
 * never given to another. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "memory/artifact/artifact.h"
#include "memory/artifact/checkpoint.h"
#include "memory/artifact/line_log.h"
#include "memory/artifact/sink.h"
#include "memory/care.h"
#include "memory/cycle/cycle.h"
#include "memory/desk.h"
#include "memory/doc/doc.h"
#include "memory/lease.h"
#include "memory/run/run.h"
#include "memory/task/plan.h"
#include "memory/task/task.h"
#include "rig/volume.h"
#include "store/engine.h"
#include "store/record.h"

#define ME S(CYCLE_DEFAULT_AGENT)

/* What is done to one noun.  `next` may be refused once with JOT_CONFLICT. */
typedef struct Noun {
    const char *name;
    void (*make)(Desk *d); /* at least two records */
    jot_status (*read)(Desk *d);
    jot_status (*next)(Desk *d);
} Noun;

/* The stream of the noun at hand, and the run or cycle in it. */
static char stream[160], current[80];

static void set_stream(const char *kind, Str id)
{
    snprintf(stream, sizeof stream, "%s" STR_FMT, kind, STR_ARG(id));
    snprintf(current, sizeof current, STR_FMT, STR_ARG(id));
}

/* --- The nouns --------------------------------------------------------------------------- */

static void make_run(Desk *d)
{
    Run r = { 0 };
    desk_ok(d, run_begin(&d->m, NULL, S("what?"), &r, &d->e));
    desk_ok(d, run_say(&r, RUN_THINKING, S("first"), &d->e));
    desk_ok(d, run_say(&r, RUN_THINKING, S("second"), &d->e));
    set_stream("runs/", str(r.id));
    run_close(&r);
}

static jot_status read_run(Desk *d)
{
    Run r = { 0 };
    jot_status st = run_open(&d->m, str(current), &r, &d->e);
    assert_true(st != JOT_OK || r.state.thoughts >= 1);
    run_close(&r);
    return st;
}

static jot_status next_run(Desk *d)
{
    Run r = { 0 };
    jot_status st = run_open(&d->m, str(current), &r, &d->e);
    if (st == JOT_OK)
        st = run_say(&r, RUN_THINKING, S("next"), &d->e);
    run_close(&r);
    return st;
}

static void make_task(Desk *d)
{
    Task t;
    TaskAdd add = { .id = S("a"), .description = S("do it") };
    desk_ok(d, task_add(&d->m, &add, &d->a, &t, &d->e));
    TaskMove ready = { .to = TASK_READY, .manual = true };
    desk_ok(d, task_move(&d->m, S("a"), &ready, &d->a, &t, &d->e));
    set_stream("tasks/", S("a"));
}

static jot_status read_task(Desk *d)
{
    Task t;
    TaskList list;
    desk_ok(d, task_list(&d->m, &(TaskQuery){ 0 }, &d->a, &list, &d->e));
    assert_int_equal(list.n, 1);
    return task_read(&d->m, S("a"), &d->a, &t, &d->e);
}

static jot_status next_task(Desk *d)
{
    Task t;
    TaskMove block = { .to = TASK_BLOCKED, .reason = S("rain") };
    return task_move(&d->m, S("a"), &block, &d->a, &t, &d->e);
}

static void make_plan(Desk *d)
{
    static const Str steps[] = { S_INIT("one"), S_INIT("two") };
    Plan p;
    PlanDraft draft = { .objective = S("all"), .steps = steps, .steps_n = 2 };
    desk_ok(d, plan_create(&d->m, S("main"), &draft, &d->a, &p, &d->e));
    PlanMove move = { .n = 1, .status = PLAN_IN_PROGRESS };
    desk_ok(d, plan_step(&d->m, S("main"), &move, &d->a, &p, &d->e));
    set_stream("plans/", S("main"));
}

static jot_status read_plan(Desk *d)
{
    Plan p;
    return plan_read(&d->m, S("main"), &d->a, &p, &d->e);
}

static jot_status next_plan(Desk *d)
{
    Plan p;
    PlanMove move = { .n = 2, .status = PLAN_IN_PROGRESS };
    return plan_step(&d->m, S("main"), &move, &d->a, &p, &d->e);
}

static void make_checkpoint(Desk *d)
{
    Checkpoint c;
    desk_ok(d, checkpoint_write(&d->m, S("r"), &(CheckpointWrite){ S("s1"), S("") }, &c, &d->e));
    desk_ok(d, checkpoint_write(&d->m, S("r"), &(CheckpointWrite){ S("s2"), S("") }, &c, &d->e));
    set_stream("checkpoints/", S("r"));
}

static jot_status read_checkpoint(Desk *d)
{
    Checkpoint c;
    return checkpoint_read(&d->m, S("r"), 0, &d->a, &c, &d->e);
}

static jot_status next_checkpoint(Desk *d)
{
    Checkpoint c;
    return checkpoint_write(&d->m, S("r"), &(CheckpointWrite){ S("s3"), S("") }, &c, &d->e);
}

static void make_cycle(Desk *d)
{
    static const Str goals[] = { S_INIT("g") };
    Str text;
    desk_ok(d, cycle_init(&d->m, ME, &(CycleInit){ .goals = goals, .goals_n = 1 }, &d->a, &text,
                          &d->e));
    desk_ok(d, cycle_reset(&d->m, ME, S("goals: [h]\n"), S("reset"), &d->a, &d->e));
    set_stream("cycles/", ME);
}

static jot_status read_cycle(Desk *d)
{
    CycleStatus s;
    return cycle_status(&d->m, ME, &d->a, &s, &d->e);
}

static jot_status next_cycle(Desk *d)
{
    return cycle_reset(&d->m, ME, S("goals: [i]\n"), S("reset"), &d->a, &d->e);
}

static void make_steps(Desk *d)
{
    Cycle c;
    CycleStep s;
    make_cycle(d);
    desk_ok(d, cycle_wake(&d->m, ME, &(CycleWake){ .iterations_max = 1000 }, &d->a, &c, &d->e));
    for (int i = 0; i < 2; i++)
        desk_ok(d, cycle_step(&d->m,
                              &(CycleInput){ .agent = ME, .id = c.id, .text = S("no call at all") },
                              &d->a, &s, &c, &d->e));
    snprintf(stream, sizeof stream, "steps/%s/" STR_FMT, CYCLE_DEFAULT_AGENT, STR_ARG(c.id));
    snprintf(current, sizeof current, STR_FMT, STR_ARG(c.id));
}

static jot_status read_steps(Desk *d)
{
    Cycle c;
    return cycle_find(&d->m, ME, str(current), &d->a, &c, &d->e);
}

static jot_status next_steps(Desk *d)
{
    Cycle c;
    CycleStep s;
    return cycle_step(&d->m,
                      &(CycleInput){ .agent = ME, .id = str(current), .text = S("neither here") },
                      &d->a, &s, &c, &d->e);
}

static void make_lease(Desk *d)
{
    Lease l;
    for (int i = 0; i < 2; i++) {
        LeaseAsk ask = { .on = i ? S("notes/b") : S("notes/a"), .ttl_ms = 60000 };
        desk_ok(d, lease_acquire(&d->m, &ask, &d->a, &l, &d->e));
        lease_disown(&d->m, l.token);
    }
    set_stream("leases/", S("table"));
}

static jot_status read_lease(Desk *d)
{
    LeaseList list;
    int old = 0;
    jot_status st = lease_list(&d->m, &d->a, &list, &d->e);
    for (size_t i = 0; st == JOT_OK && i < list.n; i++)
        old += list.items[i].token <= 2;
    assert_true(old == 2 || old == 0); /* an older table is not believed */
    return st;
}

static jot_status next_lease(Desk *d)
{
    Lease l;
    jot_status st =
        lease_acquire(&d->m, &(LeaseAsk){ .on = S("notes/c"), .ttl_ms = 60000 }, &d->a, &l, &d->e);
    assert_true(st != JOT_OK || l.token > 2);
    if (st == JOT_OK)
        lease_disown(&d->m, l.token);
    return st;
}

static jot_status write_text(Desk *d, const char *text)
{
    Mark m;
    Draft draft = { .op = OP_PUT, .body = str(text) };
    d->now_ms += 1000;
    return memory_append(&d->m, str(stream), NULL, &draft, &m, &d->e);
}

static void make_note(Desk *d)
{
    set_stream("notes/", S("plan"));
    desk_ok(d, write_text(d, "the first text\n"));
    desk_ok(d, write_text(d, "the second text\n"));
}

static void make_memory(Desk *d)
{
    set_stream("memories/", S("a.md"));
    desk_ok(d, write_text(d, "# one\n"));
    desk_ok(d, write_text(d, "# two\n"));
}

static jot_status read_text(Desk *d)
{
    Record r;
    return store_head(d->m.store, str(stream), HEAD_RECORD, &d->a, &r, &d->e);
}

static jot_status next_text(Desk *d)
{
    return write_text(d, "the next text\n");
}

/* On the condition that it is as it was read. */
static jot_status next_text_if(Desk *d)
{
    Record r;
    Mark m;
    desk_ok(d, store_head(d->m.store, str(stream), HEAD_RECORD, &d->a, &r, &d->e));
    Draft draft = { .op = OP_PUT, .body = S("the next text\n") };
    Expect x = { .kind = EXPECT_HASH, .sha256 = r.mark.sha256 };
    return memory_append(&d->m, str(stream), &x, &draft, &m, &d->e);
}

static jot_status write_artifact(Desk *d, const char *json)
{
    ArtifactRef ref;
    ArtifactWrite w = { .category = S("c"), .id = S("x"), .json = str(json), .type = S("t") };
    return artifact_write(&d->m, &w, &d->a, &ref, &d->e);
}

static void make_artifact(Desk *d)
{
    desk_ok(d, write_artifact(d, "{\"a\":1}"));
    desk_ok(d, write_artifact(d, "{\"a\":2}"));
    set_stream("artifacts/", S("c/x"));
}

static jot_status read_artifact(Desk *d)
{
    Artifact a;
    return artifact_read(&d->m, &(ArtifactRead){ .category = S("c"), .id = S("x") }, &d->a, &a,
                         &d->e);
}

static jot_status next_artifact(Desk *d)
{
    return write_artifact(d, "{\"a\":3}");
}

static jot_status add_line(Desk *d, const char *text)
{
    Line line;
    return line_log_append(&d->m, (LineLogName){ S("c"), S("l") }, str(text), (Str){ 0 }, &line,
                           &d->e);
}

static void make_log(Desk *d)
{
    desk_ok(d, add_line(d, "one"));
    desk_ok(d, add_line(d, "two"));
    set_stream("logs/", S("c/l"));
}

static jot_status read_log(Desk *d)
{
    Lines lines;
    jot_status st = line_log_read(&d->m, (LineLogName){ S("c"), S("l") }, (SeqRange){ 1, 10 },
                                  &d->a, &lines, &d->e);
    assert_true(st != JOT_OK || lines.n >= 1);
    return st;
}

static jot_status next_log(Desk *d)
{
    return add_line(d, "three");
}

static const Noun nouns[] = {
    { "run", make_run, read_run, next_run },
    { "task", make_task, read_task, next_task },
    { "plan", make_plan, read_plan, next_plan },
    { "checkpoint", make_checkpoint, read_checkpoint, next_checkpoint },
    { "cycle", make_cycle, read_cycle, next_cycle },
    { "steps", make_steps, read_steps, next_steps },
    { "lease", make_lease, read_lease, next_lease },
    { "note", make_note, read_text, next_text },
    { "note on condition", make_note, read_text, next_text_if },
    { "memory", make_memory, read_text, next_text },
    { "artifact", make_artifact, read_artifact, next_artifact },
    { "log", make_log, read_log, next_log },
};

/* --- What must hold ---------------------------------------------------------------------- */

/* The stream before it was damaged. */
typedef struct Before {
    Records records;
    uint64_t newest;
    Arena arena;
} Before;

static void remember(Desk *d, Before *b)
{
    *b = (Before){ 0 };
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 100 }, &b->arena, &b->records,
                          &d->e));
    b->newest = b->records.items[b->records.n - 1].mark.seq;
    assert_true(b->records.n >= 2);
}

static bool same(const Record *a, const Record *b)
{
    return hash_eq(a->mark.chain, b->mark.chain) && str_eq(a->body, b->body) &&
           str_eq(a->by, b->by) && str_eq(a->meta, b->meta);
}

/* Read, write, look: the damage was `what`. */
static void go_on(Desk *d, const Noun *noun, const Before *b, const char *what)
{
    Arena kept = TAKE(d->a);
    jot_status st = noun->read(d);
    if (st != JOT_OK)
        fail_msg("%s (%s): cannot be read after %s: %s", noun->name, d->engine, what, d->e.text);
    st = noun->next(d);
    if (st == JOT_CONFLICT)
        st = noun->next(d);
    if (st != JOT_OK)
        fail_msg("%s (%s): cannot be written after %s: %s", noun->name, d->engine, what, d->e.text);
    Records now;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 100 }, &d->a, &now, &d->e));
    for (size_t i = 0; i + 1 < b->records.n; i++)
        if (i >= now.n || !same(&b->records.items[i], &now.items[i]))
            fail_msg("%s (%s): record %zu was lost with %s", noun->name, d->engine, i + 1, what);
    const Record *newest = &b->records.items[b->records.n - 1];
    for (size_t i = 0; i < now.n; i++)
        if (now.items[i].mark.seq == b->newest && !same(newest, &now.items[i]))
            fail_msg("%s (%s): number %llu was given again after %s", noun->name, d->engine,
                     (unsigned long long)b->newest, what);
    if (now.items[now.n - 1].mark.seq <= b->newest)
        fail_msg("%s (%s): nothing new after %s", noun->name, d->engine, what);
    if (noun->read(d) != JOT_OK)
        fail_msg("%s (%s): cannot be read again after %s", noun->name, d->engine, what);
    arena_free(&d->a);
    d->a = kept;
}

/* --- On files ---------------------------------------------------------------------------- */

typedef struct File {
    char path[320];
    Str bytes;
} File;

static Str slurp(const char *path, Arena *into)
{
    struct stat info;
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &info) == 0);
    char *bytes = arena_alloc(into, (size_t)info.st_size + 1, 1);
    assert_int_equal(read(fd, bytes, (size_t)info.st_size), info.st_size);
    return (Str){ bytes, (size_t)info.st_size };
}

static void spill(const File *f, Str bytes)
{
    AUTO(Fd) fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
}

/* streams/KIND.d/NAME.jsonl, and the view if there is one. */
static void find_files(Desk *d, Arena *into, File *log, File *view)
{
    char kind[32] = "", name[160] = "";
    const char *slash = strchr(stream, '/'), *below = strchr(slash + 1, '/');
    snprintf(kind, sizeof kind, "%.*s", (int)(slash - stream), stream);
    if (below)
        snprintf(name, sizeof name, "%.*s.d/%s", (int)(below - slash - 1), slash + 1, below + 1);
    else
        snprintf(name, sizeof name, "%s", slash + 1);
    if (strcmp(kind, "runs") == 0)
        snprintf(log->path, sizeof log->path, "%s/pad/runs/%s.jsonl", d->dir, name);
    else
        snprintf(log->path, sizeof log->path, "%s/pad/streams/%s.d/%s.jsonl", d->dir, kind, name);
    log->bytes = slurp(log->path, into);
    static const struct {
        const char *kind, *view;
    } views[] = { { "notes", "notes/plan.txt" },
                  { "memories", "memories/a.md" },
                  { "artifacts", "artifacts/c/x.json" },
                  { "cycles", "cycles/active.yaml" } };
    view->path[0] = 0;
    for (size_t i = 0; i < COUNT_OF(views); i++)
        if (strcmp(kind, views[i].kind) == 0)
            snprintf(view->path, sizeof view->path, "%s/pad/%s", d->dir, views[i].view);
    if (access(view->path, R_OK) != 0)
        view->path[0] = 0;
    if (view->path[0])
        view->bytes = slurp(view->path, into);
}

static void try_bytes(Desk *d, const Noun *noun, const Before *b, const File *log, const File *view,
                      Str damaged, const char *what)
{
    spill(log, damaged);
    if (view->path[0])
        spill(view, view->bytes);
    go_on(d, noun, b, what);
}

static void hit_line(Desk *d, const Noun *noun)
{
    Before b;
    File log = { 0 }, view = { 0 };
    AUTO(Arena) arena = { 0 };
    remember(d, &b);
    find_files(d, &arena, &log, &view);
    Str all = log.bytes;
    size_t from = str_find_last(str_slice(all, 0, all.n - 1), '\n') + 1;
    for (size_t i = from; i < all.n; i += volume_small() ? 17 : 1) {
        AUTO(Arena) scratch = { 0 };
        char what[64], *bytes = arena_cstr(&scratch, all);
        snprintf(what, sizeof what, "a flipped bit in byte %zu", i - from);
        bytes[i] = (char)(bytes[i] ^ 1 << i % 8);
        try_bytes(d, noun, &b, &log, &view, (Str){ bytes, all.n }, what);
        snprintf(what, sizeof what, "the loss of byte %zu", i - from);
        memmove(bytes + i, all.p + i + 1, all.n - i - 1);
        try_bytes(d, noun, &b, &log, &view, (Str){ bytes, all.n - 1 }, what);
    }
    arena_free(&b.arena);
}

/* Each noun in turn, in a pad of its own. */
static void each_noun(Desk *d, void (*hit)(Desk *d, const Noun *noun))
{
    for (size_t i = 0; i < COUNT_OF(nouns); i++) {
        char dir[sizeof d->dir];
        memcpy(dir, d->dir, sizeof dir);
        snprintf(d->dir, sizeof d->dir, "%.50s/%zu", dir, i);
        assert_int_equal(mkdir(d->dir, 0700), 0);
        snprintf(d->url, sizeof d->url, "%s:%.64s/pad%s", d->engine, d->dir,
                 strcmp(d->engine, "files") == 0 ? "" : ".db");
        desk_reopen(d);
        nouns[i].make(d);
        hit(d, &nouns[i]);
        arena_free(&d->a);
        memcpy(d->dir, dir, sizeof dir);
    }
}

static void no_byte_of_the_newest_line_stops_its_noun(Desk *d)
{
    if (strcmp(d->engine, "files") == 0)
        each_noun(d, hit_line);
}

static void add_tails(Desk *d, const Noun *noun)
{
    static const char zeros[300];
    Before b;
    File log = { 0 }, view = { 0 };
    AUTO(Arena) arena = { 0 };
    remember(d, &b);
    find_files(d, &arena, &log, &view);
    size_t from = str_find_last(str_slice(log.bytes, 0, log.bytes.n - 1), '\n') + 1;
    Str line = str_from(log.bytes, from);
    const struct {
        const char *what;
        Str tail;
    } tails[] = {
        { "an editor's newline", S("\n") },
        { "a stray letter", S("x\n") },
        { "several stray lines", S("\n\nx\n\n") },
        { "an unfinished line", S("x") },
        { "half a record", str_slice(line, 0, line.n / 2) },
        { "nearly a whole record", str_slice(line, 0, line.n - 2) },
        { "zeros", { zeros, sizeof zeros } },
        { "zeros and a newline", S("\0\0\0\0\n") },
    };
    for (size_t i = 0; i < COUNT_OF(tails); i++) {
        AUTO(Buf) all = { 0 };
        buf_add(&all, log.bytes);
        buf_add(&all, tails[i].tail);
        try_bytes(d, noun, &b, &log, &view, buf_str(&all), tails[i].what);
        Records now;
        desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 100 }, &d->a, &now, &d->e));
        assert_int_equal(now.damaged, 0);
        assert_int_equal(now.items[b.records.n].mark.seq,
                         b.newest + 1); /* it counted for nothing */
    }
    arena_free(&b.arena);
}

static void what_stands_behind_the_newest_line_counts_for_nothing(Desk *d)
{
    if (strcmp(d->engine, "files") == 0)
        each_noun(d, add_tails);
}

/* --- On sqlite --------------------------------------------------------------------------- */

static void sql_run(sqlite3 *sql, const char *text)
{
    char *why = NULL;
    if (sqlite3_exec(sql, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
}

/* A copy of both tables, to begin from again. */
static sqlite3 *sql_open(const Desk *d)
{
    sqlite3 *sql = NULL;
    char text[256];
    snprintf(text, sizeof text, "%s/pad.db", d->dir);
    assert_int_equal(sqlite3_open(text, &sql), SQLITE_OK);
    sqlite3_busy_timeout(sql, 10000);
    snprintf(text, sizeof text, "ATTACH '%s/saved.db' AS saved", d->dir);
    sql_run(sql, text);
    sql_run(sql, "CREATE TABLE saved.records AS SELECT * FROM main.records;"
                 "CREATE TABLE saved.heads AS SELECT * FROM main.heads");
    return sql;
}

static void sql_restore(sqlite3 *sql)
{
    sql_run(sql, "BEGIN IMMEDIATE; DELETE FROM main.records; DELETE FROM main.heads;"
                 "INSERT INTO main.records SELECT * FROM saved.records;"
                 "INSERT INTO main.heads SELECT * FROM saved.heads; COMMIT");
}

/* The damage: the `which`-th of a column's; false if there are no more.  Those that the database
 * itself refuses are passed over. */
static bool damage_value(sqlite3 *sql, const char *table, const char *column, size_t which,
                         bool *done)
{
    char text[400];
    sqlite3_stmt *get = NULL, *set = NULL;
    const char *where = strcmp(table, "heads") == 0
                            ? "name = ?1"
                            : "n = (SELECT n FROM saved.heads WHERE name = ?1)";
    snprintf(text, sizeof text, "SELECT \"%s\" FROM main.%s WHERE %s", column, table, where);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &get, NULL), SQLITE_OK);
    sqlite3_bind_text(get, 1, stream, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(get), SQLITE_ROW);
    snprintf(text, sizeof text, "UPDATE main.%s SET \"%s\" = ?2 WHERE %s", table, column, where);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &set, NULL), SQLITE_OK);
    sqlite3_bind_text(set, 1, stream, -1, SQLITE_STATIC);
    int type = sqlite3_column_type(get, 0);
    char bytes[2048];
    size_t n = type == SQLITE_INTEGER ? 24 : 2 * (size_t)sqlite3_column_bytes(get, 0);
    bool more = which < n && type != SQLITE_NULL;
    if (more && type == SQLITE_INTEGER) {
        sqlite3_bind_int64(set, 2, sqlite3_column_int64(get, 0) ^ (sqlite3_int64)1 << which);
    } else if (more) {
        size_t size = n / 2, at = which / 2;
        assert_true(size <= sizeof bytes);
        memcpy(bytes, sqlite3_column_blob(get, 0), size);
        bytes[at] = (char)(bytes[at] ^ 1);
        if (which % 2)
            memmove(bytes + at, bytes + at + 1, --size - at);
        if (type == SQLITE_BLOB)
            sqlite3_bind_blob(set, 2, bytes, (int)size, SQLITE_STATIC);
        else
            sqlite3_bind_text(set, 2, bytes, (int)size, SQLITE_STATIC);
    }
    sqlite3_finalize(get);
    *done = more && sqlite3_step(set) == SQLITE_DONE;
    sqlite3_finalize(set);
    return more;
}

static void hit_rows(Desk *d, const Noun *noun)
{
    static const char *const columns[] = { "n",     "seq",      "at",    "op",  "fence",
                                           "size",  "redacted", "by",    "id",  "meta",
                                           "extra", "sha256",   "chain", "body" };
    static const char *const tables[] = { "records", "heads" };
    Before b;
    remember(d, &b);
    sqlite3 *sql = sql_open(d);
    for (size_t i = 0; i < COUNT_OF(tables) * COUNT_OF(columns); i++) {
        const char *table = tables[i / COUNT_OF(columns)], *column = columns[i % COUNT_OF(columns)];
        if (strcmp(table, "heads") == 0 && strcmp(column, "body") == 0)
            continue;
        bool done;
        for (size_t which = 0; damage_value(sql, table, column, which, &done);
             which += volume_small() ? 7 : 1) {
            char what[80];
            snprintf(what, sizeof what, "damage %zu to %s of %s", which, column, table);
            if (done)
                go_on(d, noun, &b, what);
            sql_restore(sql);
        }
    }
    char text[300];
    snprintf(text, sizeof text,
             "DELETE FROM main.records WHERE n = (SELECT n FROM saved.heads "
             "WHERE name = '%s')",
             stream);
    sql_run(sql, text);
    go_on(d, noun, &b, "the loss of its row");
    sqlite3_close(sql);
    arena_free(&b.arena);
}

static void no_byte_of_the_newest_rows_stops_its_noun(Desk *d)
{
    if (strcmp(d->engine, "sqlite") == 0)
        each_noun(d, hit_rows);
}

/* --- What is said of it ------------------------------------------------------------------ */

/* Damage the body of the newest record of `stream`, which nothing proves any more. */
static void spoil_newest(Desk *d)
{
    if (strcmp(d->engine, "files") == 0) {
        AUTO(Arena) arena = { 0 };
        File log = { 0 }, view = { 0 };
        find_files(d, &arena, &log, &view);
        char *bytes = arena_cstr(&arena, log.bytes);
        bytes[log.bytes.n - 4] ^= 1;
        spill(&log, (Str){ bytes, log.bytes.n });
        return;
    }
    char text[300];
    sqlite3 *sql = NULL;
    snprintf(text, sizeof text, "%s/pad.db", d->dir);
    assert_int_equal(sqlite3_open(text, &sql), SQLITE_OK);
    snprintf(text, sizeof text,
             "UPDATE records SET body = CAST(body || x'21' AS BLOB) WHERE n = (SELECT n FROM "
             "heads WHERE name = '%s')",
             stream);
    sql_run(sql, text);
    sqlite3_close(sql);
}

static void whoever_saw_the_lost_record_does_not_write_over_it(Desk *d)
{
    make_checkpoint(d);
    Mark m;
    spoil_newest(d);
    Draft draft = { .op = OP_PUT, .body = S("s3") };
    for (int i = 0; i < 3; i++) {
        Expect saw = { .kind = EXPECT_SEQ, .seq = 2 };
        desk_expect(d, JOT_CONFLICT,
                    store_append(d->m.store, str(stream), &saw, &draft, &m, &d->e));
        assert_int_equal(m.seq, 1);
        assert_int_equal(m.lost, 1);
        assert_int_equal(m.loss_reported, true);
    }
    Expect now = { .kind = EXPECT_SEQ, .seq = 1 };
    desk_ok(d, store_append(d->m.store, str(stream), &now, &draft, &m, &d->e));
    assert_int_equal(m.seq, 3);
    assert_int_equal(m.lost, 0);
}

static void the_first_conditional_write_behind_a_loss_is_refused_once(Desk *d)
{
    Expect kinds[] = { { .kind = EXPECT_SEQ, .seq = 1 },
                       { .kind = EXPECT_HASH, .sha256 = hash_of(S("s1")) } };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        Mark m;
        Checkpoint c;
        Str run = i ? S("r1") : S("r0");
        desk_ok(d, checkpoint_write(&d->m, run, &(CheckpointWrite){ S("s1"), S("") }, &c, &d->e));
        desk_ok(d, checkpoint_write(&d->m, run, &(CheckpointWrite){ S("s2"), S("") }, &c, &d->e));
        set_stream("checkpoints/", run);
        spoil_newest(d);
        Draft draft = { .op = OP_PUT, .body = S("s3") };
        desk_expect(d, JOT_CONFLICT,
                    store_append(d->m.store, str(stream), &kinds[i], &draft, &m, &d->e));
        assert_says(d, "record 2 was damaged");
        desk_reopen(d);
        desk_ok(d, store_append(d->m.store, str(stream), &kinds[i], &draft, &m, &d->e));
        assert_int_equal(m.seq, 3);
    }
}

static void an_unconditional_write_goes_on_behind_a_loss(Desk *d)
{
    Mark m;
    make_checkpoint(d);
    spoil_newest(d);
    Draft draft = { .op = OP_PUT, .body = S("s3") };
    desk_ok(d, store_append(d->m.store, str(stream), NULL, &draft, &m, &d->e));
    assert_int_equal(m.seq, 3);
}

static void a_lost_table_of_leases_ends_them_all_and_its_tokens_are_not_given_again(Desk *d)
{
    Lease first, second, third;
    Mark m;
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 },
             b = { .on = S("notes/b"), .ttl_ms = 60000 };
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &first, &d->e));
    desk_ok(d, lease_acquire(&d->m, &b, &d->a, &second, &d->e));
    set_stream("leases/", S("table"));
    spoil_newest(d);
    /* Both are over, also the one that an older table still has. */
    Draft draft = { .op = OP_PUT, .body = S("late") };
    desk_expect(d, JOT_FENCED, memory_append(&d->m, S("notes/a"), NULL, &draft, &m, &d->e));
    desk_expect(d, JOT_FENCED, memory_append(&d->m, S("notes/b"), NULL, &draft, &m, &d->e));
    Memory bob = desk_open(d, "bob");
    desk_ok(d, lease_acquire(&bob, &a, &d->a, &third, &d->e));
    assert_true(third.token > second.token);
    desk_expect(d, JOT_FENCED, memory_append(&d->m, S("notes/a"), NULL, &draft, &m, &d->e));
    desk_ok(d, memory_append(&bob, S("notes/a"), NULL, &draft, &m, &d->e));
    memory_close(&bob);
}

/* All of a stream, as if it had never been there. */
static void remove_stream(Desk *d)
{
    if (strcmp(d->engine, "files") == 0) {
        AUTO(Arena) arena = { 0 };
        File log = { 0 }, view = { 0 };
        find_files(d, &arena, &log, &view);
        assert_int_equal(unlink(log.path), 0);
        return;
    }
    char text[600];
    sqlite3 *sql = NULL;
    snprintf(text, sizeof text, "%s/pad.db", d->dir);
    assert_int_equal(sqlite3_open(text, &sql), SQLITE_OK);
    snprintf(text, sizeof text,
             "DELETE FROM records WHERE stream = (SELECT stream FROM heads WHERE name = '%s');"
             "DELETE FROM heads WHERE name = '%s'",
             stream, stream);
    sql_run(sql, text);
    sqlite3_close(sql);
}

/* The second was never used to write: no fence knows it. */
static void tokens_of_a_table_that_was_removed_are_not_given_again(Desk *d)
{
    Lease first, second, third;
    Mark m;
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 },
             b = { .on = S("notes/b"), .ttl_ms = 60000 },
             all = { .on = S("notes/"), .prefix = true, .ttl_ms = 60000 };
    for (int doctor = 0; doctor < 2; doctor++) {
        desk_ok(d, lease_acquire(&d->m, &a, &d->a, &first, &d->e));
        Draft draft = { .op = OP_PUT, .body = S("text") };
        desk_ok(d, memory_append(&d->m, S("notes/a"), NULL, &draft, &m, &d->e));
        desk_ok(d, lease_acquire(&d->m, &b, &d->a, &second, &d->e));
        desk_reopen(d);
        set_stream("leases/", S("table"));
        remove_stream(d);
        if (doctor)
            desk_ok(d, store_mend(d->m.store, NULL, &d->e));
        Memory bob = desk_open(d, "bob");
        desk_ok(d, lease_acquire(&bob, &all, &d->a, &third, &d->e));
        assert_true(third.token > second.token);
        desk_ok(d, memory_append(&bob, S("notes/b"), NULL, &draft, &m, &d->e));
        Draft late = { .op = OP_PUT, .body = S("late"), .fence = second.token };
        desk_expect(d, JOT_FENCED, store_append(d->m.store, S("notes/b"), NULL, &late, &m, &d->e));
        desk_ok(d, lease_release(&bob, third.token, &d->e));
        memory_close(&bob);
    }
}

/* Nothing was written under these leases, so no fence knows them; and doctor accepts that the
 * table is gone, so nothing in the pad says afterwards that it was there. */
static void tokens_are_not_given_again_after_doctor_accepted_that_their_table_is_lost(Desk *d)
{
    Lease last, next;
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 };
    DoctorReport report;
    for (int i = 0; i < 3; i++) {
        desk_ok(d, lease_acquire(&d->m, &a, &d->a, &last, &d->e));
        desk_ok(d, lease_release(&d->m, last.token, &d->e));
    }
    desk_reopen(d);
    set_stream("leases/", S("table"));
    remove_stream(d);
    for (int twice = 0; twice < 2; twice++)
        desk_ok(d, care_doctor(&d->m, &(DoctorOptions){ .fix = true }, NULL, &report, &d->e));
    desk_reopen(d);
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &next, &d->e));
    assert_true(next.token > last.token);
}

/* A copy brings no lease, but where tokens stand: far above the number of records here. */
static void tokens_that_a_copy_raised_are_not_given_again_when_their_table_is_lost(Desk *d)
{
    Lease last, next;
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 };
    DoctorReport report;
    desk_ok(d, store_raise_tokens(d->m.store, STORE_TOKENS_UNSEEN + 5, &d->e));
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &last, &d->e));
    assert_true(last.token > STORE_TOKENS_UNSEEN);
    desk_reopen(d);
    set_stream("leases/", S("table"));
    remove_stream(d);
    desk_ok(d, care_doctor(&d->m, &(DoctorOptions){ .fix = true }, NULL, &report, &d->e));
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &next, &d->e));
    assert_true(next.token > last.token);
}

static void the_only_table_of_leases_may_be_lost(Desk *d)
{
    Lease l;
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 };
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &l, &d->e));
    lease_disown(&d->m, l.token);
    set_stream("leases/", S("table"));
    spoil_newest(d);
    LeaseList list;
    desk_ok(d, lease_list(&d->m, &d->a, &list, &d->e));
    assert_int_equal(list.n, 0);
    desk_ok(d, lease_acquire(&d->m, &a, &d->a, &l, &d->e));
    assert_int_equal(l.token, 2);
}

static void a_call_whose_only_record_is_lost_stays_taken(Desk *d)
{
    SinkView v;
    SinkPut p = { .call = S("c1"), .tool = S("t"), .result = S("the result") };
    desk_ok(d, sink_write(&d->m, &p, &d->a, &v, NULL, &d->e));
    set_stream("artifacts/", S("tool_results/c1"));
    if (strcmp(d->engine, "files") == 0) { /* and its view with it */
        char path[200];
        snprintf(path, sizeof path, "%s/pad/artifacts/tool_results/c1.json", d->dir);
        assert_int_equal(unlink(path), 0);
    }
    spoil_newest(d);
    p.result = S("another");
    for (int i = 0; i < 3; i++)
        assert_int_not_equal(sink_write(&d->m, &p, &d->a, &v, NULL, &d->e), JOT_OK);
}

/* Every 64th record of a run is a fold: a number that was lost is not that of a record. */
static void a_run_folds_in_time_behind_a_lost_record(Desk *d)
{
    Run r = { 0 };
    desk_ok(d, run_begin(&d->m, NULL, S("what?"), &r, &d->e));
    set_stream("runs/", str(r.id));
    while (r.state.seq < 62)
        desk_ok(d, run_say(&r, RUN_THINKING, S("hm"), &d->e));
    spoil_newest(d);
    desk_ok(d, run_say(&r, RUN_THINKING, S("again"), &d->e));
    assert_int_equal(r.state.seq, 63);
    spoil_newest(d);
    desk_ok(d, run_say(&r, RUN_THINKING, S("and again"), &d->e));
    Records got;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 60, 10 }, &d->a, &got, &d->e));
    assert_int_equal(got.items[got.n - 2].mark.seq, 64);
    assert_has(got.items[got.n - 2].meta, "\"fold\"");
    assert_int_equal(got.items[got.n - 1].mark.seq, 65);
    Run fresh = { 0 };
    desk_ok(d, run_open(&d->m, str(r.id), &fresh, &d->e));
    assert_int_equal(fresh.state.damaged, 2);
    assert_int_equal(fresh.state.thoughts, r.state.thoughts);
    run_close(&fresh);
    run_close(&r);
}

typedef struct Told {
    unsigned n, mends;
    char what[200];
} Told;

static void hear(void *ctx, const StoreFault *f)
{
    Told *t = ctx;
    if (!fault_counts(f->kind))
        return;
    t->n++;
    t->mends += f->mends;
    snprintf(t->what, sizeof t->what, "%s", f->what);
}

static Told verified(Desk *d)
{
    Told t = { 0 };
    CareCount count;
    VerifyHooks hooks = { .fault = hear, .ctx = &t };
    desk_ok(d, care_verify(&d->m, &hooks, &count, &d->e));
    return t;
}

static void fix(Desk *d)
{
    DoctorReport report;
    desk_ok(d, care_doctor(&d->m, &(DoctorOptions){ .fix = true }, NULL, &report, &d->e));
}

/* Whether it is the newest or one before: an older table must not come back from a copy. */
static void doctor_drops_a_table_of_leases_that_is_damaged(Desk *d)
{
    LeaseAsk a = { .on = S("notes/a"), .ttl_ms = 60000 },
             b = { .on = S("notes/b"), .ttl_ms = 60000 };
    Lease first, second;
    Mark m;
    Draft draft = { .op = OP_PUT, .body = S("text") };
    for (int newest = 0; newest < 2; newest++) {
        desk_ok(d, lease_acquire(&d->m, &a, &d->a, &first, &d->e));
        set_stream("leases/", S("table"));
        spoil_newest(d);
        if (!newest)
            desk_ok(d, lease_acquire(&d->m, &b, &d->a, &second, &d->e));
        Told told = verified(d);
        assert_int_equal(told.n, 1);
        assert_int_equal(told.mends, 1);
        fix(d);
        assert_int_equal(verified(d).n, 0);
        if (!newest) { /* what the newest table says is in force */
            desk_ok(d, memory_append(&d->m, S("notes/b"), NULL, &draft, &m, &d->e));
            desk_ok(d, lease_release(&d->m, second.token, &d->e));
            continue;
        }
        desk_expect(d, JOT_FENCED, memory_append(&d->m, S("notes/a"), NULL, &draft, &m, &d->e));
        desk_ok(d, lease_acquire(&d->m, &b, &d->a, &second, &d->e));
        assert_true(second.token > first.token);
    }
}

static void verify_tells_of_a_lost_record_and_then_of_the_gap(Desk *d)
{
    make_checkpoint(d);
    spoil_newest(d);
    Told t = verified(d);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.mends, 0);
    assert_non_null(strstr(t.what, "record 2, its newest"));
    fix(d);
    assert_int_equal(verified(d).n, 1); /* it was not said that this helps */
    desk_ok(d, next_checkpoint(d) == JOT_CONFLICT ? next_checkpoint(d) : JOT_OK);
    t = verified(d);
    assert_int_equal(t.n, 1);
    assert_non_null(strstr(t.what, "record 2 is lost"));
}

static void doctor_mends_what_verify_says_it_mends(Desk *d)
{
    make_note(d);
    if (strcmp(d->engine, "files") == 0) { /* the view has the text */
        spoil_newest(d);
    } else { /* one of two rows */
        char text[300];
        sqlite3 *sql = NULL;
        snprintf(text, sizeof text, "%s/pad.db", d->dir);
        assert_int_equal(sqlite3_open(text, &sql), SQLITE_OK);
        sql_run(sql, "UPDATE records SET meta = '{}' WHERE seq = 2");
        sqlite3_close(sql);
    }
    Told t = verified(d);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.mends, 1);
    fix(d);
    assert_int_equal(verified(d).n, 0);
    Records now;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 10 }, &d->a, &now, &d->e));
    assert_int_equal(now.n, 2);
    assert_int_equal(now.damaged, 0);
    assert_text(now.items[1].body, "the second text\n");
    assert_text(now.items[1].by, "ann");
}

static void a_stream_with_a_gap_is_copied(Desk *d)
{
    Mark m;
    make_checkpoint(d);
    spoil_newest(d);
    Draft draft = { .op = OP_PUT, .body = S("s3") };
    desk_ok(d, store_append(d->m.store, str(stream), NULL, &draft, &m, &d->e));
    Records all;
    desk_ok(d, store_read(d->m.store, str(stream), (SeqRange){ 1, 10 }, &d->a, &all, &d->e));
    assert_int_equal(all.n, 2);
    AUTO_PTR(Store) to = NULL;
    desk_ok(d, store_open(&to, S("mem:"), NULL, &d->e));
    desk_ok(d, store_put_records(to, str(stream), all.items, all.n, &d->e));
    Record head;
    desk_ok(d, store_head(to, str(stream), HEAD_RECORD, &d->a, &head, &d->e));
    assert_int_equal(head.mark.seq, 3);
    /* But not the lost number for something else. */
    Record forged = store_next(to, str(stream), &draft, &all.items[0].mark);
    AUTO_PTR(Store) other = NULL;
    desk_ok(d, store_open(&other, S("mem:"), NULL, &d->e));
    desk_ok(d, store_put_records(other, str(stream), all.items, all.n, &d->e));
    desk_expect(d, JOT_CONFLICT, store_put_records(other, str(stream), &forged, 1, &d->e));
}

int main(void)
{
    static const DeskTest tests[] = {
        DESK_TEST(no_byte_of_the_newest_line_stops_its_noun),
        DESK_TEST(what_stands_behind_the_newest_line_counts_for_nothing),
        DESK_TEST(no_byte_of_the_newest_rows_stops_its_noun),
        DESK_TEST(whoever_saw_the_lost_record_does_not_write_over_it),
        DESK_TEST(the_first_conditional_write_behind_a_loss_is_refused_once),
        DESK_TEST(an_unconditional_write_goes_on_behind_a_loss),
        DESK_TEST(a_lost_table_of_leases_ends_them_all_and_its_tokens_are_not_given_again),
        DESK_TEST(tokens_of_a_table_that_was_removed_are_not_given_again),
        DESK_TEST(tokens_are_not_given_again_after_doctor_accepted_that_their_table_is_lost),
        DESK_TEST(doctor_drops_a_table_of_leases_that_is_damaged),
        DESK_TEST(tokens_that_a_copy_raised_are_not_given_again_when_their_table_is_lost),
        DESK_TEST(the_only_table_of_leases_may_be_lost),
        DESK_TEST(a_call_whose_only_record_is_lost_stays_taken),
        DESK_TEST(a_run_folds_in_time_behind_a_lost_record),
        DESK_TEST(verify_tells_of_a_lost_record_and_then_of_the_gap),
        DESK_TEST(doctor_mends_what_verify_says_it_mends),
        DESK_TEST(a_stream_with_a_gap_is_copied),
    };
    return desk_run(tests, COUNT_OF(tests), true);
}
