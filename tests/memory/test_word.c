/* test_word.c - cutting text into words: parts, wholes and pairs. */
#include "memory/search/word.h"

#include <ctype.h>

#include "base/utf8.h"
#include "memory/search/date.h"
#include "memory/search/query.h"
#include "unit/unit.h"

/* "parts|wholes" of every chunk, chunks divided by ';'. */
static Str cut(Buf *to, const char *text)
{
    AUTO(Words) words;
    Chunk c;
    words_init(&words, str(text));
    buf_clear(to);
    while (words_next(&words, &c)) {
        if (to->n)
            buf_add_char(to, ';');
        for (size_t i = 0; i < c.parts_n; i++)
            buf_addf(to, "%s" STR_FMT, i ? " " : "", STR_ARG(c.parts[i].text));
        for (size_t i = 0; i < c.wholes_n; i++)
            buf_addf(to, "|" STR_FMT, STR_ARG(c.wholes[i]));
    }
    return buf_str(to);
}

static void a_text_is_cut_as_the_table_says(void **state)
{
    static const char *const rows[][2] = {
        { "", "" },
        { "Hello, World!", "hello;world" },
        { "parseConfig", "parse config|parseconfig" },
        { "parse_config", "parse config|parseconfig" },
        { "PARSE-CONFIG", "parse config|parseconfig" },
        { "HTTPServer", "http server|httpserver" },
        { "OAuth2", "o auth 2|oauth|oauth2" },
        { "src/main.c:120", "src main c 120|src/main.c:120" },
        { "std::vector", "std vector|std::vector" },
        { "v1.2.3", "v 1 2 3|v1|v1.2.3" },
        { "ann@example.org", "ann example org|ann@example.org" },
        { "end. Next", "end;next" },
        { "the user's plan, isn't it", "the;user;plan;isnt;it" },
        { "C++ and C#", "c|c++;and;c|c#" },
        { "naïve CAFÉ", "naive;cafe" },
        { "数据库", "数据 据库 库" },
        { "库", "库" },
        { "使用Python编写", "使用 用;python;编写 写" },
        { "ﾃﾞｰﾀ", "デー ータ タ" },
        { "데이터를", "데이 이터 터를 를" },
        { "co\xC2\xADoperate", "cooperate" },
        { "--- *** ...", "" },
    };
    AUTO(Buf) to = { 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_str(cut(&to, rows[i][0]), str(rows[i][1]));
}

static void a_part_knows_where_it_stands(void **state)
{
    AUTO(Words) words;
    Chunk c;
    Str text = S("  openFile(数据)");
    words_init(&words, text);
    assert_true(words_next(&words, &c));
    assert_str(str_slice(text, c.parts[1].from, c.parts[1].to), S("File"));
    assert_true(words_next(&words, &c));
    assert_str(str_slice(text, c.parts[0].from, c.parts[0].to), S("数据"));
}

/* No pair is lost where a long run is cut, and nothing is endless. */
static void a_run_without_end_is_cut_and_goes_on(void **state)
{
    AUTO(Buf) text = { 0 };
    AUTO(Words) words;
    Chunk c;
    size_t pairs = 0, singles = 0;
    for (int i = 0; i < 500; i++)
        buf_add(&text, i % 2 ? S("数") : S("据"));
    words_init(&words, buf_str(&text));
    while (words_next(&words, &c))
        for (size_t i = 0; i < c.parts_n; i++)
            *(c.parts[i].text.n == 6 ? &pairs : &singles) += 1;
    assert_int_equal(pairs, 499);
    assert_int_equal(singles, 1);
    buf_clear(&text);
    for (int i = 0; i < 5000; i++)
        buf_add(&text, S("a/"));
    words_done(&words);
    words_init(&words, buf_str(&text));
    size_t parts = 0;
    while (words_next(&words, &c)) {
        assert_in_range(c.parts_n, 1, CHUNK_PARTS_MAX);
        parts += c.parts_n;
    }
    assert_int_equal(parts, 5000);
}

/* A body of one letter, as large as one may be: looking at the rest of it for each chunk would take
 * minutes. */
static void the_rest_of_a_word_is_not_read_for_each_of_its_chunks(void **state)
{
    size_t n = 16 << 20, chars = 0;
    char *text = test_malloc(n);
    AUTO(Words) words;
    Chunk c;
    memset(text, 'x', n);
    words_init(&words, (Str){ text, n });
    while (words_next(&words, &c)) {
        assert_true(c.to > c.from);
        chars += c.to - c.from;
    }
    assert_int_equal(chars, n);
    test_free(text);
}

static Query *read_query(Arena *into, const char *text)
{
    Query *q = NEW(into, Query);
    query_read(str(text), NULL, into, q);
    return q;
}

static void common_words_say_nothing_unless_alone_or_quoted(void **state)
{
    AUTO(Arena) a = { 0 };
    assert_int_equal(read_query(&a, "how do I restore the backup")->n, 2);
    assert_int_equal(read_query(&a, "what is it")->n, 3);
    assert_int_equal(read_query(&a, "\"to be or not to be\"")->terms[0].parts_n, 6);
}

static void a_query_without_a_word_has_no_terms(void **state)
{
    static const char *const none[] = { "", "   ", "***", "\"\"", "\"", "\xFF", "?!" };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_int_equal(read_query(&a, none[i])->n, 0);
}

static void a_quotation_is_a_phrase_only_as_the_whole_query(void **state)
{
    AUTO(Arena) a = { 0 };
    assert_true(read_query(&a, "\"hello there\"")->terms[0].must);
    static const char *const messages[] = { "say \"hello", "say \"hello world\" now",
                                            "\"one\" \"two\"" };
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        Query *q = read_query(&a, messages[i]);
        assert_true(q->n >= 2);
        for (size_t k = 0; k < q->n; k++)
            assert_false(q->terms[k].must);
    }
}

static void a_long_query_is_read_as_far_as_it_says_something(void **state)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) big = { .max = 32 << 20 };
    for (int i = 0; i < 100; i++)
        buf_addf(&big, "w%c%c ", 'a' + i % 26, 'a' + i / 26);
    while (big.n < 16 << 20)
        buf_add(&big, S("word the of "));
    Query q;
    query_read(buf_str(&big), NULL, &a, &q);
    assert_int_equal(q.n, 101);
    assert_true(q.terms[100].times > 100);
    assert_true(q.words_n <= QUERY_WORDS_MAX + CHUNK_PARTS_MAX);
}

static void rows_of_parts_are_found_where_they_overlap(void **state)
{
    AUTO(Arena) a = { 0 };
    Query *q = read_query(&a, "\"a a b\"");
    Str text = S("a a a b");
    Matches m = query_match(q, NULL, text, &a);
    assert_int_equal(m.n, 1);
    assert_str(str_slice(text, m.items[0].from, m.items[0].to), S("a a b"));
}

static Str stem_anew(Arena *a, Str word)
{
    Stemmer *fresh = stemmer_new(STEM_DEFAULT);
    assert_non_null(fresh);
    Str stem = arena_copy(a, stem_of(fresh, word));
    stemmer_free(fresh);
    return stem;
}

/* What is kept of a word must be told from what is kept of all others. */
static void a_stem_is_the_same_whatever_was_asked_before(void **state)
{
    enum { WORDS = 6000 };
    static const char *const ends[] = { "", "s", "ing", "ed", "ation", "izational", "7" };
    static const char *const begins[] = { "pear",     "rest",         "a",
                                          "configur", "understandab", "\xC3\xA9t" };
    static const char *const known[] = { "dict",    "went",    "id",
                                         "indices", "backups", "nonorganizationally" };
    AUTO(Arena) a = { 0 };
    Stemmer *used = stemmer_new(STEM_DEFAULT);
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned x = i * 2654435761u >> 8;
        Str word = arena_printf(&a, "%s%c%s", begins[x % COUNT_OF(begins)],
                                (int)('a' + x / 64 % 26), ends[x / 2048 % COUNT_OF(ends)]);
        assert_str(stem_of(used, word), stem_anew(&a, word));
        Str other = str(known[i % COUNT_OF(known)]);
        assert_str(stem_of(used, other), stem_anew(&a, other));
    }
    assert_str(stem_of(used, S("dict")), stem_anew(&a, S("dictionaries")));
    stemmer_free(used);
}

/* ASCII letters of full width, but for the s of a genitive: folded to the same, and never cut the
 * short way. */
static Str in_full_width(Arena *a, Str text)
{
    AUTO(Buf) wide = { 0 };
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        utf8_add(&wide, isalpha(c) && !(i && text.p[i - 1] == '\'') ? c + 0xFEE0U : c);
    }
    return arena_copy(a, buf_str(&wide));
}

static void assert_same_chunk(const Chunk *x, const Chunk *y)
{
    assert_int_equal(x->parts_n, y->parts_n);
    assert_int_equal(x->wholes_n, y->wholes_n);
    assert_int_equal(x->dense, y->dense);
    assert_int_equal(x->loose, y->loose);
    assert_int_equal(x->marked, y->marked);
    for (size_t i = 0; i < x->parts_n; i++)
        assert_str(x->parts[i].text, y->parts[i].text);
    for (size_t i = 0; i < x->wholes_n; i++)
        assert_str(x->wholes[i], y->wholes[i]);
}

/* Plain words are cut a shorter way than all others. */
static void words_of_ascii_are_cut_as_those_of_full_width(void **state)
{
    enum { TEXTS = 4000, PIECES = 24 };
    static const char *const pieces[] = {
        "a", "A", "the", "The", "THE", "config", "parseConfig", "C", "HTTPServer2", "x1", "7",
        " ", " ", " ",   "\n",  "\t",  "_",      "-",           ".", ":",           "::", "'s",
        "'", ",", "+",   "++",  "#",   "!",      "?",           "(", ")",           "/",  "\\",
        "~", "@", "\"",  "%",   "`",   "^",      "$",           "="
    };
    AUTO(Arena) a = { 0 };
    uint32_t chance = 7;
    for (unsigned t = 0; t < TEXTS; t++) {
        AUTO(Buf) text = { 0 };
        for (unsigned i = 0; i < PIECES; i++) {
            chance = chance * 1664525 + 1013904223;
            buf_add(&text, str(pieces[(chance >> 8) % COUNT_OF(pieces)]));
        }
        AUTO(Words) plain = { 0 }, wide = { 0 };
        Chunk x, y;
        words_init(&plain, buf_str(&text));
        words_init(&wide, in_full_width(&a, buf_str(&text)));
        while (words_next(&plain, &x)) {
            assert_true(words_next(&wide, &y));
            assert_same_chunk(&x, &y);
        }
        assert_false(words_next(&wide, &y));
    }
}

static void a_text_without_a_word_that_hints_at_a_date_has_none(void **state)
{
    enum { TEXTS = 200000, LENGTH = 5 };
    static const char *const words[] = {
        "may",   "march", "jan",      "september", "sept",  "2023", "1899",  "8",         "08",
        "of",    "in",    "last",     "next",      "this",  "week", "weeks", "weekend",   "day",
        "days",  "month", "months",   "year",      "years", "ago",  "two",   "a",         "few",
        "today", "pm",    "tomorrow", "tuesday",   "tues",  "rd",   "th",    "yesterday", "pear",
        "hour",  "noon",  "tonight",  "morning",   "daily", "fri",  "be",    "couple",    "of"
    };
    uint32_t chance = 3, found = 0, silent = 0;
    for (unsigned t = 0; t < TEXTS; t++) {
        Str text[LENGTH];
        Dates dates;
        bool hint = false;
        for (unsigned i = 0; i < LENGTH; i++) {
            chance = chance * 1664525 + 1013904223;
            text[i] = str(words[(chance >> 8) % COUNT_OF(words)]);
            hint = hint || date_hint(text[i]);
        }
        dates_find(text, LENGTH, (Date){ 2024, 5, 17 }, &dates);
        found += dates.n || dates.time;
        silent += !hint;
        if (dates.n || dates.time)
            assert_true(hint);
    }
    assert_true(found && silent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_cut_as_the_table_says),
        cmocka_unit_test(a_part_knows_where_it_stands),
        cmocka_unit_test(words_of_ascii_are_cut_as_those_of_full_width),
        cmocka_unit_test(a_text_without_a_word_that_hints_at_a_date_has_none),
        cmocka_unit_test(a_run_without_end_is_cut_and_goes_on),
        cmocka_unit_test(the_rest_of_a_word_is_not_read_for_each_of_its_chunks),
        cmocka_unit_test(common_words_say_nothing_unless_alone_or_quoted),
        cmocka_unit_test(a_query_without_a_word_has_no_terms),
        cmocka_unit_test(a_quotation_is_a_phrase_only_as_the_whole_query),
        cmocka_unit_test(a_long_query_is_read_as_far_as_it_says_something),
        cmocka_unit_test(a_stem_is_the_same_whatever_was_asked_before),
        cmocka_unit_test(rows_of_parts_are_found_where_they_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
