/* test_search_order.c - the same pad gives the same list with the same scores, however its rows
 * came into the index.
 *
 * Documents and runs are written, rewritten, deleted and purged at random, with
 * times that are seldom in order; handles search in between, as late as they
 * like, some publish, some are closed and opened again.  Each time three of them
 * are compared: one that was there all along, a fresh one on the files, and one
 * that reads everything anew into memory. */
#include <stdlib.h>

#include "memory/search_desk.h"
#include "rig/volume.h"

enum { STREAMS = 12, ROUNDS = 60, STEPS = 9 };

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
                    .at_ms = d->now_ms - (int64_t)draw(c, 40) * 1200 * 1000 };
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

/* Names, records and scores of all hits. */
static Str listed(Desk *d, Search *s, const char *query)
{
    AUTO(Buf) all = { 0 };
    Hits h;
    SearchQuery q = { .text = str(query), .limit = 50, .bare = true };
    desk_ok(d, search_find(s, &q, &d->a, &h, &d->e));
    for (size_t i = 0; i < h.n; i++)
        buf_addf(&all, STR_FMT " %llu %.9f\n", STR_ARG(h.items[i].stream),
                 (unsigned long long)h.items[i].seq, h.items[i].score);
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

static void compare(Desk *d, Search *old, const char *query)
{
    AUTO_PTR(Search) fresh = begin(d, &d->m);
    Str want = anew(d, query);
    assert_str(listed(d, old, query), want);
    assert_str(listed(d, fresh, query), want);
}

static void any_order_of_arrival_gives_the_same_list(Desk *d)
{
    static const char *const queries[] = { "pear",        "when did Ann plant the plum tree",
                                           "数据库",      "restored backups in May 2023",
                                           "parseConfig", "where does Bob go",
                                           "plu*",        "\"pear tree\"" };
    Chance c = { seed() };
    Search *old = begin(d, &d->m);
    for (int round = 0; round < (volume_small() ? ROUNDS / 4 : ROUNDS); round++) {
        for (unsigned n = draw(&c, STEPS * (draw(&c, 6) ? 1 : 12)); n; n--)
            write_one(d, &c);
        if (draw(&c, 5) == 0)
            desk_ok(d, search_rebuild(old, &d->e));
        if (draw(&c, 5) == 0) {
            search_close(old);
            old = begin(d, &d->m);
        }
        compare(d, old, queries[draw(&c, COUNT_OF(queries))]);
        arena_free(&d->a);
        d->a = (Arena){ 0 };
    }
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        compare(d, old, queries[i]);
    search_close(old);
}

int main(void)
{
    static const DeskTest tests[] = { DESK_TEST(any_order_of_arrival_gives_the_same_list) };
    return desk_run(tests, COUNT_OF(tests), true);
}
