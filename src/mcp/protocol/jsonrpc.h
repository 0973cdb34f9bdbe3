/* jsonrpc.h - JSON-RPC 2.0: one message in, one message out, and messages in a stream of bytes.
 *
 * Reading is strict: what json.h refuses is refused here, "jsonrpc" is "2.0",
 * an id is a string or a whole number, params is an object.  The id is kept as
 * the bytes it came in, so a reply carries exactly what the asker wrote.  Only half
 * a surrogate pair is read, as U+FFFD: clients in JavaScript send it whenever they cut
 * a text in the middle of an emoji, and nobody could mend it.
 *
 * Refusing is thorough: an answer without an id is nobody's, so the id is looked for
 * in whatever came (scan.h).
 *
 * Nothing here knows what a method means. */
#ifndef MCP_PROTOCOL_JSONRPC_H
#define MCP_PROTOCOL_JSONRPC_H

#include "base/arena.h"
#include "base/json.h"
#include "mcp/protocol/scan.h"

enum {
    RPC_LINE_MAX = 32 * 1024 * 1024, /* bytes of one message */
    RPC_METHOD_MAX = 256,
    RPC_BATCH_MAX = 100, /* messages in one array */
};

/* The codes of JSON-RPC and MCP that are no status of ours; all others come from status_info(). */
enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_RESOURCE_NOT_FOUND = -32002, /* before 2026-07-28 */
    RPC_HEADER_MISMATCH = -32020,    /* over HTTP */
    RPC_MISSING_CAPABILITY = -32021,
    RPC_UNSUPPORTED_VERSION = -32022,
};

/* --- One message ----------------------------------------------------------------------- */

typedef enum RpcKind { RPC_REQUEST = 1, RPC_NOTIFICATION, RPC_RESPONSE } RpcKind;

typedef struct RpcMessage {
    RpcKind kind;
    Str id;         /* as it was written: 7 or "a"; empty for a notification */
    Str method;     /* empty for a response */
    json_t *params; /* an object or NULL; borrowed from `whole` */
    json_t *whole;  /* owned */
    /* It is JSON, but a part of it is beyond what is read here, and missing in `whole`: good for
     * telling who asked for what, and for refusing it. */
    bool flawed;
} RpcMessage;

void rpc_message_done(RpcMessage *m); /* {0} is fine */
DEFINE_AUTO(RpcMessage, rpc_message_done)

/* What a message could not be, or a method did not do. */
typedef struct RpcError {
    int code;
    char text[320]; /* one line; room for any sentence of an Err */
    json_t *data;   /* owned; may be NULL */
} RpcError;

void rpc_error_done(RpcError *e); /* {0} is fine */
DEFINE_AUTO(RpcError, rpc_error_done)

/* The error a status stands for, with its sentence. */
RpcError rpc_error_of(const Err *e);
RpcError rpc_error(int code, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same in *why; false, for a function that ends with it. */
bool rpc_refuse(RpcError *why, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* One message.  `text` must live as long as *out, which borrows the id from it.  On failure *out
 * holds the id if there is a usable one, and *why the error to answer with; so does *why for one
 * that is flawed. */
MUST_USE bool rpc_read(Str text, RpcMessage *out, RpcError *why);

/* The messages of an array, each as its bytes, in `into`; false if `text` is no array.  *n is 0 for
 * an empty one, RPC_BATCH_MAX + 1 if there are too many.  Only brackets and commas are looked at:
 * what is wrong inside a message is that message's own, and rpc_read says it. */
MUST_USE bool rpc_batch(Str text, Arena *into, Str **out, size_t *n);

/* True if the two ids are the same value: same type, same text or number. */
bool rpc_id_same(Str a, Str b);

/* --- Answers, without a line break ------------------------------------------------------ */

void rpc_write_result(Buf *to, Str id, const json_t *result);
/* Without an id if that could not be read. */
void rpc_write_error(Buf *to, Str id, const RpcError *e);
void rpc_write_notification(Buf *to, const char *method, const json_t *params);

/* --- Lines ------------------------------------------------------------------------------ */

/* Bytes come in as they come, lines go out.  A line beyond the limit is skipped, and reported
 * once, when it has ended: clients may write the id after everything else. */
typedef struct RpcLines {
    Buf buf;
    size_t at;      /* what has been taken */
    size_t scanned; /* no line break before this */
    size_t max;     /* 0: RPC_LINE_MAX */
    bool early;     /* report a line that is too long as soon as it is, without its id */
    bool skipping;  /* inside a line that is too long */
    RpcScan scan;   /* of that line */
} RpcLines;

typedef enum RpcLine { RPC_LINE_NONE = 0, RPC_LINE_TEXT, RPC_LINE_TOO_LONG } RpcLine;

/* Room for the next bytes, at least one; *n says how many.  rpc_lines_grew says how many came. */
char *rpc_lines_room(RpcLines *l, size_t *n);
void rpc_lines_grew(RpcLines *l, size_t n);
/* The next line without its end (LF or CR LF), borrowed until rpc_lines_room; empty lines are
 * passed over.  At the end of input what has no line break is a line too.  Of one that is too long
 * *out is the id, if it has one, and is borrowed until the next call. */
RpcLine rpc_lines_next(RpcLines *l, bool at_end, Str *out);
/* True if rpc_lines_next has another whole line without more bytes. */
bool rpc_lines_more(const RpcLines *l);
void rpc_lines_done(RpcLines *l);
DEFINE_AUTO(RpcLines, rpc_lines_done)

#endif
