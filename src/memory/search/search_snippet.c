/* search_snippet.c - the few words of a text that show why it was found.
 *
 * The text comes from the pad, not from the index, and the terms are looked for
 * in it again: what is shown is what is there now. */
#include <string.h>

#include "base/utf8.h"
#include "memory/search/index.h"

#define MARK "**"

enum { LEAD = 40 }; /* bytes shown in front of the first word that was found */

/* Terms and matches within SEARCH_SNIPPET_MAX bytes from a match on. */
static size_t window_worth(const Query *q, const Matches *m, size_t first)
{
    bool seen[QUERY_TERMS_MAX] = { false };
    size_t worth = 0, end = m->items[first].from + SEARCH_SNIPPET_MAX - LEAD;
    for (size_t i = first; i < m->n && m->items[i].from < end; i++) {
        size_t term = m->items[i].term;
        if (m->items[i].to > end || m->items[i].from < m->items[first].from)
            continue;
        worth += seen[term] ? 1 : q->terms[term].bonus ? 20 : 1000;
        seen[term] = true;
    }
    return worth;
}

size_t search_best_match(const Query *q, const Matches *m)
{
    size_t best = 0, most = 0;
    for (size_t i = 0; i < m->n; i++) {
        size_t worth = window_worth(q, m, i);
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F;
}

size_t search_begin_before(Str text, size_t at)
{
    size_t from = utf8_floor(text, at > LEAD ? at - LEAD : 0);
    if (from == 0)
        return 0;
    size_t word = from;
    while (word < at && !is_blank(text.p[word]))
        word++;
    return word < at ? word : from;
}

/* One line: blanks become one space, C1 controls too. */
static void add_plain(Buf *to, Str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool c1 = (unsigned char)text.p[i] == 0xC2 && i + 1 < text.n &&
                  (unsigned char)text.p[i + 1] < 0xA0;
        if (!c1 && !is_blank(text.p[i])) {
            buf_add_char(to, text.p[i]);
            continue;
        }
        i += c1;
        if (to->n && to->p[to->n - 1] != ' ')
            buf_add_char(to, ' ');
    }
}

/* Matches may overlap and are ordered by their end: mark their union. */
static void mark_range(bool *marked, const Matches *m, size_t from, size_t to)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t at = m->items[i].from; at < m->items[i].to; at++)
            if (at >= from && at < to)
                marked[at - from] = true;
}

static Str cut_out(Str text, const Matches *m, size_t at, Arena *into)
{
    size_t from = search_begin_before(text, at);
    size_t to =
        utf8_floor(text, from + SEARCH_SNIPPET_MAX < text.n ? from + SEARCH_SNIPPET_MAX : text.n);
    bool marked[SEARCH_SNIPPET_MAX + 1] = { false };
    AUTO(Buf) line = { 0 };
    mark_range(marked, m, from, to);
    if (from)
        buf_add(&line, S("... "));
    for (size_t i = from; i < to;) {
        size_t end = i;
        while (end < to && marked[end - from] == marked[i - from])
            end++;
        if (marked[i - from])
            buf_add(&line, S(MARK));
        add_plain(&line, str_slice(text, i, end));
        if (marked[i - from])
            buf_add(&line, S(MARK));
        i = end;
    }
    while (line.n && line.p[line.n - 1] == ' ')
        line.n--;
    if (to < text.n)
        buf_add(&line, S(" ..."));
    return arena_copy(into, buf_str(&line));
}

Str search_snippet(const Query *q, Stemmer *stemmer, const SnippetSource *from, Arena *into,
                   bool *matched)
{
    Str text = utf8_valid(from->text) ? from->text : S("(not text)");
    Str name = str_from(from->stream, str_find(from->stream, '/') + 1);
    Matches in_text = query_match(q, stemmer, text, into);
    *matched = in_text.n || query_match(q, stemmer, name, into).n ||
               query_match(q, stemmer, from->label, into).n;
    size_t at = in_text.n ? in_text.items[search_best_match(q, &in_text)].from : 0;
    return cut_out(text, &in_text, at, into);
}
