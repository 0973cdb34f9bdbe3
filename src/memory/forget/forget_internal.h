/* forget_internal.h - what the files that forget share. */
#ifndef MEMORY_FORGET_FORGET_INTERNAL_H
#define MEMORY_FORGET_FORGET_INTERNAL_H

#include "memory/forget/forget.h"

/* --- forget_shared.c ------------------------------------------------------------------------ */

/* What a stream's shared file holds of it; JOT_OK also if it has none.  `*was`: there was one. */
MUST_USE jot_status forget_shared_file(Memory *m, Str stream, bool *was, Err *e);
MUST_USE jot_status forget_shared_record(Memory *m, Str stream, uint64_t seq, Err *e);
/* What was found is added to *out. */
MUST_USE jot_status forget_shared_phrase(Memory *m, Str stream, Str phrase, Forgotten *out, Err *e);

#endif
