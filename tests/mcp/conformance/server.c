/* server.c - a server with fixtures, for the official conformance suite.
 *
 *     conformance-server mcp --pad PAD [--http]
 *
 * It is started like `jotter mcp`, and is the same code, over standard input and output
 * or over HTTP: then on a free port of this machine, without a token, and it says its
 * address when it can be asked.
 *
 * Jotter itself knows no fixtures and has no way to add any.  The linker puts them in:
 * with --wrap (meson.build has the list) the product's calls of mcp_tools_call, say, come
 * to the function of that name here, which answers for the fixtures and hands everything
 * else on. */
#include <stdio.h>
#include <string.h>

#include "conformance/fixtures.h"
#include "conformance/wrap.h"
#include "mcp/http/http.h"
#include "mcp/server/pipe.h"

static const char prompt[] = "test_input_required_result_prompt";

/* --- Lists ------------------------------------------------------------------------------- */

static void add_tools(json_t *to, const Fixture *f)
{
    for (; f->name; f++)
        if (strcmp(f->name, prompt) != 0)
            json_array_append_new(to,
                                  json_pack("{s:s, s:s, s:o}", "name", f->name, "description",
                                            "a fixture", "inputSchema", fixture_json(f->schema)));
}

static void add_prompt(json_t *to, const char *name, const char *args)
{
    json_array_append_new(to, json_pack("{s:s, s:s, s:o}", "name", name, "description", "a fixture",
                                        "arguments", fixture_json(args)));
}

/* Add the fixtures to a result: to its member "tools", "resources" and so on. */
static bool list(bool listed, json_t **result, const char *what)
{
    static const char *const uris[] = { "test://static-text", "test://static-binary",
                                        "test://watched-resource" };
    if (!listed || json_object_get(*result, "nextCursor"))
        return listed; /* they are on the last page */
    json_t *to = json_object_get(*result, what);
    if (strcmp(what, "tools") == 0) {
        add_tools(to, fixture_tools);
        add_tools(to, fixture_questions);
        add_tools(to, fixture_inputs);
    } else if (strcmp(what, "prompts") == 0) {
        for (const Fixture *f = fixture_prompts; f->name; f++)
            add_prompt(to, f->name, f->schema);
        add_prompt(to, prompt, "[]");
    } else if (strcmp(what, "resources") == 0) {
        for (size_t i = 0; i < COUNT_OF(uris); i++)
            json_array_append_new(to, json_pack("{s:s, s:s}", "uri", uris[i], "name", uris[i]));
    } else {
        json_array_append_new(to, json_pack("{s:s, s:s}", "uriTemplate",
                                            "test://template/{id}/data", "name", "a template"));
    }
    return true;
}

/* --- Resources --------------------------------------------------------------------------- */

static bool read_template(const Call *c, Str uri)
{
    Str id = str_slice(uri, S("test://template/").n, uri.n - S("/data").n);
    char text[256];
    snprintf(text, sizeof text,
             "{\"id\":\"" STR_FMT "\",\"templateTest\":true,\"data\":\"Data for ID: " STR_FMT "\"}",
             STR_ARG(id), STR_ARG(id));
    *c->result = json_pack("{s:[{s:o, s:s, s:s}]}", "contents", "uri", mcp_text(uri), "mimeType",
                           "application/json", "text", text);
    return true;
}

static bool read_resource(const Call *c)
{
    Str uri = json_str(json_object_get(c->r->msg.params, "uri"));
    if (str_eq(uri, S("test://static-text")) || str_eq(uri, S("test://watched-resource"))) {
        *c->result =
            json_pack("{s:[{s:o, s:s, s:s}]}", "contents", "uri", mcp_text(uri), "mimeType",
                      "text/plain", "text", "This is the content of the static text resource.");
        return true;
    }
    if (str_eq(uri, S("test://static-binary"))) {
        *c->result = json_pack("{s:[{s:o, s:s, s:s}]}", "contents", "uri", mcp_text(uri),
                               "mimeType", "image/png", "blob", "iVBORw0KGgo=");
        return true;
    }
    if (str_starts(uri, S("test://template/")) && str_ends(uri, S("/data")) && uri.n < 64)
        return read_template(c, uri);
    Err e = { 0 };
    err_set(&e, JOT_NOT_FOUND, "there is no such resource");
    mcp_fail(c->r, &e, c->why);
    c->why->data = json_pack("{s:o}", "uri", mcp_text(uri));
    return false;
}

/* --- Answers ----------------------------------------------------------------------------- */

static const Fixture *find(const Fixture *f, Str name)
{
    for (; f->name; f++)
        if (str_eq(name, str(f->name)))
            return f;
    return NULL;
}

static bool answer_named(const Call *c, const Fixture *f)
{
    if (!f)
        return rpc_refuse(c->why, RPC_INVALID_PARAMS, "there is no such fixture");
    if (f->answer)
        return f->answer(c);
    *c->result = fixture_json(f->result);
    return true;
}

/* True if a request names a fixture. */
static bool is_fixture(const McpRequest *r)
{
    const json_t *params = r->msg.params, *ref = json_object_get(params, "ref");
    const json_t *where = ref ? ref : params;
    return str_starts(json_str(json_object_get(where, "name")), S("test_")) ||
           str_starts(json_str(json_object_get(where, "uri")), S("test://"));
}

static bool answer(McpRequest *r, json_t **result, RpcError *why)
{
    const json_t *meta = json_object_get(r->msg.params, "_meta");
    const json_t *client = json_object_get(meta, "io.modelcontextprotocol/clientCapabilities");
    Str name = json_str(json_object_get(r->msg.params, "name"));
    Call c = { r, client, json_object_get(r->msg.params, "arguments"), result, why };
    bool prompts = str_eq(r->msg.method, S("prompts/get"));
    if (str_eq(r->msg.method, S("resources/read")))
        return read_resource(&c);
    if (str_eq(r->msg.method, S("completion/complete"))) {
        *result = fixture_json("{\"completion\":{\"values\":[\"test\"],\"hasMore\":false}}");
        return true;
    }
    const Fixture *f = find(prompts ? fixture_prompts : fixture_tools, name);
    if (!f && !prompts)
        f = find(fixture_questions, name);
    if (!f && prompts == str_eq(name, str(prompt)))
        f = find(fixture_inputs, name);
    return answer_named(&c, f);
}

/* --- In place of the product's methods ------------------------------------------------------ */

/* Each answers for fixtures and leaves everything else to the method it stands in for. */

bool WRAP(mcp_tools_list)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return list(REAL(mcp_tools_list)(r, pad, result, why), result, "tools");
}

bool WRAP(mcp_prompts_list)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return list(REAL(mcp_prompts_list)(r, pad, result, why), result, "prompts");
}

bool WRAP(mcp_resources_list)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return list(REAL(mcp_resources_list)(r, pad, result, why), result, "resources");
}

bool WRAP(mcp_templates_list)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return list(REAL(mcp_templates_list)(r, pad, result, why), result, "resourceTemplates");
}

bool WRAP(mcp_tools_call)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return is_fixture(r) ? answer(r, result, why) : REAL(mcp_tools_call)(r, pad, result, why);
}

bool WRAP(mcp_prompts_get)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return is_fixture(r) ? answer(r, result, why) : REAL(mcp_prompts_get)(r, pad, result, why);
}

bool WRAP(mcp_resources_read)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return is_fixture(r) ? answer(r, result, why) : REAL(mcp_resources_read)(r, pad, result, why);
}

bool WRAP(mcp_complete)(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    return is_fixture(r) ? answer(r, result, why) : REAL(mcp_complete)(r, pad, result, why);
}

/* A fixture touches no pad, and runs beside all others. */
bool WRAP(mcp_tools_scope)(McpRequest *r, RpcError *why)
{
    if (!is_fixture(r))
        return REAL(mcp_tools_scope)(r, why);
    r->reads = true;
    return true;
}

/* What a client may follow: a stream that nobody writes. */
jot_status WRAP(resource_parse)(Str uri, Arena *into, ResourceRef *out, Err *e)
{
    if (!str_starts(uri, S("test://")))
        return REAL(resource_parse)(uri, into, out, e);
    *out = (ResourceRef){ .stream = S("notes/fixture"), .from = 1 };
    return JOT_OK;
}

/* --- The program --------------------------------------------------------------------------- */

static void ready(void *ctx, uint16_t port)
{
    (void)ctx;
    fprintf(stderr, "jotter: http://127.0.0.1:%u/mcp\n", (unsigned)port);
}

int main(int argc, char **argv)
{
    static McpHttpOptions o;
    Err e = { 0 };
    bool piped = true;
    if (argc < 4 || strcmp(argv[1], "mcp") != 0 || strcmp(argv[2], "--pad") != 0) {
        fprintf(stderr, "usage: conformance-server mcp --pad PAD [--http]\n");
        return 64;
    }
    for (int i = 4; i < argc; i++)
        piped = piped && strcmp(argv[i], "--http") != 0;
    o = (McpHttpOptions){
        .mcp = { .url = str(argv[3]), .by = S("conformance"), .profiles = TOOLS_SCRATCHPAD },
        .address = S("127.0.0.1:0"),
        .ready = ready
    };
    if (piped)
        mcp_pipe(&o.mcp);
    if (mcp_http(&o, &e) != JOT_OK)
        fprintf(stderr, "conformance-server: %s\n", e.text);
    return 1;
}
