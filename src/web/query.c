/* query.c - reading the parameters of an address. */
#include "web/query.h"

#include <string.h>

#include "base/utf8.h"

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: an escape is none, or the text is no UTF-8, or holds a NUL. */
static bool decode(Str text, Arena *into, Str *out)
{
    AUTO(Buf) plain = { 0 };
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '+') {
            c = ' ';
        } else if (c == '%') {
            int high = i + 2 < text.n ? digit(text.p[i + 1]) : -1;
            int low = i + 2 < text.n ? digit(text.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == 0)
            return false;
        buf_add_char(&plain, c);
    }
    *out = arena_copy(into, buf_str(&plain));
    return utf8_valid(*out);
}

static const Param *find(const Param *params, Str name)
{
    for (; params->name; params++)
        if (str_eq(str(params->name), name))
            return params;
    return NULL;
}

static jot_status number_of(const char *name, Str text, json_t **out, Err *e)
{
    uint64_t number = 0;
    bool minus = text.n && text.p[0] == '-';
    Shown shown;
    if (!str_to_u64(str_from(text, minus), INT64_MAX, &number))
        return err_set(e, JOT_INVALID, "'%s' must be an integer, not '%s'", name,
                       err_show(&shown, text));
    *out = json_integer(minus ? -(json_int_t)number : (json_int_t)number);
    return JOT_OK;
}

static jot_status bool_of(const char *name, Str text, json_t **out, Err *e)
{
    Shown shown;
    bool yes = str_eq(text, S("true")) || str_eq(text, S("1"));
    if (!yes && !str_eq(text, S("false")) && !str_eq(text, S("0")))
        return err_set(e, JOT_INVALID, "'%s' must be true or false, not '%s'", name,
                       err_show(&shown, text));
    *out = json_boolean(yes);
    return JOT_OK;
}

static jot_status value_of(const Param *p, Str text, json_t **out, Err *e)
{
    ParamType type = p ? p->type : PARAM_TEXT;
    if (type == PARAM_NUMBER || type == PARAM_NUMBERS)
        return number_of(p->name, text, out, e);
    if (type == PARAM_BOOL)
        return bool_of(p->name, text, out, e);
    if (type == PARAM_OBJECT || type == PARAM_OBJECTS || type == PARAM_ANY) {
        if (json_read(text, out, e) != JOT_OK)
            return err_at(e, "'%s'", p->name);
        return JOT_OK;
    }
    *out = json_text(text);
    return JOT_OK;
}

static jot_status add(json_t *to, const Param *p, Str name, json_t *value, Err *e)
{
    bool many = p && (p->type == PARAM_TEXTS || p->type == PARAM_NUMBERS);
    json_t *there = json_object_getn(to, name.p, name.n);
    Shown shown;
    if (there && !many) {
        json_decref(value);
        return err_set(e, JOT_INVALID, "'%s' is given twice", err_show(&shown, name));
    }
    if (many && !there) {
        there = json_array();
        json_object_setn_new(to, name.p, name.n, there);
    }
    if (many)
        json_array_append_new(there, value);
    else
        json_object_setn_new(to, name.p, name.n, value);
    return JOT_OK;
}

/* The next parameter, not decoded; false at the end. */
static bool next(Str *rest, Str *name, Str *value)
{
    Str one;
    while (rest->n) {
        if (!str_cut(rest, '&', &one))
            one = *rest, *rest = (Str){ 0 };
        if (!one.n)
            continue;
        size_t is = str_find(one, '=');
        *name = str_slice(one, 0, is);
        *value = str_from(one, is < one.n ? is + 1 : is);
        return true;
    }
    return false;
}

jot_status query_args(Str query, const Param *params, const char *but, json_t *to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str name, value;
    Shown shown;
    for (size_t n = 0; next(&query, &name, &value); n++) {
        json_t *given = NULL;
        if (n == QUERY_PARAMS_MAX)
            return err_set(e, JOT_TOO_BIG, "at most %d parameters are taken", QUERY_PARAMS_MAX);
        if (!decode(name, &arena, &name) || !decode(value, &arena, &value))
            return err_set(e, JOT_INVALID,
                           "the parameter '%s' is not well written: use UTF-8 in percent escapes",
                           err_show(&shown, name));
        if (str_eq(name, str(but)))
            continue;
        const Param *p = find(params, name);
        TRY(value_of(p, value, &given, e));
        TRY(add(to, p, name, given, e));
    }
    return JOT_OK;
}

Str query_value(Str query, const char *wanted, Arena *into)
{
    Str name, value, plain;
    while (next(&query, &name, &value))
        if (str_eq(name, str(wanted)) && decode(value, into, &plain))
            return plain;
    return (Str){ 0 };
}
