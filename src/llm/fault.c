/* fault.c - what a provider's refusal means to the caller.
 *
 * Three sources, the later the better: the status of the answer; the type or
 * code in its body; its words, because "too long for the context" has no code of
 * its own with most of them.  Words are matched only where the rest says
 * "invalid": a rate limit that mentions a context is still a rate limit. */
#include "llm/fault.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 160 };

typedef struct Meaning {
    jot_status status;
    bool retry;
    const char *about; /* the sentence begins with it */
} Meaning;

static const Meaning key_refused = { JOT_DENIED, false, "the provider refuses the key" };
static const Meaning limited = { JOT_UNAVAILABLE, true, "the provider's rate limit is reached" };
static const Meaning spent = { JOT_UNAVAILABLE, false, "the account at the provider is spent" };
static const Meaning overloaded = { JOT_UNAVAILABLE, true, "the provider is overloaded" };
static const Meaning broken = { JOT_IO, true, "the provider failed" };
static const Meaning unknown = { JOT_NOT_FOUND, false, "the provider has no such model" };
static const Meaning invalid = { JOT_INVALID, false, "the provider refuses the request" };
static const Meaning moved = { JOT_INVALID, false,
                               "the provider points elsewhere, which is not followed" };
static const Meaning overflow = { JOT_TOO_BIG, false, "the request is too long for the model" };

/* What an answer says about itself. */
typedef struct Said {
    int http; /* 0: it was an event of a stream */
    Str type, code, message;
} Said;

static const struct {
    const char *word; /* "type" or "code" of an error */
    const Meaning *means;
} words[] = {
    { "authentication_error", &key_refused },
    { "permission_error", &key_refused },
    { "invalid_api_key", &key_refused },
    { "rate_limit_error", &limited },
    { "rate_limit_exceeded", &limited },
    { "billing_error", &spent },
    { "insufficient_quota", &spent },
    { "billing_hard_limit_reached", &spent },
    { "overloaded_error", &overloaded },
    { "api_error", &broken },
    { "server_error", &broken },
    { "timeout_error", &broken },
    { "conflict_error", &broken },
    { "invalid_request_error", &invalid },
    { "not_found_error", &unknown },
    { "model_not_found", &unknown },
    { "request_too_large", &overflow },
    { "context_length_exceeded", &overflow },
    { "exceed_context_size_error", &overflow },
};

/* Anthropic, OpenAI and vLLM, llama.cpp, LM Studio, Ollama and proxies in front of them. */
static const char *const overflow_texts[] = {
    "prompt is too long",      "exceed context limit",
    "maximum context length",  "exceeds the available context size",
    "context length exceeded", "exceeds the context window",
    "exceeds context window",  "context the overflows",
    "input length exceeds",    "reduce the length of the messages",
    "exceed context window",
};

static const Meaning *by_http(int http)
{
    if (http >= 300 && http < 400)
        return &moved;
    switch (http) {
    case 401:
    case 403:
        return &key_refused;
    case 402:
        return &spent;
    case 404:
        return &unknown;
    case 413:
        return &overflow;
    case 429:
        return &limited;
    case 408:
    case 409:
        return &broken;
    case 503:
    case 529:
        return &overloaded;
    default:
        return http >= 500 || http == 0 ? &broken : &invalid;
    }
}

static const Meaning *by_word(Str word)
{
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq(word, str(words[i].word)))
            return words[i].means;
    return NULL;
}

static bool has(Str text, const char *what)
{
    return text.n && memmem(text.p, text.n, what, strlen(what)) != NULL;
}

static bool says_overflow(Str message)
{
    for (size_t i = 0; i < COUNT_OF(overflow_texts); i++)
        if (has(message, overflow_texts[i]))
            return true;
    return false;
}

/* Small servers and proxies answer with 500 to a request they do not understand, and say in its
 * body what it is: the same request would fail again. */
static bool says_invalid(const Said *s)
{
    static const char *const texts[] = { "Input should be",  "validation error", "BadRequestError",
                                         "Field required",   "Invalid value",    "is not supported",
                                         "Unsupported param" };
    int64_t number;
    if (str_to_i64(s->code, 400, 499, &number))
        return number != 408 && number != 409 && number != 429;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (has(s->message, texts[i]))
            return true;
    return by_word(s->type) == &invalid || by_word(s->code) == &invalid;
}

/* The provider's words as part of a sentence: one printable line without its full stop. */
static void clean(Str message, Str key, char out[WORDS_MAX + 1])
{
    size_t n = 0;
    while (message.n && n < WORDS_MAX) {
        /* Some quote the key they refuse: it must not get into a record. */
        if (key.n && str_starts(message, key)) {
            message = str_from(message, key.n);
            out[n++] = '*';
            continue;
        }
        unsigned char c = (unsigned char)message.p[0];
        if (c < 0x20 || c >= 0x7F)
            c = c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
        out[n++] = (char)c;
        message = str_from(message, 1);
    }
    assert(n <= WORDS_MAX);
    while (n && (out[n - 1] == '.' || out[n - 1] == ' '))
        n--;
    out[n] = 0;
}

/* Weigh the three sources, and say what comes of it. */
static jot_status refuse(const Said *s, Str key, bool *retry, Err *e)
{
    char line[WORDS_MAX + 1];
    const Meaning *m = by_http(s->http);
    const Meaning *named = by_word(s->code) ? by_word(s->code) : by_word(s->type);
    if (s->http == 500 && says_invalid(s))
        m = &invalid;
    /* "Invalid" says less than any status but its own. */
    if (named && (s->http == 0 || (s->http >= 400 && s->http < 500 && named != &invalid)))
        m = named;
    bool open = m == &invalid || (m == &broken && s->http != 408 && s->http != 409);
    if (open && says_overflow(s->message))
        m = &overflow;
    /* More tokens at once than the limit has per minute: waiting cannot help, less text can. */
    if (m == &limited && has(s->message, "Request too large"))
        m = &overflow;
    assert(m->status != JOT_OK);
    clean(s->message.n ? s->message : s->type, key, line);
    *retry = m->retry;
    if (s->http)
        return err_set(e, m->status, "%s (HTTP %d)%s%s", m->about, s->http, line[0] ? ": " : "",
                       line);
    return err_set(e, m->status, "%s%s%s", m->about, line[0] ? ": " : "", line);
}

jot_status fault_read_json(int http, const json_t *error, Str key, bool *retry, Err *e)
{
    char number[24];
    const json_t *code = json_object_get(error, "code");
    if (json_is_string(error))
        return refuse(&(Said){ .http = http, .message = json_str(error) }, key, retry, e);
    Said s = { .http = http,
               .type = json_member(error, "type"),
               .code = json_str(code),
               .message = json_member(error, "message") };
    if (json_is_integer(code)) {
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(code));
        s.code = str(number);
    }
    return refuse(&s, key, retry, e);
}

jot_status fault_read(int http, Str body, Str key, bool *retry, Err *e)
{
    AUTO_PTR(json_t) whole = NULL;
    if (json_read(body, &whole, NULL) != JOT_OK)
        return refuse(&(Said){ .http = http }, key, retry, e);
    const json_t *error = json_object_get(whole, "error");
    return fault_read_json(http, error ? error : whole, key, retry, e);
}
