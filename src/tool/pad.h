/* pad.h - what the rows about the pad as a whole share. */
#ifndef TOOL_PAD_H
#define TOOL_PAD_H

#include "memory/doc/changes.h"
#include "memory/kinds.h"
#include "tool/verb.h"

enum { PAD_NOW_CHANGES = 50 };

extern const Param pad_change_fields[]; /* of one change */
extern const Param pad_open_fields[];   /* of one thing that is open */

/* {"notes": 3, ...}: what people and agents keep, by kind. */
json_t *pad_counts_json(const Kinds *k);

/* As changes_json, with what each run among them was asked. */
MUST_USE jot_status pad_changes_json(ToolCall *c, const ChangeList *list, json_t **out);

/* Why the pad cannot be written to; empty: it can, if not by the handle that was asked. */
const char *pad_read_only_why(const ToolCall *c);

#endif
