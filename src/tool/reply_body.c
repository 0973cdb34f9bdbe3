/* reply_body.c - a text, or as much of it as fits, and one last line.
 *
 * The text comes first and as it is, then one line break, then the last line, which is always there
 * and always ours.  So nothing in the text can pass for it, and all before the last line break is
 * the text: whether it ends in a line break itself can be seen. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/excerpt.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "tool/reply.h"

enum {
    LAST_LINE = 60,  /* tokens kept free for it, besides the call it may name */
    CALL_SHARE = 4,  /* a call that takes more than this fraction of the budget is named without */
    TEXT_SHOWN = 32, /* ... its texts that have more bytes than this */
};

size_t reply_char_at(Str text, size_t number)
{
    size_t at = 0;
    while (number > 1 && at < text.n) {
        utf8_next(text, &at);
        number--;
    }
    return at;
}

/* --- Where to continue -------------------------------------------------------------------- */

/* True for a parameter that says where, too, and cannot stand beside that place. */
static bool is_other_place(const char *place, const char *name)
{
    static const char *const pairs[][2] = {
        { "from_char", "from_line" }, { "from_char", "lines" }, { "from_byte", "from_line" },
        { "from_byte", "lines" },     { "from", "tail" },       { "from", "from_char" },
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (strcmp(place, pairs[i][0]) == 0 && strcmp(name, pairs[i][1]) == 0)
            return true;
    return strcmp(place, name) == 0;
}

/* The call as it was made, without the place it named. */
static void add_call(const ToolCall *c, Buf *to, const char *place, bool whole)
{
    buf_add(to, str(c->tool->name));
    for (const Param *p = tool_params(c->tool); p->name; p++) {
        const json_t *value = json_object_get(c->args, p->name);
        if (!value || json_is_null(value) || is_other_place(place, p->name))
            continue;
        if (!whole && !(json_is_string(value) && json_str(value).n <= TEXT_SHOWN))
            continue;
        buf_addf(to, " %s=", p->name);
        if (json_is_string(value))
            frame_name_add(to, json_str(value));
        else
            json_write(to, value);
    }
}

static size_t call_tokens(const ToolCall *c, bool whole)
{
    AUTO(Buf) call = { 0 };
    add_call(c, &call, "", whole);
    return tokens_estimate(buf_str(&call));
}

/* True if all of the call can be repeated without taking the room of what it answers. */
static bool call_fits(const ToolCall *c)
{
    return call_tokens(c, true) <= c->budget / CALL_SHARE;
}

size_t reply_continue_tokens(const ToolCall *c)
{
    return LAST_LINE + call_tokens(c, call_fits(c));
}

void reply_continue(const ToolCall *c, Buf *to, const char *name, Str value)
{
    buf_add(to, S("continue with "));
    add_call(c, to, name, call_fits(c));
    buf_addf(to, " %s=", name);
    frame_last_name_add(to, value);
}

void reply_more(const ToolCall *c, Buf *to, const char *name, Str value)
{
    buf_add(to, S("... there are more: "));
    reply_continue(c, to, name, value);
}

static void go_on(const ToolCall *c, Buf *to, const char *name, size_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", number);
    buf_add(to, S("; "));
    reply_continue(c, to, name, str(text));
}

/* --- The body -------------------------------------------------------------------------- */

typedef struct Body {
    Str text; /* what is shown of it */
    Buf line;
} Body;

static void body_done(Body *b)
{
    buf_free(&b->line);
}
DEFINE_AUTO(Body, body_done)

/* A part by characters: `from` to `end` are bytes. */
static void by_chars(const ToolCall *c, Body *b, Str text, size_t from, size_t end)
{
    assert(from <= end && end <= text.n);
    size_t before = utf8_count(str_slice(text, 0, from));
    size_t shown = utf8_count(str_slice(text, from, end));
    b->text = str_slice(text, from, end);
    buf_addf(&b->line, "; chars %zu-%zu of %zu", before + 1, before + shown, utf8_count(text));
    if (end < text.n)
        go_on(c, &b->line, "from_char", before + shown + 1);
}

static void by_lines(const ToolCall *c, Body *b, Str text)
{
    ExcerptWant want = { .from = (size_t)arg_number(c, "from_line", 0),
                         .count = (size_t)arg_number(c, "lines", 0),
                         .tokens = c->budget - reply_continue_tokens(c) };
    Excerpt x;
    b->text = text;
    if (!want.from && !want.count && tokens_fit(text, want.tokens)) /* the rule */
        return;
    excerpt_make(text, &want, &x);
    /* Not even one line fits: its characters are counted instead. */
    if (x.partly) {
        size_t from = (size_t)(x.text.p - text.p);
        by_chars(c, b, text, from, from + x.text.n);
        return;
    }
    b->text = x.text;
    Str says = excerpt_says(&x, c->into);
    if (says.n)
        buf_addf(&b->line, "; " STR_FMT, STR_ARG(says));
    if (says.n && x.last < x.lines)
        go_on(c, &b->line, "from_line", x.last + 1);
}

jot_status reply_body_check(const ToolCall *c)
{
    if (arg_given(c, "from_char") && (arg_given(c, "from_line") || arg_given(c, "lines")))
        return err_set(c->e, JOT_INVALID, "say 'from_line' and 'lines', or 'from_char', not both");
    return JOT_OK;
}

void reply_body(ToolCall *c, Str text, Str label, ToolReply *out)
{
    AUTO(Body) b = { 0 };
    buf_add(&b.line, label);
    if (arg_given(c, "from_char")) {
        size_t from = reply_char_at(text, (size_t)arg_number(c, "from_char", 1));
        size_t n = tokens_cut(str_from(text, from), c->budget - reply_continue_tokens(c));
        by_chars(c, &b, text, from, from + n);
    } else {
        by_lines(c, &b, text);
    }
    AUTO(Buf) all = { .max = SIZE_MAX / 2 };
    buf_add(&all, b.text);
    buf_add_char(&all, '\n');
    buf_add(&all, buf_str(&b.line));
    out->text = arena_copy(c->into, buf_str(&all));
    out->value = str_slice(out->text, 0, b.text.n);
}
