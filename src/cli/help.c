/* help.c - help, made from the tables the commands are declared in. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/tools.h"

/* What to type and what it does, in two columns; below each other where the first is too wide. */
static void print_row(FILE *to, int wide, const char *left, const char *right)
{
    if ((int)strlen(left) > wide)
        fprintf(to, "  %s\n  %*s %s\n", left, wide, "", right);
    else
        fprintf(to, "  %-*s %s\n", wide, left, right);
}

static void print_opts(FILE *to, const Opt *opts)
{
    for (; opts && opts->name; opts++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", opts->name, opts->value ? " " : "",
                 opts->value ? opts->value : "");
        print_row(to, 22, left, opts->about);
    }
}

static void print_cmd(FILE *to, const Cmd *cmd)
{
    char left[64];
    if (cmd->hidden || cmd->stands_for)
        return;
    const char *args = cmd_subs(cmd) ? "..." : cmd->args;
    snprintf(left, sizeof left, "%s%s%s", cmd->name, args[0] ? " " : "", args);
    print_row(to, 24, left, cmd->summary);
}

static void print_examples(FILE *to, const char *path)
{
    const char *lines = examples_of(path);
    if (!lines)
        return;
    fputs("\nexamples:\n", to);
    for (Str rest = str(lines), line; str_cut(&rest, '\n', &line);)
        fprintf(to, "  " STR_FMT "\n", STR_ARG(line));
}

void help_all(FILE *to)
{
    fputs("jotter - durable memory for agents, outside the context window\n\n"
          "usage: jotter COMMAND ... [--pad URL] [--as NAME] [--json]\n\n",
          to);
    for (size_t i = 0; commands[i]; i++) {
        if (command_group(i))
            fprintf(to, "%s%s\n", i ? "\n" : "", command_group(i));
        print_cmd(to, commands[i]);
    }
    fputs("\nWith every command\n", to);
    print_opts(to, opts_always);
    fputs("  --version              the version\n"
          "\n'jotter help COMMAND' says more about one of them, 'jotter help TOPIC' about",
          to);
    for (size_t i = 0; topic_at(i); i++)
        fprintf(to, "%s %s", i ? "," : "", topic_at(i));
    fputs(".\n'jotter demo' shows most of it on a temporary pad.\n", to);
}

static const char *usage_of(const Cmd *cmd)
{
    if (!cmd_subs(cmd))
        return cmd->args;
    return cmd->run ? "[COMMAND ...]" : "COMMAND ...";
}

static void help_one(FILE *to, const Cmd *cmd, const char *path)
{
    const char *args = usage_of(cmd);
    fprintf(to, "usage: jotter %s%s%s%s\n\n%s.\n", path, args[0] ? " " : "", args,
            cmd->opts ? " [OPTION ...]" : "", cmd->summary);
    if (cmd->help[0])
        fprintf(to, "\n%s", cmd->help);
    if (cmd_subs(cmd)) {
        fputs("\n", to);
        for (const Cmd *const *sub = cmd_subs(cmd); *sub; sub++)
            print_cmd(to, *sub);
    }
    if (cmd->opts) {
        fputs("\n", to);
        print_opts(to, cmd->opts);
    }
    print_examples(to, path);
}

static void print_help(FILE *to, const Cmd *cmd, const char *path, bool man)
{
    if (man)
        man_print(to);
    else if (cmd)
        help_one(to, cmd, path);
    else
        help_all(to);
}

void help_answer(const Session *s, const Cmd *cmd, const char *path, bool man)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = s->json ? open_memstream(&text, &n) : stdout;
    if (!to)
        mem_exhausted();
    print_help(to, cmd, path, man);
    if (!s->json)
        return;
    fclose(to);
    print_json(json_pack("{s:o}", man ? "man" : "help", json_text((Str){ text, n })));
    free(text);
}

/* The command that the words name, and its words with spaces between; NULL, and the words before
 * the one that is none, if there is none. */
static const Cmd *find(Session *s, char *path, size_t room, const char **wrong)
{
    const Cmd *const *among = commands;
    const Cmd *found = NULL;
    for (int i = 0; i < s->n; i++) {
        found = NULL;
        for (; among && *among && !found; among++)
            if (strcmp((*among)->name, s->args[i]) == 0)
                found = *among;
        if (!found) {
            *wrong = s->args[i];
            return NULL;
        }
        size_t used = found->stands_for ? 0 : strlen(path);
        snprintf(path + used, room - used, "%s%s", used ? " " : "",
                 found->stands_for ? found->stands_for : found->name);
        among = cmd_subs(found);
    }
    return found;
}

/* The topic or command that was probably meant; NULL: nothing is near. */
static const char *nearest(Str word)
{
    Guess g = { .word = word };
    const char *known = command_for(word);
    for (size_t i = 0; topic_at(i); i++)
        guess_add(&g, topic_at(i));
    for (const Cmd *const *c = commands; *c; c++)
        if (!(*c)->hidden && !(*c)->stands_for)
            guess_add(&g, (*c)->name);
    return known ? known : g.name;
}

static jot_status run_help(Session *s)
{
    char path[64] = "";
    if (opt_given(s, "tools")) {
        AUTO(Buf) page = { 0 };
        tools_page(&page);
        if (s->json)
            print_json(json_pack("{s:o}", "tools", json_text(buf_str(&page))));
        else
            print_text(buf_str(&page));
        return JOT_OK;
    }
    const char *topic = s->n == 1 ? topic_text(s->args[0]) : NULL;
    if (topic) {
        if (s->json)
            print_json(json_pack("{s:s}", "help", topic));
        else
            fputs(topic, stdout);
        return JOT_OK;
    }
    const char *wrong = NULL, *space;
    const Cmd *found = find(s, path, sizeof path, &wrong);
    Shown shown;
    space = path[0] ? " " : "";
    const char *meant = s->n == 1 ? nearest(str(s->args[0])) : NULL;
    if (wrong)
        return err_set(&s->err, JOT_INVALID, "no command '%s%s%s':%s%s%s see 'jotter help%s%s'",
                       path, space, err_show(&shown, str(wrong)),
                       meant ? " did you mean 'jotter help " : "", meant ? meant : "",
                       meant ? "'?" : "", space, path);
    help_answer(s, found, path, opt_given(s, "man"));
    return JOT_OK;
}

static const Opt help_opts[] = {
    { "man", NULL, "print the manual page, for man -l -" },
    { "tools", NULL, "print the page about the tools of agents" },
    { 0 },
};

const Cmd cmd_help = {
    .name = "help",
    .args = "[COMMAND ... | TOPIC]",
    .summary = "List the commands, or explain a command or topic",
    .help = "Topics: pads, versions, times, leases, budgets.\n",
    .opts = help_opts,
    .args_max = 3,
    .run = run_help,
};
