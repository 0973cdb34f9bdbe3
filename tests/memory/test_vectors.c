/* test_vectors.c - a table of word vectors: read, refused, and used by a search.
 *
 * The table is a small one, made here: kitten and cat point one way, car and truck another. */
#include "memory/search/vectors.h"

#include <endian.h>

#include "base/hash.h"
#include "memory/search_desk.h"

typedef struct Piece {
    const char *text;
    signed char first, second; /* its first two columns; the others are 0 */
} Piece;

/* In byte order. */
static const Piece pieces[] = {
    { " bread", 20, 90 },  { " car", 0, 100 },   { " cat", 100, 5 }, { " kitten", 95, 10 },
    { " sleeps", 60, 60 }, { " truck", 5, 100 }, { " un", 10, 10 },  { "cat", 40, 0 },
};

static void add_u32(Buf *to, uint32_t x)
{
    x = htole32(x);
    buf_add(to, (Str){ (const char *)&x, sizeof x });
}

static void make_table(Buf *to)
{
    uint32_t at = 0;
    for (size_t i = 0; i < COUNT_OF(pieces); i++)
        at += (uint32_t)strlen(pieces[i].text);
    buf_add(to, S("jotvec1\n"));
    add_u32(to, COUNT_OF(pieces));
    add_u32(to, VECTOR_COLUMNS);
    add_u32(to, at);
    add_u32(to, 0);
    for (size_t c = 0; c < VECTOR_COLUMNS; c++)
        buf_add(to, (Str){ "\0\1", 2 }); /* 256 */
    at = 0;
    for (size_t i = 0; i <= COUNT_OF(pieces); i++) {
        add_u32(to, at);
        at += i < COUNT_OF(pieces) ? (uint32_t)strlen(pieces[i].text) : 0;
    }
    for (size_t i = 0; i < COUNT_OF(pieces); i++)
        buf_add(to, str(pieces[i].text));
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        char row[VECTOR_COLUMNS] = { (char)pieces[i].first, (char)pieces[i].second };
        buf_add(to, (Str){ row, sizeof row });
    }
    Hash sum = hash_of(buf_str(to));
    buf_add(to, (Str){ (const char *)&sum, sizeof sum });
}

/* The table as a file of the desk, named by the environment. */
static void put(Desk *d, Str bytes)
{
    Str path = arena_printf(&d->a, "%s/words.vectors", d->dir);
    FILE *f = fopen(path.p, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(setenv("JOTTER_VECTORS", path.p, 1), 0);
}

static void put_table(Desk *d)
{
    AUTO(Buf) table = { 0 };
    make_table(&table);
    put(d, buf_str(&table));
}

static void a_word_is_put_together_from_the_longest_pieces(Desk *d)
{
    Vectors *v = NULL;
    Vector cat, other;
    put_table(d);
    desk_ok(d, vectors_open(&v, &d->e));
    assert_int_equal(vectors_pieces(v), COUNT_OF(pieces));
    assert_true(vectors_word(v, S("cat"), &cat));
    assert_int_equal(cat.of[0], 100 * 256 / 16);
    assert_true(vectors_word(v, S("uncat"), &other)); /* " un" and "cat", in the middle */
    assert_int_equal(other.of[0], (10 + 40) * 256 / 16 / 2);
    assert_false(vectors_word(v, S("zebra"), &other));
    assert_false(vectors_word(v, S(""), &other));
    AUTO(Buf) endless = { 0 };
    while (endless.n < 5000)
        buf_add(&endless, S("cat"));
    assert_true(vectors_word(v, buf_str(&endless), &other));
    vectors_close(v);
}

static void a_table_that_is_not_whole_is_refused(Desk *d)
{
    AUTO(Buf) table = { 0 };
    make_table(&table);
    for (size_t i = 0; i < table.n; i++) {
        Vectors *v = NULL;
        table.p[i] ^= 0x20;
        put(d, buf_str(&table));
        desk_expect(d, JOT_CORRUPT, vectors_open(&v, &d->e));
        assert_null(v);
        table.p[i] ^= 0x20;
        put(d, str_slice(buf_str(&table), 0, i));
        desk_expect(d, JOT_CORRUPT, vectors_open(&v, &d->e));
    }
}

/* Sizes that would lead out of the file, under a right checksum. */
static void a_table_that_says_nonsense_is_refused(Desk *d)
{
    for (size_t at = 8; at < 24 + 128 + 4 * (COUNT_OF(pieces) + 1); at += at < 24 ? 4 : 4) {
        AUTO(Buf) table = { 0 };
        Vectors *v = NULL;
        make_table(&table);
        if (at == 20 || (at >= 24 && at < 24 + 128))
            continue; /* what is not used, and weights, which may be any */
        uint32_t nonsense = htole32(0xFFFFFFF0);
        memcpy(table.p + at, &nonsense, sizeof nonsense);
        Hash sum = hash_of(str_slice(buf_str(&table), 0, table.n - sizeof(Hash)));
        memcpy(table.p + table.n - sizeof sum, &sum, sizeof sum);
        put(d, buf_str(&table));
        desk_expect(d, JOT_CORRUPT, vectors_open(&v, &d->e));
    }
}

static void talk(Desk *d)
{
    step(d, "runs/one", "{\"kind\":\"answer\"}", "the kitten sleeps");
    step(d, "runs/two", "{\"kind\":\"answer\"}", "a truck with bread");
    step(d, "runs/three", "{\"kind\":\"answer\"}", "nothing of that");
}

static void a_search_finds_what_means_the_like(Desk *d)
{
    talk(d);
    put_table(d);
    Search *s = begin(d, &d->m);
    Hits h;
    desk_ok(d,
            search_find(s, &(SearchQuery){ .text = S("cat"), .explain = true }, &d->a, &h, &d->e));
    assert_true(h.n >= 1);
    assert_text(h.items[0].stream, "runs/one");
    assert_string_equal(h.items[0].parts[0].what, "means the like");
    desk_ok(d, search_find(s, &(SearchQuery){ .text = S("car") }, &d->a, &h, &d->e));
    assert_true(h.n >= 1);
    assert_text(h.items[0].stream, "runs/two");
    search_close(s);
}

static void without_a_table_words_alone_count(Desk *d)
{
    talk(d);
    assert_int_equal(unsetenv("JOTTER_VECTORS"), 0);
    Search *s = begin(d, &d->m);
    assert_int_equal(find(d, s, "cat").n, 0);
    assert_finds(d, s, "kitten", "runs/one");
    search_close(s);
    put(d, S("nonsense"));
    s = begin(d, &d->m);
    assert_int_equal(find(d, s, "cat").n, 0);
    assert_finds(d, s, "kitten", "runs/one");
    search_close(s);
}

static void what_is_written_after_a_search_is_found_by_the_next(Desk *d)
{
    talk(d);
    put_table(d);
    Search *s = begin(d, &d->m);
    assert_text(find(d, s, "car").items[0].stream, "runs/two");
    drop(d, "runs/two");
    step(d, "runs/four", "{\"kind\":\"answer\"}", "the truck");
    Hits h = find(d, s, "car");
    assert_true(h.n >= 1);
    assert_text(h.items[0].stream, "runs/four");
    for (size_t i = 0; i < h.n; i++)
        assert_false(str_eq(h.items[i].stream, S("runs/two")));
    search_close(s);
}

static const DeskTest tests[] = {
    DESK_TEST(a_word_is_put_together_from_the_longest_pieces),
    DESK_TEST(a_table_that_is_not_whole_is_refused),
    DESK_TEST(a_table_that_says_nonsense_is_refused),
    DESK_TEST(a_search_finds_what_means_the_like),
    DESK_TEST(without_a_table_words_alone_count),
    DESK_TEST(what_is_written_after_a_search_is_found_by_the_next),
};

int main(void)
{
    return desk_run_on("files", tests, COUNT_OF(tests));
}
