/* fuzz_jsonrpc.c - any bytes as a stream of JSON-RPC messages.
 *
 * The lines must not depend on how the bytes were cut on their way, whatever is
 * refused is refused with a code, and every answer is one line of JSON. */
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "mcp/protocol/jsonrpc.h"

const char *const fuzz_words[] = { "{\"jsonrpc\":\"2.0\",",
                                   "\"id\":",
                                   "\"method\":\"ping\"",
                                   "\"params\":{}",
                                   "\"result\":{}",
                                   "\"error\":{}",
                                   "\"a\"",
                                   "\"\\ud83d\"",
                                   "18446744073709551615",
                                   "1e400",
                                   "\"\\u0061\"",
                                   "1",
                                   "-9223372036854775808",
                                   "9223372036854775808",
                                   "1.0",
                                   "null",
                                   "}",
                                   "[",
                                   "]",
                                   ",",
                                   "\n",
                                   "\r\n",
                                   " ",
                                   "\\n",
                                   "\xff",
                                   NULL };

enum { LINE_MAX_HERE = 200 };

/* It is JSON, but for an id that the asker wrote so. */
static void check_line_of(const Buf *b)
{
    AUTO(Buf) mended = { 0 };
    MUST(buf_ok(b) && !memchr(b->p, '\n', b->n));
    buf_add(&mended, buf_str(b));
    json_mend_surrogates(mended.p, mended.n);
    MUST(json_skip(buf_str(&mended), 0) == b->n);
}

static void check_answers(const RpcMessage *m, const RpcError *why)
{
    AUTO(Buf) error = { 0 };
    rpc_write_error(&error, m->id, why);
    check_line_of(&error);
    if (m->id.n == 0)
        return;
    AUTO(Buf) result = { 0 };
    AUTO_PTR(json_t) empty = json_object();
    rpc_write_result(&result, m->id, empty);
    check_line_of(&result);
    /* The answer's id is the very bytes, and so the same id. */
    RpcMessage back = { 0 };
    RpcError unused = { 0 };
    MUST(rpc_read(buf_str(&result), &back, &unused) && back.kind == RPC_RESPONSE);
    MUST(str_eq(back.id, m->id) && rpc_id_same(back.id, m->id));
    rpc_message_done(&back);
}

static void check_message(Str text)
{
    AUTO(RpcMessage) m = { 0 };
    AUTO(RpcError) why = { 0 };
    if (rpc_read(text, &m, &why)) {
        MUST(m.kind == RPC_REQUEST || m.kind == RPC_NOTIFICATION || m.kind == RPC_RESPONSE);
        MUST(m.kind != RPC_REQUEST || m.id.n);
        MUST(m.kind != RPC_NOTIFICATION || !m.id.n);
        MUST((m.kind == RPC_RESPONSE) == (m.method.n == 0));
        MUST(!m.params || json_is_object(m.params));
        MUST(!m.flawed || why.code);
        rpc_error_done(&why);
        why = rpc_error(RPC_METHOD_NOT_FOUND, "no");
    } else {
        MUST(why.code <= -31000 && why.text[0] && !strchr(why.text, '\n'));
        MUST(utf8_valid(str(why.text)));
    }
    MUST(m.id.n <= RPC_ID_MAX);
    check_answers(&m, &why);
}

static void check_batch(Str text)
{
    AUTO(Arena) arena = { 0 };
    Str *parts;
    size_t n;
    if (!rpc_batch(text, &arena, &parts, &n))
        return;
    MUST(n <= RPC_BATCH_MAX + 1);
    for (size_t i = 0; i < n && i < RPC_BATCH_MAX; i++) {
        MUST(parts[i].n && parts[i].p >= text.p && parts[i].p + parts[i].n < text.p + text.n);
        check_message(parts[i]);
    }
}

/* What came out of the lines, as one text: each line, or "!" for one too long, and a line break. */
static void collect(RpcLines *l, bool at_end, Buf *to)
{
    Str line;
    for (RpcLine got; (got = rpc_lines_next(l, at_end, &line)) != RPC_LINE_NONE;) {
        if (got == RPC_LINE_TEXT) {
            MUST(line.n && line.n <= LINE_MAX_HERE && !memchr(line.p, '\n', line.n));
            check_message(line);
            check_batch(line);
        }
        buf_add(to, got == RPC_LINE_TEXT ? line : S("!"));
        buf_add_char(to, '\n');
    }
}

static void feed(Str text, size_t step, Buf *to)
{
    AUTO(RpcLines) l = { .max = LINE_MAX_HERE };
    for (size_t at = 0; at < text.n;) {
        size_t room;
        char *place = rpc_lines_room(&l, &room);
        size_t n = text.n - at < step ? text.n - at : step;
        n = n < room ? n : room;
        MUST(n > 0);
        memcpy(place, text.p + at, n);
        rpc_lines_grew(&l, n);
        at += n;
        collect(&l, false, to);
    }
    collect(&l, true, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str text = { (const char *)data, size };
    AUTO(Buf) whole = { 0 };
    AUTO(Buf) bits = { 0 };
    feed(text, SIZE_MAX, &whole);
    feed(text, 1 + size % 7, &bits);
    MUST(str_eq(buf_str(&whole), buf_str(&bits)));
    return 0;
}
