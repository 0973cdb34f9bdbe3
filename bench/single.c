/* single.c - one process at one stream: writing (R1, R2), reading (R3), and the room it takes
 * (R14).
 *
 * A pad with a hundred other notes stands around the one that is measured, so
 * that no engine wins by holding nothing else. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/bench.h"

enum { NOTE_BYTES = 2048, RUN_BYTES = 500 };

/* A stream of a pad, and what is written to it. */
typedef struct Target {
    Store *store;
    Str stream;
    Text text;
    HeadWant want;
} Target;

static void overwrite(void *target)
{
    Target *t = target;
    pad_put(t->store, t->stream, text_next(&t->text));
}

static void append(void *target)
{
    Target *t = target;
    pad_add(t->store, t->stream, text_next(&t->text));
}

static void read_head(void *target)
{
    Target *t = target;
    AUTO(Arena) arena = { 0 };
    Record r;
    Err e = { 0 };
    must_ok(store_head(t->store, t->stream, t->want, &arena, &r, &e), &e, "head");
    must(t->want == HEAD_MARK || r.body.n == t->text.n, "the head has another size");
}

/* A new pad `name`, with its notes around and the stream's first record. */
static Target target_new(const Bench *b, const char *engine, const char *name, Str stream,
                         size_t bytes)
{
    Target t = { .store = pad_open_in(b->disk, engine, name), .stream = stream };
    t.text = text_new(bytes);
    pad_fill(t.store, b->smoke ? 2 : AROUND, false);
    return t;
}

static void target_free(Target *t)
{
    store_close(t->store);
    text_free(&t->text);
}

static bool is_files(const char *engine)
{
    return strcmp(engine, "files") == 0;
}

/* --- R1 -------------------------------------------------------------------------------- */

/* Two races: replacing files makes and frees inodes, and a file system that is slow at finding a
 * free one (ext4 without a journal passes over all that were freed in the last minutes) would
 * charge us for it in the comparison with the append. */
static void overwrite_files(Bench *b, Target *t, RawLog *log)
{
    Times times;
    Side append[] = { { overwrite, t }, { raw_log_step, log } };
    race_run(b, &(Race){ append, COUNT_OF(append), 1, 100 }, &times);
    Line raw = { "R1", "files", "overwrite 2 KiB / raw append+fdatasync", { GOAL_AT_MOST, 1.5 } };
    report_times(b, &raw, &times, 0, 1);
    RawFile file = raw_file_open(b->disk, NOTE_BYTES);
    Side replace[] = { { overwrite, t }, { raw_file_replace, &file } };
    race_run(b, &(Race){ replace, COUNT_OF(replace), 1, 100 }, &times);
    Line renamed = {
        "R1", "files", "overwrite 2 KiB / temp+fsync+rename+fsync(dir)", { GOAL_AT_MOST, 0.6 }
    };
    report_times(b, &renamed, &times, 0, 1);
    raw_file_close(&file);
}

/* A log that still grows costs more to sync than one that is written over from its start, which
 * begins when a thousand pages have come together: let both sides get there first. */
static void settle_logs(const Bench *b, const Side *sides, size_t n)
{
    for (size_t s = 0; s < n; s++)
        for (int i = 0; i < (b->smoke ? 1 : 1100); i++)
            sides[s].step(sides[s].ctx);
}

static void overwrite_sqlite(Bench *b, Target *t, RawLog *log)
{
    Bare bare = bare_open(b->disk, "bare.db", NOTE_BYTES);
    bare_fill(&bare, AROUND);
    Side sides[] = { { overwrite, t }, { bare_put, &bare }, { raw_log_step, log } };
    Times times;
    settle_logs(b, sides, 2);
    race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 100 }, &times);
    Line upsert = { "R1", "sqlite", "overwrite 2 KiB / bare upsert, WAL, FULL", { 0 } };
    Line raw = { "R1", "sqlite", "overwrite 2 KiB / raw append+fdatasync", { 0 } };
    report_times(b, &upsert, &times, 0, 1);
    report_times(b, &raw, &times, 0, 2);
    bare_close(&bare);
}

void measure_overwrite(Bench *b, const char *engine)
{
    Target t = target_new(b, engine, "r1", S("notes/n00000000"), NOTE_BYTES);
    RawLog log = raw_log_open(b->disk, "log", NOTE_BYTES);
    if (is_files(engine))
        overwrite_files(b, &t, &log);
    else
        overwrite_sqlite(b, &t, &log);
    raw_log_close(&log);
    target_free(&t);
}

/* --- R2 -------------------------------------------------------------------------------- */

/* How long a record's line is, by how much the stream's file grows. */
static size_t line_bytes(const Bench *b, Target *t)
{
    char path[BENCH_PATH_MAX];
    struct stat before, after;
    snprintf(path, sizeof path, "%s/r2/runs/run.jsonl", b->disk);
    must(stat(path, &before) == 0, "look at a run's file");
    append(t);
    must(stat(path, &after) == 0, "look at a run's file");
    return (size_t)(after.st_size - before.st_size);
}

static void append_files(Bench *b, Target *t)
{
    size_t bytes = line_bytes(b, t);
    RawLog log = raw_log_open(b->disk, "log", bytes);
    Side sides[] = { { append, t }, { raw_log_step, &log } };
    Times times;
    race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 150 }, &times);
    char what[80];
    snprintf(what, sizeof what, "append 500 B / raw append+fdatasync of the line's %zu B", bytes);
    report_times(b, &(Line){ "R2", "files", what, { GOAL_AT_MOST, 1.15 } }, &times, 0, 1);
    raw_log_close(&log);
}

static void append_sqlite(Bench *b, Target *t)
{
    Bare bare = bare_open(b->disk, "bare.db", RUN_BYTES);
    Side sides[] = { { append, t }, { bare_add, &bare } };
    Times times;
    settle_logs(b, sides, 2);
    race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 150 }, &times);
    Line line = { "R2", "sqlite", "append 500 B / bare insert, WAL, FULL", { 0 } };
    report_times(b, &line, &times, 0, 1);
    bare_close(&bare);
}

void measure_append(Bench *b, const char *engine)
{
    Target t = target_new(b, engine, "r2", S("runs/run"), RUN_BYTES);
    /* A few first, so that all sequence numbers of the race have as many digits. */
    for (int i = 0; i < (b->smoke ? 1 : 100); i++)
        append(&t);
    if (is_files(engine))
        append_files(b, &t);
    else
        append_sqlite(b, &t);
    target_free(&t);
}

/* --- R3 -------------------------------------------------------------------------------- */

static void read_against(Bench *b, Target *t, Side limit, const char *engine,
                         const char *const what[2])
{
    Target whole = *t;
    t->want = HEAD_VALUE;
    whole.want = HEAD_RECORD;
    Side sides[] = { { read_head, t }, { read_head, &whole }, limit };
    Times times;
    race_run(b, &(Race){ sides, COUNT_OF(sides), 20, 200 }, &times);
    report_times(b, &(Line){ "R3", engine, what[0], { GOAL_AT_MOST, 2.2 } }, &times, 0, 2);
    report_times(b, &(Line){ "R3", engine, what[1], { 0 } }, &times, 1, 2);
}

static void read_files(Bench *b, Target *t)
{
    static const char *const what[] = { "read 2 KiB, bytes and version / open+read+close",
                                        "read 2 KiB, the whole record / open+read+close" };
    RawFile file = raw_file_open(b->disk, NOTE_BYTES);
    read_against(b, t, (Side){ raw_file_read, &file }, "files", what);
    raw_file_close(&file);
}

static void read_sqlite(Bench *b, Target *t)
{
    static const char *const what[] = { "read 2 KiB, bytes and version / bare select",
                                        "read 2 KiB, the whole record / bare select" };
    Bare bare = bare_open(b->disk, "bare.db", NOTE_BYTES);
    bare_fill(&bare, AROUND);
    bare_put(&bare);
    read_against(b, t, (Side){ bare_get, &bare }, "sqlite", what);
    bare_close(&bare);
}

void measure_read(Bench *b, const char *engine)
{
    Target t = target_new(b, engine, "r3", S("notes/n00000000"), NOTE_BYTES);
    overwrite(&t);
    if (is_files(engine))
        read_files(b, &t);
    else
        read_sqlite(b, &t);
    target_free(&t);
}

/* --- R14 ------------------------------------------------------------------------------- */

/* The bytes of a closed pad with that many notes of a size. */
static double pad_bytes(const Bench *b, const char *engine, unsigned notes, size_t bytes)
{
    char dir[BENCH_PATH_MAX];
    snprintf(dir, sizeof dir, "%s/r14", b->disk);
    must(mkdir(dir, 0700) == 0, "mkdir");
    Store *s = pad_open_in(dir, engine, "pad");
    Text text = text_new(bytes);
    for (unsigned i = 0; i < notes; i++) {
        NoteName name;
        pad_put(s, note_name(&name, i), text_next(&text));
    }
    text_free(&text);
    store_close(s);
    double taken = (double)tree_bytes(dir);
    remove_tree(dir);
    return taken;
}

void measure_bytes(Bench *b, const char *engine)
{
    static const struct {
        size_t bytes;
        const char *what;
    } sizes[] = { { 100, "on disk for a note of 100 B (goal 2.5x + 1 KiB)" },
                  { 2048, "on disk for a note of 2 KiB (goal 2.5x + 1 KiB)" },
                  { 16384, "on disk for a note of 16 KiB (goal 2.5x + 1 KiB)" } };
    /* What a pad takes by itself is not the note's: only what fifty more add is counted. */
    unsigned few = b->smoke ? 1 : 50, many = 2 * few;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        double body = (double)sizes[i].bytes;
        double more =
            pad_bytes(b, engine, many, sizes[i].bytes) - pad_bytes(b, engine, few, sizes[i].bytes);
        Line line = { "R14", engine, sizes[i].what, { GOAL_AT_MOST, (2.5 * body + 1024) / body } };
        report_bytes(b, &line, more / few, body);
    }
}
