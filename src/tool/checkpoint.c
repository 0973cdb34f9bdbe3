/* checkpoint.c - the noun `checkpoint`: states of a run, written, read, and undone.
 *
 * A state is any text; reading and undoing answer with it exactly, and with its number, which an
 * undo can name so that nobody goes back twice by accident. */
#include "memory/artifact/checkpoint.h"

#include "tool/template.h"
#include "tool/verb.h"

extern const Noun noun_checkpoint;

/* clang-format off */
#define CHECKPOINT_FIELDS                                                                   \
    { "run", .type = PARAM_TEXT },                                                          \
    { "version", .type = PARAM_NUMBER },                                                    \
    { "at", PARAM_TEXT, .about = "time" },                                                  \
    { "by", .type = PARAM_TEXT },                                                           \
    { "label", .type = PARAM_TEXT },                                                        \
    { "undone", PARAM_NUMBER, .about = "by an undo: the version that was taken off" },      \
    { "restored", PARAM_NUMBER, .about = "by an undo: the version whose state this is" },   \
    { "live", PARAM_BOOL, .about = "undo can reach it" },                                   \
    { "size", .type = PARAM_NUMBER },                                                       \
    { "sha256", .type = PARAM_TEXT }
static const Param state_fields[] = { CHECKPOINT_FIELDS, { "state", .type = PARAM_TEXT }, { 0 } };
static const Param item_fields[] = { CHECKPOINT_FIELDS, { 0 } };

#define RUN { "run", PARAM_TEXT, .about = "whose states they are: any name", \
              .max = STORE_SEGMENT_MAX, .place = 1 }
#define KEEP { "keep", PARAM_NUMBER, .about = "then keep only the newest N", .optional = true, \
               .min = 1, .max = INT32_MAX, .help = "keep the newest N states that undo can reach" }
#define AGE { "age", PARAM_NUMBER, .about = "then drop what is older, in seconds", \
              .optional = true, .min = 1, .max = INT32_MAX, .word = "SECONDS", \
              .help = "drop what is older" }
#define STATE_LABEL "checkpoint {version} of {run}[, undid {undone}, restored {restored}]"
/* clang-format on */

static CheckpointKeep keep_of(const ToolCall *c)
{
    return (CheckpointKeep){ .states = (uint64_t)arg_number(c, "keep", 0),
                             .age_ms = arg_number(c, "age", 0) * 1000 };
}

static void give(const ToolCall *c, const Checkpoint *x, bool state, VerbData *out)
{
    out->json = checkpoint_json(x, state);
    json_object_set_new(out->json, "run", json_text(arg_text(c, "run")));
    if (state)
        out->body = x->state.p ? x->state : S("");
}

static jot_status write_one(ToolCall *c, VerbData *out)
{
    CheckpointWritten saved;
    CheckpointWrite save = { .state = arg_text(c, "state"), .label = arg_text(c, "label") };
    CheckpointKeep keep = keep_of(c);
    TRY(checkpoint_write_keep(c->m, arg_text(c, "run"), &save, &keep, &saved, c->e));
    give(c, &saved.c, false, out);
    json_object_set_new(out->json, "dropped", json_integer((json_int_t)saved.dropped));
    /* What could not be dropped now is dropped next time. */
    if (saved.not_dropped.status != JOT_OK)
        json_object_set_new(out->json, "warning",
                            json_text(arena_printf(c->into, "older ones were not dropped: %s",
                                                   saved.not_dropped.text)));
    return JOT_OK;
}

static const Verb verb_write = {
    .tool = { .name = "checkpoint_write",
              .title = "Save a state",
              .about = "Save the whole state of your work as a new version, before a step you may "
                       "want to take back.",
              .effects = TOOL_WRITES,
              .params = PARAMS(RUN, { "state", .type = PARAM_TEXT, .input = INPUT_ONLY },
                               { "label", PARAM_TEXT, .about = "a short label", .optional = true,
                                 .max = CHECKPOINT_LABEL_MAX, .word = "TEXT" },
                               KEEP, AGE),
              .run = verb_answer },
    .verb = "write",
    .was = "save",
    .summary = "Save the state on standard input as a new version",
    .fields = (const Param[]){ CHECKPOINT_FIELDS,
                               { "dropped", PARAM_NUMBER, .about = "older versions" },
                               { "warning", .type = PARAM_TEXT },
                               { 0 } },
    .says = "saved checkpoint {version} of {run}[, dropped {dropped#older one}][; {=warning}]",
    .shows = "saved checkpoint {version} of {run}[, dropped {dropped#older one}]",
    .run = write_one,
};

static jot_status read_one(ToolCall *c, VerbData *out)
{
    Checkpoint x;
    TRY(checkpoint_read(c->m, arg_text(c, "run"), (uint64_t)arg_number(c, "version", 0), c->into,
                        &x, c->e));
    give(c, &x, true, out);
    return JOT_OK;
}

static const Verb verb_read = {
    .tool = { .name = "checkpoint_read",
              .title = "Read a state",
              .about = "The present state, or that of a version.",
              .effects = TOOL_READS,
              .params =
                  PARAMS(RUN, { "version", PARAM_NUMBER, .optional = true, .min = 1, .place = 2 },
                         REPLY_BODY_PARAMS),
              .run = verb_answer },
    .verb = "read",
    .was = "load",
    .summary = "Print the present state, or that of a version",
    .fields = state_fields,
    .says = STATE_LABEL,
    .run = read_one,
};

static jot_status undo(ToolCall *c, VerbData *out)
{
    Checkpoint x;
    TRY(checkpoint_undo(c->m, arg_text(c, "run"), (uint64_t)arg_number(c, "if_version", 0), c->into,
                        &x, c->e));
    give(c, &x, true, out);
    return JOT_OK;
}

/* A state that is longer than an answer is read on by its version: undoing again would go further
 * back. */
static jot_status say_undone(ToolCall *c, const VerbData *d, ToolReply *out)
{
    AUTO(Buf) label = { 0 };
    AUTO_PTR(json_t)
    args = json_pack("{s:O, s:O}", "run", json_object_get(d->json, "run"), "version",
                     json_object_get(d->json, "version"));
    ToolCall read = *c;
    read.tool = &verb_read.tool;
    read.args = args;
    TRY(reply_check_text(arg_text(c, "run"), d->body, c->e));
    template_add(&label, STATE_LABEL, d->json, TEMPLATE_FRAMED);
    reply_body(&read, d->body, buf_str(&label), out);
    return JOT_OK;
}

static const Verb verb_undo = {
    .tool = { .name = "checkpoint_undo",
              .title = "Go one state back",
              .about = "Go back to the state saved before the present one, and read it. What is "
                       "undone stays readable by its version.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(RUN, { "if_version", PARAM_NUMBER,
                                      .about = "only if this is the newest", .optional = true,
                                      .min = 1, .help = "only if this is the newest version" }),
              .run = verb_answer },
    .verb = "undo",
    .summary = "Go back one state, and print it",
    .help = "What is undone stays readable by its version.\n",
    .fields = state_fields,
    .run = undo,
    .say = say_undone,
};

static jot_status list(ToolCall *c, VerbData *out)
{
    CheckpointList all;
    TRY(checkpoint_list(c->m, arg_text(c, "run"), (size_t)arg_number(c, "limit", 0), c->into, &all,
                        c->e));
    out->json = checkpoint_list_json(&all);
    return JOT_OK;
}

static const Verb verb_list = {
    .tool = { .name = "checkpoint_list",
              .title = "List states",
              .about = "The versions that are kept: number, time, size, label.",
              .effects = TOOL_READS,
              .params = PARAMS(RUN, { "limit", PARAM_NUMBER, .optional = true, .min = 1,
                                      .max = CHECKPOINT_LIST_MAX, .door = DOOR_CLI,
                                      .help = "the newest N, 1 to 1000" }),
              .run = verb_answer },
    .verb = "list",
    .summary = "Print the versions that are kept",
    .help = "Newest first: version, time, bytes, label.  A star marks what undo can reach.\n",
    .fields = (const Param[]){ { "checkpoints", PARAM_OBJECTS, .fields = item_fields },
                               { "total", PARAM_NUMBER, .about = "versions kept" },
                               { "depth", PARAM_NUMBER, .about = "states that undo can reach" },
                               { "damaged", PARAM_NUMBER, .about = "that cannot be read" },
                               { 0 } },
    .items = "checkpoints",
    .line = "{version}{live&*}  {at}  {size#byte}[  (undid {undone}, restored {restored})]"
            "[  {label}]",
    .row = "[*{?live}][ {!live}] {version:6}  {at:-12}  {size:8}  "
           "[(undid {undone}, restored {restored})][{label}]",
    .tail = "... {total#version}, newest first; undo can reach the {depth} with *",
    .unit = "checkpoint",
    .newest_last = true,
    .run = list,
};

static jot_status trim(ToolCall *c, VerbData *out)
{
    CheckpointKeep keep = keep_of(c);
    uint64_t dropped;
    if (!keep.states && !keep.age_ms)
        return err_set(c->e, JOT_INVALID, "say what may go: %s",
                       c->shell ? "--keep N or --age SECONDS" : "'keep' or 'age', in seconds");
    TRY(checkpoint_trim(c->m, arg_text(c, "run"), &keep, &dropped, c->e));
    out->json = json_pack("{s:o, s:I}", "run", json_text(arg_text(c, "run")), "dropped",
                          (json_int_t)dropped);
    return JOT_OK;
}

static const Verb verb_trim = {
    .tool = { .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(RUN, KEEP, AGE),
              .run = verb_answer },
    .verb = "trim",
    .summary = "Drop old versions",
    .help = "The newest one is never dropped.  What is dropped cannot be read any more; of the\n"
            "newest 16 versions the number and the hash of its state stay in the stream.\n",
    .fields = (const Param[]){ { "run", .type = PARAM_TEXT },
                               { "dropped", .type = PARAM_NUMBER },
                               { 0 } },
    .shows = "dropped {dropped#checkpoint} of {run}",
    .run = trim,
};

static const Verb *const verbs[] = { &verb_write, &verb_list, &verb_read,
                                     &verb_undo,  &verb_trim, NULL };

const Noun noun_checkpoint = {
    .name = "checkpoint",
    .summary = "States of a run: save, read, and go back",
    .verbs = verbs,
    .profile = TOOLS_CHECKPOINTS,
};
