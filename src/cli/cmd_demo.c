/* cmd_demo.c - the story of the README, told by the program on a pad of its own.
 *
 * Each line is shown as it would be typed, and run by a shell in a directory that is made for it
 * and removed at the end.  HOME and the variables of Jotter lead there too, so nothing of the
 * user's is read or written. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"

extern const Cmd cmd_demo;

enum { OPEN_DIRS = 16 };

typedef struct Step {
    const char *says; /* NULL: it goes with the one before */
    const char *line;
} Step;

static const Step steps[] = {
    { "Keep a text under a key.  When it answers, the text is on disk.", "jotter init" },
    { NULL, "jotter write plan 'ship on friday'" },
    { "A note is a file: read it, edit it.  Your edit is a version, too.",
      "cat .jotter/notes/plan.txt" },
    { NULL, "sed -i s/friday/monday/ .jotter/notes/plan.txt" },
    { NULL, "jotter read plan" },
    { "Bob has seen the first version only: a conflict, with both texts.",
      "echo 'ship on tuesday' | jotter --as bob write plan --if-version 0cb6db660bff" },
    { "Everything is in the history; undo goes back, redo forth.", "jotter history plan" },
    { NULL, "jotter diff plan" },
    { NULL, "jotter undo plan" },
    { NULL, "jotter redo plan" },
    { "Work to share: two who ask for the next task get two.",
      "jotter task add 'write the release notes' --priority 5" },
    { NULL, "jotter --as bob task next" },
    { NULL, "jotter task list" },
    { "Find it again by its words; endings do not matter.", "jotter search shipping" },
    { "What a model should see at the start of a session, within a budget.",
      "jotter context --budget 500" },
};

/* The shell of the demonstration has a function for the program it is shown by. */
static int run_line(const char *line, Arena *into)
{
    char sh[] = "sh", c[] = "-c";
    char *script =
        arena_cstr(into, arena_printf(into, "jotter() { \"$JOTTER_DEMO\" \"$@\"; }\n%s", line));
    char *argv[] = { sh, c, script, NULL };
    int status = 0;
    pid_t child;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) != 0)
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static jot_status enter(Session *s, char *place)
{
    static const char *const gone[] = { "JOTTER_PAD",    "JOTTER_LEASE",    "JOTTER_LANGUAGE",
                                        "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME" };
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0 || !mkdtemp(place) || chdir(place) != 0)
        return err_errno(&s->err, errno, "could not make a directory for the demonstration");
    self[n] = '\0';
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        unsetenv(gone[i]);
    setenv("JOTTER_DEMO", self, 1);
    setenv("JOTTER_AS", "ann", 1);
    setenv("JOTTER_PAGER", "cat", 1);
    setenv("HOME", place, 1);
    return JOT_OK;
}

/* One step; what it prints goes to standard error where standard output is for one JSON value. */
static json_t *show(Session *s, const Step *step)
{
    if (!s->json && step->says)
        printf("%s\n# %s\n%s", ink(INK_DIM), step->says, ink(INK_PLAIN));
    if (!s->json)
        printf("%s$ %s%s\n", ink(INK_BOLD), step->line, ink(INK_PLAIN));
    fflush(stdout);
    const char *line = s->json ? arena_printf(&s->arena, "{ %s\n} >&2", step->line).p : step->line;
    int code = run_line(line, &s->arena);
    return json_pack("{s:s, s:i}", "line", step->line, "exit_code", code);
}

static jot_status run_demo(Session *s)
{
    const char *tmp = getenv("TMPDIR");
    Str name =
        arena_printf(&s->arena, "%s/jotter-demo-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    char *place = arena_cstr(&s->arena, name);
    json_t *told = json_array();
    AUTO_PTR(json_t) answer = json_pack("{s:o}", "steps", told);
    TRY(enter(s, place));
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        json_array_append_new(told, show(s, &steps[i]));
    if (chdir("/") != 0 || nftw(place, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS) != 0)
        say("'%s' could not be removed", place);
    if (s->json)
        print_json(json_incref(answer));
    else
        puts("\nThat pad is gone again.  'jotter init' makes one for you, 'jotter help' has the "
             "rest.");
    return JOT_OK;
}

const Cmd cmd_demo = {
    .name = "demo",
    .args = "",
    .summary = "Tour the commands on a temporary pad",
    .help = "",
    .run = run_demo,
};
