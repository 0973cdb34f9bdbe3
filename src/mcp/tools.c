/* tools.c - the tools of src/tool, as MCP lists and calls them. */
#include "mcp/plugin.h"
#include "mcp/session.h"

bool mcp_tools_list(McpSession *s, McpRequest *r, McpDesk *desk, json_t **result, RpcError *why)
{
    json_t *list = json_array();
    (void)r, (void)desk, (void)why;
    for (size_t i = 0; tool_at(mcp_options(s)->profiles, i); i++)
        json_array_append_new(list, tool_json(tool_at(mcp_options(s)->profiles, i)));
    mcp_plugin_list(s, "tools", list);
    *result = json_pack("{s:o}", "tools", list);
    return true;
}

bool mcp_tools_call(McpSession *s, McpRequest *r, McpDesk *desk, json_t **result, RpcError *why)
{
    Str name;
    AUTO(ToolReply) reply = { 0 };
    Err e = { 0 };
    (void)s;
    if (!mcp_param(r, "name", &name, why))
        return false;
    const json_t *args = json_given(r->msg.params, "arguments");
    if (tool_call(&desk->host, name, args, &r->arena, &reply, &e) != JOT_OK)
        return mcp_refuse(why, RPC_INVALID_PARAMS, "%s", e.text);
    *result =
        json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text", mcp_text(reply.text));
    if (reply.data)
        json_object_set(*result, "structuredContent", reply.data);
    if (reply.is_error)
        json_object_set_new(*result, "isError", json_true());
    return true;
}
