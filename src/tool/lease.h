/* lease.h - what a person calls the thing a lease is on. */
#ifndef TOOL_LEASE_H
#define TOOL_LEASE_H

#include "memory/lease.h"

/* A key alone is a note's; whatever has a slash is a stream's name, and a prefix of names if it
 * ends in one.  The name lives in `into`. */
LeaseAsk lease_ask(Str name, bool prefix, Arena *into);

#endif
