/* test_http.c - the HTTP client by itself: what it refuses, its limits, and that it can go on. */
#include "llm/desk.h"

#include <signal.h>

typedef struct Sink {
    Buf body;
    size_t stop_at; /* refuse from so many bytes on; 0: never */
    bool cancel;
} Sink;

static jot_status take(void *ctx, Str bytes, Err *e)
{
    Sink *s = ctx;
    buf_add(&s->body, bytes);
    if (s->stop_at && s->body.n >= s->stop_at)
        return err_set(e, JOT_CONFLICT, "enough");
    return JOT_OK;
}

static bool is_cancelled(void *ctx)
{
    return ((Sink *)ctx)->cancel;
}

static void sink_done(Sink *s)
{
    buf_free(&s->body);
}

DEFINE_AUTO(Sink, sink_done)

static HttpCall call_for(Sink *s, char url[128], const char *path)
{
    snprintf(url, 128, "http://127.0.0.1:%d%s", port, path);
    return (HttpCall){ .method = "POST",
                       .url = url,
                       .body = S("{}"),
                       .on_body = take,
                       .cancelled = is_cancelled,
                       .ctx = s };
}

static void only_http_is_spoken(void **state)
{
    static const char *const urls[] = {
        "file:///etc/passwd", "ftp://127.0.0.1/", "http:", "http://",
        "127.0.0.1/",         "gopher://x/",      ""
    };
    AUTO_PTR(HttpClient) c = http_client_new(&io_system);
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        AUTO(Sink) s = { 0 };
        AUTO(HttpAnswer) a = { 0 };
        Err e = { 0 };
        HttpCall call = { .method = "GET", .url = urls[i], .on_body = take, .ctx = &s };
        assert_row(http_send(c, &call, &a, &e) == JOT_INVALID, i, urls[i]);
        assert_sentence(&e);
        assert_int_equal(s.body.n, 0);
    }
}

static void a_header_cannot_bring_another_one(void **state)
{
    static const HttpField bad[] = { { "x-a", T("1\r\nx-evil: 2") },
                                     { "x-a", T("1\n") },
                                     { "x-a: 1\r\nx-b", T("1") },
                                     { "", T("1") },
                                     { "x-a", T("a\0b") } };
    AUTO_PTR(HttpClient) c = http_client_new(&io_system);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char url[128];
        AUTO(Sink) s = { 0 };
        AUTO(HttpAnswer) a = { 0 };
        Err e = { 0 };
        HttpCall call = call_for(&s, url, "/evil/ok-text/v1/messages");
        call.headers = &bad[i];
        call.n_headers = 1;
        assert_row(http_send(c, &call, &a, &e) == JOT_INVALID, i, "sent");
    }
    AUTO_PTR(json_t) log = log_of("evil");
    assert_int_equal(json_array_size(log), 0);
}

static void an_answer_has_a_status_headers_and_a_body(void **state)
{
    char url[128];
    AUTO_PTR(HttpClient) c = http_client_new(&io_system);
    AUTO(Sink) s = { 0 };
    AUTO(HttpAnswer) a = { 0 };
    Err e = { 0 };
    Str value = { 0 };
    HttpCall call = call_for(&s, url, "/h1/429-after_7/v1/messages");
    assert_int_equal(http_send(c, &call, &a, &e), JOT_OK);
    assert_int_equal(a.status, 429);
    assert_true(http_answer_header(&a, S("RETRY-after"), &value));
    assert_str(value, S("7"));
    assert_false(http_answer_header(&a, S("retry"), &value));
    assert_false(http_answer_header(&a, S("retry-after-ms"), &value));
    assert_true(s.body.n > 0);
}

static void an_answer_has_a_limit_and_the_client_goes_on(void **state)
{
    char url[128];
    AUTO_PTR(HttpClient) c = http_client_new(&io_system);
    AUTO(Sink) s = { 0 };
    AUTO(HttpAnswer) a = { 0 };
    Err e = { 0 };
    HttpCall call = call_for(&s, url, "/h2/ok-text/v1/messages");
    call.answer_max = 100;
    assert_int_equal(http_send(c, &call, &a, &e), JOT_TOO_BIG);
    assert_true(s.body.n <= 100);
    call.answer_max = 0;
    s.stop_at = 10;
    assert_int_equal(http_send(c, &call, &a, &e), JOT_CONFLICT);
    assert_string_equal(e.text, "enough");
    s.stop_at = 0;
    s.cancel = true;
    assert_int_equal(http_send(c, &call, &a, &e), JOT_CANCELLED);
    s.cancel = false;
    buf_clear(&s.body);
    assert_int_equal(http_send(c, &call, &a, &e), JOT_OK);
    assert_int_equal(a.status, 200);
    assert_true(str_ends(buf_str(&s.body), S("\"message_stop\"}\n\n")));
}

static void signals_are_left_as_they_were(void **state)
{
    char url[128];
    sigset_t after, waiting, mine;
    AUTO_PTR(HttpClient) c = http_client_new(&io_system);
    AUTO(Sink) s = { 0 };
    AUTO(HttpAnswer) a = { 0 };
    Err e = { 0 };
    HttpCall call = call_for(&s, url, "/h3/ok-text/v1/messages");
    sigemptyset(&mine);
    sigaddset(&mine, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &mine, NULL);
    raise(SIGPIPE); /* somebody else's */
    assert_int_equal(http_send(c, &call, &a, &e), JOT_OK);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGPIPE), 1);
    sigpending(&waiting);
    assert_int_equal(sigismember(&waiting, SIGPIPE), 1);
    sigwaitinfo(&mine, NULL);
    pthread_sigmask(SIG_UNBLOCK, &mine, NULL);
    assert_int_equal(http_send(c, &call, &a, &e), JOT_OK);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    assert_int_equal(sigismember(&after, SIGPIPE), 0);
}

static void this_machine_is_known_by_its_names(void **state)
{
    static const struct {
        const char *host;
        bool here;
    } hosts[] = {
        { "localhost", true },
        { "127.0.0.1", true },
        { "127.255.0.3", true },
        { "::1", true },
        { "", false },
        { "127.0.0.1.evil.com", false },
        { "127.0.0", false },
        { "127.0.0.256", false },
        { "localhost.evil.com", false },
        { "1127.0.0.1", false },
        { "128.0.0.1", false },
        { "127.0.0.1 ", false },
        { "evil127.0.0.1", false },
        { "127.0.0.-1", false },
        { "0.0.0.0", false },
        { "::ffff:8.8.8.8", false },
        { "127.0.0.01", false },
    };
    for (size_t i = 0; i < COUNT_OF(hosts); i++)
        assert_row(http_host_is_here(str(hosts[i].host)) == hosts[i].here, i, hosts[i].host);
}

static void dates_of_headers_are_understood(void **state)
{
    int64_t ms = 0;
    assert_true(http_date(S("Sun, 06 Nov 1994 08:49:37 GMT"), &ms));
    assert_int_equal(ms, INT64_C(784111777000));
    assert_false(http_date(S("tomorrow, perhaps"), &ms));
    assert_false(http_date(S(""), &ms));
    assert_false(http_date(S("Sun, 06 Nov 1994 08:49:37 GMT                                       "
                             "                 "),
                           &ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_http_is_spoken),
        cmocka_unit_test(a_header_cannot_bring_another_one),
        cmocka_unit_test(an_answer_has_a_status_headers_and_a_body),
        cmocka_unit_test(an_answer_has_a_limit_and_the_client_goes_on),
        cmocka_unit_test(signals_are_left_as_they_were),
        cmocka_unit_test(this_machine_is_known_by_its_names),
        cmocka_unit_test(dates_of_headers_are_understood),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
