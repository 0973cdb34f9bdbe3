/* memory_tool.c - Anthropic's memory tool, by its own name and words, and the part of it that only
 * looks.
 *
 * The vendor's tool is one tool for looking, writing and deleting.  MCP's hints are
 * about whole tools, so it has to be called destructive, and a client that asks
 * nobody (codex exec) then refuses to look, too.  So `view` is there once more as a
 * tool of its own that says it changes nothing. */
#include "tool/args.h"

static const char *const commands[] = { "view",   "create", "str_replace", "insert",
                                        "delete", "rename", NULL };

static jot_status run(ToolCall *c, ToolReply *out)
{
    return memory_dir_call(c->m, c->args, c->dialect, c->budget, c->into, &out->text);
}

static jot_status run_view(ToolCall *c, ToolReply *out)
{
    AUTO_PTR(json_t) command = json_copy((json_t *)(uintptr_t)c->args);
    json_object_set_new(command, "command", json_string("view"));
    return memory_dir_call(c->m, command, c->dialect, c->budget, c->into, &out->text);
}

/* Only create makes something where nothing is. */
static bool makes_nothing(const json_t *args)
{
    return !str_eq(json_str(json_object_get(args, "command")), S("create"));
}

/* A line that is inserted twice is there twice. */
static bool may_repeat(const json_t *args)
{
    return str_eq(json_str(json_object_get(args, "command")), S("view"));
}

extern const Tool tool_memory, tool_memory_view;
const Tool tool_memory = {
    .name = "memory",
    .title = "Memory directory",
    .about = "Files under /memories that outlive this conversation. View /memories before you do "
             "anything else, note progress and findings as you go, and keep the files tidy. "
             "view: a directory, or a file with line numbers; create: a new file; str_replace: one "
             "unique place; insert: after a line, 0 for the start; delete; rename. memory_view is "
             "view alone, for where this tool has to be approved.",
    .effects = TOOL_WRITES | TOOL_DELETES,
    .params = PARAMS(
        { "command", PARAM_CHOICE, .choices = commands },
        { "path", PARAM_TEXT, .about = "/memories/...; not for rename", .optional = true,
          .max = 1024 },
        { "view_range", PARAM_NUMBERS, .about = "view: first and last line, -1 for the end",
          .optional = true, .min = INT32_MIN },
        { "file_text", PARAM_TEXT, .about = "create", .optional = true },
        { "old_str", PARAM_TEXT, .about = "str_replace", .optional = true },
        { "new_str", PARAM_TEXT, .about = "str_replace; without it old_str is deleted",
          .optional = true },
        { "insert_line", PARAM_NUMBER, .about = "insert", .optional = true, .min = INT32_MIN },
        { "insert_text", PARAM_TEXT, .about = "insert", .optional = true },
        { "old_path", PARAM_TEXT, .about = "rename", .optional = true, .max = 1024 },
        { "new_path", PARAM_TEXT, .about = "rename", .optional = true, .max = 1024 }),
    .makes_nothing = makes_nothing,
    .may_repeat = may_repeat,
    .run = run,
};

const Tool tool_memory_view = {
    .name = "memory_view",
    .title = "View the memory directory",
    .about = "Look at files under /memories that outlive this conversation, before you do anything "
             "else: a directory, or a file with line numbers. Changes nothing; memory does.",
    .effects = TOOL_READS,
    .params = PARAMS({ "path", PARAM_TEXT, .about = "/memories, or /memories/...", .max = 1024 },
                     { "view_range", PARAM_NUMBERS,
                       .about = "first and last line of a file, -1 for the end", .optional = true,
                       .min = INT32_MIN }),
    .run = run_view,
};
