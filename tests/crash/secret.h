/* secret.h - Secret, a text that is to be forgotten while the power fails.
 *
 * What is forgotten must be in no file of the pad, whatever the file is: bytes
 * are searched for, and the store is not asked.  A writer can be told to have
 * died with the secret in its hands, and a crash to have come in the middle of
 * forgetting: secret_again() is what the next caller does then, as one who has
 * no memory of the first call would. */
#ifndef CRASH_SECRET_H
#define CRASH_SECRET_H

#include "rig/live.h"
#include "run.h"

/* What dead writers left, what was put aside, and a set for each of a few streams. */
enum { SECRET_AGAIN_MAX = 2 + 4 };

/* True if the bytes are in a file; `where` is its path then. */
bool secret_lies(const Live *l, Str secret, char *where, size_t size);

/* Do one of the actions that action_forgets(); what could not be looked at is a failure. */
MUST_USE jot_status secret_do(Store *s, const Action *a, Err *e);

/* The actions that forget the secret where `seen` is what the pad holds, and the records that have
 * lost it already as well.  They are as many as is returned. */
size_t secret_again(const Workload *w, const Snapshot *seen, Action out[SECRET_AGAIN_MAX]);

/* Leave what a writer of the action's text has left that died in the middle of its record: half of
 * its line, and where people see the stream its draft.  Only in an engine with files to edit. */
MUST_USE bool secret_leave(const Run *r, const Action *a);

#endif
