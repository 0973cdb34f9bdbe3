/* toy.c - a table of streams, an index for each, and a heap of records, in one mapped file.
 *
 * A record is written first and then published by its stream's counter, so a reader needs no
 * lock and a writer may die anywhere.  The file is sparse; only what is used takes memory. */
#include "toy.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "store/engine.h"

enum {
    TOY_STREAMS = 64,
    TOY_RECORDS = 1 << 16, /* in one stream */
    TOY_HEAP = 256 * 1024 * 1024,
};

typedef struct ToyRecord {
    Mark mark;
    char by[48], id[48];
    uint32_t by_n, id_n;
    char body[];
} ToyRecord;

typedef struct ToyStream {
    char name[64];
    atomic_ulong n;
    uint64_t at[TOY_RECORDS]; /* in the heap */
} ToyStream;

typedef struct ToyFile {
    atomic_ulong stream_n, heap_n;
    ToyStream streams[TOY_STREAMS];
    char heap[TOY_HEAP];
} ToyFile;

typedef enum Bug {
    BUG_NONE,
    BUG_NO_LOCK,       /* two writers decide on the same head */
    BUG_EARLY_UNLOCK,  /* the record is published after the lock is gone */
    BUG_NO_EXPECT,     /* the expectation is decided before the lock */
    BUG_GUARD_EARLY,   /* the guard is looked at before the lock */
    BUG_NO_ID,         /* ids are not looked up */
    BUG_EARLY_ANSWER,  /* now and then "ok" without a record */
    BUG_TWICE,         /* now and then a record twice */
    BUG_PUBLISH_EMPTY, /* published first, then written */
    BUG_STALE_READ,    /* a handle remembers heads for a while */
    BUG_BUSY,          /* gives up at once instead of waiting */
} Bug;

const char *const toy_bugs[] = { "none",          "no-lock",    "early-unlock", "no-expect",
                                 "guard-early",   "no-id",      "early-answer", "twice",
                                 "publish-empty", "stale-read", "busy",         NULL };

typedef struct Toy {
    Store base;
    ToyFile *file;
    int fd;
    Bug bug;
    uint64_t calls;
    uint64_t remembered[TOY_STREAMS], remembered_at[TOY_STREAMS];
} Toy;

static const StoreOps toy_ops;

/* --- Streams ---------------------------------------------------------------------------- */

static ToyStream *find(Toy *t, Str name)
{
    size_t n = atomic_load(&t->file->stream_n);
    for (size_t i = 0; i < n; i++)
        if (str_eq(str(t->file->streams[i].name), name))
            return &t->file->streams[i];
    return NULL;
}

static ToyStream *find_or_add(Toy *t, Str name)
{
    ToyStream *found = find(t, name);
    if (found)
        return found;
    size_t n = atomic_load(&t->file->stream_n);
    assert(n < TOY_STREAMS && name.n < sizeof t->file->streams[n].name);
    memcpy(t->file->streams[n].name, name.p, name.n);
    atomic_store(&t->file->stream_n, n + 1);
    return &t->file->streams[n];
}

static const ToyRecord *record_at(Toy *t, const ToyStream *st, uint64_t seq)
{
    return (const ToyRecord *)(t->file->heap + st->at[seq - 1]);
}

static uint64_t count(const ToyStream *st)
{
    return st ? atomic_load(&st->n) : 0;
}

/* What a reader takes for the head. */
static uint64_t seen_count(Toy *t, const ToyStream *st)
{
    if (!st || t->bug != BUG_STALE_READ)
        return count(st);
    size_t i = (size_t)(st - t->file->streams);
    if (t->remembered[i] == 0 || t->calls > t->remembered_at[i] + 20) {
        t->remembered[i] = count(st);
        t->remembered_at[i] = t->calls;
    }
    return t->remembered[i];
}

static Mark head_mark(Toy *t, const ToyStream *st)
{
    uint64_t n = count(st);
    return n ? record_at(t, st, n)->mark : (Mark){ 0 };
}

static Record lend(const ToyRecord *r, Arena *into)
{
    return (Record){ .mark = r->mark,
                     .by = arena_copy(into, (Str){ r->by, r->by_n }),
                     .id = arena_copy(into, (Str){ r->id, r->id_n }),
                     .body = arena_copy(into, (Str){ r->body, r->mark.size }) };
}

/* --- Opening ---------------------------------------------------------------------------- */

static Bug bug_named(Str name)
{
    size_t i = 0;
    while (toy_bugs[i] && !str_eq(str(toy_bugs[i]), name))
        i++;
    assert(toy_bugs[i]);
    return (Bug)i;
}

static jot_status toy_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) fd = open(arena_cstr(&arena, url->path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(ToyFile)) != 0)
        return err_errno(e, errno, "could not open the toy");
    ToyFile *file = mmap(NULL, sizeof(ToyFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED)
        return err_errno(e, errno, "could not map the toy");
    Toy *t = mem_alloc(sizeof *t);
    store_init(&t->base, &toy_ops, o);
    t->file = file;
    t->fd = fd;
    fd = FD_NONE;
    Str bug;
    if (url_param(url, S("bug"), &arena, &bug))
        t->bug = bug_named(bug);
    *out = &t->base;
    return JOT_OK;
}

static void toy_close(Store *s)
{
    Toy *t = (Toy *)s;
    munmap(t->file, sizeof *t->file);
    close(t->fd);
    free(t);
}

/* --- Appending -------------------------------------------------------------------------- */

static jot_status lock(Toy *t, Err *e)
{
    int64_t until = io_awake_ms(t->base.io) + t->base.wait_ms;
    if (t->bug == BUG_NO_LOCK)
        return JOT_OK;
    while (io_lock(t->base.io, t->fd, F_WRLCK, 0) != 0) {
        if (t->bug == BUG_BUSY || io_awake_ms(t->base.io) > until)
            return err_set(e, JOT_UNAVAILABLE, "the toy is locked");
        io_sleep_us(t->base.io, 30);
    }
    return JOT_OK;
}

static void unlock(Toy *t)
{
    if (t->bug != BUG_NO_LOCK)
        io_lock(t->base.io, t->fd, F_UNLCK, 0);
}

/* A bug that shows only if somebody comes in between gets a little time to be found in. */
static void dawdle(Toy *t)
{
    if (t->calls % 8 == 0)
        io_sleep_us(t->base.io, 20);
}

static void unlock_and_dawdle(Toy *t)
{
    unlock(t);
    dawdle(t);
}

static uint64_t write_record(Toy *t, const Record *r)
{
    uint64_t size = (sizeof(ToyRecord) + r->body.n + 15) / 16 * 16;
    uint64_t at = atomic_fetch_add(&t->file->heap_n, size);
    assert(at + size <= TOY_HEAP && r->by.n <= sizeof((ToyRecord *)0)->by &&
           r->id.n <= sizeof((ToyRecord *)0)->id);
    ToyRecord *to = (ToyRecord *)(t->file->heap + at);
    to->mark = r->mark;
    to->by_n = (uint32_t)r->by.n;
    to->id_n = (uint32_t)r->id.n;
    memcpy(to->by, r->by.p ? r->by.p : "", r->by.n);
    memcpy(to->id, r->id.p ? r->id.p : "", r->id.n);
    memcpy(to->body, r->body.p ? r->body.p : "", r->body.n);
    return at;
}

static void add_record(Toy *t, ToyStream *st, const Record *r)
{
    assert(r->mark.seq <= TOY_RECORDS);
    if (t->bug == BUG_PUBLISH_EMPTY) {
        Record empty = *r;
        char *nothing = mem_alloc(r->body.n + 1);
        empty.body.p = nothing;
        st->at[r->mark.seq - 1] = write_record(t, &empty);
        atomic_store(&st->n, r->mark.seq);
        dawdle(t);
        ToyRecord *to = (ToyRecord *)(t->file->heap + st->at[r->mark.seq - 1]);
        memcpy(to->body, r->body.p ? r->body.p : "", r->body.n);
        free(nothing);
        return;
    }
    uint64_t at = write_record(t, r);
    if (t->bug == BUG_EARLY_UNLOCK)
        unlock_and_dawdle(t);
    st->at[r->mark.seq - 1] = at;
    atomic_store(&st->n, r->mark.seq);
}

/* The newest records, newest first. */
static size_t collect_recent(Toy *t, const ToyStream *st, Record *recent, Arena *into)
{
    size_t n = 0;
    for (uint64_t seq = count(st); seq > 0 && n < STORE_ID_WINDOW; seq--)
        recent[n++] = lend(record_at(t, st, seq), into);
    return t->bug == BUG_NO_ID ? 0 : n;
}

static jot_status append_locked(Toy *t, Str stream, const Expect *x, const Draft *d,
                                uint64_t guard_seq, Mark *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    ToyStream *st = find_or_add(t, stream);
    Mark head = head_mark(t, st);
    Record recent[STORE_ID_WINDOW], fresh;
    size_t recent_n = collect_recent(t, st, recent, &arena);
    bool again = false;
    Sealing asked = {
        .stream = stream,
        .x = x,
        .draft = d,
        .head = &head,
        .recent = recent,
        .recent_n = recent_n,
        .guard_seq = guard_seq,
    };
    jot_status sealed = store_seal(&t->base, &asked, &fresh, &again, e);
    *out = fresh.mark;
    bool rarely = t->calls % 97 == 96;
    if (sealed != JOT_OK || again || (t->bug == BUG_EARLY_ANSWER && rarely))
        return sealed;
    add_record(t, st, &fresh);
    if (t->bug == BUG_TWICE && rarely) {
        fresh = store_next(&t->base, stream, d, &fresh.mark);
        add_record(t, st, &fresh);
    }
    return JOT_OK;
}

static jot_status toy_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                             Err *e)
{
    Toy *t = (Toy *)s;
    Expect expect = *x;
    t->calls++;
    uint64_t guard = count(x->guard.n ? find(t, x->guard) : NULL);
    Mark early = head_mark(t, find(t, stream));
    if (t->bug == BUG_NO_EXPECT && x->kind == EXPECT_SEQ && early.seq == x->seq)
        expect.kind = EXPECT_ANY;
    TRY(lock(t, e));
    if (t->bug != BUG_GUARD_EARLY)
        guard = count(x->guard.n ? find(t, x->guard) : NULL);
    jot_status st = append_locked(t, stream, &expect, d, guard, out, e);
    unlock(t);
    return st;
}

/* --- Reading ---------------------------------------------------------------------------- */

static jot_status toy_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    Toy *t = (Toy *)s;
    const ToyStream *st = find(t, stream);
    uint64_t n = seen_count(t, st);
    t->calls++;
    if (n == 0)
        return store_not_found(e, stream);
    *out = lend(record_at(t, st, n), into);
    if (want == HEAD_MARK)
        out->body = (Str){ 0 };
    if (want == HEAD_VALUE)
        out->mark.seq = 0; /* as an engine may that finds values apart from their records */
    return JOT_OK;
}

static jot_status toy_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    Toy *t = (Toy *)s;
    const ToyStream *st = find(t, stream);
    uint64_t n = count(st), seq = range.from ? range.from : 1;
    if (n == 0)
        return store_not_found(e, stream);
    *out = (Records){ .items = NEW_ARRAY(into, Record, range.limit) };
    for (; seq <= n && out->n < range.limit; seq++)
        out->items[out->n++] = lend(record_at(t, st, seq), into);
    out->more = seq <= n;
    return JOT_OK;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const Listed *)a)->name, ((const Listed *)b)->name);
}

static jot_status toy_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    Toy *t = (Toy *)s;
    size_t n = atomic_load(&t->file->stream_n);
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, n + 1) };
    for (size_t i = 0; i < n; i++) {
        Str name = str(t->file->streams[i].name);
        Mark head = head_mark(t, &t->file->streams[i]);
        bool wanted = head.seq && (list_takes_all(q->which) || mark_live(&head));
        if (wanted && str_starts(name, q->prefix) && str_cmp(name, q->after) > 0)
            out->items[out->n++] = (Listed){ .name = arena_copy(into, name), .mark = head };
    }
    qsort(out->items, out->n, sizeof *out->items, by_name);
    out->more = out->n > q->limit;
    out->n = out->more ? q->limit : out->n;
    return JOT_OK;
}

static jot_status toy_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                              Err *e)
{
    *out = (Changes){ .rescan = true };
    io_sleep_us(s->io, wait_ms * 1000 / 10);
    return JOT_OK;
}

static StorePromise toy_promise(const Store *s)
{
    return (StorePromise){ .scheme = "toy", .shared = true };
}

/* Nothing in the rig trims, redacts, purges or copies. */
static const StoreOps toy_ops = {
    .scheme = "toy",
    .open = toy_open,
    .close = toy_close,
    .append = toy_append,
    .head = toy_head,
    .read = toy_read,
    .list = toy_list,
    .changes = toy_changes,
    .promise = toy_promise,
};

jot_status open_any(Store **out, Str url, const StoreOptions *options, Err *e)
{
    static const StoreOptions plain = { 0 };
    if (!str_starts(url, S("toy:")))
        return store_open(out, url, options, e);
    AUTO(Arena) arena = { 0 };
    Url parsed;
    TRY(url_parse(url, &arena, &parsed, e));
    return toy_open(out, &parsed, options ? options : &plain, e);
}
