/* test_tokens.c - the token estimate, compared with what o200k_base really makes of the samples.
 *
 * The samples are short texts of many kinds, written or generated for this; counts.txt has what the
 * tokenizer itself makes of each (tools/gen-vocabulary). */
#include "memory/frame/tokens.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "memory/desk.h"
#include "memory/frame/pieces.h"
#include "memory/frame/vocabulary_table.h"
#include "memory/hostile.h"

enum { KINDS_MIN = 34, KINDS_MAX = 200 };

typedef struct Sample {
    char name[40];
    size_t tokens; /* in o200k_base */
    Str text;
} Sample;

static Sample samples[KINDS_MAX];
static size_t samples_n;
static Arena texts;

static Str load(const char *name)
{
    const char *dir = getenv("JOT_TEST_SAMPLES");
    assert_non_null(dir);
    FILE *f = fopen(arena_printf(&texts, "%s/%s.txt", dir, name).p, "r");
    assert_non_null(f);
    static char text[65536];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    return arena_copy(&texts, (Str){ text, n });
}

static int load_all(void **ctx)
{
    (void)ctx;
    Str counts = load("counts"), line;
    while (str_cut(&counts, '\n', &line)) {
        Sample *s = &samples[samples_n++];
        assert_true(samples_n <= KINDS_MAX);
        assert_int_equal(sscanf(line.p, "%zu %39[a-z0-9_]", &s->tokens, s->name), 2);
        s->text = load(s->name);
    }
    return 0;
}

static int free_all(void **ctx)
{
    (void)ctx;
    arena_free(&texts);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void the_mean_error_is_below_1_percent_and_19_of_20_kinds_are_below_4(void **ctx)
{
    (void)ctx;
    double off[KINDS_MAX], sum = 0, bias = 0;
    for (size_t i = 0; i < samples_n; i++) {
        double real = (double)samples[i].tokens;
        double by = ((double)tokens_estimate(samples[i].text) - real) / real * 100;
        print_message("%-16s %5zu tokens %+5.1f %%\n", samples[i].name, samples[i].tokens, by);
        off[i] = by < 0 ? -by : by;
        sum += off[i];
        bias += by;
    }
    qsort(off, samples_n, sizeof *off, by_size);
    double mean = sum / (double)samples_n, p95 = off[samples_n * 95 / 100];
    print_message("%zu kinds: mean error %.2f %%, 95th percentile %.2f %%, bias %+.2f %%\n",
                  samples_n, mean, p95, bias / (double)samples_n);
    assert_true(samples_n >= KINDS_MIN);
    assert_true(mean < 1);
    assert_true(p95 < 4);
}

static void the_table_is_the_one_that_was_made(void **ctx)
{
    (void)ctx;
    extern const char vocabulary_table[VOCABULARY_BYTES];
    HashHex found = hash_hex(hash_of((Str){ vocabulary_table, VOCABULARY_BYTES }));
    assert_string_equal(found.text, VOCABULARY_SHA256);
}

static void only_the_empty_text_costs_nothing(void **ctx)
{
    (void)ctx;
    assert_int_equal(tokens_estimate(S("")), 0);
    static const Str rows[] = { T(" "), T("\n"), T("a"), T("\0"), T("\xff"), T("\xe2\x82") };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_row(tokens_estimate(rows[i]) > 0, i, "a text costs something");
}

/* --- Pieces ------------------------------------------------------------------------------ */

static void a_text_falls_into_the_pieces_of_the_expression(void **ctx)
{
    (void)ctx;
    /* What the expression itself makes of them; a bar stands between two pieces. */
    static const char *const rows[] = {
        "Hello| world",
        "don't| you'LL| we're| x've|'| t",
        "o|'clock| I'm| she'd",
        "HTTPServer| XMLHttp| NASA| a|BCDef",
        "123|456| |789|.|5",
        "  | two|   | three",
        "a| \n|b",
        "a|  \n\n|   | b",
        "end|.\n\n| next| (|ok|)/\n",
        "tab|\t|\tx|\ty",
        "(foo| ((|foo",
        "https|://|x|.org|/a",
        "\xe6\xbc\xa2\xe5\xad\x97|ABC| \xe6\xbc\xa2x|\xe3\x80\x82",
        "\xc3\xa9t|A\xcc\x81| \xcc\x81|A",
        "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd| ok",
        "\xe2\x85\xa7\xc2\xbd\xe2\x85\xa7|\xd9\xa1",
        "   ",
        "\xff\xff|a",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        AUTO(Buf) text = { 0 };
        AUTO(Buf) cut = { 0 };
        for (const char *p = rows[i]; *p; p++)
            if (*p != '|')
                buf_add_char(&text, *p);
        Str all = buf_str(&text);
        for (size_t at = 0, end; at < all.n; at = end) {
            end = piece_end(all, at);
            assert_true(end > at && end <= all.n);
            buf_add(&cut, at ? S("|") : S(""));
            buf_add(&cut, str_slice(all, at, end));
        }
        assert_str(buf_str(&cut), str(rows[i]));
    }
}

/* --- Cuts -------------------------------------------------------------------------------- */

static bool in_char(Str text, size_t at)
{
    uint32_t c;
    for (size_t back = 1; back < 4 && back <= at; back++)
        if (utf8_char(text, at - back, &c) > back)
            return true;
    return false;
}

/* What is promised of one cut. */
static void check_cut(Str text, size_t budget)
{
    size_t n = tokens_cut(text, budget), first = str_find(text, '\n') + 1;
    bool whole = tokens_estimate(text) <= budget;
    assert_true(n <= text.n);
    assert_true(tokens_estimate(str_slice(text, 0, n)) <= budget);
    assert_int_equal(n == text.n, whole);
    assert_false(in_char(text, n));
    assert_int_equal(tokens_fit(text, budget), whole);
    if (whole)
        return;
    if (n >= first)
        assert_true(text.p[n - 1] == '\n');
    /* No later line fits, although one that is longer may cost less. */
    for (size_t more = n; more < text.n;) {
        more += str_find(str_from(text, more), '\n') + 1;
        if (more <= text.n && text.p[more - 1] == '\n')
            assert_true(tokens_estimate(str_slice(text, 0, more)) > budget);
    }
    /* In a line nearly all of the budget is used: a character has four bytes at most. */
    if (n < first)
        assert_true(tokens_estimate(str_slice(text, 0, n)) + 4 > budget);
}

static void every_cut_fits_and_no_later_line_would(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < samples_n; i++) {
        Str text = str_slice(samples[i].text, 0, utf8_floor(samples[i].text, 700));
        size_t all = tokens_estimate(text);
        for (size_t budget = 0; budget <= all + 1; budget++)
            check_cut(text, budget);
    }
}

static void add_piece(Buf *to, uint64_t *state)
{
    static const Str pieces[] = {
        T("don't"),
        T("we'LL "),
        T(" the"),
        T("  "),
        T("\n"),
        T("\n\n  \n"),
        T(".\n/"),
        T("----"),
        T("12345"),
        T("\t"),
        T("aGVsbG8"),
        T("\xc3\xa9t\xc3\xa9"),
        T("\xff"),
        T("\x80"),
        T("HTTPx"),
        T("\r\n"),
        T("\xe4\xb8\xad\xe6\x96\x87"),
        T("\xf0\x9f\x91\x8d"),
        T("'s"),
        T("/"),
        T("\xcc\x81"),
        T("."),
        T("=================================="),
        T("x"),
    };
    Str piece = pieces[hostile_next(state) % COUNT_OF(pieces)];
    size_t times = hostile_next(state) % 7 ? 1 : hostile_next(state) % 70;
    while (times--)
        buf_add(to, piece);
}

static void every_cut_of_hostile_bytes_fits(void **ctx)
{
    (void)ctx;
    uint64_t state = 7;
    for (size_t i = 0; i < 1500; i++) {
        AUTO(Buf) text = { 0 };
        for (size_t n = hostile_next(&state) % 25; n > 0; n--)
            add_piece(&text, &state);
        size_t all = tokens_estimate(buf_str(&text));
        assert_true(all <= text.n);
        for (size_t k = 0; k < 12; k++)
            check_cut(buf_str(&text), hostile_next(&state) % (all + 2));
    }
}

/* What lists of lines count on; it is no law, but nothing here breaks it. */
static void lines_put_together_cost_at_most_one_token_more_each(void **ctx)
{
    (void)ctx;
    uint64_t state = 11;
    for (size_t i = 0; i < 1000; i++) {
        AUTO(Buf) text = { 0 };
        size_t sum = 0, lines = 1 + hostile_next(&state) % 40;
        for (size_t k = 0; k < lines; k++) {
            AUTO(Buf) line = { 0 };
            for (size_t n = hostile_next(&state) % 5; n > 0; n--)
                add_piece(&line, &state);
            sum += tokens_estimate(buf_str(&line)) + 1;
            buf_add(&text, buf_str(&line));
            buf_add_char(&text, '\n');
        }
        assert_true(tokens_estimate(buf_str(&text)) <= sum);
    }
}

static void a_long_run_without_a_break_is_cut(void **ctx)
{
    (void)ctx;
    static const Str runs[] = { T("a"),  T(" "), T("\n"), T("-"), T("\x80"), T("\xe4\xb8\xad"),
                                T("aB1") };
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        AUTO(Buf) text = { 0 };
        while (text.n < 300000)
            buf_add(&text, runs[i]);
        size_t all = tokens_estimate(buf_str(&text));
        for (size_t part = 1; part < 4; part++) {
            size_t n = tokens_cut(buf_str(&text), all * part / 4);
            assert_row(n > 0 && n < text.n, i, "a part of it");
            size_t costs = tokens_estimate(str_slice(buf_str(&text), 0, n));
            assert_row(costs <= all * part / 4 && costs + 8 > all * part / 4, i, "it fits");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_error_is_below_1_percent_and_19_of_20_kinds_are_below_4),
        cmocka_unit_test(the_table_is_the_one_that_was_made),
        cmocka_unit_test(only_the_empty_text_costs_nothing),
        cmocka_unit_test(a_text_falls_into_the_pieces_of_the_expression),
        cmocka_unit_test(every_cut_fits_and_no_later_line_would),
        cmocka_unit_test(every_cut_of_hostile_bytes_fits),
        cmocka_unit_test(lines_put_together_cost_at_most_one_token_more_each),
        cmocka_unit_test(a_long_run_without_a_break_is_cut),
    };
    return cmocka_run_group_tests(tests, load_all, free_all);
}
