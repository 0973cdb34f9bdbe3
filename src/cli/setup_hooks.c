/* setup_hooks.c - our command in the lists of hooks of another program.
 *
 * One event is edited after the other, each time from the text as it is by then.  The same is done
 * to the value that was read, and what was written must be equal to it. */
#include "cli/setup_hooks.h"

#include <assert.h>
#include <string.h>

#include "cli/setup_json.h"

#define HOOKS "hooks"

/* --- Which files ----------------------------------------------------------------------------- */

/* clang-format off */
static const SetupRoot at_claude[] = { { "CLAUDE_CONFIG_DIR", "settings.json" }, { 0 } };
static const SetupRoot at_codex[] = { { "CODEX_HOME", "hooks.json" }, { 0 } };
static const SetupRoot at_gemini[] = { { "GEMINI_CLI_HOME", ".gemini/settings.json" }, { 0 } };

static const struct Files {
    SetupClient client;
    int timeout;
} files[] = {
    { { .name = "claude-code", .title = "Claude Code", .roots = at_claude, .file = ".claude/settings.json",
        .project = ".claude/settings.json" }, 5 },
    { { .name = "codex", .title = "Codex", .roots = at_codex, .file = ".codex/hooks.json", .project = ".codex/hooks.json",
        .own_note = "Codex runs new hooks only after you trusted them: it asks when it is next started, or say /hooks there",
        .project_note = "Codex runs new hooks only after you trusted them, and a project's only in a project it trusts" }, 5 },
    { { .name = "gemini", .title = "Gemini CLI", .roots = at_gemini, .file = ".gemini/settings.json",
        .project = ".gemini/settings.json",
        .project_note = "Gemini CLI runs no hooks of a folder it does not trust: say /permissions trust there" }, 5000 },
};
/* clang-format on */

jot_status setup_hooks_client(const SetupClient *c, const SetupClient **out, Err *e)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (strcmp(files[i].client.name, c->name) == 0) {
            *out = &files[i].client;
            return JOT_OK;
        }
    if (strcmp(c->name, "opencode") == 0)
        return err_set(e, JOT_UNSUPPORTED,
                       "opencode has no hooks that are commands: only plugins, programs in "
                       "JavaScript that run inside it; 'jotter setup opencode' gives it the tools");
    if (strcmp(c->name, "cursor") == 0)
        return err_set(
            e, JOT_UNSUPPORTED,
            "there are no hooks for Cursor, as what it sends was never recorded here; it "
            "can load those of Claude Code: jotter setup claude-code --hooks, and in "
            "Cursor's settings turn on third-party skills");
    return err_set(e, JOT_UNSUPPORTED,
                   "there are hooks for claude-code, codex and gemini, not for %s", c->name);
}

int setup_hooks_timeout(const SetupClient *c)
{
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (c == &files[i].client)
            return files[i].timeout;
    return 0;
}

/* --- Ours ------------------------------------------------------------------------------------ */

/* "jotter hook CLIENT", by any path of the program and with any options after it. */
static bool is_ours(const json_t *hook, const char *client)
{
    const char *command = json_string_value(json_object_get(hook, "command"));
    const char *at = command ? strstr(command, " hook ") : NULL;
    if (!at || !memmem(command, (size_t)(at - command), "jotter", 6))
        return false;
    at += strlen(" hook ");
    size_t n = strlen(client);
    return strncmp(at, client, n) == 0 && (at[n] == '\0' || at[n] == ' ');
}

static json_t *new_group(const SetupHooks *x)
{
    return json_pack("{s:[O]}", HOOKS, x->hook);
}

/* Where the first of ours stands in the list of an event. */
typedef struct Found {
    bool is;
    size_t group, group_end, groups; /* the group, and how many there are */
    size_t hook, hook_end, hooks;    /* the hook in it, likewise */
} Found;

static json_t *value_at(Str s, size_t from, size_t to)
{
    json_t *read = NULL;
    return json_read(str_slice(s, from, to), &read, NULL) == JOT_OK ? read : NULL;
}

static void find_hook(Str s, size_t array, const char *client, Found *out)
{
    bool mine = false;
    JsonItems a = { .array = array };
    while (json_next_item(s, &a)) {
        AUTO_PTR(json_t) hook = value_at(s, a.at, a.last);
        if (mine || !is_ours(hook, client))
            continue;
        mine = true;
        out->hook = a.at;
        out->hook_end = a.last;
    }
    out->hooks = a.n;
    out->is = mine;
}

static Found find_ours(Str s, size_t array, const char *client)
{
    Found out = { 0 };
    JsonItems a = { .array = array };
    while (json_next_item(s, &a)) {
        if (out.is || s.p[a.at] != '{')
            continue;
        JsonMember p = json_find_member(s, a.at, S(HOOKS));
        if (p.found && s.p[p.value] == '[')
            find_hook(s, p.value, client, &out);
        out.group = a.at;
        out.group_end = a.last;
    }
    out.groups = a.n;
    return out;
}

/* --- The text -------------------------------------------------------------------------------- */

static jot_status find_list(Str s, const char *event, JsonMember *hooks, JsonMember *list, Err *e)
{
    *list = (JsonMember){ 0 };
    *hooks = json_find_member(s, str_skip_space(s, 0), S(HOOKS));
    if (hooks->found && s.p[hooks->value] != '{')
        return err_set(e, JOT_UNSUPPORTED, "has a '" HOOKS "' that is not an object");
    if (hooks->found)
        *list = json_find_member(s, hooks->value, str(event));
    if (list->found && s.p[list->value] != '[')
        return err_set(e, JOT_UNSUPPORTED, "has hooks for %s that are no list", event);
    return JOT_OK;
}

static jot_status put(Str s, const SetupHooks *x, const char *event, Buf *out, Err *e)
{
    JsonMember hooks, list;
    TRY(find_list(s, event, &hooks, &list, e));
    AUTO_PTR(json_t) group = new_group(x);
    if (!list.found) {
        AUTO_PTR(json_t) fresh = json_pack("[O]", group);
        AUTO_PTR(json_t) all = json_pack("{s:O}", event, fresh);
        if (hooks.found)
            json_add_member(s, &list, 2, event, fresh, out);
        else
            json_add_member(s, &hooks, 1, HOOKS, all, out);
        return JOT_OK;
    }
    Found f = find_ours(s, list.value, x->client);
    if (f.is) {
        AUTO_PTR(json_t) old = value_at(s, f.hook, f.hook_end);
        if (json_equal(old, x->hook))
            buf_add(out, s);
        else
            json_put_value(s, f.hook, f.hook_end, 5, x->hook, out);
        return JOT_OK;
    }
    JsonItems a = { .array = list.value };
    while (json_next_item(s, &a))
        ;
    json_add_item(s, &a, 3, group, out);
    return JOT_OK;
}

/* What is left empty by it goes, too. */
static jot_status take_out(Str s, const SetupHooks *x, const char *event, Buf *out, bool *any,
                           Err *e)
{
    JsonMember hooks, list;
    TRY(find_list(s, event, &hooks, &list, e));
    Found f = list.found ? find_ours(s, list.value, x->client) : (Found){ 0 };
    *any = f.is;
    if (!f.is)
        buf_add(out, s);
    else if (f.hooks > 1)
        json_cut(s, f.hook, f.hook_end, out);
    else if (f.groups > 1)
        json_cut(s, f.group, f.group_end, out);
    else if (list.n > 1)
        json_cut(s, list.key, list.end, out);
    else
        json_cut(s, hooks.key, hooks.end, out);
    return JOT_OK;
}

/* One event, as often as there is something to do. */
static jot_status edit_event(Buf *text, const SetupHooks *x, const char *event, Err *e)
{
    for (bool again = true; again;) {
        AUTO(Arena) arena = { 0 };
        Str s = arena_copy(&arena, buf_str(text)); /* ended by a NUL */
        buf_clear(text);
        again = false;
        TRY(x->hook ? put(s, x, event, text, e) : take_out(s, x, event, text, &again, e));
    }
    return JOT_OK;
}

/* --- The value, for comparison -----------------------------------------------------------------
 */

/* Set our hook in a list, or remove it; true if it was there. */
static bool change_group(json_t *group, const SetupHooks *x)
{
    json_t *list = json_object_get(group, HOOKS);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!is_ours(json_array_get(list, i), x->client))
            continue;
        if (x->hook)
            json_array_set(list, i, (json_t *)x->hook);
        else
            json_array_remove(list, i);
        return true;
    }
    return false;
}

/* Without ours, and without what they left empty. */
static void drop(json_t *hooks, const char *event, const SetupHooks *x)
{
    json_t *list = json_object_get(hooks, event);
    for (size_t i = 0; i < json_array_size(list);) {
        json_t *group = json_array_get(list, i);
        bool was = false;
        while (change_group(group, x))
            was = true;
        if (was && json_array_size(json_object_get(group, HOOKS)) == 0) {
            json_array_remove(list, i);
            if (json_array_size(list) == 0)
                json_object_del(hooks, event);
        } else {
            i++;
        }
        list = json_object_get(hooks, event);
    }
}

static json_t *wanted(const json_t *old, const SetupHooks *x)
{
    json_t *want = json_deep_copy(old), *hooks = json_object_get(want, HOOKS);
    bool was = json_object_size(hooks) > 0;
    if (!hooks && x->hook)
        json_object_set_new(want, HOOKS, hooks = json_object());
    for (const char *const *event = x->events; *event; event++) {
        json_t *list = json_object_get(hooks, *event);
        bool done = false;
        for (size_t i = 0; x->hook && i < json_array_size(list) && !done; i++)
            done = change_group(json_array_get(list, i), x);
        if (x->hook && !list)
            json_object_set_new(hooks, *event, list = json_array());
        if (x->hook && !done)
            json_array_append_new(list, new_group(x));
        if (!x->hook)
            drop(hooks, *event, x);
    }
    if (!x->hook && was && json_object_size(hooks) == 0)
        json_object_del(want, HOOKS);
    return want;
}

jot_status setup_hooks(Str text, const SetupHooks *x, Buf *out, Err *e)
{
    json_t *read = NULL;
    Err why = { 0 };
    AUTO(Buf) s = { 0 };
    buf_add(&s, str_skip_space(text, 0) == text.n ? S("{}\n") : text);
    if (json_read(buf_str(&s), &read, &why) != JOT_OK)
        return err_set(e, JOT_UNSUPPORTED,
                       "is not plain JSON (%s), and comments would be lost: edit it by hand",
                       why.text);
    AUTO_PTR(json_t) old = read;
    if (!json_is_object(old))
        return err_set(e, JOT_UNSUPPORTED, "is not a JSON object");
    for (const char *const *event = x->events; *event; event++)
        TRY(edit_event(&s, x, *event, e));
    AUTO_PTR(json_t) want = wanted(old, x);
    AUTO_PTR(json_t) now = value_at(buf_str(&s), 0, s.n);
    if (!buf_ok(&s) || !now || !json_equal(want, now))
        return err_set(e, JOT_UNSUPPORTED, "cannot be edited in place: edit it by hand");
    buf_add(out, str_skip_space(text, 0) == text.n && !x->hook ? text : buf_str(&s));
    return JOT_OK;
}
