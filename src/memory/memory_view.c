/* memory_view.c - viewing the memory directory: a directory two levels deep, a file with line
 * numbers. */
#include "memory/memory_ask.h"
#include "memory/memory_dir.h"
#include "memory/tokens.h"

/* --- Directories ----------------------------------------------------------------------- */

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
    TRY(ask_files(a, p, &f));
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

jot_status ask_view(Ask *a)
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
