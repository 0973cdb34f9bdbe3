/* change.c - which streams have changed, by a stream of the server's own.
 *
 * Every write adds an entry with the name and the writer's number, in the same step.
 * A cursor is the last entry that was seen:
 *
 *   PAD.ENTRY.NUMBER
 *
 * It counts only while that entry is there with that number: one that was trimmed, or
 * that a failover has lost, is a RESCAN.  Anyone who waits does so in the server, with a
 * blocking read. */
#include "store/redis/change.h"

#include <stdio.h>
#include <string.h>

#include "store/redis/flight.h"

enum {
    CHANGES_MAX = 50000, /* more changed names than this are a RESCAN */
    BLOCK_MS = 2000,     /* one read waits so long at most: the server may be another by then */
    ENTRY_MAX = 41,      /* two numbers of 64 bits and a dash */
    NUMBER = 16,
};

typedef struct Entry {
    char id[ENTRY_MAX + 1]; /* "": none */
    char number[NUMBER + 1];
} Entry;

static bool is_entry(Str text)
{
    uint64_t n;
    Str ms;
    return text.n <= ENTRY_MAX && str_cut(&text, '-', &ms) && str_to_u64(ms, UINT64_MAX, &n) &&
           str_to_u64(text, UINT64_MAX, &n);
}

/* The entry of a cursor of this pad; an empty one for any other. */
static Entry read_cursor(const Redis *p, const Cursor *c)
{
    Entry out = { "", "" };
    Str number = str(c->text), pad, id;
    if (!str_cut(&number, '.', &pad) || !str_cut(&number, '.', &id) || !str_eq(pad, str(p->id)) ||
        !is_entry(id) || number.n != NUMBER)
        return out;
    snprintf(out.id, sizeof out.id, STR_FMT, STR_ARG(id));
    snprintf(out.number, sizeof out.number, STR_FMT, STR_ARG(number));
    return out;
}

static void write_cursor(const Redis *p, Str id, Str number, Cursor *out)
{
    *out = (Cursor){ "" };
    snprintf(out->text, sizeof out->text, "%s." STR_FMT "." STR_FMT, p->id, STR_ARG(id),
             STR_ARG(number));
}

/* Names that changed since the entry, or with an empty one only where we are. */
static jot_status look(Redis *p, const Entry *since, Arena *into, Changes *out, Err *e)
{
    enum { FIRST = 5 };
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Script s = script_begin(p, &arena, SCRIPT_REST, "changes", (Str){ 0 }, (Str){ 0 });
    words_add(&s.words, (Str){ 0 });
    words_add(&s.words, str(since->id));
    words_add(&s.words, str(since->number));
    words_add_u64(&s.words, CHANGES_MAX);
    TRY(redis_ask(p, &s, &r, e));
    *out = (Changes){ .rescan = reply_number(r, 3), .forgot = reply_number(r, 4) };
    write_cursor(p, reply_text(r, 1), reply_text(r, 2), &out->next);
    size_t n = reply_count(r) > FIRST && !out->rescan ? reply_count(r) - FIRST : 0;
    out->names = NEW_ARRAY(into, Str, n + 1);
    for (out->n = 0; out->n < n; out->n++)
        out->names[out->n] = arena_copy(into, reply_text(r, FIRST + out->n));
    return JOT_OK;
}

/* Wait in the server for an entry after this one.  Whatever it answers, somebody looks again. */
static jot_status wait_for_news(Redis *p, const Entry *since, int64_t wait_ms, Err *e)
{
    AUTO(Arena) arena = { 0 };
    AUTO_PTR(redisReply) r = NULL;
    Words w = { .arena = &arena };
    TRY(redis_ready(p, "look for changes", (Str){ 0 }, e));
    int64_t block = wait_ms < BLOCK_MS ? wait_ms : BLOCK_MS;
    p->deadline_ms += block;
    words_add(&w, S("XREAD"));
    words_add(&w, S("COUNT"));
    words_add(&w, S("1"));
    words_add(&w, S("BLOCK"));
    words_add_u64(&w, (uint64_t)block);
    words_add(&w, S("STREAMS"));
    words_add(&w, arena_printf(&arena, "%schanges", p->prefix));
    words_add(&w, str(since->id));
    jot_status st = redis_command(p, &w, &r, e);
    if (p->lost || (st == JOT_OK && r->type != REDIS_REPLY_ERROR))
        return JOT_OK;
    /* The pad was moved, or its server is not ready: looking again takes care of that. */
    if (st == JOT_OK && !redis_is_error(r, "NOPERM"))
        return redis_pause(p) ? JOT_OK : redis_refused(p, r, e);
    return st == JOT_OK ? redis_refused(p, r, e) : st;
}

static bool is_quiet(const Changes *c)
{
    return c->n == 0 && !c->rescan && !c->forgot;
}

jot_status redis_changes(Store *s, const Cursor *c, int64_t wait_ms, Arena *into, Changes *out,
                         Err *e)
{
    Redis *p = (Redis *)s;
    const Cursor from = *c; /* it may lie in *out */
    int64_t until = io_awake_ms(&io_system) + wait_ms;
    for (;;) {
        TRY(redis_ready(p, "look for changes", (Str){ 0 }, e));
        Entry since = read_cursor(p, &from);
        TRY(look(p, &since, into, out, e));
        int64_t left = until - io_awake_ms(&io_system);
        if (!is_quiet(out) || left <= 0)
            return JOT_OK;
        TRY(wait_for_news(p, &since, left, e));
    }
}
