/* fuzz_frame.c - any bytes as a value in a prompt, under any sign: it comes back, has no sign in
 * it, and as parts of a prompt two values never run together.  And any bytes as they are shown. */
#include "base/glyph.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "memory/read_back.h"
#include "memory/run/results.h"

const char *const fuzz_words[] = { "### tool(k=v)",
                                   "###",
                                   "[Tool result #1 cleared from context]",
                                   "[TOOL]",
                                   "## Tool Usage",
                                   "New data retrieved after compaction:",
                                   "<jotter-note ",
                                   "</jotter-",
                                   "<jotter-end 5f3a9c0d1e2b4a67>",
                                   "5f3a9c0d1e2b4a67",
                                   "5f3a9c0d",
                                   "1e2b4a67",
                                   "abababababababab",
                                   "\\",
                                   "\n",
                                   "\r",
                                   "\x1C",
                                   "\xC2\x85",
                                   "\xE2\x80\xA8",
                                   "\xE2\x80\x8B",
                                   "\xE2\x80\xAE",
                                   "\xEF\xB8\x8F",
                                   "\xF3\xA0\x81\x81",
                                   "\xCC\x81",
                                   "\xE3\x85\xA4",
                                   "\xEF\xBC\x9C",
                                   "\xEF\xBC\x83",
                                   "\xE2\x89\xAE",
                                   "---\n\n",
                                   NULL };

static bool has(Str text, const char *part)
{
    return text.n && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

static void check_value(const Frame *f, Str value)
{
    AUTO(Buf) framed = { 0 };
    AUTO(Buf) back = { 0 };
    frame_add(&framed, f, value);
    frame_read(&back, f, buf_str(&framed));
    MUST(str_eq(buf_str(&back), value));
    MUST(!f->sign[0] || !has(buf_str(&framed), f->sign));
}

/* The value of the part that begins at *at; *at moves to the line of the next one. */
static Str next_value(const Frame *f, Str text, size_t *at, Arena *into)
{
    Str rest = str_from(text, *at);
    size_t from = str_find(rest, '\n') + 1;
    Str body = str_from(rest, from);
    const char *sign = memmem(body.p, body.n, f->sign, FRAME_SIGN);
    MUST(sign);
    Str before = { body.p, (size_t)(sign - body.p) };
    size_t end = str_find_last(before, '\n');
    MUST(end < before.n);
    AUTO(Buf) value = { 0 };
    frame_read(&value, f, str_slice(before, 0, end));
    *at += from + end + 1;
    return arena_copy(into, buf_str(&value));
}

static void check_parts(const Frame *f, Str one, Str other)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    AUTO(Buf) says = { 0 };
    size_t at = 0;
    Str key = utf8_mended(one, &a);
    frame_attribute_add(&says, f, "key", key);
    frame_value_add(&text, f, "note", buf_str(&says), one);
    frame_value_add(&text, f, "note", (Str){ 0 }, other);
    frame_end_add(&text, f);
    MUST(str_eq(next_value(f, buf_str(&text), &at, &a), one));
    MUST(str_eq(next_value(f, buf_str(&text), &at, &a), other));
    MUST(str_starts(str_from(buf_str(&text), at), S("<jotter-end ")));
}

static void check_results(const Frame *f, Str one, Str other)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) text = { 0 };
    Err e = { 0 };
    Result items[] = { { .ok = true, .tool = S("t"), .args = S("{}"), .result = one },
                       { .tool = S("t"), .args = S("{}"), .result = other } };
    Results list = { .items = items, .n = 2, .frame = *f }, back;
    list.summary = utf8_mended(other, &a);
    results_add(&text, &list);
    MUST(results_read(buf_str(&text), f, &a, &back, &e) == JOT_OK);
    MUST(str_eq(back.summary, list.summary) && back.n == 2);
    MUST(str_eq(back.items[0].result, one) && str_eq(back.items[1].result, other));
}

static void check_shown(Str text)
{
    for (GlyphHow how = GLYPH_LINE; how <= GLYPH_TEXT; how++) {
        AUTO(Buf) shown = { 0 };
        glyph_add(&shown, text, how);
        MUST(utf8_valid(buf_str(&shown)));
        MUST(glyph_hidden_at(buf_str(&shown), how) == shown.n);
        MUST(glyph_hidden_at(text, how) <= text.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Frame frames[] = { { .sign = "5f3a9c0d1e2b4a67" },
                                    { .sign = "abababababababab" },
                                    { .sign = "" } };
    Str text = { (const char *)data, size };
    Str one = str_slice(text, 0, size / 2), other = str_from(text, size / 2);
    check_shown(text);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        check_value(&frames[i], text);
        check_results(&frames[i], one, other);
        if (frames[i].sign[0])
            check_parts(&frames[i], one, other);
    }
    return 0;
}
