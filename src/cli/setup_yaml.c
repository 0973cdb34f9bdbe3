/* setup_yaml.c - one entry of one map in a YAML text, and every other byte as it was.
 *
 * The reader tells where each key stands; lines are replaced or put in between, and
 * the result is read again and compared with the old tree and the entry in it.  So
 * a layout that was not thought of is refused and not broken. */
#include "base/yaml_json.h"
#include "cli/setup.h"

/* Where a line begins; the end of the text for lines after the last. */
static size_t row_at(Str s, size_t line)
{
    size_t at = 0;
    while (line > 1 && at < s.n) {
        at += str_find(str_from(s, at), '\n');
        at += at < s.n;
        line--;
    }
    return at;
}

static size_t row_count(Str s)
{
    size_t n = 1;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n' && i + 1 < s.n;
    return s.n ? n : 0;
}

static Str row(Str s, size_t line)
{
    return str_slice(s, row_at(s, line), row_at(s, line + 1));
}

static bool says_nothing(Str line)
{
    size_t i = 0;
    while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\r' || line.p[i] == '\n'))
        i++;
    return i == line.n || line.p[i] == '#';
}

/* The last line of what begins at `first`, if what follows begins at `next`. */
static size_t last_row(Str s, size_t first, size_t next)
{
    size_t last = next - 1;
    while (last > first && says_nothing(row(s, last)))
        last--;
    return last;
}

/* The line where the next key of a map stands, `otherwise` for its last one. */
static size_t next_key(const Yaml *map, size_t i, size_t otherwise)
{
    return i + 1 < map->n ? map->pairs[i + 1].line : otherwise;
}

static size_t find_key(const Yaml *map, Str key)
{
    size_t i = 0;
    while (i < map->n && !str_eq(map->pairs[i].key, key))
        i++;
    return i;
}

/* --- Writing ----------------------------------------------------------------------------- */

static void add_spaces(Buf *to, size_t n)
{
    while (n-- > 0)
        buf_add_char(to, ' ');
}

/* JSON is YAML; a space after each comma is for people. */
static void add_flow(Buf *to, const json_t *value)
{
    AUTO(Buf) flat = { 0 };
    if (!json_is_array(value) || json_array_size(value) == 0) {
        json_write(&flat, value);
        buf_add(to, buf_str(&flat));
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        buf_add(to, i ? S(", ") : S("["));
        add_flow(to, json_array_get(value, i));
    }
    buf_add_char(to, ']');
}

static void add_key(Buf *to, const char *key)
{
    bool plain = key[0] != 0;
    for (const char *c = key; *c; c++)
        plain = plain && ((*c >= 'a' && *c <= 'z') || *c == '_');
    if (plain)
        buf_add(to, str(key));
    else
        json_quote(to, str(key));
}

static void add_entry(Buf *to, const SetupEntry *x, const json_t *value, size_t indent)
{
    const char *name;
    json_t *member;
    add_spaces(to, indent);
    buf_addf(to, "%s:\n", x->name);
    json_object_foreach((json_t *)value, name, member)
    {
        add_spaces(to, indent * 2);
        add_key(to, name);
        buf_add(to, S(": "));
        add_flow(to, member);
        buf_add_char(to, '\n');
    }
}

static void add_rows(Buf *to, Str part)
{
    buf_add(to, part);
    if (part.n && part.p[part.n - 1] != '\n')
        buf_add_char(to, '\n');
}

/* A file that gets an entry, and what it becomes. */
typedef struct Edit {
    Str text;
    const SetupEntry *x;
    const json_t *value; /* of the entry */
    Buf *out;
} Edit;

/* The text with lines [from, to) replaced by the entry. */
static void put_entry(const Edit *d, size_t from, size_t to, size_t indent)
{
    add_rows(d->out, str_slice(d->text, 0, row_at(d->text, from)));
    add_entry(d->out, d->x, d->value, indent);
    buf_add(d->out, str_from(d->text, row_at(d->text, to)));
}

/* --- The place --------------------------------------------------------------------------- */

static jot_status by_hand(Err *e, const char *what)
{
    return err_set(e, JOT_UNSUPPORTED, "%s: edit it by hand", what);
}

/* Into a map that has entries, a line each or more. */
static jot_status edit_map(const Edit *d, const Yaml *map, size_t after, Err *e)
{
    size_t i = find_key(map, str(d->x->name));
    size_t indent = map->pairs[0].column - 1;
    if (indent == 0)
        return by_hand(e, "writes its map in one line");
    if (i == map->n) {
        size_t at = last_row(d->text, map->pairs[map->n - 1].line, after) + 1;
        put_entry(d, at, at, indent);
    } else {
        size_t from = map->pairs[i].line;
        size_t to = last_row(d->text, from, next_key(map, i, after)) + 1;
        put_entry(d, from, to, indent);
    }
    return JOT_OK;
}

static jot_status edit(const Edit *d, const Yaml *tree, Err *e)
{
    Str s = d->text;
    const SetupEntry *x = d->x;
    Buf *out = d->out;
    size_t rows = row_count(s), i = tree->kind == YAML_MAP ? find_key(tree, str(x->table)) : 0;
    if (tree->kind == YAML_MAP && i < tree->n) {
        const Yaml *map = tree->pairs[i].value;
        size_t after = next_key(tree, i, rows + 1);
        if (map->kind == YAML_MAP && map->n)
            return edit_map(d, map, after, e);
        if (map->kind == YAML_LIST || (map->kind == YAML_SCALAR && map->type != YAML_NULL))
            return by_hand(e, "has another kind of value there");
        size_t line = tree->pairs[i].line;
        add_rows(out, str_slice(s, 0, row_at(s, line)));
        buf_addf(out, "%s:\n", x->table);
        add_entry(out, x, d->value, 2);
        buf_add(out, str_from(s, row_at(s, line + 1)));
        return JOT_OK;
    }
    add_rows(out, s);
    buf_addf(out, "%s:\n", x->table);
    add_entry(out, x, d->value, 2);
    return JOT_OK;
}

static bool came_out_right(Yaml *old, const SetupEntry *x, const json_t *value, Str text, Arena *a)
{
    Yaml *now;
    if (yaml_read(text, a, &now, NULL) != JOT_OK)
        return false;
    AUTO_PTR(json_t) was = yaml_to_json(old);
    AUTO_PTR(json_t) want = json_is_object(was) ? json_incref(was) : json_object();
    json_t *table = json_object_get(want, x->table);
    if (!json_is_object(table)) {
        table = json_object();
        json_object_set_new(want, x->table, table);
    }
    json_object_set(table, x->name, (json_t *)value);
    AUTO_PTR(json_t) got = yaml_to_json(now);
    return json_equal(want, got);
}

/* YAML has more line breaks than LF and CR LF; with those, lines would be counted differently. */
static bool has_odd_breaks(Str s)
{
    static const Str odd[] = { S("\xC2\x85"), S("\xE2\x80\xA8"), S("\xE2\x80\xA9") };
    for (size_t i = 0; i < s.n; i++) {
        Str rest = str_from(s, i);
        if (s.p[i] == '\r' && !str_starts(rest, S("\r\n")))
            return true;
        for (size_t k = 0; k < COUNT_OF(odd); k++)
            if (str_starts(rest, odd[k]))
                return true;
    }
    return false;
}

jot_status setup_yaml(Str text, const SetupEntry *x, Buf *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Yaml *tree;
    Err why = { 0 };
    if (has_odd_breaks(text))
        return by_hand(e, "has line breaks of an odd kind");
    if (yaml_read(text, &arena, &tree, &why) != JOT_OK)
        return err_set(e, JOT_UNSUPPORTED, "cannot be read (%s): edit it by hand", why.text);
    if (tree->kind != YAML_MAP && !(tree->kind == YAML_SCALAR && tree->type == YAML_NULL))
        return by_hand(e, "is not a map");
    const Yaml *there = yaml_get(yaml_get(tree, str(x->table)), str(x->name));
    AUTO_PTR(json_t) old = there ? yaml_to_json(there) : NULL;
    AUTO_PTR(json_t) value = setup_merge(old, x);
    if (old && json_equal(old, value)) {
        buf_add(out, text);
        return JOT_OK;
    }
    size_t before = out->n;
    TRY(edit(&(Edit){ text, x, value, out }, tree, e));
    if (!buf_ok(out) || !came_out_right(tree, x, value, str_from(buf_str(out), before), &arena))
        return by_hand(e, "cannot be edited in place");
    return JOT_OK;
}

json_t *setup_yaml_look(Str text, const SetupEntry *x)
{
    AUTO(Arena) arena = { 0 };
    Yaml *tree;
    if (yaml_read(text, &arena, &tree, NULL) != JOT_OK)
        return NULL;
    const Yaml *entry = yaml_get(yaml_get(tree, str(x->table)), str(x->name));
    return entry && entry->kind == YAML_MAP ? yaml_to_json(entry) : NULL;
}
