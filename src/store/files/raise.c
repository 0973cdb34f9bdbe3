/* raise.c - bringing a pad of an older format to this version's.
 *
 * What this version writes, an older one would take for damage, so READ goes up
 * before the first such line.  That is only done while nobody else has the pad
 * open: every handle holds a shared lock on `format`, and whoever can make its own
 * exclusive is alone.
 *
 *     alone?  ->  write the new `format` beside it, fsync, rename, fsync  ->  hold the new file
 *
 * Whoever waited for the old file finds that it has lost its name and opens the new
 * one; an older version reads the new numbers and refuses.  A crash leaves the
 * one format or the other, and a pad that is right in both: this version reads
 * the lines of either, and what has not been raised is written as the older one
 * would. */
#include "store/files/raise.h"

#include <fcntl.h>

#include "base/lock.h"

void pad_raise(Files *f)
{
    AUTO(Arena) arena = { 0 };
    const Io *io = f->base.io;
    /* What was not compared yet may have to be compared by the older one's rules; and a number that
     * is held is held on the old file. */
    if (f->base.read_only_why[0] || !f->checked || f->holds)
        return;
    f->raise_tried = true;
    if (io_lock(io, f->format, F_WRLCK, LOCK_PAD) < 0)
        return;
    Fd old = f->format;
    int got = pad_place_durably(f, "format", pad_format_text(f, &arena));
    if (got < 0 && pad_format_in_place(f, old) == 1) {
        (void)io_lock(io, old, F_RDLCK, LOCK_PAD);
        return;
    }
    /* The name leads to another file now, and everybody else will hold that one. */
    if (pad_hold_format(f, NULL) != JOT_OK) {
        pad_stop_writing(f, NULL, "its format was raised and could not be opened again");
        return;
    }
    lock_close(io, &old);
    if (got == 0)
        f->form = RECORD_NESTED;
}
