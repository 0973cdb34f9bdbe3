/* channel.c - event streams and what is kept of them.
 *
 * One queue of events for all channels of a session: what is too much leaves it at the
 * front, whosever it is.
 *
 *     all[0]  via 0     notifications          first -> 1.7 | 0.3 | 2.1 | 0.4 <- last
 *     all[1]  via 812   answer of a POST                 ^ dropped when there is too much:
 *     all[2]  via 815   answer of a POST                   channel 1 remembers that 7 is gone
 *
 * The id of an event is CHANNEL-NUMBER-INSTANCE, so a client that comes back says with it which
 * stream it read and how far.  An instance is one life of the session in this process: an id of
 * another one names events that nobody has any more. */
#include "mcp/http/channel.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void channels_init(McpChannels *s, const char *instance, bool resumed)
{
    *s = (McpChannels){ .resumed = resumed };
    snprintf(s->instance, sizeof s->instance, "%s", instance);
    s->all[0].begun = true;
    s->last = &s->first;
}

/* A place without a `via` is free, but for the first, which has none. */
static McpChannel *by_number(McpChannels *s, uint64_t number)
{
    for (size_t i = 0; i < CHANNELS_MAX; i++)
        if (s->all[i].number == number && (i == 0 || s->all[i].via))
            return &s->all[i];
    return NULL;
}

static void drop_first(McpChannels *s)
{
    McpEvent *e = s->first;
    assert(e && s->n > 0 && s->bytes >= e->n);
    McpChannel *one = by_number(s, e->channel);
    if (one)
        one->dropped = e->number;
    s->first = e->next;
    if (!s->first)
        s->last = &s->first;
    s->n--;
    s->bytes -= e->n;
    free(e);
}

void channels_done(McpChannels *s)
{
    while (s->first)
        drop_first(s);
}

/* A place that is free, or that of the oldest stream that has ended. */
static McpChannel *find_place(McpChannels *s)
{
    McpChannel *best = NULL;
    for (size_t i = 1; i < CHANNELS_MAX; i++) {
        McpChannel *one = &s->all[i];
        if (one->via == 0)
            return one;
        if (one->ended && !one->exchange && (!best || one->number < best->number))
            best = one;
    }
    return best;
}

McpChannel *channel_new(McpChannels *s, uint64_t via)
{
    assert(via); /* 0 is the notifications' */
    McpChannel *one = find_place(s);
    if (one)
        *one = (McpChannel){ .number = ++s->numbers, .via = via, .exchange = via };
    return one;
}

McpChannel *channel_of(McpChannels *s, uint64_t via)
{
    for (size_t i = 0; i < CHANNELS_MAX; i++)
        if (s->all[i].via == via)
            return &s->all[i]; /* the first has via 0 */
    return NULL;
}

McpChannel *channel_read_by(McpChannels *s, uint64_t exchange)
{
    for (size_t i = 0; i < CHANNELS_MAX && exchange; i++)
        if (s->all[i].exchange == exchange)
            return &s->all[i];
    return NULL;
}

void channel_drop(McpChannels *s, McpChannel *one)
{
    if (one != &s->all[0])
        *one = (McpChannel){ 0 };
}

McpEventId channel_event_id(const McpChannels *s, const McpChannel *one, uint64_t number)
{
    McpEventId id;
    snprintf(id.text, sizeof id.text, "%llu-%llu-%s", (unsigned long long)one->number,
             (unsigned long long)number, s->instance);
    return id;
}

McpChannel *channel_find(McpChannels *s, Str id, uint64_t *number)
{
    Str stream, event;
    uint64_t n;
    if (!str_cut(&id, '-', &stream) || !str_to_u64(stream, UINT64_MAX, &n) ||
        !str_cut(&id, '-', &event) || !str_to_u64(event, UINT64_MAX, number))
        return NULL;
    if (!str_eq(id, str(s->instance))) {
        /* Of a session that was resumed the notifications continue from their beginning; what an
         * answer was to is not known here. */
        *number = 0;
        return s->resumed && n == 0 ? &s->all[0] : NULL;
    }
    McpChannel *one = by_number(s, n);
    return one && one->begun && *number <= one->events ? one : NULL;
}

uint64_t channel_add(McpChannels *s, McpChannel *one, Str text)
{
    assert(one->begun);
    McpEvent *e = mem_alloc(sizeof *e + text.n);
    *e = (McpEvent){ .channel = one->number, .number = ++one->events, .n = text.n };
    memcpy(e->text, text.p, text.n);
    *s->last = e;
    s->last = &e->next;
    s->n++;
    s->bytes += e->n;
    /* Also the event itself, if it alone is too much: then it is only sent to who listens now. */
    while (s->first && (s->bytes > CHANNEL_KEPT_BYTES || s->n > CHANNEL_KEPT_MAX))
        drop_first(s);
    return one->events;
}

const McpEvent *channel_next(const McpChannels *s, const McpChannel *one, uint64_t number)
{
    for (const McpEvent *e = s->first; e; e = e->next)
        if (e->channel == one->number && e->number > number)
            return e;
    return NULL;
}
