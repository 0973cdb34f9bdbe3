/* heads.c - the list of heads: what is known of each stream besides the stream itself.
 *
 * A stream file that is gone, or cut at the end of a record, is whole in itself:
 * only somebody who remembers can say that something is missing.  `heads` has a
 * line for each stream, and for a document also what its file looked like:
 *
 *     jotter heads 1 <when it was complete> <bytes then> <names forgotten>
 *     <sum> SEQ <chain> <version or -> SIZE INODE MTIME CTIME FIRST NAME
 *
 * Lines are appended when a handle closes or has nothing to do, never while it
 * writes, and are not synced: an old line is no lie, because streams only grow.  So every
 * line of a name counts, the older ones too: a stream that was cut and written on is found by
 * them.  What reads every stream (verify, gc, doctor) rewrites the list, with a line a name.
 *
 * The file's times tell a person's edit from a bit that turned over: anyone who writes
 * to a file moves its ctime, and nobody can set that.  Times tick, so a file that
 * was touched a moment ago is listed without them.
 *
 * FIRST is where the stream begins (0, or no such word: not known).  If it begins later now, its
 * oldest record must prove that it was trimmed; a trim leaves that proof (forget.c).
 *
 * There is no text in the list, and no name that was purged: that one is taken out in place, before
 * the purge, and counted in the header, so that nobody who has read the list before writes it back.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/lock.h"
#include "store/files/files.h"

#define HEADS "heads"
#define HEADER "jotter heads 1 "

enum {
    HEADER_BYTES = sizeof HEADER - 1 + 16 + 1 + 16 + 1 + 8 + 1,
    FORGOTTEN_AT = HEADER_BYTES - 9,
    SUM_HEX = 8,
    SHORT_HEX = 16,
    WROTE_MAX = 256,        /* names one handle remembers */
    TAIL_MAX = 1024 * 1024, /* lines after the complete list, before it is rewritten */
    LIST_MAX = 128 * 1024 * 1024,
    STILL_MS = 3000, /* file times tick, on some file systems every two seconds */
    WAIT_MS = 100,   /* for a process that rewrites it; older is no harm */
    OPEN_TRIES = 8,
    FIRST_BYTES = 32, /* of a line: its number is in these */
};

/* What this handle wrote since it last reported. */
struct HeadsWrote {
    Arena arena;
    HeadLine items[WROTE_MAX];
    size_t n;
};

static uint64_t short_of(Hash h)
{
    uint64_t n = 0;
    for (int i = 0; i < 8; i++)
        n = n << 8 | h.b[i];
    return n;
}

HeadLine heads_line(Str name, const Mark *m)
{
    return (HeadLine){ .name = name,
                       .seq = m->seq,
                       .chain = short_of(m->chain),
                       .shown = mark_shown(m),
                       .version = mark_shown(m) ? short_of(m->sha256) : 0,
                       .size = m->size };
}

/* --- Lines --------------------------------------------------------------------------------- */

static void add_line(Buf *to, const HeadLine *l)
{
    char version[SHORT_HEX + 1] = "-";
    if (l->shown)
        snprintf(version, sizeof version, "%016llx", (unsigned long long)l->version);
    AUTO(Buf) rest = { 0 };
    buf_addf(&rest, "%llu %016llx %s %llu %llu %lld %lld %llu " STR_FMT, (unsigned long long)l->seq,
             (unsigned long long)l->chain, version, (unsigned long long)l->size,
             (unsigned long long)l->inode, (long long)l->mtime_ns, (long long)l->ctime_ns,
             (unsigned long long)l->first, STR_ARG(l->name));
    buf_addf(to, "%.*s " STR_FMT "\n", SUM_HEX, hash_hex(hash_of(buf_str(&rest))).text,
             STR_ARG(buf_str(&rest)));
}

/* The next field of a line; 0, and *good false, if it is no number. */
static uint64_t cut_number(Str *rest, int base, bool *good)
{
    Str word = { 0 };
    char text[24], *end = text;
    *good = *good && str_cut(rest, ' ', &word) && word.n && word.n < sizeof text;
    if (!*good)
        return 0;
    memcpy(text, word.p, word.n);
    text[word.n] = 0;
    errno = 0;
    uint64_t n = strtoull(text, &end, base);
    *good = errno == 0 && *end == 0 && text[0] != '-' && text[0] != '+';
    return n;
}

/* A line without its '\n'; false if it is none. */
static bool parse_line(Str line, HeadLine *out)
{
    Str sum;
    if (!str_cut(&line, ' ', &sum) || sum.n != SUM_HEX ||
        memcmp(sum.p, hash_hex(hash_of(line)).text, SUM_HEX) != 0)
        return false;
    bool good = true;
    *out = (HeadLine){ .seq = cut_number(&line, 10, &good) };
    out->chain = cut_number(&line, 16, &good);
    out->shown = !str_starts(line, S("- "));
    if (out->shown)
        out->version = cut_number(&line, 16, &good);
    else
        line = str_from(line, 2);
    out->size = cut_number(&line, 10, &good);
    out->inode = cut_number(&line, 10, &good);
    out->mtime_ns = (int64_t)cut_number(&line, 10, &good);
    out->ctime_ns = (int64_t)cut_number(&line, 10, &good);
    if (str_find(line, ' ') < line.n) /* no name has a space; older lines do not say it */
        out->first = cut_number(&line, 10, &good);
    out->name = line;
    return good && out->seq && store_check_name(line, NULL) == JOT_OK;
}

/* --- The file ------------------------------------------------------------------------------ */

static bool parse_header(Str text, Heads *out)
{
    Str line = str_slice(text, 0, text.n < HEADER_BYTES ? text.n : HEADER_BYTES);
    if (line.n < HEADER_BYTES || !str_starts(line, S(HEADER)) || line.p[HEADER_BYTES - 1] != '\n')
        return false;
    line = str_slice(line, sizeof HEADER - 1, HEADER_BYTES - 1);
    char words[HEADER_BYTES];
    snprintf(words, sizeof words, STR_FMT " ", STR_ARG(line));
    Str rest = str(words);
    bool good = true;
    out->at_ms = (int64_t)cut_number(&rest, 16, &good);
    out->complete = cut_number(&rest, 16, &good);
    out->forgotten = (uint32_t)cut_number(&rest, 16, &good);
    return good;
}

static void add_header(Buf *to, int64_t at_ms, uint64_t bytes, uint32_t forgotten)
{
    buf_addf(to, HEADER "%016llx %016llx %08x\n", (unsigned long long)at_ms,
             (unsigned long long)bytes, forgotten);
}

/* -ENXIO if it is no plain file of the pad. */
static int open_list(Files *f, int flags)
{
    struct stat info;
    AUTO(Fd) fd = io_open(f->base.io, f->root, HEADS, flags | O_NONBLOCK, 0);
    int got = fd < 0 ? fd : io_fstat(f->base.io, fd, &info);
    if (got < 0)
        return got;
    return S_ISREG(info.st_mode) && info.st_nlink <= 1 ? fd_take(&fd) : -ENXIO;
}

/* All of it, as text.  -EFBIG: nobody will read so much. */
static int read_list(Files *f, Buf *to)
{
    struct stat info;
    AUTO(Fd) fd = open_list(f, O_RDONLY);
    int got = fd < 0 ? fd : io_fstat(f->base.io, fd, &info);
    if (got < 0 || info.st_size > LIST_MAX)
        return got < 0 ? got : -EFBIG;
    size_t room = (size_t)info.st_size;
    to->max = LIST_MAX;
    ssize_t n = io_read_all(f->base.io, fd, buf_room(to, room), room, 0);
    buf_grew(to, n > 0 ? (size_t)n : 0);
    return n < 0 ? (int)n : 0;
}

static int by_name(const void *a, const void *b)
{
    const HeadLine *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order ? order : (x->turn > y->turn) - (x->turn < y->turn);
}

/* The oldest and the newest line of each name. */
static void keep_ends(Heads *h)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->n; i++) {
        bool first = i == 0 || !str_eq(h->items[i].name, h->items[i - 1].name);
        bool last = i + 1 == h->n || !str_eq(h->items[i].name, h->items[i + 1].name);
        if (first || last)
            h->items[kept++] = h->items[i];
    }
    h->n = kept;
}

int heads_load(Files *f, Arena *into, Heads *out)
{
    AUTO(Buf) text = { 0 };
    *out = (Heads){ 0 };
    int got = read_list(f, &text);
    if (got < 0)
        return got == -ENOENT || got == -EFBIG ? 0 : got;
    out->there = parse_header(buf_str(&text), out);
    if (!out->there)
        return 0;
    Str rest = arena_copy(into, str_from(buf_str(&text), HEADER_BYTES)), line;
    size_t cap = 0;
    while (str_cut(&rest, '\n', &line)) {
        HeadLine l;
        if (!parse_line(line, &l))
            continue;
        l.turn = out->n;
        out->items = arena_grow(into, out->items, out->n, &cap, sizeof l, alignof(HeadLine));
        out->items[out->n++] = l;
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_name);
    return 0;
}

const HeadLine *heads_find(const Heads *h, Str name, size_t *n)
{
    size_t low = 0, high = h->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = str_cmp(h->items[middle].name, name) < 0;
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    *n = 0;
    while (low + *n < h->n && str_eq(h->items[low + *n].name, name))
        ++*n;
    return *n ? &h->items[low] : NULL;
}

/* --- Rewriting it ----------------------------------------------------------------------- */

/* The lock of the list as it is now; FD_NONE if there is none.  -EAGAIN: somebody has it. */
static int lock_list(Files *f, short kind, int flags, int64_t wait_ms, Fd *out)
{
    const Io *io = f->base.io;
    *out = FD_NONE;
    for (int i = 0; i < OPEN_TRIES; i++) {
        struct stat info = { 0 };
        AUTO(Fd) fd = open_list(f, flags);
        if (fd < 0)
            return fd == -ENOENT ? 0 : fd;
        int got = lock_wait(io, fd, kind, 0, wait_ms);
        if (got == 0)
            got = io_fstat(io, fd, &info);
        if (got < 0)
            return got;
        if (info.st_nlink) {
            *out = fd_take(&fd);
            return 0;
        }
    }
    return -EAGAIN;
}

int heads_store(Files *f, const Heads *h)
{
    const Io *io = f->base.io;
    AUTO(Fd) old = FD_NONE;
    int got = lock_list(f, F_WRLCK, O_RDWR, WAIT_MS, &old);
    char header[HEADER_BYTES];
    Heads now = { 0 };
    if (got == 0 && old >= 0 &&
        io_read_all(io, old, header, sizeof header, 0) == (ssize_t)sizeof header)
        (void)parse_header((Str){ header, sizeof header }, &now);
    if (got < 0)
        return got == -ENXIO ? 0 : got; /* verify tells of what stands in its place */
    AUTO(Buf) lines = { .max = LIST_MAX };
    AUTO(Buf) text = { .max = LIST_MAX };
    for (size_t i = 0; i < h->n; i++)
        add_line(&lines, &h->items[i]);
    add_header(&text, h->at_ms, HEADER_BYTES + lines.n, h->forgotten);
    buf_add(&text, buf_str(&lines));
    if (now.forgotten != h->forgotten)
        got = -ESTALE;
    else
        got = buf_ok(&text) && buf_ok(&lines) ? pad_install(f, HEADS, buf_str(&text)) : -EFBIG;
    if (old >= 0)
        lock_release(io, old, 0);
    return got;
}

/* --- Telling what was written -------------------------------------------------------------- */

static void remember(Files *f, Str name, const Mark *m)
{
    if (!f->wrote)
        f->wrote = mem_alloc(sizeof *f->wrote);
    struct HeadsWrote *w = f->wrote;
    size_t i = 0;
    while (i < w->n && !str_eq(w->items[i].name, name))
        i++;
    if (i == WROTE_MAX)
        return; /* it stays as old as it is until somebody reads every stream */
    Str kept = i < w->n ? w->items[i].name : arena_copy(&w->arena, name);
    w->items[i] = heads_line(kept, m);
    w->n += i == w->n;
}

/* Nothing of this is worth failing a write or a close that has done its work: without memory the
 * list stays as it is. */
void heads_wrote(Files *f, Str name, const Mark *m)
{
    ESCAPE(out)
    return;
    remember(f, name, m);
}

static void drop_wrote(Files *f, Str name)
{
    struct HeadsWrote *w = f->wrote;
    for (size_t i = 0; w && i < w->n; i++)
        if (str_eq(w->items[i].name, name))
            w->items[i] = w->items[--w->n];
}

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void heads_see(Files *f, HeadLine *l)
{
    AUTO(Arena) arena = { 0 };
    Paths p = paths_of(f, l->name);
    struct stat info;
    View v;
    l->inode = 0;
    l->mtime_ns = l->ctime_ns = 0;
    if (!p.viewed || !l->shown || view_stat(f, &p, &info) < 0 || (uint64_t)info.st_size != l->size)
        return;
    int64_t later =
        ns_of(info.st_ctim) > ns_of(info.st_mtim) ? ns_of(info.st_ctim) : ns_of(info.st_mtim);
    bool still = later >= 0 && later / 1000000 + STILL_MS < io_wall_ms(f->base.io);
    if (!still || view_read(f, &p, &arena, &v, NULL) != JOT_OK || !v.there ||
        short_of(v.sha256) != l->version || v.inode != info.st_ino ||
        v.mtime_ns != ns_of(info.st_mtim) || v.ctime_ns != ns_of(info.st_ctim))
        return;
    l->inode = v.inode;
    l->mtime_ns = v.mtime_ns;
    l->ctime_ns = v.ctime_ns;
}

bool heads_purged(Files *f, const Stream *st)
{
    AUTO(Arena) arena = { 0 };
    Records oldest;
    return st->head.op == OP_DELETE &&
           stream_read(f, st, (SeqRange){ 0, 1 }, &arena, &oldest, NULL) == JOT_OK && oldest.n &&
           oldest.items[0].mark.seq == st->head.seq;
}

uint64_t heads_first(Files *f, const Stream *st)
{
    char start[FIRST_BYTES];
    ssize_t n = io_read_all(f->base.io, st->fd, start, sizeof start, 0);
    return n > 0 ? record_seq((Str){ start, (size_t)n }) : 0;
}

/* Somebody may have purged it since. */
static bool is_listed(Files *f, HeadLine *l)
{
    Paths p = paths_of(f, l->name);
    AUTO(Stream) st = { .fd = FD_NONE };
    if (stream_look(f, &p, LOOK_ANY, RECORD_NO_BODY, &st, NULL) != JOT_OK || heads_purged(f, &st))
        return false;
    l->first = heads_first(f, &st);
    return true;
}

/* Make an empty one, complete as of never. */
static int begin_list(Files *f)
{
    AUTO(Buf) text = { 0 };
    add_header(&text, 0, HEADER_BYTES, 0);
    int got = pad_install_new(f, HEADS, buf_str(&text));
    return got == -EEXIST ? 0 : got;
}

/* When more was added than was there, folding it costs no more than the adding did. */
static void fold_list(Files *f, int fd)
{
    struct stat info;
    AUTO(Arena) arena = { 0 };
    Heads h;
    char header[HEADER_BYTES];
    if (io_fstat(f->base.io, fd, &info) < 0 ||
        io_read_all(f->base.io, fd, header, sizeof header, 0) != (ssize_t)sizeof header ||
        !parse_header((Str){ header, sizeof header }, &h))
        return;
    uint64_t tail = (uint64_t)info.st_size - h.complete;
    lock_release(f->base.io, fd, 0); /* for a process that rewrites it */
    if (tail <= TAIL_MAX || tail <= h.complete || heads_load(f, &arena, &h) < 0 || !h.there)
        return;
    keep_ends(&h);
    (void)heads_store(f, &h);
}

static void append_wrote(Files *f)
{
    struct HeadsWrote *w = f->wrote;
    AUTO(Buf) lines = { 0 };
    AUTO(Fd) fd = FD_NONE;
    for (size_t i = 0; i < w->n; i++) {
        heads_see(f, &w->items[i]);
        if (is_listed(f, &w->items[i]))
            add_line(&lines, &w->items[i]);
    }
    int got = lock_list(f, F_RDLCK, O_RDWR | O_APPEND, WAIT_MS, &fd);
    if (got == 0 && fd < 0 && begin_list(f) == 0)
        got = lock_list(f, F_RDLCK, O_RDWR | O_APPEND, WAIT_MS, &fd);
    /* A list that misses these is older than it could be, and nothing else. */
    if (got == 0 && fd >= 0 && lines.n && io_write_all(f->base.io, fd, buf_str(&lines)) == 0)
        fold_list(f, fd);
    if (fd >= 0)
        lock_release(f->base.io, fd, 0);
}

void heads_flush(Files *f)
{
    struct HeadsWrote *w = f->wrote;
    if (!w || w->n == 0 || f->base.read_only_why[0])
        return;
    ESCAPE(out)
    return;
    append_wrote(f);
    w->n = 0;
    arena_free(&w->arena);
}

void heads_close(Files *f)
{
    if (!f->wrote)
        return;
    arena_free(&f->wrote->arena);
    free(f->wrote);
    f->wrote = NULL;
}

/* --- Forgetting a name --------------------------------------------------------------------- */

/* Put newlines over every line of this name. */
static int blank_lines(Files *f, int fd, Str text, Str name)
{
    Str rest = str_from(text, HEADER_BYTES), line;
    int got = 0;
    while (got == 0 && str_cut(&rest, '\n', &line)) {
        /* Also what is no line any more: only the name's bytes count. */
        bool of_it = line.n > name.n && str_ends(line, name) && line.p[line.n - name.n - 1] == ' ';
        if (!of_it)
            continue;
        AUTO(Buf) blank = { 0 };
        memset(buf_room(&blank, line.n), '\n', line.n);
        buf_grew(&blank, line.n);
        got = io_write_at(f->base.io, fd, buf_str(&blank), line.p - text.p);
    }
    return got;
}

static int forget_in(Files *f, int fd, Str name)
{
    AUTO(Buf) text = { 0 };
    Heads h = { 0 };
    char count[SUM_HEX + 1];
    int got = read_list(f, &text);
    if (got < 0 || !parse_header(buf_str(&text), &h))
        return got;
    snprintf(count, sizeof count, "%08x", h.forgotten + 1);
    got = io_write_at(f->base.io, fd, (Str){ count, SUM_HEX }, FORGOTTEN_AT);
    if (got == 0)
        got = blank_lines(f, fd, buf_str(&text), name);
    if (got == 0)
        got = io_fdatasync(f->base.io, fd);
    /* An older list must not come back in its place. */
    return got == 0 ? io_fsync(f->base.io, f->root) : got;
}

jot_status heads_forget(Files *f, Str name, Err *e)
{
    AUTO(Fd) fd = FD_NONE;
    drop_wrote(f, name);
    int got = lock_list(f, F_WRLCK, O_RDWR, pad_wait_left(f), &fd);
    if (got == 0 && fd >= 0)
        got = forget_in(f, fd, name);
    if (fd >= 0)
        lock_release(f->base.io, fd, 0);
    if (got == -EFBIG) /* nobody reads it, and nothing can be taken out: it goes */
        got = io_unlink(f->base.io, f->root, HEADS);
    Shown shown;
    if (got == -ENXIO || got == -ELOOP || got == -EXDEV || got == -EISDIR)
        return err_set(e, JOT_DENIED, "'" HEADS "' is not a plain file of the pad: remove it");
    return got < 0 ? err_errno(e, -got, "could not take '%s' out of the list of heads",
                               err_show(&shown, name))
                   : JOT_OK;
}

/* --- Rot ----------------------------------------------------------------------------------- */

/* What the list says last of a name; its own name is not kept.  False if nothing. */
static bool find_last(Files *f, Str name, HeadLine *out)
{
    AUTO(Buf) text = { 0 };
    Heads h;
    HeadLine l;
    Str line;
    bool found = false;
    if (read_list(f, &text) < 0 || !parse_header(buf_str(&text), &h))
        return false;
    Str rest = str_from(buf_str(&text), HEADER_BYTES);
    while (str_cut(&rest, '\n', &line))
        if (str_ends(line, name) && parse_line(line, &l) && str_eq(l.name, name)) {
            *out = l;
            found = true;
        }
    out->name = (Str){ 0 };
    return found;
}

bool heads_rotten(Files *f, Str name, const Mark *head, const View *v)
{
    HeadLine last = { 0 };
    if (!v->there || !mark_shown(head) || !find_last(f, name, &last))
        return false;
    HeadLine now = heads_line(name, head);
    return last.inode && last.seq == now.seq && last.chain == now.chain &&
           last.version == now.version && last.inode == v->inode && last.size == v->text.n &&
           last.mtime_ns == v->mtime_ns && last.ctime_ns == v->ctime_ns &&
           !hash_eq(v->sha256, head->sha256);
}

bool heads_beyond(Files *f, Str name, const Mark *head)
{
    HeadLine last = { 0 };
    return find_last(f, name, &last) && last.seq > mark_last(head);
}

/* --- Tokens -------------------------------------------------------------------------------- */

jot_status files_tokens(Store *s, uint64_t *out, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Arena) arena = { 0 };
    AUTO(Stream) st = { .fd = FD_NONE };
    Paths p = paths_of(f, S(STORE_TOKENS));
    Heads h;
    size_t n = 0;
    uint64_t known = 0;
    *out = 0;
    heads_flush(f);
    if (heads_load(f, &arena, &h) < 0)
        return JOT_OK; /* it is never needed */
    const HeadLine *lines = heads_find(&h, p.name, &n);
    for (size_t i = 0; i < n; i++)
        known = lines[i].seq > known ? lines[i].seq : known;
    Err why = { 0 };
    jot_status looked = stream_look(f, &p, LOOK_ANY, RECORD_NO_BODY, &st, &why);
    if (looked != JOT_OK && looked != JOT_NOT_FOUND)
        return err_pass(e, &why, looked);
    /* The list is written when a handle closes or is idle, so it may lag behind. */
    if (known > mark_last(&st.head) && known < STORE_SEQ_MAX - STORE_TOKENS_UNSEEN)
        *out = known + STORE_TOKENS_UNSEEN;
    return JOT_OK;
}
