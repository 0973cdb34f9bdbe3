/* memory_edit.c - the commands of the memory directory that change part of a file.
 *
 * Each reads, makes the new text, and writes on condition that the file is still
 * what was read; if it is not, it begins again.  So no edit is lost. */
#include <string.h>

#include "memory/doc/doc.h"
#include "tool/dialect/memory_ask.h"
#include "tool/dialect/memory_dir.h"

enum {
    SNIPPET_LINES = 2,  /* shown around the line where a change begins */
    PLACES_MAX = 10000, /* named when old_str is not unique */
};

typedef struct Change {
    Str text;    /* what becomes of the file */
    size_t line; /* where the change begins */
} Change;

typedef jot_status Make(Ask *a, const Path *p, Str text, Change *out);

/* Put three pieces together; texts may hold NULs. */
static Str join(Arena *into, Str before, Str middle, Str after)
{
    AUTO(Buf) all = { 0 };
    buf_add(&all, before);
    buf_add(&all, middle);
    buf_add(&all, after);
    return arena_copy(into, buf_str(&all));
}

/* The text of a file that is to be changed. */
static jot_status read_file(Ask *a, const Path *p, Doc *doc)
{
    Found found;
    TRY(ask_look(a, p, doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, p, ". Please provide a valid path.");
    if (found == FOUND_DIR)
        return ask_say(a, JOT_INVALID, "The path " STR_FMT " is not a file.", STR_ARG(p->shown));
    return ask_check_text(a, p, doc->text);
}

/* Read, change, write on condition that it is still what was read, and again if it is not. */
static jot_status rewrite(Ask *a, const Path *p, Make *make, Change *out)
{
    for (int tries = 0;; tries++) {
        Doc doc;
        Err e = { 0 };
        TRY(read_file(a, p, &doc));
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

/* --- Replacing ------------------------------------------------------------------------- */

/* Where `part`, which is not empty, stands from `at` on; text.n: nowhere. */
static size_t find(Str text, size_t at, Str part)
{
    Str rest = str_from(text, at);
    const char *found = part.n && rest.n ? memmem(rest.p, rest.n, part.p, part.n) : NULL;
    return found ? (size_t)(found - text.p) : text.n;
}

static jot_status not_there(Ask *a, const Path *p, Str old)
{
    AUTO(Buf) said = { 0 };
    buf_add(&said, S("No replacement was performed, old_str `"));
    buf_add(&said, old);
    buf_addf(&said, "` did not appear verbatim in " STR_FMT ".", STR_ARG(p->shown));
    return ask_say_buf(a, JOT_INVALID, &said);
}

static jot_status not_unique(Ask *a, Str text, Str old)
{
    AUTO(Buf) said = { 0 };
    size_t line = 1, last = 0, seen = 0, at = find(text, 0, old);
    buf_add(&said, S("No replacement was performed. Multiple occurrences of old_str `"));
    buf_add(&said, old);
    buf_add(&said, S("` in lines: "));
    for (int n = 0; at < text.n && n < PLACES_MAX; n++, at = find(text, at + 1, old)) {
        for (; seen < at; seen++)
            line += text.p[seen] == '\n';
        if (line != last || a->dialect == DIALECT_PYTHON)
            buf_addf(&said, "%s%zu", last ? ", " : "", line);
        last = line;
    }
    buf_add(&said, S(". Please ensure it is unique"));
    return ask_say_buf(a, JOT_INVALID, &said);
}

/* From where on a second place counts: after the first one, or on another line. */
static size_t next_from(const Ask *a, Str text, size_t at, Str old)
{
    if (a->dialect != DIALECT_TYPESCRIPT)
        return at + old.n;
    return at + str_find(str_from(text, at), '\n');
}

static jot_status make_replaced(Ask *a, const Path *p, Str text, Change *out)
{
    Str old = ask_member(a, "old_str"), fresh = ask_member(a, "new_str");
    size_t at = find(text, 0, old);
    bool over_lines = str_find(old, '\n') < old.n;
    if (at == text.n || (over_lines && a->dialect == DIALECT_TYPESCRIPT))
        return not_there(a, p, old);
    if (find(text, next_from(a, text, at, old), old) < text.n)
        return not_unique(a, text, old);
    out->text = join(a->into, str_slice(text, 0, at), fresh, str_from(text, at + old.n));
    out->line = ask_count_lines(str_slice(text, 0, at));
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
    TRY(rewrite(a, &p, make_replaced, &c));
    size_t from = c.line > SNIPPET_LINES ? c.line - SNIPPET_LINES : 1;
    size_t to = c.line + SNIPPET_LINES, lines = ask_count_lines(c.text);
    buf_add(&text, S("The memory file has been edited. Here is the snippet showing the change "
                     "(with line numbers):"));
    ask_number_lines(a, &text, c.text, from, to < lines ? to : lines, MEMORY_DIR_CHARS);
    return ask_say_buf(a, JOT_OK, &text);
}

/* --- Inserting ------------------------------------------------------------------------- */

static jot_status bad_line(Ask *a, json_int_t line, size_t lines)
{
    bool python = a->dialect == DIALECT_PYTHON;
    return ask_say(
        a, JOT_INVALID,
        "Invalid `insert_line` parameter: %lld. It should be within the range %s[0, %zu]%s",
        (long long)line, python ? "" : "of lines of the file: ", lines, python ? "." : "");
}

/* The text becomes a line of its own, and the end of the file stays what it was. */
static jot_status make_inserted(Ask *a, const Path *p, Str text, Change *out)
{
    json_int_t line = json_integer_value(json_object_get(a->command, "insert_line"));
    size_t lines = ask_count_lines(text);
    Str added = ask_member(a, "insert_text");
    (void)p;
    if (line < 0 || (size_t)line > lines)
        return bad_line(a, line, lines);
    if (str_ends(added, S("\n")))
        added.n--;
    size_t at = ask_line_start(text, (size_t)line + 1);
    /* After the last line the line break goes in front of what is added. */
    bool end = at > text.n;
    Str middle =
        end ? join(a->into, S("\n"), added, (Str){ 0 }) : join(a->into, added, S("\n"), (Str){ 0 });
    at = end ? text.n : at;
    out->text = join(a->into, str_slice(text, 0, at), middle, str_from(text, at));
    return JOT_OK;
}

/* The same, but every line ends in a line break: what comes after the last one is a line only if it
 * is something, and of two line breaks at the end one goes. */
static jot_status make_inserted_python(Ask *a, const Path *p, Str text, Change *out)
{
    json_int_t line = json_integer_value(json_object_get(a->command, "insert_line"));
    Str added = ask_member(a, "insert_text");
    AUTO(Buf) all = { 0 };
    (void)p;
    if (text.n && !str_ends(text, S("\n")))
        text = join(a->into, text, S("\n"), (Str){ 0 });
    size_t lines = ask_count_lines(text) - 1;
    if (line < 0 || (size_t)line > lines)
        return bad_line(a, line, lines);
    while (str_ends(added, S("\n")))
        added.n--;
    size_t at = ask_line_start(text, (size_t)line + 1);
    buf_add(&all, str_slice(text, 0, at));
    buf_add(&all, added);
    buf_add_char(&all, '\n');
    buf_add(&all, str_from(text, at));
    if (str_ends(buf_str(&all), S("\n\n")))
        all.n--;
    out->text = arena_copy(a->into, buf_str(&all));
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
    TRY(rewrite(a, &p, a->dialect == DIALECT_PYTHON ? make_inserted_python : make_inserted, &c));
    return ask_say(a, JOT_OK, "The file " STR_FMT " has been edited.", STR_ARG(p.shown));
}
