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

static bool read_hex(Str word, size_t digits, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < word.n; i++) {
        int digit = hex_digit(word.p[i]);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return word.n == digits;
}

/* The next word of the first line; the last one ends with it. */
static Str next_word(Str *line)
{
    Str word = *line;
    if (!str_cut(line, ' ', &word))
        *line = (Str){ 0 };
    return word;
}

static bool read_fixed(Str *line, Mark *m, uint64_t *id_n)
{
    uint64_t nonce, op = 0, redacted = 0;
    bool good = read_hex(next_word(line), ROW_SEQ, &m->seq) &&
                read_hex(next_word(line), ROW_NONCE, &nonce) &&
                hash_parse(next_word(line), &m->chain) && str_to_u64(next_word(line), 3, &op) &&
                str_to_u64(next_word(line), 1, &redacted) && read_hex(next_word(line), 2, id_n);
    m->op = (Op)op;
    m->redacted = redacted;
    return good && op >= OP_PUT && m->seq > 0 && m->seq <= STORE_SEQ_MAX;
}

static bool read_rest(Str *line, Mark *m, uint64_t texts[TEXTS])
{
    uint64_t numbers[NUMBERS];
    bool good = true;
    for (size_t i = 0; i < NUMBERS; i++)
        good = good && str_to_u64(next_word(line), INT64_MAX, &numbers[i]);
    Str sha256 = next_word(line);
    if (m->op != OP_DELETE)
        good = good && hash_parse(sha256, &m->sha256);
    for (size_t i = 0; i < TEXTS; i++)
        good = good && str_to_u64(next_word(line), STORE_EXTRA_MAX, &texts[i]);
    if (!good)
        return false;
    m->at_ms = (int64_t)numbers[0];
    m->fence = numbers[1];
    m->size = numbers[2];
    m->gap = numbers[3];
    return true;
}

static Str take(Str *texts, uint64_t n, Arena *into)
{
    Str one = str_slice(*texts, 0, n);
    *texts = str_from(*texts, n);
    return arena_copy(into, one);
}

bool row_read(Str row, Arena *into, Record *out)
{
    *out = (Record){ 0 };
    Str line;
    uint64_t id_n, n[TEXTS];
    if (!str_cut(&row, '\n', &line) || !read_fixed(&line, &out->mark, &id_n) ||
        !read_rest(&line, &out->mark, n) || row.n != id_n + n[0] + n[1] + n[2])
        return false;
    out->id = take(&row, id_n, into);
    out->by = take(&row, n[0], into);
    out->meta = take(&row, n[1], into);
    out->extra = take(&row, n[2], into);
    return true;
}
