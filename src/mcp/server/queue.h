/* queue.h - Queue, the requests of all clients on their way to the pad, and who runs them.
 *
 * A transport takes messages on one thread and hands them to queue_take.  What needs no
 * pad is answered there and then.  What needs it becomes a job, which a worker runs: a
 * thread with the pad open for itself.
 *
 *     transport's thread                 workers (up to 4 for a pipe, 8 for HTTP)
 *
 *       queue_take ---> [ job job job ] ---> queue_run ---> sink
 *            |                                   ^
 *            +---- nothing else is there: -------+
 *                  the caller runs it
 *
 * Which job may begin: requests about the same thing run in the order in which they were
 * taken, no matter who sent them; one that is not about one note or one category of artifacts
 * alone waits for all its client sent before it, and holds up all that the client sends
 * after it; two that only read never wait for each other.  So a client that sends several at once
 * gets what calls one by one would have given.  (Over HTTP a message of more than 16 KiB is
 * read by another thread first, and may be overtaken by those of other clients.)
 *
 * Threads and queue last as long as the process, which ends by _exit: a thread may
 * wait for the pad, and there is nothing to give back that the kernel does not take.
 * A store that is left in the middle of a write is as after any crash. */
#ifndef MCP_SERVER_QUEUE_H
#define MCP_SERVER_QUEUE_H

#include "mcp/server/session.h"

enum {
    QUEUE_MAX = 256,      /* jobs that wait or run */
    QUEUE_GRACE_MS = 500, /* for what runs when a signal comes */
};

typedef struct Queue Queue;
typedef struct QueueClient QueueClient;
typedef struct QueueJob QueueJob;

/* Block SIGTERM, and SIGINT and SIGHUP unless they are ignored, and start a worker; more
 * follow as they are needed.  `o` must last as long as the process.  Never NULL. */
Queue *queue_start(const McpOptions *o, int workers);

/* When a signal comes, begin nothing new, give what runs QUEUE_GRACE_MS to end, then call `end`, on
 * a thread of its own. */
void queue_on_signal(Queue *q, void (*end)(void *ctx), void *ctx);

/* Wait until everything has been answered. */
void queue_drain(Queue *q);
/* Answer all open subscriptions: the server ends. */
void queue_end_subscriptions(Queue *q);

/* How many requests can be taken now without waiting. */
size_t queue_room(Queue *q);

/* --- Clients ----------------------------------------------------------------------------- */

/* All of this is for the thread that takes the client's messages. */

/* A client, with a session of its own; never NULL. */
QueueClient *queue_client_new(Queue *q, const McpSink *sink);
/* The client is gone: what has not begun never will, and what runs is not answered.  NULL is fine.
 */
void queue_client_free(QueueClient *c);
McpSession *queue_session(QueueClient *c);
/* True if it waits for an answer. */
bool queue_client_busy(QueueClient *c);

/* Take one message, or a batch of them where the conversation allows that; the queue owns it now.
 * `via` comes back with everything that belongs to it.  Waits while the queue is full.  False:
 * there is nothing to answer, now or later.
 *
 * `here` is NULL, or where the caller is given a job it must run itself: if nothing else waits or
 * runs, a request need not go to another thread and back, which takes longer than most requests. */
bool queue_take(QueueClient *c, McpMessage *m, uint64_t via, QueueJob **here);
/* Answer that a message was too long to be read; `id` is its id, if that was found. */
void queue_refuse_long(QueueClient *c, Str id);

/* --- Running ----------------------------------------------------------------------------- */

/* A pad for a thread that runs jobs beside the workers. */
void queue_pad(Queue *q, WorkerPad *pad);
/* Run a job, send its answer, and remove it. */
void queue_run(QueueJob *job, WorkerPad *pad);

#endif
