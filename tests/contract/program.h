/* program.h - a random program over all operations of a store, written in small numbers.
 *
 * Steps speak of streams, bodies and ids by index and of seqs relative to the
 * head at that moment, so that a program stays meaningful when steps before it
 * are left out.  The same seed gives the same program for ever. */
#ifndef CONTRACT_PROGRAM_H
#define CONTRACT_PROGRAM_H

#include "base/buf.h"
#include "contract.h"

typedef enum StepKind {
    STEP_APPEND,
    STEP_BURST, /* many appends, to get beyond the window of ids */
    STEP_HEAD,
    STEP_READ,
    STEP_LIST,
    STEP_CHANGES,
    STEP_TRIM,
    STEP_REDACT,
    STEP_PURGE,
    STEP_PUT_RECORDS,
    STEP_PLACE, /* one record, somewhere around the head */
    STEP_FORGET_BEFORE,
    STEP_CLOCK,
    STEP_REOPEN,
    STEP_COPY, /* of the whole pad, to a fresh one in memory */
    STEP_KINDS
} StepKind;

/* What may be wrong with verbatim records. */
typedef enum Flaw {
    FLAW_NONE,
    FLAW_GAP,
    FLAW_CHAIN,
    FLAW_TIME,
    FLAW_FENCE,
    FLAW_HASH,
    FLAW_LAST_CHAIN,
    FLAW_COUNT
} Flaw;

/* All fields are small numbers; 0 is always the simplest choice. */
typedef struct Step {
    StepKind kind;
    int handle;
    int stream; /* index of a name; LIST: of the prefix */
    Op op;
    ExpectKind expect;
    int shift;       /* of a seq from the head; CLOCK: milliseconds */
    int version;     /* EXPECT_HASH: index of the body */
    int guard;       /* 0: none; else index of a name, plus 1; LIST: of the name to come after */
    int guard_shift; /* PLACE: of the seq that is expected */
    int body, meta, id, by;
    int fence;
    int n;      /* READ, LIST: limit; BURST, PUT_RECORDS: how many */
    int choice; /* HEAD: HeadWant; LIST: ListWhich; PUT_RECORDS: Flaw; REOPEN: reboot */
} Step;

enum { PROGRAM_MAX = 120 };

typedef struct Program {
    uint64_t seed;
    int n;
    Step steps[PROGRAM_MAX];
} Program;

Program program_make(uint64_t seed);
/* One line a step. */
void program_print(Buf *to, const Program *program);

/* What the indexes mean. */
enum { NAMES = 15, BODIES = 12, METAS = 5, IDS = 4, AUTHORS = 3, PREFIXES = 8 };
Str name_of(int i);
/* Of the keys two differ only in case, unless the engine does not compare them (servers). */
void names_have_twins(bool have);
Str body_of(int i);
Str meta_of(int i);
Str id_of(int i);
Str author_of(int i);
Str prefix_of(int i);

/* --- Comparing (compare.c) ------------------------------------------------------------- */

/* Counted over all runs, in the children too. */
typedef struct Counters {
    uint64_t operations;
    int step; /* the one at which the last run failed */
} Counters;
Counters *counters(void);

/* Run it on a model in memory and on the engine.  False if any answer differs; `why`
 * (CHILD_WHY_MAX bytes) then has both. */
bool program_agrees(const Program *program, const Engine *engine, char *why);

/* --- Shrinking (shrink.c) -------------------------------------------------------------- */

/* The smallest program found that still fails, and why it does. */
Program program_shrink(const Program *program, bool (*agrees)(const Program *, void *ctx),
                       void *ctx);

#endif
