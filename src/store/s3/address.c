/* address.c - what a URL says: which bucket, on which server.
 *
 *   s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME&style=path|host&profile=NAME&pad=NAME&...]
 *
 * endpoint is the server; else AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or the profile name it, else
 * it is AWS's own in the region.  A bucket is a part of the path (style=path), as servers of one's
 * own want it, or of the host's name (style=host), as AWS does.  Keys have no place in a URL: it is
 * shown and kept, and AWS's programs keep them elsewhere. */
#include "store/s3/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/s3/keys.h"

#define GRAMMAR "write s3://BUCKET/PREFIX?endpoint=https://HOST"

typedef enum Style { STYLE_FREE, STYLE_PATH, STYLE_HOST } Style;

typedef struct Asked {
    Str endpoint, pad;
    Style style;
} Asked;

static jot_status set_style(Str value, Asked *a, Err *e)
{
    Shown shown;
    if (str_eq(value, S("path")))
        a->style = STYLE_PATH;
    else if (str_eq(value, S("host")))
        a->style = STYLE_HOST;
    else
        return err_set(e, JOT_INVALID, "style=%s: use path or host", err_show(&shown, value));
    return JOT_OK;
}

static jot_status set_writers(S3 *p, Str value, Err *e)
{
    Shown shown;
    p->one_writer = str_eq(value, S("one"));
    if (p->one_writer || str_eq(value, S("any")))
        return JOT_OK;
    return err_set(e, JOT_INVALID, "writers=%s: use any or one", err_show(&shown, value));
}

static jot_status set_cache(S3 *p, Str value, Err *e)
{
    Shown shown;
    uint64_t mib = 0;
    if (!str_to_u64(value, S3_CACHE_MAX, &mib))
        return err_set(e, JOT_INVALID, "cache=%s: use a number of MiB, at most %d",
                       err_show(&shown, value), S3_CACHE_MAX);
    p->cache.bytes_max = mib * 1024 * 1024;
    return JOT_OK;
}

static jot_status set_param(S3 *p, Str key, Str value, Asked *a, Err *e)
{
    Shown shown;
    if (str_eq(key, S("style")))
        return set_style(value, a, e);
    if (str_eq(key, S("writers")))
        return set_writers(p, value, e);
    if (str_eq(key, S("cache")))
        return set_cache(p, value, e);
    if (str_eq(key, S("endpoint")))
        a->endpoint = value;
    else if (str_eq(key, S("region")))
        p->region = value;
    else if (str_eq(key, S("profile")))
        p->profile = value;
    else if (str_eq(key, S("cacert")))
        p->ca_file = arena_cstr(&p->keep, value);
    else if (str_eq(key, S("pad")))
        a->pad = value;
    else
        return err_set(e, JOT_INVALID,
                       "'%s' is no parameter of an s3: URL: use endpoint, region, style, profile, "
                       "cacert, cache, writers or pad",
                       err_show(&shown, key));
    return JOT_OK;
}

/* Names of buckets are such that they can be part of a host's; servers of one's own take more. */
static bool good_bucket(Str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                    c == '_' || (c >= 'A' && c <= 'Z');
        if (!good)
            return false;
    }
    return name.n >= 3 && name.n <= 63;
}

static jot_status set_bucket(S3 *p, const Url *url, Str pad, Err *e)
{
    Shown shown;
    if (!url->authority || url->host.n == 0 || url->port)
        return err_set(e, JOT_INVALID, GRAMMAR);
    if (url->user.n || url->password.n)
        return err_set(e, JOT_INVALID,
                       "keys do not belong in an s3: URL: put them into AWS_ACCESS_KEY_ID and "
                       "AWS_SECRET_ACCESS_KEY, or into a profile");
    if (!good_bucket(url->host))
        return err_set(e, JOT_INVALID,
                       "invalid bucket '%s': use 3 to 63 of [A-Za-z0-9._-], as S3 does",
                       err_show(&shown, url->host));
    p->bucket = p->shown = arena_copy(&p->keep, url->host);
    Str path = url->path;
    while (path.n && path.p[0] == '/')
        path = str_from(path, 1);
    while (path.n && path.p[path.n - 1] == '/')
        path = str_slice(path, 0, path.n - 1);
    p->prefix = arena_printf(&p->keep, STR_FMT "%s" STR_FMT "%s", STR_ARG(path), path.n ? "/" : "",
                             STR_ARG(pad), pad.n ? "/" : "");
    if (p->prefix.n > S3_PREFIX_MAX || (path.n && store_check_prefix(path, NULL) != JOT_OK))
        return err_set(e, JOT_INVALID,
                       "invalid prefix '%s': use at most %d bytes, and segments that do not begin "
                       "with '.'",
                       err_show(&shown, p->prefix), S3_PREFIX_MAX - 1);
    return pad.n ? store_check_key(pad, e) : JOT_OK;
}

static Str from_environment(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && value[0])
            return str(value);
    }
    return (Str){ 0 };
}

static void set_region(S3 *p)
{
    if (p->region.n == 0)
        p->region = from_environment((const char *[]){ "AWS_REGION", "AWS_DEFAULT_REGION", NULL });
    if (p->region.n == 0)
        p->region = s3_profile_setting(p, "region", &p->keep);
    p->region = p->region.n ? arena_copy(&p->keep, p->region) : S("us-east-1");
}

/* The server that was named, or the empty Str: AWS's own. */
static Str find_endpoint(const S3 *p, const Asked *a, Arena *into)
{
    if (a->endpoint.n)
        return a->endpoint;
    Str found =
        from_environment((const char *[]){ "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL });
    return found.n ? found : s3_profile_setting(p, "endpoint_url", into);
}

static jot_status set_host(S3 *p, Str endpoint, Style style, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Shown shown;
    Url at = { 0 };
    Err why = { 0 };
    bool aws = endpoint.n == 0;
    if (aws)
        endpoint = arena_printf(&arena, "https://s3." STR_FMT ".amazonaws.com", STR_ARG(p->region));
    bool good = url_parse(endpoint, &arena, &at, &why) == JOT_OK && at.authority && at.host.n &&
                at.path.n <= 1 && at.query.n == 0 && at.user.n == 0 && at.password.n == 0;
    p->encrypted = str_eq(at.scheme, S("https"));
    if (!good || (!p->encrypted && !str_eq(at.scheme, S("http"))))
        return err_set(e, JOT_INVALID, "invalid endpoint '%s': write https://HOST or http://HOST",
                       err_show(&shown, endpoint));
    bool named = style == STYLE_HOST ||
                 (style == STYLE_FREE && aws && str_find(p->bucket, '.') == p->bucket.n);
    bool v6 = str_find(at.host, ':') < at.host.n;
    AUTO(Buf) host = { 0 };
    if (named)
        buf_addf(&host, STR_FMT ".", STR_ARG(p->bucket));
    buf_addf(&host, "%s" STR_FMT "%s", v6 ? "[" : "", STR_ARG(at.host), v6 ? "]" : "");
    if (at.port && at.port != (p->encrypted ? 443 : 80))
        buf_addf(&host, ":%d", at.port);
    if (host.n >= sizeof p->host)
        return err_set(e, JOT_INVALID, "the name of an endpoint has at most %zu bytes",
                       sizeof p->host - 1);
    snprintf(p->host, sizeof p->host, STR_FMT, STR_ARG(buf_str(&host)));
    if (named)
        p->bucket = (Str){ 0 };
    return JOT_OK;
}

jot_status s3_address(S3 *p, const Url *url, Err *e)
{
    Asked a = { 0 };
    Str key, value;
    for (size_t at = 0; url_next_param(url, &at, &p->keep, &key, &value);)
        TRY(set_param(p, key, value, &a, e));
    TRY(set_bucket(p, url, a.pad, e));
    set_region(p);
    const char *ca = getenv("AWS_CA_BUNDLE");
    if (!p->ca_file && ca && ca[0])
        p->ca_file = arena_cstr(&p->keep, str(ca));
    return set_host(p, find_endpoint(p, &a, &p->keep), a.style, e);
}
