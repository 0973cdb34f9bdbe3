/* setup_hooks.h - SetupHooks, a command that another program calls at its events.
 *
 * Claude Code, Codex and Gemini CLI have the same form: an object `hooks` with a list for each
 * event, of groups, each with a list `hooks` of commands.  Other people's hooks stand in the same
 * lists, so ours is one more group in each, known by its command; everything else stays as
 * it is, byte for byte. */
#ifndef CLI_SETUP_HOOKS_H
#define CLI_SETUP_HOOKS_H

#include "cli/setup_client.h"

typedef struct SetupHooks {
    const char *client;
    const char *const *events; /* ends in NULL */
    const json_t *hook;        /* what stands in the inner list; NULL: ours are taken out */
} SetupHooks;

/* The text with, or without, the hooks; as setup_json(). */
MUST_USE jot_status setup_hooks(Str text, const SetupHooks *x, Buf *out, Err *e);

/* The client as its file of hooks is found: name, title, roots, file, project and notes are set.
 * JOT_UNSUPPORTED, with a sentence, if it has none. */
MUST_USE jot_status setup_hooks_client(const SetupClient *c, const SetupClient **out, Err *e);
/* How many seconds its hooks may take, in the unit it counts by. */
int setup_hooks_timeout(const SetupClient *c);

#endif
