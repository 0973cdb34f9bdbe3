/* fuzz.h - what a fuzz target is, and how it says that a promise is broken.
 *
 * A target is one function that takes any bytes and checks promises about
 * them.  The same object is linked with replay.c, which needs nothing but a
 * compiler, or with libFuzzer (-Dfuzz=true, clang).
 *
 * To add a target: fuzz_<parser>.c, corpus/<parser>/ with a file for each
 * intent, and its name in the list in meson.build. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Words the inputs are made of, for the mutator; ends in NULL. */
extern const char *const fuzz_words[];

/* A promise; breaking it ends the process, as a crash would. */
#define MUST(promise)                                                             \
    do {                                                                          \
        if (!(promise)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #promise); \
            abort();                                                              \
        }                                                                         \
    } while (0)

/* Every refusal has a status and one printable line. */
#define MUST_SAY(err, st)                                               \
    do {                                                                \
        MUST((err).status == (st) && (st) != JOT_OK);                   \
        MUST((err).text[0] && memchr((err).text, 0, sizeof(err).text)); \
        for (const char *c_ = (err).text; *c_; c_++)                    \
            MUST((unsigned char)*c_ >= 0x20 && *c_ != 0x7F);            \
    } while (0)

#endif
