/* jsonrpc.c - messages are checked here once; methods may rely on it.
 *
 *     bytes --> read as JSON; half a surrogate pair becomes U+FFFD, and it is read again
 *       |                |                                      |
 *       | all was read   | a number too large, a member twice,  | no JSON at all
 *       v                v too deep: read_flawed                v refuse_broken
 *     id, method    the members that can be read:          scan.h looks for the id
 *     or result,    a request without the rest, so that    in the bytes
 *     params        it is answered with its id
 *
 * jansson gives the values; the bytes of the id are found by walking the members
 * of the object once more.  That walk cannot fail: json_read has seen all of it.
 * Where jansson gives up, scan.h walks instead. */
#include "mcp/protocol/jsonrpc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { READ_STEP = 64 * 1024, KEEP_MAX = 1024 * 1024 };

/* --- Errors ------------------------------------------------------------------------------ */

static RpcError error_of(int code, const char *fmt, va_list args) PRINTF_LIKE(2, 0);

static RpcError error_of(int code, const char *fmt, va_list args)
{
    RpcError e = { .code = code };
    vsnprintf(e.text, sizeof e.text, fmt, args);
    return e;
}

RpcError rpc_error(int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    RpcError e = error_of(code, fmt, args);
    va_end(args);
    return e;
}

bool rpc_refuse(RpcError *why, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    *why = error_of(code, fmt, args);
    va_end(args);
    return false;
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

/* The bytes of the value at `at`, without the space in front; *end is after it. */
static Str value_at(Str text, size_t at, size_t *end)
{
    at = str_skip_space(text, at);
    *end = json_skip(text, at);
    return *end ? str_slice(text, at, *end) : (Str){ 0 };
}

/* The bytes of a member of the object that `text` is; empty if there is none. */
static Str member(Str text, Str name)
{
    size_t at = str_skip_space(text, 0) + 1; /* after the brace */
    for (;;) {
        AUTO(Buf) key = { 0 };
        at = json_unquote(text, str_skip_space(text, at), &key);
        if (at == 0)
            return (Str){ 0 };
        at = str_skip_space(text, at) + 1; /* after the colon */
        Str value = value_at(text, at, &at);
        if (value.n == 0 || str_eq(buf_str(&key), name))
            return value;
        at = str_skip_space(text, at);
        if (at >= text.n || text.p[at] != ',')
            return (Str){ 0 };
        at++;
    }
}

/* --- Reading ----------------------------------------------------------------------------- */

static bool read_id(Str text, const json_t *id, RpcMessage *out, RpcError *why)
{
    if (!json_is_string(id) && !json_is_integer(id))
        return rpc_refuse(why, RPC_INVALID_REQUEST, "invalid id: use a string or a whole number");
    Str bytes = member(text, S("id"));
    if (bytes.n > RPC_ID_MAX)
        return rpc_refuse(why, RPC_INVALID_REQUEST, "invalid id: use at most %d bytes", RPC_ID_MAX);
    out->id = bytes;
    return true;
}

static bool read_method(RpcMessage *out, const json_t *method, RpcError *why)
{
    out->method = json_str(method);
    if (!json_is_string(method) || out->method.n == 0 || out->method.n > RPC_METHOD_MAX)
        return rpc_refuse(why, RPC_INVALID_REQUEST, "invalid method: use a string of 1 to %d bytes",
                          RPC_METHOD_MAX);
    out->kind = out->id.n ? RPC_REQUEST : RPC_NOTIFICATION;
    out->params = json_given(out->whole, "params");
    if (out->params && !json_is_object(out->params))
        return rpc_refuse(why, RPC_INVALID_PARAMS, "invalid params: use an object");
    return true;
}

/* A response has an id and either a result or an error; an error may lack the id. */
static bool read_response(RpcMessage *out, RpcError *why)
{
    const json_t *result = json_given(out->whole, "result");
    const json_t *error = json_given(out->whole, "error");
    out->kind = RPC_RESPONSE;
    if (!result == !error)
        return rpc_refuse(why, RPC_INVALID_REQUEST,
                          "a message must have exactly one of method, result and error");
    if (result && out->id.n == 0)
        return rpc_refuse(why, RPC_INVALID_REQUEST, "a result must have the id of its request");
    return true;
}

/* All but the id, which has been read. */
static bool read_rest(RpcMessage *out, RpcError *why)
{
    if (!str_eq(json_member(out->whole, "jsonrpc"), S("2.0")))
        return rpc_refuse(why, RPC_INVALID_REQUEST, "a message must say \"jsonrpc\": \"2.0\"");
    const json_t *method = json_given(out->whole, "method");
    return method ? read_method(out, method, why) : read_response(out, why);
}

/* --- What cannot be read as a whole ------------------------------------------------------ */

/* Add a member unless there is one of its name, or its name is none that is taken here. */
static void add_member(json_t *to, Str name, json_t *value)
{
    AUTO_PTR(json_t) key = NULL;
    if (json_read(name, &key, NULL) != JOT_OK)
        return;
    Str text = json_str(key);
    if (json_is_string(key) && str_find(text, 0) == text.n && !json_object_getn(to, text.p, text.n))
        json_object_setn_new(to, text.p, text.n, json_incref(value));
}

/* What can be read of an object: its members, and those of the member "params".  *lost: one of
 * those could not. */
static json_t *read_members(Str text, bool outermost, RpcScan *s, bool *lost)
{
    json_t *whole = json_object();
    for (size_t i = 0; i < text.n; i++) {
        if (!scan_step(s, text.p[i]))
            continue;
        AUTO_PTR(json_t) value = NULL;
        Str name = str_slice(text, s->name_at, s->name_end);
        Str bytes = str_trim(str_slice(text, s->value_at, s->value_end));
        if (outermost && str_eq(name, S("\"params\"")) && str_starts(bytes, S("{"))) {
            RpcScan inner = { 0 };
            value = read_members(bytes, false, &inner, lost);
        } else if (json_read(bytes, &value, NULL) != JOT_OK) {
            *lost = *lost || !outermost;
            continue;
        }
        add_member(whole, name, value);
    }
    return whole;
}

/* A message of which a part cannot be read, without that part.  The id is `text`'s; `readable` is
 * the same but for surrogates. */
static bool read_flawed(Str text, Str readable, const Err *e, RpcMessage *out, RpcError *why)
{
    RpcScan scan = { 0 };
    bool params = false;
    out->whole = read_members(readable, true, &scan, &params);
    out->id = str_slice(text, scan.id_at, scan.id_at + scan_id(&scan).n);
    const json_t *id = json_object_get(out->whole, "id");
    if (scan.differ)
        return rpc_refuse(why, RPC_INVALID_REQUEST, "%s", e->text);
    if (id && out->id.n == 0 && !read_id(readable, id, out, why))
        return false;
    if (!read_rest(out, why))
        return false;
    out->flawed = true;
    *why = rpc_error(params ? RPC_INVALID_PARAMS : RPC_INVALID_REQUEST, "%s", e->text);
    return true;
}

static bool refuse_broken(Str text, const Err *e, RpcMessage *out, RpcError *why)
{
    RpcScan scan = { 0 };
    scan_add(&scan, text);
    out->id = str_slice(text, scan.id_at, scan.id_at + scan_id(&scan).n);
    return rpc_refuse(why, RPC_PARSE_ERROR, "%s", e->text);
}

/* --- Both -------------------------------------------------------------------------------- */

/* Read the text, if need be with half surrogate pairs mended, in *mended; *readable is what was
 * read last. */
static jot_status read_mended(Str text, Buf *mended, Str *readable, RpcMessage *out, JsonFlaw *flaw,
                              Err *e)
{
    *readable = text;
    jot_status st = json_read_flaw(text, &out->whole, flaw, e);
    if (st == JOT_OK || *flaw == JSON_BEYOND)
        return st;
    buf_add(mended, text);
    if (!buf_ok(mended) || !json_mend_surrogates(mended->p, mended->n))
        return st;
    *readable = buf_str(mended);
    return json_read_flaw(*readable, &out->whole, flaw, e);
}

static bool split(Str text, Arena *into, Str **out, size_t *n);

bool rpc_read(Str text, RpcMessage *out, RpcError *why)
{
    /* A message that is wrong in one place is answered with its id wherever that can be read: a
     * client that gets an error without one waits for ever. */
    AUTO(Buf) mended = { 0 };
    Str readable;
    size_t n;
    JsonFlaw flaw;
    Err e = { 0 };
    *out = (RpcMessage){ 0 };
    if (split(text, NULL, NULL, &n))
        return rpc_refuse(why, RPC_INVALID_REQUEST,
                          "batches are not allowed here: send one message at a time");
    if (read_mended(text, &mended, &readable, out, &flaw, &e) != JOT_OK)
        return flaw == JSON_BEYOND ? read_flawed(text, readable, &e, out, why)
                                   : refuse_broken(text, &e, out, why);
    if (!json_is_object(out->whole))
        return rpc_refuse(why, RPC_INVALID_REQUEST, "a message must be a JSON object");
    const json_t *id = json_object_get(out->whole, "id");
    if (id && !read_id(readable, id, out, why))
        return false;
    assert(out->id.n <= readable.n);
    if (out->id.n) /* mended or not, it is answered as it was written */
        out->id.p = text.p + (out->id.p - readable.p);
    return read_rest(out, why);
}

/* Walk over the messages of an array; kept in `into`, if there is one. */
static bool split(Str text, Arena *into, Str **out, size_t *n)
{
    size_t cap = 0, at = str_skip_space(text, 0);
    *n = 0;
    if (at >= text.n || text.p[at] != '[')
        return false;
    at = str_skip_space(text, at + 1);
    if (at < text.n && text.p[at] == ']')
        return str_skip_space(text, at + 1) == text.n;
    for (;; at++) {
        size_t end = scan_element(text, at);
        Str one = str_trim(str_slice(text, at, end));
        if (end == text.n || text.p[end] == '}' || one.n == 0)
            return false;
        if (into && *n <= RPC_BATCH_MAX) {
            *out = arena_grow(into, *out, *n, &cap, sizeof(Str), alignof(Str));
            (*out)[*n] = one;
        }
        *n += *n <= RPC_BATCH_MAX;
        at = end;
        if (text.p[end] == ']')
            return str_skip_space(text, end + 1) == text.n;
    }
}

bool rpc_batch(Str text, Arena *into, Str **out, size_t *n)
{
    *out = NULL;
    return split(text, into, out, n);
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
    assert(e->code != 0);
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

/* Pass over bytes of a line that is too long. */
static void pass_over(RpcLines *l, Str bytes)
{
    if (!l->skipping)
        l->scan = (RpcScan){ 0 };
    l->skipping = true;
    scan_add(&l->scan, bytes);
}

/* A line that is too long has ended. */
static RpcLine end_long(RpcLines *l, Str *out)
{
    l->skipping = false;
    *out = scan_id(&l->scan);
    return l->early ? RPC_LINE_NONE : RPC_LINE_TOO_LONG;
}

/* Nothing but an unfinished line is left: keep it, or drop what is too long. */
static RpcLine unfinished(RpcLines *l, bool at_end, Str *out)
{
    Str rest = { l->buf.p + l->at, l->buf.n - l->at };
    bool cr = rest.n && rest.p[rest.n - 1] == '\r'; /* may be no part of the line */
    bool found = !l->skipping && rest.n - cr > line_max(l);
    l->scanned = l->buf.n;
    if (found || l->skipping) {
        pass_over(l, rest);
        l->at = l->buf.n;
        if (found && l->early) {
            *out = (Str){ 0 };
            return RPC_LINE_TOO_LONG;
        }
        return at_end ? end_long(l, out) : RPC_LINE_NONE;
    }
    if (!at_end)
        return RPC_LINE_NONE;
    l->at = l->buf.n;
    *out = rest;
    return str_skip_space(rest, 0) < rest.n ? RPC_LINE_TEXT : RPC_LINE_NONE;
}

/* A whole line, without its end. */
static RpcLine finished(RpcLines *l, Str line, Str *out)
{
    bool skipped = l->skipping;
    if (skipped || line.n > line_max(l)) {
        pass_over(l, line);
        RpcLine got = end_long(l, out);
        return skipped ? got : RPC_LINE_TOO_LONG;
    }
    *out = line;
    return str_skip_space(line, 0) < line.n ? RPC_LINE_TEXT : RPC_LINE_NONE;
}

RpcLine rpc_lines_next(RpcLines *l, bool at_end, Str *out)
{
    /* taken | scanned, no end in it | not looked at */
    assert(l->at <= l->scanned && l->scanned <= l->buf.n);
    while (l->at < l->buf.n) {
        const char *end = memchr(l->buf.p + l->scanned, '\n', l->buf.n - l->scanned);
        if (!end)
            return unfinished(l, at_end, out);
        Str line = { l->buf.p + l->at, (size_t)(end - l->buf.p) - l->at };
        l->at = l->scanned = (size_t)(end - l->buf.p) + 1;
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        RpcLine got = finished(l, line, out);
        if (got != RPC_LINE_NONE)
            return got;
    }
    return at_end && l->skipping ? end_long(l, out) : RPC_LINE_NONE;
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
