/* cmd_cycle.c - cycles from the shell, so that a script under cron can drive one:
 *
 *     id=$(jotter cycle wake) || exit
 *     while reply=$(jotter cycle show "$id" | model) &&
 *           said=$(printf %s "$reply" | jotter cycle step "$id"); do
 *         case $said in
 *         tool\ *) run_tool "$said" | jotter cycle step "$id" --result ;;
 *         done*)   break ;;
 *         esac
 *     done
 *     jotter cycle sleep "$id"
 *
 * A step beyond the last iteration is refused, and that ends the loop. */
#include <stdio.h>
#include <string.h>

#include "cli/cycle.h"
#include "memory/doc/doc.h"

enum { SECOND = 1000, GOALS_MAX = 100 };

extern const Cmd cmd_cycle;

/* --- What all have in common ------------------------------------------------------------- */

/* What was met on the way is for a person, whatever a program reads from standard output. */
static void tell_notice(Session *s, Str notice)
{
    Str line;
    if (s->json)
        return; /* it is in the value */
    while (str_cut(&notice, '\n', &line))
        say(STR_FMT, STR_ARG(line));
}

static void print_cycle(Session *s, const Cycle *c)
{
    if (s->json)
        print_json(cycle_json(c));
    else
        cycle_print_end(c);
}

/* --- init -------------------------------------------------------------------------------- */

static jot_status run_init(Session *s)
{
    Str goals[GOALS_MAX], text;
    CycleInit o = { .goals = goals,
                    .task = str(opt_text(s, "task")),
                    .notes = str(opt_text(s, "notes")) };
    for (int i = 0; i < s->n; i++) {
        goals[o.goals_n++] = arg_at(s, i);
        TRY(check_text(s, "a goal", arg_at(s, i)));
    }
    TRY(check_text(s, "a task", o.task));
    TRY(check_text(s, "notes", o.notes));
    TRY(session_open(s, true));
    TRY(cycle_init(&s->memory, cycle_agent(s), &o, &s->arena, &text, &s->err));
    if (s->json)
        print_json(
            json_pack("{s:o, s:o}", "agent", json_text(cycle_agent(s)), "text", json_text(text)));
    else
        print_text(text);
    return JOT_OK;
}

/* --- wake, step, sleep, fail ------------------------------------------------------------- */

static jot_status run_wake(Session *s)
{
    CycleWake o = { .lease = s->lease };
    Cycle c;
    int64_t ttl_s;
    TRY(opt_number(s, "max", 1, CYCLE_ITERATIONS_MAX, CYCLE_ITERATIONS, &o.iterations_max));
    TRY(opt_number(s, "ttl", 1, CYCLE_TTL_MS_MAX / SECOND, CYCLE_TTL_MS / SECOND, &ttl_s));
    o.ttl_ms = ttl_s * SECOND;
    TRY(session_open(s, true));
    TRY(cycle_wake(&s->memory, cycle_agent(s), &o, &s->arena, &c, &s->err));
    tell_notice(s, c.notice);
    if (s->json)
        print_json(cycle_json(&c));
    else
        print_name_line(c.id);
    return JOT_OK;
}

static void print_step(Session *s, const CycleStep *step, const Cycle *c, bool result)
{
    if (s->json) {
        json_t *out = action_json(&step->action);
        json_object_set_new(out, "said", json_text(step->said));
        json_object_set_new(out, "result", json_boolean(result));
        json_object_set_new(out, "done", json_boolean(c->done));
        json_object_set_new(out, "iterations", json_integer((json_int_t)c->iterations));
        json_object_set_new(out, "iterations_max", json_integer((json_int_t)c->iterations_max));
        print_json(out);
        return;
    }
    if (!result) {
        fputs(action_name(step->action.kind), stdout);
        if (step->action.kind == ACTION_TOOL) {
            putchar(' ');
            print_name(cycle_state_line(&s->arena, step->action.tool, ACTION_SUMMARY_CHARS));
            putchar(' ');
            print_name(step->action.args);
        }
        putchar('\n');
    }
    if (step->said.n)
        print_line(step->said);
}

static jot_status run_step(Session *s)
{
    bool ok = opt_given(s, "result"), error = opt_given(s, "error"),
         unknown = opt_given(s, "unknown");
    CycleStep step;
    Cycle c;
    Str text = { 0 };
    if (ok + error + unknown > 1)
        return err_set(&s->err, JOT_INVALID, "say one of --result, --error and --unknown");
    if (!unknown)
        TRY(read_input(s, ACTION_REPLY_MAX, &text));
    TRY(session_open(s, false));
    Str id = arg_at(s, 0);
    if (!ok && !error && !unknown)
        TRY(cycle_step(&s->memory, cycle_agent(s), id, text, &s->arena, &step, &c, &s->err));
    else
        TRY(cycle_result(&s->memory, cycle_agent(s), id,
                         ok      ? TOOL_OK
                         : error ? TOOL_FAILED
                                 : TOOL_UNKNOWN,
                         text, &s->arena, &step, &c, &s->err));
    print_step(s, &step, &c, ok || error || unknown);
    return JOT_OK;
}

static jot_status run_sleep(Session *s)
{
    Cycle c;
    TRY(session_open(s, false));
    TRY(cycle_sleep(&s->memory, cycle_agent(s), arg_at(s, 0), &s->arena, &c, &s->err));
    tell_notice(s, c.notice);
    print_cycle(s, &c);
    return JOT_OK;
}

static jot_status run_fail(Session *s)
{
    const char *path = opt_text(s, "trace");
    Str trace = { 0 };
    Cycle c;
    if (path && strcmp(path, "-") == 0)
        TRY(read_input(s, CYCLE_TRACE_MAX, &trace));
    else if (path)
        TRY(read_file(s, path, CYCLE_TRACE_MAX, &trace));
    TRY(session_open(s, false));
    TRY(cycle_fail(&s->memory, cycle_agent(s), arg_at(s, 0), arg_at(s, 1), trace, &s->arena, &c,
                   &s->err));
    tell_notice(s, c.notice);
    print_cycle(s, &c);
    return JOT_OK;
}

/* --- reset ------------------------------------------------------------------------------- */

/* What has a slash or a dot is a file; a plain word names a note. */
static jot_status read_template(Session *s, Str *text)
{
    const char *name = opt_text(s, "template");
    Doc doc;
    *text = (Str){ 0 };
    if (!name)
        return JOT_OK;
    if (strpbrk(name, "/."))
        return read_file(s, name, CYCLE_STATE_BYTES_MAX, text);
    Str stream = arena_printf(&s->arena, "notes/cycle-template-%s", name);
    TRY(doc_read(&s->memory, stream, &s->arena, &doc, &s->err));
    *text = doc.text;
    return JOT_OK;
}

static jot_status run_reset(Session *s)
{
    Str text;
    uint64_t removed = 0;
    const char *name = opt_text(s, "template");
    TRY(session_open(s, true));
    TRY(read_template(s, &text));
    TRY(check_text(s, "a template", text));
    TRY(cycle_reset(&s->memory, cycle_agent(s), text, cycle_state_line(&s->arena, str(name), 200),
                    &s->arena, &s->err));
    if (opt_given(s, "clean"))
        TRY(cycle_clean(&s->memory, cycle_agent(s), &removed, &s->err));
    if (s->json) {
        print_json(json_pack("{s:o, s:I}", "agent", json_text(cycle_agent(s)), "removed",
                             (json_int_t)removed));
        return JOT_OK;
    }
    print_sentence("reset the state of '" STR_FMT "'", STR_ARG(cycle_agent(s)));
    if (opt_given(s, "clean"))
        printf("removed %llu snapshots, steps and logs\n", (unsigned long long)removed);
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

static const Opt opts_init[] = {
    CYCLE_OPT_AGENT,
    { "task", "TEXT", "what to begin with; else the first goal" },
    { "notes", "TEXT", "what else to know" },
    { 0 },
};

static const Cmd cmd_init_state = {
    .name = "init",
    .args = "[GOAL ...]",
    .summary = "Write an agent's first state",
    .help = "Refused if there is one.  On files it is cycles/active.yaml, for you to edit.\n",
    .opts = opts_init,
    .args_max = GOALS_MAX,
    .run = run_init,
};

static const Opt opts_wake[] = {
    CYCLE_OPT_AGENT,
    { "max", "N", "iterations; 5 unless said" },
    { "ttl", "SECONDS", "without a sign it counts as dead; 900 unless said" },
    { 0 },
};

static const Cmd cmd_wake = {
    .name = "wake",
    .args = "",
    .summary = "Begin a cycle and print its id",
    .help =
        "What a dead cycle left is put right first, and told on standard error.  Refused while\n"
        "another cycle of the agent is running.  A cycle that is woken under a lease is dead\n"
        "as soon as the lease is over: jotter lease run cycles/default -- SCRIPT\n",
    .opts = opts_wake,
    .run = run_wake,
};

static const Opt opts_step[] = {
    CYCLE_OPT_AGENT,
    { "result", NULL, "standard input is what the tool gave" },
    { "error", NULL, "standard input is why the tool failed" },
    { "unknown", NULL, "there is no such tool" },
    { 0 },
};

static const Cmd cmd_step = {
    .name = "step",
    .args = "ID",
    .summary = "Take a model's reply from standard input, or a tool's result",
    .help = "A reply holds {\"tool\": NAME, \"args\": {...}}, alone or inside prose.  Printed is\n"
            "what it asks for: 'tool NAME ARGS', 'update', 'done' or 'unreadable'; then the entry\n"
            "that went into the notes.\n",
    .opts = opts_step,
    .args_min = 1,
    .args_max = 1,
    .run = run_step,
};

static const Cmd cmd_sleep = {
    .name = "sleep",
    .args = "ID",
    .summary = "End a cycle and keep what it made of the state",
    .help = "",
    .opts = cycle_opts_agent,
    .args_min = 1,
    .args_max = 1,
    .run = run_sleep,
};

static const Opt opts_fail[] = {
    CYCLE_OPT_AGENT,
    { "trace", "FILE", "for the log of the cycle; '-' is standard input" },
    { 0 },
};

static const Cmd cmd_fail = {
    .name = "fail",
    .args = "ID [WHY]",
    .summary = "End a cycle and keep the state as it was before",
    .help = "The notes get one more line, Cycle ID failed: WHY, and one that says which tools had\n"
            "answered, for what they did is not undone.\n",
    .opts = opts_fail,
    .args_min = 1,
    .args_max = 2,
    .run = run_fail,
};

static const Opt opts_reset[] = {
    CYCLE_OPT_AGENT,
    { "template", "FILE|NAME", "a file, or the note cycle-template-NAME; else the empty state" },
    { "clean", NULL, "also delete the snapshots, steps and logs of its cycles" },
    { 0 },
};

static const Cmd cmd_reset = {
    .name = "reset",
    .args = "",
    .summary = "Begin anew, from a template or with nothing",
    .help = "What was there stays in the history.  A word with a '/' or '.' in it is a file.\n",
    .opts = opts_reset,
    .run = run_reset,
};

static const Cmd *const subs[] = {
    &cmd_init_state, &cmd_cycle_run, &cmd_cycle_status, &cmd_wake,
    &cmd_step,       &cmd_sleep,     &cmd_fail,         &cmd_cycle_list,
    &cmd_cycle_show, &cmd_cycle_log, &cmd_cycle_diff,   &cmd_cycle_explain,
    &cmd_reset,      NULL,
};

const Cmd cmd_cycle = {
    .name = "cycle",
    .args = "COMMAND",
    .summary = "Wake, step and put to sleep an agent that keeps one state between its turns",
    .help = "",
    .subs = subs,
};
