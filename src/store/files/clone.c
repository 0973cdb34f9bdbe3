/* clone.c - what git carries of a pad, and opening what it brought.
 *
 * In git go the files people see, `format` and `.gitignore`; the history stays on the machine
 * that made it.  So a clone has views without streams, and older pads kept `format` out of git,
 * too: a directory that has a pad's views is a pad, with or without `format`.
 *
 * `format` can also go: a checkout of a branch without the pad takes all that git knows of it
 * and leaves the streams.  What it said is kept once more in `.format`, which git ignores, by the
 * first handle that may write here.  Whether names ignore case is looked at then, too: `format` may
 * come from a file system where they do not.  Where they do, in one place of many, they do in all.
 *
 * Reading makes neither: git would refuse the next checkout because of a file it does not know.
 * A pad without `format` is read without locks and as one that may not be written; whoever opens
 * it to write gives it one. */
#include <errno.h>
#include <string.h>

#include "store/files/files.h"

#define IGNORE ".gitignore"
#define CASEFOLD " casefold"

/* What is not for merging when a pad is kept in git. */
#define IGNORE_HEAD "# Not content: what Jotter derives, and its history.\n"
static const char ignore_text[] = IGNORE_HEAD
    "/streams/\n/runs/\n/index/\n/logs/\n/tasks/\n/quarantine/\n/.format\n/id\n/checked\n/recent\n"
    "/heads\n"
    "/index.d/\n/cases/\n/drafts/\n/.checking\n.*.new\n";

enum { IGNORE_MAX = 64 * 1024 };

int clone_keep_format(Files *f, Str format)
{
    return pad_install(f, FORMAT_KEPT, format);
}

bool clone_read_kept(Files *f, char to[FILES_FORMAT_BYTES])
{
    return pad_read_small(f, FORMAT_KEPT, to, FILES_FORMAT_BYTES) == 0 && to[0];
}

bool clone_has_views(const Names *names)
{
    static const char *const dirs[] = { "notes/", "memories/", "artifacts/", "cycles/", "shared/" };
    for (size_t i = 0; i < names->n; i++)
        for (size_t k = 0; k < COUNT_OF(dirs); k++)
            if (str_eq(names->items[i], str(dirs[k])))
                return true;
    return false;
}

/* The text of ours, in `room`; NULL: there is none, or somebody rewrote it. */
static const char *read_ignore(Files *f, Buf *room)
{
    char *read = buf_room(room, IGNORE_MAX);
    if (pad_read_small(f, IGNORE, read, IGNORE_MAX) < 0 || strlen(read) >= IGNORE_MAX - 1 ||
        strncmp(read, IGNORE_HEAD, strlen(IGNORE_HEAD)) != 0)
        return NULL;
    return read;
}

void clone_ignore(Files *f, const char *path)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) old = { .max = IGNORE_MAX };
    AUTO(Buf) text = { 0 };
    const char *read = read_ignore(f, &old);
    if (!read || strstr(read, arena_printf(&arena, "\n%s\n", path).p))
        return;
    buf_add(&text, str(read));
    buf_addf(&text, "%s%s\n", str_ends(str(read), S("\n")) ? "" : "\n", path);
    (void)pad_install(f, IGNORE, buf_str(&text));
}

/* Earlier versions kept `format` out of git.  Only the line goes: what people added stays. */
static void raise_ignore(Files *f)
{
    static const char line[] = "\n/format\n";
    AUTO(Buf) old = { .max = IGNORE_MAX };
    AUTO(Buf) text = { 0 };
    const char *read = read_ignore(f, &old), *at = read ? strstr(read, line) : NULL;
    if (!at)
        return;
    buf_add(&text, (Str){ read, (size_t)(at - read) });
    buf_add(&text, S("\n/.format\n"));
    buf_add(&text, str(at + strlen(line)));
    (void)pad_install(f, IGNORE, buf_str(&text));
}

int clone_prepare(Files *f, Str format)
{
    int got = clone_keep_format(f, format);
    if (got == 0)
        got = pad_install_new(f, IGNORE, str(ignore_text));
    if (got == -EEXIST)
        raise_ignore(f);
    return got == -EEXIST ? 0 : got;
}

/* `format` as it stands, but with what this file system does to names: it may come from another. */
static void first_opening(Files *f)
{
    AUTO(Arena) arena = { 0 };
    char format[FILES_FORMAT_BYTES];
    if (pad_read_small(f, "format", format, sizeof format) < 0)
        return;
    f->folds = f->folds || pad_probe_folding(f);
    Str more = str(format), first; /* the second line says where the notes are */
    if (!str_cut(&more, '\n', &first)) {
        first = more;
        more = (Str){ 0 };
    }
    first.n -= str_ends(first, S(CASEFOLD)) ? strlen(CASEFOLD) : 0;
    Str text = arena_printf(&arena, STR_FMT "%s\n" STR_FMT, STR_ARG(first),
                            f->folds ? CASEFOLD : "", STR_ARG(more));
    if (clone_keep_format(f, text) == 0)
        raise_ignore(f);
}

void clone_settle(Files *f, bool writes)
{
    char kept[FILES_FORMAT_BYTES];
    if (clone_read_kept(f, kept))
        f->folds = f->folds || strstr(kept, CASEFOLD);
    else if (writes)
        first_opening(f);
}
