/* scratchpad_search.c - find what was remembered by its words. */
#include "base/time.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "memory/search/evidence.h"
#include "tool/reply.h"
#include "tool/template.h"

static const char *const kinds[] = { "notes", "memories", "artifacts", "runs", NULL };

static Str hit_lines(ToolCall *c, const Hit *h)
{
    AUTO(Buf) text = { 0 };
    frame_name_add(&text, doc_word(h->stream));
    buf_addf(&text, "  %s", version_listed(h->seq, h->sha256).text);
    if (str_starts(h->stream, S("runs/")))
        buf_addf(&text, "  record %llu", (unsigned long long)h->seq);
    buf_addf(&text, "  %s  ~%s\n", time_text(h->at_ms).text, counted(h->tokens, "token").text);
    reply_quote(&text, h->snippet, SEARCH_SNIPPET_MAX);
    Str s = buf_str(&text);
    return arena_copy(c->into, str_slice(s, 0, s.n - 1));
}

static void add_notice(Buf *to, Str notice)
{
    if (notice.n)
        buf_addf(to, "%s(" STR_FMT ")", to->n && to->p[to->n - 1] != '\n' ? "\n" : "",
                 STR_ARG(notice));
}

static jot_status give_evidence(ToolCall *c, Search *s, const SearchQuery *q, ToolReply *out)
{
    AUTO(Buf) text = { 0 };
    Evidence found;
    uint64_t budget = (uint64_t)arg_number(c, "budget", 0);
    budget = budget < c->budget ? budget : c->budget;
    budget = budget < EVIDENCE_BUDGET_MIN ? EVIDENCE_BUDGET_MIN : budget;
    TRY(evidence_find(s, q, budget, c->into, &found, c->e));
    evidence_add(&text, &found);
    if (found.n + found.left_n == 0)
        buf_add(&text, S("(nothing found)"));
    add_notice(&text, found.notice);
    reply_set(c, &text, out);
    return JOT_OK;
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    Search *search;
    AUTO(Lister) l = lister_begin(c);
    bool evidence = arg_number(c, "budget", 0) > 0;
    SearchQuery q = { .text = arg_text(c, "query"),
                      .kind = arg_text(c, "kind"),
                      .limit = (size_t)arg_number(c, "limit", evidence ? 0 : SEARCH_LIMIT),
                      .offset = (size_t)arg_number(c, "offset", 0) };
    Hits hits;
    size_t n = 0;
    TRY(search_of(c->m, &search, c->e));
    if (evidence)
        return give_evidence(c, search, &q, out);
    TRY(search_find(search, &q, c->into, &hits, c->e));
    while (n < hits.n && lister_add(&l, hit_lines(c, &hits.items[n])))
        n++;
    if (!hits.n)
        buf_add(&l.text, S("(nothing found)"));
    if (n < hits.n || hits.more)
        reply_more(c, &l.text, "offset", arena_printf(c->into, "%zu", q.offset + n));
    add_notice(&l.text, hits.notice);
    reply_set(c, &l.text, out);
    return JOT_OK;
}

extern const Tool tool_scratchpad_search;
const Tool tool_scratchpad_search = {
    .name = "scratchpad_search",
    .title = "Search",
    .about = "Search memory: find notes and other memories by words, best first, when you do not "
             "remember the key. \"exact words\" and prefix* work; endings do not matter. budget: "
             "the passages that answer, within this many tokens, instead of a list.",
    .effects = TOOL_READS,
    .at_large = true,
    .params = PARAMS({ .name = "query", .type = PARAM_TEXT },
                     { "kind", PARAM_CHOICE, .choices = kinds, .optional = true },
                     { "budget", PARAM_NUMBER, .about = "tokens", .optional = true,
                       .min = EVIDENCE_BUDGET_MIN, .max = EVIDENCE_BUDGET_MAX },
                     { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = SEARCH_LIMIT_MAX },
                     { "offset", PARAM_NUMBER, .optional = true, .max = SEARCH_OFFSET_MAX }),
    .run = run,
};
