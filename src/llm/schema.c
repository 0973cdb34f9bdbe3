/* schema.c - judging and completing the schemas of tools.
 *
 *     tool's schema --> judge: would a provider refuse the whole request for it?   -> left out
 *                       complete: what a provider wants said, and means "anything"
 *                   --> tighten, where the provider holds the model to schemas:
 *                       every property required, or null; no bounds; nothing more
 *                       allowed.  What cannot be said so is sent as it is, not strict
 *     model's args  --> a null that only stands for "left out" is taken out again
 *
 * The first two are one walk: it is given a copy, completes what it passes, and ends at the first
 * fault.  A schema that needs nothing is sent byte for byte as its tool has it. */
#include "llm/schema.h"

#include <assert.h>
#include <string.h>

static bool is_one_of(Str word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(word, str(list[i])))
            return true;
    return false;
}

static bool is_type(const json_t *value)
{
    static const char *const types[] = { "object",  "array",   "string", "number",
                                         "integer", "boolean", "null" };
    return json_is_string(value) && is_one_of(json_str(value), types, COUNT_OF(types));
}

static bool good_types(const json_t *value)
{
    if (!json_is_array(value))
        return !value || is_type(value);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!is_type(json_array_get(value, i)))
            return false;
    return json_array_size(value) > 0;
}

static bool has_type(const json_t *schema, const char *type)
{
    const json_t *value = json_object_get(schema, "type");
    for (size_t i = 0; i < json_array_size(value); i++)
        if (str_eq(json_str(json_array_get(value, i)), str(type)))
            return true;
    return str_eq(json_str(value), str(type));
}

static const char *walk(json_t *schema, size_t depth);

/* Members whose value is a schema, a list of schemas, or schemas by name. */
typedef enum Holds { HOLDS_ONE, HOLDS_LIST, HOLDS_NAMES } Holds;

static const struct {
    const char *name;
    Holds holds;
} members[] = {
    { "items", HOLDS_ONE },
    { "additionalProperties", HOLDS_ONE },
    { "not", HOLDS_ONE },
    { "contains", HOLDS_ONE },
    { "propertyNames", HOLDS_ONE },
    { "if", HOLDS_ONE },
    { "then", HOLDS_ONE },
    { "else", HOLDS_ONE },
    { "oneOf", HOLDS_LIST },
    { "anyOf", HOLDS_LIST },
    { "allOf", HOLDS_LIST },
    { "prefixItems", HOLDS_LIST },
    { "properties", HOLDS_NAMES },
    { "patternProperties", HOLDS_NAMES },
    { "dependentSchemas", HOLDS_NAMES },
    { "$defs", HOLDS_NAMES },
    { "definitions", HOLDS_NAMES },
};

static const char *walk_member(json_t *value, Holds holds, size_t depth)
{
    const char *why = NULL, *name;
    json_t *one;
    if (holds == HOLDS_ONE)
        return walk(value, depth);
    if (holds == HOLDS_LIST && !json_is_array(value))
        return "has no list where schemas are listed";
    if (holds == HOLDS_NAMES && !json_is_object(value))
        return "has no object where properties are named";
    for (size_t i = 0; !why && i < json_array_size(value); i++)
        why = walk(json_array_get(value, i), depth);
    json_object_foreach(value, name, one) if (!why) why = walk(one, depth);
    return why;
}

static const char *judge_words(const json_t *schema)
{
    const json_t *required = json_object_get(schema, "required");
    const json_t *values = json_object_get(schema, "enum");
    static const char *const numbers[] = { "exclusiveMinimum", "exclusiveMaximum" };
    if (!good_types(json_object_get(schema, "type")))
        return "has a type that JSON Schema does not know";
    if (required && !json_is_array(required))
        return "has a 'required' that is no list";
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_is_string(json_array_get(required, i)))
            return "has a 'required' that is no list of names";
    if (values && json_array_size(values) == 0)
        return "has an 'enum' without values";
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (json_is_boolean(json_object_get(schema, numbers[i])))
            return "is of an old draft: a bound is true or false";
    return NULL;
}

static const char *walk(json_t *schema, size_t depth)
{
    assert(depth <= SCHEMA_DEPTH_MAX);
    if (json_is_boolean(schema))
        return NULL;
    if (!json_is_object(schema))
        return "has something in it that is no schema";
    if (depth == SCHEMA_DEPTH_MAX)
        return "is nested too deeply";
    const char *why = judge_words(schema);
    /* An object must have properties, and a list items: what is missing may be anything. */
    if (depth == 0 && !json_object_get(schema, "properties"))
        json_object_set_new(schema, "properties", json_object());
    if (has_type(schema, "array") && !json_object_get(schema, "items"))
        json_object_set_new(schema, "items", json_object());
    for (size_t i = 0; !why && i < COUNT_OF(members); i++) {
        json_t *value = json_object_get(schema, members[i].name);
        if (value)
            why = walk_member(value, members[i].holds, depth + 1);
    }
    return why;
}

static bool good_name(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n <= 64 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == n;
}

/* The top has rules of its own with all providers. */
static const char *judge_top(const json_t *schema)
{
    static const char *const refused[] = { "oneOf", "anyOf", "allOf", "not", "enum" };
    const char *name;
    json_t *property;
    if (!str_eq(json_member(schema, "type"), S("object")))
        return "is not of type 'object'";
    for (size_t i = 0; i < COUNT_OF(refused); i++)
        if (json_object_get(schema, refused[i]))
            return "has oneOf, anyOf, allOf, not or enum at its top";
    json_object_foreach(
        json_object_get(schema, "properties"), name,
        property) if (!good_name(name)) return "has a property whose name is not 1 to 64 letters, "
                                               "digits, '_', '.' or '-'";
    return NULL;
}

/* Completed, or refused; *text is as long as it may be. */
static const char *judge(json_t *schema, Buf *text)
{
    const char *why = judge_top(schema);
    if (!why)
        why = walk(schema, 0);
    if (!why)
        json_write(text, schema);
    return why ? why : text->n > SCHEMA_BYTES_MAX ? "is longer than 64 KiB" : NULL;
}

const char *schema_refused(const json_t *schema)
{
    AUTO_PTR(json_t) copy = json_deep_copy(schema);
    AUTO(Buf) text = { 0 };
    return judge(copy, &text);
}

size_t schema_good_tools(const LlmTool *tools, size_t n, Arena *into, const LlmTool **out)
{
    LlmTool *good = NEW_ARRAY(into, LlmTool, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        AUTO(Buf) text = { 0 };
        json_t *read = NULL;
        bool object = json_read(tools[i].schema, &read, NULL) == JOT_OK && json_is_object(read);
        AUTO_PTR(json_t) schema = read;
        AUTO_PTR(json_t) before = json_deep_copy(schema);
        if (object && judge(schema, &text))
            continue;
        good[kept] = tools[i];
        if (object && !json_equal(schema, before))
            good[kept].schema = arena_copy(into, buf_str(&text));
        kept++;
    }
    assert(kept <= n);
    *out = good;
    return kept;
}

/* --- Strict ------------------------------------------------------------------------------ */

static bool is_required(const json_t *schema, const char *name)
{
    const json_t *list = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (str_eq(json_str(json_array_get(list, i)), str(name)))
            return true;
    return false;
}

/* Words that only narrow what is allowed: without them a schema takes more, and the tool says no.
 */
static void drop_bounds(json_t *schema)
{
    static const char *const bounds[] = {
        "minLength",        "maxLength",        "pattern",    "format",   "minimum",  "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems",
        "minProperties",    "maxProperties",    "default",    "examples"
    };
    for (size_t i = 0; i < COUNT_OF(bounds); i++)
        json_object_del(schema, bounds[i]);
}

/* A property that may be left out may be null instead. */
static bool allow_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *values = json_object_get(schema, "enum");
    if (has_type(schema, "null"))
        return true;
    if (json_is_string(type))
        json_object_set_new(schema, "type", json_pack("[O, s]", type, "null"));
    else if (json_is_array(type))
        json_array_append_new(type, json_string("null"));
    else
        return false;
    if (values)
        json_array_append_new(values, json_null());
    return true;
}

static bool tighten(json_t *schema, SchemaStrict how, size_t *optional);

/* SCHEMA_COMPLETE: all properties are required, and those that were not may be null.
 * SCHEMA_CLOSED: which are required stays; only how many are not is limited. */
static bool tighten_object(json_t *schema, SchemaStrict how, size_t *optional)
{
    json_t *properties = json_object_get(schema, "properties"), *one;
    json_t *more = json_object_get(schema, "additionalProperties");
    const char *name;
    json_t *all = json_array();
    bool good = json_object_size(properties) > 0 && (!more || json_is_false(more));
    json_object_foreach(properties, name, one)
    {
        bool left_out = !is_required(schema, name);
        *optional += left_out;
        good = good && tighten(one, how, optional);
        good = good && (!left_out || how == SCHEMA_CLOSED || allow_null(one));
        json_array_append_new(all, json_string(name));
    }
    if (how == SCHEMA_COMPLETE)
        json_object_set(schema, "required", all);
    json_decref(all);
    json_object_set_new(schema, "additionalProperties", json_false());
    return good;
}

/* False: it cannot be held to, whatever was changed in it. */
static bool tighten(json_t *schema, SchemaStrict how, size_t *optional)
{
    json_t *items = json_object_get(schema, "items");
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        bool fine = str_eq(str(members[i].name), S("items")) ||
                    str_eq(str(members[i].name), S("properties")) ||
                    str_eq(str(members[i].name), S("additionalProperties"));
        if (!fine && json_object_get(schema, members[i].name))
            return false;
    }
    if (!json_is_object(schema) || !json_object_get(schema, "type") ||
        json_object_get(schema, "$ref"))
        return false;
    drop_bounds(schema);
    if (items && !tighten(items, how, optional))
        return false;
    return !has_type(schema, "object") || tighten_object(schema, how, optional);
}

void schema_strict_tools(LlmRequest *r, SchemaStrict how, Arena *into)
{
    LlmTool *out = NEW_ARRAY(into, LlmTool, r->n_tools + 1);
    bool *strict = NEW_ARRAY(into, bool, r->n_tools + 1);
    size_t marked = 0, optional = 0;
    for (size_t i = 0; i < r->n_tools; i++) {
        json_t *read = NULL;
        AUTO(Buf) text = { 0 };
        size_t own = 0;
        out[i] = r->tools[i];
        if (json_read(out[i].schema, &read, NULL) != JOT_OK)
            continue;
        AUTO_PTR(json_t) schema = read;
        bool good = tighten(schema, how, &own);
        bool room = how == SCHEMA_COMPLETE ||
                    (marked < SCHEMA_STRICT_TOOLS && optional + own <= SCHEMA_STRICT_OPTIONAL);
        if (!good || !room)
            continue;
        json_write(&text, schema);
        out[i].schema = arena_copy(into, buf_str(&text));
        strict[i] = true;
        marked++;
        optional += own;
    }
    r->tools = out;
    r->strict = strict;
}

/* Only where the tool's own schema knows no null: elsewhere it may mean something. */
static void drop_nulls(json_t *value, const json_t *schema)
{
    const json_t *properties = json_object_get(schema, "properties");
    const char *name;
    json_t *one;
    void *next;
    for (size_t i = 0; i < json_array_size(value); i++)
        drop_nulls(json_array_get(value, i), json_object_get(schema, "items"));
    json_object_foreach_safe(value, next, name, one)
    {
        const json_t *of = json_object_get(properties, name);
        if (json_is_null(one) && of && !is_required(schema, name) && !has_type(of, "null"))
            json_object_del(value, name);
        else
            drop_nulls(one, of);
    }
}

Str schema_without_nulls(Str args, const LlmTool *tool, Arena *into)
{
    AUTO_PTR(json_t) value = NULL;
    AUTO_PTR(json_t) schema = NULL;
    AUTO(Buf) text = { 0 };
    if (json_read(args, &value, NULL) != JOT_OK || json_read(tool->schema, &schema, NULL) != JOT_OK)
        return args;
    AUTO_PTR(json_t) before = json_deep_copy(value);
    drop_nulls(value, schema);
    if (json_equal(value, before))
        return args;
    json_write(&text, value);
    return arena_copy(into, buf_str(&text));
}
