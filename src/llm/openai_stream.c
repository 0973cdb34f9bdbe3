/* openai_stream.c - OpenAI's chat completions: what an event adds to a reply.
 *
 * The text is one part, in front; calls are put together by their index.  Who
 * only speaks like OpenAI leaves out indexes and ids, calls everything 0, sends
 * arguments whole or as an object, says "stop" where calls wait, or does not
 * stream at all: all of that is understood.
 *
 * Some servers want back what their model thought before it made a call, and refuse
 * the results of calls without it.  It comes in a member of its own (reasoning_content
 * or reasoning) or, from Gemini, as extra_content of the call.  Both are kept as raw
 * parts that say where they come from, so that they go back there and nowhere else
 * (openai.c).  Reasoning before an answer is not kept: nobody wants that back. */
#include <assert.h>
#include <string.h>

#include "llm/fault.h"
#include "llm/wire.h"

enum { TEXT_INDEX = -2, REASONING_INDEX = -3 }; /* no server's number for a call */

static void take_usage(Draft *d, const json_t *usage)
{
    if (!json_is_object(usage))
        return;
    uint64_t all = draft_number(usage, "prompt_tokens");
    uint64_t cached =
        draft_number(json_object_get(usage, "prompt_tokens_details"), "cached_tokens");
    if (!cached) /* DeepSeek's word for it */
        cached = draft_number(usage, "prompt_cache_hit_tokens");
    d->usage.cache_read = cached < all ? cached : all;
    d->usage.input = all - d->usage.cache_read;
    d->usage.output = draft_number(usage, "completion_tokens");
}

static jot_status add_text(Draft *d, Str text, Err *e)
{
    DraftPart *p = draft_find(d, TEXT_INDEX);
    if (text.n == 0)
        return JOT_OK;
    if (!p) /* in front of the calls, as it goes back */
        TRY(draft_add_first(d, LLM_TEXT, TEXT_INDEX, &p, e));
    return draft_say(d, p, text, e);
}

/* A text, or a list of parts of which some are text (Mistral's models that think). */
static jot_status add_content(Draft *d, const json_t *content, Err *e)
{
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i);
        if (str_eq(json_member(part, "type"), S("text")))
            TRY(add_text(d, json_member(part, "text"), e));
    }
    return add_text(d, json_str(content), e);
}

/* One of the names; a server that uses both says the same in both. */
static jot_status add_reasoning(Draft *d, const char *name, Str text, Err *e)
{
    DraftPart *p = draft_find(d, REASONING_INDEX);
    if (text.n == 0 || (p && !json_object_get(p->block, name)))
        return JOT_OK;
    if (!p) {
        TRY(draft_add_first(d, LLM_RAW, REASONING_INDEX, &p, e));
        p->block =
            json_pack("{s:s, s:o, s:s}", "type", "reasoning", "base", json_text(d->base), name, "");
    }
    return draft_grow(d, &p->text, text, e);
}

/* Without a call nobody wants to see it again. */
static void drop_reasoning(Draft *d)
{
    DraftPart *p = draft_find(d, REASONING_INDEX);
    for (size_t i = 0; i < d->n; i++)
        if (d->parts[i].kind == LLM_CALL)
            return;
    if (!p)
        return;
    buf_free(&p->text);
    json_decref(p->block);
    assert(p >= d->parts && p < d->parts + d->n);
    memmove(p, p + 1, (size_t)(d->parts + d->n - (p + 1)) * sizeof *p);
    d->n--;
}

/* The call that a fragment belongs to; NULL: it begins a new one. */
static DraftPart *call_of(Draft *d, const json_t *fragment)
{
    const json_t *index = json_object_get(fragment, "index");
    Str id = json_member(fragment, "id");
    Str name = json_member(json_object_get(fragment, "function"), "name");
    DraftPart *p = NULL;
    if (json_is_integer(index))
        p = draft_find(d, json_integer_value(index));
    else if (d->n && d->parts[d->n - 1].kind == LLM_CALL)
        p = &d->parts[d->n - 1];
    if (!p || p->kind != LLM_CALL)
        return NULL;
    /* Servers that number every call 0 part them by their ids. */
    if (id.n)
        return p->id.n == 0 || str_eq(buf_str(&p->id), id) ? p : NULL;
    /* A second name without an id, and the first call is whole: it must be another one. */
    Str args = buf_str(&p->args);
    bool whole = name.n && p->name.n && str_ends(args, S("}")) && llm_is_object(args);
    if (whole)
        return NULL;
    return p;
}

static jot_status add_call(Draft *d, const json_t *fragment, Err *e)
{
    const json_t *index = json_object_get(fragment, "index");
    const json_t *function = json_object_get(fragment, "function");
    DraftPart *p = call_of(d, fragment);
    if (!json_is_object(function))
        return JOT_OK;
    if (!p)
        TRY(draft_add(d, LLM_CALL, json_is_integer(index) ? json_integer_value(index) : -1, &p, e));
    if (p->id.n == 0)
        TRY(draft_grow(d, &p->id, json_member(fragment, "id"), e));
    if (p->name.n == 0)
        TRY(draft_grow(d, &p->name, json_member(function, "name"), e));
    json_t *extra = json_object_get(fragment, "extra_content");
    if (json_is_object(extra) && !p->block) {
        /* What the server wants to see again beside this call. */
        AUTO(Buf) size = { 0 };
        json_write(&size, extra);
        d->bytes += size.n;
        p->block = json_pack("{s:s, s:o, s:O}", "type", "extra_content", "base", json_text(d->base),
                             "extra_content", extra);
        TRY(draft_grow(d, &p->text, (Str){ 0 }, e)); /* which knows the limit */
    }
    const json_t *args = json_object_get(function, "arguments");
    if (!json_is_object(args))
        return draft_grow(d, &p->args, json_str(args), e);
    AUTO(Buf) text = { 0 };
    json_write(&text, args);
    return draft_grow(d, &p->args, buf_str(&text), e);
}

static LlmStop stop_of(Str reason)
{
    static const struct {
        const char *reason;
        LlmStop stop;
    } stops[] = {
        { "stop", LLM_STOP_END },
        { "tool_calls", LLM_STOP_CALLS },
        { "function_call", LLM_STOP_CALLS },
        { "length", LLM_STOP_MAX_TOKENS },
        { "content_filter", LLM_STOP_REFUSAL },
    };
    for (size_t i = 0; i < COUNT_OF(stops); i++)
        if (str_eq(reason, str(stops[i].reason)))
            return stops[i].stop;
    return LLM_STOP_OTHER;
}

static jot_status finish(Draft *d, Str reason, Err *e)
{
    /* A model that refuses in words ends with "stop". */
    d->stop = d->why.n && str_eq(reason, S("stop")) ? LLM_STOP_REFUSAL : stop_of(reason);
    d->stopped = true;
    drop_reasoning(d);
    for (size_t i = 0; i < d->n; i++)
        d->parts[i].closed = true;
    return d->stop == LLM_STOP_OTHER ? draft_grow(d, &d->why, reason, e) : JOT_OK;
}

static jot_status take_choice(Draft *d, const json_t *choice, Err *e)
{
    const json_t *delta = json_object_get(choice, "delta");
    const json_t *reason = json_object_get(choice, "finish_reason");
    if (!delta)
        delta = json_object_get(choice, "message"); /* not a stream */
    TRY(add_reasoning(d, "reasoning_content", json_member(delta, "reasoning_content"), e));
    TRY(add_reasoning(d, "reasoning", json_member(delta, "reasoning"), e));
    TRY(add_content(d, json_object_get(delta, "content"), e));
    TRY(draft_grow(d, &d->why, json_member(delta, "refusal"), e));
    const json_t *calls = json_object_get(delta, "tool_calls");
    for (size_t i = 0; i < json_array_size(calls); i++)
        TRY(add_call(d, json_array_get(calls, i), e));
    return json_str(reason).n ? finish(d, json_str(reason), e) : JOT_OK;
}

jot_status openai_event(Draft *d, const SseEvent *event, Err *e)
{
    AUTO_PTR(json_t) data = NULL;
    /* Not every server says why it stopped. */
    if (str_eq(event->data, S("[DONE]")))
        return d->stopped || d->n == 0 ? JOT_OK : finish(d, S("stop"), e);
    jot_status st = draft_read(event->data, &data, e);
    if (st != JOT_OK) {
        d->retry = true;
        return st;
    }
    const json_t *error = json_object_get(data, "error");
    if (error && !json_is_null(error))
        return fault_read_json(0, error, d->key, &d->retry, e);
    if (str_eq(event->name, S("error")))
        return fault_read_json(0, data, d->key, &d->retry, e);
    if (d->model.n == 0)
        TRY(draft_grow(d, &d->model, json_member(data, "model"), e));
    take_usage(d, json_object_get(data, "usage"));
    const json_t *choices = json_object_get(data, "choices");
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const json_t *choice = json_array_get(choices, i);
        if (draft_number(choice, "index") == 0)
            TRY(take_choice(d, choice, e));
    }
    return JOT_OK;
}
