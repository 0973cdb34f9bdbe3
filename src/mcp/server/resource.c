/* resource.c - resources/list, resources/read and the templates.
 *
 * The list goes through the kinds in byte order of their names, so a cursor is the
 * name of the last stream and survives any change between two pages. */
#include "mcp/server/resource.h"

#include <assert.h>

#include "base/base64.h"
#include "base/time.h"
#include "base/url.h"
#include "base/utf8.h"
#include "mcp/server/feed.h"
#include "memory/doc/doc.h"
#include "memory/run/run.h"

typedef struct Kind {
    const char *prefix;
    const char *type; /* of the text; NULL: by the name's ending */
    const char *template, *title, *about;
} Kind;

/* In byte order. */
static const Kind kinds[] = {
    { "artifacts/", "application/json", "jotter://artifacts/{+category}/{id}", "Artifact",
      "a JSON document under a category and an id" },
    { "memories/", NULL, "jotter://memories/{+path}", "Memory file", "a file in the memory tree" },
    { "notes/", NULL, "jotter://notes/{key}", "Note", "a note in the scratchpad" },
    { "runs/", "application/x-ndjson", "jotter://runs/{id}", "Run",
      "the log of an agent's work, one JSON object a line" },
};

static const Kind *kind_of(Str stream)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(stream, str(kinds[i].prefix)) && stream.n > str(kinds[i].prefix).n)
            return &kinds[i];
    return NULL;
}

static bool is_run(Str stream)
{
    return str_starts(stream, S("runs/"));
}

bool resource_is(Str stream)
{
    return kind_of(stream) != NULL;
}

/* The address of a stream; lives in `into`. */
static Str uri_of(Str stream, Arena *into)
{
    Str path = url_encode(into, stream, true);
    return arena_printf(into, "jotter://" STR_FMT, STR_ARG(path));
}

static jot_status bad_address(Str uri, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID,
                   "invalid address '%s': use jotter://notes/KEY, jotter://memories/PATH, "
                   "jotter://artifacts/CATEGORY/ID or jotter://runs/ID",
                   err_show(&shown, uri));
}

jot_status resource_parse(Str uri, Arena *into, ResourceRef *out, Err *e)
{
    Url u;
    Str from;
    if (url_parse(uri, into, &u, NULL) != JOT_OK || !str_eq(u.scheme, S("jotter")) ||
        !u.authority || u.user.n || u.password.n || u.port)
        return bad_address(uri, e);
    *out = (ResourceRef){ .from = 1 };
    out->stream = arena_printf(into, STR_FMT STR_FMT, STR_ARG(u.host), STR_ARG(u.path));
    out->run = is_run(out->stream);
    if (!resource_is(out->stream) || store_check_name(out->stream, NULL) != JOT_OK)
        return bad_address(uri, e);
    if (url_param(&u, S("from"), into, &from)) {
        if (!out->run || !str_to_u64(from, STORE_SEQ_MAX, &out->from) || out->from == 0)
            return err_set(e, JOT_INVALID, "invalid 'from': use the number of a run's record");
    } else if (u.query.n) {
        return bad_address(uri, e);
    }
    return JOT_OK;
}

/* --- The list ---------------------------------------------------------------------------- */

static const char *type_of(Str stream)
{
    const Kind *k = kind_of(stream);
    if (k->type)
        return k->type;
    return str_ends(stream, S(".md")) ? "text/markdown" : "text/plain";
}

static json_t *listed_json(const Listed *l)
{
    AUTO(Arena) arena = { 0 };
    const Kind *k = kind_of(l->name);
    json_t *x =
        json_pack("{s:o, s:o, s:s}", "uri", mcp_text(uri_of(l->name, &arena)), "name",
                  mcp_text(str_from(l->name, str(k->prefix).n)), "mimeType", type_of(l->name));
    if (!is_run(l->name))
        json_object_set_new(x, "size", json_integer((json_int_t)l->mark.size));
    if (l->mark.at_ms)
        json_object_set_new(x, "annotations",
                            json_pack("{s:s}", "lastModified", time_text(l->mark.at_ms).text));
    return x;
}

/* Up to a page of resources after `after`; *last is the last one if there may be more.  The page
 * may begin within a kind and end within another. */
static jot_status list_page(Memory *m, Str after, Arena *into, json_t *list, Str *last, Err *e)
{
    *last = (Str){ 0 };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        Listing page;
        Str prefix = str(kinds[i].prefix);
        size_t room = MCP_PAGE - json_array_size(list);
        if (!str_starts(after, prefix) && str_cmp(after, prefix) > 0)
            continue; /* all of this kind lie before the page */
        if (room == 0)
            return JOT_OK;
        TRY(store_list(m->store, &(ListQuery){ .prefix = prefix, .after = after, .limit = room },
                       into, &page, e));
        for (size_t k = 0; k < page.n; k++)
            json_array_append_new(list, listed_json(&page.items[k]));
        assert(json_array_size(list) <= MCP_PAGE);
        if (json_array_size(list) == MCP_PAGE)
            *last = page.items[page.n - 1].name;
    }
    if (json_array_size(list) < MCP_PAGE)
        *last = (Str){ 0 };
    return JOT_OK;
}

bool mcp_resources_list(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str after, last = { 0 };
    Memory *m;
    Err e = { 0 };
    if (!mcp_cursor(r, &after, why))
        return false;
    if (r->era == MCP_ERA_LEGACY) {
        mcp_follow(r, pad);
        mcp_feed_follow_list(mcp_feed(r->session));
    }
    json_t *list = json_array();
    *result = json_pack("{s:o}", "resources", list);
    jot_status st = worker_pad_open(pad, false, &m, &e);
    if (st == JOT_OK)
        st = list_page(m, after, &r->arena, list, &last, &e);
    if (st != JOT_OK && st != JOT_NOT_FOUND)
        return mcp_fail(r, &e, why);
    if (last.n)
        mcp_next(*result, last);
    return true;
}

bool mcp_templates_list(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str after;
    (void)pad;
    if (!mcp_cursor(r, &after, why))
        return false;
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const Kind *k = &kinds[i];
        json_t *x = json_pack("{s:s, s:s, s:s, s:s}", "uriTemplate", k->template, "name",
                              k->template + sizeof "jotter://" - 1, "title", k->title,
                              "description", k->about);
        if (k->type)
            json_object_set_new(x, "mimeType", json_string(k->type));
        json_array_append_new(list, x);
    }
    *result = json_pack("{s:o}", "resourceTemplates", list);
    return true;
}

/* --- Reading ----------------------------------------------------------------------------- */

typedef struct Lines {
    Buf *to;
    uint64_t from, next; /* next: the first one that did not fit; 0: all did */
} Lines;

static jot_status add_step(void *ctx, const RunStep *x)
{
    Lines *l = ctx;
    AUTO(Buf) line = { 0 };
    AUTO_PTR(json_t) value = run_step_json(x);
    json_write(&line, value);
    if (l->to->n && l->to->n + line.n > RESOURCE_RUN_BYTES) {
        l->next = x->seq;
        return JOT_CANCELLED; /* only ends the walk */
    }
    buf_add(l->to, buf_str(&line));
    buf_add_char(l->to, '\n');
    return JOT_OK;
}

static jot_status read_run(Memory *m, const ResourceRef *ref, Arena *into, Str *text, Err *e)
{
    AUTO(Run) run = { 0 };
    AUTO(Buf) to = { 0 };
    Lines l = { .to = &to, .from = ref->from };
    TRY(run_open(m, str_from(ref->stream, S("runs/").n), &run, e));
    jot_status st = run_each(&run, ref->from, add_step, &l, NULL, e);
    if (st != JOT_OK && !l.next)
        return st;
    if (l.next) {
        Str uri = uri_of(ref->stream, into);
        buf_addf(&to, "{\"more\":true,\"next\":\"" STR_FMT "?from=%llu\"}\n", STR_ARG(uri),
                 (unsigned long long)l.next);
    }
    *text = arena_copy(into, buf_str(&to));
    return JOT_OK;
}

static jot_status read_any(WorkerPad *pad, Str uri, Arena *into, ResourceRef *ref, Str *text,
                           Err *e)
{
    Memory *m;
    Doc doc;
    Shown shown;
    TRY(resource_parse(uri, into, ref, e));
    jot_status st = worker_pad_open(pad, false, &m, e);
    if (st == JOT_OK && ref->run)
        return read_run(m, ref, into, text, e);
    if (st == JOT_OK)
        st = doc_read(m, ref->stream, into, &doc, e);
    if (st == JOT_NOT_FOUND)
        return err_set(e, JOT_NOT_FOUND, "no resource '%s'", err_show(&shown, uri));
    TRY(st);
    *text = doc.text;
    return JOT_OK;
}

bool mcp_resources_read(McpRequest *r, WorkerPad *pad, json_t **result, RpcError *why)
{
    Str uri, text;
    ResourceRef ref;
    Err e = { 0 };
    if (!mcp_param(r, "uri", &uri, why))
        return false;
    if (read_any(pad, uri, &r->arena, &ref, &text, &e) != JOT_OK) {
        mcp_fail(r, &e, why);
        why->data = json_pack("{s:o}", "uri", mcp_text(uri));
        return false;
    }
    json_t *x = json_pack("{s:o}", "uri", mcp_text(uri));
    if (utf8_valid(text)) {
        json_object_set_new(x, "mimeType", json_string(type_of(ref.stream)));
        json_object_set_new(x, "text", mcp_text(text));
    } else {
        AUTO(Buf) blob = { 0 };
        base64_write(&blob, text);
        json_object_set_new(x, "mimeType", json_string("application/octet-stream"));
        json_object_set_new(x, "blob", mcp_text(buf_str(&blob)));
    }
    *result = json_pack("{s:[o]}", "contents", x);
    return true;
}
