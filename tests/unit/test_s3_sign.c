/* test_s3_sign.c - signatures against those that AWS has published.
 *
 * S3's own are of "Signature Calculations for the Authorization Header" in its
 * documentation; the others are of the test suite of Signature Version 4. */
#include "store/s3/sign.h"

#include "unit/unit.h"

#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

typedef struct Vector {
    const char *method, *path;
    const char *query[4]; /* name, value, name, value */
    const char *headers[12];
    const char *payload;
    const char *names, *signature;
} Vector;

/* 24 May 2013, as AKIAIOSFODNN7EXAMPLE */
static const Vector of_s3[] = {
    { "GET",
      "/test.txt",
      { NULL },
      { "Host", "examplebucket.s3.amazonaws.com", "Range", "bytes=0-9", "x-amz-content-sha256",
        NOTHING, "x-amz-date", "20130524T000000Z" },
      NOTHING,
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41" },
    { "PUT",
      "/test$file.text",
      { NULL },
      { "Host", "examplebucket.s3.amazonaws.com", "Date", "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-date", "20130524T000000Z", "x-amz-storage-class", "REDUCED_REDUNDANCY",
        "x-amz-content-sha256",
        "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072" },
      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd" },
    { "GET",
      "/",
      { "lifecycle", "" },
      { "Host", "examplebucket.s3.amazonaws.com", "x-amz-date", "20130524T000000Z",
        "x-amz-content-sha256", NOTHING },
      NOTHING,
      "host;x-amz-content-sha256;x-amz-date",
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543" },
    { "GET",
      "/",
      { "prefix", "J", "max-keys", "2" },
      { "Host", "examplebucket.s3.amazonaws.com", "x-amz-date", "20130524T000000Z",
        "x-amz-content-sha256", NOTHING },
      NOTHING,
      "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7" },
};

/* 30 August 2015, 12:36, as AKIDEXAMPLE */
static const Vector of_the_suite[] = {
    { "GET",
      "/",
      { NULL },
      { "Host", "example.amazonaws.com", "X-Amz-Date", "20150830T123600Z" },
      NOTHING,
      "host;x-amz-date",
      "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31" },
    { "GET",
      "/",
      { NULL },
      { "Host", "example.amazonaws.com", "My-Header1", "value2,value2,value1", "X-Amz-Date",
        "20150830T123600Z" },
      NOTHING,
      "host;my-header1;x-amz-date",
      "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea" },
    { "GET",
      "/",
      { NULL },
      { "Host", "example.amazonaws.com", "My-Header1", "value1,value2,value3", "X-Amz-Date",
        "20150830T123600Z" },
      NOTHING,
      "host;my-header1;x-amz-date",
      "ba17b383a53190154eb5fa66a1b836cc297cc0a3d70a5d00705980573d8ff790" },
};

static S3Request request_of(const Vector *v)
{
    S3Request r = { .method = str(v->method), .path = str(v->path) };
    for (size_t i = 0; i + 1 < COUNT_OF(v->query) && v->query[i]; i += 2)
        r.query[r.query_n++] = (S3Pair){ str(v->query[i]), str(v->query[i + 1]) };
    for (size_t i = 0; i + 1 < COUNT_OF(v->headers) && v->headers[i]; i += 2)
        r.headers[r.headers_n++] = (S3Pair){ str(v->headers[i]), str(v->headers[i + 1]) };
    assert_true(hash_parse(str(v->payload), &r.payload));
    return r;
}

static void check(const S3Request *r, const Vector *v, const S3Scope *scope, const S3Key *key)
{
    AUTO(Buf) got = { 0 };
    AUTO(Buf) want = { 0 };
    s3_write_authorization(&got, r, scope, key);
    buf_addf(&want,
             "AWS4-HMAC-SHA256 Credential=" STR_FMT "/%.8s/us-east-1/" STR_FMT
             "/aws4_request, SignedHeaders=%s, Signature=%s",
             STR_ARG(key->id), s3_date(scope->at_ms).text, STR_ARG(scope->service), v->names,
             v->signature);
    assert_str(buf_str(&got), buf_str(&want));
}

static const S3Key s3_key = { { "AKIAIOSFODNN7EXAMPLE", 20 },
                              { "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", 40 } };
static const S3Scope s3_scope = { { "us-east-1", 9 }, { "s3", 2 }, 1369353600000 };

static void requests_are_signed_as_s3_shows_it(void **state)
{
    for (size_t i = 0; i < COUNT_OF(of_s3); i++) {
        S3Request r = request_of(&of_s3[i]);
        check(&r, &of_s3[i], &s3_scope, &s3_key);
    }
}

static void requests_are_signed_as_the_test_suite_says(void **state)
{
    static const S3Key key = { { "AKIDEXAMPLE", 11 },
                               { "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", 40 } };
    static const S3Scope scope = { { "us-east-1", 9 }, { "service", 7 }, 1440938160000 };
    for (size_t i = 0; i < COUNT_OF(of_the_suite); i++) {
        S3Request r = request_of(&of_the_suite[i]);
        check(&r, &of_the_suite[i], &scope, &key);
    }
}

static void the_order_of_what_is_given_does_not_matter(void **state)
{
    for (size_t i = 0; i < COUNT_OF(of_s3); i++) {
        S3Request r = request_of(&of_s3[i]), back = r;
        for (size_t k = 0; k < r.headers_n; k++)
            back.headers[k] = r.headers[r.headers_n - 1 - k];
        for (size_t k = 0; k < r.query_n; k++)
            back.query[k] = r.query[r.query_n - 1 - k];
        check(&back, &of_s3[i], &s3_scope, &s3_key);
    }
}

static void spaces_around_a_value_are_not_signed(void **state)
{
    S3Request r = request_of(&of_s3[0]);
    r.headers[1].value = S("  bytes=0-9 ");
    check(&r, &of_s3[0], &s3_scope, &s3_key);
}

static void whatever_is_changed_the_signature_is_another(void **state)
{
    AUTO(Buf) first = { 0 };
    S3Request r = request_of(&of_s3[3]);
    s3_write_authorization(&first, &r, &s3_scope, &s3_key);
    for (int change = 0; change < 6; change++) {
        AUTO(Buf) other = { 0 };
        S3Request c = r;
        S3Scope scope = s3_scope;
        switch (change) {
        case 0:
            c.method = S("PUT");
            break;
        case 1:
            c.path = S("/a");
            break;
        case 2:
            c.query[0].value = S("K");
            break;
        case 3:
            c.headers[0].value = S("examplebucket.s3.example.com");
            break;
        case 4:
            c.payload.b[0] ^= 1;
            break;
        default:
            scope.region = S("eu-west-1");
        }
        s3_write_authorization(&other, &c, &scope, &s3_key);
        assert_false(str_eq(buf_str(&first), buf_str(&other)));
    }
}

static void a_path_is_escaped_once_and_left_as_it_is(void **state)
{
    static const char *const paths[][2] = {
        { "/", "/" },
        { "/bucket/n/notes/plan", "/bucket/n/notes/plan" },
        { "/a//b/./../c", "/a//b/./../c" },
        { "/a b+c%2F?#&=:@!$'()*,;", "/a%20b%2Bc%252F%3F%23%26%3D%3A%40%21%24%27%28%29%2A%2C%3B" },
        { "/caf\xC3\xA9~-._", "/caf%C3%A9~-._" },
    };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        AUTO(Buf) got = { 0 };
        s3_write_path(&got, str(paths[i][0]));
        assert_str(buf_str(&got), str(paths[i][1]));
    }
}

static void arguments_are_in_the_order_of_their_escaped_names(void **state)
{
    AUTO(Buf) got = { 0 };
    S3Request r = { .query = { { S("prefix"), S("n/a b") },
                               { S("list-type"), S("2") },
                               { S("a"), S("2") },
                               { S("a"), S("1") },
                               { S("caf\xC3\xA9"), S("") },
                               { S("cafz"), S("/") } },
                    .query_n = 6 };
    s3_write_query(&got, &r);
    assert_str(buf_str(&got), S("a=1&a=2&caf%C3%A9=&cafz=%2F&list-type=2&prefix=n%2Fa%20b"));
}

static void a_date_is_written_as_the_header_has_it(void **state)
{
    assert_string_equal(s3_date(1369353600000).text, "20130524T000000Z");
    assert_string_equal(s3_date(1440938160999).text, "20150830T123600Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_signed_as_s3_shows_it),
        cmocka_unit_test(requests_are_signed_as_the_test_suite_says),
        cmocka_unit_test(the_order_of_what_is_given_does_not_matter),
        cmocka_unit_test(spaces_around_a_value_are_not_signed),
        cmocka_unit_test(whatever_is_changed_the_signature_is_another),
        cmocka_unit_test(a_path_is_escaped_once_and_left_as_it_is),
        cmocka_unit_test(arguments_are_in_the_order_of_their_escaped_names),
        cmocka_unit_test(a_date_is_written_as_the_header_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
