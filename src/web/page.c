/* page.c - answering with a file of the page.
 *
 * What a browser may do with the page is said with every file: run and load what comes from here,
 * ask nobody else, and be shown in no frame. */
#include "web/page.h"

static Str type_of(Str name)
{
    static const struct {
        Str ending, type;
    } types[] = {
        { S(".html"), S("text/html; charset=utf-8") },
        { S(".css"), S("text/css; charset=utf-8") },
        { S(".js"), S("text/javascript; charset=utf-8") },
        { S(".svg"), S("image/svg+xml") },
        { S(".png"), S("image/png") },
        { S(".ico"), S("image/x-icon") },
        { S(".txt"), S("text/plain; charset=utf-8") },
        { S(".webmanifest"), S("application/manifest+json") },
    };
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (str_ends(name, types[i].ending))
            return types[i].type;
    return S("application/octet-stream");
}

static void add_policy(HttpExchange *x)
{
    http_reply_header(x, "Content-Security-Policy",
                      S("default-src 'none'; script-src 'self'; style-src 'self'; "
                        "img-src 'self' blob:; connect-src 'self'; base-uri 'none'; "
                        "form-action 'none'; frame-ancestors 'none'"));
    http_reply_header(x, "Referrer-Policy", S("no-referrer"));
    http_reply_header(x, "X-Frame-Options", S("DENY"));
    http_reply_header(x, "Cross-Origin-Opener-Policy", S("same-origin"));
    http_reply_header(x, "Cross-Origin-Resource-Policy", S("same-origin"));
}

/* If-None-Match may list several, each perhaps with W/ in front. */
static bool has_it(const HttpRequest *q, Str tag)
{
    Str all = http_header(q, "if-none-match");
    for (size_t at = 0; at + tag.n <= all.n; at++)
        if (str_eq(str_slice(all, at, at + tag.n), tag))
            return true;
    return false;
}

/* "gzip;q=0" refuses it; who says nothing of it gets the plain bytes. */
static bool takes_gzip(const HttpRequest *q)
{
    Str rest = http_header(q, "accept-encoding"), one;
    while (rest.n) {
        if (!str_cut(&rest, ',', &one))
            one = rest, rest = (Str){ 0 };
        while (one.n && one.p[0] == ' ')
            one = str_from(one, 1);
        Str word = str_slice(one, 0, str_find(one, ';')), weight = str_from(one, word.n);
        while (str_ends(word, S(" ")))
            word.n--;
        if (http_same(word, S("gzip")))
            return !str_ends(weight, S("q=0")) && !str_ends(weight, S("q=0.0"));
    }
    return false;
}

static const PageFile *find(Str name)
{
    for (const PageFile *f = page_files; f->name; f++)
        if (str_eq(str(f->name), name))
            return f;
    return NULL;
}

void page_answer(HttpExchange *x, Str name)
{
    const HttpRequest *q = http_request(x);
    const PageFile *f = find(name);
    if (!f) {
        http_refuse(x, 404, "there is nothing at this path");
        return;
    }
    bool packed = takes_gzip(q);
    add_policy(x);
    http_reply_header(x, "Vary", S("Accept-Encoding"));
    http_reply_tag(x, str(f->tag));
    if (has_it(q, str(f->tag))) {
        http_reply(x, 304, (Str){ 0 }, (Str){ 0 });
        return;
    }
    if (packed)
        http_reply_header(x, "Content-Encoding", S("gzip"));
    Str plain = { f->plain, (size_t)(f->plain_end - f->plain) };
    Str gzip = { f->packed, (size_t)(f->packed_end - f->packed) };
    http_reply(x, 200, type_of(name), packed ? gzip : plain);
}
