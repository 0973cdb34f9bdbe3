/* plan_internal.h - what the files of a plan share. */
#ifndef MEMORY_TASK_PLAN_INTERNAL_H
#define MEMORY_TASK_PLAN_INTERNAL_H

#include "memory/task/plan.h"
#include "memory/task/share.h"

/* --- plan.c -------------------------------------------------------------------------------- */

MUST_USE jot_status plan_stream(Str id, Arena *into, Str *out, Err *e);
/* The plan as it stands in a record, without what the record itself says; the caller owns it. */
json_t *plan_snapshot_json(const Plan *p);
MUST_USE bool plan_read_snapshot(const json_t *j, Arena *into, Plan *out);
MUST_USE jot_status plan_check_text(const char *what, Str text, bool needed, Err *e);
/* As the stream has it, whatever its file says. */
MUST_USE jot_status plan_read_recorded(Memory *m, Str id, Arena *into, Plan *out, Err *e);
jot_status plan_not_found(Str id, Err *e);
/* Append an event, whose reference it takes; *p is the plan after it and gets what the record says.
 * The file stays as it is. */
MUST_USE jot_status plan_record(Memory *m, const Expect *x, json_t *event, Plan *p, Err *e);

/* --- plan_share.c -------------------------------------------------------------------------- */

/* plan_read for who is about to change it; as task_take. */
MUST_USE jot_status plan_take(Memory *m, Str id, Arena *into, Plan *out, Err *e);
/* Let its file say what it is. */
void plan_show(Memory *m, const Plan *p);
/* As task_file_due. */
MUST_USE jot_status plan_file_due(Memory *m, Str id, Arena *into, ShareText *out, Err *e);

#endif
