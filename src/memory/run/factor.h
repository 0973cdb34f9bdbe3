/* factor.h - TokenFactor, how many of its own tokens a model takes for one that is estimated.
 *
 * The estimate (memory/frame/tokens.h) counts as o200k_base does; other makers cut otherwise, and
 * what the same text takes differs by a factor that is nearly the same for all text.  A provider
 * reports what it counted, so the factor can be learned: from what two requests in a row differ by,
 * because whatever is added to every request is then no part of it.
 *
 * What was learned is kept in the pad, in the stream FACTOR_STREAM, for each model's address: sums
 * of both counts, halved when they are large, so that a model that changes is learned again.  It is
 * advice: a pad that cannot be written learns nothing, and a stream that cannot be read is 1. */
#ifndef MEMORY_RUN_FACTOR_H
#define MEMORY_RUN_FACTOR_H

#include "base/json.h"
#include "memory/memory.h"

#define FACTOR_STREAM "tokens/factors"

enum {
    FACTOR_ONE = 1000, /* a factor is in thousandths */
    FACTOR_MIN = 500,
    FACTOR_MAX = 3000,
    FACTOR_BELIEVED = 2000,  /* estimated tokens from which on it counts */
    FACTOR_HALVED = 4000000, /* ... and at which the sums are halved */
    FACTOR_MODELS_MAX = 64,  /* in a pad; those that were used longest ago go */
};

typedef struct TokenFactor {
    uint64_t requests;  /* pairs of requests that it was learned from */
    uint64_t estimated; /* tokens by which they differed, as estimated ... */
    uint64_t reported;  /* ... and as the provider counted */
} TokenFactor;

/* In thousandths; FACTOR_ONE until enough was learned. */
uint32_t factor_of(const TokenFactor *f);
/* Learn from two requests in a row, each as estimated and as reported.  Requests of which the
 * second is no longer, and counts that nobody could have made, teach nothing. */
void factor_learn(TokenFactor *f, const uint64_t estimated[2], const uint64_t reported[2]);

/* What is known of a model; {0} if nothing is. */
MUST_USE jot_status factor_read(Memory *m, Str model, TokenFactor *out, Err *e);
/* Add what was learned. */
MUST_USE jot_status factor_add(Memory *m, Str model, const TokenFactor *more, Err *e);
/* All models: [{"model","factor","requests"}]; the caller owns it. */
MUST_USE jot_status factor_list(Memory *m, json_t **out, Err *e);

#endif
