/* search.c - finding things, of jotter.h.
 *
 * The handle is made at the first search and stays with the pad: the index is
 * opened once, and every search brings it up to date. */
#include "memory/search/search.h"

#include "api/api.h"
#include "memory/doc/doc.h"

static jot_status open_search(jot_pad *p)
{
    SearchOptions o = { .language = p->language };
    return p->search ? JOT_OK : search_open(&p->search, &p->m, &o, api_err(p));
}

static jot_status find(jot_pad *p, const char *query, const jot_search_options *options,
                       bool explain, Hits *out)
{
    jot_search_options o;
    SearchQuery q = { .explain = explain };
    TRY(api_name(p, "a query", query, &q.text));
    TRY(api_options(p, options, &o, sizeof o));
    if (o.limit > SEARCH_LIMIT_MAX)
        return err_set(api_err(p), JOT_INVALID, "a limit of %zu: use 1 to %d", o.limit,
                       SEARCH_LIMIT_MAX);
    q.kind = str(o.kind);
    q.prefix = str(o.prefix);
    q.by = str(o.by);
    q.since_ms = o.since_ms;
    q.until_ms = o.until_ms;
    q.limit = o.limit;
    q.offset = o.offset;
    TRY(open_search(p));
    return search_find(p->search, &q, api_arena(p), out, api_err(p));
}

jot_status jot_search(jot_pad *pad, const char *query, const jot_search_options *options,
                      const jot_hits **out)
{
    Hits hits;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(find(pad, query, options, false, &hits));
    jot_hit **items = NEW_RESULTS(pad, jot_hit, hits.n);
    for (size_t i = 0; i < hits.n; i++) {
        const Hit *h = &hits.items[i];
        *items[i] = (jot_hit){ .name = api_give_name(pad, doc_word(h->stream)),
                               .seq = h->seq,
                               .at_ms = h->at_ms,
                               .by = api_give_name(pad, h->by),
                               .version = api_give_short(pad, h->sha256),
                               .bytes = h->size,
                               .tokens = h->tokens,
                               .snippet = api_give_name(pad, h->snippet),
                               .score = h->score };
    }
    jot_hits *list = NEW_RESULT(pad, jot_hits);
    *list =
        (jot_hits){ .items = (const jot_hit *const *)items, .count = hits.n, .more = hits.more };
    GIVE(out, list);
    return JOT_OK;
}

jot_status jot_search_json(jot_pad *pad, const char *query, const jot_search_options *options,
                           const char **out)
{
    Hits hits;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(find(pad, query, options, true, &hits));
    GIVE(out, api_give_json(pad, search_json(&hits, true)));
    return JOT_OK;
}

jot_status jot_search_rebuild(jot_pad *pad)
{
    API_BEGIN(pad);
    TRY(open_search(pad));
    return search_rebuild(pad->search, api_err(pad));
}
