/* walk.c - reading all of a stream, and all streams of a store, past damage.
 *
 * A walk asks for a page of records.  If no page can be had, it asks for one record at a time, and
 * steps over one that still cannot be read:
 *
 *     seq    1    2    3    4    5    6    7
 *            ok   ok   x    ok   ?    ok   ok
 *     page   1, 2, 4                            3 was counted by the engine
 *     one              5: steps over it         nothing could be had with it
 *     page                       6, 7
 *
 * What is given out fits together: each record is held against the last one that was given out,
 * and one that does not continue it is counted as lost, not passed on.  The numbers that are
 * missing before the next good record are gathered as text ("3, 5"), for one sentence at the end.
 *
 * A walk ends.  It steps over at most STORE_READ_MAX records in a row, and never beyond the newest
 * one that is known. */
#include "store/walk.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/engine.h"

enum { PAGE = 256 };

Walk walk_new(Store *s, Str stream, uint64_t newest)
{
    return (Walk){ .s = s, .stream = stream, .newest = newest, .next = 1, .more = true };
}

static void add_seqs(Walk *w, uint64_t from, uint64_t to)
{
    size_t n = strlen(w->seqs), room = sizeof w->seqs - n;
    if (room < 60) { /* two numbers, and that there are more */
        if (!str_ends(str(w->seqs), S("...")))
            snprintf(w->seqs + n, room, " ...");
        return;
    }
    n += (size_t)snprintf(w->seqs + n, room, "%s%llu", n ? ", " : "", (unsigned long long)from);
    if (to > from)
        snprintf(w->seqs + n, sizeof w->seqs - n, " to %llu", (unsigned long long)to);
}

/* Keep what fits.  Where something is known to be damaged, the numbers that are missing before the
 * next good record are reported. */
static void sift(Walk *w, Records *page)
{
    size_t kept = 0;
    uint64_t misfits = 0;
    w->damaged = w->damaged || page->damaged;
    for (size_t i = 0; i < page->n; i++) {
        const Record *r = &page->items[i];
        if (store_check_behind(w->stream, &w->last, r, NULL) != JOT_OK) {
            misfits++;
            w->damaged = true;
            continue;
        }
        if (w->damaged && w->last.seq && r->mark.seq > w->last.seq + 1)
            add_seqs(w, w->last.seq + 1, r->mark.seq - 1);
        w->last = r->mark;
        page->items[kept++] = *r;
    }
    /* The reader has counted those that do not continue their neighbour, too. */
    w->lost += misfits > page->damaged ? misfits : page->damaged;
    if (kept) {
        w->damaged = false;
        w->in_a_row = 0;
    }
    assert(kept <= page->n);
    page->n = kept;
}

/* One that no page can be had with is stepped over, alone. */
static void step_over(Walk *w)
{
    assert(w->more); /* a walk that has ended is not continued */
    w->lost++;
    w->in_a_row++;
    w->damaged = true;
    w->next++;
    bool known = w->newest && w->next <= w->newest;
    w->more = w->in_a_row <= STORE_READ_MAX && (known || !w->newest);
}

/* At the end: what is known to have been there after the last good one. */
static void end(Walk *w)
{
    if (!w->more && w->lost && w->newest > w->last.seq)
        add_seqs(w, w->last.seq + 1, w->newest);
}

jot_status walk_read(Walk *w, Arena *into, Records *out, Err *e)
{
    Err why = { 0 };
    *out = (Records){ 0 };
    jot_status st =
        store_read(w->s, w->stream, (SeqRange){ w->next, w->in_a_row ? 1 : PAGE }, into, out, &why);
    if (st == JOT_CORRUPT && !w->in_a_row)
        st = store_read(w->s, w->stream, (SeqRange){ w->next, 1 }, into, out, &why);
    if (st == JOT_CORRUPT) {
        *out = (Records){ 0 };
        step_over(w);
        end(w);
        return JOT_OK;
    }
    if (st != JOT_OK)
        return err_pass(e, &why, st);
    if (out->n)
        w->next = out->items[out->n - 1].mark.seq + 1;
    w->more = out->more && out->n;
    sift(w, out);
    end(w);
    return JOT_OK;
}

void walk_say(const Walk *w, char *to, size_t size)
{
    Shown shown;
    const char *name = err_show(&shown, w->stream);
    if (!w->seqs[0])
        snprintf(to, size, "%llu %s of '%s' cannot be read", (unsigned long long)w->lost,
                 w->lost == 1 ? "record" : "records", name);
    else
        snprintf(to, size, "%s %s of '%s' cannot be read",
                 strpbrk(w->seqs, " ") ? "records" : "record", w->seqs, name);
}

/* --- Names ------------------------------------------------------------------------------ */

Pages pages_new(Store *s, const ListQuery *q)
{
    Pages p = { .s = s, .q = *q, .more = true, .last_n = q->after.n };
    assert(q->after.n <= sizeof p.last);
    if (q->after.n)
        memcpy(p.last, q->after.p, q->after.n);
    return p;
}

jot_status pages_read(Pages *p, Arena *into, Listing *out, Err *e)
{
    assert(p->more);
    p->q.after = (Str){ p->last, p->last_n };
    TRY(store_list(p->s, &p->q, into, out, e));
    p->more = out->more && out->n;
    if (out->n) {
        Str last = out->items[out->n - 1].name;
        assert(last.n <= sizeof p->last); /* the store lists no longer name */
        memcpy(p->last, last.p, p->last_n = last.n);
    }
    return JOT_OK;
}

/* --- Streams ---------------------------------------------------------------------------- */

jot_status store_record_edits(Store *s, Str stream, Err *e)
{
    /* An append that cannot succeed: a conflict always answers with a head that exists. */
    Expect never = { .kind = EXPECT_SEQ, .seq = STORE_SEQ_MAX };
    Draft nothing = { .op = OP_PUT };
    Mark head;
    Err why = { 0 };
    jot_status st = store_append(s, stream, &never, &nothing, &head, &why);
    return st == JOT_CONFLICT ? JOT_OK : err_pass(e, &why, st);
}

jot_status store_record_seen(Store *s, Str stream, int64_t wait_ms, Err *e)
{
    if (s->ops->whole)
        TRY(s->ops->whole(s, stream, e));
    int64_t usual_ms = s->wait_ms;
    s->wait_ms = wait_ms;
    jot_status st = store_record_edits(s, stream, e);
    s->wait_ms = usual_ms;
    return st;
}

jot_status walk_streams(Store *s,
                        jot_status (*each)(void *ctx, const Listed *l, const Err *edit, Err *e),
                        void *ctx, Err *e)
{
    Pages p = pages_new(s, &(ListQuery){ .limit = STORE_LIST_MAX, .which = LIST_ALL });
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        for (size_t i = 0; i < page.n; i++) {
            Err why = { 0 };
            bool edited = page.items[i].mark.seq == 0;
            bool refused = edited && store_record_edits(s, page.items[i].name, &why) != JOT_OK;
            TRY(each(ctx, &page.items[i], refused ? &why : NULL, e));
        }
    }
    return JOT_OK;
}

/* Names alone are cheap on every engine. */
jot_status walk_count(Store *s, uint64_t *out, Err *e)
{
    Pages p = pages_new(s, &(ListQuery){ .limit = STORE_LIST_MAX, .which = LIST_ALL_NAMES });
    *out = 0;
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        *out += page.n;
    }
    return JOT_OK;
}
