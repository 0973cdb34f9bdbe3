/* jsonrpc.c - messages are checked here once; methods may rely on it.
 *
 * jansson gives the values; the bytes of the id are found by walking the members
 * of the object once more.  That walk cannot fail: json_read has seen all of it. */
#include "mcp/jsonrpc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { READ_STEP = 64 * 1024, KEEP_MAX = 1024 * 1024 };

/* --- Errors ------------------------------------------------------------------------------ */

RpcError rpc_error(int code, const char *fmt, ...)
{
    RpcError e = { .code = code };
    va_list args;
    va_start(args, fmt);
    vsnprintf(e.text, sizeof e.text, fmt, args);
    va_end(args);
    return e;
}

RpcError rpc_error_of(const Err *e)
{
    return rpc_error(status_info(e->status)->rpc, "%s", e->text);
}

void rpc_error_done(RpcError *e)
{
    json_decref(e->data);
    *e = (RpcError){ 0 };
}

void rpc_message_done(RpcMessage *m)
{
    json_decref(m->whole);
    *m = (RpcMessage){ 0 };
}

/* --- The bytes of a member --------------------------------------------------------------- */

static size_t skip_space(Str s, size_t at)
{
    while (at < s.n && (s.p[at] == ' ' || s.p[at] == '\t' || s.p[at] == '\n' || s.p[at] == '\r'))
        at++;
    return at;
}

/* The bytes of the value at `at`, without the space in front; *end is behind it. */
static Str value_at(Str text, size_t at, size_t *end)
{
    at = skip_space(text, at);
    *end = json_skip(text, at);
    return *end ? str_slice(text, at, *end) : (Str){ 0 };
}

/* The bytes of a member of the object that `text` is; empty if there is none. */
static Str member(Str text, Str name)
{
    size_t at = skip_space(text, 0) + 1; /* behind the brace */
    for (;;) {
        AUTO(Buf) key = { 0 };
        at = json_unquote(text, skip_space(text, at), &key);
        if (at == 0)
            return (Str){ 0 };
        at = skip_space(text, at) + 1; /* behind the colon */
        Str value = value_at(text, at, &at);
        if (value.n == 0 || str_eq(buf_str(&key), name))
            return value;
        at = skip_space(text, at);
        if (at >= text.n || text.p[at] != ',')
            return (Str){ 0 };
        at++;
    }
}

/* --- Reading ----------------------------------------------------------------------------- */

static bool refuse(RpcError *why, RpcError e)
{
    *why = e;
    return false;
}

static bool read_id(Str text, const json_t *id, RpcMessage *out, RpcError *why)
{
    if (!json_is_string(id) && !json_is_integer(id))
        return refuse(why,
                      rpc_error(RPC_INVALID_REQUEST, "invalid id: use a string or a whole number"));
    Str bytes = member(text, S("id"));
    if (bytes.n > RPC_ID_MAX)
        return refuse(
            why, rpc_error(RPC_INVALID_REQUEST, "invalid id: use at most %d bytes", RPC_ID_MAX));
    out->id = bytes;
    return true;
}

static bool read_method(RpcMessage *out, const json_t *method, RpcError *why)
{
    out->method = json_str(method);
    if (!json_is_string(method) || out->method.n == 0 || out->method.n > RPC_METHOD_MAX)
        return refuse(why,
                      rpc_error(RPC_INVALID_REQUEST,
                                "invalid method: use a string of 1 to %d bytes", RPC_METHOD_MAX));
    out->kind = out->id.n ? RPC_REQUEST : RPC_NOTIFICATION;
    out->params = json_object_get(out->whole, "params");
    if (out->params && !json_is_object(out->params))
        return refuse(why, rpc_error(RPC_INVALID_PARAMS, "invalid params: use an object"));
    return true;
}

/* A response has an id and either a result or an error; an error may lack the id. */
static bool read_response(RpcMessage *out, RpcError *why)
{
    const json_t *result = json_object_get(out->whole, "result");
    const json_t *error = json_object_get(out->whole, "error");
    out->kind = RPC_RESPONSE;
    if (!result == !error)
        return refuse(why, rpc_error(RPC_INVALID_REQUEST,
                                     "a message has a method, a result or an error, one of them"));
    if (result && out->id.n == 0)
        return refuse(why, rpc_error(RPC_INVALID_REQUEST, "a result has the id of its request"));
    return true;
}

bool rpc_read(Str text, RpcMessage *out, RpcError *why)
{
    Err e = { 0 };
    *out = (RpcMessage){ 0 };
    if (json_read(text, &out->whole, &e) != JOT_OK)
        return refuse(why, rpc_error(RPC_PARSE_ERROR, "not JSON: %s", e.text));
    if (json_is_array(out->whole))
        return refuse(why, rpc_error(RPC_INVALID_REQUEST,
                                     "batches are not allowed here: send one message at a time"));
    if (!json_is_object(out->whole))
        return refuse(why, rpc_error(RPC_INVALID_REQUEST, "a message is a JSON object"));
    const json_t *id = json_object_get(out->whole, "id");
    if (id && !read_id(text, id, out, why))
        return false;
    if (!str_eq(json_str(json_object_get(out->whole, "jsonrpc")), S("2.0")))
        return refuse(why, rpc_error(RPC_INVALID_REQUEST, "a message says \"jsonrpc\": \"2.0\""));
    const json_t *method = json_object_get(out->whole, "method");
    return method ? read_method(out, method, why) : read_response(out, why);
}

bool rpc_batch(Str text, Arena *into, Str **out, size_t *n)
{
    size_t cap = 0, at = skip_space(text, 0);
    if (at >= text.n || text.p[at] != '[' || json_skip(text, at) == 0)
        return false;
    *out = NULL;
    *n = 0;
    at = skip_space(text, at + 1);
    while (at < text.n && text.p[at] != ']' && *n <= RPC_BATCH_MAX) {
        *out = arena_grow(into, *out, *n, &cap, sizeof(Str), alignof(Str));
        (*out)[(*n)++] = value_at(text, at, &at);
        at = skip_space(text, at);
        if (at < text.n && text.p[at] == ',')
            at++;
    }
    return true;
}

bool rpc_id_same(Str a, Str b)
{
    AUTO(Buf) x = { 0 };
    AUTO(Buf) y = { 0 };
    if (str_eq(a, b))
        return true;
    if (a.n == 0 || b.n == 0 || a.p[0] != '"' || b.p[0] != '"')
        return false;
    return json_unquote(a, 0, &x) && json_unquote(b, 0, &y) && str_eq(buf_str(&x), buf_str(&y));
}

/* --- Writing ----------------------------------------------------------------------------- */

static void begin(Buf *to, Str id)
{
    buf_add(to, S("{\"jsonrpc\":\"2.0\""));
    if (id.n == 0)
        return;
    buf_add(to, S(",\"id\":"));
    buf_add(to, id);
}

void rpc_write_result(Buf *to, Str id, const json_t *result)
{
    assert(id.n && json_is_object(result));
    begin(to, id);
    buf_add(to, S(",\"result\":"));
    json_write(to, result);
    buf_add_char(to, '}');
}

void rpc_write_error(Buf *to, Str id, const RpcError *e)
{
    begin(to, id);
    buf_addf(to, ",\"error\":{\"code\":%d,\"message\":", e->code);
    json_quote(to, str(e->text));
    if (e->data) {
        buf_add(to, S(",\"data\":"));
        json_write(to, e->data);
    }
    buf_add(to, S("}}"));
}

void rpc_write_notification(Buf *to, const char *method, const json_t *params)
{
    begin(to, (Str){ 0 });
    buf_add(to, S(",\"method\":"));
    json_quote(to, str(method));
    if (params) {
        buf_add(to, S(",\"params\":"));
        json_write(to, params);
    }
    buf_add_char(to, '}');
}

/* --- Lines ------------------------------------------------------------------------------- */

static size_t line_max(const RpcLines *l)
{
    return l->max ? l->max : RPC_LINE_MAX;
}

char *rpc_lines_room(RpcLines *l, size_t *n)
{
    /* What was taken makes room; what is left is at most one unfinished line. */
    if (l->at) {
        memmove(l->buf.p, l->buf.p + l->at, l->buf.n - l->at);
        l->buf.n -= l->at;
        l->scanned -= l->at;
        l->at = 0;
    }
    /* One huge message must not cost its memory for ever. */
    if (l->buf.n == 0 && l->buf.cap > KEEP_MAX)
        buf_free(&l->buf);
    l->buf.max = line_max(l) + READ_STEP + READ_STEP;
    *n = READ_STEP;
    char *room = buf_room(&l->buf, READ_STEP);
    assert(room);
    return room;
}

void rpc_lines_grew(RpcLines *l, size_t n)
{
    buf_grew(&l->buf, n);
}

/* Nothing but an unfinished line is left: hold it, or let go of what is too long. */
static RpcLine unfinished(RpcLines *l, bool at_end, Str *out)
{
    Str rest = { l->buf.p + l->at, l->buf.n - l->at };
    l->scanned = l->buf.n;
    bool tell = !l->skipping && rest.n > line_max(l);
    if (tell || l->skipping || at_end) {
        l->at = l->buf.n;
        if (!tell && !l->skipping && skip_space(rest, 0) < rest.n) {
            *out = rest;
            return RPC_LINE_TEXT;
        }
        l->skipping = !at_end;
    }
    return tell ? RPC_LINE_TOO_LONG : RPC_LINE_NONE;
}

RpcLine rpc_lines_next(RpcLines *l, bool at_end, Str *out)
{
    while (l->at < l->buf.n) {
        const char *end = memchr(l->buf.p + l->scanned, '\n', l->buf.n - l->scanned);
        if (!end)
            return unfinished(l, at_end, out);
        Str line = { l->buf.p + l->at, (size_t)(end - l->buf.p) - l->at };
        bool skipped = l->skipping;
        l->at = l->scanned = (size_t)(end - l->buf.p) + 1;
        l->skipping = false;
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (skipped || skip_space(line, 0) == line.n)
            continue;
        if (line.n > line_max(l))
            return RPC_LINE_TOO_LONG;
        *out = line;
        return RPC_LINE_TEXT;
    }
    return RPC_LINE_NONE;
}

bool rpc_lines_more(const RpcLines *l)
{
    return l->at < l->buf.n && memchr(l->buf.p + l->at, '\n', l->buf.n - l->at) != NULL;
}

void rpc_lines_done(RpcLines *l)
{
    buf_free(&l->buf);
    *l = (RpcLines){ 0 };
}
