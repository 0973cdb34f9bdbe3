/* draft.h - Draft, a reply while it comes in pieces.
 *
 * Decoders fill it event by event; draft_finish makes the reply, and with it
 * what llm.h promises whatever the server did: calls have ids that nobody else
 * in the conversation has, what was cut is broken, the stop fits the parts. */
#ifndef LLM_DRAFT_H
#define LLM_DRAFT_H

#include "base/json.h"
#include "llm/provider.h"

typedef struct DraftPart {
    LlmPartKind kind;
    int64_t index; /* the server's number for it; -1: none */
    Buf text;      /* TEXT; RAW: what was added to its text, thinking or reasoning */
    Buf id, name;
    Buf args;      /* CALL; RAW: what was added to its input */
    Buf signature; /* RAW */
    json_t *block; /* RAW: as it began; CALL: a raw part that goes before it, or NULL */
    bool closed;   /* the server said that it is complete */
} DraftPart;

typedef struct Draft {
    const LlmRequest *request;
    const Io *io;
    DraftPart *parts;
    size_t n, cap;
    size_t bytes; /* of everything above */
    Buf why, model;
    LlmStop stop;
    bool stopped; /* the server has said why it stopped: nothing of the reply is missing */
    LlmUsage usage;
    bool retry; /* after a failure: asking again may help */
    Str key;    /* never to be shown */
    Str base;   /* where the reply comes from */
} Draft;

/* A new part after the others.  JOT_IO beyond LLM_PARTS_MAX.  Valid until the next is added. */
MUST_USE jot_status draft_add(Draft *d, LlmPartKind kind, int64_t index, DraftPart **out, Err *e);
/* The same before the others. */
MUST_USE jot_status draft_add_first(Draft *d, LlmPartKind kind, int64_t index, DraftPart **out,
                                    Err *e);

/* The newest part with the server's number `index`, or NULL. */
DraftPart *draft_find(Draft *d, int64_t index);

/* More text for one of a part's fields.  JOT_IO beyond LLM_REPLY_MAX. */
MUST_USE jot_status draft_grow(Draft *d, Buf *field, Str piece, Err *e);

/* The same for the text that people read while it comes. */
MUST_USE jot_status draft_say(Draft *d, DraftPart *part, Str piece, Err *e);

/* Read an event's data, mended if it is not UTF-8 or holds half a surrogate pair.  The caller
 * owns *out.  JOT_IO: no JSON. */
MUST_USE jot_status draft_read(Str data, json_t **out, Err *e);

/* A member that is a positive number; 0: there is none. */
uint64_t draft_number(const json_t *object, const char *key);

/* The reply; JOT_IO if the stream ended too early. */
MUST_USE jot_status draft_finish(Draft *d, Arena *into, LlmReply *out, Err *e);

void draft_done(Draft *d);

DEFINE_AUTO(Draft, draft_done)

#endif
