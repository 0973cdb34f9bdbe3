/* raise.c - bringing a pad of an older format to this version's.
 *
 * What this version writes, an older one would take for damage, so READ goes up
 * before the first such line.  That is only done while nobody else has the pad
 * open: every handle holds a shared lock on `format`, and anyone who can make its own
 * exclusive is alone.
 *
 *     alone?  ->  record edits of views that will be no views any more (index documents)
 *             ->  write the new `format` beside the old, fsync, rename, fsync
 *             ->  hold the new file  ->  remove those views
 *
 * Anyone who waited for the old file finds that it has lost its name and opens the new
 * one; an older version reads the new numbers and refuses.  A crash leaves the
 * one format or the other, and a pad that is right in both: this version reads
 * the lines of either, and what has not been raised is written as the older one
 * would. */
#include "store/files/raise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/lock.h"

enum { PAGE = 256 };

/* --- Views that are none any more -------------------------------------------------------- */

typedef jot_status EachName(Files *f, Str name, Err *e);

static jot_status each_index(Files *f, EachName *each, Err *e)
{
    char after[STORE_NAME_MAX + 1] = "";
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(files_list(
            &f->base,
            &(ListQuery){
                .prefix = S(FILES_INDEX), .after = str(after), .limit = PAGE, .which = LIST_ALL },
            &arena, &page, e));
        for (size_t i = 0; i < page.n; i++)
            TRY(each(f, page.items[i].name, e));
        if (!page.more)
            return JOT_OK;
        snprintf(after, sizeof after, STR_FMT, STR_ARG(page.items[page.n - 1].name));
    }
}

static jot_status record_edit(Files *f, Str name, Err *e)
{
    return store_record_edits(&f->base, name, e);
}

static jot_status drop_view(Files *f, Str name, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Paths old = paths_in(RECORD_STRINGS, name), now = paths_of(f, name);
    View v;
    bool known = false;
    TRY(view_read(f, &old, &arena, &v, e));
    if (!v.there)
        return JOT_OK;
    AUTO(Stream) st = { .fd = FD_NONE };
    TRY(stream_look(f, &now, LOOK_ANY, RECORD_NO_BODY, &st, e));
    TRY(stream_knows(f, &st, v.sha256, &known, e));
    AUTO(Fd) dir = pad_open_dir(f, old.view_dir, false);
    if (dir < 0)
        return JOT_OK;
    if (!known)
        return quarantine_move(f, name, dir, old.view, false, e);
    int got = io_unlink(f->base.io, dir, old.view);
    return got < 0 && got != -ENOENT ? err_errno(e, -got, "could not remove an old view") : JOT_OK;
}

jot_status raise_drop_views(Files *f, Err *e)
{
    return f->form == RECORD_NESTED ? each_index(f, drop_view, e) : JOT_OK;
}

/* --- Raising ----------------------------------------------------------------------------- */

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
    bool strings = f->form == RECORD_STRINGS;
    if (strings && each_index(f, record_edit, NULL) != JOT_OK) {
        (void)io_lock(io, old, F_RDLCK, LOCK_PAD);
        return;
    }
    int got = pad_install_durably(f, "format", pad_format_text(f, &arena));
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
    if (got == 0) {
        f->form = RECORD_NESTED;
        f->wide = true;
    }
    (void)clone_keep_format(f, pad_format_text(f, &arena));
    /* What stays of them is nobody's, and doctor --fix removes it. */
    jot_status dropped = strings ? raise_drop_views(f, NULL) : JOT_OK;
    (void)dropped;
    jot_status noted = f->wide ? twins_note_all(f, NULL) : JOT_OK;
    (void)noted;
}
