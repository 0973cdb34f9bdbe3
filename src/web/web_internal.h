/* web_internal.h - Web, for the files that make it up.  All of it belongs to the server's thread,
 * but for what pool.h and follow.h say of themselves. */
#ifndef WEB_WEB_INTERNAL_H
#define WEB_WEB_INTERNAL_H

#include "web/follow.h"
#include "web/pool.h"
#include "web/web.h"

#define WEB_API "/api/v1/"

enum { WEB_ROUTES_MAX = 16 };

struct Web {
    WebOptions *o;
    HttpServer *server;
    Pool *pool;
    WebFollow *follows[WEB_PADS_MAX];
    HttpRoute routes[WEB_ROUTES_MAX];
    char id[17]; /* of this server, until it ends */
    int64_t started_ms;
};

/* --- Answers (answer.c) ---------------------------------------------------------------------- */

/* A request about a noun and a verb, on its way to the pool. */
void web_ask(void *ctx, HttpExchange *x);
/* On a worker's thread: a job is done. */
void web_done(void *ctx, PoolJob *job);
/* The verb of these names, with its noun; NULL: there is none. */
const Verb *web_verb(const Web *w, Str noun, Str verb);
/* The place of the pad that a request names, or of the first; false: there is no such pad. */
bool web_pad_of(const Web *w, const HttpRequest *q, size_t *out);

#endif
