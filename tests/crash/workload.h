/* workload.h - Workload, a short story of operations during which the power may fail.
 *
 * Stories are data: the same table is told to the store under test and to
 * mem:, which says what must be there afterwards. */
#ifndef CRASH_WORKLOAD_H
#define CRASH_WORKLOAD_H

#include "store/store.h"

enum { ACTIONS_MAX = 24, SEQS_MAX = 8 };

typedef enum ActionKind {
    DO_NOTHING = 0, /* ends a list */
    DO_PUT,
    DO_APPEND,
    DO_DELETE,
    DO_TRIM,       /* records before `number` */
    DO_REDACT,     /* record `number` */
    DO_MANY,       /* a put to the stream and to each of `also`, at once */
    DO_REDACT_SET, /* the records `seqs`, and what was put aside of the stream */
    DO_PURGE,
    DO_RECORDS,       /* `number` records at once */
    DO_PLACE,         /* one record with the seq `number`, where numbers are missing */
    DO_FORGET_BEFORE, /* all records before `number` */
    DO_SETTLE,        /* what dead writers left in the pad is finished or put aside */
    DO_FORGET_ASIDE,  /* what was put aside and holds `text` goes */
    DO_REOPEN,        /* close the handle and open another */
    DO_LEAVE,         /* only in a setup: a writer of `text` dies in the middle of it */
    DO_EDIT,          /* a person saves the file in place */
    DO_EDIT_RENAME,   /* a person's editor writes a new file and renames it over */
    DO_EDIT_SYNCED,   /* the same by a careful editor, which syncs file and directory */
    DO_REMOVE,        /* a person removes the file */
} ActionKind;

typedef struct Action {
    ActionKind kind;
    const char *stream;
    const char *text;
    size_t size; /* the text is repeated to fill so many bytes; 0: as it is */
    uint64_t number;
    const char *guard; /* only while this stream stands where it does now */
    bool exact;        /* only while the stream itself does */
    const char *id;
    const char *meta;
    uint64_t seqs[SEQS_MAX]; /* ascending; ends with 0 */
    const char *const *also; /* ends with NULL */
    bool forgets;            /* with this, and those before it, the secret is gone */
} Action;

typedef struct Workload {
    const char *name;
    const Action
        *setup; /* done and durable before the story begins; NULL: nothing, not even a pad */
    const Action *story;
    size_t repeats;     /* of the setup's last action, for long streams */
    const char *secret; /* in no file any more when it was forgotten; NULL: there is none */
    bool syncs_each;    /* on a system that cannot sync a whole disk */
    bool only_power;    /* its steps are those of others: kills and faults would try them again */
} Workload;

/* The one stream in which numbers may be missing. */
#define WORKLOAD_GAPS "notes/placed"

extern const Workload workloads[]; /* ends with a name of NULL */
const Workload *workload_find(const char *name);

/* Below it every file ends in .md: its records say so in their meta. */
#define WORKLOAD_MARKDOWN "notes/md/"
#define WORKLOAD_MARKDOWN_META "{\"file\":\"plan.md\"}"

/* True if people take part. */
bool workload_edited(const Workload *w);
/* True if it is for engines with files to edit: people take part, or a writer left some. */
bool workload_needs_files(const Workload *w);
/* True for the parts of forgetting that are an operation of their own. */
bool action_forgets(ActionKind kind);
/* True if the action is about this stream. */
bool action_concerns(const Action *a, Str stream);
/* The streams of the story, each once; the names are borrowed. */
size_t workload_streams(const Workload *w, const char **out, size_t max);
/* The text of an action. */
Str action_text(const Action *a, Arena *into);

#endif
