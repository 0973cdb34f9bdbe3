/* yaml.c - YAML: libyaml's events turned into a tree.
 *
 * libyaml reads YAML 1.1, in which U+0085, U+2028 and U+2029 end a line; in
 * YAML 1.2 they do not.  A document that holds one of them unescaped could
 * show a reader other keys than its writer meant, so it is refused, like every
 * other character that cannot be seen.
 *
 * An alias becomes a copy of what it stands for: Python's yaml.dump writes one
 * wherever an object is met twice, and the owner of the tree may change one of them
 * and not the other.  Copies count like everything else, nodes and bytes, so that
 * ten lines cannot ask for a billion.
 *
 * The recursion is bounded by YAML_DEPTH_MAX. */
#include "base/yaml.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/utf8.h"
#include "base/yaml_internal.h"

DEFINE_AUTO(yaml_parser_t, yaml_parser_delete)
DEFINE_AUTO(yaml_event_t, yaml_event_delete)

/* Names are looked for one by one. */
enum { ANCHORS_MAX = 1000 };

typedef struct Anchor {
    Str name;
    const Yaml *node;
    bool open; /* its end was not read yet */
} Anchor;

typedef struct Reader {
    yaml_parser_t *parser;
    Arena *into;
    size_t nodes;
    size_t copied; /* bytes, for aliases */
    Anchor *anchors;
    size_t anchors_n, anchors_cap;
    Err *e;
} Reader;

/* --- Refusing -------------------------------------------------------------------------- */

typedef struct Position {
    size_t line, column; /* from 1, in characters */
} Position;

static Position position_of(yaml_mark_t mark)
{
    return (Position){ mark.line + 1, mark.column + 1 };
}

static jot_status refuse(Err *e, Position at, const char *why)
{
    return err_set(e, JOT_INVALID, "not valid YAML at line %zu, column %zu: %s", at.line, at.column,
                   why);
}

/* Where the byte at `offset` stands; everything before it is valid text. */
static Position position_at(Str text, size_t offset)
{
    Position at = { 1, 1 };
    for (size_t i = 0; i < offset;) {
        uint32_t c = utf8_next(text, &i);
        bool half = c == '\r' && i < text.n && text.p[i] == '\n';
        bool end = c == '\n' || (c == '\r' && !half);
        at.line += end;
        at.column = end ? 1 : at.column + 1;
    }
    return at;
}

static jot_status check_characters(Str text, Err *e)
{
    size_t bad = utf8_bad_at(text);
    if (bad < text.n)
        return refuse(e, position_at(text, bad), "it is not UTF-8");
    uint32_t before = '\n';
    for (size_t i = 0, at = 0; i < text.n; at = i) {
        uint32_t c = utf8_next(text, &i);
        bool first = before == '\n' || before == '\r';
        before = c;
        /* Refused here because libyaml takes minutes to compare many of them. */
        if (c == '%' && first && str_starts(str_from(text, at), S("%TAG")))
            return refuse(e, position_at(text, at), "%TAG is not allowed");
        if (yaml_shows(c) || c == '\r')
            continue;
        char why[80];
        snprintf(why, sizeof why, "write the character U+%04X as \"\\u%04X\" in double quotes", c,
                 c);
        return refuse(e, position_at(text, at), c ? why : "a NUL cannot stand here");
    }
    return JOT_OK;
}

static jot_status parser_refuses(const Reader *r)
{
    const yaml_parser_t *p = r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        mem_exhausted();
    return refuse(r->e, position_of(p->problem_mark),
                  p->problem ? p->problem : "it cannot be read");
}

static jot_status next_event(Reader *r, yaml_event_t *out)
{
    return yaml_parser_parse(r->parser, out) ? JOT_OK : parser_refuses(r);
}

/* --- Types ----------------------------------------------------------------------------- */

static size_t digits_from(Str s, size_t at, const char *digits)
{
    while (at < s.n && s.p[at] && strchr(digits, s.p[at]))
        at++;
    return at;
}

static bool is_int(Str s)
{
    if (str_starts(s, S("0o")))
        return s.n > 2 && digits_from(s, 2, "01234567") == s.n;
    if (str_starts(s, S("0x")))
        return s.n > 2 && digits_from(s, 2, "0123456789abcdefABCDEF") == s.n;
    size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');
    return s.n > sign && digits_from(s, sign, "0123456789") == s.n;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_real(Str s)
{
    static const char decimal[] = "0123456789";
    size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');
    size_t whole = digits_from(s, sign, decimal), at = whole;
    if (at < s.n && s.p[at] == '.')
        at = digits_from(s, at + 1, decimal);
    /* A point alone is no number: there must be a digit on one of its sides. */
    if (at == sign || (whole == sign && at == sign + 1))
        return false;
    if (at < s.n && (s.p[at] == 'e' || s.p[at] == 'E')) {
        at++;
        at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
        size_t end = digits_from(s, at, decimal);
        if (end == at)
            return false;
        at = end;
    }
    return at == s.n;
}

/* At least `min` and at most two digits of `s` from *at on. */
static bool eat_digits(Str s, size_t *at, size_t min)
{
    size_t end = digits_from(str_slice(s, 0, *at + 2 < s.n ? *at + 2 : s.n), *at, "0123456789");
    bool good = end >= *at + min;
    *at = end;
    return good;
}

static bool eat(Str s, size_t *at, const char *any)
{
    bool good = *at < s.n && s.p[*at] && strchr(any, s.p[*at]);
    *at += good;
    return good;
}

/* hh:mm:ss, a fraction and a zone: what may stand after a date. */
static bool is_clock(Str s, size_t at)
{
    if (!eat_digits(s, &at, 1) || !eat(s, &at, ":") || !eat_digits(s, &at, 2) ||
        !eat(s, &at, ":") || !eat_digits(s, &at, 2))
        return false;
    if (eat(s, &at, "."))
        at = digits_from(s, at, "0123456789");
    while (eat(s, &at, " \t"))
        ;
    if (eat(s, &at, "Z"))
        return at == s.n;
    if (eat(s, &at, "+-"))
        return eat_digits(s, &at, 1) &&
               (at == s.n || (eat(s, &at, ":") && eat_digits(s, &at, 2))) && at == s.n;
    return at == s.n;
}

/* 2026-01-31, or that with a time after it, as YAML 1.1 has it. */
static bool is_time(Str s)
{
    size_t at = 4;
    if (s.n < 8 || digits_from(s, 0, "0123456789") != 4 || !eat(s, &at, "-") ||
        !eat_digits(s, &at, 1) || !eat(s, &at, "-") || !eat_digits(s, &at, 1))
        return false;
    if (at == s.n)
        return s.n == 10;
    bool apart = eat(s, &at, "tT");
    while (!apart && eat(s, &at, " \t"))
        apart = at < s.n && !strchr(" \t", s.p[at]);
    return apart && is_clock(s, at);
}

YamlType yaml_type_of(Str plain)
{
    /* clang-format off */
    static const struct {
        const char *word;
        YamlType type;
    } words[] = {
        { "", YAML_NULL }, { "~", YAML_NULL },
        { "null", YAML_NULL }, { "Null", YAML_NULL }, { "NULL", YAML_NULL },
        { "true", YAML_BOOL }, { "True", YAML_BOOL }, { "TRUE", YAML_BOOL },
        { "false", YAML_BOOL }, { "False", YAML_BOOL }, { "FALSE", YAML_BOOL },
        { ".inf", YAML_REAL }, { ".Inf", YAML_REAL }, { ".INF", YAML_REAL },
        { "+.inf", YAML_REAL }, { "+.Inf", YAML_REAL }, { "+.INF", YAML_REAL },
        { "-.inf", YAML_REAL }, { "-.Inf", YAML_REAL }, { "-.INF", YAML_REAL },
        { ".nan", YAML_REAL }, { ".NaN", YAML_REAL }, { ".NAN", YAML_REAL },
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq(plain, str(words[i].word)))
            return words[i].type;
    if (is_int(plain))
        return YAML_INT;
    if (is_real(plain))
        return YAML_REAL;
    return is_time(plain) ? YAML_TIME : YAML_STRING;
}

/* --- Reading --------------------------------------------------------------------------- */

static jot_status read_node(Reader *r, const yaml_event_t *start, int depth, Yaml **out);

static jot_status count_node(Reader *r, size_t line)
{
    if (++r->nodes > YAML_NODES_MAX)
        return err_set(r->e, JOT_TOO_BIG, "YAML of more than %d values and keys, at line %zu",
                       YAML_NODES_MAX, line);
    return JOT_OK;
}

static jot_status check_depth(const Reader *r, int depth, Position at)
{
    if (depth < YAML_DEPTH_MAX)
        return JOT_OK;
    return err_set(r->e, JOT_INVALID, "YAML nests deeper than %d levels at line %zu, column %zu",
                   YAML_DEPTH_MAX, at.line, at.column);
}

/* The name a node is given by "&name"; empty if it has none. */
static Str anchor_of(const yaml_event_t *event)
{
    const yaml_char_t *name = NULL;
    if (event->type == YAML_SCALAR_EVENT)
        name = event->data.scalar.anchor;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        name = event->data.sequence_start.anchor;
    else if (event->type == YAML_MAPPING_START_EVENT)
        name = event->data.mapping_start.anchor;
    return str((const char *)name);
}

/* Count one more node, and refuse what may be written on any kind of it. */
static jot_status check_node(Reader *r, const yaml_event_t *event)
{
    const yaml_char_t *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT)
        tag = event->data.scalar.tag;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        tag = event->data.sequence_start.tag;
    else if (event->type == YAML_MAPPING_START_EVENT)
        tag = event->data.mapping_start.tag;
    if (tag)
        return refuse(r->e, position_of(event->start_mark), "tags (!name) are not allowed");
    return count_node(r, position_of(event->start_mark).line);
}

static jot_status read_scalar(Reader *r, const yaml_event_t *event, Yaml *out)
{
    Str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    if (str_find(text, 0) < text.n)
        return refuse(r->e, position_of(event->start_mark), "a NUL cannot be part of a text");
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        out->type = yaml_type_of(text);
    out->text = arena_copy(r->into, text);
    return JOT_OK;
}

/* --- Aliases --------------------------------------------------------------------------- */

/* Remember what a name stands for.  The newest of a name counts. */
static jot_status add_anchor(Reader *r, Str name, const Yaml *node)
{
    if (r->anchors_n == ANCHORS_MAX)
        return err_set(r->e, JOT_TOO_BIG, "YAML of more than %d anchors, at line %zu", ANCHORS_MAX,
                       node->line);
    r->anchors = arena_grow(r->into, r->anchors, r->anchors_n, &r->anchors_cap, sizeof(Anchor),
                            alignof(Anchor));
    r->anchors[r->anchors_n++] = (Anchor){ arena_copy(r->into, name), node, true };
    return JOT_OK;
}

static jot_status copy_text(Reader *r, Str text, Position at, Str *out)
{
    r->copied += text.n;
    if (r->copied > YAML_BYTES_MAX)
        return err_set(r->e, JOT_TOO_BIG, "aliases stand for more than %d bytes, at line %zu",
                       YAML_BYTES_MAX, at.line);
    *out = arena_copy(r->into, text);
    return JOT_OK;
}

/* NOLINTNEXTLINE(misc-no-recursion): YAML_DEPTH_MAX */
static jot_status copy_node(Reader *r, const Yaml *from, int depth, Position at, Yaml **out)
{
    Yaml *node = NEW(r->into, Yaml);
    TRY(count_node(r, at.line));
    *node = (Yaml){ .kind = from->kind, .type = from->type, .line = at.line, .column = at.column };
    *out = node;
    if (from->kind == YAML_SCALAR)
        return copy_text(r, from->text, at, &node->text);
    TRY(check_depth(r, depth, at));
    for (size_t i = 0; i < from->n && from->kind == YAML_LIST; i++) {
        Yaml *item = NULL;
        TRY(copy_node(r, from->items[i], depth + 1, at, &item));
        yaml_add(r->into, node, item);
    }
    for (size_t i = 0; i < from->n && from->kind == YAML_MAP; i++) {
        YamlPair pair = from->pairs[i];
        pair.line = at.line;
        pair.column = at.column;
        TRY(count_node(r, at.line));
        TRY(copy_text(r, pair.key, at, &pair.key));
        TRY(copy_node(r, from->pairs[i].value, depth + 1, at, &pair.value));
        yaml_add_pair(r->into, node, &pair);
    }
    return JOT_OK;
}

/* What "*name" stands for. */
static jot_status read_alias(Reader *r, const yaml_event_t *event, int depth, Yaml **out)
{
    Str name = str((const char *)event->data.alias.anchor);
    Position at = position_of(event->start_mark);
    for (size_t i = r->anchors_n; i-- > 0;) {
        const Anchor *known = &r->anchors[i];
        if (!str_eq(known->name, name))
            continue;
        return known->open ? refuse(r->e, at, "an alias cannot stand inside what it stands for")
                           : copy_node(r, known->node, depth, at, out);
    }
    return refuse(r->e, at, "the alias has no anchor (&name) before it");
}

/* --- Lists and maps -------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const YamlPair *left = *(const YamlPair *const *)a, *right = *(const YamlPair *const *)b;
    int order = str_cmp(left->key, right->key);
    return order ? order : (left > right) - (left < right);
}

/* Sorted instead of compared each with each: a map may have a hundred thousand keys. */
static jot_status check_unique(const Reader *r, const Yaml *map)
{
    AUTO(Arena) work = { 0 };
    const YamlPair **sorted = NEW_ARRAY(&work, const YamlPair *, map->n);
    for (size_t i = 0; i < map->n; i++)
        sorted[i] = &map->pairs[i];
    if (map->n)
        qsort(sorted, map->n, sizeof(YamlPair *), by_key);
    for (size_t i = 1; i < map->n; i++) {
        if (!str_eq(sorted[i - 1]->key, sorted[i]->key))
            continue;
        Shown shown;
        char why[120];
        snprintf(why, sizeof why, "the key '%s' is already in line %zu",
                 err_show(&shown, sorted[i]->key), sorted[i - 1]->line);
        return refuse(r->e, (Position){ sorted[i]->line, sorted[i]->column }, why);
    }
    return JOT_OK;
}

static jot_status read_key(Reader *r, const yaml_event_t *event, YamlPair *out)
{
    Position at = position_of(event->start_mark);
    if (event->type == YAML_ALIAS_EVENT || anchor_of(event).n)
        return refuse(r->e, at, "a key has neither anchor (&name) nor alias (*name)");
    TRY(check_node(r, event));
    if (event->type != YAML_SCALAR_EVENT)
        return refuse(r->e, at, "a key must be a scalar");
    Yaml key = { 0 };
    TRY(read_scalar(r, event, &key));
    /* YAML 1.1 puts what is named there in its place, YAML 1.2 does not. */
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && str_eq(key.text, S("<<")))
        return refuse(r->e, at, "merging (<<) is not allowed: write the keys out");
    if (key.text.n == 0 && key.type == YAML_NULL)
        return refuse(r->e, at, "there is no key before the ':'");
    *out = (YamlPair){ key.text, key.type, NULL, at.line, at.column };
    return JOT_OK;
}

static jot_status read_inner(Reader *r, const yaml_event_t *start, int depth, Yaml *node)
{
    if (start->type == YAML_SCALAR_EVENT)
        return read_scalar(r, start, node);
    TRY(check_depth(r, depth, position_of(start->start_mark)));
    if (start->type == YAML_SEQUENCE_START_EVENT) {
        node->kind = YAML_LIST;
        for (;;) {
            AUTO(yaml_event_t) event = { 0 };
            TRY(next_event(r, &event));
            if (event.type == YAML_SEQUENCE_END_EVENT)
                return JOT_OK;
            Yaml *item = NULL;
            TRY(read_node(r, &event, depth + 1, &item));
            yaml_add(r->into, node, item);
        }
    }
    assert(start->type == YAML_MAPPING_START_EVENT);
    node->kind = YAML_MAP;
    for (;;) {
        AUTO(yaml_event_t) key = { 0 };
        TRY(next_event(r, &key));
        if (key.type == YAML_MAPPING_END_EVENT)
            return check_unique(r, node);
        YamlPair pair;
        TRY(read_key(r, &key, &pair));
        AUTO(yaml_event_t) value = { 0 };
        TRY(next_event(r, &value));
        TRY(read_node(r, &value, depth + 1, &pair.value));
        yaml_add_pair(r->into, node, &pair);
    }
}

/* The node that begins with `start`; `depth` lists and maps are around it. */
static jot_status read_node(Reader *r, const yaml_event_t *start, int depth, Yaml **out)
{
    if (start->type == YAML_ALIAS_EVENT)
        return read_alias(r, start, depth, out);
    TRY(check_node(r, start));
    Position at = position_of(start->start_mark);
    Yaml *node = NEW(r->into, Yaml);
    node->line = at.line;
    node->column = at.column;
    *out = node;
    Str name = anchor_of(start);
    size_t known = r->anchors_n;
    if (name.n)
        TRY(add_anchor(r, name, node));
    TRY(read_inner(r, start, depth, node));
    if (name.n)
        r->anchors[known].open = false;
    return JOT_OK;
}

/* STREAM-START, then DOCUMENT-START, or STREAM-END if there is nothing but comments. */
static jot_status read_document(Reader *r, Yaml **out)
{
    AUTO(yaml_event_t) stream = { 0 };
    AUTO(yaml_event_t) start = { 0 };
    AUTO(yaml_event_t) root = { 0 };
    AUTO(yaml_event_t) end = { 0 };
    AUTO(yaml_event_t) last = { 0 };
    TRY(next_event(r, &stream));
    TRY(next_event(r, &start));
    if (start.type == YAML_STREAM_END_EVENT) {
        *out = yaml_null(r->into);
        (*out)->text = S("");
        return JOT_OK;
    }
    TRY(next_event(r, &root));
    TRY(read_node(r, &root, 0, out));
    TRY(next_event(r, &end));
    TRY(next_event(r, &last));
    if (last.type != YAML_STREAM_END_EVENT)
        return refuse(r->e, position_of(last.start_mark), "a second document begins");
    return JOT_OK;
}

jot_status yaml_read(Str text, Arena *into, Yaml **out, Err *e)
{
    if (text.n > YAML_BYTES_MAX)
        return err_set(e, JOT_TOO_BIG, "YAML of %zu bytes: the limit is %d", text.n,
                       YAML_BYTES_MAX);
    if (str_starts(text, S("\xEF\xBB\xBF")))
        text = str_from(text, 3); /* some editors put a byte order mark in front */
    TRY(check_characters(text, e));
    AUTO(yaml_parser_t) parser = { 0 };
    if (!yaml_parser_initialize(&parser))
        mem_exhausted();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.n ? text.p : ""), text.n);
    Reader r = { .parser = &parser, .into = into, .e = e };
    Yaml *tree = NULL;
    TRY(read_document(&r, &tree));
    *out = tree;
    return JOT_OK;
}
