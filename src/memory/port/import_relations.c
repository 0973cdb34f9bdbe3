/* import_relations.c - what a note of basic-memory says of itself, as a part of the graph.
 *
 *     ---
 *     title: Coffee Brewing             the entity
 *     type: note                        its type
 *     permalink: drinks/coffee-brewing  by which such a note is known
 *     ---
 *     - [method] pour over #brewing     an observation
 *     - requires [[Grinding Beans]]     a relation; relates_to, if no word is before the name
 *     As [[Tea]] shows, ...             a relation, too: links_to
 *
 * The note is imported as every other; this comes beside it, so that the tools of the graph find
 * it. What stands between ``` is an example and tells nothing.  Their database is made from these
 * files: it is not needed. */
#include "base/utf8.h"
#include "memory/graph/graph.h"
#include "memory/port/import.h"

enum { RELATIONS_MAX = 1000 }; /* of one note: each is a stream */

typedef struct Told {
    Import *x;
    Str path, title;
    json_t *observations;
    size_t relations;
} Told;

/* The next line, without its end; false: there is none. */
static bool next_line(Str *rest, Str *line)
{
    if (rest->n == 0)
        return false;
    if (!str_cut(rest, '\n', line))
        *line = TAKE(*rest);
    if (str_ends(*line, S("\r")))
        *line = str_slice(*line, 0, line->n - 1);
    return true;
}

/* Between "---" and "---"; false: the text does not begin so.  *rest is what follows. */
static bool cut_head(Str *rest, Str *head)
{
    Str line;
    if (!next_line(rest, &line) || !str_eq(line, S("---")))
        return false;
    const char *from = rest->p;
    while (next_line(rest, &line))
        if (str_eq(line, S("---"))) {
            *head = (Str){ from, (size_t)(line.p - from) };
            return true;
        }
    return false;
}

/* A word of the head, without its quotes; empty: there is none. */
static Str head_word(Str head, Str name)
{
    Str line;
    while (next_line(&head, &line)) {
        if (!str_starts(line, name) || line.n == name.n || line.p[name.n] != ':')
            continue;
        Str word = str_trim(str_from(line, name.n + 1));
        bool quoted = word.n >= 2 && (word.p[0] == '"' || word.p[0] == '\'') &&
                      word.p[word.n - 1] == word.p[0];
        return quoted ? str_slice(word, 1, word.n - 1) : word;
    }
    return S("");
}

static jot_status add_item(const Told *t, Str stream, const json_t *value, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    Str meta = arena_printf(&arena, "{\"order\":%lld}", (long long)graph_order(t->x->m));
    t->x->report->files--; /* it is a part of one */
    return import_document(
        t->x,
        &(ImportDoc){ .name = t->path, .stream = stream, .text = buf_str(&text), .meta = meta }, e);
}

static jot_status add_relation(Told *t, Str type, Str to, Err *e)
{
    AUTO(Arena) arena = { 0 };
    if (t->relations++ == RELATIONS_MAX)
        layout_miss(t->x->report, t->x->into, JOT_TOO_BIG, t->path,
                    "it has more than %d relations: the others were left out", RELATIONS_MAX);
    if (t->relations > RELATIONS_MAX)
        return JOT_OK;
    AUTO_PTR(json_t)
    value = json_pack("{s:o, s:o, s:o}", "from", json_text(t->title), "to", json_text(to),
                      "relationType", json_text(type));
    return add_item(t, graph_relation_stream(t->title, to, type, &arena), value, e);
}

/* The name between the next [[ and ]], which may have a text to show after a '|'; false: no more.
 */
static bool next_link(Str *rest, Str *before, Str *name)
{
    Str all = *rest;
    for (size_t i = 0; i + 1 < all.n; i++) {
        if (all.p[i] != '[' || all.p[i + 1] != '[')
            continue;
        for (size_t end = i + 2; end + 1 < all.n; end++)
            if (all.p[end] == ']' && all.p[end + 1] == ']') {
                Str inside = str_slice(all, i + 2, end);
                *name = str_trim(str_slice(inside, 0, str_find(inside, '|')));
                *before = str_trim(str_slice(all, 0, i));
                *rest = str_from(all, end + 2);
                return true;
            }
        return false;
    }
    return false;
}

/* [word] and what follows; a link and a name are none. */
static bool is_observation(Str item)
{
    size_t end = str_find(item, ']');
    return end >= 2 && end + 1 < item.n && item.p[0] == '[' && item.p[1] != '[' &&
           item.p[end + 1] == ' ';
}

/* What a list says in this line, without a box to tick; false: it is no list. */
static bool cut_item(Str *text)
{
    if (!str_starts(*text, S("- ")) && !str_starts(*text, S("* ")))
        return false;
    *text = str_trim(str_from(*text, 2));
    if (str_starts(*text, S("[ ] ")) || str_starts(*text, S("[x] ")) ||
        str_starts(*text, S("[-] ")))
        *text = str_trim(str_from(*text, 4));
    return true;
}

static jot_status read_line(Told *t, Str line, Err *e)
{
    Str text = str_trim(line), before, name;
    bool item = cut_item(&text), observed = item && is_observation(text);
    if (observed)
        json_array_append_new(t->observations, json_text(text));
    for (bool first = true; next_link(&text, &before, &name); first = false) {
        Str type = S("links_to");
        if (item && !observed && first)
            type = before.n ? before : S("relates_to");
        if (name.n)
            TRY(add_relation(t, type, name, e));
    }
    return JOT_OK;
}

jot_status import_relations(Import *x, Str path, Str text, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str head, line;
    if (!str_ends(path, S(".md")) || !utf8_valid(text) || !cut_head(&text, &head) ||
        !head_word(head, S("permalink")).n || !head_word(head, S("title")).n)
        return JOT_OK;
    AUTO_PTR(json_t) observations = json_array();
    Told t = { x, path, head_word(head, S("title")), observations, 0 };
    for (bool example = false; next_line(&text, &line);) {
        if (str_starts(str_trim(line), S("```")))
            example = !example;
        else if (!example)
            TRY(read_line(&t, line, e));
    }
    Str type = head_word(head, S("type"));
    AUTO_PTR(json_t)
    entity = json_pack("{s:o, s:o, s:O}", "name", json_text(t.title), "entityType",
                       json_text(type.n ? type : S("note")), "observations", observations);
    return add_item(&t, graph_entity_stream(t.title, &arena), entity, e);
}
