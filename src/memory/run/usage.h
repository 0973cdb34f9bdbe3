/* usage.h - Usage, how often a run called which tool, and what to say about it.
 *
 * Warnings are words for the model; nothing is ever refused here.  A call gets at
 * most one for the first of these that holds:
 *
 *   1. the tool was called as often as suggested (3 times, unless said otherwise);
 *   2. its query is very similar to an earlier one of the same tool: of the words
 *      longer than two letters, 70 per cent are the same (Jaccard), or as many as
 *      were asked for;
 *   3. this is the last call within the suggested number;
 *
 * and one more for a loop: the third time in a row that the same tool gets the
 * same arguments.
 *
 * A run can have limits of its own (run.h), so that everybody who looks at it
 * counts by the same ones.
 *
 * A call's query is the first string among its arguments query, search,
 * question, q, text, input.  Of queries only hashes of words are kept, so that a
 * redacted call leaves nothing of its text. */
#ifndef MEMORY_RUN_USAGE_H
#define MEMORY_RUN_USAGE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_cursor.h"

enum {
    USAGE_LIMIT = 3,        /* calls of one tool that are suggested, at every door */
    USAGE_SIMILAR = 70,     /* per cent of their words from which on two queries are similar */
    USAGE_LOOP = 3,         /* equal calls in a row */
    USAGE_TOOLS_MAX = 256,  /* different tools of a run */
    USAGE_QUERIES_MAX = 64, /* newest queries a new one is compared with */
    USAGE_WORDS_MAX = 256,  /* different words of a query that count: the first ones */
};

typedef struct UsageTool {
    Str name;
    uint64_t calls, errors;
} UsageTool;

typedef struct UsageQuery {
    Str tool;
    uint64_t seq;    /* of the call's record */
    uint64_t *words; /* hashes, ascending, without repeats */
    size_t n;
} UsageQuery;

typedef struct Usage {
    UsageTool *tools; /* in the order of their first calls */
    size_t tools_n, tools_cap;
    UsageQuery queries[USAGE_QUERIES_MAX]; /* oldest first */
    size_t queries_n;
    Hash last; /* tool and arguments of the newest call; zero: none */
    uint64_t streak;
} Usage;

/* Take a call or a result into account; what must be kept lives in `into`.  `args` is a JSON
 * object; of anything else only the bytes are compared. */
void usage_take_call(Usage *u, Arena *into, uint64_t seq, Str tool, Str args);
void usage_take_result(Usage *u, Str tool, bool ok);

/* The tool's row, or NULL. */
const UsageTool *usage_find(const Usage *u, Str tool);

/* From when on there is something to say; 0 in either stands for what is usual. */
typedef struct UsageLimits {
    uint64_t calls;   /* of one tool; 0: USAGE_LIMIT */
    uint64_t similar; /* per cent, 1 to 100; 0: USAGE_SIMILAR */
} UsageLimits;

/* JOT_INVALID if they are none: the sentence says which are. */
MUST_USE jot_status usage_check_limits(UsageLimits l, Err *e);
/* Say them in a record's meta or in a fold.  A run without limits of its own says nothing of them.
 */
void usage_put_limits(json_t *to, const UsageLimits *l);
/* What counts: what was asked for, else `own`, else what is usual.  Neither is 0. */
UsageLimits usage_limits(UsageLimits asked, UsageLimits own);

typedef struct UsageWarnings {
    Str limit; /* 1, 2 or 3 above; empty: none */
    Str loop;  /* empty: none */
    /* `limit` says no more than it said at an earlier call: the tool was called more often than
     * suggested, and not twice, four times, eight times ... as often. */
    bool again;
} UsageWarnings;

/* What to say before this call is made. */
UsageWarnings usage_check(const Usage *u, UsageLimits limits, Str tool, Str args, Arena *into);

/* The warnings there are, in an array.  The caller owns it. */
json_t *warnings_json(const UsageWarnings *w);

/* The block for a prompt that begins "## Tool Usage This Query"; nothing if there was no call. */
void usage_add_block(Buf *to, const Usage *u, UsageLimits limits);

/* {"tools": [...], "queries": [...], "last": HASH, "streak": N}, and back. */
json_t *usage_json(const Usage *u);
void usage_read(JsonCursor *c, Arena *into, Usage *out); /* what is no usage makes `c` bad */

/* {"limit", "similarity", "tools": [{"name", "calls", "errors", "left"}]} */
json_t *usage_status_json(const Usage *u, UsageLimits limits);

#endif
