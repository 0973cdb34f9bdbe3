/* canary.c - does the wrong thing it is asked to do, so that a sanitizer can be heard.
 *
 * The mistakes go through volatile variables: a compiler that sees through them would remove
 * the mistake together with the proof. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static volatile int sink;
static int shared;
static char *volatile kept;

static int overflow(void)
{
    volatile size_t size = 8;
    char *bytes = malloc(size);
    bytes[size] = 1;
    sink = bytes[size];
    free(bytes);
    return 0;
}

/* Between two strings of an arena: heard only because the arena poisons what it did not give. */
static int arena(void)
{
    volatile size_t size = 8;
    AUTO(Arena) a = { 0 };
    const char *first = arena_alloc(&a, size, 1);
    sink = first[size];
    return 0;
}

/* Enough of them that none is found again in a forgotten register. */
static int leak(void)
{
    for (int i = 0; i < 100; i++)
        kept = malloc(100);
    kept = NULL;
    return 0;
}

static int undefined(void)
{
    volatile int most = INT_MAX;
    sink = most + 1;
    return 0;
}

static void *add(void *unused)
{
    for (int i = 0; i < 100000; i++)
        shared++;
    return unused;
}

static int race(void)
{
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, add, NULL) != 0)
            return 2;
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*sing)(void);
    } songs[] = {
        { "overflow", overflow },   { "arena", arena }, { "leak", leak },
        { "undefined", undefined }, { "race", race },
    };
    for (size_t i = 0; argc == 2 && i < sizeof songs / sizeof songs[0]; i++)
        if (strcmp(argv[1], songs[i].name) == 0)
            return songs[i].sing();
    return 64;
}
