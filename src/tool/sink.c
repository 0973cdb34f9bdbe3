/* sink.c - the noun `sink`: results of tools, kept once and read back in parts.
 *
 * Anyone who writes a result has it: the answer repeats no more of it than a context should hold.
 * What the sink has can also be read by its key, with scratchpad_read. */
#include "tool/sink.h"

#include "base/utf8.h"
#include "memory/artifact/sink.h"
#include "memory/frame/frame.h"
#include "memory/frame/pointer.h"
#include "tool/template.h"
#include "tool/verb.h"

extern const Noun noun_sink;

/* clang-format off */
static const Param view_fields[] = {
    { "tool_call_id", .type = PARAM_TEXT },
    { "tool_name", .type = PARAM_TEXT },
    { "handle", PARAM_TEXT, .about = "with which to read more" },
    { "spilled", PARAM_BOOL, .about = "there is more than is shown" },
    { "bytes", PARAM_NUMBER, .about = "of the whole result" },
    { "lines", .type = PARAM_NUMBER },
    { "shown", PARAM_TEXT, .about = "the result, or its beginning" },
    { "ref", PARAM_OBJECT, .about = "of the artifact that holds it" },
    { "same", PARAM_BOOL, .about = "of a refusal: it was this very result" },
    { 0 },
};

#define MAX { "inline_max", PARAM_NUMBER, .optional = true, .min = 1, .max = STORE_BODY_MAX, \
              .door = DOOR_CLI, .option = "max", .word = "BYTES", \
              .help = "show the whole result up to this size (8192)" }
/* clang-format on */

/* What a context gets of it, for a reader with a shell or with tools. */
static jot_status give(ToolCall *c, const SinkView *v, VerbData *out)
{
    out->json = sink_view_json(v);
    out->body = sink_text(v, c->shell ? POINT_SHELL : POINT_ALL, c->into);
    return JOT_OK;
}

static size_t most(const ToolCall *c)
{
    return (size_t)arg_number(c, "inline_max", SINK_INLINE_BYTES);
}

static jot_status write_one(ToolCall *c, VerbData *out)
{
    SinkView view = { 0 };
    bool same = false;
    SinkPut put = { .call = arg_text(c, "call"),
                    .tool = arg_text(c, "tool"),
                    .arguments = arg_json_text(c, "args"),
                    .result = arg_text(c, "result"),
                    .task = arg_text(c, "task_id"),
                    .always_inline = arg_bool(c, "inline"),
                    .inline_max = most(c) };
    jot_status st = sink_write(c->m, &put, c->into, &view, &same, c->e);
    if (st == JOT_ID_REUSED) {
        /* A retry of the same call is no mistake: the refusal says which of the two it was. */
        Str is = same ? S("it is this very result: nothing is lost") : S("it is another result");
        verb_next(c, is, is);
        out->json = view.ref.id.n ? sink_view_json(&view) : json_object();
        json_object_set_new(out->json, "same", json_boolean(same));
    }
    TRY(st);
    return give(c, &view, out);
}

/* The beginning of a long one, and the call that reads on. */
static jot_status say_kept(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    const json_t *shown = json_object_get(d->json, "shown");
    Str call = json_str(json_object_get(d->json, "tool_call_id")), preview = json_str(shown);
    bool cut = json_is_true(json_object_get(d->json, "spilled")) && json_is_string(shown);
    if (cut) {
        buf_add(&text, preview);
        buf_add_char(&text, '\n');
    }
    buf_add(&text, S("kept the result of "));
    frame_name_add(&text, call);
    buf_addf(&text, ", %s",
             counted((uint64_t)json_integer_value(json_object_get(d->json, "bytes")), "byte").text);
    if (cut) {
        buf_addf(&text, "; its first %zu chars are above; continue with sink_read call=",
                 utf8_count(preview));
        frame_name_add(&text, call);
        buf_addf(&text, " from_char=%zu", utf8_count(preview) + 1);
    }
    out->text = arena_copy(c->into, buf_str(&text));
    if (cut)
        out->value = str_slice(out->text, 0, preview.n);
    return JOT_OK;
}

static const Verb verb_write = {
    .tool = { .name = "sink_write",
              .title = "Keep a result",
              .about = "Keep the whole result of a tool call outside your context, once: its id is "
                       "taken for ever. Answers with the beginning of a long one and how to read "
                       "on; keep that instead.",
              .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
              .params =
                  PARAMS({ "call", PARAM_TEXT, .about = "the id of the call",
                           .max = STORE_SEGMENT_MAX, .place = 1 },
                         { "tool", PARAM_TEXT, .max = ARTIFACT_WORD_MAX, .word = "NAME",
                           .help = "the tool that was called" },
                         { "result", .type = PARAM_TEXT, .input = INPUT_ONLY },
                         { "args", PARAM_OBJECT, .optional = true, .option = "arguments",
                           .help = "what it was called with" },
                         { "task_id", PARAM_TEXT, .optional = true, .max = STORE_SEGMENT_MAX,
                           .option = "task", .word = "ID", .help = "the task it was called for" },
                         MAX,
                         { "inline", PARAM_BOOL, .optional = true, .door = DOOR_CLI,
                           .help = "always show the whole result" }),
              .run = verb_answer },
    .verb = "write",
    .was = "put",
    .summary = "Keep the result of a tool call, once, and print what goes into a context",
    .help =
        "The result is read from standard input.  Beyond --max bytes its first 2,000 characters\n"
        "are printed, with the handle that reads the rest.  A call's id can never be used again.\n",
    .fields = view_fields,
    .shows = "", /* what a context gets, and a line break */
    .refused = "persisted",
    .run = write_one,
    .say = say_kept,
};

/* --- Reading -------------------------------------------------------------------------------- */

/* FROM or FROM:COUNT. */
static jot_status read_range(const ToolCall *c, const char *name, const char *option, SinkUnit unit,
                             SinkRange *out)
{
    Shown shown;
    Str first, rest = arg_text(c, name);
    bool both = str_cut(&rest, ':', &first);
    out->unit = unit;
    if (str_to_u64(both ? first : rest, INT64_MAX, &out->from) &&
        (!both || (str_to_u64(rest, INT64_MAX, &out->count) && out->count)))
        return JOT_OK;
    return err_set(c->e, JOT_INVALID, "%s '%s': use FROM or FROM:COUNT", option,
                   err_show(&shown, arg_text(c, name)));
}

static jot_status read_one(ToolCall *c, VerbData *out)
{
    SinkSlice slice;
    SinkRange r = { 0 };
    if (arg_given(c, "byte_range") && arg_given(c, "line_range"))
        return err_set(c->e, JOT_INVALID, "use %s, not both",
                       c->shell ? "--bytes or --lines" : "'byte_range' or 'line_range'");
    if (arg_given(c, "byte_range"))
        TRY(read_range(c, "byte_range", c->shell ? "--bytes" : "'byte_range'", SINK_BYTES, &r));
    else if (arg_given(c, "line_range"))
        TRY(read_range(c, "line_range", c->shell ? "--lines" : "'line_range'", SINK_LINES, &r));
    TRY(sink_read(c->m, sink_call(arg_text(c, "call")), &r, c->into, &slice, c->e));
    out->json = sink_slice_json(&slice);
    out->body = slice.text.p ? slice.text : S("");
    if (!slice.text.n && r.from)
        json_object_set_new(
            out->json, "notice",
            json_text(arena_printf(c->into, "there is nothing from there on: the result has %s, %s",
                                   counted(slice.bytes, "byte").text,
                                   counted(slice.lines, "line").text)));
    return JOT_OK;
}

static jot_status say_result(ToolCall *c, Str call, Str text, ToolReply *out)
{
    AUTO(Buf) label = { 0 };
    TRY(reply_check_text(call, text, c->e));
    buf_add(&label, S("result of "));
    frame_last_name_add(&label, call);
    reply_body(c, text, buf_str(&label), out);
    return JOT_OK;
}

jot_status sink_answer(ToolCall *c, Str call, ToolReply *out)
{
    SinkSlice whole;
    TRY(reply_body_check(c));
    TRY(sink_read(c->m, call, &(SinkRange){ 0 }, c->into, &whole, c->e));
    return say_result(c, call, whole.text, out);
}

static jot_status say_read(ToolCall *c, const VerbData *d, ToolReply *out)
{
    return say_result(c, sink_call(arg_text(c, "call")), d->body, out);
}

static const Verb verb_read = {
    .tool = { .name = "sink_read",
              .title = "Read a result",
              .about = "Read a result that was kept, or as much of it as fits.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "call", PARAM_TEXT, .about = "its id, or tool_results/ID",
                    .max = STORE_NAME_MAX, .place = 1, .word = "HANDLE" },
                  { "byte_range", PARAM_TEXT, .optional = true, .door = DOOR_CLI, .option = "bytes",
                    .word = "FROM[:COUNT]", .help = "this range of bytes, counted from 0" },
                  { "line_range", PARAM_TEXT, .optional = true, .door = DOOR_CLI, .option = "lines",
                    .word = "FROM[:COUNT]", .help = "this range of lines, counted from 1" },
                  REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .was = "get",
    .summary = "Print a result, or a range of it",
    .help = "A handle is tool_results/CALL, or CALL alone.\n",
    .fields = (const Param[]){ { "text", .type = PARAM_TEXT },
                               { "from", PARAM_NUMBER, .about = "first byte, counted from 0" },
                               { "to", PARAM_NUMBER, .about = "the byte after the last" },
                               { "bytes", PARAM_NUMBER, .about = "of the whole result" },
                               { "lines", .type = PARAM_NUMBER },
                               { "more", .type = PARAM_BOOL },
                               { "line_from", .type = PARAM_NUMBER },
                               { "line_to", .type = PARAM_NUMBER },
                               { "notice", .type = PARAM_TEXT },
                               { 0 } },
    .run = read_one,
    .say = say_read,
};

static jot_status view(ToolCall *c, VerbData *out)
{
    SinkView v;
    TRY(sink_view(c->m, sink_call(arg_text(c, "call")), most(c), c->into, &v, c->e));
    return give(c, &v, out);
}

static const Verb verb_view = {
    .tool = { .effects = TOOL_READS,
              .params = PARAMS(
                  { "call", PARAM_TEXT, .max = STORE_NAME_MAX, .place = 1, .word = "HANDLE" }, MAX),
              .run = verb_answer },
    .verb = "view",
    .was = "show",
    .summary = "Print again what goes into a context",
    .fields = view_fields,
    .shows = "",
    .run = view,
};

static const Verb *const verbs[] = { &verb_write, &verb_read, &verb_view, NULL };

const Noun noun_sink = {
    .name = "sink",
    .summary = "Results of tools: kept once, shown in part, read back in ranges",
    .help = "They are the artifacts of the category tool_results.\n",
    .verbs = verbs,
    .profile = TOOLS_SINK,
};
