/* bench.h - Bench, a files pad on the workbench: with people, other processes, faults and reboots.
 *
 * A test gets a fresh directory in memory.  It speaks to the pad through the
 * store, and past it through the file system, as a person does.  Traps hang in
 * the Io: at a named step something happens, or fails.  A reboot is another
 * boot id and a new handle; nothing here waits for a clock. */
#ifndef FILES_BENCH_H
#define FILES_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "store/engine.h"

typedef struct Bench Bench;

/* Something that happens at one step of the store.  {0} in a row is no trap. */
typedef struct Trap {
    IoKind kind;    /* IO_KINDS: any */
    const char *at; /* the file's path ends so, or one of a rename's names does; NULL: any */
    int skip;       /* so many pass first */
    long answer;    /* what the hook says: 0, -errno or IO_PRETEND */
    bool stays;     /* springs every time from then on */
    size_t cut;     /* writes: only so many bytes happen; 0: all */
    void (*act)(Bench *b, IoCall *call);
    bool set;
    int sprung;
} Trap;

enum { BENCH_TRAPS = 6 };

struct Bench {
    char dir[64];  /* the test's own */
    char path[80]; /* the pad in it */
    char url[128];
    Io io;
    IoHook hook;
    bool deaf; /* no trap springs and nothing is counted */
    Trap traps[BENCH_TRAPS];
    int calls[IO_KINDS];
    void (*asleep)(Bench *b); /* instead of sleeping, if set */
    Store *s;                 /* the handle in use */
    Arena arena;              /* whatever the calls below return lives here */
    Err e;
    int held;    /* a descriptor a test keeps for somebody; -1: none */
    int pipe[2]; /* from another process to this one, where a test needs it */
    pid_t other;
};

/* cmocka's setup and teardown: *state is the Bench, with a new pad open. */
int bench_new(void **state);
int bench_free(void **state);
/* The same without a pad. */
int bench_empty(void **state);

#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_new, bench_free)
#define EMPTY_TEST(f) cmocka_unit_test_setup_teardown(f, bench_empty, bench_free)

/* --- Opening --------------------------------------------------------------------------- */

/* Another handle, or NULL with b->e set. */
Store *open_pad(Bench *b, StoreOptions options);
/* Close the handle in use and open a new one. */
void reopen(Bench *b);
/* The same after the machine went down and came up. */
void reboot(Bench *b);
/* The same where the file system is seen through another mount: it was gone in between, or this is
 * another view of it.  "": the system has no word for mounts. */
void remount(Bench *b, const char *mount);
/* Does the pad say that every view was compared, under this boot and mount? */
bool compared(Bench *b);
/* After a reboot, for looking only. */
void reboot_read_only(Bench *b);

/* --- Through the store ----------------------------------------------------------------- */

#define ANYTHING ((Expect){ .kind = EXPECT_ANY })
#define NOTHING ((Expect){ .kind = EXPECT_ABSENT })
#define AT_SEQ(n) ((Expect){ .kind = EXPECT_SEQ, .seq = (n) })
#define VERSION(text) ((Expect){ .kind = EXPECT_HASH, .sha256 = hash_of(str(text)) })

/* Appends by "ann" that may fail. */
jot_status try_put(Bench *b, const char *stream, Expect expect, const char *text, Mark *out);
jot_status try_entry(Bench *b, const char *stream, const char *text, Mark *out);
jot_status try_delete(Bench *b, const char *stream, Mark *out);
/* Appends that must succeed. */
Mark put(Bench *b, const char *stream, const char *text);
Mark entry(Bench *b, const char *stream, const char *text);
Mark bury(Bench *b, const char *stream);

Record head(Bench *b, const char *stream);
jot_status try_head(Bench *b, const char *stream, Record *out);
Records records(Bench *b, const char *stream);
Listing listed(Bench *b, const char *prefix);
Changes changes(Bench *b, const Cursor *cursor, int64_t wait_ms);
bool lists(Bench *b, const char *prefix, const char *name);
bool names(const Changes *c, const char *name);

/* --- Past the store -------------------------------------------------------------------- */

/* Paths are relative to the pad.  Directories are made as needed. */
void person_writes(Bench *b, const char *path, const char *text); /* in place */
void person_saves(Bench *b, const char *path, const char *text);  /* beside it, then renamed */
void person_removes(Bench *b, const char *path);
void write_bytes(Bench *b, const char *path, Str bytes);
bool there(Bench *b, const char *path);
Str bytes_of(Bench *b, const char *path); /* empty if it is not there */
ino_t inode_of(Bench *b, const char *path);
char *full_path(Bench *b, const char *path);
/* How many names that do not begin with '.' a directory has; 0 if it is not there. */
int files_in(Bench *b, const char *path);
/* How many files in quarantine/ hold exactly these bytes, or anything (NULL). */
int quarantined(Bench *b, const char *text);
/* Everything below `path` (absolute): names, kinds, modes, times and bytes. */
Str tree_of(Bench *b, const char *path);
/* The path of a file below the pad that holds this text, or NULL. */
const char *find_text(Bench *b, const char *text);

/* --- Traps and others ------------------------------------------------------------------ */

Trap *trap(Bench *b, Trap t);
void traps_clear(Bench *b);
int open_descriptors(void);

/* Run `f` in another process; true if it returned true. */
bool elsewhere(Bench *b, bool (*f)(Bench *b));
/* Start it there; the parent goes on. */
pid_t start_elsewhere(Bench *b, bool (*f)(Bench *b));
bool finish(pid_t pid);
/* Kill this process. */
void die_here(Bench *b, IoCall *call);
/* Stop it until somebody continues it. */
void stop_here(Bench *b, IoCall *call);
void wait_until_stopped(pid_t pid);
void kill_it(pid_t pid);

/* --- Checks ---------------------------------------------------------------------------- */

void check_text(Str got, const char *want, const char *file, int line);
#define assert_text(got, want) check_text((got), (want), __FILE__, __LINE__)

void check_status(jot_status got, jot_status want, const Err *e, const char *file, int line);
#define assert_status(b, call, want) check_status((call), (want), &(b)->e, __FILE__, __LINE__)
#define assert_ok(b, call) assert_status(b, call, JOT_OK)

/* The record with this seq has this author and body (NULL: it is a tombstone). */
void check_version(Bench *b, const char *stream, uint64_t seq, const char *by, const char *body,
                   const char *file, int line);
#define assert_version(b, stream, seq, by, body) \
    check_version((b), (stream), (seq), (by), (body), __FILE__, __LINE__)

#endif
