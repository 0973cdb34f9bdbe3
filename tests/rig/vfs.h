/* vfs.h - a VFS for SQLite whose steps an Io's hook can see, for tests only.
 *
 * It wraps the default VFS and forwards everything.  What matters for the disk
 * is announced as IoCall steps (io_before, io_after), so that the hook that
 * records, fails, shortens or kills at the steps of base/io.c does the same to
 * SQLite.  Use it by `sqlite:FILE?vfs=NAME`.
 *
 * What a hook sees:
 *   IO_OPEN      every open of a file with a name; O_CREAT if SQLite may create it
 *   IO_WRITE     at its offset; a shortened one goes on with the rest as a new step
 *   IO_FSYNC     of a file, or of its directory: SQLite syncs the directory behind the first
 *                sync of a journal or log, and behind some deletions
 *   IO_FDATASYNC where SQLite asks for the data only
 *   IO_TRUNCATE, IO_UNLINK
 * Reading, locking and shared memory pass unannounced.
 *
 * `fd` and `dir` are real descriptors, opened with O_PATH: fstat() tells which
 * file or directory they are, and closing them does not drop SQLite's locks.
 * Names are single components in `dir`.  A refused step is answered with the
 * code SQLite would have got: -ENOSPC of a write is SQLITE_FULL, any other
 * failure the SQLITE_IOERR_* of the step, of an open SQLITE_CANTOPEN.  As in
 * the unix VFS, a failed sync of the directory behind a file's is not noticed. */
#ifndef RIG_VFS_H
#define RIG_VFS_H

#include "base/io.h"

/* Register a VFS; `name` and `io` are borrowed until it is removed. */
void vfs_install(const char *name, const Io *io);
/* All files opened through it must be closed. */
void vfs_remove(const char *name);

#endif
