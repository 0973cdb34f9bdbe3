/* artifact.c - the nouns `artifact`, JSON documents under a category and an id, and `artifact
 * index`, named documents beside them that a program replaces in one step.
 *
 * An index of artifacts is not needed: artifact_list is made from what there is.  The named ones
 * are for programs that keep one of their own. */
#include "memory/artifact/artifact.h"

#include "tool/verb.h"

extern const Noun noun_artifact, noun_artifact_index;

/* clang-format off */
#define REF_FIELDS                                                                          \
    { "artifact_id", .type = PARAM_TEXT },                                                  \
    { "category", .type = PARAM_TEXT },                                                     \
    { "content_hash", PARAM_TEXT, .about = "SHA-256 of the stored bytes" },                 \
    { "at", PARAM_TEXT, .about = "time" },                                                  \
    { "type", .type = PARAM_TEXT },                                                         \
    { "task_id", .type = PARAM_TEXT },                                                      \
    { "by", .type = PARAM_TEXT },                                                           \
    { "seq", .type = PARAM_NUMBER },                                                        \
    { "size", .type = PARAM_NUMBER }
static const Param ref_fields[] = { REF_FIELDS, { 0 } };
static const Param wrote_fields[] = {
    REF_FIELDS, { "hint", PARAM_TEXT, .about = "the data looks as if it were meant otherwise" },
    { 0 } };
static const Param read_fields[] = {
    REF_FIELDS, { "data", .type = PARAM_ANY },
    { "text", PARAM_TEXT, .about = "instead, where an edit left no JSON" },
    { "version", PARAM_TEXT, .about = "the first digits of the hash" }, { 0 } };
static const Param list_fields[] = {
    { "artifacts", PARAM_OBJECTS, .fields = ref_fields },
    { "more", .type = PARAM_BOOL },
    { "problems", PARAM_OBJECTS,
      .fields = (const Param[]){ { "name", .type = PARAM_TEXT }, { "why", .type = PARAM_TEXT },
                                 { 0 } } },
    { "problems_total", .type = PARAM_NUMBER },
    { 0 },
};
static const Param deleted_fields[] = {
    { "artifact_id", .type = PARAM_TEXT }, { "name", .type = PARAM_TEXT },
    { "category", .type = PARAM_TEXT }, { "deleted", .type = PARAM_BOOL }, { 0 } };

#define CATEGORY { "category", PARAM_TEXT, .about = "segments with / between", \
                   .max = STORE_NAME_MAX, .place = 1 }
#define BELOW { "category", PARAM_TEXT, .optional = true, .max = STORE_NAME_MAX, .place = 1 }
#define ID { "id", PARAM_TEXT, .max = STORE_SEGMENT_MAX, .place = 2 }
#define NAME { "name", PARAM_TEXT, .max = STORE_SEGMENT_MAX, .place = 2 }
#define DATA { "data", PARAM_ANY, .about = "any JSON value, not text that holds JSON", \
               .input = INPUT_ONLY }
#define TYPE { "type", PARAM_TEXT, .optional = true, .max = ARTIFACT_WORD_MAX, \
               .help = "its type, one word" }
#define TASK { "task_id", PARAM_TEXT, .optional = true, .max = STORE_SEGMENT_MAX, \
               .option = "task", .word = "ID", .help = "the task it belongs to" }
#define IF_VERSION { "if_version", PARAM_TEXT, .optional = true, .max = HASH_HEX, .word = "HEX", \
                     .help = "only if it is still at this version" }
#define IF_ABSENT { "if_absent", PARAM_BOOL, .optional = true, .door = DOOR_CLI, \
                    .help = "only if it does not exist" }
#define VERSION { "version", PARAM_TEXT, .about = "an older one", .optional = true, \
                  .max = HASH_HEX, .word = "HEX", .help = "the version whose hash begins with this" }
#define RAW { "raw", PARAM_BOOL, .optional = true, .door = DOOR_CLI, \
              .help = "even if an edit left something that is not JSON" }
#define AFTER(what) { "after", PARAM_TEXT, .about = what, .optional = true, \
                      .max = STORE_NAME_MAX, .word = what, .help = "start after this one" }
#define LIMIT { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = ARTIFACT_FIND_MAX, \
                .door = DOOR_CLI, .help = "at most N, 1 to 1000" }
/* clang-format on */

/* --- Writing ------------------------------------------------------------------------------- */

typedef jot_status (*Writer)(Memory *m, const ArtifactWrite *w, Arena *into, ArtifactRef *out,
                             Err *e);

static jot_status read_when(const ToolCall *c, DocIf *out)
{
    *out = (DocIf){ .version = arg_text(c, "if_version"), .absent = arg_bool(c, "if_absent") };
    if (out->absent && arg_given(c, "if_version"))
        return err_set(c->e, JOT_INVALID, "use %s, not both",
                       c->shell ? "--if-version or --if-absent" : "'if_version' or 'if_absent'");
    return arg_given(c, "if_version") ? version_check(out->version, c->e) : JOT_OK;
}

/* The version that was named is not the present one. */
static void hint_stale(ToolCall *c, jot_status st)
{
    if (st == JOT_CONFLICT)
        verb_next(
            c, (Str){ 0 },
            S("nothing was changed\nnext: read it, and call again with the version you read as "
              "if_version"));
}

static jot_status write_with(ToolCall *c, ArtifactWrite *w, Writer write, VerbData *out)
{
    ArtifactRef ref = { 0 };
    w->category = arg_text(c, "category");
    w->json = arg_json_text(c, "data");
    TRY(read_when(c, &w->when));
    jot_status st = write(c->m, w, c->into, &ref, c->e);
    hint_stale(c, st);
    if (st == JOT_OK || (st == JOT_CONFLICT && ref.id.n))
        out->json = artifact_ref_json(&ref);
    TRY(st);
    Str hint = artifact_hint(w->json);
    if (hint.n)
        json_object_set_new(out->json, "hint", json_text(hint));
    return JOT_OK;
}

static jot_status write_one(ToolCall *c, VerbData *out)
{
    ArtifactWrite w = { .id = arg_text(c, "id"),
                        .type = arg_text(c, "type"),
                        .task = arg_text(c, "task_id") };
    return write_with(c, &w, artifact_write, out);
}

static const Verb verb_write = {
    .tool = { .name = "artifact_write",
              .title = "Write an artifact",
              .about = "Keep a JSON value under a category and an id: results of work that others "
                       "look up by category, type or task. Older versions stay. Answers with its "
                       "ref: keep that instead of the data.",
              .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
              .params = PARAMS(CATEGORY, ID, DATA, TYPE, TASK, IF_VERSION, IF_ABSENT),
              .run = verb_answer },
    .verb = "write",
    .summary = "Keep the JSON on standard input under a category and an id",
    .help =
        "It is stored with two spaces per level; strings and numbers stay as they are.  An id may\n"
        "hold '.' and ':', a category '/'.  What was there stays in the history.\n",
    .fields = wrote_fields,
    .shows = "wrote {size#byte} to artifact {category}/{artifact_id}\ncontent_hash {content_hash}",
    .refused = "artifact",
    .run = write_one,
};

static jot_status index_write(ToolCall *c, VerbData *out)
{
    ArtifactWrite w = { .id = arg_text(c, "name") };
    return write_with(c, &w, artifact_index_write, out);
}

static const Verb verb_index_write = {
    .tool = { .name = "artifact_index_write",
              .title = "Write an index",
              .about = "Replace a named JSON document beside the artifacts, in one step.",
              .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
              .params = PARAMS(CATEGORY, NAME, DATA, IF_VERSION, IF_ABSENT),
              .run = verb_answer },
    .verb = "write",
    .summary = "Replace an index document with the JSON on standard input, in one step",
    .fields = wrote_fields,
    .shows = "wrote {size#byte} to index {category}/{artifact_id}\ncontent_hash {content_hash}",
    .refused = "artifact",
    .run = index_write,
};

/* --- Reading ------------------------------------------------------------------------------- */

/* One that an edit left without JSON is refused with its text; `raw` takes it. */
static jot_status give(jot_status st, const Artifact *a, bool raw, VerbData *out)
{
    if (st == JOT_CORRUPT || st == JOT_OK) {
        out->json = artifact_json(a);
        out->body = a->text.p ? a->text : S("");
    }
    if (st == JOT_OK || (st == JOT_CORRUPT && raw)) {
        json_object_set_new(out->json, "version", json_string(version_of(a->ref.sha256).text));
        return JOT_OK;
    }
    return st;
}

/* The artifact that the arguments name, as it is or was. */
static jot_status named_artifact(ToolCall *c, Artifact *out)
{
    ArtifactRead which = { .category = arg_text(c, "category"),
                           .id = arg_text(c, "id"),
                           .version = arg_text(c, "version") };
    return artifact_read(c->m, &which, c->into, out, c->e);
}

static jot_status read_one(ToolCall *c, VerbData *out)
{
    Artifact a = { 0 };
    return give(named_artifact(c, &a), &a, arg_bool(c, "raw"), out);
}

static const Verb verb_read = {
    .tool = { .name = "artifact_read",
              .title = "Read an artifact",
              .about = "Read an artifact's JSON, or as much of it as fits; the last line is its "
                       "version.",
              .effects = TOOL_READS,
              .params = PARAMS(CATEGORY, ID, REPLY_BODY_PARAMS, VERSION, RAW),
              .run = verb_answer },
    .verb = "read",
    .summary = "Print an artifact",
    .fields = read_fields,
    .says = "version {version}",
    .refused = "artifact",
    .run = read_one,
};

static jot_status ref(ToolCall *c, VerbData *out)
{
    Artifact a = { 0 };
    jot_status st = named_artifact(c, &a);
    if (st != JOT_CORRUPT) /* a ref is of bytes, whatever they are */
        TRY(st);
    out->json = artifact_ref_json(&a.ref);
    return JOT_OK;
}

static const Verb verb_ref = {
    .tool = { .effects = TOOL_READS,
              .params = PARAMS(CATEGORY, ID, VERSION, RAW),
              .run = verb_answer },
    .verb = "ref",
    .summary = "Print the reference of an artifact: id, category, hash, time",
    .help = "The hash is the SHA-256 of the stored bytes; `read --version` finds them again.\n",
    .fields = ref_fields,
    .card = "artifact_id category content_hash at type task_id",
    .run = ref,
};

static jot_status index_read(ToolCall *c, VerbData *out)
{
    Artifact a = { 0 };
    jot_status st =
        artifact_index_read(c->m, arg_text(c, "category"), arg_text(c, "name"), c->into, &a, c->e);
    return give(st, &a, false, out);
}

static const Verb verb_index_read = {
    .tool = { .name = "artifact_index_read",
              .title = "Read an index",
              .about = "Read such a document's JSON, or as much of it as fits.",
              .effects = TOOL_READS,
              .params = PARAMS(CATEGORY, NAME, REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .summary = "Print an index document",
    .fields = read_fields,
    .says = "version {version}",
    .refused = "artifact",
    .run = index_read,
};

/* --- Which there are ----------------------------------------------------------------------- */

static jot_status find_all(ToolCall *c, ArtifactQuery *q, VerbData *out)
{
    ArtifactList all;
    q->category = arg_text(c, "category");
    q->after = arg_text(c, "after");
    q->limit = (size_t)arg_number(c, "limit", ARTIFACT_FIND_MAX);
    TRY(artifact_find(c->m, q, c->into, &all, c->e));
    out->json = artifact_list_json(&all);
    return JOT_OK;
}

static jot_status list(ToolCall *c, VerbData *out)
{
    ArtifactQuery q = { .below = true,
                        .type = arg_text(c, "type"),
                        .task = arg_text(c, "task_id") };
    return find_all(c, &q, out);
}

#define LIST                                                                        \
    .fields = list_fields, .items = "artifacts", .row = "{category}/{artifact_id}", \
    .page = "after", .cursor = "{category}/{artifact_id}", .unit = "artifact"

static const Verb verb_list = {
    .tool = { .name = "artifact_list",
              .title = "List artifacts",
              .about = "List the refs of artifacts, one per line, by category (and below it), type "
                       "and task.",
              .effects = TOOL_READS,
              .params = PARAMS(BELOW, TYPE, TASK, AFTER("CATEGORY/ID"), LIMIT),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the artifacts of a category and those below it, one per line",
    .help = "In byte order.  One that cannot be understood is reported on standard error.\n",
    LIST,
    .run = list,
};

static jot_status find(ToolCall *c, VerbData *out)
{
    ArtifactQuery q = { .below = arg_bool(c, "below"),
                        .id = arg_text(c, "id"),
                        .type = arg_text(c, "type"),
                        .task = arg_text(c, "task_id") };
    if (q.below && !arg_given(c, "category"))
        return err_set(c->e, JOT_INVALID, "%s",
                       c->shell ? "--below goes with --category" : "'below' goes with 'category'");
    return find_all(c, &q, out);
}

static const Verb verb_find = {
    .tool = { .effects = TOOL_READS,
              .params = PARAMS(
                  { "id", PARAM_TEXT, .optional = true, .help = "of this id, in any category" },
                  { "category", PARAM_TEXT, .optional = true, .help = "in this category" },
                  { "below", PARAM_BOOL, .optional = true, .help = "and in those below it" },
                  { "type", PARAM_TEXT, .optional = true, .help = "of this type" },
                  { "task_id", PARAM_TEXT, .optional = true, .option = "task", .word = "ID",
                    .help = "of this task" },
                  AFTER("CATEGORY/ID"), LIMIT),
              .run = verb_answer },
    .verb = "find",
    .summary = "Print the artifacts with this id, category, type or task",
    .help = "All options given must match.  The answer is made from the streams each time.\n",
    LIST,
    .run = find,
};

static jot_status index_list(ToolCall *c, VerbData *out)
{
    return find_all(c, &(ArtifactQuery){ .below = true, .documents = true }, out);
}

static const Verb verb_index_list = {
    .tool = { .name = "artifact_index_list",
              .title = "List indexes",
              .about = "List the refs of such documents, one per line.",
              .effects = TOOL_READS,
              .params = PARAMS(BELOW, AFTER("CATEGORY/NAME"), LIMIT),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the index documents, one per line",
    LIST,
    .run = index_list,
};

/* --- Deleting ------------------------------------------------------------------------------ */

static jot_status delete_one(ToolCall *c, VerbData *out)
{
    DocIf when = { .version = arg_text(c, "if_version") };
    if (arg_given(c, "if_version"))
        TRY(version_check(when.version, c->e));
    jot_status st =
        artifact_delete(c->m, arg_text(c, "category"), arg_text(c, "id"), &when, c->into, c->e);
    hint_stale(c, st);
    TRY(st);
    out->json = json_pack("{s:o, s:o, s:b}", "artifact_id", json_text(arg_text(c, "id")),
                          "category", json_text(arg_text(c, "category")), "deleted", true);
    return JOT_OK;
}

static const Verb verb_delete = {
    .tool = { .name = "artifact_delete",
              .title = "Delete an artifact",
              .about = "Delete an artifact; its older versions stay readable.",
              .effects = TOOL_DELETES,
              .params = PARAMS(CATEGORY, ID, IF_VERSION),
              .run = verb_answer },
    .verb = "delete",
    .summary = "Delete an artifact",
    .help = "Its versions stay readable by their hash.\n",
    .fields = deleted_fields,
    .says = "deleted artifact {category}/{artifact_id}",
    .run = delete_one,
};

static jot_status index_delete(ToolCall *c, VerbData *out)
{
    Str category = arg_text(c, "category"), name = arg_text(c, "name");
    TRY(artifact_index_delete(c->m, category, name, c->into, c->e));
    out->json = json_pack("{s:o, s:o, s:b}", "name", json_text(name), "category",
                          json_text(category), "deleted", true);
    return JOT_OK;
}

static const Verb verb_index_delete = {
    .tool = { .name = "artifact_index_delete",
              .title = "Delete an index",
              .about = "Delete such a document.",
              .effects = TOOL_DELETES,
              .params = PARAMS(CATEGORY, NAME),
              .run = verb_answer },
    .verb = "delete",
    .summary = "Delete an index document",
    .fields = deleted_fields,
    .says = "deleted index {category}/{name}",
    .run = index_delete,
};

/* --- The nouns ----------------------------------------------------------------------------- */

static const Verb *const index_verbs[] = { &verb_index_write, &verb_index_read, &verb_index_list,
                                           &verb_index_delete, NULL };

const Noun noun_artifact_index = {
    .name = "index",
    .called = "artifact_index",
    .summary = "Named documents beside the artifacts, replaced in one step",
    .help = "They are in artifacts/index/ and are not listed among the artifacts.\n",
    .verbs = index_verbs,
    .profile = TOOLS_INDEXES,
};

static const Verb *const verbs[] = { &verb_write, &verb_read,   &verb_list, &verb_find,
                                     &verb_ref,   &verb_delete, NULL };

const Noun noun_artifact = {
    .name = "artifact",
    .summary = "JSON documents by category and id, with their hash, type and task",
    .verbs = verbs,
    .subs = (const Noun *const[]){ &noun_artifact_index, NULL },
    .profile = TOOLS_ARTIFACTS,
};
