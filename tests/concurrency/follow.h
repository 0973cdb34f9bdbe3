/* follow.h - a process that never writes, and learns of changes only from store_changes. */
#ifndef CONCURRENCY_FOLLOW_H
#define CONCURRENCY_FOLLOW_H

#include "scene.h"

/* Follow until `calm` says that nobody writes any more, and no change is left; then every stream
 * must stand where it was last seen.  With `outages` the server may be out of reach at times.
 * False, and a sentence, if one does not. */
bool follow(const char *url, const Scene *scene, const atomic_bool *calm, bool outages, char *fault,
            size_t size);

#endif
