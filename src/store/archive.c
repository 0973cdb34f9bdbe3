/* archive.c - writing a pad to one file, and reading it back as a store.
 *
 * Opening reads the whole file once: it verifies and remembers where each stream
 * begins and where its head stands.  Reading a stream then goes forwards through
 * the file, and continues where it stopped, as a copy does.  One line at a time is
 * in memory, whatever the size of the file.
 *
 * Writing goes to a draft beside the name:
 *
 *     write all streams ──► fsync ──► read the draft back, as any reader would ──► rename
 *
 * so a file of that name is always a whole archive, and one that was seen to be readable; a file
 * that is there already is never replaced.  Whether numbers are missing in a stream is known only
 * at the end.  If so the draft is written again with the first line that says it: a reader of the
 * other kind can rely on having everything. */
#include "store/archive.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "store/engine.h"
#include "store/record.h"
#include "store/walk.h"

#define WORDS "jotter archive "
#define STREAM "stream "
#define END "end "

enum {
    PLAIN = 1,       /* every stream is without gaps */
    GAPS = 2,        /* numbers are missing somewhere: a reader of PLAIN would call that damage */
    NESTED = 3,      /* as PLAIN, and bodies may be nested in their lines */
    NESTED_GAPS = 4, /* as GAPS, likewise */
    STEP = 64 * 1024,
    FLUSH_BYTES = 1024 * 1024,
};

typedef struct Archived {
    Str name;
    off_t first, head; /* where these records begin in the file */
    Mark mark;         /* of the head */
} Archived;

typedef struct Archive {
    Store base;
    Fd fd;
    off_t end; /* of the file */
    Arena arena;
    Archived *streams; /* by name */
    size_t n, cap;
    const Archived *at; /* where the last read stopped: the stream, ... */
    uint64_t at_seq;    /* ... the record that comes next, ... */
    off_t at_offset;    /* ... and where it begins */
} Archive;

bool archive_begins(Str text)
{
    return str_starts(text, S(WORDS));
}

/* --- Lines ----------------------------------------------------------------------------- */

typedef struct Lines {
    const Archive *a;
    off_t at; /* where the next line begins */
    Buf window;
    size_t used; /* bytes of the window that were given out */
} Lines;

static void lines_done(Lines *l)
{
    buf_free(&l->window);
}
DEFINE_AUTO(Lines, lines_done)

static Lines lines_at(const Archive *a, off_t at)
{
    return (Lines){ .a = a, .at = at, .window = { .max = 2 * (size_t)RECORD_LINE_MAX } };
}

/* Read some more after the window; 0 at the end. */
static ssize_t read_more(Lines *l)
{
    Buf *w = &l->window;
    assert(l->used <= w->n);
    if (l->used) {
        memmove(w->p, w->p + l->used, w->n - l->used);
        w->n -= l->used;
        l->used = 0;
    }
    size_t step = w->n > STEP ? w->n : STEP;
    char *room = w->n > RECORD_LINE_MAX ? NULL : buf_room(w, step);
    if (!room)
        return -EFBIG;
    ssize_t got = io_read_all(l->a->base.io, l->a->fd, room, step, l->at + (off_t)w->n);
    if (got > 0)
        buf_grew(w, (size_t)got);
    return got;
}

/* The next line with its '\n' (the last one perhaps without), borrowed until the next call; an
 * empty one at the end. */
static jot_status next_line(Lines *l, Str *line, Err *e)
{
    for (;;) {
        Str rest = str_from(buf_str(&l->window), l->used);
        size_t end = rest.n ? str_find(rest, '\n') : 0;
        ssize_t got = 0;
        if (end == rest.n)
            got = read_more(l);
        if (got > 0)
            continue;
        if (got < 0 && got != -EFBIG)
            return err_errno(e, (int)-got, "could not read the archive");
        if (got == -EFBIG)
            return err_set(e, JOT_CORRUPT, "a line of the archive is too long");
        *line =
            end == rest.n ? (Str){ l->window.p + l->used, rest.n } : str_slice(rest, 0, end + 1);
        l->used += line->n;
        l->at += (off_t)line->n;
        return JOT_OK;
    }
}

/* --- Verifying ------------------------------------------------------------------------- */

typedef struct Proof {
    uint64_t version;
    uint64_t lines, records;
    HashState hash;
    bool ended;
} Proof;

static jot_status damaged(const Proof *p, Err *e, const char *what)
{
    return err_set(e, JOT_CORRUPT, "the archive is damaged at line %llu: %s",
                   (unsigned long long)p->lines, what);
}

static jot_status check_first(Proof *p, Str line, Err *e)
{
    uint64_t version = 0;
    Str number = str_slice(line, strlen(WORDS), line.n ? line.n - 1 : 0);
    if (!archive_begins(line) || !str_to_u64(number, UINT32_MAX, &version) || version == 0)
        return damaged(p, e, "it does not begin like an archive of Jotter");
    if (version > NESTED_GAPS)
        return err_set(e, JOT_UNSUPPORTED,
                       "the archive has format %llu; this version of Jotter reads up to %d",
                       (unsigned long long)version, NESTED_GAPS);
    p->version = version;
    return JOT_OK;
}

/* A stream ends, if there was one. */
static jot_status check_last(const Archive *a, const Proof *p, Err *e)
{
    if (a->n && !a->streams[a->n - 1].mark.seq)
        return damaged(p, e, "the stream before has no records");
    return JOT_OK;
}

static jot_status add_stream(Archive *a, const Proof *p, Str name, Err *e)
{
    const Archived *last = a->n ? &a->streams[a->n - 1] : NULL;
    TRY(check_last(a, p, e));
    Err why;
    if (store_check_name(name, &why) != JOT_OK)
        return damaged(p, e, why.text);
    if (last && str_cmp(last->name, name) >= 0)
        return damaged(p, e, "the streams are not in order");
    a->streams =
        arena_grow(&a->arena, a->streams, a->n, &a->cap, sizeof *a->streams, alignof(Archived));
    a->streams[a->n++] = (Archived){ .name = arena_copy(&a->arena, name) };
    return JOT_OK;
}

static jot_status add_record(Archive *a, Proof *p, Str line, off_t at, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    Err why;
    Archived *here = a->n ? &a->streams[a->n - 1] : NULL;
    if (!here)
        return damaged(p, e, "a record without a stream");
    bool gaps = p->version == GAPS || p->version == NESTED_GAPS;
    jot_status st = record_read(line, RECORD_ALL, &arena, &r, &why);
    if (st == JOT_OK)
        st = gaps ? store_check_behind(here->name, &here->mark, &r, &why)
                  : store_check_next(here->name, &here->mark, &r, &why);
    if (st != JOT_OK)
        return damaged(p, e, why.text);
    if (!here->mark.seq)
        here->first = at;
    here->head = at;
    here->mark = r.mark;
    p->records++;
    return JOT_OK;
}

static jot_status check_end(const Archive *a, Proof *p, Str line, Err *e)
{
    char want[160];
    TRY(check_last(a, p, e));
    snprintf(want, sizeof want, END "%zu %llu %s\n", a->n, (unsigned long long)p->records,
             hash_hex(hash_end(&p->hash)).text);
    p->ended = true;
    return str_eq(line, str(want)) ? JOT_OK : damaged(p, e, "its hash or counts are others");
}

static jot_status check_line(Archive *a, Proof *p, Str line, off_t at, Err *e)
{
    p->lines++;
    if (p->ended)
        return damaged(p, e, "there is more after its end");
    if (!str_ends(line, S("\n")))
        return damaged(p, e, "it ends in the middle of a line");
    if (p->lines > 1 && str_starts(line, S(END)))
        return check_end(a, p, line, e);
    hash_add(&p->hash, line);
    if (p->lines == 1)
        return check_first(p, line, e);
    /* A record's line begins with '{', so a word at the beginning is ours. */
    if (str_starts(line, S(STREAM)))
        return add_stream(a, p, str_slice(line, strlen(STREAM), line.n - 1), e);
    return add_record(a, p, line, at, e);
}

static jot_status verify(Archive *a, Proof *p, Err *e)
{
    AUTO(Lines) l = lines_at(a, 0);
    *p = (Proof){ 0 };
    hash_init(&p->hash);
    for (;;) {
        Str line;
        off_t at = l.at;
        TRY(next_line(&l, &line, e));
        if (line.n == 0)
            break;
        TRY(check_line(a, p, line, at, e));
    }
    a->end = l.at;
    return p->ended ? JOT_OK : damaged(p, e, "its end is missing");
}

/* --- The store ------------------------------------------------------------------------- */

static const StoreOps archive_ops;

static void archive_close(Store *s)
{
    Archive *a = (Archive *)s;
    fd_close(&a->fd);
    arena_free(&a->arena);
    free(a);
}

/* The first stream whose name is not less. */
static size_t stream_from(const Archive *a, Str name)
{
    size_t low = 0, high = a->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(a->streams[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const Archived *find(const Archive *a, Str name)
{
    size_t i = stream_from(a, name);
    return i < a->n && str_eq(a->streams[i].name, name) ? &a->streams[i] : NULL;
}

/* Pass over the records in front of a seq, without keeping anything of them. */
static jot_status skip_to(Lines *l, uint64_t from, off_t head, Err *e)
{
    while (l->at <= head) {
        AUTO(Arena) scratch = { 0 };
        Str line;
        Record r;
        TRY(next_line(l, &line, e));
        TRY(record_read(line, RECORD_NO_BODY, &scratch, &r, e));
        if (r.mark.seq < from)
            continue;
        l->used -= line.n; /* that one comes again */
        l->at -= (off_t)line.n;
        break;
    }
    return JOT_OK;
}

/* The record on the next line; what was verified once can have been changed since. */
static jot_status next_record(Lines *l, RecordWant want, Arena *into, Record *out, Err *e)
{
    Str line;
    TRY(next_line(l, &line, e));
    return record_read(line, want, into, out, e);
}

static jot_status archive_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out,
                               Err *e)
{
    const Archive *a = (const Archive *)s;
    const Archived *here = find(a, stream);
    if (!here)
        return store_not_found(e, stream);
    AUTO(Lines) l = lines_at(a, here->head);
    return next_record(&l, want == HEAD_MARK ? RECORD_NO_BODY : RECORD_ALL, into, out, e);
}

static jot_status archive_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out,
                               Err *e)
{
    Archive *a = (Archive *)s;
    const Archived *here = find(a, stream);
    if (!here)
        return store_not_found(e, stream);
    assert(here->mark.seq > 0 && here->first <= here->head); /* verified when it was opened */
    /* A copy asks page after page: continue where the last page ended, instead of reading the
     * stream from its beginning each time. */
    bool goes_on = a->at == here && a->at_seq <= range.from;
    AUTO(Lines) l = lines_at(a, goes_on ? a->at_offset : here->first);
    *out = (Records){ 0 };
    size_t bytes = 0, cap = 0;
    if (range.from <= here->mark.seq)
        TRY(skip_to(&l, range.from, here->head, e));
    while (range.from <= here->mark.seq && l.at <= here->head && out->n < range.limit) {
        off_t at = l.at;
        Record r;
        TRY(next_record(&l, RECORD_ALL, into, &r, e));
        bytes += r.body.n;
        if (out->n && bytes > STORE_READ_BYTES) {
            l.at = at;
            break;
        }
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof(Record), alignof(Record));
        out->items[out->n++] = r;
    }
    out->more = out->n && out->items[out->n - 1].mark.seq < here->mark.seq;
    a->at = out->n ? here : NULL;
    a->at_seq = out->n ? out->items[out->n - 1].mark.seq + 1 : 0;
    a->at_offset = l.at;
    return JOT_OK;
}

static jot_status archive_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    const Archive *a = (const Archive *)s;
    size_t cap = 0;
    *out = (Listing){ 0 };
    for (size_t i = stream_from(a, str_cmp(q->after, q->prefix) > 0 ? q->after : q->prefix);
         i < a->n; i++) {
        const Archived *here = &a->streams[i];
        if (!str_starts(here->name, q->prefix))
            break;
        bool wanted = list_takes_all(q->which) || mark_live(&here->mark);
        if (!wanted || (q->after.n && str_eq(here->name, q->after)))
            continue;
        if (out->n == q->limit) {
            out->more = true;
            break;
        }
        Record head;
        TRY(archive_head(s, here->name, HEAD_MARK, into, &head, e));
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof(Listed), alignof(Listed));
        out->items[out->n++] = (Listed){ here->name, here->mark, head.by, head.meta };
    }
    return JOT_OK;
}

static jot_status archive_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into,
                                  Changes *out, Err *e)
{
    *out = (Changes){ .rescan = true };
    return JOT_OK;
}

static StorePromise archive_promise(const Store *s)
{
    return (StorePromise){ .scheme = "archive", .durable = true, .shared = true };
}

/* Whatever would write is refused before it gets here. */
static const StoreOps archive_ops = {
    .scheme = "archive",
    .close = archive_close,
    .head = archive_head,
    .read = archive_read,
    .list = archive_list,
    .changes = archive_changes,
    .promise = archive_promise,
};

/* Takes the descriptor. */
static jot_status open_fd(const Io *io, int fd, Archive **out, Proof *p, Err *e)
{
    Archive *a = mem_alloc(sizeof *a);
    store_init(&a->base, &archive_ops, &(StoreOptions){ .io = io, .read_only = true });
    snprintf(a->base.read_only_why, sizeof a->base.read_only_why, "it is an archive");
    a->fd = fd;
    AUTO_PTR(Store) owned = &a->base;
    TRY(verify(a, p, e));
    (void)TAKE(owned);
    *out = a;
    return JOT_OK;
}

jot_status archive_open(Store **out, const Io *io, const char *path, Err *e)
{
    Shown shown;
    Proof p;
    Archive *a = NULL;
    int fd = io_open_path(io ? io : &io_system, path);
    if (fd < 0)
        return err_errno(e, -fd, "could not open '%s'", err_show(&shown, str(path)));
    TRY(open_fd(io ? io : &io_system, fd, &a, &p, e));
    *out = &a->base;
    return JOT_OK;
}

/* --- Writing --------------------------------------------------------------------------- */

typedef struct Writer {
    Store *from;
    const Io *io;
    int fd;
    int version; /* that is being written, ... */
    bool gaps;   /* ... and it has turned out that it must be GAPS */
    Buf text;    /* what is not in the file yet */
    HashState hash;
    ArchiveCount count;
    const CopyHooks *hooks; /* may be NULL */
    uint64_t total;         /* streams, if somebody watches */
    Arena arena;            /* of what there is to tell, when the archive is there */
    CopyNotice *told;
    size_t told_n, told_cap;
} Writer;

static void writer_done(Writer *w)
{
    buf_free(&w->text);
    arena_free(&w->arena);
}
DEFINE_AUTO(Writer, writer_done)

static jot_status flush(Writer *w, Err *e)
{
    if (!buf_ok(&w->text))
        return err_set(e, JOT_TOO_BIG, "a record is too big for an archive");
    hash_add(&w->hash, buf_str(&w->text));
    w->count.bytes += w->text.n;
    int got = io_write_all(w->io, w->fd, buf_str(&w->text));
    buf_clear(&w->text);
    return got < 0 ? err_errno(e, -got, "could not write the archive") : JOT_OK;
}

static void report(Writer *w, CopyNews news, Str stream, jot_status status, const char *what)
{
    w->told = arena_grow(&w->arena, w->told, w->told_n, &w->told_cap, sizeof(CopyNotice),
                         alignof(CopyNotice));
    w->told[w->told_n++] = (CopyNotice){ news, arena_copy(&w->arena, stream), status,
                                         arena_cstr(&w->arena, str(what)) };
}

static void report_lost(Writer *w, const Walk *walk)
{
    char what[300];
    walk_say(walk, what, sizeof what);
    w->count.lost += walk->lost;
    report(w, COPY_LOST, walk->stream, JOT_CORRUPT, what);
}

static jot_status write_page(Writer *w, Mark *last, const Records *page, Err *e)
{
    for (size_t i = 0; i < page->n; i++) {
        const Record *r = &page->items[i];
        assert(r->mark.seq > last->seq); /* a walk goes forward */
        w->gaps = w->gaps || (last->seq && r->mark.seq > last->seq + 1);
        *last = r->mark;
        record_write(&w->text, r, RECORD_NESTED);
        if (w->text.n >= FLUSH_BYTES)
            TRY(flush(w, e));
    }
    w->count.records += page->n;
    CopyCount so_far = { .total = w->total,
                         .streams = w->count.streams,
                         .records = w->count.records,
                         .bytes = w->count.bytes };
    if (w->hooks && w->hooks->progress)
        w->hooks->progress(w->hooks->ctx, &so_far);
    return JOT_OK;
}

/* As much of a stream as can be read; what its source refuses stops no other. */
static jot_status write_stream(void *writer, const Listed *l, const Err *edit, Err *e)
{
    Writer *w = writer;
    Walk walk = walk_new(w->from, l->name, mark_last(&l->mark));
    Mark last = { 0 };
    bool named = false;
    if (w->gaps && w->version == NESTED)
        return JOT_OK; /* it is started again */
    if (w->hooks && w->hooks->go_on && !w->hooks->go_on(w->hooks->ctx))
        return err_set(e, JOT_CANCELLED, "interrupted: there is no archive");
    if (edit)
        report(w, COPY_REFUSED, l->name, edit->status, edit->text);
    while (walk.more) {
        AUTO(Arena) arena = { 0 };
        Records page;
        Err why = { 0 };
        jot_status st = walk_read(&walk, &arena, &page, &why);
        if (st != JOT_OK && st != JOT_NOT_FOUND)
            report(w, COPY_REFUSED, l->name, st, why.text);
        if (st != JOT_OK)
            break;
        if (page.n && !named)
            buf_addf(&w->text, STREAM STR_FMT "\n", STR_ARG(l->name));
        named = named || page.n;
        TRY(write_page(w, &last, &page, e));
    }
    w->count.streams += named;
    if (walk.lost)
        report_lost(w, &walk);
    return JOT_OK;
}

/* All of the pad, to a file of its own that nobody looks for. */
static jot_status write_draft(Writer *w, int dir, const char *draft, Err *e)
{
    AUTO(Fd) fd = io_open(w->io, dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (fd < 0)
        return err_errno(e, -fd, "could not make the archive");
    w->fd = fd;
    w->text = (Buf){ .max = 2 * (size_t)RECORD_LINE_MAX };
    hash_init(&w->hash);
    buf_addf(&w->text, WORDS "%d\n", w->version);
    TRY(walk_streams(w->from, write_stream, w, e));
    TRY(flush(w, e));
    /* The hash is of every line before the last one, so it is asked for between the two. */
    HashState hash = w->hash;
    buf_addf(&w->text, END "%llu %llu %s\n", (unsigned long long)w->count.streams,
             (unsigned long long)w->count.records, hash_hex(hash_end(&hash)).text);
    TRY(flush(w, e));
    int got = io_fsync(w->io, fd);
    return got < 0 ? err_errno(e, -got, "could not make the archive durable") : JOT_OK;
}

/* Read back what was written, to its end. */
static jot_status prove(const Io *io, int dir, const char *name, const ArchiveCount *count, Err *e)
{
    Proof p;
    Archive *a = NULL;
    int fd = io_open(io, dir, name, O_RDONLY, 0);
    if (fd < 0)
        return err_errno(e, -fd, "could not read the archive back");
    TRY(open_fd(io, fd, &a, &p, e));
    bool same =
        a->n == count->streams && p.records == count->records && (uint64_t)a->end == count->bytes;
    archive_close(&a->base);
    return same ? JOT_OK : err_set(e, JOT_IO, "the archive is not what was written");
}

static jot_status write_named(Writer *w, int dir, const char *draft, const char *name, Err *e)
{
    Shown shown;
    /* As a pad without gaps, of which a reader can tell that nothing is missing ... */
    w->version = NESTED;
    TRY(write_draft(w, dir, draft, e));
    if (w->gaps) { /* ... unless it has some */
        writer_done(w);
        *w = (Writer){ .from = w->from,
                       .io = w->io,
                       .version = NESTED_GAPS,
                       .hooks = w->hooks,
                       .total = w->total };
        int removed = io_unlink(w->io, dir, draft);
        if (removed < 0)
            return err_errno(e, -removed, "could not make the archive");
        TRY(write_draft(w, dir, draft, e));
    }
    /* It is read back before it has the name: under the name stands nothing that was not read. */
    TRY(prove(w->io, dir, draft, &w->count, e));
    int got = io_rename(w->io, dir, draft, name, RENAME_NOREPLACE);
    if (got == -EEXIST)
        return err_set(e, JOT_CONFLICT, "'%s' exists: choose another name",
                       err_show(&shown, str(name)));
    if (got == 0)
        got = io_fsync(w->io, dir);
    return got < 0 ? err_errno(e, -got, "could not name the archive") : JOT_OK;
}

/* The archive is there: tell what is not in it. */
static jot_status report_all(const Writer *w, const CopyHooks *hooks, Err *e)
{
    for (size_t i = 0; i < w->told_n && hooks && hooks->notice; i++)
        hooks->notice(hooks->ctx, &w->told[i]);
    if (w->told_n == 0)
        return JOT_OK;
    const CopyNotice *first = &w->told[0];
    if (w->told_n == 1)
        return err_set(e, first->status, "%s", first->what);
    return err_set(e, first->status, "%zu streams are not whole in the archive, one of them: %s",
                   w->told_n, first->what);
}

jot_status archive_write(Store *from, const char *path, const CopyHooks *hooks, ArchiveCount *out,
                         Err *e)
{
    assert(from && path && out);
    AUTO(Arena) arena = { 0 };
    Shown shown;
    const Io *io = from->io;
    Str whole = str(path), last = str_base_name(whole), above = str_dir_name(whole);
    if (last.n == 0 || last.n > STORE_SEGMENT_MAX)
        return err_set(e, JOT_INVALID, "'%s' does not name a file of at most %d bytes",
                       err_show(&shown, whole), STORE_SEGMENT_MAX);
    AUTO(Fd) dir = io_open_root(io, arena_cstr(&arena, above));
    if (dir < 0)
        return err_errno(e, -dir, "could not open '%s'", err_show(&shown, above));
    struct stat info;
    const char *name = arena_cstr(&arena, last);
    if (io_stat(io, dir, name, &info) == 0)
        return err_set(e, JOT_CONFLICT, "'%s' exists: choose another name", err_show(&shown, last));
    const char *draft = arena_printf(&arena, ".%s.%s", name, id_random(io, 8).text).p;
    AUTO(Writer) w = { .from = from, .io = io, .hooks = hooks };
    if (hooks && hooks->progress)
        TRY(walk_count(from, &w.total, e));
    jot_status st = write_named(&w, dir, draft, name, e);
    if (st != JOT_OK)
        (void)io_unlink(io, dir, draft);
    *out = w.count;
    return st == JOT_OK ? report_all(&w, hooks, e) : st;
}
