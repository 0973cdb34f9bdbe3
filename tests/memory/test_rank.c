/* test_rank.c - leaving out what cannot be among the best changes no hit.
 *
 * Segments are made of rows at random: words that nearly all rows have, often
 * or once, words that few have, long sessions and sessions of one row, rows of
 * several kinds; some are dead, some lie in a second segment.  Each question is
 * answered twice, by reading every posting and by leaving out what can be: hit
 * by hit, place, score and parts are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/search/draft.h"
#include "memory/search/rank.h"
#include "rig/volume.h"
#include "unit/unit.h"

enum { WORDS = 60, ROUNDS = 40, ROWS = 8000, QUERIES = 10, LIMIT = 10000 };

typedef struct Chance {
    uint64_t state;
} Chance;

static unsigned draw(Chance *c, unsigned n)
{
    c->state = c->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(c->state >> 33) % n;
}

static uint64_t seed(void)
{
    const char *text = getenv("JOT_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 1;
}

/* The first words are in most texts, the last in few. */
static void add_words(Buf *to, Chance *c, unsigned n)
{
    for (; n; n--)
        buf_addf(to, "w%uo ", draw(c, 1 + draw(c, WORDS)));
}

/* How rows come about in one round. */
typedef struct Shape {
    unsigned longest;      /* words of a text */
    unsigned session;      /* rows until the next begins */
    unsigned runs;         /* of ten rows so many are records of runs */
    unsigned repeat, code; /* of a hundred so many say one word again and again, are programs */
} Shape;

static Shape some_shape(Chance *c)
{
    static const unsigned sessions[] = { 1, 3, 40, 5000 };
    return (Shape){ .longest = 1 + draw(c, 40),
                    .session = sessions[draw(c, COUNT_OF(sessions))],
                    .runs = draw(c, 3) ? 0 : draw(c, 11),
                    .repeat = draw(c, 30),
                    .code = draw(c, 8) ? 0 : 1 };
}

static void add_row(SegDraft *d, Chance *c, const Shape *s, unsigned i)
{
    AUTO(Buf) text = { 0 };
    char name[32];
    bool log = draw(c, 10) < s->runs, code = draw(c, 100) < s->code;
    if (code)
        buf_addf(&text, "w1o");
    add_words(&text, c, code ? 0 : 1 + draw(c, s->longest));
    for (unsigned n = draw(c, 100) < s->repeat ? 4 + draw(c, 9) : 0; n; n--)
        buf_addf(&text, "w0o ");
    snprintf(name, sizeof name,
             log    ? "runs/%05u"
             : code ? "artifacts/x/%05u"
                    : "notes/%05u",
             log ? i / s->session : i);
    Record r = { .mark = { .seq = i + 1,
                           .at_ms = (int64_t)(1700000000000 + (uint64_t)i * 60000 +
                                              (uint64_t)(i / s->session) * 7200000) },
                 .by = S("ann"),
                 .body = buf_str(&text) };
    draft_row(d, str(name), &r, (Str){ 0 }, buf_str(&text));
    draft_stream(d, str(name), &(SegStream){ .seq = i + 1, .print = i });
}

static void make_segment(Chance *c, const Shape *s, unsigned from, unsigned to, Segment *out)
{
    AUTO(Buf) bytes = { 0 };
    AUTO_PTR(SegDraft) d = draft_new(NULL);
    for (unsigned i = from; i < to; i++)
        add_row(d, c, s, i);
    draft_end(d, &bytes);
    assert_true(seg_from_bytes(out, &bytes));
}

static void find(RankAsk *ask, PruneWhen how, Arena *into, RankHits *out)
{
    ask->prune = how;
    assert_true(rank_find(ask, into, out));
}

/* Every third row by its time. */
static bool some_rows(void *ctx, const SegRow *row, Segment *seg)
{
    (void)ctx;
    (void)seg;
    return row->at_ms / 60000 % 3 == 0;
}

static void ask_twice(RankAsk *ask)
{
    AUTO(Arena) a = { 0 };
    RankHits all, pruned;
    find(ask, PRUNE_NONE, &a, &all);
    find(ask, PRUNE_ALL, &a, &pruned);
    assert_int_equal(pruned.n, all.n);
    for (size_t i = 0; i < all.n; i++) {
        assert_int_equal(pruned.items[i].place, all.items[i].place);
        assert_int_equal(pruned.items[i].score, all.items[i].score);
        assert_memory_equal(pruned.items[i].parts, all.items[i].parts, sizeof all.items[i].parts);
    }
}

static void ask_some(Chance *c, const View *v)
{
    RankScratch scratch = { 0 };
    for (unsigned i = 0; i < QUERIES; i++) {
        AUTO(Arena) a = { 0 };
        AUTO(Buf) text = { 0 };
        Query q;
        add_words(&text, c, 1 + draw(c, draw(c, 6) ? 8 : 90));
        if (draw(c, 8) == 0)
            buf_addf(&text, "\"w0o w1o\"");
        query_read(buf_str(&text), NULL, &a, &q);
        RankAsk ask = { .view = v,
                        .query = &q,
                        .keep = draw(c, 3) ? NULL : some_rows,
                        .limit = LIMIT,
                        .scratch = &scratch };
        ask_twice(&ask);
    }
    rank_scratch_free(&scratch);
}

static void kill_some(Chance *c, Segment *s)
{
    for (unsigned n = draw(c, 2) ? 0 : s->rows / 10; n; n--)
        seg_kill(s, draw(c, s->rows));
}

static void what_is_left_out_is_in_no_hit(void **state)
{
    (void)state;
    Chance c = { seed() };
    for (int round = 0; round < (volume_small() ? ROUNDS / 4 : ROUNDS); round++) {
        Shape shape = some_shape(&c);
        Segment segs[2];
        View v;
        unsigned rows = 1 + draw(&c, round % 4 ? ROWS : ROWS / 40), n = 1 + draw(&c, 2);
        make_segment(&c, &shape, 0, rows, &segs[0]);
        make_segment(&c, &shape, rows, rows + 1 + draw(&c, 40), &segs[1]);
        kill_some(&c, &segs[0]);
        assert_true(view_make(&v, segs, n));
        ask_some(&c, &v);
        view_free(&v);
        seg_close(&segs[0]);
        seg_close(&segs[1]);
    }
}

/* Words of each row, every second and few; of counts and forms that take four bits, and of others.
 */
static void postings_are_read_as_they_were_written(void **state)
{
    (void)state;
    Chance c = { seed() };
    static const unsigned every[] = { 1, 2, 4, 5, 50, 3000 };
    for (unsigned round = 0; round < 60; round++) {
        AUTO(Arena) a = { 0 };
        AUTO(SegWriter) w = { 0 };
        AUTO(Buf) bytes = { 0 };
        unsigned rows = 1 + draw(&c, round % 3 ? 200 : 9000);
        SegRow *row = NEW_ARRAY(&a, SegRow, rows);
        uint32_t *session_of = NEW_ARRAY(&a, uint32_t, rows);
        SegPost *posts[COUNT_OF(every)], *got = NEW_ARRAY(&a, SegPost, rows + 1);
        size_t n[COUNT_OF(every)] = { 0 };
        for (unsigned i = 0; i < rows; i++) {
            row[i].at_ms = i / 7 * (int64_t)(SESSION_GAP_MS + 1);
            session_of[i] = i / 7;
        }
        w.rows = rows;
        w.session_of = session_of;
        for (size_t t = 0; t < COUNT_OF(every); t++) {
            char key[] = { KEY_FORM, (char)('a' + t) };
            posts[t] = NEW_ARRAY(&a, SegPost, rows + 1);
            for (unsigned i = 0; i < rows; i++)
                if (draw(&c, every[t]) == 0)
                    posts[t][n[t]++] =
                        (SegPost){ i, (uint8_t)(draw(&c, 9)
                                                    ? draw(&c, 3) | (draw(&c, 2) ? POST_OTHER : 0)
                                                    : draw(&c, 128)) };
            if (n[t])
                seg_write_term(&w, (Str){ key, sizeof key }, posts[t], n[t]);
        }
        seg_write_stream(&w, S("notes/a"), &(SegStream){ .seq = 1, .n = rows });
        seg_write_end(&w, row, rows, &bytes);
        Segment s;
        assert_true(seg_from_bytes(&s, &bytes));
        for (size_t t = 0; t < COUNT_OF(every); t++) {
            char key[] = { KEY_FORM, (char)('a' + t) };
            SegTerm term;
            assert_int_equal(seg_find(&s, (Str){ key, sizeof key }, &term), n[t] > 0);
            if (n[t] == 0)
                continue;
            assert_int_equal(seg_posts(&s, &term, got), n[t]);
            for (size_t i = 0; i < n[t]; i++) {
                assert_int_equal(got[i].row, posts[t][i].row);
                assert_int_equal(got[i].bits, posts[t][i].bits);
            }
        }
        assert_false(s.bad);
        seg_close(&s);
    }
}

/* Both ways of asking, of whatever the bytes now are. */
static void ask_anyway(Segment *s)
{
    AUTO(Arena) a = { 0 };
    View v;
    Query q;
    RankHits hits;
    RankScratch scratch = { 0 };
    query_read(S("w0o w1o w2o w30o"), NULL, &a, &q);
    RankAsk ask = { .view = &v, .query = &q, .limit = 10, .scratch = &scratch };
    bool good = view_make(&v, s, 1);
    for (PruneWhen how = PRUNE_ALL; good && how <= PRUNE_NONE; how++) {
        ask.prune = how;
        good = rank_find(&ask, &a, &hits);
        for (size_t i = 0; good && i < hits.n; i++)
            assert_in_range(hits.items[i].place, 0, s->rows - 1);
    }
    rank_scratch_free(&scratch);
    view_free(&v);
}

/* With checksums that are right again, so that nothing else tells. */
static void a_changed_byte_is_told_or_gives_some_rows(void **state)
{
    (void)state;
    Chance c = { seed() };
    Segment whole;
    make_segment(&c, &(Shape){ .longest = 12, .session = 9, .repeat = 30 }, 0, 40, &whole);
    for (size_t at = 0; at < whole.own.n; at++) {
        AUTO(Buf) bytes = { 0 };
        Segment s;
        buf_add(&bytes, buf_str(&whole.own));
        bytes.p[at] = (char)(bytes.p[at] ^ (1 << draw(&c, 8)));
        seg_seal(&bytes);
        if (seg_from_bytes(&s, &bytes)) {
            ask_anyway(&s);
            seg_close(&s);
        }
    }
    seg_close(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_byte_is_told_or_gives_some_rows),
        cmocka_unit_test(what_is_left_out_is_in_no_hit),
        cmocka_unit_test(postings_are_read_as_they_were_written),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
