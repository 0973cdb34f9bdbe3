/* sink.c - the sink of jotter.h: results of tools, whole in the pad, in part in the context. */
#include "memory/artifact/sink.h"

#include "api/api.h"
#include "memory/frame/pointer.h"

static jot_kept *give(jot_pad *p, const SinkView *v)
{
    jot_kept *k = NEW_RESULT(p, jot_kept);
    *k = (jot_kept){ .call = api_give_name(p, v->call),
                     .tool = api_give_name(p, v->tool),
                     .handle = api_give_name(p, v->handle),
                     .shown = api_give_text(p, v->shown),
                     .prompt = api_give_text(p, sink_text(v, POINT_ALL, api_arena(p))),
                     .spilled = v->spilled,
                     .is_text = v->text,
                     .bytes = v->bytes,
                     .lines = v->lines,
                     .sha256 = api_give_hash(p, v->ref.sha256),
                     .at_ms = v->ref.at_ms,
                     .by = api_give_name(p, v->ref.by) };
    return k;
}

jot_status jot_sink_write(jot_pad *pad, const char *call, const char *tool, jot_text result,
                          const jot_sink_options *options, const jot_kept **out)
{
    jot_sink_options o;
    SinkPut put = { 0 };
    SinkView view;
    bool same = false;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a call's id", call, &put.call));
    TRY(api_name(pad, "a tool's name", tool, &put.tool));
    TRY(api_text(pad, result, &put.result));
    TRY(api_options(pad, options, &o, sizeof o));
    put.arguments = str(o.arguments);
    put.task = str(o.task);
    put.inline_max = o.inline_max;
    put.always_inline = o.always_inline;
    jot_status st = sink_write(&pad->m, &put, api_arena(pad), &view, &same, api_err(pad));
    if (st != JOT_OK && st != JOT_ID_REUSED)
        return st;
    jot_kept *kept = give(pad, &view);
    kept->same = same;
    GIVE(out, kept);
    return st;
}

jot_status jot_sink_view(jot_pad *pad, const char *call, size_t inline_max, const jot_kept **out)
{
    Str id;
    SinkView view;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a call's id", call, &id));
    TRY(sink_view(&pad->m, sink_call(id), inline_max, api_arena(pad), &view, api_err(pad)));
    GIVE(out, give(pad, &view));
    return JOT_OK;
}

static jot_status unit_of(jot_pad *p, jot_unit given, SinkUnit *out)
{
    switch (given) {
    case JOT_WHOLE:
        *out = SINK_WHOLE;
        return JOT_OK;
    case JOT_BYTES:
        *out = SINK_BYTES;
        return JOT_OK;
    case JOT_LINES:
        *out = SINK_LINES;
        return JOT_OK;
    }
    return err_set(api_err(p), JOT_INVALID, "no unit %d: use JOT_WHOLE, JOT_BYTES or JOT_LINES",
                   (int)given);
}

jot_status jot_sink_read(jot_pad *pad, const char *call, jot_unit unit, uint64_t from,
                         uint64_t count, const jot_slice **out)
{
    Str id;
    SinkRange range = { .from = from, .count = count };
    SinkSlice s;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(api_name(pad, "a call's id", call, &id));
    TRY(unit_of(pad, unit, &range.unit));
    TRY(sink_read(&pad->m, sink_call(id), &range, api_arena(pad), &s, api_err(pad)));
    jot_slice *slice = NEW_RESULT(pad, jot_slice);
    *slice = (jot_slice){ .text = api_give_text(pad, s.text),
                          .from = s.from,
                          .to = s.to,
                          .line_from = s.line_from,
                          .line_to = s.line_to,
                          .bytes = s.bytes,
                          .lines = s.lines,
                          .more = s.more };
    GIVE(out, slice);
    return JOT_OK;
}
