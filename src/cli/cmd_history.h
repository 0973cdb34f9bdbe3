/* cmd_history.h - what happened in a pad, line by line, for history and status. */
#ifndef CLI_CMD_HISTORY_H
#define CLI_CMD_HISTORY_H

#include "cli/cmd.h"
#include "memory/doc/changes.h"

/* When, who, what, how much; newest first. */
void changes_print(Session *s, const ChangeList *list);

#endif
