/* mirror.h - Mirror, a file in which people read a stream that is no document.
 *
 *   logs/tasks/events    logs/tasks/events.jsonl     the lines, and nothing else
 *   tasks/t1             tasks/t1.json               the task as it is now
 *                        tasks/t1.events.jsonl       what happened to it, a line each
 *   artifacts/index/tasks/a.json   index/tasks/a.json  the document
 *
 * A mirror shows and is never read back: the stream decides, and a mirror that
 * is missing, old or not what the stream says is rebuilt by the next write to the
 * stream.  What a person made of it goes to quarantine/ before.  Nothing waits
 * for a mirror, nothing is synced for it, and a write does not fail because of it. */
#ifndef STORE_FILES_MIRROR_H
#define STORE_FILES_MIRROR_H

#include "store/files/files.h"

/* What a mirror shows. */
typedef enum MirrorForm {
    MIRROR_LINES,  /* the body of each record, a line each */
    MIRROR_EVENTS, /* when, by whom, and the member `event` of each */
    MIRROR_TASK,   /* the member `task` of the head */
    MIRROR_BODY,   /* the head's body */
} MirrorForm;

enum { MIRRORS_MAX = 2, MIRROR_NAME_MAX = STORE_SEGMENT_MAX + 32 };

typedef struct Mirror {
    MirrorForm form;
    char dir[FILES_PATH_MAX];
    char file[MIRROR_NAME_MAX];
    char draft[MIRROR_NAME_MAX];
} Mirror;

/* The mirrors of a stream in this pad; how many there are.  A pad of format 1 has none: anyone who
 * knows only that would purge a stream and leave its mirror. */
size_t mirrors_of(Files *f, Str stream, Mirror out[MIRRORS_MAX]);
/* The stream that is shown by the file with this path; false if none is. */
bool stream_of_mirror(Files *f, Str path, Buf *to);

/* Under the stream's lock, before it is written to: see that its mirrors show what it holds.  True
 * if they do. */
bool mirror_begin(Files *f, const Stream *st);
/* After a commit, if mirror_begin said so: show the records that were added after `before`. */
void mirror_add(Files *f, const Stream *st, const Mark *before, const Record *records, size_t n);
/* Before records go, or come to stand among others: nothing of the stream is shown any more, and
 * durably so.  The next mirror_begin shows what is left. */
MUST_USE jot_status mirror_withdraw(Files *f, Str stream, Err *e);

/* What a mirror is, compared with its stream. */
typedef enum MirrorState {
    MIRROR_FITS,
    MIRROR_STALE,  /* what the stream has shown before, or a beginning of what it shows */
    MIRROR_EDITED, /* something else */
} MirrorState;
/* Nothing is locked and nothing changed. */
MUST_USE jot_status mirror_judge(Files *f, const Stream *st, const Mirror *m, MirrorState *out,
                                 Err *e);

#endif
