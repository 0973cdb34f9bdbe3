/* pad.c - making, opening and closing a pad.
 *
 * A pad is a directory with a file `format`: "jotter READ WRITE".  A program
 * that knows less than READ refuses the pad; one that knows less than WRITE
 * opens it read-only.  Every handle holds a shared lock on `format`; anyone who
 * changes the format holds it exclusively (raise.c).
 *
 * `format` is made first, whole and durable, so a directory either is a pad or
 * it is not; what git brought without it is one, too (clone.c).  A directory that
 * has streams/ but neither `format` nor what is kept of it was damaged: it is never taken for
 * a new pad.  An open that fails for any other reason than "there is nothing" never
 * creates anything. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/boot.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/mutant.h"
#include "store/files/files.h"

#define FORMAT "format"
#define FORMAT_DRAFT ".format."
#define CHECKED "checked"
#define PAD_ID "id"
#define PROGRESS ".checking"
#define NOTES_LINE "notes "

enum { DRAFT_TRIES = 16, DRAFT_HEX = 16, FORMAT_TRIES = 8 };

/* --- Directories ----------------------------------------------------------------------- */

int pad_open_dir(Files *f, const char *path, bool make)
{
    const Io *io = f->base.io;
    int flags = O_RDONLY | O_DIRECTORY;
    bool placed = notes_dir_has(f, path);
    int fd = placed ? notes_dir_open(f, path, flags) : io_open(io, f->root, path, flags, 0);
    if (fd != -ENOENT || !make)
        return fd;
    if (placed)
        return notes_dir_make_dir(f, path);
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

int pad_open_file(Files *f, const char *path)
{
    int flags = O_RDONLY | O_NONBLOCK; /* a FIFO planted here must not hold us */
    return notes_dir_has(f, path) ? notes_dir_open(f, path, flags)
                                  : io_open(f->base.io, f->root, path, flags, 0);
}

int pad_stat(Files *f, const char *path, struct stat *out)
{
    return notes_dir_has(f, path) ? notes_dir_stat(f, path, out)
                                  : io_stat_path(f->base.io, f->root, path, out);
}

jot_status pad_sync_dirs(Files *f, const char *path, Err *e)
{
    char left[FILES_PATH_MAX];
    snprintf(left, sizeof left, "%s", path);
    for (;;) {
        AUTO(Fd) dir = pad_open_dir(f, left[0] ? left : ".", false);
        int got = dir < 0 ? dir : io_fsync(f->base.io, dir);
        if (io_missing(got))
            return err_set(e, JOT_UNAVAILABLE, "a folder of the pad was just removed, try again");
        if (got < 0)
            return err_errno(e, -got, "could not make a new name durable");
        if (!left[0])
            return JOT_OK;
        char *slash = strrchr(left, '/');
        *(slash ? slash : left) = 0;
    }
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

int pad_read_small(Files *f, const char *name, char *to, size_t size)
{
    AUTO(Fd) fd = io_open(f->base.io, f->root, name, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return fd;
    ssize_t got = io_read_all(f->base.io, fd, to, size - 1, 0);
    if (got >= 0)
        to[got] = 0;
    return got < 0 ? (int)got : 0;
}

/* Anyone who can take the lock of a draft takes it for a dead writer's and removes it, and may have
 * done so before we had it. */
static bool draft_is_ours(Files *f, int fd)
{
    struct stat info;
    int got = io_lock(f->base.io, fd, F_WRLCK, LOCK_DRAFT);
    return got != -EAGAIN && got != -EACCES &&
           (io_fstat(f->base.io, fd, &info) < 0 || info.st_nlink > 0);
}

int pad_open_draft(Files *f, const char *name, char draft[FILES_NAME_MAX])
{
    for (int i = 0; i < DRAFT_TRIES; i++) {
        snprintf(draft, FILES_NAME_MAX, ".%.20s.%.*s", name[0] == '.' ? name + 1 : name, DRAFT_HEX,
                 id_random(f->base.io, DRAFT_HEX / 2).text);
        AUTO(Fd) fd = io_open(f->base.io, f->root, draft, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0 && fd != -EEXIST)
            return fd;
        if (fd >= 0 && draft_is_ours(f, fd))
            return fd_take(&fd);
    }
    return -EAGAIN;
}

/* Is it a name that pad_open_draft makes? */
static bool is_draft(Str name)
{
    static const char *const names[] = { FORMAT,      PAD_ID,     CHECKED, "recent",
                                         "gitignore", "checking", "heads" };
    bool draft = false;
    for (size_t i = 0; i < COUNT_OF(names) && name.n > 1; i++)
        draft = draft || (str_starts(str_from(name, 1), str(names[i])) &&
                          name.n == strlen(names[i]) + 2 + DRAFT_HEX);
    for (size_t i = name.n - DRAFT_HEX; draft && i < name.n; i++)
        draft = strchr("0123456789abcdef", name.p[i]) != NULL;
    return draft && name.p[0] == '.' && name.p[name.n - DRAFT_HEX - 1] == '.';
}

static int sweep_one(void *ctx, int dir, const struct dirent *d)
{
    const Io *io = ctx;
    if (!is_draft(str(d->d_name)))
        return 0;
    AUTO(Fd) fd = io_open(io, dir, d->d_name, O_RDWR | O_NONBLOCK, 0);
    if (fd >= 0 && io_lock(io, fd, F_WRLCK, LOCK_DRAFT) == 0)
        (void)io_unlink(io, dir, d->d_name);
    lock_close(io, &fd);
    return 0;
}

void pad_sweep(Files *f)
{
    AUTO(Fd) root = pad_open_dir(f, ".", false);
    /* What is not found today is swept another day. */
    if (root >= 0)
        (void)io_list(f->base.io, &root, sweep_one, (void *)f->base.io);
}

typedef enum InstallHow { INSTALL_NEW, INSTALL_OVER } InstallHow;

/* Give the pad a small file in one step.  -EEXIST if it was there and stays. */
static int install(Files *f, const char *name, Str text, bool durable, InstallHow how)
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
        got = io_rename(io, f->root, draft, name, how == INSTALL_OVER ? 0 : RENAME_NOREPLACE);
    lock_close(io, &fd);
    if (got < 0) {
        (void)io_unlink(io, f->root, draft);
        return got;
    }
    return durable ? io_fsync(io, f->root) : 0;
}

int pad_install(Files *f, const char *name, Str text)
{
    return install(f, name, text, false, INSTALL_OVER);
}

int pad_install_durably(Files *f, const char *name, Str text)
{
    return install(f, name, text, true, INSTALL_OVER);
}

int pad_install_new(Files *f, const char *name, Str text)
{
    return install(f, name, text, false, INSTALL_NEW);
}

/* --- What has been compared ------------------------------------------------------------ */

/* `checked` is the boot and the words of the mounts under which every view was compared, newest
 * first.  There may be several: a container sees the pad through a mount of its own, and must not
 * cost its host a comparison.  A mount without a word stands alone, as NO_MOUNT: anyone who has a
 * word leaves views unsynced, so what others compared is no proof for one who has none. */

#define NO_MOUNT "-"
enum { MOUNTS_MAX = 16, CHECKED_BYTES = BOOT_TEXT + MOUNTS_MAX * MOUNT_TEXT };

jot_status pad_boot(Files *f, Err *e)
{
    if (f->boot[0])
        return JOT_OK;
    char boot[BOOT_TEXT];
    TRY(boot_read(f->base.io, boot, e));
    int got = io_mount_id(f->base.io, f->root, f->mount);
    if (got == -ENODATA)
        snprintf(f->mount, sizeof f->mount, NO_MOUNT);
    else if (got < 0)
        return err_set(e, JOT_UNAVAILABLE,
                       "could not tell since when the pad's file system is mounted, so nothing "
                       "here can be judged: %s",
                       strerrordesc_np(-got) ?: "unknown error");
    memcpy(f->boot, boot, sizeof boot);
    return JOT_OK;
}

bool pad_syncs_views(const Files *f)
{
    return strcmp(f->mount, NO_MOUNT) == 0;
}

/* The mounts of this boot in `text`, as `checked` has it; false if it is of another. */
static bool cut_boot(const Files *f, Str text, Str *mounts)
{
    Str boot;
    *mounts = text;
    return str_cut(mounts, ' ', &boot) && str_eq(boot, str(f->boot));
}

/* The next word; empty at the end. */
static Str next_word(Str *rest)
{
    Str word = *rest;
    if (!str_cut(rest, ' ', &word))
        *rest = (Str){ 0 };
    return word;
}

void pad_write_checked(Files *f)
{
    AUTO(Arena) arena = { 0 };
    char old[CHECKED_BYTES] = "";
    Str mounts = { 0 };
    assert(f->boot[0]);
    f->checked = true;
    Str text = arena_printf(&arena, "%s %s", f->boot, f->mount);
    bool more = !pad_syncs_views(f) && pad_read_small(f, CHECKED, old, sizeof old) == 0 &&
                cut_boot(f, str(old), &mounts);
    for (int n = 1; more && n < MOUNTS_MAX && mounts.n; n++) {
        Str word = next_word(&mounts);
        if (word.n < MOUNT_TEXT && !str_eq(word, str(f->mount)) && !str_eq(word, S(NO_MOUNT)))
            text = arena_printf(&arena, STR_FMT " " STR_FMT, STR_ARG(text), STR_ARG(word));
    }
    if (install(f, CHECKED, text, false, INSTALL_OVER) < 0)
        return;
    if (f->check_shared)
        (void)io_unlink(f->base.io, f->root, PROGRESS);
}

bool pad_read_checked(Files *f)
{
    char text[CHECKED_BYTES] = "";
    Str mounts;
    if (pad_boot(f, NULL) != JOT_OK || pad_read_small(f, CHECKED, text, sizeof text) < 0)
        return f->checked;
    f->checked = false;
    bool boot = cut_boot(f, str(text), &mounts);
    while (boot && mounts.n && !f->checked)
        f->checked = str_eq(next_word(&mounts), str(f->mount)) || MUTANT(TRUST_EVERY_MOUNT);
    f->checked = f->checked || MUTANT(TRUST_EVERY_BOOT);
    return f->checked;
}

bool pad_trusts_views(Files *f)
{
    return (f->checked || pad_read_checked(f)) && !pad_syncs_views(f);
}

void pad_write_progress(Files *f)
{
    AUTO(Arena) arena = { 0 };
    if (f->check_missed)
        return;
    Str text = arena_printf(&arena, "%s %s %s", f->boot, f->mount, f->check_after);
    f->check_shared = install(f, PROGRESS, text, false, INSTALL_OVER) == 0;
}

void pad_read_progress(Files *f)
{
    char text[sizeof f->boot + sizeof f->mount + sizeof f->check_after] = "";
    if (f->check_missed || pad_read_small(f, PROGRESS, text, sizeof text) < 0)
        return;
    f->check_shared = true;
    Str rest, mount;
    bool ours = cut_boot(f, str(text), &rest) && str_cut(&rest, ' ', &mount) &&
                str_eq(mount, str(f->mount)) && store_check_name(rest, NULL) == JOT_OK;
    if (ours && str_cmp(rest, str(f->check_after)) > 0)
        memcpy(f->check_after, rest.p, rest.n + 1);
}

/* --- What `format` says ------------------------------------------------------------------ */

/* Where the notes are, if they are not in the pad; false if it cannot be read. */
static bool read_notes_dir(Files *f, Str rest, int read)
{
    f->notes_dir[0] = 0;
    if (read != FILES_NOTES_DIR_FORMAT)
        return rest.n == 0 || str_eq(rest, S("\n"));
    bool good = str_starts(rest, S("\n" NOTES_LINE)) && str_ends(rest, S("\n"));
    size_t from = strlen("\n" NOTES_LINE);
    return good && notes_dir_set(f, str_slice(rest, from, rest.n - 1), NULL) == JOT_OK;
}

static jot_status judge_format(Files *f, const char *text, Err *e)
{
    int read = 0, write = 0, used = 0;
    bool good =
        sscanf(text, "jotter %9d %9d%n", &read, &write, &used) == 2 && read > 0 && write > 0;
    Str rest = str(text + used);
    f->folds = str_starts(rest, S(" casefold"));
    rest = str_from(rest, f->folds ? strlen(" casefold") : 0);
    /* A newer version may say more. */
    bool placed = read == FILES_NOTES_DIR_FORMAT;
    bool newer = write > (placed ? FILES_NOTES_DIR_FORMAT : FILES_WRITE_FORMAT);
    good = good && (read_notes_dir(f, rest, read) || (newer && !placed));
    if (!good)
        return err_set(e, JOT_CORRUPT, "the pad's format cannot be read");
    if (read > FILES_NOTES_DIR_FORMAT)
        return err_set(e, JOT_UNSUPPORTED,
                       "this pad has format %d; this version of Jotter reads up to %d", read,
                       FILES_NOTES_DIR_FORMAT);
    if (newer)
        pad_stop_writing(f, NULL, "it was written by a newer version of Jotter");
    /* Anyone who reads only format 1 may be reading as well. */
    f->form = read < RECORD_NESTED ? RECORD_STRINGS : RECORD_NESTED;
    f->wide = read >= FILES_WIDE_FORMAT;
    return JOT_OK;
}

/* Where the notes were by what is kept of `format`, in was->notes_dir; false if nothing is. */
static bool read_was(Files *f, Files *was)
{
    char kept[FILES_FORMAT_BYTES];
    *was = (Files){ .base.io = f->base.io };
    return clone_read_kept(f, kept) && judge_format(was, kept, NULL) == JOT_OK;
}

static_assert(FILES_READ_FORMAT == 3 && FILES_WRITE_FORMAT == 3 && FILES_NOTES_DIR_FORMAT == 4,
              "as it is said to people here");

/* What to write into `format`, as far as that is known.  Without the place of its notes every one
 * of them would count as deleted. */
static const char *what_it_said(Files *f)
{
    Files was;
    struct stat info;
    if (read_was(f, &was))
        return "copy '" FORMAT_KEPT "', which is beside it";
    return io_stat(f->base.io, f->root, FILES_DRAFTS, &info) == 0
               ? "'jotter 4 4', and below it 'notes DIR', DIR being where its notes lie"
               : "'jotter 3 3'";
}

/* --- Making a pad ---------------------------------------------------------------------- */

/* What a directory is to us. */
typedef enum PadState {
    PAD_NONE, /* it may become a pad: it is empty, or holds only what a pad may hold */
    PAD_BARE, /* a pad whose `format` did not come along, or went (clone.c) */
    PAD_WHOLE,
} PadState;

/* One without `format`; `kept` is what `.format` says, or "". */
static jot_status judge_bare(Files *f, char kept[FILES_FORMAT_BYTES], PadState *out, Err *e)
{
    static const char *const own[] = { "notes/", "memories/", "artifacts/", "cycles/",
                                       "index/", "logs/",     "tasks/",     "shared/" };
    AUTO(Arena) arena = { 0 };
    Names names;
    TRY(list_directory(f, ".", &arena, &names, e));
    *out = PAD_BARE;
    if (clone_read_kept(f, kept))
        return JOT_OK;
    kept[0] = 0;
    for (size_t i = 0; i < names.n; i++)
        if (str_eq(names.items[i], S("streams/")))
            return err_set(e, JOT_CORRUPT,
                           "this pad has lost its file '" FORMAT "': restore it (%s)",
                           what_it_said(f));
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
    *out = clone_has_views(&names) ? PAD_BARE : PAD_NONE;
    return JOT_OK;
}

bool pad_probe_folding(Files *f)
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

Str pad_format_text(const Files *f, Arena *into)
{
    bool placed = f->notes_dir[0];
    int read = placed ? FILES_NOTES_DIR_FORMAT : FILES_READ_FORMAT;
    int write = placed ? FILES_NOTES_DIR_FORMAT : FILES_WRITE_FORMAT;
    return arena_printf(into, "jotter %d %d%s\n%s%s%s", read, write, f->folds ? " casefold" : "",
                        placed ? NOTES_LINE : "", f->notes_dir, placed ? "\n" : "");
}

/* `kept` is what its `format` said before it went, or "". */
static jot_status make_pad(Files *f, const char *path, const char *kept, Err *e)
{
    AUTO(Arena) arena = { 0 };
    /* First, so that no pad says that its notes are where nothing is. */
    TRY(notes_dir_begin(f, path, true, e));
    f->folds = pad_probe_folding(f);
    Str format = kept[0] ? str(kept) : pad_format_text(f, &arena);
    int got = install(f, FORMAT, format, true, INSTALL_NEW);
    if (got == 0 || got == -EEXIST)
        got = clone_prepare(f, format);
    if (got < 0)
        return err_errno(e, -got, "could not make a pad");
    /* Where people may put files of their own from the first moment on. */
    AUTO(Fd) notes = pad_open_dir(f, "notes", true);
    AUTO(Fd) memories = notes < 0 ? notes : pad_open_dir(f, "memories", true);
    return memories < 0 ? err_errno(e, -memories, "could not make a pad") : JOT_OK;
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
    char text[FILES_FORMAT_BYTES];
    int got = pad_read_small(f, FORMAT, text, sizeof text);
    if (got < 0)
        return err_errno(e, -got, "could not read the pad's format");
    jot_status st = judge_format(f, text, e);
    return st == JOT_CORRUPT
               ? err_set(e, st, "the pad's format cannot be read: restore it (%s)", what_it_said(f))
               : st;
}

/* Git, or somebody who repaired it, can bring a `format` that says something else of where the
 * notes are.  Then all of them seem to be missing, and none was deleted. */
static jot_status check_moved(Files *f, Err *e)
{
    Files was;
    Shown now, before;
    if (!read_was(f, &was) || strcmp(was.notes_dir, f->notes_dir) == 0)
        return JOT_OK;
    return err_set(e, JOT_CORRUPT,
                   "the notes of this pad were in %s, and now 'format' says in %s: restore it, or "
                   "remove '" FORMAT_KEPT "' if it is right",
                   was.notes_dir[0] ? err_show(&before, str(was.notes_dir)) : "the pad itself",
                   f->notes_dir[0] ? err_show(&now, str(f->notes_dir)) : "the pad itself");
}

/* Locks and exchanges of file systems shared between kernels are not what they seem. */
static bool shared_between_kernels(const struct statfs *info)
{
    switch ((unsigned long)info->f_type) {
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

/* The file `format`, open.  Whether it may be written decides whether the pad may. */
static int open_format(Files *f)
{
    const Io *io = f->base.io;
    int fd = lock_open(io, f->root, FORMAT, O_RDWR | O_NONBLOCK, 0);
    if (fd != -EACCES && fd != -EPERM && fd != -EROFS)
        return fd;
    if (!f->base.read_only_why[0])
        pad_stop_writing(f, NULL,
                         fd == -EROFS ? "its file system is mounted read-only"
                                      : "its files may not be written");
    return lock_open(io, f->root, FORMAT, O_RDONLY | O_NONBLOCK, 0);
}

int pad_format_in_place(Files *f, int fd)
{
    struct stat ours = { 0 }, there = { 0 };
    int got = io_fstat(f->base.io, fd, &ours);
    if (got == 0)
        got = io_stat(f->base.io, f->root, FORMAT, &there);
    return got < 0 ? got : ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

jot_status pad_hold_format(Files *f, Err *e)
{
    const Io *io = f->base.io;
    for (int i = 0; i < FORMAT_TRIES; i++) {
        Fd fd = open_format(f);
        if (fd < 0)
            return err_errno(e, -fd, "could not open the pad");
        int got = lock_wait(io, fd, F_RDLCK, LOCK_PAD, f->base.wait_ms);
        int placed = got < 0 ? got : pad_format_in_place(f, fd);
        if (placed == 1) {
            f->format = fd;
            f->format_id = (FileId){ 0 };
            return JOT_OK;
        }
        lock_close(io, &fd);
        if (got == -EAGAIN)
            break;
        if (placed < 0)
            return err_errno(e, -placed, "could not lock the pad");
    }
    return err_set(e, JOT_UNAVAILABLE, "the pad is being brought to another format");
}

static jot_status open_root(Files *f, const char *path, const StoreOptions *o, bool *fresh, Err *e)
{
    const Io *io = f->base.io;
    *fresh = false;
    f->root = io_open_root(io, path);
    if (f->root == -ENOENT && o->create && !o->read_only) {
        int made = io_make_dirs(io, path);
        if (made < 0)
            return err_errno(e, -made, "could not make the pad's directory");
        f->root = io_open_root(io, path);
        *fresh = true;
    }
    if (f->root == -ENOENT)
        return err_set(e, JOT_NOT_FOUND, "there is no pad here");
    if (f->root == -ENOTDIR)
        return err_set(e, JOT_INVALID, "the pad's path is not a directory");
    return f->root < 0 ? err_errno(e, -f->root, "could not open the pad's directory") : JOT_OK;
}

/* Somebody else may make the pad between two looks, `format` first: only if that is still missing
 * the rest tells anything. */
static jot_status look_for_format(Files *f, char kept[FILES_FORMAT_BYTES], PadState *out, Err *e)
{
    struct stat info;
    kept[0] = 0;
    *out = PAD_WHOLE;
    int got = io_stat(f->base.io, f->root, FORMAT, &info);
    if (got == -ENOENT) {
        Err why = { 0 };
        jot_status st = judge_bare(f, kept, out, &why);
        got = st == JOT_OK ? 0 : io_stat(f->base.io, f->root, FORMAT, &info);
        if (st != JOT_OK && got == -ENOENT)
            return err_set(e, st, "%s", why.text);
        if (st != JOT_OK)
            *out = PAD_WHOLE;
    }
    return got < 0 ? err_errno(e, -got, "could not look at the pad") : JOT_OK;
}

/* What a URL says. */
typedef struct Params {
    bool shared_ok;
    Str notes; /* where the notes are to lie; empty: in the pad, or wherever they do */
} Params;

/* A pad without `format`, to read only. */
static jot_status open_bare(Files *f, const char *kept, const char *path, Err *e)
{
    AUTO(Arena) arena = { 0 };
    TRY(judge_format(f, kept[0] ? kept : pad_format_text(f, &arena).p, e));
    TRY(notes_dir_begin(f, path, false, e));
    pad_stop_writing(f, NULL,
                     "it has no file '" FORMAT "', which git did not bring: a write makes it");
    return JOT_OK;
}

/* `format` held and read, if there is one; made before if it is wanted. */
static jot_status open_as_found(Files *f, const char *path, const StoreOptions *o,
                                const Params *params, Err *e)
{
    char kept[FILES_FORMAT_BYTES];
    PadState state;
    bool make = o->create && !o->read_only;
    TRY(look_for_format(f, kept, &state, e));
    if (state == PAD_NONE && !make)
        return err_set(e, JOT_NOT_FOUND, "there is no pad here");
    if (state == PAD_NONE && params->notes.n)
        TRY(notes_dir_set(f, params->notes, e));
    if (state == PAD_BARE && !make)
        return open_bare(f, kept, path, e);
    if (state == PAD_BARE && kept[0])
        TRY(judge_format(f, kept, e));
    if (state != PAD_WHOLE) {
        TRY(sync_above(f->base.io, path, e));
        TRY(make_pad(f, path, kept, e));
    }
    TRY(pad_hold_format(f, e));
    if (o->found)
        TRY(safe_judge(f->base.io, o->found, f->format, e));
    TRY(read_format(f, e));
    TRY(check_moved(f, e));
    TRY(notes_dir_begin(f, path, false, e));
    clone_settle(f, make && !f->base.read_only_why[0]);
    return JOT_OK;
}

/* A pad keeps its notes where it was told to when it was made. */
static jot_status check_notes_dir(const Files *f, const Params *params, Err *e)
{
    Shown here, asked;
    if (!params->notes.n || str_eq(params->notes, str(f->notes_dir)))
        return JOT_OK;
    return err_set(e, JOT_INVALID,
                   "this pad keeps its notes in %s%s%s, not in '%s': that is settled when a pad is "
                   "made",
                   f->notes_dir[0] ? "'" : "",
                   f->notes_dir[0] ? err_show(&here, str(f->notes_dir)) : "itself",
                   f->notes_dir[0] ? "'" : "", err_show(&asked, params->notes));
}

/* A refused pad leaves no directory behind; one in which something lies stays. */
static void take_back_root(const Io *io, const char *path)
{
    AUTO(Arena) arena = { 0 };
    Str name = str(path);
    while (name.n > 1 && name.p[name.n - 1] == '/')
        name.n--;
    size_t slash = str_find_last(name, '/');
    if (slash < name.n)
        name = str_from(name, slash + 1);
    AUTO(Fd) above = io_open_root(io, arena_printf(&arena, "%s/..", path).p);
    if (above >= 0)
        (void)io_rmdir(io, above, arena_cstr(&arena, name));
}

static jot_status open_pad(Files *f, const char *path, const StoreOptions *o, const Params *params,
                           Err *e)
{
    const Io *io = f->base.io;
    bool fresh;
    /* Before anything is made or read there. */
    if (o->found)
        TRY(safe_judge_link(io, o->found, e));
    TRY(open_root(f, path, o, &fresh, e));
    if (o->found)
        TRY(safe_judge(io, o->found, f->root, e));
    jot_status found = open_as_found(f, path, o, params, e);
    if (found != JOT_OK && fresh)
        take_back_root(io, path);
    TRY(found);
    TRY(check_notes_dir(f, params, e));
    pad_read_checked(f);
    struct statfs info;
    int got = io_fstatfs(io, f->root, &info);
    if (got < 0)
        return err_errno(e, -got, "could not tell on which file system the pad is");
    if (!params->shared_ok && !f->base.read_only_why[0] && shared_between_kernels(&info))
        pad_stop_writing(f, NULL,
                         "other machines may share its file system (say ?shared=no if not)");
    if (!f->base.read_only_why[0])
        quarantine_look(f);
    return JOT_OK;
}

static jot_status read_params(const Url *url, Arena *into, Params *out, Err *e)
{
    Str key, value;
    for (size_t at = 0; url_next_param(url, &at, into, &key, &value);) {
        Shown shown;
        bool shared = str_eq(key, S("shared")) && str_eq(value, S("no"));
        bool notes = str_eq(key, S("notes")) && value.n;
        if (!shared && !notes)
            return err_set(e, JOT_INVALID,
                           "unknown parameter '%s': files: knows shared=no and notes=DIR",
                           err_show(&shown, key));
        out->shared_ok = out->shared_ok || shared;
        if (notes)
            out->notes = value;
    }
    while (out->notes.n > 1 && str_ends(out->notes, S("/")))
        out->notes.n--;
    return JOT_OK;
}

jot_status pad_open(Store **out, const Url *url, const StoreOptions *o, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Params params = { 0 };
    TRY(read_params(url, &arena, &params, e));
    if (url->path.n == 0 || url->host.n || url->user.n)
        return err_set(e, JOT_INVALID, "files: takes the path of a directory, as in files:.jotter");
    Files *f = mem_alloc(sizeof *f);
    AUTO_PTR(Store) owned = &f->base;
    store_init(&f->base, &files_ops, o);
    f->root = f->format = f->above = f->notes = f->drafts = FD_NONE;
    /* Before anything is made; where they lie in a pad that is there, its own file says. */
    if (params.notes.n)
        TRY(notes_dir_set(f, params.notes, e));
    f->notes_dir[0] = 0;
    f->form = RECORD_STRINGS;
    f->swaps = true;
    f->path = pad_whole_path(arena_cstr(&arena, url->path));
    TRY(open_pad(f, arena_cstr(&arena, url->path), o, &params, e));
    *out = TAKE(owned);
    return JOT_OK;
}

void pad_close(Store *s)
{
    Files *f = (Files *)s;
    heads_flush(f);
    heads_close(f);
    recent_close(f);
    list_close(f);
    lock_close(s->io, &f->format);
    notes_dir_end(f);
    fd_close(&f->root);
    free(f->path);
    free(f);
}

/* --- Which pad it is ------------------------------------------------------------------- */

/* Into f->id; -ENOENT: there is no such file, -EBADMSG: it holds something else. */
static int read_id(Files *f)
{
    char text[STORE_PAD_ID + 2] = "";
    int got = pad_read_small(f, PAD_ID, text, sizeof text);
    if (got == 0 && strspn(text, "0123456789abcdef") != STORE_PAD_ID)
        got = -EBADMSG;
    if (got == 0)
        memcpy(f->id, text, STORE_PAD_ID);
    return got;
}

/* Of two that choose at once the first is right: the other reads what lies there. */
static int choose_id(Files *f, InstallHow how)
{
    char text[STORE_PAD_ID + 2];
    snprintf(text, sizeof text, "%.16s\n", id_random(f->base.io, STORE_PAD_ID / 2).text);
    int got = install(f, PAD_ID, str(text), true, how);
    return got < 0 && got != -EEXIST ? got : read_id(f);
}

/* Chosen when it is first asked for, so that pads from before have one too. */
jot_status pad_id(Store *s, char out[STORE_PAD_ID + 1], Err *e)
{
    Files *f = (Files *)s;
    int got = f->id[0] ? 0 : read_id(f);
    bool none = got == -ENOENT || got == -EBADMSG;
    if (none && !s->read_only_why[0])
        got = choose_id(f, got == -ENOENT ? INSTALL_NEW : INSTALL_OVER);
    else if (none)
        got = 0;
    if (got < 0)
        return err_errno(e, -got, "could not tell which pad this is");
    memcpy(out, f->id, sizeof f->id);
    return JOT_OK;
}

/* --- Being alive ----------------------------------------------------------------------- */

int pad_hold(Store *s, uint64_t number, bool hold)
{
    Files *f = (Files *)s;
    int got = io_lock(s->io, f->format, hold ? F_WRLCK : F_UNLCK, store_hold_byte(number));
    f->holds += got == 0 && hold;
    return got;
}

bool pad_held(Store *s, uint64_t number)
{
    const Files *f = (const Files *)s;
    if (f->format < 0)
        return false; /* a process that holds a number has made `format` before */
    return io_locked(s->io, f->format, F_WRLCK, store_hold_byte(number));
}
