/* cycle_state.c - the state document: reading, writing, and what may stand in it. */
#include "memory/cycle/cycle_state.h"

/* Room for what a cycle adds by itself; still far from what yaml_read takes. */
enum { WRITE_MAX = 2 * CYCLE_STATE_BYTES_MAX };
_Static_assert(WRITE_MAX < (int)YAML_BYTES_MAX, "what is written must be readable");

/* The keys every state has, in the order of a new one. */
typedef enum Want { WANT_ANY, WANT_LIST, WANT_TEXT } Want;

static const struct {
    const char *key;
    Want want;
} schema[] = {
    { "goals", WANT_LIST },           { "current_task", WANT_ANY },
    { "pending_actions", WANT_LIST }, { "completed_tasks", WANT_LIST },
    { "notes", WANT_TEXT },           { "last_updated", WANT_ANY },
};

static Want want_of(Str key)
{
    for (size_t i = 0; i < COUNT_OF(schema); i++)
        if (str_eq(key, str(schema[i].key)))
            return schema[i].want;
    return WANT_ANY;
}

static bool is_null(const Yaml *y)
{
    return y->kind == YAML_SCALAR && y->type == YAML_NULL;
}

static const char *kind_name(const Yaml *y)
{
    static const char *const scalars[] = {
        [YAML_STRING] = "a text", [YAML_NULL] = "null",     [YAML_BOOL] = "a bool",
        [YAML_INT] = "a number",  [YAML_REAL] = "a number", [YAML_TIME] = "a date"
    };
    if (y->kind == YAML_SCALAR)
        return scalars[y->type];
    return y->kind == YAML_LIST ? "a list" : "a map";
}

jot_status cycle_state_check(Str key, const Yaml *value, Err *e)
{
    Want want = want_of(key);
    bool text =
        value->kind == YAML_SCALAR && (value->type == YAML_STRING || value->type == YAML_TIME);
    bool good = want == WANT_ANY || (want == WANT_LIST && value->kind == YAML_LIST) ||
                (want == WANT_TEXT && text);
    if (good)
        return JOT_OK;
    Shown shown;
    const char *name = err_show(&shown, key), *be = want == WANT_LIST ? "a list" : "a text";
    if (value->line)
        return err_set(e, JOT_INVALID, "'%s' must be %s, at line %zu, column %zu it is %s", name,
                       be, value->line, value->column, kind_name(value));
    return err_set(e, JOT_INVALID, "'%s' must be %s, not %s", name, be, kind_name(value));
}

static Yaml *empty(Arena *a, Want want)
{
    if (want == WANT_LIST)
        return yaml_list(a);
    return want == WANT_TEXT ? yaml_text(a, S("")) : yaml_null(a);
}

Yaml *cycle_state_new(Arena *a)
{
    Yaml *out = yaml_map(a);
    for (size_t i = 0; i < COUNT_OF(schema); i++)
        yaml_set(a, out, str(schema[i].key), empty(a, schema[i].want));
    return out;
}

jot_status cycle_state_read(Str text, Arena *into, Yaml **out, Err *e)
{
    Yaml *tree = NULL;
    TRY(yaml_read(text, into, &tree, e));
    if (is_null(tree))
        tree = yaml_map(into);
    if (tree->kind != YAML_MAP)
        return err_set(e, JOT_INVALID, "a state is a map of keys, at line %zu, column %zu it is %s",
                       tree->line, tree->column, kind_name(tree));
    for (size_t i = 0; i < COUNT_OF(schema); i++) {
        Str key = str(schema[i].key);
        Yaml *value = yaml_get(tree, key);
        /* `goals:` with nothing after it is null to a reader and an empty list to its writer. */
        if (!value || (is_null(value) && schema[i].want != WANT_ANY))
            yaml_set(into, tree, key, empty(into, schema[i].want));
        else
            TRY(cycle_state_check(key, value, e));
        if (value && value->type == YAML_TIME && schema[i].want == WANT_TEXT)
            value->type = YAML_STRING; /* a date is text enough */
    }
    *out = tree;
    return JOT_OK;
}

Yaml *cycle_state_salvage(Str text, Arena *into)
{
    Err why = { 0 };
    Yaml *out = NULL;
    if (cycle_state_read(text, into, &out, &why) == JOT_OK)
        return out;
    out = cycle_state_new(into);
    cycle_state_note(
        into, out,
        arena_printf(into, "[EDIT] the state cannot be read any more: " STR_FMT,
                     STR_ARG(cycle_state_line(into, str(why.text), CYCLE_STATE_LINE_CHARS))));
    return out;
}

jot_status cycle_state_write(const Yaml *state, Arena *into, Str *out, Err *e)
{
    AUTO(Buf) text = { .max = WRITE_MAX };
    TRY(yaml_write(&text, state, e));
    *out = arena_copy(into, buf_str(&text));
    return JOT_OK;
}

static size_t count_nodes(const Yaml *tree) /* NOLINT(misc-no-recursion): YAML_DEPTH_MAX */
{
    size_t n = 1;
    for (size_t i = 0; tree->kind != YAML_SCALAR && i < tree->n; i++)
        n += tree->kind == YAML_LIST ? count_nodes(tree->items[i])
                                     : 1 + count_nodes(tree->pairs[i].value);
    return n;
}

jot_status cycle_state_fits(const Yaml *state, Err *e)
{
    AUTO(Buf) text = { .max = WRITE_MAX };
    TRY(yaml_write(&text, state, e));
    if (text.n > CYCLE_STATE_BYTES_MAX)
        return err_set(e, JOT_TOO_BIG, "a state of %zu bytes: the limit is %d", text.n,
                       CYCLE_STATE_BYTES_MAX);
    size_t nodes = count_nodes(state);
    if (nodes > CYCLE_STATE_NODES_MAX)
        return err_set(e, JOT_TOO_BIG, "a state of %zu values: the limit is %d", nodes,
                       CYCLE_STATE_NODES_MAX);
    return JOT_OK;
}

Yaml *cycle_state_copy(Arena *a, const Yaml *tree) /* NOLINT(misc-no-recursion): YAML_DEPTH_MAX */
{
    Yaml *out = NEW(a, Yaml);
    *out = *tree;
    if (tree->kind == YAML_SCALAR) {
        out->text = arena_copy(a, tree->text);
        return out;
    }
    out->cap = tree->n;
    if (tree->kind == YAML_LIST) {
        out->items = NEW_ARRAY(a, Yaml *, tree->n + 1);
        for (size_t i = 0; i < tree->n; i++)
            out->items[i] = cycle_state_copy(a, tree->items[i]);
    } else {
        out->pairs = NEW_ARRAY(a, YamlPair, tree->n + 1);
        for (size_t i = 0; i < tree->n; i++) {
            out->pairs[i] = tree->pairs[i];
            out->pairs[i].key = arena_copy(a, tree->pairs[i].key);
            out->pairs[i].value = cycle_state_copy(a, tree->pairs[i].value);
        }
    }
    return out;
}
