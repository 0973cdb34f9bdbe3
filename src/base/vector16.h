/* vector16.h - Vector16, sixteen bytes looked at in one step.
 *
 * Text is mostly plain: the loops that search it for the few bytes that matter compare sixteen of
 * them at a time.  Comparing two Vector16s (or one and a number) gives 0xFF for each byte where it
 * holds, 0 for the others; that is what `found` is below.  The compiler makes of it what the
 * processor has. */
#ifndef BASE_VECTOR16_H
#define BASE_VECTOR16_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char Vector16 __attribute__((vector_size(16)));

static inline Vector16 vector16_at(const char *p)
{
    Vector16 x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Bit i is set if byte i was found. */
static inline uint64_t vector16_bits(Vector16 found)
{
#ifdef __SSE2__
    typedef char Signed __attribute__((vector_size(16)));
    return (unsigned)__builtin_ia32_pmovmskb128((Signed)found);
#else
    static const uint64_t ones = UINT64_C(0x0101010101010101);
    static const uint64_t to_top = UINT64_C(0x0102040810204080); /* byte i's bit goes to 56 + i */
    uint64_t half[2];
    memcpy(half, &found, sizeof half);
    uint64_t low = (le64toh(half[0]) & ones) * to_top >> 56;
    uint64_t high = (le64toh(half[1]) & ones) * to_top >> 56;
    return low | high << 8;
#endif
}

/* Which byte is the first that was found; 16: none. */
static inline size_t vector16_first(Vector16 found)
{
    return (size_t)__builtin_ctzll(vector16_bits(found) | UINT64_C(1) << 16);
}

#endif
