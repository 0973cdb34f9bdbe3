/* large_reader.h - LargeReader, the thread that parses large messages, and frees them.
 *
 * A server's thread serves everybody; what takes long because one message is large is
 * done here, one message after the other, in the order they came.  The thread lasts as
 * long as the process.
 *
 * A parsed message takes up to 70 times the memory of its bytes.  So there is one at a
 * time: the next is parsed when the last has been collected, and what is to be freed
 * goes before anything is parsed.
 *
 *     large_reader_read ---> [ body body body ] ---> parse ---> done() ---> ..._collected
 *     large_reader_forget -> [ message ] ----------> free                  (then the next) */
#ifndef MCP_HTTP_LARGE_READER_H
#define MCP_HTTP_LARGE_READER_H

#include "mcp/protocol/message.h"

typedef struct LargeReader LargeReader;

/* A message was read; called on the thread that reads.  The receiver owns it, and says with
 * large_reader_collected when it has found its place. */
typedef void LargeReaderDone(void *ctx, uint64_t number, McpMessage *m);

LargeReader *large_reader_start(LargeReaderDone *done, void *ctx); /* never NULL */

/* The rest is for one thread. */

/* Read a message some time; `body` is its bytes, and taken.  The number comes back with it. */
void large_reader_read(LargeReader *a, uint64_t number, Buf body);
/* Nobody wants it read.  False: that has begun, and it will be handed over. */
bool large_reader_withdraw(LargeReader *a, uint64_t number);
void large_reader_collected(LargeReader *a);
/* Nobody wants what was read; NULL is fine. */
void large_reader_forget(LargeReader *a, McpMessage *m);

#endif
