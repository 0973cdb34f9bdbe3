/* message.c - reading a message, and all that may be in it. */
#include "mcp/protocol/message.h"

#include <stdlib.h>
#include <string.h>

static McpMessage *read_one(Str text)
{
    McpMessage *m = mem_alloc(sizeof *m);
    m->text = arena_copy(&m->arena, text);
    m->good = rpc_read(m->text, &m->msg, &m->why);
    return m;
}

static void read_parts(McpMessage *m)
{
    Str *texts = NULL;
    m->batch = rpc_batch(m->text, &m->arena, &texts, &m->parts_n);
    if (!m->batch || m->parts_n > RPC_BATCH_MAX)
        return;
    m->parts = mem_alloc((m->parts_n + 1) * sizeof(McpMessage *)); /* the arena may go before */
    for (size_t i = 0; i < m->parts_n; i++)
        m->parts[i] = read_one(texts[i]);
}

McpMessage *mcp_message_new(Str text)
{
    McpMessage *m = read_one(text);
    size_t first = str_skip_space(m->text, 0);
    m->array = first < m->text.n && m->text.p[first] == '[';
    if (m->array)
        read_parts(m);
    return m;
}

static void free_one(McpMessage *m)
{
    if (!m)
        return;
    rpc_message_done(&m->msg);
    rpc_error_done(&m->why);
    arena_free(&m->arena);
    free(m);
}

void mcp_message_free(McpMessage *m)
{
    for (size_t i = 0; m && m->parts && i < m->parts_n; i++)
        free_one(m->parts[i]);
    if (m)
        free(m->parts);
    free_one(m);
}
