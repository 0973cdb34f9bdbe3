/* arena.h - Arena, memory that dies together.
 *
 * One arena per unit of work: a request, a tool call, a command.  Results of
 * variable size are returned INTO an arena the caller passes.  Arena memory is
 * never stored in something that lives longer.  {0} is an empty arena.
 *
 * An allocation that fails never returns: mem_exhausted() leaves the call (base/escape.h).
 * Whatever is sized by input is checked against a limit before it gets here. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdalign.h>

#include "base/escape.h"
#include "base/str.h"

typedef struct Arena {
    struct ArenaBlock *top; /* newest block; older ones hang below it */
    size_t total;           /* bytes handed out, for limits and tests */
} Arena;

void *arena_alloc(Arena *a, size_t size, size_t align); /* zeroed, never NULL */
void *arena_array(Arena *a, size_t n, size_t size, size_t align);
Str arena_copy(Arena *a, Str s);   /* followed by a NUL */
char *arena_cstr(Arena *a, Str s); /* the same, as a C string */
Str arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* As one word of a shell, for a command that somebody may paste: nothing in it runs. */
Str arena_shell_word(Arena *a, Str s);

/* Room for one more element after the `n` of `*cap` that `items` holds; may move them. */
void *arena_grow(Arena *a, void *items, size_t n, size_t *cap, size_t size, size_t align);

void arena_free(Arena *a);

#define NEW(arena, T) ((T *)arena_alloc((arena), sizeof(T), alignof(T)))
#define NEW_ARRAY(arena, T, n) ((T *)arena_array((arena), (n), sizeof(T), alignof(T)))

DEFINE_AUTO(Arena, arena_free)

/* Heap memory that is never NULL, for the few objects that outlive an arena. */
void *mem_alloc(size_t size); /* zeroed */
void *mem_grow(void *old, size_t size);

#endif
