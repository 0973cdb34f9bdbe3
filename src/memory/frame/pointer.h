/* pointer.h - Pointer, the words by which a reader gets what it is not shown.
 *
 * Where a text is cut, cleared or left out of a context, the place says how to get the rest: to who
 * has a shell as a command, to who has tools as a call, with its parameters,
 *
 *   jotter sink read c1 --bytes 2000
 *   scratchpad_read key=artifacts/tool_results/c1 from_char=2001
 *
 * because a model that reads it turns later has nothing else to go by.  A reader whose tools do not
 * reach something gets the address of the resource, which its host can read. */
#ifndef MEMORY_FRAME_POINTER_H
#define MEMORY_FRAME_POINTER_H

#include "base/arena.h"

/* What a reader has: a shell, or a set of these. */
enum {
    POINT_SHELL = 0,
    POINT_TOOLS = 1,  /* no shell; the resources, at least */
    POINT_NOTES = 2,  /* scratchpad_read, scratchpad_list */
    POINT_RUNS = 4,   /* run_read, run_results, run_usage */
    POINT_CYCLES = 8, /* cycle_status */
    POINT_ALL = 15,
};

/* All of these live in `into`, and stand on one line whatever the names are. */

/* A note, or the notes whose keys begin so; "": all of them. */
Str point_note(unsigned reach, Str key, Arena *into);
Str point_notes(unsigned reach, const char *prefix, Arena *into);
/* What is under way in the pad; empty if nothing gets all of it. */
Str point_work(unsigned reach);
/* A record of a run, its results (`from` 0: "N", for any), its open calls, its use of tools. */
Str point_record(unsigned reach, const char *run, uint64_t seq, Arena *into);
Str point_results(unsigned reach, const char *run, uint64_t from, uint64_t to, Arena *into);
Str point_open(unsigned reach, const char *run, Arena *into);
Str point_usage(unsigned reach, const char *run, Arena *into);
/* The state of an agent's cycles; empty if nothing gets it. */
Str point_state(unsigned reach, Str agent, Arena *into);
/* The result of a call, kept in `stream`, after the part that was `shown`. */
Str point_kept(unsigned reach, Str call, Str stream, Str shown, Arena *into);

/* The same from the character after `shown` on, if the pointer is a call of a tool that can. */
Str point_after(Str pointer, Str shown, Arena *into);

#endif
