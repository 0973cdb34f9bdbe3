/* evidence.c - choosing the lines that answer, within a budget.
 *
 * Hits are taken from the best on, as long as they are not far worse than that.  Each becomes a
 * passage of at most a quarter of the budget, or extends the passage of its run that it touches; if
 * that does not fit, the records beside it go first, then it is made shorter, then it is left out
 * and a later, shorter one may still fit.  What is counted is the text as it will stand there. */
#include "memory/search/evidence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/utf8.h"
#include "memory/doc/doc.h"
#include "memory/frame/frame.h"
#include "memory/frame/tokens.h"
#include "memory/search/index.h"

enum {
    PASSAGE_TOKENS = 400, /* of a passage at most, ... */
    PASSAGE_SHARE = 4,    /* ... and of the budget one part in so many */
    PASSAGE_LEAST = 32,   /* less is no evidence */
    NEIGHBOUR_TOKENS = 60,
    LINES_AROUND = 3, /* on either side of the one with the words */
    WINDOWS_MAX = 3,  /* of one record */
    LAST_LINE = 40,   /* tokens kept free for it */
    LEFT_NAMED = 3,
};

/* A hit with less than this of the best one's score says something else. */
static const double score_least = 0.3;

typedef struct Build {
    Search *search;
    Query query;
    bool strict; /* a hit without the words is none */
    Arena *into;
    Evidence *out;
    uint64_t room;   /* tokens not used yet */
    uint64_t *shown; /* hashes of lines that were found and shown */
    size_t shown_n, shown_cap;
} Build;

/* --- Lines of a text --------------------------------------------------------------------- */

typedef struct Span {
    size_t from, to; /* bytes; `to` is before the line break */
    bool cut;
} Span;

static size_t line_begin(Str text, size_t at)
{
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(Str text, size_t at)
{
    return at + str_find(str_from(text, at), '\n');
}

static size_t line_number(Str text, size_t at)
{
    size_t n = 1;
    for (const char *p = text.p, *end = text.p + at; (p = memchr(p, '\n', (size_t)(end - p))); p++)
        n++;
    return n;
}

static bool fits(Str text, Span s, size_t tokens)
{
    return tokens_fit(str_slice(text, s.from, s.to), tokens);
}

/* The lines around a place, as many as fit. */
static Span lines_around(Str text, size_t at, size_t tokens)
{
    Span s = { line_begin(text, at), line_end(text, at), false };
    if (!fits(text, s, tokens)) {
        Str rest = str_slice(text, search_begin_before(text, at), s.to);
        if (rest.p < text.p + s.from)
            rest = str_slice(text, s.from, s.to);
        s.from = (size_t)(rest.p - text.p);
        s.to = s.from + tokens_cut(rest, tokens);
        s.cut = true;
        return s;
    }
    bool below = true, above = true;
    for (int i = 0; i < LINES_AROUND; i++) {
        Span more = s;
        more.to = s.to < text.n ? line_end(text, s.to + 1) : s.to;
        below = below && fits(text, more, tokens);
        s = below ? more : s;
        more = s;
        more.from = s.from ? line_begin(text, s.from - 1) : 0;
        above = above && fits(text, more, tokens);
        s = above ? more : s;
    }
    return s;
}

typedef struct Spans {
    Span items[WINDOWS_MAX];
    size_t n;
} Spans;

/* Put it where it belongs; those that touch become one. */
static void add_span(Spans *s, Span x)
{
    size_t at = 0;
    while (at < s->n && s->items[at].from < x.from)
        at++;
    if (at < s->n && x.to + 1 >= s->items[at].from) {
        s->items[at].from = x.from;
        return;
    }
    if (at && s->items[at - 1].to + 1 >= x.from) {
        s->items[at - 1].to = x.to > s->items[at - 1].to ? x.to : s->items[at - 1].to;
        return;
    }
    memmove(s->items + at + 1, s->items + at, (s->n - at) * sizeof *s->items);
    s->items[at] = x;
    s->n++;
}

/* Of the words that no span has yet, where the first stands; text.n: there is none. */
static size_t next_place(const Query *q, const Matches *m, const Spans *s, Str text)
{
    bool seen[QUERY_TERMS_MAX] = { false };
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < s->n; k++)
            if (m->items[i].from >= s->items[k].from && m->items[i].to <= s->items[k].to)
                seen[m->items[i].term] = true;
    for (size_t i = 0; i < m->n; i++)
        if (!seen[m->items[i].term] && !q->terms[m->items[i].term].bonus)
            return m->items[i].from;
    return text.n;
}

static Spans choose_lines(const Query *q, const Matches *m, Str text, size_t tokens)
{
    Spans s = { 0 };
    Span whole = { 0, str_ends(text, S("\n")) ? text.n - 1 : text.n, false };
    if (tokens_fit(text, tokens)) {
        s.items[s.n++] = whole;
        return s;
    }
    size_t at = m->n ? m->items[search_best_match(q, m)].from : 0;
    /* Two thirds for the best place; what it does not need is for the others. */
    size_t share = m->n ? tokens - tokens / 3 : tokens;
    while (at < text.n && s.n < WINDOWS_MAX && tokens >= PASSAGE_LEAST / 2) {
        size_t before = s.n;
        Span x = lines_around(text, at, share < tokens ? share : tokens);
        size_t used = tokens_estimate(str_slice(text, x.from, x.to));
        add_span(&s, x);
        if (s.items[0].cut || x.cut || (s.n == before && before == WINDOWS_MAX))
            break;
        tokens = used < tokens ? tokens - used : 0;
        share = tokens;
        at = next_place(q, m, &s, text);
    }
    return s;
}

/* --- Parts --------------------------------------------------------------------------------- */

typedef struct Row {
    Record record;
    Str text;
    bool lined; /* the text is the body, so its lines have numbers */
} Row;

/* False: there is nothing to show of it. */
static bool read_row(Build *b, Str stream, uint64_t seq, Arena *into, Row *out, Str *label)
{
    if (search_read_row(b->search->index.m, stream, seq, into, &out->record, label) != JOT_OK)
        return false;
    out->text = index_text(stream, out->record.body, into);
    out->lined = out->text.p == out->record.body.p;
    return out->text.n && utf8_valid(out->text);
}

static EvidencePart part_of(Build *b, const Row *r, Span s, bool found)
{
    assert(s.from <= s.to && s.to <= r->text.n);
    EvidencePart p = { .seq = r->record.mark.seq,
                       .at_ms = r->record.mark.at_ms,
                       .by = arena_copy(b->into, r->record.by),
                       .sha256 = r->record.mark.sha256,
                       .text = arena_copy(b->into, str_slice(r->text, s.from, s.to)),
                       .found = found,
                       .cut = s.cut };
    if (r->lined) {
        p.from = line_number(r->text, s.from);
        p.to = line_number(r->text, s.to);
        p.lines = str_count_lines(r->text);
    }
    return p;
}

static void add_part(Passage *p, const EvidencePart *x)
{
    size_t at = 0;
    while (at < p->n && (p->parts[at].seq < x->seq ||
                         (p->parts[at].seq == x->seq && p->parts[at].from < x->from)))
        at++;
    memmove(p->parts + at + 1, p->parts + at, (p->n - at) * sizeof *p->parts);
    p->parts[at] = *x;
    p->n++;
}

static void drop_record(Passage *p, uint64_t seq)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->parts[i].seq != seq)
            p->parts[n++] = p->parts[i];
    p->n = n;
}

static bool has_record(const Passage *p, uint64_t seq, bool found)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->parts[i].seq == seq && (p->parts[i].found || !found))
            return true;
    return false;
}

/* The record beside the one that was found, or its beginning. */
static void add_neighbour(Build *b, Passage *p, uint64_t seq)
{
    AUTO(Arena) arena = { 0 };
    Row r;
    Str label;
    if (seq == 0 || has_record(p, seq, false) || !read_row(b, p->stream, seq, &arena, &r, &label))
        return;
    Span s = { 0, tokens_cut(r.text, NEIGHBOUR_TOKENS), false };
    s.cut = s.to < r.text.n;
    if (s.to && r.text.p[s.to - 1] == '\n')
        s.to--;
    EvidencePart part = part_of(b, &r, s, false);
    add_part(p, &part);
}

/* False: the pad does not have it any more, or not these words. */
static bool add_found(Build *b, Passage *p, uint64_t seq, size_t tokens)
{
    AUTO(Arena) arena = { 0 };
    Row r;
    Str label;
    if (!read_row(b, p->stream, seq, &arena, &r, &label))
        return false;
    Stemmer *stemmer = b->search->index.stemmer;
    Matches m = query_match(&b->query, stemmer, r.text, &arena);
    Str name = str_from(p->stream, str_find(p->stream, '/') + 1);
    if (b->strict && m.n == 0 && query_match(&b->query, stemmer, name, &arena).n == 0 &&
        query_match(&b->query, stemmer, label, &arena).n == 0)
        return false;
    Spans s = choose_lines(&b->query, &m, r.text, tokens);
    drop_record(p, r.record.mark.seq);
    for (size_t i = 0; i < s.n; i++) {
        EvidencePart part = part_of(b, &r, s.items[i], true);
        add_part(p, &part);
    }
    return s.n > 0;
}

/* --- The same again ------------------------------------------------------------------------ */

/* A line without regard to the space in it; 0 if there is nothing else. */
static uint64_t line_print(Str line)
{
    uint64_t h = 0;
    for (size_t i = 0; i < line.n; i++)
        if (!str_is_space(line.p[i]))
            h = (h ^ (unsigned char)line.p[i]) * UINT64_C(0x100000001B3) + 1;
    return h;
}

static bool was_shown(const Build *b, uint64_t print)
{
    for (size_t i = 0; i < b->shown_n; i++)
        if (b->shown[i] == print)
            return true;
    return false;
}

/* Go through the lines that were found; returns how many of them were not shown before. */
static size_t new_lines(Build *b, const Passage *p, bool remember)
{
    size_t fresh = 0;
    for (size_t i = 0; i < p->n; i++) {
        Str rest = p->parts[i].text, line;
        for (bool more = p->parts[i].found; more;) {
            more = str_cut(&rest, '\n', &line);
            uint64_t print = line_print(more ? line : rest);
            if (print == 0 || was_shown(b, print))
                continue;
            fresh++;
            if (!remember)
                continue;
            b->shown = arena_grow(b->into, b->shown, b->shown_n, &b->shown_cap, sizeof *b->shown,
                                  alignof(uint64_t));
            b->shown[b->shown_n++] = print;
        }
    }
    return fresh;
}

/* --- As text --------------------------------------------------------------------------------- */

static void add_quote(Buf *to, const EvidencePart *p)
{
    for (size_t at = 0, next; at < p->text.n; at = next) {
        size_t end = frame_line_end(p->text, at, &next);
        if (end < p->text.n && p->text.p[end] == '\r' && next < p->text.n &&
            p->text.p[next] == '\n')
            next++; /* one break, not two */
        buf_add(to, S("| "));
        buf_add(to, str_slice(p->text, at, end));
        buf_add(to, p->cut && next >= p->text.n ? S(" ...\n") : S("\n"));
    }
}

static void add_lines(Buf *to, const EvidencePart *p)
{
    if (p->lines == 0 || (p->from == 1 && p->to == p->lines))
        return;
    if (p->from == p->to)
        buf_addf(to, "  line %zu of %zu", p->from, p->lines);
    else
        buf_addf(to, "  lines %zu-%zu of %zu", p->from, p->to, p->lines);
}

static void add_passage(Buf *to, const Passage *p)
{
    bool log = str_starts(p->stream, S("runs/"));
    for (size_t i = 0; i < p->n; i++) {
        const EvidencePart *x = &p->parts[i];
        if (i == 0)
            frame_name_add(to, doc_word(p->stream));
        if (log)
            buf_addf(to, "  record %llu", (unsigned long long)x->seq);
        else if (i == 0)
            buf_addf(to, "  version %s", version_listed(x->seq, x->sha256).text);
        add_lines(to, x);
        if (log || i == 0) {
            buf_addf(to, "  %s  ", time_text(x->at_ms).text);
            frame_name_add(to, x->by);
        }
        buf_add_char(to, '\n');
        add_quote(to, x);
    }
}

/* What was left out, with the names of the first few. */
static void add_last_line(Buf *to, const Evidence *v, size_t named)
{
    if (v->left_n == 0 && v->same == 0)
        return;
    buf_add_char(to, '(');
    if (v->left_n)
        buf_addf(to, "no room for %zu more%s", v->left_n, named ? ":" : "");
    for (size_t i = 0; i < named && i < v->left_n; i++) {
        buf_add(to, i ? S(", ") : S(" "));
        frame_name_add(to, doc_word(v->left[i].stream));
    }
    if (v->same)
        buf_addf(to, "%s%llu more say%s the same", v->left_n ? "; " : "",
                 (unsigned long long)v->same, v->same == 1 ? "s" : "");
    buf_add(to, S(")\n"));
}

void evidence_add(Buf *to, const Evidence *v)
{
    for (size_t i = 0; i < v->n; i++)
        add_passage(to, &v->items[i]);
    size_t from = to->n;
    for (size_t named = LEFT_NAMED + 1; named-- > 0;) {
        to->n = from;
        add_last_line(to, v, named);
        if (named == 0 || tokens_fit(str_from(buf_str(to), from), LAST_LINE))
            return;
    }
}

static uint64_t passage_cost(const Passage *p)
{
    AUTO(Buf) text = { .max = SIZE_MAX / 2 };
    add_passage(&text, p);
    return tokens_estimate(buf_str(&text));
}

/* --- Choosing ------------------------------------------------------------------------------- */

/* A copy with room for what one hit can add. */
static Passage copy_passage(Build *b, const Passage *p)
{
    Passage fresh = *p;
    fresh.parts = NEW_ARRAY(b->into, EvidencePart, p->n + WINDOWS_MAX + 2);
    if (p->n)
        memcpy(fresh.parts, p->parts, p->n * sizeof *p->parts);
    return fresh;
}

/* The passage of this run that a record is in, or beside; NULL: none. */
static Passage *near_passage(const Evidence *v, const Hit *h)
{
    for (size_t i = 0; i < v->n; i++) {
        Passage *p = &v->items[i];
        if (!str_eq(p->stream, h->stream))
            continue;
        if (!str_starts(h->stream, S("runs/")))
            return p;
        if (h->seq + 1 >= p->parts[0].seq && h->seq <= p->parts[p->n - 1].seq + 1)
            return p;
    }
    return NULL;
}

typedef enum Outcome { TAKEN, SAME, GONE, NO_ROOM } Outcome;

/* Try to show a hit in so many tokens, `old` being the passage it extends, or an empty one. */
static Outcome try_hit(Build *b, const Hit *h, Passage *old, size_t tokens, bool neighbours)
{
    Passage p = copy_passage(b, old);
    bool log = str_starts(h->stream, S("runs/"));
    if (!add_found(b, &p, h->seq, tokens))
        return GONE;
    if (new_lines(b, &p, false) == 0)
        return SAME;
    if (log && neighbours) {
        add_neighbour(b, &p, h->seq - 1);
        add_neighbour(b, &p, h->seq + 1);
    }
    assert(p.n > 0);
    p.tokens = passage_cost(&p);
    if (p.tokens > b->room + old->tokens)
        return NO_ROOM;
    b->room = b->room + old->tokens - p.tokens;
    (void)new_lines(b, &p, true);
    *old = p;
    return TAKEN;
}

static Outcome take_hit(Build *b, const Hit *h)
{
    Evidence *v = b->out;
    Passage fresh = { .stream = h->stream, .score = h->score };
    Passage *old = near_passage(v, h);
    if (old && has_record(old, h->seq, true))
        return TAKEN;
    uint64_t most = v->budget / PASSAGE_SHARE;
    most = most > PASSAGE_TOKENS ? PASSAGE_TOKENS : most;
    most = most < PASSAGE_LEAST ? PASSAGE_LEAST : most;
    Passage *to = old ? old : &fresh;
    Outcome o = try_hit(b, h, to, most, true);
    if (o == NO_ROOM)
        o = try_hit(b, h, to, most, false);
    for (; o == NO_ROOM && most / 2 >= PASSAGE_LEAST; most /= 2)
        o = try_hit(b, h, to, most / 2, false);
    if (o == TAKEN && !old)
        v->items[v->n++] = fresh;
    return o;
}

static void leave(Evidence *v, Str stream, uint64_t seq)
{
    v->left[v->left_n++] = (EvidenceLeft){ stream, seq };
}

static void choose(Build *b, const Hits *h)
{
    Evidence *v = b->out;
    for (size_t i = 0; i < h->n; i++) {
        if (h->items[i].score < score_least * h->items[0].score) {
            v->more = true;
            return;
        }
        Outcome o = take_hit(b, &h->items[i]);
        v->same += o == SAME;
        if (o == NO_ROOM)
            leave(v, h->items[i].stream, h->items[i].seq);
    }
}

/* What parts cost is not quite what the whole costs: the last passage goes until it fits. */
static void measure(Evidence *v)
{
    for (;;) {
        AUTO(Buf) text = { .max = SIZE_MAX / 2 };
        evidence_add(&text, v);
        v->tokens = tokens_estimate(buf_str(&text));
        if (v->tokens <= v->budget || v->n == 0)
            return;
        v->n--;
        assert(v->items[v->n].n > 0); /* of nothing no passage is made */
        leave(v, v->items[v->n].stream, v->items[v->n].parts[0].seq);
        memmove(v->left + 1, v->left, (v->left_n - 1) * sizeof *v->left);
        v->left[0] = (EvidenceLeft){ v->items[v->n].stream, v->items[v->n].parts[0].seq };
    }
}

jot_status evidence_find(Search *s, const SearchQuery *q, uint64_t budget, Arena *into,
                         Evidence *out, Err *e)
{
    AUTO(Arena) arena = { 0 };
    Hits hits;
    SearchQuery ask = *q;
    if (budget < EVIDENCE_BUDGET_MIN || budget > EVIDENCE_BUDGET_MAX)
        return err_set(e, JOT_INVALID, "a budget of %llu tokens: use %d to %d",
                       (unsigned long long)budget, EVIDENCE_BUDGET_MIN, EVIDENCE_BUDGET_MAX);
    ask.bare = true;
    ask.explain = false;
    ask.limit = q->limit ? q->limit : SEARCH_LIMIT_MAX;
    TRY(search_find(s, &ask, into, &hits, e));
    *out = (Evidence){ .budget = budget,
                       .more = hits.more,
                       .notice = hits.notice,
                       .items = NEW_ARRAY(into, Passage, hits.n + 1),
                       .left = NEW_ARRAY(into, EvidenceLeft, 2 * hits.n + 1) };
    _Static_assert((int)EVIDENCE_BUDGET_MIN > (int)LAST_LINE, "there is room for a passage");
    Build b = { .search = s, .into = into, .out = out, .room = budget - LAST_LINE };
    query_read(q->text, s->index.stemmer, &arena, &b.query);
    b.strict = query_is_strict(&b.query);
    choose(&b, &hits);
    measure(out);
    return JOT_OK;
}

/* --- As JSON --------------------------------------------------------------------------------- */

static json_t *part_json(const EvidencePart *x)
{
    json_t *part =
        json_pack("{s:I, s:s, s:s, s:o, s:b, s:b, s:o}", "seq", (json_int_t)x->seq, "version",
                  version_of(x->sha256).text, "at", time_text(x->at_ms).text, "by",
                  json_text(x->by), "found", x->found, "cut", x->cut, "text", json_text(x->text));
    if (x->lines) {
        json_object_set_new(part, "from_line", json_integer((json_int_t)x->from));
        json_object_set_new(part, "to_line", json_integer((json_int_t)x->to));
        json_object_set_new(part, "lines", json_integer((json_int_t)x->lines));
    }
    return part;
}

json_t *evidence_json(const Evidence *v)
{
    json_t *passages = json_array(), *left = json_array();
    for (size_t i = 0; i < v->n; i++) {
        const Passage *p = &v->items[i];
        json_t *parts = json_array();
        for (size_t k = 0; k < p->n; k++)
            json_array_append_new(parts, part_json(&p->parts[k]));
        json_array_append_new(passages, json_pack("{s:o, s:f, s:I, s:o}", "stream",
                                                  json_text(p->stream), "score", p->score, "tokens",
                                                  (json_int_t)p->tokens, "parts", parts));
    }
    for (size_t i = 0; i < v->left_n; i++)
        json_array_append_new(left, json_pack("{s:o, s:I}", "stream", json_text(v->left[i].stream),
                                              "seq", (json_int_t)v->left[i].seq));
    json_t *out = json_pack("{s:o, s:I, s:I, s:I, s:o, s:b}", "passages", passages, "tokens",
                            (json_int_t)v->tokens, "budget", (json_int_t)v->budget, "same",
                            (json_int_t)v->same, "left_out", left, "more", v->more);
    if (v->notice.n)
        json_object_set_new(out, "notice", json_text(v->notice));
    return out;
}
