/* row.c - headers of records, as text.
 *
 *   SEQ NONCE CHAIN OP REDACTED ID AT FENCE SIZE GAP SHA256 BY META EXTRA\n
 *
 * and then the id, the author, meta and extra, whose lengths are given above.
 * Everything up to ID has a fixed width, because the scripts of the server look
 * there; seq comes first, so that rows in byte order are records in order. */
#include "store/row.h"

#include <assert.h>
#include <stdio.h>

enum { NUMBERS = 4, TEXTS = 3, ID_DIGITS = 2 };

RowSeq row_seq(uint64_t seq)
{
    RowSeq out = { "" };
    for (size_t i = ROW_SEQ; i-- > 0; seq >>= 4)
        out.text[i] = "0123456789abcdef"[seq & 15];
    return out;
}

static void write_number(Buf *to, uint64_t n)
{
    buf_add_char(to, ' ');
    buf_add_u64(to, n);
}

void row_write(Buf *to, const Record *r, uint64_t nonce)
{
    const Mark *m = &r->mark;
    assert(m->seq > 0 && m->seq <= STORE_SEQ_MAX && r->id.n <= STORE_ID_MAX);
    buf_add_hex(to, m->seq, ROW_SEQ);
    buf_add_char(to, ' ');
    buf_add_hex(to, nonce, ROW_NONCE);
    buf_add_char(to, ' ');
    buf_add(to, (Str){ hash_hex(m->chain).text, HASH_HEX });
    write_number(to, m->op);
    write_number(to, m->redacted);
    buf_add_char(to, ' ');
    buf_add_hex(to, r->id.n, ID_DIGITS);
    buf_add(to, m->at_ms < 0 ? S(" -") : S(" "));
    buf_add_u64(to, m->at_ms < 0 ? 0 - (uint64_t)m->at_ms : (uint64_t)m->at_ms);
    write_number(to, m->fence);
    write_number(to, m->size);
    write_number(to, m->gap);
    buf_add_char(to, ' ');
    buf_add(to, m->op == OP_DELETE ? S("-") : (Str){ hash_hex(m->sha256).text, HASH_HEX });
    write_number(to, r->by.n);
    write_number(to, r->meta.n);
    write_number(to, r->extra.n);
    buf_add_char(to, '\n');
    buf_add(to, r->id);
    buf_add(to, r->by);
    buf_add(to, r->meta);
    buf_add(to, r->extra);
}

/* What is left of a row's first line. */
typedef struct Line {
    const char *at, *end;
    bool good; /* so far */
} Line;

static bool is_word_end(const Line *l)
{
    return l->at == l->end || *l->at == ' ';
}

/* Skip the space after a word. */
static void end_word(Line *l)
{
    l->good = l->good && is_word_end(l);
    if (l->at < l->end)
        l->at++;
}

static uint64_t next_hex(Line *l, size_t digits)
{
    uint64_t n = 0;
    l->good = l->good && (size_t)(l->end - l->at) >= digits;
    for (size_t i = 0; l->good && i < digits; i++) {
        int digit = hex_digit(*l->at++);
        l->good = digit >= 0;
        n = n << 4 | ((uint64_t)digit & 15);
    }
    end_word(l);
    return n;
}

static Hash next_hash(Line *l)
{
    Hash out = { 0 };
    l->good = l->good && l->end - l->at >= HASH_HEX && hash_parse((Str){ l->at, HASH_HEX }, &out);
    if (l->good)
        l->at += HASH_HEX;
    end_word(l);
    return out;
}

/* A number of up to 18 digits, which no multiplication makes too large; those that have 19 go the
 * long way. */
static uint64_t next_number(Line *l, uint64_t max)
{
    enum { SHORT = 18 };
    const char *from = l->at;
    uint64_t n = 0;
    while (!is_word_end(l))
        l->at++;
    Str word = { from, (size_t)(l->at - from) };
    bool plain = word.n > 0 && word.n <= SHORT && (word.n == 1 || *from != '0');
    for (size_t i = 0; i < word.n && plain; i++) {
        plain = word.p[i] >= '0' && word.p[i] <= '9';
        n = n * 10 + (uint64_t)(word.p[i] - '0');
    }
    l->good = l->good && (plain ? n <= max : str_to_u64(word, max, &n));
    end_word(l);
    return n;
}

static void read_fixed(Line *l, Mark *m, uint64_t *id_n)
{
    m->seq = next_hex(l, ROW_SEQ);
    (void)next_hex(l, ROW_NONCE);
    m->chain = next_hash(l);
    m->op = (Op)next_number(l, OP_APPEND);
    m->redacted = next_number(l, 1);
    *id_n = next_hex(l, ID_DIGITS);
    l->good = l->good && m->op >= OP_PUT && m->seq > 0 && m->seq <= STORE_SEQ_MAX;
}

static void read_rest(Line *l, Mark *m, uint64_t texts[TEXTS])
{
    uint64_t numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = next_number(l, INT64_MAX);
    if (m->op != OP_DELETE) {
        m->sha256 = next_hash(l);
    } else { /* it says '-' */
        while (!is_word_end(l))
            l->at++;
        end_word(l);
    }
    for (size_t i = 0; i < TEXTS; i++)
        texts[i] = next_number(l, STORE_EXTRA_MAX);
    m->at_ms = (int64_t)numbers[0];
    m->fence = numbers[1];
    m->size = numbers[2];
    m->gap = numbers[3];
}

static Str take(Str *texts, uint64_t n, Arena *into)
{
    Str one = str_slice(*texts, 0, n);
    *texts = str_from(*texts, n);
    return n ? arena_copy(into, one) : S("");
}

bool row_read(Str row, Arena *into, Record *out)
{
    *out = (Record){ 0 };
    Str line;
    uint64_t id_n = 0, n[TEXTS] = { 0 };
    if (!str_cut(&row, '\n', &line))
        return false;
    Line l = { line.p, line.p + line.n, true };
    Record r = { 0 };
    read_fixed(&l, &r.mark, &id_n);
    read_rest(&l, &r.mark, n);
    if (!l.good || row.n != id_n + n[0] + n[1] + n[2])
        return false;
    *out = r;
    out->id = take(&row, id_n, into);
    out->by = take(&row, n[0], into);
    out->meta = take(&row, n[1], into);
    out->extra = take(&row, n[2], into);
    return true;
}
