/* reply_body.c - a text, or as much of it as fits, and one last line.
 *
 * The text comes first and as it is; the last line is always there and always
 * ours, so nothing in the text can pass for it. */
#include "base/utf8.h"
#include "memory/excerpt.h"
#include "memory/tokens.h"
#include "tool/reply.h"

enum { LAST_LINE = 60 /* tokens kept free for it */ };

/* The byte at which the 1-based character begins. */
static size_t char_at(Str text, size_t number)
{
    size_t at = 0;
    while (number > 1 && at < text.n) {
        utf8_next(text, &at);
        number--;
    }
    return at;
}

static void add_body(Buf *to, Str text, Str label)
{
    buf_add(to, text);
    if (text.n && text.p[text.n - 1] != '\n')
        buf_add_char(to, '\n');
    buf_add(to, label);
}

/* A part by characters: `from` to `end` are bytes. */
static void by_chars(Buf *to, Str text, size_t from, size_t end, Str label)
{
    size_t before = utf8_count(str_slice(text, 0, from));
    size_t shown = utf8_count(str_slice(text, from, end));
    add_body(to, str_slice(text, from, end), label);
    buf_addf(to, "; chars %zu-%zu of %zu", before + 1, before + shown, utf8_count(text));
    if (end < text.n)
        buf_addf(to, "; go on with from_char=%zu", before + shown + 1);
}

static void by_lines(ToolCall *c, Buf *to, Str text, Str label)
{
    ExcerptWant want = { .from = (size_t)arg_number(c, "from_line", 0),
                         .count = (size_t)arg_number(c, "lines", 0),
                         .tokens = c->budget - LAST_LINE };
    Excerpt x;
    if (!want.from && !want.count && tokens_fit(text, want.tokens)) { /* the rule */
        add_body(to, text, label);
        return;
    }
    excerpt_make(text, &want, &x);
    if (x.partly) {
        size_t from = (size_t)(x.text.p - text.p);
        by_chars(to, text, from, from + x.text.n, label);
        return;
    }
    add_body(to, x.text, label);
    Str says = excerpt_says(&x, c->into);
    if (says.n)
        buf_addf(to, "; " STR_FMT, STR_ARG(says));
    if (says.n && x.last < x.lines)
        buf_addf(to, "; go on with from_line=%zu", x.last + 1);
}

jot_status reply_body_check(const ToolCall *c)
{
    if (arg_given(c, "from_char") && (arg_given(c, "from_line") || arg_given(c, "lines")))
        return err_set(c->e, JOT_INVALID, "say 'from_line' and 'lines', or 'from_char', not both");
    return JOT_OK;
}

void reply_body(ToolCall *c, Str text, Str label, ToolReply *out)
{
    AUTO(Buf) body = { 0 };
    if (arg_given(c, "from_char")) {
        size_t from = char_at(text, (size_t)arg_number(c, "from_char", 1));
        size_t n = tokens_cut(str_from(text, from), c->budget - LAST_LINE);
        by_chars(&body, text, from, from + n, label);
    } else {
        by_lines(c, &body, text, label);
    }
    reply_set(c, &body, out);
}
