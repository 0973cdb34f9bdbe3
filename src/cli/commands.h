/* commands.h - the commands, made when the program starts. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cmd.h"

/* Make `commands` (cmd.h); they live in `into`. */
void commands_make(Arena *into);

#endif
