/* test_redis_tls.c - pads on a Redis server that speaks TLS.
 *
 * tests/rig/with-servers started one whose certificate is for localhost, signed by an
 * authority of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "store/store.h"
#include "unit/unit.h"

enum { BIG = 3 * 1000 * 1000 };

typedef struct Place {
    char pad[40];
    Arena a;
    Err e;
} Place;

static int set_up(void **state)
{
    Place *p = calloc(1, sizeof *p);
    snprintf(p->pad, sizeof p->pad, "t%s", id_random(&io_system, 8).text);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    Place *p = *state;
    arena_free(&p->a);
    free(p);
    return 0;
}

static jot_status open_at(Place *p, const char *scheme, const char *host, const char *ca,
                          Store **out)
{
    const char *port = getenv("JOT_TEST_TLS"), *dir = getenv("JOT_TEST_TLS_DIR");
    assert_true(port && dir);
    Str url = arena_printf(&p->a, "%s://%s:%s/?pad=%s", scheme, host, port, p->pad);
    if (ca)
        url = arena_printf(&p->a, "%s&cacert=%s/%s", url.p, dir, ca);
    StoreOptions o = { .create = true, .wait_ms = 500 };
    return store_open(out, url, &o, &p->e);
}

static void a_pad_works_over_tls_with_small_and_with_large_bodies(void **state)
{
    Place *p = *state;
    Store *s = NULL;
    Mark m;
    Record head;
    assert_int_equal(open_at(p, "rediss", "localhost", "ca.pem", &s), JOT_OK);
    char *bytes = arena_alloc(&p->a, BIG, 1);
    for (size_t i = 0; i < BIG; i++)
        bytes[i] = (char)(i * 2654435761U >> 24);
    const Str bodies[] = { S("text"), { bytes, BIG }, S("") };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Draft d = { .op = OP_PUT, .by = S("ann"), .body = bodies[i] };
        assert_int_equal(store_append(s, S("notes/a"), NULL, &d, &m, &p->e), JOT_OK);
        assert_int_equal(store_head(s, S("notes/a"), HEAD_VALUE, &p->a, &head, &p->e), JOT_OK);
        assert_true(str_eq(head.body, bodies[i]));
    }
    store_close(s);
}

static void a_certificate_that_does_not_fit_is_refused(void **state)
{
    Place *p = *state;
    Store *s = NULL;
    assert_int_equal(open_at(p, "rediss", "localhost", NULL, &s), JOT_DENIED);
    assert_non_null(strstr(p->e.text, "certificate"));
    assert_int_equal(open_at(p, "rediss", "127.0.0.1", "ca.pem", &s), JOT_DENIED);
    assert_non_null(strstr(p->e.text, "mismatch"));
    assert_int_equal(open_at(p, "rediss", "localhost", "none.pem", &s), JOT_INVALID);
    assert_non_null(strstr(p->e.text, "none.pem"));
    assert_null(s);
}

static void plain_text_where_tls_is_spoken_is_one_sentence(void **state)
{
    Place *p = *state;
    Store *s = NULL;
    assert_int_equal(open_at(p, "redis", "localhost", NULL, &s), JOT_UNAVAILABLE);
    assert_null(strchr(p->e.text, '\n'));
    assert_null(s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pad_works_over_tls_with_small_and_with_large_bodies),
        TEST(a_certificate_that_does_not_fit_is_refused),
        TEST(plain_text_where_tls_is_spoken_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
