/* edit.h - a person with an editor, whose doings are steps like those of the store. */
#ifndef CRASH_EDIT_H
#define CRASH_EDIT_H

#include "run.h"

/* Do what a DO_EDIT... or DO_REMOVE says to the file people see; false if that fails. */
MUST_USE bool edit_file(const Run *r, const Action *a, Str text);

#endif
