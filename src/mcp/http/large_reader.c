/* large_reader.c - two queues and a thread.
 *
 *     server's thread                               reader
 *       read    ---> first: body, body, body  ---> parses one ---> done(), which posts it
 *       collected -> handed_over = false      <--- waits: one parsed message at a time
 *       forget  ---> old: message, message    ---> frees them, which takes a while, too
 *
 * At most one message that has been parsed waits to be collected: parsed it takes many times the
 * memory of its text. */
#include "mcp/http/large_reader.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* A message to be read, or one to be freed. */
typedef struct Task {
    uint64_t number;
    Buf body;
    McpMessage *old;
    struct Task *next;
} Task;

struct LargeReader {
    LargeReaderDone *done;
    void *ctx;
    pthread_mutex_t lock; /* of the rest */
    pthread_cond_t changed;
    Task *first, **last; /* to be read, oldest first */
    Task *old;           /* to be freed */
    bool handed_over;    /* what was read last has not been collected */
};

/* The task a link leads to, which leaves its queue; with the lock held. */
static Task *unlink_task(LargeReader *a, Task **at)
{
    Task *t = *at;
    assert(t);
    *at = t->next;
    if (a->last == &t->next)
        a->last = at;
    return t;
}

static void free_task(Task *t)
{
    mcp_message_free(t->old);
    buf_free(&t->body);
    free(t);
}

static void *run(void *ctx)
{
    LargeReader *a = ctx;
    for (;;) {
        pthread_mutex_lock(&a->lock);
        while (!a->old && (!a->first || a->handed_over))
            pthread_cond_wait(&a->changed, &a->lock);
        Task *t = unlink_task(a, a->old ? &a->old : &a->first);
        a->handed_over = a->handed_over || !t->old;
        pthread_mutex_unlock(&a->lock);
        McpMessage *m = t->old ? NULL : mcp_message_new(buf_str(&t->body));
        uint64_t number = t->number;
        free_task(t);
        if (m)
            a->done(a->ctx, number, m);
    }
    return NULL;
}

LargeReader *large_reader_start(LargeReaderDone *done, void *ctx)
{
    pthread_t thread;
    LargeReader *a = mem_alloc(sizeof *a);
    *a = (LargeReader){ .done = done, .ctx = ctx, .last = &a->first };
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    if (pthread_create(&thread, NULL, run, a) != 0)
        mem_exhausted();
    pthread_detach(thread);
    return a;
}

void large_reader_read(LargeReader *a, uint64_t number, Buf body)
{
    Task *t = mem_alloc(sizeof *t);
    *t = (Task){ .number = number, .body = body };
    pthread_mutex_lock(&a->lock);
    *a->last = t;
    a->last = &t->next;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

bool large_reader_withdraw(LargeReader *a, uint64_t number)
{
    pthread_mutex_lock(&a->lock);
    Task **at = &a->first;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    Task *t = *at ? unlink_task(a, at) : NULL;
    pthread_mutex_unlock(&a->lock);
    if (t)
        free_task(t);
    return t != NULL;
}

void large_reader_collected(LargeReader *a)
{
    pthread_mutex_lock(&a->lock);
    assert(a->handed_over);
    a->handed_over = false;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

void large_reader_forget(LargeReader *a, McpMessage *m)
{
    if (!m)
        return;
    Task *t = mem_alloc(sizeof *t);
    pthread_mutex_lock(&a->lock);
    *t = (Task){ .old = m, .next = a->old };
    a->old = t;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}
