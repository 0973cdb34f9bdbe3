/* files.c - the files engine: one directory a pad, one file a stream, one file a document.
 *
 * Here are appending, copying in, and comparing the pad after a reboot.  Every
 * operation that writes goes through a Work (write.c); every operation that reads
 * takes no lock and waits for nobody (head.c). */
#include <string.h>

#include "base/mutant.h"
#include "store/files/files.h"

/* How often a write begins anew because somebody took its stream file away. */
enum { REDO_MAX = 8 };

/* --- Append ---------------------------------------------------------------------------- */

/* A record that was there already is acknowledged again: its writer may have died before the
 * sync. */
static jot_status confirm(Files *f, Work *w, Err *e)
{
    if (stream_settle(f, &w->stream, e) == JOT_OK)
        return JOT_OK;
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "could not make the record of '%s' durable, it may be lost",
                   err_show(&shown, w->place.name));
}

static jot_status append_once(Files *f, Work *w, const Expect *x, const Draft *d, Mark *out, Err *e)
{
    TRY(work_begin(f, w, x, true, e));
    Mark head = w->stream.head;
    Record outside, recent[STORE_ID_WINDOW], fresh;
    size_t recent_n = 0;
    if (MUTANT(OVERWRITE_EDIT))
        w->edit = (Draft){ 0 };
    if (w->edit.op) {
        TRY(store_check_room(w->place.name, &w->stream.head, 1, e));
        outside = store_next(&f->base, w->place.name, &w->edit, &head);
        head = outside.mark;
    }
    if (d->id.n) {
        size_t room = STORE_ID_WINDOW;
        if (w->edit.op)
            recent[recent_n++] = outside;
        size_t got = 0;
        TRY(stream_newest(f, &w->stream, RECORD_NO_BODY, room - recent_n, &w->arena,
                          recent + recent_n, &got, e));
        recent_n += got;
    }
    bool again = false;
    jot_status st = store_seal(&f->base, w->place.name, x, d, &head, recent, recent_n, w->guard_seq,
                               &fresh, &again, e);
    *out = fresh.mark;
    if (st == JOT_OK && !again && !mark_live(&head))
        st = clash_check(f, w, e);
    if (st != JOT_OK || again) {
        /* The answer names a head; see that it exists. */
        Err ignored = { 0 };
        if (w->edit.op && !again && work_record_edit(f, w, &ignored) != JOT_OK &&
            st == JOT_CONFLICT) {
            if (e)
                *e = ignored;
            return ignored.status;
        }
        if (!again && st != JOT_ID_REUSED)
            *out = w->stream.head;
        return again ? confirm(f, w, e) : st;
    }
    if (!w->edit.op) {
        TRY(work_commit(f, w, &fresh, 1, e));
    } else {
        Record both[2] = { outside, fresh };
        TRY(work_commit(f, w, both, 2, e));
        Shown shown;
        store_met(&f->base, &f->base.report.outside, "an edit of '%s' from outside was recorded",
                  err_show(&shown, w->place.name));
    }
    *out = w->stream.head;
    return JOT_OK;
}

/* A file that was made for a record that did not come goes again.  Whoever waits for its lock
 * will see that it has lost its name. */
static void remove_empty(Files *f, const Work *w)
{
    AUTO(Fd) dir = pad_open_dir(f, w->place.dir, false);
    if (w->stream.fd >= 0 && w->stream.size == 0 && dir >= 0)
        (void)io_unlink(f->base.io, dir, w->place.file);
}

static jot_status cannot_tell(Str stream, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "the record of '%s' may be lost: its stream file was taken away",
                   err_show(&shown, stream));
}

static jot_status files_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                               Err *e)
{
    Files *f = (Files *)s;
    TRY(work_allowed(f, e));
    for (int i = 0; i < REDO_MAX; i++) {
        AUTO(Work) w;
        work_init(&w, stream);
        jot_status st = append_once(f, &w, x, d, out, e);
        if (st != JOT_OK)
            remove_empty(f, &w);
        if (st != JOT_OK)
            return st;
        struct stat info;
        int placed = stream_in_place(f, &w.stream, &info);
        if (placed < 0)
            return cannot_tell(stream, e);
        if (placed || MUTANT(STAY_WITH_OLD_FILE))
            return JOT_OK;
    }
    return cannot_tell(stream, e);
}

/* --- Copying --------------------------------------------------------------------------- */

static jot_status files_put_records(Store *s, Str stream, const Record *records, size_t n, Err *e)
{
    Files *f = (Files *)s;
    TRY(work_allowed(f, e));
    AUTO(Work) w;
    work_init(&w, stream);
    TRY(work_begin(f, &w, NULL, true, e));
    TRY(work_record_edit(f, &w, e));
    TRY(store_check_next(stream, &w.stream.head, &records[0], e));
    if (!mark_live(&w.stream.head) && mark_live(&records[n - 1].mark))
        TRY(clash_check(f, &w, e));
    return work_commit(f, &w, records, n, e);
}

/* --- After a reboot -------------------------------------------------------------------- */

/* Put one stream right: what was torn, its view, and people's edits recorded. */
static jot_status check_stream(Files *f, Str stream, Err *e)
{
    AUTO(Work) w;
    work_init(&w, stream);
    jot_status st = work_begin(f, &w, NULL, false, e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    return work_record_edit(f, &w, e);
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
    TRY(files_list(&f->base, (Str){ 0 }, str(f->check_after), FILES_CHECK_INLINE, LIST_ALL, &arena,
                   &page, e));
    int64_t until_ms = f->until_ms;
    f->until_ms = 0; /* who holds a stream puts it right himself, or dies: no waiting for it here */
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

static StorePromise files_promise(const Store *s)
{
    const Files *f = (const Files *)s;
    return (StorePromise){ .scheme = "files",
                           .durable = true,
                           .shared = true,
                           .edits_seen = true,
                           .edits_guarded = f->swaps };
}

const StoreOps files_ops = {
    .scheme = "files",
    .open = pad_open,
    .close = pad_close,
    .append = files_append,
    .head = files_head,
    .read = files_read,
    .bodies_checked = true, /* record_read() does */
    .list = files_list,
    .changes = files_changes,
    .trim = files_trim,
    .redact = files_redact,
    .forget_aside = quarantine_forget,
    .settle = files_settle,
    .purge = files_purge,
    .put_records = files_put_records,
    .promise = files_promise,
    .hold = pad_hold,
    .held = pad_held,
    .index_path = files_index_path,
    .verify = files_verify,
    .mend = files_mend,
};
