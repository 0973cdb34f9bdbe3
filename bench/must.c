/* must.c - what a measurement does when something goes wrong: it says so and ends. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"

void die(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "bench/%s: ", program_invocation_short_name);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
    _exit(1); /* also in a child, which must not clean up for its parent */
}

void must(bool good, const char *what)
{
    if (!good)
        die("%s: %s", what, strerrordesc_np(errno));
}

void must_ok(jot_status st, const Err *e, const char *what)
{
    if (st != JOT_OK)
        die("%s: %s", what, e->text);
}
