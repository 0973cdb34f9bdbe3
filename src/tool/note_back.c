/* note_back.c - the noun `note`, looking back: versions, differences, authors, and what was before.
 *
 * Purging and redacting are for a person alone, and ask for the key once more: a key that is typed
 * twice is meant. */
#include "memory/doc/history.h"
#include "memory/forget/forget.h"
#include "tool/note.h"

extern const Verb verb_note_history, verb_note_diff, verb_note_blame, verb_note_undo,
    verb_note_redo, verb_note_restore, verb_note_purge, verb_note_redact;

static jot_status history(ToolCall *c, VerbData *out)
{
    Str stream;
    History h;
    HistoryAsk ask = { .before = (uint64_t)arg_number(c, "before", 0),
                       .limit = (size_t)arg_number(c, "limit", NOTE_PAGE) };
    TRY(note_arg(c, &stream));
    TRY(history_page(c->m, stream, &ask, c->into, &h, c->e));
    out->json = json_pack("{s:o, s:b, s:I}", "versions", history_json(stream, &h), "more", h.more,
                          "damaged", (json_int_t)h.damaged);
    return JOT_OK;
}

/* clang-format off */
static const Param version_fields[] = { NOTE_MARK, { "op", .type = PARAM_TEXT }, { 0 } };
const Verb verb_note_history = {
    .tool = { .name = "note_history", .title = "Versions of a note",
              .about = "The versions of a document, newest first.",
              .effects = TOOL_READS,
              .params = PARAMS(NOTE_KEY,
                  { "before", PARAM_NUMBER, .about = "those older than this record",
                    .optional = true, .min = 1 },
                  { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = HISTORY_PAGE_MAX }),
              .run = verb_answer },
    .verb = "history",
    .summary = "List the versions of a note, newest first",
    .fields = PARAMS({ "versions", PARAM_OBJECTS, .fields = version_fields },
                     { "more", .type = PARAM_BOOL },
                     { "damaged", PARAM_NUMBER, .about = "records that cannot be read" }),
    .items = "versions", .unit = "version",
    .run = history,
};
/* clang-format on */

static jot_status diff(ToolCall *c, VerbData *out)
{
    HistoryDiffAsk ask = { .from = arg_text(c, "from"), .to = arg_text(c, "to") };
    HistoryDiff d;
    TRY(note_arg(c, &ask.stream));
    TRY(history_diff(c->m, &ask, c->into, &d, c->e));
    out->json = json_pack("{s:o, s:o, s:o, s:I, s:I}", "from",
                          d.from.mark.op ? doc_json(ask.stream, &d.from, false) : json_null(), "to",
                          d.to.mark.op ? doc_json(ask.stream, &d.to, false) : json_null(), "diff",
                          json_text(d.text), "added", (json_int_t)d.added, "removed",
                          (json_int_t)d.removed);
    return JOT_OK;
}

/* clang-format off */
#define VERSION(name, words) \
    { name, PARAM_TEXT, .about = words, .optional = true, .max = HASH_HEX }
const Verb verb_note_diff = {
    .tool = { .name = "note_diff", .title = "Compare versions",
              .about = "What changed between two versions of a document.",
              .effects = TOOL_READS,
              .params = PARAMS(NOTE_KEY, VERSION("from", "before the last change, if not given"),
                               VERSION("to", "now, if not given")),
              .run = verb_answer },
    .verb = "diff",
    .summary = "Say what changed between two versions",
    .fields = PARAMS({ "from", PARAM_OBJECT, .fields = note_fields },
                     { "to", PARAM_OBJECT, .fields = note_fields }, { "diff", .type = PARAM_TEXT },
                     { "added", PARAM_NUMBER, .about = "lines" },
                     { "removed", PARAM_NUMBER, .about = "lines" }),
    .run = diff,
};
/* clang-format on */

static jot_status blame(ToolCall *c, VerbData *out)
{
    Str stream;
    Blame b;
    TRY(note_arg(c, &stream));
    TRY(history_blame(c->m, stream, c->into, &b, c->e));
    out->json = json_pack("{s:o, s:b}", "lines", blame_json(&b), "cut", b.cut);
    return JOT_OK;
}

/* clang-format off */
static const Param line_fields[] = {
    { "line", .type = PARAM_NUMBER }, { "text", .type = PARAM_TEXT },
    { "version", .type = PARAM_TEXT }, { "seq", .type = PARAM_NUMBER },
    { "at", PARAM_TEXT, .about = "time" }, { "by", .type = PARAM_TEXT }, { 0 } };
const Verb verb_note_blame = {
    .tool = { .name = "note_blame", .title = "Who wrote each line",
              .about = "Who wrote each line of a document, and with which version.",
              .effects = TOOL_READS,
              .params = PARAMS(NOTE_KEY),
              .run = verb_answer },
    .verb = "blame",
    .summary = "Say who wrote each line, and with which version",
    .fields = PARAMS({ "lines", PARAM_OBJECTS, .fields = line_fields },
                     { "cut", PARAM_BOOL, .about = "some may be older than that" }),
    .items = "lines", .unit = "line",
    .run = blame,
};
/* clang-format on */

/* --- Going back ------------------------------------------------------------------------------ */

typedef jot_status (*Going)(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                            Err *e);

static jot_status go(ToolCall *c, Going going, VerbData *out)
{
    Str stream;
    DocIf when;
    Doc now;
    TRY(note_arg(c, &stream));
    TRY(arg_if_version(c, &when));
    return note_changed(going(c->m, stream, &when, c->into, &now, c->e), stream, &now, out);
}

static jot_status undo(ToolCall *c, VerbData *out)
{
    return go(c, history_undo, out);
}

static jot_status redo(ToolCall *c, VerbData *out)
{
    return go(c, history_redo, out);
}

static jot_status restore(ToolCall *c, VerbData *out)
{
    Str stream;
    Restore r;
    Doc now;
    TRY(note_arg(c, &stream));
    TRY(when_parse(arg_text(c, "version"), &r.which, c->e));
    TRY(arg_if_version(c, &r.when));
    return note_changed(history_restore(c->m, stream, &r, c->into, &now, c->e), stream, &now, out);
}

/* clang-format off */
const Verb verb_note_undo = {
    .tool = { .name = "note_undo", .title = "Undo a change",
              .about = "Restore what was there before the last change of a document.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, NOTE_IF),
              .run = verb_answer },
    .verb = "undo",
    .summary = "Restore what was there before the last change",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = undo,
};

const Verb verb_note_redo = {
    .tool = { .name = "note_redo", .title = "Take back an undo",
              .about = "Bring back what the last undo of a document took away.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, NOTE_IF),
              .run = verb_answer },
    .verb = "redo",
    .summary = "Take back the last undo",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = redo,
};

const Verb verb_note_restore = {
    .tool = { .name = "note_restore", .title = "Restore a version",
              .about = "Write an older version of a document again.",
              .effects = TOOL_WRITES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, { "version", PARAM_TEXT, .max = HASH_HEX, .min = 1 },
                               NOTE_IF),
              .run = verb_answer },
    .verb = "restore",
    .summary = "Restore an older version, as a new one",
    .fields = note_changed_fields,
    .refused = "conflict",
    .run = restore,
};
/* clang-format on */

/* --- Forgetting ------------------------------------------------------------------------------ */

/* The stream of "key", if "again" says the same. */
static jot_status meant(ToolCall *c, Str *stream)
{
    if (!str_eq(arg_text(c, "key"), arg_text(c, "again")))
        return err_set(c->e, JOT_INVALID,
                       "'again' is not the key: type it once more, there is no way back");
    return forget_resolve(arg_text(c, "key"), c->into, stream, c->e);
}

static jot_status purge(ToolCall *c, VerbData *out)
{
    Str stream;
    Mark mark;
    TRY(meant(c, &stream));
    TRY(forget_document(c->m, stream, &mark, c->e));
    out->json = json_pack("{s:o, s:b}", "stream", json_text(stream), "purged", true);
    return JOT_OK;
}

const Verb verb_note_purge = {
    .tool = { .effects = TOOL_WRITES | TOOL_DELETES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, NOTE_AGAIN),
              .run = verb_answer },
    .verb = "purge",
    .summary = "Remove a note and all its versions for good",
    .fields = PARAMS({ "stream", .type = PARAM_TEXT }, { "purged", .type = PARAM_BOOL }),
    .run = purge,
};

static jot_status redact(ToolCall *c, VerbData *out)
{
    Str stream;
    When which;
    Forgotten f = { 0 };
    jot_status st;
    if (arg_given(c, "version") == arg_given(c, "text"))
        return err_set(c->e, JOT_INVALID, "say 'version' or 'text': one of the two");
    TRY(meant(c, &stream));
    if (arg_given(c, "version")) {
        TRY(when_parse(arg_text(c, "version"), &which, c->e));
        st = forget_version(c->m, stream, &which, &f.n, c->e);
    } else {
        TRY(forget_check_phrase(arg_text(c, "text"), c->e));
        st = forget_phrase(c->m, stream, arg_text(c, "text"), &f, c->e);
    }
    out->json = json_pack("{s:o, s:I, s:b}", "stream", json_text(stream), "redacted",
                          (json_int_t)f.n, "rewritten", f.rewritten);
    return st;
}

/* clang-format off */
const Verb verb_note_redact = {
    .tool = { .effects = TOOL_WRITES | TOOL_DELETES | TOOL_EXISTING,
              .params = PARAMS(NOTE_KEY, NOTE_AGAIN,
                               VERSION("version", "whose text goes"),
                               { "text", PARAM_TEXT, .about = "that goes from all versions",
                                 .optional = true, .min = 1 }),
              .run = verb_answer },
    .verb = "redact",
    .summary = "Remove the text of an older version, or a phrase from all of them",
    .fields = PARAMS({ "stream", .type = PARAM_TEXT },
                     { "redacted", PARAM_NUMBER, .about = "records that lost their text" },
                     { "rewritten", PARAM_BOOL, .about = "the present text held it" }),
    .run = redact,
};
/* clang-format on */
