/* search.c - finding things, of jotter.h.
 *
 * The handle is made at the first search and stays with the pad: the index is
 * opened once, and every search brings it up to date. */
#include "memory/search/evidence.h"

#include "api/api.h"
#include "memory/doc/doc.h"

static jot_status open_search(jot_pad *p)
{
    SearchOptions o = { .language = p->language };
    return p->search ? JOT_OK : search_open(&p->search, &p->m, &o, api_err(p));
}

/* Check a question, and be ready for it. */
static jot_status read_query(jot_pad *p, const char *query, const jot_search_options *options,
                             SearchQuery *out)
{
    jot_search_options o;
    SearchQuery q = { 0 };
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
    *out = q;
    return open_search(p);
}

static jot_status find(jot_pad *p, const char *query, const jot_search_options *options,
                       bool explain, Hits *out)
{
    SearchQuery q;
    TRY(read_query(p, query, options, &q));
    q.explain = explain;
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

static void give_passage(jot_pad *pad, const Passage *p, jot_passage *const *to)
{
    for (size_t i = 0; i < p->n; i++) {
        const EvidencePart *x = &p->parts[i];
        *to[i] = (jot_passage){ .name = api_give_name(pad, doc_word(p->stream)),
                                .seq = x->seq,
                                .at_ms = x->at_ms,
                                .by = api_give_name(pad, x->by),
                                .version = api_give_short(pad, x->sha256),
                                .from_line = x->from,
                                .to_line = x->to,
                                .lines = x->lines,
                                .text = api_give_text(pad, x->text),
                                .score = p->score,
                                .found = x->found,
                                .cut = x->cut,
                                .joins = i > 0 };
    }
}

static const jot_evidence *give_evidence(jot_pad *pad, const Evidence *v)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    size_t n = 0;
    evidence_add(&text, v);
    for (size_t i = 0; i < v->n; i++)
        n += v->items[i].n;
    jot_passage **items = NEW_RESULTS(pad, jot_passage, n);
    for (size_t i = 0, at = 0; i < v->n; at += v->items[i++].n)
        give_passage(pad, &v->items[i], items + at);
    jot_evidence *all = NEW_RESULT(pad, jot_evidence);
    *all = (jot_evidence){ .items = (const jot_passage *const *)items,
                           .count = n,
                           .text = api_give_text(pad, buf_str(&text)),
                           .tokens = v->tokens,
                           .budget = v->budget,
                           .same = v->same,
                           .left = v->left_n,
                           .more = v->more };
    return all;
}

jot_status jot_search_evidence(jot_pad *pad, const char *query, uint64_t budget,
                               const jot_search_options *options, const jot_evidence **out)
{
    SearchQuery q;
    Evidence v;
    GIVE(out, NULL);
    API_BEGIN(pad);
    TRY(read_query(pad, query, options, &q));
    TRY(evidence_find(pad->search, &q, budget, api_arena(pad), &v, api_err(pad)));
    GIVE(out, give_evidence(pad, &v));
    return JOT_OK;
}

jot_status jot_search_rebuild(jot_pad *pad)
{
    API_BEGIN(pad);
    TRY(open_search(pad));
    return search_rebuild(pad->search, api_err(pad));
}
