/* memory_ask.c - what the commands of the memory directory share: answers, paths, lines. */
#include "tool/dialect/memory_ask.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/frame/tokens.h"
#include "tool/dialect/memory_dir.h"

#define ROOT "/memories"

jot_status ask_say(Ask *a, jot_status st, const char *fmt, ...)
{
    char line[4096]; /* two paths of the longest kind and the words around them */
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    a->text = arena_copy(a->into, str(line));
    /* What was cut in the middle of a character ends before it. */
    a->text.n = utf8_bad_at(a->text);
    return st;
}

jot_status ask_say_buf(Ask *a, jot_status st, const Buf *text)
{
    a->text = arena_copy(a->into, buf_str(text));
    return st;
}

jot_status ask_say_err(Ask *a, jot_status st, const Err *e)
{
    if (st != JOT_DENIED)
        return ask_say(a, st, "%s", e->text);
    if (a->dialect == DIALECT_TYPESCRIPT)
        return ask_say(a, st, "Path would escape /memories directory via symlink: %s", e->text);
    return ask_say(a, st, "Path " STR_FMT " would escape /memories directory: %s", STR_ARG(a->at),
                   e->text);
}

Str ask_member(const Ask *a, const char *name)
{
    return json_str(json_object_get(a->command, name));
}

/* --- Paths ----------------------------------------------------------------------------- */

/* What means ".." to some other program than this one. */
static bool disguised(Str path)
{
    return memmem(path.p, path.n, "..\\", 3) || memmem(path.p, path.n, "%2e", 3) ||
           memmem(path.p, path.n, "%2E", 3);
}

/* One segment after what there is so far.  False: it leads out of everything. */
static bool enter(Buf *to, Str segment)
{
    if (segment.n == 0 || str_eq(segment, S(".")))
        return true;
    if (str_eq(segment, S(".."))) {
        size_t slash = str_find_last(buf_str(to), '/');
        bool inside = to->n > 0;
        to->n = slash < to->n ? slash : 0;
        return inside;
    }
    if (to->n)
        buf_add_char(to, '/');
    buf_add(to, segment);
    return true;
}

/* Where a path leads: memories, or something below it.  False: somewhere else. */
static bool resolve(Str path, Arena *into, Str *out)
{
    AUTO(Buf) to = { 0 };
    Str rest = path, segment;
    while (str_cut(&rest, '/', &segment))
        if (!enter(&to, segment))
            return false;
    if (!enter(&to, rest))
        return false;
    *out = arena_copy(into, buf_str(&to));
    return str_eq(*out, S("memories")) || str_starts(*out, S("memories/"));
}

jot_status ask_path(Ask *a, const char *name, Path *out)
{
    const json_t *value = json_object_get(a->command, name);
    Str path = json_str(value);
    Err e = { 0 };
    if (!json_is_string(value))
        return ask_say(a, JOT_INVALID, "Missing required parameter: %s", name);
    *out = (Path){ .shown = path };
    if (!str_eq(path, S(ROOT)) && !str_starts(path, S(ROOT "/")))
        return ask_say(a, JOT_INVALID, "Path must start with /memories, got: " STR_FMT,
                       STR_ARG(path));
    if (disguised(path) || !resolve(path, a->into, &out->stream))
        return ask_say(a, JOT_INVALID, "Path " STR_FMT " would escape /memories directory",
                       STR_ARG(path));
    out->root = str_eq(out->stream, S("memories"));
    if (!out->root && store_check_name(out->stream, &e) != JOT_OK)
        out->refused = arena_copy(a->into, str(e.text));
    return JOT_OK;
}

jot_status ask_refused(Ask *a, const Path *p)
{
    return ask_say(a, JOT_INVALID, "Invalid path " STR_FMT ": " STR_FMT, STR_ARG(p->shown),
                   STR_ARG(p->refused));
}

jot_status ask_look(Ask *a, const Path *p, Doc *doc, Found *out)
{
    Err e = { 0 };
    Listing below;
    a->at = p->shown;
    *out = p->root ? FOUND_DIR : FOUND_NOTHING;
    if (p->root || p->refused.n)
        return JOT_OK;
    jot_status st = doc_present(a->m, p->stream, a->into, doc, &e);
    if (st != JOT_OK)
        return ask_say_err(a, st, &e);
    if (mark_live(&doc->mark)) {
        *out = FOUND_FILE;
        return JOT_OK;
    }
    Str prefix = arena_printf(a->into, STR_FMT "/", STR_ARG(p->stream));
    st = store_list(a->m->store, &(ListQuery){ .prefix = prefix, .limit = 1 }, a->into, &below, &e);
    if (st != JOT_OK)
        return ask_say_err(a, st, &e);
    *out = below.n ? FOUND_DIR : FOUND_NOTHING;
    return JOT_OK;
}

jot_status ask_missing(Ask *a, const Path *p, const char *more)
{
    return ask_say(a, JOT_NOT_FOUND, "The path " STR_FMT " does not exist%s", STR_ARG(p->shown),
                   more);
}

/* --- Directories ----------------------------------------------------------------------- */

static jot_status add_file(void *ctx, const Listed *l)
{
    Files *f = ctx;
    if (f->n == MEMORY_DIR_FILES_MAX)
        return JOT_TOO_BIG;
    f->items = arena_grow(f->into, f->items, f->n, &f->cap, sizeof *f->items, alignof(Listed));
    f->items[f->n++] = (Listed){ .name = arena_copy(f->into, l->name), .mark = l->mark };
    return JOT_OK;
}

jot_status ask_files(Ask *a, const Path *p, Files *out)
{
    Err e = { 0 };
    *out = (Files){ .into = a->into };
    Str prefix = arena_printf(a->into, STR_FMT "/", STR_ARG(p->stream));
    jot_status st = memory_each(a->m, prefix, LIST_LIVE, add_file, out, &e);
    if (st == JOT_TOO_BIG)
        return ask_say(a, st, "The directory " STR_FMT " has more than %d files", STR_ARG(p->shown),
                       MEMORY_DIR_FILES_MAX);
    return st == JOT_OK ? st : ask_say_err(a, st, &e);
}

/* --- Files ----------------------------------------------------------------------------- */

jot_status ask_check_text(Ask *a, const Path *p, Str text)
{
    size_t bad = utf8_bad_at(text);
    if (bad == text.n)
        return JOT_OK;
    return ask_say(a, JOT_UNSUPPORTED,
                   "File " STR_FMT " is not UTF-8 text: byte %zu is the first bad one",
                   STR_ARG(p->shown), bad);
}

size_t ask_count_lines(Str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* Where a line (from 1 on) begins; text.n + 1 after the last. */
size_t ask_line_start(Str text, size_t line)
{
    size_t at = 0;
    while (line > 1 && at <= text.n) {
        Str rest = str_from(text, at);
        at += str_find(rest, '\n') + 1;
        line--;
    }
    return at;
}

/* Lines `from` to `to`, numbered, while they fit; the number of the last one. */
size_t ask_number_lines(Ask *a, Buf *to, Str text, size_t from, size_t end, size_t chars)
{
    size_t at = ask_line_start(text, from), tokens = tokens_estimate(buf_str(to)), line = from;
    for (; line <= end && at <= text.n; line++) {
        Str rest = str_from(text, at);
        Str one = str_slice(rest, 0, str_find(rest, '\n'));
        size_t n = utf8_count(one) + 1;
        AUTO(Buf) numbered = { .max = SIZE_MAX / 2 };
        buf_addf(&numbered, "\n%6zu\t", line);
        buf_add(&numbered, one);
        tokens += tokens_estimate(buf_str(&numbered));
        if (line > from && (n > chars || (a->tokens && tokens + 60 > a->tokens)))
            break;
        /* The first line is shown in part if it does not fit as a whole. */
        bool part = n > chars || (a->tokens && tokens + 60 > a->tokens);
        size_t fits = a->tokens > 120 ? a->tokens - 120 : 1;
        Str shown = part ? str_slice(one, 0, tokens_cut(one, a->tokens ? fits : chars / 4)) : one;
        buf_addf(to, "\n%6zu\t", line);
        buf_add(to, shown);
        if (part)
            buf_addf(to, "\n[line %zu is cut after %zu of %zu chars]", line, utf8_count(shown),
                     n - 1);
        chars = part ? 0 : chars - n;
        at += one.n + 1;
    }
    return line - 1;
}
