/* test_search_golden.c - how well searching finds: a corpus, queries, and what should answer them.
 *
 * tests/memory/search/corpus.txt is put into a pad, every query of queries.txt is
 * asked.  Stated and checked:
 *   recall at 10      of all streams that answer a query, at least RECALL are among its first ten
 *   first right       of all queries with an answer, for at least FIRST the first hit is the one
 *   silence           a query without an answer finds nothing */
#include <stdio.h>

#include "memory/desk.h"
#include "memory/search/search.h"

static const double recall_min = 0.97, first_min = 0.95;

enum { QUERIES_MIN = 50, DENSE_MIN = 10 };

static Str load(Desk *d, const char *name)
{
    char path[512];
    AUTO(Buf) text = { 0 };
    snprintf(path, sizeof path, "%s/%s", getenv("JOT_SEARCH_SAMPLES"), name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        buf_add_char(&text, (char)c);
    fclose(f);
    return arena_copy(&d->a, buf_str(&text));
}

static void append(Desk *d, Str stream, Op op, Str by, const char *meta, Str body)
{
    Mark m;
    Memory writer = d->m;
    writer.by = by;
    d->now_ms += 60000;
    Draft draft = { .op = op, .meta = str(meta), .body = body };
    desk_ok(d, memory_append(&writer, stream, NULL, &draft, &m, &d->e));
}

/* "== STREAM AUTHOR", then the text; in a run "-- KIND [TOOL]" begins the next record. */
static void fill(Desk *d)
{
    Str rest = load(d, "corpus.txt"), line, stream = { 0 }, by = { 0 };
    AUTO(Buf) body = { 0 };
    const char *meta = "";
    for (bool more = true; more;) {
        more = str_cut(&rest, '\n', &line);
        bool next = more && str_starts(line, S("== ")), step = more && str_starts(line, S("-- "));
        if ((next || step || !more) && body.n) {
            bool run = str_starts(stream, S("runs/"));
            append(d, stream, run ? OP_APPEND : OP_PUT, by, meta, buf_str(&body));
            buf_clear(&body);
        }
        if (next) {
            Str name = str_from(line, 3);
            assert_true(str_cut(&name, ' ', &stream));
            by = name;
            meta = str_starts(stream, S("runs/")) ? "{\"kind\":\"init\"}" : "";
        } else if (step) {
            Str kind = str_from(line, 3), tool = { 0 };
            Str first = kind;
            if (str_cut(&kind, ' ', &first))
                tool = kind;
            meta = arena_printf(&d->a, "{\"kind\":\"" STR_FMT "\",\"tool\":\"" STR_FMT "\"}",
                                STR_ARG(first), STR_ARG(tool))
                       .p;
        } else if (more) {
            buf_add(&body, line);
            buf_add_char(&body, '\n');
        }
    }
}

typedef struct Tally {
    size_t queries, dense, answers, found, with_answer, first;
} Tally;

static bool is_among(const Hits *h, Str stream)
{
    for (size_t i = 0; i < h->n; i++)
        if (str_eq(h->items[i].stream, stream))
            return true;
    return false;
}

static void ask(Desk *d, Search *s, Str query, Str answers, Tally *t)
{
    Hits h;
    SearchQuery q = { .text = query };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    t->queries++;
    t->dense += (unsigned char)query.p[0] >= 0xE0;
    if (answers.n == 0) {
        if (h.n)
            fail_msg("'" STR_FMT "' finds '" STR_FMT "'", STR_ARG(query),
                     STR_ARG(h.items[0].stream));
        return;
    }
    t->with_answer++;
    for (bool first = true, more = true; more; first = false) {
        Str one = answers;
        more = str_cut(&answers, ' ', &one);
        bool there = is_among(&h, one), right = h.n && str_eq(h.items[0].stream, one);
        t->answers++;
        t->found += there;
        t->first += first && right;
        if (!there || (first && !right))
            print_message("  '" STR_FMT "': '" STR_FMT "' %s; first is '" STR_FMT "'\n",
                          STR_ARG(query), STR_ARG(one), there ? "is not the first" : "is missing",
                          STR_ARG(h.n ? h.items[0].stream : S("nothing")));
    }
}

static void the_golden_queries_are_answered(Desk *d)
{
    AUTO_PTR(Search) s = NULL;
    Tally t = { 0 };
    fill(d);
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    Str rest = load(d, "queries.txt"), line, query;
    while (str_cut(&rest, '\n', &line)) {
        if (line.n == 0 || line.p[0] == '#')
            continue;
        const char *copy = arena_cstr(&d->a, line), *at = strstr(copy, " =>");
        assert_non_null(at);
        query = str_slice(line, 0, (size_t)(at - copy));
        Str answers = str_from(line, query.n + 3);
        ask(d, s, query, str_from(answers, answers.n ? 1 : 0), &t);
    }
    double recall = (double)t.found / (double)t.answers;
    double first = (double)t.first / (double)t.with_answer;
    print_message("[%s] %zu queries (%zu dense): recall at 10 %.3f, first right %.3f\n", d->engine,
                  t.queries, t.dense, recall, first);
    assert_true(t.queries >= QUERIES_MIN && t.dense >= DENSE_MIN);
    assert_true(recall >= recall_min);
    assert_true(first >= first_min);
}

int main(void)
{
    static const DeskTest tests[] = { DESK_TEST(the_golden_queries_are_answered) };
    return desk_run(tests, COUNT_OF(tests), false);
}
