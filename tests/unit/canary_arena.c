/* canary_arena.c - reads one byte behind an arena's string on purpose.
 *
 * It must fail under AddressSanitizer, which sees it only because the arena
 * poisons what it has not handed out. */
#include "base/arena.h"

int main(void)
{
    AUTO(Arena) a = { 0 };
    char *volatile first = arena_alloc(&a, 8, 1);
    char *volatile second = arena_alloc(&a, 8, 1);
    volatile size_t behind = 8;
    return first[behind] + second[0];
}
