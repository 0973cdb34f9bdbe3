/* hi.c - opening hiredis, and the replies it makes. */
#include "store/redis/hi.h"

#include <stddef.h>

#include "base/library.h"

#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)

static Hi table;

static const LibraryFunction functions[] = {
    { "redisReaderCreateWithFunctions", &table.reader_create, NULL },
    { "redisReaderFree", &table.reader_free, NULL },
    { "redisReaderFeed", &table.reader_feed, NULL },
    { "redisReaderGetReply", &table.reader_get, NULL },
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

/* --- Replies ----------------------------------------------------------------------------- */

/* A reply and all its parts. */
typedef struct Answer {
    Arena arena;
    redisReply reply;
} Answer;

static Answer *answer_of(void *reply)
{
    return (Answer *)((char *)reply - offsetof(Answer, reply));
}

/* The arena of the reply that this is a part of; of one that begins here: NULL. */
static Arena *arena_of(const redisReadTask *task)
{
    const redisReadTask *whole = task;
    while (whole->parent)
        whole = whole->parent;
    return whole == task ? NULL : &answer_of(whole->obj)->arena;
}

static redisReply *begin(const redisReadTask *task)
{
    Arena *in = arena_of(task);
    redisReply *r;
    if (in) {
        r = NEW(in, redisReply);
        ((redisReply *)task->parent->obj)->element[task->idx] = r;
    } else {
        Arena fresh = { 0 };
        Answer *whole = NEW(&fresh, Answer);
        whole->arena = fresh;
        r = &whole->reply;
    }
    r->type = task->type;
    return r;
}

/* Where what belongs to a reply lies. */
static Arena *beside(const redisReadTask *task, redisReply *r)
{
    Arena *in = arena_of(task);
    return in ? in : &answer_of(r)->arena;
}

static void *make_string(const redisReadTask *task, char *text, size_t n)
{
    Arena **texts = task->privdata;
    redisReply *r = begin(task);
    Str copy = arena_copy(*texts ? *texts : beside(task, r), (Str){ text, n });
    r->str = (char *)copy.p;
    r->len = copy.n;
    return r;
}

#if HIREDIS_MAJOR > 0
typedef size_t Count;
#else
typedef int Count;
#endif

static void *make_array(const redisReadTask *task, Count n)
{
    redisReply *r = begin(task);
    r->elements = n > 0 ? (size_t)n : 0;
    r->element = NEW_ARRAY(beside(task, r), redisReply *, r->elements);
    return r;
}

static void *make_integer(const redisReadTask *task, long long n)
{
    redisReply *r = begin(task);
    r->integer = n;
    return r;
}

static void *make_nil(const redisReadTask *task)
{
    return begin(task);
}

static void free_answer(void *reply)
{
    if (!reply)
        return;
    Arena all = answer_of(reply)->arena;
    arena_free(&all);
}

redisReader *hi_reader(const Hi *hi, Arena **texts)
{
    /* A buffer that a page has needed is kept for the next one. */
    enum { KEPT = 1024 * 1024 };
    static redisReplyObjectFunctions making = { .createString = make_string,
                                                .createArray = make_array,
                                                .createInteger = make_integer,
                                                .createNil = make_nil,
                                                .freeObject = free_answer };
    redisReader *reader = hi->reader_create(&making);
    if (!reader)
        mem_exhausted();
    reader->privdata = texts;
    reader->maxbuf = KEPT;
    return reader;
}

void hi_free(redisReply *r)
{
    free_answer(r);
}
