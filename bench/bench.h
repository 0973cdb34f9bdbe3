/* bench.h - measuring the store beside the limits of the machine it runs on.
 *
 *   store.c    the program: options, the table of measurements, cleaning up
 *   race.c     timing two or more sides, interleaved
 *   report.c   one line a measurement
 *   limit.c    what the machine allows: bare files, a bare SQLite database
 *   pad.c      pads and texts to measure with
 *   single.c   R1, R2, R3, R14: one process, one stream
 *   crowd.c    R4: eight processes
 *   growth.c   R10, R11: many streams
 *   context.c  R12: a context from a long run
 *   start.c    how long the program takes to start
 *
 * An absolute time means nothing on another day, so everything is a ratio of
 * two sides that take turns every few operations within one run.  A round
 * gives one ratio, that of the medians of its turns; a line shows the median,
 * the least and the most of the rounds.  Nothing here judges: a goal that is
 * missed is printed, and the exit status is that of a run that worked. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <sqlite3.h>

#include "store/store.h"

enum {
    ROUNDS_MAX = 99,
    SIDES_MAX = 4,
    CROWD = 8,            /* processes of R4 */
    STREAMS_FEW = 1000,   /* the small pad of R10 */
    PAGE = 100,           /* names of R11 */
    AROUND = 100,         /* other notes in a pad with one that is measured */
    BENCH_PATH_MAX = 512, /* of a file that is measured */
};

typedef struct Bench {
    const char *disk;    /* our directory where syncs cost what they cost */
    const char *fill;    /* our directory for many streams */
    const char *only;    /* "R1,R3": which measurements; NULL: all */
    const char *jotter;  /* the program whose start is measured ... */
    const char *nothing; /* ... and the one that does nothing */
    const char *one;     /* the only engine; NULL: all */
    unsigned rounds;
    uint64_t streams; /* of the large pad */
    bool json;
    bool smoke;     /* a few operations of each, to see that it runs */
    unsigned lines; /* printed so far */
} Bench;

/* End the run with a sentence: a measurement that went wrong is none. */
NO_RETURN void die(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The same for a call that must succeed; says errno. */
void must(bool good, const char *what);
void must_ok(jot_status st, const Err *e, const char *what);

/* --- race.c ---------------------------------------------------------------------------- */

/* One thing that is timed: `step` is one operation. */
typedef struct Side {
    void (*step)(void *ctx);
    void *ctx;
} Side;

typedef struct Race {
    const Side *sides;
    size_t n;
    unsigned batch; /* operations between two looks at the clock */
    unsigned turns; /* batches of each side in a round */
} Race;

/* Microseconds an operation, for each side and round. */
typedef struct Times {
    double us[SIDES_MAX][ROUNDS_MAX];
    unsigned rounds;
} Times;

/* Warm up, then run the rounds.  The sides take turns, and so does who comes first. */
void race_run(const Bench *b, const Race *race, Times *out);

double now_us(void);
double median(const double *values, size_t n);

/* Stay on one processor, or be free again: a wake-up across processors costs more than most of
 * what is measured here. */
void pin(void);
void unpin(void);
int pinned_to(void);

/* --- report.c -------------------------------------------------------------------------- */

typedef enum GoalKind { GOAL_NONE, GOAL_AT_MOST, GOAL_AT_LEAST } GoalKind;

typedef struct Goal {
    GoalKind kind;
    double ratio;
} Goal;

typedef struct Line {
    const char *id;     /* "R1" */
    const char *engine; /* "files" */
    const char *what;   /* "overwrite 2 KiB / raw append+fdatasync" */
    Goal goal;
} Line;

void report_header(const Bench *b);
/* The ratio of side `a` to side `b`. */
void report_times(Bench *bench, const Line *line, const Times *t, size_t a, size_t b);
/* How much more side `a` gets done than side `b`: the ratio of speeds. */
void report_speed(Bench *bench, const Line *line, const Times *t, size_t a, size_t b);
/* A count beside another one, which needs no rounds. */
void report_bytes(Bench *bench, const Line *line, double a, double b);
/* Something to know that is no measurement of a goal. */
void report_note(const Bench *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

bool wanted(const Bench *b, const char *id);

/* --- pad.c ----------------------------------------------------------------------------- */

/* A text that is another one each time: engines skip writing what is there already. */
typedef struct Text {
    char *p;
    size_t n;
    uint64_t turn;
} Text;

Text text_new(size_t n);
Str text_next(Text *t);
void text_free(Text *t);

/* Open a pad called `name` in `dir`, making it if it is not there.  NULL if the engine is not in
 * this build. */
Store *pad_open_in(const char *dir, const char *engine, const char *name);
void pad_put(Store *s, Str stream, Str body);
/* One record more at the end of a log. */
void pad_add(Store *s, Str stream, Str body);
/* The name of the n-th note, in `name`. */
typedef struct NoteName {
    char text[32];
} NoteName;
Str note_name(NoteName *name, uint64_t n);
/* Write that many notes of 200 bytes; `progress` tells of it on stderr.  Returns notes a second. */
double pad_fill(Store *s, uint64_t notes, bool progress);

/* Remove a directory and all that is in it; silent if it is not there. */
void remove_tree(const char *path);
/* The sizes of all regular files in it, as st_size says. */
uint64_t tree_bytes(const char *path);

/* --- limit.c --------------------------------------------------------------------------- */

/* A file that is appended to and synced. */
typedef struct RawLog {
    Fd fd;
    Text text;
} RawLog;
RawLog raw_log_open(const char *dir, const char *name, size_t bytes);
void raw_log_step(void *raw_log);
void raw_log_close(RawLog *r);

/* A file that is replaced: temp, fsync, rename, fsync of the directory. */
typedef struct RawFile {
    Fd dir;
    char path[BENCH_PATH_MAX];
    Text text;
} RawFile;
RawFile raw_file_open(const char *dir, size_t bytes);
void raw_file_replace(void *raw_file);
/* open, read, close. */
void raw_file_read(void *raw_file);
void raw_file_close(RawFile *r);

/* Every name of a directory, once. */
uint64_t raw_names(const char *path);

/* One table with what an engine has to keep of a note's head, and nothing around it. */
typedef struct Bare {
    sqlite3 *sql;
    sqlite3_stmt *put, *add, *get, *list;
    Text text;
    uint64_t turn;  /* the key of the next row added */
    uint64_t notes; /* how many there are to choose from */
    char name[32];  /* the note that is written and read */
    NoteName after; /* where the page begins */
} Bare;
Bare bare_open(const char *dir, const char *name, size_t bytes);
void bare_fill(Bare *b, uint64_t notes);
void bare_put(void *bare);
void bare_add(void *bare);
void bare_get(void *bare);
void bare_list(void *bare);
void bare_close(Bare *b);

/* --- The measurements ------------------------------------------------------------------ */

void measure_overwrite(Bench *b, const char *engine); /* R1 */
void measure_append(Bench *b, const char *engine);    /* R2 */
void measure_read(Bench *b, const char *engine);      /* R3 */
void measure_crowd(Bench *b, const char *engine);     /* R4 */
void measure_growth(Bench *b, const char *engine);    /* R10 and R11 */
void measure_context(Bench *b, const char *engine);   /* R12 */
void measure_bytes(Bench *b, const char *engine);     /* R14 */
void measure_many(Bench *b, const char *engine);      /* R18 */
void measure_start(Bench *b, const char *engine);     /* engine is "" */

#endif
