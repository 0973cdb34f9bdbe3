/* fuzz_forge.c - bodies and metas that want to be records, beside damage.
 *
 * The input is a body, and a meta if it is one; the byte 1 in it stands for the
 * line of a record as anybody can make one, with its sum, its hash and a chain
 * that fits, and the byte 2 for the line that says what is lost.  It is written
 * between two records.  Then each byte of the file becomes a line break in turn,
 * each line break something else, and the file is cut at each byte.  Whatever
 * happens:
 *   1. {"seq": and {"lost": stand at the beginning of each line and nowhere else;
 *   2. every record that a reader finds, from the start of a line or from inside
 *      one, is one of the three that were written;
 *   3. no line says that something is lost. */
#include "base/json.h"
#include "fuzz/fuzz.h"
#include "store/files/files.h"
#include "store/record.h"

#define STREAM "runs/x"

const char *const fuzz_words[] = {
    "\1",
    "\2",
    "[\1]",
    "{\"a\":\1}",
    "[{},\1]",
    "[\1,[]]",
    "{\"seq\" :1}",
    "{\"seq\":",
    "{\"lost\":",
    "\\\"seq\\\":",
    "}",
    "]",
    "{",
    "[",
    "\"",
    "\n",
    "\r",
    "\\u007b\"seq\":",
    " ",
    NULL,
};

/* A record behind the one with this seq and chain. */
static Record next(uint64_t seq, Hash chain, Str by, Str meta, Str body)
{
    Record r = { .by = by, .meta = meta, .body = body };
    r.mark =
        (Mark){ .seq = seq, .at_ms = 5, .op = OP_APPEND, .size = body.n, .sha256 = hash_of(body) };
    r.mark.chain = record_chain(chain, S(STREAM), &r);
    return r;
}

/* The input with what its bytes 1 and 2 stand for. */
static Str expand(Arena *a, Str bytes, const Record *before)
{
    AUTO(Buf) line = { 0 };
    AUTO(Buf) out = { .max = 64 * 1024 };
    for (size_t i = 0; i < bytes.n; i++) {
        Record forged = next(2, before->mark.chain, S("eve"), (Str){ 0 }, S("forged"));
        buf_clear(&line);
        if (bytes.p[i] == 1)
            record_write(&line, &forged, RECORD_NESTED);
        else if (bytes.p[i] == 2)
            record_write_lost(&line, 9);
        else
            buf_add_char(&line, bytes.p[i]);
        buf_add(&out, str_slice(buf_str(&line), 0, line.n - (bytes.p[i] == 1 || bytes.p[i] == 2)));
    }
    return arena_copy(a, buf_str(&out));
}

static bool is_meta(Str text)
{
    json_t *value = NULL;
    bool object = text.n <= STORE_META_MAX && json_read(text, &value, NULL) == JOT_OK &&
                  json_is_object(value);
    json_decref(value);
    return object;
}

static void check_line(Str line, const Record *written, size_t n)
{
    AUTO(Arena) arena = { 0 };
    Record r;
    size_t skip;
    uint64_t lost;
    MUST(!record_read_lost(line, &lost));
    if (!line_record(line, RECORD_ALL, &arena, &r, &skip))
        return;
    bool ours = false;
    for (size_t i = 0; i < n; i++)
        ours = ours || hash_eq(r.mark.chain, written[i].mark.chain);
    MUST(ours);
}

/* Every line of the file, and what stands behind the last. */
static void check_file(Str file, const Record *written, size_t n)
{
    Str line;
    while (str_cut(&file, '\n', &line))
        check_line((Str){ line.p, line.n + 1 }, written, n);
    check_line(file, written, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONG = 1500 };
    AUTO(Arena) a = { 0 };
    AUTO(Buf) file = { .max = 256 * 1024 };
    Record written[3];
    size_t ends[3];
    written[0] = next(1, (Hash){ 0 }, S("ann"), (Str){ 0 }, S("{\"first\":1}"));
    Str text = expand(&a, (Str){ (const char *)data, size }, &written[0]);
    written[1] = next(2, written[0].mark.chain, S("ann"), is_meta(text) ? text : (Str){ 0 }, text);
    written[2] = next(3, written[1].mark.chain, S("ann"), (Str){ 0 }, S("[3]"));
    for (size_t i = 0; i < 3; i++) {
        size_t from = file.n;
        record_write(&file, &written[i], RECORD_NESTED);
        ends[i] = file.n - 1;
        Str line = str_slice(buf_str(&file), from, file.n);
        MUST(record_seq(line) == i + 1 && !record_holds_start(str_from(line, 1)));
    }
    check_file(buf_str(&file), written, 3);
    /* Of a long file only what lies around the ends of its lines. */
    for (size_t i = 0; i < file.n; i++) {
        bool near = false;
        for (size_t k = 0; k < 3; k++)
            near = near || (i + 200 > ends[k] && i < ends[k] + 200);
        if (file.n > LONG && !near)
            continue;
        char was = file.p[i];
        file.p[i] = was == '\n' ? ' ' : '\n';
        check_file(buf_str(&file), written, 3);
        file.p[i] = was;
        check_file(str_slice(buf_str(&file), 0, i), written, 3);
    }
    return 0;
}
