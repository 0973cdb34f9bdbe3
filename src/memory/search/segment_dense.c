/* segment_dense.c - the rows of a word that is nearly everywhere.
 *
 *   before    for each 128 rows: how many before them have a byte of their own
 *   codes     for each row four bits, the even one's the lower; then some zeros
 *   more      those bytes: what a posting says in full
 *
 *   row      0  1  2  3  4          more
 *   codes    2  0  1  8  9   --->   row 3: nine times, in the first line
 *            |  |  |  |  once, as another form than the stem
 *            |  |  |  in full
 *            |  |  once
 *            |  not there
 *            twice
 *
 * A word of half of the rows takes a little less room by its gaps (segment_post.c),
 * one of nearly all rows twice as much.  Sixteen codes are looked at in one step:
 * what adds up words by sessions asks for nothing else. */
#include <string.h>

#include "memory/search/segment_internal.h"

static const uint64_t ones = UINT64_C(0x1111111111111111);

bool seg_dense(Segment *s, const SegTerm *term, SegDense *out)
{
    const uint8_t *p = seg_sums_of(s, term);
    size_t before = DENSE_RANK * dense_blocks(s->rows), codes = dense_codes(s->rows);
    *out = (SegDense){ 0 };
    if (!p)
        return false;
    p += SUMS_BYTES;
    const uint8_t *end = s->p + s->off[PART_POSTINGS] + (term->to + 7) / 8;
    if ((size_t)(end - p) < before + codes)
        return seg_spoil(s);
    *out = (SegDense){ .before = p,
                       .codes = p + before,
                       .more = p + before + codes,
                       .rows = s->rows,
                       .more_n = (uint32_t)((size_t)(end - p) - before - codes) };
    return true;
}

/* Sixteen codes from this row on, its own the lowest; an odd row has fifteen. */
static uint64_t codes_from(const SegDense *d, uint32_t row)
{
    uint64_t x;
    memcpy(&x, d->codes + row / 2, sizeof x);
    return le64toh(x) >> (row % 2 * 4);
}

/* The lowest bit of each code that is DENSE_MORE. */
static uint64_t in_full(uint64_t codes)
{
    uint64_t counted = (codes & 7 * ones) + 7 * ones; /* bit 3: there is a count */
    return codes >> 3 & ones & ~(counted >> 3);
}

/* What is told in full of this row. */
static uint8_t more_at(const SegDense *d, uint32_t row)
{
    uint32_t n, at = row - row % DENSE_BLOCK;
    memcpy(&n, d->before + DENSE_RANK * (size_t)(row / DENSE_BLOCK), DENSE_RANK);
    n = le32toh(n);
    for (; row - at >= 16; at += 16)
        n += (uint32_t)__builtin_popcountll(in_full(codes_from(d, at)));
    uint64_t last = in_full(codes_from(d, at)) & ((UINT64_C(1) << 4 * (row - at)) - 1);
    n += (uint32_t)__builtin_popcountll(last);
    return n < d->more_n ? d->more[n] & ((1 << POST_BITS) - 1) : 0;
}

static uint8_t bits_of(unsigned code)
{
    return (uint8_t)((code & DENSE_COUNT) - 1) | (code & DENSE_OTHER ? POST_OTHER : 0);
}

uint8_t seg_dense_bits(const SegDense *d, uint32_t row)
{
    unsigned code = seg_dense_code(d, row);
    return code == DENSE_MORE ? more_at(d, row) : bits_of(code);
}

/* The largest count among sixteen codes: bit by bit, the highest first, among those that have it.
 */
static uint32_t most_of(uint64_t codes)
{
    uint64_t four = codes >> 2 & ones, two, one;
    uint64_t left = four ? four : ones;
    two = codes >> 1 & left;
    left = two ? two : left;
    one = codes & left;
    return (four ? 4U : 0) + (two ? 2U : 0) + (one ? 1U : 0);
}

static uint32_t sum_of(uint64_t codes)
{
    static const uint64_t low = UINT64_C(0x0F0F0F0F0F0F0F0F), bytes = UINT64_C(0x0101010101010101);
    uint64_t counts = codes & 7 * ones;
    return (uint32_t)(((counts & low) + (counts >> 4 & low)) * bytes >> 56);
}

/* What is told in full, besides. */
static void add_full(const SegDense *d, uint32_t row, uint64_t full, SegDenseSum *sum)
{
    for (; full; full &= full - 1) {
        uint32_t n = 1U + (more_at(d, row + (uint32_t)__builtin_ctzll(full) / 4) & POST_COUNT);
        sum->all += n;
        sum->most = n > sum->most ? n : sum->most;
    }
}

SegDenseSum seg_dense_sum(const SegDense *d, uint32_t from, uint32_t to)
{
    SegDenseSum sum = { 0 };
    while (from < to) {
        uint32_t room = 16 - from % 2, n = to - from < room ? to - from : room;
        uint64_t codes = codes_from(d, from) & UINT64_MAX >> (64 - 4 * n);
        uint32_t most = most_of(codes);
        sum.all += sum_of(codes);
        sum.most = most > sum.most ? most : sum.most;
        add_full(d, from, in_full(codes), &sum);
        from += n;
    }
    return sum;
}

size_t seg_dense_posts(Segment *s, const SegTerm *term, SegPost *out)
{
    SegDense d;
    uint32_t n = 0, more = 0;
    if (!seg_dense(s, term, &d))
        return 0;
    for (uint32_t row = 0; row < d.rows && n < term->n; row++) {
        unsigned code = seg_dense_code(&d, row);
        if (code == 0)
            continue;
        uint8_t bits = bits_of(code);
        if (code == DENSE_MORE)
            bits = more < d.more_n ? d.more[more] & ((1 << POST_BITS) - 1) : 0;
        more += code == DENSE_MORE;
        out[n++] = (SegPost){ row, bits };
    }
    if (n < term->n || more > d.more_n)
        s->bad = true;
    return n;
}
