/* note.c - the noun `note`: documents for programs and for the page, by key or whole name.
 *
 * Agents have the scratchpad's tools and people a command for each of these, so the noun is apart
 * (verb.h).  The rows return what those commands print with --json. */
#include "tool/note.h"

#include "base/utf8.h"
#include "memory/doc/history.h"
#include "memory/doc/note.h"
#include "memory/forget/forget.h"

extern const Noun noun_note;
extern const Verb verb_note_list, verb_note_render;
extern const Verb verb_note_history, verb_note_diff, verb_note_blame, verb_note_undo,
    verb_note_redo, verb_note_restore, verb_note_purge, verb_note_redact; /* note_back.c */

const Param note_fields[] = { NOTE_FIELDS, { 0 } };
/* clang-format off */
const Param note_changed_fields[] = {
    NOTE_FIELDS, { "merged", .type = PARAM_BOOL }, { "warning", .type = PARAM_TEXT },
    { "line", .type = PARAM_NUMBER },
    { "present", .type = PARAM_OBJECT }, { "mine", .type = PARAM_TEXT },
    { "merge", .type = PARAM_TEXT }, { "clean", .type = PARAM_BOOL }, { 0 } };
/* clang-format on */

/* --- Arguments and answers ------------------------------------------------------------------- */

jot_status note_arg(const ToolCall *c, Str *stream)
{
    return note_resolve(arg_text(c, "key"), c->into, stream, c->e);
}

jot_status arg_moment(const ToolCall *c, const char *name, int64_t *out)
{
    When when = { 0 };
    Shown shown;
    Str text = arg_text(c, name);
    *out = 0;
    if (!text.n)
        return JOT_OK;
    if (when_parse(text, &when, &(Err){ 0 }) != JOT_OK || when.kind != WHEN_TIME)
        return err_set(c->e, JOT_INVALID,
                       "'%s' must be a moment such as 2026-01-31T18:45:00Z or 2026-01-31, not '%s'",
                       name, err_show(&shown, text));
    *out = when.at_ms;
    return JOT_OK;
}

/* The text of a document as JSON; one that is no UTF-8 is a body instead. */
static void give(Str stream, const Doc *d, VerbData *out)
{
    bool text = utf8_valid(d->text);
    out->json = doc_json(stream, d, text);
    if (!text)
        out->body = d->text;
}

/* What stands in the way of a change, and what a merge would be. */
static void give_conflict(const Conflict *k, VerbData *out)
{
    bool there = mark_live(&k->now.mark) && utf8_valid(k->now.text);
    bool merge = k->based && utf8_valid(k->merged);
    out->json = json_pack(
        "{s:o, s:o, s:o, s:b}", "present", there ? doc_json(k->stream, &k->now, true) : json_null(),
        "mine", k->mine.p && utf8_valid(k->mine) ? json_text(k->mine) : json_null(), "merge",
        merge ? json_text(k->merged) : json_null(), "clean", merge && k->clean);
}

jot_status note_changed(jot_status st, Str stream, const Doc *now, VerbData *out)
{
    if (st == JOT_CONFLICT)
        give_conflict(&(Conflict){ .stream = stream, .now = *now }, out);
    if (st == JOT_OK)
        out->json = doc_json(stream, now, false);
    return st;
}

/* --- read ---------------------------------------------------------------------------------- */

static jot_status read_note(ToolCall *c, VerbData *out)
{
    Str stream;
    When when;
    Doc d;
    TRY(note_arg(c, &stream));
    TRY(when_parse(arg_text(c, "version"), &when, c->e));
    TRY(history_at(c->m, stream, &when, c->into, &d, c->e));
    give(stream, &d, out);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_read = {
    .tool = { .name = "note_read", .title = "Read a note",
              .about = "A document as it is, or as it was.",
              .effects = TOOL_READS,
              .params = PARAMS(NOTE_KEY,
                  { "version", PARAM_TEXT, .about = "a version, a record's number, a moment, or ~N",
                    .optional = true, .max = HASH_HEX }),
              .run = verb_answer },
    .verb = "read",
    .summary = "Read a note, or another document, as it is or was",
    .fields = note_fields,
    .run = read_note,
};
/* clang-format on */

/* --- Changing -------------------------------------------------------------------------------- */

static void warn(ToolCall *c, Str stream, Str text, VerbData *out)
{
    Str warning = note_warns(stream, text, c->into);
    json_object_set_new(out->json, "warning", json_text_or_null(warning));
}

static jot_status write_note(ToolCall *c, VerbData *out)
{
    Str stream;
    Conflict k = { 0 };
    DocWrite w = { .text = arg_text(c, "text"), .merge = arg_bool(c, "merge") };
    TRY(note_arg(c, &stream));
    TRY(arg_if_version(c, &w.when));
    w.when.absent = arg_bool(c, "if_absent");
    jot_status st = conflict_write(c->m, stream, &w, c->into, &k, c->e);
    if (st == JOT_CONFLICT)
        give_conflict(&k, out);
    TRY(st);
    out->json = doc_json(stream, &k.now, false);
    json_object_set_new(out->json, "merged", json_boolean(k.joined));
    warn(c, stream, k.now.text, out);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_write = {
    .tool = { .name = "note_write", .title = "Write a note",
              .about = "Make a text the value of a document. Older versions stay.",
              .effects = TOOL_WRITES | TOOL_IDEMPOTENT,
              .params = PARAMS(NOTE_KEY, { "text", .type = PARAM_TEXT }, NOTE_IF,
                  { "if_absent", PARAM_BOOL, .about = "only if it does not exist", .optional = true },
                  { "merge", PARAM_BOOL, .optional = true,
                    .about = "if it is another version, write both changes if they merge" }),
              .run = verb_answer },
    .verb = "write",
    .summary = "Write a note, or another document",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = write_note,
};
/* clang-format on */

static jot_status append(ToolCall *c, VerbData *out)
{
    Str stream;
    Doc now;
    DocAppend a = { .text = arg_text(c, "text"), .line = arg_bool(c, "line") };
    TRY(note_arg(c, &stream));
    TRY(arg_if_version(c, &a.when));
    TRY(note_changed(doc_append(c->m, stream, &a, c->into, &now, c->e), stream, &now, out));
    warn(c, stream, a.text, out);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_append = {
    .tool = { .name = "note_append", .title = "Append to a note",
              .about = "Add a text to the end of a document, which is made if there is none.",
              .effects = TOOL_WRITES,
              .params = PARAMS(NOTE_KEY, { "text", .type = PARAM_TEXT },
                  { "line", PARAM_BOOL, .about = "begin a new line", .optional = true }, NOTE_IF),
              .run = verb_answer },
    .verb = "append",
    .summary = "Append a text to a note",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = append,
};
/* clang-format on */

static jot_status edit(ToolCall *c, VerbData *out)
{
    Str stream;
    Doc now;
    DocEdit w = { .old_text = arg_text(c, "old_text"), .new_text = arg_text(c, "new_text") };
    TRY(note_arg(c, &stream));
    TRY(arg_if_version(c, &w.when));
    TRY(note_changed(doc_edit(c->m, stream, &w, c->into, &now, c->e), stream, &now, out));
    json_object_set_new(out->json, "line", json_integer((json_int_t)w.line));
    warn(c, stream, w.new_text, out);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_edit = {
    .tool = { .name = "note_edit", .title = "Edit a note",
              .about = "Replace the one place of a document that reads exactly so.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, { "old_text", .type = PARAM_TEXT },
                               { "new_text", .type = PARAM_TEXT }, NOTE_IF),
              .run = verb_answer },
    .verb = "edit",
    .summary = "Replace one exact place of a note",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = edit,
};
/* clang-format on */

static jot_status delete_note(ToolCall *c, VerbData *out)
{
    Str stream;
    Doc now;
    DocIf when;
    TRY(note_arg(c, &stream));
    TRY(arg_if_version(c, &when));
    return note_changed(doc_delete(c->m, stream, &when, c->into, &now, c->e), stream, &now, out);
}

/* clang-format off */
static const Verb verb_delete = {
    .tool = { .name = "note_delete", .title = "Delete a note",
              .about = "Take a document out of sight. Its history stays.",
              .effects = TOOL_WRITES | TOOL_DELETES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, NOTE_IF),
              .run = verb_answer },
    .verb = "delete",
    .summary = "Delete a note; its history stays",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = delete_note,
};
/* clang-format on */

static jot_status move(ToolCall *c, VerbData *out)
{
    Str from, to;
    Doc now;
    TRY(note_arg(c, &from));
    TRY(note_resolve(arg_text(c, "to"), c->into, &to, c->e));
    TRY(doc_move(c->m, from, to, c->into, &now, c->e));
    out->json = doc_json(to, &now, false);
    return JOT_OK;
}

/* clang-format off */
static const Verb verb_move = {
    .tool = { .name = "note_move", .title = "Move a note",
              .about = "Give a document another name, which must be free.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, { "to", PARAM_TEXT, .max = STORE_NAME_MAX }),
              .run = verb_answer },
    .verb = "move",
    .summary = "Give a note another key",
    .fields = note_changed_fields,
    .run = move,
};

static const Verb *const verbs[] = {
    &verb_note_list, &verb_read, &verb_note_render, &verb_write, &verb_append, &verb_edit,
    &verb_delete, &verb_move,
    &verb_note_history, &verb_note_diff, &verb_note_blame, &verb_note_undo, &verb_note_redo,
    &verb_note_restore, &verb_note_purge, &verb_note_redact, NULL };
/* clang-format on */

const Noun noun_note = {
    .name = "note",
    .summary = "Notes and other documents, with what they were",
    .verbs = verbs,
    .apart = true,
};
