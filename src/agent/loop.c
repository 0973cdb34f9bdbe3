/* loop.c - an agent's round: look at the transcript, do the one thing that is next.
 *
 *              +-----------------------------------------------------------+
 *              v                                                           |
 *     +------------------+   limit reached, tokens spent                   |
 *     |  ask the model   |------------------------------------> end        |
 *     |  (loop_ask.c)    |                                                 |
 *     +------------------+                                                 |
 *              | record `reply`                                            |
 *              v                                                           |
 *       what kind of turn?                                                 |
 *         calls ------> make the next one (loop_call.c): record            |
 *         |             `tool_call`, call, record `tool_result`; when all  |
 *         |             have results, rules of directories they touched ---+
 *         final ------> is the plan done?  no: record a `notice` ----------+
 *         |             yes, or no plan: record `answer` -----> answered   |
 *         paused -----> it continues when it is asked again ---------------+
 *         unreadable -> record a `notice` that says what is wrong; five    |
 *         or cut        in a row are the end --------------------> end ----+
 *         refused --------------------------------------------> end
 *
 * step() does exactly one of these, and each of them ends in an append.  There is no
 * state besides the run: after each step the transcript takes in what was appended,
 * and the next step is chosen from that alone.  So a process that resumes a run does
 * what the dead one would have done, because it reads the same records. */
#include "agent/loop.h"

#include <assert.h>
#include <string.h>

#include "agent/loop_internal.h"
#include "base/utf8.h"
#include "memory/lease.h"
#include "memory/task/plan.h"

static void loop_done(LoopWork *w)
{
    transcript_done(&w->t);
}
DEFINE_AUTO(LoopWork, loop_done)

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

jot_status loop_refresh(LoopWork *w)
{
    return transcript_refresh(&w->t, w->r, w->e);
}

void loop_notice_lines(const LoopView *v, Str lines)
{
    Str line;
    while (v->notice && str_cut(&lines, '\n', &line))
        v->notice(v->ctx, line);
}

static jot_status notice(LoopWork *w, const char *word, Str text)
{
    if (w->l->view.notice)
        w->l->view.notice(w->l->view.ctx, text);
    return run_record(w->r, RUN_NOTICE, word, text, w->e);
}

jot_status loop_end(LoopWork *w, LoopEnd how, Str why)
{
    assert(!w->over && how != LOOP_ANSWERED); /* an answer is a record of its own */
    w->out->end = how;
    w->out->why = arena_copy(w->into, why);
    w->over = true;
    return run_record(w->r, RUN_END, loop_end_name(how), why, w->e);
}

static bool cancelled(const LoopWork *w)
{
    const LoopView *v = &w->l->view;
    return v->cancelled && v->cancelled(v->ctx);
}

/* --- What is next ------------------------------------------------------------------------ */

static jot_status finish(LoopWork *w, const Turn *turn)
{
    AUTO(Arena) arena = { 0 };
    assert(turn->kind == TURN_FINAL && turn == transcript_last(&w->t));
    assert(!transcript_open_call(&w->t));
    /* A plan that is not finished holds the answer back; what the model reads lives in `arena`.
     */
    Plan plan;
    Str text = { 0 };
    Err missing = { 0 };
    jot_status st = plan_read(w->l->m, str(w->r->id), &arena, &plan, &missing);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(w->e, &missing, st);
    PlanGate gate = plan_gate(st == JOT_OK ? &plan : NULL, (unsigned)w->t.nudges, &arena, &text);
    if (gate == PLAN_NUDGE)
        return notice(w, "plan", text);
    if (gate == PLAN_GIVE_UP) {
        w->out->answer = arena_copy(w->into, turn->text);
        return loop_end(w, LOOP_INCOMPLETE_PLAN, text);
    }
    w->over = true;
    w->out->end = LOOP_ANSWERED;
    return run_say(w->r, RUN_ANSWER, turn->text, w->e);
}

/* A reply that reached its limit before it said anything has thought too long for it.  To ask for
 * fewer words would be of no use: the limit is raised, once. */
static bool can_raise(const LoopWork *w, const Turn *turn, uint32_t *limit)
{
    LlmLimits known = llm_limits(w->l->llm);
    *limit = w->t.setup.max_tokens;
    return turn && turn->at_limit && turn->empty && !w->t.setup.raised &&
           budget_raise(&known, w->t.setup.window, limit);
}

static jot_status raise_limit(LoopWork *w, uint32_t limit)
{
    AUTO(Buf) body = { 0 };
    Setup setup = w->t.setup;
    assert(!setup.raised && limit != setup.max_tokens);
    setup.max_tokens = limit;
    setup.raised = true;
    if (setup.headroom < limit)
        setup.headroom = limit;
    setup_write(&setup, &body);
    return run_set_up(w->r, (UsageLimits){ 0 }, buf_str(&body), w->e);
}

static Str cut_text(const LoopWork *w, const Turn *turn)
{
    if (turn->full)
        return S("[cut off] the context was full before your reply was complete; it is made "
                 "shorter now: reply again");
    if (turn->empty && w->t.setup.raised && w->t.setup_seq > turn->seq)
        return S("[cut off] your reply reached its limit of tokens before it said anything; the "
                 "limit is higher now: call a tool, or answer");
    return S("[cut off] your reply was longer than allowed and ends in the middle: say it "
             "again in fewer words, or in parts kept in the scratchpad");
}

static jot_status complain(LoopWork *w, const Turn *turn)
{
    AUTO(Arena) arena = { 0 };
    assert(turn->kind == TURN_UNREADABLE || turn->kind == TURN_CUT);
    if (w->t.unread >= LOOP_UNREADABLE_MAX)
        return loop_end(w, LOOP_NONSENSE,
                        arena_printf(&arena,
                                     "%llu replies in a row were neither a call nor an answer",
                                     (unsigned long long)w->t.unread));
    if (turn->kind == TURN_CUT)
        return notice(w, "cut", cut_text(w, turn));
    return notice(w, "parse",
                  arena_printf(&arena, "[PARSE ERROR] " STR_FMT "%s", STR_ARG(turn->why),
                               w->t.setup.json ? "; reply with one JSON object: {\"tool\": "
                                                 "\"NAME\", \"args\": {...}}"
                                               : "; call a tool, or answer in words"));
}

static jot_status step(LoopWork *w)
{
    const Turn *turn = transcript_last(&w->t);
    const TurnCall *open = transcript_open_call(&w->t);
    assert(!w->over);
    if (cancelled(w))
        return err_set(w->e, JOT_CANCELLED, "cancelled");
    /* Before the complaint about such a reply, which says that the limit is higher now. */
    uint32_t limit;
    if (can_raise(w, turn, &limit))
        return raise_limit(w, limit);
    /* All calls of a reply have results before anything else is said.  A redacted reply may have
     * calls, too: those that are known by their own records. */
    bool calls = turn && (turn->kind == TURN_CALLS || turn->kind == TURN_REDACTED);
    if (calls && open)
        return loop_call(w, open);
    /* The rules of one directory a step, each a record of its own: the step after this one finds
     * that they were shown, and goes to the next directory. */
    bool added = false;
    if (calls)
        TRY(loop_rules(w, turn, &added));
    if (added)
        return JOT_OK;
    /* The model has not seen everything yet: the question, results, or what the loop said. */
    if (!turn || turn->notice.n || calls || turn->kind == TURN_PAUSED)
        return loop_ask(w);
    /* It has, and this reply asks for nothing.  Each of the following ends the run or adds a
     * notice, which makes the next step ask. */
    if (turn->kind == TURN_FINAL)
        return finish(w, turn);
    if (turn->kind == TURN_REFUSED)
        return loop_end(w, LOOP_REFUSED, turn->why.n ? turn->why : S("the model will not answer"));
    return complain(w, turn);
}

/* --- From the outside -------------------------------------------------------------------- */

jot_status loop_lease(Loop *l, const Run *r, Err *e)
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
    TRY(run_begin(l->m, &begin, query, out, e));
    return loop_lease(l, out, e);
}

static jot_status setup_lost(const Run *r, Err *e)
{
    return err_set(e, JOT_INVALID,
                   "the setup of run '%s' was redacted: it cannot be resumed; start a new run",
                   r->id);
}

jot_status loop_check_setup(const Loop *l, const Run *r, const Transcript *t, Err *e)
{
    if (t->setup_lost)
        return t->answered ? JOT_OK : setup_lost(r, e);
    if (t->set_up && l->protocol_given && l->setup.json != t->setup.json)
        return err_set(e, JOT_INVALID,
                       "run '%s' uses the %s protocol and keeps it: leave out --protocol", r->id,
                       t->setup.json ? "json" : "native");
    if (!t->set_up && t->foreign)
        return err_set(e, JOT_INVALID,
                       "run '%s' was not started by 'jotter run': it cannot be resumed", r->id);
    return JOT_OK;
}

/* Whether it can be resumed is known before anything is added to it. */
jot_status loop_resume(Loop *l, Str id, Run *out, Err *e)
{
    AUTO(Transcript) t = { 0 };
    TRY(run_open(l->m, id, out, e));
    TRY(loop_lease(l, out, e));
    TRY(loop_finish_back(out, e));
    TRY(transcript_refresh(&t, out, e));
    return loop_check_setup(l, out, &t, e);
}

jot_status loop_say(Run *r, Str text, Err *e)
{
    AUTO(Arena) arena = { 0 };
    RunStep second; /* where a loop records what it begins with */
    if (run_step(r, 2, &arena, &second, NULL) == JOT_OK && second.kind == RUN_SETUP &&
        second.redacted)
        return setup_lost(r, e);
    return run_record(r, RUN_NOTICE, "user", text, e);
}

jot_status loop_check_file(Str name, Str bytes, Err *e)
{
    Shown shown;
    Str type = llm_file_type(bytes);
    if (bytes.n > (type.n ? LLM_FILE_MAX : LOOP_TEXT_MAX))
        return err_set(e, JOT_TOO_BIG,
                       "'%s' has %zu bytes: an image or a PDF has at most %d, a text %d",
                       err_show(&shown, name), bytes.n, LLM_FILE_MAX, LOOP_TEXT_MAX);
    if (!type.n && (!utf8_valid(bytes) || memchr(bytes.p, 0, bytes.n)))
        return err_set(e, JOT_INVALID,
                       "'%s' is neither text nor an image (PNG, JPEG, GIF, WebP) nor a PDF",
                       err_show(&shown, name));
    return JOT_OK;
}

jot_status loop_attach(Run *r, Str name, Str bytes, Err *e)
{
    AUTO(Buf) body = { .max = STORE_BODY_MAX };
    Frame frame;
    Str type = llm_file_type(bytes);
    TRY(loop_check_file(name, bytes, e));
    if (type.n) {
        file_write(name, type, bytes, &body);
        return run_record(r, RUN_NOTICE, "file", buf_str(&body), e);
    }
    TRY(run_frame(r, &frame, e));
    AUTO(Buf) says = { 0 };
    frame_attribute_add(&says, &frame, "name", name);
    frame_value_add(&body, &frame, "file", buf_str(&says), bytes);
    frame_end_add(&body, &frame);
    return run_record(r, RUN_NOTICE, "user", buf_str(&body), e);
}

/* A run that was set up keeps what it has; one whose process died before that gets it now. */
static jot_status set_up(LoopWork *w)
{
    AUTO(Buf) body = { 0 };
    Setup setup = w->l->setup;
    UsageLimits own = w->r->state.limits, now = usage_limits(w->l->limits, own),
                was = usage_limits(own, own);
    bool other = w->l->setup_anew || !str_eq(w->l->setup.model, w->t.setup.model) ||
                 now.calls != was.calls || now.similar != was.similar;
    TRY(loop_check_setup(w->l, w->r, &w->t, w->e));
    if (w->t.setup_lost || (w->t.set_up && !other))
        return JOT_OK;
    if (w->t.set_up) {
        setup = w->t.setup;
        setup.model = w->l->setup.model;
        setup.window = w->l->setup.window;
        setup.headroom = w->l->setup.headroom;
        setup.max_tokens = w->l->setup.max_tokens;
        setup.raised = false;
    }
    setup_write(&setup, &body);
    TRY(run_set_up(w->r, w->l->limits, buf_str(&body), w->e));
    return loop_refresh(w);
}

jot_status loop_go(Loop *l, Run *r, Arena *into, LoopOutcome *out, Err *e)
{
    Err own = { 0 }, ignored = { 0 };
    TokenFactor known;
    *out = (LoopOutcome){ 0 };
    AUTO(LoopWork) w = { .l = l, .r = r, .e = e ? e : &own, .out = out, .into = into };
    w.renewed_ms = io_awake_ms(l->m->io);
    TRY(loop_refresh(&w));
    jot_status st = set_up(&w);
    TRY(st);
    /* What earlier runs taught about this model's tokens.  It is advice: what cannot be read now,
     * or kept below, is learned again. */
    bool taught = factor_read(l->m, w.t.setup.model, &known, &ignored) == JOT_OK;
    w.t.factor = taught ? factor_of(&known) : FACTOR_ONE;
    w.over = w.t.answered;
    while (st == JOT_OK && !w.over) {
        st = step(&w);
        if (st == JOT_OK)
            st = loop_refresh(&w);
    }
    assert(st != JOT_OK || w.over);
    if (w.t.answered)
        out->answer = arena_copy(into, w.t.answer);
    out->replies = w.t.replies;
    out->results = r->state.results;
    out->tokens = w.t.spent;
    out->usage = w.t.usage;
    out->summed = w.t.summed;
    jot_status kept = factor_add(l->m, w.t.setup.model, &w.learned, &ignored);
    (void)kept;
    /* Fenced: the run is another process's by now, and nothing of ours may be added to it. */
    if (st == JOT_OK || st == JOT_FENCED)
        return st;
    /* What stopped the loop is recorded if it can be; the caller gets the first failure. */
    Err why = *w.e;
    out->end = st == JOT_CANCELLED ? LOOP_CANCELLED : LOOP_FAILED;
    out->why = arena_copy(into, str(why.text));
    jot_status recorded =
        run_record(r, RUN_END, loop_end_name(out->end), utf8_mended(str(why.text), into), &ignored);
    (void)recorded;
    return st;
}
