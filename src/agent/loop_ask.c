/* loop_ask.c - asking the model: limits, room in the context, the request, the reply.
 *
 *     limits reached?          -> end, and say which
 *     context red, or the newest reply ended because the window was full?
 *                              -> one compaction (compact.c)
 *     ask; "too long"?         -> one step further, ask again, at most LOOP_OVERFLOWS_MAX times
 *     record the reply with the budget it was asked with */
#include "agent/loop_internal.h"

#include <assert.h>

#include "agent/messages.h"
#include "memory/lease.h"

enum { RENEW_MS = 6 * 3600 * 1000 };

static jot_status sum_up(void *ctx, const CompactAsk *asked, Arena *into, CompactSummary *out,
                         Err *e)
{
    LoopWork *w = ctx;
    LlmPart part = { .kind = LLM_TEXT, .text = asked->text };
    LlmMessage message = { .role = LLM_USER, .parts = &part, .n = 1 };
    LlmRequest ask = { .system = asked->system,
                       .messages = &message,
                       .n_messages = 1,
                       .max_tokens = asked->max_tokens,
                       .cancelled = w->l->view.cancelled,
                       .ctx = w->l->view.ctx };
    LlmReply reply;
    TRY(llm_ask(w->l->llm, &ask, into, &reply, e));
    AUTO(Buf) said = { 0 };
    for (size_t i = 0; i < reply.n; i++)
        if (reply.parts[i].kind == LLM_TEXT)
            buf_add(&said, reply.parts[i].text);
    if (reply.stop == LLM_STOP_REFUSAL) /* its words are about refusing, not about the work */
        buf_clear(&said);
    const LlmUsage *u = &reply.usage;
    *out =
        (CompactSummary){ .text = arena_copy(into, buf_str(&said)),
                          .cut = reply.stop == LLM_STOP_MAX_TOKENS || reply.stop == LLM_STOP_WINDOW,
                          .tokens = u->input + u->cache_read + u->cache_write + u->output };
    return JOT_OK;
}

/* If the context is red; with `further`, because the provider says that it is too long. */
static jot_status make_room(LoopWork *w, bool further, bool *shorter)
{
    CompactModel model = { .sum_up = sum_up, .ctx = w };
    Compacted done;
    if (further)
        TRY(compact_further(w->r, &w->t, &model, &done, w->e));
    else
        TRY(compact_if_red(w->r, &w->t, &model, &done, w->e));
    *shorter = compact_done(&done);
    if (w->l->view.compacted && (*shorter || done.before.state == BUDGET_RED))
        w->l->view.compacted(w->l->view.ctx, &done);
    return JOT_OK;
}

static jot_status ask_once(LoopWork *w, Arena *arena, LlmReply *out, Buf *snapshot)
{
    const LoopView *v = &w->l->view;
    Budget b = budget_measure(&w->t);
    AUTO_PTR(json_t) value = budget_json(&b);
    buf_clear(snapshot);
    json_write(snapshot, value);
    w->out->budget = b;
    if (v->budget)
        v->budget(v->ctx, &w->t, &b);
    LlmRequest request = request_of(&w->t, arena);
    request.on_text = v->text;
    request.on_again = v->again;
    request.cancelled = v->cancelled;
    request.ctx = v->ctx;
    return llm_ask(w->l->llm, &request, arena, out, w->e);
}

/* True, and it is recorded, if nothing more may be asked. */
static jot_status check_limits(LoopWork *w, bool *stop)
{
    AUTO(Arena) arena = { 0 };
    uint64_t max = w->l->iterations_max ? w->l->iterations_max : LOOP_ITERATIONS;
    const Usage *u = &w->r->state.usage;
    const Turn *last = transcript_last(&w->t);
    *stop = true;
    if (w->t.since >= max) {
        Str loop = { 0 };
        if (u->streak >= USAGE_LOOP && last && last->calls_n)
            loop = arena_printf(&arena, "; the same call of '" STR_FMT "' came %llu times in a row",
                                STR_ARG(loop_safe_name(last->calls[last->calls_n - 1].call.tool)),
                                (unsigned long long)u->streak);
        return loop_end(w, LOOP_LIMIT,
                        arena_printf(&arena, "%llu replies without an answer" STR_FMT,
                                     (unsigned long long)w->t.since, STR_ARG(loop)));
    }
    if (w->l->tokens_max && w->t.spent >= w->l->tokens_max)
        return loop_end(w, LOOP_SPENT,
                        arena_printf(&arena, "%llu tokens are used up, of %llu",
                                     (unsigned long long)w->t.spent,
                                     (unsigned long long)w->l->tokens_max));
    *stop = false;
    return JOT_OK;
}

/* Compare what the newest request and the one before it were estimated at with what was counted. */
static void learn(LoopWork *w, const LlmUsage *u)
{
    const Budget *b = &w->out->budget;
    assert(b->factor > 0);
    uint64_t estimated[2] = { w->estimated, budget_estimate(b) * FACTOR_ONE / b->factor };
    uint64_t reported[2] = { w->reported, u->input + u->cache_read + u->cache_write };
    factor_learn(&w->learned, estimated, reported);
    w->estimated = estimated[1];
    w->reported = reported[1];
}

jot_status loop_ask(LoopWork *w)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) snapshot = { 0 };
    AUTO(Buf) body = { 0 };
    bool stop, shorter;
    LlmReply reply;
    TRY(check_limits(w, &stop));
    if (stop)
        return JOT_OK;
    /* A run may take longer than a lease lasts.  Whoever took it meanwhile makes this fail. */
    int64_t now = io_awake_ms(w->l->m->io);
    if (now - w->renewed_ms >= RENEW_MS) {
        Lease found, renewed;
        w->renewed_ms = now;
        TRY(lease_find(w->l->m, str(w->r->stream), false, &arena, &found, w->e));
        TRY(lease_renew(w->l->m, found.token, 0, &arena, &renewed, w->e));
    }
    /* A reply that ended because the context was full is reason enough to make room, once. */
    const Turn *last = transcript_last(&w->t);
    TRY(make_room(w, last && last->full && w->t.shorter < last->seq, &shorter));
    jot_status st = ask_once(w, &arena, &reply, &snapshot);
    for (int i = 0; st == JOT_TOO_BIG && i < LOOP_OVERFLOWS_MAX; i++) {
        Err too_long = *w->e; /* what the provider said, if there is no room to be made */
        TRY(make_room(w, true, &shorter));
        if (!shorter) {
            *w->e = too_long;
            return JOT_TOO_BIG;
        }
        st = ask_once(w, &arena, &reply, &snapshot);
    }
    TRY(st);
    learn(w, &reply.usage);
    /* The reply is durable before any of its calls is made. */
    reply_write(&reply, buf_str(&snapshot), &body);
    TRY(run_record(w->r, RUN_REPLY, NULL, buf_str(&body), w->e));
    TRY(loop_refresh(w));
    if (w->l->view.replied && w->t.turns_n)
        w->l->view.replied(w->l->view.ctx, transcript_last(&w->t));
    return JOT_OK;
}
