/* worker.h - Worker, one agent among many: it chooses what to ask, asks it, and notes the answer.
 *
 * Choosing and asking are apart, so that the same worker serves a process of the rig, which
 * asks a shared pad, and a simulation, which asks mem: in an order it makes up. */
#ifndef CONCURRENCY_WORKER_H
#define CONCURRENCY_WORKER_H

#include "scene.h"

enum {
    WORKER_SEEN_MAX = 12,   /* streams of one listing that are noted */
    WORKER_REPEATS_MAX = 4, /* own appends with an id that may be asked again */
};

/* What workers share besides the pad. */
typedef struct Meeting {
    atomic_ullong duels; /* numbers of contents that several workers write under one id */
    atomic_uint focus;   /* the stream most of them go to at the moment */
} Meeting;

typedef struct Worker {
    const Scene *scene;
    uint32_t number, incarnation;
    Dice dice;
    Meeting *meeting;
    struct {
        uint64_t seq, old_seq; /* as last seen, and before that */
        Hash sha, old_sha;
    } known[HISTORY_STREAMS_MAX];
    Entry repeats[WORKER_REPEATS_MAX];
    size_t repeat_n;
    Entry seen[WORKER_SEEN_MAX]; /* by the last worker_ask, if it was a listing */
    size_t seen_n;
    char said[248]; /* the sentence of the last answer that was not JOT_OK */
} Worker;

void worker_init(Worker *w, const Scene *scene, uint32_t number, uint32_t incarnation,
                 uint64_t seed, Meeting *meeting);

/* Ask an append of an earlier life again; without an id it is not remembered. */
void worker_remember(Worker *w, const Entry *e);

/* Choose the next operation; it will be entry `index` of the worker's log. */
void worker_choose(Worker *w, size_t index, Entry *out);

/* Ask it, and note the answer in `e`, all but its time and that it was answered. */
void worker_ask(Worker *w, Store *s, size_t index, Entry *e);

#endif
