/* cmd_cycle.c - `jotter cycle run`: cycles run by the agent itself, once, every so often, or when a
 * file appears. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/cycle_loop.h"
#include "cli/agent.h"
#include "cli/refusal.h"
#include "cli/verb_cmd.h"
#include "tool/cycle.h"

enum {
    SECOND = 1000,
    LOOK_US = 100 * 1000,
    EVERY_MAX_S = 7 * 24 * 3600,
    WAIT_MS = 2000, /* what a killed cycle had started may take a moment to end */
};

static void say_lines(Str notice)
{
    Str line;
    while (str_cut(&notice, '\n', &line))
        say(STR_FMT, STR_ARG(line));
}

/* The work of this command: one agent, one cycle after the other. */
typedef struct Shift {
    Agent *a;
    CycleLoop w;
    Buf told; /* of the rules, the last time; what was said is not said again */
} Shift;

static void shift_done(Shift *x)
{
    buf_free(&x->told);
}
DEFINE_AUTO(Shift, shift_done)

/* Each cycle has the rules as they are when it begins: one that was revoked is none any more. */
static jot_status make_rules(Session *s, Shift *x, Arena *into)
{
    AUTO(Buf) left_out = { 0 };
    PromptAsk ask = agent_prompt(s, x->a, true);
    ask.left_out = &left_out;
    TRY(prompt_build_cycle(&ask, into, &x->w.system, &s->err));
    x->w.frame = ask.frame;
    if (str_eq(buf_str(&left_out), buf_str(&x->told)))
        return JOT_OK;
    agent_warn_left_out(&left_out);
    buf_free(&x->told);
    x->told = TAKE(left_out);
    return JOT_OK;
}

static jot_status run_one(Session *s, Shift *x)
{
    AUTO(Arena) arena = { 0 };
    Cycle c;
    CycleLoop *w = &x->w;
    TRY(make_rules(s, x, &arena));
    jot_status st = cycle_loop_run(w, &arena, &c, &s->err);
    live_end_words(w->view.ctx);
    if (!x->a->live.quiet && c.notice.n)
        say_lines(c.notice);
    if (st != JOT_OK)
        return refuse_with(s, st, "cycle", json_text(c.id));
    AUTO_PTR(json_t) ended = cycle_json(&c);
    if (s->json)
        print_json(json_incref(ended));
    else
        verb_print_template(CYCLE_ENDED, ended);
    fflush(stdout);
    if (c.end == CYCLE_STOPPED)
        s->exit_code = status_info(JOT_CANCELLED)->exit_code;
    return JOT_OK;
}

/* Wait until `until_ms`, or until the file appears, which is then taken away; *go is false if
 * somebody stops it. */
static jot_status wait_for(Session *s, const char *file, int64_t until_ms, bool *go)
{
    Shown shown;
    for (*go = false; !live_stopped(NULL); usleep(LOOK_US)) {
        *go = file ? unlink(file) == 0 : io_awake_ms(s->memory.io) >= until_ms;
        if (*go)
            break;
        if (file && errno != ENOENT && errno != EINTR)
            return err_errno(&s->err, errno, "could not take '%s' away",
                             err_show(&shown, str(file)));
    }
    return JOT_OK;
}

/* One after the other until somebody stops it; one that fails is reported and does not end it. */
static jot_status run_many(Session *s, Shift *x, int64_t every_s, const char *file)
{
    int64_t next_ms = io_awake_ms(s->memory.io);
    for (;;) {
        bool go;
        TRY(wait_for(s, file, next_ms, &go));
        if (!go)
            break;
        int64_t now_ms = io_awake_ms(s->memory.io);
        s->err = (Err){ 0 };
        if (run_one(s, x) != JOT_OK && !s->json)
            say("%s", s->err.text);
        next_ms += every_s * SECOND;
        if (next_ms < now_ms)
            next_ms = now_ms; /* what was missed is not made up for */
    }
    s->err = (Err){ 0 };
    s->exit_code = 0; /* to be stopped is how it ends */
    return JOT_OK;
}

static jot_status run_cycle(Session *s)
{
    int64_t every_s;
    const char *agent = opt_text(s, "agent");
    const char *file = opt_text(s, "watch");
    AUTO(Agent) a = { 0 };
    TRY(opt_number(s, "every", 1, EVERY_MAX_S, 0, &every_s));
    if (every_s && file)
        return err_set(&s->err, JOT_INVALID, "give one of --every and --watch");
    TRY(agent_read(s, &a));
    TRY(session_open(s, true));
    TRY(agent_open(s, &a));
    AUTO(Shift) x = { .a = &a };
    x.w = (CycleLoop){ .m = &s->memory,
                       .llm = a.llm,
                       .tools = loop_tools_of(a.act),
                       .view = live_view(&a.live),
                       .agent = str(agent ? agent : CYCLE_DEFAULT_AGENT),
                       .max_tokens = (uint32_t)a.max_tokens,
                       .iterations_max = a.iterations_max,
                       .wait_ms = WAIT_MS };
    LlmLimits known = llm_limits(a.llm);
    llm_find_window(a.llm);
    x.w.window = llm_window(a.llm) ? llm_window(a.llm) : BUDGET_WINDOW;
    if (!x.w.max_tokens)
        x.w.max_tokens = budget_reply(&known, x.w.window);
    return every_s || file ? run_many(s, &x, every_s, file) : run_one(s, &x);
}

static const Opt opts[] = {
    { "agent", "NAME", "the agent; else 'default'" },
    { "every", "SECONDS", "one cycle every SECONDS, until it is stopped" },
    { "watch", "FILE", "one cycle whenever this file appears; the file is removed" },
    AGENT_OPTS,
    { 0 },
};

extern const Cmd cmd_cycle_run;
const Cmd cmd_cycle_run = {
    .name = "run",
    .args = "",
    .summary = "Wake the agent, let it work with a model and tools, and put it to sleep",
    .help =
        "One cycle of an agent at a time: a second one is refused, also from another shell.  A\n"
        "cycle that was killed is ended by the next one, with the state as it was before; notes\n"
        "say which tools had answered, and of which one nobody knows whether it was done.\n",
    .opts = opts,
    .run = run_cycle,
};
