/* hi.c - opening hiredis. */
#include "store/redis/hi.h"

#include "base/library.h"

#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)

static Hi table;

static const LibraryFunction functions[] = {
    { "redisReaderCreate", &table.reader_create, NULL },
    { "redisReaderFree", &table.reader_free, NULL },
    { "redisReaderFeed", &table.reader_feed, NULL },
    { "redisReaderGetReply", &table.reader_get, NULL },
    { "freeReplyObject", &table.free_reply, NULL },
};

static Library library = { .use = "a pad in Redis",
                           .package = "libhiredis" TEXT_OF(HIREDIS_SONAME),
                           .names = { "libhiredis.so." TEXT_OF(HIREDIS_SONAME) },
                           .functions = functions,
                           .count = COUNT_OF(functions) };

jot_status hi_open(const Hi **out, Err *e)
{
    TRY(library_open(&library, e));
    *out = &table;
    return JOT_OK;
}

void hi_free(redisReply *r)
{
    if (r)
        table.free_reply(r);
}
