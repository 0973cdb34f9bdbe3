/* responses_stream.c - OpenAI's Responses: what an event adds to a reply.
 *
 * Every event says its type.  A reply is a list of items, each begun, grown and done by
 * its output_index; three kinds matter:
 *
 *     message        output_text.delta               a text
 *     function_call  function_call_arguments.delta   a call
 *     reasoning      (whole, in output_item.done)    a raw part, if it can go back
 *
 * What came in pieces is not read again when it is done; what came only whole is taken
 * then, for a server may leave the pieces out.  The reply is whole at response.completed
 * or response.incomplete, and at nothing else: both carry the count of tokens.
 *
 * Reasoning is kept if it is encrypted, which is how it can go back (responses.c), and
 * only before a call: nobody wants that of an answer back. */
#include <string.h>

#include "llm/fault.h"
#include "llm/wire.h"

static void take_usage(Draft *d, const json_t *usage)
{
    if (!json_is_object(usage))
        return;
    uint64_t all = draft_number(usage, "input_tokens");
    uint64_t cached = draft_number(json_object_get(usage, "input_tokens_details"), "cached_tokens");
    d->usage.cache_read = cached < all ? cached : all;
    d->usage.input = all - d->usage.cache_read;
    d->usage.output = draft_number(usage, "output_tokens");
}

/* The part of an item, made if there is none yet.  A server that numbers nothing has one item. */
static jot_status part_of(Draft *d, LlmPartKind kind, const json_t *event, DraftPart **out, Err *e)
{
    int64_t index = (int64_t)draft_number(event, "output_index");
    *out = draft_find(d, index);
    if (*out && (*out)->kind == kind)
        return JOT_OK;
    return draft_add(d, kind, index, out, e);
}

static jot_status add_text(Draft *d, const json_t *event, Str text, Err *e)
{
    DraftPart *p;
    if (text.n == 0)
        return JOT_OK;
    TRY(part_of(d, LLM_TEXT, event, &p, e));
    return draft_say(d, p, text, e);
}

/* A call has begun, or is done; whatever of it is not known yet is taken. */
static jot_status take_call(Draft *d, const json_t *event, const json_t *item, Err *e)
{
    DraftPart *p = draft_find(d, (int64_t)draft_number(event, "output_index"));
    Str id = json_member(item, "call_id");
    /* Another call under the same number is another call. */
    if (!p || p->kind != LLM_CALL || (p->id.n && id.n && !str_eq(buf_str(&p->id), id)))
        TRY(draft_add(d, LLM_CALL, (int64_t)draft_number(event, "output_index"), &p, e));
    if (p->id.n == 0)
        TRY(draft_grow(d, &p->id, id, e));
    if (p->name.n == 0)
        TRY(draft_grow(d, &p->name, json_member(item, "name"), e));
    return p->args.n ? JOT_OK : draft_grow(d, &p->args, json_member(item, "arguments"), e);
}

static jot_status add_args(Draft *d, const json_t *event, Str args, Err *e)
{
    DraftPart *p;
    if (args.n == 0)
        return JOT_OK;
    TRY(part_of(d, LLM_CALL, event, &p, e));
    return draft_grow(d, &p->args, args, e);
}

static jot_status take_reasoning(Draft *d, json_t *item, Err *e)
{
    AUTO(Buf) size = { 0 };
    DraftPart *p;
    if (!json_member(item, "encrypted_content").n)
        return JOT_OK;
    json_object_del(item, "status"); /* which may not be sent */
    json_write(&size, item);
    d->bytes += size.n;
    TRY(draft_add(d, LLM_RAW, -1, &p, e));
    p->block = json_pack("{s:s, s:o, s:O}", "type", "response_item", "base", json_text(d->base),
                         "item", item);
    return draft_grow(d, &p->text, (Str){ 0 }, e); /* which knows the limit */
}

/* The texts of a message that came whole. */
static jot_status take_message(Draft *d, const json_t *event, const json_t *item, Err *e)
{
    const DraftPart *had = draft_find(d, (int64_t)draft_number(event, "output_index"));
    const json_t *content = json_object_get(item, "content");
    if (had && had->kind == LLM_TEXT)
        return JOT_OK;
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i);
        if (str_eq(json_member(part, "type"), S("output_text")))
            TRY(add_text(d, event, json_member(part, "text"), e));
        else if (d->why.n == 0)
            TRY(draft_grow(d, &d->why, json_member(part, "refusal"), e));
    }
    return JOT_OK;
}

static jot_status take_item(Draft *d, const json_t *event, bool done, Err *e)
{
    json_t *item = json_object_get(event, "item");
    Str type = json_member(item, "type");
    if (str_eq(type, S("function_call"))) {
        TRY(take_call(d, event, item, e));
        DraftPart *p = draft_find(d, (int64_t)draft_number(event, "output_index"));
        p->closed = p->closed || (done && !str_eq(json_member(item, "status"), S("incomplete")));
        return JOT_OK;
    }
    if (done && str_eq(type, S("reasoning")))
        return take_reasoning(d, item, e);
    return done && str_eq(type, S("message")) ? take_message(d, event, item, e) : JOT_OK;
}

/* Reasoning after which no call comes. */
static void drop_reasoning(Draft *d)
{
    bool call = false;
    for (size_t i = d->n; i-- > 0;) {
        DraftPart *p = &d->parts[i];
        call = call || p->kind == LLM_CALL;
        if (p->kind != LLM_RAW || call)
            continue;
        buf_free(&p->text);
        json_decref(p->block);
        memmove(p, p + 1, (d->n - i - 1) * sizeof *p);
        d->n--;
    }
}

/* The end of a reply: response.completed or response.incomplete. */
static jot_status finish(Draft *d, const json_t *response, Err *e)
{
    const json_t *details = json_object_get(response, "incomplete_details");
    Str reason = json_member(details, "reason");
    take_usage(d, json_object_get(response, "usage"));
    d->stopped = true;
    drop_reasoning(d);
    if (str_eq(reason, S("max_output_tokens")))
        d->stop = LLM_STOP_MAX_TOKENS;
    else if (str_eq(reason, S("content_filter")) || (!reason.n && d->why.n))
        d->stop = LLM_STOP_REFUSAL;
    else
        d->stop = reason.n ? LLM_STOP_OTHER : LLM_STOP_END;
    return d->stop == LLM_STOP_OTHER ? draft_grow(d, &d->why, reason, e) : JOT_OK;
}

/* A server that does not stream: all of it in one answer. */
static jot_status take_whole(Draft *d, const json_t *response, Err *e)
{
    const json_t *output = json_object_get(response, "output");
    TRY(draft_grow(d, &d->model, json_member(response, "model"), e));
    for (size_t i = 0; i < json_array_size(output); i++) {
        AUTO_PTR(json_t)
        event = json_pack("{s:I, s:O}", "output_index", (json_int_t)i, "item",
                          json_array_get(output, i));
        TRY(take_item(d, event, true, e));
    }
    return finish(d, response, e);
}

jot_status responses_event(Draft *d, const SseEvent *event, Err *e)
{
    AUTO_PTR(json_t) data = NULL;
    if (str_eq(event->data, S("[DONE]")))
        return JOT_OK;
    jot_status st = draft_read(event->data, &data, e);
    if (st != JOT_OK) {
        d->retry = true;
        return st;
    }
    Str type = json_member(data, "type");
    const json_t *response = json_object_get(data, "response");
    const json_t *error = json_object_get(response ? response : data, "error");
    if (error && !json_is_null(error))
        return fault_read_json(0, error, d->key, &d->retry, e);
    if (str_eq(type, S("error")) || str_eq(event->name, S("error")))
        return fault_read_json(0, data, d->key, &d->retry, e);
    if (!type.n && json_is_array(json_object_get(data, "output")))
        return take_whole(d, data, e);
    if (d->model.n == 0)
        TRY(draft_grow(d, &d->model, json_member(response, "model"), e));
    if (str_eq(type, S("response.output_text.delta")))
        return add_text(d, data, json_member(data, "delta"), e);
    if (str_eq(type, S("response.refusal.delta")))
        return draft_grow(d, &d->why, json_member(data, "delta"), e);
    if (str_eq(type, S("response.function_call_arguments.delta")))
        return add_args(d, data, json_member(data, "delta"), e);
    if (str_eq(type, S("response.output_item.added")))
        return take_item(d, data, false, e);
    if (str_eq(type, S("response.output_item.done")))
        return take_item(d, data, true, e);
    if (str_eq(type, S("response.completed")) || str_eq(type, S("response.incomplete")))
        return finish(d, response, e);
    return JOT_OK;
}
