/* aside.c - a queue and a thread. */
#include "mcp/aside.h"

#include <pthread.h>
#include <stdlib.h>

/* A message to be read, or one to be freed. */
typedef struct Task {
    uint64_t number;
    Buf body;
    McpMessage *old;
    struct Task *next;
} Task;

struct McpAside {
    McpAsideRead *done;
    void *ctx;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    Task *first, **last; /* under the lock */
};

static Task *next_task(McpAside *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->first)
        pthread_cond_wait(&a->filled, &a->lock);
    Task *t = a->first;
    a->first = t->next;
    if (!a->first)
        a->last = &a->first;
    pthread_mutex_unlock(&a->lock);
    return t;
}

static void *run(void *ctx)
{
    McpAside *a = ctx;
    for (;;) {
        Task *t = next_task(a);
        mcp_message_free(t->old);
        if (!t->old)
            a->done(a->ctx, t->number, mcp_message_new(buf_str(&t->body)));
        buf_free(&t->body);
        free(t);
    }
    return NULL;
}

McpAside *mcp_aside_start(McpAsideRead *done, void *ctx)
{
    pthread_t thread;
    McpAside *a = mem_alloc(sizeof *a);
    *a = (McpAside){ .done = done, .ctx = ctx, .last = &a->first };
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->filled, NULL);
    if (pthread_create(&thread, NULL, run, a) != 0)
        mem_exhausted();
    pthread_detach(thread);
    return a;
}

static void add(McpAside *a, Task task)
{
    Task *t = mem_alloc(sizeof *t);
    *t = task;
    pthread_mutex_lock(&a->lock);
    *a->last = t;
    a->last = &t->next;
    pthread_cond_signal(&a->filled);
    pthread_mutex_unlock(&a->lock);
}

void mcp_aside_read(McpAside *a, uint64_t number, Buf body)
{
    add(a, (Task){ .number = number, .body = body });
}

void mcp_aside_forget(McpAside *a, McpMessage *m)
{
    if (m)
        add(a, (Task){ .old = m });
}
