/* results.h - Results, the results of a run as a model reads them.
 *
 *   ### search(query=shares of AAPL, limit=3)
 *   {"shares": 120000}
 *
 *   [Tool result #2 cleared from context]
 *
 *   ### fetch(url=https://example.org) [error]
 *   timed out
 *
 * Parts are joined by one empty line.  After the call may stand [error], and [base64] if the bytes
 * are not UTF-8.  After a compaction the summary comes first, then, if anything was found since,
 *
 *   ---
 *
 *   New data retrieved after compaction:
 *
 * and the later results.  Values are framed (frame.h), so the list can be read back as it was,
 * whatever bytes a tool returned. */
#ifndef MEMORY_RUN_RESULTS_H
#define MEMORY_RUN_RESULTS_H

#include "base/arena.h"
#include "base/json.h"
#include "memory/frame/frame.h"

typedef struct Result {
    uint64_t n;   /* which result of the run, from 1; 0 where a reader cannot know it */
    bool cleared; /* only n counts then */
    bool ok;      /* false: the tool failed, and this is what it said */
    Str tool;
    Str args; /* a JSON object, as text */
    Str result;
} Result;

typedef struct Results {
    Str summary; /* empty: no compaction */
    Result *items;
    size_t n;
    uint64_t damaged; /* results that cannot be read, and are missing here */
    Frame frame;      /* of the run: how its values stand in a prompt */
} Results;

void results_add_item(Buf *to, const Frame *f, const Result *item);
void results_add(Buf *to, const Results *list);

json_t *results_json(const Results *list);

#endif
