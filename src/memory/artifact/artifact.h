/* artifact.h - Artifact, a JSON document under a category and an id.
 *
 * An artifact is the stream `artifacts/CATEGORY/ID`; its value is the head's
 * body: JSON with two spaces a level, strings and numbers as the writer gave
 * them, no line break at the end.  For ASCII data that is byte for byte what
 * Python's json.dumps(data, indent=2) makes.  The record's meta carries the type
 * and the task, so a listing is all that an index needs.
 *
 * A category has one or more segments (`tasks/snapshots`); an id is one segment
 * and may hold '.' and ':', as the ids of tool calls do.  Two categories are
 * taken: `tool_results` is the sink's (sink.h) and `index` holds named index
 * documents.
 *
 * There is no index file.  artifact_find() reads the listing each time, so what
 * it says cannot be older than the streams, and a broken one is reported beside the
 * others. */
#ifndef MEMORY_ARTIFACT_ARTIFACT_H
#define MEMORY_ARTIFACT_ARTIFACT_H

#include "base/json.h"
#include "memory/doc/doc.h"

#define ARTIFACT_KIND "artifacts/"
#define ARTIFACT_TOOL_RESULTS "tool_results"
#define ARTIFACT_INDEX "index"

enum {
    ARTIFACT_WORD_MAX = 128, /* bytes of a type */
    ARTIFACT_FIND_MAX = 1000,
    ARTIFACT_PROBLEMS_MAX = 100, /* told in one answer; the rest are counted */
};

/* Enough to find it again, and to know whether it is still the same. */
typedef struct ArtifactRef {
    Str category, id;
    Str type, task; /* empty: none was given */
    Str by;
    Hash sha256; /* of the stored bytes */
    int64_t at_ms;
    uint64_t seq; /* 0: a person's edit that the next write will record */
    uint64_t size;
} ArtifactRef;

typedef struct Artifact {
    ArtifactRef ref;
    Str text; /* the stored bytes */
} Artifact;

/* --- One artifact ---------------------------------------------------------------------- */

typedef struct ArtifactWrite {
    Str category, id;
    Str json; /* any JSON value; it is laid out here */
    Str type; /* at most ARTIFACT_WORD_MAX bytes of text; may be empty */
    Str task; /* a task's id; may be empty */
    DocIf when;
} ArtifactWrite;

/* JOT_INVALID names the byte at which the text is no JSON.  With JOT_CONFLICT *out is the ref of
 * what stands in the way (seq 0 and size 0: nothing). */
MUST_USE jot_status artifact_write(Memory *m, const ArtifactWrite *w, Arena *into, ArtifactRef *out,
                                   Err *e);

typedef struct ArtifactRead {
    Str category, id;
    Str version; /* 7 to 64 hex digits of its hash; empty: as it is now */
} ArtifactRead;

/* The artifact as it is, or as it was at a version.
 * JOT_NOT_FOUND: there is none, or no such version is kept.  JOT_CORRUPT: a person's edit left no
 * JSON; *out holds the text all the same. */
MUST_USE jot_status artifact_read(Memory *m, const ArtifactRead *r, Arena *into, Artifact *out,
                                  Err *e);

/* JOT_NOT_FOUND if it is not there.  Older versions stay readable. */
MUST_USE jot_status artifact_delete(Memory *m, Str category, Str id, const DocIf *when, Arena *into,
                                    Err *e);

/* --- Finding --------------------------------------------------------------------------- */

/* What is not empty must be equal. */
typedef struct ArtifactQuery {
    Str category;
    bool below; /* categories below that one too; without a category: all */
    Str id, type, task;
    bool documents; /* the named index documents instead of the artifacts */
    Str after;      /* "CATEGORY/ID": begin after this one */
    size_t limit;   /* 1 to ARTIFACT_FIND_MAX; 0: as many */
} ArtifactQuery;

typedef struct ArtifactProblem {
    Str name; /* of the stream */
    Str why;
} ArtifactProblem;

typedef struct ArtifactList {
    ArtifactRef *items; /* by stream name, in byte order */
    size_t n;
    bool more; /* ask again, after the last one */
    ArtifactProblem *problems;
    size_t problems_n;     /* at most ARTIFACT_PROBLEMS_MAX are reported ... */
    size_t problems_total; /* ... of this many */
} ArtifactList;

/* All artifacts that fit, from the streams.  One that cannot be understood, or whose file a person
 * has left without JSON in it, is a problem and hides nothing else. */
MUST_USE jot_status artifact_find(Memory *m, const ArtifactQuery *q, Arena *into, ArtifactList *out,
                                  Err *e);

/* --- Named index documents ------------------------------------------------------------- */

/* A JSON document `artifacts/index/CATEGORY/NAME`, replaced as one step; lists of artifacts do not
 * show it.  w->id is its name; type and task are not kept.  Its ref has CATEGORY without `index`.
 */
MUST_USE jot_status artifact_index_write(Memory *m, const ArtifactWrite *w, Arena *into,
                                         ArtifactRef *out, Err *e);
MUST_USE jot_status artifact_index_read(Memory *m, Str category, Str name, Arena *into,
                                        Artifact *out, Err *e);
MUST_USE jot_status artifact_index_delete(Memory *m, Str category, Str name, Arena *into, Err *e);

/* --- For other nouns and for doors ----------------------------------------------------- */

/* The stream of an artifact; JOT_INVALID with a sentence for what cannot be one. */
MUST_USE jot_status artifact_stream(Str category, Str id, Arena *into, Str *out, Err *e);

/* A sentence if the JSON is a string that holds JSON, which a model writes that meant the value;
 * else empty.  Static. */
Str artifact_hint(Str json);

/* A task's id, or nothing. */
MUST_USE jot_status artifact_check_task(Str task, Err *e);

/* The ref of a document just read or written. */
ArtifactRef artifact_ref_of(Memory *m, Str stream, const Doc *doc, Arena *into);

/* {"artifact_id", "category", "content_hash", "at", "type", "task_id", "by", "seq", "size"};
 * type and task_id are null when there is none.  The caller owns these. */
json_t *artifact_ref_json(const ArtifactRef *ref);
/* The ref's members and "data", the value itself; "text" instead where it is no JSON. */
json_t *artifact_json(const Artifact *a);
/* {"artifacts": [...], "more", "problems": [{"name", "why"}], "problems_total"} */
json_t *artifact_list_json(const ArtifactList *list);

#endif
