/* canary_overflow.c - writes one byte behind a heap block on purpose.
 *
 * It must fail under AddressSanitizer. */
#include <stdlib.h>

int main(void)
{
    volatile char *block = malloc(8);
    volatile size_t behind = 8;
    block[behind] = 1;
    free((void *)block);
    return 0;
}
