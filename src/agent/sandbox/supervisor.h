/* supervisor.h - the process that stands between us and a command.
 *
 * It starts the command, counts what the command starts, and kills all of that when
 * the command has ended, on request, or when we are gone. */
#ifndef AGENT_SANDBOX_SUPERVISOR_H
#define AGENT_SANDBOX_SUPERVISOR_H

#include "agent/sandbox/jail.h"

typedef enum SupervisorEnd {
    SUPERVISOR_EXITED = 1,
    SUPERVISOR_SIGNALLED,
    SUPERVISOR_SWARMED,
    SUPERVISOR_MEMORY, /* too much of it */
    SUPERVISOR_DISK,
    SUPERVISOR_LEFT,   /* something could not be killed */
    SUPERVISOR_FAILED, /* it was not run: `code` is errno */
} SupervisorEnd;

typedef struct SupervisorReport {
    SupervisorEnd end;
    int code;
    bool stopped;  /* it was still running when it was asked to end */
    char what[32]; /* of SUPERVISOR_FAILED: what did not work */
} SupervisorReport;

/* Words to the supervisor, one byte each; the end of the channel means SUPERVISOR_KILL. */
enum { SUPERVISOR_TERM = 'T', SUPERVISOR_KILL = 'K' };

/* Become the supervisor of a new command: for a process just forked, which ends here.  Writes one
 * SupervisorReport to `report` when everything has ended. */
NO_RETURN void supervisor_run(Jail *j, int control, int report);

#endif
