/* forget_desk.h - what the tests of forgetting say to a desk: put a canary, and see it gone. */
#ifndef TESTS_MEMORY_FORGET_DESK_H
#define TESTS_MEMORY_FORGET_DESK_H

#include "memory/desk.h"
#include "memory/forget/forget.h"
#include "memory/run/run.h"

/* One word for the index, and nothing that anybody escapes. */
#define CANARY "zqxjkvcanary"

/* A document, and a line of a log. */
void put(Desk *d, const char *stream, const char *text);
void line(Desk *d, const char *stream, const char *text);
void assert_reads(Desk *d, const char *stream, const char *text);

/* Make an index file, with all that is in the pad. */
void make_index(Desk *d);
void assert_finds_nothing(Desk *d);

/* How many bodies hold the canary; and that neither a record nor a file does, in a sound pad. */
size_t bodies(Desk *d);
void assert_gone(Desk *d);

bool on_disk(const Desk *d);

/* What a call could not take out, as it was told. */
typedef struct Told {
    Buf text; /* "kind stream\n" */
    bool die; /* by SIGKILL, when the first one is told */
} Told;
void told_done(Told *t);
DEFINE_AUTO(Told, told_done)
void tell(void *told, const ForgetLeft *l);

/* A run of five records: init, call, result, thinking, answer. */
void record_run(Desk *d, const char *args, Str result, Run *r);
RunStep step_at(Desk *d, Run *r, uint64_t seq);

#endif
