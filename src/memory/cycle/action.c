/* action.c - from a reply to a new state.
 *
 * An update is all or nothing: one key of the wrong type refuses the whole call,
 * and so does a document that could not be written any more.  The refusal is a
 * sentence in the notes; the state stays one that the next entry fits into. */
#include "memory/cycle/action.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "base/yaml_json.h"
#include "memory/memory.h"

enum { UNREADABLE_CHARS = 200, NAME_CHARS = 64, UPDATE_KEYS_MAX = 1000 };

#define UPDATE "update_scratchpad"
#define DONE "done"

/* --- Reading a reply --------------------------------------------------------------------- */

static bool names_tool(const json_t *value)
{
    return json_member(value, "tool").n > 0;
}

/* An object with a member, not a brace in some prose. */
static bool begins_object(Str text)
{
    size_t at = 1;
    while (at < text.n && str_find(S(" \t\r\n"), text.p[at]) < 4)
        at++;
    return text.n && text.p[0] == '{' && at < text.n && text.p[at] == '"';
}

/* Where the braces that begin at `at` close, strings passed over; the end of the text if they do
 * not.  What stands inside an object that cannot be read is not what was meant. */
static size_t braces_end(Str text, size_t at)
{
    size_t depth = 0;
    bool quoted = false;
    for (; at < text.n; at++) {
        char c = text.p[at];
        if (quoted && c == '\\')
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && c == '{')
            depth++;
        else if (!quoted && c == '}' && --depth == 0)
            return at + 1;
    }
    return text.n;
}

/* The object that a text is, or holds; the caller owns it.  NULL if there is none.  An object that
 * names a tool is preferred to one that does not. */
static json_t *find_object(Str reply)
{
    Str text = str_trim(reply);
    json_t *found = NULL;
    if (json_read(text, &found, NULL) == JOT_OK && json_is_object(found))
        return found;
    json_decref(found);
    found = NULL;
    for (size_t at = 0; at < text.n; at++) {
        size_t end = text.p[at] == '{' ? json_skip(text, at) : 0;
        json_t *value = NULL;
        if (!end && begins_object(str_from(text, at))) {
            at = braces_end(text, at) - 1;
            continue;
        }
        if (!end || json_read(str_slice(text, at, end), &value, NULL) != JOT_OK)
            continue;
        if (names_tool(value)) {
            json_decref(found);
            return value;
        }
        if (found)
            json_decref(value);
        else
            found = value;
        at = end - 1;
    }
    return found;
}

static Action unreadable(Arena *into, const char *why, Str reply)
{
    Str shown = cycle_state_line(into, str_trim(reply), UNREADABLE_CHARS);
    return (Action){ .kind = ACTION_UNREADABLE,
                     .args = S("{}"),
                     .why = arena_printf(into, "%s: " STR_FMT, why, STR_ARG(shown)) };
}

Action action_parse(Str reply, Arena *into)
{
    AUTO_PTR(json_t) object = find_object(reply);
    if (!object)
        return unreadable(into, "Could not parse", reply);
    const json_t *args = json_object_get(object, "args");
    if (!names_tool(object))
        return unreadable(into, "Could not parse (no \"tool\")", reply);
    if (args && !json_is_null(args) && !json_is_object(args))
        return unreadable(into, "Could not parse (\"args\" must be an object)", reply);
    Action x = { .kind = ACTION_TOOL, .tool = json_member(object, "tool") };
    if (str_eq(x.tool, S(UPDATE)))
        x.kind = ACTION_UPDATE;
    else if (str_eq(x.tool, S(DONE)))
        x.kind = ACTION_DONE;
    x.tool = arena_copy(into, x.tool);
    x.args = json_is_object(args) ? json_to_str(into, args) : S("{}");
    return x;
}

Action action_redacted(void)
{
    return (Action){ .kind = ACTION_REDACTED, .tool = S(FORGET_MARK), .args = S("{}") };
}

/* --- Entries ----------------------------------------------------------------------------- */

static Str shown_name(Arena *a, const Action *x)
{
    return cycle_state_line(a, x->tool, NAME_CHARS);
}

static Yaml *with_note(Arena *a, Yaml *state, Str line, Str *said)
{
    *said = line;
    cycle_state_note(a, state, line);
    return state;
}

static Yaml *refused(Arena *a, const Yaml *state, const Action *x, const char *why, Str *said)
{
    Str line = arena_printf(a, "[TOOL ERROR] " STR_FMT ": " STR_FMT, STR_ARG(shown_name(a, x)),
                            STR_ARG(cycle_state_line(a, str(why), CYCLE_STATE_LINE_CHARS)));
    return with_note(a, cycle_state_copy(a, state), line, said);
}

/* --- update_scratchpad ------------------------------------------------------------------- */

static jot_status set_notes(Arena *a, Yaml *state, const Yaml *value, size_t *quoted, Err *e)
{
    if (value->text.n > CYCLE_STATE_NOTES_MAX)
        return err_set(e, JOT_TOO_BIG, "'notes' of %zu bytes: the limit is %d", value->text.n,
                       CYCLE_STATE_NOTES_MAX);
    *quoted = cycle_state_set_notes(a, state, value->text);
    return JOT_OK;
}

static jot_status set_key(Arena *a, Yaml *state, Str key, Yaml *value, size_t *quoted, Err *e)
{
    if (str_eq(key, S("last_updated")))
        return err_set(e, JOT_INVALID, "'last_updated' is set when the cycle goes to sleep");
    TRY(cycle_state_check(key, value, e));
    if (str_eq(key, S("notes")))
        return set_notes(a, state, value, quoted, e);
    if (!str_eq(key, S("completed_tasks"))) {
        yaml_set(a, state, key, value);
        return JOT_OK;
    }
    Yaml *list = yaml_get(state, key);
    assert(list && list->kind == YAML_LIST);
    for (size_t i = 0; i < value->n; i++)
        yaml_add(a, list, value->items[i]);
    return JOT_OK;
}

static Yaml *update(Arena *a, const Yaml *state, const Action *x, Str *said)
{
    Err e = { 0 };
    AUTO_PTR(json_t) args = NULL;
    Yaml *next = cycle_state_copy(a, state);
    size_t quoted = 0;
    jot_status st = json_read(x->args, &args, &e);
    const Yaml *values = st == JOT_OK ? yaml_from_json(a, args) : yaml_map(a);
    if (values->n > UPDATE_KEYS_MAX)
        st = err_set(&e, JOT_TOO_BIG, "%zu keys at once: the limit is %d", values->n,
                     UPDATE_KEYS_MAX);
    for (size_t i = 0; st == JOT_OK && i < values->n; i++)
        st = set_key(a, next, values->pairs[i].key, values->pairs[i].value, &quoted, &e);
    if (st == JOT_OK)
        st = cycle_state_fits(next, &e);
    if (st != JOT_OK)
        return refused(a, state, x, e.text, said);
    if (!quoted)
        return next;
    Str line = arena_printf(
        a, "[EDIT] " UPDATE ": %zu lines of notes that look like entries are quoted", quoted);
    return with_note(a, next, line, said);
}

/* --- done -------------------------------------------------------------------------------- */

static Str summary_of(Arena *a, const Action *x)
{
    AUTO_PTR(json_t) args = NULL;
    Err ignored = { 0 };
    if (json_read(x->args, &args, &ignored) != JOT_OK)
        return S("Task complete.");
    const json_t *value = json_object_get(args, "summary");
    if (!value || json_is_null(value))
        return S("Task complete.");
    return json_is_string(value) ? arena_copy(a, json_str(value)) : json_to_str(a, value);
}

/* A summary is kept as it is, unless it is too long or holds what YAML cannot. */
static Yaml *summary_yaml(Arena *a, Str summary)
{
    bool plain =
        memchr(summary.p, 0, summary.n) == NULL && utf8_count(summary) <= ACTION_SUMMARY_CHARS;
    return yaml_text(a, plain ? summary : cycle_state_line(a, summary, ACTION_SUMMARY_CHARS));
}

static bool has_task(const Yaml *task)
{
    return task && !(task->kind == YAML_SCALAR && (task->type == YAML_NULL || task->text.n == 0));
}

/* A task moves two levels down; one that is too deep for that moves as text. */
static Yaml *finished_task(Arena *a, Yaml *task, Str summary)
{
    Yaml *entry = yaml_map(a), *wrapped = yaml_list(a);
    yaml_set(a, entry, S("task"), task);
    yaml_set(a, entry, S("summary"), summary_yaml(a, summary));
    yaml_add(a, wrapped, entry);
    Yaml *whole = yaml_map(a);
    yaml_set(a, whole, S("completed_tasks"), wrapped);
    Err ignored = { 0 };
    if (cycle_state_fits(whole, &ignored) == JOT_OK)
        return entry;
    AUTO_PTR(json_t) json = yaml_to_json(task);
    yaml_set(a, entry, S("task"),
             yaml_text(a, cycle_state_line(a, json_to_str(a, json), ACTION_SUMMARY_CHARS)));
    return entry;
}

static Yaml *take_first(Arena *a, Yaml *list)
{
    if (!list || list->kind != YAML_LIST || list->n == 0)
        return yaml_null(a);
    Yaml *first = list->items[0];
    memmove(list->items, list->items + 1, (list->n - 1) * sizeof(Yaml *));
    list->n--;
    return first;
}

static Yaml *done(Arena *a, const Yaml *state, const Action *x, Str *said)
{
    Yaml *next = cycle_state_copy(a, state);
    Str summary = summary_of(a, x);
    Yaml *task = yaml_get(next, S("current_task"));
    if (has_task(task))
        yaml_add(a, yaml_get(next, S("completed_tasks")), finished_task(a, task, summary));
    yaml_set(a, next, S("current_task"), take_first(a, yaml_get(next, S("pending_actions"))));
    Str line = arena_printf(a, "[COMPLETED] " STR_FMT,
                            STR_ARG(cycle_state_line(a, summary, CYCLE_STATE_LINE_CHARS)));
    return with_note(a, next, line, said);
}

/* --- Applying ---------------------------------------------------------------------------- */

Yaml *action_apply(Arena *a, const Yaml *state, const Action *x, Str *said)
{
    *said = (Str){ 0 };
    switch (x->kind) {
    case ACTION_UNREADABLE:
        return with_note(a, cycle_state_copy(a, state),
                         arena_printf(a, "[PARSE ERROR] " STR_FMT, STR_ARG(x->why)), said);
    case ACTION_REDACTED:
        return with_note(a, cycle_state_copy(a, state),
                         S("[REDACTED] a reply was redacted: what it asked for is not known"),
                         said);
    case ACTION_TOOL:
        break;
    case ACTION_UPDATE:
        return update(a, state, x, said);
    case ACTION_DONE:
        return done(a, state, x, said);
    }
    return cycle_state_copy(a, state);
}

/* The beginning of a result, and how to read on.  What is not text no tool reads: then the command
 * is named that gives any bytes. */
static Str shown_result(Arena *a, const ToolResult *r)
{
    /* Most output ends in a line break, which tells nobody anything. */
    Str text = str_trim(r->text);
    size_t chars, before = text.n ? (size_t)(text.p - r->text.p) : 0;
    Str part = cycle_state_part(a, text, CYCLE_STATE_LINE_CHARS, &chars);
    if (chars <= CYCLE_STATE_LINE_CHARS || !r->key.n)
        return cycle_state_line(a, text, CYCLE_STATE_LINE_CHARS);
    Str word = arena_shell_word(a, r->key);
    if (!utf8_valid(r->text))
        return arena_printf(a, STR_FMT "... (%zu characters: jotter read " STR_FMT ")",
                            STR_ARG(part), chars, STR_ARG(word));
    return arena_printf(
        a, STR_FMT "... (%zu characters: scratchpad_read key=" STR_FMT " from_char=%zu)",
        STR_ARG(part), chars, STR_ARG(r->key), before + CYCLE_STATE_LINE_CHARS + 1);
}

Yaml *action_result(Arena *a, const Yaml *state, const Action *call, const ToolResult *result,
                    Str *said)
{
    Str name = shown_name(a, call), line = { 0 };
    Str text = shown_result(a, result);
    switch (result->end) {
    case TOOL_OK:
        line = arena_printf(a, "[TOOL] " STR_FMT "(" STR_FMT ") -> " STR_FMT, STR_ARG(name),
                            STR_ARG(cycle_state_line(a, call->args, CYCLE_STATE_LINE_CHARS)),
                            STR_ARG(text));
        break;
    case TOOL_FAILED:
        line = arena_printf(a, "[TOOL ERROR] " STR_FMT ": " STR_FMT, STR_ARG(name), STR_ARG(text));
        break;
    case TOOL_UNKNOWN:
        line = arena_printf(a, "[UNKNOWN TOOL] " STR_FMT, STR_ARG(name));
        break;
    }
    return with_note(a, cycle_state_copy(a, state), line, said);
}

bool action_is_outside(Str tool)
{
    return !str_eq(tool, S(UPDATE)) && !str_eq(tool, S(DONE));
}

const char *action_name(ActionKind kind)
{
    static const char *const names[] = { [ACTION_UNREADABLE] = "unreadable",
                                         [ACTION_TOOL] = "tool",
                                         [ACTION_UPDATE] = "update",
                                         [ACTION_DONE] = "done",
                                         [ACTION_REDACTED] = "redacted" };
    return names[kind];
}

json_t *action_json(const Action *x)
{
    json_t *args = NULL, *out = json_pack("{s:s}", "action", action_name(x->kind));
    if (x->kind == ACTION_UNREADABLE) {
        json_object_set_new(out, "why", json_stringn(x->why.n ? x->why.p : "", x->why.n));
        return out;
    }
    json_object_set_new(out, "tool", json_stringn(x->tool.p, x->tool.n));
    if (json_read(x->args, &args, NULL) == JOT_OK)
        json_object_set_new(out, "args", args);
    return out;
}
