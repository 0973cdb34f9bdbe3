/* twins.c - notes whose keys differ only in case, found without going through a directory.
 *
 * A directory can be asked for a name, not for one that is like it.  So each note whose key is not
 * all lower case leaves a sign: cases/HASH, a small file with its name, where HASH is that of the
 * name in lower case.  `plan` then finds `Plan` by one look, and `PLAN` finds either.
 *
 * A sign is no more than that: whether the note lives is asked of the note.  It is made before the
 * note's first record and never synced; what a power loss takes is made again when the pad is
 * compared.  Two that are there all the same (made by hand, by git, in a copy) are both read, and
 * verify names them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "store/files/files.h"

#define DIRECTORY "cases"

enum { HASH_DIGITS = 32, PAGE = 1000 };

/* Relative to the pad. */
typedef struct Sign {
    char file[HASH_DIGITS + 1];
    char path[sizeof DIRECTORY + 1 + HASH_DIGITS];
} Sign;

static Sign sign_of(Str caseless)
{
    Sign s;
    snprintf(s.file, sizeof s.file, "%.*s", HASH_DIGITS, hash_hex(hash_of(caseless)).text);
    snprintf(s.path, sizeof s.path, DIRECTORY "/%s", s.file);
    return s;
}

/* The name a sign holds, or empty. */
static Str read_sign(Files *f, const Sign *s, Arena *into)
{
    char text[STORE_NAME_MAX + 2] = "";
    if (pad_read_small(f, s->path, text, sizeof text) < 0)
        return (Str){ 0 };
    Str name = arena_copy(into, str(text));
    return store_check_name(name, NULL) == JOT_OK && store_kind(name)->note ? name : (Str){ 0 };
}

static jot_status lives(Files *f, Str name, bool *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Record head;
    Err missing = { 0 };
    *out = false;
    jot_status st = files_head(&f->base, name, HEAD_MARK, &arena, &head, &missing);
    if (st == JOT_NOT_FOUND)
        return JOT_OK;
    TRY(err_pass(e, &missing, st));
    *out = mark_live(&head.mark);
    return JOT_OK;
}

jot_status twins_find(Files *f, Str name, Arena *into, Str *out, Err *e)
{
    bool living = false;
    *out = (Str){ 0 };
    if (!store_kind(name)->note || !f->wide)
        return JOT_OK;
    Str caseless = store_caseless(name, into);
    if (!str_eq(caseless, name) && store_check_name(caseless, NULL) == JOT_OK)
        TRY(lives(f, caseless, &living, e));
    if (living) {
        *out = caseless;
        return JOT_OK;
    }
    Sign sign = sign_of(caseless);
    Str other = read_sign(f, &sign, into);
    if (other.n == 0 || str_eq(other, name) || !str_eq(store_caseless(other, into), caseless))
        return JOT_OK;
    TRY(lives(f, other, &living, e));
    if (living)
        *out = other;
    return JOT_OK;
}

/* A failure costs no more than that a twin is found later. */
void twins_note(Files *f, Str name)
{
    AUTO(Arena) arena = { 0 };
    const Io *io = f->base.io;
    if (!store_kind(name)->note || !f->wide)
        return;
    Str caseless = store_caseless(name, &arena);
    Sign sign = sign_of(caseless);
    if (str_eq(caseless, name) || str_eq(read_sign(f, &sign, &arena), name))
        return;
    AUTO(Fd) dir = pad_open_dir(f, DIRECTORY, false);
    if (dir < 0) {
        clone_ignore(f, "/" DIRECTORY "/"); /* a pad of an older version has no such line */
        dir = pad_open_dir(f, DIRECTORY, true);
    }
    if (dir < 0)
        return;
    (void)io_unlink(io, dir, sign.file);
    AUTO(Fd) fd = io_open(io, dir, sign.file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd >= 0)
        (void)io_write_all(io, fd, name);
}

jot_status twins_note_all(Files *f, Err *e)
{
    char after[STORE_NAME_MAX + 1] = "";
    for (;;) {
        AUTO(Arena) arena = { 0 };
        Listing page;
        TRY(files_list(&f->base,
                       &(ListQuery){ .prefix = S("notes/"),
                                     .after = str(after),
                                     .limit = PAGE,
                                     .which = LIST_LIVE_NAMES },
                       &arena, &page, e));
        for (size_t i = 0; i < page.n; i++)
            twins_note(f, page.items[i].name);
        if (!page.more)
            return JOT_OK;
        snprintf(after, sizeof after, STR_FMT, STR_ARG(page.items[page.n - 1].name));
    }
}
