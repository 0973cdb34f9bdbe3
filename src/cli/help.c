/* help.c - help, made from the tables the commands are declared in. */
#include <string.h>

#include "cli/cmd.h"
#include "cli/tools.h"

static void print_opts(FILE *to, const Opt *opts)
{
    for (; opts && opts->name; opts++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", opts->name, opts->value ? " " : "",
                 opts->value ? opts->value : "");
        fprintf(to, "  %-22s %s\n", left, opts->about);
    }
}

static void print_cmds(FILE *to, const Cmd *const *among)
{
    for (; *among; among++) {
        char left[64];
        if ((*among)->hidden)
            continue;
        snprintf(left, sizeof left, "%s %s", (*among)->name,
                 (*among)->subs ? "..." : (*among)->args);
        fprintf(to, "  %-24s %s\n", left, (*among)->summary);
    }
}

void help_all(FILE *to)
{
    fputs("jotter - durable memory for agents, outside the context window\n\n"
          "usage: jotter COMMAND ... [--pad URL] [--as NAME] [--json]\n\n",
          to);
    print_cmds(to, commands);
    fputs("\n", to);
    print_opts(to, opts_always);
    fputs("  --version              the version\n", to);
}

static const char *usage_of(const Cmd *cmd)
{
    if (!cmd->subs)
        return cmd->args;
    return cmd->run ? "[COMMAND ...]" : "COMMAND ...";
}

void help_one(const Cmd *cmd, const char *path)
{
    printf("usage: jotter %s %s%s\n\n%s.\n", path, usage_of(cmd), cmd->opts ? " [OPTION ...]" : "",
           cmd->summary);
    if (cmd->help[0])
        printf("\n%s", cmd->help);
    if (cmd->subs) {
        puts("");
        print_cmds(stdout, cmd->subs);
    }
    if (cmd->opts) {
        puts("");
        print_opts(stdout, cmd->opts);
    }
}

/* The command that the words name, and its words with spaces between; NULL if there is none. */
static const Cmd *find(Session *s, char *path, size_t room)
{
    const Cmd *const *among = commands;
    const Cmd *found = NULL;
    for (int i = 0; i < s->n; i++) {
        found = NULL;
        for (; among && *among && !found; among++)
            if (strcmp((*among)->name, s->args[i]) == 0)
                found = *among;
        if (!found)
            return NULL;
        size_t used = strlen(path);
        snprintf(path + used, room - used, "%s%s", used ? " " : "", found->name);
        among = found->subs;
    }
    return found;
}

static jot_status run_help(Session *s)
{
    char path[64] = "";
    if (opt_given(s, "man")) {
        man_print(stdout);
        return JOT_OK;
    }
    if (opt_given(s, "tools")) {
        AUTO(Buf) page = { 0 };
        tools_page(&page);
        print_text(buf_str(&page));
        return JOT_OK;
    }
    if (s->n <= 0) {
        help_all(stdout);
        return JOT_OK;
    }
    const Cmd *found = find(s, path, sizeof path);
    Shown shown;
    if (!found)
        return err_set(&s->err, JOT_INVALID, "no command '%s': see 'jotter help'",
                       err_show(&shown, str(s->args[s->n - 1])));
    help_one(found, path);
    return JOT_OK;
}

static const Opt help_opts[] = {
    { "man", NULL, "print the manual page, for man -l -" },
    { "tools", NULL, "print the page about the tools of agents" },
    { 0 },
};

const Cmd cmd_help = {
    .name = "help",
    .args = "[COMMAND ...]",
    .summary = "Say what there is, or more about one command",
    .help = "",
    .opts = help_opts,
    .args_max = 3,
    .run = run_help,
};
