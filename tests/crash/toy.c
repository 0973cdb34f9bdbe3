/* toy.c - one file a stream, one line a record, no locks: for one process only.
 *
 * A new name is synced before its first record; a record is one write and one
 * sync; everything else writes the stream to a draft, syncs it and renames it
 * over.  After a failed sync the stream is made again without the record. */
#include "toy.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/engine.h"
#include "store/record.h"

enum { FILE_MAX = 1024 * 1024 };

const char *const toy_bugs[TOY_BUGS] = {
    "right",     "no-sync",       "no-dir-sync",     "in-place",    "early-ack",
    "tail-kept", "cut-last",      "rename-unsynced", "rename-lost", "draft-left",
    "leak",      "ignored-error", "retried-sync",    "short-write", "lies",
};

typedef struct Toy {
    Store base;
    Fd dir;
    ToyBug bug;
    Buf late; /* what should have been written already */
    char late_name[256];
} Toy;

/* A stream in memory. */
typedef struct Log {
    char name[256], draft[256];
    bool there;
    Record *records;
    off_t *ends; /* offset behind each record */
    size_t n, cap, ends_cap;
    Buf bytes;
    size_t good; /* bytes of whole records */
} Log;

static void log_done(Log *log)
{
    buf_free(&log->bytes);
}
DEFINE_AUTO(Log, log_done)

/* --- Files ----------------------------------------------------------------------------- */

static void name_file(Str stream, Log *log)
{
    char flat[200];
    size_t n = stream.n < sizeof flat - 1 ? stream.n : sizeof flat - 1;
    for (size_t i = 0; i < n; i++)
        flat[i] = stream.p[i] == '/' ? '+' : stream.p[i];
    flat[n] = 0;
    snprintf(log->name, sizeof log->name, "%s.log", flat);
    snprintf(log->draft, sizeof log->draft, ".%s.log.new", flat);
}

static jot_status write_bytes(Toy *t, int fd, Str bytes, Err *e)
{
    int got = 0;
    if (t->bug == TOY_SHORT_WRITE)
        got = (int)io_write(t->base.io, fd, bytes);
    else
        got = io_write_all(t->base.io, fd, bytes);
    if (t->bug == TOY_IGNORED_ERROR)
        got = 0;
    return got < 0 ? err_errno(e, -got, "could not write") : JOT_OK;
}

static jot_status replace(Toy *t, Log *log, Str bytes, Err *e)
{
    const Io *io = t->base.io;
    AUTO(Fd) fd = io_open(io, t->dir, log->draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0)
        return err_errno(e, -fd, "could not make a draft");
    jot_status st = write_bytes(t, fd, bytes, e);
    int got = st == JOT_OK && t->bug != TOY_RENAME_UNSYNCED ? io_fsync(io, fd) : 0;
    if (st == JOT_OK && got == 0)
        got = io_rename(io, t->dir, log->draft, log->name, 0);
    if (st != JOT_OK || got < 0) {
        (void)io_unlink(io, t->dir, log->draft);
        return st != JOT_OK ? st : err_errno(e, -got, "could not put a draft in place");
    }
    got = t->bug == TOY_RENAME_LOST ? 0 : io_fsync(io, t->dir);
    if (got == 0)
        return JOT_OK;
    /* Nothing may be added to a file whose name can be lost.  The next open syncs it. */
    snprintf(t->base.read_only_why, sizeof t->base.read_only_why, "a sync failed");
    return err_set(e, JOT_UNKNOWN, "could not sync a name");
}

static jot_status flush_late(Toy *t, Err *e)
{
    if (t->late.n == 0)
        return JOT_OK;
    AUTO(Fd) fd = io_open(t->base.io, t->dir, t->late_name, O_WRONLY | O_APPEND, 0);
    if (fd < 0)
        return err_errno(e, -fd, "could not open a stream");
    TRY(write_bytes(t, fd, buf_str(&t->late), e));
    buf_clear(&t->late);
    return io_fdatasync(t->base.io, fd) < 0 ? err_set(e, JOT_UNKNOWN, "could not sync") : JOT_OK;
}

static void take_lines(Log *log, Arena *into)
{
    Str rest = buf_str(&log->bytes), line;
    while (str_cut(&rest, '\n', &line)) {
        Record r;
        if (record_read(line, RECORD_ALL, into, &r, NULL) != JOT_OK)
            break;
        size_t n = log->n;
        log->records =
            arena_grow(into, log->records, n, &log->cap, sizeof(Record), alignof(Record));
        log->ends = arena_grow(into, log->ends, n, &log->ends_cap, sizeof(off_t), alignof(off_t));
        log->good += line.n + 1;
        log->ends[n] = (off_t)log->good;
        log->records[log->n++] = r;
    }
}

static jot_status load(Toy *t, Str stream, Arena *into, Log *log, Err *e)
{
    TRY(flush_late(t, e));
    name_file(stream, log);
    AUTO(Fd) fd = io_open(t->base.io, t->dir, log->name, O_RDONLY, 0);
    if (fd == -ENOENT || (fd < 0 && t->bug == TOY_LIES))
        return JOT_OK;
    if (fd < 0)
        return err_errno(e, -fd, "could not open a stream");
    log->there = true;
    char *room = buf_room(&log->bytes, FILE_MAX);
    ssize_t got = io_read_all(t->base.io, fd, room, FILE_MAX, 0);
    if (got < 0)
        return err_errno(e, (int)-got, "could not read a stream");
    buf_grew(&log->bytes, (size_t)got);
    take_lines(log, into);
    return JOT_OK;
}

static Mark head_of(const Log *log)
{
    return log->n ? log->records[log->n - 1].mark : (Mark){ 0 };
}

/* --- Adding ---------------------------------------------------------------------------- */

static jot_status undo(Toy *t, int fd, const Log *log, Err *e)
{
    if (io_truncate(t->base.io, fd, (off_t)log->good) < 0)
        return err_set(e, JOT_UNKNOWN, "could not undo a failed write");
    return e->status;
}

static jot_status sync_failed(Toy *t, Log *log, Err *e)
{
    Err ignored = { 0 };
    Str before = { log->bytes.p, log->good };
    if (replace(t, log, before, &ignored) != JOT_OK)
        snprintf(t->base.read_only_why, sizeof t->base.read_only_why, "a sync failed");
    return err_set(e, JOT_UNKNOWN, "could not sync a record");
}

static jot_status ready_file(Toy *t, Log *log, int fd, Err *e)
{
    const Io *io = t->base.io;
    struct stat info;
    bool cut = log->bytes.n > log->good && t->bug != TOY_TAIL_KEPT;
    int got = log->bytes.n == 0 && t->bug != TOY_NO_DIR_SYNC ? io_fsync(io, t->dir) : 0;
    if (got == 0 && t->bug == TOY_CUT_LAST && cut && log->n)
        log->good = log->n > 1 ? (size_t)log->ends[log->n - 2] : 0;
    if (got == 0 && cut)
        got = io_truncate(io, fd, (off_t)log->good);
    bool left = t->bug != TOY_DRAFT_LEFT && io_stat(io, t->dir, log->draft, &info) == 0;
    if (got == 0 && left)
        got = io_unlink(io, t->dir, log->draft);
    return got < 0 ? err_errno(e, -got, "could not make a stream ready") : JOT_OK;
}

static jot_status add_lines(Toy *t, Log *log, Str lines, Err *e)
{
    const Io *io = t->base.io;
    int flags = O_WRONLY | O_CREAT | (t->bug == TOY_IN_PLACE ? O_TRUNC : O_APPEND);
    AUTO(Fd) fd = io_open(io, t->dir, log->name, flags, 0600);
    if (fd < 0)
        return err_errno(e, -fd, "could not open a stream");
    if (t->bug == TOY_IN_PLACE)
        TRY(write_bytes(t, fd, (Str){ log->bytes.p, log->good }, e));
    else
        TRY(ready_file(t, log, fd, e));
    if (t->bug == TOY_EARLY_ACK) {
        buf_add(&t->late, lines);
        snprintf(t->late_name, sizeof t->late_name, "%s", log->name);
        return JOT_OK;
    }
    if (write_bytes(t, fd, lines, e) != JOT_OK)
        return undo(t, fd, log, e);
    int got = t->bug == TOY_NO_SYNC ? 0 : io_fdatasync(io, fd);
    if (got < 0 && t->bug == TOY_RETRIED_SYNC)
        got = io_fdatasync(io, fd);
    return got < 0 ? sync_failed(t, log, e) : JOT_OK;
}

static jot_status toy_append(Store *s, Str stream, const Expect *x, const Draft *d, Mark *out,
                             Err *e)
{
    Toy *t = (Toy *)s;
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    AUTO(Log) guard = { 0 };
    TRY(load(t, stream, &arena, &log, e));
    if (x->guard.n)
        TRY(load(t, x->guard, &arena, &guard, e));
    Record recent[STORE_ID_WINDOW], fresh;
    size_t n = 0;
    for (size_t i = log.n; i > 0 && n < STORE_ID_WINDOW; i--)
        recent[n++] = log.records[i - 1];
    Mark head = head_of(&log);
    bool again = false;
    Sealing asked = {
        .stream = stream,
        .x = x,
        .draft = d,
        .head = &head,
        .recent = recent,
        .recent_n = n,
        .guard_seq = head_of(&guard).seq,
    };
    jot_status st = store_seal(s, &asked, &fresh, &again, e);
    *out = fresh.mark;
    if (st != JOT_OK || again)
        return st;
    AUTO(Buf) line = { 0 };
    record_write(&line, &fresh, RECORD_NESTED);
    return add_lines(t, &log, buf_str(&line), e);
}

/* It cannot fill gaps. */
static jot_status toy_put_records(Store *s, Str stream, const Expect *x, const Batch *b, Err *e)
{
    (void)x;
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, &arena, &log, e));
    Mark head = head_of(&log);
    TRY(store_check_place(stream, b, &head, NULL, e));
    AUTO(Buf) lines = { 0 };
    for (size_t i = 0; i < b->n; i++)
        record_write(&lines, &b->items[i], RECORD_NESTED);
    return add_lines((Toy *)s, &log, buf_str(&lines), e);
}

/* --- Reading --------------------------------------------------------------------------- */

static Record kept_record(const Record *r, HeadWant want)
{
    Record copy = *r; /* its strings live in the caller's arena */
    if (want == HEAD_MARK)
        copy.body = (Str){ 0 };
    return copy;
}

static jot_status toy_head(Store *s, Str stream, HeadWant want, Arena *into, Record *out, Err *e)
{
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, into, &log, e));
    if (log.n == 0)
        return store_not_found(e, stream);
    *out = kept_record(&log.records[log.n - 1], want);
    return JOT_OK;
}

static jot_status toy_read(Store *s, Str stream, SeqRange range, Arena *into, Records *out, Err *e)
{
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, into, &log, e));
    if (log.n == 0)
        return store_not_found(e, stream);
    *out = (Records){ .items = log.records };
    while (log.n && out->items->mark.seq < range.from) {
        out->items++;
        log.n--;
    }
    out->n = log.n < range.limit ? log.n : range.limit;
    out->more = out->n < log.n;
    return JOT_OK;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const Listed *)a)->name, ((const Listed *)b)->name);
}

/* The stream a file is for, or an empty name. */
static Str stream_of(const char *file, Arena *into)
{
    Str name = str(file);
    if (!str_ends(name, S(".log")))
        return (Str){ 0 };
    char *stream = arena_cstr(into, str_slice(name, 0, name.n - 4));
    for (char *c = stream; *c; c++)
        *c = *c == '+' ? '/' : *c;
    return str(stream);
}

static jot_status list_one(Toy *t, Str name, ListWhich which, Arena *into, Listing *out, Err *e)
{
    AUTO(Log) log = { 0 };
    TRY(load(t, name, into, &log, e));
    Mark head = head_of(&log);
    if (log.n == 0 || (!list_takes_all(which) && !mark_live(&head)) || out->n == STORE_LIST_MAX)
        return JOT_OK;
    const Record *r = &log.records[log.n - 1];
    out->items[out->n++] = (Listed){ name, head, r->by, r->meta };
    return JOT_OK;
}

static jot_status toy_list(Store *s, const ListQuery *q, Arena *into, Listing *out, Err *e)
{
    Toy *t = (Toy *)s;
    *out = (Listing){ .items = NEW_ARRAY(into, Listed, STORE_LIST_MAX) };
    int fd = io_open(t->base.io, t->dir, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d)
        return err_errno(e, fd < 0 ? -fd : errno, "could not list");
    jot_status st = JOT_OK;
    for (struct dirent *entry = readdir(d); entry && st == JOT_OK; entry = readdir(d)) {
        Str name = stream_of(entry->d_name, into);
        if (name.n && str_starts(name, q->prefix) && str_cmp(name, q->after) > 0)
            st = list_one(t, name, q->which, into, out, e);
    }
    closedir(d);
    qsort(out->items, out->n, sizeof *out->items, by_name);
    out->more = out->n > q->limit;
    out->n = out->more ? q->limit : out->n;
    return st;
}

static jot_status toy_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                              Err *e)
{
    *out = (Changes){ .rescan = true };
    return JOT_OK;
}

/* --- Forgetting ------------------------------------------------------------------------ */

static jot_status rewrite(Toy *t, Log *log, const Record *records, size_t n, Err *e)
{
    AUTO(Buf) lines = { 0 };
    for (size_t i = 0; i < n; i++)
        record_write(&lines, &records[i], RECORD_NESTED);
    return replace(t, log, buf_str(&lines), e);
}

static jot_status toy_trim(Store *s, Str stream, const Expect *x, uint64_t before,
                           uint64_t *dropped, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, &arena, &log, e));
    if (log.n == 0)
        return store_not_found(e, stream);
    Mark head = head_of(&log);
    TRY(store_check_expect(stream, x, &head, 0, e));
    uint64_t from = store_trim_from(&head, before);
    size_t n = 0;
    while (n < log.n && log.records[n].mark.seq < from)
        n++;
    *dropped = n;
    return n ? rewrite((Toy *)s, &log, log.records + n, log.n - n, e) : JOT_OK;
}

static jot_status toy_redact(Store *s, Str stream, const Expect *x, const Redaction *set, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, &arena, &log, e));
    Mark head = head_of(&log);
    TRY(store_check_expect(stream, x, &head, 0, e));
    size_t done = 0;
    for (size_t i = 0; i < log.n && done < set->n; i++) {
        if (log.records[i].mark.seq != set->seqs[done])
            continue;
        TRY(store_check_redact(stream, &head, &log.records[i].mark, e));
        log.records[i].mark.redacted = true;
        log.records[i].body = (Str){ 0 };
        done++;
    }
    if (done < set->n)
        return store_not_found(e, stream);
    return rewrite((Toy *)s, &log, log.records, log.n, e);
}

static jot_status toy_purge(Store *s, Str stream, const Expect *x, Str by, Mark *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, &arena, &log, e));
    if (log.n == 0)
        return store_not_found(e, stream);
    Mark head = head_of(&log);
    TRY(store_check_expect(stream, x, &head, 0, e));
    size_t n = log.n < STORE_TOLD_MAX ? log.n : STORE_TOLD_MAX;
    Gone gone = { &log.records[0], log.records + log.n - n, n };
    Record tombstone = store_tombstone(s, stream, by, &head, &gone, &arena);
    *out = tombstone.mark;
    return rewrite((Toy *)s, &log, &tombstone, 1, e);
}

static jot_status toy_forget_before(Store *s, Str stream, const Expect *x, uint64_t seq, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Log) log = { 0 };
    TRY(load((Toy *)s, stream, &arena, &log, e));
    Mark head = head_of(&log);
    TRY(store_check_expect(stream, x, &head, 0, e));
    size_t n = 0;
    while (n < log.n && log.records[n].mark.seq < seq)
        n++;
    if (n == log.n || log.records[n].mark.seq != seq)
        return store_not_found(e, stream);
    return rewrite((Toy *)s, &log, log.records + n, log.n - n, e);
}

/* --- Opening --------------------------------------------------------------------------- */

static void toy_close(Store *s)
{
    Toy *t = (Toy *)s;
    if (flush_late(t, NULL) != JOT_OK)
        buf_clear(&t->late);
    buf_free(&t->late);
    fd_close(&t->dir);
    free(t);
}

static StorePromise toy_promise(const Store *s)
{
    return (StorePromise){ .scheme = "toy", .durable = true };
}

static const StoreOps toy_ops = {
    .scheme = "toy",
    .close = toy_close,
    .append = toy_append,
    .head = toy_head,
    .read = toy_read,
    .list = toy_list,
    .changes = toy_changes,
    .trim = toy_trim,
    .redact = toy_redact,
    .purge = toy_purge,
    .put_records = toy_put_records,
    .forget_before = toy_forget_before,
    .promise = toy_promise,
};

/* The directory, made durable before anything is in it. */
static int open_dir(const Io *io, const char *root)
{
    AUTO(Fd) at = io_open_root(io, root);
    if (at < 0)
        return at;
    int got = io_mkdir(io, at, "toy");
    if (got == 0 || got == -EEXIST)
        got = io_fsync(io, at);
    Fd dir = got < 0 ? got : io_open(io, at, "toy", O_RDONLY | O_DIRECTORY, 0);
    got = dir < 0 ? 0 : io_fsync(io, dir);
    if (got < 0)
        fd_close(&dir);
    return got < 0 ? got : dir;
}

static jot_status toy_open(const Target *target, const char *root, const Io *io, Store **out,
                           Err *e)
{
    Fd dir = open_dir(io, root);
    if (dir < 0)
        return err_errno(e, -dir, "could not open the pad");
    if (target->bug == TOY_LEAK)
        (void)io_open(io, dir, ".", O_RDONLY | O_DIRECTORY, 0);
    Toy *t = mem_alloc(sizeof *t);
    store_init(&t->base, &toy_ops, &(StoreOptions){ .io = io });
    t->dir = dir;
    t->bug = (ToyBug)target->bug;
    *out = &t->base;
    return JOT_OK;
}

Target toy_target(ToyBug bug)
{
    return (Target){ .name = "toy", .open = toy_open, .pad = "toy", .bug = (int)bug };
}
