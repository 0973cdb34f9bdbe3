/* pad.c - making, opening and closing a pad.
 *
 * A pad is a directory with a file `format`: "jotter READ WRITE".  A program
 * that knows less than READ refuses the pad; one that knows less than WRITE
 * opens it read-only.  Every handle holds a shared lock on `format`; whoever
 * changes the format will hold it exclusively.
 *
 * `format` is made first, whole and durable, so a directory either is a pad or
 * it is not.  A directory that has streams/ but no `format` was damaged: it is
 * never taken for a new pad.  An open that fails for any other reason than
 * "there is nothing" never creates anything. */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/id.h"
#include "base/lock.h"
#include "base/mutant.h"
#include "store/files/files.h"

#define FORMAT "format"
#define FORMAT_DRAFT ".format."
#define CHECKED "checked"
#define PROGRESS ".checking"

enum { DRAFT_TRIES = 16, DRAFT_HEX = 16 };

/* What is not for merging when a pad is kept in git. */
static const char ignore_text[] = "# Not content: what Jotter derives, and its history.\n"
                                  "/streams/\n/runs/\n/quarantine/\n/format\n/checked\n/recent\n"
                                  "/index.sqlite*\n/.checking\n.*.new\n";

/* --- Directories ----------------------------------------------------------------------- */

int pad_open_dir(Files *f, const char *path, bool make)
{
    const Io *io = f->base.io;
    int flags = O_RDONLY | O_DIRECTORY;
    int fd = io_open(io, f->root, path, flags, 0);
    if (fd != -ENOENT || !make)
        return fd;
    AUTO(Fd) at = io_open(io, f->root, ".", flags, 0);
    char segment[FILES_NAME_MAX];
    for (Str rest = str(path); at >= 0 && rest.n;) {
        Str head = rest;
        if (!str_cut(&rest, '/', &head))
            rest = (Str){ 0 };
        snprintf(segment, sizeof segment, STR_FMT, STR_ARG(head));
        int made = io_mkdir(io, at, segment);
        if (made < 0 && made != -EEXIST)
            return made;
        int below = io_open(io, at, segment, flags, 0);
        fd_close(&at);
        at = below;
    }
    return fd_take(&at);
}

jot_status pad_sync_dirs(Files *f, const char *path, Err *e)
{
    char left[FILES_PATH_MAX];
    snprintf(left, sizeof left, "%s", path);
    for (;;) {
        AUTO(Fd) dir = pad_open_dir(f, left[0] ? left : ".", false);
        int got = dir < 0 ? dir : io_fsync(f->base.io, dir);
        if (got < 0)
            return err_errno(e, -got, "could not make a new name durable");
        if (!left[0])
            return JOT_OK;
        char *slash = strrchr(left, '/');
        *(slash ? slash : left) = 0;
    }
}

jot_status pad_check_there(Files *f, Err *e)
{
    struct stat info;
    int got = io_fstat(f->base.io, f->root, &info);
    if (got < 0)
        return err_errno(e, -got, "could not look at the pad");
    return info.st_nlink ? JOT_OK : err_set(e, JOT_IO, "the pad's directory was removed");
}

void pad_begin_wait(Files *f)
{
    f->until_ms = io_awake_ms(f->base.io) + f->base.wait_ms;
}

int64_t pad_wait_left(const Files *f)
{
    int64_t left = f->until_ms - io_awake_ms(f->base.io);
    return left > 0 ? left : 0;
}

jot_status pad_stop_writing(Files *f, Err *e, const char *why)
{
    snprintf(f->base.read_only_why, sizeof f->base.read_only_why, "%s", why);
    return store_refuse_write(&f->base, e);
}

/* --- Small files of the pad ------------------------------------------------------------ */

/* Up to `size` - 1 bytes of a file at the top of the pad; -errno on failure. */
static int read_small(Files *f, const char *name, char *to, size_t size)
{
    AUTO(Fd) fd = io_open(f->base.io, f->root, name, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    ssize_t got = io_read_all(f->base.io, fd, to, size - 1, 0);
    if (got >= 0)
        to[got] = 0;
    return got < 0 ? (int)got : 0;
}

/* Lock a new draft: whoever can take the lock knows that its maker is dead.  False if a sweep took
 * it for such a one before we could. */
static bool keep_draft(Files *f, int fd)
{
    struct stat info;
    if (io_lock(f->base.io, fd, F_WRLCK, LOCK_DRAFT) == -EAGAIN)
        return false;
    return io_fstat(f->base.io, fd, &info) < 0 || info.st_nlink > 0;
}

int pad_open_draft(Files *f, const char *name, char draft[FILES_NAME_MAX])
{
    for (int i = 0; i < DRAFT_TRIES; i++) {
        snprintf(draft, FILES_NAME_MAX, ".%.20s.%.*s", name[0] == '.' ? name + 1 : name, DRAFT_HEX,
                 id_random(f->base.io, DRAFT_HEX / 2).text);
        AUTO(Fd) fd = io_open(f->base.io, f->root, draft, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0 && fd != -EEXIST)
            return fd;
        if (fd >= 0 && keep_draft(f, fd))
            return fd_take(&fd);
    }
    return -EAGAIN;
}

/* Is it a name that pad_open_draft makes? */
static bool is_draft(Str name)
{
    static const char *const names[] = { FORMAT, CHECKED, "recent", "gitignore", "checking" };
    bool draft = false;
    for (size_t i = 0; i < COUNT_OF(names) && name.n > 1; i++)
        draft = draft || (str_starts(str_from(name, 1), str(names[i])) &&
                          name.n == strlen(names[i]) + 2 + DRAFT_HEX);
    for (size_t i = name.n - DRAFT_HEX; draft && i < name.n; i++)
        draft = strchr("0123456789abcdef", name.p[i]) != NULL;
    return draft && name.p[0] == '.' && name.p[name.n - DRAFT_HEX - 1] == '.';
}

void pad_sweep(Files *f)
{
    const Io *io = f->base.io;
    AUTO(Fd) root = pad_open_dir(f, ".", false);
    DIR *dir = root < 0 ? NULL : fdopendir(root);
    if (!dir)
        return;
    (void)fd_take(&root); /* closedir closes it */
    for (struct dirent *d; (d = readdir(dir)) != NULL;) {
        if (!is_draft(str(d->d_name)))
            continue;
        AUTO(Fd) fd = io_open(io, f->root, d->d_name, O_RDWR | O_NONBLOCK, 0);
        if (fd >= 0 && io_lock(io, fd, F_WRLCK, LOCK_DRAFT) == 0)
            (void)io_unlink(io, f->root, d->d_name);
    }
    closedir(dir);
}

typedef enum HowToPlace { PLACE_IF_MISSING, PLACE_OVER } HowToPlace;

/* Give the pad a small file in one step.  -EEXIST if it was there and stays. */
static int place_small(Files *f, const char *name, Str text, bool durable, HowToPlace how)
{
    const Io *io = f->base.io;
    char draft[FILES_NAME_MAX];
    AUTO(Fd) fd = pad_open_draft(f, name, draft);
    if (fd < 0)
        return fd;
    int got = io_write_all(io, fd, text);
    if (got == 0 && durable)
        got = io_fsync(io, fd);
    if (got == 0)
        got = io_rename(io, f->root, draft, name, how == PLACE_OVER ? 0 : RENAME_NOREPLACE);
    if (got < 0) {
        (void)io_unlink(io, f->root, draft);
        return got;
    }
    return durable ? io_fsync(io, f->root) : 0;
}

void pad_write_checked(Files *f)
{
    f->checked = true;
    if (!f->boot[0] || place_small(f, CHECKED, str(f->boot), false, PLACE_OVER) < 0)
        return;
    if (f->check_shared)
        (void)io_unlink(f->base.io, f->root, PROGRESS);
}

bool pad_read_checked(Files *f)
{
    char text[40] = "";
    if (f->boot[0] && read_small(f, CHECKED, text, sizeof text) == 0)
        f->checked = strcmp(text, f->boot) == 0 || MUTANT(TRUST_EVERY_BOOT);
    return f->checked;
}

void pad_write_progress(Files *f)
{
    AUTO(Arena) arena = { 0 };
    if (!f->boot[0] || f->check_missed)
        return;
    Str text = arena_printf(&arena, "%s %s", f->boot, f->check_after);
    f->check_shared = place_small(f, PROGRESS, text, false, PLACE_OVER) == 0;
}

void pad_read_progress(Files *f)
{
    char text[sizeof f->boot + sizeof f->check_after] = "";
    if (!f->boot[0] || f->check_missed || read_small(f, PROGRESS, text, sizeof text) < 0)
        return;
    f->check_shared = true;
    Str rest = str(text), boot;
    bool ours = str_cut(&rest, ' ', &boot) && str_eq(boot, str(f->boot)) &&
                store_check_name(rest, NULL) == JOT_OK;
    if (ours && str_cmp(rest, str(f->check_after)) > 0)
        memcpy(f->check_after, rest.p, rest.n + 1);
}

/* --- Making a pad ---------------------------------------------------------------------- */

/* A directory may become a pad if it is empty or holds only what a pad may hold. */
static jot_status check_foreign(Files *f, Err *e)
{
    static const char *const own[] = { "notes/", "memories/", "artifacts/", "cycles/" };
    AUTO(Arena) arena = { 0 };
    Names names;
    TRY(list_directory(f, ".", &arena, &names, e));
    for (size_t i = 0; i < names.n; i++)
        if (str_eq(names.items[i], S("streams/")))
            return err_set(e, JOT_CORRUPT,
                           "this pad has lost its file '" FORMAT "': restore it ('jotter %d %d')",
                           FILES_READ_FORMAT, FILES_WRITE_FORMAT);
    for (size_t i = 0; i < names.n; i++) {
        bool known = false;
        for (size_t k = 0; k < COUNT_OF(own); k++)
            known = known || str_eq(names.items[i], str(own[k]));
        Shown shown;
        if (!known)
            return err_set(e, JOT_INVALID,
                           "the directory is not a pad and holds '%s': choose an empty one",
                           err_show(&shown, names.items[i]));
    }
    return JOT_OK;
}

/* The same, unless somebody else has made it a pad since we looked for one. */
static jot_status check_no_pad(Files *f, Err *e)
{
    Err why = { 0 };
    struct stat info;
    if (check_foreign(f, &why) == JOT_OK || io_stat(f->base.io, f->root, FORMAT, &info) == 0)
        return JOT_OK;
    if (e)
        *e = why;
    return why.status;
}

/* Does the file system tell `a` from `A`? */
static bool probe_folding(Files *f)
{
    const Io *io = f->base.io;
    char low[40], high[40];
    Id id = id_random(io, 8);
    snprintf(low, sizeof low, FORMAT_DRAFT "a%.16s", id.text);
    snprintf(high, sizeof high, FORMAT_DRAFT "A%.16s", id.text);
    AUTO(Fd) fd = io_open(io, f->root, low, O_WRONLY | O_CREAT | O_EXCL, 0600);
    struct stat info;
    bool folds = fd >= 0 && io_stat(io, f->root, high, &info) == 0;
    if (fd >= 0)
        (void)io_unlink(io, f->root, low);
    return folds;
}

static jot_status make_pad(Files *f, Err *e)
{
    TRY(check_no_pad(f, e));
    char text[64];
    snprintf(text, sizeof text, "jotter %d %d%s\n", FILES_READ_FORMAT, FILES_WRITE_FORMAT,
             probe_folding(f) ? " casefold" : "");
    int got = place_small(f, FORMAT, str(text), true, PLACE_IF_MISSING);
    if (got < 0 && got != -EEXIST)
        return err_errno(e, -got, "could not make a pad");
    got = place_small(f, ".gitignore", str(ignore_text), false, PLACE_IF_MISSING);
    if (got < 0 && got != -EEXIST)
        return err_errno(e, -got, "could not make a pad");
    AUTO(Fd) notes = pad_open_dir(f, "notes", true);
    return notes < 0 ? err_errno(e, -notes, "could not make a pad") : JOT_OK;
}

/* Make one directory, with its name durable.  -EEXIST if it is there. */
static int make_directory(const Io *io, const char *path)
{
    AUTO(Arena) arena = { 0 };
    struct stat info;
    if (stat(path, &info) == 0)
        return -EEXIST; /* also where we may pass but not read */
    const char *name = strrchr(path, '/');
    Str above = name == path ? S("/") : name ? (Str){ path, (size_t)(name - path) } : S(".");
    AUTO(Fd) dir = io_open_root(io, arena_cstr(&arena, above));
    int got = dir < 0 ? dir : io_mkdir(io, dir, name ? name + 1 : path);
    return got < 0 ? got : io_fsync(io, dir);
}

/* Make the directory itself, and those above it. */
static jot_status make_root(const Io *io, const char *path, Err *e)
{
    AUTO(Arena) arena = { 0 };
    char *at = arena_cstr(&arena, str(path));
    for (size_t n = strlen(at); n > 1 && at[n - 1] == '/'; n--)
        at[n - 1] = 0;
    for (char *slash = strchr(at + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = 0;
        int got = make_directory(io, at);
        if (got < 0 && got != -EEXIST)
            return err_errno(e, -got, "could not make the pad's directory");
        if (!slash)
            return JOT_OK;
        *slash = '/';
    }
}

/* The directory may be new although we did not make it.  One that we may not read was there. */
static jot_status sync_above(const Io *io, const char *path, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Fd) above = io_open_root(io, arena_printf(&arena, "%s/..", path).p);
    int got = above < 0 ? above : io_fsync(io, above);
    if (got < 0 && got != -EACCES)
        return err_errno(e, -got, "could not make the pad's name durable");
    return JOT_OK;
}

/* --- Opening --------------------------------------------------------------------------- */

static jot_status read_format(Files *f, Err *e)
{
    char text[64];
    int got = read_small(f, FORMAT, text, sizeof text);
    if (got < 0)
        return err_errno(e, -got, "could not read the pad's format");
    int read = 0, write = 0, used = 0;
    bool good =
        sscanf(text, "jotter %9d %9d%n", &read, &write, &used) == 2 && read > 0 && write > 0;
    Str rest = str(text + used);
    f->folds = str_starts(rest, S(" casefold"));
    rest = str_from(rest, f->folds ? strlen(" casefold") : 0);
    /* A newer version may say more. */
    good = good && (write > FILES_WRITE_FORMAT || rest.n == 0 || str_eq(rest, S("\n")));
    if (!good)
        return err_set(e, JOT_CORRUPT,
                       "the pad's format cannot be read: it should say 'jotter %d %d'",
                       FILES_READ_FORMAT, FILES_WRITE_FORMAT);
    if (read > FILES_READ_FORMAT)
        return err_set(e, JOT_UNSUPPORTED,
                       "this pad has format %d; this version of Jotter reads up to %d", read,
                       FILES_READ_FORMAT);
    if (write > FILES_WRITE_FORMAT)
        pad_stop_writing(f, NULL, "it was written by a newer version of Jotter");
    return JOT_OK;
}

/* Locks and exchanges of file systems shared between kernels are not what they seem. */
static bool shared_between_kernels(int fd)
{
    struct statfs info;
    if (fstatfs(fd, &info) != 0)
        return false;
    switch ((unsigned long)info.f_type) {
    case 0x6969:     /* NFS */
    case 0x517B:     /* SMB */
    case 0xFF534D42: /* CIFS */
    case 0xFE534D42: /* SMB2 */
    case 0x01021997: /* 9P */
    case 0x65735546: /* FUSE */
    case 0x00C36400: /* Ceph */
        return true;
    default:
        return false;
    }
}

/* Hold `format` as long as the handle lives. */
static jot_status hold_format(Files *f, Err *e)
{
    const Io *io = f->base.io;
    f->format = io_open(io, f->root, FORMAT, O_RDWR | O_NONBLOCK, 0);
    bool denied = f->format == -EACCES || f->format == -EPERM || f->format == -EROFS;
    if (denied) {
        const char *why = f->format == -EROFS ? "its file system is mounted read-only"
                                              : "its files may not be written";
        if (!f->base.read_only_why[0])
            pad_stop_writing(f, NULL, why);
        f->format = io_open(io, f->root, FORMAT, O_RDONLY | O_NONBLOCK, 0);
    }
    if (f->format < 0)
        return err_errno(e, -f->format, "could not open the pad");
    int got = lock_wait(io, f->format, F_RDLCK, LOCK_PAD, f->base.wait_ms);
    if (got == -EAGAIN)
        return err_set(e, JOT_UNAVAILABLE, "the pad is being brought to another format");
    return got < 0 ? err_errno(e, -got, "could not lock the pad") : JOT_OK;
}

static jot_status open_root(Files *f, const char *path, const StoreOptions *o, Err *e)
{
    const Io *io = f->base.io;
    f->root = io_open_root(io, path);
    if (f->root == -ENOENT && o->create && !o->read_only) {
        TRY(make_root(io, path, e));
        f->root = io_open_root(io, path);
    }
    if (f->root == -ENOENT)
        return err_set(e, JOT_NOT_FOUND, "there is no pad here");
    if (f->root == -ENOTDIR)
        return err_set(e, JOT_INVALID, "the pad's path is not a directory");
    return f->root < 0 ? err_errno(e, -f->root, "could not open the pad's directory") : JOT_OK;
}

static jot_status open_pad(Files *f, const char *path, const StoreOptions *o, bool shared_ok,
                           Err *e)
{
    const Io *io = f->base.io;
    TRY(open_root(f, path, o, e));
    struct stat info;
    int got = io_stat(io, f->root, FORMAT, &info);
    if (got == -ENOENT && o->create && !o->read_only) {
        TRY(sync_above(io, path, e));
        TRY(make_pad(f, e));
    } else if (got == -ENOENT) {
        TRY(check_no_pad(f, e));
        return err_set(e, JOT_NOT_FOUND, "there is no pad here");
    } else if (got < 0) {
        return err_errno(e, -got, "could not look at the pad");
    }
    TRY(hold_format(f, e));
    TRY(read_format(f, e));
    io_boot_id(io, f->boot);
    pad_read_checked(f);
    if (!shared_ok && !f->base.read_only_why[0] && shared_between_kernels(f->root))
        pad_stop_writing(f, NULL,
                         "other machines may share its file system (say ?shared=no if not)");
    if (!f->base.read_only_why[0])
        quarantine_look(f);
    return JOT_OK;
}

static jot_status read_params(const Url *url, bool *shared_ok, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str key, value;
    for (size_t at = 0; url_next_param(url, &at, &arena, &key, &value);) {
        Shown shown;
        if (!str_eq(key, S("shared")) || !str_eq(value, S("no")))
            return err_set(e, JOT_INVALID, "unknown parameter '%s': files: knows only shared=no",
                           err_show(&shown, key));
        *shared_ok = true;
    }
    return JOT_OK;
}

jot_status pad_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    bool shared_ok = false;
    TRY(read_params(url, &shared_ok, e));
    if (url->path.n == 0 || url->host.n || url->user.n)
        return err_set(e, JOT_INVALID, "files: takes the path of a directory, as in files:.jotter");
    Files *f = mem_alloc(sizeof *f);
    store_init(&f->base, &files_ops, o);
    f->root = f->format = FD_NONE;
    f->swaps = true;
    char *path = mem_alloc(url->path.n + 1);
    memcpy(path, url->path.p, url->path.n);
    jot_status st = open_pad(f, path, o, shared_ok, e);
    free(path);
    if (st != JOT_OK) {
        pad_close(&f->base);
        return st;
    }
    *out = &f->base;
    return JOT_OK;
}

void pad_close(Store *s)
{
    Files *f = (Files *)s;
    recent_close(f);
    list_close(f);
    fd_close(&f->format);
    fd_close(&f->root);
    free(f);
}

/* --- Being alive ----------------------------------------------------------------------- */

int pad_hold(Store *s, uint64_t number, bool hold)
{
    const Files *f = (const Files *)s;
    return io_lock(s->io, f->format, hold ? F_WRLCK : F_UNLCK, store_hold_byte(number));
}

bool pad_held(Store *s, uint64_t number)
{
    const Files *f = (const Files *)s;
    return io_locked(s->io, f->format, F_WRLCK, store_hold_byte(number));
}
