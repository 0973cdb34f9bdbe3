/* artifact.c - the profile `artifacts`: JSON documents under a category and an id. */
#include "tool/artifact.h"

#include "memory/frame/frame.h"
#include "tool/reply.h"

enum { PROBLEMS_TOLD = 10 /* by name, in one answer */ };

jot_status artifact_answer_write(ToolCall *c, ArtifactWrite *w, ArtifactWriter write,
                                 ToolReply *out)
{
    AUTO(Buf) json = { 0 };
    ArtifactRef ref = { 0 };
    json_write(&json, arg_json(c, "data") ? arg_json(c, "data") : json_null());
    w->json = buf_str(&json);
    TRY(arg_if_version(c, &w->when));
    TRY(reply_stale(c, write(c->m, w, c->into, &ref, c->e), out));
    json_t *value = artifact_ref_json(&ref);
    Str hint = artifact_hint(w->json);
    if (hint.n)
        json_object_set_new(value, "hint", json_text(hint));
    reply_json(c, value, out);
    return JOT_OK;
}

static jot_status run_write(ToolCall *c, ToolReply *out)
{
    ArtifactWrite w = { .category = arg_text(c, "category"),
                        .id = arg_text(c, "id"),
                        .type = arg_text(c, "type"),
                        .task = arg_text(c, "task_id") };
    return artifact_answer_write(c, &w, artifact_write, out);
}

static jot_status run_read(ToolCall *c, ToolReply *out)
{
    Artifact a = { 0 };
    Str stream;
    TRY(reply_body_check(c));
    TRY(artifact_stream(arg_text(c, "category"), arg_text(c, "id"), c->into, &stream, c->e));
    TRY(artifact_read(c->m, arg_text(c, "category"), arg_text(c, "id"), arg_text(c, "version"),
                      c->into, &a, c->e));
    TRY(reply_check_text(stream, a.text, c->e));
    reply_body(c, a.text, reply_label(c, a.ref.sha256), out);
    return JOT_OK;
}

/* What is broken is named, as many as fit: it can be read as text, and written again. */
static void tell_problems(const ArtifactList *list, Lister *l)
{
    size_t n = 0;
    for (bool fits = true; n < list->problems_n && n < PROBLEMS_TOLD && fits; n += fits) {
        AUTO(Buf) line = { 0 };
        buf_add(&line, S("... cannot be used: "));
        frame_name_add(&line, list->problems[n].name);
        buf_addf(&line, ": " STR_FMT, STR_ARG(list->problems[n].why));
        fits = lister_add(l, buf_str(&line));
    }
    if (n < list->problems_total)
        buf_addf(&l->text, "... and %zu more cannot be used\n", list->problems_total - n);
}

jot_status artifact_answer_list(ToolCall *c, const ArtifactQuery *q, ToolReply *out)
{
    ArtifactList list;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(artifact_find(c->m, q, c->into, &list, c->e));
    while (n < list.n && lister_add_json(&l, artifact_ref_json(&list.items[n])))
        n++;
    if (!list.n)
        buf_add(&l.text, S("(empty)\n"));
    tell_problems(&list, &l);
    if (n < list.n || (list.more && n)) {
        const ArtifactRef *last = &list.items[n - 1];
        reply_more(
            c, &l.text, "after",
            arena_printf(c->into, STR_FMT "/" STR_FMT, STR_ARG(last->category), STR_ARG(last->id)));
    }
    reply_set(c, &l.text, out);
    return JOT_OK;
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    ArtifactQuery q = { .category = arg_text(c, "category"),
                        .below = true,
                        .type = arg_text(c, "type"),
                        .task = arg_text(c, "task_id"),
                        .after = arg_text(c, "after") };
    return artifact_answer_list(c, &q, out);
}

static jot_status run_delete(ToolCall *c, ToolReply *out)
{
    DocIf when;
    Str stream;
    TRY(arg_if_version(c, &when));
    TRY(artifact_stream(arg_text(c, "category"), arg_text(c, "id"), c->into, &stream, c->e));
    TRY(reply_stale(
        c, artifact_delete(c->m, arg_text(c, "category"), arg_text(c, "id"), &when, c->into, c->e),
        out));
    out->text = arena_printf(c->into, "deleted %s", doc_name(stream).text);
    return JOT_OK;
}

/* clang-format off */
#define ID { "id", PARAM_TEXT, .max = STORE_SEGMENT_MAX }
#define TYPE { "type", PARAM_TEXT, .optional = true, .max = ARTIFACT_WORD_MAX }
#define TASK { "task_id", PARAM_TEXT, .optional = true, .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_artifact_write, tool_artifact_read, tool_artifact_list, tool_artifact_delete;

const Tool tool_artifact_write = {
    .name = "artifact_write",
    .title = "Write an artifact",
    .about = "Keep a JSON value under a category and an id: results of work that others look up by "
             "category, type or task. Older versions stay. Answers with its ref: keep that instead "
             "of the data.",
    .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
    .params = { ARTIFACT_CATEGORY, ID, ARTIFACT_DATA, TYPE, TASK, ARTIFACT_IF_VERSION },
    .run = run_write,
};

const Tool tool_artifact_read = {
    .name = "artifact_read",
    .title = "Read an artifact",
    .about = "Read an artifact's JSON, or as much of it as fits; the last line is its version.",
    .effects = TOOL_READS,
    .params = { ARTIFACT_CATEGORY,
                ID,
                REPLY_BODY_PARAMS,
                { "version", PARAM_TEXT, .about = "an older one", .optional = true,
                  .max = HASH_HEX } },
    .run = run_read,
};

const Tool tool_artifact_list = {
    .name = "artifact_list",
    .title = "List artifacts",
    .about = "List the refs of artifacts, one a line, by category (and below it), type and task.",
    .effects = TOOL_READS,
    .params = { { "category", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX },
                TYPE,
                TASK,
                { "after", PARAM_TEXT, .about = "CATEGORY/ID", .optional = true,
                  .max = STORE_NAME_MAX } },
    .run = run_list,
};

const Tool tool_artifact_delete = {
    .name = "artifact_delete",
    .title = "Delete an artifact",
    .about = "Delete an artifact; its older versions stay readable.",
    .effects = TOOL_DELETES,
    .params = { ARTIFACT_CATEGORY, ID, ARTIFACT_IF_VERSION },
    .run = run_delete,
};
