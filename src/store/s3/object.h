/* object.h - what the objects of a pad are called, and what is in them (docs/format.md). */
#ifndef STORE_S3_OBJECT_H
#define STORE_S3_OBJECT_H

#include "base/buf.h"
#include "store/s3/s3.h"

/* --- Names ------------------------------------------------------------------------------- */

/* r/HASH/ of a stream. */
Str s3_records(Arena *into, Str stream);
/* r/HASH/NUMBER of a record.  A higher seq has a lower number: it comes first. */
Str s3_record(Arena *into, Str stream, uint64_t seq);
/* The seq of such a key; false for any other. */
MUST_USE bool s3_seq_of(Str key, uint64_t *seq);

/* The name in a key that s3_named made, without its kind; *rest is what comes after it. */
Str s3_read_name(Arena *into, Str text, Str *rest);
/* KIND/NAME SUFFIX, with the name written so that keys are in the order of names. */
Str s3_named(Arena *into, const char *kind, Str name, Str suffix);

/* --- Records ------------------------------------------------------------------------------ */

/* A record as it stands in its object. */
typedef struct S3Object {
    Record record; /* with its body, if that was read */
    uint64_t nonce;
    uint64_t floor; /* records before this number were purged */
    Str ids;        /* of the newest records, this one first: "AGE SEQ ID\n" each */
    Str etag;       /* of the object that was read */
} S3Object;

/* All of it, or with a redacted record all but its body. */
void s3_write_object(Buf *to, Str stream, const S3Object *o);
/* *whole: the body is there too, and as long as the header says.  False for what is no record of
 * this stream.  Strings are copied to `into`. */
MUST_USE bool s3_read_object(Str text, Str stream, Arena *into, S3Object *out, bool *whole);

/* The ids that the record after `ids` carries, if its own is `id`. */
Str s3_next_ids(Arena *into, Str ids, uint64_t seq, Str id);
/* The seq of the record that has the id, or 0. */
uint64_t s3_find_id(Str ids, Str id);

/* What keeps the number of a record that is gone. */
#define S3_STUB "gone\n"

#endif
