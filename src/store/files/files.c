/* files.c - the files engine: one directory a pad, one file a stream, one file a document.
 *
 * Here are appending, copying in, and comparing the pad after a reboot.  Every operation that
 * writes goes through a Writing (write.c); every operation that reads takes no lock and waits for
 * nobody (head.c).
 *
 * One append:
 *
 *     lock the stream, repair it, see what a person did to the view       writing_begin
 *     an edit?  it is the next record, and ours follows it                store_next
 *     decide: id, guard, fence, condition                                 store_seal
 *     a new name: may it live beside the others?                          clash_check
 *     draft, append, sync, exchange                                       writing_commit
 *     still the file of that name?  else all of it again                  stream_in_place
 *
 * The last question is there because a person may remove or replace the file under our lock, as git
 * does with a checkout: a record in a file without a name is in no pad. */
#include <string.h>

#include "base/mutant.h"
#include "store/files/files.h"
#include "store/files/mirror.h"

/* How often a write starts again because somebody took its stream file away. */
enum { REDO_MAX = 8 };

/* --- Append ---------------------------------------------------------------------------- */

/* A record that was there already is acknowledged again: its writer may have died before the
 * sync. */
static jot_status confirm(Files *f, Writing *w, Err *e)
{
    if (stream_settle(f, &w->stream, e) == JOT_OK)
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "could not make the record of '%s' durable, it may be lost",
                   err_show(&shown, w->paths.name));
}

static jot_status append_once(Files *f, Writing *w, const Expect *x, const Draft *d, Mark *out,
                              Err *e)
{
    TRY(writing_begin(f, w, x, true, e));
    Mark head = w->stream.head;
    Record outside, recent[STORE_ID_WINDOW], fresh;
    size_t recent_n = 0;
    if (MUTANT(OVERWRITE_EDIT))
        w->edit = (Draft){ 0 };
    if (w->edit.op) {
        TRY(store_check_room(w->paths.name, &w->stream.head, 1, e));
        outside = store_next(&f->base, w->paths.name, &w->edit, &head);
        head = outside.mark;
    }
    if (d->id.n) {
        if (w->edit.op)
            recent[recent_n++] = outside;
        Newest kept = { .items = recent + recent_n, .max = STORE_ID_WINDOW - recent_n };
        TRY(stream_newest(f, &w->stream, RECORD_NO_BODY, &w->arena, &kept, e));
        recent_n += kept.n;
    }
    bool again = false;
    Sealing asked = {
        .stream = w->paths.name,
        .x = x,
        .draft = d,
        .head = &head,
        .recent = recent,
        .recent_n = recent_n,
        .guard_seq = w->guard_seq,
    };
    jot_status st = store_seal(&f->base, &asked, &fresh, &again, e);
    *out = fresh.mark;
    if (st == JOT_OK && !again && !mark_live(&head))
        st = clash_check(f, w, e);
    if (st == JOT_OK && !again && !mark_live(&head))
        st = clash_check_twin(f, w, e);
    /* Whether the name may live is not known: nothing was decided, so nothing is recorded. */
    if (st == JOT_IO || st == JOT_UNAVAILABLE || st == JOT_READ_ONLY) {
        *out = w->stream.head;
        return st;
    }
    if (st != JOT_OK || again) {
        /* The answer names a head; see that it exists. */
        Err ignored = { 0 };
        if (w->edit.op && !again && writing_record_edit(f, w, &ignored) != JOT_OK &&
            st == JOT_CONFLICT) {
            if (e)
                *e = ignored;
            return ignored.status;
        }
        if (!again && st == JOT_CONFLICT && !w->edit.op)
            st = writing_conflict(f, w, x, e);
        if (!again && st != JOT_ID_REUSED)
            *out = w->stream.head;
        return again ? confirm(f, w, e) : st;
    }
    if (!w->edit.op) {
        TRY(writing_commit(f, w, &fresh, 1, e));
    } else {
        Record both[2] = { outside, fresh };
        TRY(writing_commit(f, w, both, 2, e));
        Shown shown;
        store_met(&f->base, &f->base.report.outside, "an edit of '%s' from outside was recorded",
                  err_show(&shown, w->paths.name));
    }
    *out = w->stream.head;
    return JOT_OK;
}

static jot_status files_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                               Err *e)
{
    Files *f = (Files *)s;
    TRY(writing_allowed(f, e));
    for (int i = 0; i < REDO_MAX; i++) {
        AUTO(Writing) w;
        writing_init(f, &w, stream);
        jot_status st = append_once(f, &w, x, d, out, e);
        if (st != JOT_OK)
            writing_remove_empty(f, &w);
        if (st != JOT_OK)
            return st;
        struct stat info;
        int placed = stream_in_place(f, &w.stream, &info);
        if (placed < 0)
            return writing_unknown(stream, e);
        if (placed || MUTANT(STAY_WITH_OLD_FILE))
            return JOT_OK;
    }
    return writing_unknown(stream, e);
}

/* --- Copying --------------------------------------------------------------------------- */

/* Into a gap: what stands before and after it must fit.  The head, and so the view, stays. */
static jot_status fill_gap(Files *f, Writing *w, const Batch *b, Err *e)
{
    Around gap;
    AUTO(Buf) lines = { .max = (size_t)RECORD_LINE_MAX * 4 };
    TRY(stream_around(f, &w->stream, b->items[0].mark.seq, &w->arena, &gap, e));
    TRY(store_check_place(w->paths.name, b, &gap.before.mark, &gap.after, e));
    for (size_t i = 0; i < b->n; i++)
        record_write(&lines, &b->items[i], f->form);
    if (!buf_ok(&lines))
        return err_set(e, JOT_TOO_BIG, "too much for one write");
    Mark head = w->stream.head;
    Piece pieces[2] = { { 0, gap.at, buf_str(&lines) }, { gap.at, w->stream.size, { 0 } } };
    TRY(mirror_withdraw(f, w->paths.name, e));
    TRY(recent_add(f, w->paths.name, e));
    jot_status st = stream_replace(f, &w->stream, pieces, 2, e);
    recent_done(f);
    w->stream.head = head;
    w->mirrored = st == JOT_OK && mirror_begin(f, &w->stream);
    return st;
}

static jot_status put_records(Files *f, Writing *w, const Expect *x, const Batch *b, Err *e)
{
    TRY(writing_begin(f, w, x, true, e));
    TRY(writing_record_edit(f, w, e));
    const Mark *head = &w->stream.head;
    TRY(store_check_expect(w->paths.name, x, head, w->guard_seq, e));
    if (b->gaps && b->items[0].mark.seq <= head->seq)
        return fill_gap(f, w, b, e);
    TRY(store_check_place(w->paths.name, b, head, NULL, e));
    if (!mark_live(head) && mark_live(&batch_last(b)->mark))
        TRY(clash_check(f, w, e));
    return writing_commit(f, w, b->items, b->n, e);
}

static jot_status files_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Files *f = (Files *)s;
    TRY(writing_allowed(f, e));
    AUTO(Writing) w;
    writing_init(f, &w, stream);
    jot_status st = put_records(f, &w, x, b, e);
    if (st != JOT_OK)
        writing_remove_empty(f, &w);
    return st;
}

/* --- After a reboot -------------------------------------------------------------------- */

/* Repair one stream: what was torn, its view, and people's edits recorded. */
static jot_status check_stream(Files *f, Str stream, Err *e)
{
    AUTO(Writing) w;
    writing_init(f, &w, stream);
    jot_status st = writing_begin(f, &w, NULL, false, e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    if (mark_live(&w.stream.head))
        twins_note(f, stream);
    return writing_record_edit(f, &w, e);
}

/* One of many: whatever is wrong with it must not stop a write to another.  False if it has to be
 * looked at again. */
static bool check_one(Files *f, Str stream)
{
    Err e = { 0 };
    jot_status st = check_stream(f, stream, &e);
    /* What nobody can write as it is needs no comparing. */
    bool refused = st == JOT_INVALID || st == JOT_TOO_BIG || st == JOT_CORRUPT || st == JOT_DENIED;
    if (refused)
        store_met(&f->base, &f->base.report.damaged, "%.150s", e.text);
    return st == JOT_OK || refused;
}

jot_status recover_pad(Files *f, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Listing page;
    pad_read_progress(f);
    ListQuery next = { .after = str(f->check_after),
                       .limit = FILES_CHECK_INLINE,
                       .which = LIST_ALL };
    jot_status listed = files_list(&f->base, &next, &arena, &page, e);
    if (listed != JOT_OK && notes_dir_lost(f))
        return JOT_OK; /* every write looks at what it writes, and all is compared another time */
    TRY(listed);
    int64_t until_ms = f->until_ms;
    f->until_ms = 0; /* who holds a stream repairs it itself, or dies: no waiting for it here */
    for (size_t i = 0; i < page.n; i++) {
        Str name = page.items[i].name;
        if (!check_one(f, name))
            f->check_missed = true;
        memcpy(f->check_after, name.p, name.n);
        f->check_after[name.n] = 0;
    }
    f->until_ms = until_ms;
    if (page.more) {
        pad_write_progress(f);
        return JOT_OK;
    }
    if (!f->check_missed) {
        pad_sweep(f);
        pad_write_checked(f);
        return JOT_OK;
    }
    f->check_missed = false; /* once more from the start, at the next write */
    f->check_after[0] = 0;
    return JOT_OK;
}

static void files_idle(Store *s)
{
    heads_flush((Files *)s);
}

static StorePromise files_promise(const Store *s)
{
    const Files *f = (const Files *)s;
    return (StorePromise){ .scheme = "files",
                           .durable = true,
                           .shared = true,
                           .edits_seen = true,
                           .edits_guarded = f->swaps,
                           .holds = true,
                           .guards = true,
                           .notes = f->notes_dir[0] ? f->notes_dir : NULL };
}

const StoreOps files_ops = {
    .scheme = "files",
    .open = pad_open,
    .close = pad_close,
    .append = files_append,
    .append_many = files_append_many,
    .head = files_head,
    .read = files_read,
    .bodies_checked = true, /* record_read() does */
    .list = files_list,
    .changes = files_changes,
    .trim = files_trim,
    .redact = files_redact,
    .forget_quarantined = quarantine_forget,
    .settle = files_settle,
    .purge = files_purge,
    .put_records = files_put_records,
    .forget_before = files_forget_before,
    .promise = files_promise,
    .hold = pad_hold,
    .held = pad_held,
    .id = pad_id,
    .index_path = files_index_path,
    .verify = files_verify,
    .heads = files_heads,
    .tokens = files_tokens,
    .whole = files_whole,
    .idle = files_idle,
    .moved = pad_moved,
    .mend = files_mend,
};
