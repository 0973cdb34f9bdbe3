/* replay.h - what a disk may hold when the power goes, worked out from a recording.
 *
 * After every step, two kinds of things are uncertain:
 *   names  - created, moved or removed, and not made durable since;
 *   bytes  - written to a file and not synced since.
 *
 * The models differ in what makes names durable:
 *   ordered - names change in the order of the steps, so that a prefix of them
 *             is there; any sync of anything settles all of them;
 *   weak    - any subset is there; only a sync of a directory settles the
 *             names in it, and the sync of a file settles no name at all;
 *   kill    - the process died and the disk did not: everything is there.
 *
 * In both, the uncertain bytes of a file are there as none, all, the last
 * write torn, zeros of the full size, or with some of their pages missing.
 * After a sync that failed, what it should have made durable may be gone for
 * ever, though a later sync of the same file succeeds: the kernel reports an
 * error once and then takes the pages for clean.  Names are different there:
 * a directory whose sync failed is settled by the next one that succeeds.
 *
 * A rename is atomic, between two directories too.  Nothing is reordered
 * across a write and its own file's sync. */
#ifndef RIG_REPLAY_H
#define RIG_REPLAY_H

#include "base/buf.h"
#include "rig/recorder.h"

typedef enum DiskModel { MODEL_ORDERED, MODEL_WEAK, MODEL_KILL, MODEL_COUNT } DiskModel;
extern const char *const model_names[MODEL_COUNT];

/* One state.  Everything in it is borrowed and valid during the visit. */
typedef struct CrashState {
    size_t point;  /* how many steps were made */
    size_t number; /* of the state at this point: with the point, its name */
    size_t begun;  /* operations of the workload that had begun ... */
    size_t acked;  /* ... and that had returned */
    const Image *image;
    uint64_t hash; /* of names and bytes */
    const struct Replay *of;
} CrashState;

typedef enum Visit {
    VISIT_NEW,
    VISIT_SEEN,   /* this disk was looked at before */
    VISIT_PASSED, /* nobody has looked: another state is wanted */
    VISIT_STOP,
} Visit;

typedef struct ReplayOptions {
    DiskModel model;
    uint64_t seed;
    size_t budget;    /* states that were not seen before, over all points ... */
    size_t new_min;   /* ... but at each point so many, if it has them */
    size_t tries_max; /* states at one point, seen or not */
    size_t point_first, point_last;
} ReplayOptions;

/* Visit states at every point from the first to the last (0 to the number of steps).  Which
 * state has which number depends on the recording, the model and the seed, and on nothing else. */
void replay(const Recording *recording, const ReplayOptions *options,
            Visit (*visit)(void *ctx, const CrashState *state), void *ctx);

/* Choose the states a name asks for: "POINT.NUMBER" one of them, "POINT" all of a point.  False if
 * it is no such name. */
MUST_USE bool replay_only(ReplayOptions *options, const char *name);

/* The step before the crash and what is missing, in words. */
void crash_describe(const CrashState *state, Buf *to);

#endif
