/* cmd_runs.h - the limits of a run's calls, as options. */
#ifndef CLI_CMD_RUNS_H
#define CLI_CMD_RUNS_H

#include "cli/cmd.h"
#include "memory/run/usage.h"

#define RUNS_LIMIT_OPTS                                                                            \
    { "limit", "N", "calls of one tool before a warning; else the run's own, or 3" },              \
    {                                                                                              \
        "similarity", "PERCENT", "of their words similar queries share; else the run's own, or 70" \
    }

/* --limit and --similarity; 0 where they are not given. */
MUST_USE jot_status runs_limits(Session *s, UsageLimits *out);

#endif
