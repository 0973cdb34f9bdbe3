/* mend.c - repairing what no single write would touch.
 *
 * A stream file that git merged holds two histories.  The first one is kept:
 * each record that continues the one kept before it.  The whole file is put into
 * quarantine/ before, so nothing is lost, and if the view shows a text of the
 * other side, that is found to be an edit and becomes the next version.
 *
 * After a crash that the boot id does not tell of (a pad that was copied from a
 * machine that went down), the record that this boot was checked is taken away,
 * and every view is compared as after a reboot. */
#include <errno.h>
#include <string.h>

#include "store/files/files.h"
#include "store/files/mirror.h"
#include "store/files/raise.h"

/* --- Two histories ----------------------------------------------------------------------- */

static bool is_marker(Str line)
{
    return str_starts(line, S("<<<<<<< ")) || str_starts(line, S(">>>>>>> ")) ||
           str_eq(line, S("=======\n"));
}

static void keep(Fork *fork, size_t *cap, Arena *into, off_t from, off_t to)
{
    if (fork->kept_n && fork->kept[fork->kept_n - 1].to == from) {
        fork->kept[fork->kept_n - 1].to = to;
        return;
    }
    fork->kept = arena_grow(into, fork->kept, fork->kept_n, cap, sizeof(Piece), alignof(Piece));
    fork->kept[fork->kept_n++] = (Piece){ from, to, { 0 } };
}

jot_status fork_find(Files *f, const Stream *st, Arena *into, Fork *out, bool *forked, Err *e)
{
    AUTO(Lines) lines;
    Mark last = { 0 };
    size_t cap = 0;
    *out = (Fork){ 0 };
    lines_init(&lines, f->base.io, st->fd, 0, st->size);
    lines.open = st->open;
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Record r;
        Str line;
        off_t at;
        Shown shown;
        int got = lines_next(&lines, &line, &at);
        if (got < 0)
            return err_errno(e, -got, "could not read '%s'", err_show(&shown, st->paths->name));
        if (line.n == 0)
            break;
        off_t end = at + (off_t)line.n;
        out->markers = out->markers || is_marker(line);
        if (record_read(line, RECORD_NO_BODY, &arena, &r, NULL) != JOT_OK) {
            if (!is_marker(line))
                keep(out, &cap, into, at, end); /* damage keeps its place */
            continue;
        }
        bool again = last.seq && r.mark.seq <= last.seq;
        out->twice += again;
        bool fits = !last.seq || r.mark.seq != last.seq + 1 ||
                    hash_eq(r.mark.chain, record_chain(last.chain, st->paths->name, &r));
        if (again || !fits)
            continue;
        keep(out, &cap, into, at, end);
        last = r.mark;
    }
    *forked = out->markers || out->twice;
    return JOT_OK;
}

static jot_status mend_fork(Files *f, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Paths p = paths_of(f, stream);
    AUTO(Stream) st = { .fd = FD_NONE };
    Fork fork;
    bool forked = false;
    TRY(stream_take(f, &p, false, &st, e));
    TRY(fork_find(f, &st, &arena, &fork, &forked, e));
    if (!forked)
        return JOT_OK;
    TRY(quarantine_copy(f, stream, st.fd, 0, st.size, e));
    TRY(mirror_withdraw(f, stream, e));
    TRY(recent_add(f, stream, e));
    jot_status done = stream_replace(f, &st, fork.kept, fork.kept_n, e);
    recent_done(f);
    TRY(done);
    Shown shown;
    store_met(&f->base, &f->base.report.restored, "the first of two histories of '%s' was kept",
              err_show(&shown, stream));
    return stream_find_head(f, &st, st.size, RECORD_ALL, e);
}

typedef struct Mending {
    Files *f;
    Err *e;
} Mending;

/* The stream whose file this is; false if it is nobody's. */
static bool stream_at(const char *dir, const char *name, Buf *to)
{
    AUTO(Arena) arena = { 0 };
    return stream_of_path(arena_printf(&arena, "%s/%s", dir, name), to);
}

static jot_status look_for_fork(void *ctx, const char *dir, const char *name)
{
    const Mending *m = ctx;
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) stream = { 0 };
    if (!stream_at(dir, name, &stream))
        return JOT_OK;
    Paths p = paths_of(m->f, buf_str(&stream));
    AUTO(Stream) st = { .fd = FD_NONE };
    Fork fork;
    bool forked = false;
    if (stream_look(m->f, &p, LOOK_ANY, RECORD_NO_BODY, &st, NULL) != JOT_OK ||
        fork_find(m->f, &st, &arena, &fork, &forked, NULL) != JOT_OK || !forked)
        return JOT_OK;
    return mend_fork(m->f, p.name, m->e);
}

/* --- Unfinished records ------------------------------------------------------------------ */

/* Anyone who takes a stream puts its unfinished record aside. */
static jot_status settle_end(void *ctx, const char *dir, const char *name)
{
    const Mending *m = ctx;
    AUTO(Buf) stream = { 0 };
    if (!stream_at(dir, name, &stream))
        return JOT_OK;
    Paths p = paths_of(m->f, buf_str(&stream));
    AUTO(Stream) seen = { .fd = FD_NONE };
    AUTO(Stream) taken = { .fd = FD_NONE };
    struct stat info;
    Err why = { 0 };
    jot_status looked = stream_look(m->f, &p, LOOK_ANY, RECORD_NO_BODY, &seen, &why);
    if (looked == JOT_IO || looked == JOT_UNAVAILABLE)
        return err_pass(m->e, &why, looked);
    if (looked != JOT_OK && looked != JOT_NOT_FOUND)
        return JOT_OK; /* reported when it is read */
    int got = looked == JOT_OK ? io_fstat(m->f->base.io, seen.fd, &info) : 0;
    if (got < 0)
        return err_errno(m->e, -got, "could not look at a stream");
    if (looked == JOT_OK && info.st_size <= seen.size)
        return JOT_OK; /* whole */
    int busy = looked == JOT_OK ? stream_busy(m->f, &p) : 0;
    if (busy < 0)
        return err_errno(m->e, -busy, "could not look at a stream");
    if (busy)
        return JOT_OK; /* its writer lives */
    pad_begin_wait(m->f);
    jot_status st = stream_take(m->f, &p, false, &taken, m->e);
    return st == JOT_NOT_FOUND ? JOT_OK : st; /* it has gone meanwhile */
}

jot_status files_settle(Store *s, Err *e)
{
    Mending m = { (Files *)s, e };
    pad_begin_wait(m.f);
    TRY(pad_check_there(m.f, e));
    TRY(walk_files(m.f, "streams", false, settle_end, &m, e));
    return walk_files(m.f, "runs", false, settle_end, &m, e);
}

/* --- The pad ----------------------------------------------------------------------------- */

/* Compare every view with its stream, as the first write after a reboot does. */
static jot_status compare_all(Files *f, Err *e)
{
    char before[sizeof f->check_after];
    do {
        memcpy(before, f->check_after, sizeof before);
        pad_begin_wait(f);
        TRY(recover_pad(f, e));
    } while (!f->checked && strcmp(before, f->check_after) != 0);
    if (!f->checked)
        return err_set(e, JOT_UNAVAILABLE,
                       "some streams are being written: try again when nobody writes");
    return JOT_OK;
}

jot_status files_mend(Store *s, const MendOptions *o, Err *e)
{
    Files *f = (Files *)s;
    Mending m = { f, e };
    pad_begin_wait(f);
    TRY(pad_check_there(f, e));
    TRY(pad_boot(f, e));
    TRY(walk_files(f, "streams", false, look_for_fork, &m, e));
    TRY(walk_files(f, "runs", false, look_for_fork, &m, e));
    TRY(raise_drop_views(f, e));
    if (o->after_crash) {
        static const char *const told[] = { "checked", ".checking" };
        for (size_t i = 0; i < COUNT_OF(told); i++) {
            int got = io_unlink(f->base.io, f->root, told[i]);
            if (got < 0 && got != -ENOENT)
                return err_errno(e, -got, "could not forget that this boot was checked");
        }
        f->checked = false;
        f->check_after[0] = 0;
    }
    return f->checked || pad_read_checked(f) ? JOT_OK : compare_all(f, e);
}
