/* test_search_order.c - the same pad gives the same list with the same scores, however its rows
 * came into the index.
 *
 * Documents and runs are written, rewritten, deleted, redacted and purged at
 * random, by people, too.  Times are seldom in order and often equal, and lie so
 * that what comes late joins two sessions or falls on the edge of one.  Handles
 * search in between, as late as they like, and write each other's files; some
 * are closed and opened again.  Each time four of them are compared, to the last
 * part of every score: two that were there all along, a fresh one on the files,
 * and one that reads everything anew into memory. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/search_desk.h"
#include "rig/volume.h"

enum { STREAMS = 12, ROUNDS = 60, STEPS = 9, SLOT_MS = 20 * 60 * 1000 };

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

static const char *const words[] = {
    "pear",        "plum",   "tree", "May 2023", "Ann said", "where?", "parseConfig", "restore",
    "last Friday", "数据库", "went", "going",    "12 boxes", "the",    "backups"
};

static Str some_text(Desk *d, Chance *c)
{
    AUTO(Buf) text = { 0 };
    static const char *const begins[] = { "", "[plan] ", "Bob: ", "# heading\n",
                                          "def f(x):\n    " };
    buf_addf(&text, "%s", begins[draw(c, COUNT_OF(begins))]);
    for (unsigned n = 1 + draw(c, 12); n; n--)
        buf_addf(&text, "%s ", words[draw(c, COUNT_OF(words))]);
    return arena_copy(&d->a, buf_str(&text));
}

static void write_one(Desk *d, Chance *c)
{
    static const char *const kinds[] = { "notes/n-", "memories/m", "artifacts/x/a", "runs/r" };
    unsigned kind = draw(c, COUNT_OF(kinds));
    char name[32];
    snprintf(name, sizeof name, "%s%u", kinds[kind], draw(c, STREAMS));
    Mark m;
    Draft draft = { .op = kind == 3 ? OP_APPEND : OP_PUT,
                    .by = draw(c, 2) ? S("ann") : S("bob"),
                    .body = some_text(d, c),
                    .at_ms = (d->now_ms / SLOT_MS - (int64_t)draw(c, 40)) * SLOT_MS };
    d->now_ms += draw(c, 3) ? 1000 : 7200 * 1000;
    switch (draw(c, 12)) {
    case 0:
        draft = (Draft){ .op = OP_DELETE };
        (void)!memory_append(&d->m, str(name), NULL, &draft, &m, NULL);
        return;
    case 1:
        (void)!memory_purge(&d->m, str(name), &m, NULL);
        return;
    case 2:
        (void)!memory_redact(&d->m, str(name), 1 + draw(c, 3), NULL);
        return;
    default:
        desk_ok(d, store_append(d->m.store, str(name), NULL, &draft, &m, &d->e));
    }
}

/* Names, records, times, scores and their parts of all hits. */
static Str listed(Desk *d, Search *s, const char *query)
{
    AUTO(Buf) all = { 0 };
    Hits h;
    SearchQuery q = { .text = str(query), .limit = 100, .bare = true, .explain = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    for (size_t i = 0; i < h.n; i++) {
        buf_addf(&all, STR_FMT " %llu %lld %.9f", STR_ARG(h.items[i].stream),
                 (unsigned long long)h.items[i].seq, (long long)h.items[i].at_ms, h.items[i].score);
        for (size_t k = 0; k < h.items[i].parts_n; k++)
            buf_addf(&all, " %s %.9f", h.items[i].parts[k].what, h.items[i].parts[k].points);
        buf_add_char(&all, '\n');
    }
    return arena_copy(&d->a, buf_str(&all));
}

static Str anew(Desk *d, const char *query)
{
    Memory reader = { 0 };
    MemoryOptions o = { .io = &d->io, .by = S("eve"), .read_only = true };
    desk_ok(d, memory_open(&reader, str(d->url), &o, &d->e));
    Search *s = begin(d, &reader);
    Str found = listed(d, s, query);
    search_close(s);
    memory_close(&reader);
    return found;
}

/* A handle as another process has it: how lately people's files were looked at is known to a pad's
 * handle, not to the pad. */
typedef struct Other {
    Memory m;
    Search *search;
} Other;

static Other other_open(Desk *d)
{
    return (Other){ .m = desk_open(d, "eve") };
}

static Search *search_in(Desk *d, Other *o)
{
    if (!o->search)
        o->search = begin(d, &o->m);
    return o->search;
}

static void other_close(Other *o)
{
    search_close(o->search);
    memory_close(&o->m);
    *o = (Other){ 0 };
}

/* Two that stay. */
typedef struct Pair {
    Other of[2];
} Pair;

static void pair_open(Desk *d, Pair *p)
{
    for (size_t i = 0; i < COUNT_OF(p->of); i++)
        p->of[i] = other_open(d);
}

static void pair_close(Pair *p)
{
    for (size_t i = 0; i < COUNT_OF(p->of); i++)
        other_close(&p->of[i]);
}

/* Hit by hit, so that the first that differs is shown. */
static void assert_same(Str got, Str want)
{
    Str a, b;
    while (str_cut(&want, '\n', &b)) {
        assert_true(str_cut(&got, '\n', &a));
        assert_str(a, b);
    }
    assert_str(got, want);
}

static void compare(Desk *d, Pair *p, const char *query)
{
    Other fresh = other_open(d);
    Str want = anew(d, query);
    for (size_t i = 0; i < COUNT_OF(p->of); i++)
        assert_same(listed(d, search_in(d, &p->of[i]), query), want);
    assert_same(listed(d, search_in(d, &fresh), query), want);
    other_close(&fresh);
}

static bool is_recorded(Desk *d, Str stream)
{
    Records one;
    return store_read(d->m.store, stream, (SeqRange){ 1, 1 }, &d->a, &one, NULL) == JOT_OK;
}

/* A person writes the file of a note, touches it, or removes it; handles that are open look for
 * that now and then only, so all are opened again.  A file that came and went before anybody
 * recorded it leaves nothing to look at, so such a one stays. */
static void edit_one(Desk *d, Chance *c, Pair *p)
{
    unsigned note = draw(c, STREAMS), how = draw(c, 4);
    Str path = arena_printf(&d->a, "%s/pad/notes/n-%u.txt", d->dir, note);
    Str text = some_text(d, c);
    pair_close(p);
    if (how == 0) {
        if (is_recorded(d, arena_printf(&d->a, "notes/n-%u", note)))
            (void)unlink(path.p);
    } else if (how == 1) {
        (void)utimensat(AT_FDCWD, path.p, NULL, 0);
    } else {
        FILE *f = fopen(path.p, "we");
        assert_non_null(f);
        assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
        assert_int_equal(fclose(f), 0);
    }
    desk_reopen(d);
    pair_open(d, p);
}

/* What handles do beside being asked. */
static void stir(Desk *d, Chance *c, Pair *p, const char *query)
{
    Other *one = &p->of[draw(c, COUNT_OF(p->of))];
    switch (draw(c, 5)) {
    case 0:
        desk_ok(d, search_rebuild(search_in(d, one), &d->e));
        return;
    case 1:
        other_close(one);
        *one = other_open(d);
        return;
    case 2:
        (void)listed(d, search_in(d, one),
                     query); /* the other is behind, and what it wrote is no more */
        return;
    case 3:
        if (strcmp(d->engine, "files") == 0)
            edit_one(d, c, p);
        return;
    default:
        return;
    }
}

static void any_order_of_arrival_gives_the_same_list(Desk *d)
{
    static const char *const queries[] = { "pear",        "when did Ann plant the plum tree",
                                           "数据库",      "restored backups in May 2023",
                                           "parseConfig", "where does Bob go",
                                           "plu*",        "\"pear tree\"" };
    Chance c = { seed() };
    Pair p;
    pair_open(d, &p);
    for (int round = 0; round < (volume_small() ? ROUNDS / 4 : ROUNDS); round++) {
        for (unsigned n = draw(&c, STEPS * (draw(&c, 6) ? 1 : 12)); n; n--)
            write_one(d, &c);
        const char *query = queries[draw(&c, COUNT_OF(queries))];
        stir(d, &c, &p, query);
        for (unsigned n = draw(&c, STEPS); n; n--)
            write_one(d, &c);
        compare(d, &p, query);
        arena_free(&d->a);
        d->a = (Arena){ 0 };
    }
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        compare(d, &p, queries[i]);
    pair_close(&p);
}

int main(void)
{
    static const DeskTest tests[] = { DESK_TEST(any_order_of_arrival_gives_the_same_list) };
    return desk_run(tests, COUNT_OF(tests), true);
}
