/* batch.c - the answers to an array of messages, collected.
 *
 * All batches are under one lock, which is never held while something is sent. */
#include "mcp/server/batch.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct McpBatch {
    McpSession *session;
    uint64_t via;
    Buf text;
    size_t waiting; /* requests without an answer, and the thread that takes its messages */
};

static pthread_mutex_t batches = PTHREAD_MUTEX_INITIALIZER;

McpBatch *mcp_batch_new(McpSession *s, uint64_t via)
{
    McpBatch *b = mem_alloc(sizeof *b);
    *b = (McpBatch){ .session = s, .via = via, .waiting = 1 };
    return b;
}

McpBatch *mcp_batch_join(McpBatch *b)
{
    if (!b)
        return NULL;
    pthread_mutex_lock(&batches);
    assert(b->waiting > 0);
    b->waiting++;
    pthread_mutex_unlock(&batches);
    return b;
}

void mcp_batch_add(McpBatch *b, Str reply)
{
    pthread_mutex_lock(&batches);
    buf_add_char(&b->text, b->text.n ? ',' : '[');
    buf_add(&b->text, reply);
    pthread_mutex_unlock(&batches);
}

/* A batch of notifications has no answer. */
static void send(McpBatch *b)
{
    if (b->text.n) {
        buf_add_char(&b->text, ']');
        AUTO(RpcError)
        why = rpc_error(status_info(JOT_TOO_BIG)->rpc,
                        "the answers to this batch are larger than %d bytes", BUF_MAX_DEFAULT);
        if (!buf_ok(&b->text)) {
            buf_free(&b->text);
            rpc_write_error(&b->text, (Str){ 0 }, &why);
        }
    }
    mcp_session_send(b->session, &(McpOut){ buf_str(&b->text), b->via, true, 0 });
}

void mcp_batch_leave(McpBatch *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&batches);
    assert(b->waiting > 0);
    bool last = --b->waiting == 0;
    pthread_mutex_unlock(&batches);
    if (!last)
        return;
    send(b);
    buf_free(&b->text);
    free(b);
}
