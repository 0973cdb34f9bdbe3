/* engines.c - R15: each engine beside what the machine, or a server's own client, does without it.
 *
 * For a pad on a server the other side is the server's client library doing the same number of
 * round trips in the same run, turn by turn (raw.h).  How many an operation of ours takes is
 * counted by the engine and shown: one that took more would be compared with nothing.  For files:
 * and sqlite: the other side is a bare file and a bare database (limit.c).
 *
 * The servers are those of tests/rig/with-servers, in memory: a sync costs nothing there, so what
 * is compared is work, and a real disk would bring the ratios nearer to one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/raw.h"
#include "store/postgres/pg.h"
#include "store/redis/redis.h"

enum { ROUNDS = 9, NOTES = RAW_NAMES, MANY = 1000 };

typedef struct Mine {
    Store *s;
    Text text;
} Mine;

/* --- What is measured ------------------------------------------------------------------ */

static void mine_append(void *mine)
{
    Mine *m = mine;
    pad_add(m->s, S("runs/log"), text_next(&m->text));
}

static void mine_head(void *mine)
{
    Mine *m = mine;
    AUTO(Arena) arena = { 0 };
    Record r;
    Err e = { 0 };
    must_ok(store_head(m->s, S("notes/n00000000"), HEAD_RECORD, &arena, &r, &e), &e, "head");
}

static void mine_read(void *mine)
{
    Mine *m = mine;
    AUTO(Arena) arena = { 0 };
    Records r;
    Err e = { 0 };
    must_ok(store_read(m->s, S("runs/log"), (SeqRange){ 1, RAW_RECORDS }, &arena, &r, &e), &e,
            "read");
    must(r.n == RAW_RECORDS, "read: another number of records");
}

static void list(Mine *m, ListWhich which, size_t n)
{
    AUTO(Arena) arena = { 0 };
    Listing l;
    Err e = { 0 };
    ListQuery q = { .prefix = S("notes/"), .limit = n, .which = which };
    must_ok(store_list(m->s, &q, &arena, &l, &e), &e, "list");
    must(l.n == n, "list: another number of names");
}

static void mine_list(void *mine)
{
    list(mine, LIST_LIVE, RAW_NAMES);
}

static void mine_names(void *mine)
{
    list(mine, LIST_LIVE_NAMES, RAW_NAMES);
}

static void mine_many_names(void *mine)
{
    list(mine, LIST_LIVE_NAMES, MANY);
}

static void fill(Mine *m)
{
    m->text = text_new(RAW_BYTES);
    for (size_t i = 0; i < NOTES; i++) {
        NoteName name;
        pad_put(m->s, note_name(&name, i), text_next(&m->text));
    }
    for (int i = 0; i < RAW_RECORDS; i++)
        mine_append(m);
}

/* --- Servers --------------------------------------------------------------------------- */

typedef struct Server {
    const char *scheme;
    const char *variable;  /* of the environment: the URL */
    const char *join;      /* what stands before pad=NAME in it */
    const char *address;   /* for the raw client: printf's text for what comes next */
    const char *directory; /* of the environment: of its socket, or its port */
    const RawOps *raw;
    unsigned slower; /* so many times fewer turns */
} Server;

static const Server servers[] = {
    { "postgres", "JOT_TEST_POSTGRES", "&", "host=%s user=jotter dbname=pads",
      "JOT_TEST_POSTGRES_DIR", &raw_postgres, 1 },
    { "redis", "JOT_TEST_REDIS", "?", "%s/socket", "JOT_TEST_REDIS_DIR", &raw_redis, 1 },
    { "s3", "JOT_TEST_S3", "&", "127.0.0.1:%s", "JOT_TEST_S3_PORT", &raw_s3, 20 },
};

static uint64_t trips(const Store *s)
{
    StorePromise p = store_promise(s);
    if (strcmp(p.scheme, "postgres") == 0)
        return ((const Pg *)s)->trips;
    if (strcmp(p.scheme, "s3") == 0)
        return store_report(s)->requests;
    return ((const Redis *)s)->trips;
}

/* How many round trips one operation takes, once everything is known and prepared. */
static uint64_t trips_of(Mine *m, void (*step)(void *))
{
    step(m);
    uint64_t before = trips(m->s);
    step(m);
    return trips(m->s) - before;
}

/* One operation of ours beside the raw client's, and beside the same with Jotter's hashes. */
typedef struct Row {
    const char *what;
    void (*mine)(void *), (*raw)(void *);
    unsigned turns;
    bool hashed; /* Jotter hashes what it takes or gives */
} Row;

typedef struct Hashed {
    const RawOps *ops;
    void (*step)(void *);
    Raw *raw;
} Hashed;

static void step_hashed(void *ctx)
{
    Hashed *h = ctx;
    h->ops->hash(h->raw, true);
    h->step(h->raw);
    h->ops->hash(h->raw, false);
}

static void measure_row(Bench *b, const Server *at, const Row *row, Mine *m, Raw *raw)
{
    Times times;
    char what[100];
    Hashed hashed = { at->raw, row->raw, raw };
    Side sides[] = { { row->mine, m }, { row->raw, raw }, { step_hashed, &hashed } };
    uint64_t n = trips_of(m, row->mine);
    unsigned turns = row->turns / at->slower;
    race_run(b, &(Race){ sides, row->hashed ? 3 : 2, 1, turns }, &times);
    for (size_t side = 1; side <= (row->hashed ? 2 : 1); side++) {
        snprintf(what, sizeof what, "%s, %llu round trip%s / %s%s", row->what,
                 (unsigned long long)n, n == 1 ? "" : "s", at->raw->name,
                 side == 2 ? " and the same hashes" : "");
        Line line = { "R15", at->scheme, what, { GOAL_AT_MOST, 1.3 } };
        report_times(b, &line, &times, 0, side);
    }
}

static void measure_server(Bench *b, const Server *at)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Mine m = { 0 };
    const char *url = getenv(at->variable), *directory = getenv(at->directory);
    if (!url || !directory) {
        report_note(b, "%s: no server; run it beside one (tests/rig/with-servers)", at->scheme);
        return;
    }
    Str whole = arena_printf(&arena, "%s%spad=bench", url, at->join);
    must_ok(store_open(&m.s, whole, &(StoreOptions){ .create = true }, &e), &e, "open");
    fill(&m);
    char address[BENCH_PATH_MAX];
    const char *hole = strstr(at->address, "%s");
    snprintf(address, sizeof address, "%.*s%s%s", (int)(hole - at->address), at->address, directory,
             hole + 2);
    Raw *raw = at->raw->open(address, NOTES);
    const Row rows[] = {
        { "append 2 KiB", mine_append, at->raw->append, 400, true },
        { "head 2 KiB", mine_head, at->raw->head, 400, true },
        { "read 100 records of 2 KiB", mine_read, at->raw->read, 60, true },
        { "list 100 heads", mine_list, at->raw->list, 60, false },
        { "list 100 names", mine_names, at->raw->names, 100, false },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!b->only || strstr(rows[i].what, b->only))
            measure_row(b, at, &rows[i], &m, raw);
    at->raw->close(raw);
    store_close(m.s);
    text_free(&m.text);
}

/* --- Files and sqlite ------------------------------------------------------------------ */

static void race(Bench *b, const char *engine, const char *what, Side mine, Side raw)
{
    Times times;
    Side sides[] = { mine, raw };
    race_run(b, &(Race){ sides, 2, 1, 60 }, &times);
    report_times(b, &(Line){ "R15", engine, what, { 0 } }, &times, 0, 1);
}

static void pass_over(void *path)
{
    must(raw_names(path) >= NOTES, "a pass over a directory");
}

static void measure_files(Bench *b)
{
    char streams[BENCH_PATH_MAX];
    snprintf(streams, sizeof streams, "%s/files/streams/notes.d", b->disk);
    Mine m = { .s = pad_open_in(b->disk, "files", "files") };
    fill(&m);
    RawLog log = raw_log_open(b->disk, "log", RAW_BYTES);
    RawFile file = raw_file_open(b->disk, RAW_BYTES);
    raw_file_replace(&file);
    race(b, "files", "append 2 KiB / write+fdatasync", (Side){ mine_append, &m },
         (Side){ raw_log_step, &log });
    race(b, "files", "head 2 KiB / open+read+close", (Side){ mine_head, &m },
         (Side){ raw_file_read, &file });
    race(b, "files", "list 100 heads / one getdents pass", (Side){ mine_list, &m },
         (Side){ pass_over, streams });
    race(b, "files", "list 100 names / one getdents pass", (Side){ mine_names, &m },
         (Side){ pass_over, streams });
    for (size_t i = NOTES; i < MANY; i++) {
        NoteName name;
        pad_put(m.s, note_name(&name, i), S("text"));
    }
    Times times;
    Side sides[] = { { mine_many_names, &m }, { pass_over, streams } };
    race_run(b, &(Race){ sides, 2, 1, 60 }, &times);
    Line names = { "R17", "files", "list 1,000 names / one getdents pass", { GOAL_AT_MOST, 2 } };
    report_times(b, &names, &times, 0, 1);
    raw_log_close(&log);
    raw_file_close(&file);
    store_close(m.s);
    text_free(&m.text);
}

static void measure_sqlite(Bench *b)
{
    Mine m = { .s = pad_open_in(b->disk, "sqlite", "sqlite.db") };
    fill(&m);
    Bare bare = bare_open(b->disk, "bare.db", RAW_BYTES);
    bare_fill(&bare, NOTES);
    race(b, "sqlite", "append 2 KiB / bare insert", (Side){ mine_append, &m },
         (Side){ bare_add, &bare });
    race(b, "sqlite", "head 2 KiB / bare select", (Side){ mine_head, &m },
         (Side){ bare_get, &bare });
    race(b, "sqlite", "list 100 heads / bare select", (Side){ mine_list, &m },
         (Side){ bare_list, &bare });
    bare_close(&bare);
    store_close(m.s);
    text_free(&m.text);
}

static bool chosen(const Bench *b, const char *engine)
{
    return !b->one || strcmp(b->one, engine) == 0;
}

int main(int argc, char **argv)
{
    Bench b = { .rounds = ROUNDS };
    char disk[] = "/tmp/jotter-engines.XXXXXX";
    for (int i = 1; i < argc; i++) {
        b.smoke = b.smoke || strcmp(argv[i], "--smoke") == 0;
        b.json = b.json || strcmp(argv[i], "--json") == 0;
        if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc)
            b.one = argv[++i];
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            b.only = argv[++i];
    }
    b.rounds = b.smoke ? 1 : ROUNDS;
    must(mkdtemp(disk) != NULL, "make a directory");
    b.disk = disk;
    report_note(&b, "ratios of two sides taking turns; median of %u rounds (least..most)",
                b.rounds);
    if (chosen(&b, "files"))
        measure_files(&b);
    if (chosen(&b, "sqlite"))
        measure_sqlite(&b);
    for (size_t i = 0; i < COUNT_OF(servers); i++)
        if (chosen(&b, servers[i].scheme))
            measure_server(&b, &servers[i]);
    remove_tree(disk);
    return 0;
}
