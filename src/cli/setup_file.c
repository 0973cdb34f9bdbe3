/* setup_file.c - reading and replacing a configuration file that is not ours.
 *
 * The new text is written beside the file, made durable and renamed over it: a
 * program that reads the file at any moment sees the old or the new one.  A
 * symbolic link is refused instead of followed: whoever made it manages the file in
 * another place, and a rename would part the two. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/io.h"
#include "base/utf8.h"
#include "cli/setup.h"

static jot_status odd(Err *e, const char *what)
{
    return err_set(e, JOT_UNSUPPORTED, "%s", what);
}

/* Only what is surely a file of one's own. */
static jot_status check_plain(const struct stat *info, Err *e)
{
    if (S_ISLNK(info->st_mode))
        return odd(e, "is a symbolic link: edit the file it leads to");
    if (!S_ISREG(info->st_mode))
        return odd(e, "is not a plain file");
    if (info->st_uid != geteuid())
        return odd(e, "belongs to somebody else");
    if (info->st_nlink != 1)
        return odd(e, "has a second name, which would keep the old text");
    if (info->st_size > SETUP_FILE_MAX)
        return err_set(e, JOT_UNSUPPORTED, "is larger than %d bytes", SETUP_FILE_MAX);
    return JOT_OK;
}

static jot_status read_text(int fd, Arena *into, Str *out, Err *e)
{
    char *text = arena_alloc(into, SETUP_FILE_MAX + 1, 1);
    ssize_t n = io_read_all(&io_system, fd, text, SETUP_FILE_MAX + 1, 0);
    if (n < 0)
        return err_errno(e, (int)-n, "could not be read");
    *out = (Str){ text, (size_t)n };
    if (n > SETUP_FILE_MAX)
        return err_set(e, JOT_UNSUPPORTED, "is larger than %d bytes", SETUP_FILE_MAX);
    if (!utf8_valid(*out))
        return odd(e, "is not UTF-8 text");
    return JOT_OK;
}

jot_status setup_file_read(const char *path, Arena *into, SetupFile *out, Err *e)
{
    *out = (SetupFile){ .path = path };
    if (lstat(path, &out->info) != 0) {
        if (errno == ENOENT)
            return JOT_OK;
        return err_errno(e, errno, "could not be read");
    }
    TRY(check_plain(&out->info, e));
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return err_errno(e, errno, "could not be read");
    if (fstat(fd, &out->info) != 0)
        return err_errno(e, errno, "could not be read");
    TRY(check_plain(&out->info, e));
    out->there = true;
    return read_text(fd, into, &out->text, e);
}

/* --- Writing ----------------------------------------------------------------------------- */

/* The directories above the file, and the last of them open. */
static jot_status open_parent(const char *path, Fd *out, const char **name, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str whole = str(path);
    size_t slash = str_find_last(whole, '/');
    for (size_t at = 1; at <= slash; at++) {
        if (path[at] != '/')
            continue;
        const char *dir = arena_cstr(&arena, str_slice(whole, 0, at));
        if (mkdir(dir, 0700) != 0 && errno != EEXIST)
            return err_errno(e, errno, "could not get its directory");
    }
    const char *dir = slash ? arena_cstr(&arena, str_slice(whole, 0, slash)) : "/";
    int fd = io_open_root(&io_system, dir);
    if (fd < 0)
        return err_errno(e, -fd, "could not get its directory");
    *out = fd;
    *name = path + slash + 1;
    return JOT_OK;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static jot_status write_new(const SetupFile *f, int dir, const char *name, Str text, Err *e)
{
    AUTO(Fd) fd = io_open(&io_system, dir, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0)
        return err_errno(e, -fd, "could not be written beside");
    if (f->there && fchmod(fd, f->info.st_mode & 07777) != 0)
        return err_errno(e, errno, "could not keep its mode");
    int result = io_write_all(&io_system, fd, text);
    if (result == 0)
        result = io_fsync(&io_system, fd);
    return result == 0 ? JOT_OK : err_errno(e, -result, "could not be written");
}

/* Under its name, unless somebody was faster. */
static jot_status put_in_place(const SetupFile *f, int dir, const char *from, const char *to,
                               Err *e)
{
    struct stat now;
    if (f->there && (io_stat(&io_system, dir, to, &now) != 0 || !same_file(&now, &f->info)))
        return err_set(e, JOT_CONFLICT, "has changed meanwhile: try again");
    int result = io_rename(&io_system, dir, from, to, f->there ? 0 : RENAME_NOREPLACE);
    if (result == -EEXIST)
        return err_set(e, JOT_CONFLICT, "has come meanwhile: try again");
    if (result == 0)
        result = io_fsync(&io_system, dir);
    return result == 0 ? JOT_OK : err_errno(e, -result, "could not be replaced");
}

jot_status setup_file_write(const SetupFile *f, Str text, Err *e)
{
    AUTO(Fd) dir = FD_NONE;
    const char *name = NULL;
    unsigned char random[6];
    char beside[64];
    TRY(open_parent(f->path, &dir, &name, e));
    io_random(&io_system, random, sizeof random);
    snprintf(beside, sizeof beside, ".jotter-setup-%02x%02x%02x%02x%02x%02x", random[0], random[1],
             random[2], random[3], random[4], random[5]);
    jot_status st = write_new(f, dir, beside, text, e);
    if (st == JOT_OK)
        st = put_in_place(f, dir, beside, name, e);
    if (st != JOT_OK)
        (void)io_unlink(&io_system, dir, beside);
    return st;
}
