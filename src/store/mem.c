/* mem.c - the engine that keeps everything in plain C arrays.
 *
 * It is the model: slow, obvious and right.  Where another engine disagrees
 * with it, the other one is wrong.  Each handle is a pad of its own, gone with
 * the handle; nobody else can write to it, so nothing here waits or locks.
 *
 * Streams are an array sorted by name; a stream is an array of records in heap
 * memory of its own. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "store/engine.h"

typedef struct MemStream {
    Str name; /* owned, like every Str in here */
    Record *records;
    size_t n, cap;
    uint64_t changed; /* value of Mem.changes when it last changed */
} MemStream;

typedef struct Mem {
    Store base;
    MemStream *streams;
    size_t n, cap;
    uint64_t changes; /* counts every change of any stream */
    uint64_t forgot;  /* its value when text was forgotten last */
    Id id;            /* the pad's own, so that a cursor of another pad is known as such */
} Mem;

static Str own(Str s)
{
    char *p = mem_alloc(s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return (Str){ p, s.n };
}

static void disown(Str *s)
{
    free((char *)s->p);
    *s = (Str){ 0 };
}

static void free_record(Record *r)
{
    disown(&r->by);
    disown(&r->id);
    disown(&r->meta);
    disown(&r->extra);
    disown(&r->body);
}

static Record own_record(const Record *r)
{
    return (Record){ r->mark, own(r->by), own(r->id), own(r->meta), own(r->extra), own(r->body) };
}

static Record lend_record(const Record *r, Arena *into)
{
    return (Record){ r->mark,
                     arena_copy(into, r->by),
                     arena_copy(into, r->id),
                     arena_copy(into, r->meta),
                     arena_copy(into, r->extra),
                     arena_copy(into, r->body) };
}

/* The index of `name`, or of the first stream after it. */
static size_t place_of(const Mem *m, Str name)
{
    size_t i = 0;
    while (i < m->n && str_cmp(m->streams[i].name, name) < 0)
        i++;
    return i;
}

static MemStream *find(Mem *m, Str name)
{
    size_t i = place_of(m, name);
    return i < m->n && str_eq(m->streams[i].name, name) ? &m->streams[i] : NULL;
}

static MemStream *find_or_add(Mem *m, Str name)
{
    MemStream *found = find(m, name);
    if (found)
        return found;
    if (m->n == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 16;
        m->streams = mem_grow(m->streams, m->cap * sizeof *m->streams);
    }
    /* Memory may run out here, and the handle is closed then: nothing is half done yet.  So the
     * name is copied before the others move. */
    MemStream fresh = { .name = own(name) };
    size_t i = place_of(m, name);
    memmove(&m->streams[i + 1], &m->streams[i], (m->n - i) * sizeof *m->streams);
    m->streams[i] = fresh;
    m->n++;
    return &m->streams[i];
}

static Mark head_mark(const MemStream *st)
{
    return st && st->n ? st->records[st->n - 1].mark : (Mark){ 0 };
}

static void add_record(Mem *m, MemStream *st, const Record *r)
{
    if (st->n == st->cap) {
        st->cap = st->cap ? st->cap * 2 : 4;
        st->records = mem_grow(st->records, st->cap * sizeof *st->records);
    }
    assert(st->n < st->cap);
    Record owned = own_record(r); /* first: if memory runs out, it does not count */
    st->records[st->n++] = owned;
    st->changed = ++m->changes;
}

static void drop_front(MemStream *st, size_t n)
{
    assert(n <= st->n);
    for (size_t i = 0; i < n; i++)
        free_record(&st->records[i]);
    memmove(st->records, st->records + n, (st->n - n) * sizeof *st->records);
    st->n -= n;
}

/* A name is a file or a directory, never both: a live stream that forbids `name`, or NULL. */
static const MemStream *clash(const Mem *m, Str name)
{
    for (size_t i = 0; i < m->n; i++) {
        Str other = m->streams[i].name;
        Mark head = head_mark(&m->streams[i]);
        Str longer = other.n > name.n ? other : name, shorter = other.n > name.n ? name : other;
        if (mark_live(&head) && longer.n > shorter.n && str_starts(longer, shorter) &&
            longer.p[shorter.n] == '/')
            return &m->streams[i];
    }
    return NULL;
}

/* A living note whose key differs from this one only in case, or NULL. */
static const MemStream *twin(const Mem *m, Str name)
{
    AUTO(Arena) arena = { 0 };
    Str caseless = store_kind(name)->note ? store_caseless(name, &arena) : (Str){ 0 };
    for (size_t i = 0; caseless.n && i < m->n; i++) {
        Mark head = head_mark(&m->streams[i]);
        Str other = m->streams[i].name;
        if (mark_live(&head) && !str_eq(other, name) &&
            str_eq(store_caseless(other, &arena), caseless))
            return &m->streams[i];
    }
    return NULL;
}

static jot_status mem_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    if (url->authority || url->path.n || url->query.n)
        return err_set(e, JOT_INVALID, "'mem:' takes neither a path nor parameters");
    Mem *m = mem_alloc(sizeof *m);
    store_init(&m->base, &mem_ops, o);
    m->base.pid = 0; /* a copy of it is a pad like any other */
    m->id = id_random(m->base.io, 8);
    *out = &m->base;
    return JOT_OK;
}

static void mem_close(Store *s)
{
    Mem *m = (Mem *)s;
    for (size_t i = 0; i < m->n; i++) {
        drop_front(&m->streams[i], m->streams[i].n);
        free(m->streams[i].records);
        disown(&m->streams[i].name);
    }
    free(m->streams);
    free(m);
}

static uint64_t guard_seq(Mem *m, const Expect *x)
{
    return head_mark(x->guard.n ? find(m, x->guard) : NULL).seq;
}

static jot_status mem_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                             Err *e)
{
    Mem *m = (Mem *)s;
    MemStream *st = find(m, stream);
    Mark head = head_mark(st);
    Record recent[STORE_ID_WINDOW];
    size_t recent_n = 0;
    for (size_t i = st ? st->n : 0; i > 0 && recent_n < STORE_ID_WINDOW; i--)
        recent[recent_n++] = st->records[i - 1];
    Record fresh;
    bool again = false;
    Sealing asked = {
        .stream = stream,
        .x = x,
        .draft = d,
        .head = &head,
        .recent = recent,
        .recent_n = recent_n,
        .guard_seq = guard_seq(m, x),
    };
    jot_status sealed = store_seal(s, &asked, &fresh, &again, e);
    *out = fresh.mark;
    if (sealed != JOT_OK || again)
        return sealed;
    if (!mark_live(&head) && clash(m, stream)) {
        *out = head;
        return store_name_taken(e, stream, clash(m, stream)->name);
    }
    if (!mark_live(&head) && twin(m, stream)) {
        *out = head;
        return store_twin_taken(e, stream, twin(m, stream)->name);
    }
    add_record(m, find_or_add(m, stream), &fresh);
    return JOT_OK;
}

static jot_status mem_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    const MemStream *st = find((Mem *)s, stream);
    if (!st || st->n == 0)
        return store_not_found(e, stream);
    *out = lend_record(&st->records[st->n - 1], into);
    if (want == HEAD_MARK)
        out->body = (Str){ 0 };
    return JOT_OK;
}

static jot_status mem_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    const MemStream *st = find((Mem *)s, stream);
    if (!st || st->n == 0)
        return store_not_found(e, stream);
    size_t i = 0, bytes = 0;
    while (i < st->n && st->records[i].mark.seq < range.from)
        i++;
    size_t room = st->n - i < range.limit ? st->n - i : range.limit;
    *out = (Records){ .items = NEW_ARRAY(into, Record, room) };
    for (; i < st->n && out->n < range.limit; i++) {
        bytes += st->records[i].body.n;
        if (out->n && bytes > STORE_READ_BYTES)
            break;
        out->items[out->n++] = lend_record(&st->records[i], into);
    }
    out->more = i < st->n;
    return JOT_OK;
}

static jot_status mem_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    Mem *m = (Mem *)s;
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, m->n < q->limit ? m->n : q->limit) };
    for (size_t i = 0; i < m->n; i++) {
        const MemStream *st = &m->streams[i];
        Mark head = head_mark(st);
        bool wanted = list_takes_all(q->which) ? st->n > 0 : mark_live(&head);
        if (!wanted || !str_starts(st->name, q->prefix) ||
            (q->after.n && str_cmp(st->name, q->after) <= 0))
            continue;
        if (out->n == q->limit) {
            out->more = true;
            break;
        }
        const Record *r = &st->records[st->n - 1];
        out->items[out->n++] = (Listed){ arena_copy(into, st->name), head, arena_copy(into, r->by),
                                         arena_copy(into, r->meta) };
    }
    return JOT_OK;
}

static jot_status mem_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                              Err *e)
{
    Mem *m = (Mem *)s;
    Str rest = str(c->text), pad = { 0 };
    uint64_t since = 0;
    bool known = str_cut(&rest, '.', &pad) && str_eq(pad, str(m->id.text)) &&
                 str_to_u64(rest, m->changes, &since);
    *out = (Changes){ .rescan = !known, .forgot = known && m->forgot > since };
    out->names = NEW_ARRAY(into, Str, m->n + 1);
    for (size_t i = 0; known && i < m->n; i++)
        if (m->streams[i].changed > since)
            out->names[out->n++] = arena_copy(into, m->streams[i].name);
    snprintf(out->next.text, sizeof out->next.text, "%s.%llu", m->id.text,
             (unsigned long long)m->changes);
    return JOT_OK;
}

static jot_status mem_trim(Store *s, Str stream, const Expect *x, uint64_t before,
                           uint64_t *dropped, Err *e)
{
    MemStream *st = find((Mem *)s, stream);
    if (!st || st->n == 0)
        return store_not_found(e, stream);
    Mark head = head_mark(st);
    TRY(store_check_expect(stream, x, &head, guard_seq((Mem *)s, x), e));
    uint64_t from = store_trim_from(&head, before);
    size_t n = 0;
    while (n < st->n && st->records[n].mark.seq < from)
        n++;
    drop_front(st, n);
    *dropped = n;
    return JOT_OK;
}

/* The record with this seq, or NULL. */
static Record *record_with(MemStream *st, uint64_t seq)
{
    for (size_t i = 0; st && i < st->n; i++)
        if (st->records[i].mark.seq == seq)
            return &st->records[i];
    return NULL;
}

static jot_status mem_redact(Store *s, Str stream, const Expect *x, const Redaction *set, Err *e)
{
    Mem *m = (Mem *)s;
    MemStream *st = find(m, stream);
    /* All or none: each is looked at before the first is emptied. */
    for (size_t i = 0; i < set->n; i++) {
        const Record *r = record_with(st, set->seqs[i]);
        if (!r)
            return store_not_found(e, stream);
        Mark head = head_mark(st);
        TRY(store_check_expect(stream, x, &head, guard_seq(m, x), e));
        TRY(store_check_redact(stream, &head, &r->mark, e));
    }
    for (size_t i = 0; i < set->n; i++) {
        Record *r = record_with(st, set->seqs[i]);
        assert(r); /* looked at above, and nobody else is here */
        disown(&r->body);
        r->body = own((Str){ 0 });
        r->mark.redacted = true;
    }
    st->changed = m->forgot = ++m->changes;
    return JOT_OK;
}

static jot_status mem_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    Mem *m = (Mem *)s;
    MemStream *st = find(m, stream);
    if (!st || st->n == 0)
        return store_not_found(e, stream);
    Mark head = *out = head_mark(st);
    TRY(store_check_expect(stream, x, &head, guard_seq(m, x), e));
    TRY(store_check_room(stream, &head, 1, e));
    AUTO(Arena) arena = { 0 };
    size_t n = st->n < STORE_TOLD_MAX ? st->n : STORE_TOLD_MAX;
    Gone gone = { &st->records[0], st->records + st->n - n, n };
    Record tombstone = store_tombstone(s, stream, by, &head, &gone, &arena);
    /* The tombstone before the rest goes: a stream is never without a record. */
    add_record(m, st, &tombstone);
    drop_front(st, st->n - 1);
    m->forgot = m->changes;
    *out = tombstone.mark;
    return JOT_OK;
}

static jot_status mem_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    Mem *m = (Mem *)s;
    MemStream *st = find(m, stream);
    if (!st || st->n == 0)
        return store_not_found(e, stream);
    Mark head = head_mark(st);
    TRY(store_check_expect(stream, x, &head, guard_seq(m, x), e));
    const Record *r = record_with(st, seq);
    if (!r)
        return store_not_found(e, stream);
    drop_front(st, (size_t)(r - st->records));
    st->changed = ++m->changes;
    return JOT_OK;
}

/* The newest of the last `n` records come to stand at `at`. */
static void move_back(MemStream *st, size_t at, size_t n)
{
    assert(n <= st->n && at <= st->n - n);
    for (size_t i = st->n - n; i < st->n; i++, at++) {
        Record r = st->records[i];
        memmove(&st->records[at + 1], &st->records[at], (i - at) * sizeof r);
        st->records[at] = r;
    }
}

static jot_status mem_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    Mem *m = (Mem *)s;
    MemStream *st = find(m, stream);
    Mark head = head_mark(st);
    TRY(store_check_expect(stream, x, &head, guard_seq(m, x), e));
    size_t at = st ? st->n : 0;
    while (b->gaps && at > 0 && st->records[at - 1].mark.seq >= b->items[0].mark.seq)
        at--;
    Mark before = at ? st->records[at - 1].mark : (Mark){ 0 };
    const Record *after = st && at < st->n ? &st->records[at] : NULL;
    TRY(store_check_place(stream, b, &before, after, e));
    if (!after && mark_live(&batch_last(b)->mark) && !mark_live(&head) && clash(m, stream))
        return store_name_taken(e, stream, clash(m, stream)->name);
    st = find_or_add(m, stream);
    for (size_t i = 0; i < b->n; i++)
        add_record(m, st, &b->items[i]);
    move_back(st, at, b->n);
    return JOT_OK;
}

static jot_status mem_pad_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    (void)e;
    snprintf(out, STORE_PAD_ID + 1, "%.16s", ((Mem *)s)->id.text);
    return JOT_OK;
}

static jot_status mem_index_path(Store *s, Arena *into, Str *out, Err *e)
{
    (void)s, (void)into, (void)e;
    *out = (Str){ 0 };
    return JOT_OK;
}

static StorePromise mem_promise(const Store *s)
{
    return (StorePromise){ .scheme = "mem", .holds = true, .guards = true };
}

/* Nobody else has a handle of this pad, and its own does not count. */
static int mem_hold(Store *s, uint64_t number, bool hold)
{
    return 0;
}

static bool mem_held(Store *s, uint64_t number)
{
    return false;
}

const StoreOps mem_ops = {
    .scheme = "mem",
    .open = mem_open,
    .close = mem_close,
    .append = mem_append,
    .head = mem_head,
    .read = mem_read,
    .list = mem_list,
    .changes = mem_changes,
    .trim = mem_trim,
    .redact = mem_redact,
    .purge = mem_purge,
    .put_records = mem_put_records,
    .forget_before = mem_forget_before,
    .promise = mem_promise,
    .hold = mem_hold,
    .held = mem_held,
    .id = mem_pad_id,
    .index_path = mem_index_path,
};
