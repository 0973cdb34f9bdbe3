/* cmd_sink.c - tool results from the shell: put one, show what a context gets, read a range. */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/refusal.h"
#include "memory/artifact/sink.h"
#include "memory/frame/pointer.h"

extern const Cmd cmd_sink;

static jot_status print_view(Session *s, const SinkView *v)
{
    if (s->json)
        print_json(sink_view_json(v));
    else
        print_line(sink_text(v, POINT_SHELL, &s->arena));
    return JOT_OK;
}

static jot_status tell_taken(Session *s, jot_status st, const SinkView *v, bool same)
{
    if (st != JOT_ID_REUSED)
        return st;
    json_t *taken = v->ref.id.n ? sink_view_json(v) : json_object();
    json_object_set_new(taken, "same", json_boolean(same));
    return tell_with(s, st, "persisted", taken);
}

static jot_status run_put(Session *s)
{
    SinkView v = { 0 };
    bool same = false;
    int64_t most;
    SinkPut p = { .call = arg_at(s, 0),
                  .tool = str(opt_text(s, "tool")),
                  .arguments = str(opt_text(s, "arguments")),
                  .task = str(opt_text(s, "task")),
                  .always_inline = opt_given(s, "inline") };
    if (!opt_given(s, "tool"))
        return err_set(&s->err, JOT_INVALID, "say which tool gave the result: --tool NAME");
    TRY(opt_number(s, "max", 1, STORE_BODY_MAX, SINK_INLINE_BYTES, &most));
    p.inline_max = (size_t)most;
    TRY(read_input(s, STORE_BODY_MAX, &p.result));
    TRY(session_open(s, true));
    jot_status st = sink_put(&s->memory, &p, &s->arena, &v, &same, &s->err);
    return st == JOT_OK ? print_view(s, &v) : tell_taken(s, st, &v, same);
}

static jot_status run_show(Session *s)
{
    SinkView v;
    int64_t most;
    TRY(opt_number(s, "max", 1, STORE_BODY_MAX, SINK_INLINE_BYTES, &most));
    TRY(session_open(s, false));
    TRY(sink_view(&s->memory, sink_call(arg_at(s, 0)), (size_t)most, &s->arena, &v, &s->err));
    return print_view(s, &v);
}

static jot_status run_get(Session *s)
{
    SinkSlice slice;
    SinkRange r = { 0 };
    if (opt_given(s, "bytes") && opt_given(s, "lines"))
        return err_set(&s->err, JOT_INVALID, "use --bytes or --lines, not both");
    if (opt_given(s, "bytes")) {
        r.unit = SINK_BYTES;
        TRY(opt_range(s, "bytes", &r.from, &r.count));
    } else if (opt_given(s, "lines")) {
        r.unit = SINK_LINES;
        TRY(opt_range(s, "lines", &r.from, &r.count));
    }
    TRY(session_open(s, false));
    TRY(sink_read(&s->memory, sink_call(arg_at(s, 0)), &r, &s->arena, &slice, &s->err));
    if (s->json)
        print_json(sink_slice_json(&slice));
    else
        print_text(slice.text);
    if (!s->json && slice.text.n == 0 && r.from)
        say("there is nothing from there on: the result has %s, %s",
            counted(slice.bytes, "byte").text, counted(slice.lines, "line").text);
    return JOT_OK;
}

static const Opt put_opts[] = {
    { "tool", "NAME", "the tool that was called; needed" },
    { "arguments", "JSON", "what it was called with" },
    { "task", "ID", "the task it was called for" },
    { "max", "BYTES", "show the whole result up to this size (8192)" },
    { "inline", NULL, "always show the whole result" },
    { 0 },
};

static const Cmd put_cmd = {
    .name = "put",
    .args = "CALL",
    .summary = "Keep the result of a tool call, once and for ever, and print what a context gets",
    .help =
        "The result is read from standard input.  Beyond --max bytes its first 2,000 characters\n"
        "are printed, with the handle that reads the rest.  A call's id is taken for ever.\n",
    .opts = put_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_put,
};

static const Opt get_opts[] = {
    { "bytes", "FROM[:COUNT]", "this range of bytes, from 0 on" },
    { "lines", "FROM[:COUNT]", "this range of lines, from 1 on" },
    { 0 },
};

static const Cmd get_cmd = {
    .name = "get",
    .args = "HANDLE",
    .summary = "Print a result, or a range of it",
    .help = "A handle is tool_results/CALL, or CALL alone.\n",
    .opts = get_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_get,
};

static const Opt show_opts[] = {
    { "max", "BYTES", "show the whole result up to this size (8192)" },
    { 0 },
};

static const Cmd show_cmd = {
    .name = "show",
    .args = "HANDLE",
    .summary = "Print what a context gets of a result, again",
    .help = "",
    .opts = show_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_show,
};

static const Cmd *const subs[] = { &put_cmd, &get_cmd, &show_cmd, NULL };

const Cmd cmd_sink = {
    .name = "sink",
    .args = "",
    .summary = "Results of tools: kept once, shown in part, read back in ranges",
    .help = "They are the artifacts of the category tool_results.\n",
    .subs = subs,
};
