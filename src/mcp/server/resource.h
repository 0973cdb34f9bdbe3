/* resource.h - resources: what is in the pad, under addresses a client can read and follow.
 *
 * jotter://KIND/NAME is the stream KIND/NAME, percent-encoded: notes/KEY,
 * memories/PATH, artifacts/CATEGORY/ID and runs/ID.  A run is read as one JSON
 * object a line; what does not fit is found under the same address with ?from=SEQ,
 * and the last line says so. */
#ifndef MCP_SERVER_RESOURCE_H
#define MCP_SERVER_RESOURCE_H

#include "mcp/server/session.h"

enum { RESOURCE_RUN_BYTES = 1024 * 1024 }; /* of one answer; the first record always fits */

typedef struct ResourceRef {
    Str stream;
    bool run;
    uint64_t from; /* of a run: the first record; 1 if nothing is said */
} ResourceRef;

/* JOT_INVALID with a sentence for what is no address of a resource.  Lives in `into`. */
MUST_USE jot_status resource_parse(Str uri, Arena *into, ResourceRef *out, Err *e);
/* True if a stream is shown as a resource. */
bool resource_is(Str stream);

McpAnswer mcp_resources_list, mcp_resources_read, mcp_templates_list;

#endif
