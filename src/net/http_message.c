/* http_message.c - reading requests.
 *
 *     AT_HEAD --head is whole--> AT_DECISION --length----> AT_BYTES ----------------> AT_END
 *                                     |                                               ^
 *                                     `-chunked-> AT_SIZE -> AT_CHUNK -> AT_CHUNK_END |
 *                                                    |  ^--------------------'        |
 *                                                    `-size 0-> AT_TRAILER -----------'
 *
 * A head is looked at when all of it is there, so its grammar is a few functions over one piece of
 * text.  Then the server decides whether it wants the body (HTTP_HEAD is returned once), and the
 * body goes from the input to a buffer of its own as it comes.
 *
 * What two readers could understand differently is refused, because one of them may stand in front
 * of us: two lengths, a length and chunks, bare line feeds, folded headers, spaces around names. */
#include "net/http_message.h"

#include <assert.h>
#include <string.h>

/* --- Headers ----------------------------------------------------------------------------- */

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        c |= 0x20;
    return c;
}

bool http_same(Str a, Str b)
{
    for (size_t i = 0; i < a.n && a.n == b.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return a.n == b.n;
}

Str http_header(const HttpRequest *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (str_eq(r->headers[i].name, str(name)))
            return r->headers[i].value;
    return (Str){ 0 };
}

size_t http_header_count(const HttpRequest *r, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += str_eq(r->headers[i].name, str(name));
    return n;
}

static bool list_has(Str list, const char *word)
{
    while (list.n) {
        Str one = list;
        if (!str_cut(&list, ',', &one))
            list = (Str){ 0 };
        one = str_slice(one, 0, str_find(one, ';')); /* parameters, as of a type */
        if (http_same(str_trim(one), str(word)))
            return true;
    }
    return false;
}

bool http_header_has(const HttpRequest *r, const char *name, const char *word)
{
    for (size_t i = 0; i < r->n; i++)
        if (str_eq(r->headers[i].name, str(name)) && list_has(r->headers[i].value, word))
            return true;
    return false;
}

/* --- The head ---------------------------------------------------------------------------- */

/* Nothing after it can be trusted to begin where it seems to: the connection ends with the refusal.
 */
static HttpStep bad(HttpReader *r, int status, const char *why)
{
    assert(status >= 400 && why);
    r->status = status;
    r->why = why;
    r->state = AT_END;
    return HTTP_BAD;
}

static bool is_token(Str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!word && (c <= ' ' || c > '~' || strchr("\"(),/:;<=>?@[\\]{}", c)))
            return false;
    }
    return s.n > 0;
}

/* No control character; bytes beyond ASCII are let through: their meaning is not ours. */
static bool is_value(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (((unsigned char)s.p[i] < ' ' && s.p[i] != '\t') || s.p[i] == 0x7F)
            return false;
    return true;
}

/* A path, or a whole address: "http://host/path", whose host is put into *authority. */
static bool read_target(Str *s, Str *authority)
{
    static const char *const schemes[] = { "http://", "https://" };
    for (size_t i = 0; i < s->n; i++)
        if (s->p[i] <= ' ' || s->p[i] > '~' || s->p[i] == '#')
            return false;
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        Str scheme = str(schemes[i]);
        if (!http_same(str_slice(*s, 0, scheme.n), scheme))
            continue;
        Str rest = str_from(*s, scheme.n);
        size_t slash = str_find(rest, '/');
        *authority = str_slice(rest, 0, slash);
        *s = str_from(rest, slash);
        return authority->n > 0 && s->n > 0;
    }
    return s->n > 0 && s->p[0] == '/';
}

/* The next line of the head, without its end; false if there is a bare CR or LF in it. */
static bool next_line(Str *rest, Str *line)
{
    if (!str_cut(rest, '\n', line) || line->n == 0 || line->p[line->n - 1] != '\r')
        return false;
    line->n--;
    return str_find(*line, '\r') == line->n;
}

static HttpStep read_request_line(HttpReader *r, Str line)
{
    HttpRequest *q = &r->request;
    Str target;
    if (!str_cut(&line, ' ', &q->method) || !str_cut(&line, ' ', &target) || !is_token(q->method))
        return bad(r, 400, "a request must begin with a method, a path and HTTP/1.1");
    if (!str_eq(line, S("HTTP/1.1")) && !str_eq(line, S("HTTP/1.0")))
        return str_starts(line, S("HTTP/"))
                   ? bad(r, 505, "use HTTP/1.1")
                   : bad(r, 400, "the first line of a request must end in HTTP/1.1");
    if (!read_target(&target, &q->authority))
        return bad(r, 400, "the path of a request must begin with a slash");
    q->minor = line.p[line.n - 1] - '0';
    size_t mark = str_find(target, '?');
    q->path = str_slice(target, 0, mark);
    q->query = str_from(target, mark + 1);
    return HTTP_MORE;
}

static HttpStep read_header(HttpReader *r, Str line)
{
    HttpRequest *q = &r->request;
    Str name;
    if (!str_cut(&line, ':', &name) || !is_token(name))
        return bad(r, 400, "a header must be a name, a colon and a value, on one line");
    if (!is_value(line))
        return bad(r, 400, "the value of a header must not contain control characters");
    if (q->n == HTTP_HEADERS_MAX)
        return bad(r, 431, "too many headers");
    for (size_t i = 0; i < name.n; i++) /* ours: the copy in r->head */
        ((char *)name.p)[i] = lower(name.p[i]);
    q->headers[q->n++] = (HttpHeader){ name, str_trim(line) };
    return HTTP_MORE;
}

static HttpStep read_rest_of_head(HttpReader *r)
{
    HttpRequest *q = &r->request;
    q->close = http_header_has(q, "connection", "close") || q->minor == 0;
    if (http_header_count(q, "expect") && !http_same(http_header(q, "expect"), S("100-continue")))
        return bad(r, 417, "the only expectation is 100-continue");
    q->expects = q->minor == 1 && http_header_count(q, "expect") > 0;
    /* How long the body is; whatever two readers could understand differently is refused. */
    size_t lengths = http_header_count(q, "content-length");
    size_t codings = http_header_count(q, "transfer-encoding");
    if (lengths + codings > 1)
        return bad(r, 400, "send Content-Length or Transfer-Encoding, and only once");
    if (codings && q->minor == 0)
        return bad(r, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (codings && !http_same(http_header(q, "transfer-encoding"), S("chunked")))
        return bad(r, 501, "the only transfer coding is chunked");
    if (lengths && !str_to_u64(http_header(q, "content-length"), UINT64_MAX, &q->bytes))
        return bad(r, 400, "Content-Length must be a whole number");
    if (q->bytes > r->body_max)
        return bad(r, 413, "the body is too large");
    q->chunked = codings > 0;
    return HTTP_MORE;
}

static HttpStep read_head(HttpReader *r)
{
    Str rest = buf_str(&r->head), line;
    HttpStep step = HTTP_MORE;
    if (!next_line(&rest, &line))
        return bad(r, 400, "lines must end in CR LF");
    step = read_request_line(r, line);
    while (step == HTTP_MORE && rest.n) {
        if (!next_line(&rest, &line))
            return bad(r, 400, "lines must end in CR LF");
        if (line.n == 0)
            break; /* the empty line, which is the last */
        step = read_header(r, line);
    }
    return step == HTTP_MORE ? read_rest_of_head(r) : step;
}

/* The end of the head in the input: after an empty line; 0 if it is not there yet. */
static size_t head_end(Str in)
{
    /* From line feed to line feed; one followed by CR LF ends the last line. */
    for (size_t i = 0; i + 3 <= in.n; i++) {
        const char *lf = memchr(in.p + i, '\n', in.n - i);
        if (!lf)
            return 0;
        i = (size_t)(lf - in.p);
        if (i + 3 <= in.n && in.p[i + 1] == '\r' && in.p[i + 2] == '\n')
            return i + 3;
    }
    return 0;
}

/* --- The body ---------------------------------------------------------------------------- */

/* Move up to `want` bytes of the input to the body; how many there were. */
static uint64_t move(HttpReader *r, uint64_t want)
{
    Str in = str_from(buf_str(&r->in), r->at);
    Str part = str_slice(in, 0, want < in.n ? (size_t)want : in.n);
    assert(r->at <= r->in.n);
    buf_add(&r->body, part);
    assert(buf_ok(&r->body)); /* its length was checked against the limit before */
    r->at += part.n;
    return part.n;
}

static HttpStep read_size(HttpReader *r, Str line)
{
    uint64_t size = 0;
    Str digits = str_trim(str_slice(line, 0, str_find(line, ';')));
    if (digits.n == 0 || digits.n > 8)
        return bad(r, 400, "a chunk must begin with its size");
    for (size_t i = 0; i < digits.n; i++) {
        const char *hex = "0123456789abcdef", *at = strchr(hex, lower(digits.p[i]));
        if (!at || !*at)
            return bad(r, 400, "the size of a chunk must be a hexadecimal number");
        size = size * 16 + (uint64_t)(at - hex);
    }
    assert(r->body.n <= r->body_max);
    if (size > r->body_max - r->body.n)
        return bad(r, 413, "the body is too large");
    r->chunk = size;
    r->state = size ? AT_CHUNK : AT_TRAILER;
    return HTTP_HEAD; /* there is more to do */
}

/* A line of the input that is no part of the body; HTTP_HEAD if there is one. */
static HttpStep take_line(HttpReader *r, size_t max, Str *line)
{
    Str in = str_from(buf_str(&r->in), r->at), rest = in;
    if (str_find(in, '\n') >= max)
        return in.n >= max ? bad(r, 400, "a line between chunks is too long") : HTTP_MORE;
    if (str_find(in, '\n') == in.n)
        return HTTP_MORE;
    if (!next_line(&rest, line))
        return bad(r, 400, "lines must end in CR LF");
    r->at += in.n - rest.n;
    return HTTP_HEAD;
}

/* One step through chunks: HTTP_HEAD if there is more to do. */
static HttpStep step_chunk(HttpReader *r)
{
    Str line;
    if (r->state == AT_CHUNK) {
        r->chunk -= move(r, r->chunk);
        if (r->chunk)
            return HTTP_MORE;
        r->state = AT_CHUNK_END;
    }
    HttpStep step = take_line(r, HTTP_CHUNK_LINE_MAX, &line);
    if (step != HTTP_HEAD)
        return step;
    if (r->state == AT_SIZE)
        return read_size(r, line);
    if (r->state == AT_CHUNK_END) {
        r->state = AT_SIZE;
        return line.n ? bad(r, 400, "a chunk is longer than it says") : HTTP_HEAD;
    }
    /* Trailers are passed over, as many as there may be headers. */
    if (line.n && ++r->chunk > HTTP_HEADERS_MAX)
        return bad(r, 431, "too many trailers");
    if (line.n)
        return HTTP_HEAD;
    r->state = AT_END;
    return HTTP_BODY;
}

/* --- The reader -------------------------------------------------------------------------- */

/* What has been used is dropped when that is worth moving the rest. */
static void shift(HttpReader *r)
{
    if (r->at == 0 || (r->at < r->in.n && r->at < HTTP_HEAD_MAX))
        return;
    memmove(r->in.p, r->in.p + r->at, r->in.n - r->at);
    r->in.n -= r->at;
    r->at = 0;
}

void http_reader_add(HttpReader *r, Str bytes)
{
    shift(r);
    r->in.max = r->body_max + 4 * (size_t)HTTP_HEAD_MAX;
    buf_add(&r->in, bytes);
}

HttpStep http_reader_step(HttpReader *r)
{
    if (!buf_ok(&r->in))
        return bad(r, 413, "the request is too large");
    if (r->state == AT_HEAD) {
        Str in = str_from(buf_str(&r->in), r->at);
        /* Empty lines before a request are left over from careless clients. */
        while (str_starts(in, S("\r\n"))) {
            in = str_from(in, 2);
            r->at += 2;
        }
        size_t end = head_end(str_slice(in, 0, HTTP_HEAD_MAX));
        if (end == 0)
            return in.n >= HTTP_HEAD_MAX ? bad(r, 431, "the headers are too large") : HTTP_MORE;
        buf_clear(&r->head);
        buf_add(&r->head, str_slice(in, 0, end));
        r->at += end;
        HttpStep step = read_head(r);
        if (step != HTTP_MORE)
            return step;
        r->state = AT_DECISION; /* the next step means that the body is wanted */
        return HTTP_HEAD;
    }
    if (r->state == AT_END)
        return r->status ? HTTP_BAD : HTTP_BODY;
    if (r->state == AT_DECISION) {
        r->state = r->request.chunked ? AT_SIZE : AT_BYTES;
        r->chunk = r->request.chunked ? 0 : r->request.bytes;
        r->body.max = r->body_max + 1;
    }
    HttpStep step = HTTP_HEAD;
    if (r->state == AT_BYTES) {
        r->chunk -= move(r, r->chunk);
        step = r->chunk ? HTTP_MORE : HTTP_BODY;
        r->state = r->chunk ? AT_BYTES : AT_END;
    }
    while (step == HTTP_HEAD)
        step = step_chunk(r);
    assert(r->at <= r->in.n && r->body.n <= r->body_max);
    r->request.body = buf_str(&r->body);
    return step;
}

void http_reader_next(HttpReader *r)
{
    r->request = (HttpRequest){ 0 };
    r->state = AT_HEAD;
    r->chunk = 0;
    buf_free(&r->body);
    shift(r);
    if (r->in.n == r->at)
        buf_free(&r->in), r->at = 0;
}

bool http_reader_idle(const HttpReader *r)
{
    return r->state == AT_HEAD && r->in.n == r->at;
}

void http_reader_done(HttpReader *r)
{
    buf_free(&r->in);
    buf_free(&r->head);
    buf_free(&r->body);
    *r = (HttpReader){ 0 };
}
