/* copying.h - what `copy`, and `import` and `export` of archives, show of a pad on its way. */
#ifndef CLI_COPYING_H
#define CLI_COPYING_H

#include "cli/cmd.h"
#include "cli/progress.h"
#include "memory/port/pad_copy.h"

/* pad_copy, with progress on a terminal, and what there is to tell on standard error. */
MUST_USE jot_status copy_showing(Store *from, Memory *to, Session *s, PadReport *out);

/* What a CopyHooks shows; its ctx is a Progress. */
void show_copied(void *progress, const CopyCount *c);

/* What became of single streams, on standard error; with --json it is part of the answer. */
void print_pad_problems(const Session *s, const PadReport *r);

#endif
