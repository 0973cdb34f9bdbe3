/* run.h - the run a call is about, for the files of jotter.h that need one.
 *
 * The pad keeps the run that was used last, so that a call costs what was added
 * since the one before, and no more. */
#ifndef API_RUN_H
#define API_RUN_H

#include "api/api.h"
#include "memory/run/run.h"

/* The run of an id, with all that was added to it since; borrowed from the pad, until the next of
 * these calls.  JOT_INVALID for NULL, JOT_NOT_FOUND. */
MUST_USE jot_status api_run(jot_pad *p, const char *id, Run **out);

#endif
