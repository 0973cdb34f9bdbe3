/* crowd.c - R4: eight processes that write durably, each to its own note.
 *
 * A side is eight processes that live through all rounds.  The parent lets one
 * side run for a slice of operations, waits until its last process is done,
 * then lets the other.  Nobody is pinned: this is about what the processes can
 * share, the file system's syncs above all. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum { NOTE_BYTES = 2048 };

/* What a process of a crowd does. */
typedef struct Job {
    void *(*begin)(const Bench *b, const char *engine, int worker);
    void (*step)(void *ctx);
} Job;

typedef struct Crowd {
    int go[CROWD]; /* a number: do so many operations; 0: leave */
    Fd done;       /* a byte from each that has */
    pid_t pids[CROWD];
    unsigned slice;
} Crowd;

/* --- The processes --------------------------------------------------------------------- */

NO_RETURN static void work(const Bench *b, const char *engine, const Job *job, int worker, int go,
                           int done)
{
    void *ctx = job->begin(b, engine, worker);
    unsigned n;
    while (read(go, &n, sizeof n) == (ssize_t)sizeof n && n) {
        for (unsigned i = 0; i < n; i++)
            job->step(ctx);
        must(write(done, "", 1) == 1, "tell the parent");
    }
    _exit(0);
}

static Crowd crowd_start(const Bench *b, const char *engine, const Job *job)
{
    Crowd c = { .slice = b->smoke ? 2 : 25 };
    int done[2];
    must(pipe(done) == 0, "pipe");
    for (int i = 0; i < CROWD; i++) {
        int go[2];
        must(pipe(go) == 0, "pipe");
        c.pids[i] = fork();
        must(c.pids[i] >= 0, "fork");
        if (c.pids[i] == 0) {
            close(go[1]);
            close(done[0]);
            work(b, engine, job, i, go[0], done[1]);
        }
        close(go[0]);
        c.go[i] = go[1];
    }
    close(done[1]);
    c.done = done[0];
    return c;
}

static void tell_all(const Crowd *c, unsigned n)
{
    for (int i = 0; i < CROWD; i++)
        must(write(c->go[i], &n, sizeof n) == (ssize_t)sizeof n, "wake a process");
}

/* One slice of each process; as a race's step it is `slice` operations of eight processes. */
static void crowd_step(void *crowd)
{
    Crowd *c = crowd;
    char byte;
    tell_all(c, c->slice);
    for (int i = 0; i < CROWD; i++)
        must(read(c->done, &byte, 1) == 1, "wait for a process");
}

static void crowd_end(Crowd *c)
{
    tell_all(c, 0);
    for (int i = 0; i < CROWD; i++) {
        int status;
        close(c->go[i]);
        must(waitpid(c->pids[i], &status, 0) == c->pids[i] && status == 0, "a process has died");
    }
    fd_close(&c->done);
}

/* --- The jobs -------------------------------------------------------------------------- */

typedef struct Writer {
    Store *store;
    NoteName name;
    Text text;
} Writer;

static void *begin_store(const Bench *b, const char *engine, int worker)
{
    Writer *w = mem_alloc(sizeof *w);
    w->store = pad_open_in(b->disk, engine, "r4");
    w->text = text_new(NOTE_BYTES);
    note_name(&w->name, (uint64_t)worker);
    return w;
}

static void step_store(void *writer)
{
    Writer *w = writer;
    pad_put(w->store, str(w->name.text), text_next(&w->text));
}

static void *begin_raw(const Bench *b, const char *engine, int worker)
{
    char name[16];
    snprintf(name, sizeof name, "log%d", worker);
    RawLog *r = mem_alloc(sizeof *r);
    *r = raw_log_open(b->disk, name, NOTE_BYTES);
    return r;
}

static void *begin_bare(const Bench *b, const char *engine, int worker)
{
    Bare *bare = mem_alloc(sizeof *bare);
    *bare = bare_open(b->disk, "r4-bare.db", NOTE_BYTES);
    NoteName name;
    note_name(&name, (uint64_t)worker);
    memcpy(bare->name, name.text, sizeof bare->name);
    return bare;
}

static const Job job_store = { begin_store, step_store };
static const Job job_raw = { begin_raw, raw_log_step };
static const Job job_bare = { begin_bare, bare_put };

/* Times of a step are those of a slice; make them those of one operation of one process. */
static void per_operation(Times *t, size_t sides, unsigned slice)
{
    for (size_t s = 0; s < sides; s++)
        for (unsigned i = 0; i < t->rounds; i++)
            t->us[s][i] /= (double)slice * CROWD;
}

/* --- R4 -------------------------------------------------------------------------------- */

void measure_crowd(Bench *b, const char *engine)
{
    bool files = strcmp(engine, "files") == 0;
    Store *s = pad_open_in(b->disk, engine, "r4"); /* made before eight of them come */
    pad_fill(s, CROWD, false);
    store_close(s);
    Bare bare = bare_open(b->disk, "r4-bare.db", NOTE_BYTES);
    bare_fill(&bare, CROWD);
    bare_close(&bare);
    unpin();
    Crowd ours = crowd_start(b, engine, &job_store), raw = crowd_start(b, engine, &job_raw);
    Crowd third = { 0 };
    if (!files)
        third = crowd_start(b, engine, &job_bare);
    Side sides[] = { { crowd_step, &ours }, { crowd_step, &raw }, { crowd_step, &third } };
    Times times;
    race_run(b, &(Race){ sides, files ? 2 : 3, 1, 6 }, &times);
    per_operation(&times, COUNT_OF(sides), ours.slice);
    Line line = { "R4",
                  engine,
                  "8 processes overwriting, speed / raw append+fdatasync",
                  { files ? GOAL_AT_LEAST : GOAL_NONE, 0.5 } };
    Line bare_line = {
        "R4", engine, "8 processes overwriting, speed / bare upsert, one database", { 0 }
    };
    report_speed(b, &line, &times, 0, 1);
    if (!files)
        report_speed(b, &bare_line, &times, 0, 2);
    crowd_end(&ours);
    crowd_end(&raw);
    if (!files)
        crowd_end(&third);
    pin();
}
