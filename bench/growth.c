/* growth.c - R10: what an operation costs among many streams, beside a thousand; R11: a page of
 * names out of them.
 *
 * Both pads are filled through the store itself, on a file system in memory by
 * default: a million durable writes to a disk take half an hour and show the
 * same code.  Streams are chosen at random, so caches help no more than they
 * do a user. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

enum { SETTLE_NS = 300000000, MANY = 300 * 1000 };

/* A filled pad. */
typedef struct Pad {
    Store *store;
    const char *dir, *engine, *name;
    uint64_t notes;
    uint64_t random;
    Text text;
    HeadWant want;
    NoteName after; /* where a page begins; "" is the first */
} Pad;

static uint64_t next_random(Pad *p)
{
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return p->random;
}

static Str any_note(Pad *p, NoteName *name)
{
    return note_name(name, next_random(p) % p->notes);
}

/* --- R10 ------------------------------------------------------------------------------- */

static void step_head(void *pad)
{
    Pad *p = pad;
    AUTO(Arena) arena = { 0 };
    NoteName name;
    Record r;
    Err e = { 0 };
    must_ok(store_head(p->store, any_note(p, &name), p->want, &arena, &r, &e), &e, "head");
}

static void step_overwrite(void *pad)
{
    Pad *p = pad;
    NoteName name;
    pad_put(p->store, any_note(p, &name), text_next(&p->text));
}

static void step_history(void *pad)
{
    Pad *p = pad;
    AUTO(Arena) arena = { 0 };
    NoteName name;
    Records records;
    Err e = { 0 };
    must_ok(store_read(p->store, any_note(p, &name), (SeqRange){ 1, 10 }, &arena, &records, &e), &e,
            "read");
}

static Pad pad_new(const Bench *b, const char *engine, const char *name, uint64_t notes)
{
    Pad p = { .store = pad_open_in(b->fill, engine, name),
              .dir = b->fill,
              .engine = engine,
              .name = name,
              .notes = notes,
              .random = 88172645463325252,
              .text = text_new(200) };
    double rate = pad_fill(p.store, notes, !b->smoke);
    report_note(b, "R10 %s: filled %llu streams at %.0f a second", engine,
                (unsigned long long)notes, rate);
    return p;
}

static void pad_free(Pad *p)
{
    store_close(p->store);
    text_free(&p->text);
}

static void compare_growth(Bench *b, Pad *large, Pad *small)
{
    static const struct {
        const char *what;
        void (*step)(void *ctx);
        HeadWant want;
        unsigned batch;
    } rows[] = { { "head", step_head, HEAD_MARK, 10 },
                 { "read", step_head, HEAD_VALUE, 10 },
                 { "history of 10", step_history, HEAD_MARK, 10 },
                 { "overwrite", step_overwrite, HEAD_MARK, 5 } };
    bool files = strcmp(large->engine, "files") == 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        large->want = small->want = rows[i].want;
        Side sides[] = { { rows[i].step, large }, { rows[i].step, small } };
        Times times;
        race_run(b, &(Race){ sides, COUNT_OF(sides), rows[i].batch, 200 }, &times);
        char what[80];
        snprintf(what, sizeof what, "%s among %llu streams / among %llu", rows[i].what,
                 (unsigned long long)large->notes, (unsigned long long)small->notes);
        Line line = { "R10", large->engine, what, { GOAL_AT_MOST, files ? 2.0 : 1.5 } };
        report_times(b, &line, &times, 0, 1);
    }
}

/* --- R11 ------------------------------------------------------------------------------- */

static void list_page(Store *s, Str after)
{
    AUTO(Arena) arena = { 0 };
    Listing page;
    Err e = { 0 };
    must_ok(store_list(s, &(ListQuery){ .prefix = S("notes/"), .after = after, .limit = PAGE },
                       &arena, &page, &e),
            &e, "list");
    must(page.n > 0, "a page is empty");
}

static void step_list(void *pad)
{
    Pad *p = pad;
    list_page(p->store, str(p->after.text));
}

/* The first page as a new process sees it. */
static void step_list_anew(void *pad)
{
    Pad *p = pad;
    Store *s = pad_open_in(p->dir, p->engine, p->name);
    list_page(s, (Str){ 0 });
    store_close(s);
}

/* The heads of the page's names, asked for one by one. */
static void step_heads(void *pad)
{
    Pad *p = pad;
    for (uint64_t i = PAGE; i < (uint64_t)2 * PAGE && i < p->notes; i++) {
        AUTO(Arena) arena = { 0 };
        NoteName name;
        Record r;
        Err e = { 0 };
        must_ok(store_head(p->store, note_name(&name, i), HEAD_MARK, &arena, &r, &e), &e, "head");
    }
}

/* A note of the pad has two names, in its stream's directory and in that of the views. */
static void step_names(void *pad)
{
    Pad *p = pad;
    char path[BENCH_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/streams/notes.d", p->dir, p->name);
    must(raw_names(path) >= p->notes, "streams are missing");
    snprintf(path, sizeof path, "%s/%s/notes", p->dir, p->name);
    must(raw_names(path) >= p->notes, "views are missing");
}

static void list_files(Bench *b, Pad *large)
{
    char what[80];
    Times times;
    /* The engine trusts what it remembers of a directory only if that has been still a while. */
    nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
    Side first[] = { { step_list_anew, large }, { step_names, large } };
    race_run(b, &(Race){ first, COUNT_OF(first), 1, large->notes < MANY ? 3 : 1 }, &times);
    snprintf(what, sizeof what, "first page of %d of %llu / getdents of both directories", PAGE,
             (unsigned long long)large->notes);
    report_times(b, &(Line){ "R11", "files", what, { GOAL_AT_MOST, 1 } }, &times, 0, 1);
    note_name(&large->after, PAGE - 1);
    Side second[] = { { step_list, large }, { step_heads, large } };
    race_run(b, &(Race){ second, COUNT_OF(second), 1, 20 }, &times);
    snprintf(what, sizeof what, "second page of %d of %llu / %d heads", PAGE,
             (unsigned long long)large->notes, PAGE);
    report_times(b, &(Line){ "R11", "files", what, { GOAL_AT_MOST, 1.5 } }, &times, 0, 1);
}

static void list_sqlite(Bench *b, Pad *large)
{
    Bare bare = bare_open(b->fill, "bare.db", 200);
    bare_fill(&bare, large->notes);
    for (int page = 1; page <= 2; page++) {
        if (page == 2) {
            note_name(&large->after, PAGE - 1);
            bare.after = large->after;
        }
        Side sides[] = { { step_list, large }, { bare_list, &bare } };
        Times times;
        race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 200 }, &times);
        char what[80];
        snprintf(what, sizeof what, "%s page of %d of %llu / bare select",
                 page == 1 ? "first" : "second", PAGE, (unsigned long long)large->notes);
        report_times(b, &(Line){ "R11", "sqlite", what, { GOAL_AT_MOST, 2 } }, &times, 0, 1);
    }
    bare_close(&bare);
}

void measure_growth(Bench *b, const char *engine)
{
    Pad large = pad_new(b, engine, "many", b->streams);
    if (wanted(b, "R10")) {
        Pad small = pad_new(b, engine, "few", b->smoke ? b->streams / 4 : STREAMS_FEW);
        compare_growth(b, &large, &small);
        pad_free(&small);
    }
    if (wanted(b, "R11") && strcmp(engine, "files") == 0)
        list_files(b, &large);
    else if (wanted(b, "R11"))
        list_sqlite(b, &large);
    pad_free(&large);
}
