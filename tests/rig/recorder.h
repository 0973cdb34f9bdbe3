/* recorder.h - Recorder, a hook that writes down what a store does to its disk.
 *
 * Everything that succeeded and changes names or bytes beneath one directory
 * becomes a Step, in order, with the bytes; so does every sync, and what the
 * store told its caller: an operation began, an operation was acknowledged.
 * replay.h turns the list into the states a power loss may leave.
 *
 * Without a Recording it only keeps a Live up to date. */
#ifndef RIG_RECORDER_H
#define RIG_RECORDER_H

#include "base/io.h"
#include "rig/live.h"

typedef enum StepKind {
    STEP_CREATE, /* dir, name -> inode */
    STEP_MKDIR,
    STEP_RENAME,   /* dir, name -> dir2, name2, which leads to inode now */
    STEP_EXCHANGE, /* dir2, name2 leads to inode now, and dir, name to inode2 */
    STEP_UNLINK,   /* dir, name */
    STEP_WRITE,    /* inode: data at `at` */
    STEP_TRUNCATE, /* inode: to the size `at` */
    STEP_SYNC,     /* inode, a file or a directory */
    STEP_SYNC_FAILED,
    STEP_SYNC_ALL, /* all there is */
    STEP_SYNC_ALL_FAILED,
    STEP_BEGIN, /* operation `at` of the workload begins */
    STEP_ACK,   /* operation `at` has returned */
} StepKind;

typedef struct Step {
    StepKind kind;
    int inode, inode2;
    int dir, dir2;
    const char *name, *name2;
    uint64_t hash, hash2; /* of the names */
    Str data;
    off_t at;
    const char *about; /* for people */
} Step;

typedef struct Recording {
    Arena arena; /* holds everything below */
    Image start; /* what was there before the first step */
    bool *dirs;  /* by inode: it is a directory */
    size_t inodes, dirs_cap;
    Step *steps;
    size_t n, cap;
} Recording;

typedef struct Recorder {
    IoHook hook;        /* hang this into an Io */
    const IoHook *next; /* asked first, may be NULL: injects the faults */
    Live *live;
    Recording *to;   /* NULL: only follow */
    uint64_t strays; /* changes to something beneath the directory that nobody had announced */
} Recorder;

/* Follow what happens in `live`, and record it if `to` is not NULL (it must be {0}). */
void recorder_start(Recorder *r, Live *live, Recording *to, const IoHook *next);
/* The workload's operation `number` begins; it has returned. */
void recorder_begin(Recorder *r, size_t number);
void recorder_ack(Recorder *r, size_t number);

void recording_free(Recording *recording);
DEFINE_AUTO(Recording, recording_free)

#endif
