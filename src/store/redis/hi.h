/* hi.h - hiredis, through a small table.
 *
 * Only its reader is used, which turns bytes into replies.  Its formatter prints each
 * length, which costs as much as all else that an append does here.  The socket is ours
 * (sock.h), so every wait has a deadline; and so are the replies, each in memory of its
 * own that dies together, for hiredis allocates every word of them twice.
 * It is opened by the first pad in Redis, and never linked. */
#ifndef STORE_REDIS_HI_H
#define STORE_REDIS_HI_H

#include <hiredis/hiredis.h>

#include "base/arena.h"
#include "base/err.h"

typedef struct Hi {
    __typeof__(redisReaderCreateWithFunctions) *reader_create;
    __typeof__(redisReaderFree) *reader_free;
    __typeof__(redisReaderFeed) *reader_feed;
    __typeof__(redisReaderGetReply) *reader_get;
} Hi;

/* The table, filled once in the life of the process.  JOT_UNSUPPORTED if the library is not
 * installed: replies have another layout in every version, so it must be the one whose header
 * Jotter was built with. */
MUST_USE jot_status hi_open(const Hi **out, Err *e);

/* A reader whose replies hi_free() releases; the texts of a reply go where *texts leads when its
 * bytes are read, or if that is NULL stay with it. */
redisReader *hi_reader(const Hi *hi, Arena **texts);

/* A reply is freed when its scope ends; NULL is fine. */
void hi_free(redisReply *r);
DEFINE_AUTO_PTR(redisReply, hi_free)

#endif
