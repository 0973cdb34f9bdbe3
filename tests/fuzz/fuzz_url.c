/* fuzz_url.c - any bytes as a URL. */
#include "base/buf.h"
#include "base/url.h"
#include "fuzz/fuzz.h"

const char *const fuzz_words[] = {
    "files:", "postgres://", "ann:hunter2@", "@",    ":",   ":5432", "[::1]", "/", "?", "a=b",
    "&",      "=",           "%20",          "%00",  "%2F", "%",     "%zz",   "+", "#", "]",
    "[",      ":65536",      "//",           "\xff", NULL
};

static bool has(Str s, char c)
{
    return str_find(s, c) < s.n;
}

static void check_parts(const Url *u)
{
    MUST(u->scheme.n && u->scheme.p[0] >= 'a' && u->scheme.p[0] <= 'z');
    for (size_t i = 0; i < u->scheme.n; i++)
        MUST(u->scheme.p[i] < 'A' || u->scheme.p[i] > 'Z');
    MUST(u->port >= 0 && u->port <= 65535);
    MUST(u->authority || (!u->user.n && !u->password.n && !u->host.n && !u->port));
    MUST(!u->authority || !u->path.n || u->path.p[0] == '/');
    MUST(!has(u->user, 0) && !has(u->password, 0) && !has(u->host, 0) && !has(u->path, 0));
    for (size_t i = 0; i < u->host.n; i++)
        MUST((unsigned char)u->host.p[i] >= 0x20 && u->host.p[i] != 0x7F);
}

/* The URL put together again from its parts, everything escaped that can be. */
static Str rebuild(Arena *a, const Url *u, Buf *b)
{
    buf_add(b, u->scheme);
    buf_add_char(b, ':');
    if (u->authority) {
        buf_add(b, S("//"));
        buf_add(b, url_encode(a, u->user, false));
        buf_add_char(b, ':');
        buf_add(b, url_encode(a, u->password, false));
        buf_add_char(b, '@');
        buf_add(b, url_encode(a, u->host, false));
        if (u->port)
            buf_addf(b, ":%d", u->port);
    }
    /* Without an authority two slashes in front would be taken for one. */
    buf_add(b, url_encode(a, u->path, u->authority));
    if (u->query.n) {
        buf_add_char(b, '?');
        buf_add(b, u->query);
    }
    return buf_str(b);
}

static void check_rebuilt(Arena *a, const Url *u)
{
    AUTO(Buf) b = { 0 };
    Str text = rebuild(a, u, &b);
    Url back;
    jot_status st = url_parse(text, a, &back, NULL);
    MUST(st == (text.n > URL_MAX ? JOT_TOO_BIG : JOT_OK));
    if (st != JOT_OK)
        return;
    MUST(str_eq(u->scheme, back.scheme) && u->authority == back.authority);
    MUST(str_eq(u->user, back.user) && str_eq(u->password, back.password));
    MUST(str_eq(u->host, back.host) && u->port == back.port);
    MUST(str_eq(u->path, back.path) && str_eq(u->query, back.query));
}

static void check_params(Arena *a, const Url *u)
{
    size_t at = 0, last = 0, n = 0;
    for (Str key, value; url_next_param(u, &at, a, &key, &value); n++) {
        MUST(at > last);
        last = at;
        MUST(!has(key, 0) && !has(value, 0));
        Str first;
        MUST(url_param(u, key, a, &first));
    }
    MUST(n <= u->query.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Url u;
    Str text = { (const char *)data, size };
    jot_status st = url_parse(text, &a, &u, &e);
    if (st != JOT_OK) {
        MUST(st == (size > URL_MAX ? JOT_TOO_BIG : JOT_INVALID));
        MUST_SAY(e, st);
        MUST(!strstr(e.text, "hunter"));
    } else {
        check_parts(&u);
        check_rebuilt(&a, &u);
        check_params(&a, &u);
    }
    Str encoded = url_encode(&a, text, size % 2);
    MUST(encoded.n >= text.n && encoded.n <= 3 * text.n);
    return 0;
}
