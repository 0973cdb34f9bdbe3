/* recall.c - how much of the evidence a search finds, beside plain FTS5.
 *
 *   recall [--engine ENGINE] [--run FILE] [--by-category] [--mixed] [--floor PERCENT] FOLDER...
 *
 * Each folder (set.h) is loaded as people use the pad: turns as records of one run a session, by
 * their speaker; notes as notes, artifacts as artifacts, one after the other and with the times
 * they were made at.  A question sees what was there before it.  The same rows go into a plain
 * FTS5 table (porter stems, stop words left out, terms joined by OR, its own bm25), which is asked
 * the same questions in the same run.
 *
 * Where the engine has a place for it (--engine sqlite or files), the size of the index beside that
 * of the texts is shown.
 *
 * With --mixed the rows of all other folders are in the pad, too, as in one where runs, notes and
 * artifacts lie side by side: what is lost then was pushed out by hits of another kind.
 *
 * --run writes `qid TAB id TAB score` for other scorers; with --floor a set of which less is found
 * among the first ten rows (R@10) is a failure. */
#include <getopt.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/recall/score.h"
#include "bench/recall/set.h"
#include "memory/search/query.h"
#include "memory/search/search.h"

enum { GAP_MS = 2 * 3600 * 1000 }; /* between two sessions of one day */

/* Names of rows that another set brought begin so; no session does. */
#define MARK "beside"
static const size_t NOBODYS = SIZE_MAX; /* the row of such a hit */

typedef struct Options {
    const char *engine;
    FILE *run; /* NULL: none */
    bool by_category;
    Set *sets; /* with --mixed: all of them; else NULL */
    size_t sets_n;
    double floor; /* R@10 in percent */
    bool below;   /* a set was below it */
} Options;

/* A collection, loaded on both sides. */
typedef struct Loaded {
    const Set *set;
    const Options *options;
    char dir[64];
    Memory m;
    Search *search;
    sqlite3 *sql;
    sqlite3_stmt *add, *find;
    char mark[32];  /* in front of names that are not of the set that is asked */
    size_t base;    /* rows of others that FTS5 has */
    size_t next;    /* row to load */
    int64_t now_ms; /* of the row loaded last */
} Loaded;

/* --- Loading ----------------------------------------------------------------------------- */

/* The stream a row goes to.  Names say nothing: what is found is found by its text. */
static Str stream_of(const Loaded *l, size_t row, Arena *into)
{
    const Row *r = &l->set->rows[row];
    switch (l->set->kind) {
    case ROW_TURN:
        if (l->mark[0]) /* collections may have sessions of the same name */
            return arena_printf(into, "runs/%s" STR_FMT "-" STR_FMT, l->mark, STR_ARG(r->cid),
                                STR_ARG(r->session));
        return arena_printf(into, "runs/" STR_FMT, STR_ARG(r->session));
    case ROW_NOTE:
        return arena_printf(into, "notes/%sn%zu", l->mark, row);
    case ROW_ARTIFACT:
        return arena_printf(into, "artifacts/rows/%sr%zu", l->mark, row);
    }
    die("a row without a kind");
}

static Str json_written(Str text, Arena *into)
{
    json_t *value = json_stringn(text.p, text.n);
    char *written = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    must(written != NULL, "write JSON");
    Str out = arena_copy(into, str(written));
    free(written);
    return out;
}

static void add_fts(Loaded *l, size_t row)
{
    Str text = l->set->rows[row].text;
    sqlite3_bind_int64(l->add, 1, (sqlite3_int64)(l->base + row) + 1);
    sqlite3_bind_text(l->add, 2, text.p, (int)text.n, SQLITE_STATIC);
    if (sqlite3_step(l->add) != SQLITE_DONE)
        die("FTS5: %s", sqlite3_errmsg(l->sql));
    sqlite3_reset(l->add);
}

static int64_t time_of(Loaded *l, size_t row)
{
    const Row *r = &l->set->rows[row];
    bool first = row == 0 || !str_eq(r->session, r[-1].session);
    int64_t least = l->now_ms + (first && r->at_ms ? GAP_MS : 1000);
    return l->now_ms = r->at_ms > least ? r->at_ms : least;
}

static void add_row(Loaded *l, size_t row)
{
    AUTO(Arena) arena = { 0 };
    const Row *r = &l->set->rows[row];
    bool turn = l->set->kind == ROW_TURN;
    Mark mark;
    Err e = { 0 };
    Draft d = { .op = turn ? OP_APPEND : OP_PUT,
                .by = r->speaker.n ? r->speaker : S("bench"),
                .meta = turn ? S("{\"kind\":\"thinking\"}") : (Str){ 0 },
                .body = l->set->kind == ROW_ARTIFACT ? json_written(r->text, &arena) : r->text,
                .at_ms = time_of(l, row) };
    Str stream = stream_of(l, row, &arena);
    must_ok(store_append(l->m.store, stream, NULL, &d, &mark, &e), &e, "load a row");
    add_fts(l, row);
}

/* Rows that are there before a question. */
static void load_until(Loaded *l, Str cid, int64_t before)
{
    for (; l->next < l->set->rows_n; l->next++) {
        const Row *r = &l->set->rows[l->next];
        if (!str_eq(r->cid, cid) || r->seq >= before)
            break;
        add_row(l, l->next);
    }
}

static void prepare(Loaded *l, const char *sql, sqlite3_stmt **out)
{
    if (sqlite3_prepare_v2(l->sql, sql, -1, out, NULL) != SQLITE_OK)
        die("FTS5: %s", sqlite3_errmsg(l->sql));
}

/* The rows of all other sets; FTS5 has them after those of this one. */
static void load_others(const Loaded *l)
{
    size_t base = l->set->rows_n;
    for (size_t i = 0; i < l->options->sets_n; i++) {
        Loaded other = *l;
        other.set = &l->options->sets[i];
        if (strcmp(other.set->name, l->set->name) == 0)
            continue;
        other.base = base;
        snprintf(other.mark, sizeof other.mark, MARK "%zu-", i);
        for (size_t row = 0; row < other.set->rows_n; row++)
            add_row(&other, row);
        base += other.set->rows_n;
    }
}

static void open_sides(Loaded *l, Str cid)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    snprintf(l->dir, sizeof l->dir, "%s/jotter-recall-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"); /* syncs tell nothing */
    must(mkdtemp(l->dir) != NULL, "make a directory");
    bool mem = strcmp(l->options->engine, "mem") == 0;
    Str url = mem ? S("mem:") : arena_printf(&arena, "%s:%s/pad", l->options->engine, l->dir);
    must_ok(memory_open(&l->m, url, &(MemoryOptions){ .by = S("bench"), .create = true }, &e), &e,
            "open a pad");
    must_ok(search_open(&l->search, &l->m, NULL, &e), &e, "open the search");
    must(sqlite3_open(":memory:", &l->sql) == SQLITE_OK, "open SQLite");
    sqlite3_exec(l->sql, "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')", NULL,
                 NULL, NULL);
    prepare(l, "INSERT INTO t(rowid, x) VALUES(?1, ?2)", &l->add);
    prepare(l, "SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY bm25(t), rowid LIMIT ?2", &l->find);
    load_others(l);
    while (l->next < l->set->rows_n && !str_eq(l->set->rows[l->next].cid, cid))
        l->next++;
}

static void close_sides(Loaded *l)
{
    sqlite3_finalize(l->add);
    sqlite3_finalize(l->find);
    sqlite3_close(l->sql);
    search_close(l->search);
    memory_close(&l->m);
    remove_tree(l->dir);
}

/* --- Asking ------------------------------------------------------------------------------ */

typedef struct Answer {
    size_t rows[SCORE_DEPTH];
    size_t n;
} Answer;

/* The row a hit stands for: the number is in the name, or its place in the run. */
static size_t row_of_hit(const Loaded *l, const Hit *h, Str cid)
{
    Str name = str_from(h->stream, str_find_last(h->stream, '/') + 1);
    if (str_starts(name, S(MARK)))
        return NOBODYS;
    if (l->set->kind != ROW_TURN)
        return (size_t)strtoull(h->stream.p + str_find_last(h->stream, '/') + 2, NULL, 10);
    Str session = str_from(h->stream, sizeof "runs/" - 1);
    uint64_t seq = 0;
    for (size_t i = 0; i < l->next; i++) {
        const Row *r = &l->set->rows[i];
        seq += str_eq(r->cid, cid) && str_eq(r->session, session);
        if (seq == h->seq)
            return i;
    }
    die("a hit that was never loaded");
}

static Answer ask_jotter(Loaded *l, const Question *q)
{
    AUTO(Arena) arena = { 0 };
    Answer a = { 0 };
    Hits hits = { 0 };
    Err e = { 0 };
    SearchQuery asked = { .text = q->text, .limit = SCORE_DEPTH };
    if (search_find(l->search, &asked, &arena, &hits, &e) != JOT_OK)
        return a; /* a refused question found nothing */
    for (size_t i = 0; i < hits.n; i++) {
        a.rows[a.n++] = row_of_hit(l, &hits.items[i], q->cid);
        if (l->options->run && a.rows[a.n - 1] != NOBODYS)
            fprintf(l->options->run, STR_FMT "\t" STR_FMT "\t%.9g\n", STR_ARG(q->qid),
                    STR_ARG(l->set->rows[a.rows[a.n - 1]].id), hits.items[i].score);
    }
    return a;
}

/* The words of a question as FTS5 takes them, joined by OR. */
static void write_fts(Str text, bool all, Buf *to)
{
    AUTO(Words) words;
    Chunk c;
    words_init(&words, text);
    while (words_next(&words, &c))
        for (size_t i = 0; i < c.parts_n; i++)
            if (all || !query_is_common(c.parts[i].text))
                buf_addf(to, "%s\"" STR_FMT "\"", to->n ? " OR " : "", STR_ARG(c.parts[i].text));
}

static Answer ask_fts(Loaded *l, const Question *q)
{
    AUTO(Buf) words = { .max = 1 << 20 };
    Answer a = { 0 };
    write_fts(q->text, false, &words);
    if (words.n == 0)
        write_fts(q->text, true, &words);
    sqlite3_bind_text(l->find, 1, words.p, (int)words.n, SQLITE_STATIC);
    sqlite3_bind_int(l->find, 2, SCORE_DEPTH);
    while (words.n && sqlite3_step(l->find) == SQLITE_ROW)
        a.rows[a.n++] = (size_t)sqlite3_column_int64(l->find, 0) - 1;
    sqlite3_reset(l->find);
    return a;
}

/* --- Telling ----------------------------------------------------------------------------- */

typedef struct Sums {
    Str cat;
    bool apart;
    size_t n;
    Score jotter, fts;
} Sums;

enum { CATEGORIES_MAX = 32 };

typedef struct Table {
    Sums all, by[CATEGORIES_MAX];
    size_t n;
    double index_bytes, text_bytes;
} Table;

static Sums *sums_of(Table *t, const Question *q)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_eq(t->by[i].cat, q->cat))
            return &t->by[i];
    if (t->n == CATEGORIES_MAX)
        die("more than %d categories", CATEGORIES_MAX);
    t->by[t->n] = (Sums){ .cat = q->cat, .apart = q->apart };
    return &t->by[t->n++];
}

static void print_side(const char *side, const Score *s, size_t n)
{
    static const char *const names[] = { "R@1", "R@5", "R@10", "R@25", "nDCG@10", "MRR@10" };
    printf("  %-7s", side);
    for (size_t i = 0; i < SCORES; i++)
        printf("  %s %5.1f", names[i], 100 * s->of[i] / (double)n);
    printf("\n");
}

static void print_sums(const Sums *s, const char *name)
{
    if (s->n == 0)
        return;
    printf("%s (%zu questions)\n", name, s->n);
    print_side("jotter", &s->jotter, s->n);
    print_side("fts5", &s->fts, s->n);
}

static void print_table(const Table *t, const Set *set, const Options *o)
{
    print_sums(&t->all, set->name);
    if (t->index_bytes > 0 && !o->sets)
        printf("  the index has %.2f of the texts' bytes\n", t->index_bytes / t->text_bytes);
    for (size_t i = 0; i < t->n; i++) {
        if (!o->by_category && !t->by[i].apart)
            continue;
        AUTO(Arena) arena = { 0 };
        print_sums(&t->by[i],
                   arena_printf(&arena, "%s: " STR_FMT, set->name, STR_ARG(t->by[i].cat)).p);
    }
    fflush(stdout);
}

static void count(Table *t, const Question *q, const Score *jotter, const Score *fts)
{
    Sums *both[] = { sums_of(t, q), q->apart ? NULL : &t->all };
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        if (!both[i])
            continue;
        both[i]->n++;
        score_add(&both[i]->jotter, jotter);
        score_add(&both[i]->fts, fts);
    }
}

/* The index of one collection, as small as it gets, and the texts in it. */
static void weigh_index(Loaded *l, Str cid, Table *t)
{
    AUTO(Arena) arena = { 0 };
    Str path;
    Err e = { 0 };
    must_ok(store_index_path(l->m.store, &arena, &path, &e), &e, "find the index");
    if (path.n == 0)
        return;
    must_ok(search_rebuild(l->search, &e), &e, "make the index");
    t->index_bytes += (double)tree_bytes(path.p);
    for (size_t i = 0; i < l->next; i++)
        if (str_eq(l->set->rows[i].cid, cid))
            t->text_bytes += (double)l->set->rows[i].text.n;
}

static void measure(const Set *set, Options *o)
{
    Table table = { 0 };
    for (size_t i = 0; i < set->questions_n;) {
        Loaded l = { .set = set, .options = o };
        Str cid = set->questions[i].cid;
        open_sides(&l, cid);
        for (; i < set->questions_n && str_eq(set->questions[i].cid, cid); i++) {
            const Question *q = &set->questions[i];
            load_until(&l, cid, q->before);
            Answer ours = ask_jotter(&l, q), plain = ask_fts(&l, q);
            Score jotter = score_list(ours.rows, ours.n, q->gold, q->gold_n);
            Score fts = score_list(plain.rows, plain.n, q->gold, q->gold_n);
            count(&table, q, &jotter, &fts);
        }
        weigh_index(&l, cid, &table);
        close_sides(&l);
    }
    print_table(&table, set, o);
    if (table.all.n && 100 * table.all.jotter.of[SCORE_AT_10] / (double)table.all.n < o->floor) {
        printf("%s is below %.1f\n", set->name, o->floor);
        o->below = true;
    }
}

/* All folders, each by itself or each beside the others. */
static void measure_all(char **folders, size_t n, bool mixed, Options *o)
{
    AUTO(Arena) arena = { 0 };
    Set *sets = NEW_ARRAY(&arena, Set, n + 1);
    for (size_t i = 0; i < n; i++)
        set_read(&sets[i], folders[i]);
    if (mixed) {
        o->sets = sets;
        o->sets_n = n;
    }
    for (size_t i = 0; i < n; i++)
        measure(&sets[i], o);
    for (size_t i = 0; i < n; i++)
        set_free(&sets[i]);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "engine", required_argument, NULL, 'e' }, { "run", required_argument, NULL, 'r' },
        { "by-category", no_argument, NULL, 'c' },  { "mixed", no_argument, NULL, 'm' },
        { "floor", required_argument, NULL, 'f' },  { 0 }
    };
    Options o = { .engine = "mem" };
    bool mixed = false;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == '?')
            return 2;
        if (c == 'e')
            o.engine = optarg;
        o.by_category = o.by_category || c == 'c';
        mixed = mixed || c == 'm';
        if (c == 'f')
            o.floor = strtod(optarg, NULL);
        if (c == 'r')
            must((o.run = fopen(optarg, "we")) != NULL, optarg);
    }
    if (optind == argc) {
        fprintf(stderr, "usage: recall [--engine ENGINE] [--run FILE] [--by-category] [--mixed] "
                        "[--floor PERCENT] FOLDER...\n");
        return 2;
    }
    measure_all(argv + optind, (size_t)(argc - optind), mixed, &o);
    if (o.run)
        fclose(o.run);
    return o.below;
}
