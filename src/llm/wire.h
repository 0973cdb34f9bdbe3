/* wire.h - Wire, a model over HTTP, and Dialect, how its vendor speaks.
 *
 * What the vendors have in common is wire.c: addresses, keys, retries, limits.
 * A dialect is a request's bytes, its headers, and what an event adds to a
 * reply; it knows nothing of connections, so it is tested without one. */
#ifndef LLM_WIRE_H
#define LLM_WIRE_H

#include "llm/draft.h"
#include "llm/provider.h"
#include "llm/sse.h"
#include "net/http_client.h"

enum {
    WIRE_RETRIES = 2,
    WIRE_WAIT_MAX_MS = 60 * 1000, /* a provider that wants a longer wait is not waited for */
    WIRE_STREAM_MAX = 256 * 1024 * 1024,
    WIRE_HEADERS = 4,
    WIRE_THINKING_MIN = 1024, /* tokens: Anthropic refuses less */
};

/* How long a provider that is asked to keeps the beginning of a request. */
typedef enum WireCache { CACHE_MINUTES, CACHE_HOUR, CACHE_OFF } WireCache;

typedef struct Wire Wire;

typedef struct Dialect {
    const char *base;      /* where the vendor is; NULL: the address says */
    const char *base_env;  /* names another place; NULL: none */
    const char *key_env;   /* the vendor's own variable; NULL: none */
    const char *token_env; /* the same for a token that is sent as "Bearer ..."; NULL: none */
    const char *path;      /* after the base */
    bool bare_429;         /* a rate limit without retry-after is worth a retry */
    bool unlimited;        /* a request without a limit has the model's own */
    /* An option that not every server takes: its bytes, and words of which a refusal has one; what
     * was refused is not sent again.  NULL: none. */
    const char *option;
    const char *option_words[2];
    jot_status (*write)(Wire *w, const LlmRequest *request, Buf *to, Err *e);
    /* Fill at most WIRE_HEADERS; returns how many. */
    size_t (*headers)(const Wire *w, HttpField *out);
    jot_status (*event)(Draft *d, const SseEvent *event, Err *e);
} Dialect;

struct Wire {
    Llm base;
    const Dialect *dialect;
    HttpClient *http;
    const char *url;
    Str base_url;        /* the url without the dialect's path */
    bool elsewhere;      /* not at the vendor's own place */
    bool no_reasoning;   /* what its model thought does not go back */
    const char *ca_file; /* NULL: the system's */
    Buf key;             /* empty: none */
    Buf bearer;          /* "Bearer KEY"; empty: no key */
    bool is_token;       /* ... and it is sent as one, not as a key */
    bool no_option;      /* its server has refused the dialect's option */
    Str thinking;        /* empty, "adaptive" or a number of tokens */
    Str effort;          /* the dialect's word for it; empty: the model's own */
    WireCache cache;     /* Anthropic's */
};

/* The functions of a provider, for a dialect. */
MUST_USE jot_status wire_open(const Dialect *dialect, const LlmAddress *address, Llm **out, Err *e);
void wire_close(Llm *llm);
jot_status wire_write(Llm *llm, const LlmRequest *request, Buf *to, Err *e);
jot_status wire_ask(Llm *llm, const LlmRequest *request, Str body, Arena *into, LlmReply *out,
                    Err *e);

/* What the server says the model's window is; 0: it does not, or not soon. */
uint64_t wire_find_window(Wire *w);

/* --- The key (key.c) ------------------------------------------------------------------ */

/* Read the key for a dialect into w->key; none is fine if `optional`. */
MUST_USE jot_status wire_key(Wire *w, const char *file, bool optional, Err *e);

/* --- Anthropic (anthropic_stream.c) --------------------------------------------------- */

extern const Dialect dialect_anthropic;

/* What an event adds to a reply.  A failure is one of llm_ask's, and d->retry is set. */
jot_status anthropic_event(Draft *d, const SseEvent *event, Err *e);

/* --- OpenAI, and servers that speak as it does (openai_stream.c) ---------------------- */

extern const Dialect dialect_openai, dialect_compatible;

/* The same. */
jot_status openai_event(Draft *d, const SseEvent *event, Err *e);

/* --- What both of OpenAI's ways share (openai.c) -------------------------------------- */

size_t openai_headers(const Wire *w, HttpField *out);

/* A member for the choice of a tool, if there is one; a tool's name is `nested` in chat. */
void openai_tool_choice(Buf *to, Str choice, bool nested);

/* --- OpenAI's Responses (responses_stream.c) ------------------------------------------ */

extern const Dialect dialect_responses, dialect_compatible_responses;

/* The same. */
jot_status responses_event(Draft *d, const SseEvent *event, Err *e);

#endif
