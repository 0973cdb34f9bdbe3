/* loop_tools.c - the tools of act.h, and the rules of directories they touch, for a loop. */
#include "agent/loop_tools.h"

#include "agent/prompt_nested.h"

static bool mutates(void *act, const Call *call)
{
    return act_mutates(act, call);
}

static jot_status make_call(void *act, const Call *call, Arena *into, Reply *out, Err *e)
{
    return act_call(act, call, into, out, e);
}

static jot_status recall(void *act, Str id, Arena *into, Reply *out, Err *e)
{
    return act_recall(act, id, into, out, e);
}

static size_t touched(void *act, const Call *call, Arena *into, const Str **dirs)
{
    Str *found = NEW_ARRAY(into, Str, NESTED_DIRS_MAX);
    *dirs = found;
    return nested_dirs(act_workdir(act), call, into, found);
}

static void rules(void *act, Str dir, const Frame *f, size_t tokens, Buf *to, Buf *left_out)
{
    nested_rules_add(act_workdir(act), dir, f, tokens, to, left_out);
}

LoopTools loop_tools_of(Act *a)
{
    return (LoopTools){ .mutates = mutates,
                        .call = make_call,
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
