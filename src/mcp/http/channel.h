/* channel.h - McpChannels, the event streams of one session of the old era over HTTP.
 *
 * Channel 0 is for notifications; each request may have one of its own.  A channel
 * outlives the connection it was begun on: a client that comes with the id of the last
 * event it saw gets what followed.  For that the newest events are kept, in a bounded
 * buffer; a client that comes back for events that have left it gets an error.
 *
 * Knows no sockets: an exchange is a number, 0 for none. */
#ifndef MCP_HTTP_CHANNEL_H
#define MCP_HTTP_CHANNEL_H

#include "base/arena.h"
#include "base/buf.h"

enum {
    CHANNELS_MAX = 64,                /* of one session, those that are over included */
    CHANNEL_KEPT_BYTES = 1024 * 1024, /* of the events of one session */
    CHANNEL_KEPT_MAX = 1000,          /* events */
};

typedef struct McpChannel {
    uint64_t number;   /* in its session, as event ids say */
    uint64_t via;      /* the exchange that asked; 0: channel 0, or a free place */
    uint64_t exchange; /* who reads it now */
    uint64_t events;   /* the number of the newest event */
    uint64_t sent;     /* up to here somebody got it */
    uint64_t dropped;  /* up to here nothing is kept */
    bool begun;        /* it is an event stream; before that the answer may be a plain one */
    bool ended;        /* nothing more will come */
    bool json_only;    /* its client takes no event streams */
} McpChannel;

typedef struct McpEvent {
    struct McpEvent *next;
    uint64_t channel, number;
    size_t n;
    char text[];
} McpEvent;

typedef struct McpChannels {
    McpChannel all[CHANNELS_MAX]; /* the first is channel 0 */
    uint64_t numbers;
    McpEvent *first, **last; /* oldest first */
    size_t n, bytes;
    char instance[17]; /* of this object: a session that is resumed counts from 1 again */
    bool resumed;      /* it was, so that events of an earlier instance may be named */
} McpChannels;

/* `life` is a word that no other has. */
void channels_init(McpChannels *s, const char *instance, bool resumed);
void channels_done(McpChannels *s);

/* A channel for a request; NULL: there are too many whose answer is missing. */
McpChannel *channel_new(McpChannels *s, uint64_t via);
/* The channel of a request; channel 0 for via 0; NULL: there is none. */
McpChannel *channel_of(McpChannels *s, uint64_t via);
/* The channel somebody reads. */
McpChannel *channel_read_by(McpChannels *s, uint64_t exchange);
/* Forget it: it was answered plainly. */
void channel_drop(McpChannels *s, McpChannel *one);

typedef struct McpEventId {
    char text[64];
} McpEventId;
McpEventId channel_event_id(const McpChannels *s, const McpChannel *one, uint64_t number);
/* The channel of an event, and its number; NULL: it is none of ours, or not kept any more.  For an
 * event of channel 0 in an earlier life: that channel, from its beginning. */
McpChannel *channel_find(McpChannels *s, Str id, uint64_t *number);

/* Number an event and keep it. */
uint64_t channel_add(McpChannels *s, McpChannel *one, Str text);
/* The first kept event of the channel after `number`, or NULL. */
const McpEvent *channel_next(const McpChannels *s, const McpChannel *one, uint64_t number);

#endif
