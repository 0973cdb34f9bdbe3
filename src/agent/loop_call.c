/* loop_call.c - the calls of a reply: issued, made, recorded; or taken up after a crash.
 *
 *     tool_call recorded?  no  -> record it, then make the call
 *                          yes -> another process died in between:
 *                                 is the result in the sink?  yes -> that is it
 *                                 no, and the call changes nothing -> make it again
 *                                 no, and it changes something     -> "[unknown outcome]"
 *     record tool_result
 *
 * A call that changes something is therefore made once or not at all, whatever dies
 * when.  The price is that its outcome may be unknown; the model reads that. */
#include "agent/loop_internal.h"
#include "base/utf8.h"

#include <assert.h>

enum { NAME_BYTES_MAX = 64 };

/* The call with its arguments read; the caller owns those.  False: it cannot be made. */
static bool read_call(const TurnCall *c, Call *out, json_t **args)
{
    *out = c->call;
    *args = NULL;
    if (c->broken || c->redacted)
        return false;
    if (json_read(c->call.args.n ? c->call.args : S("{}"), args, NULL) != JOT_OK)
        *args = NULL;
    if (!json_is_object(*args))
        return false;
    out->object = *args;
    return true;
}

Str loop_safe_name(Str tool)
{
    bool good = tool.n && tool.n <= NAME_BYTES_MAX;
    for (size_t i = 0; good && i < tool.n; i++)
        good = tool.p[i] > ' ' && tool.p[i] < 0x7F;
    return good ? tool : S("unknown");
}

static jot_status issue(LoopWork *w, const Call *c)
{
    AUTO(Arena) arena = { 0 };
    const LoopTools *h = &w->l->tools;
    RunCall call = { .call = c->id,
                     .tool = loop_safe_name(c->tool),
                     .args = c->object ? c->args : (Str){ 0 },
                     .mutating = c->object && h->mutates && h->mutates(h->ctx, c) };
    UsageWarnings said = run_warnings(w->r, w->l->limits, call.tool, call.args, &arena);
    /* An agent calls its few tools often.  After every result the same sentence would say nothing
     * any more, so it hears of a number of calls only when that has doubled. */
    Str limit = said.limit;
    if (said.again)
        limit = (Str){ 0 };
    call.warning = limit.n && said.loop.n ? arena_printf(&arena, STR_FMT " " STR_FMT,
                                                         STR_ARG(said.loop), STR_ARG(limit))
                   : limit.n              ? limit
                                          : said.loop;
    jot_status st = run_call(w->r, &call, w->e);
    if (st == JOT_TOO_BIG) { /* more names than a run counts: no tool has this one */
        call.tool = S("unknown");
        st = run_call(w->r, &call, w->e);
    }
    return st;
}

/* A call of which only the beginning is known to have happened. */
static jot_status take_up(LoopWork *w, const TurnCall *c, Arena *into, Reply *out, bool *again)
{
    const LoopTools *h = &w->l->tools;
    Err missing = { 0 };
    *again = false;
    jot_status st = h->recall ? h->recall(h->ctx, c->call.id, into, out, &missing) : JOT_NOT_FOUND;
    if (st == JOT_OK)
        return JOT_OK;
    if (st != JOT_NOT_FOUND)
        return err_pass(w->e, &missing, st);
    *again = !c->mutating && !c->redacted;
    *out = (Reply){
        .failed = true,
        .text = S("[unknown outcome] the process ended while this call was running: it may have "
                  "happened fully, partly or not at all, and was not repeated; check before "
                  "you repeat it")
    };
    return JOT_OK;
}

jot_status loop_call(LoopWork *w, const TurnCall *c)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) args = NULL;
    Call call;
    Reply reply = { 0 };
    bool make = true; /* one that is issued now; take_up() judges one that was */
    uint64_t n;
    const LoopView *v = &w->l->view;
    bool whole = read_call(c, &call, &args);
    assert(whole == (call.object != NULL) && !c->n);
    assert(call.id.n);
    if (c->issued)
        TRY(take_up(w, c, &arena, &reply, &make));
    else
        TRY(issue(w, &call));
    if (v->call)
        v->call(v->ctx, c);
    if (make && whole)
        TRY(w->l->tools.call(w->l->tools.ctx, &call, &arena, &reply, w->e));
    else if (make)
        reply = (Reply){ .failed = true,
                         .text = S("this call was cut off, or its arguments are not a JSON object: "
                                   "nothing was done; repeat it, in parts if it is long") };
    Str text = utf8_mended(reply.text, &arena);
    TRY(run_result(w->r, call.id, !reply.failed, text.n ? text : S("(nothing)"), &n, w->e));
    /* Taking in the result may move the turn's calls: from here on `c` is an index. */
    size_t at = (size_t)(c - transcript_last(&w->t)->calls);
    TRY(loop_refresh(w));
    assert(at < transcript_last(&w->t)->calls_n);
    if (v->result)
        v->result(v->ctx, &transcript_last(&w->t)->calls[at]);
    return JOT_OK;
}

/* --- Rules on the way -------------------------------------------------------------------- */

/* The rules of one directory. */
static jot_status add_rules(LoopWork *w, Str dir, bool *added)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) left_out = { 0 };
    const Setup *s = &w->t.setup;
    uint64_t usable = s->window > s->headroom ? s->window - s->headroom : 0;
    w->l->tools.rules(w->l->tools.ctx, dir, &w->t.frame, usable / LOOP_RULES_SHARE, &text,
                      &left_out);
    if (text.n) {
        Shown shown;
        buf_addf(&left_out, "rules of %s/\n", err_show(&shown, dir));
        *added = true;
        TRY(run_notice(w->r, &(RunNotice){ .word = "rules", .text = buf_str(&text), .dir = dir },
                       w->e));
    }
    loop_notice_lines(&w->l->view, buf_str(&left_out));
    return JOT_OK;
}

jot_status loop_rules(LoopWork *w, const Turn *turn, bool *added)
{
    const LoopTools *h = &w->l->tools;
    *added = false;
    for (size_t i = 0; h->touched && h->rules && i < turn->calls_n && !*added; i++) {
        AUTO(Arena) arena = { 0 };
        AUTO_PTR(json_t) args = NULL;
        Call call;
        const Str *dirs;
        bool whole = read_call(&turn->calls[i], &call, &args);
        if (!whole || !turn->calls[i].ok)
            continue;
        size_t n = h->touched(h->ctx, &call, &arena, &dirs);
        for (size_t k = 0; k < n && !*added; k++)
            if (!transcript_has_rules(&w->t, dirs[k]))
                TRY(add_rules(w, dirs[k], added));
    }
    return JOT_OK;
}
