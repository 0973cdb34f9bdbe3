/* lease_runner.h - a program that runs under a lease, and the process that keeps the lease for it.
 */
#ifndef CLI_LEASE_RUNNER_H
#define CLI_LEASE_RUNNER_H

#include "memory/lease.h"

typedef struct Kept {
    int exit_code; /* of the program; 128 + N if signal N ended it */
    bool lost;     /* the lease was over before the program was */
} Kept;

/* Run `words` (ends in NULL) with JOTTER_LEASE set, and renew the lease until it ends.  With
 * `quiet` its standard output is this process' standard error. */
MUST_USE jot_status keeper_run(Memory *m, const Lease *l, char **words, bool quiet, Kept *out,
                               Err *e);

#endif
