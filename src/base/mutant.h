/* mutant.h - seeded bugs, compiled only into the rigs that must catch them.
 *
 * A rig that has never failed proves nothing.  MUTANT(NAME) stands where a bug
 * of that name could have been made; in the product it is the constant false
 * and costs nothing.  tests/mutants/ builds the same sources with JOT_MUTANTS,
 * switches on one at a time, and demands that a rig notices.
 *
 * Add a mutant here and where it bites, nowhere else. */
#ifndef BASE_MUTANT_H
#define BASE_MUTANT_H

#ifdef JOT_MUTANTS
#define MUTANTS(X) X(NONE, "the product as it is")

typedef enum Mutant {
#define X(name, about) MUTANT_##name,
    MUTANTS(X)
#undef X
        MUTANT_COUNT
} Mutant;

extern Mutant mutant_on; /* chosen once, when the rig starts */
#define MUTANT(name) (mutant_on == MUTANT_##name)
#else
#define MUTANT(name) false
#endif

#endif
