/* history.h - what a document was: its versions, any of them again, and who wrote which line.
 *
 * Nothing here takes anything back: undo and restore append what was.
 *
 * Undo goes back one change at a time.  What it writes says in its meta which
 * record's state it brought back ({"undo": seq}, 0: the document did not exist),
 * so that the next undo continues from there and not from itself: repeated undo
 * walks back through the history, never to and fro.  A write after an undo is a
 * new change; undoing that leads to what the undo had brought back.  Changes
 * that left the text as it was are passed over.  Undoing a delete brings the
 * document back; undoing its very first write deletes it. */
#ifndef MEMORY_DOC_HISTORY_H
#define MEMORY_DOC_HISTORY_H

#include "memory/doc/diff.h"
#include "memory/doc/doc.h"

enum {
    HISTORY_PAGE_MAX = 1000,
    UNDO_STEPS_MAX = 10000,              /* records looked at by one undo */
    BLAME_VERSIONS_MAX = 1000,           /* versions looked at, ... */
    BLAME_BYTES_MAX = 256 * 1024 * 1024, /* ... and bytes of them */
};

/* --- Which version is meant ------------------------------------------------------------ */

typedef enum WhenKind {
    WHEN_NOW = 0,
    WHEN_SEQ,     /* the record of this number */
    WHEN_VERSION, /* the newest record with this text */
    WHEN_TIME,    /* as it was then */
    WHEN_BACK,    /* that many versions before the present one */
} WhenKind;

typedef struct When {
    WhenKind kind;
    uint64_t number; /* seq, or how far back */
    Str version;
    int64_t at_ms;
} When;

/* "" or "now", a seq (up to 11 digits), a version (7 to 64 hex digits; a number that is no seq is
 * tried as one), a time such as 2026-01-31T18:45:00Z or 2026-01-31, or ~N for N versions back.
 * `version` is borrowed. */
MUST_USE jot_status when_parse(Str text, When *out, Err *e);

/* The document as it was then.  JOT_NOT_FOUND: there is no such version, the document did not
 * exist then, or its text was redacted. */
MUST_USE jot_status history_at(Memory *m, Str stream, const When *when, Arena *into, Doc *out,
                               Err *e);

/* --- Looking back ---------------------------------------------------------------------- */

typedef struct History {
    Record *items; /* newest first, without bodies; seq 0: an edit not recorded yet */
    size_t n;
    bool more;        /* there are older ones: ask again with before = the last one's seq */
    uint64_t damaged; /* records that cannot be read, passed over */
} History;

typedef struct HistoryAsk {
    uint64_t before; /* records older than this seq; 0: from the newest on */
    size_t limit;    /* how many, 1 to HISTORY_PAGE_MAX */
    bool glance;     /* one of many documents: an edit stays unrecorded, and nothing is written */
} HistoryAsk;

/* Two versions of a document, and what changed between them. */
typedef struct HistoryDiff {
    Doc from, to;          /* mark.op 0: it did not exist */
    Str text;              /* as `diff -u` writes it; empty for equal texts */
    size_t added, removed; /* lines */
} HistoryDiff;

typedef struct HistoryDiffAsk {
    Str stream;
    Str from, to; /* as when_parse() reads them; empty: before the last change, and now */
} HistoryDiffAsk;

/* Where no version is named, one side may be a document that did not exist then.  JOT_NOT_FOUND:
 * there never was such a document, or a version that is named.  JOT_TOO_BIG. */
MUST_USE jot_status history_diff(Memory *m, const HistoryDiffAsk *ask, Arena *into,
                                 HistoryDiff *out, Err *e);

/* JOT_NOT_FOUND: there never was such a document. */
MUST_USE jot_status history_page(Memory *m, Str stream, const HistoryAsk *ask, Arena *into,
                                 History *out, Err *e);
/* [mark_json with "op": "put" or "delete" ...]; the caller owns it. */
json_t *history_json(Str stream, const History *h);
const char *op_name(Op op);

typedef struct Blame {
    DiffLines lines;
    const Record **from; /* for each line the version it came with, without its body */
    bool cut;            /* some may be older than that: what is before it cannot be read, or is
                            further back than BLAME_VERSIONS_MAX */
} Blame;

/* Who wrote each line of the present text.  What an undo or a restore brought back is older. */
MUST_USE jot_status history_blame(Memory *m, Str stream, Arena *into, Blame *out, Err *e);
/* [{"line", "text", "version", "seq", "at", "by"} ...]; the caller owns it. */
json_t *blame_json(const Blame *b);

/* --- Going back ------------------------------------------------------------------------ */

/* Bring back what was before the last change.  *out is the document as it is now (a tombstone, if
 * it did not exist before), whose meta says {"undo": the seq whose state that is}.  JOT_NOT_FOUND:
 * there is nothing to undo, or it is not kept any more.  JOT_CONFLICT as for doc_write(), also if
 * somebody wrote in between. */
MUST_USE jot_status history_undo(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                                 Err *e);

/* Bring back what the last undo took away, if nothing was written since: after as many redos as
 * undos the document is what it was.  As history_undo; JOT_NOT_FOUND: there is nothing to redo. */
MUST_USE jot_status history_redo(Memory *m, Str stream, const DocIf *when, Arena *into, Doc *out,
                                 Err *e);

typedef struct Restore {
    When which;
    DocIf when;
} Restore;

/* Write an older version again; its meta says {"restored": seq}. */
MUST_USE jot_status history_restore(Memory *m, Str stream, const Restore *r, Arena *into, Doc *out,
                                    Err *e);

#endif
