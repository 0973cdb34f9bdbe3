/* test_url.c - addresses of stores and services. */
#include "unit/unit.h"

#include "base/url.h"

typedef struct Row {
    const char *text;
    const char *scheme;
    bool authority;
    const char *user, *password, *host;
    int port;
    const char *path, *query;
} Row;

/* clang-format off */
static const Row good[] = {
    { "files:.jotter", "files", false, "", "", "", 0, ".jotter", "" },
    { "files:", "files", false, "", "", "", 0, "", "" },
    { "mem:", "mem", false, "", "", "", 0, "", "" },
    { "files:.jotter?shared=no", "files", false, "", "", "", 0, ".jotter", "shared=no" },
    { "files:/srv/notes", "files", false, "", "", "", 0, "/srv/notes", "" },
    { "files:///srv/notes", "files", true, "", "", "", 0, "/srv/notes", "" },
    { "files:a%20b", "files", false, "", "", "", 0, "a b", "" },
    { "files:a%2Fb%2fc", "files", false, "", "", "", 0, "a/b/c", "" },
    { "files:100%25", "files", false, "", "", "", 0, "100%", "" },
    { "files:%3F", "files", false, "", "", "", 0, "?", "" },
    { "files:a?b?c", "files", false, "", "", "", 0, "a", "b?c" },
    { "files:a#b", "files", false, "", "", "", 0, "a#b", "" },
    { "files:a:b", "files", false, "", "", "", 0, "a:b", "" },
    { "files:a@b", "files", false, "", "", "", 0, "a@b", "" },
    { "files:/", "files", false, "", "", "", 0, "/", "" },
    { "files:caf\xc3\xa9", "files", false, "", "", "", 0, "caf\xc3\xa9", "" },
    { "files:\xff\xfe", "files", false, "", "", "", 0, "\xff\xfe", "" },
    { "files:a+b", "files", false, "", "", "", 0, "a+b", "" },
    { "files:%0A", "files", false, "", "", "", 0, "\n", "" },
    { "sqlite:pad.db", "sqlite", false, "", "", "", 0, "pad.db", "" },
    { "s3://bucket/prefix/x", "s3", true, "", "", "bucket", 0, "/prefix/x", "" },
    { "x-y.z+1:p", "x-y.z+1", false, "", "", "", 0, "p", "" },
    { "postgres://ann:secret@db.example:5432/pads",
      "postgres", true, "ann", "secret", "db.example", 5432, "/pads", "" },
    { "postgres://ann@db/pads?sslmode=require&x=1",
      "postgres", true, "ann", "", "db", 0, "/pads", "sslmode=require&x=1" },
    { "postgres://%2Frun%2Fpg/pads", "postgres", true, "", "", "/run/pg", 0, "/pads", "" },
    { "redis://:pw@h", "redis", true, "", "pw", "h", 0, "", "" },
    { "redis://a:b:c@h", "redis", true, "a", "b:c", "h", 0, "", "" },
    { "redis://a@b@h", "redis", true, "a@b", "", "h", 0, "", "" },
    { "redis://a%40b:c%3Ad@h", "redis", true, "a@b", "c:d", "h", 0, "", "" },
    { "redis://h:1", "redis", true, "", "", "h", 1, "", "" },
    { "redis://h:65535/0", "redis", true, "", "", "h", 65535, "/0", "" },
    { "redis://h:", "redis", true, "", "", "h", 0, "", "" },
    { "redis://[::1]:6379/0", "redis", true, "", "", "::1", 6379, "/0", "" },
    { "redis://[::1]", "redis", true, "", "", "::1", 0, "", "" },
    { "redis://u:p@[fe80::1%25eth0]:1", "redis", true, "u", "p", "fe80::1%eth0", 1, "", "" },
    { "redis://", "redis", true, "", "", "", 0, "", "" },
    { "redis://?x=1", "redis", true, "", "", "", 0, "", "x=1" },
    { "redis://h//a", "redis", true, "", "", "h", 0, "//a", "" },
};

static const struct {
    const char *about;
    Str text;
} bad[] = {
    { "nothing", T("") },
    { "no scheme", T("notes") },
    { "an empty scheme", T(":notes") },
    { "a path without a scheme", T("/srv/notes") },
    { "a scheme in capitals", T("Files:x") },
    { "a scheme that begins with a digit", T("3s:x") },
    { "a scheme with an underscore", T("a_b:x") },
    { "a space in front", T(" files:x") },
    { "a scheme with a slash", T("a/b:c") },
    { "an escape at the end", T("files:%") },
    { "an escape cut off", T("files:%4") },
    { "an escape that is none", T("files:%zz") },
    { "an escape with a sign", T("files:%+1") },
    { "an escaped NUL", T("files:a%00b") },
    { "a raw NUL", T("files:a\0b") },
    { "a line break", T("files:a\nb") },
    { "a tab", T("files:a\tb") },
    { "a DEL", T("files:a\x7f") },
    { "a broken escape in the query", T("files:a?b=%4") },
    { "an escaped NUL in the query", T("files:a?b=%00") },
    { "port zero", T("redis://h:0") },
    { "a port too high", T("redis://h:65536") },
    { "a port of letters", T("redis://h:http") },
    { "a negative port", T("redis://h:-1") },
    { "a port with a zero in front", T("redis://h:0080") },
    { "two ports", T("redis://h:1:2") },
    { "an address without brackets", T("redis://::1/x") },
    { "a bracket that is not closed", T("redis://[::1") },
    { "something behind the bracket", T("redis://[::1]x") },
    { "a line break escaped in the host", T("redis://h%0d%0aX/0") },
};
/* clang-format on */

static void every_part_is_found(void **state)
{
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        Url u;
        Err e = { 0 };
        const Row *row = &good[i];
        jot_status st = url_parse(str(row->text), &a, &u, &e);
        assert_row(st == JOT_OK, i, st == JOT_OK ? row->text : e.text);
        assert_row(str_eq(u.scheme, str(row->scheme)), i, row->text);
        assert_row(u.authority == row->authority, i, row->text);
        assert_row(str_eq(u.user, str(row->user)), i, row->text);
        assert_row(str_eq(u.password, str(row->password)), i, row->text);
        assert_row(str_eq(u.host, str(row->host)), i, row->text);
        assert_row(u.port == row->port, i, row->text);
        assert_row(str_eq(u.path, str(row->path)), i, row->text);
        assert_row(str_eq(u.query, str(row->query)), i, row->text);
    }
}

static void what_is_no_url_is_refused_with_a_sentence(void **state)
{
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        Url u = { .port = 7 };
        Err e = { 0 };
        assert_row(url_parse(bad[i].text, &a, &u, &e) == JOT_INVALID, i, bad[i].about);
        assert_row(u.port == 7, i, bad[i].about);
        assert_sentence(&e);
    }
}

static void a_password_is_never_shown(void **state)
{
    static const char *const wrong[] = {
        "redis://bob:hunter2@h:0",    "redis://bob:hunter2@[h",   "redis://bob:hunter2@h:port",
        "redis://bob:hunter2%zz@h",   "redis://bob:hunter2\n@h",  "Redis://bob:hunter2@h",
        "redis://bob:hunter2@[::1]x", "redis://bob:hunter2@h%0a", "redis://bob:hunter2@h:1:2",
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Url u;
        Err e = { 0 };
        assert_row(url_parse(str(wrong[i]), &a, &u, &e) == JOT_INVALID, i, wrong[i]);
        assert_row(!strstr(e.text, "hunter") && !strstr(e.text, "bob"), i, e.text);
    }
}

static void the_longest_url_is_read_and_no_longer_one(void **state)
{
    AUTO(Arena) a = { 0 };
    char *text = arena_alloc(&a, URL_MAX + 1, 1);
    memset(text, 'x', URL_MAX + 1);
    memcpy(text, "files:", 6);
    Url u;
    Err e = { 0 };
    assert_int_equal(url_parse((Str){ text, URL_MAX }, &a, &u, &e), JOT_OK);
    assert_int_equal(u.path.n, URL_MAX - 6);
    assert_int_equal(url_parse((Str){ text, URL_MAX + 1 }, &a, &u, &e), JOT_TOO_BIG);
    assert_non_null(strstr(e.text, "16384"));
}

static void parameters_come_in_order_and_decoded(void **state)
{
    AUTO(Arena) a = { 0 };
    Url u;
    Err e = { 0 };
    assert_int_equal(url_parse(S("files:x?a=1&&b=%26%3D&c&=d&a=2&e=f=g&%61%62=y+z"), &a, &u, &e),
                     JOT_OK);
    static const char *const want[][2] = { { "a", "1" },   { "b", "&=" }, { "c", "" },
                                           { "", "d" },    { "a", "2" },  { "e", "f=g" },
                                           { "ab", "y+z" } };
    size_t at = 0, n = 0;
    for (Str key, value; url_next_param(&u, &at, &a, &key, &value); n++) {
        assert_true(n < COUNT_OF(want));
        assert_str(key, str(want[n][0]));
        assert_str(value, str(want[n][1]));
    }
    assert_int_equal(n, COUNT_OF(want));
    Str value = { 0 };
    assert_true(url_param(&u, S("a"), &a, &value));
    assert_str(value, S("1")); /* the first of them */
    assert_true(url_param(&u, S("c"), &a, &value));
    assert_str(value, S(""));
    assert_false(url_param(&u, S("nothing"), &a, &value));
    assert_false(url_param(&u, S("A"), &a, &value));
}

static void every_byte_is_encoded_and_decoded(void **state)
{
    AUTO(Arena) a = { 0 };
    char all[255];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)(i + 1);
    Str bytes = { all, sizeof all };
    for (int keep = 0; keep < 2; keep++) {
        Str encoded = url_encode(&a, bytes, keep);
        for (size_t i = 0; i < encoded.n; i++)
            assert_true(strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "-._~%/",
                               encoded.p[i]));
        assert_int_equal(str_find(encoded, '/') < encoded.n, keep);
        Url u;
        Err e = { 0 };
        Str text = arena_printf(&a, "files:" STR_FMT, STR_ARG(encoded));
        assert_int_equal(url_parse(text, &a, &u, &e), JOT_OK);
        assert_str(u.path, bytes);
    }
    assert_str(url_encode(&a, S("a b/\xc3\xa9\0"), true), S("a%20b/%C3%A9%00"));
    assert_str(url_encode(&a, S("a/b"), false), S("a%2Fb"));
    assert_str(url_encode(&a, S(""), false), S(""));
}

static void a_path_becomes_a_url_that_means_it(void **state)
{
    (void)state;
    static const struct {
        const char *path, *url;
    } rows[] = {
        { "/srv/pad/.jotter", "files:/srv/pad/.jotter" },
        { "a%20b/.jotter", "files:a%2520b/.jotter" },
        { "50%", "files:50%25" },
        { "x?y#z", "files:x%3Fy%23z" },
        { "x%41y", "files:x%2541y" },
        { "a b\n", "files:a%20b%0A" },
        { "gr\xc3\xb6\xc3\x9f"
          "e",
          "files:gr\xc3\xb6\xc3\x9f"
          "e" },
        { "bad\xff\xc3", "files:bad%FF%C3" },
        { "a:b@c=(1),$HOME;'!*+&", "files:a:b@c=(1),$HOME;'!*+&" },
    };
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Url u;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Str text = url_from_path(&a, "files", str(rows[i].path));
        assert_str(text, str(rows[i].url));
        assert_int_equal(url_parse(text, &a, &u, &e), JOT_OK);
        assert_str(u.path, str(rows[i].path));
    }
    for (int c = 1; c < 256; c++) {
        char byte[] = { '/', (char)c, (char)c, 0 };
        assert_int_equal(url_parse(url_from_path(&a, "sqlite", str(byte)), &a, &u, &e), JOT_OK);
        assert_false(u.authority);
        assert_str(u.path, c == '/' ? S("/") : str(byte));
    }
}

static void only_a_scheme_makes_a_url(void **state)
{
    (void)state;
    static const char *const urls[] = { "files:x", "mem:", "s3+x.y-z9:a/b" }, *const paths[] = {
        "x", "/x:y", "./files:x", "../x", "A:b", "1:b", ":x", "a/b:c", "", "a b:c"
    };
    for (size_t i = 0; i < COUNT_OF(urls); i++)
        assert_true(url_has_scheme(str(urls[i])));
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        assert_false(url_has_scheme(str(paths[i])));
}

static void a_url_is_shown_without_its_password(void **state)
{
    static const struct {
        const char *url, *shown;
    } cases[] = {
        { "postgres://ann:secret@db/pads?pad=x", "postgres://ann@db/pads?pad=x" },
        { "postgres://ann:se:cr@t@db:5432/pads", "postgres://ann@db:5432/pads" },
        { "postgres://ann:se/cr/et@db/pads", "postgres://ann@db/pads" },
        { "redis://:secret@127.0.0.1/0", "redis://@127.0.0.1/0" },
        { "postgres:///pads?password=secret&pad=x", "postgres:///pads?pad=x" },
        { "postgres:///pads?pad=x&sslpassword=secret", "postgres:///pads?pad=x" },
        { "postgres://ann@db/pads", "postgres://ann@db/pads" },
        { "postgres://db:5432/pads", "postgres://db:5432/pads" },
        { "postgres://db:5432/pads?pad=x", "postgres://db:5432/pads?pad=x" },
        { "redis://127.0.0.1:6380/0?pad=x", "redis://127.0.0.1:6380/0?pad=x" },
        { "redis://127.0.0.1:6380?pad=x", "redis://127.0.0.1:6380?pad=x" },
        { "redis://[::1]:6380/0?pad=x", "redis://[::1]:6380/0?pad=x" },
        { "redis://[::1]?pad=x&tag=a@b", "redis://[::1]?pad=x&tag=a@b" },
        { "postgres://db:5432/pads?user=ann@corp", "postgres://db:5432/pads?user=ann@corp" },
        { "postgres://db/pads?user=ann@corp", "postgres://db/pads?user=ann@corp" },
        { "postgres://ann:se?cr?et@db/pads?pad=x", "postgres://ann@db/pads?pad=x" },
        { "postgres://ann:secret@db/pads?user=a@b", "postgres://ann@db/pads?user=a@b" },
        { "postgres://", "postgres://" },
        { "files:a:b@c", "files:a:b@c" },
        { "./a?password=x", "./a?password=x" },
        { "", "" },
    };
    AUTO(Arena) arena = { 0 };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_str(url_bare(&arena, str(cases[i].url)), str(cases[i].shown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_is_shown_without_its_password),
        cmocka_unit_test(a_path_becomes_a_url_that_means_it),
        cmocka_unit_test(only_a_scheme_makes_a_url),
        cmocka_unit_test(every_part_is_found),
        cmocka_unit_test(what_is_no_url_is_refused_with_a_sentence),
        cmocka_unit_test(a_password_is_never_shown),
        cmocka_unit_test(the_longest_url_is_read_and_no_longer_one),
        cmocka_unit_test(parameters_come_in_order_and_decoded),
        cmocka_unit_test(every_byte_is_encoded_and_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
