/* cycle_loop.c - from wake to sleep.
 *
 *     lease on cycles/AGENT
 *     wake          ends a dead cycle as killed, and gives the state
 *       +-> ask     rules + state + the newest result, whole + rules of touched directories
 *       |     v
 *       |   step    the reply's one action, recorded, changes the state
 *       |     v
 *       |   call?   make it, record the result; its beginning goes into the notes
 *       +-----+     until done, the limit, or somebody stops it
 *     sleep         the state becomes the document; a failure leaves the one before
 *
 * There is no transcript: each request is made from the state alone, so nothing grows
 * but the notes, and those are bounded (cycle_state.h). */
#include "agent/cycle_loop.h"

#include "base/utf8.h"
#include "memory/frame/tokens.h"
#include "memory/lease.h"

/* Bytes of the newest result beside the state, which has its beginning only: as much as a tool of
 * the pad answers with.  More is read by its key. */
enum { RESULT_SHOWN = 32 * 1024 };

/* The share of the window for all rules that come on the way: nothing in a cycle's request is ever
 * taken out again. */
enum { RULES_SHARE = 4 };

/* A cycle at work. */
typedef struct Awake {
    CycleLoop *w;
    Arena *into;
    Err *e;
    Buf rules; /* of directories that were touched, as the model is shown them */
    Str *dirs; /* those directories, also if they have none */
    size_t dirs_n, dirs_cap;
} Awake;

static void awake_done(Awake *a)
{
    buf_free(&a->rules);
}
DEFINE_AUTO(Awake, awake_done)

static bool cancelled(const CycleLoop *w)
{
    return w->view.cancelled && w->view.cancelled(w->view.ctx);
}

/* --- Rules on the way -------------------------------------------------------------------- */

static void add_rules(Awake *a, Str dir)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) left_out = { 0 };
    Shown shown;
    CycleLoop *w = a->w;
    uint64_t window = w->window ? w->window : BUDGET_WINDOW;
    w->tools.rules(w->tools.ctx, dir, &w->frame, window / LOOP_RULES_SHARE, &text, &left_out);
    if (!text.n)
        return;
    size_t sum = tokens_estimate(buf_str(&a->rules)) + tokens_estimate(buf_str(&text));
    if (sum > window / RULES_SHARE)
        buf_addf(&left_out, "the rules of %s/ are left out: they would fill the context\n",
                 err_show(&shown, dir));
    else {
        buf_addf(&left_out, "rules of %s/\n", err_show(&shown, dir));
        buf_addf(&a->rules, STR_FMT "\n", STR_ARG(buf_str(&text)));
    }
    loop_notice_lines(&w->view, buf_str(&left_out));
}

static void take_rules(Awake *a, const Call *call)
{
    const Str *dirs;
    const LoopTools *h = &a->w->tools;
    if (!h->touched || !h->rules)
        return;
    size_t n = h->touched(h->ctx, call, a->into, &dirs);
    for (size_t i = 0; i < n; i++) {
        bool known = false;
        for (size_t k = 0; k < a->dirs_n; k++)
            known = known || str_eq(a->dirs[k], dirs[i]);
        if (known)
            continue;
        a->dirs =
            arena_grow(a->into, a->dirs, a->dirs_n, &a->dirs_cap, sizeof *a->dirs, alignof(Str));
        a->dirs[a->dirs_n++] = dirs[i];
        add_rules(a, dirs[i]);
    }
}

/* --- One iteration ----------------------------------------------------------------------- */

/* What the last call gave, whole. */
static void add_answer(const CycleLoop *w, const Cycle *c, Arena *into, Buf *to)
{
    Str text = utf8_mended(c->answer.text, into);
    Str shown = str_slice(text, 0, utf8_floor(text, text.n < RESULT_SHOWN ? text.n : RESULT_SHOWN));
    AUTO(Buf) about = { 0 };
    frame_attribute_add(&about, &w->frame, "tool", c->call.tool);
    frame_value_add(to, &w->frame, "result", buf_str(&about), shown);
    if (shown.n == text.n)
        return;
    buf_clear(&about);
    buf_addf(&about, " read on with scratchpad_read key=" STR_FMT " from_char=%zu",
             STR_ARG(c->answer.key), utf8_count(shown) + 1);
    frame_part_add(to, &w->frame, "cut", buf_str(&about));
}

static jot_status ask(Awake *a, const Cycle *c, Str *reply)
{
    Str state;
    CycleLoop *w = a->w;
    Arena *into = a->into;
    TRY(cycle_state_write(c->state, into, &state, a->e));
    LlmPart part = { .kind = LLM_TEXT };
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    buf_addf(&text, "Your state, at step %zu of %zu of cycle " STR_FMT ":\n\n", c->iterations + 1,
             c->iterations_max, STR_ARG(c->id));
    /* Its notes have lines of ours, and quote what looks like one (cycle_state.h). */
    frame_part_add(&text, &w->frame, "state", (Str){ 0 });
    frame_add_places(&text, &w->frame, state);
    buf_add_char(&text, '\n');
    if (c->answered)
        add_answer(w, c, into, &text);
    frame_end_add(&text, &w->frame);
    buf_add(&text, buf_str(&a->rules));
    buf_add(&text, S("Reply with one JSON object."));
    part.text = arena_copy(into, buf_str(&text));
    LlmMessage message = { .role = LLM_USER, .parts = &part, .n = 1 };
    LlmRequest request = { .system = w->system,
                           .messages = &message,
                           .n_messages = 1,
                           .max_tokens = w->max_tokens,
                           .earlier = c->earlier + c->iterations,
                           .on_text = w->view.text,
                           .on_again = w->view.again,
                           .cancelled = w->view.cancelled,
                           .ctx = w->view.ctx };
    LlmReply said;
    TRY(llm_ask(w->llm, &request, into, &said, a->e));
    if (w->view.replied) /* none is an answer: each asks for something */
        w->view.replied(w->view.ctx, &(Turn){ .kind = TURN_CALLS });
    AUTO(Buf) words = { .max = ACTION_REPLY_MAX };
    for (size_t i = 0; i < said.n; i++)
        if (said.parts[i].kind == LLM_TEXT)
            buf_add(&words, utf8_mended(said.parts[i].text, into));
    /* The beginning of a reply is not one: nothing in it is a call. */
    bool cut = said.stop == LLM_STOP_MAX_TOKENS || said.stop == LLM_STOP_WINDOW ||
               said.stop == LLM_STOP_REFUSAL;
    *reply = cut ? arena_printf(into, "(the reply ended by: %s)", llm_stop_name(said.stop))
                 : arena_copy(into, buf_str(&words));
    return JOT_OK;
}

/* One record of the cycle: the result of the call it waits for, or a reply and what it does. */
static jot_status iterate(Awake *a, Cycle *c)
{
    CycleStep step;
    CycleLoop *w = a->w;
    if (c->waiting) {
        Reply reply = { 0 };
        json_t *read = NULL;
        if (json_read(c->call.args, &read, NULL) != JOT_OK)
            read = json_object();
        AUTO_PTR(json_t) args = read;
        TurnCall shown = { .call = { .tool = c->call.tool, .args = c->call.args, .object = args } };
        shown.call.id = arena_printf(a->into, STR_FMT "." STR_FMT ".i%zu", STR_ARG(c->agent),
                                     STR_ARG(c->id), c->iterations);
        if (w->view.call)
            w->view.call(w->view.ctx, &shown);
        TRY(w->tools.call(w->tools.ctx, &shown.call, a->into, &reply, a->e));
        if (!reply.failed)
            take_rules(a, &shown.call);
        shown.ok = !reply.failed;
        shown.result = reply.text;
        if (w->view.result)
            w->view.result(w->view.ctx, &shown);
        ToolEnd end = reply.unknown ? TOOL_UNKNOWN : reply.failed ? TOOL_FAILED : TOOL_OK;
        return cycle_result(w->m,
                            &(CycleInput){ .agent = w->agent,
                                           .id = c->id,
                                           .end = end,
                                           .text = str_slice(reply.text, 0, ACTION_REPLY_MAX) },
                            a->into, &step, c, a->e);
    }
    Str reply;
    TRY(ask(a, c, &reply));
    TRY(cycle_step(w->m, &(CycleInput){ .agent = w->agent, .id = c->id, .text = reply }, a->into,
                   &step, c, a->e));
    if (w->view.notice && step.said.n)
        w->view.notice(w->view.ctx, step.said);
    return JOT_OK;
}

/* --- From wake to sleep ------------------------------------------------------------------ */

static jot_status live(CycleLoop *w, Arena *into, Cycle *c, Err *e)
{
    AUTO(Awake) a = { .w = w, .into = into, .e = e };
    jot_status st = JOT_OK;
    bool more = true;
    while (st == JOT_OK && more && !cancelled(w)) {
        st = iterate(&a, c);
        /* Also the last iteration's call is made: its result belongs to it. */
        more = c->waiting || (!c->done && c->iterations < c->iterations_max);
    }
    if (st == JOT_OK || st == JOT_CANCELLED)
        return cycle_sleep(w->m, w->agent, c->id, into, c, e);
    Err why = *e, ignored;
    if (cycle_fail(w->m, &(CycleFailure){ .agent = w->agent, .id = c->id, .why = str(why.text) },
                   into, c, &ignored) != JOT_OK)
        c->end = CYCLE_FAILED; /* the next wake finds it dead, and says so in the state */
    return st;
}

jot_status cycle_loop_run(CycleLoop *w, Arena *into, Cycle *out, Err *e)
{
    Lease lease;
    Err own = { 0 }, ignored;
    e = e ? e : &own;
    *out = (Cycle){ 0 };
    if (!w->frame.sign[0])
        w->frame = frame_of_pad(w->m, 0);
    Str stream = arena_printf(into, "cycles/" STR_FMT, STR_ARG(w->agent));
    LeaseAsk ask_lease = { .on = stream, .ttl_ms = LEASE_TTL_MS_MAX, .live = true };
    ask_lease.wait_ms = w->wait_ms;
    /* Two cycles of one agent would each lose what the other wrote. */
    TRY(lease_acquire(w->m, &ask_lease, into, &lease, e));
    CycleWake wake = { .iterations_max = w->iterations_max, .lease = lease.token };
    jot_status st = cycle_wake(w->m, w->agent, &wake, into, out, e);
    Str woken = out->notice; /* each step reads the cycle again, without it */
    if (st == JOT_OK)
        st = live(w, into, out, e);
    if (woken.n)
        out->notice = arena_printf(into, STR_FMT STR_FMT, STR_ARG(woken), STR_ARG(out->notice));
    if (lease_release(w->m, lease.token, &ignored) != JOT_OK)
        return st; /* it was over already: what was written under it stands */
    return st;
}
