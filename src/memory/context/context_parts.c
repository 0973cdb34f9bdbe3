/* context_parts.c - cutting a context at its own lines. */
#include "memory/context/context_parts.h"

#include <string.h>

#include "memory/frame/tokens.h"

#define BEGIN "<jotter-"

/* True for a line of the frame's; an empty sign takes any, and becomes the line's. */
static bool own_line(Str line, Str *sign, Str *what)
{
    Str rest = str_from(line, sizeof BEGIN - 1);
    if (!str_starts(line, S(BEGIN)))
        return false;
    size_t space = str_find(rest, ' ');
    *what = str_slice(rest, 0, space);
    Str found = str_slice(rest, space + 1, space + 1 + FRAME_SIGN);
    if (found.n != FRAME_SIGN)
        return false;
    if (!sign->n)
        *sign = found;
    return str_eq(*sign, found);
}

/* Of <jotter-note SIGN key="plan" ...> it is "plan". */
static Str first_attribute(Str line)
{
    Str rest = str_from(line, str_find(line, '"') + 1);
    return str_slice(rest, 0, str_find(rest, '"'));
}

static void end_part(ContextPart *p, Str text, size_t at)
{
    p->bytes = at - p->at;
    p->tokens = tokens_estimate(str_slice(text, p->at, at));
}

ContextPart *context_parts(Str text, Arena *into, size_t *n)
{
    ContextPart *parts = NULL;
    size_t cap = 0;
    Str sign = { 0 }, what;
    *n = 0;
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at), line = str_slice(rest, 0, str_find(rest, '\n'));
        if (own_line(line, &sign, &what)) {
            if (*n)
                end_part(&parts[*n - 1], text, at);
            parts = arena_grow(into, parts, *n, &cap, sizeof *parts, alignof(ContextPart));
            parts[(*n)++] = (ContextPart){ .what = what, .name = first_attribute(line), .at = at };
        }
        at += line.n + 1;
    }
    if (*n)
        end_part(&parts[*n - 1], text, text.n);
    return parts;
}

json_t *context_parts_json(Str text)
{
    AUTO(Arena) arena = { 0 };
    size_t n;
    const ContextPart *parts = context_parts(text, &arena, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const ContextPart *p = &parts[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:I, s:I}", "what", json_text(p->what), "name",
                            json_text_or_null(p->name), "at", (json_int_t)p->at, "bytes",
                            (json_int_t)p->bytes, "tokens", (json_int_t)p->tokens));
    }
    return list;
}
