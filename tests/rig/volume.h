/* volume.h - how much a test tries: all of it, or with JOT_TEST_VOLUME=small a part, for runs in
 * which every step is watched and takes many times as long. */
#ifndef TESTS_RIG_VOLUME_H
#define TESTS_RIG_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static inline bool volume_is(const char *word)
{
    const char *volume = getenv("JOT_TEST_VOLUME");
    return volume && strcmp(volume, word) == 0;
}

static inline bool volume_small(void)
{
    return volume_is("small");
}

/* So many bytes, or a sixteenth of them. */
static inline size_t volume_bytes(size_t n)
{
    return volume_small() ? n / 16 : n;
}

/* So many, or a tenth of them. */
static inline int volume_of(int n)
{
    return volume_small() ? n / 10 : n;
}

#endif
