/* story.h - Story, a history made by hand: four workers, two streams, and what they were told.
 *
 * A story is told in the order in which records came; who asked when is said with
 * each line.  The checker must take it, or refuse it for one reason. */
#ifndef CONCURRENCY_STORY_H
#define CONCURRENCY_STORY_H

#include "checker.h"

enum { A = 0, B = 1, C = 2, D = 3, ENTRIES = 64, X = 0, Y = 1 };

typedef struct Story {
    History h;
    Entry entries[4][ENTRIES];
    Found records[2][ENTRIES];
} Story;

/* An empty story; returns `s`. */
Story *begin(Story *s);

/* An operation of worker `w`, between two moments; `to` 0: it was never answered. */
Entry *ask(Story *s, int w, EntryKind kind, uint16_t stream, uint64_t from, uint64_t to);
/* A put that is not yet answered and has left nothing. */
Entry *put(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to);
/* The record that worker w's last entry asks for comes to the end of its stream. */
Found *leave(Story *s, int w);
/* The answer shows record `seq` as it is now. */
void show(Story *s, Entry *e, jot_status status, uint64_t seq);

/* A put that succeeds, a delete that does, a head that was seen, and a value without a seq. */
Entry *made(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to);
Entry *deleted(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to);
Entry *saw(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq);
Entry *saw_value(Story *s, int w, uint16_t stream, uint64_t from, uint64_t to, uint64_t seq);

void assert_accepted(Story *s);
void assert_rejected(Story *s, Rule rule);

#endif
