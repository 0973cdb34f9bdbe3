/* fixtures.h - the tools, resources and prompts that the official conformance suite asks for.
 *
 * What they are called and what they answer is the suite's choice
 * (@modelcontextprotocol/conformance, "Server Implementation Requirements"). */
#ifndef CONFORMANCE_FIXTURES_H
#define CONFORMANCE_FIXTURES_H

#include "mcp/server/plugin.h"

/* A request for one of them, and its answer in the making. */
typedef struct Call {
    McpSession *s;
    McpRequest *r;
    const json_t *client; /* what the client can */
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

#endif
