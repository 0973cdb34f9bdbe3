/* commands.c - the commands, in the order of help. */
#include "cli/cmd.h"

extern const Cmd cmd_init, cmd_write, cmd_append, cmd_read, cmd_edit, cmd_list, cmd_delete,
    cmd_move;
extern const Cmd cmd_history, cmd_diff, cmd_undo, cmd_restore, cmd_blame, cmd_purge, cmd_redact;
extern const Cmd cmd_copy, cmd_where, cmd_prompt;

/* One a line, so that two new ones never meet in the same line. */
/* clang-format off */
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
    &cmd_copy,
    &cmd_where,
    &cmd_prompt,
    &cmd_help,
    NULL,
};
/* clang-format on */
