/* vocabulary_table.h - what is in vocabulary.bin.  Made by tools/gen-vocabulary; do not edit.
 *
 * From o200k_base.tiktoken, as published, with the sha256
 * 446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d. */
#ifndef MEMORY_FRAME_VOCABULARY_TABLE_H
#define MEMORY_FRAME_VOCABULARY_TABLE_H

#include <stdint.h>

enum {
    VOCABULARY_HEAD_BITS = 14,
    VOCABULARY_SEGMENT = 4096,
    VOCABULARY_SEGMENTS = 55, /* a first place is in one of these; two more follow */
    VOCABULARY_SEED = 1,
    VOCABULARY_BYTES = 299008,
};

#define VOCABULARY_MULTIPLY UINT64_C(0x9E3779B97F4A7C15)
#define VOCABULARY_MULTIPLY_LAST UINT64_C(0xD6E8FEB86659FD93)
#define VOCABULARY_MULTIPLY_HEAD UINT32_C(0x9E3779B1)
#define VOCABULARY_SHA256 "0c33f526b330a48f6a688e5df8e4ff3406c904ba9b618430371b32adc1612189"

#endif
