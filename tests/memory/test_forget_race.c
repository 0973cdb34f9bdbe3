/* test_forget_race.c - somebody writes in the middle of it.
 *
 * At each step that the call asks of the disk, another handle writes the same note, with the canary
 * in it.  What comes in front of the new version is not lost by it, and what comes behind it,
 * before the records are looked through, is met.  What comes later is the next call's. */
#include "memory/doc/doc.h"
#include "memory/forget/forget.h"
#include "memory/forget_desk.h"

typedef struct Intruder {
    IoHook hook;
    Memory m;         /* never waits */
    size_t at, steps; /* writes in front of step `at`, counted from 1 */
    bool busy;
    Str stream;
    Mark mark; /* of what it wrote; seq 0: nothing */
} Intruder;

static long before(void *ctx, IoCall *call)
{
    Intruder *i = ctx;
    Draft draft = { .op = OP_PUT, .body = S("mine " CANARY "\n") };
    (void)call;
    if (i->busy || ++i->steps != i->at)
        return 0;
    i->busy = true;
    if (memory_append(&i->m, i->stream, NULL, &draft, &i->mark, NULL) != JOT_OK)
        i->mark = (Mark){ 0 }; /* the stream is being written: another step is as good */
    i->busy = false;
    return 0;
}

static void what_is_written_meanwhile_is_neither_lost_nor_missed(Desk *d)
{
    enum { STEPS_MAX = 400 };
    size_t in_front = 0, behind = 0, at = 1;
    Intruder i = { .busy = true };
    if (strcmp(d->engine, "files") != 0)
        return;
    i.hook = (IoHook){ before, NULL, &i };
    MemoryOptions options = { .io = &d->io, .by = S("bob"), .wait_ms = -1 };
    desk_ok(d, memory_open(&i.m, str(d->url), &options, &d->e));
    d->io.hook = &i.hook;
    for (; at < STEPS_MAX; at++) {
        Forgotten f;
        Doc now;
        i.mark = (Mark){ 0 };
        i.stream = arena_printf(&d->a, "notes/n%zu", at);
        put(d, i.stream.p, "one " CANARY "\n");
        i.at = at;
        i.steps = 0;
        i.busy = false;
        jot_status st = forget_phrase(&d->m, i.stream, S(CANARY), &f, &d->e);
        i.busy = true;
        if (i.steps < at)
            break;
        assert_int_equal(st, JOT_OK);
        if (i.mark.seq == 0)
            continue;
        desk_ok(d, doc_read(&d->m, i.stream, &d->a, &now, &d->e));
        assert_true(str_starts(now.text, S("mine ")));
        bool met = str_eq(now.text, S("mine [redacted]\n"));
        in_front += i.mark.seq == 2 && met;
        behind += i.mark.seq == 3 && met;
    }
    assert_true(at < STEPS_MAX && in_front > 0 && behind > 0);
    d->io.hook = NULL;
    memory_close(&i.m);
}

static const DeskTest tests[] = {
    DESK_TEST(what_is_written_meanwhile_is_neither_lost_nor_missed),
};

int main(void)
{
    return desk_run_on("files", tests, COUNT_OF(tests));
}
