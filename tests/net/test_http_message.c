/* test_http_message.c - requests out of bytes. */
#include "unit/unit.h"

#include "net/http_message.h"

enum { BODY_MAX = 1000 };

/* The first thing a reader says of these bytes that is not "more". */
static HttpStep read_all(HttpReader *r, const char *text)
{
    *r = (HttpReader){ .body_max = BODY_MAX };
    http_reader_add(r, str(text));
    HttpStep step = http_reader_step(r);
    return step == HTTP_HEAD ? http_reader_step(r) : step;
}

static void a_request_is_taken_apart(void **state)
{
    (void)state;
    AUTO(HttpReader) r;
    assert_int_equal(read_all(&r,
                              "\r\nPOST /a/b?c=d&e=?f HTTP/1.1\r\nHost:x:1 \r\nX-Empty:\r\n"
                              "Accept: text/html;q=1 , */*\r\nCONTENT-length: 5\r\n\r\nhelloGET"),
                     HTTP_BODY);
    assert_true(str_eq(r.request.method, S("POST")));
    assert_true(str_eq(r.request.path, S("/a/b")));
    assert_true(str_eq(r.request.query, S("c=d&e=?f")));
    assert_true(str_eq(http_header(&r.request, "host"), S("x:1")));
    assert_int_equal(http_header(&r.request, "x-empty").n, 0);
    assert_int_equal(http_header_count(&r.request, "x-empty"), 1);
    assert_int_equal(http_header_count(&r.request, "none"), 0);
    assert_true(http_header_has(&r.request, "accept", "text/html"));
    assert_true(http_header_has(&r.request, "accept", "*/*"));
    assert_false(http_header_has(&r.request, "accept", "text"));
    assert_true(str_eq(r.request.body, S("hello")));
    assert_false(r.request.close);
}

static void what_follows_a_request_is_the_next_one(void **state)
{
    (void)state;
    AUTO(HttpReader) r;
    assert_int_equal(read_all(&r, "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.0\r\n\r\n"), HTTP_BODY);
    assert_true(str_eq(r.request.path, S("/1")));
    http_reader_next(&r);
    assert_false(http_reader_idle(&r));
    assert_int_equal(http_reader_step(&r), HTTP_HEAD);
    assert_true(str_eq(r.request.path, S("/2")));
    assert_true(r.request.close);
    assert_int_equal(http_reader_step(&r), HTTP_BODY);
    http_reader_next(&r);
    assert_true(http_reader_idle(&r));
    assert_int_equal(http_reader_step(&r), HTTP_MORE);
}

static void chunks_make_one_body(void **state)
{
    (void)state;
    AUTO(HttpReader) r;
    assert_int_equal(read_all(&r, "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n"
                                  "3\r\nabc\r\n0A;x=\"y\"\r\n0123456789\r\n0\r\nT: x\r\n\r\n"),
                     HTTP_BODY);
    assert_true(str_eq(r.request.body, S("abc0123456789")));
}

typedef struct Row {
    const char *text;
    int status;
} Row;

/* clang-format off */
static const Row refused[] = {
    { "GET / HTTP/1.1\nHost: x\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nHost: x\n\r\n\r\n", 400 },
    { "GET /\r\n\r\n", 400 },
    { "GET / HTTP/1.1 \r\n\r\n", 505 },
    { "GET / http/1.1\r\n\r\n", 400 },
    { "GET / HTTP/3\r\n\r\n", 505 },
    { "GET * HTTP/1.1\r\n\r\n", 400 },
    { "GET /\x7f HTTP/1.1\r\n\r\n", 400 },
    { "GET /#a HTTP/1.1\r\n\r\n", 400 },
    { " GET / HTTP/1.1\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\n X: folded\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nX : a\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nX\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nX: a\x01\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 501 },
    { "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 01\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n", 413 },
    { "POST / HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nExpect: 200-ok\r\n\r\n", 417 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n000000001\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", 413 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 413 },
};
/* clang-format on */

static void what_is_no_request_is_refused_for_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        AUTO(HttpReader) r;
        assert_row(read_all(&r, refused[i].text) == HTTP_BAD, i, refused[i].text);
        assert_row(r.status == refused[i].status, i, refused[i].text);
        assert_true(r.why && r.why[0]);
        http_reader_add(&r, S("GET / HTTP/1.1\r\n\r\n"));
        assert_int_equal(http_reader_step(&r), HTTP_BAD);
    }
}

static void a_head_without_end_is_refused(void **state)
{
    (void)state;
    AUTO(HttpReader) r = { .body_max = BODY_MAX };
    AUTO(Buf) line = { 0 };
    for (int i = 0; i < 100; i++)
        buf_add_char(&line, 'x');
    http_reader_add(&r, S("GET / HTTP/1.1\r\nX: "));
    size_t sent = 0;
    HttpStep step = HTTP_MORE;
    while (step == HTTP_MORE && sent < 2 * (size_t)HTTP_HEAD_MAX) {
        http_reader_add(&r, buf_str(&line));
        sent += line.n;
        step = http_reader_step(&r);
    }
    assert_int_equal(step, HTTP_BAD);
    assert_int_equal(r.status, 431);
    assert_true(sent <= (size_t)HTTP_HEAD_MAX + line.n);
}

static void a_hundred_headers_are_too_many(void **state)
{
    (void)state;
    AUTO(HttpReader) r = { .body_max = BODY_MAX };
    http_reader_add(&r, S("GET / HTTP/1.1\r\n"));
    for (int i = 0; i < 100; i++)
        http_reader_add(&r, S("X: y\r\n"));
    http_reader_add(&r, S("\r\n"));
    assert_int_equal(http_reader_step(&r), HTTP_BAD);
    assert_int_equal(r.status, 431);
}

static void chunks_beyond_the_limit_are_refused(void **state)
{
    (void)state;
    AUTO(HttpReader) r;
    (void)read_all(&r, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    HttpStep step = HTTP_MORE;
    for (int i = 0; i < BODY_MAX && step == HTTP_MORE; i++) {
        http_reader_add(&r, S("2\r\nab\r\n"));
        step = http_reader_step(&r);
    }
    assert_int_equal(step, HTTP_BAD);
    assert_int_equal(r.status, 413);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_taken_apart),
        cmocka_unit_test(what_follows_a_request_is_the_next_one),
        cmocka_unit_test(chunks_make_one_body),
        cmocka_unit_test(what_is_no_request_is_refused_for_good),
        cmocka_unit_test(a_head_without_end_is_refused),
        cmocka_unit_test(a_hundred_headers_are_too_many),
        cmocka_unit_test(chunks_beyond_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
