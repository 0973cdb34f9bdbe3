/* vocabulary.c - asking the filter.
 *
 * The table is data of the program: not relocated, not copied, and not read before it is asked.
 * vocabulary_table.h says what is in it, and changes when it does, so that this file is compiled
 * again. */
#include "memory/frame/vocabulary.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "memory/frame/vocabulary_table.h"

__asm__(".pushsection .rodata, \"a\"\n"
        ".balign 64\n"
        ".hidden vocabulary_table\n"
        ".globl vocabulary_table\n"
        "vocabulary_table:\n"
        ".incbin \"memory/frame/vocabulary.bin\"\n"
        ".popsection\n");

typedef struct Table {
    uint32_t heads[1 << VOCABULARY_HEAD_BITS]; /* little-endian */
    uint8_t prints[(VOCABULARY_SEGMENTS + 2) * VOCABULARY_SEGMENT];
} Table;
static_assert(sizeof(Table) == VOCABULARY_BYTES, "the table is another one");
extern const Table vocabulary_table;

enum {
    HEAD = 3,        /* bytes of a token that choose its mask of lengths */
    LENGTH_MAX = 31, /* of a token that the filter knows */
    RUN_MIN = 32,    /* the longer ones are all runs of one character */
    WORD = 8,
};

/* The n bytes at p, at most eight, as a number. */
static inline uint64_t word_at(const char *p, size_t n)
{
    uint64_t word;
    memcpy(&word, p, WORD);
    word = le64toh(word);
    return word & UINT64_MAX >> (WORD - n) * 8;
}

static inline uint64_t stir(uint64_t h, uint64_t word)
{
    h = (h ^ word) * VOCABULARY_MULTIPLY;
    return h ^ h >> 32;
}

static inline uint64_t hash(const char *p, size_t n)
{
    uint64_t h = n * VOCABULARY_MULTIPLY_LAST + VOCABULARY_SEED;
    for (; n > WORD; n -= WORD, p += WORD)
        h = stir(h, word_at(p, WORD));
    h = stir(h, word_at(p, n)) * VOCABULARY_MULTIPLY_LAST;
    return h ^ h >> 32;
}

/* True of every token of n bytes, and of one in 256 others. */
static inline bool known(const char *p, size_t n)
{
    const uint8_t *prints = vocabulary_table.prints;
    uint64_t h = hash(p, n);
    size_t first = (size_t)((h >> 32) * ((uint64_t)VOCABULARY_SEGMENTS * VOCABULARY_SEGMENT) >> 32);
    size_t next = (first / VOCABULARY_SEGMENT + 1) * VOCABULARY_SEGMENT;
    size_t second = next + (h >> 20 & (VOCABULARY_SEGMENT - 1));
    size_t third = next + VOCABULARY_SEGMENT + (h >> 8 & (VOCABULARY_SEGMENT - 1));
    return (prints[first] ^ prints[second] ^ prints[third]) == (uint8_t)h;
}

/* How often the first byte is repeated, up to the length of the longest token. */
static size_t run(const char *p, size_t n)
{
    size_t same = 1;
    while (same < n && same < VOCABULARY_TOKEN_MAX && p[same] == p[0])
        same++;
    return same;
}

/* The same where as many bytes can be read as a token may have. */
static inline size_t token(const char *p, size_t n)
{
    uint32_t lengths = 1u << 1; /* those of two bytes have no head */
    if (n >= HEAD) {
        uint32_t head = (uint32_t)word_at(p, HEAD) * VOCABULARY_MULTIPLY_HEAD;
        lengths |= le32toh(vocabulary_table.heads[head >> (32 - VOCABULARY_HEAD_BITS)]);
    }
    if (n >= RUN_MIN && lengths >> LENGTH_MAX) {
        size_t same = run(p, n);
        if (same >= RUN_MIN)
            return same;
    }
    lengths &= (UINT32_C(1) << (n < LENGTH_MAX ? n : LENGTH_MAX)) - 1;
    while (lengths) {
        size_t longest = 32 - (size_t)__builtin_clz(lengths);
        if (known(p, longest))
            return longest;
        lengths &= ~(1u << (longest - 1));
    }
    return 1;
}

size_t vocabulary_token(Str text, size_t at, size_t end)
{
    assert(at < end && end <= text.n);
    size_t n = end - at;
    if (n == 1)
        return 1;
    if (text.n - at >= RUN_MIN)
        return token(text.p + at, n);
    char copy[RUN_MIN] = { 0 };
    memcpy(copy, text.p + at, n);
    return token(copy, n);
}
