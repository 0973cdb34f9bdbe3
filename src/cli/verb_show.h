/* verb_show.h - how data looks to a person where the templates of a row are not enough. */
#ifndef CLI_VERB_SHOW_H
#define CLI_VERB_SHOW_H

#include "cli/cmd.h"
#include "tool/verb.h"

typedef void (*VerbShow)(Session *s, const VerbData *d);

/* NULL: the templates are enough. */
VerbShow verb_show(const Verb *v);

#endif
