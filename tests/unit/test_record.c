/* test_record.c - a record as one line of JSON. */
#include "unit/unit.h"

#include "base/json.h"
#include "base/utf8.h"
#include "store/engine.h"
#include "store/record.h"
#include "unit/record_same.h"

static const char stream_name[] = "notes/plan";

/* A record as store.c would make it, behind a predecessor with seq 6. */
static const Mark before = {
    .seq = 6, .at_ms = 1000, .op = OP_PUT, .fence = 2, .chain = { "six" }
};

static Record sealed(Op op, Str by, Str id, Str meta, Str body)
{
    Record r = { .by = by, .id = id, .meta = meta, .body = body };
    r.mark = (Mark){ .seq = 7, .at_ms = 1763241838123, .op = op, .fence = 3, .size = body.n };
    if (op != OP_DELETE)
        r.mark.sha256 = hash_of(body);
    r.mark.chain = record_chain(before.chain, str(stream_name), &r);
    return r;
}

static Str line_of(Arena *a, const Record *r)
{
    AUTO(Buf) b = { .max = RECORD_LINE_MAX };
    record_write(&b, r, RECORD_NESTED);
    assert_true(buf_ok(&b));
    return arena_copy(a, buf_str(&b));
}

static Record read_good(Arena *a, Str line)
{
    Record r;
    Err e = { 0 };
    if (record_read(line, RECORD_ALL, a, &r, &e) != JOT_OK)
        fail_msg("%s: " STR_FMT, e.text, (int)(line.n < 400 ? line.n : 400), line.p);
    return r;
}

/* The line with the sum its header needs, before the body or at the end. */
static Str with_sum(Arena *a, Str line)
{
    const char *body = memmem(line.p, line.n, ",\"body", 6);
    size_t at = body ? (size_t)(body - line.p) : str_find_last(line, '}');
    return arena_printf(a, STR_FMT ",\"sum\":\"%.16s\"" STR_FMT, STR_ARG(str_slice(line, 0, at)),
                        hash_hex(hash_of(str_slice(line, 0, at))).text,
                        STR_ARG(str_from(line, at)));
}

/* Written, read and written again: the same record and the same bytes, on one line of JSON. */
static void check_round_trip(const Record *r)
{
    AUTO(Arena) a = { 0 };
    Str line = line_of(&a, r);
    Record back = read_good(&a, line);
    assert_true(same(r, &back));
    assert_str(line_of(&a, &back), line);
    assert_int_equal(str_find(line, '\n'), line.n - 1);
    assert_true(utf8_valid(line));
    assert_int_equal(record_seq(line), r->mark.seq);
    Record bare = read_good(&a, str_slice(line, 0, line.n - 1));
    assert_true(same(r, &bare));
    Record header;
    assert_int_equal(record_read(line, RECORD_NO_BODY, &a, &header, NULL), JOT_OK);
    assert_int_equal(header.body.n, 0);
    header.body = r->body;
    assert_true(same(r, &header));
    if (line.n < 100000) {
        AUTO_PTR(json_t) value = NULL;
        assert_int_equal(json_read(line, &value, NULL), JOT_OK);
    }
}

static void a_record_has_exactly_these_bytes(void **state)
{
    AUTO(Arena) a = { 0 };
    Record r = sealed(OP_PUT, S("ann"), S("call-1"), S("{\"k\": [1,2]}"), S("hello \"x\"\n"));
    r.mark.chain = hash_of(S("chain"));
    Str want = arena_printf(&a,
                            "{\"seq\":7,\"at\":1763241838123,\"by\":\"ann\",\"op\":\"put\","
                            "\"sha256\":\"%s\",\"size\":10,\"fence\":3,\"id\":\"call-1\","
                            "\"meta\":{\"k\": [1,2]},\"chain\":\"%s\","
                            "\"body\":\"hello \\\"x\\\"\\n\"}\n",
                            hash_hex(hash_of(S("hello \"x\"\n"))).text,
                            hash_hex(hash_of(S("chain"))).text);
    assert_str(line_of(&a, &r), with_sum(&a, want));
}

static void empty_members_are_left_out(void **state)
{
    AUTO(Arena) a = { 0 };
    Record r = sealed(OP_APPEND, S(""), S(""), S(""), S(""));
    r.mark.fence = 0;
    r.mark.chain = (Hash){ 0 };
    char zeros[HASH_HEX + 1];
    memset(zeros, '0', HASH_HEX);
    zeros[HASH_HEX] = 0;
    assert_str(
        line_of(&a, &r),
        with_sum(&a, arena_printf(&a,
                                  "{\"seq\":7,\"at\":1763241838123,\"by\":\"\",\"op\":\"append\","
                                  "\"sha256\":\"%s\",\"size\":0,\"chain\":\"%s\",\"body\":\"\"}\n",
                                  hash_hex(hash_of(S(""))).text, zeros)));
    r.mark.op = OP_DELETE;
    r.mark.sha256 = (Hash){ 0 };
    assert_str(
        line_of(&a, &r),
        with_sum(&a, arena_printf(&a,
                                  "{\"seq\":7,\"at\":1763241838123,\"by\":\"\",\"op\":\"delete\","
                                  "\"chain\":\"%s\"}\n",
                                  zeros)));
    check_round_trip(&r);
}

static const Str hostile_bodies[] = {
    T(""),
    T("hello"),
    T("\0"),
    T("a\0b"),
    T("\n"),
    T("\r\n"),
    T("}\n{\"seq\":8"),
    T("\",\"chain\":\"x"),
    T("\\u0000"),
    T("\\"),
    T("\""),
    T("\xff\xfe\xfd"),
    T("caf\xe9"),
    T("caf\xc3\xa9"),
    T("\xf0\x9f\x98\x80"),
    T("\xed\xa0\x80"),
    T("\xe2\x80\xa8"),
    T("\xef\xbb\xbf"),
    T("\x01\x02\x03\x04\x05\x06\x07"),
    T("\x7f\x7f\x7f\x7f"),
    T("{\"seq\":1,\"at\":2}"),
    T("\x1b[31mred\x1b[0m and a longer tail so that text is shorter than base64"),
};

static void hostile_bodies_come_back(void **state)
{
    for (size_t i = 0; i < COUNT_OF(hostile_bodies); i++) {
        Record r = sealed(OP_PUT, S("ann"), S(""), S(""), hostile_bodies[i]);
        check_round_trip(&r);
        r.mark.op = OP_APPEND;
        check_round_trip(&r);
    }
}

/* --- Bodies that are JSON ---------------------------------------------------------------- */

static Str nested(Arena *a, char open, char close, size_t depth)
{
    AUTO(Buf) b = { 0 };
    for (size_t i = 0; i < 2 * depth; i++)
        buf_add_char(&b, i < depth ? open : close);
    return arena_copy(a, buf_str(&b));
}

/* Does the body stand in its line as it is? */
static bool stands(Arena *a, Str body, RecordForm form)
{
    AUTO(Buf) line = { .max = RECORD_LINE_MAX };
    Record r = sealed(OP_APPEND, S("ann"), S(""), S(""), body);
    record_write(&line, &r, form);
    Record back = read_good(a, buf_str(&line));
    assert_true(same(&r, &back));
    Str member = arena_printf(a, "\"body\":" STR_FMT "}\n", STR_ARG(body));
    return body.n && str_ends(buf_str(&line), member);
}

static void an_object_or_an_array_on_one_line_is_stored_as_it_is(void **state)
{
    static const Str bodies[] = {
        T("{}"),
        T("[]"),
        T("{\"e\":1}"),
        T("[1,2,{\"a\":[]}]"),
        T("{ \"a\" :\t1 }"),
        T("{\"a\":1,\"a\":2}"),
        T("{\"n\":123456789012345678901234567890.5e+99}"),
        T("{\"\\u0041\\/\":\"\\ud83d\\ude00\\u0000\"}"),
        T("{\"\xc3\xa9\":\"\xf0\x9f\x98\x80\"}"),
        T("{\"body\":\"}\"}"),
        T("{ \"seq\":1}"),
        T("{\"seq\" :1}"),
        T("[\"{\\\"seq\\\":1}\"]"),
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        assert_row(stands(&a, bodies[i], RECORD_NESTED), i, bodies[i].p);
        assert_row(!stands(&a, bodies[i], RECORD_STRINGS), i, bodies[i].p);
    }
    /* The line around it is one level. */
    assert_true(stands(&a, nested(&a, '[', ']', JSON_DEPTH_MAX - 1), RECORD_NESTED));
    assert_false(stands(&a, nested(&a, '[', ']', JSON_DEPTH_MAX), RECORD_NESTED));
}

static void any_other_body_is_a_string(void **state)
{
    static const Str bodies[] = {
        T(""),
        T("1"),
        T("null"),
        T("\"text\""),
        T(" {}"),
        T("{} "),
        T("{}\n"),
        T("{\n}"),
        T("{\r}"),
        T("{}{}"),
        T("{\"a\":1,}"),
        T("{a:1}"),
        T("{'a':1}"),
        T("[01]"),
        T("[.5]"),
        T("[NaN]"),
        T("{\"a\":\"\x01\"}"),
        T("{\"a\":\"\0\"}"),
        T("{\"a\":\"\xff\"}"),
        T("{\"a\":\"\\ud800\"}"),
        T("{\"a\":\"\\x\"}"),
        T("[}"),
        T("{]"),
        T("{\"seq\":1}"),
        T("[{\"seq\":}]"),
        T("[{},{\"seq\":8,\"at\":1}]"),
        T("{\"a\":{\"lost\":9,\"sum\":\"0\"}}"),
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        assert_row(!stands(&a, bodies[i], RECORD_NESTED), i, bodies[i].p);
}

/* What recovery rests on (record.h). */
static void a_line_holds_the_start_of_a_record_at_its_beginning_alone(void **state)
{
    static const Str hostile[] = {
        T("{\"seq\":8}"),
        T("{\"lost\":8}"),
        T("{\"a\":{\"seq\":8}}"),
        T("{\"a\":[{\"lost\":8}]}"),
        T("{\"a\":\"{\\\"seq\\\":\"}"),
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        Record r = sealed(OP_PUT, S("{"), S("{\"seq\":"), hostile[i], hostile[i]);
        check_round_trip(&r);
        Str line = line_of(&a, &r);
        assert_row(str_starts(line, S("{\"seq\":7,")), i, line.p);
        assert_row(!record_holds_start(str_from(line, 1)), i, line.p);
    }
}

static void a_line_in_which_a_body_holds_the_start_of_a_record_is_none(void **state)
{
    AUTO(Arena) a = { 0 };
    static const Str bodies[] = { T("{\"a\":{\"seq\":8}}"), T("[{\"lost\":8}]") };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        Record r = sealed(OP_PUT, S("ann"), S(""), S(""), bodies[i]);
        Str line = line_of(&a, &r);
        const char *body = strstr(line.p, "\"body\":");
        Str forced = arena_printf(&a, "%.*s\"body\":" STR_FMT "}\n", (int)(body - line.p), line.p,
                                  STR_ARG(bodies[i]));
        assert_int_equal(record_read(forced, RECORD_ALL, &a, &r, NULL), JOT_CORRUPT);
    }
}

static void every_byte_is_a_body(void **state)
{
    char all[512];
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)(i * 7);
    for (size_t n = 0; n <= sizeof all; n++) {
        Record r = sealed(OP_PUT, S("ann"), S(""), S(""), (Str){ all, n });
        check_round_trip(&r);
    }
}

static void hostile_headers_come_back(void **state)
{
    static const Str metas[] = {
        T(""),
        T("{}"),
        T("{\"a\":1}"),
        T("{\"a\":1} "),
        T("{\"a\":1}\t"),
        T(" {\"a\":1}"),
        T("{\n  \"a\": 1\n}"),
        T("{\"a\":1}\n"),
        T("{\r\n}"),
        T("{ \"seq\" : 9 , \"chain\" : \"x\" }"),
        T("{\"a\":\"}\\\"{\"}"),
        T("{\"\xc3\xa9\":\"\xf0\x9f\x98\x80\"}"),
    };
    static const Str names[] = { T(""), T("ann"), T("a\"b\\c"), T("\xf0\x9f\x98\x80"), T("},{") };
    for (size_t i = 0; i < COUNT_OF(metas); i++) {
        for (size_t k = 0; k < COUNT_OF(names); k++) {
            Record r = sealed(OP_PUT, names[k], names[k], metas[i], S("body"));
            check_round_trip(&r);
            Record tombstone = sealed(OP_DELETE, names[k], names[k], metas[i], S(""));
            check_round_trip(&tombstone);
        }
    }
}

static void the_numbers_go_to_their_ends(void **state)
{
    Record r = sealed(OP_PUT, S("ann"), S(""), S(""), S("x"));
    r.mark.seq = r.mark.fence = STORE_SEQ_MAX;
    r.mark.at_ms = INT64_MAX;
    check_round_trip(&r);
    r.mark.seq = 1;
    r.mark.at_ms = 0;
    r.mark.fence = 0;
    check_round_trip(&r);
}

static void a_redacted_record_keeps_hash_and_size_and_loses_the_body(void **state)
{
    AUTO(Arena) a = { 0 };
    Record r = sealed(OP_PUT, S("ann"), S("id"), S("{}"), S("secret"));
    r.mark.redacted = true;
    r.body = (Str){ 0 };
    check_round_trip(&r);
    Str line = line_of(&a, &r);
    assert_null(strstr(line.p, "secret"));
    assert_null(strstr(line.p, "body"));
    Record back = read_good(&a, line);
    assert_int_equal(back.mark.size, 6);
    assert_true(hash_eq(back.mark.chain, record_chain(before.chain, str(stream_name), &back)));
}

static void the_shorter_form_of_a_body_is_taken(void **state)
{
    static const struct {
        const char *about;
        Str body;
        bool text;
    } rows[] = {
        { "plain text", T("hello"), true },
        { "text with a NUL", T("hello\0"), false },
        { "bytes that are no text", T("\xff"), false },
        { "mostly control characters", T("\x01\x01\x01\x01\x01\x01"), false },
        { "one control character among letters", T("\x01 and then enough letters"), true },
        { "line breaks", T("\n\n\n"), false },
        { "a line break among letters", T("one\ntwo\n"), true },
        { "exactly as long as base64", T("\nab"), true },
        { "one byte longer than base64", T("\n\na"), false },
    };
    AUTO(Arena) a = { 0 };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Record r = sealed(OP_PUT, S("ann"), S(""), S(""), rows[i].body);
        const char *line = line_of(&a, &r).p;
        assert_row((strstr(line, "\"body\":") != NULL) == rows[i].text, i, rows[i].about);
        assert_row((strstr(line, "\"body64\":") != NULL) != rows[i].text, i, rows[i].about);
    }
}

static void unknown_members_are_kept_as_they_stand(void **state)
{
    AUTO(Arena) a = { 0 };
    Record r = sealed(OP_PUT, S("ann"), S(""), S(""), S("x"));
    r.extra = S("\"new\":{\"a\": [1, 2.50, \"\\u00e9\"]},\"other\":null");
    check_round_trip(&r);
    /* Wherever a later version puts them, as long as it is before the sum. */
    Str line = line_of(&a, &r);
    size_t sum = (size_t)(strstr(line.p, ",\"sum") - line.p);
    Str moved =
        arena_printf(&a, "{\"first\":-0.0," STR_FMT STR_FMT, STR_ARG(str_slice(line, 1, sum)),
                     STR_ARG(str_from(line, sum + strlen(",\"sum\":\"0123456789abcdef\""))));
    Record back = read_good(&a, with_sum(&a, moved));
    assert_str(back.extra, S("\"first\":-0.0,\"new\":{\"a\": [1, 2.50, \"\\u00e9\"]},"
                             "\"other\":null"));
    back.extra = r.extra;
    assert_true(same(&r, &back));
    r = sealed(OP_DELETE, S("ann"), S(""), S(""), S(""));
    r.extra = S("\"x\":[]");
    check_round_trip(&r);
}

static void the_header_of_a_cut_line_is_read_as_soon_as_the_body_begins(void **state)
{
    static const Str bodies[] = { T("hello world"), T("\0\1\2\3"), T("") };
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        AUTO(Arena) a = { 0 };
        Record r = sealed(OP_PUT, S("ann"), S("id"), S("{\"a\":\"body\"}"), bodies[i]);
        r.extra = S("\"new\":1");
        Str line = line_of(&a, &r);
        const char *key = strstr(line.p, ",\"body");
        size_t header = (size_t)(strchr(key, ':') - line.p) + 1;
        for (size_t n = 0; n < line.n - 1; n++) {
            Record got;
            jot_status st = record_read(str_slice(line, 0, n), RECORD_NO_BODY, &a, &got, NULL);
            assert_int_equal(st, n < header ? JOT_CORRUPT : JOT_OK);
            Record all;
            assert_int_equal(record_read(str_slice(line, 0, n), RECORD_ALL, &a, &all, NULL),
                             JOT_CORRUPT);
            if (st != JOT_OK)
                continue;
            got.body = r.body;
            assert_true(same(&r, &got));
        }
    }
}

/* --- What is refused ------------------------------------------------------------------- */

#define HEX64 "0000000000000000000000000000000000000000000000000000000000000000"
/* The hash of nothing. */
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define SEQ "\"seq\":1,"
#define AT "\"at\":2,"
#define BY "\"by\":\"a\","
#define PUT "\"op\":\"put\","
#define DEL "\"op\":\"delete\","
#define SHA "\"sha256\":\"" EMPTY "\",\"size\":0,"
#define CHAIN "\"chain\":\"" HEX64 "\""
#define BODY ",\"body\":\"\""

static void a_header_is_believed_only_by_its_sum(void **state)
{
    AUTO(Arena) a = { 0 };
    Record r;
    Str plain = S("{" SEQ AT BY PUT SHA CHAIN BODY "}"), line = with_sum(&a, plain);
    read_good(&a, line);
    assert_int_equal(record_read(plain, RECORD_ALL, &a, &r, NULL), JOT_CORRUPT);
    size_t body = (size_t)(strstr(line.p, ",\"body") - line.p);
    Str behind = arena_printf(&a, STR_FMT ",\"x\":1" STR_FMT, STR_ARG(str_slice(line, 0, body)),
                              STR_ARG(str_from(line, body)));
    assert_int_equal(record_read(behind, RECORD_ALL, &a, &r, NULL), JOT_CORRUPT);
    assert_int_equal(record_read(behind, RECORD_NO_BODY, &a, &r, NULL), JOT_CORRUPT);
}

static void a_line_that_is_no_record_is_refused(void **state)
{
    static const struct {
        const char *about;
        Str line;
    } rows[] = {
        { "nothing", T("") },
        { "a line break", T("\n") },
        { "an empty object", T("{}") },
        { "a brace", T("{") },
        { "an array", T("[]") },
        { "zeros", T("\0\0\0\0") },
        { "space in front", T(" {" SEQ AT BY PUT SHA CHAIN BODY "}") },
        { "space behind", T("{" SEQ AT BY PUT SHA CHAIN BODY "} ") },
        { "space between members", T("{" SEQ " " AT BY PUT SHA CHAIN BODY "}") },
        { "space before a colon", T("{\"seq\" :1," AT BY PUT SHA CHAIN BODY "}") },
        { "two line ends", T("{" SEQ AT BY PUT SHA CHAIN BODY "}\n\n") },
        { "a carriage return", T("{" SEQ AT BY PUT SHA CHAIN BODY "}\r\n") },
        { "two records", T("{" SEQ AT BY PUT SHA CHAIN BODY "}{}") },
        { "a comma at the end", T("{" SEQ AT BY PUT SHA CHAIN BODY ",}") },
        { "no seq", T("{" AT BY PUT SHA CHAIN BODY "}") },
        { "no time", T("{" SEQ BY PUT SHA CHAIN BODY "}") },
        { "no author", T("{" SEQ AT PUT SHA CHAIN BODY "}") },
        { "no op", T("{" SEQ AT BY SHA CHAIN BODY "}") },
        { "no sha256", T("{" SEQ AT BY PUT "\"size\":0," CHAIN BODY "}") },
        { "no size", T("{" SEQ AT BY PUT "\"sha256\":\"" EMPTY "\"," CHAIN BODY "}") },
        { "no chain", T("{" SEQ AT BY PUT SHA "\"x\":1" BODY "}") },
        { "no body", T("{" SEQ AT BY PUT SHA CHAIN "}") },
        { "another sum", T("{" SEQ AT BY PUT SHA CHAIN ",\"sum\":\"0123456789abcdef\"" BODY "}") },
        { "a sum too short", T("{" SEQ AT BY PUT SHA CHAIN ",\"sum\":\"\"" BODY "}") },
        { "a sum that is a number", T("{" SEQ AT BY PUT SHA CHAIN ",\"sum\":1" BODY "}") },
        { "seq zero", T("{\"seq\":0," AT BY PUT SHA CHAIN BODY "}") },
        { "a negative seq", T("{\"seq\":-1," AT BY PUT SHA CHAIN BODY "}") },
        { "a seq with a zero in front", T("{\"seq\":01," AT BY PUT SHA CHAIN BODY "}") },
        { "a seq too large", T("{\"seq\":9223372036854775808," AT BY PUT SHA CHAIN BODY "}") },
        { "a seq that is a real", T("{\"seq\":1.0," AT BY PUT SHA CHAIN BODY "}") },
        { "a seq that is a string", T("{\"seq\":\"1\"," AT BY PUT SHA CHAIN BODY "}") },
        { "a negative time", T("{" SEQ "\"at\":-1," BY PUT SHA CHAIN BODY "}") },
        { "two seqs", T("{" SEQ SEQ AT BY PUT SHA CHAIN BODY "}") },
        { "two bodies", T("{" SEQ AT BY PUT SHA CHAIN BODY BODY "}") },
        { "a body in both forms", T("{" SEQ AT BY PUT SHA CHAIN BODY ",\"body64\":\"\"}") },
        { "a member behind the body", T("{" SEQ AT BY PUT SHA CHAIN BODY ",\"x\":1}") },
        { "a key with escapes", T("{" SEQ AT BY PUT SHA "\"s\\u0065q\":2," CHAIN BODY "}") },
        { "an unknown op", T("{" SEQ AT BY "\"op\":\"add\"," SHA CHAIN BODY "}") },
        { "a hash in capitals", T("{" SEQ AT BY DEL "\"chain\":\"A" HEX64 "\"}") },
        { "a chain too short", T("{" SEQ AT BY DEL "\"chain\":\"0\"}") },
        { "a tombstone with a body", T("{" SEQ AT BY DEL CHAIN BODY "}") },
        { "a tombstone with a hash", T("{" SEQ AT BY DEL SHA CHAIN "}") },
        { "a redacted tombstone", T("{" SEQ AT BY DEL "\"redacted\":true," CHAIN "}") },
        { "a redacted record with a body",
          T("{" SEQ AT BY PUT SHA "\"redacted\":true," CHAIN BODY "}") },
        { "redacted: false", T("{" SEQ AT BY PUT SHA "\"redacted\":false," CHAIN BODY "}") },
        { "another body than its hash", T("{" SEQ AT BY PUT SHA CHAIN ",\"body\":\"x\"}") },
        { "another size than its body",
          T("{" SEQ AT BY PUT "\"sha256\":\"" EMPTY "\",\"size\":1," CHAIN BODY "}") },
        { "a body in broken base64", T("{" SEQ AT BY PUT SHA CHAIN ",\"body64\":\"A\"}") },
        { "a body that is a number", T("{" SEQ AT BY PUT SHA CHAIN ",\"body\":1}") },
        { "a body that is null", T("{" SEQ AT BY PUT SHA CHAIN ",\"body\":null}") },
        { "meta that is an array", T("{" SEQ AT BY PUT SHA "\"meta\":[]," CHAIN BODY "}") },
        { "meta that is no JSON", T("{" SEQ AT BY PUT SHA "\"meta\":\"x\"," CHAIN BODY "}") },
        { "meta that is half JSON", T("{" SEQ AT BY PUT SHA "\"meta\":\"{\"," CHAIN BODY "}") },
        { "empty meta", T("{" SEQ AT BY PUT SHA "\"meta\":\"\"," CHAIN BODY "}") },
        { "an author that is not UTF-8", T("{" SEQ AT "\"by\":\"\xff\"," DEL CHAIN "}") },
        { "a lone surrogate", T("{" SEQ AT "\"by\":\"\\ud800\"," DEL CHAIN "}") },
        { "a raw line break in a member", T("{" SEQ AT BY DEL "\"x\":[1,\n2]," CHAIN "}") },
        { "an unknown member that is no JSON", T("{" SEQ AT BY DEL "\"x\":y," CHAIN "}") },
        { "an unknown member not UTF-8", T("{" SEQ AT BY DEL "\"x\":\"\xff\"," CHAIN "}") },
    };
    AUTO(Arena) a = { 0 };
    Record fine = read_good(&a, with_sum(&a, S("{" SEQ AT BY PUT SHA CHAIN BODY "}\n")));
    assert_int_equal(fine.mark.seq, 1);
    read_good(&a, with_sum(&a, S("{" SEQ AT BY DEL CHAIN "}")));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Record r = { .mark = { .seq = 4711 } };
        Err e = { 0 };
        bool whole = rows[i].line.n > 60 && !memmem(rows[i].line.p, rows[i].line.n, "\"sum\"", 5);
        Str line = whole ? with_sum(&a, rows[i].line) : rows[i].line;
        assert_row(record_read(line, RECORD_ALL, &a, &r, &e) == JOT_CORRUPT, i, rows[i].about);
        assert_row(r.mark.seq == 4711, i, rows[i].about);
        assert_sentence(&e);
    }
}

static void limits_hold_on_both_sides(void **state)
{
    static const struct {
        const char *about;
        size_t by, id, meta;
        bool good;
    } rows[] = {
        { "everything as long as it may be", STORE_BY_MAX, STORE_ID_MAX, STORE_META_MAX, true },
        { "an author too long", STORE_BY_MAX + 1, 1, 0, false },
        { "an id too long", 1, STORE_ID_MAX + 1, 0, false },
        { "meta too long", 1, 1, STORE_META_MAX + 1, false },
    };
    AUTO(Arena) a = { 0 };
    char *text = arena_alloc(&a, STORE_META_MAX + 1, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        memset(text, ' ', STORE_META_MAX + 1);
        if (rows[i].meta) {
            text[0] = '{';
            text[rows[i].meta - 1] = '}';
        }
        Record r = sealed(OP_PUT, (Str){ text, 0 }, S(""), (Str){ text, rows[i].meta }, S("x"));
        char name[STORE_BY_MAX + 1];
        memset(name, 'n', sizeof name);
        r.by = (Str){ name, rows[i].by };
        r.id = (Str){ name, rows[i].id };
        Record back;
        jot_status st = record_read(line_of(&a, &r), RECORD_ALL, &a, &back, NULL);
        assert_row(st == (rows[i].good ? JOT_OK : JOT_CORRUPT), i, rows[i].about);
    }
}

static void the_largest_record_fits_a_line(void **state)
{
    AUTO(Arena) a = { 0 };
    char *body = arena_alloc(&a, STORE_BODY_MAX + 1, 1);
    char *meta = arena_alloc(&a, STORE_META_MAX, 1);
    memset(meta, '\n', STORE_META_MAX);
    meta[0] = '{';
    meta[1] = '}';
    char name[STORE_BY_MAX];
    memset(name, '"', sizeof name);
    Record r = sealed(OP_PUT, (Str){ name, STORE_BY_MAX }, (Str){ name, STORE_ID_MAX },
                      (Str){ meta, STORE_META_MAX }, (Str){ body, STORE_BODY_MAX });
    Record back = read_good(&a, line_of(&a, &r));
    assert_true(same(&r, &back));
    Record larger = sealed(OP_PUT, S(""), S(""), S(""), (Str){ body, STORE_BODY_MAX + 1 });
    assert_int_equal(record_read(line_of(&a, &larger), RECORD_ALL, &a, &r, NULL), JOT_CORRUPT);
}

/* --- Damage ---------------------------------------------------------------------------- */

/* Change every byte of the line, to every other value or by every single bit: each line that is
 * still a record must be the same one. */
static void check_flips(const Record *r, bool bits)
{
    AUTO(Arena) keep = { 0 };
    Str line = line_of(&keep, r);
    char *bytes = arena_cstr(&keep, line);
    for (size_t i = 0; i < line.n; i++) {
        AUTO(Arena) a = { 0 };
        for (int change = 1; change < 256; change += bits ? change : 1) {
            Record got;
            bytes[i] = (char)(line.p[i] ^ change);
            jot_status st = record_read((Str){ bytes, line.n }, RECORD_ALL, &a, &got, NULL);
            bytes[i] = line.p[i];
            if (st == JOT_OK && !same(r, &got))
                fail_msg("byte %zu ^ %02x of " STR_FMT, i, change, STR_ARG(line));
        }
    }
}

static void a_changed_byte_is_noticed(void **state)
{
    const Record samples[] = {
        sealed(OP_PUT, S("ann"), S("call-1"), S("{\"k\":1}"), S("hello \"world\"\n")),
        sealed(OP_APPEND, S("b\xc3\xb6"), S(""), S("{ }\n"), S("\0\xff\1")),
        sealed(OP_DELETE, S("ann"), S("x"), S("{}"), S("")),
    };
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        AUTO(Arena) a = { 0 };
        Record whole = read_good(&a, line_of(&a, &samples[i]));
        assert_int_equal(store_check_next(str(stream_name), &before, &whole, NULL), JOT_OK);
        check_flips(&samples[i], i > 0);
    }
}

static void a_changed_byte_of_a_redacted_record_is_noticed(void **state)
{
    Record r = sealed(OP_PUT, S("ann"), S(""), S("{}"), S("secret"));
    r.mark.redacted = true;
    r.body = (Str){ 0 };
    check_flips(&r, true);
}

static void a_lost_or_doubled_byte_is_noticed(void **state)
{
    AUTO(Arena) keep = { 0 };
    Record r = sealed(OP_PUT, S("annn"), S("iidd"), S("{\"k\":11}"), S("hello"));
    Str line = line_of(&keep, &r);
    for (size_t i = 0; i < line.n; i++) {
        for (size_t skip = 0; skip < 2; skip++) {
            AUTO(Arena) a = { 0 };
            AUTO(Buf) b = { 0 };
            buf_add(&b, str_slice(line, 0, i + 1 - skip));
            buf_add(&b, str_from(line, i + skip));
            Record got;
            jot_status st = record_read(buf_str(&b), RECORD_ALL, &a, &got, NULL);
            assert_row(st != JOT_OK || same(&r, &got), i, b.p);
        }
    }
}

static void the_seq_is_found_at_the_start_of_a_line(void **state)
{
    static const struct {
        Str line;
        uint64_t seq;
    } rows[] = {
        { T("{\"seq\":1,"), 1 },
        { T("{\"seq\":12,\"at\":"), 12 },
        { T("{\"seq\":9223372036854775807,"), STORE_SEQ_MAX },
        { T("{\"seq\":9223372036854775808,"), 0 },
        { T("{\"seq\":0,"), 0 },
        { T("{\"seq\":01,"), 0 },
        { T("{\"seq\":1"), 0 },
        { T("{\"seq\":1}"), 0 },
        { T("{\"seq\":,"), 0 },
        { T("{\"seq\":-1,"), 0 },
        { T("{\"seq\": 1,"), 0 },
        { T("{ \"seq\":1,"), 0 },
        { T("{\"at\":1,"), 0 },
        { T("{\"seq\""), 0 },
        { T(""), 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_row(record_seq(rows[i].line) == rows[i].seq, i, rows[i].line.p);
    assert_int_equal(record_seq((Str){ 0 }), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_exactly_these_bytes),
        cmocka_unit_test(empty_members_are_left_out),
        cmocka_unit_test(hostile_bodies_come_back),
        cmocka_unit_test(an_object_or_an_array_on_one_line_is_stored_as_it_is),
        cmocka_unit_test(any_other_body_is_a_string),
        cmocka_unit_test(a_line_holds_the_start_of_a_record_at_its_beginning_alone),
        cmocka_unit_test(a_line_in_which_a_body_holds_the_start_of_a_record_is_none),
        cmocka_unit_test(every_byte_is_a_body),
        cmocka_unit_test(hostile_headers_come_back),
        cmocka_unit_test(the_numbers_go_to_their_ends),
        cmocka_unit_test(a_redacted_record_keeps_hash_and_size_and_loses_the_body),
        cmocka_unit_test(the_shorter_form_of_a_body_is_taken),
        cmocka_unit_test(unknown_members_are_kept_as_they_stand),
        cmocka_unit_test(the_header_of_a_cut_line_is_read_as_soon_as_the_body_begins),
        cmocka_unit_test(a_header_is_believed_only_by_its_sum),
        cmocka_unit_test(a_line_that_is_no_record_is_refused),
        cmocka_unit_test(limits_hold_on_both_sides),
        cmocka_unit_test(the_largest_record_fits_a_line),
        cmocka_unit_test(a_changed_byte_is_noticed),
        cmocka_unit_test(a_changed_byte_of_a_redacted_record_is_noticed),
        cmocka_unit_test(a_lost_or_doubled_byte_is_noticed),
        cmocka_unit_test(the_seq_is_found_at_the_start_of_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
