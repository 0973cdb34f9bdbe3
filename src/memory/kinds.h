/* kinds.h - Kinds, how many things of each kind a pad holds. */
#ifndef MEMORY_KINDS_H
#define MEMORY_KINDS_H

#include "memory/memory.h"

/* What the names of runs begin with that hooks of other programs keep (run/session.h). */
#define SESSION_RUNS "runs/hook-"

enum { KIND_NAME_MAX = 32, KINDS_MAX = 32 /* more of them are not counted */ };

typedef struct KindCount {
    char name[KIND_NAME_MAX]; /* "notes", in byte order */
    uint64_t n;
} KindCount;

typedef struct Kinds {
    KindCount items[KINDS_MAX];
    size_t n;
    uint64_t edited; /* documents with a person's edit that is not recorded yet ... */
    uint64_t lost;   /* ... and streams with records that cannot be read; with heads only */
} Kinds;

/* Living streams; `which` is LIST_LIVE_NAMES, which is cheap, or LIST_LIVE. */
MUST_USE jot_status memory_kinds(Memory *m, ListWhich which, Kinds *out, Err *e);

/* How many living streams have names that begin so. */
MUST_USE jot_status memory_count(Memory *m, Str prefix, uint64_t *out, Err *e);

/* One more of a list in byte order; `head`: it came with its head. */
void kinds_take(Kinds *k, const Listed *l, bool head);

/* How many of this kind; 0: none. */
uint64_t kinds_count(const Kinds *k, const char *kind);

/* There are so many of this kind. */
void kinds_set(Kinds *k, const char *kind, uint64_t n);

/* What a person calls them: "memory files"; NULL for what Jotter keeps for itself. */
const char *kind_word(const char *kind);

#endif
