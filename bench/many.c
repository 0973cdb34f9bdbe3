/* many.c - R18: new notes written together, as an import does, beside as many written one by one.
 *
 * Both sides end durable: one syncs each note and its name, the other once for all of them. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"

enum { TOGETHER = STORE_MANY_MAX, NOTE = 200 };

typedef struct Filling {
    Store *s;
    uint64_t next; /* the number of the next note */
    size_t n;      /* notes in one step */
    Text text;
} Filling;

static void one_by_one(void *filling)
{
    Filling *f = filling;
    NoteName name;
    for (size_t i = 0; i < f->n; i++)
        pad_put(f->s, note_name(&name, f->next++), text_next(&f->text));
}

static void together(void *filling)
{
    Filling *f = filling;
    static Append items[TOGETHER];
    static NoteName names[TOGETHER];
    static char texts[TOGETHER][NOTE];
    Err e = { 0 };
    for (size_t i = 0; i < f->n; i++) {
        Str text = text_next(&f->text);
        memcpy(texts[i], text.p, NOTE);
        items[i] = (Append){ .stream = note_name(&names[i], f->next++),
                             .expect = { .kind = EXPECT_SEQ },
                             .draft = { .op = OP_PUT, .body = { texts[i], NOTE } } };
    }
    must(store_append_many(f->s, items, f->n, &e) == JOT_OK, e.text);
    for (size_t i = 0; i < f->n; i++)
        must(items[i].status == JOT_OK, items[i].why.text);
}

void measure_many(Bench *b, const char *engine)
{
    char dir[BENCH_PATH_MAX];
    snprintf(dir, sizeof dir, "%s/r18", b->disk);
    must(mkdir(dir, 0700) == 0, "mkdir");
    Filling fillings[2] = { 0 };
    for (size_t i = 0; i < COUNT_OF(fillings); i++)
        fillings[i] = (Filling){ .s = pad_open_in(dir, engine, i ? "single" : "many"),
                                 .n = b->smoke ? 4 : TOGETHER,
                                 .text = text_new(NOTE) };
    Side sides[] = { { together, &fillings[0] }, { one_by_one, &fillings[1] } };
    Times times;
    race_run(b, &(Race){ sides, COUNT_OF(sides), 1, 1 }, &times);
    report_speed(b,
                 &(Line){ "R18",
                          engine,
                          "512 new notes at once / one by one",
                          { GOAL_AT_LEAST, strcmp(engine, "files") == 0 ? 10 : 3 } },
                 &times, 0, 1);
    for (size_t i = 0; i < COUNT_OF(fillings); i++) {
        store_close(fillings[i].s);
        text_free(&fillings[i].text);
    }
    remove_tree(dir);
}
