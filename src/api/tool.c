/* tool.c - what an agent can say, of jotter.h: for a program that has its own loop. */
#include "tool/tool.h"
#include "api/api.h"

static json_t *tools_json(unsigned set)
{
    AUTO_PTR(json_t) list = json_array();
    for (size_t i = 0; tool_at(set, i); i++)
        json_array_append_new(list, tool_json(tool_at(set, i)));
    return TAKE(list);
}

jot_status jot_tools(jot_pad *pad, const char *profiles, const char **out)
{
    unsigned set = 0;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(tool_profiles(str(profiles), &set, api_err(pad)));
    GIVE(out, api_give_json(pad, tools_json(set)));
    return JOT_OK;
}

jot_status jot_tool_call(jot_pad *pad, const char *name, const char *args,
                         const jot_tool_reply **out)
{
    Str tool;
    AUTO(ToolReply) reply = { 0 };
    AUTO_PTR(json_t) given = NULL;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a tool's name", name, &tool));
    if (args)
        TRY(json_read(str(args), &given, api_err(pad)));
    ToolHost host = { .m = &pad->m, .profiles = TOOLS_ALL, .dialect = pad->dialect };
    TRY(tool_call(&host, tool, given, api_arena(pad), &reply, api_err(pad)));
    jot_tool_reply *r = NEW_RESULT(pad, jot_tool_reply);
    r->is_error = reply.is_error;
    r->text = api_give_text(pad, reply.text);
    r->value = api_give_text(pad, reply.value);
    r->has_value = reply.value.p != NULL;
    r->data = reply.data ? api_give_json(pad, TAKE(reply.data)) : NULL;
    GIVE(out, r);
    return JOT_OK;
}
