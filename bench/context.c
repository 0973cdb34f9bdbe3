/* context.c - R12: a context of 8,000 tokens from a long run, beside a short one and beside copying
 * the same bytes.
 *
 * The cost is to be that of the budget, not of the run.  Both runs are written
 * through the library, on a file system in memory: only reading is measured. */
#include "memory/context/context.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/bench.h"

enum { FEW = 1000, MANY = 100 * 1000, BUDGET = 8000, RESULT_BYTES = 600 };

/* A pad with one run. */
typedef struct Side12 {
    Memory m;
    Run run;
    uint64_t results;
} Side12;

static void fill(Side12 *s, uint64_t results, bool progress)
{
    Err e = { 0 };
    Text text = text_new(RESULT_BYTES);
    must_ok(run_begin(&s->m, NULL, S("what is there?"), &s->run, &e), &e, "new run");
    for (s->results = 0; s->results < results; s->results++) {
        char id[32];
        uint64_t n;
        snprintf(id, sizeof id, "call-%llu", (unsigned long long)s->results);
        RunCall c = { .call = str(id), .tool = S("search"), .args = S("{\"query\":\"words\"}") };
        must_ok(run_call(&s->run, &c, &e), &e, "call");
        must_ok(run_result(&s->run, c.call, true, text_next(&text), &n, &e), &e, "result");
        if (progress && s->results % 10000 == 0)
            fprintf(stderr, "\rR12: %llu results ", (unsigned long long)s->results);
    }
    if (progress)
        fprintf(stderr, "\r                          \r");
    text_free(&text);
}

static void side_open(Side12 *s, const Bench *b, const char *engine, const char *name)
{
    *s = (Side12){ 0 };
    s->m.store = pad_open_in(b->fill, engine, name);
    s->m.io = &io_system;
    s->m.by = S("bench");
}

static void side_close(Side12 *s)
{
    run_close(&s->run);
    memory_close(&s->m);
}

/* As a command does it: the run is opened anew. */
static void step_context(void *side)
{
    Side12 *s = side;
    AUTO(Arena) arena = { 0 };
    AUTO(Run) r = { 0 };
    Err e = { 0 };
    Context c;
    must_ok(run_at(&s->m, str(s->run.id), &r, &e), &e, "name run");
    ContextAsk ask = { .budget = BUDGET, .run = &r };
    must_ok(context_build(&s->m, &ask, &arena, &c, &e), &e, "context");
    must(c.results_shown > 0 && c.text.n > 0, "an empty context");
}

/* A file with the bytes of a context. */
typedef struct Copy {
    char path[BENCH_PATH_MAX];
    size_t n;
} Copy;

static Copy copy_new(const Bench *b, Side12 *s)
{
    Copy copy;
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Context c;
    ContextAsk ask = { .budget = BUDGET, .run = &s->run };
    must_ok(context_build(&s->m, &ask, &arena, &c, &e), &e, "context");
    snprintf(copy.path, sizeof copy.path, "%s/context", b->fill);
    AUTO(Fd) fd = open(copy.path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, c.text.p, c.text.n) == (ssize_t)c.text.n, copy.path);
    copy.n = c.text.n;
    return copy;
}

static void step_copy(void *copy)
{
    const Copy *c = copy;
    AUTO(Fd) fd = open(c->path, O_RDONLY | O_CLOEXEC);
    char *text = mem_grow(NULL, c->n); /* not cleared: it is written over */
    must(fd >= 0 && read(fd, text, c->n) == (ssize_t)c->n, c->path);
    free(text);
}

void measure_context(Bench *b, const char *engine)
{
    Side12 few, many;
    uint64_t long_run = b->streams < MANY ? b->streams : MANY;
    side_open(&few, b, engine, "context-few");
    side_open(&many, b, engine, "context-many");
    fill(&few, b->smoke ? 100 : FEW, false);
    fill(&many, b->smoke ? 300 : long_run, !b->json && !b->smoke);
    Copy copy = copy_new(b, &many);
    Side sides[] = { { step_context, &many }, { step_context, &few }, { step_copy, &copy } };
    Race race = { .sides = sides, .n = 3, .batch = 1, .turns = b->smoke ? 1 : 50 };
    Times t;
    race_run(b, &race, &t);
    char what[96];
    snprintf(what, sizeof what, "context of 8k tokens, %llu results / %llu",
             (unsigned long long)many.results, (unsigned long long)few.results);
    report_times(b, &(Line){ "R12", engine, what, { GOAL_AT_MOST, 1.5 } }, &t, 0, 1);
    Line line = { "R12", engine, "context of 8k tokens / reading its bytes", { GOAL_AT_MOST, 3 } };
    report_times(b, &line, &t, 0, 2);
    side_close(&few);
    side_close(&many);
}
