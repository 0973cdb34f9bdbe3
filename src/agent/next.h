/* next.h - the request that a run would send next, for who looks at it.
 *
 * It is made by what makes the real one (messages.h, llm_request_text) from the same records, so it
 * is that, byte for byte.  What the records do not hold is where the model is: where $JOTTER_MODEL
 * names the model of the run, its address is taken, as `jotter run --resume` would; else the
 * request is written as its vendor, or the one that is asked for, wants it.  No key is looked for,
 * and nothing is sent. */
#ifndef AGENT_NEXT_H
#define AGENT_NEXT_H

#include "tool/verb.h"

/* `next`, of the noun `runs`: for a server that has the agent beside it. */
extern const Verb verb_run_next;

#endif
