/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

extern const Cmd cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete;
extern const Cmd cmd_lease;
extern const Cmd cmd_import, cmd_export;
extern const Cmd cmd_copy, cmd_where;

const Cmd *const commands[] = {
    &cmd_write,  &cmd_read, &cmd_list,  &cmd_history, &cmd_delete,     &cmd_lease,    &cmd_import,
    &cmd_export, &cmd_copy, &cmd_where, &cmd_help,    &cmd_completion, &cmd_complete, NULL,
};
