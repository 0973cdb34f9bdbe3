/* memory.c - Anthropic's memory tool, by its own name and words. */
#include "memory/memory_dir.h"
#include "tool/args.h"

static const char *const commands[] = { "view",   "create", "str_replace", "insert",
                                        "delete", "rename", NULL };

static jot_status run(ToolCall *c, ToolReply *out)
{
    return memory_dir_call(c->m, c->args, c->budget, c->into, &out->text);
}

/* Only create makes something where nothing is. */
static bool only_looks(const json_t *args)
{
    return !str_eq(json_str(json_object_get(args, "command")), S("create"));
}

extern const Tool tool_memory;
const Tool tool_memory = {
    .name = "memory",
    .title = "Memory directory",
    .about = "Files under /memories that outlive this conversation. View /memories before you do "
             "anything else, note progress and findings as you go, and keep the files tidy. "
             "view: a directory, or a file with line numbers; create: a new file; str_replace: one "
             "unique place; insert: after a line, 0 for the start; delete; rename.",
    .effects = TOOL_WRITES | TOOL_DELETES,
    .params = {
        { "command", PARAM_CHOICE, .choices = commands },
        { "path", PARAM_TEXT, "/memories/...; not for rename", .optional = true, .max = 1024 },
        { "view_range", PARAM_NUMBERS, "view: first and last line, -1 for the end",
          .optional = true, .min = -1, .items = 2 },
        { "file_text", PARAM_TEXT, "create", .optional = true },
        { "old_str", PARAM_TEXT, "str_replace", .optional = true },
        { "new_str", PARAM_TEXT, "str_replace; without it old_str is deleted", .optional = true },
        { "insert_line", PARAM_NUMBER, "insert", .optional = true, .min = INT32_MIN },
        { "insert_text", PARAM_TEXT, "insert", .optional = true },
        { "old_path", PARAM_TEXT, "rename", .optional = true, .max = 1024 },
        { "new_path", PARAM_TEXT, "rename", .optional = true, .max = 1024 },
    },
    .only_looks = only_looks,
    .run = run,
};
