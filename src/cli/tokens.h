/* tokens.h - where the tokens lie that requests over HTTP must carry. */
#ifndef CLI_TOKENS_H
#define CLI_TOKENS_H

#include "cli/cmd.h"

/* That of MCP, which 'jotter mcp --http' and 'jotter serve' share.  JOT_INVALID: the environment
 * names no place for it. */
MUST_USE jot_status tokens_mcp_path(Session *s, const char **out);

#endif
