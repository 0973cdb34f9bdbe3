/* forget.c - trim, redact, purge: rewriting a stream without what is to be gone.
 *
 * A stream file is only ever appended to, so what is to go cannot be cut out of it.  A fresh file
 * is written beside it from pieces of the old one and new lines, synced, and renamed over it:
 *
 *     trim      ......|oldest'|rest          the oldest record that stays gets the count of those
 *                                            before it: by that the list of heads knows a trim
 *     redact    piece|r3'|piece|r7'|piece    each record again, without its body
 *     purge     tombstone                    and nothing else
 *
 * The order decides what a crash leaves.  Everything that shows the text besides the stream goes
 * first (the quarantine, mirrors, the view), and durably: were the history gone first, a view
 * that came back after a power loss would look like a person's edit.  After the rename nothing may
 * fail with "nothing was changed"; then the answer is JOT_UNKNOWN. */
#include <assert.h>

#include "base/mutant.h"
#include "store/files/files.h"
#include "store/files/mirror.h"

/* What people saw before must not come back with a power loss: nothing could tell it from an edit
 * of theirs any more when its version has gone, or has no text. */
static jot_status sync_view(Files *f, const Writing *w, Err *e)
{
    if (w->dir < 0 || MUTANT(FORGET_VIEW_UNSYNCED))
        return JOT_OK;
    return view_sync(f, &w->paths, w->dir, e);
}

/* The stream was rewritten and its head is what it was: its mirrors show what is left. */
static void show_again(Files *f, Writing *w, const Mark *head)
{
    w->stream.head = *head;
    w->mirrored = mirror_begin(f, &w->stream);
}

/* How many records stand before an offset; what cannot be read counts where it begins as one. */
static jot_status count_before(Files *f, const Stream *st, off_t end, uint64_t *n, Err *e)
{
    AUTO(Lines) lines;
    lines_init(&lines, f->base.io, st->fd, 0, end);
    for (*n = 0;;) {
        Str line;
        off_t at;
        int got = lines_next(&lines, &line, &at);
        if (got < 0)
            return scan_failed(e, st->paths->name, got);
        if (line.n == 0)
            return JOT_OK;
        *n += record_seq(line) > 0;
    }
}

/* What a trim keeps: everything from an offset on, with the oldest record counting all numbers
 * before it as trimmed.  By that the list of heads tells a trim from lines that were lost. */
static jot_status mark_trimmed(Files *f, Writing *w, uint64_t from_seq, off_t from, Piece pieces[2],
                               Err *e)
{
    assert(w->stream.locked && from <= w->stream.size);
    Records oldest;
    Located at = { 0 };
    TRY(stream_read(f, &w->stream, (SeqRange){ from_seq, 1 }, &w->arena, &oldest, e));
    pieces[0] = (Piece){ from, from, { 0 } };
    pieces[1] = (Piece){ from, w->stream.size, { 0 } };
    if (oldest.n == 0)
        return JOT_OK; /* only damage is left before the end */
    Record *r = &oldest.items[0];
    TRY(stream_find(f, &w->stream, r->mark.seq, &w->arena, &at, e));
    if (at.from == at.to)
        return JOT_OK;
    AUTO(Buf) line = { 0 };
    r->mark.gap = r->mark.seq - 1;
    record_write(&line, r, f->form);
    pieces[0] = (Piece){ from, at.from, arena_copy(&w->arena, buf_str(&line)) };
    pieces[1] = (Piece){ at.to, w->stream.size, { 0 } };
    return JOT_OK;
}

jot_status files_trim(Store *s, Str stream, const Expect *x, uint64_t before, uint64_t *dropped,
                      Err *e)
{
    Files *f = (Files *)s;
    AUTO(Writing) w;
    writing_init(f, &w, stream);
    TRY(writing_begin_existing(f, &w, x, e));
    uint64_t from_seq = store_trim_from(&w.stream.head, before);
    Records oldest;
    TRY(stream_read(f, &w.stream, (SeqRange){ 0, 1 }, &w.arena, &oldest, e));
    uint64_t first = oldest.n ? oldest.items[0].mark.seq : from_seq;
    if (first >= from_seq)
        return JOT_OK;
    Located at = { 0 };
    TRY(stream_find(f, &w.stream, from_seq, &w.arena, &at, e));
    if (at.from == w.stream.size)
        return JOT_OK; /* only damaged records would be left */
    uint64_t n;
    TRY(count_before(f, &w.stream, at.from, &n, e));
    TRY(sync_view(f, &w, e));
    TRY(mirror_withdraw(f, stream, e));
    Mark head = w.stream.head;
    Piece kept[2];
    TRY(mark_trimmed(f, &w, from_seq, at.from, kept, e));
    TRY(stream_replace(f, &w.stream, kept, COUNT_OF(kept), e));
    show_again(f, &w, &head);
    *dropped = n;
    return JOT_OK;
}

/* The status of a step after one that took effect: it cannot say any more that nothing was
 * changed. */
static jot_status after_change(jot_status st, Err *e)
{
    if (st == JOT_OK || st == JOT_UNKNOWN)
        return st;
    Err why = e ? *e : (Err){ 0 };
    return err_set(e, JOT_UNKNOWN, "it is not known whether all of it is gone: %.200s", why.text);
}

/* What stands between *at and a record, and that record without its body; *at moves past it. */
static jot_status redact_piece(Files *f, Writing *w, uint64_t seq, off_t *at, Piece *out, Err *e)
{
    assert(w->stream.locked && *at <= w->stream.size);
    Record r;
    Located here = { .record = &r };
    AUTO(Arena) arena = { 0 };
    TRY(stream_find(f, &w->stream, seq, &arena, &here, e));
    if (here.from == here.to)
        return store_not_found(e, w->paths.name);
    TRY(store_check_redact(w->paths.name, &w->stream.head, &r.mark, e));
    r.mark.redacted = true;
    AUTO(Buf) line = { 0 };
    record_write(&line, &r, f->form);
    *out = (Piece){ *at, here.from, arena_copy(&w->arena, buf_str(&line)) };
    *at = here.to;
    return JOT_OK;
}

/* Put the pieces in the stream's place, under a head that stays, and end the announcement. */
static jot_status rewrite(Files *f, Writing *w, const Piece *kept, size_t n, Err *e)
{
    Mark head = w->stream.head;
    jot_status st = stream_replace(f, &w->stream, kept, n, e);
    recent_done(f);
    if (st != JOT_OK)
        return st;
    heads_wrote(f, w->paths.name, &head);
    show_again(f, w, &head);
    return JOT_OK;
}

jot_status files_redact(Store *s, Str stream, const Expect *x, const Redaction *set, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Writing) w;
    writing_init(f, &w, stream);
    TRY(writing_begin_existing(f, &w, x, e));
    Piece *pieces = NEW_ARRAY(&w.arena, Piece, set->n + 1);
    off_t at = 0;
    for (size_t i = 0; i < set->n; i++)
        TRY(redact_piece(f, &w, set->seqs[i], &at, &pieces[i], e));
    pieces[set->n] = (Piece){ at, w.stream.size, { 0 } };
    TRY(sync_view(f, &w, e));
    /* First the quarantine: if it cannot go, nothing has changed yet. */
    if (set->aside)
        TRY(quarantine_purge(f, stream, e));
    TRY(mirror_withdraw(f, stream, e));
    TRY(heads_forget(f, stream, e));
    TRY(recent_add_forgetting(f, stream, e));
    return rewrite(f, &w, pieces, set->n + 1, e);
}

jot_status files_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Writing) w;
    Located at = { 0 };
    writing_init(f, &w, stream);
    TRY(writing_begin_existing(f, &w, x, e));
    TRY(stream_find(f, &w.stream, seq, &w.arena, &at, e));
    if (at.from == at.to)
        return store_not_found(e, stream);
    TRY(sync_view(f, &w, e));
    /* First the quarantine: if it cannot go, nothing has changed yet. */
    TRY(quarantine_purge(f, stream, e));
    TRY(mirror_withdraw(f, stream, e));
    TRY(heads_forget(f, stream, e));
    Piece kept = { at.from, w.stream.size, { 0 } };
    TRY(recent_add(f, stream, e));
    return rewrite(f, &w, &kept, 1, e);
}

/* Leave nothing but the tombstone. */
static jot_status purge_history(Files *f, Writing *w, const Record *tombstone, Err *e)
{
    assert(w->stream.locked && tombstone->mark.op == OP_DELETE);
    if (w->dir >= 0 && !MUTANT(PURGE_VIEW_UNSYNCED) &&
        view_sync(f, &w->paths, w->dir, NULL) != JOT_OK)
        return writing_unsettled(&w->paths, e);
    AUTO(Buf) line = { 0 };
    record_write(&line, tombstone, f->form);
    TRY(recent_add_forgetting(f, w->paths.name, e));
    Piece only = { 0, 0, buf_str(&line) };
    jot_status st = stream_replace(f, &w->stream, &only, 1, e);
    recent_done(f);
    TRY(st);
    return after_change(quarantine_purge(f, w->paths.name, e), e);
}

/* What a purge is about to remove. */
static jot_status look_at_gone(Files *f, Writing *w, Gone *out, Err *e)
{
    Records oldest;
    Newest newest = { .items = NEW_ARRAY(&w->arena, Record, STORE_TOLD_MAX),
                      .max = STORE_TOLD_MAX };
    *out = (Gone){ .newest = newest.items };
    TRY(stream_read(f, &w->stream, (SeqRange){ 0, 1 }, &w->arena, &oldest, e));
    out->oldest = oldest.n ? &oldest.items[0] : NULL;
    /* Damage does not keep text from being purged: what came before it is reported.  A disk that
     * fails is another matter, and may answer next time. */
    Err why = { 0 };
    jot_status st = stream_newest(f, &w->stream, RECORD_NO_BODY, &w->arena, &newest, &why);
    out->n = newest.n;
    if (st != JOT_CORRUPT)
        TRY(err_pass(e, &why, st));
    return JOT_OK;
}

/* What nobody here has written or recorded lies in the person's own directory, and is theirs. */
static jot_status check_recorded(Files *f, const Paths *p, Err *e)
{
    struct stat info;
    Shown shown;
    if (!p->placed || !io_missing(io_stat_path(f->base.io, f->root, p->path, &info)))
        return JOT_OK;
    if (io_missing(view_stat(f, p, &info)))
        return store_not_found(e, p->name);
    /* Not JOT_NOT_FOUND: a caller that gets it takes the text for gone. */
    return err_set(e, JOT_DENIED, "'%s' has no history here: its file is yours to remove",
                   err_show(&shown, p->name));
}

jot_status files_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Writing) w;
    writing_init(f, &w, stream);
    TRY(check_recorded(f, &w.paths, e));
    jot_status begun = writing_begin_existing(f, &w, x, e);
    *out = w.stream.head;
    TRY(begun);
    /* First the quarantine: if it cannot go, nothing has changed yet. */
    TRY(quarantine_purge(f, stream, e));
    TRY(mirror_withdraw(f, stream, e));
    TRY(heads_forget(f, stream, e));
    TRY(store_check_room(w.paths.name, &w.stream.head, 1, e));
    Gone gone;
    TRY(look_at_gone(f, &w, &gone, e));
    Record tombstone = store_tombstone(s, stream, by, &w.stream.head, &gone, &w.arena);
    /* Then deleted like anything else, and the view durably gone: were the history gone first, a
     * view that came back after a power loss would look like a person's. */
    bool shown = w.paths.viewed && w.seen.there;
    if (shown) {
        Newest newest = { .items = &tombstone, .max = 1 };
        TRY(writing_commit(f, &w, &tombstone, 1, e));
        /* If an edit came in between, it is not the tombstone we made. */
        jot_status st = stream_newest(f, &w.stream, RECORD_NO_BODY, &w.arena, &newest, e);
        TRY(after_change(st, e));
        assert(newest.n == 1 && tombstone.mark.op == OP_DELETE);
    }
    jot_status st = purge_history(f, &w, &tombstone, e);
    TRY(shown ? after_change(st, e) : st);
    *out = tombstone.mark;
    return JOT_OK;
}
