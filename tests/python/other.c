/* other.c - a library that calls itself libjotter, of a version there is not yet. */
#include "jotter.h"

const char *jot_version(void)
{
    return "99.0.0";
}
