/* yard.h - Yard, a place to try confined commands in: a working directory with a pad in it, and
 * something outside that no command may reach.
 *
 * A trial is run for every mechanism that works here, as the user who runs the
 * test and, if that is root, as nobody too. */
#ifndef TESTS_AGENT_YARD_H
#define TESTS_AGENT_YARD_H

#include "agent/sandbox/confine.h"
#include "unit/unit.h"

enum {
    YARD_MS = 60000,        /* of a command, unless said */
    YARD_OUTPUT = 4096,     /* bytes */
    YARD_WAIT_TRIES = 6000, /* of 10 ms: only keeps a mistake from hanging */
};

/*   work/sub               empty
 *   work/deep/pad          a pad with the note "key"
 *   work/pad.db            a file that is taken for a database
 *   work/.jotter           a pad like that, where it is asked for
 *   own/state              the user's state, with a secret; beside it the configuration, which is
 *                          not there yet; or elsewhere, where it is asked for
 *   outside/secret         what nobody may see */
typedef struct Yard {
    ConfineHow how;
    char dir[64], work[80];
    Workdir workdir;
    Arena a;
    Err e;
} Yard;

typedef struct Trial {
    const char *name;
    void (*run)(Yard *y);
    const char *pad;  /* where it lies, below the yard's directory */
    bool needs_walls; /* true of confined commands only */
    const char *own;  /* where the user's own lies, below the yard's directory */
} Trial;

#define TRIAL(function, pad, walls) TRIAL_OWN(function, pad, walls, "own")
/* Where the user's own lies in the working directory, Landlock lets nothing be made in the
 * directories above it. */
#define TRIAL_OWN(function, pad, walls, own) \
    {                                        \
#function, function, pad, walls, own \
    }

/* Run all of them; the result is for main(). */
int yard_run(const char *group, const Trial *trials, size_t n);

/* Remove the yard, and leave the test out. */
void yard_skip(Yard *y);

/* A job of the yard; the caller adds what it wants otherwise. */
ConfineJob yard_job(Yard *y, const char *command);
/* What came of a command; that it could be run is asserted. */
Confined yard_command(Yard *y, const char *command);
Confined yard_command_for(Yard *y, const char *command, int64_t time_ms);
/* The command must print exactly this; NULL: anything. */
void yard_prints(Yard *y, const char *command, const char *want);
/* The command must fail, whatever it says. */
void yard_fails(Yard *y, const char *command);

/* A path below the yard's directory, in its arena. */
const char *yard_path(Yard *y, const char *name);
void yard_put(const char *path, const char *text);
/* The file must have exactly this in it. */
void yard_holds(Yard *y, const char *name, const char *want);
/* Wait until a file is there. */
void yard_await(Yard *y, const char *name);

#endif
