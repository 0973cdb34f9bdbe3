/* cmd_log.h - what the commands of `jotter log` share. */
#ifndef CLI_CMD_LOG_H
#define CLI_CMD_LOG_H

#include "cli/cmd.h"
#include "memory/run/run.h"

/* The handle of a run, as run_at(); "last" is the one that was written to last. */
MUST_USE jot_status log_find_run(Session *s, Str id, Run *out);
/* The same, opened. */
MUST_USE jot_status log_open_run(Session *s, Str id, Run *out);
/* Open the pad, and the run that the first argument names. */
MUST_USE jot_status log_open(Session *s, Run *out);

/* --limit and --similarity; 0 where they are not given. */
MUST_USE jot_status log_limits(Session *s, UsageLimits *out);
#define LOG_LIMIT_OPTS                                                                  \
    { "limit", "N", "calls of one tool that are suggested; else the run's own, or 3" }, \
    {                                                                                   \
        "similarity", "PERCENT",                                                        \
            "of their words two queries share to be similar; else the run's own, or 70" \
    }

/* Tell of records that cannot be read, on standard error. */
void log_damage(uint64_t damaged);

extern const Cmd log_new_cmd, log_add_cmd, log_clear_cmd, log_purge_cmd, log_redact_cmd;

/* How many turns of an agent a run has before a record: replies of its model, the way --from of
 * `jotter run` counts them. */
MUST_USE jot_status log_turns_before(Session *s, Run *r, uint64_t seq, uint64_t *out);

#endif
