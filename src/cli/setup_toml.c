/* setup_toml.c - one table in a TOML text, and every other byte as it was.
 *
 * No TOML is understood here beyond its outline: where a statement begins and ends,
 * which is enough to find the headers and the keys.  A statement is a line, or more
 * where a bracket or a text of several lines is open.  What could mean our table
 * without being it (inline tables, dotted keys) is refused. */
#include <string.h>

#include "cli/setup.h"

enum { PARTS_MAX = 8 };

/* A statement: a header, a key with its value, a comment or an empty line. */
typedef struct Statement {
    size_t at, end; /* with its line break */
    bool header, array;
    Str parts[PARTS_MAX]; /* the name, without quotes */
    size_t n;
} Statement;

/* The end of a text in quotes that begins at `at`, or 0. */
static size_t skip_quoted(Str s, size_t at)
{
    char quote = s.p[at];
    bool lines = at + 2 < s.n && s.p[at + 1] == quote && s.p[at + 2] == quote;
    for (size_t i = at + (lines ? 3 : 1); i < s.n; i++) {
        if (s.p[i] == '\\' && quote == '"')
            i++;
        else if (s.p[i] == '\n' && !lines)
            return 0;
        else if (s.p[i] == quote && !lines)
            return i + 1;
        else if (s.p[i] == quote && i + 2 < s.n && s.p[i + 1] == quote && s.p[i + 2] == quote) {
            i += 3;
            while (i < s.n && s.p[i] == quote) /* it may end in quotes of its own */
                i++;
            return i;
        }
    }
    return 0;
}

/* The end of the statement that begins at `at`, after its line break; 0: it has none. */
static size_t skip_statement(Str s, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < s.n;) {
        char c = s.p[i];
        if (c == '"' || c == '\'') {
            i = skip_quoted(s, i);
            if (i == 0)
                return 0;
            continue;
        }
        if (c == '#')
            while (i + 1 < s.n && s.p[i + 1] != '\n')
                i++;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (depth < 0)
            return 0;
        i++;
        if (c == '\n' && depth == 0)
            return i;
    }
    return depth == 0 ? s.n : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A dotted name up to `stop`; false if it is no such thing. */
static bool read_name(Str s, size_t at, size_t end, char stop, Statement *out)
{
    out->n = 0;
    for (;;) {
        while (at < end && is_blank(s.p[at]))
            at++;
        if (at >= end || out->n == PARTS_MAX)
            return false;
        size_t from = at;
        if (s.p[at] == '"' || s.p[at] == '\'') {
            at = skip_quoted(s, at);
            if (at == 0)
                return false;
            out->parts[out->n++] = str_slice(s, from + 1, at - 1);
        } else {
            while (at < end && !is_blank(s.p[at]) && !strchr(".=]\n", s.p[at]))
                at++;
            out->parts[out->n++] = str_slice(s, from, at);
        }
        while (at < end && is_blank(s.p[at]))
            at++;
        if (at < end && s.p[at] == stop)
            return true;
        if (at >= end || s.p[at++] != '.')
            return false;
    }
}

static bool read_statement(Str s, size_t at, Statement *out)
{
    *out = (Statement){ .at = at, .end = skip_statement(s, at) };
    if (out->end == 0)
        return false;
    while (at < out->end && is_blank(s.p[at]))
        at++;
    if (at == out->end || s.p[at] == '#' || s.p[at] == '\n')
        return true;
    out->header = s.p[at] == '[';
    out->array = out->header && at + 1 < out->end && s.p[at + 1] == '[';
    at += (size_t)out->header + (size_t)out->array;
    return read_name(s, at, out->end, out->header ? ']' : '=', out);
}

/* --- Where our table is ------------------------------------------------------------------ */

typedef struct Outline {
    size_t header_end, end; /* of our table; 0: there is none */
    Statement in;           /* the header whose table is being read */
} Outline;

static bool is_part(const Statement *t, size_t i, const char *name)
{
    return i < t->n && str_eq(t->parts[i], str(name));
}

static bool is_our_table(const Statement *header, const SetupEntry *x)
{
    return header->n == 2 && is_part(header, 0, x->table) && is_part(header, 1, x->name);
}

static jot_status set_elsewhere(const SetupEntry *x, Err *e)
{
    return err_set(e, JOT_UNSUPPORTED,
                   "sets '%s.%s' in another way than by a table: edit it by hand", x->table,
                   x->name);
}

/* A key that means our table from outside. */
static bool means_ours(const Statement *in, const Statement *key, const SetupEntry *x)
{
    if (in->n == 0)
        return is_part(key, 0, x->table) && (key->n == 1 || is_part(key, 1, x->name));
    return in->n == 1 && is_part(in, 0, x->table) && is_part(key, 0, x->name);
}

static jot_status take_statement(Outline *o, const Statement *t, const SetupEntry *x, Err *e)
{
    if (!t->header)
        return means_ours(&o->in, t, x) ? set_elsewhere(x, e) : JOT_OK;
    if (o->header_end && !o->end)
        o->end = t->at;
    o->in = *t;
    if (t->array && is_part(t, 0, x->table) && (t->n == 1 || is_part(t, 1, x->name)))
        return set_elsewhere(x, e);
    if (!is_our_table(t, x))
        return JOT_OK;
    if (o->header_end)
        return err_set(e, JOT_UNSUPPORTED, "has two tables [%s.%s]", x->table, x->name);
    o->header_end = t->end;
    return JOT_OK;
}

static jot_status read_outline(Str s, const SetupEntry *x, Outline *out, Err *e)
{
    Statement t;
    *out = (Outline){ 0 };
    for (size_t at = 0; at < s.n; at = t.end) {
        if (!read_statement(s, at, &t)) {
            size_t line = 1;
            for (size_t i = 0; i < at; i++)
                line += s.p[i] == '\n';
            return err_set(e, JOT_UNSUPPORTED, "is no TOML from line %zu on", line);
        }
        TRY(take_statement(out, &t, x, e));
    }
    if (out->header_end && !out->end)
        out->end = s.n;
    return JOT_OK;
}

/* --- Writing ----------------------------------------------------------------------------- */

static void add_value(Buf *to, const json_t *value)
{
    AUTO(Buf) flat = { 0 };
    if (!json_is_array(value)) {
        json_write(&flat, value); /* texts, numbers and truths look the same in both */
        buf_add(to, buf_str(&flat));
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        buf_add(to, i ? S(", ") : S("["));
        add_value(to, json_array_get(value, i));
    }
    buf_add_char(to, ']');
}

static void add_members(Buf *to, const SetupEntry *x)
{
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)x->value, name, member)
    {
        buf_addf(to, "%s = ", name);
        add_value(to, member);
        buf_add_char(to, '\n');
    }
}

/* What stands in our table and is not ours. */
static void keep_others(Buf *to, Str s, const Outline *o, const SetupEntry *x)
{
    Statement t;
    for (size_t at = o->header_end; at < o->end && read_statement(s, at, &t); at = t.end) {
        bool ours = false;
        for (const char *const *name = x->ours; *name; name++)
            ours = ours || (t.n == 1 && is_part(&t, 0, *name));
        if (!ours)
            buf_add(to, str_slice(s, t.at, t.end));
    }
}

jot_status setup_toml(Str text, const SetupEntry *x, Buf *out, Err *e)
{
    Outline o;
    TRY(read_outline(text, x, &o, e));
    if (o.header_end) {
        buf_add(out, str_slice(text, 0, o.header_end));
        if (text.p[o.header_end - 1] != '\n')
            buf_add_char(out, '\n');
        add_members(out, x);
        keep_others(out, text, &o, x);
        buf_add(out, str_from(text, o.end));
        return JOT_OK;
    }
    buf_add(out, text);
    if (text.n && text.p[text.n - 1] != '\n')
        buf_add_char(out, '\n');
    buf_addf(out, "%s[%s.%s]\n", text.n ? "\n" : "", x->table, x->name);
    add_members(out, x);
    return JOT_OK;
}

/* --- Looking ----------------------------------------------------------------------------- */

/* A text in quotes, without them; a basic one is written as in JSON. */
static json_t *text_of(Str quoted)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    if (quoted.p[0] == '\'')
        return json_text(str_slice(quoted, 1, quoted.n - 1));
    (void)json_unquote(arena_copy(&arena, quoted), 0, &text);
    return json_text(buf_str(&text));
}

/* The texts of a statement, in their order: a list has several, a value one. */
static json_t *texts_of(Str s, const Statement *t)
{
    json_t *out = json_array();
    size_t at = t->at + str_find(str_slice(s, t->at, t->end), '=');
    while (at < t->end) {
        size_t end = s.p[at] == '"' || s.p[at] == '\'' ? skip_quoted(s, at) : 0;
        if (end)
            json_array_append_new(out, text_of(str_slice(s, at, end)));
        else if (s.p[at] == '#')
            end = at + str_find(str_from(s, at), '\n');
        at = end ? end : at + 1;
    }
    return out;
}

json_t *setup_toml_look(Str text, const SetupEntry *x)
{
    AUTO(Arena) arena = { 0 };
    Outline o;
    Statement t;
    if (read_outline(text, x, &o, NULL) != JOT_OK || !o.header_end)
        return NULL;
    json_t *out = json_object();
    for (size_t at = o.header_end; at < o.end && read_statement(text, at, &t); at = t.end) {
        if (t.n != 1)
            continue;
        AUTO_PTR(json_t) texts = texts_of(text, &t);
        bool list = str_eq(t.parts[0], S("args")); /* the only one of ours */
        json_t *value = list ? texts : json_array_get(texts, 0);
        json_object_set(out, arena_cstr(&arena, t.parts[0]), value ? value : texts);
    }
    return out;
}
