/* artifact_index.c - the profile `indexes`: named JSON documents beside the artifacts, such as a
 * list of tasks, each replaced in one step.
 *
 * An index of artifacts is not needed: artifact_list is made from what there is.  These are for
 * programs that keep one of their own. */
#include "memory/artifact/artifact.h"

#include "memory/frame/frame.h"
#include "tool/artifact.h"
#include "tool/reply.h"

static jot_status run_write(ToolCall *c, ToolReply *out)
{
    ArtifactWrite w = { .category = arg_text(c, "category"), .id = arg_text(c, "name") };
    return artifact_answer_write(c, &w, artifact_index_write, out);
}

static jot_status run_read(ToolCall *c, ToolReply *out)
{
    Artifact a = { 0 };
    TRY(reply_body_check(c));
    TRY(artifact_index_read(c->m, arg_text(c, "category"), arg_text(c, "name"), c->into, &a, c->e));
    TRY(reply_check_text(arg_text(c, "name"), a.text, c->e));
    reply_body(c, a.text, reply_label(c, a.ref.sha256), out);
    return JOT_OK;
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    ArtifactQuery q = { .category = arg_text(c, "category"),
                        .below = true,
                        .documents = true,
                        .after = arg_text(c, "after") };
    return artifact_answer_list(c, &q, out);
}

static jot_status run_delete(ToolCall *c, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    TRY(artifact_index_delete(c->m, arg_text(c, "category"), arg_text(c, "name"), c->into, c->e));
    buf_add(&text, S("deleted index "));
    frame_name_add(&text,
                   arena_printf(c->into, STR_FMT "/" STR_FMT, STR_ARG(arg_text(c, "category")),
                                STR_ARG(arg_text(c, "name"))));
    reply_set(c, &text, out);
    return JOT_OK;
}

/* clang-format off */
#define NAME { "name", PARAM_TEXT, .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_artifact_index_write, tool_artifact_index_read, tool_artifact_index_list,
    tool_artifact_index_delete;

const Tool tool_artifact_index_write = {
    .name = "artifact_index_write",
    .title = "Write an index",
    .about = "Replace a named JSON document beside the artifacts, in one step.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { ARTIFACT_CATEGORY, NAME, ARTIFACT_DATA, ARTIFACT_IF_VERSION },
    .run = run_write,
};

const Tool tool_artifact_index_read = {
    .name = "artifact_index_read",
    .title = "Read an index",
    .about = "Read such a document's JSON, or as much of it as fits.",
    .effects = TOOL_READS,
    .params = { ARTIFACT_CATEGORY, NAME, REPLY_BODY_PARAMS },
    .run = run_read,
};

const Tool tool_artifact_index_list = {
    .name = "artifact_index_list",
    .title = "List indexes",
    .about = "List the refs of such documents, one a line.",
    .effects = TOOL_READS,
    .params = { { "category", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX },
                { "after", PARAM_TEXT, .about = "CATEGORY/NAME", .optional = true,
                  .max = STORE_NAME_MAX } },
    .run = run_list,
};

const Tool tool_artifact_index_delete = {
    .name = "artifact_index_delete",
    .title = "Delete an index",
    .about = "Delete such a document.",
    .effects = TOOL_DELETES,
    .params = { ARTIFACT_CATEGORY, NAME },
    .run = run_delete,
};
