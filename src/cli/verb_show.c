/* verb_show.c - how data looks to a person where the templates of the verbs' table are not enough.
 */
#include "cli/verb_show.h"

#include <string.h>

#include "cli/verb_cmd.h"

static const struct {
    const char *tool;
    VerbShow show;
} shows[] = {
    { "", NULL },
};

VerbShow verb_show(const Verb *v)
{
    for (size_t i = 0; v->tool.name && i < COUNT_OF(shows); i++)
        if (strcmp(shows[i].tool, v->tool.name) == 0)
            return shows[i].show;
    return NULL;
}
