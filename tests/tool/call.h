/* call.h - calling tools at a desk: arguments as JSON text, answers as text. */
#ifndef TESTS_TOOL_CALL_H
#define TESTS_TOOL_CALL_H

#include "memory/desk.h"
#include "tool/tool.h"

static inline ToolReply call_on(Desk *d, ToolHost *h, const char *tool, const char *args)
{
    ToolReply r;
    json_t *read = NULL;
    desk_ok(d, json_read(str(args), &read, &d->e));
    AUTO_PTR(json_t) object = read;
    desk_ok(d, tool_call(h, str(tool), object, &d->a, &r, &d->e));
    return r;
}

/* With all tools, on the desk's own pad. */
static inline ToolReply call(Desk *d, const char *tool, const char *args)
{
    ToolHost h = { .m = &d->m, .profiles = TOOLS_ALL };
    return call_on(d, &h, tool, args);
}

/* The answer is exactly this, and no error. */
static inline void says(Desk *d, const char *tool, const char *args, const char *want)
{
    AUTO(ToolReply) r = call(d, tool, args);
    assert_text(r.text, want);
    assert_false(r.is_error);
}

/* The answer is an error that is exactly this. */
static inline void refuses(Desk *d, const char *tool, const char *args, const char *want)
{
    AUTO(ToolReply) r = call(d, tool, args);
    assert_text(r.text, want);
    assert_true(r.is_error);
}

#endif
