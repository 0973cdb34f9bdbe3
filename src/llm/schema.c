/* schema.c - judging and completing the schemas of tools.
 *
 * One walk does both: it is given a copy, completes what it passes, and ends at the first fault. */
#include "llm/schema.h"

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
    *out = good;
    return kept;
}
