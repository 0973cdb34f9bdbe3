/* live.h - Live, what a person sees of an agent at work.
 *
 * On a terminal the model's words are shown as they come, with a line for each
 * call and a gauge of the context.  Elsewhere standard output gets the answer and
 * nothing else, and standard error the lines, unless `quiet`.
 *
 * For programs there are events instead of lines: JSON, one a line, on standard error, as they
 * happen; and all of them again in the value at the end. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "agent/loop.h"
#include "agent/tools/act.h"

typedef struct Live {
    bool terminal; /* words are shown as they come */
    bool quiet;    /* no lines */
    bool json;     /* events */
    bool plain;    /* for a person: sentences */
    bool verbose;  /* the parts of the context, too */
    uint64_t iterations_max;
    const Run *run;   /* that is worked on; NULL: none */
    json_t *events;   /* so far; NULL: none */
    bool streaming;   /* the cursor is at the end of words */
    bool shown;       /* the newest reply was shown */
    int64_t since_ms; /* the model has been silent since then; 0: it is not waited for */
    int64_t told_ms;  /* the sign that says so was given after so long; 0: not yet */
    char held[64];    /* the last character, whose rest, marks or joiners may still come */
    size_t held_n;
} Live;

/* Also makes Ctrl-C, SIGTERM and a terminal that is closed stop the work instead of the process;
 * the second one ends it. */
Live live_begin(bool json, bool quiet, bool verbose);
LoopView live_view(Live *l);

void live_end(Live *l);

/* The words that were shown are all that come: what is shown next begins a line. */
void live_end_words(Live *l);

/* True once somebody wants it to stop. */
bool live_stopped(void *ctx);

/* Asks the person at the terminal; for act.h. */
ActSay live_ask(void *ctx, const Tool *t, const json_t *args);
/* Tells that person, or a program, what a command left for other programs; for act.h.  Also if it
 * is quiet: that is about safety. */
void live_planted(void *ctx, const PlantFound *found);
/* True if there is one. */
bool live_can_ask(void);

#endif
