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

typedef struct Part {
    Str what;  /* the word of its line, "note" in <jotter-note ...> */
    Str name;  /* the value of the line's first attribute; may be empty */
    size_t at; /* where it stands in the text, its line included */
} Part;

/* Tokens are those of the part by itself: the sum is about the text's. */
static void add_part(json_t *list, const Part *p, Str text, size_t end)
{
    json_array_append_new(list,
                          json_pack("{s:o, s:o, s:I, s:I, s:I}", "what", json_text(p->what), "name",
                                    json_text_or_null(p->name), "at", (json_int_t)p->at, "bytes",
                                    (json_int_t)(end - p->at), "tokens",
                                    (json_int_t)tokens_estimate(str_slice(text, p->at, end))));
}

json_t *context_parts_json(Str text)
{
    json_t *list = json_array();
    Part part = { 0 };
    Str sign = { 0 }, what;
    bool within = false;
    for (size_t at = 0; at < text.n;) {
        Str rest = str_from(text, at), line = str_slice(rest, 0, str_find(rest, '\n'));
        if (own_line(line, &sign, &what)) {
            if (within)
                add_part(list, &part, text, at);
            part = (Part){ .what = what, .name = first_attribute(line), .at = at };
            within = true;
        }
        at += line.n + 1;
    }
    if (within)
        add_part(list, &part, text, text.n);
    return list;
}
