/* cmd_setup.c - the entry in another program's configuration that makes it use the pad.
 *
 * setup_client.h says which programs there are, and why the entry of one's own file names no pad
 * and that of a project no path of this machine.  What somebody has to know or to do besides is
 * said on standard error: how the token gets to the client, what it does not do before it is
 * allowed to, and that an entry was for another pad before. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/url.h"
#include "base/utf8.h"
#include "cli/cmd.h"
#include "cli/hook_event.h"
#include "cli/setup_client.h"
#include "cli/setup_hooks.h"
#include "cli/shell_line.h"
#include "mcp/http/http.h"
#include "memory/doc/diff.h"
#include "tool/tool.h"

extern const Cmd cmd_setup;

#define PROJECT_PAD "files:.jotter"

enum { NOTE_MAX = 512 };

typedef struct Setup {
    Session *s;
    const SetupClient *c;
    bool project;
    Str here;      /* the working directory, which is the project's */
    Str path;      /* of the file */
    json_t *notes; /* what to say besides */
} Setup;

static void note(Setup *u, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void note(Setup *u, const char *fmt, ...)
{
    char text[NOTE_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_array_append_new(u->notes, json_text(utf8_mended(str(text), &u->s->arena)));
}

/* --- Paths ------------------------------------------------------------------------------- */

static jot_status find_here(Setup *u)
{
    char *dir = getcwd(NULL, 0);
    if (!dir)
        return err_errno(&u->s->err, errno, "could not find the working directory");
    u->here = arena_copy(&u->s->arena, str(dir));
    free(dir);
    return JOT_OK;
}

static jot_status find_file(Setup *u)
{
    Session *s = u->s;
    if (u->project && !u->c->project)
        return err_set(&s->err, JOT_INVALID, "%s has no file for a project", u->c->title);
    if (u->project)
        u->path = arena_printf(&s->arena, STR_FMT "/%s", STR_ARG(u->here), u->c->project);
    else
        TRY(setup_client_file(u->c, &s->arena, &u->path, &s->err));
    /* opencode reads both; whoever has the one with comments keeps to it. */
    Str other = arena_printf(&s->arena, STR_FMT "c", STR_ARG(u->path));
    if (str_ends(u->path, S("opencode.json")) && access(u->path.p, F_OK) &&
        access(other.p, F_OK) == 0)
        u->path = other;
    return check_text(s, "the file's path", u->path);
}

/* The program of that name that a client would find in $PATH, or the empty Str. */
static Str find_in_path(Setup *u, const char *name)
{
    char found[PATH_MAX];
    Str rest = str(getenv("PATH")), dir;
    for (bool more = rest.n > 0; more;) {
        more = str_cut(&rest, ':', &dir);
        Str path = arena_printf(&u->s->arena, STR_FMT "/%s", STR_ARG((more ? dir : rest)), name);
        if (path.p[0] == '/' && access(path.p, X_OK) == 0 && realpath(path.p, found))
            return arena_copy(&u->s->arena, str(found));
    }
    return (Str){ 0 };
}

static jot_status find_program(Setup *u, Str *out)
{
    Session *s = u->s;
    char path[PATH_MAX];
    Shown shown;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path || path[0] != '/')
        return err_set(&s->err, JOT_IO, "could not find the path of this program");
    *out = arena_copy(&s->arena, (Str){ path, (size_t)n });
    TRY(check_text(s, "the program's path", *out));
    if (!u->project)
        return JOT_OK;
    Str found = find_in_path(u, "jotter");
    if (!found.n)
        note(u,
             "warning: there is no 'jotter' in PATH: everybody who uses this file needs it there");
    else if (!str_eq(found, *out))
        note(u, "warning: the 'jotter' in PATH is another program, '%s'", err_show(&shown, found));
    *out = S("jotter");
    return JOT_OK;
}

/* --- The pad ----------------------------------------------------------------------------- */

/* The path of a local pad from here on; false if it is no such pad, or lies elsewhere. */
static bool path_from_here(Setup *u, const Url *url, Str *out)
{
    bool local = str_eq(url->scheme, S("files")) || str_eq(url->scheme, S("sqlite"));
    Str path = url->path;
    if (!local || url->authority || !path.n)
        return false;
    bool below = str_starts(path, u->here) && path.n > u->here.n && path.p[u->here.n] == '/';
    if (path.p[0] == '/')
        path = str_from(path, u->here.n + 1);
    while (str_starts(path, S("./")))
        path = str_from(path, 2);
    *out = path;
    return path.n && (url->path.p[0] != '/' || below);
}

static Str with_query(Setup *u, Str url, const Url *of)
{
    return of->query.n
               ? arena_printf(&u->s->arena, STR_FMT "?" STR_FMT, STR_ARG(url), STR_ARG(of->query))
               : url;
}

/* The pad that --pad names, in a project's file: from its root on, if it lies there. */
static Str pad_of_project(Setup *u, const Url *url, Str path)
{
    Arena *into = &u->s->arena;
    bool files = str_eq(url->scheme, S("files")) && !url->query.n;
    if (u->c->root_word[0] && files) /* a path, which needs no escapes */
        return arena_printf(into, "%s" STR_FMT, u->c->root_word, STR_ARG(path));
    return with_query(u, url_from_path(into, url->scheme.p, path), url);
}

/* The pad by an address that means the same from everywhere. */
static Str pad_from_everywhere(Setup *u, const Url *url, Str path)
{
    Arena *into = &u->s->arena;
    path = arena_printf(into, STR_FMT "/" STR_FMT, STR_ARG(u->here), STR_ARG(path));
    return with_query(u, url_from_path(into, url->scheme.p, path), url);
}

static jot_status named_pad(Setup *u, Str *out)
{
    Session *s = u->s;
    Url url;
    Str path;
    TRY(where_check(&s->where, &s->err));
    TRY(url_parse(s->where.url, &s->arena, &url, &s->err));
    if (str_eq(url.scheme, S("mem")))
        return err_set(&s->err, JOT_INVALID,
                       "a pad in memory ends with its server: use files: or sqlite:");
    *out = s->where.url;
    bool here = path_from_here(u, &url, &path);
    if (here && u->project)
        *out = pad_of_project(u, &url, path);
    else if (here && url.path.p[0] != '/')
        *out = pad_from_everywhere(u, &url, path);
    else if (u->project)
        note(u, "warning: the pad lies outside of the project: the file names a path of this "
                "machine");
    return check_text(s, "the pad's address", *out);
}

/* Empty: the entry names none. */
static jot_status find_pad(Setup *u, Str *out)
{
    const char *set = getenv("JOTTER_PAD");
    *out = (Str){ 0 };
    if (opt_given(u->s, "pad"))
        return named_pad(u, out);
    if (set && set[0])
        note(u, "note: JOTTER_PAD is set here and stays out of the entry; --pad puts a pad there");
    if (u->project && u->c->root_word[0])
        *out = arena_printf(&u->s->arena, "%s.jotter", u->c->root_word);
    else if (u->project)
        *out = S(PROJECT_PAD);
    return JOT_OK;
}

/* --- The entry --------------------------------------------------------------------------- */

static void add_word(json_t *words, Str word)
{
    json_array_append_new(words, json_stringn(word.p, word.n));
}

static jot_status add_words(Setup *u, json_t *words)
{
    Session *s = u->s;
    Str program, pad;
    unsigned set;
    const char *tools = opt_text(s, "tools");
    TRY(find_program(u, &program));
    TRY(find_pad(u, &pad));
    TRY(tool_profiles(str(tools), &set, &s->err));
    add_word(words, program);
    add_word(words, S("mcp"));
    if (pad.n) {
        add_word(words, S("--pad"));
        add_word(words, pad);
    }
    add_word(words, S("--as"));
    add_word(words, opt_given(s, "as") ? s->by : str(u->c->name));
    if (tools) {
        add_word(words, S("--tools"));
        add_word(words, str(tools));
    }
    return JOT_OK;
}

static jot_status check_address(Session *s, const char *address)
{
    Url u;
    Err ignored = { 0 };
    bool web = url_parse(str(address), &s->arena, &u, &ignored) == JOT_OK;
    web = web && (str_eq(u.scheme, S("http")) || str_eq(u.scheme, S("https")));
    if (!web || !u.authority || !u.host.n)
        return err_set(&s->err, JOT_INVALID, "--http: use http://HOST:PORT/mcp");
    if (opt_given(s, "tools") || opt_given(s, "pad"))
        return err_set(&s->err, JOT_INVALID,
                       "with --http the server is started by you: give it --pad and --tools");
    return JOT_OK;
}

/* How the token gets to the client: without it there are no tools, and most clients keep quiet. */
static void note_token(Setup *u)
{
    const char *set = getenv(SETUP_TOKEN), *data = getenv("XDG_DATA_HOME");
    const char *file =
        data && data[0] == '/' ? "$XDG_DATA_HOME/jotter/token" : "~/.local/share/jotter/token";
    if (u->c->token_note) {
        note(u, "note: %s; the server keeps the token in %s", u->c->token_note, file);
        return;
    }
    note(u,
         "note: %s sends the token that the variable " SETUP_TOKEN " holds when it is started%s; "
         "without it there are no tools: export " SETUP_TOKEN "=$(cat %s)",
         u->c->title, set && set[0] ? "" : " (here it is not set)", file);
}

static jot_status make_entry(Setup *u, json_t **out)
{
    AUTO_PTR(json_t) words = json_array();
    SetupReach r = { words, opt_text(u->s, "http") };
    const char *known = u->project ? u->c->project_note : u->c->own_note;
    if (r.url)
        TRY(check_address(u->s, r.url));
    else
        TRY(add_words(u, words));
    if (r.url)
        note_token(u);
    else if (!u->project && !opt_given(u->s, "pad") && u->c->dir_note)
        note(u, "note: %s", u->c->dir_note);
    if (known)
        note(u, "note: %s", known);
    *out = r.url ? u->c->calls(&r) : u->c->starts(&r);
    return JOT_OK;
}

/* --- What it was for --------------------------------------------------------------------- */

/* The pad or the server that an entry leads to; empty: it names none. */
static Str target_of(const json_t *entry)
{
    static const char *const urls[] = { "url", "httpUrl", "uri" };
    for (size_t i = 0; i < COUNT_OF(urls); i++)
        if (json_is_string(json_object_get(entry, urls[i])))
            return str(json_string_value(json_object_get(entry, urls[i])));
    const json_t *words = json_object_get(entry, "args");
    if (!json_is_array(words))
        words = json_object_get(entry, "command");
    for (size_t i = 0; i < json_array_size(words); i++) {
        Str word = str(json_string_value(json_array_get(words, i)));
        if (str_eq(word, S("--pad")))
            return str(json_string_value(json_array_get(words, i + 1)));
        if (str_starts(word, S("--pad=")))
            return str_from(word, 6);
    }
    return (Str){ 0 };
}

static Str target_text(Setup *u, Str target)
{
    Shown shown;
    if (!target.n)
        return S("the pad of the directory it is started in");
    return arena_printf(&u->s->arena, "'%s'", err_show(&shown, target));
}

/* Whoever used the old pad through this entry does not any more. */
static void note_change(Setup *u, const SetupEntry *x, Str text)
{
    AUTO_PTR(json_t) old = u->c->look(text, x);
    Str was = target_of(old), is = target_of(x->value);
    if (old && !str_eq(was, is))
        note(u, "warning: the entry was for " STR_FMT ", and is now for " STR_FMT,
             STR_ARG(target_text(u, was)), STR_ARG(target_text(u, is)));
}

/* --- Saying and doing -------------------------------------------------------------------- */

/* A sentence that begins with the file. */
static jot_status at_file(Setup *u)
{
    AUTO(Arena) arena = { 0 };
    Err *e = &u->s->err;
    Str why = arena_copy(&arena, str(e->text));
    return err_set(e, e->status, "'" STR_FMT "' " STR_FMT, STR_ARG(u->path), STR_ARG(why));
}

static void say_notes(const Setup *u)
{
    for (size_t i = 0; !u->s->json && i < json_array_size(u->notes); i++)
        say("%s", json_string_value(json_array_get(u->notes, i)));
}

static void say_entry(const Setup *u, Str text)
{
    if (u->s->json) {
        print_json(json_pack("{s:s, s:o, s:o, s:O}", "client", u->c->name, "file",
                             json_text(u->path), "text", json_text(text), "notes", u->notes));
        return;
    }
    fputs("# ", stdout);
    print_name_line(u->path);
    print_text(text);
}

static void say_change(const Setup *u, Str diff)
{
    if (u->s->json) {
        print_json(json_pack("{s:s, s:o, s:b, s:o, s:O}", "client", u->c->name, "file",
                             json_text(u->path), "changed", diff.n > 0, "diff", json_text(diff),
                             "notes", u->notes));
        return;
    }
    const char *as_is = opt_given(u->s, "remove") ? "nothing to do: there are none of ours in "
                                                  : "nothing to do: it is all there in ";
    fputs(diff.n ? "wrote " : as_is, stdout);
    print_name_line(u->path);
}

/* Show what changes, and change it. */
static jot_status apply(Setup *u, const SetupFile *f, Str text)
{
    Session *s = u->s;
    Diff d;
    AUTO(Buf) shown = { 0 };
    diff_make(f->text, text, &s->arena, &d);
    diff_write(&d, f->there ? u->path : S("/dev/null"), u->path, &shown);
    if (shown.n && !s->json) {
        print_text(buf_str(&shown)); /* seen also if the rest fails */
        fflush(stdout);
    }
    if (shown.n)
        TRY(setup_file_write(f, text, &s->err));
    s->changed = shown.n > 0;
    say_change(u, buf_str(&shown));
    return JOT_OK;
}

static jot_status install(Setup *u, const SetupEntry *x)
{
    Session *s = u->s;
    SetupFile f;
    AUTO(Buf) text = { 0 };
    TRY(setup_file_read(u->path.p, &s->arena, &f, &s->err));
    TRY(u->c->edit(f.text, x, &text, &s->err));
    note_change(u, x, f.text);
    return apply(u, &f, buf_str(&text));
}

static jot_status do_setup(Setup *u)
{
    json_t *made = NULL;
    AUTO(Buf) alone = { 0 };
    TRY(find_here(u));
    TRY(find_file(u));
    TRY(make_entry(u, &made));
    AUTO_PTR(json_t) value = made;
    SetupEntry x = { u->c->table, "jotter", value, u->c->ours };
    TRY(u->c->edit((Str){ 0 }, &x, &alone, &u->s->err));
    if (!opt_given(u->s, "write")) {
        say_entry(u, buf_str(&alone));
        return JOT_OK;
    }
    jot_status st = install(u, &x);
    if (st == JOT_OK)
        return st;
    if (st == JOT_UNSUPPORTED && !u->s->json)
        say_entry(u, buf_str(&alone)); /* what to add by hand */
    return at_file(u);
}

/* --- Hooks --------------------------------------------------------------------------------- */

/* The command a shell gets. */
static jot_status hook_command(Setup *u, Buf *out)
{
    Session *s = u->s;
    Str program, pad;
    TRY(find_program(u, &program));
    shell_line_add(out, program, 0);
    buf_addf(out, " hook %s", u->c->name);
    if (opt_given(s, "pad")) {
        TRY(find_pad(u, &pad));
        buf_add(out, S(" --pad "));
        shell_line_add(out, pad, 0);
    }
    if (opt_given(s, "as")) {
        buf_add(out, S(" --as "));
        shell_line_add(out, s->by, 0);
    }
    return JOT_OK;
}

static jot_status change_hooks(Setup *u, const SetupHooks *x)
{
    Session *s = u->s;
    SetupFile f = { 0 };
    AUTO(Buf) text = { 0 };
    bool show = x->hook && !opt_given(s, "write");
    if (!show)
        TRY(setup_file_read(u->path.p, &s->arena, &f, &s->err));
    TRY(setup_hooks(f.text, x, &text, &s->err));
    if (show)
        say_entry(u, buf_str(&text));
    return show ? JOT_OK : apply(u, &f, buf_str(&text));
}

static jot_status do_hooks(Setup *u)
{
    Session *s = u->s;
    AUTO(Buf) command = { 0 };
    AUTO_PTR(json_t) hook = NULL;
    TRY(find_here(u));
    TRY(setup_hooks_client(u->c, &u->c, &s->err));
    TRY(find_file(u));
    SetupHooks x = { .client = u->c->name, .events = hook_client(str(u->c->name))->events };
    const char *known = u->project ? u->c->project_note : u->c->own_note;
    if (!opt_given(s, "remove")) {
        TRY(hook_command(u, &command));
        hook = json_pack("{s:s, s:o, s:i}", "type", "command", "command",
                         json_text(buf_str(&command)), "timeout", setup_hooks_timeout(u->c));
        x.hook = hook;
        if (known)
            note(u, "note: %s", known);
    }
    return change_hooks(u, &x) == JOT_OK ? JOT_OK : at_file(u);
}

static void list_clients(const Session *s)
{
    json_t *list = json_array();
    const SetupClient *c;
    for (size_t i = 0; (c = setup_client(i)); i++) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "client", c->name, "title", c->title));
        if (!s->json)
            printf("%-12s %s\n", c->name, c->title);
    }
    if (s->json)
        print_json(json_pack("{s:O}", "clients", list));
    json_decref(list);
}

static jot_status run_setup(Session *s)
{
    AUTO_PTR(json_t) notes = json_array();
    Setup u = { .s = s, .project = opt_given(s, "project"), .notes = notes };
    if (s->n == 0) {
        list_clients(s);
        return JOT_OK;
    }
    TRY(setup_client_find(arg_at(s, 0), &u.c, &s->err));
    jot_status st = opt_given(s, "hooks") || opt_given(s, "remove") ? do_hooks(&u) : do_setup(&u);
    if (st == JOT_OK || st == JOT_UNSUPPORTED) {
        fflush(stdout); /* the notes are about what stands above them */
        say_notes(&u);
    }
    return st;
}

static const Opt opts[] = {
    { "write", NULL, "put it into the file, after showing what changes" },
    { "hooks", NULL, "the client's hooks instead: a context for each session, and a record of it" },
    { "remove", NULL, "take the hooks out of the file again" },
    { "project", NULL, "the file of the project in this directory, not your own" },
    { "tools", "PROFILES", TOOL_PROFILE_WORDS "; with commas" },
    { "http", "URL", "for a server that runs: http://" MCP_HTTP_ADDRESS "/mcp" },
    { 0 },
};

const Cmd cmd_setup = {
    .name = "setup",
    .args = "[CLIENT]",
    .summary = "Configure an agent's program to use the pad",
    .help =
        "CLIENT is claude-code, cline, codex, cursor, gemini, goose, opencode, qwen or vscode;\n"
        "without one they are listed.  Prints the file and what belongs into it.  With --write\n"
        "the entry 'jotter' is put into the file, or brought up to date, and all else stays as it\n"
        "is; a file that cannot be edited safely is left alone.  The server uses the pad of the\n"
        "directory the client starts it in; --pad ties it to one pad.  The entry of a project\n"
        "names no path of this machine.  With --http the client sends the token that the variable\n"
        "JOTTER_TOKEN holds.\n"
        "With --hooks claude-code, codex or gemini call 'jotter hook' at their events, so that\n"
        "every session begins with the context of the pad and leaves a record of what was done;\n"
        "--remove takes exactly that out again.  Other hooks in the file stay as they are.\n",
    .opts = opts,
    .args_min = 0,
    .args_max = 1,
    .run = run_setup,
};
