/* web.h - Web, the page and its API: pads for a person with a browser, or with curl.
 *
 *     GET  /                    the page (page.h); no token
 *     GET  /page/NAME           its parts; no token
 *     GET  /api/v1/pads         which pads there are, and who answers
 *     GET  /api/v1/verbs        what can be asked
 *     GET  /api/v1/pad/follow   changes as they come, as an event stream
 *     GET  /api/v1/NOUN/VERB    what reads
 *     POST /api/v1/NOUN/VERB    what writes, with a JSON object; what reads may be asked so too
 *
 * Nouns and verbs are the rows of src/tool, all that a person has a word for, and rows that the
 * caller brings: nothing is declared here a second time.  Its routes are part of somebody else's
 * server, which has MCP beside them; they have a token of their own, because what is written here
 * is written by a person.
 *
 * Nothing that asks a pad runs on the server's thread (pool.h). */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "net/http_server.h"
#include "tool/verb.h"
#include "tool/worker_pad.h"

enum {
    WEB_PADS_MAX = 16,
    WEB_ID_HEX = 8, /* digits of a pad's id */
};

#define WEB_ADDRESS "127.0.0.1:7438"

/* A pad that is served; its url is whole, so that another directory means the same one. */
typedef struct WebPad {
    PadOptions o;    /* by: the person */
    PadOptions look; /* the same, for what reads: it cannot write, not even to repair */
    Str name;        /* for the page: the last part of where it lies */
    char id[WEB_ID_HEX + 1];
    bool existed; /* as in worker_pad.h */
} WebPad;

/* A verb of a layer that this one does not know, under a noun of src/tool. */
typedef struct WebVerb {
    const char *noun;
    const Verb *verb;
} WebVerb;

typedef struct WebOptions {
    WebPad pads[WEB_PADS_MAX];
    size_t n;            /* at least 1 */
    const WebVerb *more; /* ends with a NULL noun; may be NULL */
    Hash token;
    bool read_only;
    bool mcp; /* somebody answers at /mcp too */
} WebOptions;

typedef struct Web Web;

/* The options must outlive it, and it lasts as long as the process. */
Web *web_new(WebOptions *o);
/* Its routes, which end in {0}. */
const HttpRoute *web_routes(const Web *w);
/* The server is there, and has these routes; signals that others wait for are blocked by now. */
void web_start(Web *w, HttpServer *server);

/* For the server's thread. */
void web_gone(Web *w, uint64_t number); /* a client went before its answer was complete */
void web_end(Web *w);                   /* the server ends: so do the streams */

/* The id of a pad that is called so: the beginning of the hash of its url. */
void web_pad_id(Str url, char id[WEB_ID_HEX + 1]);

#endif
