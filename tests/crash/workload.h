/* workload.h - Workload, a short story of operations during which the power may fail.
 *
 * Stories are data: the same table is told to the store under test and to
 * mem:, which says what must be there afterwards. */
#ifndef CRASH_WORKLOAD_H
#define CRASH_WORKLOAD_H

#include "store/store.h"

enum { ACTIONS_MAX = 24 };

typedef enum ActionKind {
    DO_NOTHING = 0, /* ends a list */
    DO_PUT,
    DO_APPEND,
    DO_DELETE,
    DO_TRIM,   /* records before `number` */
    DO_REDACT, /* record `number` */
    DO_PURGE,
    DO_RECORDS,     /* `number` records at once */
    DO_REOPEN,      /* close the handle and open another */
    DO_EDIT,        /* a person saves the file in place */
    DO_EDIT_RENAME, /* a person's editor writes a new file and renames it over */
    DO_EDIT_SYNCED, /* the same by a careful editor, which syncs file and directory */
    DO_REMOVE,      /* a person removes the file */
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
} Action;

typedef struct Workload {
    const char *name;
    const Action
        *setup; /* done and durable before the story begins; NULL: nothing, not even a pad */
    const Action *story;
    size_t repeats; /* of the setup's last action, for long streams */
} Workload;

extern const Workload workloads[]; /* ends with a name of NULL */
const Workload *workload_find(const char *name);

/* True if people take part: not for engines without files to edit. */
bool workload_edited(const Workload *w);
/* The streams of the story, each once; the names are borrowed. */
size_t workload_streams(const Workload *w, const char **out, size_t max);
/* The text of an action. */
Str action_text(const Action *a, Arena *into);

#endif
