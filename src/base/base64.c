/* base64.c - bytes as text, over libcrypto's block functions. */
#include "base/base64.h"

#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>
#include <string.h>

size_t base64_size(size_t n)
{
    return (n + 2) / 3 * 4;
}

void base64_write(Buf *to, Str bytes)
{
    if (bytes.n == 0)
        return;
    assert(bytes.n <= INT_MAX / 2);
    char *room = buf_room(to, base64_size(bytes.n));
    if (!room)
        return;
    /* EVP_EncodeBlock adds a NUL after the text; the last letters, made apart, cover it. */
    const unsigned char *from = (const unsigned char *)bytes.p;
    size_t front = (bytes.n - 1) / 3 * 3;
    unsigned char last[5];
    EVP_EncodeBlock((unsigned char *)room, from, (int)front);
    EVP_EncodeBlock(last, from + front, (int)(bytes.n - front));
    memcpy(room + front / 3 * 4, last, 4);
    buf_grew(to, base64_size(bytes.n));
}

static bool in_alphabet(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
}

/* The value of an alphabet letter, needed only to see that the bits cut off are zero. */
static unsigned value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0') + 52;
    return c == '+' ? 62 : 63;
}

bool base64_read(Str text, Arena *into, Str *out)
{
    if (text.n % 4 != 0 || text.n > INT_MAX)
        return false;
    if (text.n == 0) {
        *out = (Str){ 0 };
        return true;
    }
    size_t padding = text.p[text.n - 1] != '=' ? 0 : text.p[text.n - 2] != '=' ? 1 : 2;
    size_t letters = text.n - padding;
    for (size_t i = 0; i < letters; i++)
        if (!in_alphabet(text.p[i]))
            return false;
    unsigned last = value_of(text.p[letters - 1]);
    if ((padding == 1 && (last & 3)) || (padding == 2 && (last & 15)))
        return false;
    unsigned char *room = arena_alloc(into, text.n / 4 * 3 + 1, 1);
    if (EVP_DecodeBlock(room, (const unsigned char *)text.p, (int)text.n) < 0)
        return false;
    *out = (Str){ (const char *)room, text.n / 4 * 3 - padding };
    return true;
}
