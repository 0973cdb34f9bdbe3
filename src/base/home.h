/* home.h - what is the user's and no pad's.
 *
 * Two directories of the user's own, mode 0700, their files 0600:
 *
 *   state    $XDG_STATE_HOME/jotter, else ~/.local/state/jotter: what was approved, a secret, which
 *            sessions over HTTP have ended
 *   config   $XDG_CONFIG_HOME/jotter, else ~/.config/jotter: what the user decided
 *
 * Here lies what a pad must not decide about itself: anyone who may write a pad (an agent, a
 * stranger who left one in /tmp) could otherwise allow himself anything.  A directory that
 * belongs to somebody else, or that others may write, is refused.
 *
 * Everything is small, written whole, in one step, and durable.  Anyone who changes a file by what
 * it says holds the directory's lock from reading to writing. */
#ifndef BASE_HOME_H
#define BASE_HOME_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"

enum { HOME_FILE_MAX = 1024 * 1024 };

typedef enum HomeKind { HOME_STATE, HOME_CONFIG } HomeKind;

/* Its path, whether it is there or not; empty if the environment names no place. */
Str home_path(HomeKind kind, Arena *into);

/* A descriptor of the directory, which the caller owns; with `make`, what is missing is made.
 * JOT_NOT_FOUND: it is not there.  JOT_UNAVAILABLE: the environment names no place for it.
 * JOT_DENIED: it is not ours alone. */
MUST_USE jot_status home_open(const Io *io, HomeKind kind, bool make, Fd *out, Err *e);

/* Keep other processes from changing files here, at most for as long as this one lives; the
 * directory is made.  JOT_UNAVAILABLE: another one holds it for more than ten seconds. */
MUST_USE jot_status home_lock(const Io *io, HomeKind kind, Fd *out, Err *e);
void home_unlock(const Io *io, Fd *lock);

/* The text of a file, in `into`.  `name` is a single component.  JOT_NOT_FOUND: there is none.
 * JOT_TOO_BIG beyond HOME_FILE_MAX. */
MUST_USE jot_status home_read(const Io *io, HomeKind kind, const char *name, Arena *into, Str *out,
                              Err *e);

/* Put `text` in its place, making the directory if need be. */
MUST_USE jot_status home_write(const Io *io, HomeKind kind, const char *name, Str text, Err *e);

/* 32 random bytes that stay the same for this user; made when first asked for. */
MUST_USE jot_status home_secret(const Io *io, Hash *out, Err *e);

#endif
