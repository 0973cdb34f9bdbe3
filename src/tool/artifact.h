/* artifact.h - what the tools about artifacts and about index documents share. */
#ifndef TOOL_ARTIFACT_H
#define TOOL_ARTIFACT_H

#include "memory/artifact/artifact.h"
#include "tool/args.h"

/* clang-format off */
#define ARTIFACT_CATEGORY { "category", PARAM_TEXT, .about = "segments with / between", .max = STORE_NAME_MAX }
#define ARTIFACT_DATA { "data", PARAM_ANY, .about = "any JSON value, not text that holds JSON" }
#define ARTIFACT_IF_VERSION { "if_version", PARAM_TEXT, .optional = true, .max = HASH_HEX }
/* clang-format on */

typedef jot_status (*ArtifactWriter)(Memory *m, const ArtifactWrite *w, Arena *into,
                                     ArtifactRef *out, Err *e);

/* Write "data" under "if_version"; the answer is the ref, and a hint if the data looks wrong. */
MUST_USE jot_status artifact_answer_write(ToolCall *c, ArtifactWrite *w, ArtifactWriter write,
                                          ToolReply *out);

/* The answer is a list of refs, one a line, and what cannot be used. */
MUST_USE jot_status artifact_answer_list(ToolCall *c, const ArtifactQuery *q, ToolReply *out);

#endif
