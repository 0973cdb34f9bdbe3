/* archive.h - a whole pad in one file, with its history: to keep, to send, to come back from.
 *
 *   jotter archive 3
 *   stream notes/plan
 *   {"seq":1, ...}             records as they lie in a stream file, one a line
 *   stream runs/...            streams in byte order
 *   end STREAMS RECORDS SHA256     of every byte before this line
 *
 * If numbers are missing between the records of a stream, because some were lost,
 * the first line says 4 instead of 3, and that they may be.  1 and 2 are the same
 * without nested bodies.
 *
 * An open archive is a Store that can only be read, so whatever copies a pad
 * copies an archive.  It is read to its end before it is believed: the hash, the
 * form of every line, the order of names, each record's sums and chain. */
#ifndef STORE_ARCHIVE_H
#define STORE_ARCHIVE_H

#include "store/store.h"

#define ARCHIVE_SUFFIX ".jotter"

/* True if a file that begins so claims to be an archive, of whatever version. */
bool archive_begins(Str text);

/* Open and verify.  JOT_CORRUPT names the line; JOT_UNSUPPORTED: a newer version wrote it.  `io`
 * may be NULL. */
MUST_USE jot_status archive_open(Store **out, const Io *io, const char *path, Err *e);

typedef struct ArchiveCount {
    uint64_t streams, records, bytes; /* bytes of the file */
    uint64_t lost;                    /* records of the pad that cannot be read */
} ArchiveCount;

/* Write every stream of `from` to a file that does not exist yet.  It gets its name when it is
 * complete, durable and verified; a failure leaves nothing.  JOT_CONFLICT: the file exists.
 * JOT_CORRUPT: records of the pad cannot be read; the archive is there, and has all others.  Each
 * stream that is concerned is reported as by store_copy, when the archive has its name, and
 * progress is reported as by store_copy; `hooks` may be NULL. */
MUST_USE jot_status archive_write(Store *from, const char *path, const CopyHooks *hooks,
                                  ArchiveCount *out, Err *e);

#endif
