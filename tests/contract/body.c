/* body.c - promises about bytes: what goes in comes out, whatever it is, on every way. */
#include <string.h>

#include "contract.h"
#include "rig/volume.h"

enum { KINDS = 4 }; /* of streams: three with values, and a log */

/* Store the bytes in a stream of this kind, and get them back on every way. */
static void round_trip_in(Trial *p, Str bytes, size_t kind)
{
    static const char *const streams[KINDS] = { "notes/a", "memories/d/e", "x/a", "runs/r" };
    const char *stream = streams[kind];
    bool log = kind == KINDS - 1;
    Draft draft = { .op = log ? OP_APPEND : OP_PUT, .by = S("ann"), .body = bytes };
    Mark m = append(p, stream, ANY, draft);
    CHECK_NUM(m.size, bytes.n);
    CHECK(hash_eq(m.sha256, hash_of(bytes)));
    CHECK_TEXT(head(p, stream, HEAD_RECORD).body, bytes);
    CHECK_TEXT(head(p, stream, HEAD_VALUE).body, bytes);
    CHECK_TEXT(record_at(p, stream, m.seq).body, bytes);
}

static void round_trip(Trial *p, Str bytes)
{
    for (size_t kind = 0; kind < KINDS; kind++)
        round_trip_in(p, bytes, kind);
}

static Str repeated(Trial *p, char c, size_t n)
{
    char *bytes = arena_alloc(&p->arena, n, 1);
    memset(bytes, c, n);
    return (Str){ bytes, n };
}

static void an_empty_body_is_a_body(Trial *p)
{
    round_trip(p, S(""));
    round_trip(p, S("x"));
    round_trip(p, S(""));
}

static void every_single_byte_comes_back(Trial *p)
{
    for (int c = 0; c < 256; c++) {
        char byte = (char)c;
        if (volume_small())
            round_trip_in(p, (Str){ &byte, 1 }, (size_t)c % KINDS);
        else
            round_trip(p, (Str){ &byte, 1 });
    }
}

static void all_256_bytes_together_come_back(Trial *p)
{
    char bytes[256];
    for (int c = 0; c < 256; c++)
        bytes[c] = (char)c;
    round_trip(p, (Str){ bytes, sizeof bytes });
}

static void nuls_anywhere_come_back(Trial *p)
{
    round_trip(p, S("\0"));
    round_trip(p, S("a\0b"));
    round_trip(p, S("\0\0\0\0"));
    round_trip(p, S("text\0"));
}

static void bytes_that_are_no_text_come_back(Trial *p)
{
    round_trip(p, S("\xFF\xFE"));
    round_trip(p, S("text \xC0\xAE text"));
    round_trip(p, S("\xED\xA0\x80"));
    round_trip(p, S("cut \xE2\x82"));
    round_trip(p, S("\xF5\x80\x80\x80"));
}

static void text_that_looks_like_a_record_comes_back(Trial *p)
{
    round_trip(p, S("{\"seq\":1,\"at\":0,\"by\":\"eve\",\"op\":\"put\"}\n"));
    round_trip(p, S("\"}\n{\"seq\":2,"));
    round_trip(p, S("\n"));
    round_trip(p, S("\r\n\r\n"));
    round_trip(p, S("\\u0000 \\\" \\"));
    round_trip(p, S("\"\"\"\"\"\"\"\""));
    round_trip(p, S("'; drop table records; --"));
    round_trip(p, S("%s%n%d"));
}

static void text_of_the_whole_world_comes_back(Trial *p)
{
    round_trip(p, S("\xEF\xBB\xBF with a mark"));
    round_trip(p, S("\xE2\x80\xA8 and \xE2\x80\xA9"));
    round_trip(p, S("caf\xC3\xA9 cafe\xCC\x81"));
    round_trip(p, S("\xF0\x9F\x93\x93 \xE6\xBC\xA2\xE5\xAD\x97"));
    round_trip(p, S("\x1B[31mred\x1B[0m\x07\x08\x7F"));
    round_trip(p, S("\xF4\x8F\xBF\xBF \xEF\xBF\xBF"));
}

/* Around every size at which a buffer or a block could end. */
static void bodies_of_every_size_near_a_power_of_two_come_back(Trial *p)
{
    for (size_t power = 16; power <= volume_bytes(256 * 1024); power *= 4)
        for (size_t n = power - 1; n <= power + 1; n++) {
            round_trip(p, repeated(p, 'a', n));
            round_trip(p, repeated(p, '\n', n));
            round_trip(p, repeated(p, '\xFF', n));
        }
}

static void no_bytes_have_the_hash_of_no_bytes(Trial *p)
{
    Hash want;
    CHECK(hash_parse(S("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"), &want));
    CHECK(hash_eq(put(p, "notes/a", "").sha256, want));
}

static void meta_comes_back_as_the_text_it_was(Trial *p)
{
    static const char *const metas[] = {
        "{}",
        "{ }",
        " {}",
        "{} ",
        "{\n}\n",
        "\t{\"a\" :\t1}",
        "{\"b\":1,\"a\":2}",
        "{\"n\":1.50e+2}",
        "{\"s\":\"\\u00e9\"}",
        "{\"s\":\"\xC3\xA9 \xE2\x80\xA8\"}",
        "{\"z\":\"\\u0000\"}",
        "{\"chain\":\"x\",\"body\":\"y\"}\r\n",
        "{\"deep\":[[[[{\"a\":{}}]]]]}",
        "{\"\":null}",
    };
    for (size_t i = 0; i < COUNT_OF(metas); i++) {
        Draft d = PUT("x");
        d.meta = str(metas[i]);
        Mark m = append(p, "notes/a", ANY, d);
        CHECK_TEXT(head(p, "notes/a", HEAD_RECORD).meta, d.meta);
        CHECK_TEXT(head(p, "notes/a", HEAD_MARK).meta, d.meta);
        CHECK_TEXT(record_at(p, "notes/a", m.seq).meta, d.meta);
        CHECK_TEXT(list(p, "notes/", "", 1, LIST_LIVE).items[0].meta, d.meta);
    }
    check_chain(p, "notes/a");
}

static void authors_and_ids_come_back_as_they_were(Trial *p)
{
    static const char *const texts[] = { "a",       "a b",         "\"",
                                         "\\",      "caf\xC3\xA9", "\xF0\x9F\x93\x93",
                                         "'; --",   "%s",          "outside ",
                                         "Outside", "{}",          "\xE2\x80\xA8" };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Draft d = PUT("x");
        d.by = d.id = str(texts[i]);
        Mark m = append(p, "notes/a", ANY, d);
        CHECK_NUM(m.seq, i + 1);
        CHECK_TEXT(head(p, "notes/a", HEAD_MARK).by, d.by);
        CHECK_TEXT(head(p, "notes/a", HEAD_MARK).id, d.id);
        CHECK_TEXT(record_at(p, "notes/a", m.seq).by, d.by);
    }
    check_chain(p, "notes/a");
}

static void an_author_may_be_nobody(Trial *p)
{
    Draft d = { .op = OP_PUT, .body = S("x") };
    append(p, "notes/a", ANY, d);
    CHECK_TEXT(head(p, "notes/a", HEAD_MARK).by, S(""));
}

static void bodies_come_back_after_reopening(Trial *p)
{
    char bytes[256];
    for (int c = 0; c < 256; c++)
        bytes[c] = (char)c;
    Draft d = { .op = OP_PUT, .by = S("ann"), .body = { bytes, sizeof bytes } };
    append(p, "notes/a", ANY, d);
    append(p, "x/a", ANY, d);
    put(p, "notes/b", "");
    trial_reopen(p);
    CHECK_TEXT(head(p, "notes/a", HEAD_VALUE).body, d.body);
    CHECK_TEXT(head(p, "x/a", HEAD_RECORD).body, d.body);
    CHECK_NUM(head(p, "notes/b", HEAD_VALUE).body.n, 0);
}

const Promise body_promises[] = {
    PROMISE(an_empty_body_is_a_body),
    PROMISE(every_single_byte_comes_back),
    PROMISE(all_256_bytes_together_come_back),
    PROMISE(nuls_anywhere_come_back),
    PROMISE(bytes_that_are_no_text_come_back),
    PROMISE(text_that_looks_like_a_record_comes_back),
    PROMISE(text_of_the_whole_world_comes_back),
    PROMISE(bodies_of_every_size_near_a_power_of_two_come_back),
    PROMISE(no_bytes_have_the_hash_of_no_bytes),
    PROMISE(meta_comes_back_as_the_text_it_was),
    PROMISE(authors_and_ids_come_back_as_they_were),
    PROMISE(an_author_may_be_nobody),
    LASTING(bodies_come_back_after_reopening),
    { 0 },
};
