/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

/* One a line, so that two new ones never meet in the same line. */
/* clang-format off */
extern const Cmd cmd_init;
extern const Cmd cmd_write;
extern const Cmd cmd_append;
extern const Cmd cmd_read;
extern const Cmd cmd_edit;
extern const Cmd cmd_list;
extern const Cmd cmd_delete;
extern const Cmd cmd_move;
extern const Cmd cmd_history;
extern const Cmd cmd_diff;
extern const Cmd cmd_undo;
extern const Cmd cmd_restore;
extern const Cmd cmd_blame;
extern const Cmd cmd_purge;
extern const Cmd cmd_redact;
extern const Cmd cmd_search;
extern const Cmd cmd_context;
extern const Cmd cmd_prompt;
extern const Cmd cmd_rules;
extern const Cmd cmd_artifact;
extern const Cmd cmd_task;
extern const Cmd cmd_plan;
extern const Cmd cmd_checkpoint;
extern const Cmd cmd_sink;
extern const Cmd cmd_log;
extern const Cmd cmd_cycle;
extern const Cmd cmd_lease;
extern const Cmd cmd_memory_tool;
extern const Cmd cmd_import;
extern const Cmd cmd_export;
extern const Cmd cmd_copy;
extern const Cmd cmd_verify;
extern const Cmd cmd_doctor;
extern const Cmd cmd_gc;
extern const Cmd cmd_stats;
extern const Cmd cmd_watch;
extern const Cmd cmd_run;
extern const Cmd cmd_mcp;
extern const Cmd cmd_setup;
extern const Cmd cmd_where;
extern const Cmd cmd_safe;

const Cmd *const commands[] = {
    &cmd_init,
    &cmd_write,
    &cmd_append,
    &cmd_read,
    &cmd_edit,
    &cmd_list,
    &cmd_delete,
    &cmd_move,
    &cmd_history,
    &cmd_diff,
    &cmd_undo,
    &cmd_restore,
    &cmd_blame,
    &cmd_purge,
    &cmd_redact,
    &cmd_search,
    &cmd_context,
    &cmd_prompt,
    &cmd_rules,
    &cmd_artifact,
    &cmd_task,
    &cmd_plan,
    &cmd_checkpoint,
    &cmd_sink,
    &cmd_log,
    &cmd_cycle,
    &cmd_lease,
    &cmd_memory_tool,
    &cmd_import,
    &cmd_export,
    &cmd_copy,
    &cmd_verify,
    &cmd_doctor,
    &cmd_gc,
    &cmd_stats,
    &cmd_watch,
    &cmd_run,
    &cmd_mcp,
    &cmd_setup,
    &cmd_where,
    &cmd_safe,
    &cmd_help,
    &cmd_completion,
    &cmd_complete,
    NULL,
};
/* clang-format on */
