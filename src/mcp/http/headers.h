/* headers.h - what the headers of an MCP request over HTTP say, against what its body says.
 *
 * The stateless era repeats the version, the method and the name of what is used in
 * headers, for proxies that do not read bodies; a proxy that acts on the header and a server
 * that acts on the body must not see different things. */
#ifndef MCP_HTTP_HEADERS_H
#define MCP_HTTP_HEADERS_H

#include "mcp/server/session.h"
#include "net/http_message.h"

/* The era a request is of: the header or the body names a version of the stateless one, or any that
 * we do not know. */
McpEra mcp_headers_era(const HttpRequest *q, const RpcMessage *m);

/* The same by the body alone. */
McpEra mcp_headers_era_of_body(const RpcMessage *m);

/* False, with the error to answer with 400: for the stateless era. */
MUST_USE bool mcp_headers_check(const HttpRequest *q, const RpcMessage *m, RpcError *why);
/* The same for the old era, where only the version can be wrong. */
MUST_USE bool mcp_headers_check_old(const HttpRequest *q, RpcError *why);

/* True if params._meta has all that the stateless era demands of a request. */
bool mcp_headers_complete(const RpcMessage *m);
/* And it is of the revision that is spoken here. */
bool mcp_headers_current(const RpcMessage *m);

/* True if the client takes this type of answer. */
bool mcp_headers_accepts(const HttpRequest *q, const char *type);

#endif
