/* write.c - one write under way: beginning it, adding records, showing the last of them.
 *
 * Every operation that writes takes the same way: lock the stream, repair what
 * needs it (recover.c), record a person's edit if there is one, decide
 * (store_seal), commit.
 *
 * A document has three files during a commit: the stream, which is the truth; the
 * view, which people see; and the draft, which is to become the view.
 *
 *     step            stream             draft            view        dies here: the write
 *     -------------   ----------------   --------------   --------    ----------------------------
 *     lock            ... 6              -                text 6
 *     draft           ... 6              text 7           text 6      did not happen; draft dropped
 *     announce        ... 6              text 7           text 6      did not happen
 *     append          ... 6 [7]          text 7           text 6      may have happened
 *     fdatasync       ... 6 7            text 7           text 6      happened; draft exchanged in
 *     exchange        ... 6 7            text 6           text 7      happened; draft dropped
 *     look, drop      ... 6 7            -                text 7      happened
 *
 * [7] is a record that may be lost.  There is one sync in all, and the one moment that counts is
 * when the record is in the stream: readers of the view see it from the exchange
 * on, so a reader that meets a draft asks the stream, and a writer that dies before
 * the exchange has written, not nearly written.  Otherwise its record would come
 * to light at the next write, after everything that happened in between, with its
 * guard long gone.
 *
 * "Look": what the exchange displaced should be text 6.  If it is not, a person saved
 * the file in between.  That text becomes record 8, and ours again record 9.
 *
 * Streams that are no documents have neither draft nor view; some have mirrors
 * (mirror.c), which follow after the sync and on which nothing rests. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/lock.h"
#include "base/mutant.h"
#include "store/files/files.h"
#include "store/files/mirror.h"
#include "store/files/raise.h"

void writing_init(Files *f, Writing *w, Str name)
{
    *w =
        (Writing){ .paths = paths_of(f, name), .io = f->base.io, .guard = FD_NONE, .dir = FD_NONE };
    w->stream.fd = FD_NONE;
    w->names = FD_NONE;
}

void writing_done(Writing *w)
{
    stream_done(&w->stream);
    lock_close(w->io, &w->guard);
    lock_close(w->io, &w->names);
    fd_close(&w->dir);
    arena_free(&w->arena);
}

void writing_remove_empty(Files *f, const Writing *w)
{
    if (w->stream.fd < 0 || w->stream.size > 0)
        return;
    AUTO(Fd) dir = pad_open_dir(f, w->paths.dir, false);
    if (dir >= 0)
        (void)io_unlink(f->base.io, dir, w->paths.file);
}

/* --- Committing ------------------------------------------------------------------------ */

jot_status writing_unsettled(const Paths *p, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "'%s' was recorded, but its file could not be replaced",
                   err_show(&shown, p->name));
}

jot_status writing_unknown(Str stream, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "the record of '%s' may be lost: its stream file was taken away",
                   err_show(&shown, stream));
}

static jot_status edit_unsettled(const Paths *p, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN,
                   "'%s' was recorded, but an edit that came during the write was not, it is kept "
                   "beside the file",
                   err_show(&shown, p->name));
}

/* The lines of records that are to stand after the head. */
static jot_status make_lines(Files *f, const Writing *w, const Record *records, size_t n,
                             Buf *lines, Err *e)
{
    *lines = (Buf){ .max = (size_t)RECORD_LINE_MAX * 4 };
    if (!mark_live(&w->stream.head) && mark_live(&records[n - 1].mark))
        twins_note(f, w->paths.name);
    assert(w->stream.locked && w->stream.fd >= 0 && n > 0);
    assert(!w->stream.open); /* stream_take ended its last line */
    /* No number is given twice, and what comes later is never older or less fenced. */
    for (size_t i = 0; i < n; i++) {
        const Mark *last = i ? &records[i - 1].mark : &w->stream.head;
        assert(records[i].mark.seq > last->seq);
        assert(last->seq == 0 || records[i].mark.fence >= last->fence);
    }
    for (size_t i = 0; i < n; i++)
        record_write(lines, &records[i], f->form);
    return buf_ok(lines) ? JOT_OK : err_set(e, JOT_TOO_BIG, "too much for one write");
}

/* They are durable. */
static void have_landed(Files *f, Writing *w, const Record *records, size_t n)
{
    assert(w->stream.locked && n > 0 &&
           mark_last(&records[n - 1].mark) >= mark_last(&w->stream.head));
    Mark before = w->stream.head;
    w->stream.head = records[n - 1].mark;
    w->stream.good = w->stream.size;
    heads_wrote(f, w->paths.name, &w->stream.head);
    if (w->mirrored)
        mirror_add(f, &w->stream, &before, records, n);
}

static jot_status write_records(Files *f, Writing *w, const Record *records, size_t n, Err *e)
{
    AUTO(Buf) lines;
    TRY(make_lines(f, w, records, n, &lines, e));
    TRY(recent_add(f, w->paths.name, e));
    jot_status st = stream_add(f, &w->stream, buf_str(&lines), e);
    recent_done(f);
    if (st == JOT_OK)
        have_landed(f, w, records, n);
    return st;
}

/* Something else was displaced than what had been read: a person saved it in between.  It becomes
 * a version, and ours comes again after it. */
static jot_status keep_displaced(Files *f, Writing *w, const View *displaced, const Record *ours,
                                 Err *e)
{
    assert(w->stream.locked && w->paths.viewed); /* only a view can be displaced */
    Draft person = { .op = displaced->there ? OP_PUT : OP_DELETE,
                     .by = S(STORE_OUTSIDE),
                     .body = displaced->text };
    if (displaced->there)
        person.meta = view_meta(&w->paths, &w->arena);
    Draft again = { .op = ours->mark.op,
                    .by = ours->by,
                    .id = ours->id, /* a retry must be answered with this one */
                    .meta = ours->meta,
                    .body = ours->body,
                    .fence = ours->mark.fence };
    Record both[2];
    TRY(store_check_room(w->paths.name, &w->stream.head, 2, e));
    both[0] = store_next(&f->base, w->paths.name, &person, &w->stream.head);
    both[1] = store_next(&f->base, w->paths.name, &again, &both[0].mark);
    TRY(write_records(f, w, both, 2, e));
    Shown shown;
    store_met(&f->base, &f->base.report.outside, "an edit of '%s' came during a write and was kept",
              err_show(&shown, w->paths.name));
    return JOT_OK;
}

/* Let readers see the record that has been appended. */
static jot_status show(Files *f, Writing *w, const Record *last, Err *e)
{
    const Paths *p = &w->paths;
    bool remove = !mark_shown(&last->mark);
    View displaced;
    assert(w->stream.locked && p->viewed && w->dir >= 0);
    jot_status swapped = remove ? view_remove(f, p, w->dir, &w->arena, &displaced, NULL)
                                : view_exchange(f, p, w->dir, &w->arena, &displaced, NULL);
    if (swapped != JOT_OK)
        return writing_unsettled(p, e);
    bool other = displaced.there ? !(w->seen.there && hash_eq(displaced.sha256, w->seen.sha256))
                                 : displaced.gone && w->seen.there;
    /* Ours is recorded already: whatever fails from here on, it is not undone. */
    if (other && !MUTANT(IGNORE_DISPLACED) &&
        keep_displaced(f, w, &displaced, last, NULL) != JOT_OK)
        return edit_unsettled(p, e);
    if (displaced.there && view_drop(f, p, w->dir, &displaced, NULL) != JOT_OK)
        return writing_unsettled(p, e);
    w->seen = (View){ .there = !remove, .sha256 = last->mark.sha256, .text = last->body };
    return JOT_OK;
}

/* The directory of the view; without `make` it may be missing, and w->dir stays FD_NONE. */
static jot_status open_view_dir(Files *f, Writing *w, bool make, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, w->paths.name);
    int drafts = w->paths.placed ? notes_dir_drafts(f, true) : 0;
    if (drafts < 0)
        return err_errno(e, -drafts, "could not open the directory of the drafts");
    int dir = w->dir >= 0 ? w->dir : pad_open_dir(f, w->paths.view_dir, make);
    if (w->paths.placed && dir == NOTES_DIR_GONE)
        return notes_dir_gone(f, e);
    if (dir == -ELOOP)
        return err_set(e, JOT_DENIED, "a symlink is in the way of '%s'", name);
    if (dir == -ENOTDIR && make)
        return err_set(e, JOT_INVALID, "cannot create '%s': a file stands where a directory must",
                       name);
    if (io_missing(dir) && make)
        return err_set(e, JOT_UNAVAILABLE, "the folder of '%s' was just removed, try again", name);
    if (dir < 0 && (make || (dir != -ENOENT && dir != -ENOTDIR)))
        return err_errno(e, -dir, "could not open the directory of '%s'", name);
    w->dir = dir < 0 ? FD_NONE : dir;
    return JOT_OK;
}

/* Will the file that people see be another, or gone, when this is the head? */
static bool changes_view(const Writing *w, const Record *last)
{
    return w->paths.viewed && (mark_shown(&last->mark) || w->seen.there);
}

static jot_status make_draft(Files *f, Writing *w, const Record *last, Err *e)
{
    assert(w->stream.locked && w->paths.viewed);
    bool remove = !mark_shown(&last->mark);
    TRY(open_view_dir(f, w, true, e));
    if (!w->seen.there && !remove)
        view_choose(&w->paths, last->meta);
    TRY(notes_dir_check_file(f, &w->paths, w->dir, e));
    if (w->seen.directory && !remove)
        TRY(view_make_room(f, &w->paths, w->dir, e));
    return view_draft(f, &w->paths, w->dir, !remove ? last->body : (Str){ 0 }, e);
}

/* Without a record the draft is all there is to undo, and a leftover does no harm.  If the
 * record could not be undone, the draft must stay: it tells what was meant. */
static void undo_draft(Files *f, const Writing *w)
{
    assert(w->stream.locked && w->paths.viewed);
    if (f->base.read_only_why[0])
        return;
    jot_status dropped = view_drop(f, &w->paths, w->dir, &(View){ 0 }, NULL);
    (void)dropped;
}

jot_status writing_commit(Files *f, Writing *w, const Record *records, size_t n, Err *e)
{
    assert(n > 0 && w->staged == 0);
    const Record *last = &records[n - 1];
    if (!changes_view(w, last))
        return write_records(f, w, records, n, e);
    TRY(make_draft(f, w, last, e));
    if (MUTANT(SHOW_BEFORE_SYNC))
        TRY(show(f, w, last, e));
    jot_status st = write_records(f, w, records, n, e);
    if (st != JOT_OK)
        undo_draft(f, w);
    if (st != JOT_OK)
        return st;
    return MUTANT(SHOW_BEFORE_SYNC) ? JOT_OK : show(f, w, last, e);
}

jot_status writing_stage(Files *f, Writing *w, const Record *r, Err *e)
{
    assert(w->staged == 0); /* one record shares a sync at a time */
    AUTO(Buf) lines;
    TRY(make_lines(f, w, r, 1, &lines, e));
    bool draft = changes_view(w, r);
    if (draft)
        TRY(make_draft(f, w, r, e));
    jot_status st = stream_write(f, &w->stream, buf_str(&lines), e);
    if (st != JOT_OK && draft)
        undo_draft(f, w);
    w->staged = st == JOT_OK ? (off_t)lines.n : 0;
    return st;
}

jot_status writing_land(Files *f, Writing *w, const Record *r, int synced, Err *e)
{
    assert(w->staged > 0);
    bool draft = changes_view(w, r);
    if (synced < 0) {
        jot_status st = stream_unsynced(f, &w->stream, synced, e);
        if (draft)
            undo_draft(f, w);
        return st;
    }
    w->stream.size += w->staged;
    w->staged = 0;
    have_landed(f, w, r, 1);
    return draft ? show(f, w, r, e) : JOT_OK;
}

jot_status writing_record_edit(Files *f, Writing *w, Err *e)
{
    if (w->edit.op == 0)
        return JOT_OK;
    assert(w->paths.viewed && w->stream.locked);
    TRY(store_check_room(w->paths.name, &w->stream.head, 1, e));
    Record r = store_next(&f->base, w->paths.name, &w->edit, &w->stream.head);
    TRY(write_records(f, w, &r, 1, e));
    w->edit = (Draft){ 0 };
    Shown shown;
    store_met(&f->base, &f->base.report.outside, "an edit of '%s' from outside was recorded",
              err_show(&shown, w->paths.name));
    return JOT_OK;
}

jot_status writing_conflict(Files *f, Writing *w, const Expect *x, Err *e)
{
    assert(w->stream.locked); /* a loss is remembered in the stream */
    if (store_must_report(x, &w->stream.head))
        TRY(stream_record_loss(f, &w->stream, e));
    return JOT_CONFLICT;
}

jot_status writing_allowed(Files *f, Err *e)
{
    pad_begin_wait(f);
    TRY(pad_check_there(f, e));
    TRY(pad_boot(f, e));
    if (!f->checked && !pad_read_checked(f))
        TRY(recover_pad(f, e));
    if (!f->wide && !f->raise_tried)
        pad_raise(f);
    return f->base.read_only_why[0] ? store_refuse_write(&f->base, e) : JOT_OK;
}

/* --- Beginning a write ----------------------------------------------------------------- */

static jot_status take_guard(Files *f, Writing *w, const Expect *x, Err *e)
{
    if (x->guard.n == 0 || w->guard >= 0)
        return JOT_OK;
    assert(!str_eq(x->guard, w->paths.name)); /* store.c refuses that */
    Paths p = paths_of(f, x->guard);
    return stream_guard(f, &p, &w->guard, &w->guard_seq, e);
}

/* A pad of an older format may be open in programs that would pass such a name over. */
static jot_status check_room(const Files *f, const Writing *w, Err *e)
{
    Shown shown;
    if (f->wide || !store_note_is_wide(w->paths.name))
        return JOT_OK;
    return err_set(e, JOT_UNAVAILABLE,
                   "'%s' needs format %d, and the pad has an older one that other programs have "
                   "open: try again when they have closed it",
                   err_show(&shown, w->paths.name), FILES_WIDE_FORMAT);
}

/* Lock the stream, repair it, see what a person did.  Two locks are taken in the order of the
 * names, so that two writes that guard each other's streams cannot wait for each other. */
jot_status writing_begin(Files *f, Writing *w, const Expect *x, bool create, Err *e)
{
    assert(!w->stream.locked && w->stream.fd < 0);
    TRY(check_room(f, w, e));
    if (w->paths.obeyed)
        return notes_dir_refuse_obeyed(&w->paths, e);
    TRY(clash_check_case(f, &w->paths, e));
    if (x && str_cmp(x->guard, w->paths.name) < 0)
        TRY(take_guard(f, w, x, e));
    TRY(stream_take(f, &w->paths, create, &w->stream, e));
    if (x)
        TRY(take_guard(f, w, x, e));
    w->mirrored = mirror_begin(f, &w->stream);
    if (!w->paths.viewed)
        return JOT_OK;
    /* A lost directory is recreated; one for a new document only when it is decided, and one of a
     * person's own tree only to finish what a dead writer began. */
    bool make = w->paths.placed ? view_drafted(f, &w->paths) : mark_shown(&w->stream.head);
    TRY(open_view_dir(f, w, make, e));
    if (w->paths.placed)
        recover_placed(f, &w->paths);
    if (w->dir < 0 && w->paths.placed && mark_shown(&w->stream.head))
        w->edit = (Draft){ .op = OP_DELETE, .by = S(STORE_OUTSIDE) };
    if (w->dir < 0)
        return JOT_OK; /* nothing to see, nothing to repair */
    TRY(view_settle(f, &w->paths, w->dir, e));
    return recover_stream(f, w, e);
}

jot_status writing_begin_existing(Files *f, Writing *w, const Expect *x, Err *e)
{
    TRY(writing_allowed(f, e));
    jot_status st = writing_begin(f, w, x, false, e);
    if (st == JOT_NOT_FOUND && w->paths.viewed) {
        /* A file a person made is a stream from its first record on. */
        View v;
        TRY(view_read(f, &w->paths, &w->arena, &v, e));
        if (!v.there)
            return store_not_found(e, w->paths.name);
        st = writing_begin(f, w, x, true, e);
    }
    TRY(st);
    TRY(writing_record_edit(f, w, e));
    if (mark_last(&w->stream.head) == 0)
        return store_not_found(e, w->paths.name);
    jot_status checked = store_check_expect(w->paths.name, x, &w->stream.head, w->guard_seq, e);
    return checked == JOT_CONFLICT ? writing_conflict(f, w, x, e) : checked;
}
