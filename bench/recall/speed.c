/* speed.c - R13: how long a search takes, beside FTS5 with the same rows in the same run.
 *
 *   speed [--rows N] [--dir DIR]
 *
 * Notes of thirty words are drawn from a vocabulary in which the second word is half as frequent as
 * the first, the third a third as frequent, and so on.  Both sides are asked the same queries of 1,
 * 3 and 8 words, in turns, and give ten rows; neither reads the texts.  Searches go through the
 * whole of search_find, which looks each time whether the pad has changed. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "memory/search/search.h"

enum { WORDS = 20000, NOTE_WORDS = 30, QUERIES = 200, PER_DAY = 40 };

typedef struct Corpus {
    double reach[WORDS]; /* shares of the words up to this one */
    uint64_t chance;
    char text[NOTE_WORDS * 16];
} Corpus;

static double draw(Corpus *c)
{
    c->chance = c->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(c->chance >> 11) / (double)(UINT64_C(1) << 53);
}

static void corpus_init(Corpus *c)
{
    double sum = 0;
    c->chance = 1;
    for (unsigned i = 0; i < WORDS; i++)
        c->reach[i] = sum += 1.0 / (i + 1);
    for (unsigned i = 0; i < WORDS; i++)
        c->reach[i] /= sum;
}

/* Letters that no stemmer shortens; the more frequent, the shorter. */
static size_t add_word(unsigned word, char *to)
{
    size_t n = 0;
    for (unsigned x = word + 30; x; x /= 20)
        to[n++] = "bcdfghjklmnpqrtvwxza"[x % 20];
    to[n++] = 'o';
    return n;
}

static unsigned draw_word(Corpus *c)
{
    double x = draw(c);
    unsigned low = 0, high = WORDS - 1;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (c->reach[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Str draw_text(Corpus *c, unsigned words)
{
    size_t n = 0;
    for (unsigned i = 0; i < words; i++) {
        if (i)
            c->text[n++] = ' ';
        n += add_word(draw_word(c), c->text + n);
    }
    return (Str){ c->text, n };
}

typedef struct Sides {
    Memory m;
    Search *search;
    sqlite3 *sql;
    sqlite3_stmt *add, *find;
    Corpus corpus;
    uint64_t bytes; /* of all texts */
} Sides;

static void run_sql(Sides *s, const char *text)
{
    if (sqlite3_exec(s->sql, text, NULL, NULL, NULL) != SQLITE_OK)
        die("FTS5: %s", sqlite3_errmsg(s->sql));
}

static void prepare(Sides *s, const char *sql, sqlite3_stmt **out)
{
    if (sqlite3_prepare_v2(s->sql, sql, -1, out, NULL) != SQLITE_OK)
        die("FTS5: %s", sqlite3_errmsg(s->sql));
}

static void open_sides(Sides *s, Str url, const char *dir)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    MemoryOptions o = { .by = S("bench"), .create = true };
    must_ok(memory_open(&s->m, url, &o, &e), &e, "open a pad");
    must_ok(search_open(&s->search, &s->m, NULL, &e), &e, "open the search");
    must(sqlite3_open(arena_printf(&arena, "%s/fts.db", dir).p, &s->sql) == SQLITE_OK,
         "open SQLite");
    run_sql(s, "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')");
    prepare(s, "INSERT INTO t(x) VALUES(?1)", &s->add);
    prepare(s, "SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY bm25(t) LIMIT 10", &s->find);
}

static void write_notes(Sides *s, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        NoteName name;
        Mark mark;
        Err e = { 0 };
        Draft d = { .op = OP_PUT, .by = S("bench"), .body = draw_text(&s->corpus, NOTE_WORDS) };
        d.at_ms = (int64_t)(UINT64_C(1600000000000) + i * (24 * 3600 * 1000 / PER_DAY));
        must_ok(store_append(s->m.store, note_name(&name, i), NULL, &d, &mark, &e), &e, "write");
        s->bytes += d.body.n;
    }
}

static Str query_for_fts(Str words, Arena *into)
{
    AUTO(Buf) to = { 0 };
    Str rest = words, word;
    for (bool more = true; more;) {
        more = str_cut(&rest, ' ', &word);
        Str one = more ? word : rest;
        buf_addf(&to, "%s\"" STR_FMT "\"", to.n ? " OR " : "", STR_ARG(one));
    }
    return arena_copy(into, buf_str(&to));
}

static double ask_jotter(Sides *s, Str query)
{
    AUTO(Arena) arena = { 0 };
    Hits hits;
    Err e = { 0 };
    SearchQuery q = { .text = query, .bare = true };
    double from = now_us();
    must_ok(search_find(s->search, &q, &arena, &hits, &e), &e, "search");
    return now_us() - from;
}

static double ask_fts(Sides *s, Str query)
{
    AUTO(Arena) arena = { 0 };
    Str text = query_for_fts(query, &arena);
    double from = now_us();
    sqlite3_bind_text(s->find, 1, text.p, (int)text.n, SQLITE_STATIC);
    while (sqlite3_step(s->find) == SQLITE_ROW)
        (void)sqlite3_column_int64(s->find, 0);
    sqlite3_reset(s->find);
    return now_us() - from;
}

static void measure_words(Sides *s, unsigned words, double sums[2])
{
    static double jotter[QUERIES], fts[QUERIES];
    for (int i = 0; i < QUERIES; i++) {
        AUTO(Arena) arena = { 0 };
        Str query = arena_copy(&arena, draw_text(&s->corpus, words));
        jotter[i] = ask_jotter(s, query);
        fts[i] = ask_fts(s, query);
    }
    double mean[2] = { 0, 0 };
    for (int i = 0; i < QUERIES; i++) {
        mean[0] += jotter[i] / QUERIES;
        mean[1] += fts[i] / QUERIES;
    }
    double ours = median(jotter, QUERIES), theirs = median(fts, QUERIES);
    printf("%u words: jotter mean %.0f us, median %.0f us; fts5 mean %.0f us, median %.0f us; "
           "ratio of means %.3f\n",
           words, mean[0], ours, mean[1], theirs, mean[0] / mean[1]);
    sums[0] += mean[0];
    sums[1] += mean[1];
}

static void measure_build(Sides *s, uint64_t rows)
{
    Err e = { 0 };
    double from = now_us();
    must_ok(search_rebuild(s->search, &e), &e, "make the index");
    double ours = now_us() - from;
    uint64_t again = s->corpus.chance;
    s->corpus.chance = 1;
    from = now_us();
    run_sql(s, "BEGIN");
    for (uint64_t i = 0; i < rows; i++) {
        Str text = draw_text(&s->corpus, NOTE_WORDS);
        sqlite3_bind_text(s->add, 1, text.p, (int)text.n, SQLITE_STATIC);
        must(sqlite3_step(s->add) == SQLITE_DONE, "add a row");
        sqlite3_reset(s->add);
    }
    run_sql(s, "COMMIT");
    double theirs = now_us() - from;
    s->corpus.chance = again;
    printf("build: jotter %.0f notes/s (reading them from the pad), fts5 %.0f notes/s\n",
           (double)rows / ours * 1e6, (double)rows / theirs * 1e6);
}

static void measure_open(Sides *s, const char *dir)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Str path;
    search_close(s->search);
    must_ok(search_open(&s->search, &s->m, NULL, &e), &e, "open the search");
    double first = ask_jotter(s, S("bobo cofo"));
    double second = ask_jotter(s, S("bobo cofo"));
    must_ok(store_index_path(s->m.store, &arena, &path, &e), &e, "find the index");
    printf("first search after open: %.0f us, the same again: %.0f us\n", first, second);
    if (path.n)
        printf("index: %.2f of the text\n", (double)tree_bytes(path.p) / (double)s->bytes);
    (void)dir;
}

int main(int argc, char **argv)
{
    static const struct option options[] = { { "rows", required_argument, NULL, 'n' },
                                             { "dir", required_argument, NULL, 'd' },
                                             { 0 } };
    static Sides s;
    uint64_t rows = 100000;
    const char *dir = "/tmp";
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        if (c == 'n')
            rows = strtoull(optarg, NULL, 10);
        else
            dir = optarg;
    }
    AUTO(Arena) arena = { 0 };
    const char *room = arena_printf(&arena, "%s/jotter-speed-XXXXXX", dir).p;
    must(mkdtemp((char *)(uintptr_t)room) != NULL, "make a directory");
    corpus_init(&s.corpus);
    open_sides(&s, arena_printf(&arena, "sqlite:%s/pad.db", room), room);
    write_notes(&s, rows);
    measure_build(&s, rows);
    measure_open(&s, room);
    double sums[2] = { 0, 0 };
    measure_words(&s, 1, sums);
    measure_words(&s, 3, sums);
    measure_words(&s, 8, sums);
    printf("mean over 1, 3 and 8 words: %.3f of FTS5\n", sums[0] / sums[1]);
    sqlite3_finalize(s.add);
    sqlite3_finalize(s.find);
    sqlite3_close(s.sql);
    search_close(s.search);
    memory_close(&s.m);
    remove_tree(room);
    return 0;
}
