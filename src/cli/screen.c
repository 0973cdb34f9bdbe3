/* screen.c - how large the screen is, and a pager for what is longer.
 *
 * Standard output is held back in memory: `stdout` is a variable in the C library, and everything
 * that is printed goes through it.  Colours and glyphs still ask the descriptor, which is the
 * terminal.  The pager gets the text by a pipe; if it is left before the end, that is no fault. */
#include "cli/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/utf8.h"
#include "tool/verb.h"

enum { COLUMNS = 80, ROWS = 24 };

/* A number of the environment, or what is assumed. */
static size_t number_of(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    uint64_t n;
    return text && str_to_u64(str(text), 10000, &n) && n ? (size_t)n : otherwise;
}

static struct winsize window(void)
{
    struct winsize w = { 0 };
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
        w = (struct winsize){ 0 };
    return w;
}

size_t screen_columns(void)
{
    size_t n = window().ws_col;
    return n ? n : number_of("COLUMNS", COLUMNS);
}

static size_t screen_rows(void)
{
    size_t n = window().ws_row;
    return n ? n : number_of("LINES", ROWS);
}

/* --- Whether ------------------------------------------------------------------------------- */

static const char *pager(void)
{
    static const char *const names[] = { "JOTTER_PAGER", "PAGER" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (value)
            return value;
    }
    return "less";
}

/* A program reads the terminal, not a person: CI, or an agent that gives its commands one. */
static bool is_watched(void)
{
    static const char *const names[] = { "CI", "CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT",
                                         "GEMINI_CLI" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return true;
    }
    return false;
}

/* Whether a command only shows something, and ends by itself. */
static bool only_shows(const Cmd *cmd)
{
    static const char *const names[] = { "read", "list",   "history", "diff", "blame",
                                         "help", "search", "context", "rules" };
    if (cmd->verb)
        return (cmd->verb->tool.effects & TOOL_READS) != 0;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(cmd->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_wanted(const Session *s)
{
    const char *term = getenv("TERM");
    if (s->json || opt_given(s, "no-pager") || isatty(STDIN_FILENO) != 1 ||
        isatty(STDOUT_FILENO) != 1 || !term || strcmp(term, "dumb") == 0 || is_watched())
        return false;
    return pager()[0] && strcmp(pager(), "cat") != 0 &&
           (!s->cmd || opt_given(s, "help") || only_shows(s->cmd));
}

/* --- Holding back -------------------------------------------------------------------------- */

static struct {
    FILE *screen; /* the real standard output; NULL: nothing is held back */
    char *text;
    size_t n;
} held;

void screen_begin(const Session *s)
{
    if (!is_wanted(s))
        return;
    FILE *memory = open_memstream(&held.text, &held.n);
    if (!memory)
        return;
    held.screen = stdout;
    stdout = memory;
}

/* Rows that the text takes on the screen; colours take none, and are counted nevertheless. */
static size_t rows_of(Str text, size_t columns)
{
    size_t rows = 0;
    for (Str line; text.n;) {
        if (!str_cut(&text, '\n', &line))
            line = text, text = (Str){ 0 };
        size_t wide = utf8_valid(line) ? utf8_count(line) : line.n;
        rows += wide ? (wide + columns - 1) / columns : 1;
    }
    return rows;
}

static void write_all(int fd, Str text)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return; /* the person has left it */
        text = str_from(text, n > 0 ? (size_t)n : 0);
    }
}

/* False: it could not be started, or the shell does not know it. */
static bool show_by_pager(Str text)
{
    enum { NOT_FOUND = 127 };
    char sh[] = "sh", c[] = "-c";
    char *argv[] = { sh, c, (char *)(uintptr_t)pager(), NULL };
    int ends[2], status = 0;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, old_pipe, old_int;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    int failed = posix_spawn(&child, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failed) {
        close(ends[1]);
        return false;
    }
    sigaction(SIGPIPE, &ignore, &old_pipe);
    sigaction(SIGINT, &ignore, &old_int); /* Ctrl-C is for the pager */
    write_all(ends[1], text);
    close(ends[1]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGPIPE, &old_pipe, NULL);
    sigaction(SIGINT, &old_int, NULL);
    return !WIFEXITED(status) || WEXITSTATUS(status) != NOT_FOUND;
}

void screen_end(void)
{
    if (!held.screen)
        return;
    fclose(stdout);
    stdout = held.screen;
    Str text = { held.text, held.n };
    bool fits = rows_of(text, screen_columns()) < screen_rows();
    if (fits || !show_by_pager(text))
        fwrite(text.p, 1, text.n, stdout);
    free(held.text);
    held.screen = NULL;
}
