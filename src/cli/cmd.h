/* cmd.h - Cmd, one word a person can say to jotter.
 *
 * A command is declared once, as data, in a file cmd_<noun>.c; main.c has the
 * table.  Adding a command is one declaration and one line there. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"

/* What one run of the program knows. */
typedef struct Session {
    Str pad;         /* the pad's URL */
    const char *why; /* how it was found */
    Str by;          /* who writes */
    Arena arena;     /* of the whole run */
    Store *store;    /* open after session_open */
    Err err;
} Session;

typedef struct Cmd {
    const char *name;
    const char *args;    /* as shown by help */
    const char *summary; /* one line */
    const char *help;    /* what else to know; ends in a newline */
    int args_min, args_max;
    jot_status (*run)(Session *s, char **args);
} Cmd;

extern const Cmd cmd_where, cmd_write, cmd_read, cmd_list, cmd_history, cmd_delete, cmd_copy;

/* Open the session's pad; `create` makes it if there is none. */
MUST_USE jot_status session_open(Session *s, bool create);

/* Text from outside, safe for a terminal: escape sequences and other control characters are shown,
 * not sent.  Raw when standard output is not a terminal. */
void print_text(Str text);

#endif
