/* setup_client.c - the clients: their files, their variables, their entries.
 *
 * What stands here was read in the clients' own documentation or code, and tried with those that
 * run without a screen: which variable moves the file, whether a variable is filled in, and in
 * which directory a server is started. */
#include "cli/setup_client.h"
#include "cli/guess.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN SETUP_TOKEN
#define ABOUT "Durable memory: remembers notes, plans and decisions across sessions"

/* --- Entries ----------------------------------------------------------------------------- */

static json_t *rest_of(const json_t *words)
{
    json_t *rest = json_array();
    for (size_t i = 1; i < json_array_size(words); i++)
        json_array_append(rest, json_array_get(words, i));
    return rest;
}

static json_t *starts_plain(const SetupReach *r)
{
    return json_pack("{s:O, s:o}", "command", json_array_get(r->words, 0), "args",
                     rest_of(r->words));
}

static json_t *starts_typed(const SetupReach *r)
{
    return json_pack("{s:s, s:O, s:o}", "type", "stdio", "command", json_array_get(r->words, 0),
                     "args", rest_of(r->words));
}

/* Else these programs show their model no tool, or only the names, and the model has to search. */
static json_t *always_loaded(json_t *entry, const char *member)
{
    json_object_set_new(entry, member, json_true());
    return entry;
}

static json_t *starts_claude(const SetupReach *r)
{
    return always_loaded(starts_typed(r), "alwaysLoad");
}

static json_t *starts_qwen(const SetupReach *r)
{
    return always_loaded(starts_plain(r), "alwaysLoadTools");
}

static json_t *starts_opencode(const SetupReach *r)
{
    return json_pack("{s:s, s:O, s:b}", "type", "local", "command", r->words, "enabled", 1);
}

static json_t *starts_goose(const SetupReach *r)
{
    return json_pack("{s:b, s:s, s:s, s:s, s:O, s:o, s:i}", "enabled", 1, "type", "stdio", "name",
                     "jotter", "description", ABOUT, "cmd", json_array_get(r->words, 0), "args",
                     rest_of(r->words), "timeout", 300);
}

static json_t *calls_claude(const SetupReach *r)
{
    return always_loaded(json_pack("{s:s, s:s, s:{s:s}}", "type", "http", "url", r->url, "headers",
                                   "Authorization", "Bearer ${" TOKEN "}"),
                         "alwaysLoad");
}

static json_t *calls_cline(const SetupReach *r)
{
    return json_pack("{s:s, s:s}", "type", "streamableHttp", "url", r->url);
}

static json_t *calls_codex(const SetupReach *r)
{
    return json_pack("{s:s, s:s}", "url", r->url, "bearer_token_env_var", TOKEN);
}

static json_t *calls_opencode(const SetupReach *r)
{
    return json_pack("{s:s, s:s, s:b, s:{s:s}}", "type", "remote", "url", r->url, "enabled", 1,
                     "headers", "Authorization", "Bearer {env:" TOKEN "}");
}

static json_t *calls_gemini(const SetupReach *r)
{
    return json_pack("{s:s, s:{s:s}}", "httpUrl", r->url, "headers", "Authorization",
                     "Bearer $" TOKEN);
}

static json_t *calls_qwen(const SetupReach *r)
{
    return always_loaded(calls_gemini(r), "alwaysLoadTools");
}

static json_t *calls_goose(const SetupReach *r)
{
    return json_pack("{s:b, s:s, s:s, s:s, s:s, s:{s:s}, s:[s], s:i}", "enabled", 1, "type",
                     "streamable_http", "name", "jotter", "description", ABOUT, "uri", r->url,
                     "headers", "Authorization", "Bearer $" TOKEN, "env_keys", TOKEN, "timeout",
                     300);
}

static json_t *calls_cursor(const SetupReach *r)
{
    return json_pack("{s:s, s:{s:s}}", "url", r->url, "headers", "Authorization",
                     "Bearer ${env:" TOKEN "}");
}

static json_t *calls_vscode(const SetupReach *r)
{
    return json_pack("{s:s, s:s, s:{s:s}}", "type", "http", "url", r->url, "headers",
                     "Authorization", "Bearer ${env:" TOKEN "}");
}

/* --- The table --------------------------------------------------------------------------- */

static const char *const most[] = { "type", "command", "args", "url", "headers", NULL };
static const char *const of_claude[] = { "type",    "command",    "args", "url",
                                         "headers", "alwaysLoad", NULL };
/* Its headers are the user's: nobody else can write the token there. */
static const char *const of_cline[] = { "type", "command", "args", "url", NULL };
static const char *const of_codex[] = { "command", "args", "url", "bearer_token_env_var", NULL };
static const char *const of_gemini[] = { "command", "args", "httpUrl", "headers", NULL };
static const char *const of_qwen[] = { "command",         "args", "httpUrl", "headers",
                                       "alwaysLoadTools", NULL };
static const char *const of_opencode[] = { "type", "command", "enabled", "url", "headers", NULL };
static const char *const of_goose[] = { "enabled", "type", "name",    "description", "cmd", "args",
                                        "timeout", "uri",  "headers", "env_keys",    NULL };

#define CLINE_FILE "settings/cline_mcp_settings.json"

/* clang-format off */
static const SetupRoot at_claude[] = { { "CLAUDE_CONFIG_DIR", ".claude.json" }, { 0 } };
static const SetupRoot at_cline[] = { { "CLINE_MCP_SETTINGS_PATH", "" }, { "CLINE_DATA_DIR", CLINE_FILE },
                                      { "CLINE_DIR", "data/" CLINE_FILE }, { 0 } };
static const SetupRoot at_codex[] = { { "CODEX_HOME", "config.toml" }, { 0 } };
static const SetupRoot at_gemini[] = { { "GEMINI_CLI_HOME", ".gemini/settings.json" }, { 0 } };
static const SetupRoot at_goose[] = { { "GOOSE_PATH_ROOT", "config/config.yaml" },
                                      { "XDG_CONFIG_HOME", "goose/config.yaml" }, { 0 } };
static const SetupRoot at_opencode[] = { { "XDG_CONFIG_HOME", "opencode/opencode.json" }, { 0 } };
static const SetupRoot at_qwen[] = { { "QWEN_HOME", "settings.json" }, { 0 } };
static const SetupRoot at_vscode[] = { { "VSCODE_PORTABLE", "user-data/User/mcp.json" },
                                       { "VSCODE_APPDATA", "Code/User/mcp.json" },
                                       { "XDG_CONFIG_HOME", "Code/User/mcp.json" }, { 0 } };
static const SetupRoot nowhere[] = { { 0 } };

static const SetupClient clients[] = {
    { .name = "claude-code", .title = "Claude Code", .roots = at_claude, .file = ".claude.json",
      .project = ".mcp.json", .root_word = "", .table = "mcpServers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_claude, .calls = calls_claude, .ours = of_claude,
      .project_note = "Claude Code asks you to approve the servers of a .mcp.json when it is next started there" },
    { .name = "cline", .title = "Cline", .roots = at_cline, .file = ".cline/data/" CLINE_FILE,
      .table = "mcpServers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_typed, .calls = calls_cline, .ours = of_cline,
      .token_note = "Cline fills in no variables: add \"headers\": { \"Authorization\": \"Bearer TOKEN\" } with the "
                    "token itself by hand, or let Cline start the server (without --http)" },
    { .name = "codex", .title = "Codex", .roots = at_codex, .file = ".codex/config.toml",
      .project = ".codex/config.toml", .root_word = "", .table = "mcp_servers",
      .edit = setup_toml, .look = setup_toml_look, .starts = starts_plain, .calls = calls_codex, .ours = of_codex,
      .project_note = "Codex reads this file only in a project it trusts: start codex there and say yes, or put "
                      "trust_level = \"trusted\" under [projects.\"DIR\"] into your own config.toml" },
    { .name = "cursor", .title = "Cursor", .roots = nowhere, .file = ".cursor/mcp.json",
      .project = ".cursor/mcp.json", .root_word = "${workspaceFolder}/", .table = "mcpServers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_typed, .calls = calls_cursor, .ours = most,
      .dir_note = "Cursor does not promise to start servers in the directory of the project: for the pad of a "
                  "project use --project there" },
    { .name = "gemini", .title = "Gemini CLI", .roots = at_gemini, .file = ".gemini/settings.json",
      .project = ".gemini/settings.json", .root_word = "", .table = "mcpServers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_plain, .calls = calls_gemini, .ours = of_gemini,
      .own_note = "Gemini CLI starts no servers in a folder it does not trust: say /permissions trust there",
      .project_note = "Gemini CLI starts no servers in a folder it does not trust: say /permissions trust there" },
    { .name = "goose", .title = "goose", .roots = at_goose, .file = ".config/goose/config.yaml",
      .table = "extensions",
      .edit = setup_yaml, .look = setup_yaml_look, .starts = starts_goose, .calls = calls_goose, .ours = of_goose },
    { .name = "opencode", .title = "opencode", .roots = at_opencode, .file = ".config/opencode/opencode.json",
      .project = "opencode.json", .root_word = "", .table = "mcp",
      .edit = setup_json, .look = setup_json_look, .starts = starts_opencode, .calls = calls_opencode, .ours = of_opencode },
    { .name = "qwen", .title = "Qwen Code", .roots = at_qwen, .file = ".qwen/settings.json",
      .project = ".qwen/settings.json", .root_word = "", .table = "mcpServers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_qwen, .calls = calls_qwen, .ours = of_qwen },
    { .name = "vscode", .title = "VS Code", .roots = at_vscode, .file = ".config/Code/User/mcp.json",
      .project = ".vscode/mcp.json", .root_word = "", .table = "servers",
      .edit = setup_json, .look = setup_json_look, .starts = starts_typed, .calls = calls_vscode, .ours = most },
};
/* clang-format on */

const SetupClient *setup_client(size_t i)
{
    return i < COUNT_OF(clients) ? &clients[i] : NULL;
}

jot_status setup_client_find(Str name, const SetupClient **out, Err *e)
{
    AUTO(Buf) names = { 0 };
    Shown shown;
    Guess near = { .word = name };
    const char *meant = NULL; /* "claude" is one's beginning */
    for (size_t i = 0; i < COUNT_OF(clients); i++) {
        guess_add(&near, clients[i].name);
        if (name.n && str_starts(str(clients[i].name), name))
            meant = clients[i].name;
        if (str_eq(name, str(clients[i].name))) {
            *out = &clients[i];
            return JOT_OK;
        }
        bool last = i + 1 == COUNT_OF(clients);
        buf_addf(&names, "%s%s", i == 0 ? "" : last ? " or " : ", ", clients[i].name);
    }
    meant = meant ? meant : near.name;
    return err_set(e, JOT_INVALID, "no client '%s':%s%s%s use " STR_FMT, err_show(&shown, name),
                   meant ? " did you mean '" : "", meant ? meant : "", meant ? "'?" : "",
                   STR_ARG(buf_str(&names)));
}

/* --- The file ---------------------------------------------------------------------------- */

static Str below(const char *dir, const char *file, Arena *into)
{
    return file[0] ? arena_printf(into, "%s/%s", dir, file) : arena_printf(into, "%s", dir);
}

/* A relative one is ignored where the standard says so; elsewhere the client would take it from
 * wherever it is started, and nobody can write all those files. */
static jot_status refuse_relative(const SetupRoot *r, Err *e)
{
    return err_set(e, JOT_INVALID, "%s is not an absolute path: %s would be looked for elsewhere",
                   r->variable, r->file[0] ? r->file : "the file");
}

jot_status setup_client_file(const SetupClient *c, Arena *into, Str *out, Err *e)
{
    const char *home = getenv("HOME");
    for (const SetupRoot *r = c->roots; r->variable; r++) {
        const char *dir = getenv(r->variable);
        if (!dir || !dir[0])
            continue;
        if (dir[0] == '/') {
            *out = below(dir, r->file, into);
            return JOT_OK;
        }
        if (strncmp(r->variable, "XDG_", 4) != 0)
            return refuse_relative(r, e);
    }
    if (!home || home[0] != '/')
        return err_set(e, JOT_INVALID, "HOME is not set to an absolute path");
    *out = below(home, c->file, into);
    return JOT_OK;
}
