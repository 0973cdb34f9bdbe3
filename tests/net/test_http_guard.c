/* test_http_guard.c - Host, Origin and token, and the token's file. */
#include "unit/unit.h"

#include <sys/stat.h>

#include "net/http_guard.h"
#include "net/http_server.h"

static int check(const HttpGuard *g, const char *headers)
{
    AUTO(HttpReader) r = { .body_max = 10 };
    const char *why = "";
    http_reader_add(&r, S("GET / HTTP/1.1\r\n"));
    http_reader_add(&r, str(headers));
    http_reader_add(&r, S("\r\n"));
    assert_int_equal(http_reader_step(&r), HTTP_HEAD);
    int status = http_guard_check(g, &r.request, g->locked ? &g->token : NULL, &why);
    assert_true(status == 0 || why[0]);
    return status;
}

typedef struct Row {
    const char *headers;
    int status;
} Row;

/* clang-format off */
static const Row rows[] = {
    { "Host: localhost\r\n", 0 },
    { "Host: localhost:1\r\n", 0 },
    { "Host: [::1]\r\n", 0 },
    { "Host: [::1]:7\r\n", 0 },
    { "Host: 127.0.0.1:80\r\n", 0 },
    { "Host: Named.example:443\r\n", 0 },
    { "Host: [fd00::1]:443\r\n", 0 },
    { "Host: 127.0.0.2\r\n", 421 },
    { "Host: [::1\r\n", 421 },
    { "Host: [::1]x\r\n", 421 },
    { "Host: ::1\r\n", 421 },
    { "Host: localhost:\r\n", 421 },
    { "Host: localhost:x\r\n", 421 },
    { "Host: localhost:99999\r\n", 421 },
    { "Host: localhost.\r\n", 421 },
    { "Host: xlocalhost\r\n", 421 },
    { "Host: localhost localhost\r\n", 421 },
    { "Host: evil@localhost\r\n", 421 },
    { "Host: localhost/x\r\n", 421 },
    { "Host: :80\r\n", 421 },
    { "Host:\r\n", 421 },
    { "", 400 },
    { "Host: localhost\r\nHost: localhost\r\n", 400 },
    { "Host: localhost:9\r\nOrigin: http://localhost:9\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: https://localhost:9\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: http://127.0.0.1:4000\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: http://[::1]:4000\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: http://localhost:4001\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: http://localhost\r\n", 403 },
    { "Host: localhost\r\nOrigin: http://localhost\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: https://page.example\r\n", 0 },
    { "Host: localhost:9\r\nOrigin: http://page.example\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: https://page.example:443\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: https://page.example.evil\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: null\r\n", 403 },
    { "Host: localhost:9\r\nOrigin:\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: localhost:9\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: http://localhost:9\r\nOrigin: http://localhost:9\r\n", 403 },
    { "Host: localhost:9\r\nOrigin: ftp://localhost:9\r\n", 403 },
};
/* clang-format on */

static void only_known_hosts_and_origins_pass(void **state)
{
    (void)state;
    HttpGuard g = { .port = 4000 };
    assert_int_equal(http_guard_hosts(&g, S("named.example,[fd00::1]"), NULL), JOT_OK);
    assert_int_equal(http_guard_origins(&g, S("https://page.example"), NULL), JOT_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_row(check(&g, rows[i].headers) == rows[i].status, i, rows[i].headers);
}

static void only_the_token_opens(void **state)
{
    (void)state;
    HttpGuard g = { .port = 4000, .locked = true, .token = hash_of(S("right-token-right")) };
    static const Row tokens[] = {
        { "Host: localhost\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Bearer right-token-right\r\n", 0 },
        { "Host: localhost\r\nAuthorization: bearer right-token-right\r\n", 0 },
        { "Host: localhost\r\nAuthorization: Bearer right-token-righ\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Bearer right-token-right2\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Bearer  right-token-right\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Bearer\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Basic right-token-right\r\n", 401 },
        { "Host: localhost\r\nAuthorization: right-token-right\r\n", 401 },
        { "Host: localhost\r\nX-Token: right-token-right\r\n", 401 },
        { "Host: localhost\r\nAuthorization: Bearer right-token-right\r\n"
          "Authorization: Bearer right-token-right\r\n",
          401 },
        { "Host: evil\r\nAuthorization: Bearer right-token-right\r\n", 421 },
        { "Host: localhost\r\nOrigin: http://evil\r\nAuthorization: Bearer right-token-right\r\n",
          403 },
    };
    for (size_t i = 0; i < COUNT_OF(tokens); i++)
        assert_row(check(&g, tokens[i].headers) == tokens[i].status, i, tokens[i].headers);
}

static void names_that_are_none_are_refused(void **state)
{
    (void)state;
    HttpGuard g = { 0 };
    Err e = { 0 };
    static const char *const hosts[] = { "x:1", "[::1]:2", "a/b", "*.x", "[::1", "a,,b" };
    static const char *const origins[] = {
        "x", "://x", "http://", "http://x/", "http://*", "null"
    };
    for (size_t i = 0; i < COUNT_OF(hosts); i++) {
        assert_row(http_guard_hosts(&g, str(hosts[i]), &e) == JOT_INVALID, i, hosts[i]);
        assert_sentence(&e);
    }
    for (size_t i = 0; i < COUNT_OF(origins); i++) {
        assert_row(http_guard_origins(&g, str(origins[i]), &e) == JOT_INVALID, i, origins[i]);
        assert_sentence(&e);
    }
    AUTO(Buf) many = { 0 };
    for (int i = 0; i < HTTP_NAMES_MAX + 2; i++)
        buf_addf(&many, "%sh%d", i ? "," : "", i);
    assert_int_equal(http_guard_hosts(&g, buf_str(&many), &e), JOT_TOO_BIG);
}

static void a_token_is_made_kept_and_guarded(void **state)
{
    (void)state;
    char dir[] = "/tmp/jotter-guard-XXXXXX";
    assert_non_null(mkdtemp(dir));
    AUTO(Buf) path = { 0 };
    HttpGuard a = { 0 }, b = { 0 };
    bool made;
    Err e = { 0 };
    struct stat st;
    buf_addf(&path, "%s/deep/er/token%c", dir, 0);
    assert_int_equal(http_guard_token(&a, &io_system, path.p, &made, &e), JOT_OK);
    assert_true(made && a.locked);
    assert_int_equal(stat(path.p, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(http_guard_token(&b, &io_system, path.p, &made, &e), JOT_OK);
    assert_false(made);
    assert_true(hash_eq(a.token, b.token));
    assert_int_equal(chmod(path.p, 0644), 0);
    assert_int_equal(http_guard_token(&b, &io_system, path.p, &made, &e), JOT_DENIED);
    assert_int_equal(unlink(path.p), 0);
    path.p[strlen(path.p) - strlen("/token")] = 0;
    assert_int_equal(rmdir(path.p), 0);
    path.p[strlen(path.p) - strlen("/er")] = 0;
    assert_int_equal(rmdir(path.p), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void the_address_one_listens_at_is_a_name_of_ours(void **state)
{
    static const struct {
        const char *address, *host;
    } names[] = {
        { "127.0.0.2:0", "127.0.0.2" },
        { "[::1]:80", "[::1]" },
        { "[fd00::1]:80", "[fd00::1]" },
        { "192.0.2.1:7437", "192.0.2.1" },
        { "localhost:1", "localhost" },
        { "0.0.0.0:80", "" },
        { "[::]:80", "" },
        { "[0:0::0]:80", "" },
        { "nonsense", "" },
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_str(http_address_host(str(names[i].address)), str(names[i].host));
    HttpGuard g = { .own = http_address_host(S("127.0.0.2:0")) };
    assert_int_equal(check(&g, "Host: 127.0.0.2:99\r\n"), 0);
    assert_int_equal(check(&g, "Host: 127.0.0.3\r\n"), 421);
    assert_int_equal(check(&g, "Host:\r\n"), 421);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_one_listens_at_is_a_name_of_ours),
        cmocka_unit_test(only_known_hosts_and_origins_pass),
        cmocka_unit_test(only_the_token_opens),
        cmocka_unit_test(names_that_are_none_are_refused),
        cmocka_unit_test(a_token_is_made_kept_and_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
