/* cmd.h - Cmd, one word a person can say to jotter.
 *
 * A command is declared once, as data: as a verb of a noun, which every door has
 * (tool/verb.h), or in a file cmd_<noun>.c where a terminal deserves more;
 * commands.c has the table.  Help, the manual page and completion are made from
 * the same words, whichever it is.
 *
 * Options may stand anywhere after the command; `--` ends them.  Every command
 * knows --pad, --as, --lease, --json and --help.  With --json standard output carries one
 * JSON value and nothing else, also if the command fails. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "memory/memory.h"
#include "memory/where.h"
#include "tool/template.h"

/* --- What a command is ----------------------------------------------------------------- */

typedef struct Session Session;

typedef struct Opt {
    const char *name;  /* without the dashes */
    const char *value; /* what help calls its value; NULL: it has none */
    const char *about; /* a few words */
} Opt;

typedef struct Cmd {
    const char *name;
    const char *args;    /* as shown by help: "KEY [TEXT]" */
    const char *summary; /* one line, without a full stop */
    const char *help;    /* what else to know, in lines that end in a newline; may be "" */
    const Opt *opts;     /* ends in {0}; may be NULL */
    const struct Cmd *const *subs; /* words after this one, ends in NULL; run: without one ... */
    const struct Noun *noun;       /* ... or the table they are made from: ask cmd_subs() */
    int args_min, args_max;
    bool hidden;                 /* not in help: for programs */
    const char *stands_for;      /* an older word for the command of this path; not in help */
    const struct Cmd *by_option; /* the command that an older option of this one was; may be NULL */
    const struct Verb *verb;     /* the row it was made from; NULL: by hand */
    jot_status (*run)(Session *s);
} Cmd;

/* --- All of them (commands.c) ----------------------------------------------------------- */

/* In the order of help; ends in NULL.  NULL before commands_make() (commands.h). */
extern const Cmd *const *commands;
/* What the command at this place of `commands` and those after it are for; NULL: as the one before.
 */
const char *command_group(size_t i);

/* The words after a command's own, ends in NULL; NULL: there are none.  Those of a noun are made
 * here and not at the start: a server that is started needs none of them. */
const Cmd *const *cmd_subs(const Cmd *cmd);

/* --- What every command has ------------------------------------------------------------ */

/* The options every command has; ends in {0}. */
extern const Opt opts_always[];

/* --- One run of the program ------------------------------------------------------------ */

enum { OPTS_MAX = 32, ARGS_ANY = 1 << 20 };

struct Session {
    const Cmd *cmd;
    char path[64]; /* "lease acquire" */
    char **args;   /* what is no option, ends in NULL */
    int n;
    struct {
        const char *name, *value; /* value "" for one that takes none */
    } given[OPTS_MAX];
    size_t given_n;
    bool json;
    bool told;       /* the failure has been printed already, as JSON with more in it */
    bool changed;    /* something outside the session's pad was changed, or the pad was made */
    Where where;     /* the pad */
    SafeFound found; /* what opening it found out, if nobody named it */
    Str missed;      /* the document the command is about, for a word if it is not there */
    Str by;          /* who writes */
    bool named;      /* somebody said so: it is not only the user's name */
    uint64_t lease;  /* the token to write under; 0: none */
    int exit_code;   /* of a program that was run; 0: the status decides */
    Memory memory;   /* open after session_open */
    Arena arena;     /* of the whole run */
    Err err;
};

/* --- Arguments and options (args.c) --------------------------------------------------- */

/* Read the words after `jotter`: finds the command, its arguments and options.  JOT_INVALID with a
 * sentence.  s->cmd is NULL if there is no word at all. */
MUST_USE jot_status args_read(Session *s, char **words);

/* The value of an option, NULL if it was not given.  The last one counts. */
const char *opt_text(const Session *s, const char *name);
bool opt_given(const Session *s, const char *name);
/* A number within bounds, `otherwise` if it was not given. */
MUST_USE jot_status opt_number(Session *s, const char *name, int64_t min, int64_t max,
                               int64_t otherwise, int64_t *out);
/* "a number from 1 to 100", "a number from 1 on". */
Str number_range(Arena *into, int64_t min, int64_t max);
/* The argument at this place, or the empty Str. */
Str arg_at(const Session *s, int at);

/* --- The pad and standard input (session.c) ------------------------------------------- */

/* Open the session's pad, to write under the session's lease if it has one; `create` makes it if
 * there is none. */
MUST_USE jot_status session_open(Session *s, bool create);
/* The same for commands that are about whether it is there: *there is false if not. */
MUST_USE jot_status session_look(Session *s, bool *there);
/* The same where the user's own pad, if it is not there yet, is an empty one: *there is false then,
 * and standard error says so.  One that was named must be there. */
MUST_USE jot_status session_open_any(Session *s, bool *there);
/* For commands that only name the pad to others: JOT_DENIED if it was found and may not be used. */
MUST_USE jot_status session_judge(Session *s);

/* All of standard input, or of a file; JOT_TOO_BIG beyond `max` bytes. */
MUST_USE jot_status read_input(Session *s, size_t max, Str *out);
MUST_USE jot_status read_file(Session *s, const char *path, size_t max, Str *out);
/* JOT_INVALID unless it is UTF-8; `what` begins the sentence. */
MUST_USE jot_status check_text(Session *s, const char *what, Str text);
/* JOT_INVALID if it cannot begin the name of a stream, because no kind stands before a '/';
 * empty is fine. */
MUST_USE jot_status check_prefix(Session *s, Str prefix);

/* --- Output (print.c) ----------------------------------------------------------------- */

/* On a terminal everything from outside is shown so that all of it is seen (glyph.h), and nothing
 * of it obeyed: texts keep their lines, names, authors and sentences are one line.  When standard
 * output is no terminal the bytes are what they are. */
void print_text(Str text);
/* The same, followed by a line break if there is none. */
void print_line(Str text);
/* What is one line: a name, an author, a key, a path. */
void print_name(Str name);
void print_name_line(Str name);
/* The same, followed by spaces up to a width. */
void print_padded(Str name, size_t width);
/* A sentence about such things, and a line break. */
void print_sentence(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* "jotter: ", a sentence and a line break, to standard error; all of it seen, wherever that goes.
 */
void say(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* Whether a line of standard error can be written over: it is a terminal, and not a dumb one. */
bool can_show_progress(void);

/* One JSON value on a line; takes the reference. */
void print_json(json_t *value);

/* Colours where standard output is a terminal and NO_COLOR is not set, "" elsewhere. */
typedef enum Ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_RED, INK_GREEN, INK_YELLOW, INK_CYAN } Ink;
const char *ink(Ink i);

/* --- Help (help.c) -------------------------------------------------------------------- */

void help_all(FILE *to);
/* On standard output, as the session wants it: help for one command, for all (NULL), or the whole
 * manual page. */
void help_answer(const Session *s, const Cmd *cmd, const char *path, bool man);
extern const Cmd cmd_help, cmd_complete, cmd_completion;

/* --- Examples (examples.c) ------------------------------------------------------------ */

/* Command lines that show what a command is good for, one a line, each ends in a newline; NULL:
 * there are none. */
const char *examples_of(const char *path);

/* --- Topics (topics.c) ---------------------------------------------------------------- */

/* The text of a topic, NULL if there is none of this name; the i-th topic's name, NULL after the
 * last. */
const char *topic_text(const char *name);
const char *topic_at(size_t i);

/* --- The manual page (man.c) ---------------------------------------------------------- */

/* All of it as a manual page. */
void man_print(FILE *to);

#endif
