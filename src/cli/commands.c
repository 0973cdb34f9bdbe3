/* commands.c - the commands, in the order of help: made by hand, or from the verbs of a noun.
 *
 * A row is a Cmd or a Noun.  Of a noun only the word itself is made at the start; the commands
 * below it follow from its table when somebody asks for them (cmd_subs), and nobody does when a
 * server is started.  After the rows come the words a noun had before, for one release, and those
 * that people bring along from other programs. */
#include "cli/commands.h"

#include <string.h>

#include "cli/verb_cmd.h"

const Cmd *const *commands;
static Arena *made_in;

/* One a line, so that two new ones never meet in the same line. */
/* clang-format off */
extern const Cmd cmd_init;
extern const Cmd cmd_write;
extern const Cmd cmd_append;
extern const Cmd cmd_read;
extern const Cmd cmd_edit;
extern const Cmd cmd_list;
extern const Cmd cmd_delete;
extern const Cmd cmd_move;
extern const Cmd cmd_history;
extern const Cmd cmd_diff;
extern const Cmd cmd_undo;
extern const Cmd cmd_redo;
extern const Cmd cmd_restore;
extern const Cmd cmd_blame;
extern const Cmd cmd_purge;
extern const Cmd cmd_redact;
extern const Cmd cmd_status;
extern const Cmd cmd_search;
extern const Cmd cmd_embed;
extern const Cmd cmd_context;
extern const Cmd cmd_prompt;
extern const Cmd cmd_rules;
extern const Cmd cmd_memory_tool;
extern const Cmd cmd_import;
extern const Cmd cmd_export;
extern const Cmd cmd_copy;
extern const Cmd cmd_verify;
extern const Cmd cmd_doctor;
extern const Cmd cmd_gc;
extern const Cmd cmd_stats;
extern const Cmd cmd_watch;
extern const Cmd cmd_run;
extern const Cmd cmd_models;
extern const Cmd cmd_mcp;
extern const Cmd cmd_serve;
extern const Cmd cmd_setup;
extern const Cmd cmd_hook;
extern const Cmd cmd_demo;
extern const Cmd cmd_where;
extern const Cmd cmd_safe;

extern const Cmd cmd_cycle_run;
extern const Cmd cmd_lease_run;
extern const Cmd cmd_runs_add;
extern const Cmd cmd_runs_purge;
extern const Cmd cmd_runs_redact;
extern const Cmd cmd_line_log_follow;
extern const Noun noun_artifact;
extern const Noun noun_checkpoint;
extern const Noun noun_cycle;
extern const Noun noun_lease;
extern const Noun noun_line_log;
extern const Noun noun_plan;
extern const Noun noun_run;
extern const Noun noun_sink;
extern const Noun noun_task;

static const struct Row {
    const Cmd *cmd;    /* by hand, or ... */
    const Noun *noun;  /* ... from the table */
    const char *group; /* what it and those below it are for */
} rows[] = {
    { .cmd = &cmd_init, .group = "Keep and find" },
    { .cmd = &cmd_write },
    { .cmd = &cmd_append },
    { .cmd = &cmd_read },
    { .cmd = &cmd_edit },
    { .cmd = &cmd_list },
    { .cmd = &cmd_search },
    { .cmd = &cmd_move },
    { .cmd = &cmd_delete },
    { .cmd = &cmd_status, .group = "Begin a session" },
    { .cmd = &cmd_context },
    { .cmd = &cmd_rules },
    { .cmd = &cmd_prompt },
    { .cmd = &cmd_history, .group = "Look back" },
    { .cmd = &cmd_diff },
    { .cmd = &cmd_blame },
    { .cmd = &cmd_undo },
    { .cmd = &cmd_redo },
    { .cmd = &cmd_restore },
    { .cmd = &cmd_watch },
    { .noun = &noun_task, .group = "Share work" },
    { .noun = &noun_plan },
    { .noun = &noun_lease },
    { .noun = &noun_artifact, .group = "Keep what programs make" },
    { .noun = &noun_line_log },
    { .noun = &noun_checkpoint },
    { .noun = &noun_sink },
    { .cmd = &cmd_run, .group = "Run agents" },
    { .noun = &noun_run },
    { .noun = &noun_cycle },
    { .cmd = &cmd_models },
    { .cmd = &cmd_serve, .group = "Look at it" },
    { .cmd = &cmd_setup, .group = "Connect programs" },
    { .cmd = &cmd_hook },
    { .cmd = &cmd_mcp },
    { .cmd = &cmd_memory_tool },
    { .cmd = &cmd_import, .group = "Move a pad" },
    { .cmd = &cmd_export },
    { .cmd = &cmd_copy },
    { .cmd = &cmd_where, .group = "Care for a pad" },
    { .cmd = &cmd_safe },
    { .cmd = &cmd_verify },
    { .cmd = &cmd_doctor },
    { .cmd = &cmd_embed },
    { .cmd = &cmd_gc },
    { .cmd = &cmd_stats },
    { .cmd = &cmd_redact, .group = "Forget" },
    { .cmd = &cmd_purge },
    { .cmd = &cmd_demo, .group = "Learn" },
    { .cmd = &cmd_help },
    { .cmd = &cmd_completion },
    { .cmd = &cmd_complete },
};
/* clang-format on */

const char *command_group(size_t i)
{
    return i < COUNT_OF(rows) ? rows[i].group : NULL;
}

/* What a noun has besides its verbs: streams and dialogues, made by hand. */
const Cmd *const *commands_more(const Noun *n)
{
    static const struct {
        const Noun *noun;
        const Cmd *more[4];
    } all[] = {
        { &noun_cycle, { &cmd_cycle_run } },
        { &noun_lease, { &cmd_lease_run } },
        { &noun_line_log, { &cmd_line_log_follow } },
        { &noun_run, { &cmd_runs_redact, &cmd_runs_purge, &cmd_runs_add } },
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].noun == n)
            return all[i].more;
    return NULL;
}

/* Words that people bring along from other programs. */
static const struct {
    const char *word;
    const Cmd *means;
} habits[] = {
    { "ls", &cmd_list },   { "cat", &cmd_read }, { "show", &cmd_read },
    { "rm", &cmd_delete }, { "mv", &cmd_move },  { "add", &cmd_write },
};

/* Words that are no commands, of people who will find the command by being told. */
static const char *const elsewhere[][2] = {
    { "agent", "run" },
    { "ask", "run" },
    { "backup", "export" },
    { "browse", "serve" },
    { "chat", "run" },
    { "clone", "copy" },
    { "create", "write" },
    { "del", "delete" },
    { "find", "search" },
    { "forget", "redact" },
    { "get", "read" },
    { "grep", "search" },
    { "gui", "serve" },
    { "hooks", "setup" },
    { "info", "status" },
    { "install", "setup" },
    { "keys", "list" },
    { "lease get", "lease acquire" },
    { "lease lock", "lease acquire" },
    { "lease take", "lease acquire" },
    { "lock", "lease run" },
    { "logs", "runs" },
    { "man", "help" },
    { "new", "write" },
    { "note", "write" },
    { "notes", "list" },
    { "open", "read" },
    { "page", "serve" },
    { "plan add", "plan create" },
    { "plan done", "plan step" },
    { "plan new", "plan create" },
    { "plan read", "plan show" },
    { "plan start", "plan step" },
    { "print", "read" },
    { "pull", "copy" },
    { "push", "copy" },
    { "put", "write" },
    { "query", "search" },
    { "recall", "search" },
    { "remember", "write" },
    { "remove", "delete" },
    { "rename", "move" },
    { "revert", "undo" },
    { "rollback", "undo" },
    { "save", "write" },
    { "set", "write" },
    { "st", "status" },
    { "store", "write" },
    { "sync", "copy" },
    { "tail", "watch" },
    { "task close", "task done" },
    { "task complete", "task done" },
    { "task create", "task add" },
    { "task delete", "task cancel" },
    { "task finish", "task done" },
    { "task new", "task add" },
    { "task remove", "task cancel" },
    { "task rm", "task cancel" },
    { "task take", "task next" },
    { "task update", "task edit" },
    { "todo", "task" },
    { "todos", "task" },
    { "ui", "serve" },
    { "unlock", "lease release" },
    { "view", "read" },
    { "vim", "edit" },
    { "web", "serve" },
};

const char *command_for(Str words)
{
    for (size_t i = 0; i < COUNT_OF(elsewhere); i++)
        if (str_eq(words, str(elsewhere[i][0])))
            return elsewhere[i][1];
    return NULL;
}

/* The words of before and of habit come last. */
void commands_make(Arena *into)
{
    size_t n = COUNT_OF(rows);
    const Cmd **all = NEW_ARRAY(into, const Cmd *, 2 * n + COUNT_OF(habits) + 1);
    for (size_t i = 0; i < n; i++)
        all[i] = rows[i].cmd ? rows[i].cmd : verb_cmd_make(rows[i].noun, into);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Noun *noun = rows[i].noun;
        if (noun && noun->was && !strchr(noun->was, ' '))
            all[n++] = verb_cmd_alias(all[i], noun->was, noun->name, into);
    }
    for (size_t i = 0; i < COUNT_OF(habits); i++)
        all[n++] = verb_cmd_alias(habits[i].means, habits[i].word, habits[i].means->name, into);
    commands = all;
    made_in = into;
}

const Cmd *const *cmd_subs(const Cmd *cmd)
{
    return cmd->noun ? verb_cmd_subs(cmd->noun, made_in) : cmd->subs;
}
