/* hook_event.c - the events of programs, and the tools in them.
 *
 * Recorded from the programs themselves (tests/hooks, tools/conformance).  Names of events and of
 * tools do not collide between programs, so they stand in one table each. */
#include "cli/hook_event.h"

#include <stdlib.h>
#include <string.h>

/* --- Which programs ------------------------------------------------------------------------ */

static const char *const of_claude[] = { "SessionStart", "UserPromptSubmit",
                                         "PostToolUse",  "PostToolUseFailure",
                                         "PreCompact",   "Stop",
                                         "SessionEnd",   NULL };
static const char *const of_codex[] = { "SessionStart", "UserPromptSubmit",
                                        "PostToolUse",  "PreCompact",
                                        "Stop",         NULL };
/* Its PreCompress comes before every request, whether anything is compressed or not. */
static const char *const of_gemini[] = { "SessionStart", "BeforeAgent", "AfterTool",
                                         "AfterAgent",   "SessionEnd",  NULL };

static const HookClient clients[] = {
    { "claude-code", of_claude },
    { "codex", of_codex },
    { "gemini", of_gemini },
};

const HookClient *hook_client(Str name)
{
    for (size_t i = 0; i < COUNT_OF(clients); i++)
        if (str_eq(name, str(clients[i].name)))
            return &clients[i];
    return NULL;
}

/* --- Values -------------------------------------------------------------------------------- */

static Str text_of(const json_t *object, const char *name)
{
    const json_t *x = json_object_get(object, name);
    return json_is_string(x) ? (Str){ json_string_value(x), json_string_length(x) } : (Str){ 0 };
}

/* The first of these members that is a text. */
static Str first_text(const json_t *object, const char *const *names)
{
    Str found = { 0 };
    for (; *names && !found.n; names++)
        found = text_of(object, *names);
    return found;
}

/* --- Tools --------------------------------------------------------------------------------- */

typedef void TakeTool(HookEvent *out, const json_t *event, Arena *into);

static const json_t *input_of(const json_t *event)
{
    return json_object_get(event, "tool_input");
}

static bool has_failed(const json_t *event)
{
    return json_object_get(event, "error") != NULL;
}

/* From the working directory on, if it lies there. */
static Str short_path(const HookEvent *x, Str path)
{
    bool below =
        x->cwd.n > 1 && str_starts(path, x->cwd) && path.n > x->cwd.n && path.p[x->cwd.n] == '/';
    return below ? str_from(path, x->cwd.n + 1) : path;
}

static void take_file(HookEvent *out, const json_t *event, Arena *into)
{
    static const char *const names[] = { "file_path", "notebook_path", "path", NULL };
    (void)into;
    Str path = first_text(input_of(event), names);
    if (has_failed(event) || !path.n)
        return;
    out->deed = HOOK_RECORD;
    out->kind = SESSION_CHANGED;
    out->text = short_path(out, path);
}

/* A patch names its files in lines of its own. */
static void take_patch(HookEvent *out, const json_t *event, Arena *into)
{
    static const char *const names[] = { "input", "command", "patch", NULL };
    static const char *const marks[] = { "*** Add File: ", "*** Update File: ", "*** Delete File: ",
                                         "*** Move to: " };
    AUTO(Buf) files = { 0 };
    Str patch = first_text(input_of(event), names), line;
    for (bool more = patch.n > 0; more;) {
        more = str_cut(&patch, '\n', &line);
        line = more ? line : patch;
        for (size_t i = 0; i < COUNT_OF(marks); i++)
            if (str_starts(line, str(marks[i])))
                buf_addf(&files, "%s" STR_FMT, files.n ? ", " : "",
                         STR_ARG(short_path(out, str_from(line, strlen(marks[i])))));
    }
    if (has_failed(event) || !files.n)
        return;
    out->deed = HOOK_RECORD;
    out->kind = SESSION_CHANGED;
    out->text = arena_copy(into, buf_str(&files));
}

/* The number after the last such word at the beginning of a line; false if there is none. */
static bool number_after(Str text, const char *word, long *out)
{
    bool found = false;
    Str line;
    for (bool more = text.n > 0; more;) {
        more = str_cut(&text, '\n', &line);
        line = more ? line : text;
        if (!str_starts(line, str(word)))
            continue;
        char digits[12] = "";
        Str rest = str_trim(str_from(line, strlen(word)));
        memcpy(digits, rest.p, rest.n < sizeof digits - 1 ? rest.n : sizeof digits - 1);
        char *end;
        long n = strtol(digits, &end, 10);
        found = found || end > digits;
        *out = end > digits ? n : *out;
    }
    return found;
}

/* How it ended, as far as the program says so: of what was answered only the number is looked at.
 */
static bool exit_code(const json_t *event, long *out)
{
    const json_t *response = json_object_get(event, "tool_response");
    if (number_after(text_of(event, "error"), "Exit code ", out) ||
        number_after(text_of(response, "llmContent"), "Exit Code: ", out))
        return true;
    *out = 0;
    return !has_failed(event) && json_object_get(response, "stdout");
}

/* Its first line. */
static void take_command(HookEvent *out, const json_t *event, Arena *into)
{
    static const char *const names[] = { "command", "cmd", NULL };
    Str command = str_trim(first_text(input_of(event), names));
    long code = 0;
    if (!command.n)
        return;
    Str line = str_slice(command, 0, str_find(command, '\n'));
    const size_t most = (size_t)4 * SESSION_LINE_MAX;
    line = str_slice(line, 0, line.n < most ? line.n : most);
    const char *more = line.n < command.n ? " ..." : "";
    out->deed = HOOK_RECORD;
    out->kind = SESSION_RAN;
    if (exit_code(event, &code))
        out->text = arena_printf(into, "exit %ld: " STR_FMT "%s", code, STR_ARG(line), more);
    else
        out->text = arena_printf(into, "%s" STR_FMT "%s", has_failed(event) ? "failed: " : "",
                                 STR_ARG(line), more);
}

/* A list of things to do, whole: what each is called, and its status, differ in name only. */
static void take_list(HookEvent *out, const json_t *event, Arena *into)
{
    static const char *const lists[] = { "todos", "plan" };
    static const char *const names[] = { "content", "step", "description", "subject", NULL };
    AUTO(Buf) text = { .max = (size_t)4 * SESSION_TEXT_MAX };
    const json_t *list = NULL;
    for (size_t i = 0; i < COUNT_OF(lists) && !list; i++)
        list = json_object_get(input_of(event), lists[i]);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        Str status = text_of(item, "status");
        const char *box = str_eq(status, S("completed"))     ? "[x]"
                          : str_eq(status, S("in_progress")) ? "[>]"
                                                             : "[ ]";
        buf_addf(&text, "%s%s " STR_FMT, i ? "\n" : "", box, STR_ARG(first_text(item, names)));
    }
    if (!buf_ok(&text) || !text.n)
        return;
    out->deed = HOOK_RECORD;
    out->kind = SESSION_THINGS;
    out->text = arena_copy(into, buf_str(&text));
}

/* One thing to do: made, or its status changed. */
static void take_one(HookEvent *out, const json_t *event, Arena *into)
{
    Str subject = text_of(input_of(event), "subject"), id = text_of(input_of(event), "taskId"),
        status = text_of(input_of(event), "status");
    if (has_failed(event) || (!subject.n && !(id.n && status.n)))
        return;
    out->deed = HOOK_RECORD;
    out->kind = SESSION_THINGS;
    out->text = subject.n && !status.n
                    ? arena_printf(into, "[ ] " STR_FMT, STR_ARG(subject))
                    : arena_printf(into, STR_FMT "%s" STR_FMT ": " STR_FMT, STR_ARG(id),
                                   subject.n ? " " : "", STR_ARG(subject), STR_ARG(status));
}

static const struct {
    const char *tool;
    TakeTool *take;
} tools[] = {
    { "Write", take_file },         { "Edit", take_file },
    { "MultiEdit", take_file },     { "NotebookEdit", take_file },
    { "write_file", take_file },    { "replace", take_file },
    { "apply_patch", take_patch },  { "Bash", take_command },
    { "PowerShell", take_command }, { "run_shell_command", take_command },
    { "TodoWrite", take_list },     { "update_plan", take_list },
    { "write_todos", take_list },   { "TaskCreate", take_one },
    { "TaskUpdate", take_one },
};

static void take_tool(HookEvent *out, const json_t *event, Arena *into)
{
    Str name = text_of(event, "tool_name");
    for (size_t i = 0; i < COUNT_OF(tools); i++)
        if (str_eq(name, str(tools[i].tool)))
            tools[i].take(out, event, into);
}

/* --- Events -------------------------------------------------------------------------------- */

static const struct {
    const char *event;
    HookDeed deed;
    SessionKind kind;
    const char *text; /* the member that has it; NULL: a tool's, or none */
} events[] = {
    { "SessionStart", HOOK_BEGIN, 0, NULL },
    { "UserPromptSubmit", HOOK_RECORD, SESSION_ASKED, "prompt" },
    { "BeforeAgent", HOOK_RECORD, SESSION_ASKED, "prompt" },
    { "PostToolUse", HOOK_NOTHING, 0, NULL },
    { "PostToolUseFailure", HOOK_NOTHING, 0, NULL },
    { "AfterTool", HOOK_NOTHING, 0, NULL },
    { "PreCompact", HOOK_RECORD, SESSION_COMPACTED, "trigger" },
    { "Stop", HOOK_RECORD, SESSION_ANSWERED, "last_assistant_message" },
    { "AfterAgent", HOOK_RECORD, SESSION_ANSWERED, "prompt_response" },
    { "SessionEnd", HOOK_END, SESSION_ENDED, "reason" },
};

/* Gemini CLI puts what a hook gave it in front of what was asked. */
static Str asked(Str prompt)
{
    const Str end = S("</hook_context>");
    const char *at = NULL;
    if (prompt.n && str_starts(prompt, S("<hook_context>")))
        at = memmem(prompt.p, prompt.n, end.p, end.n);
    return at ? str_from(prompt, (size_t)(at - prompt.p) + end.n) : prompt;
}

HookEvent hook_event_read(const json_t *object, Arena *into)
{
    HookEvent out = { .session = text_of(object, "session_id"), .cwd = text_of(object, "cwd") };
    Str name = text_of(object, "hook_event_name");
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        if (!str_eq(name, str(events[i].event)))
            continue;
        out.name = events[i].event;
        out.deed = events[i].deed;
        out.kind = events[i].kind;
        if (events[i].text)
            out.text = asked(text_of(object, events[i].text));
        else if (out.deed == HOOK_NOTHING)
            take_tool(&out, object, into);
    }
    return out;
}
