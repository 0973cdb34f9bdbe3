/* canary_race.c - two threads count without a lock on purpose.
 *
 * It must fail under ThreadSanitizer. */
#include <pthread.h>
#include <stddef.h>

static int counter;

static void *count(void *arg)
{
    for (int i = 0; i < 10000; i++)
        counter++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pthread_create(&a, NULL, count, NULL) || pthread_create(&b, NULL, count, NULL))
        return 0; /* which is noticed: it was to fail */
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
