/* session.h - the run of a session of another program's agent, as that program's hooks report it.
 *
 * One run a session, `hook-CLIENT-HASH`, of the client's name and its session's id.  It is written
 * without a model, by a process that lives for a moment: what the user asked, lists of things to
 * do, which files were changed, which commands were run and how they ended, the last answer, that
 * the context was compacted.  Each is a notice with a word of its own (SessionKind), but for the
 * first question, which is the run's query, and the answers, which are answers.
 *
 * A session that only talked leaves nothing.  So what was asked is held back in the user's
 * state directory, `hook-HASH`, until something is done, and removed when the session ends.
 *
 * The texts are another program's.  Secrets are taken out before anything is written anywhere
 * (secret.h), long ones are cut, and what is no UTF-8 is mended. */
#ifndef MEMORY_RUN_SESSION_H
#define MEMORY_RUN_SESSION_H

#include "memory/kinds.h"
#include "memory/run/run.h"

enum {
    SESSION_TEXT_MAX = 4096, /* bytes of what is asked, answered or to be done */
    SESSION_LINE_MAX = 200,  /* bytes of a path or a command */
    SESSION_HELD_MAX = 16,   /* questions that are held back, the first and the newest */
    SESSION_DAYS = 30,       /* after so many days without a record such a run goes (gc) */
};

typedef enum SessionKind {
    SESSION_ASKED,
    SESSION_CHANGED, /* a file */
    SESSION_RAN,     /* a command */
    SESSION_THINGS,  /* to do */
    SESSION_COMPACTED,
    SESSION_ANSWERED,
    SESSION_ENDED, /* why; recorded only if it was not answered last */
} SessionKind;

typedef struct SessionName {
    Str client;  /* "claude-code": a word */
    Str session; /* the client's id of it, any bytes; not empty */
} SessionName;

/* Record one thing.  The pad is only asked for, by `open`, if something is written to it: questions
 * and answers of a session that has done nothing are not. */
typedef struct SessionPad {
    jot_status (*open)(void *ctx, bool make, Memory **out, Err *e); /* JOT_NOT_FOUND: none */
    void *ctx;
} SessionPad;
MUST_USE jot_status session_add(const SessionPad *pad, const SessionName *name, SessionKind kind,
                                Str text, Err *e);

/* It has ended: what was held back goes. */
void session_drop_held(const SessionName *name);
/* Forget what sessions that never ended have held back for a week. */
void session_sweep(void);

/* --- What went wrong ----------------------------------------------------------------------- */

/* A hook must not fail, so its failures are counted in the state directory. */
typedef struct SessionFailures {
    uint64_t n;
    bool more; /* the file is full */
    Str last;  /* "2026-... claude-code: the sentence"; lives in the arena */
} SessionFailures;

void session_failed(Str client, const char *why);
/* None, too, if they cannot be read. */
SessionFailures session_failures(Arena *into);
void session_forget_failures(void);

/* Purge runs of sessions without a record since `before_ms`; *n counts.  With `dry_run` they are
 * only counted. */
MUST_USE jot_status session_purge(Memory *m, int64_t before_ms, bool dry_run, uint64_t *n, Err *e);

#endif
