/* id.c - random names, through Io so that a test can repeat them. */
#include "base/id.h"

#include <assert.h>
#include <stdio.h>

Id id_random(const Io *io, size_t bytes)
{
    unsigned char raw[16];
    assert(bytes <= sizeof raw);
    io_random(io, raw, bytes);
    Id out = { 0 };
    for (size_t i = 0; i < bytes; i++)
        snprintf(out.text + 2 * i, 3, "%02x", raw[i]);
    return out;
}
