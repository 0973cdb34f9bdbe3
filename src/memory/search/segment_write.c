/* segment_write.c - making a segment.
 *
 * Keys and postings come in order and are packed as they come; rows, sessions
 * and authors follow, and the head, which says where each part is and what it
 * was sealed with, is written last over the room that was left for it. */
#include "memory/search/segment_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void add_varint(Buf *to, uint64_t x)
{
    char bytes[VARINT_MAX];
    size_t n = 0;
    for (; x >= 0x80; x >>= 7)
        bytes[n++] = (char)(x | 0x80);
    bytes[n++] = (char)x;
    buf_add(to, (Str){ bytes, n });
}

static void add_lengths(Buf *to, size_t shared, size_t own)
{
    size_t high = shared < LONG ? shared : LONG, low = own < LONG ? own : LONG;
    buf_add_char(to, (char)(high << 4 | low));
    if (high == LONG)
        add_varint(to, shared - LONG);
    if (low == LONG)
        add_varint(to, own - LONG);
}

static void add_counts(Buf *to, uint64_t rows, uint64_t bits)
{
    if (rows >> 1 == 1 && bits >= 1 && bits <= SINGLE / 2) {
        add_varint(to, (bits - 1) << 1 | (rows & 1));
        return;
    }
    add_varint(to, rows + SINGLE);
    add_varint(to, bits);
}

/* --- Writing ----------------------------------------------------------------------------- */

static void unlimited(Buf *b)
{
    b->max = SIZE_MAX / 2;
}

static void write_key(SegWriter *w, Str key, const SegTerm *t)
{
    size_t shared = 0;
    assert(key.n <= SEG_KEY_MAX);
    if (w->keys_n % KEYS_A_BLOCK == 0) {
        unlimited(&w->index);
        unlimited(&w->keys);
        IndexEntry e = { htole64(w->keys.n), htole64(t->from) };
        buf_add(&w->index, (Str){ (const char *)&e.key, INDEX_BYTES / 2 });
        buf_add(&w->index, (Str){ (const char *)&e.posting, INDEX_BYTES / 2 });
    } else {
        while (shared < key.n && shared < w->last_n && key.p[shared] == w->last[shared])
            shared++;
    }
    add_lengths(&w->keys, shared, key.n - shared);
    buf_add(&w->keys, str_from(key, shared));
    add_counts(&w->keys, (uint64_t)t->n << 1 | t->usual, t->to - t->from);
    memcpy(w->last, key.p, key.n);
    w->last_n = key.n;
    w->keys_n++;
}

/* What most postings say: a word has one form nearly everywhere, and then it is told once. */
static uint8_t usual_bits(const SegPost *posts, size_t n)
{
    size_t alike = 1;
    while (alike < n && posts[alike].bits == posts[0].bits)
        alike++;
    if (n && alike == n)
        return posts[0].bits; /* most words are in one row, or the same in all of them */
    uint32_t count[256] = { 0 };
    uint8_t usual = 0;
    for (size_t i = 0; i < n; i++)
        count[posts[i].bits]++;
    for (unsigned i = 1; i < COUNT_OF(count); i++)
        if (count[i] > count[usual])
            usual = (uint8_t)i;
    return usual;
}

/* The lowest bytes of what is put together; they are whole. */
static void put_bytes(SegWriter *w, unsigned n)
{
    uint64_t low = htole64(w->bits);
    assert(8 * n <= w->bits_n);
    buf_add(&w->postings, (Str){ (const char *)&low, n });
    w->bits_n -= 8 * n;
    w->bits = n < sizeof low ? w->bits >> 8 * n : 0;
}

/* At most 32 bits, behind those of the postings before. */
static void put_bits(SegWriter *w, uint64_t x, unsigned n)
{
    assert(n <= 32 && w->bits_n < 32 && x >> n == 0);
    w->bits |= x << w->bits_n;
    w->bits_n += n;
    if (w->bits_n >= 32)
        put_bytes(w, 4);
}

static uint64_t bits_written(const SegWriter *w)
{
    return 8 * (uint64_t)w->postings.n + w->bits_n;
}

static void end_byte(SegWriter *w)
{
    w->bits_n = (w->bits_n + 7) & ~7U;
    put_bytes(w, w->bits_n / 8);
}

static void put_gap(SegWriter *w, uint32_t gap, unsigned k)
{
    uint32_t zeros = gap >> k;
    if (zeros >= ZEROS_MAX) {
        put_bits(w, UINT64_C(1) << ZEROS_MAX, ZEROS_MAX + 1);
        put_bits(w, gap, GAP_BITS);
        return;
    }
    put_bits(w, UINT64_C(1) << zeros, zeros + 1);
    put_bits(w, gap & ((UINT64_C(1) << k) - 1), k);
}

/* Four bits if they can say all that the posting does, else DENSE_MORE. */
static uint8_t code_of(uint8_t bits)
{
    unsigned count = 1U + (bits & POST_COUNT);
    if (count > DENSE_COUNT || (bits & ~(POST_COUNT | POST_OTHER)))
        return DENSE_MORE;
    return (uint8_t)(count | (bits & POST_OTHER ? DENSE_OTHER : 0));
}

static void write_sums(SegWriter *w, const SegPost *posts, size_t n)
{
    uint32_t count = 0, sums[SUMS_BYTES / 4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && w->session_of[posts[i].row] == w->session_of[posts[i - 1].row];
        uint32_t here = 1U + (posts[i].bits & POST_COUNT);
        count = (same ? count : 0) + here;
        sums[0] += !same;
        sums[1] = here > sums[1] ? here : sums[1];
        sums[2] = count > sums[2] ? count : sums[2];
    }
    end_byte(w);
    for (size_t i = 0; i < COUNT_OF(sums); i++)
        sums[i] = htole32(sums[i]);
    buf_add(&w->postings, (Str){ (const char *)sums, sizeof sums });
}

static void write_dense(SegWriter *w, const SegPost *posts, size_t n)
{
    size_t ranks = DENSE_RANK * dense_blocks(w->rows), codes_n = dense_codes(w->rows), more_n = 0;
    uint8_t *all = mem_alloc(ranks + codes_n + n), /* zeros */
        *codes = all + ranks, *more = codes + codes_n;
    for (size_t i = 0, at = 0; at < ranks; at += DENSE_RANK) {
        uint32_t before = htole32((uint32_t)more_n);
        memcpy(all + at, &before, DENSE_RANK);
        for (; i < n && posts[i].row / DENSE_BLOCK <= at / DENSE_RANK; i++) {
            uint8_t code = code_of(posts[i].bits);
            codes[posts[i].row / 2] |= (uint8_t)(code << (posts[i].row % 2 * 4));
            if (code == DENSE_MORE)
                more[more_n++] = posts[i].bits;
        }
    }
    buf_add(&w->postings, (Str){ (const char *)all, ranks + codes_n + more_n });
    free(all);
}

/* Gap after gap; true if they begin with what most of them say. */
static bool write_posts(SegWriter *w, const SegPost *posts, size_t n)
{
    uint32_t next = 0;
    uint8_t usual = usual_bits(posts, n);
    unsigned k = seg_gap_bits(w->rows, n);
    if (usual)
        put_bits(w, usual, POST_BITS);
    for (size_t i = 0; i < n; i++) {
        bool other = posts[i].bits != usual;
        assert(posts[i].row < w->rows && posts[i].bits < 1 << POST_BITS);
        put_gap(w, posts[i].row - next, k);
        put_bits(w, other, 1);
        if (other)
            put_bits(w, posts[i].bits, POST_BITS);
        next = posts[i].row + 1;
    }
    return usual != 0;
}

void seg_write_term(SegWriter *w, Str key, const SegPost *posts, size_t n)
{
    unlimited(&w->postings);
    SegTerm term = { .n = (uint32_t)n, .from = bits_written(w) };
    if (seg_is_summed(w->rows, n))
        write_sums(w, posts, n);
    if (seg_is_dense(w->rows, n))
        write_dense(w, posts, n);
    else
        term.usual = write_posts(w, posts, n);
    term.to = bits_written(w);
    write_key(w, key, &term);
}

void seg_write_stream(SegWriter *w, Str name, const SegStream *known)
{
    char key[SEG_KEY_MAX];
    assert(name.n < SEG_KEY_MAX);
    unlimited(&w->postings);
    uint64_t from = bits_written(w), print = htole64(known->print);
    end_byte(w);
    add_varint(&w->postings, known->redacted << 1 | known->gone);
    add_varint(&w->postings, known->seq);
    add_varint(&w->postings, known->first);
    buf_add(&w->postings, (Str){ (const char *)&print, PRINT_BYTES });
    key[0] = KEY_STREAM;
    memcpy(key + 1, name.p, name.n);
    if (w->streams++ == 0)
        w->first_stream = w->keys_n;
    write_key(w, (Str){ key, name.n + 1 },
              &(SegTerm){ .n = known->n, .from = from, .to = bits_written(w) });
}

/* The author whose name is put there. */
static Str author_at(const SegWriter *w, uint32_t at)
{
    const uint8_t *p = (const uint8_t *)w->authors.p + at;
    const uint8_t *end = (const uint8_t *)w->authors.p + w->authors.n;
    uint64_t n = 0;
    bool good = seg_get_varint(&p, end, &n);
    assert(good);
    return (Str){ (const char *)p, n };
}

/* The slot of a name: the one that has it, or the free one where it belongs. */
static uint32_t *author_slot(const SegWriter *w, Str name)
{
    assert(w->author_cap && (w->author_cap & (w->author_cap - 1)) == 0 &&
           w->authors_n < w->author_cap);
    uint32_t mask = w->author_cap - 1, i = (uint32_t)seg_hash(name) & mask;
    while (w->author_slots[i] && !str_eq(author_at(w, w->author_slots[i] - 1), name))
        i = (i + 1) & mask;
    return &w->author_slots[i];
}

static void grow_author_slots(SegWriter *w)
{
    uint32_t *old = w->author_slots, cap = w->author_cap;
    w->author_cap = cap ? 2 * cap : 16;
    w->author_slots = mem_alloc(w->author_cap * sizeof *w->author_slots);
    for (uint32_t i = 0; i < cap; i++)
        if (old[i])
            *author_slot(w, author_at(w, old[i] - 1)) = old[i];
    free(old);
}

uint32_t seg_write_author(SegWriter *w, Str name)
{
    unlimited(&w->authors);
    if (2 * (w->authors_n + 1) > w->author_cap)
        grow_author_slots(w);
    uint32_t *slot = author_slot(w, name);
    if (*slot)
        return *slot - 1;
    *slot = (uint32_t)w->authors.n + 1;
    w->authors_n++;
    add_varint(&w->authors, name.n);
    buf_add(&w->authors, name);
    return *slot - 1;
}

static void pad_to_eight(Buf *b)
{
    while (b->n % 8)
        buf_add_char(b, 0);
}

static void begin_part(Buf *out, Head *h, unsigned part)
{
    pad_to_eight(out);
    h->off[part] = out->n;
}

static void end_part(const Buf *out, Head *h, unsigned part)
{
    h->len[part] = out->n - h->off[part];
}

static void add_part(Buf *out, Head *h, unsigned part, const Buf *from)
{
    begin_part(out, h, part);
    buf_add(out, buf_str(from));
    end_part(out, h, part);
}

/* The fields of a row, in their order. */
static void fields_of(const SegRow *r, uint64_t *to)
{
    to[FIELD_AT] = r->at_ms > 0 ? (uint64_t)r->at_ms : 0;
    to[FIELD_SEQ] = r->seq;
    to[FIELD_STREAM] = r->stream;
    to[FIELD_AUTHOR] = r->author;
    to[FIELD_TITLE] = r->title;
    to[FIELD_DIGEST] = r->digest;
    to[FIELD_HEAD] = r->head;
    to[FIELD_FLAGS] = r->flags;
}

static void measure_fields(Head *h, const SegRow *rows, uint32_t n)
{
    uint64_t most[SEG_FIELDS] = { 0 }, fields[SEG_FIELDS];
    for (uint32_t i = 0; i < n; i++) {
        fields_of(&rows[i], fields);
        for (unsigned f = 0; f < SEG_FIELDS; f++) {
            h->least[f] = i == 0 || fields[f] < h->least[f] ? fields[f] : h->least[f];
            most[f] = fields[f] > most[f] ? fields[f] : most[f];
        }
    }
    for (unsigned f = 0; f < SEG_FIELDS; f++)
        for (uint64_t above = most[f] - h->least[f]; above; above >>= 8)
            h->width[f]++;
}

static void add_rows(Buf *out, Head *h, const SegRow *rows, uint32_t n)
{
    measure_fields(h, rows, n);
    begin_part(out, h, PART_ROWS);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t fields[SEG_FIELDS];
        fields_of(&rows[i], fields);
        for (unsigned f = 0; f < SEG_FIELDS; f++) {
            uint64_t above = htole64(fields[f] - h->least[f]);
            buf_add(out, (Str){ (const char *)&above, h->width[f] });
        }
    }
    end_part(out, h, PART_ROWS);
    begin_part(out, h, PART_NORMS);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t norm = (uint16_t)(norm_of(rows[i].len) | rows[i].profile << 8);
        buf_add(out, (Str){ (const char *)&norm, sizeof norm });
    }
    end_part(out, h, PART_NORMS);
}

static bool begins_session(const SegRow *rows, uint32_t i)
{
    return i == 0 ||
           !seg_same_session(&rows[i - 1], &rows[i], rows[i - 1].stream == rows[i].stream);
}

static void add_sessions(Buf *out, Head *h, const SegRow *rows, uint32_t n)
{
    begin_part(out, h, PART_SESSIONS);
    SegSession f = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (begins_session(rows, i))
            f = (SegSession){ .first = i };
        f.len += norm_len(norm_of(rows[i].len));
        if (i + 1 == n || begins_session(rows, i + 1))
            buf_add(out, (Str){ (const char *)&f, sizeof f });
    }
    end_part(out, h, PART_SESSIONS);
    h->sessions = (uint32_t)(h->len[PART_SESSIONS] / sizeof f);
}

void seg_seal(Buf *bytes)
{
    Head h;
    if (bytes->n < HEAD_BYTES)
        return;
    memcpy(&h, bytes->p, sizeof h);
    size_t end = h.off[PART_SUMS], blocks = blocks_of(end);
    if (end < HEAD_BYTES || end > bytes->n || blocks * 8 > bytes->n - end)
        return;
    for (size_t b = 0; b < blocks; b++) {
        size_t from = HEAD_BYTES + b * SEGMENT_BLOCK;
        size_t n = end - from < SEGMENT_BLOCK ? end - from : SEGMENT_BLOCK;
        uint64_t sum = seg_hash((Str){ bytes->p + from, n });
        memcpy(bytes->p + end + b * sizeof sum, &sum, sizeof sum);
    }
    h.sums = seg_hash((Str){ bytes->p + end, blocks * 8 });
    h.self = seg_hash((Str){ (const char *)&h, offsetof(Head, self) });
    memcpy(bytes->p, &h, sizeof h);
}

void seg_write_end(SegWriter *w, const SegRow *rows, uint32_t n, Buf *out)
{
    static const char empty[HEAD_BYTES] = { 0 };
    assert(n == w->rows);
    Head h = { .format = SEGMENT_FORMAT,
               .order = BYTE_ORDER_MARK,
               .rows = n,
               .keys = w->keys_n,
               .streams = w->streams,
               .first_stream = w->first_stream };
    memcpy(h.magic, SEGMENT_MAGIC, sizeof h.magic);
    unlimited(out);
    buf_clear(out);
    buf_add(out, (Str){ empty, sizeof empty });
    end_byte(w);
    add_part(out, &h, PART_INDEX, &w->index);
    add_part(out, &h, PART_KEYS, &w->keys);
    add_part(out, &h, PART_POSTINGS, &w->postings);
    add_rows(out, &h, rows, n);
    add_sessions(out, &h, rows, n);
    add_part(out, &h, PART_AUTHORS, &w->authors);
    begin_part(out, &h, PART_SUMS);
    for (size_t b = blocks_of(out->n); b > 0; b--)
        buf_add(out, (Str){ empty, sizeof(uint64_t) });
    end_part(out, &h, PART_SUMS);
    h.bytes = out->n;
    memcpy(out->p, &h, sizeof h);
    seg_seal(out);
}

void seg_writer_free(SegWriter *w)
{
    buf_free(&w->index);
    buf_free(&w->keys);
    buf_free(&w->postings);
    buf_free(&w->authors);
    free(w->author_slots);
    w->author_slots = NULL;
    w->authors_n = w->author_cap = 0;
}
