/* segment_internal.h - what the files of a segment share; nobody else needs it.
 *
 *   segment.c        opening one, its blocks, and what is known of its rows
 *   segment_key.c    its keys
 *   segment_post.c   their postings
 *   segment_dense.c  those of words that are nearly everywhere
 *   segment_write.c  making one */
#ifndef MEMORY_SEARCH_SEGMENT_INTERNAL_H
#define MEMORY_SEARCH_SEGMENT_INTERNAL_H

#include <endian.h>

#include "memory/search/segment.h"

enum {
    PART_SUMS,
    PART_INDEX,
    PART_KEYS,
    PART_POSTINGS,
    PART_ROWS,
    PART_NORMS,
    PART_SESSIONS,
    PART_AUTHORS,
    PARTS,
};
enum { KEYS_A_BLOCK = 32, INDEX_BYTES = 10, PRINT_BYTES = 6, HEAD_BYTES = 512, VARINT_MAX = 10 };

typedef struct Head {
    char magic[8];
    uint32_t format, order; /* `order` is 0x01020304 on machines that can read it */
    uint64_t bytes;
    uint32_t rows, sessions, keys, streams, first_stream, unused;
    uint64_t off[PARTS], len[PARTS];
    uint64_t least[SEG_FIELDS]; /* of each field of a row the least there is ... */
    uint8_t width[SEG_FIELDS];  /* ... and the bytes that what is above it takes */
    uint64_t sums;              /* checksum of the sums */
    uint64_t self;              /* checksum of all before it */
} Head;

_Static_assert(sizeof(Head) <= HEAD_BYTES, "parts begin after it");

enum { BYTE_ORDER_MARK = 0x01020304 };

/* Where thirty-two keys and their postings begin: in a file each has five bytes. */
typedef struct IndexEntry {
    uint64_t key, posting;
} IndexEntry;

/* What is kept of a row, field by field; its norm and profile are in PART_NORMS. */
enum {
    FIELD_AT,
    FIELD_SEQ,
    FIELD_STREAM,
    FIELD_AUTHOR,
    FIELD_TITLE,
    FIELD_DIGEST,
    FIELD_HEAD,
    FIELD_FLAGS,
};
_Static_assert(FIELD_FLAGS + 1 == SEG_FIELDS, "each has a width");

/* What a segment's head begins with. */
#define SEGMENT_MAGIC "JOTSEG1"

/* Blocks of a segment whose sums lie there. */
static inline size_t blocks_of(size_t end)
{
    return (end - HEAD_BYTES + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK;
}

/* --- Bytes (segment.c) ------------------------------------------------------------------- */

/* Something is not as it must be: nothing read from here counts.  Always false. */
bool seg_spoil(Segment *s);
/* These bytes can be looked at, or all of a part can. */
MUST_USE bool seg_need(Segment *s, uint64_t from, uint64_t n);
MUST_USE bool seg_need_part(Segment *s, unsigned part);
/* Seven bits a byte, the lowest first.  False: there is no number before `end`. */
MUST_USE bool seg_get_varint(const uint8_t **p, const uint8_t *end, uint64_t *out);

/* --- Keys (segment_key.c) ---------------------------------------------------------------- */

enum {
    ENTRY_MAX = SEG_KEY_MAX + 1 + 4 * VARINT_MAX,
    LONG = 15,   /* half a byte that says: a varint with the rest follows */
    SINGLE = 64, /* codes of keys with one row and at most SINGLE / 2 bits of postings */
};

/* Stand before the first key of a block. */
MUST_USE bool seg_go_to_block(SegKeys *k, uint32_t block);

/* --- Postings (segment_post.c) ----------------------------------------------------------- */

/* Postings are bits, the lowest of a byte first.  A gap is so many zeros as it has 2^k, a one, and
 * k bits of the rest (Golomb, Rice): a word of every third row takes three bits, not eight.  Then
 * one bit says whether the posting differs from most, and if so POST_BITS say how. */
enum {
    DENSE_ROWS = 16,   /* a word is nearly everywhere in a segment of so many rows */
    DENSE_SHARE = 2,   /* ... of which each so manieth has it */
    SUMS_POSTS = 1024, /* of a term of so many rows it is kept what is known of all */
    SUMS_BYTES = 12,   /* from a byte of their own on, in front of the postings */
};

static inline bool seg_is_dense(uint64_t rows, uint64_t n)
{
    return rows >= DENSE_ROWS && n >= rows / DENSE_SHARE;
}

static inline bool seg_is_summed(uint64_t rows, uint64_t n)
{
    return n >= SUMS_POSTS || seg_is_dense(rows, n);
}

enum { ZEROS_MAX = 15 /* then a one, and the gap in GAP_BITS */, GAP_BITS = 32, POST_BITS = 7 };

/* The bits that suit the mean gap between `n` of `rows`. */
unsigned seg_gap_bits(uint64_t rows, uint64_t n);
/* The bits of a term can be looked at: where they begin.  NULL: they cannot. */
const uint8_t *seg_bits_of(Segment *s, const SegTerm *term);
/* Where its sums begin, in the first byte that is theirs alone; NULL: there are none. */
const uint8_t *seg_sums_of(Segment *s, const SegTerm *term);

/* --- Words that are nearly everywhere (segment_dense.c) ------------------------------------ */

enum {
    DENSE_SPARE = 16, /* bytes behind the codes: they are read eight at a time */
    DENSE_RANK = 4,   /* bytes of a count before a block */
};

static inline size_t dense_blocks(uint32_t rows)
{
    return ((size_t)rows + DENSE_BLOCK - 1) / DENSE_BLOCK;
}

static inline size_t dense_codes(uint32_t rows)
{
    return ((size_t)rows + 1) / 2 + DENSE_SPARE;
}

/* All of them, as those of other words are given. */
size_t seg_dense_posts(Segment *s, const SegTerm *term, SegPost *out);

#endif
