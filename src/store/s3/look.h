/* look.h - looking at a stream: its head, its records, and what this handle remembers of it. */
#ifndef STORE_S3_LOOK_H
#define STORE_S3_LOOK_H

#include "store/s3/object.h"

/* --- What was seen ------------------------------------------------------------------------ */

/* The head as it was seen at most S3_BELIEVE_MS ago, or NULL. */
S3Sight *s3_believed(S3 *p, Str stream);
/* Remember it (`o` NULL: there is no record), seen at `seen_ms` or later.  JOT_CORRUPT: the server
 * went back. */
MUST_USE jot_status s3_saw(S3 *p, Str stream, const S3Object *o, int64_t seen_ms, Err *e);
void s3_forget_sights(S3 *p);

/* --- Looking ------------------------------------------------------------------------------ */

typedef enum S3Found {
    S3_ABSENT,
    S3_GONE, /* a stub */
    S3_BROKEN,
    S3_THERE,
} S3Found;

/* Which record, and how much of it. */
typedef struct S3At {
    Str stream;
    uint64_t seq;
    bool body; /* else its header alone, as far as that is shorter */
} S3At;

MUST_USE jot_status s3_fetch(S3 *p, const S3At *at, Arena *into, S3Object *out, S3Found *found,
                             Err *e);

/* The newest number of a stream; 0: there is none. */
MUST_USE jot_status s3_newest(S3 *p, Str stream, uint64_t *seq, Err *e);

/* The head; a record of seq 0: there is none.  It is remembered. */
MUST_USE jot_status s3_look(S3 *p, Str stream, bool body, Arena *into, S3Object *out, Err *e);

/* Numbers of records, ascending. */
typedef struct S3Numbers {
    uint64_t *seqs;
    size_t n;
    bool more;     /* there are others after the last */
    uint64_t head; /* the newest; 0: the stream has no record */
} S3Numbers;

/* Those of a range that have not gone. */
MUST_USE jot_status s3_numbers(S3 *p, Str stream, SeqRange range, Arena *into, S3Numbers *out,
                               Err *e);
/* The newest one before `seq` that has not gone and was not purged; 0: there is none. */
MUST_USE jot_status s3_before(S3 *p, Str stream, uint64_t seq, uint64_t *out, Err *e);

#endif
