/* history.h - a conversation as every provider takes it.
 *
 * Replies are recorded as they came and sent back again and again, so one part that a provider
 * refuses would end a conversation for good.  Whatever was recorded, by whichever version, what
 * is written keeps these rules:
 *
 *   - a thinking block has its signature, or is left out; no message ends in one
 *   - a call has its result in the next message, and a result its call in the one before it
 *   - ids and names of calls are such as the provider takes; a call and its result agree, and no
 *     two calls have the same id
 *   - no text is blank, and no message empty
 *   - the conversation does not begin with the model, nor end in the middle of a line of its own
 *
 * A conversation that keeps them already is written as it is, byte for byte. */
#ifndef LLM_HISTORY_H
#define LLM_HISTORY_H

#include "llm/provider.h"

enum {
    HISTORY_NAME_MAX = 64,    /* bytes of a tool's name */
    HISTORY_ID_MAX = 40,      /* of a call's id, for vendors */
    HISTORY_ID_MAX_ANY = 512, /* for servers that know their own ids again, however they look */
};

/* The same request with a conversation that `llm` takes.  Lives in `into`, and borrows from `r`. */
LlmRequest history_mend(const Llm *llm, const LlmRequest *r, Arena *into);

/* True if there is nothing in a text that could be seen. */
bool history_blank(Str text);

#endif
