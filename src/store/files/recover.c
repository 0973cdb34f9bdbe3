/* recover.c - what a dead writer, a power loss or a person left behind.
 *
 * A view should show the head.  Under the stream's lock three things can differ, and
 * they are told apart by what is there, never by a clock:
 *
 *     is there a draft?
 *       yes: its writer died.  The stream says how far it came:
 *              view is the head                  drop the draft
 *              draft is the head                 exchange it in
 *              head is a tombstone, draft empty  the view goes
 *              anything else                     drop the draft
 *       no:  view is the head?                   nothing to do
 *            same boot and mount as `checked`    a person did it: a version `by` outside.  A writer
 *                                                that lives keeps the two equal, and one that died
 *                                                left a draft
 *            another boot or mount               unsynced names and bytes may be lost or old:
 *              missing, an older version         rebuilt from the stream
 *              empty, NUL, a version cut short   moved to quarantine/, made again
 *              anything else                     a person did it
 *
 * A note in a directory of the person's own (notes_dir.c) is synced, and what is there may be what
 * a checkout brought: there, after a reboot too, a person did it, but for zeros and the old text of
 * a deleted note.
 *
 * "Drop" removes a draft that is empty or whose text the stream has; any other goes to
 * quarantine/.  Nothing here loses a text that is nowhere else. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "store/files/files.h"

enum { EMPTY_TRIES = 3, EMPTY_WAIT_US = 20 * 1000, JUDGE_RECORDS = 64 };

static bool fits(const Stream *st, const View *v)
{
    if (!v->there)
        return !mark_shown(&st->head);
    return mark_shown(&st->head) && hash_eq(st->head.sha256, v->sha256);
}

/* The head's body, for comparing and restoring. */
static jot_status head_body(Files *f, const Stream *st, Arena *into, Str *out, Err *e)
{
    Record head = { 0 };
    Newest newest = { .items = &head, .max = 1 };
    TRY(stream_newest(f, st, RECORD_ALL, into, &newest, e));
    *out = head.body;
    return JOT_OK;
}

/* Could lost writes have made this text out of a version?  Views are never synced, so after a
 * power loss the file of any version that was shown may be back, cut short or with zeros in it. */
static jot_status looks_torn(Files *f, const Stream *st, const View *v, bool *torn, Err *e)
{
    *torn = v->text.n == 0 || str_find(v->text, 0) < v->text.n;
    for (uint64_t from = 1; !*torn;) {
        AUTO(Arena) arena = { 0 };
        Records some;
        TRY(stream_read(f, st, (SeqRange){ from, JUDGE_RECORDS }, &arena, &some, e));
        for (size_t i = 0; i < some.n && !*torn; i++)
            *torn = str_starts(some.items[i].body, v->text);
        if (!some.more || some.n == 0)
            break;
        from = some.items[some.n - 1].mark.seq + 1;
    }
    return JOT_OK;
}

jot_status recover_judge(Files *f, const Stream *st, const View *v, Verdict *out, Err *e)
{
    *out = VIEW_FITS;
    if (fits(st, v))
        return JOT_OK;
    /* Where nobody notices a lost mount, our own views are synced; zeros are what an editor's may
     * have become. */
    bool zeros = (pad_syncs_views(f) || st->paths->placed) && str_find(v->text, 0) < v->text.n;
    /* But that a file is gone cannot be synced once more when the first sync was refused: a deleted
     * note whose text is back after a reboot is nobody's edit. */
    bool certain = f->checked || (st->paths->placed && (mark_shown(&st->head) || !v->there));
    /* Nobody wrote to it: a bit has turned over.  That is found after a mount, mostly. */
    if (v->there && heads_rotten(f, st->paths->name, &st->head, v)) {
        *out = VIEW_STALE;
        return JOT_OK;
    }
    if (certain && !zeros) {
        *out = v->there ? VIEW_EDITED : VIEW_REMOVED;
        return JOT_OK;
    }
    TRY(pad_boot(f, e)); /* else nobody knows whether there was a power loss */
    *out = VIEW_STALE;
    bool known = !v->there, torn = false;
    if (!known)
        TRY(stream_knows(f, st, v->sha256, &known, e));
    if (!known && st->head.seq)
        TRY(looks_torn(f, st, v, &torn, e));
    if (!known && !torn && !MUTANT(RESTORE_OVER_EDIT))
        *out = VIEW_EDITED;
    return JOT_OK;
}

/* Be done with a file under the draft's name whose text is `d`. */
static jot_status drop(Files *f, const Stream *st, int dir, const View *d, Err *e)
{
    assert(st->locked && d->there);
    bool known = d->text.n == 0 || MUTANT(DROP_UNKNOWN_DRAFT);
    if (!known)
        TRY(stream_knows(f, st, d->sha256, &known, e));
    if (!known)
        return quarantine_move(f, st->paths->name, view_draft_dir(f, st->paths, dir),
                               st->paths->draft, false, e);
    return view_drop(f, st->paths, dir, d, e);
}

/* Let the draft take effect now, and be done with what it displaced. */
static jot_status finish(Files *f, const Stream *st, int dir, bool remove, Err *e)
{
    assert(st->locked && dir >= 0);
    AUTO(Arena) arena = { 0 };
    View displaced;
    TRY(remove ? view_remove(f, st->paths, dir, &arena, &displaced, e)
               : view_exchange(f, st->paths, dir, &arena, &displaced, e));
    return displaced.there ? drop(f, st, dir, &displaced, e) : JOT_OK;
}

static void name_again(const Paths *p, char to[FILES_NAME_MAX])
{
    snprintf(to, FILES_NAME_MAX, "%.32s.again", p->draft);
}

void recover_placed(Files *f, const Paths *p)
{
    char again[FILES_NAME_MAX];
    name_again(p, again);
    (void)io_unlink(f->base.io, f->drafts, again);
}

/* Of a placed note the draft stays until its names are durable, and the writer that left it may
 * have been refused just that: then another sync proves nothing (rule 8).  So the head is drafted
 * and exchanged once more, and that is synced. */
static jot_status show_anew(Files *f, const Stream *st, int dir, const View *d, Err *e)
{
    assert(st->locked && st->paths->placed && d->there);
    AUTO(Arena) arena = { 0 };
    const Io *io = f->base.io;
    Paths again = *st->paths;
    int drafts = view_draft_dir(f, st->paths, dir);
    bool known = d->text.n == 0;
    Str body;
    if (!known)
        TRY(stream_knows(f, st, d->sha256, &known, e));
    if (!known)
        TRY(quarantine_move(f, st->paths->name, drafts, st->paths->draft, false, e));
    TRY(head_body(f, st, &arena, &body, e));
    name_again(st->paths, again.draft);
    TRY(view_draft(f, &again, dir, body, e));
    int got = io_rename(io, drafts, again.draft, st->paths->draft, 0);
    Shown shown;
    if (got < 0)
        return err_errno(e, -got, "could not draft '%s'", err_show(&shown, st->paths->name));
    return finish(f, st, dir, false, e);
}

/* A draft was found: its writer is dead, for we hold the lock. */
static jot_status settle_draft(Files *f, Stream *st, int dir, const View *v, const View *d, Err *e)
{
    assert(st->locked && d->there);
    /* What the dead writer appended is about to be shown to readers. */
    TRY(stream_settle(f, st, e));
    if (fits(st, v))
        return st->paths->placed && v->there ? show_anew(f, st, dir, d, e) : drop(f, st, dir, d, e);
    bool known = !v->there;
    if (!known)
        TRY(stream_knows(f, st, v->sha256, &known, e));
    bool next = mark_shown(&st->head) && hash_eq(st->head.sha256, d->sha256);
    if (known && next && !MUTANT(FORGET_DRAFT))
        return finish(f, st, dir, false, e);
    if (known && v->there && st->head.op == OP_DELETE && d->text.n == 0)
        return finish(f, st, dir, true, e);
    return drop(f, st, dir, d, e); /* a text nobody knows stays where it is: a person's edit */
}

/* The view is not what it should be, and nobody's work: make it the head again. */
static jot_status restore(Files *f, const Stream *st, int dir, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str body = { 0 };
    bool remove = !mark_shown(&st->head);
    assert(st->locked && dir >= 0);
    if (!remove)
        TRY(head_body(f, st, &arena, &body, e));
    TRY(view_draft(f, st->paths, dir, body, e));
    TRY(finish(f, st, dir, remove, e));
    Shown shown;
    store_met(&f->base, &f->base.report.restored, "the file of '%s' was restored",
              err_show(&shown, st->paths->name));
    return JOT_OK;
}

/* An editor that saves in place empties the file first: give it a moment. */
static jot_status read_patiently(Files *f, const Stream *st, int dir, Arena *into, View *v, Err *e)
{
    TRY(view_read_in(f, st->paths, dir, into, v, e));
    for (int i = 0; i < EMPTY_TRIES; i++) {
        bool emptied = v->there && v->text.n == 0 && mark_shown(&st->head) && st->head.size > 0;
        if (!emptied || MUTANT(NO_PATIENCE))
            break;
        io_sleep_us(f->base.io, EMPTY_WAIT_US);
        TRY(view_read_in(f, st->paths, dir, into, v, e));
    }
    return JOT_OK;
}

/* There is none, so nothing says which ending it had but the record. */
static jot_status choose_view(Files *f, Writing *w, Err *e)
{
    assert(w->stream.locked && w->dir >= 0);
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Newest newest = { .items = &head, .max = 1 };
    if (!w->paths.either)
        return JOT_OK;
    TRY(stream_newest(f, &w->stream, RECORD_NO_BODY, &arena, &newest, e));
    view_choose(&w->paths, head.meta);
    return JOT_OK;
}

jot_status recover_stream(Files *f, Writing *w, Err *e)
{
    Stream *st = &w->stream;
    Arena *into = &w->arena;
    View *seen = &w->seen;
    int dir = w->dir;
    assert(st->locked && st->paths->viewed && dir >= 0);
    w->edit = (Draft){ 0 };
    TRY(read_patiently(f, st, dir, into, seen, e));
    if (!seen->there && mark_shown(&st->head))
        TRY(choose_view(f, w, e));
    View draft;
    TRY(view_read_draft(f, st->paths, dir, into, &draft, e));
    if (draft.there) {
        TRY(settle_draft(f, st, dir, seen, &draft, e));
        TRY(view_read_in(f, st->paths, dir, into, seen, e));
    }
    Verdict verdict;
    TRY(recover_judge(f, st, seen, &verdict, e));
    /* A writer of several records that died with some of them written: the view is a version from
     * before them, and nobody's edit. */
    bool known = false;
    if (draft.there && verdict == VIEW_EDITED)
        TRY(stream_knows(f, st, seen->sha256, &known, e));
    switch (known ? VIEW_STALE : verdict) {
    case VIEW_FITS:
        return JOT_OK;
    case VIEW_STALE:
        TRY(restore(f, st, dir, e));
        return view_read_in(f, st->paths, dir, into, seen, e);
    case VIEW_EDITED:
        w->edit = (Draft){ .op = OP_PUT,
                           .by = S(STORE_OUTSIDE),
                           .meta = view_meta(&w->paths, into),
                           .body = seen->text,
                           .at_ms = seen->changed_ms };
        return JOT_OK;
    case VIEW_REMOVED:
        w->edit = (Draft){ .op = OP_DELETE, .by = S(STORE_OUTSIDE) };
        return JOT_OK;
    }
    return JOT_OK;
}
