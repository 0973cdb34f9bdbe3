/* jail.h - Jail, all that the process of a command needs before it begins.
 *
 * It is made before the fork, because between fork and exec nothing may be
 * allocated: another thread may hold the allocator's lock for ever. */
#ifndef AGENT_SANDBOX_JAIL_H
#define AGENT_SANDBOX_JAIL_H

#include <linux/filter.h>
#include <sys/types.h>

#include "agent/sandbox/confine.h"
#include "agent/sandbox/plant.h"

enum {
    JAIL_FILTER_MAX = 1024, /* instructions */
    JAIL_FILTER_FD = 3,     /* where bwrap finds the filter */
    JAIL_SELF_FD = 4,       /* where it finds this program, to be run inside */
    JAIL_STAND_INS = WORKDIR_BESIDE,
    JAIL_LEFT_MS = 5000, /* in which nothing ended, after which the supervisor gives up killing */
    JAIL_ENDING_MS = 60000, /* the same, whatever ends: a machine may have much else to do */
    JAIL_GROUPS = 2,        /* the older kind of control groups has one for each controller */
};

/* A control group with limits, to be removed afterwards. */
typedef struct JailGroup {
    char *path; /* NULL: none */
    Fd fd;      /* through which a process joins it; FD_NONE: none */
    Fd events;  /* where it tells of processes that were killed for memory; FD_NONE: nowhere */
} JailGroup;

typedef struct Jail {
    char *const *argv; /* argv[0] is a path */
    char *const *envp;
    const char *cwd;
    Fd ruleset;   /* of Landlock; FD_NONE: none */
    Fd filter_fd; /* the filter for bwrap, to be JAIL_FILTER_FD; FD_NONE: none */
    Fd self_fd;   /* this program, to be JAIL_SELF_FD; FD_NONE: none */
    struct sock_fprog filter;
    bool sealed; /* no privileges, no new ones, and `filter` */
    Fd output;   /* standard output and error */
    /* Empty files that stand where a command must make none; the path is NULL if there is none. */
    struct {
        Fd fd;
        char *path;
    } stand_ins[JAIL_STAND_INS];
    JailGroup groups[JAIL_GROUPS];
    Fd fence;              /* a ruleset that keeps the supervisor's signals in; FD_NONE: none */
    uint64_t nproc;        /* processes its user may have; 0: not limited so */
    int64_t time_ms;       /* of processor, for each process */
    uint64_t memory_bytes; /* of all processes together */
    uint64_t disk_bytes;   /* the same */
    int workdir_fd;        /* the working directory; borrowed */
    PlantWatch *plants;    /* what is to be kept as it is; NULL: nothing */
    /* A directory for temporary files, to be removed afterwards; empty: none. */
    Str tmp;
    const char *tmp_name; /* the last part of it */
    Fd tmp_fd, tmp_above; /* the directory, and the one it is in */
} Jail;

Jail jail_none(void); /* nothing is open */
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

/* Limit the number of processes and their memory by control groups, if that can be done here; and
 * remove them. */
void jail_limits(Jail *j, unsigned processes_max, Arena *into);
void jail_limits_done(Jail *j); /* nothing is allocated */
/* True if a control group limits their memory; and if one of them was killed because all had too
 * much.  Nothing is allocated. */
bool jail_limits_have_memory(const Jail *j);
bool jail_limits_starved(const Jail *j);

/* What of /sys a command may read: processors, memory, limits.  Ends with NULL. */
extern const char *const jail_sys_readable[];

/* Paths of the machine that a command must not read; each stands for all below it. */
typedef struct JailHidden {
    Str *at; /* followed by a NUL each */
    size_t n, cap;
} JailHidden;
void jail_hidden(Arena *into, JailHidden *out);
/* The trees they are in; ends with NULL. */
extern const char *const jail_secret_trees[];
/* True if everybody may read it, and enter it if it is a directory. */
bool jail_is_for_all(const struct stat *info);

/* Remove a directory that a command has written in; `above` is where its name is.  Nothing is
 * allocated. */
void jail_remove(int above, const char *name, int dir);

/* --- System calls (filter.c) ---------------------------------------------------------- */

/* System calls that a command has no business with; returns the number of instructions, 0 if this
 * machine's are not known.  `internet`: its sockets are allowed; no others ever are.
 * `namespaces`: it has its own, and files that must not change are mounted so. */
size_t jail_filter(struct sock_filter out[JAIL_FILTER_MAX], bool internet, bool namespaces);

/* --- Inside bwrap (jail_inside.c) ---------------------------------------------------------- */

/* argv for this program as bwrap runs it: it puts the second wall up, then becomes the command
 * whose argv follows. */
void jail_inside(const char *dir, const char **argv, size_t *n);

/* A ruleset for a process that is in namespaces already: what is there now is read, but nothing
 * written beyond the working directory, /tmp and a few devices.  JOT_UNSUPPORTED: this kernel has
 * none, or not one that lets files be moved. */
MUST_USE jot_status jail_second_wall(const char *dir, Fd *out, Err *e);
#define JAIL_RESTRICT_SELF 446 /* landlock_restrict_self: the same number on every machine */

/* --- The command's own process (jail_enter.c) ---------------------------------------------- */

/* Become the command: for a process just forked. */
NO_RETURN void jail_enter(const Jail *j, int report);
/* Say what did not work, with errno, and end. */
NO_RETURN void jail_fail(int report, const char *what);
/* Bound the memory of this process and of each it starts. */
MUST_USE bool jail_limit_data(void);

#endif
