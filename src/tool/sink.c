/* sink.c - the profile `sink`: results of tools, kept once and read back in parts.
 *
 * Whoever puts a result has it: the answer repeats no more of it than a context should hold.  What
 * the sink has can also be read by its key, with scratchpad_read. */
#include "memory/artifact/sink.h"

#include "base/utf8.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"
#include "tool/sink.h"

jot_status sink_answer(ToolCall *c, Str call, ToolReply *out)
{
    SinkSlice whole;
    AUTO(Buf) label = { 0 };
    TRY(reply_body_check(c));
    TRY(sink_read(c->m, call, &(SinkRange){ 0 }, c->into, &whole, c->e));
    TRY(reply_check_text(call, whole.text, c->e));
    buf_add(&label, S("result of "));
    frame_last_name_add(&label, call);
    reply_body(c, whole.text, buf_str(&label), out);
    return JOT_OK;
}

/* What a context gets of it: the beginning of a long one, and the call that reads on. */
static void tell_kept(ToolCall *c, const SinkView *v, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    bool preview = v->spilled && v->text;
    if (preview) {
        buf_add(&text, v->shown);
        buf_add_char(&text, '\n');
    }
    buf_add(&text, S("kept the result of "));
    frame_name_add(&text, v->call);
    buf_addf(&text, ", %llu bytes", (unsigned long long)v->bytes);
    if (preview) {
        buf_addf(&text, "; its first %zu chars are above; continue with sink_read call=",
                 utf8_count(v->shown));
        frame_name_add(&text, v->call);
        buf_addf(&text, " from_char=%zu", utf8_count(v->shown) + 1);
    }
    out->text = arena_copy(c->into, buf_str(&text));
    if (preview)
        out->value = str_slice(out->text, 0, v->shown.n);
}

static jot_status run_put(ToolCall *c, ToolReply *out)
{
    AUTO(Buf) args = { 0 };
    SinkView view;
    bool same = false;
    if (arg_json(c, "args"))
        json_write(&args, arg_json(c, "args"));
    SinkPut put = { .call = arg_text(c, "call"),
                    .tool = arg_text(c, "tool"),
                    .arguments = buf_str(&args),
                    .result = arg_text(c, "result"),
                    .task = arg_text(c, "task_id") };
    jot_status st = sink_put(c->m, &put, c->into, &view, &same, c->e);
    if (st == JOT_ID_REUSED)
        out->text = arena_printf(c->into, "%s; it is %s", c->e->text,
                                 same ? "this very result: nothing is lost" : "another result");
    TRY(st);
    tell_kept(c, &view, out);
    return JOT_OK;
}

static jot_status run_read(ToolCall *c, ToolReply *out)
{
    return sink_answer(c, sink_call(arg_text(c, "call")), out);
}

extern const Tool tool_sink_put, tool_sink_read;

const Tool tool_sink_put = {
    .name = "sink_put",
    .title = "Keep a result",
    .about =
        "Keep the whole result of a tool call outside your context, once: its id is taken for "
        "ever. Answers with the beginning of a long one and how to read on; keep that instead.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { { "call", PARAM_TEXT, .about = "the id of the call", .max = STORE_SEGMENT_MAX },
                { "tool", PARAM_TEXT, .max = ARTIFACT_WORD_MAX },
                { "result", .type = PARAM_TEXT },
                { "args", PARAM_OBJECT, .optional = true },
                { "task_id", PARAM_TEXT, .optional = true, .max = STORE_SEGMENT_MAX } },
    .run = run_put,
};

const Tool tool_sink_read = {
    .name = "sink_read",
    .title = "Read a result",
    .about = "Read a result that was kept, or as much of it as fits.",
    .effects = TOOL_READS,
    .params = { { "call", PARAM_TEXT, .about = "its id, or tool_results/ID",
                  .max = STORE_NAME_MAX },
                REPLY_BODY_PARAMS },
    .run = run_read,
};
