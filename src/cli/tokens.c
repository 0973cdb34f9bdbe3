/* tokens.c - the file of MCP's token. */
#include "cli/tokens.h"

#include <stdlib.h>

jot_status tokens_mcp_path(Session *s, const char **out)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && data[0] == '/')
        *out = arena_printf(&s->arena, "%s/jotter/token", data).p;
    else if (home && home[0] == '/')
        *out = arena_printf(&s->arena, "%s/.local/share/jotter/token", home).p;
    else
        return err_set(
            &s->err, JOT_INVALID,
            "the token has no place: give --token-file, or set HOME to an absolute path");
    return JOT_OK;
}
