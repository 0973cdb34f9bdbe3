/* queue.h - Queue, the queue and the threads behind a transport of MCP.
 *
 * A transport takes messages on one thread.  What needs the pad runs here, on a few
 * threads, each with the pad open for itself.  Requests about the same thing run in the
 * order in which the transport took them, whoever sent them; one that is not about one
 * note or one category of artifacts alone waits for all its client sent before it, and holds up
 * all that the client sends behind it; two that only read never wait for each other: so
 * whoever sends several at once gets what he would have got one by one, from a transport
 * that takes a client's messages in the order they came.  That of HTTP does so in a session; of
 * two clients the one with the large message, which has to be read first, may be
 * overtaken.
 *
 * Another thread follows what changes in the pad, from the first moment on at which
 * somebody wants to know it, and tells every client.
 *
 * Threads and queue last as long as the process, which ends by _exit: a thread may
 * wait for the pad, and there is nothing to give back that the kernel does not take.
 * A store that is left in the middle of a write is as after any crash. */
#ifndef MCP_SERVER_QUEUE_H
#define MCP_SERVER_QUEUE_H

#include "mcp/server/session.h"

enum {
    QUEUE_MAX = 256,      /* requests that wait or run */
    QUEUE_GRACE_MS = 500, /* for what runs when a signal comes */
};

typedef struct Queue Queue;
typedef struct QueueClient QueueClient;

/* Block SIGTERM, and SIGINT and SIGHUP unless they are ignored, and start the threads.  `o` must
 * last as long as the process. */
Queue *queue_start(const McpOptions *o, int workers); /* never NULL */

/* A pad for a thread that works beside those of the queue. */
void queue_pad(Queue *q, WorkerPad *pad);

/* Begin nothing new when a signal comes, let what runs come to its end for a moment, then call
 * `end`, on a thread of its own. */
void queue_on_signal(Queue *q, void (*end)(void *ctx), void *ctx);

/* Wait until everything has been answered. */
void queue_drain(Queue *q);

/* How many requests can be taken now without waiting. */
size_t queue_room(Queue *q);

/* --- Clients ----------------------------------------------------------------------------- */

/* Called from any thread, with the number its client was made with. */
typedef void QueueSend(void *ctx, uint64_t number, const McpOut *out);

/* A client, with a session of its own; never NULL. */
QueueClient *queue_client_new(Queue *q, QueueSend *send, void *ctx, uint64_t number);

/* The client is gone: what has not begun never will, and what runs is not answered.  For the thread
 * that takes its messages.  NULL is fine. */
void queue_client_free(QueueClient *c);

McpSession *queue_session(QueueClient *c);
/* True if it waits for an answer. */
bool queue_client_busy(QueueClient *c);

/* --- Doing it oneself -------------------------------------------------------------------- */

/* The way to another thread and back takes longer than most requests.  So whoever takes messages
 * may run one himself, if nothing else waits or runs: queue_claim before mcp_take, and behind it
 * queue_do with what queue_claimed gives; NULL if there is nothing to do. */
typedef struct QueueJob QueueJob;
void queue_claim(QueueClient *c);
QueueJob *queue_claimed(QueueClient *c);
void queue_do(QueueJob *job, WorkerPad *pad);

/* Answer all open subscriptions: the server ends. */
void queue_end_feeds(Queue *q);

#endif
