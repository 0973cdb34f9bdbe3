/* oracle.h - Oracle, who lets a store loose on what a crash has left and says whether it is right.
 *
 * Looking is: open as always, read everything, write to one or two streams,
 * close, open again, read everything again.  Between the two readings a
 * stream may have grown by what was in flight when the crash came: the next
 * writer decides what becomes of a dead one's work.  It never shrinks.  What was seen depends on
 * the disk alone, so it is remembered by the disk's hash: the same disk met again, with more
 * acknowledged, costs nothing and is still judged.
 *
 * Looking is done on the ramdisk, where it costs a fraction.  A twin looks at one disk in a few
 * dozen on a real file system, and must see the same.
 *
 * Where there is a secret, its bytes are looked for in every file before the store is opened, and
 * once more when it was forgotten again at the end.
 *
 * Judging compares what was seen with what may be there. */
#ifndef CRASH_ORACLE_H
#define CRASH_ORACLE_H

#include "rig/replay.h"
#include "run.h"

enum { ORACLE_STREAMS = 2 };

typedef struct Seen {
    Arena arena;
    uint64_t digest; /* of all that follows */
    char wrong[400]; /* "": the store came up, took its writes and agrees with itself */
    Snapshot first;  /* before anything was written */
    Snapshot second; /* after it, without what the oracle itself has written */
    uint64_t found;  /* bit i: the text of edit i is still somewhere in the pad */
    bool secret;     /* the secret is in a file of the disk as the crash has left it */
} Seen;

typedef struct Oracle {
    const Target *target;
    const Workload *workload;
    const char *streams[ORACLE_STREAMS]; /* written to after a crash */
    size_t streams_n;
    const History *history; /* for its edits */
    char root[200];
    Live live;
    Recorder follow;
    TestIo io;
    bool thorough; /* every door of the store is tried in every look */
    Doors doors;
    uint64_t looks;
    struct Oracle *twin; /* looks at some of the disks too, in another file system; or NULL */
    Seen **seen;         /* each kind of sight once */
    size_t seen_n, seen_cap;
    struct Known {
        uint64_t disk;
        size_t seen;
    } * known; /* a hash table */
    size_t known_n, known_cap;
} Oracle;

/* `root` is a directory of the oracle's own. */
void oracle_init(Oracle *o, const Target *t, const Workload *w, const History *h, const char *root);
void oracle_done(Oracle *o);
/* Somebody else was in the oracle's directory: take stock of it again. */
void oracle_refresh(Oracle *o);

/* The sight of a disk after `boot`; *fresh is true if nobody had looked at it before. */
const Seen *oracle_state(Oracle *o, const Image *image, uint64_t hash, const char *boot,
                         bool *fresh);
/* The sight of the oracle's directory as it is now.  Valid until the next call. */
const Seen *oracle_look(Oracle *o, const char *boot);
/* The same where `image` is what it holds, which may have been seen before. */
const Seen *oracle_left(Oracle *o, const Image *image, const char *boot);

/* What came before the crash. */
typedef struct Past {
    const History *history;
    size_t begun, acked;
    bool kept; /* nothing that was written is lost: a process died and not the machine */
} Past;

/* True if what was seen may follow from the past; else a sentence. */
MUST_USE bool oracle_judge(const Seen *seen, const Past *past, char *wrong, size_t size);

/* What was seen, record by record. */
void oracle_describe(const Seen *seen, Buf *to);

#endif
