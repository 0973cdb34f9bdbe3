/* url.h - Url, the address of a store or a service.
 *
 *   files:.jotter?shared=no      postgres://ann:secret@db.example:5432/pads
 *
 * Either SCHEME:PATH or SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/PATH], then
 * ?KEY=VALUE&...  Percent escapes are decoded; a NUL is refused everywhere, any
 * control character in the host. */
#ifndef BASE_URL_H
#define BASE_URL_H

#include "base/arena.h"
#include "base/err.h"

/* Room for the longest path the kernel takes, each byte of it escaped. */
enum { URL_MAX = 16 * 1024 };

typedef struct Url {
    Str scheme;     /* lower case */
    bool authority; /* "//" was there: host and the fields around it mean something */
    Str user, password, host;
    int port;  /* 0: none given */
    Str path;  /* with its leading '/' after an authority */
    Str query; /* not decoded; see url_param */
} Url;

/* Parts live in `into`.  JOT_INVALID, or JOT_TOO_BIG beyond URL_MAX bytes, with a sentence that
 * never shows the password. */
MUST_USE jot_status url_parse(Str text, Arena *into, Url *out, Err *e);

/* The decoded value of a query parameter; false if it is not there.  JOT_INVALID cannot happen
 * here: url_parse has checked the escapes. */
bool url_param(const Url *u, Str key, Arena *into, Str *value);

/* The next parameter's key and value, decoded; false at the end.  Start with *at = 0. */
bool url_next_param(const Url *u, size_t *at, Arena *into, Str *key, Str *value);

/* The URL as it may be shown, kept and logged: without its password, also where that is a
 * parameter.  What is no URL comes back as it is. */
Str url_bare(Arena *into, Str text);

/* Whether it begins as a URL does: with SCHEME: in lower case.  A path that begins so is written
 * with ./ in front. */
bool url_has_scheme(Str text);

/* SCHEME://HOST[:PORT]/PATH from the parts of a URL with an authority, without user, parameters,
 * and a slash at the end. */
Str url_base(const Url *u, Arena *into);

/* Percent-encode everything but letters, digits and "-._~"; '/' too if `keep_slash` is false. */
Str url_encode(Arena *into, Str text, bool keep_slash);

/* SCHEME:PATH, read by url_parse as this path, whatever bytes are in it.  What a URL may hold
 * stays readable, also letters of other scripts; the rest is percent-encoded. */
Str url_from_path(Arena *into, const char *scheme, Str path);

#endif
