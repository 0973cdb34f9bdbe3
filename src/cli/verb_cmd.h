/* verb_cmd.h - commands made from the verbs' table (tool/verb.h). */
#ifndef CLI_VERB_CMD_H
#define CLI_VERB_CMD_H

#include "cli/cmd.h"
#include "tool/verb.h"

/* The command of a noun, with one for each of its verbs and nouns, and `more` (ends in NULL, may be
 * NULL) behind them.  Lives in `into`. */
const Cmd *verb_cmd_make(const Noun *n, const Cmd *const *more, Arena *into);

/* Members of an object, one a line with its name in front; `names` has spaces between. */
void verb_print_card(const char *names, const json_t *data);

/* The parameter that a command's argument at this place, from 1 on, is; NULL: there is none. */
const Param *verb_param_at(const Verb *v, int place);
/* The parameter that an option is; NULL: there is none. */
const Param *verb_param_of(const Verb *v, const char *option);

#endif
