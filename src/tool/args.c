/* args.c - arguments against their table: one pass, one sentence.
 *
 * A value that was not given and one that is null are the same for an optional
 * parameter, because models say null for "nothing".  Nothing else is bent: a
 * number in quotes is a text, and refused where a number is asked for. */
#include "tool/args.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory/doc/note.h"

/* What every JSON reader keeps exactly. */
#define NUMBER_MAX ((INT64_C(1) << 53) - 1)
enum { TEXT_MAX = STORE_BODY_MAX };

static const Param *param_find(const Param *params, const char *name)
{
    for (; params->name; params++)
        if (strcmp(params->name, name) == 0)
            return params;
    return NULL;
}

/* --- One value ------------------------------------------------------------------------- */

static const char *kind_of(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "nothing known";
}

static jot_status wrong_type(const char *where, const char *want, const json_t *got, Err *e)
{
    return err_set(e, JOT_INVALID, "'%s' must be %s, not %s", where, want, kind_of(got));
}

static jot_status check_text(const Param *p, const char *where, const json_t *v, Err *e)
{
    if (!json_is_string(v))
        return wrong_type(where, "a string", v, e);
    size_t max = p->max ? (size_t)p->max : TEXT_MAX, n = json_string_length(v);
    if (n > max)
        return err_set(e, JOT_TOO_BIG, "'%s' has %zu bytes: at most %zu are allowed", where, n,
                       max);
    if (n < (size_t)p->min)
        return err_set(e, JOT_INVALID, "'%s' cannot be empty", where);
    return JOT_OK;
}

static jot_status check_number(const Param *p, const char *where, const json_t *v, Err *e)
{
    int64_t max = p->max ? p->max : NUMBER_MAX;
    /* Some write 3.0 for 3.  Beyond 9e15 a double is no longer exact. */
    double real = json_number_value(v);
    if (!json_is_number(v) || (json_is_real(v) && (floor(real) != real || fabs(real) > 9e15)))
        return wrong_type(where, "a whole number", v, e);
    int64_t n = json_is_integer(v) ? json_integer_value(v) : (int64_t)real;
    if (n < p->min || n > max)
        return err_set(e, JOT_INVALID, "'%s' is %lld: use %lld to %lld", where, (long long)n,
                       (long long)p->min, (long long)max);
    return JOT_OK;
}

/* The words that are allowed, for a sentence: as many as it has room for. */
typedef struct Allowed {
    char text[160];
    size_t n;
} Allowed;

static void allow(Allowed *a, const char *word)
{
    assert(a->n < sizeof a->text);
    size_t room = sizeof a->text - a->n;
    int n = snprintf(a->text + a->n, room, "%s%s", a->n ? ", " : "", word);
    a->n += n > 0 && (size_t)n < room ? (size_t)n : 0; /* else the next one takes its place */
}

static jot_status check_choice(const Param *p, const char *where, const json_t *v, Err *e)
{
    Allowed all = { 0 };
    Shown shown;
    assert(p->choices);
    if (!json_is_string(v))
        return wrong_type(where, "a string", v, e);
    for (const char *const *c = p->choices; *c; c++) {
        if (str_eq(str(*c), json_str(v)))
            return JOT_OK;
        allow(&all, *c);
    }
    return err_set(e, JOT_INVALID, "'%s' cannot be '%s': use %s", where,
                   err_show(&shown, json_str(v)), all.text);
}

/* What an object is held against: the table, and the door whose parameters are not for this caller.
 */
typedef struct Members {
    const char *owner;
    const Param *params;
    ParamDoor shut;
} Members;

static jot_status check_members(const Members *m, const json_t *object, Err *e);

static jot_status check_item(const Param *p, const char *where, const json_t *v, Err *e)
{
    switch (p->type) {
    case PARAM_TEXT:
    case PARAM_TEXTS:
        return check_text(p, where, v, e);
    case PARAM_NUMBER:
    case PARAM_NUMBERS:
        return check_number(p, where, v, e);
    case PARAM_BOOL:
        return json_is_boolean(v) ? JOT_OK : wrong_type(where, "true or false", v, e);
    case PARAM_CHOICE:
        return check_choice(p, where, v, e);
    case PARAM_OBJECT:
    case PARAM_OBJECTS:
        if (!json_is_object(v))
            return wrong_type(where, "an object", v, e);
        return p->fields ? check_members(&(Members){ where, p->fields, DOOR_CLI }, v, e) : JOT_OK;
    case PARAM_ANY:
        return JOT_OK;
    }
    return JOT_OK;
}

static jot_status check_value(const Param *p, const json_t *v, Err *e)
{
    if (!param_is_list(p))
        return check_item(p, p->name, v, e);
    size_t max = p->items ? p->items : PARAM_ITEMS_MAX;
    if (!json_is_array(v))
        return wrong_type(p->name, "an array", v, e);
    if (json_array_size(v) > max)
        return err_set(e, JOT_TOO_BIG, "'%s' has %zu items: at most %zu are allowed", p->name,
                       json_array_size(v), max);
    for (size_t i = 0; i < json_array_size(v); i++) {
        char where[96];
        snprintf(where, sizeof where, "%s[%zu]", p->name, i);
        TRY(check_item(p, where, json_array_get(v, i), e));
    }
    return JOT_OK;
}

/* --- All of them ----------------------------------------------------------------------- */

static jot_status unknown(const Members *m, const char *name, Err *e)
{
    Allowed all = { 0 };
    Shown shown;
    for (const Param *p = m->params; p->name; p++)
        if (p->door != m->shut)
            allow(&all, p->name);
    return err_set(e, JOT_INVALID, "%s has no parameter '%s': %s%s", m->owner,
                   err_show(&shown, str(name)), all.n ? "use " : "it takes none", all.text);
}

static jot_status check_members(const Members *m, const json_t *object, Err *e)
{
    const char *name;
    const json_t *value;
    /* First what is there, then what is not: a name that is misspelt is named, not the one that
     * is missing for it.  jansson's loop is over an object it could change, but does not. */
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        const Param *p = param_find(m->params, name);
        if (!p || p->door == m->shut)
            return unknown(m, name, e);
        if (!(p->optional && json_is_null(value)))
            TRY(check_value(p, value, e));
    }
    for (const Param *p = m->params; p->name; p++)
        if (p->door != m->shut && param_needed(p, m->shut) && !json_object_get(object, p->name))
            return err_set(e, JOT_INVALID, "%s needs '%s'%s%s", m->owner, p->name,
                           p->about ? ": " : "", p->about ? p->about : "");
    return JOT_OK;
}

jot_status args_check(const Tool *t, const json_t *args, Err *e)
{
    assert(json_is_object(args));
    return check_members(&(Members){ t->name, tool_params(t), DOOR_CLI }, args, e);
}

jot_status args_check_program(const Tool *t, const json_t *args, Err *e)
{
    assert(json_is_object(args));
    const char *owner = t->name ? t->name : "this verb";
    return check_members(&(Members){ owner, tool_params(t), DOOR_TOOL }, args, e);
}

/* --- Reading them ---------------------------------------------------------------------- */

/* What was given as bytes; NULL if it was not. */
static const ArgBytes *find_bytes(const ToolCall *c, const char *name)
{
    assert(param_find(tool_params(c->tool), name));
    for (size_t i = 0; i < c->bytes_n; i++)
        if (strcmp(c->bytes[i].name, name) == 0)
            return &c->bytes[i];
    return NULL;
}

const json_t *arg_json(const ToolCall *c, const char *name)
{
    assert(param_find(tool_params(c->tool), name));
    const json_t *v = json_object_get(c->args, name);
    return json_is_null(v) ? NULL : v;
}

bool arg_given(const ToolCall *c, const char *name)
{
    return find_bytes(c, name) || arg_json(c, name);
}

Str arg_text(const ToolCall *c, const char *name)
{
    const ArgBytes *b = find_bytes(c, name);
    return b ? b->bytes : json_str(arg_json(c, name));
}

bool arg_from_input(const ToolCall *c, const char *name)
{
    const ArgBytes *b = find_bytes(c, name);
    return b && b->input;
}

Str arg_word(const ToolCall *c, const char *name)
{
    const ArgBytes *b = find_bytes(c, name);
    return b ? b->word : (Str){ 0 };
}

Str arg_json_text(const ToolCall *c, const char *name)
{
    const ArgBytes *b = find_bytes(c, name);
    AUTO(Buf) text = { 0 };
    if (b)
        return b->bytes;
    if (arg_json(c, name))
        json_write(&text, arg_json(c, name));
    return arena_copy(c->into, buf_str(&text));
}

/* What a row reads is what it declares. */
static void check_type(const ToolCall *c, const char *name, ParamType type)
{
    const Param *p = param_find(tool_params(c->tool), name);
    assert(p && p->type == type);
    (void)p;
}

Str *arg_texts(const ToolCall *c, const char *name, size_t *n)
{
    check_type(c, name, PARAM_TEXTS);
    const json_t *list = arg_json(c, name);
    *n = json_array_size(list);
    Str *texts = NEW_ARRAY(c->into, Str, *n + 1);
    for (size_t i = 0; i < *n; i++)
        texts[i] = json_str(json_array_get(list, i));
    return texts;
}

int64_t arg_number(const ToolCall *c, const char *name, int64_t otherwise)
{
    check_type(c, name, PARAM_NUMBER);
    const json_t *v = arg_json(c, name);
    if (!v)
        return otherwise;
    return json_is_integer(v) ? json_integer_value(v) : (int64_t)json_number_value(v);
}

bool arg_bool(const ToolCall *c, const char *name)
{
    check_type(c, name, PARAM_BOOL);
    return json_is_true(arg_json(c, name));
}

jot_status arg_note(const ToolCall *c, Str *stream)
{
    Shown shown;
    TRY(note_resolve_change(c->m, arg_text(c, "key"), c->into, stream, c->e));
    if (str_starts(*stream, S("notes/")) || str_starts(*stream, S("memories/")))
        return JOT_OK;
    return err_set(c->e, JOT_INVALID, "'%s' can be read here, not changed: keys are [A-Za-z0-9_-]+",
                   err_show(&shown, *stream));
}
