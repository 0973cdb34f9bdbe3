/* forget.h - taking text out of a pad for good: a stream, a record, or a phrase wherever it is.
 *
 * All of it is final.  The numbers, times and hashes of what is forgotten stay
 * (but for a purge, which leaves one tombstone), so that the chain verifies.
 *
 * Of what is in a pad three kinds are distinguished.  A document's present text can
 * be rewritten without a phrase.  A record of a log (a run, a line log, the
 * steps of a cycle) can lose its body, the newest one too.  The newest record of
 * any other stream (a task, a plan, a checkpoint, the leases) is a value somebody
 * works with: it stays, and is reported.  Names, authors, ids and metas are in the chain
 * and stay until the stream is purged; a name stays for ever.
 *
 * A phrase is found as phrase.h says.  A caller who repeats the call after being killed
 * half-way does the rest. */
#ifndef MEMORY_FORGET_FORGET_H
#define MEMORY_FORGET_FORGET_H

#include "memory/doc/history.h"

enum { FORGET_ALL_MIN = 4 /* bytes of a phrase that is taken out of a whole pad */ };

/* --- One stream -------------------------------------------------------------------------- */

/* The stream a word means: as note_resolve, or any other by its whole name, but not the leases. */
MUST_USE jot_status forget_resolve(Str word, Arena *into, Str *out, Err *e);
/* True if its present text can be rewritten. */
bool forget_is_document(Str stream);

/* Remove a stream and all its records, of a task or plan its shared file too (task/share.h).
 * JOT_NOT_FOUND: there never was one. */
MUST_USE jot_status forget_document(Memory *m, Str stream, Mark *out, Err *e);

/* Remove the text of one version, in every record that has it; *n counts them.  JOT_INVALID: it is
 * the present text. */
MUST_USE jot_status forget_version(Memory *m, Str stream, const When *which, uint64_t *n, Err *e);

/* Remove the body of one record.  JOT_INVALID: it is the present value.  JOT_NOT_FOUND. */
MUST_USE jot_status forget_record(Memory *m, Str stream, uint64_t seq, Err *e);

typedef struct Forgotten {
    bool rewritten;       /* the present text held it: it has FORGET_MARK there now */
    bool live;            /* the present value holds it and stays */
    uint64_t n;           /* records whose body was removed because it held it */
    uint64_t kept;        /* records that hold it in meta, author or id: it stays there */
    uint64_t damaged;     /* records that cannot be read: nobody knows what they hold */
    uint64_t quarantined; /* of what was quarantined: removed, ... */
    uint64_t unread;      /* ... and what cannot be read (forget_all counts both for itself) */
    Mark mark;            /* the head now */
} Forgotten;

/* Take a phrase out: it is replaced in the present text, and every older version that holds it
 * loses its text.  JOT_NOT_FOUND: no version that is kept holds it.  JOT_UNSUPPORTED: it was taken
 * out where that is possible, *out says what stays. */
MUST_USE jot_status forget_phrase(Memory *m, Str stream, Str phrase, Forgotten *out, Err *e);

/* --- Runs -------------------------------------------------------------------------------- */

typedef struct RunForgotten {
    Mark mark;   /* of the tombstone */
    Str *beside; /* what belongs to the run and is still there: results of its calls in the sink, */
    size_t n;    /* its plan, its checkpoints; names of streams */
} RunForgotten;

/* Remove a run and all its records; its id is not given again.  JOT_NOT_FOUND.  Names live in
 * `into`. */
MUST_USE jot_status forget_run(Memory *m, Str id, Arena *into, RunForgotten *out, Err *e);
/* Remove the body of one record; JOT_NOT_FOUND. */
MUST_USE jot_status forget_run_record(Memory *m, Str id, uint64_t seq, Err *e);
/* Remove the body of every record that holds a phrase; otherwise as forget_phrase. */
MUST_USE jot_status forget_run_phrase(Memory *m, Str id, Str phrase, Forgotten *out, Err *e);

/* --- The whole pad (forget_all.c) -------------------------------------------------------- */

typedef enum ForgetLeftKind {
    LEFT_VALUE,      /* a present value */
    LEFT_META,       /* meta, author or id of records */
    LEFT_NAME,       /* a stream's name */
    LEFT_DAMAGE,     /* records that cannot be read */
    LEFT_QUARANTINE, /* something in quarantine that cannot be read */
    LEFT_FAILED,     /* the stream could not be changed */
} ForgetLeftKind;

/* "value", "meta" ...; never NULL. */
const char *forget_left_name(ForgetLeftKind kind);

/* Where the phrase stays, or may stay. */
typedef struct ForgetLeft {
    ForgetLeftKind kind;
    Str stream;       /* empty: the pad */
    const char *what; /* one sentence: what it is and what can be done */
} ForgetLeft;
json_t *forget_left_json(const ForgetLeft *l);

typedef struct ForgetCount {
    uint64_t streams;     /* looked at */
    uint64_t total;       /* that there are; 0: nobody asked for the progress */
    uint64_t changed;     /* of those: something was taken out */
    uint64_t rewritten;   /* documents whose present text was rewritten */
    uint64_t redacted;    /* records that lost their bodies */
    uint64_t quarantined; /* files removed from quarantine */
    uint64_t left;        /* told */
} ForgetCount;
json_t *forget_count_json(const ForgetCount *c);

/* Both may be NULL. */
typedef struct ForgetHooks {
    void (*left)(void *ctx, const ForgetLeft *l);
    void (*progress)(void *ctx, const ForgetCount *so_far);
    void *ctx;
} ForgetHooks;

/* Take a phrase out of every stream, deleted ones too, and out of the search index.  What others
 * write meanwhile may be missed.  JOT_NOT_FOUND: it is nowhere.  JOT_UNSUPPORTED: some is left, and
 * was told; *out is right then too.  JOT_INVALID below FORGET_ALL_MIN bytes. */
MUST_USE jot_status forget_all(Memory *m, Str phrase, const ForgetHooks *hooks, ForgetCount *out,
                               Err *e);

/* A phrase, and what is called after each record that lost its body; it may be NULL. */
typedef struct ForgetWhat {
    Str phrase;
    void (*each)(void *ctx);
    void *ctx;
} ForgetWhat;
/* For forget_all: one stream, and nothing is done about the index.  JOT_OK also if it holds
 * nothing, and if something stays; *out is right whatever the status. */
MUST_USE jot_status forget_in_stream(Memory *m, Str stream, const ForgetWhat *what, Forgotten *out,
                                     Err *e);
/* JOT_INVALID for what cannot be taken out. */
MUST_USE jot_status forget_check_phrase(Str phrase, Err *e);

#endif
