/* jail.h - Jail, all that the process of a command is told before it begins.
 *
 * It is made before the fork, because between fork and exec nothing may be
 * allocated: another thread may hold the allocator's lock for ever. */
#ifndef AGENT_JAIL_H
#define AGENT_JAIL_H

#include <linux/filter.h>
#include <sys/types.h>

#include "agent/confine.h"

enum {
    JAIL_FILTER_MAX = 256, /* instructions */
    JAIL_FILTER_FD = 3,    /* where bwrap finds the filter */
    JAIL_STAND_INS = 8,    /* files beside a database */
};

typedef struct Jail {
    char *const *argv; /* argv[0] is a path */
    char *const *envp;
    const char *cwd;
    Fd ruleset;   /* of Landlock; FD_NONE: none */
    Fd filter_fd; /* the filter for bwrap, to be JAIL_FILTER_FD; FD_NONE: none */
    struct sock_fprog filter;
    bool sealed; /* no privileges, no new ones, and `filter` */
    Fd output;   /* standard output and error */
    /* Empty files that stand where a command must make none; the path is NULL if there is none. */
    struct {
        Fd fd;
        char *path;
    } stand_ins[JAIL_STAND_INS];
    char *herd;      /* a control group with a limit, to be removed afterwards; NULL: none */
    Fd herd_fd;      /* through which a process joins it; FD_NONE: none */
    uint64_t nproc;  /* processes its user may have; 0: not limited so */
    int64_t time_ms; /* of processor, for each process */
    Str tmp;         /* a directory to be removed afterwards; empty: none */
    char *tmp_path;  /* the same, as a C string */
} Jail;

void jail_done(Jail *j);
DEFINE_AUTO(Jail, jail_done)

/* argv and envp for bwrap, or for a plain shell. */
MUST_USE jot_status jail_bwrap(const ConfineJob *job, Arena *into, Jail *out, Err *e);
void jail_release(Jail *j); /* the stand-ins; nothing is allocated */
MUST_USE jot_status jail_landlock(const ConfineJob *job, Arena *into, Jail *out, Err *e);
MUST_USE jot_status jail_open(const ConfineJob *job, Arena *into, Jail *out, Err *e);

/* The environment: a few names with harmless values, HOME and TMPDIR being `tmp`. */
char **jail_environment(Str tmp, Str dir, Arena *into);
/* The command's argv: bash if there is one. */
void jail_shell(const ConfineJob *job, Arena *into, const char **argv, size_t *n);
/* A directory of its own for temporary files. */
MUST_USE jot_status jail_tmp(Arena *into, Jail *out, Err *e);

/* Limit the number of processes by a control group, if that can be done here; and remove it. */
void jail_herd(Jail *j, unsigned max, Arena *into);
void jail_disband(Jail *j); /* nothing is allocated */

/* The files that hold the machine's secrets; ends with NULL. */
extern const char *const jail_hidden[];

/* System calls that a command has no business with; returns the number of instructions, 0 if this
 * machine's are not known.  `internet`: its sockets are allowed; no others ever are.
 * `mounts`: files that must not change are mounted so. */
size_t jail_filter(struct sock_filter out[JAIL_FILTER_MAX], bool internet, bool mounts);

/* --- The keeper: a process between us and the command (keeper.c) --------------------------- */

typedef enum KeeperEnd {
    KEEPER_EXITED = 1,
    KEEPER_SIGNALLED,
    KEEPER_SWARMED,
    KEEPER_FAILED, /* it was not run: `code` is errno */
} KeeperEnd;

typedef struct KeeperReport {
    KeeperEnd end;
    int code;
    bool stopped;  /* it was still running when it was told to end */
    char what[32]; /* of KEEPER_FAILED: what did not work */
} KeeperReport;

/* Words to the keeper, one byte each; the end of the channel means KEEPER_KILL. */
enum { KEEPER_TERM = 'T', KEEPER_KILL = 'K' };

/* Become the keeper of a new command: for a process just forked, which ends here.  Writes one
 * KeeperReport to `report` when everything has ended. */
NO_RETURN void jail_keep(Jail *j, int control, int report);

#endif
