/* scene.h - Scene, the streams that workers meet at, and dice with a seed. */
#ifndef CONCURRENCY_SCENE_H
#define CONCURRENCY_SCENE_H

#include "history.h"

typedef enum StreamUse {
    USE_HOT,   /* a document everybody writes */
    USE_LOG,   /* a log everybody writes */
    USE_TABLE, /* guards the hot ones */
    USE_SKEW,  /* one of two that guard each other: no two may pass each other's guard */
    USE_COLD,  /* one of many, rarely met */
} StreamUse;

typedef struct Scene {
    struct {
        char name[40];
        StreamUse use;
        uint16_t guard; /* its guard, or HISTORY_NO_STREAM */
    } streams[HISTORY_STREAMS_MAX];
    size_t n;
    size_t hot; /* the first `hot` streams are not cold */
} Scene;

/* Two hot documents, a hot log, a table, a pair that guard each other, and 32 cold ones. */
void scene_full(Scene *out);
/* For an engine that cannot check a guard in the step that appends: nothing is guarded. */
void scene_unguard(Scene *out);
/* One hot stream and nothing else. */
void scene_one(Scene *out, StreamUse use);

/* A repeatable sequence of numbers; any value is a good start. */
typedef struct Dice {
    uint64_t state;
} Dice;
uint64_t dice_next(Dice *d);
uint64_t dice_below(Dice *d, uint64_t n);     /* 0 to n - 1; n is not 0 */
bool dice_percent(Dice *d, unsigned percent); /* true in so many of 100 cases */
size_t dice_pick(Dice *d, const unsigned *weights, size_t n);

#endif
