/* jail_hidden.c - what a confined command does not read of the machine: whatever not everybody may.
 *
 * A list of names could never be complete: each program keeps its keys under a name
 * of its own.  But it keeps them from other users, and that can be seen.  Root owns
 * most of these files and needs no privilege to read what it owns, nor does a
 * member of the file's group; so it is not the command's user that decides, but
 * whether others may read.
 *
 * A tree with more in it than is looked through is hidden as a whole.
 *
 * This is a list of what there was when the command began.  What comes later is
 * Landlock's, which allows what it has seen and nothing else (jail_landlock.c). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/sandbox/jail.h"

enum {
    LOOKED_AT_MAX = 400 * 1000, /* entries of one tree */
    HIDDEN_MAX = 1000,          /* paths of one tree */
    DEPTH_MAX = 64,
};

/* Where others than the system's packages put what they configure.  Programs in the rest of /usr
 * are everybody's. */
const char *const jail_secret_trees[] = { "/etc", "/opt", "/usr/local/etc", NULL };

typedef struct Walk {
    JailHidden *out;
    Arena *into;
    size_t looked_at, depth, first; /* `first` hidden path of this tree */
} Walk;

static void add(Walk *w, Str path)
{
    JailHidden *h = w->out;
    h->at = arena_grow(w->into, h->at, h->n, &h->cap, sizeof *h->at, alignof(Str));
    h->at[h->n++] = path;
}

static bool overflows(const Walk *w)
{
    return w->looked_at > LOOKED_AT_MAX || w->out->n - w->first > HIDDEN_MAX;
}

bool jail_is_for_all(const struct stat *info)
{
    unsigned need = S_ISDIR(info->st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
    return S_ISLNK(info->st_mode) || (info->st_mode & need) == need;
}

static void look_into(Walk *w, int at, const char *name, Str path);

static void look_at(Walk *w, int dir, const char *name, Str above)
{
    struct stat info;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
        fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    w->looked_at++;
    if (jail_is_for_all(&info) && !S_ISDIR(info.st_mode))
        return;
    Str path = arena_printf(w->into, "%s/%s", above.p, name);
    if (jail_is_for_all(&info) && w->depth < DEPTH_MAX)
        look_into(w, dir, name, path);
    else
        add(w, path);
}

static void look_into(Walk *w, int at, const char *name, Str path)
{
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    if (!d && fd >= 0)
        close(fd);
    if (!d) /* nobody can say what is in it */
        add(w, path);
    w->depth++;
    while (d && !overflows(w) && (entry = readdir(d)))
        look_at(w, dirfd(d), entry->d_name, path);
    w->depth--;
    if (d)
        closedir(d);
}

void jail_hidden(Arena *into, JailHidden *out)
{
    for (const char *const *tree = jail_secret_trees; *tree; tree++) {
        Walk w = { .out = out, .into = into, .first = out->n };
        struct stat info;
        if (lstat(*tree, &info) != 0 || !S_ISDIR(info.st_mode))
            continue;
        look_into(&w, AT_FDCWD, *tree, str(*tree));
        if (!overflows(&w))
            continue;
        out->n = w.first;
        add(&w, str(*tree));
    }
}
