/* live.c - following a real directory, and turning it into another one.
 *
 * The calls here go straight to the system: they are the rig's own hands and
 * no steps of the store.  A call that cannot fail unless the rig is broken is
 * asserted. */
#include "rig/live.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"

/* --- Inodes and names ------------------------------------------------------------------ */

static int new_inode(Live *l)
{
    for (size_t i = 1; l->recycle && i < l->n; i++)
        if (l->inodes[i].real == 0)
            return (int)i;
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->inodes = mem_grow(l->inodes, l->cap * sizeof *l->inodes);
    }
    l->inodes[l->n] = (LiveInode){ .fd = -1 };
    return (int)l->n++;
}

static void let_go(Live *l, int inode)
{
    LiveInode *i = &l->inodes[inode];
    if (i->fd >= 0)
        close(i->fd);
    i->fd = -1;
    if (l->recycle)
        i->real = 0;
}

static uint64_t name_hash(const char *text)
{
    return bytes_hash(str(text));
}

/* Forget a name, but not yet the inode it led to. */
static void drop_name(Live *l, Name *name)
{
    char *text = (char *)name->text;
    tree_remove(&l->names, name->dir, name->hash);
    free(text);
}

static Name *name_of(const Live *l, int inode)
{
    for (size_t i = 0; i < l->names.n; i++)
        if (l->names.items[i].inode == inode)
            return &l->names.items[i];
    return NULL;
}

void live_named(Live *l, int dir, const char *name, int inode)
{
    Name *old = name_of(l, inode);
    if (old)
        drop_name(l, old);
    live_removed(l, dir, name);
    char *text = strdup(name);
    assert(text);
    tree_set(&l->names, dir, text, name_hash(name), inode);
}

void live_exchanged(Live *l, int dir, const char *name, int dir2, const char *name2)
{
    Name *a = tree_find(&l->names, dir, name_hash(name));
    Name *b = tree_find(&l->names, dir2, name_hash(name2));
    assert(a && b);
    int inode = a->inode;
    a->inode = b->inode;
    b->inode = inode;
}

void live_removed(Live *l, int dir, const char *name)
{
    Name *found = tree_find(&l->names, dir, name_hash(name));
    if (!found)
        return;
    int inode = found->inode;
    drop_name(l, found);
    let_go(l, inode);
}

int live_added(Live *l, int dir, const char *name, ino_t real, bool is_dir)
{
    int inode = new_inode(l);
    l->inodes[inode] = (LiveInode){ .real = real, .dir = is_dir, .fd = -1 };
    live_named(l, dir, name, inode);
    return inode;
}

void live_written(Live *l, int inode)
{
    l->inodes[inode].content = 0;
}

int live_by_fd(const Live *l, int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0)
        return -1;
    /* The youngest first: a number may have come back for another file. */
    for (size_t i = l->n; i > 0; i--)
        if (l->inodes[i - 1].real == st.st_ino)
            return (int)i - 1;
    return -1;
}

int live_parent(const Live *l, int dir, const char *path, const char **last)
{
    Str rest = str(path), part;
    while (str_cut(&rest, '/', &part)) {
        Name *found = part.n ? tree_find(&l->names, dir, bytes_hash(part)) : NULL;
        if (part.n && (!found || !l->inodes[found->inode].dir))
            return -1;
        dir = part.n ? found->inode : dir;
    }
    *last = rest.p;
    return dir;
}

int live_lookup(const Live *l, int dir, const char *path)
{
    const char *last;
    dir = live_parent(l, dir, path, &last);
    if (dir < 0 || last[0] == 0 || strcmp(last, ".") == 0)
        return dir;
    Name *found = tree_find(&l->names, dir, name_hash(last));
    return found ? found->inode : -1;
}

static int fd_of(Live *l, int dir)
{
    LiveInode *i = &l->inodes[dir];
    assert(i->dir);
    if (i->fd < 0) {
        const Name *name = name_of(l, dir);
        assert(name);
        i->fd = openat(fd_of(l, name->dir), name->text, O_PATH | O_DIRECTORY | O_CLOEXEC);
        assert(l->inodes[dir].fd >= 0);
    }
    return l->inodes[dir].fd;
}

/* --- Adopting -------------------------------------------------------------------------- */

static bool is_untracked(const Live *l, int dir, const char *name)
{
    return dir == TREE_ROOT && l->untracked && strcmp(name, l->untracked) == 0;
}

/* Call `see` for every name in the directory open as `fd`, which it closes. */
static void each_name(int fd, void (*see)(void *, const char *, const struct stat *), void *ctx)
{
    DIR *d = fdopendir(fd);
    assert(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        struct stat st;
        bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!dots && fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            see(ctx, e->d_name, &st);
    }
    closedir(d);
}

static int open_dir(int at, const char *path)
{
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert(fd >= 0);
    return fd;
}

typedef struct Adoption {
    Live *live;
    int dir;
} Adoption;

static void adopt(void *ctx, const char *name, const struct stat *st)
{
    Adoption *a = ctx;
    if (is_untracked(a->live, a->dir, name))
        return;
    bool is_dir = S_ISDIR(st->st_mode);
    int inode = live_added(a->live, a->dir, name, st->st_ino, is_dir);
    if (is_dir)
        each_name(open_dir(fd_of(a->live, a->dir), name), adopt, &(Adoption){ a->live, inode });
}

void live_open(Live *l, const char *root, const char *untracked)
{
    *l = (Live){ .untracked = untracked };
    snprintf(l->root, sizeof l->root, "%s", root);
    int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    int got = fd >= 0 ? fstat(fd, &st) : -1;
    assert(got == 0);
    (void)got;
    int inode = new_inode(l);
    assert(inode == TREE_ROOT);
    l->inodes[inode] = (LiveInode){ .real = st.st_ino, .dir = true, .fd = fd };
    each_name(open_dir(AT_FDCWD, root), adopt, &(Adoption){ l, TREE_ROOT });
}

void live_close(Live *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->inodes[i].fd >= 0)
            close(l->inodes[i].fd);
    for (size_t i = 0; i < l->names.n; i++)
        free((char *)l->names.items[i].text);
    tree_free(&l->names);
    free(l->inodes);
    *l = (Live){ 0 };
}

/* --- Becoming -------------------------------------------------------------------------- */

static void remove_name(Live *l, int dir, const char *text)
{
    const Name *name = tree_find(&l->names, dir, name_hash(text));
    int inode = name->inode;
    bool is_dir = l->inodes[inode].dir;
    for (size_t i = l->names.n; is_dir && i > 0; i--)
        if (i <= l->names.n && l->names.items[i - 1].dir == inode) {
            remove_name(l, inode, l->names.items[i - 1].text);
            i = l->names.n + 1; /* the array was shuffled */
        }
    int got = unlinkat(fd_of(l, dir), text, is_dir ? AT_REMOVEDIR : 0);
    assert(got == 0 || errno == ENOENT);
    (void)got;
    live_removed(l, dir, text);
}

/* An image has no times.  A file's is this one, so that the same image always looks the same. */
static const struct timespec image_times[2] = { { .tv_sec = 1767225600 },
                                                { .tv_sec = 1767225600 } };

static void write_file(Live *l, int dir, const char *text, const Content *content, int inode)
{
    int at = fd_of(l, dir);
    AUTO(Fd) fd = openat(at, text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0);
    ssize_t put = content->bytes.n ? write(fd, content->bytes.p, content->bytes.n) : 0;
    assert(put == (ssize_t)content->bytes.n);
    int got = futimens(fd, image_times);
    struct stat st;
    if (inode < 0) {
        got += fstat(fd, &st);
        inode = live_added(l, dir, text, st.st_ino, false);
    }
    assert(got == 0);
    (void)put, (void)got;
    l->inodes[inode].content = content->hash;
}

static int make_dir(Live *l, int dir, const char *text)
{
    struct stat st;
    int at = fd_of(l, dir);
    int got = mkdirat(at, text, 0700);
    assert(got == 0);
    got = fstatat(at, text, &st, AT_SYMLINK_NOFOLLOW);
    assert(got == 0);
    (void)got;
    return live_added(l, dir, text, st.st_ino, true);
}

/* Remove what the image does not have, or has as something else. */
static void remove_rest(Live *l, int dir, const Image *image, int image_dir)
{
    for (size_t i = 0; i < l->names.n;) {
        const Name *name = &l->names.items[i];
        const Name *wanted =
            name->dir == dir ? tree_find(&image->names, image_dir, name->hash) : NULL;
        bool is_dir = l->inodes[name->inode].dir;
        bool fits = wanted && (image->contents[wanted->inode] == NULL) == is_dir;
        if (name->dir != dir || fits) {
            i++;
            continue;
        }
        remove_name(l, dir, name->text);
        i = 0; /* the array was shuffled */
    }
}

static void become_dir(Live *l, int dir, const Image *image, int image_dir)
{
    remove_rest(l, dir, image, image_dir);
    for (size_t i = 0; i < image->names.n; i++) {
        const Name *wanted = &image->names.items[i];
        if (wanted->dir != image_dir)
            continue;
        const Name *have = tree_find(&l->names, dir, wanted->hash);
        const Content *content = image->contents[wanted->inode];
        int inode = have ? have->inode : -1;
        if (!content)
            become_dir(l, inode < 0 ? make_dir(l, dir, wanted->text) : inode, image, wanted->inode);
        else if (inode < 0 || l->inodes[inode].content != content->hash)
            write_file(l, dir, wanted->text, content, inode);
    }
}

void live_become(Live *l, const Image *image)
{
    if (l->untracked)
        unlinkat(l->inodes[TREE_ROOT].fd, l->untracked, 0);
    become_dir(l, TREE_ROOT, image, TREE_ROOT);
}

/* --- Looking --------------------------------------------------------------------------- */

Str file_read(int dir, const char *path, Arena *into, bool *found)
{
    AUTO(Fd) fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    *found = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!*found)
        return (Str){ 0 };
    char *bytes = NEW_ARRAY(into, char, (size_t)st.st_size + 1);
    ssize_t got = pread(fd, bytes, (size_t)st.st_size, 0);
    assert(got == st.st_size);
    return (Str){ bytes, (size_t)got };
}

void live_image(const Live *l, Arena *into, Image *out)
{
    *out = (Image){ .inodes = l->n };
    out->contents = NEW_ARRAY(into, const Content *, l->n);
    size_t n = l->names.n;
    out->names = (Tree){ NEW_ARRAY(into, Name, n + 1), n, n + 1 };
    for (size_t i = 0; i < n; i++) {
        Name name = l->names.items[i];
        name.text = arena_cstr(into, str(name.text));
        out->names.items[i] = name;
        if (l->inodes[name.inode].dir)
            continue;
        char path[600];
        bool found;
        tree_path(&l->names, name.inode, path, sizeof path);
        Content *content = NEW(into, Content);
        content->bytes = file_read(l->inodes[TREE_ROOT].fd, path, into, &found);
        assert(found);
        content->hash = bytes_hash(content->bytes);
        out->contents[name.inode] = content;
    }
}

typedef struct Comparison {
    const Live *live;
    int dir, fd;
    size_t seen;
    char *why;
    size_t size;
} Comparison;

static void compare(void *ctx, const char *name, const struct stat *st)
{
    Comparison *c = ctx;
    if (is_untracked(c->live, c->dir, name))
        return;
    const Name *known = tree_find(&c->live->names, c->dir, name_hash(name));
    bool is_dir = S_ISDIR(st->st_mode);
    if (!known || c->live->inodes[known->inode].dir != is_dir) {
        snprintf(c->why, c->size, "'%s' was made behind the recorder's back", name);
        return;
    }
    c->seen++;
    if (!is_dir)
        return;
    Comparison below = *c;
    below.dir = known->inode;
    below.fd = openat(c->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    each_name(open_dir(c->fd, name), compare, &below);
    close(below.fd);
    c->seen = below.seen;
}

bool live_agrees(const Live *l, char *why, size_t size)
{
    why[0] = 0;
    Comparison c = { l, TREE_ROOT, l->inodes[TREE_ROOT].fd, 0, why, size };
    each_name(open_dir(AT_FDCWD, l->root), compare, &c);
    if (!why[0] && c.seen != l->names.n)
        snprintf(why, size, "%zu names are known and %zu are there", l->names.n, c.seen);
    return why[0] == 0;
}

static void remove_below(void *ctx, const char *name, const struct stat *st)
{
    int at = *(const int *)ctx;
    if (S_ISDIR(st->st_mode)) {
        int below = open_dir(at, name);
        int names = openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        each_name(below, remove_below, &names);
        close(names);
    }
    unlinkat(at, name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0);
}

void dir_remove(const char *path)
{
    AUTO(Fd) at = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return;
    each_name(open_dir(AT_FDCWD, path), remove_below, &at);
    rmdir(path);
}
