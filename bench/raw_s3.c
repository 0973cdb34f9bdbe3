/* raw_s3.c - the same with libcurl alone: an object a record, under a key that counts downward.
 *
 * An append is one PUT that fails if the object is there.  Requests are signed as ours are, by the
 * same code, and go over one connection that is kept. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "bench/raw.h"
#include "store/s3/sign.h"

struct Raw {
    CURL *c;
    const char *host;
    Text text;
    Buf answer;
    uint64_t seq; /* of the stream that is written to */
    uint64_t sum; /* of bytes that came back: they must be looked at by somebody */
    bool hashing, paging;
};

/* One request: a PUT of `body`, or a GET; with `prefix` a list of `max` keys. */
typedef struct Ask {
    Str path, body, prefix, max;
} Ask;

static size_t on_bytes(char *bytes, size_t one, size_t n, void *ctx)
{
    buf_add(&((Raw *)ctx)->answer, (Str){ bytes, one * n });
    return one * n;
}

static void add_header(struct curl_slist **to, const char *name, Str value)
{
    AUTO(Buf) line = { 0 };
    buf_addf(&line, "%s: " STR_FMT, name, STR_ARG(value));
    buf_add_char(&line, 0);
    *to = curl_slist_append(*to, line.p);
}

static void sign(const Raw *r, const Ask *a, Buf *url, struct curl_slist **headers)
{
    AUTO(Buf) authorization = { 0 };
    int64_t now_ms = io_wall_ms(&io_system);
    S3Date date = s3_date(now_ms);
    Hash payload = hash_of(a->body);
    HashHex hex = hash_hex(payload);
    S3Request q = { .method = a->body.n ? S("PUT") : S("GET"),
                    .path = a->path,
                    .payload = payload };
    q.headers[q.headers_n++] = (S3Pair){ S("host"), str(r->host) };
    q.headers[q.headers_n++] = (S3Pair){ S("x-amz-date"), str(date.text) };
    q.headers[q.headers_n++] = (S3Pair){ S("x-amz-content-sha256"), str(hex.text) };
    if (a->body.n)
        q.headers[q.headers_n++] = (S3Pair){ S("if-none-match"), S("*") };
    if (a->prefix.n) {
        q.query[q.query_n++] = (S3Pair){ S("list-type"), S("2") };
        q.query[q.query_n++] = (S3Pair){ S("max-keys"), a->max };
        q.query[q.query_n++] = (S3Pair){ S("prefix"), a->prefix };
    }
    S3Scope scope = { S("us-east-1"), S("s3"), now_ms };
    S3Key key = { str(getenv("AWS_ACCESS_KEY_ID")), str(getenv("AWS_SECRET_ACCESS_KEY")) };
    s3_write_authorization(&authorization, &q, &scope, &key);
    for (size_t i = 1; i < q.headers_n; i++)
        add_header(headers, q.headers[i].name.p, q.headers[i].value);
    add_header(headers, "Authorization", buf_str(&authorization));
    add_header(headers, "Content-Type", S("application/octet-stream"));
    buf_addf(url, "http://%s", r->host);
    s3_write_path(url, a->path);
    buf_addf(url, "%s", q.query_n ? "?" : "");
    s3_write_query(url, &q);
    buf_add_char(url, 0);
}

static void ask(Raw *r, const Ask *a)
{
    AUTO(Buf) url = { 0 };
    struct curl_slist *headers = NULL;
    long status = 0;
    sign(r, a, &url, &headers);
    buf_clear(&r->answer);
    curl_easy_setopt(r->c, CURLOPT_URL, url.p);
    curl_easy_setopt(r->c, CURLOPT_HTTPHEADER, headers);
    if (a->body.n) {
        curl_easy_setopt(r->c, CURLOPT_CUSTOMREQUEST, "PUT");
        curl_easy_setopt(r->c, CURLOPT_POSTFIELDSIZE, (long)a->body.n);
        curl_easy_setopt(r->c, CURLOPT_POSTFIELDS, a->body.p);
    } else {
        curl_easy_setopt(r->c, CURLOPT_CUSTOMREQUEST, NULL);
        curl_easy_setopt(r->c, CURLOPT_HTTPGET, 1L);
    }
    CURLcode got = curl_easy_perform(r->c);
    curl_easy_getinfo(r->c, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    if (got != CURLE_OK || status != 200)
        die("libcurl: %s, status %ld", curl_easy_strerror(got), status);
}

/* How many keys a list has. */
static size_t keys_in(Raw *r)
{
    size_t n = 0;
    buf_add_char(&r->answer, 0);
    for (const char *at = r->answer.p; (at = strstr(at, "<Key>")) != NULL; at++)
        n++;
    return n;
}

static void list_keys(Raw *r, Str prefix, size_t n)
{
    char max[16];
    snprintf(max, sizeof max, "%zu", n);
    ask(r, &(Ask){ .path = S("/pads"), .prefix = prefix, .max = str(max) });
    must(keys_in(r) == n, "libcurl: another number of keys");
}

static Str key_of(Arena *arena, const char *stream, uint64_t seq)
{
    return arena_printf(arena, "/pads/raw/r/%s %d/%016llx", stream, (int)getpid(),
                        (unsigned long long)(UINT64_MAX - seq));
}

static void put_record(Raw *r, const char *stream, uint64_t seq)
{
    static const char header[RAW_HEADER];
    AUTO(Arena) arena = { 0 };
    AUTO(Buf) object = { 0 };
    Str body = text_next(&r->text);
    if (r->hashing)
        r->sum += raw_hash(body.p, body.n, true);
    buf_add(&object, (Str){ header, sizeof header });
    buf_add(&object, body);
    ask(r, &(Ask){ .path = key_of(&arena, stream, seq), .body = buf_str(&object) });
}

static void get_record(Raw *r, const char *stream, uint64_t seq)
{
    AUTO(Arena) arena = { 0 };
    char copy[RAW_BYTES];
    ask(r, &(Ask){ .path = key_of(&arena, stream, seq) });
    must(r->answer.n == RAW_HEADER + RAW_BYTES, "libcurl: another record");
    memcpy(copy, r->answer.p + RAW_HEADER, sizeof copy);
    r->sum += (unsigned char)copy[0];
    if (r->hashing)
        r->sum += raw_hash(copy, sizeof copy, r->paging);
}

static Raw *raw_open(const char *address, size_t notes)
{
    AUTO(Arena) arena = { 0 };
    Raw *r = mem_alloc(sizeof *r);
    NoteName name;
    *r = (Raw){ .c = curl_easy_init(), .host = strdup(address), .text = text_new(RAW_BYTES) };
    must(r->c && r->host && getenv("AWS_ACCESS_KEY_ID") && getenv("AWS_SECRET_ACCESS_KEY"),
         "libcurl, or keys");
    curl_easy_setopt(r->c, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(r->c, CURLOPT_WRITEDATA, r);
    for (size_t i = 0; i < notes; i++) {
        Str mark = arena_printf(&arena, "/pads/raw/n%d/%s", (int)getpid(), note_name(&name, i).p);
        put_record(r, name.text, 1);
        ask(r, &(Ask){ .path = mark, .body = S("\n") });
    }
    for (; r->seq < RAW_RECORDS; r->seq++)
        put_record(r, "runs/log", r->seq + 1);
    return r;
}

static void raw_append(void *raw)
{
    Raw *r = raw;
    put_record(r, "runs/log", ++r->seq);
}

static void list_records(Raw *r, const char *stream, size_t n)
{
    AUTO(Arena) arena = { 0 };
    list_keys(r, arena_printf(&arena, "raw/r/%s %d/", stream, (int)getpid()), n);
}

static void head_of(Raw *r, const char *stream)
{
    list_records(r, stream, 1);
    get_record(r, stream, 1);
}

static void raw_head(void *raw)
{
    head_of(raw, "notes/n00000000");
}

static void raw_read(void *raw)
{
    Raw *r = raw;
    list_records(r, "runs/log", RAW_RECORDS);
    r->paging = true;
    for (uint64_t seq = 1; seq <= RAW_RECORDS; seq++)
        get_record(r, "runs/log", seq);
    r->paging = false;
}

static void only_names(void *raw)
{
    AUTO(Arena) arena = { 0 };
    list_keys(raw, arena_printf(&arena, "raw/n%d/", (int)getpid()), RAW_NAMES);
}

static void raw_list(void *raw)
{
    NoteName name;
    only_names(raw);
    for (size_t i = 0; i < RAW_NAMES; i++)
        head_of(raw, note_name(&name, i).p);
}

static void raw_hashing(void *raw, bool hashing)
{
    ((Raw *)raw)->hashing = hashing;
}

static void raw_close(Raw *r)
{
    curl_easy_cleanup(r->c);
    buf_free(&r->answer);
    text_free(&r->text);
    free((char *)r->host);
    free(r);
}

const RawOps raw_s3 = { "libcurl", raw_open,   raw_append,  raw_head, raw_read,
                        raw_list,  only_names, raw_hashing, raw_close };
