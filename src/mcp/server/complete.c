/* complete.c - completion/complete: names of the pad that begin as typed so far.
 *
 * The argument's name says what is completed: a note's key, a memory file's path,
 * an artifact's category or id, a run's id.  Anything else has no values. */
#include "mcp/server/complete.h"

#include "mcp/server/prompt.h"

enum { VALUES_MAX = 100 };

typedef struct Values {
    json_t *list;
    bool more; /* than are in the list */
} Values;

/* A category comes once for each of its ids, and not in one piece: between those of `a` stand those
 * of `a/b`. */
static void add_value(Values *v, Str value)
{
    for (size_t i = 0; i < json_array_size(v->list); i++)
        if (str_eq(json_str(json_array_get(v->list, i)), value))
            return;
    v->more = json_array_size(v->list) == VALUES_MAX;
    if (!v->more)
        json_array_append_new(v->list, mcp_text(value));
}

typedef struct Walk {
    Values *v;
    Str typed;     /* what a value begins with */
    size_t skip;   /* bytes of the names in front of the value */
    bool category; /* the value ends before the last segment */
    bool segment;  /* the value is one: what has a slash is something else's */
} Walk;

static jot_status add_name(void *ctx, const Listed *l)
{
    Walk *w = ctx;
    Str value = str_from(l->name, w->skip);
    if (w->category)
        value.n = str_find_last(value, '/');
    if (value.n && str_starts(value, w->typed) && !(w->segment && str_find(value, '/') < value.n))
        add_value(w->v, value);
    return w->v->more ? JOT_CANCELLED : JOT_OK; /* one more is enough to know */
}

/* What names begin with, for a value of the argument `name` that begins with `typed`. */
static bool begin_of(Str name, Str typed, const json_t *context, Arena *into, Str *prefix, Walk *w)
{
    static const struct {
        const char *arg, *prefix;
    } plain[] = { { "key", "notes/" }, { "path", "memories/" }, { "run", "runs/" } };
    Str category = json_member(context, "category");
    Str base = { 0 };
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        if (str_eq(name, str(plain[i].arg)))
            base = str(plain[i].prefix);
    if (str_eq(name, S("category"))) {
        base = S("artifacts/");
        w->category = true;
    } else if (str_eq(name, S("id")) && category.n) {
        base = arena_printf(into, "artifacts/" STR_FMT "/", STR_ARG(category));
        w->segment = true;
    }
    w->skip = base.n;
    w->typed = typed;
    *prefix = arena_printf(into, STR_FMT STR_FMT, STR_ARG(base), STR_ARG(typed));
    return base.n > 0;
}

/* The name of the argument as the pad knows it: "id" in the template of runs is a run. */
static Str argument_of(const json_t *ref, Str name)
{
    bool runs = str_starts(json_member(ref, "uri"), S("jotter://runs/"));
    return runs && str_eq(name, S("id")) ? S("run") : name;
}

static bool check_ref(const json_t *ref, RpcError *why)
{
    Str type = json_member(ref, "type");
    if (str_eq(type, S("ref/resource"))) {
        if (str_starts(json_member(ref, "uri"), S("jotter://")))
            return true;
        return rpc_refuse(why, RPC_INVALID_PARAMS, "invalid ref: use a jotter:// address");
    }
    if (!str_eq(type, S("ref/prompt")))
        return rpc_refuse(why, RPC_INVALID_PARAMS,
                          "params must have a 'ref' of type ref/prompt or ref/resource");
    if (mcp_prompt_known(json_member(ref, "name")))
        return true;
    return rpc_refuse(why, RPC_INVALID_PARAMS, "invalid ref: there is no such prompt");
}

static jot_status collect(WorkerPad *pad, Str prefix, Walk *w, Err *e)
{
    Memory *m;
    if (store_check_prefix(prefix, NULL) != JOT_OK)
        return JOT_OK; /* no name begins like that */
    jot_status st = worker_pad_open(pad, false, &m, e);
    if (st == JOT_OK)
        st = memory_each(m, prefix, LIST_LIVE, add_name, w, e);
    return st == JOT_NOT_FOUND || st == JOT_CANCELLED ? JOT_OK : st;
}

bool mcp_complete(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    const json_t *ref = json_object_get(r->msg.params, "ref");
    const json_t *arg = json_object_get(r->msg.params, "argument");
    const json_t *context = json_object_get(json_object_get(r->msg.params, "context"), "arguments");
    const json_t *name = json_object_get(arg, "name"), *typed = json_object_get(arg, "value");
    Values v = { .list = json_array() };
    Walk w = { .v = &v };
    Str prefix;
    Err e = { 0 };
    *result = json_pack("{s:{s:o}}", "completion", "values", v.list);
    if (!check_ref(ref, why))
        return false;
    if (!json_is_string(name) || !json_is_string(typed))
        return rpc_refuse(why, RPC_INVALID_PARAMS,
                          "params must have an 'argument' with strings 'name' and 'value'");
    Str known = argument_of(ref, json_str(name));
    if (begin_of(known, json_str(typed), context, &r->arena, &prefix, &w) &&
        collect(pad, prefix, &w, &e) != JOT_OK)
        return mcp_fail(r, &e, why);
    json_object_set_new(json_object_get(*result, "completion"), "hasMore", json_boolean(v.more));
    return true;
}
