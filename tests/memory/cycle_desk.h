/* cycle_desk.h - what the tests of cycles say to a desk: wake, step, sleep, and what is left of it.
 *
 * Every word fails the test if the pad does not do it; results live as long as the
 * desk. */
#ifndef TESTS_MEMORY_CYCLE_DESK_H
#define TESTS_MEMORY_CYCLE_DESK_H

#include "memory/cycle/cycle.h"
#include "memory/desk.h"

#define ME S(CYCLE_DEFAULT_AGENT)
#define SAY_DONE "{\"tool\":\"done\",\"args\":{\"summary\":\"it works\"}}"
#define CALL_ECHO "{\"tool\":\"echo\",\"args\":{\"message\":\"hi\"}}"

/* A state as a person writes one. */
extern const char *const by_hand;

/* A person writes the state of an agent. */
void put_state(Desk *d, Str agent, const char *text);
/* What a stream says now. */
Str text_of(Desk *d, const char *stream);
/* The snapshot of a cycle: `which` is "before" or "after". */
Str snapshot(Desk *d, const Cycle *c, const char *which);

/* Wake, step, tell the result of the tool, sleep, fail: each must be taken. */
Cycle wake_as(Desk *d, Str agent, const CycleWake *o);
Cycle wake(Desk *d);
CycleStep step(Desk *d, Cycle *c, const char *reply);
void result(Desk *d, Cycle *c, const char *text);
Cycle asleep(Desk *d, const Cycle *c);
Cycle crash(Desk *d, const Cycle *c, const char *why, const char *trace);
/* A wake that must end so. */
void refuse_wake(Desk *d, jot_status want);

/* The state in a text, a value of it, and the text of the default agent. */
Yaml *state(Desk *d, Str text);
Str value(Desk *d, Str text, const char *key);
Str active(Desk *d);
/* Does the text hold this? */
bool holds(Str text, const char *part);

#endif
