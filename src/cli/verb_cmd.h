/* verb_cmd.h - commands made from the verbs' table (tool/verb.h). */
#ifndef CLI_VERB_CMD_H
#define CLI_VERB_CMD_H

#include "cli/cmd.h"
#include "tool/verb.h"

/* The command of a noun.  It and what is below live in `into`. */
const Cmd *verb_cmd_make(const Noun *n, Arena *into);
/* The commands below it: one for each of its verbs and nouns, and what is made by hand. */
const Cmd *const *verb_cmd_subs(const Noun *n, Arena *into);
/* The same command by a word it had before; `path` is what it is called now. */
Cmd *verb_cmd_alias(const Cmd *of, const char *was, const char *path, Arena *into);

/* A row's template, line by line. */
void verb_print_template(const char *template, const json_t *data);
/* Members of an object, one a line with its name in front; `names` has spaces between. */
void verb_print_card(const char *names, const json_t *data);

/* The parameter that a command's argument at this place, from 1 on, is; NULL: there is none. */
const Param *verb_param_at(const Verb *v, int place);
/* The parameter that an option is; NULL: there is none. */
const Param *verb_param_of(const Verb *v, const char *option);

#endif
