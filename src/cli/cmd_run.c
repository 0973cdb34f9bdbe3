/* cmd_run.c - an agent at work on a question.
 *
 * What is wrong with an option is said before a run is begun or a model is asked; then
 *
 *     the run      found (--resume), taken back to a turn (--from), or begun; its first records
 *                  hold what it keeps when it is resumed, such as the rules and the protocol
 *     the loop     agent/loop.c works on it and is watched by live.c
 *     the end      the answer on standard output; why it stopped, and what it cost, on standard
 *                  error; with --json all of that is one value
 *
 * The exit code is 1 without an answer, and otherwise that of the status. */
#include <stdio.h>
#include <string.h>

#include "cli/agent.h"
#include "cli/cmd_runs.h"
#include "cli/refusal.h"
#include "memory/cycle/cycle_state.h"
#include "memory/run/run_newest.h"

enum {
    QUERY_MAX = 1024 * 1024,
    WHY_CHARS = 500,
    FILES_MAX = 20,
    WAIT_MS = 2000, /* what a killed run had started may take a moment to end */
};

extern const Cmd cmd_run;

typedef struct Files {
    Str *paths, *texts;
    size_t n;
} Files;

static jot_status read_query(Session *s, Str *out)
{
    *out = arg_at(s, 0);
    if (s->n && str_eq(*out, S("-")))
        TRY(read_input(s, QUERY_MAX, out));
    TRY(check_text(s, "a question", *out));
    if (!out->n && !opt_given(s, "resume"))
        return err_set(&s->err, JOT_INVALID,
                       "give a question: jotter run \"QUESTION\", or jotter run --resume RUN");
    return JOT_OK;
}

static jot_status read_protocol(Session *s, bool *json)
{
    const char *word = opt_text(s, "protocol");
    Shown shown;
    *json = word && strcmp(word, "json") == 0;
    if (word && !*json && strcmp(word, "native") != 0)
        return err_set(&s->err, JOT_INVALID, "--protocol '%s': use native or json",
                       err_show(&shown, str(word)));
    return JOT_OK;
}

/* What the first reply must do; a word, or a tool that is there. */
static jot_status read_choice(Session *s, const Agent *a, Setup *setup)
{
    const char *word = opt_text(s, "tool-choice");
    Shown shown;
    if (!word || str_eq(str(word), S("auto")))
        return JOT_OK;
    if (setup->json)
        return err_set(&s->err, JOT_INVALID,
                       "--tool-choice is for models with tool calls: leave out --protocol json");
    bool found = str_eq(str(word), S(LLM_CHOICE_ANY)) || str_eq(str(word), S(LLM_CHOICE_NONE));
    for (size_t i = 0; !found && i < a->tools_n; i++)
        found = str_eq(a->tools[i].name, str(word));
    if (!found)
        return err_set(&s->err, JOT_INVALID,
                       "--tool-choice '%s': use auto, required, none or the name of a tool",
                       err_show(&shown, str(word)));
    setup->tool_choice = str(word);
    return JOT_OK;
}

/* The last part of a path, which is all a model gets to know of it. */
static Str name_of(Str path)
{
    Str head;
    while (str_cut(&path, '/', &head))
        ;
    return path;
}

/* Files that were given are read and judged before anything is begun. */
static jot_status read_files(Session *s, Files *out)
{
    out->n = opt_all(s, "file", &out->paths);
    if (out->n > FILES_MAX)
        return err_set(&s->err, JOT_TOO_BIG, "--file was given %zu times: at most %d", out->n,
                       FILES_MAX);
    out->texts = NEW_ARRAY(&s->arena, Str, out->n + 1);
    for (size_t i = 0; i < out->n; i++) {
        TRY(read_file(s, out->paths[i].p, LLM_FILE_MAX, &out->texts[i]));
        TRY(loop_check_file(name_of(out->paths[i]), out->texts[i], &s->err));
    }
    return JOT_OK;
}

static jot_status attach_files(Session *s, const Files *files, Run *r)
{
    for (size_t i = 0; i < files->n; i++)
        TRY(loop_attach(r, name_of(files->paths[i]), files->texts[i], &s->err));
    return JOT_OK;
}

/* What the run is begun with. */
static jot_status make_setup(Session *s, const Agent *a, Str query, Loop *l)
{
    int64_t window;
    Setup *setup = &l->setup;
    TRY(read_protocol(s, &setup->json));
    TRY(opt_number(s, "window", BUDGET_WINDOW_MIN, BUDGET_WINDOW_MAX, 0, &window));
    if (!window && !opt_given(s, "resume"))
        llm_find_window(a->llm);
    setup->window = window ? (uint64_t)window : llm_window(a->llm);
    if (!setup->window)
        setup->window = BUDGET_WINDOW;
    if (setup->window < BUDGET_WINDOW_MIN)
        return err_set(&s->err, JOT_INVALID, "a window of %llu tokens is too small: at least %d",
                       (unsigned long long)setup->window, BUDGET_WINDOW_MIN);
    setup->headroom = budget_headroom(setup->window);
    if ((uint64_t)a->max_tokens > setup->headroom)
        setup->headroom = (uint64_t)a->max_tokens;
    if (setup->headroom > setup->window / 2)
        return err_set(&s->err, JOT_INVALID, "--max-tokens is more than half of the window");
    LlmLimits known = llm_limits(a->llm);
    setup->max_tokens =
        a->max_tokens ? (uint32_t)a->max_tokens : budget_reply(&known, setup->window);
    setup->model = llm_model(a->llm);
    setup->tools = a->tools;
    setup->tools_n = a->tools_n;
    l->protocol_given = opt_given(s, "protocol");
    TRY(read_choice(s, a, setup));
    l->setup_anew = opt_given(s, "window") || opt_given(s, "max-tokens");
    AUTO(Buf) left_out = { 0 };
    PromptAsk ask = agent_prompt(s, a, setup->json);
    ask.left_out = &left_out;
    ask.query = query;
    /* A run whose process died before it was set up gets its rules now, in the frame it has. */
    if (opt_given(s, "resume")) {
        AUTO(Run) named = { 0 };
        TRY(run_open_named(&s->memory, str(opt_text(s, "resume")), &named, &s->err));
        TRY(run_frame(&named, &ask.frame, &s->err));
    }
    TRY(prompt_build(&ask, &s->arena, &setup->system, &s->err));
    l->frame = ask.frame;
    /* A run that is resumed keeps the rules it was begun with. */
    if (!opt_given(s, "resume"))
        agent_warn_left_out(&left_out);
    return JOT_OK;
}

static json_t *outcome_json(const Agent *a, const Run *r, const LoopOutcome *o)
{
    AUTO(Arena) arena = { 0 };
    RunStep first;
    double cost;
    bool priced = llm_cost(a->llm, &o->usage, &cost);
    json_t *out = json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:O}", "run", r->id,
                            "end", loop_end_name(o->end), "answer", json_text(o->answer), "why",
                            json_text(o->why), "replies", (json_int_t)o->replies, "results",
                            (json_int_t)o->results, "cleared", (json_int_t)r->state.cleared,
                            "tokens", (json_int_t)o->tokens, "summed", (json_int_t)o->summed,
                            "budget", budget_json(&o->budget), "events", a->live.events);
    json_object_set_new(out, "usage",
                        json_pack("{s:I, s:I, s:I, s:I}", "input", (json_int_t)o->usage.input,
                                  "cache_read", (json_int_t)o->usage.cache_read, "cache_write",
                                  (json_int_t)o->usage.cache_write, "output",
                                  (json_int_t)o->usage.output));
    json_object_set_new(out, "cost_usd", priced ? json_real(cost) : json_null());
    if (run_origin(r, &arena, &first, NULL) == JOT_OK && first.origin.n) {
        json_object_set_new(out, "origin", json_text(first.origin));
        json_object_set_new(out, "turn", json_integer((json_int_t)first.turn));
    }
    return out;
}

/* Why it is not done, and what helps. */
static void say_stop(Session *s, const Run *r, const LoopOutcome *o)
{
    say("run %s %s: " STR_FMT, r->id,
        o->answer.n ? "answered, but is not done" : "ended without an answer",
        STR_ARG(cycle_state_line(&s->arena, o->why, WHY_CHARS)));
    if (o->end == LOOP_SPENT)
        say("continue with a larger --budget: jotter run --resume %s --budget N", r->id);
    else if (o->end != LOOP_REFUSED)
        say("continue with: jotter run --resume %s", r->id);
}

/* How many tokens it took, how many of them were read from a cache, and what they cost. */
static Str spent_text(const Agent *a, const LoopOutcome *o, Arena *into)
{
    double cost;
    AUTO(Buf) text = { 0 };
    buf_add(&text, str(counted(o->tokens, "token").text));
    if (o->usage.cache_read)
        buf_addf(&text, " (%llu from the cache)", (unsigned long long)o->usage.cache_read);
    if (llm_cost(a->llm, &o->usage, &cost) && cost > 0)
        buf_addf(&text, cost < 0.01 ? ", about $%.4f" : ", about $%.2f", cost);
    return arena_copy(into, buf_str(&text));
}

static void report_end(Session *s, const Agent *a, const Run *r, const LoopOutcome *o)
{
    Shown id;
    s->exit_code = o->end == LOOP_ANSWERED ? 0 : 1;
    if (s->json) {
        print_json(outcome_json(a, r, o));
        return;
    }
    if (o->answer.n && !(a->live.terminal && a->live.shown))
        print_line(o->answer);
    fflush(stdout);
    if (o->end != LOOP_ANSWERED)
        say_stop(s, r, o);
    else if (!a->live.quiet)
        fprintf(stderr, "%srun %s: %s, %s, " STR_FMT "%s\n", ink(INK_DIM),
                err_show(&id, str(r->id)), counted(o->replies, "reply").text,
                counted(o->results, "result").text, STR_ARG(spent_text(a, o, &s->arena)),
                ink(INK_PLAIN));
}

/* Begin a run, continue one, or go back in one. */
static jot_status open_run(Session *s, Loop *l, Str query, Run *out)
{
    AUTO(Run) named = { 0 };
    int64_t turn;
    TRY(opt_number(s, "from", 1, INT64_MAX, 0, &turn));
    if (!opt_given(s, "resume"))
        return loop_begin(l, query, out, &s->err);
    TRY(run_open_named(&s->memory, str(opt_text(s, "resume")), &named, &s->err));
    if (turn)
        TRY(loop_back(l, str(named.id), (uint64_t)turn, out, &s->err));
    else
        TRY(loop_resume(l, str(named.id), out, &s->err));
    if (turn && !s->json)
        say("run %s continues from turn %lld of run %s, which is unchanged; what it did outside "
            "the "
            "pad since then is not undone",
            out->id, (long long)turn, named.id);
    return query.n ? loop_say(out, query, &s->err) : JOT_OK;
}

static jot_status work(Session *s, Agent *a, Loop *l, Str query, const Files *files)
{
    AUTO(Run) r = { 0 };
    LoopOutcome o;
    Shown id;
    TRY(open_run(s, l, query, &r));
    TRY(attach_files(s, files, &r));
    act_set_plan(a->act, arena_copy(&s->arena, str(r.id)));
    a->live.run = &r;
    if (!a->live.quiet)
        fprintf(stderr, "%srun %s%s\n", ink(INK_DIM), err_show(&id, str(r.id)), ink(INK_PLAIN));
    jot_status st = loop_go(l, &r, &s->arena, &o, &s->err);
    a->live.run = NULL;
    live_end_words(&a->live);
    if (st == JOT_OK) {
        report_end(s, a, &r, &o);
        return JOT_OK;
    }
    if (!s->json)
        say("what was done is kept; continue with: jotter run --resume %s", r.id);
    return refuse_with(s, st, "run", json_string(r.id));
}

/* A run that is not there is said before a model is asked for. */
static jot_status look_for_run(Session *s)
{
    AUTO(Run) named = { 0 };
    TRY(session_open(s, false));
    return run_open_named(&s->memory, str(opt_text(s, "resume")), &named, &s->err);
}

static jot_status run_run(Session *s)
{
    Str query;
    int64_t budget, turn;
    AUTO(Agent) a = { 0 };
    Files files;
    Loop l = { .m = &s->memory, .wait_ms = WAIT_MS };
    TRY(read_query(s, &query));
    if (opt_given(s, "from") && !opt_given(s, "resume"))
        return err_set(
            &s->err, JOT_INVALID,
            "--from says to which turn a run is taken back: say which with --resume RUN");
    TRY(opt_number(s, "budget", 1, INT64_MAX, 0, &budget));
    TRY(runs_limits(s, &l.limits));
    TRY(opt_number(s, "from", 1, INT64_MAX, 0, &turn));
    if (opt_given(s, "resume"))
        TRY(look_for_run(s));
    TRY(agent_read(s, &a));
    TRY(read_files(s, &files));
    if (!opt_given(s, "resume"))
        TRY(session_open(s, true));
    TRY(agent_open(s, &a));
    TRY(make_setup(s, &a, query, &l));
    l.llm = a.llm;
    l.tools = loop_tools_of(a.act);
    if (a.no_files)
        l.tools.touched = NULL;
    l.view = live_view(&a.live);
    l.iterations_max = a.iterations_max ? (uint64_t)a.iterations_max : LOOP_ITERATIONS;
    l.tokens_max = (uint64_t)budget;
    a.live.iterations_max = l.iterations_max;
    return work(s, &a, &l, query, &files);
}

static const Opt opts[] = {
    { "resume", "RUN", "continue a run that stopped or was killed; or 'last'" },
    { "from", "TURN", "with --resume: ask for this turn again, in a new run; the old run stays" },
    AGENT_OPTS,
    { "file", "FILE",
      "an image, a PDF or a text that the model gets with the question; up to 20 times" },
    { "tool-choice", "WORD",
      "what the first reply must do: auto, required (call a tool), none, or a tool's name" },
    { "protocol", "NAME", "native, or json for models without tool calls" },
    { "window", "N", "tokens of the model's context; else as the model has it" },
    { "budget", "N", "tokens of all requests and replies together" },
    RUNS_LIMIT_OPTS,
    { 0 },
};

const Cmd cmd_run = {
    .name = "run",
    .args = "[QUESTION]",
    .summary = "Let an agent work on a question, with the pad as its memory",
    .help =
        "Every step is on the disk before the next: a run that was killed continues with "
        "--resume,\n"
        "and a call that changes something is never made twice.  QUESTION '-' is standard\n"
        "input; with --resume it is said to the model first.  Without an answer the exit code\n"
        "is 1.  What the agent did, turn by turn: jotter runs read RUN.  With --from TURN a new\n"
        "run begins with all turns before that one; the old run stays readable, and what its\n"
        "calls did outside the pad is not undone.\n",
    .opts = opts,
    .args_max = 1,
    .run = run_run,
};
