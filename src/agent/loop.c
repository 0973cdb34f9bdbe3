/* loop.c - one step after the other.
 *
 * step() looks at the transcript and does the one thing that is next; each of
 * them ends in an append.  There is no state besides: what a step needs to know of
 * earlier ones is in the run. */
#include "agent/loop.h"

#include <string.h>

#include "agent/messages.h"
#include "base/utf8.h"
#include "memory/lease.h"
#include "memory/plan.h"

enum { RENEW_MS = 6 * 3600 * 1000, NAME_BYTES_MAX = 64 };

typedef struct Work {
    Loop *l;
    Run *r;
    Transcript t;
    Err *e;
    bool over;
    LoopOutcome *out;
    Arena *into;
    int64_t renewed_ms;
} Work;

static void work_done(Work *w)
{
    transcript_done(&w->t);
}
DEFINE_AUTO(Work, work_done)

const char *loop_end_name(LoopEnd end)
{
    static const char *const names[] = {
        [LOOP_ANSWERED] = "answered",   [LOOP_LIMIT] = "limit",
        [LOOP_SPENT] = "spent",         [LOOP_INCOMPLETE_PLAN] = "incomplete_plan",
        [LOOP_NONSENSE] = "nonsense",   [LOOP_REFUSED] = "refused",
        [LOOP_CANCELLED] = "cancelled", [LOOP_FAILED] = "failed",
    };
    return names[end];
}

/* --- Saying and ending ------------------------------------------------------------------- */

static jot_status refresh(Work *w)
{
    return transcript_refresh(&w->t, w->r, w->e);
}

static jot_status notice(Work *w, const char *word, Str text)
{
    if (w->l->view.notice)
        w->l->view.notice(w->l->view.ctx, text);
    return run_record(w->r, RUN_NOTICE, word, text, w->e);
}

static jot_status end(Work *w, LoopEnd how, Str why)
{
    w->out->end = how;
    w->out->why = arena_copy(w->into, why);
    w->over = true;
    return run_record(w->r, RUN_END, loop_end_name(how), why, w->e);
}

static bool cancelled(const Work *w)
{
    const LoopView *v = &w->l->view;
    return v->cancelled && v->cancelled(v->ctx);
}

/* --- Calls ------------------------------------------------------------------------------- */

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

/* A name the run can record, whatever the model wrote. */
static Str safe_name(Str tool)
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

static jot_status issue(Work *w, const TurnCall *c, const json_t *args)
{
    AUTO(Arena) arena = { 0 };
    const LoopHands *h = &w->l->hands;
    RunCall call = { .call = c->call,
                     .tool = safe_name(c->tool),
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
static jot_status take_up(Work *w, const TurnCall *c, Arena *into, LoopReply *out, bool *again)
{
    const LoopHands *h = &w->l->hands;
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

static jot_status make_call(Work *w, const TurnCall *c, const json_t *args, Arena *into,
                            LoopReply *out)
{
    const LoopHands *h = &w->l->hands;
    if (args) {
        LoopCall call = { .id = c->call, .tool = c->tool, .args = args };
        return h->call(h->ctx, &call, into, out, w->e);
    }
    *out = (LoopReply){ .failed = true,
                        .text = S("this call was cut off, or its arguments are no JSON object: "
                                  "nothing was done; make it again, in parts if it is long") };
    return JOT_OK;
}

static jot_status do_call(Work *w, const TurnCall *c)
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
    TRY(refresh(w));
    if (v->result)
        v->result(v->ctx, &transcript_last(&w->t)->calls[at]);
    return JOT_OK;
}

/* --- Asking ------------------------------------------------------------------------------ */

LlmRequest loop_request(const Transcript *t, Arena *into)
{
    MessageList list = messages_of(t, into);
    return (LlmRequest){ .system = t->setup.system,
                         .tools = t->setup.tools,
                         .n_tools = t->setup.json ? 0 : t->setup.tools_n,
                         .messages = list.items,
                         .n_messages = list.n,
                         .max_tokens = t->setup.max_tokens };
}

static jot_status sum_up(void *ctx, Str system, Str text, uint32_t max_tokens, Arena *into,
                         CompactSummary *out, Err *e)
{
    Work *w = ctx;
    LlmPart part = { .kind = LLM_TEXT, .text = text };
    LlmMessage message = { .role = LLM_USER, .parts = &part, .n = 1 };
    LlmRequest ask = { .system = system,
                       .messages = &message,
                       .n_messages = 1,
                       .max_tokens = max_tokens,
                       .cancelled = w->l->view.cancelled,
                       .ctx = w->l->view.ctx };
    LlmReply reply;
    TRY(llm_ask(w->l->llm, &ask, into, &reply, e));
    AUTO(Buf) said = { 0 };
    for (size_t i = 0; i < reply.n; i++)
        if (reply.parts[i].kind == LLM_TEXT)
            buf_add(&said, reply.parts[i].text);
    if (reply.stop == LLM_STOP_REFUSAL)
        buf_clear(&said);
    const LlmUsage *u = &reply.usage;
    *out = (CompactSummary){ .text = arena_copy(into, buf_str(&said)),
                             .tokens = u->input + u->cache_read + u->cache_write + u->output };
    return JOT_OK;
}

static jot_status make_room(Work *w, bool force, bool *shorter)
{
    CompactModel model = { .sum_up = sum_up, .ctx = w };
    Compacted done;
    TRY(compact_if_red(w->r, &w->t, &model, force, &done, w->e));
    *shorter = done.masked || done.summed || done.dropped;
    if (w->l->view.compacted && (*shorter || done.before.state == BUDGET_RED))
        w->l->view.compacted(w->l->view.ctx, &done);
    return JOT_OK;
}

static jot_status ask_once(Work *w, Arena *arena, LlmReply *out, Buf *snapshot)
{
    const LoopView *v = &w->l->view;
    Budget b = budget_measure(&w->t);
    AUTO_PTR(json_t) value = budget_json(&b);
    buf_clear(snapshot);
    json_write(snapshot, value);
    w->out->budget = b;
    if (v->budget)
        v->budget(v->ctx, &w->t, &b);
    LlmRequest request = loop_request(&w->t, arena);
    request.on_text = v->text;
    request.on_again = v->again;
    request.cancelled = v->cancelled;
    request.ctx = v->ctx;
    return llm_ask(w->l->llm, &request, arena, out, w->e);
}

/* True, and it is recorded, if nothing more may be asked. */
static jot_status check_limits(Work *w, bool *stop)
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
                                STR_ARG(safe_name(last->calls[last->calls_n - 1].tool)),
                                (unsigned long long)u->streak);
        return end(w, LOOP_LIMIT,
                   arena_printf(&arena, "%llu replies without an answer" STR_FMT,
                                (unsigned long long)w->t.since, STR_ARG(loop)));
    }
    if (w->l->tokens_max && w->t.spent >= w->l->tokens_max)
        return end(w, LOOP_SPENT,
                   arena_printf(&arena, "%llu tokens are used up, of %llu",
                                (unsigned long long)w->t.spent,
                                (unsigned long long)w->l->tokens_max));
    *stop = false;
    return JOT_OK;
}

static jot_status keep_lease(Work *w)
{
    int64_t now = io_awake_ms(w->l->m->io);
    AUTO(Arena) arena = { 0 };
    Lease found, renewed;
    if (now - w->renewed_ms < RENEW_MS)
        return JOT_OK;
    w->renewed_ms = now;
    TRY(lease_find(w->l->m, str(w->r->stream), false, &arena, &found, w->e));
    return lease_renew(w->l->m, found.token, 0, &arena, &renewed, w->e);
}

static jot_status ask(Work *w)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) snapshot = { 0 };
    AUTO(Buf) body = { 0 };
    bool stop, shorter;
    LlmReply reply;
    TRY(check_limits(w, &stop));
    if (stop)
        return JOT_OK;
    TRY(keep_lease(w));
    TRY(make_room(w, false, &shorter));
    jot_status st = ask_once(w, &arena, &reply, &snapshot);
    for (int i = 0; st == JOT_TOO_BIG && i < LOOP_OVERFLOWS_MAX; i++) {
        Err too_long = *w->e;
        TRY(make_room(w, true, &shorter));
        if (!shorter) {
            *w->e = too_long;
            return JOT_TOO_BIG;
        }
        st = ask_once(w, &arena, &reply, &snapshot);
    }
    TRY(st);
    reply_write(&reply, buf_str(&snapshot), &body);
    TRY(run_record(w->r, RUN_REPLY, NULL, buf_str(&body), w->e));
    TRY(refresh(w));
    if (w->l->view.replied && w->t.turns_n)
        w->l->view.replied(w->l->view.ctx, transcript_last(&w->t));
    return JOT_OK;
}

/* --- What is next ------------------------------------------------------------------------ */

/* May the run be answered?  What is said to the model if not lives in `into`. */
static jot_status ask_gate(Work *w, Arena *into, PlanGate *gate, Str *text)
{
    Plan plan;
    Err missing = { 0 };
    jot_status st = plan_read(w->l->m, str(w->r->id), into, &plan, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(w->e, &missing, st);
    *gate = plan_gate(st == JOT_OK ? &plan : NULL, (unsigned)w->t.nudges, into, text);
    return JOT_OK;
}

static jot_status finish(Work *w, const Turn *turn)
{
    AUTO(Arena) arena = { 0 };
    PlanGate gate;
    Str text = { 0 };
    TRY(ask_gate(w, &arena, &gate, &text));
    if (gate == PLAN_NUDGE)
        return notice(w, "plan", text);
    if (gate == PLAN_GIVE_UP) {
        w->out->answer = arena_copy(w->into, turn->text);
        return end(w, LOOP_INCOMPLETE_PLAN, text);
    }
    w->over = true;
    w->out->end = LOOP_ANSWERED;
    return run_say(w->r, RUN_ANSWER, turn->text, w->e);
}

static jot_status complain(Work *w, const Turn *turn)
{
    AUTO(Arena) arena = { 0 };
    if (w->t.unread >= LOOP_UNREADABLE_MAX)
        return end(w, LOOP_NONSENSE,
                   arena_printf(&arena, "%llu replies in a row were neither a call nor an answer",
                                (unsigned long long)w->t.unread));
    if (turn->kind == TURN_CUT)
        return notice(
            w, "cut",
            S("[cut off] your reply was longer than allowed and ends in the middle: say it "
              "again in fewer words, or in parts kept in the scratchpad"));
    return notice(w, "parse",
                  arena_printf(&arena, "[PARSE ERROR] " STR_FMT "%s", STR_ARG(turn->why),
                               w->t.setup.json ? "; reply with one JSON object: {\"tool\": "
                                                 "\"NAME\", \"args\": {...}}"
                                               : "; call a tool, or answer in words"));
}

static jot_status step(Work *w)
{
    const Turn *turn = transcript_last(&w->t);
    const TurnCall *open = transcript_open_call(&w->t);
    if (cancelled(w))
        return err_set(w->e, JOT_CANCELLED, "cancelled");
    bool calls = turn && (turn->kind == TURN_CALLS || turn->kind == TURN_REDACTED);
    if (calls && open)
        return do_call(w, open);
    if (!turn || turn->notice.n || calls || turn->kind == TURN_PAUSED)
        return ask(w);
    if (turn->kind == TURN_FINAL)
        return finish(w, turn);
    if (turn->kind == TURN_REFUSED)
        return end(w, LOOP_REFUSED, turn->why.n ? turn->why : S("the model will not answer"));
    return complain(w, turn);
}

/* --- From the outside -------------------------------------------------------------------- */

static jot_status take_lease(Loop *l, const Run *r, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Lease lease;
    LeaseAsk ask = { .on = str(r->stream), .ttl_ms = LEASE_TTL_MS_MAX, .live = true };
    ask.wait_ms = l->wait_ms;
    jot_status st = lease_acquire(l->m, &ask, &arena, &lease, e);
    return st == JOT_LEASED && e ? err_at(e, "run '%s'", r->id) : st;
}

jot_status loop_begin(Loop *l, Str query, Run *out, Err *e)
{
    RunBegin begin = { .frame = l->frame.sign[0] ? &l->frame : NULL };
    TRY(run_new(l->m, &begin, query, out, e));
    return take_lease(l, out, e);
}

static jot_status setup_lost(const Run *r, Err *e)
{
    return err_set(e, JOT_INVALID,
                   "what run '%s' was begun with was redacted: it cannot go on, ask in a new run",
                   r->id);
}

/* Can this loop go on with what the run holds? */
static jot_status check_setup(const Loop *l, const Run *r, const Transcript *t, Err *e)
{
    if (t->setup_lost)
        return t->answered ? JOT_OK : setup_lost(r, e);
    if (t->set_up && l->protocol_given && l->setup.json != t->setup.json)
        return err_set(e, JOT_INVALID,
                       "run '%s' was begun with the %s protocol and keeps it: leave --protocol out",
                       r->id, t->setup.json ? "json" : "native");
    if (!t->set_up && t->seq > 1)
        return err_set(e, JOT_INVALID,
                       "run '%s' was not begun by 'jotter run': only what that began can go on",
                       r->id);
    return JOT_OK;
}

/* Whether it can go on is known before anything is added to it. */
jot_status loop_resume(Loop *l, Str id, Run *out, Err *e)
{
    AUTO(Transcript) t = { 0 };
    TRY(run_open(l->m, id, out, e));
    TRY(take_lease(l, out, e));
    TRY(transcript_refresh(&t, out, e));
    return check_setup(l, out, &t, e);
}

jot_status loop_say(Run *r, Str text, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Step second; /* where a loop records what it begins with */
    if (run_step(r, 2, &arena, &second, NULL) == JOT_OK && second.kind == RUN_SETUP &&
        second.redacted)
        return setup_lost(r, e);
    return run_record(r, RUN_NOTICE, "user", text, e);
}

/* A run that was set up keeps what it has; one whose process died before that gets it now. */
static jot_status set_up(Work *w)
{
    AUTO(Buf) body = { 0 };
    Setup setup = w->l->setup;
    UsageLimits own = w->r->state.limits, now = usage_limits(w->l->limits, own),
                was = usage_limits(own, own);
    bool other = w->l->setup_anew || !str_eq(w->l->setup.model, w->t.setup.model) ||
                 now.calls != was.calls || now.similar != was.similar;
    TRY(check_setup(w->l, w->r, &w->t, w->e));
    if (w->t.setup_lost || (w->t.set_up && !other))
        return JOT_OK;
    if (w->t.set_up) {
        setup = w->t.setup;
        setup.model = w->l->setup.model;
        setup.window = w->l->setup.window;
        setup.headroom = w->l->setup.headroom;
        setup.max_tokens = w->l->setup.max_tokens;
    }
    setup_write(&setup, &body);
    TRY(run_set_up(w->r, w->l->limits, buf_str(&body), w->e));
    return refresh(w);
}

static void report(Work *w)
{
    LoopOutcome *out = w->out;
    if (w->t.answered)
        out->answer = arena_copy(w->into, w->t.answer);
    out->replies = w->t.replies;
    out->results = w->r->state.results;
    out->tokens = w->t.spent;
    out->summed = w->t.summed;
}

/* What stopped the loop is told; that it is also recorded is tried. */
static void record_failure(Work *w, jot_status st)
{
    Err why = *w->e, ignored;
    LoopEnd how = st == JOT_CANCELLED ? LOOP_CANCELLED : LOOP_FAILED;
    w->out->end = how;
    w->out->why = arena_copy(w->into, str(why.text));
    if (run_record(w->r, RUN_END, loop_end_name(how), utf8_mended(str(why.text), w->into),
                   &ignored) != JOT_OK)
        return;
}

jot_status loop_go(Loop *l, Run *r, Arena *into, LoopOutcome *out, Err *e)
{
    Err own = { 0 };
    *out = (LoopOutcome){ 0 };
    AUTO(Work) w = { .l = l, .r = r, .e = e ? e : &own, .out = out, .into = into };
    w.renewed_ms = io_awake_ms(l->m->io);
    TRY(refresh(&w));
    jot_status st = set_up(&w);
    TRY(st);
    w.over = w.t.answered;
    while (st == JOT_OK && !w.over) {
        st = step(&w);
        if (st == JOT_OK)
            st = refresh(&w);
    }
    report(&w);
    if (st != JOT_OK && st != JOT_FENCED)
        record_failure(&w, st);
    return st;
}
