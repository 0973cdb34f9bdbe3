/* client.c - the tools of another MCP server, offered as tools of our own.
 *
 *     open      start the program (client_process.c)
 *     greet     server/discover in the words of 2026-07-28; a server that does not know it is asked
 *               with `initialize` instead, and tells its own version
 *     list      tools/list, page by page; each tool becomes a Tool whose name is
 *               mcp_SERVER_TOOL and whose `run` is a call to the server
 *     call      tools/call; the parts of the answer become one text
 *
 * Everything a server says is a stranger's: names are made of our own letters and are unique,
 * texts are bounded, pages and tools are counted. */
#include "mcp/client/client.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "mcp/client/client_process.h"
#include "tool/args.h"

#define MODERN "2026-07-28"
#define LEGACY "2025-11-25"

typedef struct McpTool {
    Tool tool; /* first: a ToolCall's tool is this */
    McpClient *client;
    const char *remote; /* its name at the server */
} McpTool;

struct McpClient {
    ClientProcess process;
    bool modern;
    char name[MCP_CLIENT_NAME_MAX + 1];
    char version[32];
    int64_t call_ms;
    McpTool *tools;
    size_t tools_n;
    json_t *lists; /* what was listed; the tools borrow their schemas from it */
    Arena arena;
};

/* --- Asking -------------------------------------------------------------------------------- */

static void add_meta(const McpClient *c, json_t *params)
{
    if (c->modern)
        json_object_set_new(
            params, "_meta",
            json_pack("{s:s, s:{s:s, s:s}, s:{}}", "io.modelcontextprotocol/protocolVersion",
                      MODERN, "io.modelcontextprotocol/clientInfo", "name", "jotter", "version",
                      "1", "io.modelcontextprotocol/clientCapabilities"));
}

static jot_status ask(McpClient *c, const char *method, json_t *params, int64_t ms, json_t **out,
                      Err *e)
{
    add_meta(c, params);
    ClientProcessAsk x = { .method = method, .params = params, .time_ms = ms };
    return client_process_ask(&c->process, &x, out, e);
}

/* In the modern way first, for a short time: an older server answers with an error or not at all,
 * and is greeted in the older way. */
static jot_status handshake(McpClient *c, int64_t ms, Err *e)
{
    json_t *result = NULL;
    Shown shown;
    c->modern = true;
    jot_status st = ask(c, "server/discover", json_object(),
                        ms < MCP_CLIENT_PROBE_MS ? ms : MCP_CLIENT_PROBE_MS, &result, e);
    AUTO_PTR(json_t) found = result;
    const json_t *versions = json_object_get(found, "supportedVersions");
    c->modern = false;
    for (size_t i = 0; st == JOT_OK && i < json_array_size(versions); i++)
        c->modern = c->modern || str_eq(json_str(json_array_get(versions, i)), S(MODERN));
    if (c->modern) {
        snprintf(c->version, sizeof c->version, "%s", MODERN);
        return JOT_OK;
    }
    if (st == JOT_CANCELLED || c->process.gone)
        return st == JOT_OK ? err_set(e, JOT_INVALID, "the server does not speak MCP " MODERN) : st;
    TRY(ask(c, "initialize",
            json_pack("{s:s, s:{}, s:{s:s, s:s}}", "protocolVersion", LEGACY, "capabilities",
                      "clientInfo", "name", "jotter", "version", "1"),
            ms, &result, e));
    AUTO_PTR(json_t) begun = result;
    Str version = json_member(begun, "protocolVersion");
    if (!version.n || version.n >= sizeof c->version)
        return err_set(e, JOT_UNAVAILABLE,
                       "the server '%s' does not speak MCP: it names no version",
                       err_show(&shown, c->process.command));
    memcpy(c->version, version.p, version.n);
    client_process_notify(&c->process, "notifications/initialized", NULL);
    return JOT_OK;
}

/* --- Names --------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_';
}

/* "name=command": true, and both are cut; a variable for the command is in capitals. */
static bool cut_name(Str *command, Str *name)
{
    Str rest = *command, head;
    if (!str_cut(&rest, '=', &head) || !head.n || head.n > MCP_CLIENT_NAME_MAX)
        return false;
    for (size_t i = 0; i < head.n; i++)
        if (!is_word(head.p[i]))
            return false;
    *command = rest;
    *name = head;
    return true;
}

/* Small letters, digits and '_' of a name; what is something else becomes '_'. */
static size_t plain(Str from, char *to, size_t max)
{
    size_t n = from.n < max ? from.n : max;
    for (size_t i = 0; i < n; i++) {
        char c = (char)tolower((unsigned char)from.p[i]);
        to[i] = '_';
        if (is_word(c))
            to[i] = c;
    }
    to[n] = 0;
    return n;
}

static bool is_taken(const McpClient *c, const char *name, const McpClientOptions *o)
{
    for (size_t i = 0; i < c->tools_n; i++)
        if (strcmp(c->tools[i].tool.name, name) == 0)
            return true;
    return o->taken && o->taken(o->ctx, str(name));
}

/* mcp_SERVER_TOOL; a part of the remote name's hash makes it one of its own if it must. */
static const char *make_name(McpClient *c, Str remote, const McpClientOptions *o)
{
    char name[TOOL_NAME_MAX + 1], end[TOOL_NAME_MAX + 1];
    size_t n = (size_t)snprintf(name, sizeof name, MCP_CLIENT_PREFIX "%s_", c->name);
    plain(remote, name + n, TOOL_NAME_MAX - n);
    bool taken = remote.n > TOOL_NAME_MAX - n || is_taken(c, name, o);
    Hash h = hash_of(remote);
    for (size_t whole = strlen(name); taken; h = hash_of(str(end))) {
        snprintf(end, sizeof end, "_%.12s", hash_hex(h).text);
        size_t room = TOOL_NAME_MAX - strlen(end);
        memcpy(name + (whole < room ? whole : room), end, strlen(end) + 1);
        taken = is_taken(c, name, o);
    }
    return arena_cstr(&c->arena, str(name));
}

/* --- The list ------------------------------------------------------------------------------ */

static jot_status run(ToolCall *call, ToolReply *out);

static void add_tool(McpClient *c, const json_t *tool, const McpClientOptions *o)
{
    Str remote = json_member(tool, "name");
    const json_t *schema = json_object_get(tool, "inputSchema");
    const json_t *hints = json_object_get(tool, "annotations");
    bool reads = json_is_true(json_object_get(hints, "readOnlyHint"));
    bool twice = false;
    for (size_t i = 0; i < c->tools_n; i++)
        twice = twice || str_eq(str(c->tools[i].remote), remote);
    if (!remote.n || str_find(remote, 0) != remote.n || twice || !json_is_object(schema) ||
        c->tools_n == MCP_CLIENT_TOOLS_MAX)
        return;
    Str about = json_member(tool, "description");
    if (!about.n)
        about = json_member(tool, "title");
    if (!about.n)
        about = S("(the server does not describe this tool)");
    about.n = utf8_floor(about, TOOL_ABOUT_MAX - 1);
    McpTool t = { .client = c, .remote = arena_cstr(&c->arena, remote) };
    t.tool = (Tool){ .name = make_name(c, remote, o),
                     .title = t.remote,
                     .about = arena_cstr(&c->arena, about),
                     .effects = TOOL_FOREIGN | (unsigned)(reads ? TOOL_READS : TOOL_WRITES),
                     .schema = schema,
                     .run = run };
    assert(strlen(t.tool.name) <= TOOL_NAME_MAX && !is_taken(c, t.tool.name, o));
    c->tools[c->tools_n++] = t;
}

static jot_status list_tools(McpClient *c, int64_t ms, const McpClientOptions *o, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str cursor = { 0 };
    c->lists = json_array();
    c->tools = NEW_ARRAY(&c->arena, McpTool, MCP_CLIENT_TOOLS_MAX);
    for (int page = 0; page < MCP_CLIENT_PAGES_MAX; page++) {
        json_t *result = NULL, *params = json_object();
        if (cursor.n)
            json_object_set_new(params, "cursor", json_stringn(cursor.p, cursor.n));
        TRY(ask(c, "tools/list", params, ms, &result, e));
        json_array_append_new(c->lists, result);
        const json_t *tools = json_object_get(result, "tools");
        for (size_t i = 0; i < json_array_size(tools); i++)
            add_tool(c, json_array_get(tools, i), o);
        cursor = arena_copy(&arena, json_member(result, "nextCursor"));
        if (!cursor.n)
            return JOT_OK;
    }
    return err_set(e, JOT_UNAVAILABLE, "the server '%s' lists more than %d pages of tools", c->name,
                   MCP_CLIENT_PAGES_MAX);
}

/* --- A call -------------------------------------------------------------------------------- */

static void read_answer(const json_t *result, Arena *into, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    const json_t *parts = json_object_get(result, "content");
    const json_t *data = json_object_get(result, "structuredContent");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        Str type = json_member(part, "type");
        bool within = str_eq(type, S("resource"));
        Str said = json_member(within ? json_object_get(part, "resource") : part, "text");
        Shown kind, mime;
        buf_add(&text, said);
        if (!said.n && !str_eq(type, S("text"))) /* what is no text is named */
            buf_addf(&text, "[%s %s: not shown]", err_show(&kind, type),
                     err_show(&mime, json_member(part, "mimeType")));
        if (text.n && text.p[text.n - 1] != '\n')
            buf_add_char(&text, '\n');
    }
    if (!text.n && data)
        json_write(&text, data);
    Str whole = buf_str(&text);
    while (whole.n && whole.p[whole.n - 1] == '\n')
        whole.n--;
    if (whole.n > MCP_CLIENT_TEXT_MAX) {
        size_t cut = utf8_floor(whole, MCP_CLIENT_TEXT_MAX - 100);
        out->text = arena_printf(into, STR_FMT "\n(cut here: %zu of %zu bytes)",
                                 STR_ARG(str_slice(whole, 0, cut)), cut, whole.n);
        return;
    }
    out->text = arena_copy(into, whole);
}

static jot_status run(ToolCall *call, ToolReply *out)
{
    const McpTool *t = (const McpTool *)(const void *)call->tool;
    McpClient *c = t->client;
    json_t *result = NULL;
    json_t *args = json_deep_copy(call->args);
    /* A call may take long, as long as it reports progress. */
    json_t *params = json_pack("{s:s, s:o}", "name", t->remote, "arguments", args);
    add_meta(c, params);
    ClientProcessAsk x = { .method = "tools/call", .params = params, .time_ms = c->call_ms };
    x.time_ms_max = c->call_ms > MCP_CLIENT_CALL_MS_MAX ? c->call_ms : MCP_CLIENT_CALL_MS_MAX;
    TRY(client_process_ask(&c->process, &x, &result, call->e));
    AUTO_PTR(json_t) owned = result;
    if (str_eq(json_member(owned, "resultType"), S("input_required")))
        return err_set(call->e, JOT_UNSUPPORTED,
                       "the tool asks the user a question, which is not possible here");
    if (!json_is_object(owned))
        return err_set(call->e, JOT_UNAVAILABLE, "the server's answer is not an object");
    read_answer(owned, call->into, out);
    if (!json_is_true(json_object_get(owned, "isError")))
        return JOT_OK;
    if (!out->text.n)
        out->text = S("the tool failed without saying why");
    return err_set(call->e, JOT_INVALID, "the tool failed");
}

/* --- Opening ------------------------------------------------------------------------------- */

jot_status mcp_client_open(McpClient **out, const McpClientOptions *o, Err *e)
{
    AUTO_PTR(McpClient) c = mem_alloc(sizeof *c);
    int64_t start_ms = o->start_ms ? o->start_ms : MCP_CLIENT_START_MS;
    Str command = o->command, name = { 0 };
    if (!cut_name(&command, &name)) {
        /* Without a name it is called by the last part of its program's path. */
        name = str_slice(command, 0, str_find(command, ' '));
        size_t slash = str_find_last(name, '/');
        name = slash < name.n ? str_from(name, slash + 1) : name;
        name = name.n ? name : S("server");
    }
    if (!command.n || str_find(command, 0) != command.n)
        return err_set(e, JOT_INVALID, "an external server is a command, or NAME=COMMAND");
    plain(name, c->name, MCP_CLIENT_NAME_MAX);
    c->call_ms = o->call_ms ? o->call_ms : MCP_CLIENT_CALL_MS;
    c->process.cancelled = o->cancelled;
    c->process.ctx = o->ctx;
    TRY(client_process_open(&c->process, command, e));
    TRY(handshake(c, start_ms, e));
    TRY(list_tools(c, start_ms, o, e));
    *out = TAKE(c);
    return JOT_OK;
}

void mcp_client_close(McpClient *c)
{
    if (!c)
        return;
    client_process_close(&c->process);
    json_decref(c->lists);
    arena_free(&c->arena);
    free(c);
}

const Tool *mcp_client_tool(const McpClient *c, size_t i)
{
    return i < c->tools_n ? &c->tools[i].tool : NULL;
}

const char *mcp_client_version(const McpClient *c)
{
    return c->version;
}

const char *mcp_client_name(const McpClient *c)
{
    return c->name;
}
