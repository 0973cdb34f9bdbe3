/* script.h - what the two files of the scripted model share. */
#ifndef LLM_SCRIPT_H
#define LLM_SCRIPT_H

#include "base/json.h"
#include "llm/llm.h"

/* Add `text` with its {{...}} filled from the conversation.  JOT_INVALID if one finds nothing. */
MUST_USE jot_status script_fill(Str text, const LlmRequest *request, Buf *to, Err *e);

/* The same for every string inside `value`, in place; keys stay as they are. */
MUST_USE jot_status script_fill_json(json_t **value, const LlmRequest *request, Err *e);

/* True if the request has `text` anywhere: system, tools, messages. */
bool script_request_has(const LlmRequest *request, Str text);

/* True if a text of the newest message has it. */
bool script_newest_has(const LlmRequest *request, Str text);

#endif
