/* test_threads.c - threads of one process, each with a pad of its own on the same URL.
 *
 * cmocka's assertions belong to the main thread: a thread notes the first call that did not end
 * well, and the test looks at it after the thread has ended.  ThreadSanitizer watches what happens
 * between. */
#include <pthread.h>

#include "api/caller.h"

enum { THREADS = 6, ROUNDS = 25 };

typedef struct Worker {
    Caller *caller;
    jot_pad *pad;
    pthread_t thread;
    char as[16];
    const char *failed; /* the call */
    char said[256];
} Worker;

#define tried(w, call) try_call((w), (call), #call)
static bool try_call(Worker *w, jot_status got, const char *call)
{
    if (got != JOT_OK && !w->failed) {
        w->failed = call;
        snprintf(w->said, sizeof w->said, "%s: %s", jot_status_name(got), jot_error(w->pad));
    }
    return !w->failed;
}

static bool open_own(Worker *w)
{
    jot_open_options o = { 0 };
    o.size = sizeof o;
    o.as = w->as;
    w->pad = jot_new();
    return tried(w, jot_open(w->pad, w->caller->url, &o));
}

static void run_all(Caller *c, void *(*work)(void *))
{
    static Worker workers[THREADS];
    int i;
    memset(workers, 0, sizeof workers);
    for (i = 0; i < THREADS; i++) {
        workers[i].caller = c;
        snprintf(workers[i].as, sizeof workers[i].as, "thread-%d", i);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (i = 0; i < THREADS; i++)
        if (workers[i].failed)
            fail_msg("%s: %s: %s", workers[i].as, workers[i].failed, workers[i].said);
}

/* One more than what is there; another's write in between is seen, and tried again on top of it. */
static void count_one(Worker *w)
{
    const jot_doc *d;
    char version[13], text[24];
    jot_write_options o = { 0 };
    jot_status st;
    o.size = sizeof o;
    o.if_version = version;
    do {
        if (!tried(w, jot_doc_read(w->pad, "counter", NULL, &d)))
            return;
        memcpy(version, d->version, sizeof version);
        snprintf(text, sizeof text, "%d", atoi(d->text.data) + 1);
        st = jot_doc_write(w->pad, "counter", jot_str(text), &o, NULL);
    } while (st == JOT_CONFLICT);
    tried(w, st);
}

static void *count(void *arg)
{
    Worker *w = arg;
    int i;
    if (open_own(w))
        for (i = 0; i < ROUNDS && !w->failed; i++)
            count_one(w);
    jot_free(w->pad);
    return NULL;
}

static void threads_that_count_together_lose_nothing(Caller *c)
{
    char sum[24];
    const jot_doc *d;
    ok(c->pad, jot_doc_write(c->pad, "counter", jot_str("0"), NULL, NULL));
    run_all(c, count);
    snprintf(sum, sizeof sum, "%d", THREADS * ROUNDS);
    ok(c->pad, jot_doc_read(c->pad, "counter", NULL, &d));
    assert_text(d->text, sum);
    assert_int_equal(d->seq, THREADS * ROUNDS + 1);
}

/* Every layer once: notes, a run, a context, a lease, a line log, a search. */
static void use_all(Worker *w)
{
    const jot_shown *shown;
    const jot_hits *hits;
    const jot_lease *lease;
    const char *run;
    char id[64];
    jot_context_options o = { 0 };
    o.size = sizeof o;
    o.budget = 1000;
    tried(w, jot_doc_write(w->pad, w->as, jot_str("wandering thoughts\n"), NULL, NULL));
    if (!tried(w, jot_run_begin(w->pad, jot_str("what is there?"), NULL, &run)))
        return;
    snprintf(id, sizeof id, "%s", run);
    o.run = id;
    tried(w, jot_run_say(w->pad, id, JOT_STEP_THINKING, jot_str("first things first")));
    tried(w, jot_context(w->pad, &o, &shown));
    if (tried(w, jot_lease_acquire(w->pad, w->as, NULL, &lease)))
        tried(w, jot_lease_release(w->pad, lease->token));
    tried(w, jot_line_log_append(w->pad, "events", "shared", jot_str(w->as), NULL, NULL));
    if (tried(w, jot_search(w->pad, "wandered", NULL, &hits)) && !hits->count)
        tried(w, JOT_NOT_FOUND);
}

static void *use(void *arg)
{
    Worker *w = arg;
    if (open_own(w))
        use_all(w);
    jot_free(w->pad);
    return NULL;
}

static void threads_use_every_layer_side_by_side(Caller *c)
{
    const jot_docs *docs;
    const jot_lines *lines;
    run_all(c, use);
    ok(c->pad, jot_doc_list(c->pad, "thread-", NULL, &docs));
    assert_int_equal(docs->count, THREADS);
    ok(c->pad, jot_line_log_read(c->pad, "events", "shared", 1, 100, &lines));
    assert_int_equal(lines->count, THREADS);
}

static void *write_as_lent(void *arg)
{
    Worker *w = arg;
    tried(w, jot_doc_append(w->pad, "lent", jot_str("there\n"), NULL, NULL));
    return NULL;
}

static void a_pad_may_go_from_one_thread_to_another(Caller *c)
{
    const jot_doc *d;
    Worker w = { 0 };
    w.caller = c;
    w.pad = c->pad;
    ok(c->pad, jot_doc_append(c->pad, "lent", jot_str("here\n"), NULL, NULL));
    assert_int_equal(pthread_create(&w.thread, NULL, write_as_lent, &w), 0);
    pthread_join(w.thread, NULL);
    assert_null(w.failed);
    ok(c->pad, jot_doc_append(c->pad, "lent", jot_str("here again\n"), NULL, NULL));
    ok(c->pad, jot_doc_read(c->pad, "lent", NULL, &d));
    assert_text(d->text, "here\nthere\nhere again\n");
}

int main(void)
{
    const CallerTest tests[] = {
        CALLER_TEST(threads_that_count_together_lose_nothing),
        CALLER_TEST(threads_use_every_layer_side_by_side),
        CALLER_TEST(a_pad_may_go_from_one_thread_to_another),
    };
    return caller_run(tests, CALLER_COUNT(tests));
}
