/* tool.c - what an agent can say, of jotter.h: for whoever has a loop of his own. */
#include "tool/tool.h"
#include "api/api.h"

jot_status jot_tools(jot_pad *pad, const char *profiles, const char **out)
{
    unsigned set = 0;
    GIVE(out, NULL);
    TRY(api_begin(pad));
    TRY(tool_profiles(str(profiles), &set, api_err(pad)));
    json_t *list = json_array();
    for (size_t i = 0; tool_at(set, i); i++)
        json_array_append_new(list, tool_json(tool_at(set, i)));
    GIVE(out, api_give_json(pad, list));
    return JOT_OK;
}

jot_status jot_tool_call(jot_pad *pad, const char *name, const char *args,
                         const jot_tool_reply **out)
{
    Str tool;
    AUTO(ToolReply) reply = { 0 };
    GIVE(out, NULL);
    TRY(api_begin(pad));
    TRY(api_name(pad, "a tool's name", name, &tool));
    json_t *read = NULL;
    if (args)
        TRY(json_read(str(args), &read, api_err(pad)));
    AUTO_PTR(json_t) given = read;
    ToolHost host = { .m = &pad->m, .profiles = TOOLS_ALL };
    TRY(tool_call(&host, tool, given, api_arena(pad), &reply, api_err(pad)));
    jot_tool_reply *r = NEW_RESULT(pad, jot_tool_reply);
    r->is_error = reply.is_error;
    r->text = api_give_text(pad, reply.text);
    r->data = reply.data ? api_give_json(pad, TAKE(reply.data)) : NULL;
    GIVE(out, r);
    return JOT_OK;
}
