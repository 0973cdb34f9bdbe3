/* memory_view.c - viewing the memory directory: a directory two levels deep, a file with line
 * numbers. */
#include <stdlib.h>

#include "memory/frame/tokens.h"
#include "tool/dialect/memory_ask.h"
#include "tool/dialect/memory_dir.h"

/* --- Directories ----------------------------------------------------------------------- */

/* 5B, 4K, 1.5K: whole numbers without a fraction, others with one digit of it. */
static Str size_text(const Ask *a, uint64_t bytes)
{
    static const char names[] = { 'B', 'K', 'M', 'G' };
    uint64_t unit = 1;
    size_t i = 0;
    for (; bytes / unit >= 1024 && i + 1 < sizeof names; i++)
        unit *= 1024;
    if (bytes % unit == 0)
        return arena_printf(a->into, "%llu%c", (unsigned long long)(bytes / unit), names[i]);
    uint64_t tenths = bytes * 10 / unit, rest = bytes * 10 % unit;
    /* What lies in the middle goes up, or to the even digit. */
    bool up = a->dialect == DIALECT_TYPESCRIPT || tenths % 2;
    tenths += rest > unit / 2 || (rest == unit / 2 && up);
    return arena_printf(a->into, "%llu.%llu%c", (unsigned long long)(tenths / 10),
                        (unsigned long long)(tenths % 10), names[i]);
}

/* Names are ordered segment by segment, by code points, or as JavaScript does by UTF-16: there all
 * beyond U+FFFF begin with a surrogate, and so come before U+E000. */
static int compare_files(const void *x, const void *y, void *dialect)
{
    Str a = ((const Listed *)x)->name, b = ((const Listed *)y)->name;
    bool utf16 = *(MemoryDialect *)dialect == DIALECT_TYPESCRIPT;
    size_t i = 0;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    int at[2] = { i < a.n ? (unsigned char)a.p[i] : 0, i < b.n ? (unsigned char)b.p[i] : 0 };
    for (int n = 0; n < 2; n++) {
        if (at[n] == '/')
            at[n] = 0;
        if (utf16 && (at[n] == 0xEE || at[n] == 0xEF)) /* U+E000 to U+FFFF */
            at[n] += 0x100;
    }
    return at[0] - at[1];
}

/* The bytes of all files whose names begin so. */
static uint64_t size_below(const Files *f, Str prefix)
{
    uint64_t all = 0;
    for (size_t i = 0; i < f->n; i++)
        all += str_starts(f->items[i].name, prefix) ? f->items[i].mark.size : 0;
    return all;
}

/* One line, unless the budget is used up. */
static bool list_line(const Ask *a, Buf *to, uint64_t size, Str shown, Str below)
{
    Str line = arena_printf(a->into, "\n" STR_FMT "\t" STR_FMT "/" STR_FMT,
                            STR_ARG(size_text(a, size)), STR_ARG(shown), STR_ARG(below));
    if (a->tokens && tokens_estimate(buf_str(to)) + tokens_estimate(line) + 40 > a->tokens)
        return false;
    buf_add(to, line);
    return true;
}

/* A directory that is looked at. */
typedef struct Looked {
    Files files;
    Str base;  /* what the names begin with: memories/a/ */
    Str shown; /* the path as it was said */
} Looked;

/* The directories of a file's path that the file before it did not have, then the file itself, if
 * they are at most two levels deep.  False: the budget is used up. */
static bool list_file(const Ask *a, Buf *to, const Looked *l, size_t i)
{
    const Listed *file = &l->files.items[i];
    Str before = i ? file[-1].name : (Str){ 0 };
    size_t from = l->base.n;
    for (int level = 1; level <= 2; level++) {
        Str rest = str_from(file->name, from);
        size_t slash = str_find(rest, '/');
        Str below = str_from(file->name, l->base.n);
        if (a->dialect != DIALECT_PYTHON && str_eq(str_slice(rest, 0, slash), S("node_modules")))
            return true;
        if (slash == rest.n)
            return list_line(a, to, file->mark.size, l->shown, below);
        from += slash + 1;
        Str dir = str_slice(file->name, 0, from);
        if (!str_starts(before, dir) &&
            !list_line(a, to, size_below(&l->files, dir), l->shown, str_from(dir, l->base.n)))
            return false;
    }
    return true;
}

static jot_status view_dir(Ask *a, const Path *p)
{
    Looked l = { .base = arena_printf(a->into, STR_FMT "/", STR_ARG(p->stream)),
                 .shown = p->shown };
    AUTO(Buf) text = { 0 };
    TRY(ask_files(a, p, &l.files));
    if (l.files.n)
        qsort_r(l.files.items, l.files.n, sizeof *l.files.items, compare_files, &a->dialect);
    buf_addf(&text,
             "Here're the files and directories up to 2 levels deep in " STR_FMT
             ", excluding hidden items%s:\n" STR_FMT "\t" STR_FMT,
             STR_ARG(p->shown), a->dialect == DIALECT_PYTHON ? "" : " and node_modules",
             STR_ARG(size_text(a, size_below(&l.files, l.base))), STR_ARG(p->shown));
    for (size_t i = 0; i < l.files.n; i++)
        if (!list_file(a, &text, &l, i)) {
            buf_addf(&text, "\n[there are more: %zu of %zu files looked at; view a directory]", i,
                     l.files.n);
            break;
        }
    return ask_say_buf(a, JOT_OK, &text);
}

/* --- Files ----------------------------------------------------------------------------- */

/* Which lines are asked for; none if *to is less than *from.  As the SDKs have it: a range that is
 * no pair counts for nothing, it begins at the first line at the earliest, and -1 is the last. */
static void range_of(const Ask *a, size_t lines, size_t *from, size_t *to)
{
    const json_t *range = json_object_get(a->command, "view_range");
    json_int_t first = json_integer_value(json_array_get(range, 0));
    json_int_t last = json_integer_value(json_array_get(range, 1)), all = (json_int_t)lines;
    *from = 1;
    *to = lines;
    if (json_array_size(range) != 2)
        return;
    if (last < -1) /* counted from the end, without the line it names */
        last = last < -all ? 0 : all + last;
    *from = first < 1 ? 1 : (size_t)first;
    *to = last == -1 || last > all ? lines : (size_t)last;
}

static jot_status too_many(Ask *a, const Path *p, size_t lines)
{
    if (a->dialect == DIALECT_TYPESCRIPT)
        return ask_say(a, JOT_TOO_BIG,
                       "File " STR_FMT " has too many lines (%zu). Maximum is 999,999 lines.",
                       STR_ARG(p->shown), lines);
    return ask_say(a, JOT_TOO_BIG, "File " STR_FMT " exceeds maximum line limit of 999,999 lines.",
                   STR_ARG(p->shown));
}

static jot_status view_file(Ask *a, const Path *p, Str content)
{
    AUTO(Buf) text = { 0 };
    size_t lines = ask_count_lines(content), from, to;
    TRY(ask_check_text(a, p, content));
    if (lines > MEMORY_DIR_LINES_MAX)
        return too_many(a, p, lines);
    range_of(a, lines, &from, &to);
    buf_addf(&text, "Here's the content of " STR_FMT " with line numbers:", STR_ARG(p->shown));
    if (from > to || from > lines) {
        buf_add_char(&text, '\n');
        return ask_say_buf(a, JOT_OK, &text);
    }
    size_t last = ask_number_lines(a, &text, content, from, to, MEMORY_DIR_CHARS);
    if (last < to)
        buf_addf(&text, "\n[truncated: lines %zu-%zu of %zu; continue with view_range [%zu, -1]]",
                 from, last, lines, last + 1);
    return ask_say_buf(a, JOT_OK, &text);
}

jot_status ask_view(Ask *a)
{
    Path p = { 0 };
    Doc doc;
    Found found;
    TRY(ask_path(a, "path", &p));
    TRY(ask_look(a, &p, &doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, &p, ". Please provide a valid path.");
    return found == FOUND_DIR ? view_dir(a, &p) : view_file(a, &p, doc.text);
}
