/* follow.h - WebFollow, the changes of one pad, for every page that looks at it.
 *
 * A thread of its own watches the pad while somebody follows, and posts what it sees to the
 * server's thread, which sends it to all streams.  The first event of a stream is `hello`: what
 * changes after it is not missed. */
#ifndef WEB_FOLLOW_H
#define WEB_FOLLOW_H

#include "web/web.h"

enum {
    FOLLOW_STREAMS_MAX = 128, /* of one pad */
    FOLLOW_LOOK_MS = 1000,    /* how long a look waits for changes */
    FOLLOW_AGAIN_MS = 1000,   /* between two tries to open a pad that is not there */
};

typedef struct WebFollow WebFollow;

/* `server_id` is what hello says. */
WebFollow *web_follow_new(WebPad *pad, HttpServer *server, const char *server_id);

/* For the server's thread. */
void web_follow_add(WebFollow *f, HttpExchange *x);
void web_follow_gone(WebFollow *f, uint64_t number);
void web_follow_end(WebFollow *f);

#endif
