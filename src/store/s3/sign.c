/* sign.c - AWS Signature Version 4, as S3 has it.
 *
 * A request is written in one canonical form and hashed; the hash, with the scope,
 * is signed with a key that is derived from the secret for one day, region and
 * service.  S3 differs from other services: its paths are escaped once, and are
 * not normalised, for "a//b" and "a/./b" are names of objects. */
#include "store/s3/sign.h"

#include <assert.h>
#include <stdio.h>

#include "base/time.h"

/* --- Writing ----------------------------------------------------------------------------- */

S3Date s3_date(int64_t ms)
{
    TimeText t = time_stamp(ms); /* 20260131-184500 */
    S3Date out;
    snprintf(out.text, sizeof out.text, "%.8sT%.6sZ", t.text, t.text + 9);
    return out;
}

static bool is_plain(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void write_escaped(Buf *to, Str text, bool slashes)
{
    for (size_t i = 0; i < text.n; i++) {
        if (is_plain(text.p[i]) || (text.p[i] == '/' && !slashes))
            buf_add_char(to, text.p[i]);
        else
            buf_addf(to, "%%%02X", (unsigned char)text.p[i]);
    }
}

void s3_write_path(Buf *to, Str path)
{
    assert(path.n && path.p[0] == '/');
    write_escaped(to, path, false);
}

/* Places in the order of what `before` says; there are few. */
static void sort(size_t n, size_t order[], const S3Pair *pairs,
                 bool (*before)(const S3Pair *a, const S3Pair *b))
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0 && before(&pairs[i], &pairs[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Escaped texts compare as the escapes do, not as the bytes do. */
static bool argument_before(const S3Pair *a, const S3Pair *b)
{
    AUTO(Buf) left = { 0 };
    AUTO(Buf) right = { 0 };
    write_escaped(&left, a->name, true);
    write_escaped(&right, b->name, true);
    int names = str_cmp(buf_str(&left), buf_str(&right));
    if (names != 0)
        return names < 0;
    buf_clear(&left);
    buf_clear(&right);
    write_escaped(&left, a->value, true);
    write_escaped(&right, b->value, true);
    return str_cmp(buf_str(&left), buf_str(&right)) < 0;
}

void s3_write_query(Buf *to, const S3Request *r)
{
    size_t order[S3_PAIRS_MAX];
    assert(r->query_n <= S3_PAIRS_MAX);
    sort(r->query_n, order, r->query, argument_before);
    for (size_t i = 0; i < r->query_n; i++) {
        const S3Pair *p = &r->query[order[i]];
        if (i)
            buf_add_char(to, '&');
        write_escaped(to, p->name, true);
        buf_add_char(to, '=');
        write_escaped(to, p->value, true);
    }
}

/* --- The canonical form ------------------------------------------------------------------ */

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool header_before(const S3Pair *a, const S3Pair *b)
{
    for (size_t i = 0; i < a->name.n && i < b->name.n; i++)
        if (lower(a->name.p[i]) != lower(b->name.p[i]))
            return lower(a->name.p[i]) < lower(b->name.p[i]);
    return a->name.n < b->name.n;
}

static void write_name(Buf *to, Str name)
{
    for (size_t i = 0; i < name.n; i++)
        buf_add_char(to, lower(name.p[i]));
}

/* Without the spaces around it, and with one where there are several. */
static void write_value(Buf *to, Str value)
{
    bool space = false, any = false;
    for (size_t i = 0; i < value.n; i++) {
        if (value.p[i] == ' ') {
            space = any;
            continue;
        }
        if (space)
            buf_add_char(to, ' ');
        buf_add_char(to, value.p[i]);
        space = false;
        any = true;
    }
}

static void write_signed_names(Buf *to, const S3Request *r, const size_t order[])
{
    for (size_t i = 0; i < r->headers_n; i++) {
        if (i)
            buf_add_char(to, ';');
        write_name(to, r->headers[order[i]].name);
    }
}

static void write_canonical(Buf *to, const S3Request *r, const size_t order[])
{
    buf_add(to, r->method);
    buf_add_char(to, '\n');
    s3_write_path(to, r->path);
    buf_add_char(to, '\n');
    s3_write_query(to, r);
    buf_add_char(to, '\n');
    for (size_t i = 0; i < r->headers_n; i++) {
        write_name(to, r->headers[order[i]].name);
        buf_add_char(to, ':');
        write_value(to, r->headers[order[i]].value);
        buf_add_char(to, '\n');
    }
    buf_add_char(to, '\n');
    write_signed_names(to, r, order);
    buf_addf(to, "\n%s", hash_hex(r->payload).text);
}

/* --- Signing ----------------------------------------------------------------------------- */

static Str bytes(const Hash *h)
{
    return (Str){ (const char *)h->b, sizeof h->b };
}

static Hash signing_key(const S3Scope *scope, Str day, const S3Key *key)
{
    AUTO(Buf) secret = { 0 };
    buf_add(&secret, S("AWS4"));
    buf_add(&secret, key->secret);
    Hash k = hash_mac(buf_str(&secret), day);
    k = hash_mac(bytes(&k), scope->region);
    k = hash_mac(bytes(&k), scope->service);
    return hash_mac(bytes(&k), S("aws4_request"));
}

void s3_write_authorization(Buf *to, const S3Request *r, const S3Scope *scope, const S3Key *key)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) where = { 0 };
    size_t order[S3_PAIRS_MAX];
    S3Date date = s3_date(scope->at_ms);
    Str day = { date.text, 8 };
    assert(r->headers_n <= S3_PAIRS_MAX);
    sort(r->headers_n, order, r->headers, header_before);
    write_canonical(&text, r, order);
    Hash request = hash_of(buf_str(&text));
    buf_addf(&where, STR_FMT "/" STR_FMT "/" STR_FMT "/aws4_request", STR_ARG(day),
             STR_ARG(scope->region), STR_ARG(scope->service));
    buf_clear(&text);
    buf_addf(&text, "AWS4-HMAC-SHA256\n%s\n" STR_FMT "\n%s", date.text, STR_ARG(buf_str(&where)),
             hash_hex(request).text);
    Hash k = signing_key(scope, day, key);
    Hash signature = hash_mac(bytes(&k), buf_str(&text));
    buf_addf(to, "AWS4-HMAC-SHA256 Credential=" STR_FMT "/" STR_FMT ", SignedHeaders=",
             STR_ARG(key->id), STR_ARG(buf_str(&where)));
    write_signed_names(to, r, order);
    buf_addf(to, ", Signature=%s", hash_hex(signature).text);
}
