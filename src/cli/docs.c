/* docs.c - what the commands about documents share. */
#include "cli/docs.h"

#include <string.h>

#include "base/time.h"
#include "base/url.h"
#include "cli/rules.h"
#include "cli/when.h"

/* The shell completes the names of files, and a note is one: .jotter/notes/plan.txt. */
static jot_status refuse_file(Session *s, Str path, jot_status why)
{
    Shown shown;
    const char *notes = strstr(arena_cstr(&s->arena, path), ".jotter/notes/");
    if (!notes)
        return why;
    Str key = str(notes + sizeof ".jotter/notes/" - 1),
        ending = str_from(key, str_find_last(key, '.'));
    if (str_eq(ending, S(".txt")) || str_eq(ending, S(".md")))
        key.n -= ending.n;
    return err_set(&s->err, why, "'%s' is a file: the key of its note is '" STR_FMT "'",
                   err_show(&shown, path), STR_ARG(key));
}

jot_status docs_arg(Session *s, int at, Str *stream)
{
    jot_status st = note_resolve(arg_at(s, at), &s->arena, stream, &s->err);
    if (st != JOT_OK)
        return refuse_file(s, arg_at(s, at), st);
    if (at == 0)
        s->missed = *stream;
    return JOT_OK;
}

jot_status docs_open(Session *s, Str stream)
{
    Shown shown;
    jot_status st = session_open(s, false);
    if (st == JOT_NOT_FOUND)
        return err_set(&s->err, st, "%s not found: there is no pad '%s'", doc_name(stream).text,
                       err_show(&shown, url_bare(&s->arena, s->where.url)));
    return st;
}

jot_status docs_if(Session *s, DocIf *out)
{
    *out = (DocIf){ .version = str(opt_text(s, "if-version")) };
    return opt_given(s, "if-version") ? version_check(out->version, &s->err) : JOT_OK;
}

/* A text on the command line is a line, as `echo` would make of it; an empty one stays empty. */
static Str line_of(Session *s, Str text)
{
    bool whole = !text.n || str_ends(text, S("\n"));
    return arena_printf(&s->arena, STR_FMT "%s", STR_ARG(text), whole ? "" : "\n");
}

jot_status docs_input(Session *s, int at, Str *out)
{
    const char *file = opt_text(s, "file");
    if (file && at < s->n)
        return err_set(&s->err, JOT_INVALID, "give TEXT or --file, not both");
    if (file)
        TRY(read_file(s, file, STORE_BODY_MAX, out));
    else if (at < s->n)
        *out = line_of(s, arg_at(s, at));
    else
        TRY(read_input(s, STORE_BODY_MAX, out));
    return check_text(s, "a document", *out);
}

jot_status docs_when(Session *s, const char *text, When *out)
{
    /* "" is a variable that was not set, and not what is there now. */
    if (text && !text[0])
        return err_set(&s->err, JOT_INVALID,
                       "a version cannot be empty: use hex digits, a seq, ~N, a time, or 'now'");
    *out = (When){ .kind = WHEN_TIME };
    if (!text || strcmp(text, "now") == 0 || !when_read(str(text), true, &out->at_ms))
        return when_parse(str(text), out, &s->err);
    when_say(s, text, out->at_ms);
    return JOT_OK;
}

jot_status docs_version(Session *s, int at, Str *out)
{
    When when;
    *out = arg_at(s, at);
    TRY(docs_when(s, s->args[at], &when));
    if (when.kind == WHEN_TIME)
        *out = arena_copy(&s->arena, str(time_text(when.at_ms).text));
    return JOT_OK;
}

void docs_print_version(const Mark *m)
{
    printf("version %s\n", version_of(m->sha256).text);
}

Str docs_warn(Session *s, Str stream, Str text)
{
    Str warning = note_warns(stream, text, &s->arena);
    if (warning.n && !s->json)
        say("warning: " STR_FMT, STR_ARG(warning));
    return warning;
}

void docs_answer(Session *s, Str stream, const Doc *d, Str line, Str warning)
{
    if (s->json) {
        json_t *o = doc_json(stream, d, false);
        if (warning.n)
            json_object_set_new(o, "warning", json_text(warning));
        print_json(o);
        return;
    }
    print_line(line);
    if (mark_live(&d->mark)) {
        docs_print_version(&d->mark);
        rules_offer(s, stream);
    }
}

static void print_part(const char *head, Str text)
{
    printf("%s%s%s\n", ink(INK_BOLD), head, ink(INK_PLAIN));
    if (text.n)
        print_line(text);
}

jot_status docs_show_conflict(Session *s, const Conflict *c)
{
    if (s->json) {
        s->told = true;
        print_json(conflict_json(c, &s->err));
        return JOT_CONFLICT;
    }
    if (!mark_live(&c->now.mark)) {
        print_part(c->mine.n ? "--- it is deleted; yours:" : "--- it is deleted", c->mine);
        return JOT_CONFLICT;
    }
    Str head = arena_printf(&s->arena,
                            "--- present (version %s, %s):", version_of(c->now.mark.sha256).text,
                            time_text(c->now.mark.at_ms).text);
    print_part(head.p, c->now.text);
    if (c->mine.n)
        print_part("--- yours:", c->mine);
    if (c->clean)
        print_part("--- both, merged cleanly (--merge writes it):", c->merged);
    return JOT_CONFLICT;
}

jot_status docs_write(Session *s, Str stream, const DocWrite *w)
{
    Conflict c;
    jot_status st = conflict_write(&s->memory, stream, w, &s->arena, &c, &s->err);
    if (st == JOT_CONFLICT)
        return docs_show_conflict(s, &c);
    TRY(st);
    docs_answer(s, stream, &c.now, note_wrote(stream, c.now.text, c.joined, &s->arena),
                docs_warn(s, stream, c.now.text));
    return JOT_OK;
}

void docs_print_diff(Str diff)
{
    while (diff.n) {
        Str line = str_slice(diff, 0, str_find(diff, '\n') + 1);
        diff = str_from(diff, line.n);
        Ink i = line.p[0] == '+'   ? INK_GREEN
                : line.p[0] == '-' ? INK_RED
                : line.p[0] == '@' ? INK_CYAN
                                   : INK_PLAIN;
        if (str_starts(line, S("--- ")) || str_starts(line, S("+++ ")))
            i = INK_BOLD;
        fputs(ink(i), stdout);
        print_text(str_slice(line, 0, line.n - str_ends(line, S("\n"))));
        printf("%s\n", ink(INK_PLAIN));
    }
}
