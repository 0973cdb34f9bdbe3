/* share.h - SharedFile, the file in which git carries a task or a plan.
 *
 *   shared/kinds         shared/kinds.json       which kinds this pad shares: ["tasks", "plans"]
 *   shared/tasks/ID      shared/tasks/ID.json    the task as it is now
 *   shared/plans/ID      shared/plans/ID.json    the plan as it is now
 *
 * These are documents beside the stream that decides (tasks/ID), which git never sees.  So all that
 * is promised of documents holds for them: what a person or `git pull` put there is told from what
 * a power loss left of ours, is read as it is without being recorded, and no write goes over it
 * unseen.  A version that Jotter wrote says in its meta which record it shows ("shows"); one that
 * does not is from elsewhere, and what it says is judged by the noun (task_share.c, plan_share.c).
 *
 * Two streams are not written in one step.  The noun's record comes first, and its event says which
 * record of the file its author had seen ("file").  A process that dies before the file was written
 * leaves one that is behind: what is ours, or was seen by the newest event, is nobody's edit any
 * more, and is written again with the next event. */
#ifndef MEMORY_TASK_SHARE_H
#define MEMORY_TASK_SHARE_H

#include "base/json.h"
#include "memory/memory.h"

#define SHARE_KIND "shared/"

enum { SHARE_FILE_MAX = 4 * 1024 * 1024 }; /* bytes of a file that is taken */

typedef enum Shares { SHARE_TASKS = 1, SHARE_PLANS = 2 } Shares;

/* Which kinds this pad shares, as a sum of Shares; 0 for a pad without files. */
MUST_USE jot_status share_now(Memory *m, unsigned *out, Err *e);
/* Say so.  JOT_UNSUPPORTED: the pad has no files that git could carry. */
MUST_USE jot_status share_say(Memory *m, unsigned shares, Err *e);
/* "tasks,plans" as a sum; "none" is 0.  JOT_INVALID. */
MUST_USE jot_status share_parse(Str words, unsigned *out, Err *e);

typedef enum ShareState {
    SHARE_NONE = 0, /* there is no file, and nobody took one away; or the kind is not shared */
    SHARE_OURS,     /* Jotter wrote it */
    SHARE_THEIRS,   /* a person or git did */
    SHARE_GONE,     /* a person or git took it away */
    SHARE_BAD,      /* it cannot be read: no plain file, too large ... */
} ShareState;

typedef struct SharedFile {
    ShareState state;
    bool shared;  /* the pad shares its kind */
    Str stream;   /* shared/tasks/ID */
    uint64_t seq; /* of its newest record; 0: it has none, or what is there is not recorded */
    uint64_t of;  /* ours: the record of the noun that it shows */
    Str text;
    int64_t at_ms;
    Err why; /* bad: what is wrong with it */
} SharedFile;

/* The file of `id`; `kind` is the prefix of its stream: "tasks/".  Nothing is written. */
MUST_USE jot_status share_look(Memory *m, const char *kind, Str id, Arena *into, SharedFile *out,
                               Err *e);

/* True if the file says something that no event has seen, and that is not ours. */
bool share_is_news(const SharedFile *f, uint64_t seen);

/* Is this kind ("tasks/") among them? */
bool share_has(unsigned shares, const char *kind);

/* What a file is to say. */
typedef struct ShareText {
    const char *kind;
    Str id, text;  /* no text: the file may stay as it is */
    uint64_t of;   /* the record of the noun that this is */
    uint64_t seen; /* of the file, by who wrote that record; 0: none */
} ShareText;

/* What an event says about the file its author had seen; 0: nothing. */
uint64_t share_seen(const json_t *event);
void share_note_seen(json_t *event, uint64_t file);

/* A task or a plan as the text of its file: indented, for people and for git.  Lives in `into`. */
Str share_text(const json_t *snapshot, Arena *into);
/* Let it say so.  What a person put there, and the writer has not seen, stays; what fails is done
 * by the next event. */
void share_show(Memory *m, const ShareText *t);
/* The version that says so.  Lives in `into`. */
Draft share_draft(const ShareText *t, Arena *into);

/* The ids of a kind in byte order, after `after`: of those that have a stream, and of those that
 * have a file only.  `each` may stop the walk by anything but JOT_OK. */
typedef jot_status ShareEach(void *ctx, Str id);
typedef struct ShareWalk {
    const char *kind;
    Str after; /* an id; empty: from the first */
    ShareEach *each;
    void *ctx;
} ShareWalk;
MUST_USE jot_status share_each(Memory *m, const ShareWalk *w, Err *e);

/* --- Beginning, ending, looking (share_all.c) ------------------------------------------------- */

typedef struct ShareCount {
    uint64_t written, removed; /* files */
} ShareCount;

/* Share these kinds and no others: every task and plan of theirs gets a file, and what of the
 * others was brought is taken in before their files go.  Again: what is behind is brought up to
 * date. JOT_UNSUPPORTED as share_say. */
MUST_USE jot_status share_change(Memory *m, unsigned shares, ShareCount *out, Err *e);

enum { SHARE_REFUSALS_MAX = 100 };

/* A file that is not taken. */
typedef struct ShareRefusal {
    Str stream; /* shared/tasks/ID */
    Str why;
} ShareRefusal;

typedef struct ShareRefusals {
    ShareRefusal *items;
    size_t n;
    uint64_t total;  /* may be more than are listed */
    uint64_t behind; /* files that do not show the newest event: the next one writes them */
} ShareRefusals;

MUST_USE jot_status share_refusals(Memory *m, Arena *into, ShareRefusals *out, Err *e);

#endif
