/* last_pad.c - which pad a directory had.
 *
 * A line is "HASH URL": the hash of the directory's path, so that the file does not
 * list where somebody worked, and the pad.  The newest come last. */
#include "cli/last_pad.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/home.h"
#include "base/url.h"

#define NAME "seen"

enum { HASH_SHOWN = 16 };

/* The key of the working directory: false if it has none. */
static bool find_key(char out[HASH_SHOWN + 1])
{
    char *here = getcwd(NULL, 0);
    if (!here)
        return false;
    snprintf(out, HASH_SHOWN + 1, "%.16s", hash_hex(hash_of(str(here))).text);
    free(here);
    return true;
}

/* The next line, as key and URL; false at the end. */
static bool next_line(Str *rest, Str *key, Str *url)
{
    if (!str_cut(rest, '\n', url))
        return false;
    if (!str_cut(url, ' ', key))
        *key = (Str){ 0 };
    return true;
}

static Str look_up(Str text, Str key)
{
    Str found = { 0 }, at, url;
    while (next_line(&text, &at, &url))
        if (str_eq(at, key))
            found = url;
    return found;
}

static Str read_pads(Session *s)
{
    Str text = { 0 };
    Err ignored = { 0 };
    jot_status st = home_read(&io_system, HOME_STATE, NAME, &s->arena, &text, &ignored);
    return st == JOT_OK ? text : (Str){ 0 };
}

/* The lines but the one of this key, the oldest left out if there are too many, and a new one. */
static void keep(Session *s, Str key)
{
    AUTO(Buf) text = { .max = HOME_FILE_MAX };
    Err ignored = { 0 };
    Fd lock = FD_NONE;
    if (home_lock(&io_system, HOME_STATE, &lock, &ignored) != JOT_OK)
        return;
    Str old = read_pads(s), rest = old, at, url;
    size_t n = 1;
    while (next_line(&rest, &at, &url))
        n += at.n && !str_eq(at, key);
    while (next_line(&old, &at, &url))
        if (at.n && !str_eq(at, key) && n-- <= LAST_PADS_MAX)
            buf_addf(&text, STR_FMT " " STR_FMT "\n", STR_ARG(at), STR_ARG(url));
    buf_addf(&text, STR_FMT " " STR_FMT "\n", STR_ARG(key),
             STR_ARG(url_bare(&s->arena, s->where.url)));
    if (buf_ok(&text) &&
        home_write(&io_system, HOME_STATE, NAME, buf_str(&text), &ignored) != JOT_OK)
        ignored = (Err){ 0 }; /* nothing depends on it */
    home_unlock(&io_system, &lock);
}

static void look(Session *s, bool tell)
{
    char key[HASH_SHOWN + 1];
    Str url = url_bare(&s->arena, s->where.url);
    if (s->where.named || str_find(url, '\n') < url.n || !find_key(key))
        return;
    Str before = look_up(read_pads(s), str(key));
    if (str_eq(before, url))
        return;
    Shown now, then;
    if (before.n && tell)
        say("the pad of this directory is now '%s', because %s; it was '%s' the last time",
            err_show(&now, url), s->where.why, err_show(&then, before));
    keep(s, str(key));
}

void last_pad_check(Session *s)
{
    look(s, true);
}

void last_pad_keep(Session *s)
{
    look(s, false);
}
