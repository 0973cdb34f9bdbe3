/* simulate.c - see simulate.h. */
#include "simulate.h"

#include <assert.h>

typedef enum Stage { IDLE, ASKED, SERVED } Stage;

typedef struct Actor {
    Worker worker;
    Stage stage;
    Log *log;
    uint32_t lives;
} Actor;

typedef struct Simulation {
    Actor actors[HISTORY_WORKERS_MAX];
    const Scene *scene;
    Store *store;
    Dice dice;
    Meeting meeting;
    uint64_t clock, seed;
} Simulation;

static void be_born(Simulation *sim, Actor *a, uint32_t number)
{
    worker_init(&a->worker, sim->scene, number, a->lives++, sim->seed, &sim->meeting);
    a->stage = IDLE;
}

/* The worker dies where it stands; the next life knows what was last asked. */
static void die(Simulation *sim, Actor *a)
{
    uint32_t number = a->worker.number;
    be_born(sim, a, number);
    if (a->log->n)
        worker_remember(&a->worker, &a->log->items[a->log->n - 1]);
}

static void answer(Simulation *sim, Actor *a)
{
    Entry *e = &a->log->items[a->log->n - 1];
    e->answer_ns = ++sim->clock;
    e->answered = 1;
    for (size_t i = 0; i < a->worker.seen_n; i++) {
        Entry *seen = &a->log->items[a->log->n++];
        *seen = a->worker.seen[i];
        seen->invoke_ns = e->invoke_ns;
        seen->answer_ns = e->answer_ns;
        seen->answered = 1;
    }
    a->stage = IDLE;
}

/* True if an operation was begun. */
static bool tick(Simulation *sim, Actor *a)
{
    if (a->stage != IDLE && dice_below(&sim->dice, 60) == 0) {
        die(sim, a);
        return false;
    }
    size_t last = a->log->n - 1;
    switch (a->stage) {
    case IDLE: {
        Entry *e = &a->log->items[a->log->n];
        worker_choose(&a->worker, a->log->n++, e);
        e->invoke_ns = ++sim->clock;
        a->stage = ASKED;
        return true;
    }
    case ASKED:
        worker_ask(&a->worker, sim->store, last, &a->log->items[last]);
        a->stage = SERVED;
        return false;
    case SERVED:
        answer(sim, a);
        return false;
    }
    return false;
}

void simulate(History *out, const Scene *scene, size_t workers, size_t ops, uint64_t seed,
              Arena *into)
{
    *out = (History){ .log_n = workers, .stream_n = scene->n };
    for (size_t i = 0; i < scene->n; i++)
        out->streams[i].name = scene->streams[i].name;
    Simulation *sim = NEW(into, Simulation);
    sim->scene = scene;
    sim->seed = seed;
    sim->dice.state = seed * 7919;
    Err e = { 0 };
    AUTO_PTR(Store) store = NULL;
    jot_status opened = store_open(&store, S("mem:"), NULL, &e);
    assert(opened == JOT_OK);
    (void)opened;
    sim->store = store;
    for (size_t w = 0; w < workers; w++) {
        sim->actors[w].log = &out->logs[w];
        out->logs[w].items = NEW_ARRAY(into, Entry, (ops + 1) * (1 + WORKER_SEEN_MAX));
        be_born(sim, &sim->actors[w], (uint32_t)w);
    }
    for (size_t begun = 0; begun < ops;)
        begun += tick(sim, &sim->actors[dice_below(&sim->dice, workers)]);
    history_gather(out, store, into);
}
