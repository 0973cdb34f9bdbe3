/* mirror.c - files in which people read streams that are no documents.
 *
 * Under the stream's lock:
 *
 *     is the mirror in step?  ---- no ---->  keep an edit aside, make it again from the stream
 *            | yes                                              |
 *            v                                                  v
 *     commit the record (write.c)  ---------------------> append its line, or replace the file
 *                                                               |
 *                                                               v
 *                                                set the file's time to the head's stamp
 *
 * A mirror is in step if the time of its last change is the stamp of the stream's
 * head: the record's own time, and below the millisecond some digits of its chain.
 * Nobody else gives a file such a time, so a person's edit, a line that was cut
 * off and a writer that died before the last step are all noticed by one look at the
 * file, however long it is.  What the time does not show is a power loss, so
 * before this boot and mount were checked (recover.c) no mirror is in step.
 *
 * A mirror that is not in step is compared with what the stream shows.  If it is a
 * beginning of that, or the whole of what an older head showed, it is only old. */
#include "store/files/mirror.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/json_cursor.h"
#include "base/mutant.h"
#include "base/time.h"

enum { PAGE = 256, FLUSH_BYTES = 256 * 1024, FILE_MAX = STORE_BODY_MAX + 1024 * 1024 };

#define LINES_END ".jsonl"
#define EVENTS_END ".events.jsonl"
#define TASK_END ".json"

/* --- Where ----------------------------------------------------------------------------- */

static Mirror mirror_at(MirrorForm form, Str dir, Str name, const char *end)
{
    Mirror m = { .form = form };
    snprintf(m.dir, sizeof m.dir, STR_FMT, STR_ARG(dir));
    snprintf(m.file, sizeof m.file, STR_FMT "%s", STR_ARG(name), end);
    snprintf(m.draft, sizeof m.draft, ".%.210s.new", m.file);
    return m;
}

/* Of two streams that would be shown in one file, the one that has the file's name is. */
static bool taken(Files *f, Str stream, const char *end)
{
    AUTO(Arena) arena = { 0 };
    struct stat info;
    Str other = arena_printf(&arena, STR_FMT "%s", STR_ARG(stream), end);
    if (store_check_name(other, NULL) != JOT_OK)
        return false;
    Paths p = paths_of(f, other);
    return io_stat_path(f->base.io, f->root, p.path, &info) == 0;
}

size_t mirrors_of(Files *f, Str stream, Mirror out[MIRRORS_MAX])
{
    bool index = str_starts(stream, S(FILES_INDEX));
    if (f->form != RECORD_NESTED || (!store_kind(stream)->mirrored && !index))
        return 0;
    size_t slash = str_find_last(stream, '/');
    Str dir = str_slice(stream, 0, slash), name = str_from(stream, slash + 1);
    if (str_eq(dir, S("tasks"))) {
        out[0] = mirror_at(MIRROR_TASK, dir, name, TASK_END);
        out[1] = mirror_at(MIRROR_EVENTS, dir, name, EVENTS_END);
        return 2;
    }
    /* A name with a dot in it is a file's name already. */
    bool whole = str_find(name, '.') < name.n;
    const char *end = whole ? "" : index ? TASK_END : LINES_END;
    if (!whole && taken(f, stream, end))
        return 0;
    if (index)
        dir = str_from(dir, strlen("artifacts/"));
    out[0] = mirror_at(index ? MIRROR_BODY : MIRROR_LINES, dir, name, end);
    return 1;
}

bool stream_of_mirror(Files *f, Str path, Buf *to)
{
    static const char *const ends[] = { EVENTS_END, TASK_END, LINES_END, "" };
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        Mirror all[MIRRORS_MAX];
        char there[FILES_PATH_MAX + MIRROR_NAME_MAX + 1];
        buf_clear(to);
        buf_add(to, str_starts(path, S("index/")) ? S("artifacts/") : S(""));
        buf_add(to, str_slice(path, 0, path.n - strlen(ends[i])));
        if (!str_ends(path, str(ends[i])) || store_check_name(buf_str(to), NULL) != JOT_OK)
            continue;
        size_t n = mirrors_of(f, buf_str(to), all);
        for (size_t k = 0; k < n; k++) {
            snprintf(there, sizeof there, "%s/%s", all[k].dir, all[k].file);
            if (str_eq(path, str(there)))
                return true;
        }
    }
    return false;
}

/* --- What it shows --------------------------------------------------------------------- */

static void show_event(Buf *to, const Record *r)
{
    Str event = json_cursor_find(r->body, S("event"));
    buf_addf(to, "{\"at\":\"%s\",\"by\":", time_text(r->mark.at_ms).text);
    json_quote(to, r->by);
    if (r->mark.redacted)
        buf_add(to, S(",\"redacted\":true"));
    else if (event.n && str_find(event, '\n') == event.n)
        buf_addf(to, ",\"event\":" STR_FMT, STR_ARG(event));
    buf_add(to, S("}\n"));
}

static void show_task(Buf *to, const Record *r)
{
    Str task = json_cursor_find(r->body, S("task"));
    if (r->mark.redacted)
        buf_add(to, S("[redacted]"));
    else if (task.n)
        json_indent(to, task);
    else
        buf_add(to, r->body);
    buf_add_char(to, '\n');
}

/* What one record adds to its mirror. */
static void show(Buf *to, MirrorForm form, const Record *r)
{
    if (!mark_live(&r->mark))
        return;
    switch (form) {
    case MIRROR_LINES:
        buf_add(to, r->mark.redacted ? S("[redacted]") : r->body);
        buf_add_char(to, '\n');
        return;
    case MIRROR_EVENTS:
        show_event(to, r);
        return;
    case MIRROR_TASK:
        show_task(to, r);
        return;
    case MIRROR_BODY:
        buf_add(to, r->body);
        return;
    }
}

/* The time of a mirror that shows a stream with this head. */
static int64_t stamp(const Mark *head)
{
    uint32_t digits = 0;
    for (int i = 0; i < 4; i++)
        digits = digits << 8 | head->chain.b[i];
    int64_t ms = head->at_ms < INT64_MAX / 1000000 - 1 ? head->at_ms : 0;
    return ms * 1000000 + digits % 1000000;
}

static bool stamped(const struct stat *info, const Mark *head)
{
    return S_ISREG(info->st_mode) && info->st_nlink == 1 &&
           (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec == stamp(head);
}

/* Call `each` for the records from this seq on. */
typedef jot_status EachRecord(void *ctx, const Record *r);

static jot_status each_record(Files *f, const Stream *st, uint64_t from, EachRecord *each,
                              void *ctx, Err *e)
{
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Records some;
        TRY(stream_read(f, st, (SeqRange){ from, PAGE }, &arena, &some, e));
        for (size_t i = 0; i < some.n; i++)
            TRY(each(ctx, &some.items[i]));
        if (!some.more || some.n == 0)
            return JOT_OK;
        from = some.items[some.n - 1].mark.seq + 1;
    }
}

/* Does it show the head alone? */
static bool is_snapshot(MirrorForm form)
{
    return form == MIRROR_TASK || form == MIRROR_BODY;
}

/* --- Judging --------------------------------------------------------------------------- */

typedef struct Judging {
    const Io *io;
    int fd;
    MirrorForm form;
    off_t size;   /* of the file */
    off_t shown;  /* bytes the stream shows, so far */
    bool differs; /* somewhere in these */
    bool known;   /* the whole file is what one record shows */
    Str text;     /* the whole file, if that shows the head alone */
    Buf line;
    Err *e;
} Judging;

/* Is this the next the file holds? */
static jot_status judge_next(void *ctx, const Record *r)
{
    Judging *j = ctx;
    AUTO(Arena) arena = { 0 };
    buf_clear(&j->line);
    show(&j->line, j->form, r);
    off_t left = j->size > j->shown ? j->size - j->shown : 0;
    size_t n = (off_t)j->line.n < left ? j->line.n : (size_t)left;
    char *there = arena_alloc(&arena, n + 1, 1);
    ssize_t got = n && !j->differs ? io_read_all(j->io, j->fd, there, n, j->shown) : 0;
    if (got < 0)
        return err_errno(j->e, (int)-got, "could not read a file of the pad");
    j->differs = j->differs || (size_t)got != n || (n && memcmp(there, j->line.p, n) != 0);
    j->shown += (off_t)j->line.n;
    return JOT_OK;
}

/* Is this all the file holds? */
static jot_status judge_whole(void *ctx, const Record *r)
{
    Judging *j = ctx;
    buf_clear(&j->line);
    show(&j->line, j->form, r);
    j->known = j->known || str_eq(j->text, buf_str(&j->line));
    return JOT_OK;
}

/* One that shows nothing but a record that was the head once is only old. */
static jot_status judge_snapshot(Files *f, const Stream *st, Judging *j, MirrorState *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    char *bytes = arena_alloc(&arena, (size_t)j->size + 1, 1);
    ssize_t got = io_read_all(j->io, j->fd, bytes, (size_t)j->size, 0);
    if (got < 0)
        return err_errno(e, (int)-got, "could not read a file of the pad");
    j->text = (Str){ bytes, (size_t)got };
    TRY(each_record(f, st, st->head.seq, judge_whole, j, e));
    *out = MIRROR_FITS;
    if (j->known)
        return JOT_OK;
    TRY(each_record(f, st, 0, judge_whole, j, e));
    *out = j->known || got == 0 ? MIRROR_STALE : MIRROR_EDITED;
    return JOT_OK;
}

static jot_status judge_lines(Files *f, const Stream *st, Judging *j, MirrorState *out, Err *e)
{
    TRY(each_record(f, st, 0, judge_next, j, e));
    *out = j->differs || j->size > j->shown ? MIRROR_EDITED
           : j->size < j->shown             ? MIRROR_STALE
                                            : MIRROR_FITS;
    return JOT_OK;
}

static jot_status judge_open(Files *f, const Stream *st, const Mirror *m, int fd, MirrorState *out,
                             Err *e)
{
    struct stat info;
    int got = io_fstat(f->base.io, fd, &info);
    if (got < 0)
        return err_errno(e, -got, "could not look at a file of the pad");
    *out = MIRROR_EDITED;
    bool ours = S_ISREG(info.st_mode) && info.st_nlink == 1;
    if (!ours || (is_snapshot(m->form) && info.st_size > FILE_MAX))
        return JOT_OK;
    Judging j = { .io = f->base.io, .fd = fd, .form = m->form, .size = info.st_size, .e = e };
    j.line.max = 2 * (size_t)FILE_MAX;
    jot_status judged =
        is_snapshot(m->form) ? judge_snapshot(f, st, &j, out, e) : judge_lines(f, st, &j, out, e);
    buf_free(&j.line);
    return judged;
}

jot_status mirror_judge(Files *f, const Stream *st, const Mirror *m, MirrorState *out, Err *e)
{
    *out = MIRROR_STALE;
    AUTO(Fd) dir = pad_open_dir(f, m->dir, false);
    AUTO(Fd) fd = dir < 0 ? dir : io_open(f->base.io, dir, m->file, O_RDONLY | O_NONBLOCK, 0);
    if (io_missing(fd))
        return JOT_OK;
    *out = MIRROR_EDITED; /* a symlink, a socket ... */
    return fd < 0 ? JOT_OK : judge_open(f, st, m, fd, out, e);
}

/* --- Making one ------------------------------------------------------------------------ */

typedef struct Making {
    const Io *io;
    int fd;
    MirrorForm form;
    Buf text;
} Making;

static int flush(Making *k)
{
    int got = buf_ok(&k->text) ? io_write_all(k->io, k->fd, buf_str(&k->text)) : -EFBIG;
    buf_clear(&k->text);
    return got;
}

static jot_status make_next(void *ctx, const Record *r)
{
    Making *k = ctx;
    show(&k->text, k->form, r);
    return k->text.n < FLUSH_BYTES || flush(k) == 0 ? JOT_OK : JOT_IO;
}

/* Give what a file holds its name, or be done with it. */
static bool settle(Files *f, const Stream *st, const Mirror *m, int dir, int fd, bool good)
{
    const Io *io = f->base.io;
    good = good && io_set_mtime(io, fd, stamp(&st->head)) == 0 &&
           io_rename(io, dir, m->draft, m->file, 0) == 0;
    if (!good)
        (void)io_unlink(io, dir, m->draft);
    return good;
}

/* A new file in the place of the one there, if there is one. */
static bool replace(Files *f, const Stream *st, const Mirror *m, int dir)
{
    const Io *io = f->base.io;
    (void)io_unlink(io, dir, m->draft); /* a dead writer's: we hold the stream's lock */
    AUTO(Fd) fd = io_open(io, dir, m->draft, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return false;
    Making k = { .io = io, .fd = fd, .form = m->form, .text = { .max = 2 * (size_t)FILE_MAX } };
    bool good = each_record(f, st, is_snapshot(m->form) ? st->head.seq : 0, make_next, &k, NULL) ==
                    JOT_OK &&
                flush(&k) == 0;
    buf_free(&k.text);
    return settle(f, st, m, dir, fd, good);
}

/* Keep what a person made of it; false if there is something in the way that stays. */
static bool keep_edit(Files *f, const Stream *st, const Mirror *m, int dir)
{
    struct stat info;
    Shown shown;
    if (io_stat(f->base.io, dir, m->file, &info) == 0 && S_ISDIR(info.st_mode))
        return false;
    if (quarantine_move(f, st->paths->name, dir, m->file, false, NULL) != JOT_OK)
        return false;
    store_met(&f->base, &f->base.report.restored,
              "an edit of '%.60s/%.60s' was put into quarantine/: that file only shows '%s'",
              m->dir, m->file, err_show(&shown, st->paths->name));
    return true;
}

/* Compare it with the stream and make it again if it is something else. */
static bool remake(Files *f, const Stream *st, const Mirror *m)
{
    const Io *io = f->base.io;
    bool live = mark_live(&st->head);
    MirrorState state;
    AUTO(Fd) dir = pad_open_dir(f, m->dir, live);
    if (dir < 0)
        return io_missing(dir) && !live;
    if (mirror_judge(f, st, m, &state, NULL) != JOT_OK)
        return false;
    if (state == MIRROR_EDITED && !MUTANT(DROP_MIRROR_EDIT) && !keep_edit(f, st, m, dir))
        return false;
    if (!live) {
        int gone = io_unlink(io, dir, m->file);
        return gone == 0 || gone == -ENOENT;
    }
    return replace(f, st, m, dir);
}

bool mirror_begin(Files *f, const Stream *st)
{
    Mirror all[MIRRORS_MAX];
    bool good = true;
    assert(st->locked);
    size_t n = mirrors_of(f, st->paths->name, all);
    for (size_t i = 0; i < n; i++) {
        struct stat info;
        char path[FILES_PATH_MAX + MIRROR_NAME_MAX + 1];
        snprintf(path, sizeof path, "%s/%s", all[i].dir, all[i].file);
        int got = io_stat_path(f->base.io, f->root, path, &info);
        bool fits = got == 0 ? f->checked && stamped(&info, &st->head)
                             : io_missing(got) && !mark_live(&st->head);
        good = (fits || remake(f, st, &all[i])) && good;
    }
    return good && n;
}

/* --- After a commit ------------------------------------------------------------------- */

static void add_lines(Files *f, const Stream *st, const Mirror *m, const Mark *before,
                      const Record *records, size_t n)
{
    const Io *io = f->base.io;
    struct stat info;
    AUTO(Fd) dir = pad_open_dir(f, m->dir, false);
    AUTO(Fd) fd = dir < 0 ? dir : io_open(io, dir, m->file, O_WRONLY | O_APPEND | O_NONBLOCK, 0);
    if (fd < 0 || io_fstat(io, fd, &info) < 0 || !stamped(&info, before))
        return; /* somebody was there: the next write compares */
    Making k = { .io = io, .fd = fd, .form = m->form, .text = { .max = 4 * (size_t)FILE_MAX } };
    for (size_t i = 0; i < n; i++)
        show(&k.text, m->form, &records[i]);
    if (flush(&k) == 0)
        (void)io_set_mtime(io, fd, stamp(&st->head));
    buf_free(&k.text);
}

static void add_snapshot(Files *f, const Stream *st, const Mirror *m, const Mark *before)
{
    struct stat info;
    AUTO(Fd) dir = pad_open_dir(f, m->dir, false);
    if (dir >= 0 && io_stat(f->base.io, dir, m->file, &info) == 0 && stamped(&info, before))
        (void)replace(f, st, m, dir);
}

void mirror_add(Files *f, const Stream *st, const Mark *before, const Record *records, size_t n)
{
    Mirror all[MIRRORS_MAX];
    assert(st->locked && n && st->head.seq == records[n - 1].mark.seq);
    size_t count = mirrors_of(f, st->paths->name, all);
    for (size_t i = 0; i < count; i++) {
        if (!mark_live(before) || !mark_live(&st->head))
            (void)remake(f, st, &all[i]); /* it comes or goes */
        else if (is_snapshot(all[i].form))
            add_snapshot(f, st, &all[i], before);
        else
            add_lines(f, st, &all[i], before, records, n);
    }
}

/* --- Forgetting ------------------------------------------------------------------------ */

static int take_away(Files *f, int dir, const char *name)
{
    int got = io_unlink(f->base.io, dir, name);
    return got == -ENOENT || got == -EISDIR ? 0 : got;
}

static jot_status cannot_remove(Str stream, int got, Err *e)
{
    Shown shown;
    return err_errno(e, -got, "could not remove a file that shows '%s'", err_show(&shown, stream));
}

/* What the pad showed of it in format 1, where the process that raised it was interrupted
 * (raise.c). */
static jot_status withdraw_old_view(Files *f, Str stream, Err *e)
{
    Paths old = paths_in(RECORD_STRINGS, stream);
    if (!old.viewed || paths_of(f, stream).viewed)
        return JOT_OK;
    AUTO(Fd) dir = pad_open_dir(f, old.view_dir, false);
    if (io_missing(dir))
        return JOT_OK;
    int got = dir < 0 ? dir : take_away(f, dir, old.view);
    if (got == 0)
        got = take_away(f, dir, old.draft);
    if (got == 0)
        got = io_fsync(f->base.io, dir);
    return got < 0 ? cannot_remove(stream, got, e) : JOT_OK;
}

jot_status mirror_withdraw(Files *f, Str stream, Err *e)
{
    Mirror all[MIRRORS_MAX];
    size_t n = mirrors_of(f, stream, all);
    for (size_t i = 0; i < n; i++) {
        AUTO(Fd) dir = pad_open_dir(f, all[i].dir, false);
        if (io_missing(dir))
            continue;
        int got = dir < 0 ? dir : take_away(f, dir, all[i].file);
        if (got == 0)
            got = take_away(f, dir, all[i].draft);
        /* One that came back after a power loss would show what is gone. */
        if (got == 0 && !MUTANT(MIRROR_UNSYNCED))
            got = io_fsync(f->base.io, dir);
        if (got < 0)
            return cannot_remove(stream, got, e);
    }
    return withdraw_old_view(f, stream, e);
}
