/* embeddings.c - one request for many texts, and an answer that is believed only where it is right.
 *
 *     POST BASE/embeddings   {"model": M, "input": [text, text, ...]}
 *     answer                 {"data": [{"index": 1, "embedding": [0.1, ...]}, ...]}
 *
 * Right means: as many vectors as texts, each index once, all of the same length, numbers that are
 * finite and not all zero.  Anything else is no answer at all: a vector beside the wrong text would
 * never be noticed. */
#include "net/embeddings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "net/http_client.h"

enum { ANSWER_MAX = 64 * 1024 * 1024, KEY_MAX = 4096 };

struct Embeddings {
    const Io *io;
    HttpClient *http;
    Arena arena;
    Str base, model;
    const char *url; /* of the requests */
    int64_t within_ms;
};

void embeddings_close(Embeddings *s)
{
    if (!s)
        return;
    http_client_free(s->http);
    arena_free(&s->arena);
    free(s);
}

Str embeddings_url(const Embeddings *s)
{
    return s->base;
}

Str embeddings_model(const Embeddings *s)
{
    return s->model;
}

int64_t embeddings_within_ms(const Embeddings *s)
{
    return s->within_ms;
}

/* --- The address ------------------------------------------------------------------------- */

static jot_status read_settings(Embeddings *s, const Url *url, bool *plain_http, Err *e)
{
    Str key, value;
    uint64_t ms = EMBEDDINGS_WITHIN_MS;
    for (size_t at = 0; url_next_param(url, &at, &s->arena, &key, &value);) {
        bool plain = str_eq(key, S("plain_http")), yes = str_eq(value, S("yes"));
        bool good = plain ? yes || str_eq(value, S("no"))
                          : str_eq(key, S("within_ms")) &&
                                str_to_u64(value, EMBEDDINGS_WITHIN_MS_MAX, &ms) && ms > 0;
        if (!good)
            return err_set(e, JOT_INVALID,
                           "the settings of JOTTER_EMBED are plain_http=yes or no, and "
                           "within_ms=1 to %d",
                           EMBEDDINGS_WITHIN_MS_MAX);
        *plain_http = plain ? yes : *plain_http;
    }
    s->within_ms = (int64_t)ms;
    return JOT_OK;
}

static jot_status read_address(Embeddings *s, Str address, Err *e)
{
    Url url;
    bool plain_http = false;
    size_t hash = str_find(address, '#');
    Str model = hash < address.n ? str_from(address, hash + 1) : (Str){ 0 };
    TRY(url_parse(str_slice(address, 0, hash), &s->arena, &url, e));
    bool web = str_eq(url.scheme, S("https")) || str_eq(url.scheme, S("http"));
    if (!web || !url.authority || url.host.n == 0 || model.n == 0)
        return err_set(e, JOT_INVALID,
                       "JOTTER_EMBED is https://HOST/PATH#MODEL or http://127.0.0.1/PATH#MODEL");
    if (model.n > EMBEDDINGS_MODEL_MAX)
        return err_set(e, JOT_TOO_BIG, "the name of a model has at most %d bytes",
                       EMBEDDINGS_MODEL_MAX);
    TRY(utf8_check("the name of a model", model, e));
    if (url.user.n || url.password.n)
        return err_set(e, JOT_INVALID, "JOTTER_EMBED holds no key: set JOTTER_EMBED_API_KEY");
    TRY(read_settings(s, &url, &plain_http, e));
    if (!plain_http)
        TRY(http_check_private(&url, e));
    s->model = arena_copy(&s->arena, model);
    s->base = url_base(&url, &s->arena);
    s->url = arena_printf(&s->arena, STR_FMT "/embeddings", STR_ARG(s->base)).p;
    return JOT_OK;
}

jot_status embeddings_open(Embeddings **out, Str address, const Io *io, Err *e)
{
    AUTO_PTR(Embeddings) s = mem_alloc(sizeof *s);
    *s = (Embeddings){ .io = io, .http = http_client_new(io) };
    TRY(read_address(s, address, e));
    *out = TAKE(s);
    return JOT_OK;
}

/* --- The answer -------------------------------------------------------------------------- */

typedef struct Reading {
    const Embeddings *s;
    int64_t until_ms;
    Buf body;
} Reading;

static void reading_done(Reading *r)
{
    buf_free(&r->body);
}
DEFINE_AUTO(Reading, reading_done)

static jot_status take_body(void *ctx, Str bytes, Err *e)
{
    Reading *r = ctx;
    buf_add(&r->body, bytes);
    return r->body.full ? err_set(e, JOT_TOO_BIG, "its answer is too long") : JOT_OK;
}

static bool is_late(void *ctx)
{
    const Reading *r = ctx;
    return io_awake_ms(r->s->io) >= r->until_ms;
}

static jot_status no_answer(const Embeddings *s, Err *e)
{
    Shown shown;
    return err_set(e, JOT_INVALID, "%s did not answer with vectors", err_show(&shown, s->base));
}

static jot_status check_status(const Embeddings *s, int status, Err *e)
{
    Shown shown, model;
    const char *url = err_show(&shown, s->base);
    if (status == 200)
        return JOT_OK;
    if (status == 401 || status == 403)
        return err_set(e, JOT_DENIED, "%s answered %d: JOTTER_EMBED_API_KEY is missing or wrong",
                       url, status);
    if (status == 429 || status >= 500)
        return err_set(e, JOT_UNAVAILABLE, "%s answered %d", url, status);
    return err_set(e, JOT_INVALID, "%s answered %d: is the model '%s' there?", url, status,
                   err_show(&model, s->model));
}

static bool take_vector(const json_t *item, size_t columns, float *to)
{
    const json_t *numbers = json_object_get(item, "embedding");
    double squares = 0;
    if (json_array_size(numbers) != columns)
        return false;
    for (size_t i = 0; i < columns; i++) {
        double x = json_number_value(json_array_get(numbers, i));
        if (!json_is_number(json_array_get(numbers, i)) || !(fabs(x) < 1e6))
            return false;
        to[i] = (float)x;
        squares += x * x;
    }
    return squares > 0;
}

/* Items come in any order, each with its index; servers that leave the index out keep the order. */
static bool take_vectors(const json_t *answer, size_t n, Arena *into, EmbeddingsFound *out)
{
    bool met[EMBEDDINGS_TEXTS_MAX] = { 0 };
    const json_t *data = json_object_get(answer, "data");
    size_t columns = json_array_size(json_object_get(json_array_get(data, 0), "embedding"));
    if (json_array_size(data) != n || columns == 0 || columns > EMBEDDINGS_COLUMNS_MAX)
        return false;
    assert(n <= EMBEDDINGS_TEXTS_MAX);
    float *rows = NEW_ARRAY(into, float, n *columns);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(data, i), *index = json_object_get(item, "index");
        json_int_t at = index ? json_integer_value(index) : (json_int_t)i;
        if (at < 0 || (size_t)at >= n || met[at] ||
            !take_vector(item, columns, rows + (size_t)at * columns))
            return false;
        met[at] = true;
    }
    *out = (EmbeddingsFound){ rows, columns };
    return true;
}

/* --- The request ------------------------------------------------------------------------- */

static void write_request(const Embeddings *s, const EmbeddingsAsk *ask, Buf *to)
{
    buf_add(to, S("{\"model\":"));
    json_quote(to, s->model);
    buf_add(to, S(",\"encoding_format\":\"float\",\"input\":["));
    for (size_t i = 0; i < ask->n; i++) {
        buf_add(to, i ? S(",") : S(""));
        json_quote(to, ask->texts[i]);
    }
    buf_add(to, S("]}"));
}

/* Visible ASCII alone: anything else could begin a header of its own. */
static jot_status read_key(Buf *to, Err *e)
{
    const char *key = getenv("JOTTER_EMBED_API_KEY");
    size_t n = key ? strnlen(key, KEY_MAX + 1) : 0;
    bool good = n <= KEY_MAX;
    for (size_t i = 0; i < n; i++)
        good = good && key[i] > ' ' && key[i] < 0x7F;
    if (!good)
        return err_set(e, JOT_INVALID,
                       "JOTTER_EMBED_API_KEY must be at most %d visible ASCII letters", KEY_MAX);
    if (n)
        buf_addf(to, "Bearer %s", key);
    return JOT_OK;
}

static jot_status post(Embeddings *s, const EmbeddingsAsk *ask, Reading *r, Err *e)
{
    AUTO(Buf) request = { 0 };
    AUTO(Buf) key = { 0 };
    AUTO(HttpAnswer) answer = { 0 };
    Shown shown;
    Err why = { 0 };
    TRY(read_key(&key, e));
    write_request(s, ask, &request);
    HttpField headers[] = { { "Content-Type", S("application/json") },
                            { "Authorization", buf_str(&key) } };
    HttpCall call = { .method = "POST",
                      .url = s->url,
                      .headers = headers,
                      .n_headers = key.n ? 2 : 1,
                      .body = buf_str(&request),
                      .connect_ms = ask->within_ms,
                      .idle_ms = ask->within_ms,
                      .answer_max = ANSWER_MAX,
                      .on_body = take_body,
                      .cancelled = is_late,
                      .ctx = r };
    if (!buf_ok(&request))
        return err_set(e, JOT_TOO_BIG, "the texts are too long for one request");
    jot_status st = http_send(s->http, &call, &answer, &why);
    if (key.n)
        explicit_bzero(key.p, key.n);
    if (st == JOT_CANCELLED)
        return err_set(e, JOT_UNAVAILABLE, "%s did not answer within %lld ms",
                       err_show(&shown, s->base), (long long)ask->within_ms);
    if (st != JOT_OK)
        return err_set(e, st, "%s", why.text);
    return check_status(s, answer.status, e);
}

jot_status embeddings_ask(Embeddings *s, const EmbeddingsAsk *ask, Arena *into,
                          EmbeddingsFound *out, Err *e)
{
    AUTO_PTR(json_t) answer = NULL;
    AUTO(Reading)
    r = { .s = s, .until_ms = io_awake_ms(s->io) + ask->within_ms, .body = { .max = ANSWER_MAX } };
    assert(ask->n > 0 && ask->n <= EMBEDDINGS_TEXTS_MAX && ask->within_ms > 0);
    *out = (EmbeddingsFound){ 0 };
    TRY(post(s, ask, &r, e));
    if (json_read(buf_str(&r.body), &answer, NULL) != JOT_OK ||
        !take_vectors(answer, ask->n, into, out))
        return no_answer(s, e);
    return JOT_OK;
}
