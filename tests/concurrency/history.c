/* history.c - bodies, signatures, and the reading of a pad that came to rest. */
#include "history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "store/engine.h"

/* --- Contents, ids and signatures ------------------------------------------------------- */

/* splitmix64: every bit of the number moves every bit of the result. */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* One body in 64 is larger than a page, so that a torn one can show. */
static size_t body_size(uint64_t content)
{
    uint64_t m = mix(content);
    return m % 64 == 0 ? 4096 + m / 64 % 16384 : 24 + m / 64 % 160;
}

Str content_body(uint64_t content, Arena *into)
{
    size_t n = body_size(content);
    char *p = arena_alloc(into, n + 1, 1);
    snprintf(p, n + 1, "c%016" PRIx64 " ", content);
    uint64_t bits = mix(content ^ 0x5EED);
    for (size_t i = 18; i < n; i++, bits = bits >> 5 | bits << 59)
        p[i] = (char)('a' + (bits + i / 12) % 26);
    return (Str){ p, n };
}

Hash content_sha(uint64_t content)
{
    AUTO(Arena) arena = { 0 };
    return hash_of(content_body(content, &arena));
}

static bool hex_u64(Str s, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
        if (!digit && !letter)
            return false;
        value = value << 4 | (uint64_t)(digit ? c - '0' : c - 'a' + 10);
    }
    *out = value;
    return s.n == 16;
}

uint64_t content_of_body(Str body)
{
    uint64_t content;
    if (body.n < 18 || body.p[0] != 'c' || !hex_u64(str_slice(body, 1, 17), &content))
        return 0;
    AUTO(Arena) arena = { 0 };
    return str_eq(body, content_body(content, &arena)) ? content : 0;
}

Label id_label(uint64_t id)
{
    Label label = { "" };
    if (id)
        snprintf(label.text, sizeof label.text, "i%016" PRIx64, id);
    return label;
}

uint64_t id_of_label(Str text)
{
    uint64_t id;
    if (text.n == 0)
        return 0;
    return text.p[0] == 'i' && hex_u64(str_from(text, 1), &id) ? id : UINT64_MAX;
}

Label signature_label(uint32_t worker, uint32_t incarnation, uint32_t index)
{
    Label label;
    snprintf(label.text, sizeof label.text, "w%" PRIu32 ".%" PRIu32 ".%" PRIu32, worker,
             incarnation, index);
    return label;
}

bool signature_parse(Str by, uint32_t *worker, uint32_t *incarnation, uint32_t *index)
{
    Str part[2], rest = str_from(by, 1);
    uint64_t w, i, x;
    if (!str_starts(by, S("w")) || !str_cut(&rest, '.', &part[0]) || !str_cut(&rest, '.', &part[1]))
        return false;
    if (!str_to_u64(part[0], HISTORY_WORKERS_MAX - 1, &w) || !str_to_u64(part[1], UINT32_MAX, &i) ||
        !str_to_u64(rest, UINT32_MAX, &x))
        return false;
    *worker = (uint32_t)w;
    *incarnation = (uint32_t)i;
    *index = (uint32_t)x;
    return true;
}

Hash digest_add(Hash digest, uint64_t seq, const Hash *sha)
{
    /* Not a cryptographic step: a million of these are made, and nobody means harm here. */
    uint64_t word[4], add[4];
    memcpy(word, digest.b, sizeof word);
    memcpy(add, sha->b, sizeof add);
    for (size_t i = 0; i < 4; i++)
        word[i] = mix(word[i] ^ mix(add[i] + seq));
    memcpy(digest.b, word, sizeof word);
    return digest;
}

/* --- The end of a pad ------------------------------------------------------------------- */

static Found found_of(const Record *r)
{
    Found f = { .op = (uint8_t)r->mark.op, .sha = r->mark.sha256, .id = id_of_label(r->id) };
    f.signed_by_us = signature_parse(r->by, &f.worker, &f.incarnation, &f.index);
    f.content = r->mark.op == OP_DELETE ? 0 : content_of_body(r->body);
    bool body = r->mark.op == OP_DELETE
                    ? r->body.n == 0 && hash_is_zero(r->mark.sha256)
                    : f.content != 0 && hash_eq(hash_of(r->body), r->mark.sha256);
    f.sound = body && f.id != UINT64_MAX && r->meta.n == 0 && !r->mark.redacted;
    return f;
}

/* Take one more record over; false, and a fault, if it does not follow. */
static bool take_record(Stream *st, Mark *head, const Record *r)
{
    Str name = str(st->name);
    if (r->mark.seq != head->seq + 1) {
        snprintf(st->fault, sizeof st->fault, "record %" PRIu64 " is followed by %" PRIu64,
                 head->seq, r->mark.seq);
        return false;
    }
    if (!hash_eq(r->mark.chain, record_chain(head->chain, name, r)) ||
        r->mark.at_ms < head->at_ms) {
        snprintf(st->fault, sizeof st->fault, "the chain or time of record %" PRIu64 " is wrong",
                 r->mark.seq);
        return false;
    }
    *head = r->mark;
    st->records[st->n++] = found_of(r);
    return true;
}

static bool take_page(Stream *st, Store *s, Mark *head, bool *more, Err *e)
{
    AUTO(Arena) page = { 0 };
    Records got;
    jot_status read =
        store_read(s, str(st->name), (SeqRange){ head->seq + 1, STORE_READ_MAX }, &page, &got, e);
    if (read != JOT_OK) {
        snprintf(st->fault, sizeof st->fault, "reading from %" PRIu64 ": %.120s", head->seq + 1,
                 e->text);
        return false;
    }
    for (size_t i = 0; i < got.n; i++)
        if (!take_record(st, head, &got.items[i]))
            return false;
    *more = got.more;
    if (got.more && got.n == 0)
        snprintf(st->fault, sizeof st->fault, "a read gives nothing and says that there is more");
    return st->fault[0] == 0;
}

static void gather_stream(Stream *st, Store *s, Arena *into)
{
    AUTO(Arena) arena = { 0 };
    Err e = { 0 };
    Record newest;
    st->n = 0;
    st->fault[0] = 0;
    jot_status head = store_head(s, str(st->name), HEAD_RECORD, &arena, &newest, &e);
    if (head != JOT_OK) {
        if (head != JOT_NOT_FOUND)
            snprintf(st->fault, sizeof st->fault, "its head: %.140s", e.text);
        return;
    }
    st->records = NEW_ARRAY(into, Found, newest.mark.seq + 1);
    Mark at = { 0 };
    for (bool more = true; more && at.seq < newest.mark.seq;)
        if (!take_page(st, s, &at, &more, &e))
            return;
    if (at.seq != newest.mark.seq || !hash_eq(at.chain, newest.mark.chain))
        snprintf(st->fault, sizeof st->fault,
                 "the head is %" PRIu64 " but the last record %" PRIu64, newest.mark.seq, at.seq);
}

void history_gather(History *h, Store *s, Arena *into)
{
    for (size_t i = 0; i < h->stream_n; i++)
        gather_stream(&h->streams[i], s, into);
}

/* --- Showing ---------------------------------------------------------------------------- */

static const char *name_of(const History *h, uint16_t stream)
{
    return stream < h->stream_n ? h->streams[stream].name : "?";
}

static const char *op_name(uint8_t op)
{
    static const char *const names[] = { "nothing", "put", "delete", "append" };
    return op < COUNT_OF(names) ? names[op] : "?";
}

static void show_append(Buf *to, const History *h, const Entry *e)
{
    buf_addf(to, "%s %s", op_name(e->op), name_of(h, e->stream));
    if (e->op != OP_DELETE)
        buf_addf(to, " content %" PRIx64, e->content);
    if (e->expect == EXPECT_ABSENT)
        buf_addf(to, " if absent");
    if (e->expect == EXPECT_SEQ)
        buf_addf(to, " if seq %" PRIu64, e->expect_seq);
    if (e->expect == EXPECT_HASH)
        buf_addf(to, " if sha %.8s", hash_hex(e->expect_sha).text);
    if (e->id)
        buf_addf(to, " id %" PRIx64, e->id);
    if (e->guard != HISTORY_NO_STREAM)
        buf_addf(to, " guard %s at %" PRIu64, name_of(h, e->guard), e->guard_seq);
}

static void show_asked(Buf *to, const History *h, const Entry *e)
{
    switch ((EntryKind)e->kind) {
    case ENTRY_APPEND:
        show_append(to, h, e);
        break;
    case ENTRY_HEAD:
        buf_addf(to, "head of %s (%s)", name_of(h, e->stream),
                 e->which == HEAD_VALUE ? "value" : "record");
        break;
    case ENTRY_READ:
        buf_addf(to, "read %s from %" PRIu64 " limit %" PRIu64, name_of(h, e->stream),
                 e->expect_seq, e->limit);
        break;
    case ENTRY_LIST:
        buf_addf(to, "list");
        break;
    case ENTRY_LISTED:
        buf_addf(to, "listed %s", name_of(h, e->stream));
        break;
    case ENTRY_UNLISTED:
        buf_addf(to, "not listed %s", name_of(h, e->stream));
        break;
    }
}

EntryText entry_text(const History *h, size_t worker, size_t index)
{
    const Entry *e = &h->logs[worker].items[index];
    AUTO(Buf) to = { 0 };
    buf_addf(&to, "w%zu.%" PRIu32 ".%zu ", worker, e->incarnation, index);
    show_asked(&to, h, e);
    if (!e->answered)
        buf_addf(&to, " -> no answer [%" PRIu64 ", ...]", e->invoke_ns);
    else
        buf_addf(&to, " -> %s seq %" PRIu64 " %s %.8s [%" PRIu64 ", %" PRIu64 "]",
                 status_info(e->status)->name, e->seq, op_name(e->mark_op), hash_hex(e->sha).text,
                 e->invoke_ns, e->answer_ns);
    EntryText out;
    snprintf(out.text, sizeof out.text, "%.*s", STR_ARG(buf_str(&to)));
    return out;
}
