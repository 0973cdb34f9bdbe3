/* memory_dir.c - the commands of the memory directory.
 *
 * Each command is a function that ends with ask_say(): the answer and the status in
 * one.  The sentences in quotes are the documented ones and are not to be
 * improved. */
#include "memory/memory_dir.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/doc.h"
#include "memory/memory_ask.h"
#include "memory/tokens.h"

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
    return ask_say(a, st, "%s", e->text);
}

Str ask_member(const Ask *a, const char *name)
{
    return json_str(json_object_get(a->command, name));
}

/* --- Paths ----------------------------------------------------------------------------- */

static bool mentions_parent(Str path)
{
    Str rest = path, segment;
    while (str_cut(&rest, '/', &segment))
        if (str_eq(segment, S("..")))
            return true;
    return str_eq(rest, S("..")) || memmem(path.p, path.n, "..\\", 3) ||
           memmem(path.p, path.n, "%2e", 3) || memmem(path.p, path.n, "%2E", 3);
}

jot_status ask_path(Ask *a, const char *name, Path *out)
{
    const json_t *value = json_object_get(a->command, name);
    Str path = json_str(value);
    Err e = { 0 };
    if (!json_is_string(value))
        return ask_say(a, JOT_INVALID, "Missing required parameter: %s", name);
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    *out = (Path){ .shown = path, .root = str_eq(path, S(ROOT)) };
    if (!out->root && !str_starts(path, S(ROOT "/")))
        return ask_say(a, JOT_INVALID, "Path must start with /memories, got: " STR_FMT,
                       STR_ARG(path));
    if (mentions_parent(path))
        return ask_say(a, JOT_INVALID, "Path " STR_FMT " would escape /memories directory",
                       STR_ARG(path));
    out->stream = str_from(path, 1);
    if (!out->root && store_check_name(out->stream, &e) != JOT_OK)
        return ask_say(a, JOT_INVALID, "Invalid path " STR_FMT ": %s", STR_ARG(path), e.text);
    return JOT_OK;
}

jot_status ask_look(Ask *a, const Path *p, Doc *doc, Found *out)
{
    Err e = { 0 };
    Listing below;
    *out = p->root ? FOUND_DIR : FOUND_NOTHING;
    if (p->root)
        return JOT_OK;
    jot_status st = doc_present(a->m, p->stream, a->into, doc, &e);
    if (st != JOT_OK)
        return ask_say_err(a, st, &e);
    if (mark_live(&doc->mark)) {
        *out = FOUND_FILE;
        return JOT_OK;
    }
    Str prefix = arena_printf(a->into, STR_FMT "/", STR_ARG(p->stream));
    st = store_list(a->m->store, prefix, (Str){ 0 }, 1, LIST_LIVE, a->into, &below, &e);
    if (st != JOT_OK)
        return ask_say_err(a, st, &e);
    *out = below.n ? FOUND_DIR : FOUND_NOTHING;
    return JOT_OK;
}

/* --- Directories ----------------------------------------------------------------------- */

typedef struct Files {
    Arena *into;
    Listed *items;
    size_t n, cap;
} Files;

static jot_status add_file(void *ctx, const Listed *l)
{
    Files *f = ctx;
    if (f->n == MEMORY_DIR_FILES_MAX)
        return JOT_TOO_BIG;
    f->items = arena_grow(f->into, f->items, f->n, &f->cap, sizeof *f->items, alignof(Listed));
    f->items[f->n++] = (Listed){ .name = arena_copy(f->into, l->name), .mark = l->mark };
    return JOT_OK;
}

/* All files below a directory, in byte order. */
static jot_status files_below(Ask *a, const Path *p, Files *out)
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

static Str size_text(Arena *into, uint64_t bytes)
{
    static const char units[] = { 'K', 'M', 'G' };
    double size = (double)bytes / 1024;
    size_t unit = 0;
    if (bytes < 1024)
        return arena_printf(into, "%lluB", (unsigned long long)bytes);
    for (; size >= 1024 && unit + 1 < sizeof units; unit++)
        size /= 1024;
    return arena_printf(into, "%.1f%c", size, units[unit]);
}

/* The bytes of all files whose names begin so. */
static uint64_t size_below(const Files *f, Str prefix)
{
    uint64_t all = 0;
    for (size_t i = 0; i < f->n; i++)
        all += str_starts(f->items[i].name, prefix) ? f->items[i].mark.size : 0;
    return all;
}

static bool hidden(Str below)
{
    Str rest = below, segment;
    while (str_cut(&rest, '/', &segment))
        if (str_eq(segment, S("node_modules")))
            return true;
    return false;
}

/* One line, unless the budget is used up. */
static bool list_line(Ask *a, Buf *to, uint64_t size, Str stream)
{
    Str line = arena_printf(a->into, "\n" STR_FMT "\t/" STR_FMT, STR_ARG(size_text(a->into, size)),
                            STR_ARG(stream));
    if (a->tokens && tokens_estimate(buf_str(to)) + tokens_estimate(line) + 40 > a->tokens)
        return false;
    buf_add(to, line);
    return true;
}

/* The directories of a file's path that the file before it did not have, then the file itself, if
 * they are at most two levels deep. */
static bool list_file(Ask *a, Buf *to, const Files *f, size_t i, Str base)
{
    Str name = f->items[i].name, before = i ? f->items[i - 1].name : (Str){ 0 };
    size_t from = base.n;
    for (int level = 1; level <= 2; level++) {
        Str rest = str_from(name, from);
        size_t slash = str_find(rest, '/');
        if (slash == rest.n)
            return list_line(a, to, f->items[i].mark.size, name);
        Str dir = str_slice(name, 0, from + slash + 1);
        if (!str_starts(before, dir) &&
            !list_line(a, to, size_below(f, dir), str_slice(dir, 0, dir.n - 1)))
            return false;
        from += slash + 1;
    }
    return true;
}

static jot_status view_dir(Ask *a, const Path *p)
{
    Files f;
    AUTO(Buf) text = { 0 };
    TRY(files_below(a, p, &f));
    Str base = arena_printf(a->into, STR_FMT "/", STR_ARG(p->stream));
    buf_addf(&text,
             "Here're the files and directories up to 2 levels deep in " STR_FMT
             ", excluding hidden items and node_modules:\n" STR_FMT "\t" STR_FMT,
             STR_ARG(p->shown), STR_ARG(size_text(a->into, size_below(&f, base))),
             STR_ARG(p->shown));
    for (size_t i = 0; i < f.n; i++) {
        if (hidden(str_from(f.items[i].name, base.n)))
            continue;
        if (!list_file(a, &text, &f, i, base)) {
            buf_addf(&text, "\n[there are more: %zu of %zu files looked at; view a directory]", i,
                     f.n);
            break;
        }
    }
    return ask_say_buf(a, JOT_OK, &text);
}

/* --- Files ----------------------------------------------------------------------------- */

size_t ask_count_lines(Str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* Where a line (from 1 on) begins; text.n + 1 behind the last. */
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
        tokens += tokens_estimate(one) + 4;
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

static jot_status range_of(Ask *a, size_t lines, size_t *from, size_t *to)
{
    const json_t *range = json_object_get(a->command, "view_range");
    *from = 1;
    *to = lines;
    if (!range || json_is_null(range))
        return JOT_OK;
    json_int_t first = json_integer_value(json_array_get(range, 0));
    json_int_t last = json_integer_value(json_array_get(range, 1));
    if (json_array_size(range) != 2 || first < 1 || (size_t)first > lines ||
        (last != -1 && last < first))
        return ask_say(
            a, JOT_INVALID,
            "Invalid `view_range` parameter: it must be [first, last] within the lines of "
            "the file: [1, %zu], or [first, -1]",
            lines);
    *from = (size_t)first;
    *to = last == -1 || (size_t)last > lines ? lines : (size_t)last;
    return JOT_OK;
}

jot_status ask_check_text(Ask *a, const Path *p, Str text)
{
    size_t bad = utf8_bad_at(text);
    if (bad == text.n)
        return JOT_OK;
    return ask_say(a, JOT_UNSUPPORTED,
                   "File " STR_FMT " is not UTF-8 text: byte %zu is the first bad one",
                   STR_ARG(p->shown), bad);
}

static jot_status view_file(Ask *a, const Path *p, Str content)
{
    AUTO(Buf) text = { 0 };
    size_t lines = ask_count_lines(content), from, to;
    TRY(ask_check_text(a, p, content));
    if (lines > MEMORY_DIR_LINES_MAX)
        return ask_say(a, JOT_TOO_BIG,
                       "File " STR_FMT " exceeds maximum line limit of 999,999 lines.",
                       STR_ARG(p->shown));
    TRY(range_of(a, lines, &from, &to));
    buf_addf(&text, "Here's the content of " STR_FMT " with line numbers:", STR_ARG(p->shown));
    size_t last = ask_number_lines(a, &text, content, from, to, MEMORY_DIR_CHARS);
    if (last < to)
        buf_addf(&text, "\n[truncated: lines %zu-%zu of %zu; go on with view_range [%zu, -1]]",
                 from, last, lines, last + 1);
    return ask_say_buf(a, JOT_OK, &text);
}

jot_status ask_missing(Ask *a, const char *error, const Path *p, const char *more)
{
    return ask_say(a, JOT_NOT_FOUND, "%sThe path " STR_FMT " does not exist%s", error,
                   STR_ARG(p->shown), more);
}

static jot_status view(Ask *a)
{
    Path p = { 0 };
    Doc doc;
    Found found;
    TRY(ask_path(a, "path", &p));
    TRY(ask_look(a, &p, &doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, "", &p, ". Please provide a valid path.");
    return found == FOUND_DIR ? view_dir(a, &p) : view_file(a, &p, doc.text);
}

static jot_status create(Ask *a)
{
    Path p = { 0 };
    Doc doc;
    Found found;
    Err e = { 0 };
    DocWrite w = { .text = ask_member(a, "file_text"), .when = { .absent = true } };
    TRY(ask_path(a, "path", &p));
    if (!json_is_string(json_object_get(a->command, "file_text")))
        return ask_say(a, JOT_INVALID, "Missing required parameter: file_text");
    TRY(ask_look(a, &p, &doc, &found));
    jot_status st = JOT_CONFLICT;
    if (found == FOUND_NOTHING)
        st = doc_write(a->m, p.stream, &w, a->into, &doc, &e);
    if (st == JOT_CONFLICT)
        return ask_say(a, st, "Error: File " STR_FMT " already exists", STR_ARG(p.shown));
    if (st != JOT_OK)
        return ask_say_err(a, st, &e);
    return ask_say(a, st, "File created successfully at: " STR_FMT, STR_ARG(p.shown));
}

/* --- Deleting and renaming ------------------------------------------------------------- */

static jot_status delete_one(Ask *a, Str stream)
{
    Doc out;
    Err e = { 0 };
    jot_status st = doc_delete(a->m, stream, NULL, a->into, &out, &e);
    return st == JOT_OK || st == JOT_NOT_FOUND ? JOT_OK : ask_say_err(a, st, &e);
}

static jot_status delete (Ask *a)
{
    Path p = { 0 };
    Doc doc;
    Found found;
    Files f = { 0 };
    TRY(ask_path(a, "path", &p));
    if (p.root)
        return ask_say(a, JOT_INVALID, "Cannot delete the /memories directory itself");
    TRY(ask_look(a, &p, &doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, "Error: ", &p, "");
    if (found == FOUND_DIR)
        TRY(files_below(a, &p, &f));
    else
        TRY(delete_one(a, p.stream));
    for (size_t i = 0; i < f.n; i++)
        TRY(delete_one(a, f.items[i].name));
    return ask_say(a, JOT_OK, "Successfully deleted " STR_FMT, STR_ARG(p.shown));
}

static jot_status taken(Ask *a, const Path *to)
{
    return ask_say(a, JOT_CONFLICT, "Error: The destination " STR_FMT " already exists",
                   STR_ARG(to->shown));
}

static jot_status move_one(Ask *a, Str from, Str to, const Path *target)
{
    Doc out;
    Err e = { 0 };
    jot_status st = doc_move(a->m, from, to, a->into, &out, &e);
    if (st == JOT_CONFLICT)
        return taken(a, target);
    return st == JOT_OK ? st : ask_say_err(a, st, &e);
}

static jot_status rename_path(Ask *a)
{
    Path from = { 0 }, to = { 0 };
    Doc doc;
    Found found, there;
    Files f = { 0 };
    TRY(ask_path(a, "old_path", &from));
    TRY(ask_path(a, "new_path", &to));
    if (from.root)
        return ask_say(a, JOT_INVALID, "Cannot rename the /memories directory itself");
    TRY(ask_look(a, &from, &doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, "Error: ", &from, "");
    TRY(ask_look(a, &to, &doc, &there));
    if (there != FOUND_NOTHING)
        return taken(a, &to);
    Str below = arena_printf(a->into, STR_FMT "/", STR_ARG(from.stream));
    if (str_starts(to.stream, below))
        return ask_say(a, JOT_INVALID, "Cannot rename " STR_FMT " to a path inside itself",
                       STR_ARG(from.shown));
    if (found == FOUND_DIR)
        TRY(files_below(a, &from, &f));
    else
        TRY(move_one(a, from.stream, to.stream, &to));
    for (size_t i = 0; i < f.n; i++) {
        Str name = f.items[i].name, rest = str_from(name, from.stream.n);
        Str target = arena_printf(a->into, STR_FMT STR_FMT, STR_ARG(to.stream), STR_ARG(rest));
        TRY(move_one(a, name, target, &to));
    }
    return ask_say(a, JOT_OK, "Successfully renamed " STR_FMT " to " STR_FMT, STR_ARG(from.shown),
                   STR_ARG(to.shown));
}

/* --- The commands ---------------------------------------------------------------------- */

static const struct Row {
    const char *name;
    jot_status (*run)(Ask *a);
} rows[] = {
    { "view", view },         { "create", create }, { "str_replace", ask_replace },
    { "insert", ask_insert }, { "delete", delete }, { "rename", rename_path },
};

jot_status memory_dir_call(Memory *m, const json_t *command, size_t tokens, Arena *into, Str *text)
{
    Ask a = { .m = m, .command = command, .tokens = tokens, .into = into };
    Str name = ask_member(&a, "command");
    Shown shown;
    jot_status st = JOT_INVALID;
    size_t i = 0;
    while (i < COUNT_OF(rows) && !str_eq(name, str(rows[i].name)))
        i++;
    if (i < COUNT_OF(rows))
        st = rows[i].run(&a);
    else
        st = ask_say(
            &a, st, "Unknown command '%s': use view, create, str_replace, insert, delete or rename",
            err_show(&shown, name));
    *text = a.text;
    return st;
}
