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
    if (cmd->hidden || cmd->stands_for)
        return;
    if (cmd->run) {
        fputs(".SS \"jotter ", to);
        put(to, path);
        fputs(cmd->args[0] ? " " : "", to);
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
        if (examples_of(path)) {
            fputs(".PP\nExamples:\n.PP\n.nf\n.RS 4\n", to);
            put(to, examples_of(path));
            fputs(".RE\n.fi\n", to);
        }
    }
    for (const Cmd *const *sub = cmd_subs(cmd); sub && *sub; sub++)
        put_cmd(to, *sub, path);
}

/* By number, as one looks them up; statuses that share one stand together. */
static void put_statuses(FILE *to)
{
    int last = -1;
    fputs(".SH EXIT STATUS\n", to);
    for (int code = 0; code < 256; code++)
        for (int st = JOT_OK; st <= JOT_ID_REUSED; st++) {
            const StatusInfo *info = status_info((jot_status)st);
            if (info->exit_code != code)
                continue;
            if (code == last)
                fputs(".br\n", to);
            else
                fprintf(to, ".TP\n\\fB%d\\fR\n", code);
            put(to, info->name);
            fputs(info->retry ? " (the same call may succeed later)\n" : "\n", to);
            last = code;
        }
    fputs(".PP\n\\fBjotter run\\fR ends with 1 if it has no answer; \\fBjotter lease run\\fR ends "
          "as the "
          "program it ran.\n",
          to);
}

static const Opt environment[] = {
    { "JOTTER_PAD", NULL, "the pad, if --pad is not given" },
    { "JOTTER_AS", NULL,
      "who writes, if --as is not given; else USER, else the name of the account" },
    { "JOTTER_LEASE", NULL, "the lease to write under, if --lease is not given" },
    { "JOTTER_MODEL", NULL, "the model of run and cycle run, if --model is not given" },
    { "ANTHROPIC_API_KEY, OPENAI_API_KEY, JOTTER_API_KEY", NULL,
      "keys of models: of that vendor, of any server" },
    { "ANTHROPIC_AUTH_TOKEN", NULL, "instead of ANTHROPIC_API_KEY, as gateways want it" },
    { "JOTTER_API_KEY_FILE", NULL, "a file with the key, which only you can read" },
    { "ANTHROPIC_BASE_URL, OPENAI_BASE_URL", NULL, "another place for a vendor's models" },
    { "JOTTER_LANGUAGE", NULL, "the language of the endings that search passes over" },
    { "JOTTER_VECTORS", NULL,
      "a table of word vectors for searches in runs, made by tools/gen-vectors" },
    { "JOTTER_EMBED", NULL,
      "URL#MODEL: a server that says what texts mean, for searches (jotter embed)" },
    { "JOTTER_EMBED_API_KEY", NULL, "its key, if it needs one" },
    { "VISUAL, EDITOR", NULL, "what 'jotter edit KEY' starts" },
    { "XDG_DATA_HOME", NULL, "where your own pad lies: jotter/pad below it; else ~/.local/share" },
    { "XDG_CONFIG_HOME, XDG_STATE_HOME", NULL,
      "where the files below lie; else ~/.config, ~/.local/state" },
    { "XDG_CACHE_HOME", NULL, "where the search index of a pad on a server lies; else ~/.cache" },
    { "AWS_PROFILE, AWS_ACCESS_KEY_ID ...", NULL, "as for other programs, for s3:// pads" },
    { "JOTTER_PAGER, PAGER", NULL, "shows what is longer than the screen; else less" },
    { "NO_COLOR", NULL, "if it is set, nothing is coloured" },
    { "TZ", NULL, "the time zone of days and times at a terminal" },
    { 0 },
};

static void put_environment(FILE *to)
{
    fputs(".SH ENVIRONMENT\n", to);
    for (const Opt *o = environment; o->name; o++) {
        fprintf(to, ".TP\n.B %s\n", o->name);
        put(to, o->about);
        fputs("\n", to);
    }
}

static const Opt files[] = {
    { ".jotter/", NULL, "a project's pad; its notes are .jotter/notes/KEY.txt" },
    { ".jotter/shared/", NULL, "tasks and plans for git, a file each (jotter init --share)" },
    { "~/.local/share/jotter/pad", NULL, "your own pad" },
    { "~/.local/state/jotter/", NULL, "which pad a directory had, which rules you approved" },
    { "~/.config/jotter/", NULL,
      "pads of others that you use (jotter safe), windows and prices of models (models.yaml)" },
    { 0 },
};

static void put_files(FILE *to)
{
    fputs(".SH FILES\n", to);
    for (const Opt *o = files; o->name; o++) {
        fprintf(to, ".TP\n.I %s\n", o->name);
        put(to, o->about);
        fputs("\n", to);
    }
}

/* A day with it; each command has its own besides. */
static void put_examples(FILE *to)
{
    static const char *const some[] = { "init",      "write",     "read", "search",
                                        "context",   "history",   "undo", "task add",
                                        "task next", "lease run", "run",  "setup" };
    fputs(".SH EXAMPLES\n.nf\n", to);
    for (size_t i = 0; i < COUNT_OF(some); i++)
        put(to, examples_of(some[i]));
    fputs(".fi\n", to);
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
          ".SH OPTIONS\nThey may appear anywhere; \\fB\\-\\-\\fR ends them.\n",
          to);
    put_opts(to, opts_always);
    fputs(".SH COMMANDS\n", to);
    for (const Cmd *const *cmd = commands; *cmd; cmd++)
        put_cmd(to, *cmd, "");
    put_statuses(to);
    put_environment(to);
    put_files(to);
    put_examples(to);
}
