/* decode.h - any bytes as a provider's stream: whatever it holds, llm.h's promises hold.
 *
 * The file that includes it says which decoder by DECODE.  Without failure
 * there is a reply whose calls have ids of their own, whose whole calls are
 * objects, and which can be sent back; a failure has a status and a sentence. */
#ifndef FUZZ_DECODE_H
#define FUZZ_DECODE_H

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "llm/wire.h"

static jot_status on_event(void *ctx, const SseEvent *event, Err *e)
{
    return DECODE(ctx, event, e);
}

static void check_call(const LlmReply *r, size_t i)
{
    const LlmPart *p = &r->parts[i];
    MUST(p->id.n);
    MUST(p->broken || (p->name.n && llm_is_object(p->args)));
    for (size_t k = 0; k < i; k++)
        MUST(r->parts[k].kind != LLM_CALL || !str_eq(r->parts[k].id, p->id));
}

static void check_reply(const LlmReply *r)
{
    bool calls = false;
    for (size_t i = 0; i < r->n; i++) {
        const LlmPart *p = &r->parts[i];
        if (p->kind == LLM_CALL)
            check_call(r, i);
        calls = calls || p->kind == LLM_CALL;
        MUST(p->kind != LLM_TEXT || p->text.n);
        MUST(p->kind != LLM_RAW || llm_is_object(p->text));
        MUST(utf8_valid(p->text) && utf8_valid(p->args));
    }
    MUST(calls ? r->stop != LLM_STOP_END : r->stop != LLM_STOP_CALLS);
    MUST(llm_stop_name(r->stop));
}

/* A reply goes back in the next request, and that is JSON. */
static void check_return(const LlmReply *r, const Dialect *dialect)
{
    Wire w = { .base.model = S("m"), .dialect = dialect };
    LlmMessage m = { LLM_ASSISTANT, r->parts, r->n };
    LlmRequest request = { .messages = &m, .n_messages = 1 };
    AUTO(Buf) body = { 0 };
    Err e = { 0 };
    MUST(dialect->write(&w, &request, &body, &e) == JOT_OK);
    MUST(llm_is_object(buf_str(&body)));
}

static void decode(Str stream, const Dialect *dialect)
{
    AUTO(Sse) sse = { 0 };
    AUTO(Draft) draft = { .io = &io_system };
    AUTO(Arena) arena = { 0 };
    LlmReply reply = { 0 };
    Err e = { 0 };
    jot_status st = sse_feed(&sse, stream, on_event, &draft, &e);
    if (st == JOT_OK)
        st = draft_finish(&draft, &arena, &reply, &e);
    if (st != JOT_OK) {
        MUST_SAY(e, st);
        return;
    }
    check_reply(&reply);
    check_return(&reply, dialect);
}

#endif
