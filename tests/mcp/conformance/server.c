/* server.c - a server with fixtures, for the official conformance suite.
 *
 *     conformance-server mcp --pad PAD [--http]
 *
 * It is started like `jotter mcp`, and is the same code, over standard input and output
 * or over HTTP: then on a free port of this machine, without a token, and it says its
 * address when it can be asked. */
#include <stdio.h>
#include <string.h>

#include "conformance/fixtures.h"
#include "mcp/server/http.h"
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

static void list(const char *what, json_t *to)
{
    static const char *const uris[] = { "test://static-text", "test://static-binary",
                                        "test://watched-resource" };
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

/* --- The plug-in ------------------------------------------------------------------------- */

static bool owns(Str method, const json_t *params)
{
    const json_t *ref = json_object_get(params, "ref");
    if (str_eq(method, S("completion/complete")))
        return str_starts(json_str(json_object_get(ref, "name")), S("test_")) ||
               str_starts(json_str(json_object_get(ref, "uri")), S("test://"));
    return str_starts(json_str(json_object_get(params, "name")), S("test_")) ||
           str_starts(json_str(json_object_get(params, "uri")), S("test://"));
}

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
        return mcp_refuse(c->why, RPC_INVALID_PARAMS, "there is no such fixture");
    if (f->answer)
        return f->answer(c);
    *c->result = fixture_json(f->result);
    return true;
}

static bool answer(McpSession *s, McpRequest *r, const json_t *client, json_t **result,
                   RpcError *why)
{
    Str name = json_str(json_object_get(r->msg.params, "name"));
    Call c = { s, r, client, json_object_get(r->msg.params, "arguments"), result, why };
    bool prompts = str_eq(r->msg.method, S("prompts/get"));
    if (str_eq(r->msg.method, S("resources/read")))
        return read_resource(&c);
    if (str_eq(r->msg.method, S("completion/complete"))) {
        *result = fixture_json("{\"completion\":{\"values\":[\"test\"],\"hasMore\":false}}");
        return true;
    }
    if (!prompts && !str_eq(r->msg.method, S("tools/call"))) {
        *result = json_object(); /* a subscription to what never changes */
        return true;
    }
    const Fixture *f = find(prompts ? fixture_prompts : fixture_tools, name);
    if (!f && !prompts)
        f = find(fixture_questions, name);
    if (!f && prompts == str_eq(name, str(prompt)))
        f = find(fixture_inputs, name);
    return answer_named(&c, f);
}

static void ready(void *ctx, uint16_t port)
{
    (void)ctx;
    fprintf(stderr, "jotter: http://127.0.0.1:%u/mcp\n", (unsigned)port);
}

int main(int argc, char **argv)
{
    static const McpPlugin plugin = {
        .lists_change = true, .list = list, .owns = owns, .answer = answer
    };
    static McpHttpOptions o;
    Err e = { 0 };
    bool piped = true;
    if (argc < 4 || strcmp(argv[1], "mcp") != 0 || strcmp(argv[2], "--pad") != 0) {
        fprintf(stderr, "usage: conformance-server mcp --pad PAD [--http]\n");
        return 64;
    }
    for (int i = 4; i < argc; i++)
        piped = piped && strcmp(argv[i], "--http") != 0;
    o = (McpHttpOptions){ .mcp = { .url = str(argv[3]),
                                   .by = S("conformance"),
                                   .profiles = TOOLS_SCRATCHPAD,
                                   .plugin = &plugin },
                          .address = S("127.0.0.1:0"),
                          .ready = ready };
    if (piped)
        mcp_pipe(&o.mcp);
    if (mcp_http(&o, &e) != JOT_OK)
        fprintf(stderr, "conformance-server: %s\n", e.text);
    return 1;
}
