/* forget_text.c - replacing a phrase inside documents, by what they are.
 *
 * A mark put into YAML or JSON as bytes may end what it stands in: `[redacted]`
 * begins a list, and it is no number.  So states are read as a tree and written
 * again (comments and layout stay if the bytes alone would have given the same
 * tree), and JSON is gone through token by token, so that what does not hold the
 * phrase keeps its bytes.
 *
 * Names that Jotter looks for stay, whatever the phrase is; names people chose are
 * replaced unless two would become one. */
#include "memory/forget/forget_text.h"

#include <assert.h>
#include <string.h>

#include "base/base64.h"
#include "memory/artifact/artifact.h"
#include "memory/cycle/cycle_state.h"
#include "memory/forget/phrase.h"
#include "memory/graph/graph.h"

#define RESULTS ARTIFACT_KIND ARTIFACT_TOOL_RESULTS "/"
#define CODED "result_base64"

/* --- Holding it -------------------------------------------------------------------------- */

/* A result that is no text is kept as base64 (sink.h): there it is looked for in the bytes. */
static bool holds_coded(Str stream, Str body, Str phrase)
{
    static const Str member = { "\"" CODED "\"", sizeof CODED + 1 };
    json_t *read = NULL;
    AUTO(Arena) arena = { 0 };
    Str bytes;
    if (!str_starts(stream, S(RESULTS)) || body.n == 0 ||
        !memmem(body.p, body.n, member.p, member.n) || json_read(body, &read, NULL) != JOT_OK)
        return false;
    AUTO_PTR(json_t) value = read;
    return base64_read(json_member(value, CODED), &arena, &bytes) && phrase_in(bytes, phrase);
}

bool forget_holds(Str stream, Str body, Str phrase)
{
    return phrase_in(body, phrase) || holds_coded(stream, body, phrase);
}

/* --- YAML -------------------------------------------------------------------------------- */

static bool is_yaml(Str stream)
{
    return str_starts(stream, S("cycles/")) || str_starts(stream, S("snapshots/"));
}

/* Is this key one that cycles look for? */
static bool is_state_key(Str key, size_t depth)
{
    AUTO(Arena) arena = { 0 };
    if (depth == 0)
        return yaml_get(cycle_state_new(&arena), key) != NULL;
    return str_eq(key, S("task")) || str_eq(key, S("summary"));
}

static void clean_key(Yaml *map, size_t i, Str phrase, size_t depth, Arena *into)
{
    YamlPair *pair = &map->pairs[i];
    if (!phrase_in(pair->key, phrase) || is_state_key(pair->key, depth))
        return;
    Str key = phrase_replace(pair->key, phrase, S(FORGET_MARK), into);
    if (yaml_get(map, key))
        return;
    pair->key = key;
    pair->key_type = YAML_STRING;
}

static void clean_tree(Yaml *y, Str phrase, /* NOLINT(misc-no-recursion): YAML_DEPTH_MAX */
                       size_t depth, Arena *into)
{
    if (y->kind == YAML_SCALAR && phrase_in(y->text, phrase)) {
        y->text = phrase_replace(y->text, phrase, S(FORGET_MARK), into);
        y->type = YAML_STRING;
    }
    for (size_t i = 0; y->kind == YAML_LIST && i < y->n; i++)
        clean_tree(y->items[i], phrase, depth + 1, into);
    for (size_t i = 0; y->kind == YAML_MAP && i < y->n; i++) {
        clean_key(y, i, phrase, depth, into);
        clean_tree(y->pairs[i].value, phrase, depth + 1, into);
    }
}

/* A state that can be read stays one. */
static bool is_state(Str text, Arena *scratch, Yaml **tree)
{
    return cycle_state_read(text, scratch, tree, NULL) == JOT_OK;
}

static Str clean_yaml(Str text, Str phrase, Arena *into)
{
    AUTO(Arena) scratch = { 0 };
    AUTO(Buf) written = { .max = STORE_BODY_MAX };
    Yaml *tree = NULL, *again = NULL, *ignored;
    if (yaml_read(text, &scratch, &tree, NULL) != JOT_OK)
        return text;
    bool state = is_state(text, &scratch, &ignored);
    clean_tree(tree, phrase, 0, &scratch);
    Str bytes = phrase_replace(text, phrase, S(FORGET_MARK), &scratch);
    bool same = yaml_read(bytes, &scratch, &again, NULL) == JOT_OK && yaml_eq(tree, again);
    if (!same && yaml_write(&written, tree, NULL) != JOT_OK)
        return text;
    Str out = same ? bytes : buf_str(&written);
    return state && !is_state(out, &scratch, &ignored) ? text : arena_copy(into, out);
}

/* --- JSON -------------------------------------------------------------------------------- */

static bool is_json(Str stream)
{
    return str_starts(stream, S(ARTIFACT_KIND)) || str_starts(stream, S("graph/"));
}

typedef struct Tokens {
    Str text, phrase;
    size_t at, depth;
    bool own;   /* names at the top are the layout's, and so is what is no string there */
    bool names; /* others may be replaced */
    Str name;   /* the newest one, as it is written */
    Arena *into;
    Buf *to;
} Tokens;

/* A string of JSON is replaced between its quotes, where no character of it is ever cut. */
static void clean_string(Tokens *t)
{
    size_t end = json_unquote(t->text, t->at, NULL), next = end;
    Str all = str_slice(t->text, t->at, end), inner = str_slice(all, 1, all.n - 1);
    while (next < t->text.n && strchr(" \t\r\n", t->text.p[next]))
        next++;
    bool name = next < t->text.n && t->text.p[next] == ':', top = t->own && t->depth == 1;
    bool stays = name ? top || !t->names : top && str_eq(t->name, S("\"" CODED "\""));
    if (name)
        t->name = all;
    if (stays || !phrase_in(inner, t->phrase))
        buf_add(t->to, all);
    else
        buf_addf(t->to, "\"" STR_FMT "\"",
                 STR_ARG(phrase_replace(inner, t->phrase, S(FORGET_MARK), t->into)));
    t->at = end;
}

static void clean_token(Tokens *t)
{
    assert(t->at < t->text.n);
    char c = t->text.p[t->at];
    if (c == '"') {
        clean_string(t);
        return;
    }
    if (!strchr(" \t\r\n,:[]{}", c)) {
        /* A number, true, false or null: the mark takes its place. */
        size_t end = t->at;
        while (end < t->text.n && !strchr(" \t\r\n,]}", t->text.p[end]))
            end++;
        Str all = str_slice(t->text, t->at, end);
        bool stays = (t->own && t->depth == 1) || !phrase_in(all, t->phrase);
        buf_add(t->to, stays ? all : S("\"" FORGET_MARK "\""));
        t->at = end;
        return;
    }
    t->depth += c == '[' || c == '{';
    t->depth -= c == ']' || c == '}';
    buf_add_char(t->to, c);
    t->at++;
}

/* False if the result is no JSON any more, because two names became one. */
static bool clean_tokens(Str stream, Str text, Str phrase, bool names, Buf *to)
{
    AUTO(Arena) scratch = { 0 };
    bool own = str_starts(stream, S(RESULTS)) || str_starts(stream, S("graph/"));
    Tokens t = {
        .text = text, .phrase = phrase, .own = own, .names = names, .into = &scratch, .to = to
    };
    while (t.at < text.n)
        clean_token(&t);
    AUTO_PTR(json_t) read = NULL;
    return json_read(buf_str(to), &read, NULL) == JOT_OK;
}

static Str clean_json(Str stream, Str text, Str phrase, Arena *into)
{
    AUTO_PTR(json_t) read = NULL;
    if (json_read(text, &read, NULL) != JOT_OK)
        return text;
    for (int names = 1; names >= 0; names--) {
        AUTO(Buf) out = { .max = SIZE_MAX / 2 };
        if (clean_tokens(stream, text, phrase, names, &out))
            return arena_copy(into, buf_str(&out));
    }
    return text;
}

/* --- Any --------------------------------------------------------------------------------- */

/* An entity and a relation are found by what they are called: that cannot be replaced. */
static bool keeps_its_place(Str stream, Str text)
{
    AUTO_PTR(json_t) v = NULL;
    AUTO(Arena) arena = { 0 };
    if (!str_starts(stream, S("graph/")))
        return true;
    if (json_read(text, &v, NULL) != JOT_OK)
        return false;
    Str place = str_starts(stream, S(GRAPH_ENTITIES))
                    ? graph_entity_stream(json_member(v, "name"), &arena)
                    : graph_relation_stream(json_member(v, "from"), json_member(v, "to"),
                                            json_member(v, "relationType"), &arena);
    return str_eq(place, stream);
}

bool forget_has_layout(Str stream)
{
    return is_yaml(stream) || is_json(stream);
}

Str forget_clean(Str stream, Str text, Str phrase, Arena *into)
{
    Str out = is_yaml(stream)   ? clean_yaml(text, phrase, into)
              : is_json(stream) ? clean_json(stream, text, phrase, into)
                                : phrase_replace(text, phrase, S(FORGET_MARK), into);
    return keeps_its_place(stream, out) ? out : text;
}
