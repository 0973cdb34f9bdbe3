/* author.c - names that agents give themselves over MCP.
 *
 * Capitals, and spaces or underscores for hyphens, make no difference, and neither does
 * "-mcp-client" with whatever follows it, which is often the name of the server. */
#include "mcp/server/author.h"

#include <stddef.h>

#include "base/err.h"

/* To add an agent, add a row; the names are those of `jotter setup`. */
static const struct Known {
    const char *given, *name;
} known[] = {
    { "claude-code", "claude-code" },
    { "cline", "cline" },
    { "codex", "codex" },
    { "codex-cli", "codex" },
    { "cursor", "cursor" },
    { "cursor-vscode", "cursor" },
    { "gemini", "gemini" },
    { "gemini-cli", "gemini" },
    { "goose", "goose" },
    { "goose-cli", "goose" },
    { "goose-desktop", "goose" },
    { "opencode", "opencode" },
    { "qwen", "qwen" },
    { "qwen-cli", "qwen" },
    { "qwen-code", "qwen" },
    { "visual-studio-code", "vscode" },
    { "vscode", "vscode" },
};

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        c |= 0x20;
    if (c == ' ' || c == '_')
        c = '-';
    return c;
}

/* True if `s` is `want`, or `want` followed by "-mcp-client". */
static bool is_called(Str s, Str want)
{
    static const char tail[] = "-mcp-client";
    size_t n = want.n + sizeof tail - 1;
    if (s.n < want.n)
        return false;
    for (size_t i = 0; i < s.n && i < n; i++)
        if (fold(s.p[i]) != (i < want.n ? want.p[i] : tail[i - want.n]))
            return false;
    return s.n == want.n || s.n == n || (s.n > n && fold(s.p[n]) == '-');
}

Str author_of_client(Str client)
{
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (is_called(client, str(known[i].given)))
            return str(known[i].name);
    return client;
}
