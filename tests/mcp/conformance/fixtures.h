/* fixtures.h - the tools, resources and prompts that the official conformance suite asks for.
 *
 * What they are called and what they answer is the suite's choice
 * (@modelcontextprotocol/conformance, "Server Implementation Requirements"). */
#ifndef CONFORMANCE_FIXTURES_H
#define CONFORMANCE_FIXTURES_H

#include "mcp/server/session.h"

/* A request for one of them, and its answer in the making. */
typedef struct Call {
    McpRequest *r;
    const json_t *client; /* what the client can, in the stateless era; else NULL */
    const json_t *args;
    json_t **result;
    RpcError *why;
} Call;

typedef struct Fixture {
    const char *name;
    const char *schema; /* of a tool's arguments, or a prompt's list of them; JSON */
    const char *result; /* if it is always the same; JSON */
    bool (*answer)(const Call *c);
} Fixture;

/* Each ends in {0}. */
extern const Fixture fixture_tools[], fixture_questions[], fixture_prompts[], fixture_inputs[];

/* A JSON text that is known to be right; the caller owns it. */
json_t *fixture_json(const char *text);
/* {"content": [{"type": "text", "text": ...}]} as the result; true. */
bool fixture_say(const Call *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same as an error of the tool. */
bool fixture_fail(const Call *c, const char *text);

/* --- On the way to an answer: dialogue.c -------------------------------------------------------
 */

/* A line for the client's log, of the level "info", if it wants such. */
void fixture_log(const Call *c, const char *text);
/* Progress, if it was asked for. */
void fixture_progress(const Call *c, int progress, int total);
/* The list of "tools" or "prompts" is another now: those who asked are told. */
void fixture_list_changed(const char *what);
/* Ask the client, in the old era, and wait for its answer, which the caller owns; takes the
 * reference to `params`.  NULL, with the result set: there is none. */
json_t *fixture_ask(const Call *c, const char *method, json_t *params);

#endif
