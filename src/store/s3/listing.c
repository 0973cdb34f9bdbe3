/* listing.c - lists of objects, and the little XML that they are written in.
 *
 * S3 writes its answers as flat XML without attributes that matter, so elements are found by
 * their tags.  Keys are taken as they are written, with their entities: the other form, escaped
 * as in a URL, is not the same on all servers. */
#include "store/s3/listing.h"

#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "store/s3/cache.h"
#include "store/s3/request.h"

/* --- XML --------------------------------------------------------------------------------- */

/* Where `what` stands first, or text.n. */
static size_t find(Str text, Str what)
{
    const char *at = what.n <= text.n ? memmem(text.p, text.n, what.p, what.n) : NULL;
    return at ? (size_t)(at - text.p) : text.n;
}

/* The next element of that name, and *xml continues after it; false: there is none. */
static bool next_element(Str *xml, Str name, Str *inside)
{
    char open[40], close[40];
    snprintf(open, sizeof open, "<" STR_FMT ">", STR_ARG(name));
    snprintf(close, sizeof close, "</" STR_FMT ">", STR_ARG(name));
    size_t start = find(*xml, str(open));
    if (start == xml->n)
        return false;
    Str rest = str_from(*xml, start + strlen(open));
    size_t end = find(rest, str(close));
    if (end == rest.n)
        return false;
    *inside = str_slice(rest, 0, end);
    *xml = str_from(rest, end + strlen(close));
    return true;
}

Str xml_text(Str xml, Str name)
{
    Str inside = { 0 };
    return next_element(&xml, name, &inside) ? inside : (Str){ 0 };
}

/* The character of an entity, without '&' and ';'; 0 for one that is not known. */
static char entity(Str name)
{
    static const struct {
        const char *name;
        char c;
    } known[] = { { "amp", '&' },   { "lt", '<' },   { "gt", '>' },   { "quot", '"' },
                  { "apos", '\'' }, { "#34", '"' },  { "#39", '\'' }, { "#38", '&' },
                  { "#60", '<' },   { "#62", '>' },  { "#x22", '"' }, { "#x27", '\'' },
                  { "#x26", '&' },  { "#x3c", '<' }, { "#x3e", '>' }, { "#x3C", '<' },
                  { "#x3E", '>' } };
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_eq(name, str(known[i].name)))
            return known[i].c;
    return 0;
}

/* A text with its entities replaced. */
static Str decode(Arena *into, Str text)
{
    char *out = arena_alloc(into, text.n + 1, 1);
    size_t n = 0;
    while (text.n) {
        size_t end = text.p[0] == '&' ? str_find(text, ';') : text.n;
        char c = '\0';
        if (end < text.n)
            c = entity(str_slice(text, 1, end));
        out[n] = text.p[0];
        if (c)
            out[n] = c;
        n++;
        text = str_from(text, c ? end + 1 : 1);
    }
    return (Str){ out, n };
}

/* --- Lists ------------------------------------------------------------------------------- */

void s3_list_done(S3List *l)
{
    arena_free(&l->arena);
}

static jot_status read_item(S3 *p, Str xml, Arena *into, S3Listed *out, Err *e)
{
    Str key = decode(into, xml_text(xml, S("Key")));
    Str when = xml_text(xml, S("LastModified"));
    Str etag = decode(into, xml_text(xml, S("ETag")));
    if (!str_starts(key, p->prefix) || !time_parse_any(when, &out->at_ms) ||
        !str_to_u64(xml_text(xml, S("Size")), INT64_MAX, &out->size))
        return s3_say(p, e, JOT_IO, "the list of objects cannot be understood");
    out->key = str_from(key, p->prefix.n);
    out->etag = etag;
    s3_cache_vouch(p, out->key, etag);
    return JOT_OK;
}

static jot_status read_list(S3 *p, Str xml, const S3Where *w, S3List *out, Err *e)
{
    Str rest = xml, inside;
    if (find(xml, S("<ListBucketResult")) == xml.n)
        return s3_say(p, e, JOT_UNAVAILABLE, "what answers is not S3: check the endpoint");
    out->items = NEW_ARRAY(&out->arena, S3Listed, w->max);
    out->more = str_eq(xml_text(xml, S("IsTruncated")), S("true"));
    while (out->n < w->max && next_element(&rest, S("Contents"), &inside))
        TRY(read_item(p, inside, &out->arena, &out->items[out->n++], e));
    rest = xml;
    while (w->folders && out->n < w->max && next_element(&rest, S("CommonPrefixes"), &inside)) {
        Str key = decode(&out->arena, xml_text(inside, S("Prefix")));
        out->items[out->n++].key = str_from(key, p->prefix.n);
    }
    return JOT_OK;
}

jot_status s3_list(S3 *p, const S3Where *w, S3List *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO(S3Answer) a = { 0 };
    S3Call c = { .method = "GET" };
    c.query[c.query_n++] = (S3Pair){ S("list-type"), S("2") };
    c.query[c.query_n++] = (S3Pair){ S("max-keys"), arena_printf(&arena, "%zu", w->max) };
    c.query[c.query_n++] =
        (S3Pair){ S("prefix"),
                  arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(p->prefix), STR_ARG(w->prefix)) };
    if (w->after.n)
        c.query[c.query_n++] =
            (S3Pair){ S("start-after"), arena_printf(&arena, STR_FMT STR_FMT, STR_ARG(p->prefix),
                                                     STR_ARG(w->after)) };
    if (w->folders)
        c.query[c.query_n++] = (S3Pair){ S("delimiter"), S("/") };
    TRY(s3_ask(p, &c, &a, e));
    arena_free(&out->arena);
    *out = (S3List){ 0 };
    if (a.status / 100 != 2)
        return s3_refused(p, &a, e);
    return read_list(p, buf_str(&a.body), w, out, e);
}
