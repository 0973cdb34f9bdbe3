/* url.c - addresses of stores and services.
 *
 * The text is checked as a whole first: its bytes, and that every escape is one and none is a NUL.
 * So decoding cannot fail, and each part is decoded where it was cut out, never before: an escaped
 * '/' or '@' is no separator.  A password is hidden by its place in the text, also in an address
 * that cannot be parsed: that is the one that ends up in a message. */
#include "base/url.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

/* The byte after the '%' at `at`, or -1 for a broken escape, a NUL included. */
static int escaped_byte(Str s, size_t at)
{
    int high = at + 2 < s.n ? hex_digit(s.p[at + 1]) : -1;
    int low = at + 2 < s.n ? hex_digit(s.p[at + 2]) : -1;
    if (high < 0 || low < 0 || high * 16 + low == 0)
        return -1;
    return high * 16 + low;
}

static jot_status check_bytes(Str s, Err *e)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c < 0x20 || c == 0x7F)
            return err_set(e, JOT_INVALID, "a URL cannot hold control characters (byte %zu)", i);
        if (c == '%' && escaped_byte(s, i) < 0)
            return err_set(e, JOT_INVALID,
                           "broken escape at byte %zu of the URL: write '%%' as %%25", i);
    }
    return JOT_OK;
}

static Str decode(Arena *into, Str s)
{
    char *out = arena_alloc(into, s.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int byte = s.p[i] == '%' ? escaped_byte(s, i) : -1;
        if (byte < 0) {
            out[n++] = s.p[i];
        } else {
            out[n++] = (char)byte;
            i += 2;
        }
    }
    return (Str){ out, n };
}

static bool scheme_char(char c, bool first)
{
    bool letter = c >= 'a' && c <= 'z';
    bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    return letter || (!first && other);
}

bool url_has_scheme(Str text)
{
    Str scheme = { 0 };
    bool good = str_cut(&text, ':', &scheme) && scheme.n > 0;
    for (size_t i = 0; good && i < scheme.n; i++)
        good = scheme_char(scheme.p[i], i == 0);
    return good;
}

/* USER[:PASSWORD]@HOST[:PORT], without the slashes around it. */
static jot_status parse_authority(Str s, Arena *into, Url *out, Err *e)
{
    size_t at = str_find_last(s, '@');
    if (at < s.n) {
        Str who = str_slice(s, 0, at), user = { 0 };
        if (str_cut(&who, ':', &user))
            out->password = decode(into, who);
        else
            user = who;
        out->user = decode(into, user);
        s = str_from(s, at + 1);
    }
    Str port = { 0 };
    if (s.n && s.p[0] == '[') {
        size_t end = str_find(s, ']');
        if (end == s.n)
            return err_set(e, JOT_INVALID, "the host of the URL opens '[' without ']'");
        out->host = decode(into, str_slice(s, 1, end));
        port = str_from(s, end + 1);
        if (port.n && port.p[0] != ':')
            return err_set(e, JOT_INVALID, "after ']' the URL may only continue with ':PORT'");
        port = str_from(port, 1);
    } else {
        Str host = s;
        port = s;
        if (!str_cut(&port, ':', &host))
            port = (Str){ 0 };
        out->host = decode(into, host);
    }
    for (size_t i = 0; i < out->host.n; i++)
        if ((unsigned char)out->host.p[i] < 0x20 || out->host.p[i] == 0x7F)
            return err_set(e, JOT_INVALID, "the host of the URL cannot hold control characters");
    uint64_t number = 0;
    if (port.n && (!str_to_u64(port, 65535, &number) || number == 0))
        return err_set(e, JOT_INVALID, "the port of the URL must be a number from 1 to 65535");
    out->port = (int)number;
    return JOT_OK;
}

jot_status url_parse(Str text, Arena *into, Url *out, Err *e)
{
    if (text.n > URL_MAX)
        return err_set(e, JOT_TOO_BIG, "a URL has at most %d bytes", URL_MAX);
    TRY(check_bytes(text, e));
    Url u = { 0 };
    if (!url_has_scheme(text))
        return err_set(e, JOT_INVALID, "a URL begins with a scheme, as in 'files:.jotter'");
    Str rest = text, scheme;
    (void)str_cut(&rest, ':', &scheme);
    u.scheme = arena_copy(into, scheme);
    size_t mark = str_find(rest, '?');
    u.query = arena_copy(into, str_from(rest, mark + 1));
    rest = str_slice(rest, 0, mark);
    if (str_starts(rest, S("//"))) {
        u.authority = true;
        rest = str_from(rest, 2);
        size_t slash = str_find(rest, '/');
        TRY(parse_authority(str_slice(rest, 0, slash), into, &u, e));
        rest = str_from(rest, slash);
    }
    u.path = decode(into, rest);
    *out = u;
    return JOT_OK;
}

static bool is_port(Str text)
{
    uint64_t port;
    return str_to_u64(str_slice(text, 0, str_find(text, '/')), UINT16_MAX, &port);
}

/* The end of "scheme://user" and of what follows up to the '@'; false if there is no password. */
static bool find_password(Str text, size_t *from, size_t *to)
{
    size_t slashes = str_find(text, ':') + 1;
    if (!url_has_scheme(text) || !str_starts(str_from(text, slashes), S("//")))
        return false;
    Str rest = str_from(text, slashes + 2), place = str_slice(rest, 0, str_find(rest, '?'));
    size_t at = str_find_last(place, '@'), colon = str_find(place, ':');
    /* A password with a '/' or '?' that nobody has escaped ends the authority for url_parse; for
     * a person who looks at it, it is still a password.  A port is none. */
    if (at == place.n && !str_starts(place, S("[")) && !is_port(str_from(place, colon + 1)))
        at = str_find_last(rest, '@');
    *from = slashes + 2 + colon;
    *to = slashes + 2 + at;
    return colon < place.n && colon < at && at != place.n && at < rest.n;
}

Str url_bare(Arena *into, Str text)
{
    static const char *const secrets[] = { "password=", "sslpassword=", "secret=" };
    AUTO(Buf) out = { .max = text.n + 1 };
    size_t from, to;
    if (find_password(text, &from, &to)) {
        buf_add(&out, str_slice(text, 0, from));
        text = str_from(text, to);
    }
    size_t query = url_has_scheme(text) || out.n ? str_find(text, '?') : text.n;
    buf_add(&out, str_slice(text, 0, query));
    Str rest = str_from(text, query + 1);
    for (char sep = '?'; rest.n;) {
        Str pair = str_slice(rest, 0, str_find(rest, '&'));
        bool secret = false;
        rest = str_from(rest, pair.n + 1);
        for (size_t i = 0; i < COUNT_OF(secrets); i++)
            secret = secret || str_starts(pair, str(secrets[i]));
        if (!secret) {
            buf_add_char(&out, sep);
            buf_add(&out, pair);
            sep = '&';
        }
    }
    return arena_copy(into, buf_str(&out));
}

bool url_next_param(const Url *u, size_t *at, Arena *into, Str *key, Str *value)
{
    while (*at < u->query.n) {
        Str rest = str_from(u->query, *at);
        Str pair = str_slice(rest, 0, str_find(rest, '&'));
        *at += pair.n + 1;
        if (pair.n == 0)
            continue;
        Str name = pair;
        if (!str_cut(&pair, '=', &name))
            pair = (Str){ 0 };
        *key = decode(into, name);
        *value = decode(into, pair);
        return true;
    }
    return false;
}

bool url_param(const Url *u, Str key, Arena *into, Str *value)
{
    Str name, found;
    for (size_t at = 0; url_next_param(u, &at, into, &name, &found);) {
        if (str_eq(name, key)) {
            *value = found;
            return true;
        }
    }
    return false;
}

static bool is_one_of(char c, const char *among)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c && strchr(among, c));
}

static size_t escape(char *out, char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    unsigned char c = (unsigned char)byte;
    out[0] = '%';
    out[1] = digits[c >> 4];
    out[2] = digits[c & 15];
    return 3;
}

Str url_encode(Arena *into, Str text, bool keep_slash)
{
    char *out = arena_alloc(into, text.n * 3 + 1, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++)
        if (is_one_of(text.p[i], keep_slash ? "-._~/" : "-._~"))
            out[n++] = text.p[i];
        else
            n += escape(out + n, text.p[i]);
    return (Str){ out, n };
}

Str url_from_path(Arena *into, const char *scheme, Str path)
{
    AUTO(Buf) out = { .max = strlen(scheme) + 1 + path.n * 3 };
    char escaped[3];
    buf_addf(&out, "%s:", scheme);
    /* After two slashes a host would stand. */
    while (str_starts(path, S("//")))
        path = str_from(path, 1);
    for (size_t i = 0, width; i < path.n; i += width) {
        uint32_t c;
        width = utf8_char(path, i, &c);
        if (width > 1 || is_one_of(path.p[i], "-._~/!$&'()*+,;=:@")) {
            buf_add(&out, str_slice(path, i, i + width));
        } else {
            size_t n = escape(escaped, path.p[i]);
            buf_add(&out, (Str){ escaped, n });
            width = 1; /* also of a byte that is no text */
        }
    }
    return arena_copy(into, buf_str(&out));
}

Str url_base(const Url *u, Arena *into)
{
    bool six = str_find(u->host, ':') < u->host.n;
    Str host = six ? u->host : url_encode(into, u->host, false), path = u->path;
    while (path.n && path.p[path.n - 1] == '/')
        path.n--;
    Str port = u->port ? arena_printf(into, ":%d", u->port) : (Str){ 0 };
    return arena_printf(into, STR_FMT "://%s" STR_FMT "%s" STR_FMT STR_FMT, STR_ARG(u->scheme),
                        six ? "[" : "", STR_ARG(host), six ? "]" : "", STR_ARG(port),
                        STR_ARG(url_encode(into, path, true)));
}
