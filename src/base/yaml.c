/* yaml.c - YAML: libyaml's events turned into a tree.
 *
 * libyaml reads YAML 1.1, in which U+0085, U+2028 and U+2029 end a line; in
 * YAML 1.2 they do not.  A document that holds one of them unescaped could
 * show a reader other keys than its writer meant, so it is refused, like every
 * other character that cannot be seen.
 *
 * The recursion is bounded by YAML_DEPTH_MAX. */
#include "base/yaml.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/utf8.h"
#include "base/yaml_text.h"

DEFINE_AUTO(yaml_parser_t, yaml_parser_delete)
DEFINE_AUTO(yaml_event_t, yaml_event_delete)

typedef struct Reader {
    yaml_parser_t *parser;
    Arena *into;
    size_t nodes;
    Err *e;
} Reader;

/* --- Refusing -------------------------------------------------------------------------- */

typedef struct Place {
    size_t line, column; /* from 1, in characters */
} Place;

static Place place_of(yaml_mark_t mark)
{
    return (Place){ mark.line + 1, mark.column + 1 };
}

static jot_status refuse(Err *e, Place at, const char *why)
{
    return err_set(e, JOT_INVALID, "not valid YAML at line %zu, column %zu: %s", at.line, at.column,
                   why);
}

/* Where the byte at `offset` stands; everything before it is valid text. */
static Place place_at(Str text, size_t offset)
{
    Place at = { 1, 1 };
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
        return refuse(e, place_at(text, bad), "it is not UTF-8");
    uint32_t before = '\n';
    for (size_t i = 0, at = 0; i < text.n; at = i) {
        uint32_t c = utf8_next(text, &i);
        bool first = before == '\n' || before == '\r';
        before = c;
        /* Refused here because libyaml takes minutes to compare many of them. */
        if (c == '%' && first && str_starts(str_from(text, at), S("%TAG")))
            return refuse(e, place_at(text, at), "%TAG is not allowed");
        if (yaml_shows(c) || c == '\r')
            continue;
        char why[80];
        snprintf(why, sizeof why, "write the character U+%04X as \"\\u%04X\" in double quotes", c,
                 c);
        return refuse(e, place_at(text, at), c ? why : "a NUL cannot stand here");
    }
    return JOT_OK;
}

static jot_status parser_refuses(const Reader *r)
{
    const yaml_parser_t *p = r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        mem_exhausted();
    return refuse(r->e, place_of(p->problem_mark), p->problem ? p->problem : "it cannot be read");
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
    return is_real(plain) ? YAML_REAL : YAML_STRING;
}

/* --- Reading --------------------------------------------------------------------------- */

static jot_status read_node(Reader *r, const yaml_event_t *start, int depth, Yaml **out);

/* Count one more node, and refuse what may be written on any kind of it. */
static jot_status check_node(Reader *r, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    Place at = place_of(event->start_mark);
    if (event->type == YAML_ALIAS_EVENT)
        return refuse(r->e, at, "aliases (*name) are not allowed");
    if (anchor)
        return refuse(r->e, at, "anchors (&name) are not allowed");
    if (tag)
        return refuse(r->e, at, "tags (!name) are not allowed");
    if (++r->nodes > YAML_NODES_MAX)
        return err_set(r->e, JOT_TOO_BIG, "YAML of more than %d values and keys, at line %zu",
                       YAML_NODES_MAX, at.line);
    return JOT_OK;
}

static jot_status read_scalar(Reader *r, const yaml_event_t *event, Yaml *out)
{
    Str text = { (const char *)event->data.scalar.value, event->data.scalar.length };
    if (str_find(text, 0) < text.n)
        return refuse(r->e, place_of(event->start_mark), "a NUL cannot be part of a text");
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        out->type = yaml_type_of(text);
    out->text = arena_copy(r->into, text);
    return JOT_OK;
}

static jot_status read_list(Reader *r, int depth, Yaml *out)
{
    out->kind = YAML_LIST;
    for (;;) {
        AUTO(yaml_event_t) event = { 0 };
        TRY(next_event(r, &event));
        if (event.type == YAML_SEQUENCE_END_EVENT)
            return JOT_OK;
        Yaml *item = NULL;
        TRY(read_node(r, &event, depth, &item));
        yaml_add(r->into, out, item);
    }
}

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
        snprintf(why, sizeof why, "the key '%s' stands in line %zu already",
                 err_show(&shown, sorted[i]->key), sorted[i - 1]->line);
        return refuse(r->e, (Place){ sorted[i]->line, sorted[i]->column }, why);
    }
    return JOT_OK;
}

static jot_status read_key(Reader *r, const yaml_event_t *event, YamlPair *out)
{
    TRY(check_node(r, event));
    Place at = place_of(event->start_mark);
    if (event->type != YAML_SCALAR_EVENT)
        return refuse(r->e, at, "a key must be a scalar");
    Yaml key = { 0 };
    TRY(read_scalar(r, event, &key));
    if (key.text.n == 0 && key.type == YAML_NULL)
        return refuse(r->e, at, "there is no key before the ':'");
    *out = (YamlPair){ key.text, key.type, NULL, at.line, at.column };
    return JOT_OK;
}

static jot_status read_map(Reader *r, int depth, Yaml *out)
{
    out->kind = YAML_MAP;
    for (;;) {
        AUTO(yaml_event_t) key = { 0 };
        TRY(next_event(r, &key));
        if (key.type == YAML_MAPPING_END_EVENT)
            return check_unique(r, out);
        YamlPair pair;
        TRY(read_key(r, &key, &pair));
        AUTO(yaml_event_t) value = { 0 };
        TRY(next_event(r, &value));
        TRY(read_node(r, &value, depth, &pair.value));
        yaml_add_pair(r->into, out, &pair);
    }
}

/* The node that begins with `start`; `depth` lists and maps are around it. */
static jot_status read_node(Reader *r, const yaml_event_t *start, int depth, Yaml **out)
{
    TRY(check_node(r, start));
    Place at = place_of(start->start_mark);
    Yaml *node = NEW(r->into, Yaml);
    node->line = at.line;
    node->column = at.column;
    *out = node;
    if (start->type == YAML_SCALAR_EVENT)
        return read_scalar(r, start, node);
    if (depth == YAML_DEPTH_MAX)
        return err_set(r->e, JOT_INVALID,
                       "YAML nests deeper than %d levels at line %zu, column %zu", YAML_DEPTH_MAX,
                       at.line, at.column);
    if (start->type == YAML_SEQUENCE_START_EVENT)
        return read_list(r, depth + 1, node);
    assert(start->type == YAML_MAPPING_START_EVENT);
    return read_map(r, depth + 1, node);
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
        return refuse(r->e, place_of(last.start_mark), "a second document begins");
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
