/* unit.h - what every unit test includes: cmocka, and checks for the types of base.
 *
 * A check that fails says which texts differ, or which row of a table. */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

__attribute__((unused)) static void check_str(Str got, Str want, const char *file, int line)
{
    if (str_eq(got, want))
        return;
    print_error("got  (%zu bytes) '" STR_FMT "'\nwant (%zu bytes) '" STR_FMT "'\n", got.n,
                STR_ARG(got), want.n, STR_ARG(want));
    _fail(file, line);
}

#define assert_str(got, want) check_str((got), (want), __FILE__, __LINE__)

/* A Str in a static table, where the compound literal of S() cannot stand. */
#define T(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }

/* The row of a table that must hold `good`. */
#define assert_row(good, i, why)                        \
    do {                                                \
        if (!(good)) {                                  \
            print_error("row %zu: %s\n", (i) + 0, why); \
            _fail(__FILE__, __LINE__);                  \
        }                                               \
    } while (0)

/* A sentence as err.h wants it: one line, no full stop, valid whatever was shown in it. */
__attribute__((unused)) static void check_sentence(const Err *e, const char *file, int line)
{
    size_t n = strlen(e->text);
    bool good = n > 0 && n < sizeof e->text && !strpbrk(e->text, "\n\r\t");
    good = good && (e->text[n - 1] != '.' || strcmp(e->text + n - 3, "...") == 0);
    if (good)
        return;
    print_error("not a sentence: '%s'\n", e->text);
    _fail(file, line);
}

#define assert_sentence(e) check_sentence((e), __FILE__, __LINE__)

#endif
