/* verb_show.h - what a person is shown beside what the row's templates say. */
#ifndef CLI_VERB_SHOW_H
#define CLI_VERB_SHOW_H

#include "cli/cmd.h"
#include "tool/verb.h"

typedef void (*VerbShow)(Session *s, const VerbData *d);

/* NULL: the templates say all.  `beside`: it prints more than they say, not instead of them. */
VerbShow verb_show(const Verb *v, bool *beside);

#endif
