/* http_guard.h - HttpGuard, who may ask: the one place where Host, Origin and token are checked.
 *
 * Host: one, and a loopback name, the address we listen at or one that was allowed; so a page whose
 * name was made to point here (DNS rebinding) is refused.  Origin: absent, our own or one that was
 * allowed; so no other page can ask.  Token: "Authorization: Bearer TOKEN", compared in a
 * time that says nothing about it; never taken from the address.
 *
 * The token lies in a file that only its owner can read, and is made when there is none. */
#ifndef NET_HTTP_GUARD_H
#define NET_HTTP_GUARD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/io.h"
#include "net/http_message.h"

enum {
    HTTP_NAMES_MAX = 32, /* hosts, and origins, that can be allowed */
    HTTP_TOKEN_MIN = 16, /* bytes of a token that somebody chose */
    HTTP_TOKEN_MAX = 512,
};

typedef struct HttpGuard {
    Str hosts[HTTP_NAMES_MAX]; /* besides the loopback names; without a port */
    size_t hosts_n;
    Str origins[HTTP_NAMES_MAX]; /* whole: "https://example.org:8443" */
    size_t origins_n;
    Str own;       /* the name in the address we listen at; empty: that means them all */
    uint16_t port; /* ours */
    bool locked;   /* a token is needed, where no route has one of its own */
    Hash token;    /* of it */
} HttpGuard;

/* 0 if the request may pass, else the status to refuse it with and a sentence.  `token` is the hash
 * of the token it needs; NULL: none. */
int http_guard_check(const HttpGuard *g, const HttpRequest *r, const Hash *token, const char **why);

/* True if the request comes from a page of another origin, which was allowed: its browser wants to
 * hear so before it shows the page an answer. */
bool http_guard_cross_origin(const HttpGuard *g, const HttpRequest *r);

/* The text of the token in its file, which is made if it is not there: *made says so.  JOT_DENIED:
 * others can read the file, or it is not ours.  Lives in `into`. */
MUST_USE jot_status http_token_read(const Io *io, const char *path, Arena *into, Str *out,
                                    bool *made, Err *e);
/* The same, into the guard. */
MUST_USE jot_status http_guard_token(HttpGuard *g, const Io *io, const char *path, bool *made,
                                     Err *e);

/* Add names, separated by commas.  JOT_INVALID for what is none. */
MUST_USE jot_status http_guard_hosts(HttpGuard *g, Str names, Err *e);
MUST_USE jot_status http_guard_origins(HttpGuard *g, Str names, Err *e);

#endif
