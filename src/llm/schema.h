/* schema.h - which tools can be offered to a model.
 *
 * A vendor checks the schemas of all tools before it looks at anything else, and refuses the whole
 * request for a single one it does not like.  Ours are made here; those of external servers may be
 * anything.  So each is judged by what Anthropic and OpenAI take, which is less than JSON Schema
 * has:
 *
 *   at the top   type "object" and nothing else; no oneOf, anyOf, allOf, not or enum; names of
 *                properties of up to 64 letters, digits and "_.-"
 *   everywhere   JSON Schema 2020-12, as far as it is looked at: types by their names, `items` one
 *                schema, `required` a list of names
 *
 * What only lacks something is completed: an object its properties, a list its items. */
#ifndef LLM_SCHEMA_H
#define LLM_SCHEMA_H

#include "base/json.h"
#include "llm/llm.h"

/* How a provider holds a model to a schema, if it is asked to. */
typedef enum SchemaStrict {
    SCHEMA_LOOSE,    /* not */
    SCHEMA_CLOSED,   /* objects have the properties that are named, and no others (Anthropic) */
    SCHEMA_COMPLETE, /* and they have all of them: what may be left out is null (OpenAI) */
} SchemaStrict;

enum {
    SCHEMA_STRICT_TOOLS = 20,    /* Anthropic takes so many closed ones in a request ... */
    SCHEMA_STRICT_OPTIONAL = 24, /* ... with so many properties that may be left out */
    SCHEMA_DEPTH_MAX = 24,
    SCHEMA_BYTES_MAX = 64 * 1024, /* of one, as text */
};

/* NULL: a tool with this schema can be offered.  Else why not, as the end of a sentence. */
const char *schema_refused(const json_t *schema);

/* The same tools without those that would be refused, completed.  Lives in `into`, and borrows from
 * `tools`; what is no object in JSON stays, for the dialect to refuse. */
size_t schema_good_tools(const LlmTool *tools, size_t n, Arena *into, const LlmTool **out);

/* In the request, tools whose schemas can be held to are marked and rewritten.  A schema with a map
 * of free names, or with words that vendors do not take, stays as it is; bounds (minimum,
 * maxLength, pattern ...) are left out, because the tool itself checks them.  Lives in `into`. */
void schema_strict_tools(LlmRequest *r, SchemaStrict how, Arena *into);

/* A call's arguments without the nulls that stand for what may be left out.  Lives in `into`. */
Str schema_without_nulls(Str args, const LlmTool *tool, Arena *into);

#endif
