/* simulate.h - histories made up without processes: workers ask mem:, one tick at a time.
 *
 * In each tick one worker asks, is served, or gets its answer.  The interleaving is what real
 * processes would have, but the moment of each effect is known, so the history is right by
 * construction.  Some workers die before or after they are served. */
#ifndef CONCURRENCY_SIMULATE_H
#define CONCURRENCY_SIMULATE_H

#include "worker.h"

/* `ops` operations by `workers` workers on `scene`; everything lives in `into`. */
void simulate(History *out, const Scene *scene, size_t workers, size_t ops, uint64_t seed,
              Arena *into);

#endif
