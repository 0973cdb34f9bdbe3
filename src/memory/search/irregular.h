/* irregular.h - forms of English words that no rule of endings finds. */
#ifndef MEMORY_SEARCH_IRREGULAR_H
#define MEMORY_SEARCH_IRREGULAR_H

#include "base/str.h"

/* "go" for "went"; any other word is returned as it is. */
Str irregular_word(Str form);

#endif
