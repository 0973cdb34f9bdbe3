/* err.h - Err, what went wrong, in one status and one sentence.
 *
 * The function that detects a fault writes the sentence; those above pass it
 * up with TRY or say where they were with err_at.  Nobody overwrites, nobody
 * logs.  The sentence is lower case, one line, without a full stop, and says
 * what is wrong and what is allowed; a model reads it as often as a person. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/str.h"
#include "jotter.h"

typedef struct Err {
    jot_status status;
    char text[248]; /* in somebody's frame or handle: nothing to free, nothing stale */
} Err;

/* Record a fault and return its status, so that one line does both.  `e` may be NULL. */
jot_status err_set(Err *e, jot_status st, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same for a failed system call: the status follows from `errnum`, its text is added. */
jot_status err_errno(Err *e, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Put "where: " in front of the sentence; returns its status.  `e` is not NULL here: the status
 * is in it. */
jot_status err_at(Err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Add a next step after the sentence, "; see ...", in the words of the door that has it; returns
 * the status. */
jot_status err_next(Err *e, Str next);

/* Pass on a fault that was recorded in an Err of one's own, as it is where some statuses are no
 * fault to the caller; returns `st`.  Nothing is passed on if that is JOT_OK, or if `e` is NULL. */
static inline jot_status err_pass(Err *e, const Err *own, jot_status st)
{
    if (e && st != JOT_OK)
        *e = *own;
    return st;
}

/* clang's analyzer sees one file at a time: here it learns that a fault is never JOT_OK. */
#ifdef __clang_analyzer__
#define err_set(e, st, ...) ((void)(err_set)(e, st, __VA_ARGS__), (st))
#define err_errno(e, errnum, ...) ((void)(err_errno)(e, errnum, __VA_ARGS__), JOT_IO)
#define err_at(e, ...) ((void)(err_at)(e, __VA_ARGS__), JOT_IO)
#define err_next(e, next) ((void)(err_next)(e, next), JOT_IO)
#endif

/* How one status looks at each door. */
typedef struct StatusInfo {
    const char *name;
    int http;
    int rpc;
    int exit_code;
    bool retry; /* the same call may succeed later */
} StatusInfo;

/* Never NULL, also for a number that is no status. */
const StatusInfo *status_info(jot_status st);

/* The only macro that returns for you. */
#define TRY(call)                   \
    do {                            \
        jot_status try_st = (call); \
        if (try_st != JOT_OK)       \
            return try_st;          \
    } while (0)

/* A name as it may be shown inside a sentence: all of it seen (glyph.h), and short.
 * Use with "%s"; the result lives in `shown`. */
typedef struct Shown {
    char text[72];
} Shown;
const char *err_show(Shown *shown, Str name);

#endif
