/* waiting.h - Waiting, what in a pad waits for a person.
 *
 *   rule         a note that could be a rule, and whose text is not approved
 *   task         one that is blocked, or failed and can be tried again
 *   run          one that ended without an answer, or stopped
 *   conflict     a document that people edited, with marks of a conflict in it; a shared file of a
 *                task or plan that is not taken
 *   quarantine   something was moved away rather than lost
 *   secret       a document that looks as if it held one
 *
 * What is looked at is bounded: the documents of the newest changes, and the newest runs, so that
 * the answer comes while a person waits for it. */
#ifndef MEMORY_WAITING_H
#define MEMORY_WAITING_H

#include "base/json.h"
#include "memory/doc/changes.h"

enum {
    WAITING_MAX = 500,             /* items */
    WAITING_CHANGES = 1000,        /* newest ones, in whose documents is looked for marks and ... */
    WAITING_TEXT_MAX = 256 * 1024, /* ... secrets, if they are no larger than this, in bytes */
    WAITING_RUNS = 100,
    WAITING_RUN_MS = 10 * 60 * 1000, /* a run without a record for so long has stopped */
};

typedef struct WaitingItem {
    const char *what;
    Str name;      /* a key, or whole name; an id */
    Str stream;    /* empty: it is no stream */
    Str says;      /* why it waits */
    Str about;     /* its text, description, question */
    Str by;        /* who wrote it last */
    int64_t at_ms; /* when; 0: not known */
    Hash sha256;   /* rule: of its text ... */
    Str approved;  /* ... and the hash, in hex, of the text that was approved; empty: none was */
    Str command;   /* what to type in a shell */
} WaitingItem;

typedef struct Waiting {
    WaitingItem *items;
    size_t n;
    bool more;          /* than WAITING_MAX */
    bool not_looked;    /* there are documents that are too old, or too large, to be looked at */
    ChangeList changes; /* the newest, which had to be listed for it */
} Waiting;

/* Lives in `into`.  What cannot be read is left out: verify reports it. */
MUST_USE jot_status waiting_look(Memory *m, Arena *into, Waiting *out, Err *e);

/* A run that has not ended and was written to lately. */
typedef struct RunningRun {
    Str id, query, by;
    int64_t at_ms, started_ms;
    uint64_t records;
} RunningRun;

typedef struct RunningRuns {
    RunningRun *items; /* newest first */
    size_t n;
} RunningRuns;

/* Those under way, among the newest WAITING_RUNS. */
MUST_USE jot_status waiting_running(Memory *m, Arena *into, RunningRuns *out, Err *e);

/* {"items": [{"what", "name", "stream", "says", "about", "at", "by", "command"; of a rule also
 * "sha256", "version", "approved_version"} ...], "count", "more", "not_looked"}; the caller owns
 * it. */
json_t *waiting_json(const Waiting *w);

#endif
