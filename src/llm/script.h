/* script.h - Script, a model whose answers stand in a file: what its three files share. */
#ifndef LLM_SCRIPT_H
#define LLM_SCRIPT_H

#include "base/json.h"
#include "base/yaml.h"
#include "llm/provider.h"

typedef struct Answer {
    const Yaml *map;
    Str text, when, message, why;
    const Yaml *calls, *raw, *expect, *without; /* lists, or NULL */
    const Yaml *usage;                          /* a map, or NULL */
    LlmStop stop;
    jot_status error; /* JOT_OK: none */
    uint64_t times;   /* how often the error comes before the answer; 0: always */
    uint64_t failed;  /* how often it came */
    bool repeat, hang;
} Answer;

typedef struct Script {
    Llm base;
    Answer *answers; /* in order */
    size_t n;
    Answer *conditional; /* those with `when`, which have no place in the order */
    size_t n_conditional;
    uint64_t limit; /* bytes of a request; more is an overflow; 0: none */
    Str file;       /* for sentences */
    const char *log;
} Script;

/* Read the file of a script; `part` names one of its lists, or is empty. */
MUST_USE jot_status script_read(Script *s, const char *path, Str part, Err *e);

/* Add `text` with its {{...}} filled from the conversation.  JOT_INVALID if one finds nothing. */
MUST_USE jot_status script_fill(Str text, const LlmRequest *request, Buf *to, Err *e);

/* The same for every string inside `value`, in place; keys stay as they are. */
MUST_USE jot_status script_fill_json(json_t **value, const LlmRequest *request, Err *e);

/* True if the request has `text` anywhere: system, tools, messages. */
bool script_request_has(const LlmRequest *request, Str text);

/* True if a text of the newest message has it. */
bool script_newest_has(const LlmRequest *request, Str text);

#endif
