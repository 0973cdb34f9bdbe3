/* fuzz_record.c - any bytes as a record's line, and any bytes as the parts of a record. */
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "store/engine.h"
#include "store/record.h"
#include "unit/record_same.h"

#define ZERO "0000000000000000000000000000000000000000000000000000000000000000"

const char *const fuzz_words[] = { "{\"seq\":1,",
                                   "\"at\":2,",
                                   "\"by\":\"a\",",
                                   "\"op\":\"put\",",
                                   "\"op\":\"delete\",",
                                   "\"op\":\"append\",",
                                   "\"sha256\":\"" ZERO "\",",
                                   "\"size\":0,",
                                   "\"fence\":3,",
                                   "\"id\":\"x\",",
                                   "\"meta\":{},",
                                   "\"meta\":\"{}\\n\",",
                                   "\"redacted\":true,",
                                   "\"chain\":\"" ZERO "\"",
                                   ",\"body\":\"\"",
                                   ",\"body64\":\"AAAA\"",
                                   ",\"new\":[1,2]",
                                   "}",
                                   "\n",
                                   "\\u0000",
                                   "9223372036854775807",
                                   "\xff",
                                   NULL };

static void check_record(const Record *r)
{
    const Mark *m = &r->mark;
    MUST(m->seq > 0 && m->seq <= STORE_SEQ_MAX && m->at_ms >= 0 && m->fence <= STORE_SEQ_MAX);
    MUST(m->op == OP_PUT || m->op == OP_DELETE || m->op == OP_APPEND);
    MUST(r->by.n <= STORE_BY_MAX && r->id.n <= STORE_ID_MAX && r->meta.n <= STORE_META_MAX);
    MUST(utf8_valid(r->by) && utf8_valid(r->id) && utf8_valid(r->meta) && utf8_valid(r->extra));
    if (m->op == OP_DELETE)
        MUST(!m->redacted && !r->body.n && !m->size && hash_is_zero(m->sha256));
    else if (m->redacted)
        MUST(!r->body.n);
    else
        MUST(r->body.n == m->size && hash_eq(hash_of(r->body), m->sha256));
}

/* Written and read back as the same record, by both ways of reading, and in canonical bytes. */
static void check_round_trip(const Record *r)
{
    AUTO(Arena) a = { 0 };
    AUTO(Buf) first = { .max = RECORD_LINE_MAX };
    AUTO(Buf) second = { .max = RECORD_LINE_MAX };
    record_write(&first, r, RECORD_NESTED);
    MUST(buf_ok(&first));
    Str line = buf_str(&first);
    MUST(utf8_valid(line) && str_find(line, '\n') == line.n - 1);
    MUST(record_seq(line) == r->mark.seq);
    Record back, header;
    MUST(record_read(line, RECORD_ALL, &a, &back, NULL) == JOT_OK);
    MUST(same(r, &back));
    record_write(&second, &back, RECORD_NESTED);
    MUST(str_eq(line, buf_str(&second)));
    MUST(record_read(line, RECORD_NO_BODY, &a, &header, NULL) == JOT_OK);
    MUST(header.body.n == 0);
    header.body = r->body;
    MUST(same(r, &header));
}

static void check_line(Str line)
{
    AUTO(Arena) a = { 0 };
    Err e = { 0 };
    Record r;
    jot_status st = record_read(line, RECORD_ALL, &a, &r, &e);
    if (st != JOT_OK) {
        MUST(st == JOT_CORRUPT);
        MUST_SAY(e, st);
    } else {
        check_record(&r);
        check_round_trip(&r);
        MUST(record_seq(line) == 0 || record_seq(line) == r.mark.seq);
    }
    Record header;
    bool good = record_read(line, RECORD_NO_BODY, &a, &header, NULL) == JOT_OK;
    MUST(good || st != JOT_OK);
    if (good && st == JOT_OK) {
        header.body = r.body;
        MUST(same(&r, &header));
    }
}

/* The bytes as body, and what of them is fit for it as author, id and meta. */
static void check_parts(Str bytes)
{
    Record r = { .mark = { .seq = 7, .at_ms = 8, .op = OP_PUT, .size = bytes.n }, .body = bytes };
    r.mark.sha256 = hash_of(bytes);
    size_t fit = utf8_bad_at(str_slice(bytes, 0, STORE_ID_MAX));
    r.by = r.id = str_slice(bytes, 0, fit);
    json_t *value = NULL;
    if (bytes.n <= STORE_META_MAX && json_read(bytes, &value, NULL) == JOT_OK) {
        if (json_is_object(value))
            r.meta = bytes;
        json_decref(value);
    }
    r.mark.chain = record_chain((Hash){ 0 }, S("notes/x"), &r);
    check_round_trip(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Str bytes = { (const char *)data, size };
    check_line(bytes);
    check_parts(bytes);
    return 0;
}
