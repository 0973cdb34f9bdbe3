/* obeyed.h - the names of files that other programs run or obey.
 *
 * Hooks of git, tasks of editors, rules of agents, what a shell reads: whoever writes such a file
 * decides what its owner's programs do later.  So an agent writes none of them, by a command
 * (agent/sandbox/plant.h), by `write_file`, or as a note in a directory of its user's
 * (store/files/notes_dir.c). */
#ifndef BASE_OBEYED_H
#define BASE_OBEYED_H

#include "base/str.h"

enum {
    OBEYED_MAX = 320, /* rows */
    OBEYED_GIT = 0,   /* the row of git's directory */
};

/* The row of the table that a name belongs to; -1: none.  Upper and lower case are the same. */
int obeyed_find(Str name);
/* The same of Markdown and plain text, for who asks it of each of many documents. */
int obeyed_find_document(Str name);
/* The name of a row; NULL after the last. */
const char *obeyed_name(int row);
/* Is it the name in a row?  One that begins with '*' stands for all that end so. */
bool obeyed_is(Str name, const char *row);

#endif
