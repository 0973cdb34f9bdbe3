/* author.h - one name for an agent, whatever the transport and whatever it calls itself there.
 *
 * `jotter setup` starts a server with --as NAME; over HTTP a client is known only by the
 * name it gives itself, and that of Codex is codex-mcp-client.  What one agent wrote
 * should be found under one name. */
#ifndef MCP_SERVER_AUTHOR_H
#define MCP_SERVER_AUTHOR_H

#include "base/str.h"

/* The name of a client as `jotter setup` has it, if that knows the client; else as it is.  Borrowed
 * from `client`, or static. */
Str author_of_client(Str client);

#endif
