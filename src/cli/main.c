/* main.c - the jotter command: finds the pad, finds the command, turns a status into an exit code.
 *
 * Which pad?  --pad or JOTTER_PAD; else the nearest .jotter/ from here upward;
 * else the user's own under $XDG_DATA_HOME.  Nothing is made before the first
 * write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"

static const Cmd *const commands[] = {
    &cmd_write, &cmd_read, &cmd_list, &cmd_history, &cmd_delete, &cmd_copy, &cmd_where,
};

static void print_help(FILE *to)
{
    fputs("jotter - durable memory for agents, outside the context window\n\n"
          "usage: jotter [--pad URL] [--as NAME] COMMAND ...\n\n",
          to);
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        fprintf(to, "  %-8s %-14s %s\n", commands[i]->name, commands[i]->args,
                commands[i]->summary);
    fputs("  help     [COMMAND]      this, or more about one command\n\n"
          "  --pad URL   files:DIR, sqlite:FILE; else $JOTTER_PAD, the nearest .jotter/ upward,\n"
          "              or your own pad\n"
          "  --as NAME   who writes; else $JOTTER_AS, $USER\n"
          "  --version   the version\n",
          to);
}

static const Cmd *find_command(const char *name)
{
    for (size_t i = 0; name && i < COUNT_OF(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static jot_status unknown_command(Session *s, const char *name)
{
    Shown shown;
    return err_set(&s->err, JOT_INVALID, "no command '%s': see 'jotter help'",
                   err_show(&shown, str(name)));
}

static jot_status help(Session *s, const char *name)
{
    if (!name) {
        print_help(stdout);
        return JOT_OK;
    }
    const Cmd *cmd = find_command(name);
    if (!cmd)
        return unknown_command(s, name);
    printf("usage: jotter %s %s\n\n%s.\n%s", cmd->name, cmd->args, cmd->summary, cmd->help);
    return JOT_OK;
}

/* The nearest .jotter from here upward, or the empty Str. */
static Str find_upward(Arena *into)
{
    char *here = getcwd(NULL, 0);
    if (!here)
        return (Str){ 0 };
    Str found = { 0 };
    for (Str at = str(here);;) {
        struct stat info;
        Str path = arena_printf(into, STR_FMT "%s.jotter", STR_ARG(at), at.n > 1 ? "/" : "");
        if (stat(path.p, &info) == 0 && S_ISDIR(info.st_mode)) {
            found = path;
            break;
        }
        if (at.n <= 1)
            break;
        size_t slash = str_find_last(at, '/');
        at = str_slice(at, 0, slash ? slash : 1);
    }
    free(here);
    return found;
}

static void find_pad(Session *s)
{
    const char *given = getenv("JOTTER_PAD");
    if (s->pad.n) {
        s->why = "--pad says so";
        return;
    }
    if (given && given[0]) {
        s->pad = str(given);
        s->why = "JOTTER_PAD says so";
        return;
    }
    Str near = find_upward(&s->arena);
    if (near.n) {
        s->pad = arena_printf(&s->arena, "files:" STR_FMT, STR_ARG(near));
        s->why = "it is the nearest .jotter/ from here upward";
        return;
    }
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    bool own = data && data[0] == '/';
    s->pad = arena_printf(&s->arena, "files:%s%s/jotter/pad",
                          own    ? data
                          : home ? home
                                 : ".",
                          own ? "" : "/.local/share");
    s->why = "it is your own: there is no .jotter/ from here upward";
}

jot_status session_open(Session *s, bool create)
{
    return store_open(&s->store, s->pad, &(StoreOptions){ .create = create }, &s->err);
}

/* The options before the command; returns the rest. */
static jot_status read_options(Session *s, char **args, char ***rest)
{
    for (; *args && strncmp(*args, "--", 2) == 0; args++) {
        Str *to = strcmp(*args, "--pad") == 0  ? &s->pad
                  : strcmp(*args, "--as") == 0 ? &s->by
                                               : NULL;
        Shown shown;
        if (!to)
            return err_set(&s->err, JOT_INVALID, "no option '%s': see 'jotter help'",
                           err_show(&shown, str(*args)));
        if (!args[1] || !args[1][0])
            return err_set(&s->err, JOT_INVALID, "%s needs a value", *args);
        *to = str(*++args);
    }
    *rest = args;
    return JOT_OK;
}

static jot_status run_command(Session *s, const Cmd *cmd, char **args)
{
    int n = 0;
    while (args[n])
        n++;
    if (n < cmd->args_min || n > cmd->args_max)
        return err_set(&s->err, JOT_INVALID, "usage: jotter %s %s", cmd->name, cmd->args);
    find_pad(s);
    const char *as = getenv("JOTTER_AS"), *user = getenv("USER");
    if (s->by.n == 0)
        s->by = str(as && as[0] ? as : user);
    jot_status st = cmd->run(s, args);
    if (st == JOT_OK && (fflush(stdout) != 0 || ferror(stdout)))
        return err_set(&s->err, JOT_IO, "could not write to standard output");
    return st;
}

static jot_status run(Session *s, char **args)
{
    if (args[0] && strcmp(args[0], "--version") == 0) {
        printf("jotter %s\n", jot_version());
        return JOT_OK;
    }
    if (args[0] && strcmp(args[0], "--help") == 0)
        return help(s, NULL);
    TRY(read_options(s, args, &args));
    if (!args[0]) {
        print_help(stderr);
        return err_set(&s->err, JOT_INVALID, "say a command");
    }
    if (strcmp(args[0], "help") == 0)
        return help(s, args[1]);
    const Cmd *cmd = find_command(args[0]);
    return cmd ? run_command(s, cmd, args + 1) : unknown_command(s, args[0]);
}

int main(int argc, char **argv)
{
    (void)argc;
    Session s = { 0 };
    jot_status st = run(&s, argv + 1);
    if (st != JOT_OK)
        fprintf(stderr, "jotter: %s\n", s.err.text);
    store_close(s.store);
    arena_free(&s.arena);
    return status_info(st)->exit_code;
}
