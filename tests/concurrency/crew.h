/* crew.h - Crew, processes that work on one pad while some of them are killed and stopped.
 *
 * The crew's chief forks the workers, sends the signals, puts a new worker in the place of a
 * killed one, and never opens the pad while workers live.  All that the workers note is in
 * memory shared with the chief, so a kill loses nothing of it. */
#ifndef CONCURRENCY_CREW_H
#define CONCURRENCY_CREW_H

#include "outage.h"

typedef struct CrewPlan {
    const char *url;
    Scene scene;
    size_t workers;
    uint64_t ops; /* to be answered, all together */
    unsigned kills, stops;
    unsigned outages; /* of the server, or on the way to it ... */
    Outage *outage;   /* ... which is this; NULL: there are none */
    uint64_t seed;
    int64_t stuck_ms; /* so long without any answer is a failure */
} CrewPlan;

typedef struct Crew {
    struct Board *board; /* shared memory */
    size_t board_size;
    History history;
    unsigned kills, stops; /* that hit a living worker */
    unsigned outages;
    unsigned mid_append; /* kills that left an append without an answer */
    char fault[600];     /* what went wrong besides what the history shows, or "" */
} Crew;

/* Work until the plan is fulfilled or something is wrong; false if fault is set.  The history
 * has its logs, not yet the streams' records. */
bool crew_run(Crew *c, const CrewPlan *plan);
void crew_done(Crew *c);
DEFINE_AUTO(Crew, crew_done)

#endif
