/* confine.h - Confine, running a command that a model wrote.
 *
 * Whatever the mechanism, a command
 *   - has an empty standard input, an environment of a few harmless names, no
 *     terminal, and no open files of ours;
 *   - writes only below the working directory and in a /tmp of its own;
 *   - opens no file of a pad, also where one lies in the working directory: neither to write
 *     nor to read, nor to hold up by a lock everybody who writes;
 *   - does not see the user's home, unless that is the working directory, nor files of
 *     the machine that not everybody may read;
 *   - has no network unless it is given, and never sockets other than the internet's;
 *   - ends with everything it started: what it left behind is killed, and where that
 *     cannot be done the result is an error;
 *   - leaves nothing that other programs run or obey (plant.h), unless that is allowed;
 *   - is bounded in time, output, processes, sizes of files, memory of each process, and
 *     memory and disk of all of them together.
 *
 * Mechanisms, best first:
 *   bwrap     namespaces made by bubblewrap, and inside a seccomp filter and, where the kernel has
 *             it, Landlock
 *   landlock  Landlock rules (ABI 6, Linux 6.12) and the same filter, without sockets; the command
 *             sees the names of processes outside, but cannot look into them.  Where the pad lies
 *             in the working directory, nothing new can be made in the directories above the pad,
 *             because Landlock has no exceptions.  Nor does it know modes and times: of files of
 *             its user anywhere, also the pad's, the command can change the times, let others read
 *             or not, and set or clear the execute bits, without which a directory is shut; it
 *             cannot take reading and writing from the owner, nor give writing to others, and
 *             owners and attributes it cannot change at all, not even of its own files.
 *   none      only environment, limits and the killing: only with --unconfined */
#ifndef AGENT_SANDBOX_CONFINE_H
#define AGENT_SANDBOX_CONFINE_H

#include "agent/sandbox/plant.h"
#include "agent/sandbox/workdir.h"
#include "base/buf.h"

enum {
    CONFINE_PROCESSES_MAX = 256,
    CONFINE_SPARE = 1024,   /* threads that the user's other programs may start meanwhile */
    CONFINE_GRACE_MS = 500, /* between asking a command to end and killing it */
    CONFINE_FLOOD_BYTES = 64 * 1024 * 1024,  /* of output, after which it is ended */
    CONFINE_FILE_BYTES = 1024 * 1024 * 1024, /* of one file */
    CONFINE_TMP_BYTES = 256 * 1024 * 1024,   /* of /tmp, where the mechanism can say so */
    CONFINE_COMMAND_MAX = 64 * 1024,         /* bytes */
};

/* Of all processes of a command together, unless a job says otherwise. */
#define CONFINE_MEMORY_BYTES (UINT64_C(8) << 30) /* and never more than 3/4 of the machine's */
#define CONFINE_DISK_BYTES (UINT64_C(8) << 30)

typedef enum ConfineHow {
    CONFINE_BEST = 0,
    CONFINE_BWRAP,
    CONFINE_LANDLOCK,
    CONFINE_NOT, /* unconfined */
    CONFINE_HOWS
} ConfineHow;

/* "bwrap", "landlock", "none". */
const char *confine_name(ConfineHow how);

typedef struct ConfineJob {
    const Workdir *workdir;
    Str command;    /* for the shell */
    ConfineHow how; /* not CONFINE_BEST: confine_best() says which */
    bool network;
    int64_t time_ms;
    size_t output_max;            /* bytes that are kept: the beginning and the end */
    uint64_t memory_bytes;        /* 0: CONFINE_MEMORY_BYTES */
    uint64_t disk_bytes;          /* 0: CONFINE_DISK_BYTES */
    bool (*cancelled)(void *ctx); /* may be NULL */
    void *ctx;
} ConfineJob;

typedef enum ConfineEnd {
    CONFINE_EXITED,    /* `code` */
    CONFINE_SIGNALLED, /* `code` is the signal */
    CONFINE_TIMED_OUT,
    CONFINE_FLOODED, /* more than CONFINE_FLOOD_BYTES of output */
    CONFINE_SWARMED, /* more than CONFINE_PROCESSES_MAX processes */
    CONFINE_MEMORY,  /* more memory, of all processes together, than they may have */
    CONFINE_DISK,    /* the same */
} ConfineEnd;

typedef struct Confined {
    ConfineEnd end;
    int code;
    Str head, tail;      /* of standard output and error as they came; any bytes */
    uint64_t left_out;   /* bytes between the two */
    PlantReport planted; /* files that were moved away or restored, also where confine_run fails */
} Confined;

/* Try whether a mechanism works here: it runs `true`.  The sentence says why not. */
MUST_USE jot_status confine_try(const Workdir *workdir, ConfineHow how, Err *e);

/* The best mechanism that works; JOT_UNSUPPORTED: none does. */
MUST_USE jot_status confine_best(const Workdir *workdir, ConfineHow *out, Err *e);

/* Run a command to its end.  JOT_CANCELLED: it was killed because cancelled() said so.
 * JOT_UNSUPPORTED: it could not be confined, and was not run. */
MUST_USE jot_status confine_run(const ConfineJob *job, Arena *into, Confined *out, Err *e);

#endif
