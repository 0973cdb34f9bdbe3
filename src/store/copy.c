/* copy.c - a pad copied from one store to another, with its history.
 *
 * Each stream is copied by itself.  For one stream:
 *
 *     source   1 2 3 4 5 6 7        compare   what both have must have the same chain: else it is
 *     target   1 2 3 4                        a conflict, and the target is not changed
 *                      ^            add       5 6 7, as they are
 *                                   forget    what the source has redacted or purged since
 *                                   read back every record, and compare it
 *
 * A copy that was interrupted continues when it is started again, because nothing but
 * the two pads says how far it came.  What can be read is copied, what cannot is
 * reported; what one stream refuses stops no other.
 *
 * A purge is copied in two steps.  First the tombstone and what follows it are
 * added after what the target has, then everything before it is forgotten:
 *
 *     source   . . . T 5            target   1 2 3  ->  1 2 3 T 5  ->  . . . T 5
 *
 * A process that dies in between leaves a target with the tombstone, and that is proof
 * enough for the next copy.  Before the first step the target's records must be
 * shown to be copies of those that were purged (purge.c): a copy forgets nothing that
 * only the target has.
 *
 * A name may have become a directory since, or a directory a name: a stream whose name is still
 * taken waits until the others have been copied. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "store/engine.h"
#include "store/walk.h"

enum { SENTENCE = 300, TOKEN_TRIES = 100 };

typedef struct Waiting {
    Str name;
    uint64_t newest;
} Waiting;

typedef struct Copy {
    Store *from, *to;
    const CopyHooks *hooks;
    CopyCount count;
    Err first;         /* of all that is wrong, and its status the one to return */
    uint64_t problems; /* that are wrong */
    uint64_t fence;    /* the highest that was seen */
    bool tokens;       /* the source has a stream of tokens, ... */
    uint64_t token;    /* ... which stands there */
    /* Of the stream at hand: */
    bool at_source;     /* whatever failed, failed there */
    Mark head;          /* the target's; seq 0: none */
    uint64_t redact;    /* its live value, redacted at the source: done after its successor */
    uint64_t tombstone; /* of a purge at the source: what stands before it in the target must go */
    bool forgot;        /* text was redacted or purged */
    bool alike;       /* both have only the tombstone of a purge, and the source's cannot follow */
    Arena arena;      /* of the names below */
    Waiting *waiting; /* streams whose place was taken */
    size_t waiting_n, waiting_cap;
} Copy;

static void copy_done(Copy *c)
{
    arena_free(&c->arena);
}
DEFINE_AUTO(Copy, copy_done)

/* --- Telling ---------------------------------------------------------------------------- */

static void report(Copy *c, CopyNews news, Str stream, jot_status status, const char *what)
{
    CopyNotice t = { news, stream, status, what };
    if (c->hooks->notice)
        c->hooks->notice(c->hooks->ctx, &t);
    if (status == JOT_OK)
        return;
    c->problems++;
    /* Damage is what must be known; of the rest the first counts. */
    if (c->problems == 1 || (status == JOT_CORRUPT && c->first.status != JOT_CORRUPT))
        err_set(&c->first, status, "%s", what);
}

static void refuse(Copy *c, Str stream, const Err *why)
{
    c->count.refused++;
    report(c, COPY_REFUSED, stream, why->status, why->text);
}

static void report_lost(Copy *c, const Walk *w)
{
    char what[SENTENCE];
    walk_say(w, what, sizeof what);
    c->count.lost += w->lost;
    report(c, COPY_LOST, w->stream, JOT_CORRUPT, what);
}

static jot_status differs(Err *e, Str stream, uint64_t seq)
{
    Shown shown;
    return err_set(e, JOT_CONFLICT, "record %llu of '%s' is another one in the target",
                   (unsigned long long)seq, err_show(&shown, stream));
}

/* --- Records ---------------------------------------------------------------------------- */

static bool same_record(const Record *a, const Record *b)
{
    const Mark *m = &a->mark, *n = &b->mark;
    return m->seq == n->seq && m->at_ms == n->at_ms && m->op == n->op && m->fence == n->fence &&
           m->size == n->size && m->redacted == n->redacted && hash_eq(m->sha256, n->sha256) &&
           hash_eq(m->chain, n->chain) && str_eq(a->by, b->by) && str_eq(a->id, b->id) &&
           str_eq(a->meta, b->meta) && str_eq(a->extra, b->extra) && str_eq(a->body, b->body);
}

/* Compare the target's record with the source's; redact it if only that is missing. */
static jot_status settle(Copy *c, Str stream, const Record *source, const Record *target, Err *e)
{
    assert(source->mark.seq == target->mark.seq);
    if (same_record(source, target))
        return JOT_OK;
    bool redact = source->mark.redacted && !target->mark.redacted;
    if (!redact || !hash_eq(source->mark.chain, target->mark.chain))
        return differs(e, stream, source->mark.seq);
    c->forgot = true;
    /* No store redacts its live value, so that waits until its successor is here. */
    if (source->mark.seq == c->head.seq) {
        c->redact = c->head.seq;
        return JOT_OK;
    }
    return store_redact(c->to, stream, NULL, source->mark.seq, e);
}

/* Records as they stand in the target now, against the source's. */
static jot_status read_back(Copy *c, Str stream, const Record *want, size_t n, Err *e)
{
    for (size_t done = 0; done < n;) {
        AUTO(Arena) arena = { 0 };
        Records got;
        TRY(store_read(c->to, stream, (SeqRange){ want[done].mark.seq, n - done }, &arena, &got,
                       e));
        if (got.n == 0)
            return differs(e, stream, want[done].mark.seq);
        for (size_t i = 0; i < got.n && done < n; i++, done++)
            if (!same_record(&want[done], &got.items[i]))
                return differs(e, stream, want[done].mark.seq);
    }
    return JOT_OK;
}

/* Records the target lacks, and none that it has between them. */
static jot_status put(Copy *c, Str stream, const Record *records, size_t n, Err *e)
{
    assert(n > 0 && n <= STORE_READ_MAX);
    const Mark *first = &records[0].mark, *last = &records[n - 1].mark;
    bool row = last->seq - first->seq == n - 1;
    /* Three ways to the same end.  With a purge's tombstone: only onto the head that was looked at,
     * because what the tombstone will take away must be what was shown to be a copy, and nothing
     * written since.  At the end of the stream, without a gap: as any chain continues.  Otherwise
     * into a gap or over one. */
    Expect unmoved = { .kind = EXPECT_SEQ, .seq = c->head.seq };
    if (c->tombstone && first->seq == c->tombstone)
        TRY(store_place_records(c->to, stream, &unmoved, records, n, e));
    else if (row && (c->head.seq == 0 || first->seq == c->head.seq + 1))
        TRY(store_put_records(c->to, stream, records, n, e));
    else
        TRY(store_place_records(c->to, stream, NULL, records, n, e));
    /* What was stored is read again before it counts: a copy is made for the day when there is
     * nothing else. */
    TRY(read_back(c, stream, records, n, e));
    c->count.copied += n;
    if (last->seq > c->head.seq)
        c->head = *last;
    return JOT_OK;
}

/* Those of the page that are not behind the target's head: *done of them. */
static jot_status copy_known(Copy *c, Str stream, const Records *page, size_t *done, Err *e)
{
    const Record *items = page->items;
    uint64_t have = c->head.seq;
    /* The target may lack some of them, where records were damaged there or trimmed away: what
     * stands between two that it has is put there, and each that both have is compared. */
    while (*done < page->n && items[*done].mark.seq <= have) {
        AUTO(Arena) arena = { 0 };
        Records got;
        uint64_t from = items[*done].mark.seq;
        TRY(store_read(c->to, stream, (SeqRange){ from, page->n - *done }, &arena, &got, e));
        if (got.n == 0)
            return differs(e, stream, from);
        for (size_t i = 0; i < got.n && *done < page->n; i++) {
            uint64_t seq = got.items[i].mark.seq;
            size_t n = 0; /* that stand before it and are missing */
            while (*done + n < page->n && items[*done + n].mark.seq < seq)
                n++;
            if (n)
                TRY(put(c, stream, items + *done, n, e));
            *done += n;
            if (*done < page->n && items[*done].mark.seq == seq)
                TRY(settle(c, stream, &items[(*done)++], &got.items[i], e));
        }
    }
    return JOT_OK;
}

/* Does somebody still want the rest?  This is the copy's end, not one stream's. */
static jot_status ask_on(Copy *c, Err *e)
{
    if (!c->hooks->go_on || c->hooks->go_on(c->hooks->ctx))
        return JOT_OK;
    c->at_source = false;
    return err_set(e, JOT_CANCELLED,
                   "interrupted after %llu stream%s: what was copied stays, and the same command "
                   "continues",
                   (unsigned long long)c->count.streams, c->count.streams == 1 ? "" : "s");
}

static jot_status copy_page(Copy *c, Str stream, const Records *page, Err *e)
{
    size_t done = 0;
    /* Known ones first: they decide whether the two histories are one. */
    TRY(copy_known(c, stream, page, &done, e));
    if (done < page->n)
        TRY(put(c, stream, page->items + done, page->n - done, e));
    c->count.records += page->n;
    for (size_t i = 0; i < page->n; i++) {
        c->count.bytes += page->items[i].body.n;
        if (page->items[i].mark.fence > c->fence)
            c->fence = page->items[i].mark.fence;
    }
    if (c->hooks->progress)
        c->hooks->progress(c->hooks->ctx, &c->count);
    return ask_on(c, e);
}

/* --- What the source has forgotten ------------------------------------------------------ */

/* A store's record with this seq (0: the oldest), without a word if there is none. */
static jot_status record_at(Store *s, Str stream, uint64_t seq, Arena *into, Record *out, Err *e)
{
    Records got;
    *out = (Record){ 0 };
    TRY(store_read(s, stream, (SeqRange){ seq, 1 }, into, &got, e));
    if (got.n && (seq == 0 || got.items[0].mark.seq == seq))
        *out = got.items[0];
    return JOT_OK;
}

/* Was the target's stream purged too, and nothing was written since?  `oldest` is its oldest. */
static bool is_purged(const Copy *c, const Record *oldest)
{
    PurgeTrace told;
    return oldest->mark.seq && oldest->mark.seq == mark_last(&c->head) &&
           store_purge_trace(oldest, &told);
}

/* Is all that the target has before the tombstone what was purged, or nothing that could be lost?
 * `oldest` is the target's. */
static jot_status may_forget(Copy *c, Str stream, const Record *tombstone, const Record *oldest,
                             bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record there;
    TRY(record_at(c->to, stream, tombstone->mark.seq, &arena, &there, e));
    *out = same_record(&there, tombstone); /* a copy that died has decided it */
    if (there.mark.seq)
        return JOT_OK;
    *out = is_purged(c, oldest);
    return *out ? JOT_OK : store_shows_copy(c->to, stream, &c->head, tombstone, out, e);
}

/* A tombstone in front of everything is what a purge leaves.  One that does not tell so may also be
 * left of a trim, if there is as much after it as a trim leaves. */
static bool left_by_purge(const Record *oldest, const Records *page)
{
    PurgeTrace told;
    return oldest->mark.op == OP_DELETE && oldest->mark.seq > 1 &&
           (store_purge_trace(oldest, &told) || (page->n < STORE_ID_WINDOW && !page->damaged));
}

/* What was purged must not come back with records from before it. */
static jot_status purged_there(Str stream, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    return err_set(e, JOT_CONFLICT,
                   "'%s' was purged at the target, and the source has records from before that: "
                   "'jotter --pad SOURCE purge %s' removes them",
                   name, name);
}

static jot_status not_shown(Str stream, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    return err_set(e, JOT_CONFLICT,
                   "'%s' was purged at the source, and what the target has cannot be shown to be a "
                   "copy of it: 'jotter --pad TARGET purge %s' removes it there",
                   name, name);
}

/* The source begins with the tombstone of a purge.  If the target was purged too, and its tombstone
 * has the number right before, the two cannot stand side by side, for the chains of neighbours must
 * fit: what follows at the source goes there over a gap, and the next copy brings the tombstone. */
static jot_status carry_purge(Copy *c, Str stream, const Record *oldest, Records *page, Err *e)
{
    assert(page->n > 0 && page->items[0].mark.op == OP_DELETE);
    const Record *tombstone = &page->items[0];
    bool may;
    TRY(may_forget(c, stream, tombstone, oldest, &may, e));
    if (!may)
        return not_shown(stream, e);
    if (page->n > 1 && is_purged(c, oldest) && tombstone->mark.seq == c->head.seq + 1 &&
        store_check_next(stream, &c->head, tombstone, NULL) != JOT_OK) {
        page->items++;
        page->n--;
    }
    c->tombstone = page->items[0].mark.seq;
    return JOT_OK;
}

/* The oldest record of the source, before anything is done to a target that has the stream. */
static jot_status look_at_oldest(Copy *c, Str stream, const Walk *w, Records *page, Err *e)
{
    assert(page->n > 0 && c->head.seq > 0); /* both have something to compare */
    AUTO(Arena) arena = { 0 };
    Record oldest, *first = &page->items[0];
    PurgeTrace told;
    char what[SENTENCE];
    Mark *m = &first->mark;
    TRY(record_at(c->to, stream, 0, &arena, &oldest, e));
    bool older = oldest.mark.seq && oldest.mark.seq < m->seq, purged = left_by_purge(first, page);
    bool only = purged && page->n == 1 && !w->more && !w->lost;
    c->alike = only && is_purged(c, &oldest) && !same_record(first, &oldest) &&
               store_check_behind(stream, &c->head, first, NULL) != JOT_OK;
    if (c->alike)
        return JOT_OK;
    /* The target was purged, and the source was not: refuse. */
    if (oldest.mark.seq > m->seq && store_purge_trace(&oldest, &told))
        return purged_there(stream, e);
    /* The other way round: the target forgets, too. */
    if (older && purged)
        return carry_purge(c, stream, &oldest, page, e);
    /* Neither, but the source begins beyond the target's end: what is between was trimmed.  The
     * target keeps what it has, and the first record says how many are missing in front of it. */
    if (m->seq > c->head.seq + 1 && w->lost == 0) { /* else it is reported as lost */
        snprintf(what, sizeof what,
                 "records %llu to %llu were trimmed at the source before they were copied; older "
                 "ones stay",
                 (unsigned long long)c->head.seq + 1, (unsigned long long)m->seq - 1);
        TRY(store_check_behind(stream, &c->head, first, e));
        m->gap = m->seq - c->head.seq - 1;
        report(c, COPY_GAP, stream, JOT_OK, what);
    }
    return JOT_OK;
}

/* --- Streams ---------------------------------------------------------------------------- */

static jot_status look_at_target(Copy *c, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err why = { 0 };
    c->at_source = c->forgot = c->alike = false;
    c->redact = c->tombstone = 0;
    c->head = (Mark){ 0 };
    jot_status st = store_head(c->to, stream, HEAD_MARK, &arena, &head, &why);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    /* A person's edit at the target is a version of its own: as a record it has a place in the
     * history, and differs from what the source has there, so the copy is a conflict. */
    if (st == JOT_OK && head.mark.seq == 0) {
        TRY(store_record_edits(c->to, stream, e));
        st = store_head(c->to, stream, HEAD_MARK, &arena, &head, &why);
    }
    c->head = head.mark;
    return err_pass(e, &why, st);
}

/* What must wait until the target has everything. */
static jot_status finish(Copy *c, Str stream, const Walk *w, Err *e)
{
    /* More than the source has is another history, unless the source is known to have lost its end:
     * then the target may have it still. */
    if (c->head.seq > w->last.seq && !w->lost)
        return differs(e, stream, w->last.seq + 1);
    if (c->redact)
        TRY(store_redact(c->to, stream, NULL, c->redact, e));
    if (!c->tombstone)
        return JOT_OK;
    Expect head = { .kind = EXPECT_SEQ, .seq = c->head.seq };
    c->forgot = true;
    return store_forget_before(c->to, stream, &head, c->tombstone, e);
}

static jot_status copy_stream(Copy *c, Str stream, uint64_t newest, Err *e)
{
    TRY(look_at_target(c, stream, e));
    Walk w = walk_new(c->from, stream, newest);
    bool begun = c->head.seq == 0;
    while (w.more) {
        AUTO(Arena) work = { 0 };
        Records page;
        jot_status st = walk_read(&w, &work, &page, e);
        c->at_source = st != JOT_OK;
        if (st == JOT_NOT_FOUND)
            return JOT_OK; /* it is gone, or nobody could record it */
        TRY(st);
        if (page.n == 0)
            continue;
        if (!begun)
            TRY(look_at_oldest(c, stream, &w, &page, e));
        begun = true;
        if (!c->alike)
            TRY(copy_page(c, stream, &page, e));
    }
    if (!c->alike)
        TRY(finish(c, stream, &w, e));
    c->count.streams++;
    if (w.lost)
        report_lost(c, &w);
    return JOT_OK;
}

/* Is this the target's refusal as a whole, and not one stream's? */
static bool is_over(const Copy *c, jot_status st)
{
    bool own = st == JOT_CORRUPT || st == JOT_CONFLICT || st == JOT_INVALID || st == JOT_DENIED ||
               st == JOT_TOO_BIG || st == JOT_NOT_FOUND;
    return !own && !c->at_source;
}

static jot_status copy_or_report(Copy *c, Str stream, uint64_t newest, bool last, Err *e)
{
    Err why = { 0 };
    TRY(ask_on(c, e));
    jot_status st = copy_stream(c, stream, newest, &why);
    if (c->forgot)
        report(c, COPY_FORGOT, stream, JOT_OK,
               c->tombstone ? "it was purged, as at the source"
                            : "versions were redacted, as at the source");
    if (st == JOT_OK)
        return JOT_OK;
    if (is_over(c, st))
        return err_pass(e, &why, st);
    /* JOT_INVALID is the answer to a name that is taken: by a stream that may go yet, for its own
     * records say that it was deleted. */
    if (st != JOT_INVALID || c->at_source || last) {
        refuse(c, stream, &why);
        return JOT_OK;
    }
    c->waiting = arena_grow(&c->arena, c->waiting, c->waiting_n, &c->waiting_cap, sizeof(Waiting),
                            alignof(Waiting));
    c->waiting[c->waiting_n++] = (Waiting){ arena_copy(&c->arena, stream), newest };
    return JOT_OK;
}

/* How far the source's tokens have come; those that cannot be read were given, too. */
static void look_at_tokens(Copy *c, const Listed *l)
{
    Walk w = walk_new(c->from, l->name, mark_last(&l->mark));
    Err why = { 0 };
    jot_status st = JOT_OK;
    while (w.more && st == JOT_OK) {
        AUTO(Arena) work = { 0 };
        Records page;
        st = walk_read(&w, &work, &page, &why);
    }
    uint64_t seen = w.last.seq + w.lost;
    c->tokens = true;
    c->token = seen > mark_last(&l->mark) ? seen : mark_last(&l->mark);
    c->count.streams++;
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        refuse(c, l->name, &why);
    else if (w.lost)
        report_lost(c, &w);
}

static jot_status copy_listed(void *copy, const Listed *l, const Err *edit, Err *e)
{
    Copy *c = copy;
    if (edit)
        refuse(c, l->name, edit);
    /* The table of leases is not copied: leases are of a pad, and those of the source bind nobody
     * at the target.  Only its number counts, so that no token is given twice. */
    if (str_eq(l->name, S(STORE_TOKENS))) {
        look_at_tokens(c, l);
        return JOT_OK;
    }
    return copy_or_report(c, l->name, mark_last(&l->mark), false, e);
}

/* Each round must help somebody, otherwise nothing ever will. */
static jot_status copy_waiting(Copy *c, Err *e)
{
    for (bool last = false; c->waiting_n;) {
        Waiting *all = c->waiting;
        size_t n = c->waiting_n;
        c->waiting = NULL;
        c->waiting_n = c->waiting_cap = 0;
        for (size_t i = 0; i < n; i++)
            TRY(copy_or_report(c, all[i].name, all[i].newest, last, e));
        last = c->waiting_n == n;
    }
    return JOT_OK;
}

/* --- Tokens ----------------------------------------------------------------------------- */

/* The record that brings a store's tokens to `seq` and changes nothing else there. */
static Record token_record(Store *s, const Record *head, uint64_t seq)
{
    assert(seq > head->mark.seq); /* tokens are never taken back */
    Mark before = head->mark;
    before.seq = seq - 1;
    Draft d = { .op = OP_DELETE };
    if (mark_live(&head->mark))
        d = (Draft){ .op = head->mark.op, .by = head->by, .meta = head->meta, .body = head->body };
    return store_next(s, S(STORE_TOKENS), &d, &before);
}

static jot_status move_tokens(Store *s, uint64_t seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    Err why = { 0 };
    Str stream = S(STORE_TOKENS);
    jot_status st = store_head(s, stream, HEAD_RECORD, &arena, &head, &why);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return err_pass(e, &why, st);
    if (head.mark.seq > seq)
        return JOT_OK;
    if (head.mark.seq < seq) {
        Record r = token_record(s, &head, seq);
        /* Until what stands before goes. */
        r.mark.gap = head.mark.seq ? seq - head.mark.seq - 1 : 0;
        Expect unmoved = { .kind = EXPECT_SEQ, .seq = head.mark.seq };
        TRY(store_place_records(s, stream, &unmoved, &r, 1, e));
    }
    /* What stands before is history that nobody needs; perhaps a copy that died left it. */
    Record oldest;
    TRY(record_at(s, stream, 0, &arena, &oldest, e));
    if (oldest.mark.seq >= seq)
        return JOT_OK;
    st = store_forget_before(s, stream, NULL, seq, &why);
    /* Not there any more: another has raised them further in between, and forgot ours. */
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &why, st);
}

jot_status store_raise_tokens(Store *s, uint64_t seq, Err *e)
{
    Err why = { 0 };
    jot_status st = JOT_CONFLICT;
    for (int i = 0; i < TOKEN_TRIES && st == JOT_CONFLICT; i++)
        st = move_tokens(s, seq, &why);
    return err_pass(e, &why, st);
}

jot_status store_leap_tokens(Store *s, Err *e)
{
    enum { TIME_BITS = 10 };
    AUTO(Arena) arena = { 0 };
    Record head = { 0 };
    jot_status st = store_head(s, S(STORE_TOKENS), HEAD_MARK, &arena, &head, e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return st;
    uint64_t by_time = (uint64_t)store_now_ms(s) << TIME_BITS;
    uint64_t beyond = head.mark.seq + STORE_TOKENS_UNSEEN; /* if the clock was set back */
    st = store_raise_tokens(s, by_time > beyond ? by_time : beyond, e);
    /* It is done on the way to something else, for which a conflict would be an answer. */
    return st == JOT_CONFLICT
               ? err_set(e, JOT_UNAVAILABLE, "others changed the table of leases all the time")
               : st;
}

static jot_status highest_fence(Store *s, uint64_t *out, Err *e)
{
    Pages p = pages_new(s, &(ListQuery){ .limit = STORE_LIST_MAX, .which = LIST_ALL });
    *out = 0;
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        for (size_t i = 0; i < page.n; i++)
            if (page.items[i].mark.fence > *out)
                *out = page.items[i].mark.fence;
    }
    return JOT_OK;
}

jot_status store_tokens_given(Store *s, uint64_t *out, Err *e)
{
    uint64_t fence;
    assert(s && out);
    *out = 0;
    if (MUTANT(LOST_TOKENS_AGAIN))
        return JOT_OK;
    TRY(store_check_mine(s, e));
    if (s->ops->tokens)
        TRY(s->ops->tokens(s, out, e));
    TRY(highest_fence(s, &fence, e));
    if (fence > *out)
        *out = fence + STORE_TOKENS_UNSEEN;
    return JOT_OK;
}

/* Last of all, for a token may have been given while its streams were being copied. */
static jot_status copy_tokens(Copy *c, Err *e)
{
    uint64_t seq = c->token > c->fence ? c->token : c->fence;
    if (!c->tokens || seq == 0)
        return JOT_OK;
    c->at_source = false;
    Err why = { 0 };
    jot_status st = store_raise_tokens(c->to, seq, &why);
    if (st != JOT_OK && !is_over(c, st)) {
        refuse(c, S(STORE_TOKENS), &why);
        return JOT_OK;
    }
    return err_pass(e, &why, st);
}

/* --- All of it -------------------------------------------------------------------------- */

/* What was wrong, after all that could be done was done. */
static jot_status sum_up(const Copy *c, Err *e)
{
    if (c->problems == 0)
        return JOT_OK;
    if (c->problems == 1)
        return err_set(e, c->first.status, "%s", c->first.text);
    return err_set(e, c->first.status, "%llu streams could not be copied whole, one of them: %s",
                   (unsigned long long)c->problems, c->first.text);
}

jot_status store_copy(Store *from, Store *to, const CopyHooks *hooks, CopyCount *out, Err *e)
{
    static const CopyHooks none = { 0 };
    assert(from && to && out && from != to);
    AUTO(Copy) c = { .from = from, .to = to, .hooks = hooks ? hooks : &none };
    jot_status st = c.hooks->progress ? walk_count(from, &c.count.total, e) : JOT_OK;
    if (st == JOT_OK)
        st = walk_streams(from, copy_listed, &c, e);
    if (st == JOT_OK)
        st = copy_waiting(&c, e);
    if (st == JOT_OK)
        st = copy_tokens(&c, e);
    if (st == JOT_OK)
        st = sum_up(&c, e);
    *out = c.count;
    return st;
}
