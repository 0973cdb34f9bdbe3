/* bench.h - Bench, what the parts of the rig share: options, directories, counters, reports. */
#ifndef CRASH_BENCH_H
#define CRASH_BENCH_H

#include "oracle.h"
#include "secret.h"

typedef struct Options {
    const char *engine;
    const char *part;     /* power, kill or fault; NULL: all of them */
    const char *workload; /* NULL: all of them */
    size_t share, shares; /* only every shares-th workload, from the share-th on */
    size_t states;        /* about how many different disks to look at */
    const char *model;    /* NULL: all of them */
    const char *only;     /* the one case to look at, as it was printed; NULL: all */
    uint64_t seed;
    bool quick;
    bool steps;  /* show every recording */
    bool silent; /* violations are counted and not told */
} Options;

typedef struct Totals {
    uint64_t states;   /* crash states judged */
    uint64_t distinct; /* different disks among them, each opened, read and written */
    uint64_t largest;  /* most of these in one workload */
    uint64_t kills, kills_again;
    uint64_t faults;
    uint64_t workloads;
    uint64_t violations;
} Totals;

typedef struct Bench {
    const Options *options;
    const Target *target;
    char home[100]; /* for everything; removed at the end */
    char work[120]; /* where stories are told */
    char look[120]; /* where the oracle looks: in memory */
    char real[120]; /* where it looks once more, at some of the disks: in the file system */
    Totals totals;
    uint64_t *disks; /* hashes of the disks counted, a hash table */
    size_t disks_n, disks_cap;
} Bench;

/* Violations that are reported before a part gives up on a workload. */
enum { REPORTS_MAX = 3 };

void bench_init(Bench *b, const Options *o, const Target *t);
void bench_done(Bench *b);

/* An empty directory in the place of `path`. */
void bench_clear(const char *path);

/* Count a disk; true if it is the first of its kind. */
bool bench_count_disk(Bench *b, uint64_t hash);

/* Say which case is running, by the options that choose it: they are printed with a violation, and
 * if the process dies or hangs in it. */
void bench_case(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* In a child process: its death leaves the parent's directories alone. */
void bench_disown(void);

/* Report a violation in the present case.  `about` says more, or is ""; `image` is the disk to
 * keep for inspection, or NULL. */
void bench_violation(Bench *b, const char *wrong, const char *about, const Image *image);

/* What --state says of the case of this name: the name alone, what is to be looked at behind it
 * ("NAME+REST": REST is returned), or another case. */
typedef enum Wanted { WANTED_NOT, WANTED_ALL, WANTED_ALONE, WANTED_BEHIND } Wanted;
Wanted bench_wanted(const Bench *b, const char *name, const char **rest);

/* True if the workload is for this engine and this share of the work. */
bool bench_wants(const Bench *b, const Workload *w);

/* A workload told once, without faults: what a crash may interrupt. */
typedef struct Reference {
    History history;
    Recording recording;
} Reference;
MUST_USE bool reference_make(Bench *b, const Workload *w, Reference *out);
void reference_done(Reference *ref);

/* What is done after a crash that left `seen`, as a story of its own.  Ends in DO_NOTHING. */
enum { RECOVERY_MAX = ORACLE_STREAMS + SECRET_AGAIN_MAX + 1 };
void recovery_story(const Oracle *o, const Snapshot *seen, Action out[RECOVERY_MAX]);

/* With --steps: print what was recorded. */
void bench_show(const Bench *b, const Recording *recording, const char *of);

/* Open descriptors of this process, without those that the oracle holds. */
size_t bench_descriptors(const Oracle *o);

/* The parts. */
void power_run(Bench *b, const Workload *w);
void kill_run(Bench *b, const Workload *w);
void fault_run(Bench *b, const Workload *w);

#endif
