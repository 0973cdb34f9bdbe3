/* when.h - moments, as people type and read them.
 *
 * One grammar for every option and argument that takes a moment:
 *
 *   now, today, yesterday                 the last two: their first moment, here
 *   monday ... sunday, mon ... sun        the last such day, never today
 *   90s 30m 12h 7d 2w                     so long ago
 *   2026-01-31                            a day, here
 *   2026-01-31T18:45:00Z, ...+01:00       a moment
 *
 * "Here" is the time zone of the machine (TZ). */
#ifndef CLI_WHEN_H
#define CLI_WHEN_H

#include "cli/cmd.h"

/* False: it is none.  `end_of_day`: of a day its last moment, not its first. */
MUST_USE bool when_read(Str text, bool end_of_day, int64_t *out);

/* The value of an option; 0 if it was not given. */
MUST_USE jot_status opt_time(Session *s, const char *name, bool end_of_day, int64_t *out);

/* Say on a terminal which moment a word was taken for: "'monday' is Mon 2026-01-26 00:00:00 CET".
 */
void when_say(const Session *s, const char *text, int64_t at_ms);

typedef struct WhenText {
    char text[96];
} WhenText;

/* A moment for a person at a terminal: "3 min ago", and from a week on the date, here.  Exact, and
 * in UTC, where standard output is no terminal or --utc was given. */
WhenText when_shown(const Session *s, int64_t at_ms);

/* A copy of what a verb answered, in which its `at` is for a person likewise. */
json_t *when_for_person(const Session *s, const json_t *item);

#endif
