/* forget_desk.c - a canary in documents, logs and runs, and the ways in which it could still be
 * found: by searching, in a record, in any file. */
#include "memory/forget_desk.h"

#include <signal.h>
#include <unistd.h>

#include "memory/care.h"
#include "memory/doc/doc.h"
#include "memory/search/search.h"

void put(Desk *d, const char *stream, const char *text)
{
    Doc now;
    DocWrite w = { .text = str(text) };
    desk_ok(d, doc_write(&d->m, str(stream), &w, &d->a, &now, &d->e));
}

void line(Desk *d, const char *stream, const char *text)
{
    Mark mark;
    Draft w = { .op = OP_APPEND, .body = str(text) };
    desk_ok(d, memory_append(&d->m, str(stream), NULL, &w, &mark, &d->e));
}

void assert_reads(Desk *d, const char *stream, const char *text)
{
    Doc now;
    desk_ok(d, doc_read(&d->m, str(stream), &d->a, &now, &d->e));
    assert_text(now.text, text);
}

void make_index(Desk *d)
{
    AUTO_PTR(Search) s = NULL;
    Hits hits;
    SearchQuery q = { .text = S(CANARY), .limit = 10 };
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_rebuild(s, &d->e)); /* so that all of it is in files */
    desk_ok(d, search_find(s, &q, &d->a, &hits, &d->e));
    assert_true(hits.n > 0);
}

void assert_finds_nothing(Desk *d)
{
    AUTO_PTR(Search) s = NULL;
    Hits hits;
    SearchQuery q = { .text = S(CANARY), .limit = 10 };
    desk_ok(d, search_open(&s, &d->m, NULL, &d->e));
    desk_ok(d, search_find(s, &q, &d->a, &hits, &d->e));
    assert_int_equal(hits.n, 0);
}

static jot_status count_record(void *ctx, const Record *r)
{
    size_t *n = ctx;
    *n += r->body.n && memmem(r->body.p, r->body.n, CANARY, sizeof CANARY - 1);
    return JOT_OK;
}

typedef struct Bodies {
    Desk *d;
    size_t n;
} Bodies;

static jot_status count_stream(void *ctx, const Listed *l)
{
    Bodies *b = ctx;
    return memory_each_record(&b->d->m, l->name,
                              &(RecordVisit){ .from = 1, .each = count_record, .ctx = &b->n },
                              &b->d->e);
}

size_t bodies(Desk *d)
{
    Bodies b = { .d = d };
    desk_ok(d, memory_each(&d->m, (Str){ 0 }, LIST_ALL, count_stream, &b, &d->e));
    return b.n;
}

/* In no record, and in no file. */
void assert_gone(Desk *d)
{
    assert_int_equal(bodies(d), 0);
    assert_int_equal(desk_files_with(d, CANARY), 0);
    CareCount count;
    desk_ok(d, care_verify(&d->m, NULL, &count, &d->e));
    assert_int_equal(count.faults, 0);
}

bool on_disk(const Desk *d)
{
    return strcmp(d->engine, "mem") != 0;
}

void record_run(Desk *d, const char *args, Str result, Run *r)
{
    uint64_t n;
    RunCall call = { .call = S("c1"), .tool = S("fetch"), .args = str(args) };
    d->now_ms += 1000;
    desk_ok(d, run_begin(&d->m, NULL, S("what is it?"), r, &d->e));
    desk_ok(d, run_call(r, &call, &d->e));
    desk_ok(d, run_result(r, S("c1"), true, result, &n, &d->e));
    desk_ok(d, run_say(r, RUN_THINKING, S("hm"), &d->e));
    desk_ok(d, run_say(r, RUN_ANSWER, S("so"), &d->e));
}

RunStep step_at(Desk *d, Run *r, uint64_t seq)
{
    RunStep s;
    desk_ok(d, run_step(r, seq, &d->a, &s, &d->e));
    return s;
}

void told_done(Told *t)
{
    buf_free(&t->text);
}

void tell(void *told, const ForgetLeft *l)
{
    Told *t = told;
    buf_addf(&t->text, "%s " STR_FMT "\n", forget_left_name(l->kind), STR_ARG(l->stream));
    if (t->die)
        kill(getpid(), SIGKILL);
}
