/* commands.h - the commands, made when the program starts. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cmd.h"
#include "tool/verb.h"

/* Make `commands` (cmd.h); they live in `into`. */
void commands_make(Arena *into);

/* The command that does what words of other programs do there ("save": "write", "task finish":
 * "task done"); NULL: nobody knows. */
const char *command_for(Str words);

/* The commands below a noun that are no rows; ends in NULL; NULL: there are none. */
const Cmd *const *commands_more(const Noun *n);

#endif
