/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

extern const Cmd cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete;
extern const Cmd cmd_copy, cmd_where;
extern const Cmd cmd_log, cmd_context;

const Cmd *const commands[] = {
    &cmd_write, &cmd_read,  &cmd_list, &cmd_history,    &cmd_delete,   &cmd_log, &cmd_context,
    &cmd_copy,  &cmd_where, &cmd_help, &cmd_completion, &cmd_complete, NULL,
};
