/* llm.h - Llm, a language model at an address.
 *
 *     anthropic:claude-sonnet-5             Anthropic Messages
 *     openai:gpt-5                            OpenAI chat completions
 *     openai:gpt-5?api=responses              OpenAI Responses
 *     http://127.0.0.1:11434/v1#qwen3:8b      any server that speaks the same
 *     script:answers.yaml                     answers from a file (docs/models.md)
 *
 * A conversation is the caller's: llm_ask gets all of it every time, and an Llm
 * remembers nothing between two calls but its connection and its key.  So
 * a process that resumes asks again from what was recorded, and llm_request_text
 * shows the very bytes: equal requests have equal bytes, in every process.
 *
 * An Llm belongs to one thread.  Keys come from the environment or from a file
 * that only its owner can read; no sentence, log or argument ever shows one. */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"

enum {
    LLM_REQUEST_MAX = 32 * 1024 * 1024, /* bytes of one request; more is an overflow */
    LLM_REPLY_MAX = 16 * 1024 * 1024,   /* bytes of one reply's texts and arguments */
    LLM_PARTS_MAX = 1024,               /* of one reply */
    LLM_FILE_MAX = 10 * 1024 * 1024,    /* bytes of one image or document */
};

/* --- What is said ------------------------------------------------------------------------ */

typedef enum LlmPartKind {
    LLM_TEXT,   /* text */
    LLM_CALL,   /* id, name, args: the model wants a tool run */
    LLM_RESULT, /* id, text, is_error: what the tool answered; in a message of the user */
    LLM_RAW,    /* text: a provider's own block as JSON (thinking and its signature ...), to be
                   sent back as it is; another provider leaves it out */
    LLM_FILE, /* text: the bytes of an image or a PDF, name: its name, args: its media type, one of
                 llm_file_type's; in a message of the user */
} LlmPartKind;

/* Texts may hold any bytes; what is not UTF-8 reaches the model as U+FFFD. */
typedef struct LlmPart {
    LlmPartKind kind;
    Str text;
    Str id; /* of a call: never empty, and no other call has it, whatever the server did */
    Str name;
    Str args;      /* the JSON text of an object, as the model wrote it, unless it is broken */
    bool is_error; /* RESULT: the tool failed */
    bool broken;   /* CALL in a reply: cut off, or not an object in JSON.  It MUST NOT be run;
                      answer it with a result that is an error.  Not needed to send it back. */
} LlmPart;

typedef enum LlmRole { LLM_USER, LLM_ASSISTANT } LlmRole;

/* A reply's parts go back as they are, in one message of the assistant.  The next message has one
 * result for each of its calls first, and text only after them.  What does not keep to that, or
 * cannot be sent back, is made good on the way out (history.h). */
typedef struct LlmMessage {
    LlmRole role;
    const LlmPart *parts;
    size_t n;
} LlmMessage;

typedef struct LlmTool {
    Str name;   /* [A-Za-z0-9_-]+, at most 64 bytes */
    Str about;  /* for the model */
    Str schema; /* JSON Schema of its arguments, the JSON text of an object */
} LlmTool;

#define LLM_CHOICE_ANY "required" /* some tool must be called */
#define LLM_CHOICE_NONE "none"    /* none may be */

typedef struct LlmRequest {
    Str system; /* empty: none */
    const LlmTool *tools;
    size_t n_tools;
    const bool *strict; /* for each tool: its provider holds the model to its schema.  Set on the
                           way out (schema.h) */
    const LlmMessage *messages;
    size_t n_messages;
    Str tool_choice; /* LLM_CHOICE_ANY, LLM_CHOICE_NONE or a tool's name; empty: the model decides
                      */
    uint32_t max_tokens; /* of the reply, hidden reasoning included; 0: as the model has it */
    /* Replies that were given before the first message, and of which the messages have no more than
     * what came of them.  It is not sent: only a script needs to know where it stands. */
    uint64_t earlier;

    /* All may be NULL.  They are called in the thread that asks, while it asks. */
    void (*on_text)(void *ctx, Str piece); /* text as it comes */
    /* It did not work, and is tried again in `wait_ms`: what on_text got is void. */
    void (*on_again)(void *ctx, int64_t wait_ms, const char *why);
    bool (*cancelled)(void *ctx); /* asked at least ten times a second; cheap */
    void *ctx;
} LlmRequest;

/* --- What comes back --------------------------------------------------------------------- */

typedef enum LlmStop {
    LLM_STOP_END,        /* it has said what it had to say */
    LLM_STOP_CALLS,      /* it waits for results */
    LLM_STOP_MAX_TOKENS, /* cut at max_tokens; if the last part is a call, it is broken */
    LLM_STOP_REFUSAL,    /* it will not answer; `why` may say more */
    LLM_STOP_PAUSE,      /* send the conversation with this reply again, and it continues */
    LLM_STOP_WINDOW,     /* cut because the context window is full */
    LLM_STOP_OTHER,      /* `why` is the provider's word */
} LlmStop;

/* The word for a stop, as logs and scripts have it: "end", "calls", "max_tokens" ... */
const char *llm_stop_name(LlmStop stop);

/* Tokens as the provider counted them; all 0 if it did not.  The three kinds of input do not
 * overlap: their sum is what the request took of the context window. */
typedef struct LlmUsage {
    uint64_t input; /* neither read from nor written to a cache */
    uint64_t cache_read;
    uint64_t cache_write;
    uint64_t output;
} LlmUsage;

typedef struct LlmReply {
    const LlmPart *parts; /* perhaps none */
    size_t n;
    LlmStop stop;
    Str why;
    LlmUsage usage;
    Str model; /* as the provider names it */
} LlmReply;

/* --- The model --------------------------------------------------------------------------- */

typedef struct Llm Llm;

/* Zero is a good choice for each; what the address says in its query counts more. */
typedef struct LlmOptions {
    const Io *io;         /* NULL: io_system */
    const char *key_file; /* a file with the key, not readable by others; NULL: environment */
    const char *effort;   /* how much it thinks, as in an address; NULL: the model's own */
    uint64_t window;      /* tokens of the context window, if the caller knows */
    bool plain_http;      /* allow http:// beyond this machine */
    bool silent;          /* nothing will be asked, only written: no key is looked for */
} LlmOptions;

/* Nothing is sent yet, no library opened.  JOT_INVALID: the address; JOT_DENIED: no key, or one
 * that others can read; JOT_NOT_FOUND: no such script.  The caller owns *out. */
MUST_USE jot_status llm_open(Str url, const LlmOptions *options, Llm **out, Err *e);
void llm_close(Llm *llm); /* NULL is fine */

/* The next reply, which lives in `into`.  On failure nothing of a reply is given:
 *
 *   JOT_TOO_BIG      the request is longer than the context window, or than what is accepted:
 *                    make it shorter
 *   JOT_CANCELLED    cancelled() said so
 *   JOT_DENIED       the key is missing, wrong, or not allowed to do this
 *   JOT_UNAVAILABLE  rate limit, spent budget or overload, still so after the retries
 *   JOT_NOT_FOUND    no such model
 *   JOT_INVALID      the provider refused the request; a script's expectation did not hold
 *   JOT_UNSUPPORTED  libcurl is not installed
 *   JOT_IO           not reached, broken off, or not understood, still so after the retries */
MUST_USE jot_status llm_ask(Llm *llm, const LlmRequest *request, Arena *into, LlmReply *out,
                            Err *e);

/* Exactly the bytes llm_ask would send.  JOT_INVALID: a tool's schema or a raw part is no object in
 * JSON; JOT_TOO_BIG as above. */
MUST_USE jot_status llm_request_text(Llm *llm, const LlmRequest *request, Buf *to, Err *e);

/* Tokens of the context window, as given or as known for this model; 0: nobody knows. */
uint64_t llm_window(const Llm *llm);

/* Ask the server of an http:// or https:// address for a window that nobody knows.  It takes
 * seconds at most, and whatever goes wrong only means that it stays unknown. */
void llm_find_window(Llm *llm);

/* What is known of a model's replies, in tokens.  Hidden reasoning counts as part of a reply. */
typedef struct LlmLimits {
    uint64_t reply;     /* a good limit if the caller has no wish; 0: nobody knows one */
    uint64_t reply_max; /* what the provider takes at most; 0: nobody knows */
    bool unlimited;     /* a request without a limit has the model's own: leave it out */
} LlmLimits;
LlmLimits llm_limits(const Llm *llm);

/* What tokens cost here, in US dollars, by the table of prices (model.h); false: nobody knows. */
bool llm_cost(const Llm *llm, const LlmUsage *usage, double *out);

/* The media type of an image (PNG, JPEG, GIF, WebP) or a PDF, by its first bytes; empty: it is
 * none.  At most LLM_FILE_MAX bytes of one are sent. */
Str llm_file_type(Str bytes);

/* The model's name, without anything secret.  Borrowed from `llm`. */
Str llm_model(const Llm *llm);

DEFINE_AUTO_PTR(Llm, llm_close)

#endif
