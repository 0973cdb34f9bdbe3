/* task_internal.h - what the files of a task share. */
#ifndef MEMORY_TASK_TASK_INTERNAL_H
#define MEMORY_TASK_TASK_INTERNAL_H

#include "memory/task/task.h"

enum {
    TASK_MADE_ID = 24,   /* bytes of an id that is made, before its number */
    TASK_SAME_MAX = 1000 /* tasks whose made id begins alike */
};

/* --- task.c -------------------------------------------------------------------------------- */

MUST_USE jot_status task_stream(Str id, Arena *into, Str *out, Err *e);
/* The limits of what a person or an agent writes into a task. */
MUST_USE jot_status task_check(const Task *t, Err *e);
/* Append an event, whose reference it takes; *t is the task after it and gets the record's seq,
 * time and author. */
MUST_USE jot_status task_append(Memory *m, Str stream, const Expect *x, json_t *event, Task *t,
                                Err *e);
/* JOT_CONFLICT, and the task as somebody else has made it. */
MUST_USE jot_status task_moved(Memory *m, Str id, Arena *into, Task *out, Err *e);
/* JOT_CONFLICT, which names who, if somebody else runs it. */
MUST_USE jot_status task_check_holder(const Memory *m, const Task *t, Err *e);

/* --- task_edit.c --------------------------------------------------------------------------- */

/* The n-th id for a task of this description, from 1 on: "fix-the-login", "fix-the-login-2". */
Str task_make_id(Str description, int n, Arena *into);

#endif
