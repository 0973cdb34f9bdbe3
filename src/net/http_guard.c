/* http_guard.c - Host, Origin, token, in this order, and the token's file. */
#include "net/http_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"

/* --- Host -------------------------------------------------------------------------------- */

/* A host with or without a port; an IPv6 address stands in brackets.  False if it is none. */
static bool split_host(Str text, Str *name, Str *port)
{
    size_t end = text.n && text.p[0] == '[' ? str_find(text, ']') + 1 : str_find(text, ':');
    uint64_t number;
    *name = str_slice(text, 0, end);
    *port = str_from(text, end + 1);
    if (name->n == 0 || end > text.n)
        return false;
    if (end == text.n)
        return true;
    return text.p[end] == ':' && str_to_u64(*port, UINT16_MAX, &number);
}

static bool is_loopback_name(Str name)
{
    return http_same(name, S("localhost")) || str_eq(name, S("127.0.0.1")) ||
           str_eq(name, S("[::1]"));
}

static bool host_allowed(const HttpGuard *g, Str host)
{
    Str name, port;
    if (!split_host(host, &name, &port))
        return false;
    for (size_t i = 0; i < g->hosts_n; i++)
        if (http_same(name, g->hosts[i]))
            return true;
    return is_loopback_name(name) || (g->own.n && http_same(name, g->own));
}

/* --- Origin ------------------------------------------------------------------------------ */

/* Ours is what a page we served ourselves has: the address it asked, or another of our names at our
 * port. */
static bool origin_is_own(const HttpGuard *g, Str origin, Str host)
{
    Str rest, name, port;
    uint64_t number = 0;
    if (str_starts(origin, S("http://")))
        rest = str_from(origin, 7);
    else if (str_starts(origin, S("https://")))
        rest = str_from(origin, 8);
    else
        return false;
    if (str_eq(rest, host))
        return true;
    return split_host(rest, &name, &port) && str_to_u64(port, UINT16_MAX, &number) &&
           number == g->port && host_allowed(g, rest);
}

bool http_guard_cross_origin(const HttpGuard *g, const HttpRequest *r)
{
    Str origin = http_header(r, "origin");
    for (size_t i = 0; i < g->origins_n; i++)
        if (str_eq(origin, g->origins[i]))
            return http_header_count(r, "origin") == 1;
    return false;
}

static bool origin_allowed(const HttpGuard *g, const HttpRequest *r)
{
    size_t n = http_header_count(r, "origin");
    return n == 0 || http_guard_cross_origin(g, r) ||
           (n == 1 && origin_is_own(g, http_header(r, "origin"), http_header(r, "host")));
}

/* --- Token ------------------------------------------------------------------------------- */

/* Digests are compared, and all of them, so that the time reveals nothing. */
static bool token_right(const Hash *token, const HttpRequest *r)
{
    Str given = http_header(r, "authorization"), scheme;
    if (http_header_count(r, "authorization") != 1 || !str_cut(&given, ' ', &scheme) ||
        !http_same(scheme, S("bearer")))
        return false;
    Hash h = hash_of(given);
    volatile uint8_t differs = 0;
    for (size_t i = 0; i < sizeof h.b; i++)
        differs |= h.b[i] ^ token->b[i];
    return differs == 0;
}

int http_guard_check(const HttpGuard *g, const HttpRequest *r, const Hash *token, const char **why)
{
    if (http_header_count(r, "host") != 1) {
        *why = "send exactly one Host header";
        return 400;
    }
    /* A proxy that acts on the one and a server that acts on the other must not differ. */
    if (r->authority.n && !http_same(r->authority, http_header(r, "host"))) {
        *why = "the request's address and its Host differ";
        return 400;
    }
    if (!host_allowed(g, http_header(r, "host"))) {
        *why = "this Host is not served: use a loopback name, or allow the host";
        return 421;
    }
    if (!origin_allowed(g, r)) {
        *why = "this Origin is not allowed: allow it, or send none";
        return 403;
    }
    if (token && !token_right(token, r)) {
        *why = "a token is needed: Authorization: Bearer TOKEN";
        return 401;
    }
    return 0;
}

/* --- The token's file -------------------------------------------------------------------- */

static jot_status check_mode(const Io *io, int fd, const char *path, Err *e)
{
    struct stat st;
    int failed = io_fstat(io, fd, &st);
    if (failed < 0)
        return err_errno(e, -failed, "could not check the token file '%s'", path);
    if (!S_ISREG(st.st_mode))
        return err_set(e, JOT_INVALID, "the token file '%s' is not a regular file", path);
    if (st.st_uid != geteuid())
        return err_set(e, JOT_DENIED, "the token file '%s' belongs to somebody else", path);
    if (st.st_mode & 077)
        return err_set(e, JOT_DENIED,
                       "others can read the token file '%s' (mode %04o): change its mode to 0600, "
                       "and replace the token if anybody did",
                       path, (unsigned)(st.st_mode & 07777));
    return JOT_OK;
}

static bool is_token_text(Str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] <= ' ' || text.p[i] > '~')
            return false;
    return text.n >= HTTP_TOKEN_MIN && text.n <= HTTP_TOKEN_MAX;
}

/* Written under another name first, so that nobody reads half of it; a process that comes second
 * keeps what the first one made. */
static jot_status make_token_file(const Io *io, const char *path, bool *made, Err *e)
{
    AUTO(Buf) text = { 0 };
    AUTO(Buf) fresh = { 0 };
    uint8_t random[32];
    uint64_t tail;
    io_random(io, random, sizeof random);
    io_random(io, &tail, sizeof tail);
    for (size_t i = 0; i < sizeof random; i++)
        buf_addf(&text, "%02x", random[i]);
    buf_add_char(&text, '\n');
    buf_addf(&fresh, "%s.%016llx%c", path, (unsigned long long)tail, 0);
    /* The directories a token's file lies in, for their owner alone; opening the file shows
     * whether they are there. */
    AUTO(Buf) part = { 0 };
    for (const char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        buf_clear(&part);
        buf_addf(&part, "%.*s%c", (int)(slash - path), path, 0);
        (void)mkdir(part.p, 0700);
    }
    AUTO(Fd) fd = open(fresh.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_errno(e, errno, "could not make the token file '%s'", path);
    int failed = io_write_all(io, fd, buf_str(&text));
    failed = failed < 0 ? failed : io_fsync(io, fd);
    *made = failed >= 0 && link(fresh.p, path) == 0;
    int linked = *made || failed < 0 ? 0 : errno;
    unlink(fresh.p);
    if (failed < 0)
        return err_errno(e, -failed, "could not write the token file '%s'", path);
    if (linked && linked != EEXIST)
        return err_errno(e, linked, "could not make the token file '%s'", path);
    return JOT_OK;
}

jot_status http_token_read(const Io *io, const char *path, Arena *into, Str *out, bool *made,
                           Err *e)
{
    *made = false;
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        TRY(make_token_file(io, path, made, e));
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    if (fd < 0)
        return err_errno(e, errno, "could not open the token file '%s'", path);
    char bytes[HTTP_TOKEN_MAX + 2];
    TRY(check_mode(io, fd, path, e));
    ssize_t n = io_read_all(io, fd, bytes, sizeof bytes, 0);
    if (n < 0)
        return err_errno(e, (int)-n, "could not read the token file '%s'", path);
    Str text = { bytes, (size_t)n };
    if (str_ends(text, S("\n")))
        text.n--;
    if (!is_token_text(text))
        return err_set(
            e, JOT_INVALID,
            "the token file '%s' has no valid token: use %d to %d visible ASCII characters", path,
            HTTP_TOKEN_MIN, HTTP_TOKEN_MAX);
    *out = arena_copy(into, text);
    return JOT_OK;
}

jot_status http_guard_token(HttpGuard *g, const Io *io, const char *path, bool *made, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Str text;
    TRY(http_token_read(io, path, &arena, &text, made, e));
    g->token = hash_of(text);
    g->locked = true;
    return JOT_OK;
}

/* --- Names ------------------------------------------------------------------------------- */

typedef bool IsName(Str text);

static bool is_host_name(Str text)
{
    Str name, port;
    return split_host(text, &name, &port) && port.n == 0 && str_find(text, '/') == text.n &&
           str_find(text, '*') == text.n;
}

static bool is_origin(Str text)
{
    size_t colon = str_find(text, ':');
    Str rest = str_from(text, colon);
    return colon > 0 && str_starts(rest, S("://")) && rest.n > 3 &&
           str_find(str_from(rest, 3), '/') == rest.n - 3 && str_find(text, '*') == text.n;
}

static jot_status add_names(Str *to, size_t *n, Str names, IsName *fits, const char *what, Err *e)
{
    while (names.n) {
        Shown shown;
        Str one = names;
        if (!str_cut(&names, ',', &one))
            names = (Str){ 0 };
        if (!fits(one))
            return err_set(e, JOT_INVALID, "invalid %s '%s'", what, err_show(&shown, one));
        if (*n == HTTP_NAMES_MAX)
            return err_set(e, JOT_TOO_BIG, "at most %d can be allowed", HTTP_NAMES_MAX);
        to[(*n)++] = one;
    }
    return JOT_OK;
}

jot_status http_guard_hosts(HttpGuard *g, Str names, Err *e)
{
    return add_names(g->hosts, &g->hosts_n, names, is_host_name,
                     "host, use a name without a port:", e);
}

jot_status http_guard_origins(HttpGuard *g, Str names, Err *e)
{
    return add_names(g->origins, &g->origins_n, names, is_origin,
                     "origin, use one like https://example.org:", e);
}
