/* cmd_note.c - documents from the shell: write, append, read, delete, move. */
#include <unistd.h>

#include "base/utf8.h"
#include "cli/docs.h"
#include "cli/when.h"
#include "memory/cycle/cycle_log.h"
#include "memory/frame/excerpt.h"

extern const Cmd cmd_write, cmd_append, cmd_read, cmd_delete, cmd_move;

#define KEY_HELP                                                                                \
    "A key is letters and digits of any script, blanks and _-.,+=@, in folders with /: plan,\n" \
    "ideas/2026 trip.  Other documents are given by their whole name: memories/a.md,\n"         \
    "artifacts/planning/plan_001, cycles/default.\n"

#define TEXT_HELP                                                                              \
    "Without TEXT it is read from standard input, or from --file.  TEXT is one line: a line\n" \
    "break is added.\n"

/* --- Writing --------------------------------------------------------------------------- */

static jot_status run_write(Session *s)
{
    Str stream;
    DocWrite w = { .merge = opt_given(s, "merge") };
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_if(s, &w.when));
    w.when.absent = opt_given(s, "if-absent");
    if (conflict_check(&w, &s->err) != JOT_OK)
        return err_next(&s->err, w.when.version.n ? S("say --if-version or --if-absent")
                                                  : S("give it with --if-version"));
    TRY(docs_input(s, 1, &w.text));
    TRY(session_open(s, true));
    return docs_write(s, stream, &w);
}

static jot_status run_append(Session *s)
{
    Str stream;
    DocAppend a = { .line = opt_given(s, "line") };
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_if(s, &a.when));
    TRY(docs_input(s, 1, &a.text));
    TRY(session_open(s, true));
    Doc now;
    jot_status st = doc_append(&s->memory, stream, &a, &s->arena, &now, &s->err);
    if (st == JOT_CONFLICT) {
        Conflict c = { .stream = stream, .mine = a.text, .now = now };
        return docs_show_conflict(s, &c);
    }
    TRY(st);
    Str line = arena_printf(&s->arena, "appended %zu chars to %s", utf8_count(a.text),
                            doc_name(stream).text);
    docs_answer(s, stream, &now, line, docs_warn(s, stream, a.text));
    return JOT_OK;
}

/* --- Reading --------------------------------------------------------------------------- */

static jot_status read_bounds(Session *s, ExcerptWant *want, When *when)
{
    int64_t tokens;
    *want = (ExcerptWant){ 0 };
    if (opt_given(s, "lines"))
        TRY(excerpt_parse(str(opt_text(s, "lines")), want, &s->err));
    TRY(opt_number(s, "tokens", 1, INT32_MAX, 0, &tokens));
    want->tokens = (size_t)tokens;
    if (opt_given(s, "version") && opt_given(s, "at"))
        return err_set(&s->err, JOT_INVALID, "give --version or --at, not both");
    const char *at = opt_text(s, "at");
    if (!at || strcmp(at, "now") == 0)
        return docs_when(s, at ? at : opt_text(s, "version"), when);
    *when = (When){ .kind = WHEN_TIME };
    return opt_time(s, "at", true, &when->at_ms);
}

/* How the reader gets what comes next. */
static Str hint(Session *s, Str stream, const Excerpt *x)
{
    Str word = arena_shell_word(&s->arena, doc_word(stream));
    if (x->partly)
        return arena_printf(&s->arena, "ask for more --tokens");
    if (x->last >= x->lines)
        return arena_printf(&s->arena, "all: jotter read " STR_FMT, STR_ARG(word));
    return arena_printf(&s->arena, "more: jotter read " STR_FMT " --lines %zu:", STR_ARG(word),
                        x->last + 1);
}

static void print_excerpt(Session *s, Str stream, const Doc *d, const Excerpt *x)
{
    Str says = excerpt_says(x, &s->arena);
    if (x->text.n)
        print_line(x->text);
    if (says.n)
        print_sentence("[" STR_FMT "; " STR_FMT "]", STR_ARG(says), STR_ARG(hint(s, stream, x)));
    docs_print_version(&d->mark);
}

static void print_json_excerpt(Session *s, Str stream, const Doc *d, const Excerpt *x)
{
    json_t *o = doc_json(stream, d, false);
    Str says = excerpt_says(x, &s->arena);
    json_object_set_new(o, "text", json_text(x->text));
    json_object_set_new(o, "lines",
                        json_pack("{s:I, s:I, s:I}", "first", (json_int_t)x->first, "last",
                                  (json_int_t)x->last, "of", (json_int_t)x->lines));
    json_object_set_new(
        o, "tokens",
        json_pack("{s:I, s:I}", "shown", (json_int_t)x->tokens, "of", (json_int_t)x->tokens_all));
    json_object_set_new(o, "left_out", says.n ? json_text(says) : json_null());
    print_json(o);
}

/* The key that stands in a cycle's notes for a long result. */
static jot_status read_step(Session *s)
{
    CycleLogStep p;
    ExcerptWant want;
    When when;
    Excerpt x;
    TRY(read_bounds(s, &want, &when));
    TRY(session_open(s, false));
    TRY(cycle_log_read_key(&s->memory, arg_at(s, 0), when.kind != WHEN_NOW, &s->arena, &p,
                           &s->err));
    excerpt_make(p.text, &want, &x);
    if (s->json)
        print_json(cycle_log_step_json(&p));
    else
        print_text(want.from || want.tokens ? x.text : p.text);
    return JOT_OK;
}

static jot_status run_read(Session *s)
{
    Str stream;
    ExcerptWant want;
    When when;
    Doc d;
    if (cycle_log_key_read(arg_at(s, 0), &(Str){ 0 }, &(Str){ 0 }, &(uint64_t){ 0 }))
        return read_step(s);
    TRY(docs_arg(s, 0, &stream));
    TRY(read_bounds(s, &want, &when));
    TRY(docs_open(s, stream));
    if (when.kind == WHEN_NOW)
        TRY(doc_read(&s->memory, stream, &s->arena, &d, &s->err));
    else
        TRY(history_at(&s->memory, stream, &when, &s->arena, &d, &s->err));
    Excerpt x;
    bool bounded = want.from || want.tokens;
    if (s->json || bounded)
        excerpt_make(d.text, &want, &x);
    if (s->json)
        print_json_excerpt(s, stream, &d, &x);
    else if (!bounded)
        print_text(d.text);
    else if (opt_given(s, "raw"))
        print_text(x.text);
    else
        print_excerpt(s, stream, &d, &x);
    return JOT_OK;
}

/* --- Deleting and moving --------------------------------------------------------------- */

static jot_status run_delete(Session *s)
{
    Str stream;
    DocIf when;
    TRY(docs_arg(s, 0, &stream));
    TRY(docs_if(s, &when));
    TRY(docs_open(s, stream));
    Doc now;
    jot_status st = doc_delete(&s->memory, stream, &when, &s->arena, &now, &s->err);
    if (st == JOT_CONFLICT) {
        Conflict c = { .stream = stream, .now = now };
        return docs_show_conflict(s, &c);
    }
    TRY(st);
    docs_answer(s, stream, &now, arena_printf(&s->arena, "deleted %s", doc_name(stream).text),
                (Str){ 0 });
    return JOT_OK;
}

static jot_status run_move(Session *s)
{
    Str from, to;
    TRY(docs_arg(s, 0, &from));
    TRY(docs_arg(s, 1, &to));
    TRY(docs_open(s, from));
    Doc now;
    TRY(doc_move(&s->memory, from, to, &s->arena, &now, &s->err));
    Str line = arena_printf(&s->arena, "moved %s to %s", doc_name(from).text, doc_name(to).text);
    docs_answer(s, to, &now, line, (Str){ 0 });
    return JOT_OK;
}

/* --- The tables ------------------------------------------------------------------------ */

static const Opt write_opts[] = {
    { "if-version", "VERSION", "only if it is still at this version" },
    { "if-absent", NULL, "only if it does not exist" },
    { "merge", NULL, "on conflict write both changes, if they merge cleanly" },
    { "file", "FILE", "take the text from a file" },
    { 0 },
};

const Cmd cmd_write = {
    .name = "write",
    .args = "KEY [TEXT]",
    .summary = "Keep a text under a key",
    .help = KEY_HELP TEXT_HELP
    "What was there stays in the history.  When it answers, the text is on disk.\n"
    "A conflict shows both texts, and their merge where it is clean.\n",
    .opts = write_opts,
    .args_min = 1,
    .args_max = 2,
    .run = run_write,
};

static const Opt append_opts[] = {
    { "line", NULL, "start on a new line, if the note does not end with one" },
    { "if-version", "VERSION", "only if it is still at this version" },
    { "file", "FILE", "take the text from a file" },
    { 0 },
};

const Cmd cmd_append = {
    .name = "append",
    .args = "KEY [TEXT]",
    .summary = "Append a text to a note",
    .help = KEY_HELP TEXT_HELP "No append is lost, however many processes write at once.\n",
    .opts = append_opts,
    .args_min = 1,
    .args_max = 2,
    .run = run_append,
};

static const Opt read_opts[] = {
    { "lines", "A:B", "only these lines, counted from 1; A:, :B and A are fine" },
    { "tokens", "N", "at most about N tokens" },
    { "raw", NULL, "with --lines or --tokens: only the text, nothing about what was left out" },
    { "version", "VERSION", "an older version: hex digits, a seq, or ~N for N versions back" },
    { "at", "TIME", "as it was then: 2026-01-31T18:45:00Z or 2026-01-31" },
    { 0 },
};

const Cmd cmd_read = {
    .name = "read",
    .args = "KEY",
    .summary = "Print a note",
    .help = "The exact bytes; on a terminal control characters are shown instead of sent.  With\n"
            "--lines or --tokens the answer says what was left out and how to get it, and ends\n"
            "with the version.\n",
    .opts = read_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_read,
};

static const Opt if_version_opts[] = {
    { "if-version", "VERSION", "only if it is still at this version" },
    { 0 },
};

const Cmd cmd_delete = {
    .name = "delete",
    .args = "KEY",
    .summary = "Delete a note; its history stays",
    .help = "'jotter undo KEY' brings it back, 'jotter purge KEY' removes it for good.\n",
    .opts = if_version_opts,
    .args_min = 1,
    .args_max = 1,
    .run = run_delete,
};

const Cmd cmd_move = {
    .name = "move",
    .args = "FROM TO",
    .summary = "Give a note another key",
    .help = "A key that is taken is refused.  The history stays with the old key; the new one\n"
            "says where it came from.\n",
    .args_min = 2,
    .args_max = 2,
    .run = run_move,
};
