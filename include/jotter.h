/* jotter.h - durable memory for agents, outside the context window.
 *
 * This is the whole public interface of libjotter.  Only names that begin
 * with jot_ or JOT_ belong to it.  It is plain C99, readable by binding
 * generators, and usable from C++. */
#ifndef JOTTER_H
#define JOTTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The only place where the version stands. */
#define JOT_VERSION "0.1.0"

#if defined(__GNUC__)
#define JOT_API __attribute__((visibility("default")))
#else
#define JOT_API
#endif

/* How a call ended.  The numbers are part of the ABI: append, never renumber. */
typedef enum jot_status {
    JOT_OK = 0,
    JOT_INVALID = 1,      /* the argument is malformed; retrying cannot help */
    JOT_NOT_FOUND = 2,    /* no such key, stream, record or pad */
    JOT_CONFLICT = 3,     /* the expectation did not hold: somebody wrote in between */
    JOT_TOO_BIG = 4,      /* beyond a documented limit */
    JOT_UNAVAILABLE = 5,  /* the store is out of reach or busy; retrying may help */
    JOT_IO = 6,           /* the store failed to read or write; nothing was changed */
    JOT_LEASED = 7,       /* somebody else holds a lease on it */
    JOT_FENCED = 8,       /* the lease behind this write is gone */
    JOT_READ_ONLY = 9,    /* this pad, or this handle, cannot be written */
    JOT_CORRUPT = 10,     /* stored bytes are damaged; they are kept */
    JOT_UNSUPPORTED = 11, /* this build, engine or format cannot do that */
    JOT_UNKNOWN = 12,     /* it may or may not have happened: read before you retry */
    JOT_CANCELLED = 13,   /* stopped on request */
    JOT_DENIED = 14,      /* not allowed by the system or by policy */
    JOT_ID_REUSED = 15    /* the id was used before, with other content */
} jot_status;

/* The library's version, as in JOT_VERSION.  Never NULL. */
JOT_API const char *jot_version(void);

/* The name of a status, as programs see it: "ok", "not_found" ...  Never NULL. */
JOT_API const char *jot_status_name(jot_status status);

#ifdef __cplusplus
}
#endif

#endif
