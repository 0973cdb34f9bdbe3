/* interrupt.c - Ctrl-C during long work. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;

static void note(int signal)
{
    (void)signal;
    came = 1;
}

void interrupt_catch(void)
{
    struct sigaction now,
        once = { .sa_handler = note, .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };
    static const int signals[] = { SIGINT, SIGTERM };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(signals[i], &once, NULL);
}

bool interrupted(void)
{
    return came;
}

bool not_interrupted(void *ctx)
{
    (void)ctx;
    return !came;
}

static bool scan_on(void *ctx, uint64_t scanned)
{
    (void)ctx;
    (void)scanned;
    return !came;
}

MemoryProgress interrupt_scan = { .report = scan_on };
