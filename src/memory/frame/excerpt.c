/* excerpt.c - cutting a text to lines and tokens. */
#include "memory/frame/excerpt.h"

#include <assert.h>

#include "memory/frame/tokens.h"

/* Where line `n` (from 0 on) begins; the end if there are not so many. */
static size_t line_start(Str text, size_t n)
{
    size_t at = 0;
    while (n-- && at < text.n)
        at += str_find(str_from(text, at), '\n') + 1;
    return at < text.n ? at : text.n;
}

void excerpt_make(Str text, const ExcerptWant *want, Excerpt *out)
{
    *out = (Excerpt){ .lines = str_count_lines(text), .tokens_all = tokens_estimate(text) };
    out->first = want->from ? want->from : 1;
    Str part = str_from(text, line_start(text, out->first - 1));
    if (want->count)
        part = str_slice(part, 0, line_start(part, want->count));
    if (want->tokens) {
        size_t fits = tokens_cut(part, want->tokens);
        out->partly = fits < part.n && (fits == 0 || part.p[fits - 1] != '\n');
        part = str_slice(part, 0, fits);
    }
    assert(out->first >= 1 && part.n <= text.n);
    out->text = part;
    out->tokens = part.n == text.n ? out->tokens_all : tokens_estimate(part);
    out->last = out->first + str_count_lines(part) - 1;
    out->whole = part.n == text.n;
}

static bool parse_line(Str s, size_t *out)
{
    uint64_t value;
    if (!str_to_u64(s, UINT32_MAX, &value) || value == 0)
        return false;
    *out = (size_t)value;
    return true;
}

jot_status excerpt_parse(Str range, ExcerptWant *out, Err *e)
{
    Str from = { 0 }, to = range;
    bool two = str_cut(&to, ':', &from);
    size_t first = 1, last = 0;
    bool good = two ? from.n || to.n : to.n > 0;
    if (!two)
        from = to;
    good = good && (from.n == 0 || parse_line(from, &first));
    good = good && (to.n == 0 || parse_line(to, &last)) && (last == 0 || last >= first);
    Shown shown;
    if (!good)
        return err_set(e, JOT_INVALID, "invalid lines '%s': use A:B, A:, :B or A, counted from 1",
                       err_show(&shown, range));
    out->from = first;
    out->count = last ? last - first + 1 : 0;
    return JOT_OK;
}

Str excerpt_says(const Excerpt *x, Arena *into)
{
    if (x->whole)
        return (Str){ 0 };
    if (x->first > x->lines)
        return arena_printf(
            into, x->lines == 1 ? "there is only %zu line" : "there are only %zu lines", x->lines);
    if (x->partly)
        return arena_printf(into, "the beginning of line %zu of %zu, about %zu of %zu tokens",
                            x->first, x->lines, x->tokens, x->tokens_all);
    return arena_printf(into, "lines %zu-%zu of %zu, about %zu of %zu tokens", x->first, x->last,
                        x->lines, x->tokens, x->tokens_all);
}
