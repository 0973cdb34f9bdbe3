/* test_store.c - the contract, tried on each engine.
 *
 *   test_store [--engine NAME] [--promise NAME] [--quiet] [--first] [--stay]
 *
 * Without --engine all of them are tried.  --first stops at the first broken
 * promise, --stay tries them in this process, for a debugger.  Exit: 0 all promises held, 1 some
 * did not, or an engine is missing that the build expects; 77 the one engine asked for is missing
 * and nobody expects it; 2 the command line is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"

enum { EXIT_USAGE = 2, EXIT_MISSING = 77 };

typedef struct Total {
    const char *only; /* the one engine asked for */
    int engines, promises, broken, missing, unexpected;
} Total;

static double seconds(void)
{
    return (double)io_awake_ms(&io_system) / 1000;
}

static void tell_missing(const char *name, Total *total)
{
    bool expected = contract_expects(name);
    total->missing++;
    total->unexpected += !expected;
    printf("# ================================================================\n"
           "# MISSING: this build has no engine '%s'%s\n"
           "# ================================================================\n",
           name, expected ? ", and it must have it" : "; nothing was verified for it");
}

static void run_engine(const char *name, const ContractRun *run, Total *total)
{
    double start = seconds();
    ContractResult r = contract_run(name, run);
    if (r.missing) {
        tell_missing(name, total);
        return;
    }
    total->engines++;
    total->broken += r.broken;
    /* For one engine those that were tried count; for all of them, the table. */
    int promises = total->only ? r.held + r.broken : r.promises;
    if (promises > total->promises)
        total->promises = promises;
    printf("# %s: %d of %d promises held", name, r.held, r.held + r.broken);
    if (r.apart)
        printf(", %d more are about what this engine does not have", r.apart);
    printf(" (%.1f s)\n", seconds() - start);
}

/* The last line; the code to end with. */
static int conclude(const Total *total)
{
    printf("contract%s%s: ", total->only ? " " : "", total->only ? total->only : "");
    if (total->engines)
        printf("%d promises x %d engine%s, ", total->promises, total->engines,
               total->engines == 1 ? "" : "s");
    if (total->broken)
        printf("%d BROKEN\n", total->broken);
    else if (total->missing > total->unexpected)
        printf("an engine is missing\n");
    else
        printf("%s\n", total->promises ? "all held" : "nothing was tried");
    if (total->broken || total->missing > total->unexpected)
        return EXIT_FAILURE;
    if (total->promises == 0)
        return total->missing ? EXIT_MISSING : EXIT_USAGE;
    return EXIT_SUCCESS;
}

static void list_promise(void *ctx, const char *promise, const char *why)
{
    printf("# broken: --promise %s\n", promise);
}

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--engine NAME] [--promise NAME] [--quiet] [--first] [--stay]\n",
            program);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    ContractRun run = { .failed = list_promise };
    const char *engine = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--quiet") == 0) {
            run.quiet = true;
        } else if (strcmp(argv[i], "--first") == 0) {
            run.first = true;
        } else if (strcmp(argv[i], "--stay") == 0) {
            run.stay = true;
        } else if (strcmp(argv[i], "--engine") == 0 && *value) {
            engine = argv[++i];
        } else if (strcmp(argv[i], "--promise") == 0 && *value) {
            run.promise = argv[++i];
        } else {
            return usage(argv[0]);
        }
    }
    if (engine && !engine_find(engine)) {
        fprintf(stderr, "no engine '%s': use mem, files, placed, sqlite, postgres or redis\n",
                engine);
        return EXIT_USAGE;
    }
    Total total = { .only = engine };
    if (engine)
        run_engine(engine, &run, &total);
    for (size_t i = 0; !engine && engine_at(i); i++)
        run_engine(engine_at(i)->name, &run, &total);
    return conclude(&total);
}
