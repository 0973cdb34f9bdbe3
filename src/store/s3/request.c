/* request.c - one request to S3, and what came back.
 *
 * Every request is signed, has a deadline and is counted.  Its answer is one of these:
 *   2xx                      done
 *   404 NoSuchKey            there is no such object
 *   412                      there is one: the condition did not hold
 *   409, 429, 5xx            another time perhaps: it may even have been done
 *   nothing                  the same (p->lost)
 *   403 RequestTimeTooSkewed our clock is wrong: the answer says what time it is, and it goes again
 *   400 ExpiredToken         the keys have ended: others are looked for, and it goes again
 *   anything else            a refusal, which is a sentence
 *
 * The server's clock is heard with each answer, from the header Date.  That has whole seconds, so
 * a moment that is less than a second behind what we took for the time changes nothing. */
#include "store/s3/request.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/mutant.h"
#include "store/s3/keys.h"
#include "store/s3/listing.h"

/* A moment in whole seconds, and what may have passed since. */
#define DATE_MS ((int64_t)2000)

enum {
    PAUSE_US = 30 * 1000,
    CONNECT_MS = 5000,
    ANSWER_MAX = STORE_BODY_MAX + 64 * 1024,
};

void s3_answer_done(S3Answer *a)
{
    buf_free(&a->body);
}

/* --- Time -------------------------------------------------------------------------------- */

jot_status s3_ready(S3 *p, const char *verb, Str subject, Err *e)
{
    p->verb = verb;
    p->subject = subject;
    p->operation++;
    s3_more(p);
    return s3_find_keys(p, e);
}

void s3_more(S3 *p)
{
    p->deadline_ms = io_awake_ms(&io_system) + p->base.wait_ms + p->base.answer_ms;
}

static int64_t left_ms(const S3 *p)
{
    return p->deadline_ms - io_awake_ms(&io_system);
}

bool s3_pause(S3 *p)
{
    if (left_ms(p) * 1000 <= PAUSE_US)
        return false;
    io_sleep_us(&io_system, PAUSE_US);
    return true;
}

int64_t s3_server_ms(const S3 *p)
{
    if (!p->server_ms)
        return io_wall_ms(&io_system);
    return p->server_ms + (io_awake_ms(&io_system) - p->server_awake_ms);
}

/* What an answer says is the time. */
static void saw_date(S3 *p, int64_t date_ms)
{
    int64_t thought = s3_server_ms(p);
    p->date_ms = date_ms;
    bool fits = p->server_ms && thought >= date_ms && thought < date_ms + DATE_MS;
    if (!fits) {
        p->server_ms = date_ms;
        p->server_awake_ms = io_awake_ms(&io_system);
    }
    store_saw_clock(&p->base, s3_server_ms(p));
}

uint64_t s3_nonce(const S3 *p)
{
    uint64_t nonce;
    io_random(p->base.io, &nonce, sizeof nonce);
    return nonce;
}

/* --- Sentences --------------------------------------------------------------------------- */

jot_status s3_say(S3 *p, Err *e, jot_status st, const char *why)
{
    Shown shown;
    bool named = p->subject.n > 0;
    return err_set(e, st, "could not %s%s%s%s: %s", p->verb ? p->verb : "ask", named ? " '" : "",
                   named ? err_show(&shown, p->subject) : "", named ? "'" : "", why);
}

static bool is_code(const S3Answer *a, const char *code)
{
    return strcmp(a->code, code) == 0;
}

jot_status s3_refused(S3 *p, const S3Answer *a, Err *e)
{
    Shown at, bucket, code;
    const char *where = err_show(&at, str(p->host)), *which = err_show(&bucket, p->shown);
    /* A handle that has used it would otherwise take every note for one that is not there. */
    if (is_code(a, "NoSuchBucket") && p->id[0])
        return err_set(e, JOT_CORRUPT, "the bucket '%s' is gone from '%s'", which, where);
    if (is_code(a, "NoSuchBucket"))
        return err_set(e, JOT_NOT_FOUND, "there is no bucket '%s' at '%s': make it first", which,
                       where);
    if (is_code(a, "InvalidAccessKeyId") || is_code(a, "SignatureDoesNotMatch"))
        return err_set(e, JOT_DENIED, "S3 at '%s' refuses the keys of %s: check key and secret",
                       where, p->keys.from);
    if (is_code(a, "ExpiredToken") || is_code(a, "InvalidToken"))
        return err_set(e, JOT_DENIED, "S3 at '%s' says that the keys of %s have ended", where,
                       p->keys.from);
    if (is_code(a, "RequestTimeTooSkewed"))
        return err_set(e, JOT_UNAVAILABLE, "S3 at '%s' has another time than it says", where);
    if (a->status == 401 || a->status == 403)
        return err_set(e, JOT_DENIED,
                       "S3 at '%s' does not allow these keys to %s in bucket '%s': see the bucket "
                       "policy in docs/engines.md",
                       where, p->verb ? p->verb : "look", which);
    if (a->status / 100 == 3 || is_code(a, "AuthorizationHeaderMalformed"))
        return err_set(e, JOT_INVALID,
                       "bucket '%s' is in another region than '%s': set ?region=", which,
                       err_show(&code, p->region));
    if (!a->code[0])
        return err_set(e, JOT_UNAVAILABLE,
                       "what answers at '%s' is not S3 (status %d): check the endpoint", where,
                       a->status);
    return err_set(e, s3_is_busy(a) ? JOT_UNAVAILABLE : JOT_IO,
                   "S3 at '%s' says %s (status %d) to this", where, err_show(&code, str(a->code)),
                   a->status);
}

/* --- One request -------------------------------------------------------------------------- */

typedef struct Flight {
    S3 *p;
    S3Answer *answer;
} Flight;

static jot_status on_body(void *ctx, Str bytes, Err *e)
{
    Flight *s = ctx;
    buf_add(&s->answer->body, bytes);
    return JOT_OK;
}

static bool is_over(void *ctx)
{
    const Flight *s = ctx;
    return left_ms(s->p) <= 0;
}

static void add_header(S3Request *r, const char *name, Str value)
{
    assert(r->headers_n < S3_PAIRS_MAX);
    r->headers[r->headers_n++] = (S3Pair){ str(name), value };
}

/* An ETag without its quotes. */
static Str bare(Str etag)
{
    bool quoted = etag.n >= 2 && etag.p[0] == '"' && etag.p[etag.n - 1] == '"';
    return quoted ? str_slice(etag, 1, etag.n - 1) : etag;
}

/* What is signed: all that counts. */
static S3Request make_request(const S3 *p, const S3Call *c, const S3Date *date, Arena *arena)
{
    S3Request r = { .method = str(c->method), .payload = hash_of(c->body) };
    Str bucket = p->bucket.n ? arena_printf(arena, "/" STR_FMT, STR_ARG(p->bucket)) : S("");
    Str object = c->key.n
                     ? arena_printf(arena, STR_FMT STR_FMT, STR_ARG(p->prefix), STR_ARG(c->key))
                     : S("");
    r.path = arena_printf(arena, STR_FMT "/" STR_FMT, STR_ARG(bucket), STR_ARG(object));
    for (; r.query_n < c->query_n; r.query_n++)
        r.query[r.query_n] = c->query[r.query_n];
    add_header(&r, "host", str(p->host));
    add_header(&r, "x-amz-date", str(date->text));
    add_header(&r, "x-amz-content-sha256", arena_copy(arena, str(hash_hex(r.payload).text)));
    if (p->keys.token)
        add_header(&r, "x-amz-security-token", str(p->keys.token));
    if (c->absent && !p->one_writer)
        add_header(&r, "if-none-match", S("*"));
    bool whatever = MUTANT(S3_REDACT_WHATEVER) && p->matches; /* not when the server is tried */
    if (c->match.n && !p->one_writer && !whatever)
        add_header(&r, "if-match", p->bare_etags ? bare(c->match) : c->match);
    if (c->range)
        add_header(&r, "range", str(c->range));
    return r;
}

/* S3 gives every object an ETag, and says nothing of one that it removes: a web page of something
 * on the way is not taken for either. */
static void read_answer(S3 *p, const S3Call *c, const HttpAnswer *head, S3Answer *out)
{
    Str date, etag;
    int64_t ms;
    out->status = head->status;
    bool tagged = http_answer_header(head, S("ETag"), &etag);
    bool deletes = str_eq(str(c->method), S("DELETE"));
    if (tagged && etag.n < sizeof out->etag)
        snprintf(out->etag, sizeof out->etag, STR_FMT, STR_ARG(etag));
    if (http_answer_header(head, S("Date"), &date) && http_date(date, &ms))
        saw_date(p, ms);
    if (head->status / 100 == 2) {
        out->foreign = c->key.n && (deletes ? out->body.n > 0 : !tagged);
        return;
    }
    Str code = xml_text(buf_str(&out->body), S("Code"));
    if (code.n < sizeof out->code)
        snprintf(out->code, sizeof out->code, STR_FMT, STR_ARG(code));
}

/* Why no answer came. */
static jot_status lose(S3 *p, jot_status st, const Err *why, Err *e)
{
    Shown at;
    char text[400];
    if (st == JOT_DENIED || st == JOT_UNSUPPORTED || st == JOT_INVALID || st == JOT_TOO_BIG)
        return s3_say(p, e, st, why->text);
    p->lost = true;
    snprintf(text, sizeof text, "%s (S3 at '%s')",
             st == JOT_CANCELLED ? "there is no answer" : why->text, err_show(&at, str(p->host)));
    return s3_say(p, e, JOT_UNAVAILABLE, text);
}

static jot_status send_once(S3 *p, const S3Call *c, S3Answer *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) url = { 0 };
    AUTO(Buf) authorization = { 0 };
    AUTO(HttpAnswer) head = { 0 };
    Err why = { 0 };
    HttpField fields[S3_PAIRS_MAX + 2];
    size_t n = 0;
    S3Scope scope = { p->region, S("s3"), s3_server_ms(p) };
    S3Date date = s3_date(scope.at_ms);
    S3Request r = make_request(p, c, &date, &arena);
    S3Key key = { str(p->keys.id), str(p->keys.secret) };
    s3_write_authorization(&authorization, &r, &scope, &key);
    buf_addf(&url, "http%s://%s", p->encrypted ? "s" : "", p->host);
    s3_write_path(&url, r.path);
    buf_addf(&url, "%s", r.query_n ? "?" : "");
    s3_write_query(&url, &r);
    buf_add_char(&url, 0);
    for (size_t i = 1; i < r.headers_n; i++) /* the first is the host, which libcurl sends */
        fields[n++] = (HttpField){ r.headers[i].name.p, r.headers[i].value };
    fields[n++] = (HttpField){ "Authorization", buf_str(&authorization) };
    fields[n++] = (HttpField){ "Content-Type", S("application/octet-stream") };
    Flight flight = { p, out };
    int64_t left = left_ms(p);
    HttpCall call = { .method = c->method,
                      .url = url.p,
                      .headers = fields,
                      .n_headers = n,
                      .body = c->body,
                      .ca_file = p->ca_file,
                      .connect_ms = left < 1            ? 1
                                    : left < CONNECT_MS ? left
                                                        : CONNECT_MS,
                      .idle_ms = left < 1 ? 1 : left,
                      .answer_max = ANSWER_MAX,
                      .on_body = on_body,
                      .cancelled = is_over,
                      .ctx = &flight };
    buf_clear(&out->body);
    *out = (S3Answer){ .body = out->body };
    p->lost = false;
    if (c->before_ms && io_awake_ms(p->base.io) > c->before_ms && !MUTANT(S3_BELIEVE_OLD_HEAD))
        return JOT_OK;
    p->base.report.requests++;
    jot_status st = http_send(p->http, &call, &head, &why);
    if (st != JOT_OK)
        return lose(p, st, &why, e);
    read_answer(p, c, &head, out);
    return JOT_OK;
}

jot_status s3_send(S3 *p, const S3Call *c, S3Answer *out, Err *e)
{
    TRY(send_once(p, c, out, e));
    if (is_code(out, "RequestTimeTooSkewed"))
        return send_once(p, c, out, e);
    if (is_code(out, "ExpiredToken") && p->keys.until_ms) {
        s3_drop_keys(p);
        TRY(s3_find_keys(p, e));
        return send_once(p, c, out, e);
    }
    return JOT_OK;
}

bool s3_is_busy(const S3Answer *a)
{
    return a->status >= 500 || a->status == 429 || a->status == 409 || a->status == 408;
}

static bool means_something(const S3Answer *a)
{
    if (a->foreign)
        return false;
    if (a->status == 404)
        return strcmp(a->code, "NoSuchKey") == 0;
    return a->status / 100 == 2 || a->status == 412;
}

jot_status s3_ask(S3 *p, const S3Call *c, S3Answer *out, Err *e)
{
    for (;;) {
        jot_status st = s3_send(p, c, out, e);
        if (st == JOT_OK && means_something(out))
            return JOT_OK;
        bool again = st == JOT_OK ? s3_is_busy(out) && out->code[0] : p->lost;
        if (!again || !s3_pause(p))
            return st == JOT_OK ? s3_refused(p, out, e) : st;
    }
}

/* --- Whole objects ------------------------------------------------------------------------ */

jot_status s3_put(S3 *p, Str key, Str body, Err *e)
{
    AUTO(S3Answer) a = { 0 };
    return s3_ask(p, &(S3Call){ .method = "PUT", .key = key, .body = body }, &a, e);
}

static jot_status has_etag(S3 *p, Str key, Str etag, bool *out, Err *e)
{
    AUTO(S3Answer) a = { 0 };
    bool there = false;
    TRY(s3_get(p, key, "bytes=0-0", &a, &there, e));
    *out = there && str_eq(str(a.etag), etag);
    return JOT_OK;
}

/* Some servers (radosgw) want the ETag of If-Match without the quotes it has everywhere else, and
 * say 412 to one that has them: then the object is as it was, and the other way is tried, and kept.
 */
jot_status s3_put_over(S3 *p, Str key, Str etag, Str body, bool *done, Err *e)
{
    Shown at;
    S3Call c = { .method = "PUT", .key = key, .body = body, .match = etag };
    for (int ways = 0; ways < 2; ways++) {
        AUTO(S3Answer) a = { 0 };
        bool same = false;
        TRY(s3_ask(p, &c, &a, e));
        *done = a.status / 100 == 2;
        if (*done)
            return JOT_OK;
        TRY(has_etag(p, key, etag, &same, e));
        if (!same)
            return JOT_OK;
        p->bare_etags = !p->bare_etags;
    }
    return err_set(e, JOT_UNSUPPORTED,
                   "the server at '%s' does not know If-Match, which redacting needs",
                   err_show(&at, str(p->host)));
}

jot_status s3_delete(S3 *p, Str key, Err *e)
{
    AUTO(S3Answer) a = { 0 };
    return s3_ask(p, &(S3Call){ .method = "DELETE", .key = key }, &a, e);
}

/* Is there an object of this name, as a list shows it? */
static jot_status is_listed(S3 *p, Str key, bool *out, Err *e)
{
    AUTO(S3List) l = { 0 };
    TRY(s3_list(p, &(S3Where){ .prefix = key, .max = 1 }, &l, e));
    *out = l.n > 0 && str_eq(l.items[0].key, key);
    return JOT_OK;
}

/* To whom may list only a part of a bucket S3 says "forbidden" of what is not there; a list of that
 * part knows. */
jot_status s3_get(S3 *p, Str key, const char *range, S3Answer *out, bool *there, Err *e)
{
    Err why = { 0 }, ignored = { 0 };
    bool listed = true;
    *there = false;
    jot_status st = s3_ask(p, &(S3Call){ .method = "GET", .key = key, .range = range }, out, &why);
    if (st == JOT_DENIED && is_code(out, "AccessDenied") &&
        is_listed(p, key, &listed, &ignored) == JOT_OK && !listed)
        return JOT_OK;
    if (st != JOT_OK)
        return err_pass(e, &why, st);
    *there = out->status / 100 == 2;
    return JOT_OK;
}
