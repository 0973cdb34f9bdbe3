/* test_provider.c - one table of promises, tried on every provider against a real server. */
#include "llm/desk.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* --- The table of promises --------------------------------------------------------------- */

#define HELLO "text(Hello, w\xC3\xB6rld \xF0\x9F\x98\x80!) end 25/0/0/15"
#define BROKE_OFF "fail io: the provider's answer broke off"
#define OVERFLOW "fail too_big: the request is too long for the model (HTTP 400): "

typedef struct Row {
    const char *steps;
    const char *want;   /* the beginning of what is shown */
    size_t asks;        /* how often the server is asked */
    int64_t waited_ms;  /* altogether */
    const char *openai; /* what differs for these; NULL: nothing */
    size_t openai_asks;
    int64_t openai_waited_ms;
} Row;

#define SAME NULL, 0, 0

/* clang-format off */
static const Row rows[] = {
    { "ok-text", HELLO, 1, 0, SAME },
    { "bytes-text", HELLO, 1, 0, SAME },
    { "rude-text", HELLO, 1, 0, SAME },
    { "429-after_2/ok-text", HELLO, 2, 2000, SAME },
    { "429-after_0/ok-text", HELLO, 2, 0, SAME },
    { "429-after_1.5/ok-text", HELLO, 2, 1500, SAME },
    { "429-after_ms_150/ok-text", HELLO, 2, 150, SAME },
    { "429-date/ok-text", HELLO, 2, 7000, SAME },
    { "429-after_soon/ok-text", HELLO, 2, 500, SAME },
    { "429-after_2", "fail unavailable: the provider's rate limit is reached (HTTP 429): because of 429", 3, 4000, SAME },
    { "429-after_3600", "fail unavailable: not before 3600 seconds: the provider's rate limit", 1, 0, SAME },
    { "429", "fail unavailable: the provider's rate limit is reached", 1, 0,
             "fail unavailable: the provider's rate limit is reached", 3, 1500 },
    { "429-should/ok-text", HELLO, 2, 500, SAME },
    { "429-quota", "fail unavailable: the account at the provider is spent (HTTP 429)", 1, 0, SAME },
    { "429-too_large", "fail too_big: the request is too long for the model (HTTP 429)", 1, 0, SAME },
    { "529/ok-text", HELLO, 2, 500, SAME },
    { "529", "fail unavailable: the provider is overloaded (HTTP 529): because of 529", 3, 1500, SAME },
    { "503/ok-text", HELLO, 2, 500, SAME },
    { "500/503/ok-text", HELLO, 3, 1500, SAME },
    { "500", "fail io: the provider failed (HTTP 500): because of 500", 3, 1500, SAME },
    { "502-html/ok-text", HELLO, 2, 500, SAME },
    { "502-html", "fail io: the provider failed (HTTP 502)", 3, 1500, SAME },
    { "408/409/ok-text", HELLO, 3, 1500, SAME },
    { "500-never", "fail io: the provider failed (HTTP 500)", 1, 0, SAME },
    { "500-invalid", "fail invalid: the provider refuses the request (HTTP 500): [{'type': 'string_type'", 1, 0, SAME },
    { "500-code_400", "fail invalid: the provider refuses the request (HTTP 500): no such field", 1, 0, SAME },
    { "500-code_429/ok-text", HELLO, 2, 500, SAME },
    { "500-bad_request", "fail invalid: the provider refuses the request (HTTP 500): litellm.BadRequestError", 1, 0, SAME },
    { "500-type", "fail invalid: the provider refuses the request (HTTP 500): because of 500", 1, 0, SAME },
    { "500-window", "fail too_big: the request is too long for the model (HTTP 500): Requested tokens", 1, 0, SAME },
    { "400-should/ok-text", HELLO, 2, 500, SAME },
    { "400", "fail invalid: the provider refuses the request (HTTP 400): because of 400", 1, 0, SAME },
    { "422", "fail invalid: the provider refuses the request (HTTP 422)", 1, 0, SAME },
    { "422-usage/ok-text", "fail invalid: the provider refuses the request (HTTP 422)", 1, 0, HELLO, 2, 0 },
    { "422-usage/529/ok-text", "fail invalid: the provider refuses the request (HTTP 422)", 1, 0, HELLO, 3, 500 },
    { "422-usage", "fail invalid: the provider refuses the request (HTTP 422)", 1, 0,
                   "fail invalid: the provider refuses the request (HTTP 422)", 2, 0 },
    { "401", "fail denied: the provider refuses the key (HTTP 401): because of 401", 1, 0, SAME },
    { "403", "fail denied: the provider refuses the key (HTTP 403)", 1, 0, SAME },
    { "402", "fail unavailable: the account at the provider is spent (HTTP 402)", 1, 0, SAME },
    { "404", "fail not_found: the provider has no such model (HTTP 404)", 1, 0, SAME },
    { "413", "fail too_big: the request is too long for the model (HTTP 413)", 1, 0, SAME },
    { "400-overflow", OVERFLOW "prompt is too long", 1, 0, OVERFLOW "This model's maximum context", 1, 0 },
    { "400-other_overflow", OVERFLOW "input length and", 1, 0, OVERFLOW "the request exceeds", 1, 0 },
    { "302-elsewhere", "fail invalid: the provider points elsewhere, which is not followed (HTTP 302)", 1, 0, SAME },
    { "page/ok-text", "fail invalid: the address answers with 'text/html', not with an event stream", 1, 0, SAME },
    { "cut-text/ok-text", HELLO, 2, 500, SAME },
    { "cut-text", "fail io: ", 3, 1500, SAME },
    { "drop/ok-text", HELLO, 2, 500, SAME },
    { "drop", "fail io: could not complete the HTTP request", 3, 1500, SAME },
    { "garbage", "fail io: the server's answer is not HTTP", 3, 1500, SAME },
    { "headers", "fail io: the headers of the answer are too long", 1, 0, SAME },
    { "line", "fail io: a header line of the answer is too long", 1, 0, SAME },
    { "huge-21000000", "fail io: an event of the stream is too long", 1, 0, SAME },
    { "huge-17000000", "fail io: the reply is too long", 1, 0, SAME },
    { "ok-error/ok-text", HELLO, 2, 500, SAME },
    { "ok-error", "fail unavailable: the provider is overloaded: Overloaded", 3, 1500, SAME },
};
/* clang-format on */

static void check_row(const Who *who, size_t i)
{
    const Row *row = &rows[i];
    AUTO(Desk) d;
    bool other = who->vendor != VENDOR_ANTHROPIC && row->openai;
    const char *want = other ? row->openai : row->want;
    size_t asks = other ? row->openai_asks : row->asks;
    int64_t waited = other ? row->openai_waited_ms : row->waited_ms;
    open_steps(&d, who, row->steps);
    ask(&d);
    size_t asked = times_asked(&d);
    bool good = strncmp(d.shown.p, want, strlen(want)) == 0 && asked == asks &&
                d.slept_us == waited * 1000 && (size_t)d.again == asks - 1;
    if (!good)
        print_error("%s, %s: asked %zu, waited %lld ms\n%s\n", who->name, row->steps, asked,
                    (long long)d.slept_us / 1000, d.shown.p);
    assert_true(good);
}

static void every_provider_keeps_every_promise(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++)
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            check_row(&everybody[w], i);
}

static void recorded_streams_mean_the_same_over_a_connection(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++)
        for (size_t i = 0; i < COUNT_OF(stream_rows); i++) {
            char steps[64];
            AUTO(Desk) d = { 0 };
            const char *want = stream_want(&stream_rows[i], everybody[w].vendor);
            if (!want)
                continue;
            snprintf(steps, sizeof steps, "%s-%s", i % 2 ? "ok" : "bytes", stream_rows[i].name);
            open_steps(&d, &everybody[w], steps);
            ask(&d);
            const char *again = strstr(want, " again:");
            bool good = again ? strncmp(d.shown.p, want, (size_t)(again - want)) == 0
                              : strcmp(d.shown.p, want) == 0;
            if (!good)
                print_error("got  %s\nwant %s\n", d.shown.p, want);
            assert_row(good, i, stream_rows[i].name);
            assert_int_equal(d.again, again ? 2 : 0);
        }
}

static void huge_arguments_arrive_whole(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "huge-4000000");
        assert_int_equal(ask(&d), JOT_OK);
        assert_int_equal(d.reply.parts[0].args.n, 4000000);
        assert_false(d.reply.parts[0].broken);
    }
}

static void an_answer_that_is_no_stream_is_understood(void **state)
{
    for (size_t w = 2; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "json-x");
        assert_int_equal(ask(&d), JOT_OK);
        assert_string_equal(d.shown.p, "text(whole) end 3/0/0/1");
    }
}

static void the_model_is_named_as_the_provider_names_it(void **state)
{
    for (size_t w = 0; w < COUNT_OF(everybody); w++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[w], "ok-text");
        assert_int_equal(ask(&d), JOT_OK);
        assert_str(d.reply.model, w ? S("gpt-5-2025-08-07") : S("claude-sonnet-4-5-20250929"));
    }
}

/* --- Cancelling, and waiting in vain ----------------------------------------------------- */

static void it_can_be_cancelled_at_any_moment(void **state)
{
    static const char *const steps[] = { "bytes-calls", "stall", "hang-text" };
    for (size_t w = 0; w < 2; w++)
        for (size_t s = 0; s < COUNT_OF(steps); s++)
            for (int at = 1; at < 8; at++) {
                AUTO(Desk) d;
                open_steps(&d, &everybody[w], steps[s]);
                d.cancel_at = at;
                jot_status st = ask(&d);
                assert_row(st == JOT_CANCELLED || (s == 0 && st == JOT_OK), s, d.shown.p);
                assert_int_equal(d.again, 0);
            }
}

static void a_wait_can_be_cancelled(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[1], "503-after_50");
    d.io.sleep_us = sleep_us;
    d.cancel_at = 100;
    assert_int_equal(ask(&d), JOT_CANCELLED);
    assert_true(d.slept_us > 0 && d.slept_us < 10 * 1000 * 1000);
    assert_int_equal(times_asked(&d), 1);
}

/* A place where nobody answers the first packet: a listener whose queue is full. */
static int full_listener(int *at, int clients[4])
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(listen(fd, 0), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    for (int i = 0; i < 4; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(clients[i], (struct sockaddr *)&a, sizeof a);
    }
    *at = ntohs(a.sin_port);
    return fd;
}

static void connecting_can_be_cancelled(void **state)
{
    int at = 0, clients[4];
    int fd = full_listener(&at, clients);
    char base[64];
    AUTO(Desk) d;
    desk_init(&d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/v1", at);
    assert_int_equal(open_at(&d, &everybody[1], base, ""), JOT_OK);
    d.cancel_at = 4;
    assert_int_equal(ask(&d), JOT_CANCELLED);
    assert_int_equal(d.again, 0);
    for (int i = 0; i < 4; i++)
        close(clients[i]);
    close(fd);
}

static void silence_is_not_waited_for_for_ever(void **state)
{
    static const char *const steps[] = { "stall", "hang-text" };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        AUTO(Desk) d;
        open_steps(&d, &everybody[i], steps[i]);
        d.io.awake_ms = awake_ms;
        d.clock_step_ms = 100 * 1000;
        assert_int_equal(ask(&d), JOT_IO);
        assert_string_equal(d.e.text, "the server sent nothing for 600 seconds");
        assert_int_equal(d.again, 2);
    }
}

static void a_place_where_nobody_listens_is_tried_three_times(void **state)
{
    AUTO(Desk) d;
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof a;
    char base[64];
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* bound, but not listening */
    assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    desk_init(&d);
    snprintf(base, sizeof base, "http://127.0.0.1:%d/v1", ntohs(a.sin_port));
    assert_int_equal(open_at(&d, &everybody[2], base, ""), JOT_OK);
    assert_int_equal(ask(&d), JOT_IO);
    assert_int_equal(d.again, 2);
    assert_int_equal(d.slept_us, 1500 * 1000);
    close(fd);
}

static void a_connection_is_kept_and_not_inherited(void **state)
{
    AUTO(Desk) d;
    int found = 0;
    open_steps(&d, &everybody[1], "ok-text");
    assert_int_equal(ask(&d), JOT_OK);
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_in a = { 0 };
        socklen_t n = sizeof a;
        if (getpeername(fd, (struct sockaddr *)&a, &n) != 0 || ntohs(a.sin_port) != port)
            continue;
        found++;
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    }
    assert_int_equal(found, 1);
}

static void high_dice(void *ctx, void *out, size_t n)
{
    memset(out, 0xff, n);
}

static void chance_shortens_a_wait_by_a_quarter_at_most(void **state)
{
    AUTO(Desk) d;
    open_steps(&d, &everybody[0], "500");
    d.io.random = high_dice;
    assert_int_equal(ask(&d), JOT_IO);
    assert_int_equal(d.slept_us, (375 + 750) * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_provider_keeps_every_promise),
        cmocka_unit_test(recorded_streams_mean_the_same_over_a_connection),
        cmocka_unit_test(huge_arguments_arrive_whole),
        cmocka_unit_test(an_answer_that_is_no_stream_is_understood),
        cmocka_unit_test(the_model_is_named_as_the_provider_names_it),
        cmocka_unit_test(it_can_be_cancelled_at_any_moment),
        cmocka_unit_test(a_wait_can_be_cancelled),
        cmocka_unit_test(connecting_can_be_cancelled),
        cmocka_unit_test(silence_is_not_waited_for_for_ever),
        cmocka_unit_test(a_place_where_nobody_listens_is_tried_three_times),
        cmocka_unit_test(chance_shortens_a_wait_by_a_quarter_at_most),
        cmocka_unit_test(a_connection_is_kept_and_not_inherited),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
