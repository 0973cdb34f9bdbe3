/* canary_leak.c - loses memory on purpose.
 *
 * It must fail under AddressSanitizer.  If it passes there, leaks in the other
 * tests pass too. */
#include <stdlib.h>

static void *volatile held;

int main(void)
{
    held = malloc(100);
    held = NULL;
    return 0;
}
