/* hash.c - SHA-256, straight from libcrypto's block functions.
 *
 * The SHA256_* calls are used on purpose instead of EVP: they need no
 * initialisation of OpenSSL, which would cost every start of the program more
 * than all the rest of it. */
#include "base/hash.h"

#include <string.h>

Hash hash_of(Str s)
{
    HashState h;
    hash_init(&h);
    hash_add(&h, s);
    return hash_end(&h);
}

void hash_init(HashState *h)
{
    SHA256_Init(h);
}

void hash_add(HashState *h, Str s)
{
    if (s.n)
        SHA256_Update(h, s.p, s.n);
}

void hash_add_field(HashState *h, Str s)
{
    hash_add_u64(h, s.n);
    hash_add(h, s);
}

void hash_add_u64(HashState *h, uint64_t value)
{
    uint8_t le[8];
    for (size_t i = 0; i < sizeof le; i++)
        le[i] = (uint8_t)(value >> (8 * i));
    SHA256_Update(h, le, sizeof le);
}

Hash hash_end(HashState *h)
{
    Hash out;
    SHA256_Final(out.b, h);
    return out;
}

static Str hash_bytes(const Hash *h)
{
    return (Str){ (const char *)h->b, sizeof h->b };
}

/* RFC 2104: the key, filled up to a block, under one of two pads. */
static void add_key(HashState *h, Str key, uint8_t pad)
{
    uint8_t block[SHA256_CBLOCK];
    memset(block, pad, sizeof block);
    for (size_t i = 0; i < key.n; i++)
        block[i] ^= (uint8_t)key.p[i];
    hash_init(h);
    SHA256_Update(h, block, sizeof block);
}

void hash_mac_init(HashMac *h, Hash key)
{
    h->key = key;
    add_key(&h->inner, hash_bytes(&key), 0x36);
}

Hash hash_mac_end(HashMac *h)
{
    Hash inner = hash_end(&h->inner);
    HashState outer;
    add_key(&outer, hash_bytes(&h->key), 0x5C);
    hash_add(&outer, hash_bytes(&inner));
    return hash_end(&outer);
}

Hash hash_mac(Str key, Str text)
{
    Hash inner, shorter;
    HashState h;
    if (key.n > SHA256_CBLOCK) {
        shorter = hash_of(key);
        key = hash_bytes(&shorter);
    }
    add_key(&h, key, 0x36);
    hash_add(&h, text);
    inner = hash_end(&h);
    add_key(&h, key, 0x5C);
    hash_add(&h, hash_bytes(&inner));
    return hash_end(&h);
}

bool hash_eq(Hash a, Hash b)
{
    return memcmp(a.b, b.b, sizeof a.b) == 0;
}

bool hash_is_zero(Hash h)
{
    return hash_eq(h, (Hash){ 0 });
}

HashHex hash_hex(Hash h)
{
    static const char digits[] = "0123456789abcdef";
    HashHex out;
    for (size_t i = 0; i < sizeof h.b; i++) {
        out.text[2 * i] = digits[h.b[i] >> 4];
        out.text[2 * i + 1] = digits[h.b[i] & 15];
    }
    out.text[HASH_HEX] = 0;
    return out;
}

/* What each digit stands for, and one; 0 for what is none.  Capitals are none. */
static const uint8_t digit_values[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool hash_parse(Str hex, Hash *out)
{
    if (hex.n != HASH_HEX)
        return false;
    Hash h;
    bool good = true;
    for (size_t i = 0; i < sizeof h.b; i++) {
        unsigned high = digit_values[(uint8_t)hex.p[2 * i]];
        unsigned low = digit_values[(uint8_t)hex.p[2 * i + 1]];
        good = good && high && low;
        h.b[i] = (uint8_t)((high - 1) * 16 + (low - 1));
    }
    if (good)
        *out = h;
    return good;
}
