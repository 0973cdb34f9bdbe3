/* setup_client.h - SetupClient, a program that can be told to use the pad.
 *
 * A client is a row of a table: where its configuration is, how it is written, and what an entry
 * looks like for a server it starts and for one it calls.  Adding one is a row.
 *
 * Your own file works in every project, so its entry names no pad unless you do: the server finds
 * the one of the directory it is started in.  A project's file is meant to be committed, so its
 * entry names no path of this machine: the program is `jotter`, the pad is the project's.  A token
 * is written into neither: the entry names the variable that holds it, as each client writes
 * that. */
#ifndef CLI_SETUP_CLIENT_H
#define CLI_SETUP_CLIENT_H

#include "cli/setup.h"

#define SETUP_TOKEN "JOTTER_TOKEN"

/* How the client reaches the server: it starts `words`, or it calls `url`. */
typedef struct SetupReach {
    json_t *words; /* the program and its arguments */
    const char *url;
} SetupReach;

/* A variable of the client's that moves its configuration. */
typedef struct SetupRoot {
    const char *variable;
    const char *file; /* below it; "": it names the file itself */
} SetupRoot;

typedef struct SetupClient {
    const char *name, *title;
    const SetupRoot *roots; /* the first that is set counts; ends in {0} */
    const char *file;       /* below $HOME, if none is */
    const char *project;    /* the file of a project, from its root; NULL: there is none */
    const char *root_word; /* what it replaces by the project's root; "": it starts servers there */
    const char *table;
    jot_status (*edit)(Str text, const SetupEntry *x, Buf *out, Err *e);
    json_t *(*look)(Str text, const SetupEntry *x);
    json_t *(*starts)(const SetupReach *r);
    json_t *(*calls)(const SetupReach *r);
    const char *const *ours; /* every member the two may set */
    /* What to know besides; NULL: nothing. */
    const char *own_note, *project_note; /* of such an entry */
    const char *dir_note;                /* of one that names no pad */
    const char *token_note;              /* NULL: it takes the token from the variable */
} SetupClient;

/* By number; NULL after the last. */
const SetupClient *setup_client(size_t i);
/* JOT_INVALID: there is none of that name. */
MUST_USE jot_status setup_client_find(Str name, const SetupClient **out, Err *e);

/* The client's own file.  JOT_INVALID if the environment names no place, or one that means
 * something else from every directory. */
MUST_USE jot_status setup_client_file(const SetupClient *c, Arena *into, Str *out, Err *e);

#endif
