/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

extern const Cmd cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete;
extern const Cmd cmd_copy, cmd_where;
extern const Cmd cmd_search, cmd_watch, cmd_verify, cmd_doctor, cmd_gc, cmd_stats;

const Cmd *const commands[] = {
    &cmd_write,  &cmd_read,  &cmd_list,  &cmd_history, &cmd_delete,
    &cmd_search, &cmd_watch, &cmd_copy,  &cmd_where,   &cmd_verify,
    &cmd_doctor, &cmd_gc,    &cmd_stats, &cmd_help,    NULL,
};
