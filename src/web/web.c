/* web.c - the routes, the beginning and the end, and what needs no pad. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "base/url.h"
#include "memory/doc/doc.h"
#include "tool/registry.h"
#include "web/page.h"
#include "web/web_internal.h"

void web_pad_id(Str url, char id[WEB_ID_HEX + 1])
{
    HashHex hex = hash_hex(hash_of(url));
    memcpy(id, hex.text, WEB_ID_HEX);
    id[WEB_ID_HEX] = 0;
}

static void give_json(HttpExchange *x, json_t *taken)
{
    AUTO_PTR(json_t) value = taken;
    AUTO(Buf) text = { 0 };
    json_write(&text, value);
    buf_add_char(&text, '\n');
    http_reply(x, 200, S("application/json"), buf_str(&text));
}

/* --- What needs no pad ----------------------------------------------------------------------- */

static void get_index(void *ctx, HttpExchange *x)
{
    (void)ctx;
    page_answer(x, S("index.html"));
}

static void get_file(void *ctx, HttpExchange *x)
{
    (void)ctx;
    page_answer(x, str_from(http_request(x)->path, sizeof "/page/" - 1));
}

static json_t *pads_json(const WebOptions *o)
{
    AUTO(Arena) arena = { 0 };
    json_t *pads = json_array();
    for (size_t i = 0; i < o->n; i++) {
        const WebPad *p = &o->pads[i];
        json_array_append_new(pads,
                              json_pack("{s:s, s:o, s:o}", "id", p->id, "name", json_text(p->name),
                                        "url", json_text(url_bare(&arena, p->o.url))));
    }
    return pads;
}

static void get_pads(void *ctx, HttpExchange *x)
{
    const Web *w = ctx;
    json_t *server = json_pack("{s:s, s:s, s:s, s:b, s:s?}", "id", w->id, "version", JOT_VERSION,
                               "started", time_text(w->started_ms).text, "read_only",
                               w->o->read_only, "mcp", w->o->mcp ? "/mcp" : NULL);
    give_json(x, json_pack("{s:o, s:o, s:o}", "pads", pads_json(w->o), "server", server, "by",
                           json_text(w->o->pads[0].o.by)));
}

static void add_verb(json_t *to, const Verb *v)
{
    json_t *one = verb_json(v, v->verb);
    json_object_set_new(one, "person", json_boolean(!verb_for_programs(v)));
    if (v->bare)
        json_object_set_new(one, "bare", verb_json(v->bare, v->verb));
    json_array_append_new(to, one);
}

static json_t *noun_json(const Web *w, const Noun *n, Arena *into)
{
    json_t *verbs = json_array();
    Str called = noun_called(n, into);
    for (const Verb *const *v = n->verbs; *v; v++)
        if ((*v)->verb)
            add_verb(verbs, *v);
    for (const WebVerb *m = w->o->more; m && m->noun; m++)
        if (str_eq(str(m->noun), called))
            add_verb(verbs, m->verb);
    return json_pack("{s:s, s:s, s:o}", "noun", called.p, "summary", n->summary, "verbs", verbs);
}

static void get_verbs(void *ctx, HttpExchange *x)
{
    AUTO(Arena) arena = { 0 };
    json_t *all = json_array();
    const Noun *n;
    for (size_t i = 0; (n = noun_at(i)); i++)
        json_array_append_new(all, noun_json(ctx, n, &arena));
    give_json(x, json_pack("{s:o}", "nouns", all));
}

/* What asks no pad has one method, though it stands where verbs do. */
static void only_get(void *ctx, HttpExchange *x)
{
    (void)ctx;
    http_reply_header(x, "Allow", S("GET"));
    http_refuse(x, 405, "this path does not allow this method");
}

/* --- Streams --------------------------------------------------------------------------------- */

static void get_follow(void *ctx, HttpExchange *x)
{
    Web *w = ctx;
    size_t pad;
    if (!web_pad_of(w, http_request(x), &pad))
        http_refuse(x, 404, "there is no such pad: GET " WEB_API "pads lists all");
    else
        web_follow_add(w->follows[pad], x);
}

void web_gone(Web *w, uint64_t number)
{
    for (size_t i = 0; i < w->o->n; i++)
        web_follow_gone(w->follows[i], number);
    PoolJob *job = pool_drop(w->pool, number);
    if (job)
        http_return_share(w->server, NULL, job->share);
    pool_job_free(job);
}

void web_end(Web *w)
{
    for (size_t i = 0; i < w->o->n; i++)
        web_follow_end(w->follows[i]);
}

/* --- The table ------------------------------------------------------------------------------- */

/* clang-format off */
static const HttpRoute table[] = {
    { .method = "GET",  .path = "/", .open = true, .answer = get_index },
    { .method = "GET",  .path = "/page/*", .open = true, .answer = get_file },
    { .method = "GET",  .path = WEB_API "pads", .answer = get_pads },
    { .method = "GET",  .path = WEB_API "verbs", .answer = get_verbs },
    { .method = "GET",  .path = WEB_API "pad/follow", .answer = get_follow },
    { .method = "POST", .path = WEB_API "pads", .json = true, .answer = only_get },
    { .method = "POST", .path = WEB_API "verbs", .json = true, .answer = only_get },
    { .method = "POST", .path = WEB_API "pad/follow", .json = true, .answer = only_get },
    { .method = "GET",  .path = WEB_API "*", .answer = web_ask },
    { .method = "POST", .path = WEB_API "*", .json = true, .answer = web_ask },
};
/* clang-format on */
_Static_assert(COUNT_OF(table) < WEB_ROUTES_MAX, "there is room for the end of the table");

Web *web_new(WebOptions *o)
{
    Web *w = mem_alloc(sizeof *w);
    uint64_t id;
    *w = (Web){ .o = o, .started_ms = io_wall_ms(&io_system) };
    for (size_t i = 0; i < o->n; i++) {
        o->pads[i].look = o->pads[i].o;
        o->pads[i].look.looks = !o->pads[i].o.read_only;
        o->pads[i].look.read_only = true;
    }
    io_random(&io_system, &id, sizeof id);
    snprintf(w->id, sizeof w->id, "%016llx", (unsigned long long)id);
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        w->routes[i] = table[i];
        w->routes[i].ctx = w;
        w->routes[i].token = &o->token;
    }
    return w;
}

const HttpRoute *web_routes(const Web *w)
{
    return w->routes;
}

void web_start(Web *w, HttpServer *server)
{
    w->server = server;
    w->pool = pool_new(w->o, web_done, w);
    for (size_t i = 0; i < w->o->n; i++)
        w->follows[i] = web_follow_new(&w->o->pads[i], server, w->id);
}
