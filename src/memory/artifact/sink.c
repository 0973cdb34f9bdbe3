/* sink.c - results of tools: kept once, shown in part, read back in ranges.
 *
 * The deciding stream is the result's own, artifacts/tool_results/CALL, and it
 * gets exactly one record here: seq 1, appended on condition that there is none.
 *
 *     put CALL --> append, expect seq 0 --> kept          the call is finished
 *                        |
 *                        +-- CONFLICT ----> refused, and the caller learns whether what was
 *                                           kept is the same result
 *
 * A process killed before that append has kept nothing; killed after it, it has kept
 * all, and its next try finds that out.  That a call is finished is therefore a question
 * that reading answers.
 *
 * The body is JSON like every artifact's, so that people can look at it; the
 * result is a string in it, or base64 where it is no text, and comes back with
 * the bytes it had.  One that was imported may be any value: then its JSON is the
 * result, as it is written. */
#include "memory/artifact/sink.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/json_cursor.h"
#include "base/utf8.h"
#include "memory/frame/pointer.h"

/* --- The record ------------------------------------------------------------------------ */

static void add_member(Buf *to, const char *key, Str json)
{
    if (to->n > 1)
        buf_add_char(to, ',');
    json_quote(to, str(key));
    buf_add_char(to, ':');
    buf_add(to, json);
}

static void add_string(Buf *to, const char *key, Str text)
{
    AUTO(Buf) quoted = { 0 };
    if (utf8_valid(text))
        json_quote(&quoted, text);
    else {
        buf_add_char(&quoted, '"');
        base64_write(&quoted, text);
        buf_add_char(&quoted, '"');
    }
    add_member(to, key, buf_str(&quoted));
    to->full = to->full || !buf_ok(&quoted);
}

static jot_status make_body(const SinkPut *p, Buf *to, Err *e)
{
    AUTO(Buf) line = { 0 };
    AUTO_PTR(json_t) arguments = NULL;
    buf_add_char(&line, '{');
    add_string(&line, "tool_call_id", p->call);
    add_string(&line, "tool_name", p->tool);
    if (p->arguments.n) {
        if (json_read(p->arguments, &arguments, e) != JOT_OK)
            return e ? err_at(e, "arguments") : JOT_INVALID;
        add_member(&line, "arguments", p->arguments);
    }
    add_string(&line, utf8_valid(p->result) ? "result" : "result_base64", p->result);
    buf_add_char(&line, '}');
    *to = (Buf){ .max = STORE_BODY_MAX };
    if (buf_ok(&line))
        json_indent(to, buf_str(&line));
    if (!buf_ok(&line) || !buf_ok(to))
        return err_set(e, JOT_TOO_BIG,
                       "a result of %zu bytes: written as JSON it is beyond the limit of %d",
                       p->result.n, STORE_BODY_MAX);
    return JOT_OK;
}

static Str make_meta(const SinkPut *p, Arena *into)
{
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t)
    meta = json_pack("{s:s, s:o, s:I, s:I}", "type", "tool_result", "tool", json_text(p->tool),
                     "bytes", (json_int_t)p->result.n, "lines",
                     (json_int_t)str_count_lines(p->result));
    if (p->task.n)
        json_object_set_new(meta, "task_id", json_text(p->task));
    if (p->always_inline)
        json_object_set_new(meta, "inline", json_true());
    json_write(&text, meta);
    return arena_copy(into, buf_str(&text));
}

/* A result as it was kept. */
typedef struct Kept {
    ArtifactRef ref;
    Str tool, result;
    bool always_inline;
} Kept;

static jot_status corrupt(Str call, Err *e)
{
    Shown shown;
    return err_set(e, JOT_CORRUPT, "'tool_results/%s' does not hold a tool result any more",
                   err_show(&shown, call));
}

static bool find_result(const json_t *body, Str text, Arena *into, Str *out)
{
    const json_t *result = json_object_get(body, "result"),
                 *coded = json_object_get(body, "result_base64");
    if (result) {
        *out = json_is_string(result) ? arena_copy(into, json_str(result))
                                      : arena_copy(into, json_cursor_find(text, S("result")));
        return true;
    }
    return json_is_string(coded) && base64_read(json_str(coded), into, out);
}

static jot_status read_kept(Memory *m, Str call, Arena *into, Kept *out, Err *e)
{
    Str stream;
    Doc doc;
    AUTO_PTR(json_t) body = NULL;
    AUTO_PTR(json_t) meta = NULL;
    *out = (Kept){ .tool = S("") };
    TRY(artifact_stream(S(ARTIFACT_TOOL_RESULTS), call, into, &stream, e));
    TRY(doc_read(m, stream, into, &doc, e));
    out->ref = artifact_ref_of(m, stream, &doc, into);
    if (json_read(doc.text, &body, NULL) != JOT_OK ||
        !find_result(body, doc.text, into, &out->result))
        return corrupt(call, e);
    out->tool = arena_copy(into, json_member(body, "tool_name"));
    if (doc.meta.n && json_read(doc.meta, &meta, NULL) == JOT_OK)
        out->always_inline = json_is_true(json_object_get(meta, "inline"));
    return JOT_OK;
}

/* --- What the context gets ------------------------------------------------------------- */

/* Where a preview ends: after SINK_PREVIEW_CHARS characters, and within the threshold, so that
 * the context never gets more of a spilled result than of one that is not. */
static size_t preview_end(Str text, size_t most)
{
    size_t at = 0;
    for (int i = 0; i < SINK_PREVIEW_CHARS && at < text.n; i++)
        utf8_next(text, &at);
    return at <= most ? at : utf8_floor(text, most);
}

static SinkView view_of(const Kept *k, Str call, size_t inline_max, Arena *into)
{
    size_t most = inline_max ? inline_max : SINK_INLINE_BYTES;
    SinkView v = { .ref = k->ref,
                   .call = arena_copy(into, call),
                   .tool = k->tool,
                   .handle = arena_printf(into, ARTIFACT_TOOL_RESULTS "/" STR_FMT, STR_ARG(call)),
                   .shown = k->result,
                   .text = utf8_valid(k->result),
                   .bytes = k->result.n,
                   .lines = str_count_lines(k->result) };
    if (k->always_inline || k->result.n <= most)
        return v;
    v.shown = str_slice(k->result, 0, v.text ? preview_end(k->result, most) : 0);
    v.spilled = true;
    assert(v.shown.n <= most);
    return v;
}

jot_status sink_write(Memory *m, const SinkPut *p, Arena *into, SinkView *out, bool *same, Err *e)
{
    Str stream;
    Mark mark;
    AUTO(Buf) body = { 0 };
    *out = (SinkView){ 0 };
    if (same)
        *same = false;
    TRY(artifact_stream(S(ARTIFACT_TOOL_RESULTS), p->call, into, &stream, e));
    if (p->tool.n == 0)
        return err_set(e, JOT_INVALID, "a tool's name cannot be empty");
    TRY(memory_check_word("tool", p->tool, ARTIFACT_WORD_MAX, e));
    TRY(artifact_check_task(p->task, e));
    if (p->result.n > STORE_BODY_MAX)
        return err_set(e, JOT_TOO_BIG, "a result of %zu bytes: the limit is %d", p->result.n,
                       STORE_BODY_MAX);
    TRY(make_body(p, &body, e));
    Draft d = { .op = OP_PUT, .meta = make_meta(p, into), .body = buf_str(&body) };
    /* Not "absent": a result that was deleted was kept once, and its call is finished. */
    Expect never = { .kind = EXPECT_SEQ, .seq = 0 };
    jot_status st = memory_append(m, stream, &never, &d, &mark, e);
    if (st == JOT_CONFLICT) { /* the call is taken: by what, and is it the same? */
        Shown shown;
        Kept taken;
        st = read_kept(m, p->call, into, &taken, e);
        if (st != JOT_OK && st != JOT_NOT_FOUND && st != JOT_CORRUPT)
            return st;
        *out = view_of(&taken, p->call, p->inline_max, into);
        if (same)
            *same = st == JOT_OK && hash_eq(taken.ref.sha256, hash_of(d.body));
        return err_set(e, JOT_ID_REUSED,
                       "tool call '%s' already persisted; overwrites are immutable",
                       err_show(&shown, p->call));
    }
    TRY(st);
    assert(mark.seq == 1);
    Doc doc = { .by = m->by, .meta = d.meta, .mark = mark };
    Kept k = { .ref = artifact_ref_of(m, stream, &doc, into),
               .tool = arena_copy(into, p->tool),
               .result = arena_copy(into, p->result),
               .always_inline = p->always_inline };
    *out = view_of(&k, p->call, p->inline_max, into);
    return JOT_OK;
}

jot_status sink_view(Memory *m, Str call, size_t inline_max, Arena *into, SinkView *out, Err *e)
{
    Kept k;
    TRY(read_kept(m, call, into, &k, e));
    *out = view_of(&k, call, inline_max, into);
    return JOT_OK;
}

/* --- Reading back ---------------------------------------------------------------------- */

/* The border of a character at or before `at`; `at` itself where there are none. */
static size_t border(Str whole, bool text, uint64_t at)
{
    size_t n = at < whole.n ? (size_t)at : whole.n;
    return text ? utf8_floor(whole, n) : n;
}

static void slice_bytes(Str whole, bool text, const SinkRange *r, SinkSlice *out)
{
    size_t from = border(whole, text, r->from);
    uint64_t end = r->count && r->count < UINT64_MAX - r->from ? r->from + r->count : UINT64_MAX;
    size_t to = border(whole, text, end);
    if (to <= from && from < whole.n) {
        to = from; /* a range inside one character gives that character */
        if (text)
            utf8_next(whole, &to);
    }
    out->from = from;
    out->to = to;
}

/* Where line `line` (from 1 on) begins; the end of the text if there are fewer. */
static size_t line_start(Str whole, uint64_t line)
{
    size_t at = 0;
    for (uint64_t i = 1; i < line && at < whole.n; i++)
        at += str_find(str_from(whole, at), '\n') + 1;
    return at < whole.n ? at : whole.n;
}

static void slice_lines(Str whole, const SinkRange *r, SinkSlice *out)
{
    uint64_t first = r->from ? r->from : 1;
    uint64_t left = first <= out->lines ? out->lines - first + 1 : 0;
    uint64_t n = r->count && r->count < left ? r->count : left;
    out->from = line_start(whole, first);
    out->to = n == left ? whole.n : out->from + line_start(str_from(whole, out->from), n + 1);
    out->line_from = first;
    out->line_to = first + n - 1;
}

jot_status sink_read(Memory *m, Str call, const SinkRange *range, Arena *into, SinkSlice *out,
                     Err *e)
{
    Kept k;
    TRY(read_kept(m, call, into, &k, e));
    *out = (SinkSlice){ .to = k.result.n, .bytes = k.result.n, .lines = str_count_lines(k.result) };
    switch (range->unit) {
    case SINK_WHOLE:
        break;
    case SINK_BYTES:
        slice_bytes(k.result, utf8_valid(k.result), range, out);
        break;
    case SINK_LINES:
        slice_lines(k.result, range, out);
        break;
    }
    assert(out->from <= out->to && out->to <= k.result.n);
    out->text = str_slice(k.result, out->from, out->to);
    out->more = out->to < k.result.n;
    return JOT_OK;
}

Str sink_call(Str handle)
{
    Str above = S(ARTIFACT_TOOL_RESULTS "/");
    return str_starts(handle, above) ? str_from(handle, above.n) : handle;
}

/* --- For doors ------------------------------------------------------------------------- */

Str sink_text(const SinkView *v, unsigned reach, Arena *into)
{
    if (!v->spilled)
        return v->shown;
    AUTO(Buf) to = { 0 };
    /* Tools hand over text; what is none can be had in a shell. */
    Str stream = arena_printf(into, ARTIFACT_KIND STR_FMT, STR_ARG(v->handle));
    Str on = point_kept(v->text ? reach : POINT_SHELL, v->call, stream, v->shown, into);
    buf_addf(&to, "[Result persisted as " STR_FMT " (%llu bytes, %llu line%s)]\n\n",
             STR_ARG(v->handle), (unsigned long long)v->bytes, (unsigned long long)v->lines,
             v->lines == 1 ? "" : "s");
    if (v->text) {
        buf_add(&to, S("Preview:\n"));
        buf_add(&to, v->shown);
        buf_add(&to, S("\n\n"));
    }
    buf_addf(&to, "[%llu bytes left out; %s with " STR_FMT "]",
             (unsigned long long)(v->bytes - v->shown.n), v->text ? "continue" : "get it",
             STR_ARG(on));
    return arena_copy(into, buf_str(&to));
}

json_t *sink_view_json(const SinkView *v)
{
    return json_pack("{s:o, s:o, s:o, s:b, s:I, s:I, s:o, s:o}", "tool_call_id", json_text(v->call),
                     "tool_name", json_text(v->tool), "handle", json_text(v->handle), "spilled",
                     v->spilled, "bytes", (json_int_t)v->bytes, "lines", (json_int_t)v->lines,
                     "shown", json_text(v->shown), "ref", artifact_ref_json(&v->ref));
}

json_t *sink_slice_json(const SinkSlice *s)
{
    json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:I, s:b}", "text", json_text(s->text), "from",
                            (json_int_t)s->from, "to", (json_int_t)s->to, "bytes",
                            (json_int_t)s->bytes, "lines", (json_int_t)s->lines, "more", s->more);
    if (s->line_from) {
        json_object_set_new(out, "line_from", json_integer((json_int_t)s->line_from));
        json_object_set_new(out, "line_to", json_integer((json_int_t)s->line_to));
    }
    return out;
}
