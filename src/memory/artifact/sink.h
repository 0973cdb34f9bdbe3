/* sink.h - the sink: every result of a tool is kept once, and the context gets what fits.
 *
 * A result is the artifact `tool_results/CALL`, made by an append that demands
 * that its stream has no record at all.  So a call's id is taken for ever, on
 * every engine, for every process: also after a restart, and also after the
 * result was deleted or purged.
 *
 * The whole result is always kept.  If it has more bytes than the threshold, the
 * context gets its first SINK_PREVIEW_CHARS characters (or as many as the
 * threshold allows) and a handle with which any range of it can be read; at the
 * threshold and below, the result itself.
 * A tool whose results are useless in part is put with `always_inline`. */
#ifndef MEMORY_ARTIFACT_SINK_H
#define MEMORY_ARTIFACT_SINK_H

#include "memory/artifact/artifact.h"

enum {
    SINK_INLINE_BYTES = 8192,  /* the threshold, unless another is given */
    SINK_PREVIEW_CHARS = 2000, /* characters of a preview; it ends between two */
};

/* --- Putting --------------------------------------------------------------------------- */

typedef struct SinkPut {
    Str call;      /* the call's id: one segment, '.' and ':' are fine */
    Str tool;      /* at most ARTIFACT_WORD_MAX bytes of text */
    Str arguments; /* JSON; may be empty */
    Str result;    /* any bytes */
    Str task;      /* may be empty */
    bool always_inline;
    size_t inline_max; /* the threshold in bytes; 0: SINK_INLINE_BYTES */
} SinkPut;

/* What the context gets. */
typedef struct SinkView {
    ArtifactRef ref;
    Str call, tool, handle;
    Str shown;      /* the result, or the beginning of it if it was spilled */
    bool spilled;   /* there is more than is shown */
    bool text;      /* the result is UTF-8; a spilled one that is not shows nothing */
    uint64_t bytes; /* of the whole result */
    uint64_t lines;
} SinkView;

/* JOT_ID_REUSED: the call was persisted before.  *out is then what was, and *same (may be NULL)
 * whether it is this very result: so a caller learns whether an earlier put arrived.  If it was
 * deleted since, out->ref.size is 0 and nothing is shown.
 * JOT_TOO_BIG: with its quotes and escapes it would pass STORE_BODY_MAX. */
MUST_USE jot_status sink_write(Memory *m, const SinkPut *p, Arena *into, SinkView *out, bool *same,
                               Err *e);

/* The same answer again, later; `inline_max` as in SinkPut. */
MUST_USE jot_status sink_view(Memory *m, Str call, size_t inline_max, Arena *into, SinkView *out,
                              Err *e);

/* --- Reading back ---------------------------------------------------------------------- */

typedef enum SinkUnit { SINK_WHOLE = 0, SINK_BYTES, SINK_LINES } SinkUnit;

typedef struct SinkRange {
    SinkUnit unit;
    uint64_t from;  /* bytes: from 0 on; lines: from 1 on (0 is taken for 1) */
    uint64_t count; /* 0: to the end */
} SinkRange;

typedef struct SinkSlice {
    Str text;
    uint64_t from, to;           /* the bytes it is, [from, to) */
    uint64_t line_from, line_to; /* by lines: the first and the last one given; else 0 */
    uint64_t bytes, lines;       /* of the whole result */
    bool more;                   /* something follows */
} SinkSlice;

/* A range of a result.  Of text, a range of bytes begins and ends between characters: both ends are
 * moved back to the nearest border, so that ranges asked for side by side fit together.  It is
 * empty only after the end. */
MUST_USE jot_status sink_read(Memory *m, Str call, const SinkRange *range, Arena *into,
                              SinkSlice *out, Err *e);

/* The call that a handle names; anything else is taken for a call's id itself. */
Str sink_call(Str handle);

/* --- For doors ------------------------------------------------------------------------- */

/* A text for a prompt: the result, or preview and how to read on, for a reader that has `reach`
 * (pointer.h). */
Str sink_text(const SinkView *view, unsigned reach, Arena *into);

/* {"tool_call_id", "tool_name", "handle", "spilled", "bytes", "lines", "shown", "ref": {...}} */
json_t *sink_view_json(const SinkView *view);
/* {"text", "from", "to", "bytes", "lines", "more"}, and "line_from", "line_to" by lines */
json_t *sink_slice_json(const SinkSlice *slice);

#endif
