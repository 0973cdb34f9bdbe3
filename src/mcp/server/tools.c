/* tools.c - the tools of src/tool, as MCP lists and calls them. */
#include "mcp/server/tools.h"

bool mcp_tools_list(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    json_t *list = json_array();
    (void)pad, (void)why;
    for (size_t i = 0; tool_at(mcp_options(r->session)->profiles, i); i++)
        json_array_append_new(list, tool_json(tool_at(mcp_options(r->session)->profiles, i)));
    *result = json_pack("{s:o}", "tools", list);
    return true;
}

bool mcp_tools_scope(McpRequest *r, RpcError *why)
{
    Str name;
    Shown shown;
    if (!mcp_param(r, "name", &name, why))
        return false;
    const Tool *t = tool_find(mcp_options(r->session)->profiles, name);
    const json_t *args = json_given(r->msg.params, "arguments");
    if (!t)
        return rpc_refuse(why, RPC_INVALID_PARAMS, "unknown tool '%s'", err_show(&shown, name));
    if (args && !json_is_object(args))
        return rpc_refuse(why, RPC_INVALID_PARAMS, "params.arguments must be an object");
    ToolScope scope = tool_scope(t, args);
    r->subject = scope.subject;
    r->alone = scope.alone;
    r->reads = !(t->effects & (TOOL_WRITES | TOOL_DELETES));
    return true;
}

static void add_text(json_t *to, Str text)
{
    json_array_append_new(to, json_pack("{s:s, s:o}", "type", "text", "text", mcp_text(text)));
}

/* A value and the line about it are two blocks, so that the first one is the value, exactly.  One
 * of nothing but spaces stays in front of its line: there are clients whose provider refuses such a
 * block. */
static json_t *content_of(const ToolReply *r)
{
    json_t *content = json_array();
    if (!str_trim(r->value).n) {
        add_text(content, r->text);
        return content;
    }
    add_text(content, r->value);
    add_text(content, tool_reply_line(r));
    return content;
}

bool mcp_tools_call(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str name;
    AUTO(ToolReply) reply = { 0 };
    Err e = { 0 };
    if (!mcp_param(r, "name", &name, why))
        return false;
    const json_t *args = json_given(r->msg.params, "arguments");
    if (tool_call(&pad->host, name, args, &r->arena, &reply, &e) != JOT_OK)
        return rpc_refuse(why, RPC_INVALID_PARAMS, "%s", e.text);
    *result = json_pack("{s:o}", "content", content_of(&reply));
    if (reply.data)
        json_object_set(*result, "structuredContent", reply.data);
    if (reply.is_error)
        json_object_set_new(*result, "isError", json_true());
    return true;
}
