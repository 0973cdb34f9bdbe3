/* anthropic_stream.c - Anthropic's Messages: what an event adds to a reply.
 *
 *     message_start
 *       content_block_start, content_block_delta ..., content_block_stop   for each block
 *     message_delta      why it stopped, and what it cost
 *     message_stop
 *
 * with `ping` anywhere and `error` instead of the rest.  The data says its own
 * type; the event's name is not looked at.  What is unknown is passed over,
 * but for blocks: they belong to the message and are kept to be sent back. */
#include "llm/fault.h"
#include "llm/wire.h"

static int64_t index_of(const json_t *data)
{
    const json_t *index = json_object_get(data, "index");
    return json_is_integer(index) ? json_integer_value(index) : -1;
}

/* Every number counts from the beginning: the newest is the right one. */
static void take_usage(Draft *d, const json_t *usage)
{
    static const char *const names[] = { "input_tokens", "cache_read_input_tokens",
                                         "cache_creation_input_tokens", "output_tokens" };
    uint64_t *const to[] = { &d->usage.input, &d->usage.cache_read, &d->usage.cache_write,
                             &d->usage.output };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const json_t *n = json_object_get(usage, names[i]);
        if (json_is_integer(n) && json_integer_value(n) >= 0)
            *to[i] = (uint64_t)json_integer_value(n);
    }
}

static jot_status start_block(Draft *d, const json_t *data, Err *e)
{
    json_t *block = json_object_get(data, "content_block");
    Str type = json_member(block, "type");
    DraftPart *p = NULL;
    bool text = str_eq(type, S("text")), call = str_eq(type, S("tool_use"));
    if (type.n == 0)
        return JOT_OK;
    TRY(draft_add(d, text ? LLM_TEXT : call ? LLM_CALL : LLM_RAW, index_of(data), &p, e));
    if (text)
        return draft_say(d, p, json_member(block, "text"), e);
    if (call) {
        TRY(draft_grow(d, &p->id, json_member(block, "id"), e));
        TRY(draft_grow(d, &p->name, json_member(block, "name"), e));
        const json_t *input = json_object_get(block, "input");
        if (json_object_size(input) == 0)
            return JOT_OK;
        /* Some who speak like Anthropic send it whole. */
        AUTO(Buf) args = { 0 };
        json_write(&args, input);
        return draft_grow(d, &p->args, buf_str(&args), e);
    }
    p->block = json_incref(block);
    AUTO(Buf) size = { 0 };
    json_write(&size, block);
    d->bytes += size.n;
    return JOT_OK;
}

static jot_status grow_block(Draft *d, const json_t *data, Err *e)
{
    const json_t *delta = json_object_get(data, "delta");
    Str type = json_member(delta, "type");
    DraftPart *p = draft_find(d, index_of(data));
    if (!p || p->closed)
        return JOT_OK;
    if (str_eq(type, S("text_delta")))
        return p->kind == LLM_TEXT ? draft_say(d, p, json_member(delta, "text"), e)
                                   : draft_grow(d, &p->text, json_member(delta, "text"), e);
    if (str_eq(type, S("input_json_delta")))
        return draft_grow(d, &p->args, json_member(delta, "partial_json"), e);
    if (str_eq(type, S("thinking_delta")) && p->kind == LLM_RAW)
        return draft_grow(d, &p->text, json_member(delta, "thinking"), e);
    if (str_eq(type, S("signature_delta")))
        return draft_grow(d, &p->signature, json_member(delta, "signature"), e);
    return JOT_OK;
}

static LlmStop stop_of(Str reason)
{
    static const struct {
        const char *reason;
        LlmStop stop;
    } stops[] = {
        { "end_turn", LLM_STOP_END },
        { "stop_sequence", LLM_STOP_END },
        { "tool_use", LLM_STOP_CALLS },
        { "max_tokens", LLM_STOP_MAX_TOKENS },
        { "refusal", LLM_STOP_REFUSAL },
        { "pause_turn", LLM_STOP_PAUSE },
        { "model_context_window_exceeded", LLM_STOP_WINDOW },
    };
    for (size_t i = 0; i < COUNT_OF(stops); i++)
        if (str_eq(reason, str(stops[i].reason)))
            return stops[i].stop;
    return LLM_STOP_OTHER;
}

jot_status anthropic_event(Draft *d, const SseEvent *event, Err *e)
{
    AUTO_PTR(json_t) data = NULL;
    jot_status st = draft_read(event->data, &data, e);
    if (st != JOT_OK) {
        d->retry = true;
        return st;
    }
    Str type = json_member(data, "type");
    if (str_eq(type, S("message_start"))) {
        const json_t *message = json_object_get(data, "message");
        take_usage(d, json_object_get(message, "usage"));
        buf_clear(&d->model);
        return draft_grow(d, &d->model, json_member(message, "model"), e);
    }
    if (str_eq(type, S("content_block_start")))
        return start_block(d, data, e);
    if (str_eq(type, S("content_block_delta")))
        return grow_block(d, data, e);
    if (str_eq(type, S("message_delta"))) {
        const json_t *delta = json_object_get(data, "delta");
        const json_t *details = json_object_get(delta, "stop_details");
        Str reason = json_member(delta, "stop_reason"), why = json_member(details, "explanation");
        take_usage(d, json_object_get(data, "usage"));
        if (reason.n == 0)
            return JOT_OK;
        d->stop = stop_of(reason);
        d->stopped = true;
        buf_clear(&d->why);
        if (why.n == 0 && details)
            why = json_member(details, "category");
        if (d->stop == LLM_STOP_OTHER)
            why = reason;
        return draft_grow(d, &d->why, why, e);
    }
    if (str_eq(type, S("content_block_stop"))) {
        DraftPart *p = draft_find(d, index_of(data));
        if (p)
            p->closed = true;
    }
    if (str_eq(type, S("error")))
        return fault_read_json(0, json_object_get(data, "error"), d->key, &d->retry, e);
    return JOT_OK;
}
