/* template.c - one line made from data.
 *
 * A template is read once, front to back, and written as it is read.  Only a part in brackets is
 * read twice: first whether all its members stand, then, if they do, as if there were no brackets.
 */
#include "tool/template.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/frame.h"

/* What stands between { and }. */
typedef struct Slot {
    char sign; /* {?x}, {!x}: not shown; {'x}, {=x}, {^x}; 0: none of these */
    Str path;
    bool left;     /* {x:-9} */
    int64_t width; /* 0: as wide as it is */
    Str what;      /* {x#record}: "record" */
    Str words;     /* {x&words} */
} Slot;

/* Read the slot after a '{', and pass over it. */
static Slot read_slot(Str *rest)
{
    Slot p = { 0 };
    Str spec;
    bool closed = str_cut(rest, '}', &spec);
    assert(closed); /* a template of ours */
    (void)closed;
    if (spec.n && strchr("?!'=^", spec.p[0])) {
        p.sign = spec.p[0];
        spec = str_from(spec, 1);
    }
    p.path = spec;
    if (str_cut(&spec, '&', &p.path))
        p.words = spec;
    else if (str_cut(&spec, '#', &p.path))
        p.what = spec;
    else if (str_cut(&spec, ':', &p.path)) {
        p.left = str_starts(spec, S("-"));
        bool number = str_to_i64(str_from(spec, p.left), 1, 200, &p.width);
        assert(number);
        (void)number;
    }
    return p;
}

const json_t *template_member(const json_t *data, Str path)
{
    Str name;
    while (data && path.n) {
        if (!str_cut(&path, '.', &name))
            name = path, path = (Str){ 0 };
        data = json_object_getn(data, name.p, name.n);
    }
    return data;
}

/* True for what is worth a word: no null, no false, nothing empty, no zero. */
static bool stands(const json_t *value)
{
    if (!value)
        return false;
    switch (json_typeof(value)) {
    case JSON_NULL:
    case JSON_FALSE:
        return false;
    case JSON_STRING:
        return json_string_length(value) > 0;
    case JSON_INTEGER:
        return json_integer_value(value) != 0;
    case JSON_ARRAY:
        return json_array_size(value) > 0;
    case JSON_TRUE:
    case JSON_REAL:
    case JSON_OBJECT:
        break;
    }
    return true;
}

/* {?x} and {!x} are only asked here, and shown as nothing (add_slot). */
static bool all_stand(Str part, const json_t *data)
{
    Str before;
    while (str_cut(&part, '{', &before)) {
        Slot p = read_slot(&part);
        if (!p.words.n && stands(template_member(data, p.path)) == (p.sign == '!'))
            return false;
    }
    return true;
}

static void add_text(Buf *to, const Slot *p, Str text, TemplateStyle style)
{
    Shown shown;
    if (p->sign == '^')
        text = str_slice(text, 0, str_find(text, '\n'));
    if (p->sign == '\'')
        buf_addf(to, "'%s'", err_show(&shown, text));
    else if (style == TEMPLATE_FRAMED && text.n && p->sign != '=')
        frame_name_add(to, text);
    else
        buf_add(to, text);
}

static void add_value(Buf *to, const Slot *p, const json_t *value, TemplateStyle style)
{
    if (json_is_array(value))
        buf_addf(to, "%zu", json_array_size(value));
    else if (json_is_string(value))
        add_text(to, p, json_str(value), style);
    else if (value && !json_is_null(value))
        json_write(to, value);
}

static void add_slot(Buf *to, const Slot *p, const json_t *data, TemplateStyle style)
{
    AUTO(Buf) text = { 0 };
    const json_t *value = template_member(data, p->path);
    char what[32];
    if (p->sign == '?' || p->sign == '!')
        return;
    if (p->words.n) {
        if (stands(value))
            buf_add(to, p->words);
        return;
    }
    if (p->what.n) {
        uint64_t n =
            json_is_array(value) ? json_array_size(value) : (uint64_t)json_integer_value(value);
        assert(p->what.n < sizeof what); /* a template of ours */
        snprintf(what, sizeof what, STR_FMT, STR_ARG(p->what));
        buf_add(to, str(counted(n, what).text));
        return;
    }
    /* printf's %-9s counts bytes: characters are padded by hand. */
    add_value(&text, p, value, style);
    size_t wide = utf8_count(buf_str(&text));
    int pad = (int)(p->width > (int64_t)wide ? p->width - (int64_t)wide : 0);
    buf_addf(to, "%*s", p->left ? 0 : pad, "");
    buf_add(to, buf_str(&text));
    buf_addf(to, "%*s", p->left ? pad : 0, "");
}

static void add_part(Buf *to, Str part, const json_t *data, TemplateStyle style)
{
    Str before;
    while (str_cut(&part, '{', &before)) {
        buf_add(to, before);
        Slot p = read_slot(&part);
        add_slot(to, &p, data, style);
    }
    buf_add(to, part);
}

void template_add(Buf *to, const char *template, const json_t *data, TemplateStyle style)
{
    template_add_str(to, str(template), data, style);
}

void template_add_str(Buf *to, Str template, const json_t *data, TemplateStyle style)
{
    Str rest = template, before, optional;
    while (str_cut(&rest, '[', &before)) {
        add_part(to, before, data, style);
        bool closed = str_cut(&rest, ']', &optional);
        assert(closed); /* a template of ours */
        (void)closed;
        if (all_stand(optional, data))
            add_part(to, optional, data, style);
    }
    add_part(to, rest, data, style);
}

Counted counted(uint64_t n, const char *what)
{
    Counted c;
    size_t all = strlen(what);
    bool y = all > 1 && what[all - 1] == 'y' && !strchr("aeiou", what[all - 2]);
    if (n == 1)
        snprintf(c.text, sizeof c.text, "1 %s", what);
    else
        snprintf(c.text, sizeof c.text, "%llu %.*s%s", (unsigned long long)n,
                 (int)(y ? all - 1 : all), what, y ? "ies" : "s");
    return c;
}
