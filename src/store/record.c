/* record.c - the codec between a Record and its line of JSON.
 *
 * Writing is a straight line.  Reading walks over the members once and takes
 * strings apart only when they are wanted, so that the header of a record with
 * a large body costs as much as that of a small one.
 *
 * A nested body is the bytes between "body": and the last brace of the line.
 * It is never parsed and written again: keys that are there twice, numbers of any
 * length, odd escapes and spaces stay what they are, and its hash says so. */
#include "store/record.h"

#include <assert.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/mutant.h"
#include "base/utf8.h"

enum { SUM_HEX = 16 };

/* What the lines of a stream file begin with. */
static const Str record_start = S_INIT("{\"seq\":");
static const Str lost_start = S_INIT("{\"lost\":");

static const Str op_names[] = {
    [OP_PUT] = S_INIT("put"),
    [OP_DELETE] = S_INIT("delete"),
    [OP_APPEND] = S_INIT("append"),
};

/* One line is written for every append, so nothing here is left to printf. */
static void write_key(Buf *to, Str key)
{
    buf_add(to, S(",\""));
    buf_add(to, key);
    buf_add(to, S("\":"));
}

static void write_text(Buf *to, Str key, Str text)
{
    write_key(to, key);
    json_quote(to, text);
}

static void write_u64(Buf *to, Str key, uint64_t n)
{
    write_key(to, key);
    buf_add_u64(to, n);
}

/* A hash, or a word that needs no escapes. */
static void write_word(Buf *to, Str key, Str word)
{
    write_key(to, key);
    buf_add_char(to, '"');
    buf_add(to, word);
    buf_add_char(to, '"');
}

static void write_hash(Buf *to, Str key, Hash h)
{
    HashHex hex = hash_hex(h);
    write_word(to, key, (Str){ hex.text, HASH_HEX });
}

static bool one_line(Str s)
{
    return str_find(s, '\n') == s.n && str_find(s, '\r') == s.n;
}

static bool holds(Str text, Str part)
{
    return text.n >= part.n && memmem(text.p, text.n, part.p, part.n);
}

bool record_holds_start(Str text)
{
    return holds(text, record_start) || holds(text, lost_start);
}

/* Meta stands in the line as it was given, unless a reader could not tell where it ends, or where
 * the next record begins: with spaces around it, with line breaks or the start of a line in it, it
 * becomes a string. */
static void write_meta(Buf *to, Str meta)
{
    assert(meta.n > 0);
    if (meta.p[0] == '{' && json_skip(meta, 0) == meta.n && one_line(meta) &&
        !record_holds_start(meta)) {
        buf_add(to, S(",\"meta\":"));
        buf_add(to, meta);
    } else {
        write_text(to, S("meta"), meta);
    }
}

static bool is_bracketed(Str body)
{
    if (body.n < 2)
        return false;
    char first = body.p[0], last = body.p[body.n - 1];
    return (first == '{' && last == '}') || (first == '[' && last == ']');
}

/* May the body stand in the line as it is?  It must be one value, valid and on one line, which the
 * line around it nests one level deeper; and it must not hold the start of a line. */
static bool nests(Str body)
{
    return is_bracketed(body) && one_line(body) && utf8_valid(body) &&
           json_skip_at(body, 0, 1) == body.n &&
           (!record_holds_start(body) || MUTANT(NEST_ANY_BODY));
}

static void write_body(Buf *to, Str body, RecordForm form)
{
    if (form == RECORD_NESTED && nests(body)) {
        write_key(to, S("body"));
        buf_add(to, body);
        return;
    }
    /* As a string, if it is text and escapes do not make it longer than base64 would. */
    bool text = utf8_valid(body) && str_find(body, 0) == body.n &&
                json_quoted_size(body) <= base64_size(body.n) + 2;
    if (text) {
        write_text(to, S("body"), body);
        return;
    }
    buf_add(to, S(",\"body64\":\""));
    base64_write(to, body);
    buf_add_char(to, '"');
}

/* The digits that tell whether a header is as it was written. */
static void sum_of(Str header, char out[SUM_HEX])
{
    HashHex hex = hash_hex(hash_of(header));
    memcpy(out, hex.text, SUM_HEX);
}

static void write_sum(Buf *to, size_t start)
{
    char sum[SUM_HEX];
    sum_of(str_from(buf_str(to), start), sum);
    write_word(to, S("sum"), (Str){ sum, sizeof sum });
}

void record_write_lost(Buf *to, uint64_t seq)
{
    size_t start = to->n;
    buf_add(to, lost_start);
    buf_add_u64(to, seq);
    write_sum(to, start);
    buf_add(to, S("}\n"));
}

/* The number at `at`: where it ends, or 0 if there is none. */
static size_t number_at(Str line, size_t at, uint64_t *out)
{
    size_t end = at;
    while (end < line.n && line.p[end] >= '0' && line.p[end] <= '9')
        end++;
    return str_to_u64(str_slice(line, at, end), STORE_SEQ_MAX, out) ? end : 0;
}

bool record_read_lost(Str line, uint64_t *seq)
{
    /* Written again and compared: a line that is not to the byte what we would write is not ours.
     */
    AUTO(Buf) same = { 0 };
    if (!str_starts(line, lost_start) || !number_at(line, lost_start.n, seq))
        return false;
    record_write_lost(&same, *seq);
    return str_eq(line, buf_str(&same));
}

void record_write(Buf *to, const Record *r, RecordForm form)
{
    const Mark *m = &r->mark;
    size_t start = to->n;
    assert(m->seq > 0 && m->seq <= STORE_SEQ_MAX && m->at_ms >= 0);
    assert(m->op >= OP_PUT && m->op <= OP_APPEND);
    buf_add(to, record_start);
    buf_add_u64(to, m->seq);
    write_u64(to, S("at"), (uint64_t)m->at_ms);
    write_text(to, S("by"), r->by);
    write_word(to, S("op"), op_names[m->op]);
    if (m->op != OP_DELETE) {
        write_hash(to, S("sha256"), m->sha256);
        write_u64(to, S("size"), m->size);
    }
    if (m->fence)
        write_u64(to, S("fence"), m->fence);
    if (r->id.n)
        write_text(to, S("id"), r->id);
    if (r->meta.n)
        write_meta(to, r->meta);
    if (m->redacted)
        buf_add(to, S(",\"redacted\":true"));
    if (m->gap)
        write_u64(to, S("gap"), m->gap);
    write_hash(to, S("chain"), m->chain);
    /* Members of a newer version stand before the sum, which so covers them; the body is last, so
     * that a reader of headers can stop in front of it. */
    if (r->extra.n) {
        buf_add_char(to, ',');
        buf_add(to, r->extra);
    }
    write_sum(to, start);
    if (m->op != OP_DELETE && !m->redacted)
        write_body(to, r->body, form);
    buf_add(to, S("}\n"));
}

/* --- Reading --------------------------------------------------------------------------- */

/* The members a record can have, as bits of Reader.seen. */
enum {
    HAS_SEQ = 1,
    HAS_AT = 2,
    HAS_BY = 4,
    HAS_OP = 8,
    HAS_SHA256 = 16,
    HAS_SIZE = 32,
    HAS_FENCE = 64,
    HAS_ID = 128,
    HAS_META = 256,
    HAS_REDACTED = 512,
    HAS_CHAIN = 1024,
    HAS_SUM = 2048,
    HAS_BODY = 4096,
    HAS_GAP = 8192,
};

typedef struct Reader {
    Str line;
    size_t at;
    unsigned seen;
    size_t keys; /* where the next key is looked for first */
    RecordWant want;
    Arena *into;
    Buf extra;
    Record out;
} Reader;

/* The string at the cursor, into the arena, which has `room` for it. */
static bool read_text_within(Reader *r, size_t room, Str *out)
{
    Buf text = { .p = arena_alloc(r->into, room, 1), .cap = room, .max = room };
    r->at = json_unquote(r->line, r->at, &text);
    assert(buf_ok(&text)); /* unescaping never makes a string longer */
    *out = buf_str(&text);
    return r->at;
}

static bool read_text(Reader *r, Str *out)
{
    /* Most strings have no escapes: those are copied at once, instead of byte by byte. */
    size_t end = json_unquote(r->line, r->at, NULL);
    Str inner = str_slice(r->line, r->at + 1, end ? end - 1 : 0);
    if (!end || str_find(inner, '\\') < inner.n)
        return end && read_text_within(r, end - r->at, out);
    *out = arena_copy(r->into, inner);
    r->at = end;
    return true;
}

/* The body is the last member, so the rest of the line is room enough and not too much. */
static bool read_quoted_body(Reader *r, Str *out)
{
    return r->at < r->line.n && read_text_within(r, r->line.n - r->at, out);
}

/* The bytes up to the brace that ends the line.  That they are the body, and so that they are JSON
 * on one line, is for the hash in the header to say. */
static bool read_nested_body(Reader *r, Str *out)
{
    assert(r->line.n > 0); /* the '{' it begins with */
    size_t end = r->line.n - 1;
    Str body = str_slice(r->line, r->at, end);
    if (r->at >= end || body.n != r->out.mark.size || !is_bracketed(body) ||
        (record_holds_start(body) && !MUTANT(NEST_ANY_BODY)))
        return false;
    *out = arena_copy(r->into, body);
    r->at = end;
    return true;
}

/* In one of its three forms: the key at `key_at` tells the third from the others. */
static bool read_body(Reader *r, size_t key_at)
{
    Str text, *body = &r->out.body;
    if (str_starts(str_from(r->line, key_at), S("\"body64\"")))
        return read_quoted_body(r, &text) && base64_read(text, r->into, body);
    bool quoted = r->at < r->line.n && r->line.p[r->at] == '"';
    return quoted ? read_quoted_body(r, body) : read_nested_body(r, body);
}

static bool read_u64(Reader *r, uint64_t *out)
{
    size_t end = number_at(r->line, r->at, out);
    if (end)
        r->at = end;
    return end;
}

static bool read_hash(Reader *r, Hash *out)
{
    Str quoted = str_slice(r->line, r->at, r->at + HASH_HEX + 2);
    if (quoted.n != HASH_HEX + 2 || quoted.p[0] != '"' || quoted.p[HASH_HEX + 1] != '"')
        return false;
    r->at += quoted.n;
    return hash_parse(str_slice(quoted, 1, HASH_HEX + 1), out);
}

static bool read_op(Reader *r)
{
    Str name;
    if (!read_text(r, &name))
        return false;
    for (int op = OP_PUT; op <= OP_APPEND; op++)
        if (str_eq(name, op_names[op]))
            r->out.mark.op = (Op)op;
    return r->out.mark.op != 0;
}

static bool is_object(Str text)
{
    size_t end = json_skip(text, 0), begin = 0;
    while (begin < text.n && str_is_space(text.p[begin]))
        begin++;
    while (end < text.n && str_is_space(text.p[end]))
        end++;
    return begin < text.n && text.p[begin] == '{' && end == text.n;
}

static bool read_meta(Reader *r)
{
    if (r->at < r->line.n && r->line.p[r->at] == '"')
        return read_text(r, &r->out.meta) && is_object(r->out.meta);
    size_t end = json_skip(r->line, r->at);
    if (!end || r->line.p[r->at] != '{')
        return false;
    r->out.meta = arena_copy(r->into, str_slice(r->line, r->at, end));
    r->at = end;
    return true;
}

static bool read_true(Reader *r)
{
    if (!str_starts(str_from(r->line, r->at), S("true")))
        return false;
    r->at += 4;
    r->out.mark.redacted = true;
    return true;
}

static bool read_time(Reader *r)
{
    uint64_t at = 0;
    if (!read_u64(r, &at))
        return false;
    r->out.mark.at_ms = (int64_t)at;
    return true;
}

/* Everything before it is what it was when it was written. */
static bool read_sum(Reader *r, size_t key_at)
{
    char sum[SUM_HEX + 2] = "\"";
    assert(key_at > 0);
    sum_of(str_slice(r->line, 0, key_at - 1), sum + 1);
    sum[SUM_HEX + 1] = '"';
    Str there = str_slice(r->line, r->at, r->at + sizeof sum);
    bool shaped = there.n == sizeof sum && there.p[0] == '"' && there.p[SUM_HEX + 1] == '"';
    if (!shaped || (r->want != RECORD_UNSUMMED && !str_eq(there, (Str){ sum, sizeof sum })))
        return false;
    r->at += sizeof sum;
    return true;
}

/* A member of a later version: kept as it stands. */
static bool read_extra(Reader *r, size_t key_at)
{
    size_t end = json_skip(r->line, r->at);
    Str member = str_slice(r->line, key_at, end);
    if (!end || !one_line(member) || record_holds_start(member))
        return false;
    if (r->extra.n)
        buf_add_char(&r->extra, ',');
    buf_add(&r->extra, member);
    r->at = end;
    return true;
}

/* A key as it is written, in the order of writing. */
typedef struct Key {
    Str text;
    unsigned bit;
} Key;

static const Key keys[] = {
    { S_INIT("\"seq\":"), HAS_SEQ },       { S_INIT("\"at\":"), HAS_AT },
    { S_INIT("\"by\":"), HAS_BY },         { S_INIT("\"op\":"), HAS_OP },
    { S_INIT("\"sha256\":"), HAS_SHA256 }, { S_INIT("\"size\":"), HAS_SIZE },
    { S_INIT("\"fence\":"), HAS_FENCE },   { S_INIT("\"id\":"), HAS_ID },
    { S_INIT("\"meta\":"), HAS_META },     { S_INIT("\"redacted\":"), HAS_REDACTED },
    { S_INIT("\"gap\":"), HAS_GAP },       { S_INIT("\"chain\":"), HAS_CHAIN },
    { S_INIT("\"sum\":"), HAS_SUM },       { S_INIT("\"body\":"), HAS_BODY },
    { S_INIT("\"body64\":"), HAS_BODY },
};

/* The key that is next, NULL if it is not known.  Mostly it is among the next few of the table. */
static const Key *find_key(Reader *r)
{
    Str rest = str_from(r->line, r->at);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        size_t which = (r->keys + i) % COUNT_OF(keys);
        if (str_starts(rest, keys[which].text)) {
            r->keys = which + 1;
            return &keys[which];
        }
    }
    return NULL;
}

/* Move past the key that is next and its ':'; *bit is 0 for one that is not known. */
static bool read_key(Reader *r, unsigned *bit)
{
    const Key *known = find_key(r);
    *bit = known ? known->bit : 0;
    if (known) {
        r->at += known->text.n;
        return true;
    }
    size_t end = json_unquote(r->line, r->at, NULL);
    Str key = str_slice(r->line, r->at, end);
    r->at = end + 1;
    return end && end < r->line.n && r->line.p[end] == ':' && str_find(key, '\\') == key.n;
}

static bool read_value(Reader *r, unsigned bit, size_t key_at)
{
    Mark *m = &r->out.mark;
    switch (bit) {
    case HAS_SEQ:
        return read_u64(r, &m->seq);
    case HAS_AT:
        return read_time(r);
    case HAS_BY:
        return read_text(r, &r->out.by);
    case HAS_OP:
        return read_op(r);
    case HAS_SHA256:
        return read_hash(r, &m->sha256);
    case HAS_SIZE:
        return read_u64(r, &m->size);
    case HAS_FENCE:
        return read_u64(r, &m->fence);
    case HAS_ID:
        return read_text(r, &r->out.id);
    case HAS_META:
        return read_meta(r);
    case HAS_REDACTED:
        return read_true(r);
    case HAS_GAP:
        return read_u64(r, &m->gap);
    case HAS_CHAIN:
        return read_hash(r, &m->chain);
    case HAS_SUM:
        return read_sum(r, key_at);
    case HAS_BODY:
        return read_body(r, key_at);
    default:
        return read_extra(r, key_at);
    }
}

/* One member; *done when the record ends there, or the body begins and is not wanted. */
static bool read_member(Reader *r, bool *done)
{
    size_t key_at = r->at;
    unsigned bit;
    if (!read_key(r, &bit))
        return false;
    /* Twice the same key: two readers could believe two different ones. */
    bool again = bit & r->seen;
    bool late = (r->seen & HAS_SUM) && bit != HAS_BODY; /* the sum would not cover it */
    if (again || late)
        return false;
    r->seen |= bit;
    if (bit == HAS_BODY && r->want == RECORD_NO_BODY) {
        *done = true;
        return true;
    }
    if (!read_value(r, bit, key_at) || r->at >= r->line.n)
        return false;
    char next = r->line.p[r->at++];
    *done = next == '}';
    if (*done)
        return r->at == r->line.n;
    return next == ',';
}

/* Everything that can be said about a record without its predecessor. */
static const char *what_is_wrong(const Reader *r)
{
    const Record *out = &r->out;
    const Mark *m = &out->mark;
    unsigned always = HAS_SEQ | HAS_AT | HAS_BY | HAS_OP | HAS_CHAIN | HAS_SUM;
    unsigned value = HAS_SHA256 | HAS_SIZE;
    bool tombstone = m->op == OP_DELETE;
    bool body = r->seen & HAS_BODY;
    if ((r->seen & always) != always || m->seq == 0)
        return "a member is missing";
    if (tombstone ? (r->seen & value) || body || m->redacted : (r->seen & value) != value)
        return "its members do not fit its op";
    if (!tombstone && body == m->redacted)
        return "it must have either a body or the mark 'redacted'";
    if (m->size > STORE_BODY_MAX || out->by.n > STORE_BY_MAX || out->id.n > STORE_ID_MAX ||
        out->meta.n > STORE_META_MAX)
        return "a member is beyond its limit";
    if (!utf8_valid(out->by) || !utf8_valid(out->id) || !utf8_valid(out->meta))
        return "its header is not UTF-8";
    if (body && r->want != RECORD_NO_BODY &&
        (out->body.n != m->size || !hash_eq(hash_of(out->body), m->sha256)))
        return "its body does not have the hash in its header";
    return NULL;
}

jot_status record_read(Str line, RecordWant want, Arena *into, Record *out, Err *e)
{
    assert(into && out);
    if (line.n && line.p[line.n - 1] == '\n')
        line.n--;
    Reader r = { .line = line, .at = 1, .want = want, .into = into };
    r.extra.max = RECORD_LINE_MAX;
    bool good = line.n > 0 && line.p[0] == '{';
    for (bool done = false; good && !done;)
        good = read_member(&r, &done);
    const char *wrong = good ? what_is_wrong(&r) : "it is not a record's line";
    if (!wrong) {
        *out = r.out;
        if (r.extra.n)
            out->extra = arena_copy(into, buf_str(&r.extra));
    }
    buf_free(&r.extra);
    return wrong ? err_set(e, JOT_CORRUPT, "damaged record: %s", wrong) : JOT_OK;
}

uint64_t record_seq(Str line)
{
    uint64_t seq = 0;
    size_t end = str_starts(line, record_start) ? number_at(line, record_start.n, &seq) : 0;
    return end && end < line.n && line.p[end] == ',' ? seq : 0;
}
