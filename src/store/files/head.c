/* head.c - reading without a lock: the head of a stream, and its records.
 *
 * A reader takes no lock and waits for nobody, so it reads view and stream one after the
 * other while a writer goes through its steps (write.c).  The draft says whether
 * one is under way:
 *
 *     draft   view               the head is
 *     -----   ----------------   ----------------------------------------------------------
 *     no      the head's text    the view: no stream is read for a value
 *     no      another text       a person's edit, not recorded yet: seq 0, `by` outside
 *     yes     the head's text    the stream's head: exchanged, and not dropped yet
 *     yes     an older text      the stream's head, synced first: its writer is on its way to the
 *                                exchange, or died there
 *
 * "Another text" may also mean that a writer came in between the two reads.  So it
 * is an edit only if nothing has moved when both are read again; where writers
 * come in between every time, the stream's head is the newest there is. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/files/files.h"

/* How often a reader looks again while writers come between. */
enum { HEAD_TRIES = 4 };

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

/* True if the head has been appended but does not show yet: its writer is on the way to the
 * exchange, or died there.  The draft tells: it holds the head's text, or nothing if the head is a
 * tombstone. */
static jot_status under_way(Files *f, const Paths *p, const Mark *head, bool *out, Err *e)
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
    bool alone;   /* there is a view, and no stream: nobody has recorded anything yet */
    bool stale;   /* after a reboot, or if it is damaged: the stream's head counts, not the view */
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

static jot_status look(Files *f, const Paths *p, Arena *into, Sight *out, Err *e)
{
    *out = (Sight){ 0 };
    TRY(view_read(f, p, into, &out->view, e));
    bool trusted = pad_trusts_views(f);
    AUTO(Stream) st = { .fd = FD_NONE };
    Newest shown = { .items = &out->shown, .max = 1 };
    LookAt what = trusted ? LOOK_ANY : view_drafted(f, p) ? LOOK_SYNCED : LOOK_DURABLE;
    jot_status looked = stream_look(f, p, what, RECORD_NO_BODY, &st, e);
    out->head = st.head;
    out->alone = looked == JOT_NOT_FOUND && out->view.there;
    if (out->alone)
        return JOT_OK;
    TRY(looked);
    if (!trusted) {
        /* A draft explains nothing here: after a reboot it may be left of an acknowledged write. */
        Verdict verdict;
        TRY(recover_judge(f, &st, &out->view, &verdict, e));
        out->stale = verdict == VIEW_STALE;
        if (out->stale)
            return stream_newest(f, &st, RECORD_ALL, into, &shown, e);
    }
    Record records[STORE_ID_WINDOW];
    Newest newest = { .items = records, .max = 1 };
    TRY(stream_newest(f, &st, RECORD_NO_BODY, into, &newest, e));
    find_shown(out, records, newest.n);
    if (out->shown.mark.seq)
        return JOT_OK;
    /* More is read only when the head alone does not explain what is seen. */
    newest.max = STORE_ID_WINDOW;
    TRY(stream_newest(f, &st, RECORD_NO_BODY, into, &newest, e));
    find_shown(out, records, newest.n);
    out->stale = !out->shown.mark.seq && heads_rotten(f, p->name, &st.head, &out->view);
    return out->stale ? stream_newest(f, &st, RECORD_ALL, into, &shown, e) : JOT_OK;
}

/* What is served is not the newest record there was: say so, and how many are missing. */
static void say_lost(Files *f, const Paths *p, const Mark *head, Record *out)
{
    out->mark.lost = head->lost;
    out->mark.loss_reported = head->loss_reported;
    if (head->lost)
        store_met_lost(&f->base, p->name, head);
}

typedef struct HeadLook {
    LookAt what;
    RecordWant check; /* how much of it must be readable: all, or only its header */
    RecordWant want;  /* how much of it is read */
} HeadLook;

/* The newest record of the stream that can be read, whatever its view shows. */
static jot_status record_head(Files *f, const Paths *p, HeadLook look, Arena *into, Record *out,
                              Err *e)
{
    AUTO(Stream) st = { .fd = FD_NONE };
    Newest newest = { .items = out, .max = 1 };
    *out = (Record){ 0 };
    jot_status looked = stream_look(f, p, look.what, look.check, &st, e);
    if (looked == JOT_OK)
        looked = stream_newest(f, &st, look.want, into, &newest, e);
    if (looked == JOT_OK || looked == JOT_NOT_FOUND)
        say_lost(f, p, &st.head, out);
    TRY(looked);
    Shown shown;
    return newest.n ? JOT_OK
                    : err_set(e, JOT_UNAVAILABLE, "could not read '%s': it is being rewritten",
                              err_show(&shown, p->name));
}

/* The head of a document.  View and stream are read one after the other, without lock, so a write
 * may come between.  A record has taken effect when it is in the stream, even if its writer has
 * not come to the exchange, or never will; so a record before the head in the view means the head
 * if there is a draft.  Only if nothing moves and nobody writes is it a person's edit; where
 * writers come between every time, the head of the stream is the newest there is. */
static jot_status document_head(Files *f, const Paths *p, Arena *into, Record *out, Err *e)
{
    Sight before = { 0 }, now = { 0 };
    bool still = false;
    for (int i = 0; i < HEAD_TRIES && !still; i++, before = now) {
        TRY(look(f, p, into, &now, e));
        *out = now.shown;
        /* A writer appends before it exchanges, and a stream stays once it is there: what was in
         * the view before none was found is a person's, and need not be looked at twice. */
        if (now.alone)
            break;
        if (now.stale || (now.shown.mark.seq && now.shown.mark.seq == now.head.seq)) {
            say_lost(f, p, &now.head, out);
            return JOT_OK;
        }
        bool explained = now.shown.mark.seq || (!now.view.there && now.first), writing = false;
        if (explained && view_drafted(f, p))
            TRY(under_way(f, p, &now.head, &writing, e));
        if (writing) {
            Record newest;
            bool safe = record_head(f, p, (HeadLook){ LOOK_SYNCED, RECORD_ALL, RECORD_ALL }, into,
                                    &newest, NULL) == JOT_OK;
            if (safe)
                *out = newest;
            /* What the disk refuses to keep has not happened: what shows counts, if anything. */
            return safe || now.shown.mark.seq ? JOT_OK : store_not_found(e, p->name);
        }
        still = i && now.head.seq == before.head.seq && now.view.there == before.view.there &&
                hash_eq(now.view.sha256, before.view.sha256);
    }
    if (!still && now.head.seq)
        return record_head(f, p, (HeadLook){ LOOK_SYNCED, RECORD_ALL, RECORD_ALL }, into, out, e);
    *out = unrecorded(&now.view, &now.head);
    return JOT_OK;
}

jot_status files_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Files *f = (Files *)s;
    Paths p = paths_of(f, stream);
    TRY(clash_check_case(f, &p, e));
    if (!p.viewed)
        return record_head(
            f, &p,
            (HeadLook){ LOOK_DURABLE, RECORD_ALL, want == HEAD_MARK ? RECORD_NO_BODY : RECORD_ALL },
            into, out, e);
    /* The draft is looked for first: while there is none, the view is the head. */
    if (want == HEAD_VALUE && pad_trusts_views(f) && !view_drafted(f, &p)) {
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

jot_status files_glance(Files *f, Str stream, Arena *into, Record *out, Err *e)
{
    Paths p = paths_of(f, stream);
    if (p.viewed)
        return files_head(&f->base, stream, HEAD_MARK, into, out, e);
    TRY(clash_check_case(f, &p, e));
    return record_head(f, &p, (HeadLook){ LOOK_DURABLE, RECORD_NO_BODY, RECORD_NO_BODY }, into, out,
                       e);
}

/* Root may look at anybody's pad; what it makes there its owner could not write any more. */
static bool visits_as_root(Files *f)
{
    struct stat info;
    return geteuid() == 0 && io_fstat(f->base.io, f->root, &info) == 0 && info.st_uid != 0;
}

jot_status files_whole(Store *s, Str stream, Err *e)
{
    Files *f = (Files *)s;
    if (visits_as_root(f))
        return err_set(e, JOT_DENIED, "the pad belongs to another user");
    Paths p = paths_of(f, stream);
    AUTO(Stream) st = { .fd = FD_NONE };
    struct stat info = { 0 };
    jot_status looked = stream_look(f, &p, LOOK_ANY, RECORD_NO_BODY, &st, NULL);
    bool torn = looked == JOT_OK && stream_in_place(f, &st, &info) > 0 && info.st_size > st.size;
    Shown shown;
    if (st.head.lost || torn || heads_beyond(f, stream, &st.head))
        return err_set(e, JOT_CORRUPT, "records of '%s' are missing or damaged, see jotter verify",
                       err_show(&shown, stream));
    return JOT_OK;
}

jot_status files_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    Files *f = (Files *)s;
    Paths p = paths_of(f, stream);
    TRY(clash_check_case(f, &p, e));
    AUTO(Stream) st = { .fd = FD_NONE };
    TRY(stream_look(f, &p, p.viewed && view_drafted(f, &p) ? LOOK_SYNCED : LOOK_DURABLE,
                    RECORD_NO_BODY, &st, e));
    return stream_read(f, &st, range, into, out, e);
}
