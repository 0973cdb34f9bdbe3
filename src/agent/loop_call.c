/* loop_call.c - the calls of a reply: issued, made, recorded; or taken up after a crash. */
#include "agent/loop_internal.h"
#include "base/utf8.h"

enum { NAME_BYTES_MAX = 64 };

static jot_status read_args(const TurnCall *c, json_t **out)
{
    Str text = c->args.n ? c->args : S("{}");
    *out = NULL;
    if (c->broken || c->redacted || json_read(text, out, NULL) != JOT_OK || !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return JOT_INVALID;
    }
    return JOT_OK;
}

Str loop_safe_name(Str tool)
{
    bool good = tool.n && tool.n <= NAME_BYTES_MAX;
    for (size_t i = 0; good && i < tool.n; i++)
        good = tool.p[i] > ' ' && tool.p[i] < 0x7F;
    return good ? tool : S("unknown");
}

/* An agent calls its few tools often.  Behind every result the same sentence would say nothing any
 * more, so it hears of a number of calls only when that has doubled. */
static Str join_warnings(const UsageWarnings *x, Arena *into)
{
    Str limit = !x->again ? x->limit : (Str){ 0 };
    if (!limit.n || !x->loop.n)
        return limit.n ? limit : x->loop;
    return arena_printf(into, STR_FMT " " STR_FMT, STR_ARG(x->loop), STR_ARG(limit));
}

static jot_status issue(LoopWork *w, const TurnCall *c, const json_t *args)
{
    AUTO(Arena) arena = { 0 };
    const LoopTools *h = &w->l->tools;
    RunCall call = { .call = c->call,
                     .tool = loop_safe_name(c->tool),
                     .args = args ? c->args : (Str){ 0 },
                     .mutating = args && h->mutates && h->mutates(h->ctx, c->tool, args) };
    UsageWarnings said = run_warnings(w->r, w->l->limits, call.tool, call.args, &arena);
    call.warning = join_warnings(&said, &arena);
    jot_status st = run_call(w->r, &call, w->e);
    if (st == JOT_TOO_BIG) { /* more names than a run counts: no tool has this one */
        call.tool = S("unknown");
        st = run_call(w->r, &call, w->e);
    }
    return st;
}

/* A call of which only the beginning is known to have happened. */
static jot_status take_up(LoopWork *w, const TurnCall *c, Arena *into, LoopReply *out, bool *again)
{
    const LoopTools *h = &w->l->tools;
    Err missing = { 0 };
    *again = false;
    jot_status st = h->recall ? h->recall(h->ctx, c->call, into, out, &missing) : JOT_NOT_FOUND;
    if (st == JOT_OK)
        return JOT_OK;
    if (st != JOT_NOT_FOUND)
        return err_pass(w->e, &missing, st);
    *again = !c->mutating && !c->redacted;
    *out = (LoopReply){ .failed = true,
                        .text = S("[unknown outcome] the process ended while this call was "
                                  "running: it may have happened, in part or not at all, and was "
                                  "not made again; look before you repeat it") };
    return JOT_OK;
}

static jot_status make_call(LoopWork *w, const TurnCall *c, const json_t *args, Arena *into,
                            LoopReply *out)
{
    const LoopTools *h = &w->l->tools;
    if (args) {
        LoopCall call = { .id = c->call, .tool = c->tool, .args = args };
        return h->call(h->ctx, &call, into, out, w->e);
    }
    *out = (LoopReply){ .failed = true,
                        .text = S("this call was cut off, or its arguments are no JSON object: "
                                  "nothing was done; make it again, in parts if it is long") };
    return JOT_OK;
}

jot_status loop_call(LoopWork *w, const TurnCall *c)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(json_t) args = NULL;
    LoopReply reply = { 0 };
    bool make = true;
    uint64_t n;
    const LoopView *v = &w->l->view;
    if (read_args(c, &args) != JOT_OK)
        args = NULL;
    if (c->issued)
        TRY(take_up(w, c, &arena, &reply, &make));
    else
        TRY(issue(w, c, args));
    if (v->call)
        v->call(v->ctx, c);
    if (make)
        TRY(make_call(w, c, args, &arena, &reply));
    Str text = utf8_mended(reply.text, &arena);
    TRY(run_result(w->r, c->call, !reply.failed, text.n ? text : S("(nothing)"), &n, w->e));
    size_t at = (size_t)(c - transcript_last(&w->t)->calls);
    TRY(loop_refresh(w));
    if (v->result)
        v->result(v->ctx, &transcript_last(&w->t)->calls[at]);
    return JOT_OK;
}

/* --- Rules on the way -------------------------------------------------------------------- */

static void say_lines(const LoopWork *w, Str lines)
{
    Str line;
    while (w->l->view.notice && str_cut(&lines, '\n', &line))
        w->l->view.notice(w->l->view.ctx, line);
}

/* The rules of one directory. */
static jot_status tell_rules(LoopWork *w, Str dir, bool *told)
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
        *told = true;
        TRY(run_notice(w->r, &(RunNotice){ .word = "rules", .text = buf_str(&text), .dir = dir },
                       w->e));
    }
    say_lines(w, buf_str(&left_out));
    return JOT_OK;
}

jot_status loop_rules(LoopWork *w, const Turn *turn, bool *told)
{
    const LoopTools *h = &w->l->tools;
    *told = false;
    for (size_t i = 0; h->touched && h->rules && i < turn->calls_n && !*told; i++) {
        AUTO(Arena) arena = { 0 };
        AUTO_PTR(json_t) args = NULL;
        const Str *dirs;
        if (!turn->calls[i].ok || read_args(&turn->calls[i], &args) != JOT_OK)
            continue;
        size_t n = h->touched(h->ctx, turn->calls[i].tool, args, &arena, &dirs);
        for (size_t k = 0; k < n && !*told; k++)
            if (!transcript_has_rules(&w->t, dirs[k]))
                TRY(tell_rules(w, dirs[k], told));
    }
    return JOT_OK;
}
