/* hash.h - Hash, a SHA-256 digest, and how to make one. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <openssl/sha.h>

#include "base/str.h"

typedef struct Hash {
    uint8_t b[32];
} Hash;

enum { HASH_HEX = 64 };

typedef struct HashHex {
    char text[HASH_HEX + 1];
} HashHex;

/* The digest of one run of bytes. */
Hash hash_of(Str s);

/* The digest of several: init, add ..., end. */
typedef SHA256_CTX HashState;
void hash_init(HashState *h);
void hash_add(HashState *h, Str s);
/* A field whose length is part of what is hashed, so that two fields never run together. */
void hash_add_field(HashState *h, Str s);
void hash_add_u64(HashState *h, uint64_t value);
Hash hash_end(HashState *h);

/* HMAC-SHA256 under a key of 32 bytes: init, hash_add... to `inner`, end. */
typedef struct HashMac {
    HashState inner;
    Hash key;
} HashMac;
void hash_mac_init(HashMac *h, Hash key);
Hash hash_mac_end(HashMac *h);
/* The same of one run of bytes, under a key of any length. */
Hash hash_mac(Str key, Str text);

bool hash_eq(Hash a, Hash b);
bool hash_is_zero(Hash h);

/* 64 lower-case hex digits, and back; hash_parse takes nothing else. */
HashHex hash_hex(Hash h);
MUST_USE bool hash_parse(Str hex, Hash *out);

#endif
