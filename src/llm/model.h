/* model.h - Model, what is known of a model without asking anybody: its window, the longest reply
 * it takes, how it is asked to think, and what its tokens cost.
 *
 * There is a table of ours, and a file of the user's that counts more, member by member:
 * models.yaml in the directory of the configuration (base/home.h).  A row is for all models whose
 * names begin like it, and the longest that fits is taken.
 *
 *     claude-opus-5-5: {window: 1000000, reply: 128000, input: 4, output: 20, cache_read: 0.2}
 *     my-local-model: {window: 16384}
 *
 * Prices are in US dollars a million tokens.  They change, so what is printed is an estimate. */
#ifndef LLM_MODEL_H
#define LLM_MODEL_H

#include "llm/llm.h"

typedef enum ModelThinking {
    MODEL_THINKS,      /* nobody says: as the newest ones */
    MODEL_ADAPTIVE,    /* by a word for the effort */
    MODEL_BUDGET,      /* by a number of tokens */
    MODEL_NO_THINKING, /* not at all */
} ModelThinking;

typedef enum ModelPrice {
    PRICE_INPUT,
    PRICE_CACHE_READ,
    PRICE_CACHE_WRITE,
    PRICE_OUTPUT,
    PRICES
} ModelPrice;

typedef struct Model {
    Str begins;      /* of its name; empty: nothing is known */
    uint64_t window; /* tokens; 0: not known */
    uint64_t reply;  /* tokens; 0: not known, or not asked for */
    ModelThinking thinking;
    double price[PRICES]; /* below 0: not known */
    bool users;           /* the user's file says something of it */
} Model;

/* The rows of ours, in the order they are shown. */
size_t model_count(void);
Model model_row(size_t i);

/* All that is known of a model.  JOT_INVALID: the user's file is not understood, and the sentence
 * names its line; a file that is not there is fine.  Lives in `into`. */
MUST_USE jot_status model_find(const Io *io, Str model, Arena *into, Model *out, Err *e);

/* The rows of the user's file: how many, and each.  Fails as above. */
MUST_USE jot_status model_users(const Io *io, Arena *into, Model **out, size_t *n, Err *e);

/* A row as a line of the file. */
void model_write(const Model *k, Buf *to);

/* What tokens cost, in US dollars; false: a price that is needed is not known. */
bool model_cost(const Model *k, const LlmUsage *usage, double *out);

#define MODEL_FILE "models.yaml"

#endif
