/* canary_undefined.c - adds one to the largest int on purpose.
 *
 * It must fail under UndefinedBehaviorSanitizer, which says so and goes on
 * unless it was compiled to stop. */
#include <limits.h>

int main(void)
{
    volatile int largest = INT_MAX;
    volatile int more = largest + 1;
    return more > 0;
}
