/* scale.h - whole numbers in which a search reckons.
 *
 * The same rows and the same query must give the same scores whatever process
 * or processor asks, so nothing here is floating point: two libraries need not
 * agree on the last bit of a logarithm, and sums of rounded parts depend on
 * their order.  ONE stands for 1. */
#ifndef MEMORY_SEARCH_SCALE_H
#define MEMORY_SEARCH_SCALE_H

#include <stdint.h>

enum { ONE = 1 << 16 };

/* log2 of a number of at least 1, in sixteenths of 1/4096: bit by bit, by squaring. */
static inline uint32_t scale_log2(uint64_t x)
{
    uint32_t whole = 63 - (uint32_t)__builtin_clzll(x | 1);
    uint64_t y = whole > 31 ? x >> (whole - 31) : x << (31 - whole); /* [2^31, 2^32) */
    uint32_t out = whole << 16;
    for (uint32_t bit = 1 << 15; bit; bit >>= 1) {
        y = y * y >> 31;
        if (y >> 32) {
            y >>= 1;
            out |= bit;
        }
    }
    return out;
}

/* ln(a / b), both at least 1 and a >= b. */
static inline uint32_t scale_ln_ratio(uint64_t a, uint64_t b)
{
    uint64_t bits = scale_log2(a) - scale_log2(b);
    return (uint32_t)(bits * 45426 >> 16); /* ln 2 */
}

/* The root of a whole number, rounded down. */
static inline uint32_t scale_root(uint64_t x)
{
    uint64_t r = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= x)
            r |= bit;
    return (uint32_t)r;
}

#endif
