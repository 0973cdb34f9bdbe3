/* memory_dir.c - the commands of the memory directory.
 *
 * Each command is a function that ends with ask_say(): the answer and the status in
 * one.  The sentences in quotes are those of the SDKs and are not to be improved;
 * a caller that needs "Error: " before a refusal puts it there, as their runners do. */
#include "tool/dialect/memory_dir.h"

#include "tool/dialect/memory_ask.h"

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
    if (p.refused.n)
        return ask_refused(a, &p);
    TRY(ask_look(a, &p, &doc, &found));
    jot_status st = JOT_CONFLICT;
    if (found == FOUND_NOTHING)
        st = doc_write(a->m, p.stream, &w, a->into, &doc, &e);
    if (st == JOT_CONFLICT)
        return ask_say(a, st, "File " STR_FMT " already exists", STR_ARG(p.shown));
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
        return ask_missing(a, &p, "");
    if (found == FOUND_DIR)
        TRY(ask_files(a, &p, &f));
    else
        TRY(delete_one(a, p.stream));
    for (size_t i = 0; i < f.n; i++)
        TRY(delete_one(a, f.items[i].name));
    return ask_say(a, JOT_OK, "Successfully deleted " STR_FMT, STR_ARG(p.shown));
}

static jot_status taken(Ask *a, const Path *to)
{
    return ask_say(a, JOT_CONFLICT, "The destination " STR_FMT " already exists",
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
    TRY(ask_look(a, &to, &doc, &there));
    if (there != FOUND_NOTHING)
        return taken(a, &to);
    TRY(ask_look(a, &from, &doc, &found));
    if (found == FOUND_NOTHING)
        return ask_missing(a, &from, "");
    if (to.refused.n)
        return ask_refused(a, &to);
    Str below = arena_printf(a->into, STR_FMT "/", STR_ARG(from.stream));
    if (str_starts(to.stream, below))
        return ask_say(a, JOT_INVALID, "Cannot rename " STR_FMT " to a path inside itself",
                       STR_ARG(from.shown));
    if (found == FOUND_DIR)
        TRY(ask_files(a, &from, &f));
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
    { "view", ask_view },     { "create", create }, { "str_replace", ask_replace },
    { "insert", ask_insert }, { "delete", delete }, { "rename", rename_path },
};

jot_status memory_dialect(Str name, MemoryDialect *out, Err *e)
{
    static const char *const names[] = { "documented", "typescript", "python" };
    Shown shown;
    size_t i = 0;
    while (name.n && i < COUNT_OF(names) && !str_eq(name, str(names[i])))
        i++;
    if (i == COUNT_OF(names))
        return err_set(e, JOT_INVALID,
                       "there is no dialect '%s' of the memory tool: use documented, typescript or "
                       "python",
                       err_show(&shown, name));
    *out = (MemoryDialect)i;
    return JOT_OK;
}

jot_status memory_dir_call(Memory *m, const json_t *command, MemoryDialect dialect, size_t tokens,
                           Arena *into, Str *text)
{
    Ask a = { .m = m, .command = command, .dialect = dialect, .tokens = tokens, .into = into };
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
