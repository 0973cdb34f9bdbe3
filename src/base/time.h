/* time.h - moments as text: UTC, milliseconds since 1970; and how long something takes. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

#include "base/str.h"

typedef struct TimeText {
    char text[96]; /* more than any year needs, so that the compiler can see it */
} TimeText;

/* 2026-01-31T18:45:00.123Z */
TimeText time_text(int64_t ms);

/* The same back, for years of four digits; the milliseconds may be missing, a zone other than Z
 * is refused. */
MUST_USE bool time_parse(Str text, int64_t *ms);

/* A moment as other programs write one: a date and a time with 'T' or a space between them, any
 * fraction, a zone as Z, +01:00, +0100 or +01 (none: UTC); or seconds since 1970, perhaps with a
 * fraction. */
MUST_USE bool time_parse_any(Str text, int64_t *ms);

/* Milliseconds of a clock that never jumps, to measure how long something takes.  What a test may
 * want to hold still asks io_awake_ms instead. */
int64_t time_steady_ms(void);

/* 20260131-184500, for names people sort by eye. */
TimeText time_stamp(int64_t ms);

#endif
