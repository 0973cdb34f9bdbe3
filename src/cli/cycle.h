/* cycle.h - what the files of `jotter cycle` share: whose cycle, and which. */
#ifndef CLI_CYCLE_H
#define CLI_CYCLE_H

#include "cli/cmd.h"
#include "memory/cycle/cycle.h"

/* clang-format off */
#define CYCLE_OPT_AGENT { "agent", "NAME", "whose cycles; else 'default'" }
/* clang-format on */
extern const Opt cycle_opts_agent[];

/* Who was named by --agent. */
Str cycle_agent(Session *s);

/* The cycle that the argument names, else the newest.  The pad is open. */
MUST_USE jot_status cycle_named(Session *s, int at, Str *id);

/* `cycle show --steps` and `--step N`. */
MUST_USE jot_status cycle_show_steps(Session *s);

/* "cycle ID: done, 2 of 5 iterations" */
void cycle_print_end(const Cycle *c);

/* The one that drives all of a cycle. */
extern const Cmd cmd_cycle_run;

/* The commands that only look. */
extern const Cmd cmd_cycle_status, cmd_cycle_list, cmd_cycle_show, cmd_cycle_log, cmd_cycle_diff,
    cmd_cycle_explain;

#endif
