/* scratchpad_search.c - find what was remembered by its words. */
#include "base/time.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "memory/search/search.h"
#include "tool/reply.h"

static const char *const kinds[] = { "notes", "memories", "artifacts", "runs", NULL };

static Str hit_lines(ToolCall *c, const Hit *h)
{
    AUTO(Buf) text = { 0 };
    frame_name_add(&text, doc_word(h->stream));
    buf_addf(&text, "  %s", version_of(h->sha256).text);
    if (str_starts(h->stream, S("runs/")))
        buf_addf(&text, "  record %llu", (unsigned long long)h->seq);
    buf_addf(&text, "  %s  ~%llu tokens\n", time_text(h->at_ms).text,
             (unsigned long long)h->tokens);
    reply_quote(&text, h->snippet, SEARCH_SNIPPET_MAX);
    Str s = buf_str(&text);
    return arena_copy(c->into, str_slice(s, 0, s.n - 1));
}

static jot_status run(ToolCall *c, ToolReply *out)
{
    AUTO_PTR(Search) search = NULL;
    AUTO(Lister) l = lister_begin(c);
    SearchQuery q = { .text = arg_text(c, "query"),
                      .kind = arg_text(c, "kind"),
                      .limit = (size_t)arg_number(c, "limit", SEARCH_LIMIT),
                      .offset = (size_t)arg_number(c, "offset", 0) };
    Hits hits;
    size_t n = 0;
    TRY(search_open(&search, c->m, &(SearchOptions){ 0 }, c->e));
    TRY(search_find(search, &q, c->into, &hits, c->e));
    while (n < hits.n && lister_add(&l, hit_lines(c, &hits.items[n])))
        n++;
    if (!hits.n)
        buf_add(&l.text, S("(nothing found)"));
    if (n < hits.n || hits.more)
        reply_more(c, &l.text, "offset", arena_printf(c->into, "%zu", q.offset + n));
    reply_set(c, &l.text, out);
    return JOT_OK;
}

extern const Tool tool_scratchpad_search;
const Tool tool_scratchpad_search = {
    .name = "scratchpad_search",
    .title = "Search",
    .about = "Search memory: find notes and other memories by words, best first, when you do not "
             "remember the key. \"exact words\" and prefix* work; endings do not matter.",
    .effects = TOOL_READS,
    .at_large = true,
    .params = {
        { .name = "query", .type = PARAM_TEXT },
        { "kind", PARAM_CHOICE, .choices = kinds, .optional = true },
        { "limit", PARAM_NUMBER, .optional = true, .min = 1, .max = SEARCH_LIMIT_MAX },
        { "offset", PARAM_NUMBER, .optional = true, .max = SEARCH_OFFSET_MAX },
    },
    .run = run,
};
