/* loop_tools.c - from the loop's call to act_call, and back. */
#include "agent/loop_tools.h"

#include "agent/prompt_nested.h"

static bool mutates(void *ctx, Str tool, const json_t *args)
{
    /* A tool that is not there does nothing. */
    return act_tool_find(ctx, tool) && act_mutates(ctx, tool, args);
}

/* What there is instead of a tool that is not there. */
static Str unknown(const Act *a, Str said, Arena *into)
{
    AUTO(Buf) text = { 0 };
    const Tool *t;
    buf_addf(&text, "[UNKNOWN TOOL] " STR_FMT ": there are ", STR_ARG(said));
    for (size_t i = 0; (t = act_tool_at(a, i)); i++)
        buf_addf(&text, "%s%s", i ? ", " : "", t->name);
    return arena_copy(into, buf_str(&text));
}

static jot_status call_tool(void *ctx, const LoopCall *call, Arena *into, LoopReply *out, Err *e)
{
    ActReply reply;
    ActCall c = { .id = call->id, .tool = call->tool, .args = call->args };
    TRY(act_call(ctx, &c, into, &reply, e));
    *out = (LoopReply){ .text = reply.text, .failed = reply.failed, .unknown = reply.unknown };
    if (reply.unknown)
        out->text = unknown(ctx, reply.text, into);
    return JOT_OK;
}

static jot_status recall(void *ctx, Str id, Arena *into, LoopReply *out, Err *e)
{
    ActReply reply;
    TRY(act_recall(ctx, id, into, &reply, e));
    *out = (LoopReply){ .text = reply.text, .failed = reply.failed };
    return JOT_OK;
}

static size_t touched(void *ctx, Str tool, const json_t *args, Arena *into, const Str **dirs)
{
    Str *found = NEW_ARRAY(into, Str, NESTED_DIRS_MAX);
    *dirs = found;
    return nested_dirs(act_workdir(ctx), tool, args, into, found);
}

static void rules(void *ctx, Str dir, const Frame *f, size_t tokens, Buf *to, Buf *left_out)
{
    nested_rules_add(act_workdir(ctx), dir, f, tokens, to, left_out);
}

LoopTools loop_tools_of(Act *a)
{
    return (LoopTools){ .mutates = mutates,
                        .call = call_tool,
                        .recall = recall,
                        .touched = touched,
                        .rules = rules,
                        .ctx = a };
}

LlmTool *loop_tools_list(const Act *a, Arena *into, size_t *n)
{
    const Tool *t;
    for (*n = 0; act_tool_at(a, *n);)
        ++*n;
    LlmTool *out = NEW_ARRAY(into, LlmTool, *n + 1);
    for (size_t i = 0; (t = act_tool_at(a, i)); i++) {
        AUTO(Buf) schema = { 0 };
        AUTO_PTR(json_t) value = tool_input_schema(t);
        json_write(&schema, value);
        out[i] = (LlmTool){ .name = arena_copy(into, str(t->name)),
                            .about = arena_copy(into, str(t->about)),
                            .schema = arena_copy(into, buf_str(&schema)) };
    }
    return out;
}
