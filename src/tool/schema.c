/* schema.c - a tool's table as JSON Schema, and as MCP lists it.
 *
 * Short on purpose: every model that has the tools pays for each word of this in
 * every session.  Hints that have their protocol's default value are left out, and
 * so are limits in bytes, which JSON Schema cannot say. */
#include "tool/verb.h"

#include <assert.h>

static void set(json_t *to, const char *name, json_t *value)
{
    json_object_set_new(to, name, value);
}

static json_t *object_schema(const Param *params, ParamDoor shut);

/* What one value (for arrays: one item) looks like. */
static json_t *item_schema(const Param *p)
{
    json_t *o = json_object();
    switch (p->type) {
    case PARAM_TEXT:
    case PARAM_TEXTS:
        set(o, "type", json_string("string"));
        break;
    case PARAM_NUMBER:
    case PARAM_NUMBERS:
        set(o, "type", json_string("integer"));
        if (p->min > 0)
            set(o, "minimum", json_integer(p->min));
        if (p->max)
            set(o, "maximum", json_integer(p->max));
        break;
    case PARAM_BOOL:
        set(o, "type", json_string("boolean"));
        break;
    case PARAM_CHOICE:
        assert(p->choices);
        set(o, "type", json_string("string"));
        set(o, "enum", json_array());
        for (const char *const *c = p->choices; *c; c++)
            json_array_append_new(json_object_get(o, "enum"), json_string(*c));
        break;
    case PARAM_OBJECT:
    case PARAM_OBJECTS:
        if (p->fields) {
            json_decref(o);
            return object_schema(p->fields, DOOR_CLI);
        }
        set(o, "type", json_string("object"));
        break;
    case PARAM_ANY:
        break;
    }
    return o;
}

static json_t *param_schema(const Param *p)
{
    json_t *o = item_schema(p);
    if (param_is_list(p))
        o = json_pack("{s:s, s:o}", "type", "array", "items", o);
    if (p->about)
        set(o, "description", json_string(p->about));
    return o;
}

/* Without the parameters of the door `shut`. */
static json_t *object_schema(const Param *params, ParamDoor shut)
{
    json_t *properties = json_object(), *required = json_array();
    for (const Param *p = params; p->name; p++) {
        if (p->door == shut)
            continue;
        set(properties, p->name, param_schema(p));
        if (param_needed(p, shut))
            json_array_append_new(required, json_string(p->name));
    }
    json_t *o = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                          "required", required, "additionalProperties", false);
    if (json_array_size(required) == 0)
        json_object_del(o, "required");
    return o;
}

json_t *tool_input_schema(const Tool *t)
{
    return t->schema ? json_deep_copy(t->schema) : object_schema(tool_params(t), DOOR_CLI);
}

json_t *tool_output_schema(const Tool *t)
{
    return t->output ? object_schema(t->output, DOOR_CLI) : NULL;
}

json_t *tool_json(const Tool *t)
{
    json_t *hints = json_object();
    if (t->effects & TOOL_READS)
        set(hints, "readOnlyHint", json_true());
    else
        set(hints, "destructiveHint", json_boolean(t->effects & TOOL_DELETES));
    if (t->effects & TOOL_IDEMPOTENT)
        set(hints, "idempotentHint", json_true());
    if (!(t->effects & (TOOL_OUTSIDE | TOOL_NETWORK | TOOL_EXECUTES | TOOL_FOREIGN)))
        set(hints, "openWorldHint", json_false());
    json_t *o = json_pack("{s:s, s:s, s:s, s:o}", "name", t->name, "title", t->title, "description",
                          t->about, "inputSchema", tool_input_schema(t));
    if (t->output)
        set(o, "outputSchema", tool_output_schema(t));
    set(o, "annotations", hints);
    return o;
}

/* --- For programs ---------------------------------------------------------------------------- */

/* Data has the members it has: none is needed. */
static json_t *data_schema(const Verb *v)
{
    json_t *o = object_schema(v->fields, DOOR_CLI);
    json_object_del(o, "required");
    return o;
}

json_t *verb_json(const Verb *v, const char *name)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o}", "verb", name, "summary", v->summary,
                     "description", v->tool.about ? v->tool.about : v->summary, "reads",
                     verb_reads(v), "input", object_schema(tool_params(&v->tool), DOOR_TOOL),
                     "output", data_schema(v));
}
