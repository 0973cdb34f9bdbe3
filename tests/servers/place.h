/* place.h - Place, a pad on a real server with a proxy before it: what the tests of all servers
 * share.
 *
 * A ServerKind says what a server of tests/rig/with-servers is called and how its pads are named;
 * each case gets a fresh pad there, opened through a proxy (rig/proxy.h), and can look past it. */
#ifndef SERVERS_PLACE_H
#define SERVERS_PLACE_H

#include <sys/types.h>

#include "rig/proxy.h"
#include "store/store.h"
#include "unit/unit.h"

#define PATIENT_MS ((int64_t)60000) /* for who writes where others do */
#define BOUND_MS ((int64_t)30000)   /* nothing takes longer, whatever happens */
#define MOMENT_US ((int64_t)100000) /* in which a proxy takes up its new mode */

typedef struct ServerKind {
    const char *dir;     /* the variable of the environment with the server's directory */
    const char *socket;  /* in there; NULL: it listens on loopback ... */
    const char *port;    /* ... at the port in this variable */
    const char *url;     /* of a pad, but for its name; '*' is the directory, or the port */
    const char *secrets; /* words that no sentence may have, with spaces between */
    int rounds;          /* of what is repeated */
    int answers;         /* how many an operation has at most */
    int64_t wait_ms;
} ServerKind;

/* A clock that a test sets: CLOCK_BOOTTIME is so much later from the so-maniest look on. */
typedef struct Jump {
    int64_t by_ms;
    int after; /* looks that still see the right time */
} Jump;

typedef struct Place {
    const ServerKind *kind;
    Proxy proxy;
    char pad[40];
    char url[256];    /* through the proxy ... */
    char direct[256]; /* ... and not */
    Store *s;
    Jump jump;
    Io io; /* the system's, with that clock */
    Arena a;
    Err e;
} Place;

/* --- Cases -------------------------------------------------------------------------------- */

int place_set_up(void **state);
int place_tear_down(void **state);
#define CASE(f)                                         \
    {                                                   \
#f, f, place_set_up, place_tear_down, (void *)0 \
    }

/* Cases of several tables. */
typedef struct CaseTable {
    const struct CMUnitTest *items;
    size_t n;
} CaseTable;

/* Run them; with an argument only the case of that name, or with a dash before it all others. */
int place_main(const ServerKind *kind, const CaseTable *tables, size_t n, int argc, char **argv);

/* --- The server --------------------------------------------------------------------------- */

/* A variable of the environment, which must be there. */
const char *place_variable(const char *name);
const char *place_dir(const Place *p);
/* Who kills it sees it started again: this waits for that. */
pid_t place_server(const Place *p);
void place_kill_server(const Place *p);
void place_await_server(const Place *p, pid_t killed);

/* --- Pads --------------------------------------------------------------------------------- */

Store *place_open(Place *p, const char *url, StoreOptions o);
MUST_USE jot_status place_put(Place *p, Store *s, const char *stream, const char *text, Mark *m);
void place_put_many(Place *p, Store *s, const char *stream, int n);
/* How many records a stream has, asked past the proxy. */
size_t place_count(Place *p, const char *stream);

/* Another process that writes `n` times to notes/a past the proxy, after a pause. */
pid_t place_start_writer(Place *p, int n, int64_t pause_us);
/* The same at once, by this URL, and patiently. */
pid_t place_start_writer_at(Place *p, const char *url, int n);
/* It ends with 0. */
void place_end_well(pid_t child);

/* --- Bad input ---------------------------------------------------------------------------- */

typedef struct Refusal {
    const char *url; /* '*' is the server's directory, or its port */
    jot_status want;
    const char *part; /* of the sentence */
} Refusal;

/* Opening it ends so, in time, with one sentence that has `part` and no secret, and with no handle.
 */
void place_refuses(Place *p, const char *url, jot_status want, const char *part);
void place_refuses_all(Place *p, const Refusal *rows, size_t n);

#endif
