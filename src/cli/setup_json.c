/* setup_json.c - one member of one object in a JSON text, and every other byte as it was.
 *
 * The text has passed json_read before it is walked, so the walk may trust it.
 * JSON with comments does not pass: where a comment belongs nobody can know. */
#include "cli/setup_json.h"

#include <assert.h>
#include <string.h>

#include "cli/setup.h"

/* How a text is laid out: what it indents with, and how its lines end. */
typedef struct Layout {
    Str unit, eol;
} Layout;

static Layout layout_of(Str s, size_t object)
{
    Layout l = { S("  "), S("\n") };
    size_t line = object + 1;
    while (line < s.n && (s.p[line] == ' ' || s.p[line] == '\r'))
        line++;
    if (line >= s.n || s.p[line] != '\n')
        return l;
    if (s.p[line - 1] == '\r')
        l.eol = S("\r\n");
    size_t end = ++line;
    while (end < s.n && (s.p[end] == ' ' || s.p[end] == '\t'))
        end++;
    if (end > line && end < s.n && s.p[end] == '"')
        l.unit = str_slice(s, line, end);
    return l;
}

/* --- Members ----------------------------------------------------------------------------- */

JsonMember json_find_member(Str s, size_t object, Str key)
{
    JsonMember p = { .object = object };
    assert(s.p[object] == '{');
    size_t at = str_skip_space(s, object + 1);
    while (s.p[at] == '"') {
        AUTO(Buf) name = { 0 };
        size_t begin = at;
        at = str_skip_space(s, json_unquote(s, at, &name));
        assert(s.p[at] == ':');
        size_t value = str_skip_space(s, at + 1);
        size_t end = json_skip(s, value);
        if (str_eq(buf_str(&name), key)) {
            p.found = true;
            p.key = begin;
            p.value = value;
            p.end = end;
        }
        p.last = end;
        p.n++;
        at = str_skip_space(s, end);
        if (s.p[at] == ',')
            at = str_skip_space(s, at + 1);
    }
    return p;
}

static void add_indent(Buf *to, const Layout *l, size_t depth)
{
    while (depth-- > 0)
        buf_add(to, l->unit);
}

/* A value over several lines, as it stands `depth` levels deep. */
static void add_value(Buf *to, const Layout *l, const json_t *value, size_t depth)
{
    AUTO(Buf) flat = { 0 }, lines = { 0 };
    json_write(&flat, value);
    json_indent(&lines, buf_str(&flat));
    Str rest = buf_str(&lines), line;
    for (bool first = true, more = true; more; first = false) {
        more = str_cut(&rest, '\n', &line);
        if (!more)
            line = rest;
        size_t spaces = 0;
        while (spaces < line.n && line.p[spaces] == ' ')
            spaces++;
        if (!first) {
            buf_add(to, l->eol);
            add_indent(to, l, depth + spaces / 2);
        }
        buf_add(to, str_from(line, spaces));
    }
}

void json_replace(Str s, size_t from, size_t to, Str with, Buf *out)
{
    buf_add(out, str_slice(s, 0, from));
    buf_add(out, with);
    buf_add(out, str_from(s, to));
}

/* The text with one more member after the last one of an object. */
void json_add_member(Str s, const JsonMember *p, size_t depth, const char *key, const json_t *value,
                     Buf *out)
{
    AUTO(Buf) member = { 0 };
    Layout l = layout_of(s, (size_t)(strchr(s.p, '{') - s.p));
    if (p->last)
        buf_add_char(&member, ',');
    buf_add(&member, l.eol);
    add_indent(&member, &l, depth);
    json_quote(&member, str(key));
    buf_add(&member, S(": "));
    add_value(&member, &l, value, depth);
    if (p->last) {
        json_replace(s, p->last, p->last, buf_str(&member), out);
        return;
    }
    buf_add(&member, l.eol);
    add_indent(&member, &l, depth - 1);
    json_replace(s, p->object + 1, str_skip_space(s, p->object + 1), buf_str(&member), out);
}

/* --- The entry --------------------------------------------------------------------------- */

static bool is_ours(const SetupEntry *x, const char *name)
{
    for (const char *const *o = x->ours; *o; o++)
        if (strcmp(*o, name) == 0)
            return true;
    return false;
}

json_t *setup_merge(const json_t *old, const SetupEntry *x)
{
    json_t *merged = json_object();
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)old, name, member)
    {
        json_t *mine = json_object_get(x->value, name);
        if (mine || !is_ours(x, name))
            json_object_set(merged, name, mine ? mine : member);
    }
    json_object_foreach((json_t *)x->value, name, member)
    {
        if (!json_object_get(merged, name))
            json_object_set(merged, name, member);
    }
    return merged;
}

void json_add_item(Str s, const JsonItems *a, size_t depth, const json_t *value, Buf *out)
{
    AUTO(Buf) item = { 0 };
    Layout l = layout_of(s, str_skip_space(s, 0));
    if (a->n)
        buf_add_char(&item, ',');
    buf_add(&item, l.eol);
    add_indent(&item, &l, depth);
    add_value(&item, &l, value, depth);
    if (a->n) {
        json_replace(s, a->last, a->last, buf_str(&item), out);
        return;
    }
    buf_add(&item, l.eol);
    add_indent(&item, &l, depth - 1);
    json_replace(s, a->array + 1, str_skip_space(s, a->array + 1), buf_str(&item), out);
}

void json_put_value(Str s, size_t from, size_t to, size_t depth, const json_t *value, Buf *out)
{
    AUTO(Buf) text = { 0 };
    Layout l = layout_of(s, str_skip_space(s, 0));
    add_value(&text, &l, value, depth);
    json_replace(s, from, to, buf_str(&text), out);
}

bool json_next_item(Str s, JsonItems *a)
{
    size_t at = a->n ? str_skip_space(s, a->last) : str_skip_space(s, a->array + 1);
    if (a->n && s.p[at] == ',')
        at = str_skip_space(s, at + 1);
    if (s.p[at] == ']')
        return false;
    a->at = at;
    a->last = json_skip(s, at);
    a->n++;
    return true;
}

void json_cut(Str s, size_t from, size_t to, Buf *out)
{
    size_t before = from, after = str_skip_space(s, to);
    while (before && strchr(" \t\r\n", s.p[before - 1]))
        before--;
    if (before && s.p[before - 1] == ',')
        json_replace(s, before - 1, to, (Str){ 0 }, out);
    else if (s.p[after] == ',')
        json_replace(s, from, str_skip_space(s, after + 1), (Str){ 0 }, out);
    else
        json_replace(s, before, after, (Str){ 0 }, out);
}

static jot_status edit(Str s, const json_t *old, const SetupEntry *x, Buf *out, Err *e)
{
    const json_t *table = json_object_get(old, x->table);
    const json_t *entry = json_object_get(table, x->name);
    AUTO_PTR(json_t) merged = setup_merge(entry, x);
    size_t root = str_skip_space(s, 0);
    JsonMember p = json_find_member(s, root, str(x->table));
    if (!p.found) {
        AUTO_PTR(json_t) fresh = json_pack("{s:O}", x->name, merged);
        json_add_member(s, &p, 1, x->table, fresh, out);
        return JOT_OK;
    }
    if (!json_is_object(table))
        return err_set(e, JOT_UNSUPPORTED, "has a '%s' that is not an object", x->table);
    JsonMember q = json_find_member(s, p.value, str(x->name));
    if (!q.found) {
        json_add_member(s, &q, 2, x->name, merged, out);
    } else if (json_equal(entry, merged)) {
        buf_add(out, s);
    } else {
        AUTO(Buf) value = { 0 };
        Layout l = layout_of(s, root);
        add_value(&value, &l, merged, 2);
        json_replace(s, q.value, q.end, buf_str(&value), out);
    }
    return JOT_OK;
}

/* What was written says the same as before, and the entry. */
static bool came_out_right(const json_t *old, const SetupEntry *x, Str text)
{
    json_t *read = NULL;
    if (json_read(text, &read, NULL) != JOT_OK)
        return false;
    AUTO_PTR(json_t) now = read;
    AUTO_PTR(json_t) want = json_deep_copy(old);
    json_t *table = json_object_get(want, x->table);
    if (!table) {
        table = json_object();
        json_object_set_new(want, x->table, table);
    }
    AUTO_PTR(json_t) merged = setup_merge(json_object_get(table, x->name), x);
    json_object_set(table, x->name, merged);
    return json_equal(want, now);
}

jot_status setup_json(Str text, const SetupEntry *x, Buf *out, Err *e)
{
    json_t *read = NULL;
    Err why = { 0 };
    AUTO(Arena) arena = { 0 };
    if (str_skip_space(text, 0) == text.n)
        text = S("{}\n");
    text = arena_copy(&arena, text); /* ended by a NUL, at which every walk stops */
    if (json_read(text, &read, &why) != JOT_OK)
        return err_set(e, JOT_UNSUPPORTED,
                       "is not plain JSON (%s), and comments would be lost: edit it by hand",
                       why.text);
    AUTO_PTR(json_t) old = read;
    if (!json_is_object(old))
        return err_set(e, JOT_UNSUPPORTED, "is not a JSON object");
    size_t before = out->n;
    TRY(edit(text, old, x, out, e));
    if (!buf_ok(out) || !came_out_right(old, x, str_from(buf_str(out), before)))
        return err_set(e, JOT_UNSUPPORTED, "cannot be edited in place: edit it by hand");
    return JOT_OK;
}

json_t *setup_json_look(Str text, const SetupEntry *x)
{
    json_t *read = NULL;
    if (json_read(text, &read, NULL) != JOT_OK)
        return NULL;
    AUTO_PTR(json_t) all = read;
    json_t *entry = json_object_get(json_object_get(all, x->table), x->name);
    return json_is_object(entry) ? json_incref(entry) : NULL;
}
