/* memory.c - the handle, and the few walks that every noun needs.
 *
 * Writing and removing go through holding.c: if this handle holds a lease over the stream, the
 * expectation names the lease, and the store looks at it in the same step as it writes.  The table
 * of leases is one stream for the whole pad, so it may move without our lease being touched; then
 * the same is tried again, with the table as it is now.
 *
 * Walks go page by page, each in an arena of its own, so that what they take does not depend on the
 * size of the pad.  After every page the caller's progress is reported, and it may cancel. */
#include "memory/memory.h"

#include <assert.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "memory/holding.h"
#include "memory/roll.h"
#include "memory/search/search.h"
#include "store/as_of.h"
#include "store/walk.h"

enum { PAGE = 200 };

jot_status memory_open(Memory *m, Str url, const MemoryOptions *o, Err *e)
{
    assert(m && o && !m->store);
    if (o->by.n > STORE_BY_MAX)
        return err_set(e, JOT_TOO_BIG, "an agent's name has at most %d bytes", STORE_BY_MAX);
    StoreOptions so = { .io = o->io,
                        .create = o->create,
                        .read_only = o->read_only,
                        .wait_ms = o->wait_ms,
                        .found = o->found };
    *m = (Memory){ .io = o->io ? o->io : &io_system, .by = o->by, .made = o->create };
    return store_open(&m->store, url, &so, e);
}

void memory_open_past(Memory *m, const Memory *of, int64_t at_ms)
{
    assert(of->store && m != of);
    *m = (Memory){
        .store = store_as_of(of->store, at_ms), .io = of->io, .by = of->by, .progress = of->progress
    };
}

void memory_idle(Memory *m)
{
    if (m->store)
        store_idle(m->store);
}

void memory_close(Memory *m)
{
    if (!m)
        return;
    search_close(m->search);
    holdings_close(m);
    store_close(m->store);
    *m = (Memory){ 0 };
}

jot_status memory_append(Memory *m, Str stream, const Expect *expect, const Draft *draft, Mark *out,
                         Err *e)
{
    Draft d = *draft;
    d.by = m->by;
    return holding_append(m, stream, expect, &d, out, e);
}

jot_status memory_append_many(Memory *m, Append *items, size_t n, Err *e)
{
    for (size_t i = 0; i < n; i++)
        items[i].draft.by = m->by;
    /* The usual case: one step of the store for all of them. */
    if (!m->leases || m->leases->n == 0)
        return store_append_many(m->store, items, n, e);
    for (size_t i = 0; i < n; i++) { /* each may be under a lease, which is a guard */
        Append *a = &items[i];
        a->status = holding_append(m, a->stream, &a->expect, &a->draft, &a->mark, &a->why);
    }
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

enum { EDIT_TRIES = 3 }; /* a person may save again between the record and the look at it */

jot_status memory_head(Memory *m, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    TRY(store_head(m->store, stream, want, into, out, e));
    m->unrecorded = (Err){ 0 };
    /* A head without a seq is a file that a person has edited, and no write has seen.  Who reads it
     * is going to name its version, so it becomes a record first: else the person's next save would
     * take the text away from under that name. */
    for (int i = 0; i < EDIT_TRIES && out->mark.op && out->mark.seq == 0; i++) {
        Err why = { 0 };
        jot_status st = store_record_seen(m->store, stream, MEMORY_EDIT_WAIT_MS, &why);
        Record now;
        /* Also if it failed: who was in the way may have recorded it. */
        if (store_head(m->store, stream, want, into, &now, &(Err){ 0 }) == JOT_OK)
            *out = now;
        if (st == JOT_OK)
            err_set(&why, JOT_UNAVAILABLE, "it keeps changing");
        m->unrecorded = why;
        if (st != JOT_OK)
            break;
    }
    if (out->mark.seq)
        m->unrecorded = (Err){ 0 };
    return JOT_OK;
}

jot_status memory_mark(Memory *m, Str stream, Mark *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err missing = { 0 };
    *out = (Mark){ 0 };
    jot_status st = store_head(m->store, stream, HEAD_MARK, &arena, &head, &missing);
    if (st == JOT_OK)
        *out = head.mark;
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}

/* --- Forgetting ------------------------------------------------------------------------ */

enum { FORGET_TRIES = 100 }; /* before giving up: the table of leases moved each time */

typedef enum Way { WAY_TRIM, WAY_REDACT, WAY_PURGE } Way;

typedef struct Forgetting {
    Way way;
    Str stream;
    uint64_t seq;
    const Redaction *set;
    uint64_t dropped;
    Mark mark;
} Forgetting;

static jot_status forget_once(Memory *m, Forgetting *f, const Expect *x, Err *e)
{
    switch (f->way) {
    case WAY_TRIM:
        return store_trim(m->store, f->stream, x, f->seq, &f->dropped, e);
    case WAY_REDACT:
        return store_redact_set(m->store, f->stream, x, f->set, e);
    case WAY_PURGE:
        return store_purge(m->store, f->stream, x, m->by, &f->mark, e);
    }
    abort();
}

/* Under the lease that covers the stream, if this handle holds one: it is looked at in the same
 * step.  If only the table moved, and not this lease out of it, once more. */
static jot_status forget_under(Memory *m, Forgetting *f, Err *e)
{
    jot_status st = JOT_FENCED;
    uint64_t dropped = 0;
    for (int i = 0; i < FORGET_TRIES && st == JOT_FENCED; i++) {
        Expect x;
        TRY(holding_guard(m, f->stream, &x, e));
        st = forget_once(m, f, &x, e);
        /* A trim that is refused half-way has dropped what it says all the same. */
        dropped += f->dropped;
    }
    f->dropped = dropped;
    return st;
}

jot_status memory_purge(Memory *m, Str stream, Mark *out, Err *e)
{
    Forgetting f = { .way = WAY_PURGE, .stream = stream };
    jot_status st = forget_under(m, &f, e);
    *out = f.mark;
    return st;
}

jot_status memory_redact(Memory *m, Str stream, uint64_t seq, Err *e)
{
    return memory_redact_set(m, stream, &(Redaction){ &seq, 1, true }, e);
}

jot_status memory_redact_set(Memory *m, Str stream, const Redaction *r, Err *e)
{
    return forget_under(m, &(Forgetting){ .way = WAY_REDACT, .stream = stream, .set = r }, e);
}

jot_status memory_trim(Memory *m, Str stream, uint64_t before, uint64_t *dropped, Err *e)
{
    Forgetting f = { .way = WAY_TRIM, .stream = stream, .seq = before };
    jot_status st = forget_under(m, &f, e);
    *dropped = f.dropped;
    return st;
}

jot_status memory_name(const MemoryKind *kind, const Str *category, Str name, Arena *into, Str *out,
                       Err *e)
{
    assert(str_ends(str(kind->prefix), S("/")));
    Shown shown;
    if (category && category->n == 0)
        return err_set(e, JOT_INVALID, "a category cannot be empty");
    if (name.n == 0)
        return err_set(e, JOT_INVALID, "%s cannot be empty", kind->what);
    if (str_find(name, '/') < name.n)
        return err_set(e, JOT_INVALID, "invalid name '%s': %s has no '/'", err_show(&shown, name),
                       kind->what);
    /* Not printed: a NUL would end the name before it is checked. */
    AUTO(Buf) whole = { 0 };
    buf_add(&whole, str(kind->prefix));
    if (category) {
        buf_add(&whole, *category);
        buf_add_char(&whole, '/');
    }
    buf_add(&whole, name);
    TRY(store_check_name(buf_str(&whole), e));
    *out = arena_copy(into, buf_str(&whole));
    return JOT_OK;
}

jot_status memory_check_word(const char *what, Str word, int max, Err *e)
{
    bool good = word.n <= (size_t)max && utf8_valid(word);
    for (size_t i = 0; good && i < word.n; i++)
        good = (unsigned char)word.p[i] >= 0x20 && word.p[i] != 0x7F;
    Shown shown;
    return good ? JOT_OK
                : err_set(e, JOT_INVALID,
                          "invalid %s '%s': use at most %d bytes of UTF-8 without control "
                          "characters",
                          what, err_show(&shown, word), max);
}

jot_status memory_progress(Memory *m, size_t n, Err *e)
{
    MemoryProgress *p = m->progress;
    if (!p)
        return JOT_OK;
    p->scanned += n;
    if (p->report(p->ctx, p->scanned))
        return JOT_OK;
    return err_set(e, JOT_CANCELLED, "cancelled: its client no longer waits for it");
}

jot_status memory_each(Memory *m, Str prefix, ListWhich which,
                       jot_status (*each)(void *ctx, const Listed *l), void *ctx, Err *e)
{
    ListQuery q = { .prefix = prefix, .limit = PAGE, .which = which };
    Pages p = pages_new(m->store, &q);
    while (p.more) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(pages_read(&p, &arena, &page, e));
        TRY(memory_progress(m, page.n, e));
        for (size_t i = 0; i < page.n; i++)
            TRY(each(ctx, &page.items[i]));
    }
    return JOT_OK;
}

jot_status memory_each_known(Memory *m, Str prefix, ListWhich which,
                             jot_status (*each)(void *ctx, const Listed *l), void *ctx, Err *e)
{
    ListQuery q = { .prefix = prefix, .limit = PAGE, .which = which };
    AUTO(Buf) last = { 0 };
    if (!m->roll)
        return memory_each(m, prefix, which, each, ctx, e);
    TRY(roll_refresh(m->roll, m->progress, e));
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        roll_page(m->roll, &q, &arena, &page);
        TRY(memory_progress(m, page.n, e));
        for (size_t i = 0; i < page.n; i++)
            TRY(each(ctx, &page.items[i]));
        more = page.more;
        buf_clear(&last);
        buf_add(&last, page.n ? page.items[page.n - 1].name : (Str){ 0 });
        q.after = buf_str(&last);
    }
    return JOT_OK;
}

jot_status memory_each_record(Memory *m, Str stream, const RecordVisit *v, Err *e)
{
    uint64_t from = v->from;
    if (v->damaged)
        *v->damaged = 0;
    for (bool more = true; more;) {
        AUTO(Arena) arena = { 0 };
        Records page;
        TRY(store_read(m->store, stream, (SeqRange){ from, PAGE }, &arena, &page, e));
        TRY(memory_progress(m, page.n, e));
        for (size_t i = 0; i < page.n; i++)
            TRY(v->each(v->ctx, &page.items[i]));
        if (v->damaged)
            *v->damaged += page.damaged;
        more = page.more && page.n;
        if (more)
            from = page.items[page.n - 1].mark.seq + 1;
    }
    return JOT_OK;
}
