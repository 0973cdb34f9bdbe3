/* desk.h - Desk, a place at which the nouns are tried: a pad on one engine, with a clock of its
 * own.
 *
 * Every test is run once for each engine.  Time stands still unless a test moves
 * it; randomness is a count, so two runs give the same bytes. */
#ifndef TESTS_MEMORY_DESK_H
#define TESTS_MEMORY_DESK_H

#include <sys/types.h>

#include "memory/memory.h"
#include "unit/unit.h"

typedef struct Desk {
    const char *engine; /* "mem", "files", "sqlite", "postgres" or "redis" */
    char dir[64];       /* for the pad and whatever else; removed afterwards */
    char url[200];
    Memory m; /* open, and allowed to write, as "ann" */
    Arena a;  /* for results */
    Err e;    /* of the last call */
    Io io;    /* of every handle */
    int64_t now_ms, awake_ms;
    uint64_t random;
    pid_t pid; /* of who set it up */
    char boot[33];
} Desk;

typedef struct DeskTest {
    const char *name;
    void (*run)(Desk *d);
} DeskTest;

#define DESK_TEST(function) \
    {                       \
#function, function \
    }

/* Run all tests on every engine that keeps what it is told over a restart, and on mem: unless
 * `lasting`.  The result is for main().  With JOT_TEST_DESK in the environment on that one, which
 * is on a server. */
int desk_run(const DeskTest *tests, size_t n, bool lasting);
/* Run all tests on one engine, where that makes no difference. */
int desk_run_on(const char *engine, const DeskTest *tests, size_t n);

/* Is the pad on a server?  Then it has no file here, and time is the server's. */
bool desk_on_server(const Desk *d);
/* S3 has no step over two streams, so there is no lease on all names that begin alike. */
bool desk_leases_prefixes(const Desk *d);

/* Time passes until what was given for `ms` counts as over for everybody: on a server that is a
 * margin later, for its clock may step. */
void desk_outlast(Desk *d, int64_t ms);

/* A document is written, a second later than what was before it. */
Mark desk_put(Desk *d, const char *stream, const char *text);

/* A second handle on the same pad (not for mem:), as somebody else. */
Memory desk_open(Desk *d, const char *by);
/* Close and open again, as a new process would. */
void desk_reopen(Desk *d);

/* How many files of the desk hold this text; all of them are read, whatever they are. */
size_t desk_files_with(Desk *d, const char *text);

/* Wait for a process of the test's own: true if it came to its end, which must be 0, false if it
 * was killed by SIGKILL, which is the only other way. */
bool desk_lived(pid_t child);

/* The call must end so; what it said is printed if not. */
#define desk_expect(d, status, call) desk_check((d), (status), (call), #call, __FILE__, __LINE__)
#define desk_ok(d, call) desk_expect((d), JOT_OK, (call))
void desk_check(Desk *d, jot_status want, jot_status got, const char *call, const char *file,
                int line);

#define assert_text(got, want) assert_str((got), str(want))
void assert_has(Str text, const char *part);
void assert_says(const Desk *d, const char *part); /* the last error's sentence holds this */

#endif
