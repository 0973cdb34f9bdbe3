/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

extern const Cmd cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete;
extern const Cmd cmd_artifact, cmd_checkpoint, cmd_sink, cmd_task;
extern const Cmd cmd_copy, cmd_where;

const Cmd *const commands[] = {
    &cmd_write,    &cmd_read, &cmd_list,       &cmd_history,  &cmd_delete,
    &cmd_artifact, &cmd_sink, &cmd_checkpoint, &cmd_task,     &cmd_copy,
    &cmd_where,    &cmd_help, &cmd_completion, &cmd_complete, NULL,
};
