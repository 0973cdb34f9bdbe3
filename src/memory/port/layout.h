/* layout.h - Layout, a way in which another program keeps its memory in files, and what became of
 * it on its way into a pad or out of it.
 *
 *   notes      KEY.txt, KEY.md, also in directories       notes/KEY
 *              a table `scratchpad` of SQLite             the same
 *   artifacts  CATEGORY/ID.json                           artifacts/CATEGORY/ID
 *              CATEGORY/NAME_index.json                   artifacts/index/CATEGORY/NAME_index.json
 *              CATEGORY/NAME.jsonl                        logs/CATEGORY/NAME.jsonl
 *              tasks/snapshots/ID_snapshot.json and
 *              tasks/events/ID_events.jsonl               tasks/ID
 *   runs       ID.jsonl of init, thinking, tool_result    runs/ID
 *   cycles     active.yaml                                cycles/AGENT
 *              ID_before.yaml, ID_after.yaml              snapshots/AGENT/ID_before, ..._after
 *              logs/cycle_ID.log                          logs/cycle/ID
 *              config/active.NAME.yaml                    notes/cycle-template-NAME
 *   graph      a JSONL of entities                        graph/entities/...
 *              and of relations                           graph/relations/...
 *
 * These are only imported:
 *
 *   memories   memory/ with a MEMORY.md, of Claude Code   memories/claude/PROJECT/...
 *              memories/ with a MEMORY.md, of Codex       memories/codex/...
 *   mem0       tables `history` and `messages` of SQLite  notes/mem0-ID, with all versions;
 *                                                         logs/mem0/SCOPE
 *   langgraph  a table `store` of SQLite                  artifacts/langgraph/NAMESPACE/KEY
 *   beads      a JSONL of issues and memories             tasks/ID, notes/KEY */
#ifndef MEMORY_PORT_LAYOUT_H
#define MEMORY_PORT_LAYOUT_H

#include "base/arena.h"
#include "base/json.h"

typedef enum Layout {
    LAYOUT_NONE = 0,
    LAYOUT_NOTES,
    LAYOUT_ARTIFACTS,
    LAYOUT_RUNS,
    LAYOUT_CYCLES,
    LAYOUT_GRAPH,
    LAYOUT_MEMORIES,
    LAYOUT_MEM0,
    LAYOUT_LANGGRAPH,
    LAYOUT_BEADS,
    LAYOUT_ARCHIVE, /* a whole pad: store/archive.h */
    LAYOUT_COUNT
} Layout;

/* "notes" ...; never NULL. */
const char *layout_name(Layout l);
/* "notes, artifacts, ...": what an import takes. */
#define LAYOUT_NAMES "notes, artifacts, runs, cycles, graph, memories, mem0, langgraph or beads"
/* Those that are directories or files of other programs.  JOT_INVALID lists them. */
MUST_USE jot_status layout_parse(Str name, Layout *out, Err *e);

enum { LAYOUT_SKIPPED_MAX = 1000 };

typedef struct LayoutSkip {
    Str name; /* of the file or stream */
    Str why;
} LayoutSkip;

/* A name that another program gave and that cannot be one in the pad. */
typedef struct LayoutName {
    Str name; /* of the file, or whatever it was called there */
    Str as;   /* of the stream */
} LayoutName;

typedef struct LayoutReport {
    Layout layout;
    uint64_t files;      /* read or written */
    uint64_t added;      /* records, on the way in */
    uint64_t unchanged;  /* files that were there already, on the way in */
    LayoutSkip *skipped; /* at most LAYOUT_SKIPPED_MAX are reported ... */
    size_t skipped_n, skipped_cap;
    uint64_t skipped_total; /* ... of this many */
    uint64_t missed;        /* of these, what is not there now: all but hidden and empty files */
    jot_status why_missed;  /* the first that is of the layout; JOT_OK: none is */
    LayoutName *renamed;    /* at most LAYOUT_SKIPPED_MAX are reported ... */
    size_t renamed_n, renamed_cap;
    uint64_t renamed_total; /* ... of this many */
} LayoutReport;

/* Tell of something that nobody misses: a hidden file, or one that holds nothing.  The texts are
 * copied into `into`. */
void layout_skip(LayoutReport *r, Arena *into, Str name, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Tell of a file the layout does not speak of: it is missing, too, but not the layout's. */
void layout_stray(LayoutReport *r, Arena *into, Str name, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Tell of something that is missing now, in the pad or in the files. */
void layout_miss(LayoutReport *r, Arena *into, jot_status why, Str name, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
/* Tell that something has another name in the pad. */
void layout_rename(LayoutReport *r, Arena *into, Str name, Str as);
/* JOT_OK, or the status and sentence for what was missed; `done` is "imported", for example. */
MUST_USE jot_status layout_missed(const LayoutReport *r, const char *done, Err *e);

/* {"layout", "files", "added", "unchanged", "skipped": [{"name", "why"}], "skipped_total",
 * "missed", "renamed": [{"name", "as"}], "renamed_total"} */
json_t *layout_report_json(const LayoutReport *r);

#endif
