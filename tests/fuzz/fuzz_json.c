/* fuzz_json.c - any bytes as a JSON document, and any bytes as a JSON string. */
#include "base/buf.h"
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"

const char *const fuzz_words[] = { "{\"a\":1}",
                                   "[]",
                                   "null",
                                   "true",
                                   "false",
                                   "\"",
                                   "\\u",
                                   "\\uD83D",
                                   "\\uDE00",
                                   "\\u0000",
                                   "\\n",
                                   "\"a\":",
                                   ",",
                                   "[[[[[[[[",
                                   "]]]]]]]]",
                                   "-0",
                                   "1e400",
                                   "9223372036854775808",
                                   "0.1",
                                   "\xef\xbb\xbf",
                                   "\xed\xa0\x80",
                                   "\xf0\x9f\x98\x80",
                                   NULL };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* True if json_skip finds one value and nothing behind it. */
static bool skips_all(Str text)
{
    size_t end = json_skip(text, 0);
    MUST(end <= text.n);
    while (end && end < text.n && is_space(text.p[end]))
        end++;
    return end && end == text.n;
}

static void check_document(Str text)
{
    Err e = { 0 };
    JsonFlaw flaw = 0;
    AUTO_PTR(json_t) value = NULL;
    jot_status st = json_read_flaw(text, &value, &flaw, &e);
    MUST((value != NULL) == (st == JOT_OK));
    if (st != JOT_OK) {
        MUST(st == JOT_INVALID);
        MUST_SAY(e, st);
        MUST(!skips_all(text) || flaw == JSON_BEYOND); /* which json_skip does not know */
        return;
    }
    MUST(utf8_valid(text) && skips_all(text));
}

/* Mending changes nothing that can be read, and nothing twice. */
static void check_mending(Str text)
{
    AUTO(Buf) mended = { 0 };
    buf_add(&mended, text);
    size_t n = json_mend_surrogates(mended.p, mended.n);
    MUST(mended.n == text.n && (n == 0) == str_eq(buf_str(&mended), text));
    MUST(!skips_all(text) || n == 0);
    MUST(json_mend_surrogates(mended.p, mended.n) == 0);
}

/* What was read is written and read back as the same value, and written again as the same bytes. */
static void check_round_trip(Str text)
{
    AUTO_PTR(json_t) value = NULL;
    if (json_read(text, &value, NULL) != JOT_OK)
        return;
    AUTO(Buf) first = { 0 };
    AUTO(Buf) second = { 0 };
    json_write(&first, value);
    MUST(buf_ok(&first) && utf8_valid(buf_str(&first)));
    AUTO_PTR(json_t) back = NULL;
    MUST(json_read(buf_str(&first), &back, NULL) == JOT_OK);
    MUST(json_equal(value, back));
    json_write(&second, back);
    MUST(str_eq(buf_str(&first), buf_str(&second)));
}

/* A skipped value can be skipped again by itself. */
static void check_skip(Str text)
{
    for (size_t at = 0; at < text.n && at < 64; at++) {
        size_t end = json_skip(text, at);
        MUST(end == 0 || (end > at && end <= text.n));
        MUST(end == 0 || json_skip(str_slice(text, at, end), 0) == end - at);
    }
}

static void check_string(Str text)
{
    if (!utf8_valid(text))
        return;
    AUTO(Buf) quoted = { 0 };
    AUTO(Buf) back = { 0 };
    json_quote(&quoted, text);
    MUST(buf_ok(&quoted) && quoted.n == json_quoted_size(text));
    MUST(json_unquote(buf_str(&quoted), 0, &back) == quoted.n);
    MUST(str_eq(buf_str(&back), text));
    AUTO_PTR(json_t) value = NULL;
    MUST(json_read(buf_str(&quoted), &value, NULL) == JOT_OK);
    MUST(str_eq(json_str(value), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str text = { (const char *)data, size };
    check_document(text);
    check_mending(text);
    check_round_trip(text);
    check_skip(text);
    check_string(text);
    return 0;
}
