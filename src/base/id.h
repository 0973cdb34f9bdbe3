/* id.h - names nobody else has chosen. */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/io.h"

typedef struct Id {
    char text[33];
} Id;

/* 2 * `bytes` hex digits from the system's random source; bytes is at most 16. */
Id id_random(const Io *io, size_t bytes);

#endif
