/* watch.h - Watch, what changes in a pad, as it changes.
 *
 * Writes of every process are seen, and what people do to the files.  Each
 * change is reported once: a stream whose head is what it was is no news.  If much
 * happens at once some versions in between may pass unseen; the last never does. */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

#include "base/json.h"
#include "memory/memory.h"

typedef struct Watch Watch;

typedef struct Change {
    Str stream;
    Mark mark; /* of its head now; seq 0: a person's edit that is not recorded; op 0: it is gone */
    Str by;
    bool relisted; /* it entered or left the list of what is live since the last look, or may have
                    * done both: a caller that listed in between has another list now */
} Change;

typedef struct WatchAsk {
    Str prefix; /* streams below it only; may be empty */
    bool names; /* the versions are named to somebody: a person's edit is recorded first */
} WatchAsk;

/* From now on. */
MUST_USE jot_status watch_open(Watch **out, Memory *m, const WatchAsk *ask, Err *e);
void watch_close(Watch *w); /* NULL is fine */
DEFINE_AUTO_PTR(Watch, watch_close)

/* What changed since the last call; waits up to `wait_ms` for the first.  Lives in `into`.
 * JOT_UNAVAILABLE: the pad is not where it was opened any more. */
MUST_USE jot_status watch_next(Watch *w, int64_t wait_ms, Arena *into, Change **out, size_t *n,
                               Err *e);

json_t *change_json(const Change *c);

#endif
