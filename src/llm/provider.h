/* provider.h - what a provider is to llm.c, and what providers share.
 *
 * A provider is one file and one line in the table in llm.c.  `write` makes the
 * bytes of a request and `ask` sends those bytes: they are made in one place, so
 * llm_request_text cannot show anything else.  What `write` gets keeps the rules of
 * history.h; `ask` gets the conversation as the caller has it. */
#ifndef LLM_PROVIDER_H
#define LLM_PROVIDER_H

#include "base/json.h"
#include "base/url.h"
#include "llm/llm.h"
#include "llm/model.h"
#include "llm/schema.h"

/* An address taken apart, and what the caller knows. */
typedef struct LlmAddress {
    Url url;
    Str fragment; /* after '#', decoded */
    const Io *io;
    const char *key_file; /* NULL: none */
    const char *effort;   /* NULL: not given */
    uint64_t window;      /* 0: not given */
    bool plain_http;
    bool silent; /* no key is looked for */
} LlmAddress;

typedef struct Provider {
    const char *scheme;
    jot_status (*open)(const LlmAddress *address, Llm **out, Err *e);
    void (*close)(Llm *llm);
    jot_status (*write)(Llm *llm, const LlmRequest *request, Buf *to, Err *e);
    jot_status (*ask)(Llm *llm, const LlmRequest *request, Str body, Arena *into, LlmReply *out,
                      Err *e);
    /* What history.c needs to know; a vendor is strict in all of it. */
    bool (*takes_raw)(const Llm *llm, const json_t *block); /* a raw part; NULL: any */
    uint64_t (*find_window)(Llm *llm);                      /* ask for it; NULL: nobody to ask */
    bool raw_alone; /* a message may consist of such parts and nothing else */
} Provider;

/* Providers embed this as their FIRST member. */
struct Llm {
    const Provider *provider;
    const Io *io;
    Arena arena; /* lives as long as the Llm */
    Str model;
    uint64_t window;
    LlmLimits limits;
    Model known;
    SchemaStrict strict;
    bool any_id; /* the ids of calls are the server's own business */
};

extern const Provider provider_anthropic, provider_openai, provider_http, provider_https,
    provider_script;

/* --- Writing requests (text.c) -------------------------------------------------------- */

/* "data:TYPE;base64,..." of a part that is a file, as a JSON string; and the bytes alone. */
void llm_quote_data_url(Buf *to, const LlmPart *p);
void llm_quote_base64(Buf *to, Str bytes);

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. */
void llm_quote(Buf *to, Str text);

/* True if `text` is one object in JSON and nothing else. */
bool llm_is_object(Str text);

/* Add `text`, which must be an object in JSON, on one line; JOT_INVALID names `what` of `whose`. */
MUST_USE jot_status llm_add_object(Buf *to, Str text, const char *what, Str whose, Err *e);

/* The arguments of a call as an object: as the model wrote them, or {"INVALID_JSON": ...}. */
void llm_add_args(Buf *to, Str args);

/* Whether the provider is to hold the model to the schema of the i-th tool. */
static inline bool llm_strict(const LlmRequest *r, size_t i)
{
    return r->strict && r->strict[i];
}

static inline bool llm_cancelled(const LlmRequest *r)
{
    return r->cancelled && r->cancelled(r->ctx);
}

#endif
