/* segment_post.c - the rows of a key.
 *
 * They are read from the first to the last: there is no way into the middle.
 * Whatever the bits are, no row lies beyond the segment's, and none is read
 * behind the end of the postings. */
#include "memory/search/segment_internal.h"

#include <string.h>

/* The bits that suit the mean gap between `n` of `rows`. */
unsigned seg_gap_bits(uint64_t rows, uint64_t n)
{
    uint64_t mean = n ? rows * 7 / (10 * n) : 0; /* ln 2 of it is best */
    return mean ? 63 - (unsigned)__builtin_clzll(mean) : 0;
}

typedef struct BitReader {
    const uint8_t *p, *end;
    uint64_t bits; /* what is next, from the lowest on */
    unsigned n;    /* how many of them count */
} BitReader;

/* At least 56 bits, if there are so many: a posting has no more. */
static void fill_bits(BitReader *r)
{
    if (r->end - r->p >= 8) {
        uint64_t x;
        memcpy(&x, r->p, sizeof x);
        r->bits |= le64toh(x) << r->n;
        r->p += (63 - r->n) >> 3;
        r->n |= 56;
        return;
    }
    for (; r->n < 56 && r->p < r->end; r->n += 8)
        r->bits |= (uint64_t)*r->p++ << r->n;
}

/* False: there is no whole one left. */
static bool get_post(BitReader *r, unsigned k, uint8_t usual, uint64_t *gap, uint8_t *says)
{
    fill_bits(r);
    unsigned zeros = r->bits ? (unsigned)__builtin_ctzll(r->bits) : ZEROS_MAX + 1, used = zeros + 1;
    if (zeros > ZEROS_MAX)
        return false;
    unsigned rest = zeros == ZEROS_MAX ? GAP_BITS : k;
    *gap = r->bits >> used & ((UINT64_C(1) << rest) - 1);
    *gap |= zeros == ZEROS_MAX ? 0 : (uint64_t)zeros << k;
    used += rest;
    *says = usual;
    if (r->bits >> used++ & 1) {
        *says = r->bits >> used & ((1 << POST_BITS) - 1);
        used += POST_BITS;
    }
    if (used > r->n)
        return false;
    r->bits >>= used;
    r->n -= used;
    return true;
}

/* The bits of a term can be looked at: where they begin.  NULL: they cannot. */
const uint8_t *seg_bits_of(Segment *s, const SegTerm *term)
{
    uint64_t from = term->from / 8, to = (term->to + 7) / 8;
    return seg_need(s, s->off[PART_POSTINGS] + from, to - from)
               ? s->p + s->off[PART_POSTINGS] + from
               : NULL;
}

const uint8_t *seg_sums_of(Segment *s, const SegTerm *term)
{
    uint64_t n = (term->to + 7) / 8 - term->from / 8, head = term->from % 8 != 0;
    const uint8_t *p = seg_bits_of(s, term);
    if (p && (!term->summed || n < head + SUMS_BYTES))
        (void)seg_spoil(s);
    return s->bad || !p ? NULL : p + head;
}

bool seg_sums(Segment *s, const SegTerm *term, SegSums *out)
{
    uint32_t sums[SUMS_BYTES / 4] = { 0 };
    const uint8_t *p = seg_sums_of(s, term);
    if (p)
        memcpy(sums, p, sizeof sums);
    *out = (SegSums){ le32toh(sums[0]), le32toh(sums[1]), le32toh(sums[2]) };
    if (p && (out->sessions == 0 || out->sessions > s->sessions || out->most == 0))
        return seg_spoil(s);
    return p != NULL;
}

/* Stand at the first posting: behind what ends in the same byte, or the sums, and behind the usual
 * bits. */
static bool begin_posts(Segment *s, const SegTerm *term, BitReader *r, uint8_t *usual)
{
    const uint8_t *p = term->summed ? seg_sums_of(s, term) : seg_bits_of(s, term);
    unsigned skip = term->summed ? 0 : term->from % 8;
    if (!p)
        return false;
    p += term->summed ? SUMS_BYTES : 0;
    *r = (BitReader){ .p = p, .end = s->p + s->off[PART_POSTINGS] + (term->to + 7) / 8 };
    fill_bits(r);
    *usual = term->usual ? r->bits >> skip & ((1 << POST_BITS) - 1) : 0;
    skip += term->usual ? POST_BITS : 0;
    if (skip > r->n)
        return false;
    r->bits >>= skip;
    r->n -= skip;
    return true;
}

size_t seg_posts(Segment *s, const SegTerm *term, SegPost *out)
{
    uint64_t row = 0, gap;
    uint32_t n = 0;
    uint8_t says, usual;
    unsigned k = seg_gap_bits(s->rows, term->n);
    BitReader r;
    if (term->dense)
        return seg_dense_posts(s, term, out);
    bool good = begin_posts(s, term, &r, &usual);
    for (; good && n < term->n && get_post(&r, k, usual, &gap, &says); n++) {
        row += gap;
        if (row >= s->rows)
            break;
        out[n] = (SegPost){ (uint32_t)row++, says };
    }
    if (n < term->n)
        s->bad = true;
    return n;
}
