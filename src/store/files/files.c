/* files.c - the files engine: one directory a pad, one file a stream, one file a document.
 *
 * Every operation that writes goes the same way: take the stream's lock, put
 * right what is not (recover.c), record a person's edit if there is one, decide
 * (store_seal), commit.  Every operation that reads takes no lock and waits for
 * nobody.
 *
 * The order of a commit is what the promises rest on:
 *
 *     draft -> announce -> append -> fdatasync -> exchange -> look at the displaced -> drop it
 *
 * A record takes effect when it is in the stream.  Readers of the view alone see
 * it from the exchange on; so whoever meets a draft asks the stream, and a writer
 * that dies before the exchange has written, not nearly written.  Otherwise its
 * record would come to light at the next write, behind everything that happened
 * in between, with its guard long gone. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/mutant.h"
#include "store/files/files.h"

/* How often a write begins anew because somebody took its stream file away. */
enum { REDO_MAX = 8, HEAD_TRIES = 4 };

/* One write under way: the stream, locked and put right. */
typedef struct Work {
    Place place;
    Stream stream;
    Fd guard; /* holds the guard stream's shared lock */
    Fd names; /* holds locks while a name comes into being */
    Fd dir;   /* of the view */
    uint64_t guard_seq;
    View seen;  /* the view as it was read under the lock */
    Draft edit; /* what a person did to it; op 0: nothing */
    Arena arena;
} Work;

static void work_init(Work *w, Str name)
{
    *w = (Work){ .place = place_of(name), .guard = FD_NONE, .dir = FD_NONE };
    w->stream.fd = FD_NONE;
    w->names = FD_NONE;
}

static void work_done(Work *w)
{
    stream_done(&w->stream);
    fd_close(&w->guard);
    fd_close(&w->dir);
    fd_close(&w->names);
    arena_free(&w->arena);
}
DEFINE_AUTO(Work, work_done)

/* --- Committing ------------------------------------------------------------------------ */

static jot_status view_unsettled(const Place *p, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN, "'%s' was recorded, but its file could not be replaced",
                   err_show(&shown, p->name));
}

static jot_status edit_unsettled(const Place *p, Err *e)
{
    Shown shown;
    return err_set(e, JOT_UNKNOWN,
                   "'%s' was recorded, but an edit that came during the write was not, it is kept "
                   "beside the file",
                   err_show(&shown, p->name));
}

static jot_status write_records(Files *f, Work *w, const Record *records, size_t n, Err *e)
{
    AUTO(Buf) lines = { .max = (size_t)RECORD_LINE_MAX * 4 };
    for (size_t i = 0; i < n; i++)
        record_write(&lines, &records[i]);
    if (!buf_ok(&lines))
        return err_set(e, JOT_TOO_BIG, "too much for one write");
    TRY(recent_add(f, w->place.name, e));
    jot_status st = stream_add(f, &w->stream, buf_str(&lines), e);
    recent_done(f);
    if (st == JOT_OK)
        w->stream.head = records[n - 1].mark;
    return st;
}

/* Records that nobody has asked for need room behind the head too. */
static jot_status check_room(const Work *w, uint64_t n, Err *e)
{
    Shown shown;
    if (n <= STORE_SEQ_MAX - w->stream.head.seq)
        return JOT_OK;
    return err_set(e, JOT_TOO_BIG, "'%s' cannot hold more records",
                   err_show(&shown, w->place.name));
}

/* Something else was displaced than what had been read: a person saved it in between.  It becomes
 * a version, and ours comes again behind it. */
static jot_status keep_displaced(Files *f, Work *w, const View *displaced, const Record *ours,
                                 Err *e)
{
    Draft person = { .op = displaced->there ? OP_PUT : OP_DELETE,
                     .by = S(STORE_OUTSIDE),
                     .body = displaced->text };
    Draft again = { .op = ours->mark.op,
                    .by = ours->by,
                    .id = ours->id, /* who asks again shall hear of this one */
                    .meta = ours->meta,
                    .body = ours->body,
                    .fence = ours->mark.fence };
    Record both[2];
    TRY(check_room(w, 2, e));
    both[0] = store_next(&f->base, w->place.name, &person, &w->stream.head);
    both[1] = store_next(&f->base, w->place.name, &again, &both[0].mark);
    TRY(write_records(f, w, both, 2, e));
    Shown shown;
    store_met(&f->base, &f->base.report.outside, "an edit of '%s' came during a write and was kept",
              err_show(&shown, w->place.name));
    return JOT_OK;
}

/* Let readers see the record that has been appended. */
static jot_status show(Files *f, Work *w, const Record *last, Err *e)
{
    const Place *p = &w->place;
    bool remove = !mark_shown(&last->mark);
    View displaced;
    if (view_exchange(f, p, w->dir, remove, &w->arena, &displaced, NULL) != JOT_OK)
        return view_unsettled(p, e);
    bool other = displaced.there ? !(w->seen.there && hash_eq(displaced.sha256, w->seen.sha256))
                                 : displaced.gone && w->seen.there;
    /* Ours is recorded already: whatever fails from here on, it is not undone. */
    if (other && !MUTANT(IGNORE_DISPLACED) &&
        keep_displaced(f, w, &displaced, last, NULL) != JOT_OK)
        return edit_unsettled(p, e);
    if (displaced.there && view_drop(f, p, w->dir, &displaced, NULL) != JOT_OK)
        return view_unsettled(p, e);
    w->seen =
        (View){ .there = !remove, .sha256 = last->mark.sha256, .text = last->body, .links = 1 };
    return JOT_OK;
}

/* The directory of the view; without `make` it may be missing, and w->dir stays FD_NONE. */
static jot_status open_view_dir(Files *f, Work *w, bool make, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, w->place.name);
    int dir = w->dir >= 0 ? w->dir : pad_open_dir(f, w->place.view_dir, make);
    if (dir == -ELOOP)
        return err_set(e, JOT_DENIED, "a symlink stands in the way of '%s'", name);
    if (dir == -ENOTDIR && make)
        return err_set(e, JOT_INVALID, "cannot create '%s': a file stands where a directory must",
                       name);
    if (dir < 0 && (make || (dir != -ENOENT && dir != -ENOTDIR)))
        return err_errno(e, -dir, "could not open the directory of '%s'", name);
    w->dir = dir < 0 ? FD_NONE : dir;
    return JOT_OK;
}

/* Put records behind the head and let the last one take effect. */
static jot_status commit(Files *f, Work *w, const Record *records, size_t n, Err *e)
{
    const Record *last = &records[n - 1];
    bool remove = !mark_shown(&last->mark);
    if (!w->place.viewed || (remove && !w->seen.there))
        return write_records(f, w, records, n, e);
    if (w->seen.there && w->seen.links > 1) {
        Shown shown;
        return err_set(e, JOT_DENIED, "the file of '%s' has a second hard link: copy it without",
                       err_show(&shown, w->place.name));
    }
    TRY(open_view_dir(f, w, true, e));
    if (w->seen.directory && !remove)
        TRY(view_make_room(f, &w->place, w->dir, e));
    TRY(view_draft(f, &w->place, w->dir, !remove ? last->body : (Str){ 0 }, e));
    if (MUTANT(SHOW_BEFORE_SYNC))
        TRY(show(f, w, last, e));
    jot_status st = write_records(f, w, records, n, e);
    /* Without a record the draft is all there is to undo, and a leftover does no harm.  If the
     * record could not be undone, the draft must stay: it tells what was meant. */
    if (st != JOT_OK && !f->base.read_only_why[0]) {
        jot_status dropped = view_drop(f, &w->place, w->dir, &(View){ 0 }, NULL);
        (void)dropped;
    }
    if (st != JOT_OK)
        return st;
    return MUTANT(SHOW_BEFORE_SYNC) ? JOT_OK : show(f, w, last, e);
}

/* A person's edit becomes a version.  Its view is there already, or already gone. */
static jot_status record_edit(Files *f, Work *w, Err *e)
{
    if (w->edit.op == 0)
        return JOT_OK;
    TRY(check_room(w, 1, e));
    Record r = store_next(&f->base, w->place.name, &w->edit, &w->stream.head);
    TRY(write_records(f, w, &r, 1, e));
    w->edit = (Draft){ 0 };
    Shown shown;
    store_met(&f->base, &f->base.report.outside, "an edit of '%s' from outside was recorded",
              err_show(&shown, w->place.name));
    return JOT_OK;
}

/* --- Beginning a write ----------------------------------------------------------------- */

static jot_status take_guard(Files *f, Work *w, const Expect *x, Err *e)
{
    if (x->guard.n == 0 || w->guard >= 0)
        return JOT_OK;
    Place p = place_of(x->guard);
    return stream_guard(f, &p, &w->guard, &w->guard_seq, e);
}

/* Lock the stream, put it right, see what a person did.  Two locks are taken in the order of the
 * names, so that two writes that guard each other's streams cannot wait for each other. */
static jot_status begin(Files *f, Work *w, const Expect *x, bool create, Err *e)
{
    if (x && str_cmp(x->guard, w->place.name) < 0)
        TRY(take_guard(f, w, x, e));
    TRY(stream_take(f, &w->place, create, &w->stream, e));
    if (x)
        TRY(take_guard(f, w, x, e));
    if (!w->place.viewed)
        return JOT_OK;
    /* A lost directory is made again; one for a new document only when it is decided. */
    TRY(open_view_dir(f, w, mark_shown(&w->stream.head), e));
    if (w->dir < 0)
        return JOT_OK; /* nothing to see, nothing to put right */
    return recover_stream(f, &w->stream, w->dir, &w->arena, &w->seen, &w->edit, e);
}

/* --- A name is a file or a directory --------------------------------------------------- */

/* True if something lives below `path` (a directory of streams). */
static jot_status find_below(Files *f, Str name, Arena *into, Str *out, Err *e)
{
    Listing page;
    *out = (Str){ 0 };
    Str prefix = arena_printf(into, STR_FMT "/", STR_ARG(name));
    if (prefix.n >= STORE_NAME_MAX)
        return JOT_OK;
    TRY(files_list(&f->base, prefix, (Str){ 0 }, 1, LIST_LIVE, into, &page, e));
    if (page.n)
        *out = page.items[0].name;
    return JOT_OK;
}

/* Names that could clash lock each other out while one of them comes into being: exclusively the
 * name itself, shared every name above it, on bytes of `format`. */
static jot_status lock_names(Files *f, Work *w, Err *e)
{
    Str name = w->place.name;
    w->names = io_open(f->base.io, f->root, "format", O_RDWR | O_NONBLOCK, 0);
    if (w->names < 0)
        return err_errno(e, -w->names, "could not lock the names of the pad");
    for (size_t end = str_find(name, '/') + 1; end <= name.n; end++) {
        if (end < name.n && name.p[end] != '/')
            continue;
        /* Shorter names come first for everybody, so nobody waits in a circle but by a clash of
         * two hashes, and that ends with the bounded wait. */
        Hash h = hash_of(str_slice(name, 0, end));
        off_t byte =
            LOCK_NAMES + (off_t)(((uint32_t)h.b[0] << 16 | (uint32_t)h.b[1] << 8) | h.b[2]);
        int got = lock_wait(f->base.io, w->names, end < name.n ? F_RDLCK : F_WRLCK, byte,
                            pad_wait_left(f));
        if (got < 0)
            return err_set(e, JOT_UNAVAILABLE, "could not lock the names of the pad");
    }
    return JOT_OK;
}

/* May this name come to life?  Kinds of a fixed depth cannot clash. */
static jot_status check_name_free(Files *f, Work *w, Err *e)
{
    Str name = w->place.name, other = { 0 };
    if (store_kind(name)->flat || store_kind(name)->pair)
        return JOT_OK;
    TRY(lock_names(f, w, e));
    for (size_t end = str_find(name, '/') + 1; end < name.n; end++) {
        if (name.p[end] != '/')
            continue;
        Record head;
        Str above = str_slice(name, 0, end);
        jot_status st = files_head(&f->base, above, HEAD_MARK, &w->arena, &head, e);
        if (st == JOT_OK && mark_live(&head.mark))
            return store_name_taken(e, name, above);
        if (st != JOT_OK && st != JOT_NOT_FOUND)
            return st;
    }
    TRY(find_below(f, name, &w->arena, &other, e));
    return other.n ? store_name_taken(e, name, other) : JOT_OK;
}

/* --- Append ---------------------------------------------------------------------------- */

/* Every write begins here. */
static jot_status begin_writing(Files *f, Err *e)
{
    pad_begin_wait(f);
    TRY(pad_check_there(f, e));
    if (!f->checked && !pad_read_checked(f))
        TRY(recover_pad(f, e));
    return f->base.read_only_why[0] ? store_refuse_write(&f->base, e) : JOT_OK;
}

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
    TRY(begin(f, w, x, true, e));
    Mark head = w->stream.head;
    Record outside, recent[STORE_ID_WINDOW], fresh;
    size_t recent_n = 0;
    if (MUTANT(OVERWRITE_EDIT))
        w->edit = (Draft){ 0 };
    if (w->edit.op) {
        TRY(check_room(w, 1, e));
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
        st = check_name_free(f, w, e);
    if (st != JOT_OK || again) {
        /* The answer names a head; see that it exists. */
        Err ignored = { 0 };
        if (w->edit.op && !again && record_edit(f, w, &ignored) != JOT_OK && st == JOT_CONFLICT) {
            if (e)
                *e = ignored;
            return ignored.status;
        }
        if (!again && st != JOT_ID_REUSED)
            *out = w->stream.head;
        return again ? confirm(f, w, e) : st;
    }
    if (!w->edit.op) {
        TRY(commit(f, w, &fresh, 1, e));
    } else {
        Record both[2] = { outside, fresh };
        TRY(commit(f, w, both, 2, e));
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
    TRY(begin_writing(f, e));
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

/* --- Head ------------------------------------------------------------------------------ */

static Record unrecorded(const View *v, const Mark *before)
{
    Record r = { .by = S(STORE_OUTSIDE), .body = v->text };
    r.mark = (Mark){ .op = v->there ? OP_PUT : OP_DELETE,
                     .at_ms = v->changed_ms > before->at_ms ? v->changed_ms : before->at_ms,
                     .fence = before->fence,
                     .size = v->text.n,
                     .sha256 = v->sha256 };
    return r;
}

/* True if something has the draft's name: a write of this document is under way, or was left
 * unfinished.  Only whether it is there matters, so it does not matter where a symlink leads. */
static bool drafted(Files *f, const Place *p)
{
    struct stat info;
    char path[FILES_PATH_MAX + FILES_NAME_MAX];
    snprintf(path, sizeof path, "%s/%s", p->view_dir, p->draft);
    return fstatat(f->root, path, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* True if the head has been appended but does not show yet: its writer is on the way to the
 * exchange, or died there.  The draft tells: it holds the head's text, or nothing if the head is a
 * tombstone. */
static jot_status under_way(Files *f, const Place *p, const Mark *head, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    View draft;
    TRY(view_peek_draft(f, p, &arena, &draft, e));
    *out =
        draft.there && (mark_shown(head) ? hash_eq(draft.sha256, head->sha256) : draft.text.n == 0);
    return JOT_OK;
}

/* What a reader sees of a document: its view, then the end of its stream. */
typedef struct Sight {
    View view;
    Mark head;    /* of the stream; seq 0: none */
    Record shown; /* the newest record whose body the view is; seq 0: none of the last few */
    bool first;   /* the stream has one record */
    bool stale;   /* after a reboot: the stream's head counts, not the view */
} Sight;

static void find_shown(Sight *s, const Record *newest, size_t n)
{
    for (size_t i = 0; i < n && s->shown.mark.seq == 0; i++) {
        const Mark *m = &newest[i].mark;
        if (s->view.there ? mark_shown(m) && hash_eq(m->sha256, s->view.sha256) : !mark_shown(m))
            s->shown = newest[i];
    }
    s->first = n == 1;
    s->shown.body = s->view.text;
}

static jot_status look(Files *f, const Place *p, Arena *into, Sight *out, Err *e)
{
    *out = (Sight){ 0 };
    TRY(view_read(f, p, into, &out->view, e));
    bool trusted = f->checked || pad_read_checked(f);
    AUTO(Stream) st = { .fd = FD_NONE };
    LookAt what = trusted ? LOOK_ANY : drafted(f, p) ? LOOK_SYNCED : LOOK_DURABLE;
    jot_status looked = stream_look(f, p, what, &st, e);
    if (looked == JOT_NOT_FOUND && out->view.there)
        return JOT_OK;
    TRY(looked);
    out->head = st.head;
    size_t n = 0;
    if (!trusted) {
        /* A draft explains nothing here: after a reboot it may be left of an acknowledged write. */
        Verdict verdict;
        TRY(recover_judge(f, &st, &out->view, &verdict, e));
        out->stale = verdict == VIEW_STALE;
        if (out->stale)
            return stream_newest(f, &st, RECORD_ALL, 1, into, &out->shown, &n, e);
    }
    Record newest[STORE_ID_WINDOW];
    TRY(stream_newest(f, &st, RECORD_NO_BODY, 1, into, newest, &n, e));
    find_shown(out, newest, n);
    if (out->shown.mark.seq)
        return JOT_OK;
    /* More is read only when the head alone does not explain what is seen. */
    TRY(stream_newest(f, &st, RECORD_NO_BODY, STORE_ID_WINDOW, into, newest, &n, e));
    find_shown(out, newest, n);
    return JOT_OK;
}

/* An older record in the place of the newest would be a lie about a log. */
static jot_status head_damaged(Files *f, const Stream *st, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, st->place->name);
    store_met(&f->base, &f->base.report.damaged, "'%s' has records that cannot be read", name);
    return err_set(e, JOT_CORRUPT, "the newest record of '%s' (seq %llu) cannot be read", name,
                   (unsigned long long)st->head.seq);
}

/* The newest record of the stream, whatever its view shows. */
static jot_status record_head(Files *f, const Place *p, LookAt what, RecordWant want, Arena *into,
                              Record *out, Err *e)
{
    AUTO(Stream) st = { .fd = FD_NONE };
    size_t n = 0;
    TRY(stream_look(f, p, what, &st, e));
    TRY(stream_newest(f, &st, want, 1, into, out, &n, e));
    return n && out->mark.seq == st.head.seq ? JOT_OK : head_damaged(f, &st, e);
}

/* The head of a document.  View and stream are read one after the other, without lock, so a write
 * may come between.  A record has taken effect when it is in the stream, even if its writer has
 * not come to the exchange, or never will; so a record before the head in the view means the head
 * if there is a draft.  Only if nothing moves and nobody writes is it a person's edit. */
static jot_status document_head(Files *f, const Place *p, Arena *into, Record *out, Err *e)
{
    Sight before = { 0 }, now = { 0 };
    bool still = false;
    for (int i = 0; i < HEAD_TRIES && !still; i++, before = now) {
        TRY(look(f, p, into, &now, e));
        *out = now.shown;
        if (now.stale || (now.shown.mark.seq && now.shown.mark.seq == now.head.seq))
            return JOT_OK;
        bool explained = now.shown.mark.seq || (!now.view.there && now.first), writing = false;
        if (explained && drafted(f, p))
            TRY(under_way(f, p, &now.head, &writing, e));
        if (writing) {
            Record newest;
            bool safe = record_head(f, p, LOOK_SYNCED, RECORD_ALL, into, &newest, NULL) == JOT_OK;
            if (safe)
                *out = newest;
            /* What the disk refuses to keep has not happened: what shows counts, if anything. */
            return safe || now.shown.mark.seq ? JOT_OK : store_not_found(e, p->name);
        }
        still = i && now.head.seq == before.head.seq && now.view.there == before.view.there &&
                hash_eq(now.view.sha256, before.view.sha256);
    }
    if (still || now.shown.mark.seq == 0)
        *out = unrecorded(&now.view, &now.head);
    return JOT_OK;
}

jot_status files_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Files *f = (Files *)s;
    Place p = place_of(stream);
    if (!p.viewed)
        return record_head(f, &p, LOOK_DURABLE, want == HEAD_MARK ? RECORD_NO_BODY : RECORD_ALL,
                           into, out, e);
    /* The draft is looked for first: while there is none, the view is the head. */
    bool settled = (f->checked || pad_read_checked(f)) && !drafted(f, &p);
    if (want == HEAD_VALUE && settled) {
        View v;
        TRY(view_read(f, &p, into, &v, e));
        if (v.there) {
            *out = unrecorded(&v, &(Mark){ 0 });
            out->by = (Str){ 0 };
            return JOT_OK;
        }
    }
    TRY(document_head(f, &p, into, out, e));
    if (want == HEAD_MARK)
        out->body = (Str){ 0 };
    return JOT_OK;
}

static jot_status files_read(Store *s, Str stream, uint64_t from, size_t limit, Arena *into,
                             Records *out, Err *e)
{
    Files *f = (Files *)s;
    Place p = place_of(stream);
    AUTO(Stream) st = { .fd = FD_NONE };
    TRY(stream_look(f, &p, p.viewed && drafted(f, &p) ? LOOK_SYNCED : LOOK_DURABLE, &st, e));
    return stream_read(f, &st, from, limit, into, out, e);
}

/* --- Forgetting ------------------------------------------------------------------------ */

/* Lock an existing stream, with people's edits recorded. */
static jot_status begin_existing(Files *f, Work *w, Err *e)
{
    TRY(begin_writing(f, e));
    jot_status st = begin(f, w, NULL, false, e);
    if (st == JOT_NOT_FOUND && w->place.viewed) {
        /* A file a person made is a stream from its first record on. */
        View v;
        TRY(view_read(f, &w->place, &w->arena, &v, e));
        if (!v.there)
            return store_not_found(e, w->place.name);
        st = begin(f, w, NULL, true, e);
    }
    TRY(st);
    TRY(record_edit(f, w, e));
    return w->stream.head.seq ? JOT_OK : store_not_found(e, w->place.name);
}

static jot_status files_trim(Store *s, Str stream, uint64_t before, uint64_t *dropped, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Work) w;
    work_init(&w, stream);
    TRY(begin_existing(f, &w, e));
    uint64_t from_seq = store_trim_from(&w.stream.head, before);
    Records oldest;
    TRY(stream_read(f, &w.stream, 0, 1, &w.arena, &oldest, e));
    uint64_t first = oldest.n ? oldest.items[0].mark.seq : from_seq;
    if (first >= from_seq)
        return JOT_OK;
    off_t from, to;
    TRY(stream_find(f, &w.stream, from_seq, &from, &to, &w.arena, NULL, e));
    if (from == w.stream.size)
        return JOT_OK; /* only damaged records would be left */
    Mark head = w.stream.head;
    Piece kept = { from, w.stream.size, { 0 } };
    TRY(stream_replace(f, &w.stream, &kept, 1, e));
    w.stream.head = head;
    *dropped = from_seq - first;
    return JOT_OK;
}

/* The status of a step behind one that took effect: it cannot say any more that nothing was
 * changed. */
static jot_status after_change(jot_status st, Err *e)
{
    if (st == JOT_OK || st == JOT_UNKNOWN)
        return st;
    if (e)
        e->status = JOT_UNKNOWN;
    return JOT_UNKNOWN;
}

static jot_status files_redact(Store *s, Str stream, uint64_t seq, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Work) w;
    work_init(&w, stream);
    TRY(begin_existing(f, &w, e));
    off_t from, to;
    Record r;
    TRY(stream_find(f, &w.stream, seq, &from, &to, &w.arena, &r, e));
    if (from == to)
        return store_not_found(e, stream);
    TRY(store_check_redact(stream, &w.stream.head, &r.mark, e));
    /* First what was put aside: if it cannot go, nothing has changed yet. */
    TRY(quarantine_purge(f, stream, e));
    r.mark.redacted = true;
    AUTO(Buf) line = { 0 };
    record_write(&line, &r);
    TRY(recent_add(f, stream, e));
    Piece pieces[] = { { 0, from, buf_str(&line) }, { to, w.stream.size, { 0 } } };
    jot_status st = stream_replace(f, &w.stream, pieces, 2, e);
    recent_done(f);
    return st;
}

/* Leave nothing but the tombstone. */
static jot_status purge_history(Files *f, Work *w, const Record *tombstone, Err *e)
{
    if (w->dir >= 0 && !MUTANT(PURGE_VIEW_UNSYNCED) && io_fsync(f->base.io, w->dir) < 0)
        return view_unsettled(&w->place, e);
    AUTO(Buf) line = { 0 };
    record_write(&line, tombstone);
    TRY(recent_add(f, w->place.name, e));
    Piece only = { 0, 0, buf_str(&line) };
    jot_status st = stream_replace(f, &w->stream, &only, 1, e);
    recent_done(f);
    TRY(st);
    return after_change(quarantine_purge(f, w->place.name, e), e);
}

static jot_status files_purge(Store *s, Str stream, Str by, Mark *out, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Work) w;
    work_init(&w, stream);
    TRY(begin_existing(f, &w, e));
    /* First what was put aside: if it cannot go, nothing has changed yet. */
    TRY(quarantine_purge(f, stream, e));
    TRY(check_room(&w, 1, e));
    Draft d = { .op = OP_DELETE, .by = by };
    Record tombstone = store_next(s, stream, &d, &w.stream.head);
    /* Then deleted like anything else, and the view durably gone: were the history gone first, a
     * view that came back after a power loss would look like a person's. */
    bool shown = w.place.viewed && w.seen.there;
    if (shown) {
        size_t n = 0;
        TRY(commit(f, &w, &tombstone, 1, e));
        /* If an edit came in between, it is not the tombstone we made. */
        jot_status st = stream_newest(f, &w.stream, RECORD_NO_BODY, 1, &w.arena, &tombstone, &n, e);
        TRY(after_change(st, e));
        assert(n == 1 && tombstone.mark.op == OP_DELETE);
    }
    jot_status st = purge_history(f, &w, &tombstone, e);
    TRY(shown ? after_change(st, e) : st);
    *out = tombstone.mark;
    return JOT_OK;
}

/* --- Copying --------------------------------------------------------------------------- */

static jot_status files_put_records(Store *s, Str stream, const Record *records, size_t n, Err *e)
{
    Files *f = (Files *)s;
    TRY(begin_writing(f, e));
    AUTO(Work) w;
    work_init(&w, stream);
    TRY(begin(f, &w, NULL, true, e));
    TRY(record_edit(f, &w, e));
    TRY(store_check_next(stream, &w.stream.head, &records[0], e));
    if (!mark_live(&w.stream.head) && mark_live(&records[n - 1].mark))
        TRY(check_name_free(f, &w, e));
    return commit(f, &w, records, n, e);
}

/* --- After a reboot -------------------------------------------------------------------- */

/* Put one stream right: what was torn, its view, and people's edits recorded. */
static jot_status check_stream(Files *f, Str stream, Err *e)
{
    AUTO(Work) w;
    work_init(&w, stream);
    jot_status st = begin(f, &w, NULL, false, e);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(st);
    return record_edit(f, &w, e);
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
    .list = files_list,
    .changes = files_changes,
    .trim = files_trim,
    .redact = files_redact,
    .purge = files_purge,
    .put_records = files_put_records,
    .promise = files_promise,
};
