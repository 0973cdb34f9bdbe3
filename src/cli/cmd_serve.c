/* cmd_serve.c - the pad in a browser: a page, its API, and MCP beside them.
 *
 * One server a pad: who starts it twice gets the link of the one that runs (running.h).  The link
 * carries the page's token after a '#', which no browser sends anywhere. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/next.h"
#include "base/home.h"
#include "base/url.h"
#include "cli/cmd.h"
#include "cli/last_pad.h"
#include "cli/tokens.h"
#include "mcp/http/http.h"
#include "web/running.h"
#include "web/web.h"

extern const Cmd cmd_serve;

/* What the process works with until it ends. */
typedef struct Serving {
    Session *s;
    WebOptions web;
    Web *made;
    McpHttpOptions http;
    McpBeside beside;
    Running running[WEB_PADS_MAX];
    Str token;
} Serving;

/* --- Which pads ------------------------------------------------------------------------------ */

/* A path that means the same from every directory; as it is, where there is none. */
static Str whole_url(Str url, Arena *into)
{
    Url u;
    char path[PATH_MAX];
    if (url_parse(url, into, &u, &(Err){ 0 }) != JOT_OK || u.authority || u.query.n ||
        !realpath(u.path.p, path))
        return url;
    return url_from_path(into, arena_copy(into, u.scheme).p, str(path));
}

/* The directory's name for what lies in DIR/.jotter, else its own. */
static Str name_of(Str url, Arena *into)
{
    Url u;
    if (url_parse(url, into, &u, &(Err){ 0 }) != JOT_OK)
        return url;
    Str path = u.path;
    if (str_ends(path, S("/.jotter")))
        path.n -= sizeof "/.jotter" - 1;
    Str name = str_from(path, str_find_last(path, '/') < path.n ? str_find_last(path, '/') + 1 : 0);
    return name.n ? name : url_bare(into, url);
}

/* A pad that was named must be there; whether it can be read is found out now, not by the page. */
static jot_status check_pad(Session *s, const Where *where)
{
    Shown shown;
    AUTO(Memory) m = { 0 };
    SafeFound found = { .path = where->found };
    MemoryOptions o = { .by = s->by, .read_only = true, .found = where->found ? &found : NULL };
    TRY(where_check(where, &s->err));
    if (str_starts(where->url, S("mem:")))
        return err_set(&s->err, JOT_INVALID,
                       "a pad in memory ends with its process: name one that is kept");
    jot_status st = memory_open(&m, where->url, &o, &s->err);
    if (st == JOT_OK || (st == JOT_NOT_FOUND && !where->named))
        return JOT_OK;
    return err_at(&s->err, "pad '%s'", err_show(&shown, url_bare(&s->arena, where->url)));
}

static jot_status add_pad(Serving *v, Where where)
{
    Session *s = v->s;
    where_settle(&where, &s->arena);
    TRY(check_pad(s, &where));
    if (v->web.n == WEB_PADS_MAX)
        return err_set(&s->err, JOT_TOO_BIG, "at most %d pads can be served", WEB_PADS_MAX);
    WebPad *p = &v->web.pads[v->web.n];
    p->o = (PadOptions){ .url = whole_url(where.url, &s->arena),
                         .found = where.found,
                         .by = s->by,
                         .user = s->by,
                         .lease = s->lease,
                         .read_only = opt_given(s, "read-only") };
    p->name = name_of(p->o.url, &s->arena);
    web_pad_id(p->o.url, p->id);
    for (size_t i = 0; i < v->web.n; i++)
        if (strcmp(v->web.pads[i].id, p->id) == 0)
            return JOT_OK; /* named twice */
    v->web.n++;
    return JOT_OK;
}

static jot_status add_pads(Serving *v)
{
    Session *s = v->s;
    bool named = false;
    for (size_t i = 0; i < s->given_n; i++)
        if (strcmp(s->given[i].name, "pad") == 0) {
            TRY(add_pad(v, where_find(str(s->given[i].value), &s->arena)));
            named = true;
        }
    return named ? JOT_OK : add_pad(v, s->where);
}

/* --- The link -------------------------------------------------------------------------------- */

static Str link_of(const Serving *v, Str base, Arena *into)
{
    return arena_printf(into, STR_FMT "/#token=" STR_FMT, STR_ARG(base), STR_ARG(v->token));
}

/* A program's arguments can be read by everybody on the machine: so the browser is given a file
 * that only this user can read, and that leads on. */
static void open_browser(Session *s, Str link)
{
    Err e = { 0 };
    AUTO(Buf) page = { 0 };
    pid_t child;
    Str dir = home_path(HOME_STATE, &s->arena);
    buf_addf(&page,
             "<!doctype html><meta charset=\"utf-8\"><title>jotter</title>"
             "<meta http-equiv=\"refresh\" content=\"0;url=" STR_FMT "\">\n",
             STR_ARG(link));
    jot_status st = home_write(&io_system, HOME_STATE, "open.html", buf_str(&page), &e);
    char *file = (char *)(uintptr_t)arena_printf(&s->arena, STR_FMT "/open.html", STR_ARG(dir)).p;
    char opener[] = "xdg-open";
    char *argv[] = { opener, file, NULL };
    if (st != JOT_OK || posix_spawnp(&child, opener, NULL, NULL, argv, environ) != 0)
        say("could not open a browser: open the link yourself");
}

static void print_links(Serving *v, Str base)
{
    Session *s = v->s;
    Str link = link_of(v, base, &s->arena);
    if (s->json)
        print_json(json_pack("{s:o, s:o}", "link", json_text(link), "mcp",
                             json_text(arena_printf(&s->arena, STR_FMT "/mcp", STR_ARG(base)))));
    else
        printf(STR_FMT "\n", STR_ARG(link));
    fflush(stdout);
    if (opt_given(s, "open"))
        open_browser(s, link);
}

static void ready(void *ctx, uint16_t port)
{
    Serving *v = ctx;
    Session *s = v->s;
    Str address = v->http.address, host = str_slice(address, 0, str_find_last(address, ':'));
    Err e = { 0 };
    if (http_address_host(address).n == 0)
        host = S("localhost");
    Str base = arena_printf(&s->arena, "http://" STR_FMT ":%u", STR_ARG(host), (unsigned)port);
    for (size_t i = 0; i < v->web.n; i++)
        if (v->running[i].fd != FD_NONE &&
            running_announce(&io_system, &v->running[i], base, &e) != JOT_OK)
            say("%s", e.text);
    print_links(v, base);
    if (!s->json)
        say("the page is at the link above; MCP at " STR_FMT "/mcp; Ctrl-C ends both",
            STR_ARG(base));
}

static void warn(void *ctx, const char *text)
{
    (void)ctx;
    say("%s", text);
}

/* --- Beginning ------------------------------------------------------------------------------- */

/* Every pad for this server alone; *other: one that runs has the address. */
static jot_status claim(Serving *v, Str *other)
{
    Session *s = v->s;
    other->n = 0;
    for (size_t i = 0; i < v->web.n && !other->n; i++)
        TRY(running_claim(&io_system, v->web.pads[i].id, &s->arena, &v->running[i], other,
                          &s->err));
    for (size_t i = 0; other->n && i < v->web.n; i++)
        running_release(&io_system, &v->running[i]);
    return JOT_OK;
}

static jot_status read_tokens(Serving *v, bool fresh)
{
    Session *s = v->s;
    bool made;
    Str dir = home_path(HOME_STATE, &s->arena);
    const char *path = arena_printf(&s->arena, STR_FMT "/page-token", STR_ARG(dir)).p, *mcp;
    if (fresh && unlink(path) != 0 && errno != ENOENT)
        return err_errno(&s->err, errno, "could not remove the token of before");
    TRY(http_token_read(&io_system, path, &s->arena, &v->token, &made, &s->err));
    v->web.token = hash_of(v->token);
    TRY(tokens_mcp_path(s, &mcp));
    return http_guard_token(&v->http.guard, &io_system, mcp, &made, &s->err);
}

static void start_web(void *ctx, HttpServer *server)
{
    web_start(ctx, server);
}

static void web_is_gone(void *ctx, uint64_t number)
{
    web_gone(ctx, number);
}

static void end_web(void *ctx)
{
    web_end(ctx);
}

static jot_status serve(Serving *v)
{
    static const WebVerb more[] = { { "run", &verb_run_next }, { 0 } };
    Session *s = v->s;
    v->web.more = more;
    v->web.read_only = opt_given(s, "read-only");
    v->web.mcp = true;
    v->made = web_new(&v->web);
    v->beside = (McpBeside){ .routes = web_routes(v->made),
                             .start = start_web,
                             .gone = web_is_gone,
                             .end = end_web,
                             .ctx = v->made };
    unsigned profiles = v->http.mcp.profiles;
    v->http.mcp = v->web.pads[0].o;
    v->http.mcp.profiles = profiles;
    v->http.mcp.by = s->named ? s->by : (Str){ 0 };
    v->http.beside = &v->beside;
    v->http.ready = ready;
    v->http.warn = warn;
    v->http.ctx = v;
    return mcp_http(&v->http, &s->err);
}

static jot_status run_serve(Session *s)
{
    static Serving serving;
    Serving *v = &serving;
    bool loopback;
    Str other;
    *v = (Serving){ .s = s };
    for (size_t i = 0; i < WEB_PADS_MAX; i++)
        v->running[i].fd = FD_NONE;
    v->http.address = s->n ? arg_at(s, 0) : S(WEB_ADDRESS);
    TRY(http_address(v->http.address, &loopback, &s->err));
    TRY(http_guard_hosts(&v->http.guard, str(opt_text(s, "allow-host")), &s->err));
    TRY(tool_profiles(str(opt_text(s, "tools")), &v->http.mcp.profiles, &s->err));
    TRY(add_pads(v));
    last_pad_check(s);
    TRY(claim(v, &other));
    if (other.n && opt_given(s, "new-token"))
        return err_set(&s->err, JOT_UNAVAILABLE,
                       "a server already runs for this pad: end it before you change its token");
    TRY(read_tokens(v, opt_given(s, "new-token")));
    if (!other.n)
        return serve(v);
    print_links(v, other);
    if (!s->json)
        say("it already runs");
    return JOT_OK;
}

static const Opt opts[] = {
    { "open", NULL, "open it in a browser" },
    { "read-only", NULL, "nothing can be written, by the page or over MCP" },
    { "new-token", NULL, "replace the token: earlier links stop working" },
    { "allow-host", "NAMES", "also answer to these host names; separated by commas" },
    { "tools", "PROFILES", "for MCP: " TOOL_PROFILE_WORDS "; with commas" },
    { 0 },
};

const Cmd cmd_serve = {
    .name = "serve",
    .args = "[ADDR:PORT]",
    .args_max = 1,
    .summary = "Show the pad in a browser, and serve it to programs over HTTP",
    .help =
        "Prints the link to open.  What is after the '#' is a token, which lies in a file only\n"
        "you can read and stays the same, so that a bookmark works after a restart.  Without\n"
        "ADDR:PORT it is " WEB_ADDRESS "; started twice for the same pad it prints the link of\n"
        "the one that runs.  --pad may be given several times.\n"
        "\n"
        "The page's API is at /api/v1/NOUN/VERB, for curl too; MCP is at /mcp, with the token of\n"
        "'jotter mcp --http'.  What is written through the page is written by you; neither token\n"
        "opens what the other does.  Nothing leaves this machine.\n",
    .opts = opts,
    .run = run_serve,
};
