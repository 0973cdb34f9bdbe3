/* cmd_mcp.c - the pad for programs that speak MCP, over standard input and output or over HTTP. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/url.h"
#include "cli/cmd.h"
#include "cli/last_pad.h"
#include "cli/tokens.h"
#include "mcp/http/http.h"
#include "mcp/server/pipe.h"

extern const Cmd cmd_mcp;

/* --- HTTP -------------------------------------------------------------------------------- */

/* A directory that is not there is a name that was not meant; only our own are made. */
static jot_status check_parent(Session *s, const char *path)
{
    Shown shown;
    struct stat info;
    size_t slash = str_find_last(str(path), '/');
    if (slash == strlen(path) || slash == 0)
        return JOT_OK;
    Str dir = arena_copy(&s->arena, str_slice(str(path), 0, slash));
    if (stat(dir.p, &info) != 0)
        return err_errno(&s->err, errno, "could not find the directory of the token file, '%s'",
                         err_show(&shown, dir));
    return JOT_OK;
}

static jot_status token_path(Session *s, const char **out)
{
    const char *given = opt_text(s, "token-file");
    if (given) {
        *out = given;
        return check_parent(s, given);
    }
    return tokens_mcp_path(s, out);
}

/* Without a token only this machine may ask, and only if somebody says so. */
static jot_status set_token(Session *s, HttpGuard *g, bool loopback)
{
    bool made = false;
    const char *path = NULL;
    if (opt_given(s, "no-token") && opt_given(s, "token-file"))
        return err_set(&s->err, JOT_INVALID, "give --token-file or --no-token, not both");
    if (opt_given(s, "no-token") && !loopback)
        return err_set(
            &s->err, JOT_INVALID,
            "an address that others can reach needs a token: --no-token is for loopback");
    if (opt_given(s, "no-token"))
        return JOT_OK;
    TRY(token_path(s, &path));
    TRY(http_guard_token(g, &io_system, path, &made, &s->err));
    if (made)
        say("made a token in %s", path);
    return JOT_OK;
}

static void say_warning(void *ctx, const char *text)
{
    (void)ctx;
    say("%s", text);
}

static void say_address(void *ctx, uint16_t port)
{
    Str address = *(const Str *)ctx;
    address = str_slice(address, 0, str_find_last(address, ':'));
    say("http://" STR_FMT ":%u/mcp", STR_ARG(address), (unsigned)port);
}

/* Where it listens at every address it knows none of them by name. */
static void say_names_needed(const McpHttpOptions *o)
{
    if (http_address_host(o->address).n == 0 && o->guard.hosts_n == 0)
        say("only requests to localhost are answered: name this machine with --allow-host for the "
            "others");
}

static jot_status serve_http(Session *s, const McpOptions *mcp)
{
    static McpHttpOptions o;
    bool loopback = false;
    o = (McpHttpOptions){
        .mcp = *mcp, .address = arg_at(s, 0), .ready = say_address, .warn = say_warning
    };
    if (o.address.n == 0)
        o.address = S(MCP_HTTP_ADDRESS);
    o.ctx = &o.address;
    TRY(http_address(o.address, &loopback, &s->err));
    TRY(http_guard_hosts(&o.guard, str(opt_text(s, "allow-host")), &s->err));
    TRY(http_guard_origins(&o.guard, str(opt_text(s, "allow-origin")), &s->err));
    TRY(opt_number(s, "idle", 1, 86400, MCP_HTTP_IDLE_S, &o.idle_s));
    TRY(set_token(s, &o.guard, loopback));
    say_names_needed(&o);
    return mcp_http(&o, &s->err);
}

/* --- The command ------------------------------------------------------------------------- */

/* What is for HTTP alone is not passed over in silence without it. */
static jot_status check_no_http(Session *s)
{
    static const char *const names[] = { "token-file", "no-token", "allow-host", "allow-origin",
                                         "idle" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (opt_given(s, names[i]))
            return err_set(&s->err, JOT_INVALID, "--%s goes with --http", names[i]);
    if (s->n)
        return err_set(&s->err, JOT_INVALID, "an address goes with --http");
    return JOT_OK;
}

static jot_status run_mcp(Session *s)
{
    where_settle(&s->where, &s->arena);
    McpOptions o = {
        .url = s->where.url, .found = s->where.found, .user = s->by, .lease = s->lease
    };
    if (s->named)
        o.by = s->by;
    /* A pad that cannot be meant is reported now; whether it is there only the first call asks. */
    Url url;
    TRY(where_check(&s->where, &s->err));
    TRY(url_parse(o.url, &s->arena, &url, &s->err));
    TRY(session_judge(s));
    last_pad_check(s);
    TRY(tool_profiles(str(opt_text(s, "tools")), &o.profiles, &s->err));
    TRY(memory_dialect(str(opt_text(s, "dialect")), &o.dialect, &s->err));
    if (opt_given(s, "http"))
        return serve_http(s, &o);
    TRY(check_no_http(s));
    mcp_pipe(&o);
}

static const Opt opts[] = {
    { "tools", "PROFILES", TOOL_PROFILE_WORDS "; with commas" },
    { "dialect", "NAME", "the memory tool's, as for memory-tool: documented, typescript, python" },
    { "http", NULL, "over HTTP, at ADDR:PORT (" MCP_HTTP_ADDRESS " by default)" },
    { "token-file", "PATH", "the file with the token that requests must carry" },
    { "no-token", NULL, "accept requests without a token, from any program on this machine" },
    { "allow-host", "NAMES", "also answer to these host names; separated by commas" },
    { "allow-origin", "ORIGINS",
      "web origins that may ask, such as https://example.org; separated by commas" },
    { "idle", "SECONDS", "save and close sessions that are idle for this long (1800)" },
    { 0 },
};

const Cmd cmd_mcp = {
    .name = "mcp",
    .args = "[ADDR:PORT]",
    .args_max = 1,
    .summary = "Serve the pad to agents over MCP, on standard input and output or HTTP",
    .help =
        "One JSON message a line, of every revision of MCP from 2024-11-05 to 2026-07-28.  The\n"
        "tools of the scratchpad are always there; --tools adds others.  Nothing is written\n"
        "before the first write; the end of input, SIGINT and SIGTERM end it, and what was\n"
        "acknowledged is durable.  The pad is that of the directory it is started in, as always;\n"
        "--pad ties it to one.\n"
        "\n"
        "With --http it serves any number of clients at http://ADDR:PORT/mcp and says so on\n"
        "standard error; port 0 is any that is free.  Requests need the header\n"
        "'Authorization: Bearer TOKEN'; the token lies in a file only you can read, which is\n"
        "made when there is none.  Only loopback names, ADDR and --allow-host are answered, and\n"
        "no pages but --allow-origin.\n",
    .opts = opts,
    .run = run_mcp,
};
