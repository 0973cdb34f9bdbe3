/* head.c - reading without a lock: the head of a stream, and its records.
 *
 * View and stream are read one after the other, so a write may come between.
 * The draft tells whether one is under way: while there is none, the view is the
 * head, and what the stream does not know was written by a person. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "store/files/files.h"

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
    TRY(clash_check_case(f, &p, e));
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

jot_status files_read(Store *s, Str stream, uint64_t from, size_t limit, Arena *into, Records *out,
                      Err *e)
{
    Files *f = (Files *)s;
    Place p = place_of(stream);
    TRY(clash_check_case(f, &p, e));
    AUTO(Stream) st = { .fd = FD_NONE };
    TRY(stream_look(f, &p, p.viewed && drafted(f, &p) ? LOOK_SYNCED : LOOK_DURABLE, &st, e));
    return stream_read(f, &st, from, limit, into, out, e);
}
