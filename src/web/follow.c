/* follow.c - a watch, the thread that waits for it, and the streams.
 *
 * The thread sleeps while nobody follows.  A pad that cannot be watched is reported once and tried
 * again; when it can be, every stream hears hello again, because it may have missed something. */
#include "web/follow.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/time.h"
#include "memory/watch.h"

struct WebFollow {
    WebPad *pad;
    HttpServer *server;
    const char *server_id;

    /* The server's thread's. */
    uint64_t streams[FOLLOW_STREAMS_MAX];
    size_t n;
    bool watching; /* hello may be said */
    bool started;

    /* The lock's. */
    pthread_mutex_t lock;
    pthread_cond_t wanted_now;
    bool wanted; /* somebody follows */

    WorkerPad handle; /* the thread's own */
};

typedef struct News {
    WebFollow *follow;
    json_t *events; /* an array; NULL: see watching */
    bool watching;
    Err err;
} News;

/* --- On the server's thread ------------------------------------------------------------------ */

static void send_one(WebFollow *f, uint64_t number, const json_t *event)
{
    HttpExchange *x = http_find(f->server, number);
    AUTO(Buf) text = { 0 };
    json_write(&text, event);
    if (x)
        http_stream_event(x, (Str){ 0 }, buf_str(&text));
}

/* A stream may go while it is sent to, and with it its place in the list. */
static void send_all(WebFollow *f, const json_t *event)
{
    uint64_t now[FOLLOW_STREAMS_MAX];
    size_t n = f->n;
    for (size_t i = 0; i < n; i++)
        now[i] = f->streams[i];
    for (size_t i = 0; i < n; i++)
        send_one(f, now[i], event);
}

static json_t *hello(const WebFollow *f)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "event", "hello", "server", f->server_id, "pad",
                     f->pad->id, "at", time_text(io_wall_ms(&io_system)).text);
}

static void take_news(void *ctx, void *arg)
{
    WebFollow *f = ctx;
    News *news = arg;
    AUTO_PTR(json_t) event = NULL;
    if (news->watching)
        event = hello(f);
    else if (!news->events)
        event =
            json_pack("{s:s, s:o, s:s}", "event", "gone", "error", json_text(str(news->err.text)),
                      "status", status_info(news->err.status)->name);
    if (event) {
        f->watching = news->watching;
        send_all(f, event);
    }
    for (size_t i = 0; i < json_array_size(news->events); i++)
        send_all(f, json_array_get(news->events, i));
    json_decref(news->events);
    free(news);
}

/* --- On the thread that watches -------------------------------------------------------------- */

static void post(WebFollow *f, json_t *events, bool watching, const Err *e)
{
    News *news = mem_alloc(sizeof *news);
    *news = (News){ .follow = f, .events = events, .watching = watching };
    if (e)
        news->err = *e;
    http_server_post_to(f->server, take_news, f, news);
}

static bool is_wanted(WebFollow *f, bool wait)
{
    pthread_mutex_lock(&f->lock);
    while (wait && !f->wanted)
        pthread_cond_wait(&f->wanted_now, &f->lock);
    bool wanted = f->wanted;
    pthread_mutex_unlock(&f->lock);
    return wanted;
}

static json_t *events_of(const Change *changes, size_t n)
{
    json_t *events = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *event = change_json(&changes[i]);
        json_object_set_new(event, "event", json_string("change"));
        json_object_set_new(event, "relisted", json_boolean(changes[i].relisted));
        json_array_append_new(events, event);
    }
    return events;
}

/* Until nobody follows, or it fails. */
static jot_status watch(WebFollow *f, Err *e)
{
    Memory *m;
    AUTO_PTR(Watch) w = NULL;
    worker_pad_check(&f->handle);
    TRY(worker_pad_open(&f->handle, false, &m, e));
    TRY(watch_open(&w, m, &(WatchAsk){ 0 }, e));
    post(f, NULL, true, NULL);
    while (is_wanted(f, false)) {
        AUTO(Arena) arena = { 0 };
        Change *changes;
        size_t n;
        TRY(watch_next(w, FOLLOW_LOOK_MS, &arena, &changes, &n, e));
        if (n)
            post(f, events_of(changes, n), false, NULL);
    }
    return JOT_OK;
}

static void *run(void *ctx)
{
    WebFollow *f = ctx;
    bool told = false;
    worker_pad_init(&f->handle, &f->pad->look, &f->pad->existed);
    for (;;) {
        Err e = { 0 };
        is_wanted(f, true);
        jot_status st = watch(f, &e);
        worker_pad_done(&f->handle);
        if (st != JOT_OK && !told)
            post(f, NULL, false, &e);
        told = st != JOT_OK;
        if (told)
            io_sleep_us(&io_system, (int64_t)FOLLOW_AGAIN_MS * 1000);
    }
    return NULL;
}

/* --- For the server's thread ----------------------------------------------------------------- */

WebFollow *web_follow_new(WebPad *pad, HttpServer *server, const char *server_id)
{
    WebFollow *f = mem_alloc(sizeof *f);
    *f = (WebFollow){ .pad = pad, .server = server, .server_id = server_id };
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->wanted_now, NULL);
    return f;
}

static void want(WebFollow *f, bool wanted)
{
    pthread_mutex_lock(&f->lock);
    f->wanted = wanted;
    pthread_cond_signal(&f->wanted_now);
    pthread_mutex_unlock(&f->lock);
}

static bool start(WebFollow *f)
{
    pthread_t thread;
    if (!f->started && pthread_create(&thread, NULL, run, f) == 0) {
        pthread_detach(thread);
        f->started = true;
    }
    return f->started;
}

void web_follow_add(WebFollow *f, HttpExchange *x)
{
    if (f->n == FOLLOW_STREAMS_MAX || !start(f)) {
        http_refuse(x, 503, "too many streams are open: close one, and try again");
        return;
    }
    uint64_t number = http_number(x);
    http_stream(x);
    f->streams[f->n++] = number;
    want(f, true);
    if (!f->watching)
        return;
    AUTO_PTR(json_t) event = hello(f);
    send_one(f, number, event);
}

void web_follow_gone(WebFollow *f, uint64_t number)
{
    size_t i = 0;
    while (i < f->n && f->streams[i] != number)
        i++;
    if (i == f->n)
        return;
    f->streams[i] = f->streams[--f->n];
    if (f->n == 0) {
        f->watching = false;
        want(f, false);
    }
}

void web_follow_end(WebFollow *f)
{
    for (size_t i = 0; i < f->n; i++) {
        HttpExchange *x = http_find(f->server, f->streams[i]);
        if (x)
            http_stream_end(x);
    }
    f->n = 0;
    want(f, false);
}
