/* refusal.h - failures that carry more than a sentence, for programs. */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

#include "cli/cmd.h"

/* Returns the status.  With --json the failure is printed with one member more, `key`: what stands
 * in the way, for instance.  Takes the reference; NULL adds nothing. */
jot_status tell_with(Session *s, jot_status st, const char *key, json_t *more);

/* The argument FROM or FROM:COUNT of an option; *count is 0 if it is not given. */
MUST_USE jot_status opt_range(Session *s, const char *name, uint64_t *from, uint64_t *count);

/* Every value of an option that may be given more than once, and how many there are.  Whoever takes
 * fewer than that says so. */
size_t opt_all(Session *s, const char *name, Str **out);

#endif
