/* fault.h - what a provider's refusal means to the caller. */
#ifndef LLM_FAULT_H
#define LLM_FAULT_H

#include "base/json.h"
#include "llm/llm.h"

/* A refusal as an answer (`http` is its status) or inside a stream (`http` is 0); `body` is its
 * text, of either vendor or none.  Returns one of the statuses of llm_ask with the provider's own
 * words; *retry: asking again may help.  `key` is not shown, even if the words have it. */
jot_status fault_read(int http, Str body, Str key, bool *retry, Err *e);

/* The same for an error object that has been read. */
jot_status fault_read_json(int http, const json_t *error, Str key, bool *retry, Err *e);

#endif
