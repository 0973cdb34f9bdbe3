/* embeddings.h - Embeddings, a server that turns texts into vectors.
 *
 * It speaks as OpenAI's does: POST URL/embeddings with a model and texts, answered by a list of
 * numbers for each.  Many programs that run models locally speak so too.
 *
 *     https://HOST/v1#MODEL
 *     http://127.0.0.1:11434/v1#MODEL            plain only on this machine, or with
 *     http://HOST/v1?plain_http=yes#MODEL
 *
 * within_ms=N is how long one who waits for an answer waits: 300 if it is not given.
 *
 * What is sent is the caller's business; whatever comes back is checked here, and nothing of an
 * answer is shown.  The key, if one is needed, is JOTTER_EMBED_API_KEY. */
#ifndef NET_EMBEDDINGS_H
#define NET_EMBEDDINGS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"

enum {
    EMBEDDINGS_TEXTS_MAX = 32,     /* of a request */
    EMBEDDINGS_COLUMNS_MAX = 4096, /* of a vector */
    EMBEDDINGS_MODEL_MAX = 200,    /* bytes of its name */
    EMBEDDINGS_WITHIN_MS = 300,
    EMBEDDINGS_WITHIN_MS_MAX = 60 * 1000,
};

typedef struct Embeddings Embeddings;

/* Nothing is sent yet.  JOT_INVALID: the address is none.  JOT_DENIED: it could be overheard.  `io`
 * gives the clock. */
MUST_USE jot_status embeddings_open(Embeddings **out, Str address, const Io *io, Err *e);
void embeddings_close(Embeddings *s);    /* NULL is fine */
Str embeddings_url(const Embeddings *s); /* without settings; borrowed, as is the next */
Str embeddings_model(const Embeddings *s);
int64_t embeddings_within_ms(const Embeddings *s);

typedef struct EmbeddingsAsk {
    const Str *texts; /* valid UTF-8, none empty */
    size_t n;         /* at most EMBEDDINGS_TEXTS_MAX */
    int64_t within_ms;
} EmbeddingsAsk;

/* By text, in their order: `columns` numbers each. */
typedef struct EmbeddingsFound {
    const float *rows;
    size_t columns;
} EmbeddingsFound;

/* JOT_UNAVAILABLE: not reached, too late, or busy.  JOT_DENIED: the server wants a (different) key.
 * JOT_INVALID: it does not know the model, or the answer is not one.  Lives in `into`. */
MUST_USE jot_status embeddings_ask(Embeddings *s, const EmbeddingsAsk *ask, Arena *into,
                                   EmbeddingsFound *out, Err *e);

DEFINE_AUTO_PTR(Embeddings, embeddings_close)

#endif
