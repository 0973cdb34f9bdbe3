/* task_internal.h - what the files of a task share. */
#ifndef MEMORY_TASK_TASK_INTERNAL_H
#define MEMORY_TASK_TASK_INTERNAL_H

#include "memory/task/share.h"
#include "memory/task/task.h"

enum {
    TASK_MADE_ID = 24,   /* bytes of an id that is made, before its number */
    TASK_SAME_MAX = 1000 /* tasks whose made id begins alike */
};

/* --- task.c -------------------------------------------------------------------------------- */

MUST_USE jot_status task_stream(Str id, Arena *into, Str *out, Err *e);
/* The limits of what a person or an agent writes into a task. */
MUST_USE jot_status task_check(const Task *t, Err *e);
/* The task as it stands in a record, without what the record itself says; the caller owns it. */
json_t *task_snapshot_json(const Task *t);
MUST_USE bool task_read_snapshot(const json_t *j, Arena *into, Task *out);
/* As the stream has it, whatever its file says. */
MUST_USE jot_status task_read_recorded(Memory *m, Str id, Arena *into, Task *out, Err *e);
jot_status task_not_found(Str id, Err *e);
jot_status task_duplicate(Str id, Err *e);
/* JOT_INVALID, with the ways there are. */
jot_status task_no_way(const Task *t, TaskStatus to, Err *e);
/* task_append without the file. */
MUST_USE jot_status task_record(Memory *m, Str stream, const Expect *x, json_t *event, Task *t,
                                Err *e);
/* Append an event, whose reference it takes; *t is the task after it and gets the record's seq,
 * time and author. */
MUST_USE jot_status task_append(Memory *m, Str stream, const Expect *x, json_t *event, Task *t,
                                Err *e);
/* JOT_CONFLICT, and the task as somebody else has made it. */
MUST_USE jot_status task_moved(Memory *m, Str id, Arena *into, Task *out, Err *e);
/* JOT_CONFLICT, which names who, if somebody else runs it. */
MUST_USE jot_status task_check_holder(const Memory *m, const Task *t, Err *e);

/* --- task_share.c -------------------------------------------------------------------------- */

/* task_read for who is about to move it: what its file says is recorded first.  JOT_CONFLICT tells
 * once why that is not taken; from then on it has a record, and the task continues without it. */
MUST_USE jot_status task_take(Memory *m, Str id, Arena *into, Task *out, Err *e);
/* JOT_CONFLICT if there is a task of this id, be it only in a file; *file is what was seen of that.
 */
MUST_USE jot_status task_check_new(Memory *m, Str id, Arena *into, uint64_t *file, Err *e);
/* Let its file say what it is. */
void task_show(Memory *m, const Task *t);
/* What its file should say and does not, though nobody else wrote it; no text: nothing. */
MUST_USE jot_status task_file_due(Memory *m, Str id, Arena *into, ShareText *out, Err *e);

/* --- task_edit.c --------------------------------------------------------------------------- */

/* The n-th id for a task of this description, from 1 on: "fix-the-login", "fix-the-login-2". */
Str task_make_id(Str description, int n, Arena *into);

#endif
