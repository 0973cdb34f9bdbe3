/* checkpoint.c - the profile `checkpoints`: states of a run, saved, loaded, and undone.
 *
 * A state is any text; loading and undoing answer with it exactly, and a last line with its number,
 * which an undo can name so that nobody goes back twice by accident. */
#include "memory/artifact/checkpoint.h"

#include "base/time.h"
#include "memory/frame/frame.h"
#include "tool/reply.h"

static jot_status run_save(ToolCall *c, ToolReply *out)
{
    CheckpointSaved saved;
    CheckpointSave save = { .state = arg_text(c, "state"), .label = arg_text(c, "label") };
    CheckpointKeep keep = { .states = (uint64_t)arg_number(c, "keep", 0) };
    TRY(checkpoint_save_keep(c->m, arg_text(c, "run"), &save, &keep, &saved, c->e));
    AUTO(Buf) name = { 0 };
    AUTO(Buf) text = { 0 };
    frame_name_add(&name, arg_text(c, "run"));
    buf_add(&text, checkpoint_saved_text(&saved, buf_str(&name), c->into));
    if (saved.not_dropped.status != JOT_OK)
        buf_addf(&text, "; older ones were not dropped: %s", saved.not_dropped.text);
    reply_set(c, &text, out);
    return JOT_OK;
}

static jot_status tell_state(ToolCall *c, const Checkpoint *x, ToolReply *out)
{
    TRY(reply_check_text(arg_text(c, "run"), x->state, c->e));
    AUTO(Buf) label = { 0 };
    buf_addf(&label, "checkpoint %llu of ", (unsigned long long)x->version);
    frame_name_add(&label, arg_text(c, "run"));
    if (x->undone)
        buf_addf(&label, ", undid %llu, restored %llu", (unsigned long long)x->undone,
                 (unsigned long long)x->restored);
    reply_body(c, x->state, buf_str(&label), out);
    return JOT_OK;
}

static jot_status run_load(ToolCall *c, ToolReply *out)
{
    Checkpoint x;
    TRY(reply_body_check(c));
    TRY(checkpoint_load(c->m, arg_text(c, "run"), (uint64_t)arg_number(c, "version", 0), c->into,
                        &x, c->e));
    return tell_state(c, &x, out);
}

/* A state that is longer than an answer is loaded in parts: undoing again would go further back. */
static jot_status run_undo(ToolCall *c, ToolReply *out)
{
    Checkpoint x;
    extern const Tool tool_checkpoint_load;
    TRY(checkpoint_undo(c->m, arg_text(c, "run"), (uint64_t)arg_number(c, "if_version", 0), c->into,
                        &x, c->e));
    AUTO_PTR(json_t)
    args = json_pack("{s:o, s:I}", "run", json_text(arg_text(c, "run")), "version",
                     (json_int_t)x.version);
    ToolCall load = *c;
    load.tool = &tool_checkpoint_load;
    load.args = args;
    return tell_state(&load, &x, out);
}

static jot_status run_list(ToolCall *c, ToolReply *out)
{
    CheckpointList list;
    AUTO(Lister) l = lister_begin(c);
    size_t n = 0;
    TRY(checkpoint_list(c->m, arg_text(c, "run"), 0, c->into, &list, c->e));
    for (bool fits = true; n < list.n && fits; n += fits) {
        const Checkpoint *x = &list.items[list.n - 1 - n];
        AUTO(Buf) line = { 0 };
        buf_addf(&line, "%llu%s  %s  %llu bytes", (unsigned long long)x->version,
                 x->live ? "*" : "", time_text(x->at_ms).text, (unsigned long long)x->size);
        if (x->undone)
            buf_addf(&line, "  (undid %llu, restored %llu)", (unsigned long long)x->undone,
                     (unsigned long long)x->restored);
        if (x->label.n) {
            buf_add(&line, S("  "));
            frame_last_name_add(&line, x->label);
        }
        fits = lister_add(&l, buf_str(&line));
    }
    buf_addf(&l.text, "... %zu of %llu versions, newest first; undo can come to those with *, %llu",
             n, (unsigned long long)list.total, (unsigned long long)list.depth);
    if (list.damaged)
        buf_addf(&l.text, "; %llu cannot be read", (unsigned long long)list.damaged);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

/* --- The tables -------------------------------------------------------------------------- */

/* clang-format off */
#define OF_RUN { "run", PARAM_TEXT, .about = "whose states they are: any name", .max = STORE_SEGMENT_MAX }
/* clang-format on */

extern const Tool tool_checkpoint_save, tool_checkpoint_load, tool_checkpoint_undo,
    tool_checkpoint_list;

const Tool tool_checkpoint_save = {
    .name = "checkpoint_save",
    .title = "Save a state",
    .about = "Save the whole state of your work as a new version, before a step you may want to "
             "take back.",
    .effects = TOOL_WRITES,
    .params = { OF_RUN,
                { "state", .type = PARAM_TEXT },
                { "label", PARAM_TEXT, .about = "a word about it", .optional = true,
                  .max = CHECKPOINT_LABEL_MAX },
                { "keep", PARAM_NUMBER, .about = "then drop all but the newest so many",
                  .optional = true, .min = 1 } },
    .run = run_save,
};

const Tool tool_checkpoint_load = {
    .name = "checkpoint_load",
    .title = "Load a state",
    .about = "The present state, or that of a version.",
    .effects = TOOL_READS,
    .params = { OF_RUN,
                { "version", PARAM_NUMBER, .optional = true, .min = 1 },
                REPLY_BODY_PARAMS },
    .run = run_load,
};

const Tool tool_checkpoint_undo = {
    .name = "checkpoint_undo",
    .title = "Go one state back",
    .about = "Go back to the state saved before the present one, and read it. What is undone stays "
             "readable by its version.",
    .effects = TOOL_WRITES,
    .params = { OF_RUN,
                { "if_version", PARAM_NUMBER, .about = "only if this is the newest version",
                  .optional = true, .min = 1 } },
    .run = run_undo,
};

const Tool tool_checkpoint_list = {
    .name = "checkpoint_list",
    .title = "List states",
    .about = "The versions that are kept: number, time, size, label.",
    .effects = TOOL_READS,
    .params = { OF_RUN },
    .run = run_list,
};
