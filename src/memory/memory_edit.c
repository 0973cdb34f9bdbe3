/* memory_edit.c - the commands of the memory directory that change part of a file.
 *
 * Each reads, makes the new text, and writes on condition that the file is still
 * what was read; if it is not, it begins again.  So no edit is lost. */
#include <string.h>

#include "memory/doc.h"
#include "memory/memory_ask.h"
#include "memory/memory_dir.h"

enum { SNIPPET_LINES = 2 }; /* shown around a change */

typedef struct Change {
    Str text;    /* what becomes of the file */
    size_t line; /* where the change begins ... */
    size_t more; /* ... and how many line breaks it has */
} Change;

/* Put three pieces together; texts may hold NULs. */
static Str join(Arena *into, Str before, Str middle, Str behind)
{
    AUTO(Buf) all = { 0 };
    buf_add(&all, before);
    buf_add(&all, middle);
    buf_add(&all, behind);
    return arena_copy(into, buf_str(&all));
}

/* Read, change, write on condition that it is still what was read, and again if it is not. */
static jot_status rewrite(Ask *a, const Path *p, const char *error, const char *more,
                          jot_status (*make)(Ask *a, const Path *p, Str text, Change *out),
                          Change *out)
{
    for (int tries = 0;; tries++) {
        Doc doc;
        Found found;
        Err e = { 0 };
        TRY(ask_look(a, p, &doc, &found));
        if (found != FOUND_FILE)
            return ask_missing(a, error, p, more);
        TRY(ask_check_text(a, p, doc.text));
        TRY(make(a, p, doc.text, out));
        HashHex all = hash_hex(doc.mark.sha256);
        DocWrite w = { .text = out->text,
                       .meta = meta_kept(doc.meta, a->into),
                       .when = { .version = str(all.text) } };
        jot_status st = doc_write(a->m, p->stream, &w, a->into, &doc, &e);
        if (st != JOT_CONFLICT || tries + 1 == DOC_TRIES_MAX)
            return st == JOT_OK ? st : ask_say_err(a, st, &e);
    }
}

static jot_status not_unique(Ask *a, Str text, Str old)
{
    AUTO(Buf) said = { 0 };
    size_t line = 1, last = 0, n = 0, seen = 0;
    buf_add(&said, S("No replacement was performed. Multiple occurrences of old_str `"));
    buf_add(&said, old);
    buf_add(&said, S("` in lines: "));
    for (size_t at = 0; at + old.n <= text.n; at++) {
        const char *next = memmem(text.p + at, text.n - at, old.p, old.n);
        if (!next || ++n > DOC_PLACES_MAX)
            break;
        at = (size_t)(next - text.p);
        for (; seen < at; seen++)
            line += text.p[seen] == '\n';
        if (line != last)
            buf_addf(&said, "%s%zu", last ? ", " : "", line);
        last = line;
    }
    buf_add(&said, S(". Please ensure it is unique"));
    return ask_say_buf(a, JOT_INVALID, &said);
}

static jot_status make_replaced(Ask *a, const Path *p, Str text, Change *out)
{
    Str old = ask_member(a, "old_str"), fresh = ask_member(a, "new_str");
    const char *at = old.n && text.n ? memmem(text.p, text.n, old.p, old.n) : NULL;
    if (!at) {
        AUTO(Buf) said = { 0 };
        buf_add(&said, S("No replacement was performed, old_str `"));
        buf_add(&said, old);
        buf_addf(&said, "` did not appear verbatim in " STR_FMT ".", STR_ARG(p->shown));
        return ask_say_buf(a, JOT_INVALID, &said);
    }
    size_t offset = (size_t)(at - text.p);
    if (memmem(at + 1, text.n - offset - 1, old.p, old.n))
        return not_unique(a, text, old);
    out->text = join(a->into, str_slice(text, 0, offset), fresh, str_from(text, offset + old.n));
    out->line = ask_count_lines(str_slice(text, 0, offset));
    out->more = ask_count_lines(fresh) - 1;
    return JOT_OK;
}

jot_status ask_replace(Ask *a)
{
    Path p = { 0 };
    Change c = { 0 };
    AUTO(Buf) text = { 0 };
    TRY(ask_path(a, "path", &p));
    if (!json_is_string(json_object_get(a->command, "old_str")))
        return ask_say(a, JOT_INVALID, "Missing required parameter: old_str");
    TRY(rewrite(a, &p, "Error: ", ". Please provide a valid path.", make_replaced, &c));
    size_t from = c.line > SNIPPET_LINES ? c.line - SNIPPET_LINES : 1;
    size_t to = c.line + c.more + SNIPPET_LINES, lines = ask_count_lines(c.text);
    buf_add(&text, S("The memory file has been edited. Here is the snippet showing the change "
                     "(with line numbers):"));
    ask_number_lines(a, &text, c.text, from, to < lines ? to : lines, MEMORY_DIR_CHARS);
    return ask_say_buf(a, JOT_OK, &text);
}

static jot_status make_inserted(Ask *a, const Path *p, Str text, Change *out)
{
    json_int_t line = json_integer_value(json_object_get(a->command, "insert_line"));
    size_t lines = ask_count_lines(text);
    Str added = ask_member(a, "insert_text");
    (void)p;
    if (line < 0 || (size_t)line > lines)
        return ask_say(
            a, JOT_INVALID,
            "Error: Invalid `insert_line` parameter: %lld. It should be within the range of "
            "lines of the file: [0, %zu]",
            (long long)line, lines);
    if (str_ends(added, S("\n")))
        added.n--;
    size_t at = ask_line_start(text, (size_t)line + 1);
    /* Behind the last line the line break goes in front of what is added. */
    bool end = at > text.n;
    Str middle =
        end ? join(a->into, S("\n"), added, (Str){ 0 }) : join(a->into, added, S("\n"), (Str){ 0 });
    at = end ? text.n : at;
    out->text = join(a->into, str_slice(text, 0, at), middle, str_from(text, at));
    return JOT_OK;
}

jot_status ask_insert(Ask *a)
{
    Path p = { 0 };
    Change c = { 0 };
    TRY(ask_path(a, "path", &p));
    if (!json_is_integer(json_object_get(a->command, "insert_line")))
        return ask_say(a, JOT_INVALID, "Missing required parameter: insert_line");
    if (!json_is_string(json_object_get(a->command, "insert_text")))
        return ask_say(a, JOT_INVALID, "Missing required parameter: insert_text");
    TRY(rewrite(a, &p, "Error: ", "", make_inserted, &c));
    return ask_say(a, JOT_OK, "The file " STR_FMT " has been edited.", STR_ARG(p.shown));
}
