/* mutant.c - which seeded bug is switched on, in the build that has them.
 *
 * Compiled into the rigs only.  The environment variable JOTTER_MUTANT names
 * one; an unknown name ends the process, so that a typing error cannot pass
 * for a bug that nobody caught. */
#include "base/mutant.h"

#ifdef JOT_MUTANTS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Mutant mutant_on = MUTANT_NONE;

static const char *const names[] = {
#define X(name, about) #name,
    MUTANTS(X)
#undef X
};

__attribute__((constructor)) static void choose(void)
{
    const char *wanted = getenv("JOTTER_MUTANT");
    if (!wanted || !wanted[0])
        return;
    for (int i = 0; i < MUTANT_COUNT; i++) {
        if (strcmp(names[i], wanted) == 0) {
            mutant_on = (Mutant)i;
            return;
        }
    }
    fprintf(stderr, "no mutant '%s'\n", wanted);
    abort();
}
#endif
