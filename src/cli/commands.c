/* commands.c - the commands, in the order of help: made by hand, or from the verbs of a noun. */
#include "cli/commands.h"

#include <string.h>

#include "cli/verb_cmd.h"

const Cmd *const *commands;

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
extern const Cmd cmd_restore;
extern const Cmd cmd_blame;
extern const Cmd cmd_purge;
extern const Cmd cmd_redact;
extern const Cmd cmd_status;
extern const Cmd cmd_search;
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
extern const Cmd cmd_mcp;
extern const Cmd cmd_setup;
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
    const Cmd *cmd;   /* by hand, or ... */
    const Noun *noun; /* ... from the table */
} rows[] = {
    { .cmd = &cmd_init },
    { .cmd = &cmd_write },
    { .cmd = &cmd_append },
    { .cmd = &cmd_read },
    { .cmd = &cmd_edit },
    { .cmd = &cmd_list },
    { .cmd = &cmd_delete },
    { .cmd = &cmd_move },
    { .cmd = &cmd_history },
    { .cmd = &cmd_diff },
    { .cmd = &cmd_undo },
    { .cmd = &cmd_restore },
    { .cmd = &cmd_blame },
    { .cmd = &cmd_purge },
    { .cmd = &cmd_redact },
    { .cmd = &cmd_status },
    { .cmd = &cmd_search },
    { .cmd = &cmd_context },
    { .cmd = &cmd_prompt },
    { .cmd = &cmd_rules },
    { .noun = &noun_artifact },
    { .noun = &noun_line_log },
    { .noun = &noun_task },
    { .noun = &noun_plan },
    { .noun = &noun_checkpoint },
    { .noun = &noun_sink },
    { .noun = &noun_run },
    { .noun = &noun_cycle },
    { .noun = &noun_lease },
    { .cmd = &cmd_memory_tool },
    { .cmd = &cmd_import },
    { .cmd = &cmd_export },
    { .cmd = &cmd_copy },
    { .cmd = &cmd_verify },
    { .cmd = &cmd_doctor },
    { .cmd = &cmd_gc },
    { .cmd = &cmd_stats },
    { .cmd = &cmd_watch },
    { .cmd = &cmd_run },
    { .cmd = &cmd_mcp },
    { .cmd = &cmd_setup },
    { .cmd = &cmd_where },
    { .cmd = &cmd_safe },
    { .cmd = &cmd_help },
    { .cmd = &cmd_completion },
    { .cmd = &cmd_complete },
};
/* clang-format on */

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
}
