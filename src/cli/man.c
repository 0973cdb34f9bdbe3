/* man.c - the manual page jotter(1), made from the tables the commands are declared in. */
#include <string.h>

#include "base/err.h"
#include "cli/cmd.h"

/* Text as roff takes it: what begins a request or an escape is told not to. */
static void put(FILE *to, const char *text)
{
    for (bool start = true; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
        start = *text == '\n';
    }
}

static void put_opts(FILE *to, const Opt *opts)
{
    for (; opts && opts->name; opts++) {
        fputs(".TP\n\\fB\\-\\-", to);
        put(to, opts->name);
        fputs("\\fR", to);
        if (opts->value) {
            fputs(" \\fI", to);
            put(to, opts->value);
            fputs("\\fR", to);
        }
        fputs("\n", to);
        put(to, opts->about);
        fputs("\n", to);
    }
}

static void put_cmd(FILE *to, const Cmd *cmd, const char *before)
{
    char path[96];
    snprintf(path, sizeof path, "%s%s%s", before, before[0] ? " " : "", cmd->name);
    if (cmd->hidden)
        return;
    if (cmd->run) {
        fputs(".SS \"jotter ", to);
        put(to, path);
        fputs(" ", to);
        put(to, cmd->args);
        fputs("\"\n", to);
        put(to, cmd->summary);
        fputs(".\n", to);
        if (cmd->help[0]) {
            fputs(".PP\n.nf\n", to);
            put(to, cmd->help);
            fputs(".fi\n", to);
        }
        put_opts(to, cmd->opts);
    }
    for (const Cmd *const *sub = cmd->subs; sub && *sub; sub++)
        put_cmd(to, *sub, path);
}

static void put_statuses(FILE *to)
{
    fputs(".SH EXIT STATUS\n", to);
    for (int st = JOT_OK; st <= JOT_ID_REUSED; st++) {
        const StatusInfo *info = status_info((jot_status)st);
        fprintf(to, ".TP\n\\fB%d\\fR\n", info->exit_code);
        put(to, info->name);
        fputs(info->retry ? " (the same call may succeed later)\n" : "\n", to);
    }
}

void man_print(FILE *to)
{
    fprintf(to, ".TH JOTTER 1 \"\" \"jotter %s\"\n", jot_version());
    fputs(".SH NAME\njotter \\- durable memory for agents, outside the context window\n"
          ".SH SYNOPSIS\n.B jotter\n\\fICOMMAND\\fR ... [\\fB\\-\\-pad\\fR \\fIURL\\fR] "
          "[\\fB\\-\\-as\\fR \\fINAME\\fR] [\\fB\\-\\-json\\fR]\n"
          ".SH DESCRIPTION\nEvery memory is a stream; every write is a conditional append. What is "
          "acknowledged survives a kill and a power loss; every version stays readable until it is "
          "trimmed; any number of processes share a pad without a daemon.\n"
          ".SH OPTIONS\nThey may stand anywhere; \\fB\\-\\-\\fR ends them.\n",
          to);
    put_opts(to, opts_always);
    fputs(".SH COMMANDS\n", to);
    for (const Cmd *const *cmd = commands; *cmd; cmd++)
        put_cmd(to, *cmd, "");
    put_statuses(to);
    fputs(".SH ENVIRONMENT\n"
          ".TP\n.B JOTTER_PAD\nthe pad, if \\-\\-pad is not given\n"
          ".TP\n.B JOTTER_AS\nwho writes, if \\-\\-as is not given\n"
          ".TP\n.B XDG_DATA_HOME\nwhere your own pad lies: jotter/pad below it\n"
          ".TP\n.B NO_COLOR\nif it is set, nothing is coloured\n",
          to);
}
