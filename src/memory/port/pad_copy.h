/* pad_copy.h - a whole pad on its way into another, or out of an archive.
 *
 * store_copy() does the work.  Here what it tells is collected, and text that it
 * has removed from the target is removed from the target's search index too. */
#ifndef MEMORY_PORT_PAD_COPY_H
#define MEMORY_PORT_PAD_COPY_H

#include "memory/memory.h"
#include "memory/port/layout.h"

typedef struct PadReport {
    CopyCount count;
    LayoutReport problems; /* in `skipped`: streams that are not in the target as they should be */
    LayoutReport notes;    /* likewise: what is only worth knowing */
} PadReport;

/* Fill in the report's lists from what store_copy or archive_write tells; lives in `into`. */
void pad_report_add(PadReport *r, Arena *into, const CopyNotice *t);

/* As store_copy; `show` (may be NULL) is given the progress, and is asked whether to continue; the
 * rest is in the report, which is filled in whatever the status.  A text that could not be removed
 * from the index of the target is a problem too. */
MUST_USE jot_status pad_copy(Store *from, Memory *to, const CopyHooks *show, Arena *into,
                             PadReport *out, Err *e);

/* {"problems": [{"name", "why"}], "problems_total", "notes": [...]} added to an object. */
void pad_report_add_json(json_t *to, const PadReport *r);

#endif
