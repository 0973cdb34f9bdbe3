/* arena.c - memory that dies together.
 *
 * Blocks form a stack.  An allocation comes from the newest block; if it does
 * not fit, a new block of at least twice the size goes on top.  A large
 * allocation gets a block of its own below the top, so that the room left in
 * the top block stays usable.
 *
 *     top --> [ used ......|      free      ]     4 KiB, 8 KiB, 16 KiB ...
 *                |
 *                v
 *             [ one large allocation        ]     exactly as large
 *                |
 *                v
 *             [ used .............|  unused ]     older: never allocated from again
 *                |
 *                v
 *              NULL
 *
 * Under AddressSanitizer the room that is not handed out is poisoned and a gap
 * is left after every allocation, so that a step past the end is noticed as
 * it would be on the heap. */
#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define POISONED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define POISONED 1
#endif

#ifdef POISONED
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
enum { GAP = 0 };
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#endif

enum { BLOCK_MIN = 4096, BLOCK_MAX = 256 * 1024 };

typedef struct ArenaBlock {
    struct ArenaBlock *below;
    size_t used, cap;
    alignas(max_align_t) char bytes[];
} ArenaBlock;

void *mem_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p)
        mem_exhausted();
    return p;
}

void *mem_grow(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);
    if (!p)
        mem_exhausted();
    return p;
}

static ArenaBlock *new_block(size_t cap)
{
    size_t size = 0;
    if (__builtin_add_overflow(sizeof(ArenaBlock), cap, &size))
        mem_exhausted();
    ArenaBlock *b = mem_grow(NULL, size);
    *b = (ArenaBlock){ .cap = cap };
    ASAN_POISON_MEMORY_REGION(b->bytes, cap);
    return b;
}

/* The offset in `b` at which `size` bytes fit, or SIZE_MAX. */
static size_t place(const ArenaBlock *b, size_t size, size_t align)
{
    size_t at = (b->used + GAP + align - 1) & ~(align - 1);
    return at <= b->cap && size <= b->cap - at ? at : SIZE_MAX;
}

/* Room that is not zeroed, for a caller who fills all of it. */
static void *take(Arena *a, size_t size, size_t align)
{
    assert(a && align && (align & (align - 1)) == 0 && align <= alignof(max_align_t));
    ArenaBlock *b = a->top;
    size_t at = b ? place(b, size, align) : SIZE_MAX;
    if (at == SIZE_MAX) {
        size_t cap = b ? b->cap * 2 : BLOCK_MIN;
        if (cap > BLOCK_MAX)
            cap = BLOCK_MAX;
        bool large = b && size > cap / 2;
        ArenaBlock *fresh = new_block(size > cap || large ? size : cap);
        if (large) {
            fresh->below = b->below;
            b->below = fresh;
        } else {
            fresh->below = b;
            a->top = fresh;
        }
        b = fresh;
        at = 0;
    }
    b->used = at + size;
    a->total += size;
    ASAN_UNPOISON_MEMORY_REGION(b->bytes + at, size);
    return b->bytes + at;
}

void *arena_alloc(Arena *a, size_t size, size_t align)
{
    return memset(take(a, size, align), 0, size);
}

void *arena_array(Arena *a, size_t n, size_t size, size_t align)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(n, size, &bytes))
        mem_exhausted();
    return arena_alloc(a, bytes, align);
}

Str arena_copy(Arena *a, Str s)
{
    char *p = take(a, s.n + 1, 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return (Str){ p, s.n };
}

char *arena_cstr(Arena *a, Str s)
{
    return (char *)arena_copy(a, s).p;
}

Str arena_printf(Arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(n >= 0);
    char *p = take(a, (size_t)n + 1, 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return (Str){ p, (size_t)n };
}

static bool is_plain(Str s)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._:@%+=,-";
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == 0 || !strchr(plain, s.p[i]))
            return false;
    return s.n > 0;
}

/* In single quotes only a single quote means something: '\\'' ends them, says one, begins again. */
Str arena_shell_word(Arena *a, Str s)
{
    static const char quote[] = "'\\''";
    size_t n = 0;
    if (is_plain(s))
        return arena_copy(a, s);
    char *p = take(a, s.n * (sizeof quote - 1) + 3, 1);
    p[n++] = '\'';
    for (size_t i = 0; i < s.n; i++) {
        size_t more = s.p[i] == '\'' ? sizeof quote - 1 : 1;
        memcpy(p + n, more > 1 ? quote : s.p + i, more);
        n += more;
    }
    p[n++] = '\'';
    p[n] = 0;
    return (Str){ p, n };
}

void *arena_grow(Arena *a, void *items, size_t n, size_t *cap, size_t size, size_t align)
{
    if (n < *cap)
        return items;
    assert(n == *cap);
    *cap = *cap ? *cap * 2 : 4;
    void *fresh = arena_array(a, *cap, size, align);
    if (n)
        memcpy(fresh, items, n * size);
    return fresh;
}

void arena_free(Arena *a)
{
    if (!a)
        return;
    for (ArenaBlock *b = a->top; b;) {
        ArenaBlock *below = b->below;
        ASAN_UNPOISON_MEMORY_REGION(b->bytes, b->cap);
        free(b);
        b = below;
    }
    *a = (Arena){ 0 };
}
