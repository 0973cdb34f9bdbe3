/* answer.c - a verb that is asked for over HTTP, and what is answered.
 *
 * On the server's thread an address becomes a verb and arguments; a worker does it and writes the
 * answer; the server's thread sends it.  The data of a verb is the answer's body as it is, with the
 * stored text or bytes, where a verb has them besides, as one more member. */
#include "base/base64.h"
#include "base/utf8.h"
#include "memory/doc/history.h"
#include "tool/registry.h"
#include "web/query.h"
#include "web/web_internal.h"

/* --- Which verb ------------------------------------------------------------------------------ */

static const Verb *brought_verb(const Web *w, Str noun, Str verb)
{
    for (const WebVerb *m = w->o->more; m && m->noun; m++)
        if (str_eq(str(m->noun), noun) && str_eq(str(m->verb->verb), verb))
            return m->verb;
    return NULL;
}

const Verb *web_verb(const Web *w, Str noun, Str verb)
{
    AUTO(Arena) arena = { 0 };
    const Noun *n;
    for (size_t i = 0; (n = noun_at(i)); i++) {
        if (!str_eq(noun_called(n, &arena), noun))
            continue;
        for (const Verb *const *v = n->verbs; *v; v++)
            if ((*v)->verb && str_eq(str((*v)->verb), verb))
                return *v;
    }
    return brought_verb(w, noun, verb);
}

bool web_pad_of(const Web *w, const HttpRequest *q, size_t *out)
{
    AUTO(Arena) arena = { 0 };
    Str id = query_value(q->query, "pad", &arena);
    *out = 0;
    for (size_t i = 0; id.n && i < w->o->n; i++)
        if (str_eq(str(w->o->pads[i].id), id)) {
            *out = i;
            return true;
        }
    return !id.n;
}

/* --- What it is given ------------------------------------------------------------------------ */

static bool takes(const Verb *v, const char *name)
{
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (str_eq(str(p->name), str(name)))
            return true;
    return false;
}

/* "VERSION", perhaps with W/ in front of the quotes. */
static Str unquoted(Str tag)
{
    if (str_starts(tag, S("W/")))
        tag = str_from(tag, 2);
    if (tag.n >= 2 && tag.p[0] == '"' && tag.p[tag.n - 1] == '"')
        tag = str_slice(tag, 1, tag.n - 1);
    return tag;
}

/* If-Match names the version, or the number of the event, that a change depends on. */
static jot_status take_if_match(const HttpRequest *q, PoolJob *job, Err *e)
{
    Str tag = unquoted(http_header(q, "if-match"));
    uint64_t seq;
    if (!http_header_count(q, "if-match") || verb_reads(job->verb))
        return JOT_OK;
    if (!tag.n || !utf8_valid(tag))
        return err_set(e, JOT_INVALID, "If-Match must be a version in quotes, as an ETag has it");
    if (takes(job->verb, "if_version")) {
        json_object_set_new(job->args, "if_version", json_text(tag));
        return JOT_OK;
    }
    if (!takes(job->verb, "if_seq"))
        return err_set(e, JOT_INVALID,
                       "this verb does not depend on a version: leave out If-Match");
    if (!str_to_u64(tag, INT64_MAX, &seq))
        return err_set(e, JOT_INVALID, "If-Match must be the number of the last event");
    json_object_set_new(job->args, "if_seq", json_integer((json_int_t)seq));
    return JOT_OK;
}

/* "at" is a moment of the past, which every verb that reads can be asked about. */
static jot_status take_moment(PoolJob *job, Err *e)
{
    AUTO_PTR(json_t) at = json_incref(json_object_get(job->args, "at"));
    Shown shown;
    When when;
    if (!at || takes(job->verb, "at"))
        return JOT_OK;
    json_object_del(job->args, "at");
    if (when_parse(json_str(at), &when, &(Err){ 0 }) != JOT_OK || when.kind != WHEN_TIME)
        return err_set(e, JOT_INVALID,
                       "'at' must be a moment such as 2026-01-31T18:45:00Z, not '%s'",
                       err_show(&shown, json_str(at)));
    job->at_ms = when.at_ms;
    if (!verb_reads(job->verb))
        return err_set(e, JOT_INVALID, "the past cannot be changed: leave out 'at'");
    if (job->verb->present)
        return err_set(e, JOT_INVALID, "this shows only the present: leave out 'at'");
    return JOT_OK;
}

static jot_status take_args(const HttpRequest *q, PoolJob *job, Err *e)
{
    TRY(query_args(q->query, tool_params(&job->verb->tool), "pad", job->args, e));
    TRY(take_moment(job, e));
    TRY(take_if_match(q, job, e));
    if (str_eq(http_header(q, "if-none-match"), S("*")) && takes(job->verb, "if_absent"))
        json_object_set_new(job->args, "if_absent", json_true());
    return JOT_OK;
}

/* --- The answer ------------------------------------------------------------------------------ */

static json_t *refusal_json(PoolJob *job)
{
    const StatusInfo *info = status_info(job->status);
    json_t *out = json_pack("{s:o, s:s, s:b}", "error", json_text(str(job->err.text)), "status",
                            info->name, "retry", info->retry);
    if (job->data.json)
        json_object_set(out, "data", job->data.json);
    return out;
}

static void add_body(json_t *to, Str body)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    if (!body.p)
        return;
    if (utf8_valid(body)) {
        json_object_set_new(to, "body", json_text(body));
        return;
    }
    base64_write(&text, body);
    json_object_set_new(to, "body_base64", json_text(buf_str(&text)));
}

/* On a worker's thread: much of it takes a while. */
static void write_answer(PoolJob *job)
{
    if (job->status == JOT_OK)
        add_body(job->data.json, job->data.body);
    AUTO_PTR(json_t) all = job->status == JOT_OK ? json_incref(job->data.json) : refusal_json(job);
    job->text.max = SIZE_MAX / 2;
    json_write(&job->text, all);
    buf_add_char(&job->text, '\n');
}

static void send_answer(void *ctx, void *arg)
{
    Web *w = ctx;
    AUTO_PTR(PoolJob) job = arg;
    HttpExchange *x = http_find(w->server, job->number);
    http_return_share(w->server, x, job->share);
    if (!x)
        return;
    int status = job->status == JOT_OK ? 200 : status_info(job->status)->http;
    const json_t *version = json_object_get(job->data.json, "version");
    if (status == 200 && json_is_string(version))
        http_reply_header(x, "ETag",
                          arena_printf(&job->arena, "\"%s\"", json_string_value(version)));
    if (status == 503)
        http_reply_header(x, "Retry-After", S("1"));
    http_reply(x, status, S("application/json"), buf_str(&job->text));
}

void web_done(void *ctx, PoolJob *job)
{
    Web *w = ctx;
    write_answer(job);
    http_server_post_to(w->server, send_answer, w, job);
}

/* --- The request ----------------------------------------------------------------------------- */

static void refuse(HttpExchange *x, PoolJob *job, jot_status st)
{
    job->status = st;
    write_answer(job);
    http_reply(x, status_info(st)->http, S("application/json"), buf_str(&job->text));
}

/* A browser says who asks, and no page can say it otherwise. */
static bool from_elsewhere(const HttpRequest *q)
{
    Str site = http_header(q, "sec-fetch-site");
    return site.n && !str_eq(site, S("same-origin")) && !str_eq(site, S("none"));
}

/* What a GET asks for: a verb that writes may have another below its name, which reads and is done
 * where none of its arguments are given, as on a command line. */
static const Verb *asked_verb(const Verb *v, const HttpRequest *q)
{
    AUTO(Arena) arena = { 0 };
    if (!v || !v->bare || !str_eq(q->method, S("GET")))
        return v;
    for (const Param *p = tool_params(&v->tool); p->name; p++)
        if (query_value(q->query, p->name, &arena).p)
            return v;
    return v->bare;
}

void web_ask(void *ctx, HttpExchange *x)
{
    Web *w = ctx;
    const HttpRequest *q = http_request(x);
    Str rest = str_from(q->path, sizeof WEB_API - 1), noun;
    const Verb *v = str_cut(&rest, '/', &noun) ? web_verb(w, noun, rest) : NULL;
    size_t pad;
    v = asked_verb(v, q);
    if (from_elsewhere(q)) {
        http_refuse(x, 403, "pages of other sites may not ask");
        return;
    }
    if (!v) {
        http_refuse(x, 404, "there is no such verb: GET " WEB_API "verbs lists all");
        return;
    }
    if (str_eq(q->method, S("GET")) && !verb_reads(v)) {
        http_reply_header(x, "Allow", S("POST"));
        http_refuse(x, 405, "this verb writes: POST it, with its parameters as JSON");
        return;
    }
    if (!web_pad_of(w, q, &pad)) {
        http_refuse(x, 404, "there is no such pad: GET " WEB_API "pads lists all");
        return;
    }
    AUTO_PTR(PoolJob) job = pool_job_new(http_number(x), v, pad);
    jot_status st = take_args(q, job, &job->err);
    if (st != JOT_OK) {
        refuse(x, job, st);
        return;
    }
    job->body = http_take_body(x, &job->share);
    http_allow_half_close(x);
    if (pool_add(w->pool, job)) {
        job = NULL;
        return;
    }
    http_return_share(w->server, x, job->share);
    http_refuse(x, 503, "too many requests are waiting: try again");
}
