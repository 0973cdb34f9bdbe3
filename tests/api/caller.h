/* caller.h - Caller, a program that knows nothing of Jotter but jotter.h.
 *
 * The tests here are C99, link the shared library as anybody would, and include
 * no other header of the project.  Each is run on files: and on sqlite:. */
#ifndef TESTS_API_CALLER_H
#define TESTS_API_CALLER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jotter.h"

#include <cmocka.h>

typedef struct Caller {
    const char *engine; /* "files" or "sqlite" */
    char dir[64];       /* for the pad and whatever else; removed afterwards */
    char url[96];
    jot_pad *pad; /* open, as "ann" */
} Caller;

typedef struct CallerTest {
    const char *name;
    void (*run)(Caller *c);
} CallerTest;

/* The result is for main(). */
int caller_run(const CallerTest *tests, size_t n);
#define CALLER_TEST(function) \
    {                         \
#function, function   \
    }
#define CALLER_COUNT(tests) (sizeof(tests) / sizeof((tests)[0]))

/* A second pad on the same URL, as somebody else.  The caller owns it. */
jot_pad *caller_open(Caller *c, const char *as);

/* The path of a file in the directory; static. */
const char *caller_path(const Caller *c, const char *name);

/* The call must end so; what it said is printed if not. */
#define expect(pad, status, call) caller_check((pad), (status), (call), #call, __FILE__, __LINE__)
#define ok(pad, call) expect((pad), JOT_OK, (call))
void caller_check(const jot_pad *pad, jot_status want, jot_status got, const char *call,
                  const char *file, int line);

/* A text is there, ends in a NUL, and is this. */
#define assert_text(got, want) caller_check_text((got), (want), __FILE__, __LINE__)
void caller_check_text(jot_text got, const char *want, const char *file, int line);

/* Somewhere in the string stands this. */
void assert_says(const char *text, const char *part);

#endif
