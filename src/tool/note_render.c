/* note_render.c - the noun `note`: a document as HTML that can do nothing but be shown. */
#include "memory/doc/history.h"
#include "tool/markdown.h"
#include "tool/note.h"

extern const Verb verb_note_render;

static jot_status find_text(ToolCall *c, json_t *to, Str *out)
{
    Str stream;
    When when;
    Doc d;
    if (arg_given(c, "key") == arg_given(c, "text"))
        return err_set(c->e, JOT_INVALID, "say 'key' or 'text': one of the two");
    *out = arg_text(c, "text");
    if (!arg_given(c, "key"))
        return JOT_OK;
    TRY(note_arg(c, &stream));
    TRY(when_parse(arg_text(c, "version"), &when, c->e));
    TRY(history_at(c->m, stream, &when, c->into, &d, c->e));
    json_object_set_new(to, "stream", json_text(stream));
    json_object_set_new(to, "version", json_string(version_of(d.mark.sha256).text));
    *out = d.text;
    return JOT_OK;
}

/* A text that cannot be shown so is no failure: it is shown as it is. */
static jot_status render(ToolCall *c, VerbData *out)
{
    AUTO(Buf) html = { .max = SIZE_MAX / 2 };
    Str text;
    Err why = { 0 };
    AUTO_PTR(json_t) data = json_object();
    TRY(find_text(c, data, &text));
    jot_status st = markdown_html(text, &html, &why);
    json_object_set_new(data, "html", st == JOT_OK ? json_text(buf_str(&html)) : json_null());
    if (st != JOT_OK)
        json_object_set_new(data, "why", json_text(str(why.text)));
    out->json = TAKE(data);
    return JOT_OK;
}

/* clang-format off */
const Verb verb_note_render = {
    .tool = { .name = "note_render", .title = "Show a note",
              .about = "The Markdown of a document, or of a text, as HTML that is safe to show.",
              .effects = TOOL_READS,
              .params = PARAMS(
                  { "key", PARAM_TEXT, .max = STORE_NAME_MAX, .optional = true,
                    .about = "a note's key, or the whole name of another document" },
                  { "version", PARAM_TEXT, .about = "a version, a record's number, a moment, or ~N",
                    .optional = true, .max = HASH_HEX },
                  { "text", PARAM_TEXT, .about = "instead of a document", .optional = true }),
              .run = verb_answer },
    .verb = "render",
    .summary = "Make HTML of the Markdown of a note, safe to show",
    .fields = PARAMS({ "stream", .type = PARAM_TEXT }, { "version", .type = PARAM_TEXT },
                     { "html", .type = PARAM_TEXT },
                     { "why", PARAM_TEXT, .about = "there is none: show the text as it is" }),
    .run = render,
};
/* clang-format on */
