/* headers.c - comparing headers and bodies.
 *
 * The stateless era says the same twice, so that a proxy can act without reading bodies:
 *
 *     Mcp-Protocol-Version   params._meta["io.modelcontextprotocol/protocolVersion"]
 *     Mcp-Method             method
 *     Mcp-Name               params.name of a tool or a prompt, params.uri of a resource
 *
 * What differs is refused: a proxy would act on the one and we on the other. */
#include "mcp/http/headers.h"

#include "base/base64.h"

#define VERSION "io.modelcontextprotocol/protocolVersion"
#define CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

static Str header_version(const HttpRequest *q)
{
    return http_header(q, "mcp-protocol-version");
}

static const json_t *meta_of(const RpcMessage *m)
{
    return json_object_get(m->params, "_meta");
}

McpEra mcp_headers_era_of_body(const RpcMessage *m)
{
    return json_given(meta_of(m), VERSION) ? MCP_ERA_MODERN : MCP_ERA_LEGACY;
}

McpEra mcp_headers_era(const HttpRequest *q, const RpcMessage *m)
{
    if (str_eq(header_version(q), S(MCP_MODERN)))
        return MCP_ERA_MODERN;
    return mcp_headers_era_of_body(m);
}

bool mcp_headers_complete(const RpcMessage *m)
{
    return json_is_string(json_object_get(meta_of(m), VERSION)) &&
           json_is_object(json_object_get(meta_of(m), CAPABILITIES));
}

bool mcp_headers_current(const RpcMessage *m)
{
    return mcp_headers_complete(m) && str_eq(json_member(meta_of(m), VERSION), S(MCP_MODERN));
}

bool mcp_headers_accepts(const HttpRequest *q, const char *type)
{
    if (http_header_count(q, "accept") == 0)
        return str_eq(str(type), S("application/json"));
    Str all = str_slice(str(type), 0, str_find(str(type), '/'));
    return http_header_has(q, "accept", type) || http_header_has(q, "accept", "*/*") ||
           (str_eq(all, S("application")) && http_header_has(q, "accept", "application/*")) ||
           (str_eq(all, S("text")) && http_header_has(q, "accept", "text/*"));
}

/* --- The stateless era ------------------------------------------------------------------- */

/* A header that must be there, once, in visible ASCII; what is packed in base64 is unpacked. */
static bool read_header(const HttpRequest *q, const char *name, Arena *into, Str *out,
                        RpcError *why)
{
    size_t n = http_header_count(q, name);
    Str value = http_header(q, name);
    if (n != 1)
        return rpc_refuse(why, RPC_HEADER_MISMATCH, "send exactly one header '%s'", name);
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] < ' ' || value.p[i] > '~')
            return rpc_refuse(why, RPC_HEADER_MISMATCH,
                              "header '%s' is not ASCII: use =?base64?...?=", name);
    *out = value;
    if (!str_starts(value, S("=?base64?")) || !str_ends(value, S("?=")) || value.n < 11)
        return true;
    if (base64_read(str_slice(value, 9, value.n - 2), into, out))
        return true;
    return rpc_refuse(why, RPC_HEADER_MISMATCH, "header '%s' is not valid base64", name);
}

static bool check_header(const HttpRequest *q, const char *name, Str body, RpcError *why)
{
    AUTO(Arena) arena = { 0 };
    Str value = { 0 };
    Shown a, b;
    if (!read_header(q, name, &arena, &value, why))
        return false;
    if (str_eq(value, body))
        return true;
    return rpc_refuse(why, RPC_HEADER_MISMATCH, "header '%s' says '%s', but the body says '%s'",
                      name, err_show(&a, value), err_show(&b, body));
}

/* What a request uses, for those methods that say it in a header too; false for the others. */
static bool name_of(const RpcMessage *m, Str *out)
{
    const char *member = NULL;
    if (str_eq(m->method, S("tools/call")) || str_eq(m->method, S("prompts/get")))
        member = "name";
    else if (str_eq(m->method, S("resources/read")))
        member = "uri";
    const json_t *value = member ? json_object_get(m->params, member) : NULL;
    *out = json_str(value);
    return json_is_string(value);
}

static bool check_version(const HttpRequest *q, const RpcMessage *m, RpcError *why)
{
    const json_t *version = json_given(meta_of(m), VERSION);
    if (!version)
        return rpc_refuse(why, RPC_INVALID_PARAMS, "params._meta must have a string '%s'", VERSION);
    if (!json_is_string(version))
        return true; /* the session says what is wrong with it */
    return check_header(q, "mcp-protocol-version", json_str(version), why);
}

bool mcp_headers_check(const HttpRequest *q, const RpcMessage *m, RpcError *why)
{
    Str name;
    if (!check_version(q, m, why) || !check_header(q, "mcp-method", m->method, why))
        return false;
    return !name_of(m, &name) || check_header(q, "mcp-name", name, why);
}

bool mcp_headers_check_old(const HttpRequest *q, RpcError *why)
{
    Str version = header_version(q);
    if (http_header_count(q, "mcp-protocol-version") == 0 || mcp_version_old(version))
        return true;
    return mcp_refuse_version(why, version);
}
