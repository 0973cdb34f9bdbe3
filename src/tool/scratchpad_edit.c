/* scratchpad_edit.c - change a part of a note: replace one place, add after it, go back. */
#include "base/utf8.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "tool/reply.h"

static jot_status replace(ToolCall *c, Str stream, DocIf when, Doc *now, Str *line)
{
    DocEdit w = { .old_text = arg_text(c, "old_text"),
                  .new_text = arg_text(c, "new_text"),
                  .when = when };
    if (!arg_given(c, "new_text"))
        return err_set(c->e, JOT_INVALID, "'old_text' needs 'new_text': what stands there instead");
    TRY(doc_edit(c->m, stream, &w, c->into, now, c->e));
    *line =
        arena_printf(c->into, "replaced 1 place in %s, line %zu", doc_name(stream).text, w.line);
    return JOT_OK;
}

static jot_status append(ToolCall *c, Str stream, DocIf when, Doc *now, Str *line)
{
    DocAppend a = { .text = arg_text(c, "append"), .line = true, .when = when };
    TRY(doc_append(c->m, stream, &a, c->into, now, c->e));
    *line = arena_printf(c->into, "appended %zu chars to %s", utf8_count(a.text),
                         doc_name(stream).text);
    return JOT_OK;
}

static jot_status restore(ToolCall *c, Str stream, DocIf when, Doc *now, Str *line)
{
    Str word = arg_text(c, "restore");
    uint64_t back = 0;
    When which;
    if (str_eq(word, S("undo"))) {
        TRY(history_undo(c->m, stream, &when, c->into, now, c->e));
        back = meta_number(now->meta, "undo");
    } else {
        TRY(when_parse(word, &which, c->e));
        TRY(history_restore(c->m, stream, &(Restore){ which, when }, c->into, now, c->e));
        back = meta_number(now->meta, "restored");
    }
    *line = arena_printf(c->into, "%s is %sas it was at record %llu", doc_name(stream).text,
                         mark_live(&now->mark) ? "" : "deleted, ", (unsigned long long)back);
    return JOT_OK;
}

static jot_status change(ToolCall *c, Str stream, ToolReply *out)
{
    DocIf when;
    Doc now = { 0 };
    Str line = { 0 }, written = arg_text(c, arg_given(c, "append") ? "append" : "new_text");
    jot_status st;
    TRY(arg_if_version(c, &when));
    if (arg_given(c, "append"))
        st = append(c, stream, when, &now, &line);
    else if (arg_given(c, "restore"))
        st = restore(c, stream, when, &now, &line);
    else
        st = replace(c, stream, when, &now, &line);
    if (st == JOT_CONFLICT)
        return reply_conflict(c, &(Conflict){ .stream = stream, .now = now }, out);
    TRY(st);
    reply_changed(c, stream, line, &now, written, out);
    return JOT_OK;
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Str stream;
    int ways = arg_given(c, "old_text") + arg_given(c, "append") + arg_given(c, "restore");
    TRY(arg_note(c, &stream));
    if (ways != 1 || (arg_given(c, "new_text") && !arg_given(c, "old_text")))
        return err_set(c->e, JOT_INVALID,
                       "say one of 'old_text' with 'new_text', 'append', 'restore'");
    /* The lease counts for this call alone: the handle serves other agents, too. */
    reply_lease(c);
    jot_status st = change(c, stream, out);
    reply_unlease(c);
    return st;
}

/* Only an append makes a note. */
static bool makes_nothing(const json_t *args)
{
    return !json_is_string(json_object_get(args, "append"));
}

extern const Tool tool_scratchpad_edit;
const Tool tool_scratchpad_edit = {
    .name = "scratchpad_edit",
    .title = "Edit a note",
    .about = "Change part of a note in memory: replace the one exact place old_text by new_text, "
             "or append, or restore. Prefer it to writing a whole note again.",
    .effects = TOOL_WRITES,
    .params = PARAMS(
        { "key", PARAM_TEXT, .max = STORE_NAME_MAX }, { "old_text", PARAM_TEXT, .optional = true },
        { "new_text", PARAM_TEXT, .optional = true },
        { "append", PARAM_TEXT, .about = "added as new lines at the end", .optional = true },
        { "restore", PARAM_TEXT, .about = "an older version, or 'undo'", .optional = true,
          .max = HASH_HEX },
        { "if_version", PARAM_TEXT, .optional = true, .max = HASH_HEX },
        { "lease", PARAM_NUMBER, .optional = true, .min = 1 }),
    .makes_nothing = makes_nothing,
    .run = run,
};
