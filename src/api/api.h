/* api.h - what the functions of jotter.h share: the pad, the beginning of a call, results.
 *
 * Each function has the same four parts: api_begin(), a look at the arguments
 * that the noun below would not survive, the noun's own function, and the result
 * in the words of jotter.h.  Whatever is a decision belongs into the noun.
 *
 * A pad has two arenas and two errors that take turns: the last call's results
 * may be this call's arguments, so they go only when the next one begins. */
#ifndef API_API_H
#define API_API_H

#include "base/arena.h"
#include "base/json.h"
#include "jotter.h"
#include "memory/memory.h"
#include "tool/dialect/memory_dir.h"

enum {
    API_OPTIONS_MAX = 4096,                /* bytes of any options there will ever be */
    API_WAIT_MS_MAX = 7 * 24 * 3600 * 1000 /* so that no sum of times overflows */
};

struct jot_pad {
    Memory m;
    Arena arenas[2];
    Err errs[2];
    unsigned turn;         /* which of them is the present call's */
    char *by, *language;   /* owned; NULL: none */
    MemoryDialect dialect; /* of the memory tool */
    char *url;             /* owned */
    const char *why;       /* how the url was found; static */
    struct Search *search; /* NULL: nothing was searched yet */
    struct Run *run;       /* the one that was used last, or NULL */
    struct Watch *watch;   /* NULL: nobody watches ... */
    char *watched;         /* ... what begins so; owned */
};

/* --- Beginning a call (pad.c) --------------------------------------------------------- */

/* Where a call's results live, and its error. */
Arena *api_arena(jot_pad *p);
Err *api_err(jot_pad *p);

/* Begin a call: the results of the call before last are freed.  JOT_INVALID: no pad, or none open.
 * If memory runs out in the call, it returns from here: AUTO variables stand above this line. */
#define API_BEGIN(p)         \
    ESCAPE(escape_)          \
    return api_exhausted(p); \
    TRY(api_begin(p))
/* The same for a pad that need not be open. */
#define API_TURN(p)          \
    ESCAPE(escape_)          \
    return api_exhausted(p); \
    TRY(api_turn(p))
MUST_USE jot_status api_begin(jot_pad *p);
MUST_USE jot_status api_turn(jot_pad *p);
/* Close the pad, of which nobody knows in what state it is, and say so. */
jot_status api_exhausted(jot_pad *p);

/* --- The run that was used last (run.c) ----------------------------------------------- */

void api_run_close(jot_pad *p);

/* --- The watch (watch.c) -------------------------------------------------------------- */

void api_watch_close(jot_pad *p);

/* --- Arguments (pad.c) ---------------------------------------------------------------- */

/* JOT_INVALID: `what` is NULL. */
MUST_USE jot_status api_need(jot_pad *p, const char *what, const void *given);
/* A string that may not be NULL. */
MUST_USE jot_status api_name(jot_pad *p, const char *what, const char *given, Str *out);
typedef struct ApiStrings {
    const char *what; /* "goals" */
    const char *const *given;
    size_t n, max;
} ApiStrings;
/* Several strings, none of which may be NULL; they live in the call's arena.  JOT_TOO_BIG. */
MUST_USE jot_status api_strings(jot_pad *p, const ApiStrings *s, Str **out);
/* A text; JOT_INVALID if it has a size and no bytes, JOT_TOO_BIG beyond STORE_BODY_MAX. */
MUST_USE jot_status api_text(jot_pad *p, jot_text given, Str *out);
/* 0 to API_WAIT_MS_MAX. */
MUST_USE jot_status api_wait(jot_pad *p, int64_t given_ms);
/* `given` (0: max) is within 1 and max. */
MUST_USE jot_status api_limit(jot_pad *p, size_t given, size_t max, size_t *out);

/* Copy options a caller may have compiled against another version; NULL gives zeros.  `to` has
 * `known` bytes and begins with the size, as all options do. */
MUST_USE jot_status api_options(jot_pad *p, const void *given, void *to, size_t known);

/* --- Results (pad.c) ------------------------------------------------------------------ */

jot_text api_give_text(jot_pad *p, Str s);      /* a copy, followed by a NUL */
const char *api_give_name(jot_pad *p, Str s);   /* the same for what holds no NUL */
const char *api_give_hash(jot_pad *p, Hash h);  /* "" for no hash */
const char *api_give_short(jot_pad *p, Hash h); /* as a version */
/* The names, as an array of strings. */
const char *const *api_give_names(jot_pad *p, const Str *names, size_t n);
/* The value as text; takes it. */
const char *api_give_json(jot_pad *p, json_t *value);

/* Results are given by pointer, where they are wanted. */
#define GIVE(out, value)      \
    do {                      \
        if (out)              \
            *(out) = (value); \
    } while (0)

/* An array of pointers to `n` new, zeroed results; results[i] can be filled in. */
#define NEW_RESULTS(p, T, n) ((T **)api_new_results((p), (n), sizeof(T)))
void **api_new_results(jot_pad *p, size_t n, size_t size);

/* One of them. */
#define NEW_RESULT(p, T) NEW(api_arena(p), T)

#endif
