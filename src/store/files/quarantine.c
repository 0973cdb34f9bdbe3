/* quarantine.c - what was quarantined rather than lost.
 *
 * quarantine/<16 hex of the stream's hash>-<8 random hex>[.late] holds bytes
 * that had no place: an unfinished record, a draft of a dead writer, a file
 * that an editor still had open when its text was replaced (.late).  Beside it
 * lies the same name with .stream, which holds the stream's name.
 *
 * Nothing here is ever read back by itself.  A late file that turns out to hold
 * a known version is removed at the next open; otherwise it stays for a person, until a text it
 * holds is to be forgotten. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>

#include "base/id.h"
#include "base/mutant.h"
#include "store/files/files.h"

#define DIRECTORY "quarantine"
#define LATE ".late"
#define NAME_FILE ".stream"

enum { MARK_HEX = 16 };

typedef struct Spot {
    char name[64];
} Spot;

static Spot spot_for(Files *f, Str stream, bool late)
{
    Spot spot;
    snprintf(spot.name, sizeof spot.name, "%.*s-%s%s", MARK_HEX, hash_hex(hash_of(stream)).text,
             id_random(f->base.io, 4).text, late ? LATE : "");
    return spot;
}

static int open_new(Files *f, int dir, const char *name)
{
    return io_open(f->base.io, dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

/* What is quarantined is about to go elsewhere: it must be safe here first. */
static int sync_directory(Files *f, int dir)
{
    int got = io_fsync(f->base.io, dir);
    return got < 0 ? got : io_fsync(f->base.io, f->root);
}

static int write_name(Files *f, int dir, const Spot *spot, Str stream)
{
    char name[sizeof spot->name + sizeof NAME_FILE];
    snprintf(name, sizeof name, "%s" NAME_FILE, spot->name);
    AUTO(Fd) fd = open_new(f, dir, name);
    int got = fd < 0 ? fd : io_write_all(f->base.io, fd, stream);
    return got < 0 ? got : io_fsync(f->base.io, fd);
}

static jot_status report(Files *f, Str stream, int got, Err *e)
{
    Shown shown;
    const char *name = err_show(&shown, stream);
    if (got < 0)
        return err_errno(e, -got, "could not put something of '%s' aside", name);
    store_met(&f->base, &f->base.report.quarantined, "something of '%s' was put into quarantine/",
              name);
    return JOT_OK;
}

jot_status quarantine_move(Files *f, Str stream, int dir, const char *name, bool late, Err *e)
{
    AUTO(Fd) to = pad_open_dir(f, DIRECTORY, true);
    Spot spot = spot_for(f, stream, late);
    int got = to < 0 ? to : write_name(f, to, &spot, stream);
    if (got == 0)
        got = io_move(f->base.io, dir, name, to, spot.name, RENAME_NOREPLACE);
    if (got == 0)
        got = sync_directory(f, to);
    return report(f, stream, got, e);
}

jot_status quarantine_copy(Files *f, Str stream, int fd, off_t at, off_t end, Err *e)
{
    AUTO(Fd) to = pad_open_dir(f, DIRECTORY, true);
    Spot spot = spot_for(f, stream, false);
    int got = to < 0 ? to : write_name(f, to, &spot, stream);
    AUTO(Fd) kept = got < 0 ? FD_NONE : open_new(f, to, spot.name);
    if (got == 0)
        got = kept < 0 ? kept : copy_range(f->base.io, fd, kept, at, end);
    if (got == 0)
        got = io_fsync(f->base.io, kept);
    if (got == 0)
        got = sync_directory(f, to);
    return report(f, stream, got, e);
}

jot_status quarantine_purge(Files *f, Str stream, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) dir = pad_open_dir(f, DIRECTORY, false);
    if (dir == -ENOENT)
        return JOT_OK;
    Names names;
    TRY(list_directory(f, DIRECTORY, &arena, &names, e));
    Str mark = arena_printf(&arena, "%.*s-", MARK_HEX, hash_hex(hash_of(stream)).text);
    for (size_t i = 0; i < names.n; i++) {
        if (!str_starts(names.items[i], mark))
            continue;
        if (str_ends(names.items[i], S("/")))
            return err_set(e, JOT_DENIED,
                           "quarantine/" STR_FMT " is a directory somebody planted: remove it",
                           STR_ARG(names.items[i]));
        int got = io_unlink(f->base.io, dir, arena_cstr(&arena, names.items[i]));
        if (got < 0 && got != -ENOENT)
            return err_errno(e, -got, "could not purge quarantine/");
    }
    int got = dir < 0 || MUTANT(QUARANTINE_UNSYNCED) ? dir : io_fsync(f->base.io, dir);
    return got < 0 ? err_errno(e, -got, "could not purge quarantine/") : JOT_OK;
}

/* All of a file; false if it is none that can be read.  *busy if somebody may still write to it. */
static bool read_whole(Files *f, int dir, const char *name, Arena *into, Str *out, bool *busy)
{
    AUTO(Fd) fd = io_open(f->base.io, dir, name, O_RDONLY | O_NONBLOCK, 0);
    struct stat info;
    *busy = fd >= 0 && io_written_elsewhere(f->base.io, fd, false);
    if (fd < 0 || io_fstat(f->base.io, fd, &info) < 0 || !S_ISREG(info.st_mode) ||
        info.st_size > STORE_BODY_MAX)
        return false;
    char *room = arena_alloc(into, (size_t)info.st_size + 1, 1);
    ssize_t got = io_read_all(f->base.io, fd, room, (size_t)info.st_size, 0);
    *out = (Str){ room, got < 0 ? 0 : (size_t)got };
    return got >= 0;
}

static int remove_item(Files *f, int dir, Str item)
{
    AUTO(Arena) arena = { 0 };
    int got = io_unlink(f->base.io, dir, arena_cstr(&arena, item));
    if (got < 0 && got != -ENOENT)
        return got;
    got = io_unlink(f->base.io, dir, arena_printf(&arena, STR_FMT NAME_FILE, STR_ARG(item)).p);
    return got == -ENOENT ? 0 : got;
}

jot_status quarantine_forget(Store *s, Str stream, bool (*holds)(void *ctx, Str text), void *ctx,
                             QuarantineCount *out, Err *e)
{
    Files *f = (Files *)s;
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) dir = pad_open_dir(f, DIRECTORY, false);
    if (dir == -ENOENT)
        return JOT_OK;
    Names names;
    TRY(list_directory(f, DIRECTORY, &arena, &names, e));
    Str mark = arena_printf(&arena, "%.*s-", MARK_HEX, hash_hex(hash_of(stream)).text);
    int got = dir;
    for (size_t i = 0; got >= 0 && i < names.n; i++) {
        AUTO(Arena) one = { 0 };
        Str text;
        bool busy;
        if (str_ends(names.items[i], S(NAME_FILE)) ||
            (stream.n && !str_starts(names.items[i], mark)))
            continue;
        if (!read_whole(f, dir, arena_cstr(&one, names.items[i]), &one, &text, &busy)) {
            out->unread++;
        } else if (holds(ctx, text)) {
            got = remove_item(f, dir, names.items[i]);
            out->removed += got == 0;
        }
    }
    if (got >= 0 && out->removed && !MUTANT(QUARANTINE_UNSYNCED))
        got = io_fsync(f->base.io, dir);
    return got < 0 ? err_errno(e, -got, "could not remove what lies in quarantine/") : JOT_OK;
}

/* True if the stream has a version with this text. */
static bool is_version(Files *f, Str stream, Str text)
{
    Paths p = paths_of(f, stream);
    bool known = false;
    AUTO(Stream) st = { .fd = FD_NONE };
    return stream_look(f, &p, LOOK_ANY, RECORD_NO_BODY, &st, NULL) == JOT_OK &&
           stream_knows(f, &st, hash_of(text), &known, NULL) == JOT_OK && known;
}

/* One late file: if nobody writes to it any more, it can be judged. */
static void look_at(Files *f, int dir, Str item)
{
    AUTO(Arena) arena = { 0 };
    const char *name = arena_cstr(&arena, item);
    const char *name_file = arena_printf(&arena, STR_FMT NAME_FILE, STR_ARG(item)).p;
    bool busy = false, ignore = false;
    Str text = { 0 }, stream = { 0 };
    bool read = read_whole(f, dir, name, &arena, &text, &busy);
    if (busy || !read_whole(f, dir, name_file, &arena, &stream, &ignore) ||
        store_check_name(stream, NULL) != JOT_OK)
        return;
    Shown shown;
    if (read && is_version(f, stream, text)) {
        (void)io_unlink(f->base.io, dir, name);
        (void)io_unlink(f->base.io, dir, name_file);
    } else {
        store_met(&f->base, &f->base.report.quarantined, "a late edit of '%s' lies in quarantine/",
                  err_show(&shown, stream));
    }
}

void quarantine_look(Files *f)
{
    AUTO(Fd) dir = pad_open_dir(f, DIRECTORY, false);
    AUTO(Arena) arena = { 0 };
    Names names;
    if (dir < 0 || list_directory(f, DIRECTORY, &arena, &names, NULL) != JOT_OK)
        return;
    for (size_t i = 0; i < names.n; i++)
        if (str_ends(names.items[i], S(LATE)))
            look_at(f, dir, names.items[i]);
}
