/* cmd_setup.c - the entry in another program's configuration that makes it use the pad.
 *
 * A client is a row of the table: where its configuration is, how it is written,
 * and what an entry looks like for a server it starts and for one it calls.  The
 * pad and the program are named by absolute paths, because clients start servers
 * in directories of their own choice.  A token is never written into a file of
 * theirs: the entry names the variable that holds it, as each client writes that. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/url.h"
#include "cli/cmd.h"
#include "cli/setup.h"
#include "mcp/http.h"
#include "memory/diff.h"
#include "tool/tool.h"

extern const Cmd cmd_setup;

#define TOKEN "JOTTER_TOKEN"

/* How the client reaches the server: it starts `words`, or it calls `url`. */
typedef struct Reach {
    json_t *words; /* the program and its arguments */
    const char *url;
} Reach;

typedef struct Client {
    const char *name, *title;
    const char *base;    /* the variable that says where its directory is; NULL: none */
    const char *below;   /* the directory below $HOME if that is not set */
    const char *file;    /* in that directory */
    const char *project; /* the file of a project, from its root; NULL: there is none */
    const char *table;
    jot_status (*edit)(Str text, const SetupEntry *x, Buf *out, Err *e);
    json_t *(*starts)(const Reach *r);
    json_t *(*calls)(const Reach *r);
    const char *const *ours; /* every member the two may set */
} Client;

/* --- Entries ----------------------------------------------------------------------------- */

static json_t *rest_of(const json_t *words)
{
    json_t *rest = json_array();
    for (size_t i = 1; i < json_array_size(words); i++)
        json_array_append(rest, json_array_get(words, i));
    return rest;
}

static json_t *starts_plain(const Reach *r)
{
    return json_pack("{s:O, s:o}", "command", json_array_get(r->words, 0), "args",
                     rest_of(r->words));
}

static json_t *starts_typed(const Reach *r)
{
    return json_pack("{s:s, s:O, s:o}", "type", "stdio", "command", json_array_get(r->words, 0),
                     "args", rest_of(r->words));
}

static json_t *starts_opencode(const Reach *r)
{
    return json_pack("{s:s, s:O, s:b}", "type", "local", "command", r->words, "enabled", 1);
}

static json_t *starts_goose(const Reach *r)
{
    return json_pack("{s:b, s:s, s:s, s:s, s:O, s:o, s:i}", "enabled", 1, "type", "stdio", "name",
                     "jotter", "description", "Durable notes", "cmd", json_array_get(r->words, 0),
                     "args", rest_of(r->words), "timeout", 300);
}

static json_t *calls_claude(const Reach *r)
{
    return json_pack("{s:s, s:s, s:{s:s}}", "type", "http", "url", r->url, "headers",
                     "Authorization", "Bearer ${" TOKEN "}");
}

static json_t *calls_codex(const Reach *r)
{
    return json_pack("{s:s, s:s}", "url", r->url, "bearer_token_env_var", TOKEN);
}

static json_t *calls_opencode(const Reach *r)
{
    return json_pack("{s:s, s:s, s:b, s:{s:s}}", "type", "remote", "url", r->url, "enabled", 1,
                     "headers", "Authorization", "Bearer {env:" TOKEN "}");
}

static json_t *calls_gemini(const Reach *r)
{
    return json_pack("{s:s, s:{s:s}}", "httpUrl", r->url, "headers", "Authorization",
                     "Bearer $" TOKEN);
}

static json_t *calls_goose(const Reach *r)
{
    return json_pack("{s:b, s:s, s:s, s:s, s:s, s:{s:s}, s:[s], s:i}", "enabled", 1, "type",
                     "streamable_http", "name", "jotter", "description", "Durable notes", "uri",
                     r->url, "headers", "Authorization", "Bearer $" TOKEN, "env_keys", TOKEN,
                     "timeout", 300);
}

static json_t *calls_cursor(const Reach *r)
{
    return json_pack("{s:s, s:{s:s}}", "url", r->url, "headers", "Authorization",
                     "Bearer ${env:" TOKEN "}");
}

static json_t *calls_vscode(const Reach *r)
{
    return json_pack("{s:s, s:s, s:{s:s}}", "type", "http", "url", r->url, "headers",
                     "Authorization", "Bearer ${env:" TOKEN "}");
}

/* --- The clients ------------------------------------------------------------------------- */

static const char *const most[] = { "type", "command", "args", "url", "headers", NULL };
static const char *const of_codex[] = { "command", "args", "url", "bearer_token_env_var", NULL };
static const char *const of_gemini[] = { "command", "args", "httpUrl", "headers", NULL };
static const char *const of_opencode[] = { "type", "command", "enabled", "url", "headers", NULL };
static const char *const of_goose[] = { "enabled", "type", "name",    "description", "cmd", "args",
                                        "timeout", "uri",  "headers", "env_keys",    NULL };

/* clang-format off */
static const Client clients[] = {
    { "claude-code", "Claude Code", NULL, "", ".claude.json", ".mcp.json", "mcpServers",
      setup_json, starts_typed, calls_claude, most },
    { "codex", "Codex", "CODEX_HOME", ".codex", "config.toml", ".codex/config.toml", "mcp_servers",
      setup_toml, starts_plain, calls_codex, of_codex },
    { "cursor", "Cursor", NULL, ".cursor", "mcp.json", ".cursor/mcp.json", "mcpServers",
      setup_json, starts_typed, calls_cursor, most },
    { "gemini", "Gemini CLI", NULL, ".gemini", "settings.json", ".gemini/settings.json",
      "mcpServers", setup_json, starts_plain, calls_gemini, of_gemini },
    { "goose", "goose", "XDG_CONFIG_HOME", ".config", "goose/config.yaml", NULL, "extensions",
      setup_yaml, starts_goose, calls_goose, of_goose },
    { "opencode", "opencode", "XDG_CONFIG_HOME", ".config", "opencode/opencode.json",
      "opencode.json", "mcp", setup_json, starts_opencode, calls_opencode, of_opencode },
    { "vscode", "VS Code", "XDG_CONFIG_HOME", ".config", "Code/User/mcp.json", ".vscode/mcp.json",
      "servers", setup_json, starts_typed, calls_vscode, most },
};
/* clang-format on */

const char *setup_client_name(size_t i)
{
    return i < COUNT_OF(clients) ? clients[i].name : NULL;
}

static jot_status find_client(Session *s, const Client **out)
{
    Shown shown;
    for (size_t i = 0; i < COUNT_OF(clients); i++)
        if (str_eq(arg_at(s, 0), str(clients[i].name))) {
            *out = &clients[i];
            return JOT_OK;
        }
    return err_set(&s->err, JOT_INVALID,
                   "no client '%s': use claude-code, codex, cursor, gemini, goose, opencode or "
                   "vscode",
                   err_show(&shown, arg_at(s, 0)));
}

/* --- Paths ------------------------------------------------------------------------------- */

static jot_status here(Session *s, Str *out)
{
    char *dir = getcwd(NULL, 0);
    if (!dir)
        return err_errno(&s->err, errno, "could not find the working directory");
    *out = arena_copy(&s->arena, str(dir));
    free(dir);
    return JOT_OK;
}

static jot_status file_of(Session *s, const Client *c, Str *out)
{
    const char *base = c->base ? getenv(c->base) : NULL, *home = getenv("HOME");
    if (opt_given(s, "project")) {
        Str dir;
        if (!c->project)
            return err_set(&s->err, JOT_INVALID, "%s has no file for a project", c->title);
        TRY(here(s, &dir));
        *out = arena_printf(&s->arena, STR_FMT "/%s", STR_ARG(dir), c->project);
    } else if (base && base[0] == '/') {
        *out = arena_printf(&s->arena, "%s/%s", base, c->file);
    } else if (home && home[0] == '/') {
        *out =
            arena_printf(&s->arena, "%s/%s%s%s", home, c->below, c->below[0] ? "/" : "", c->file);
    } else {
        return err_set(&s->err, JOT_INVALID, "HOME is not set to an absolute path");
    }
    /* opencode reads both; whoever has the one with comments keeps to it. */
    Str other = arena_printf(&s->arena, STR_FMT "c", STR_ARG(*out));
    if (str_ends(*out, S("opencode.json")) && access(out->p, F_OK) && access(other.p, F_OK) == 0)
        *out = other;
    return check_text(s, "the file's path", *out);
}

/* The pad by an address that means the same from everywhere. */
static jot_status pad_url(Session *s, Str *out)
{
    static const Str local[] = { S("files:"), S("sqlite:") };
    Url u;
    Str url = s->where.url;
    TRY(where_check(&s->where, &s->err));
    TRY(session_judge(s)); /* once it stands in a file it is one that was named */
    TRY(url_parse(url, &s->arena, &u, &s->err));
    if (str_eq(u.scheme, S("mem")))
        return err_set(&s->err, JOT_INVALID,
                       "a pad in memory ends with its server: use files: or sqlite:");
    *out = url;
    for (size_t i = 0; i < COUNT_OF(local); i++) {
        Str path = str_from(url, local[i].n), dir;
        if (!str_starts(url, local[i]) || u.authority || str_starts(path, S("/")))
            continue;
        while (str_starts(path, S("./")))
            path = str_from(path, 2);
        TRY(here(s, &dir));
        dir = url_encode(&s->arena, dir, true);
        *out = arena_printf(&s->arena, STR_FMT STR_FMT "/" STR_FMT, STR_ARG(local[i]), STR_ARG(dir),
                            STR_ARG(path));
    }
    return check_text(s, "the pad's address", *out);
}

static jot_status own_path(Session *s, Str *out)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path || path[0] != '/')
        return err_set(&s->err, JOT_IO, "could not find the path of this program");
    *out = arena_copy(&s->arena, (Str){ path, (size_t)n });
    return check_text(s, "the program's path", *out);
}

/* --- The entry --------------------------------------------------------------------------- */

static void add_word(json_t *words, Str word)
{
    json_array_append_new(words, json_stringn(word.p, word.n));
}

static jot_status words_of(Session *s, const Client *c, json_t *words)
{
    Str program, url;
    unsigned set;
    const char *tools = opt_text(s, "tools");
    TRY(own_path(s, &program));
    TRY(pad_url(s, &url));
    TRY(tool_profiles(str(tools), &set, &s->err));
    add_word(words, program);
    add_word(words, S("mcp"));
    add_word(words, S("--pad"));
    add_word(words, url);
    add_word(words, S("--as"));
    add_word(words, opt_given(s, "as") ? s->by : str(c->name));
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

static jot_status make_entry(Session *s, const Client *c, json_t **out)
{
    AUTO_PTR(json_t) words = json_array();
    Reach r = { words, opt_text(s, "http") };
    if (r.url)
        TRY(check_address(s, r.url));
    else
        TRY(words_of(s, c, words));
    *out = r.url ? c->calls(&r) : c->starts(&r);
    return JOT_OK;
}

/* --- Saying and doing -------------------------------------------------------------------- */

/* A sentence that begins with the file. */
static jot_status at_file(Session *s, Str path)
{
    AUTO(Arena) arena = { 0 };
    Str why = arena_copy(&arena, str(s->err.text));
    return err_set(&s->err, s->err.status, "'" STR_FMT "' " STR_FMT, STR_ARG(path), STR_ARG(why));
}

static void say_entry(Session *s, const Client *c, Str path, Str text)
{
    if (s->json) {
        print_json(json_pack("{s:s, s:o, s:o}", "client", c->name, "file", json_text(path), "text",
                             json_text(text)));
        return;
    }
    fputs("# ", stdout);
    print_name_line(path);
    print_text(text);
}

static void say_change(Session *s, const Client *c, Str path, Str diff)
{
    if (s->json) {
        print_json(json_pack("{s:s, s:o, s:b, s:o}", "client", c->name, "file", json_text(path),
                             "changed", diff.n > 0, "diff", json_text(diff)));
        return;
    }
    fputs(diff.n ? "wrote " : "nothing to do: it is all there in ", stdout);
    print_name_line(path);
}

static jot_status install(Session *s, const Client *c, const SetupEntry *x, Str path)
{
    SetupFile f;
    Diff d;
    AUTO(Buf) text = { 0 }, shown = { 0 };
    TRY(setup_file_read(path.p, &s->arena, &f, &s->err));
    TRY(c->edit(f.text, x, &text, &s->err));
    diff_make(f.text, buf_str(&text), &s->arena, &d);
    diff_write(&d, f.there ? path : S("/dev/null"), path, &shown);
    if (shown.n && !s->json) {
        print_text(buf_str(&shown)); /* seen also if the rest fails */
        fflush(stdout);
    }
    if (shown.n)
        TRY(setup_file_write(&f, buf_str(&text), &s->err));
    s->changed = shown.n > 0;
    say_change(s, c, path, buf_str(&shown));
    return JOT_OK;
}

static void list_clients(const Session *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT_OF(clients); i++) {
        const Client *c = &clients[i];
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
    const Client *c = NULL;
    json_t *made = NULL;
    Str path;
    AUTO(Buf) alone = { 0 };
    if (s->n == 0) {
        list_clients(s);
        return JOT_OK;
    }
    TRY(find_client(s, &c));
    TRY(file_of(s, c, &path));
    TRY(make_entry(s, c, &made));
    AUTO_PTR(json_t) value = made;
    SetupEntry x = { c->table, "jotter", value, c->ours };
    TRY(c->edit((Str){ 0 }, &x, &alone, &s->err));
    if (!opt_given(s, "write")) {
        say_entry(s, c, path, buf_str(&alone));
        return JOT_OK;
    }
    jot_status st = install(s, c, &x, path);
    if (st == JOT_OK)
        return st;
    if (st == JOT_UNSUPPORTED && !s->json)
        say_entry(s, c, path, buf_str(&alone)); /* what to add by hand */
    return at_file(s, path);
}

static const Opt opts[] = {
    { "write", NULL, "put it into the file, after showing what changes" },
    { "project", NULL, "the file of the project in this directory, not your own" },
    { "tools", "PROFILES",
      "artifacts, runs, cycles, tasks, memory, graph, plans, all; with commas" },
    { "http", "URL", "for a server that runs: http://" MCP_HTTP_ADDRESS "/mcp" },
    { 0 },
};

const Cmd cmd_setup = {
    .name = "setup",
    .args = "[CLIENT]",
    .summary = "Show or install what lets an agent's program use the pad",
    .help =
        "CLIENT is claude-code, codex, cursor, gemini, goose, opencode or vscode; without one\n"
        "they are listed.  Prints the file and what belongs into it.  With --write the entry\n"
        "'jotter' is put into the file, or brought up to date, and all else stays as it is; a\n"
        "file that cannot be edited safely is left alone.  Pad and program are named by absolute\n"
        "paths.  With --http the client sends the token in the variable JOTTER_TOKEN.\n",
    .opts = opts,
    .args_min = 0,
    .args_max = 1,
    .run = run_setup,
};
