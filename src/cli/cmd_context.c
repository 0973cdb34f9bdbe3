/* cmd_context.c - what a model is shown, within a budget. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "memory/context/context.h"
#include "memory/frame/pointer.h"
#include "memory/run/run_newest.h"

extern const Cmd cmd_context;

static jot_status read_rules(Session *s, Str *out)
{
    const char *file = opt_text(s, "rules");
    *out = (Str){ 0 };
    if (!file)
        return JOT_OK;
    TRY(read_file(s, file, STORE_BODY_MAX, out));
    return check_text(s, "a file of rules", *out);
}

static jot_status run_context(Session *s)
{
    int64_t budget, limit;
    bool there;
    AUTO(Run) r = { 0 };
    ContextAsk ask = { .agent = str(opt_text(s, "agent")) };
    TRY(opt_number(s, "budget", CONTEXT_BUDGET_MIN, CONTEXT_BUDGET_MAX, CONTEXT_BUDGET, &budget));
    TRY(opt_number(s, "limit", 1, INT64_MAX, 0, &limit));
    ask.query = str(opt_text(s, "query"));
    ask.language = getenv("JOTTER_LANGUAGE");
    TRY(read_rules(s, &ask.rules));
    TRY(session_open_any(s, &there));
    if (!there) /* as an empty one */
        TRY(memory_open(&s->memory, S("mem:"), &(MemoryOptions){ .create = true }, &s->err));
    if (opt_given(s, "run")) {
        TRY(run_named(&s->memory, str(opt_text(s, "run")), &r, &s->err));
        ask.run = &r;
    }
    ask.budget = (uint64_t)budget;
    ask.limit = (uint64_t)limit;
    ask.reach = opt_given(s, "tools") ? POINT_ALL : POINT_SHELL;
    Context c;
    TRY(context_build(&s->memory, &ask, &s->arena, &c, &s->err));
    if (s->json)
        print_json(context_json(&c));
    else if (c.text.n)
        print_text(c.text);
    if (!s->json && c.not_approved)
        say("%s shown as information, not as rules: jotter rules list",
            c.not_approved == 1 ? "1 pinned note is"
                                : arena_printf(&s->arena, "%llu pinned notes are",
                                               (unsigned long long)c.not_approved)
                                      .p);
    if (!s->json && !c.text.n)
        say("the pad is empty: there is nothing to show yet");
    return JOT_OK;
}

static const Opt context_opts[] = {
    { "budget", "N", "tokens, estimated, from 100 on; 8000 if not given" },
    { "query", "TEXT", "with what the pad says to it, as jotter search --budget shows it" },
    { "run", "RUN", "with the query and the results of a run; or 'last'" },
    { "agent", "NAME", "with the state of this agent's cycles" },
    { "rules", "FILE", "standing rules that come first" },
    { "limit", "N", "calls of one tool that are suggested; else the run's own, or 3" },
    { "tools", NULL, "say by which tool to get what was left out, not by which command" },
    { 0 },
};

const Cmd cmd_context = {
    .name = "context",
    .args = "",
    .summary = "Print what a model should see, within a budget of tokens",
    .help =
        "First what seldom changes: the rules, the note persistent-rules, the notes whose keys\n"
        "begin with pinned-, the run's query.  Notes are rules only if you approved them: jotter\n"
        "help rules.  Then, without --run, what is open (leases, runs, tasks, plans), an index of\n"
        "the notes (key, tokens, time, author, first line) and the newest of them; with --run its\n"
        "results (newest in full, older ones as a line or a range), plan, open calls, use of\n"
        "tools.  Last what was left out and how to get it.  The same pad gives the same bytes.\n",
    .opts = context_opts,
    .run = run_context,
};
