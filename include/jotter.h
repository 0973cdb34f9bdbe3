/* jotter.h - durable memory for agents, outside the context window.
 *
 * This is the whole public interface of libjotter, and its manual.  Only names
 * that begin with jot_ or JOT_ belong to it.  It is plain C99, readable by
 * binding generators, and usable from C++.
 *
 *     jot_pad *pad = jot_new();
 *     const jot_doc *plan;
 *     if (jot_open(pad, "files:notes", NULL) != JOT_OK ||
 *         jot_doc_write(pad, "plan", jot_str("ship on friday\n"), NULL, NULL) != JOT_OK ||
 *         jot_doc_read(pad, "plan", NULL, &plan) != JOT_OK)
 *         errx(1, "%s", jot_error(pad));
 *     fputs(plan->text.data, stdout);
 *     jot_free(pad);
 *
 * These rules hold for every function:
 *
 *   1. A call ends with a status.  JOT_OK of a change means: durable.  Otherwise
 *      jot_error() is one sentence about what is wrong and what is allowed, and
 *      nothing was changed, unless the status is JOT_UNKNOWN or the function says otherwise.
 *      A call that runs out of memory is JOT_UNKNOWN, and closes the pad.
 *   2. Results are borrowed from the pad, and valid until the next call on it
 *      returns: the arguments of a call may be results of the one before.
 *   3. `out` may be NULL if the result is not wanted.  When a call fails *out is
 *      NULL (or 0), unless the function says what it is.
 *   4. Names, ids and versions are strings that end in NUL; in results they are
 *      never NULL, and "" if there is none.  Contents are a jot_text: any bytes.
 *   5. `options` may be NULL.  The members are 0, NULL or false for what is
 *      usual; `size` is always the size of the struct.
 *   6. Only the library makes results; later versions may add members at the end
 *      of them, and of options.  The numbers in enums are never changed.
 *   7. A pad belongs to one thread at a time, and to one process: a forked child
 *      calls jot_open, on its copy too; other calls are JOT_INVALID there.  Any
 *      number of pads, threads and processes may use the same URL.
 *   8. Times are milliseconds since 1970, UTC; a limit of 0 is the largest that
 *      one call allows.  Other limits are in docs/design.md. */
#ifndef JOTTER_H
#define JOTTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The only place where the version stands. */
#define JOT_VERSION "0.1.0"

#if defined(__GNUC__)
#define JOT_API __attribute__((visibility("default")))
#else
#define JOT_API
#endif

/* How a call ended.  Numbers are part of the ABI, here and below: append, never renumber. */
typedef enum jot_status {
    JOT_OK = 0,
    JOT_INVALID = 1,      /* the argument is malformed; retrying cannot help */
    JOT_NOT_FOUND = 2,    /* no such key, stream, record or pad */
    JOT_CONFLICT = 3,     /* the expectation did not hold: somebody wrote in between */
    JOT_TOO_BIG = 4,      /* beyond a documented limit */
    JOT_UNAVAILABLE = 5,  /* the store is out of reach or busy; retrying may help */
    JOT_IO = 6,           /* the store failed to read or write; nothing was changed */
    JOT_LEASED = 7,       /* somebody else holds a lease on it */
    JOT_FENCED = 8,       /* the lease this write depends on has ended */
    JOT_READ_ONLY = 9,    /* this pad, or this handle, cannot be written */
    JOT_CORRUPT = 10,     /* stored bytes are damaged; they are kept */
    JOT_UNSUPPORTED = 11, /* this build, engine or format cannot do that */
    JOT_UNKNOWN = 12,     /* it may or may not have happened: read before you retry */
    JOT_CANCELLED = 13,   /* stopped on request */
    JOT_DENIED = 14,      /* not allowed by the system or by policy */
    JOT_ID_REUSED = 15    /* the id was used before, with other content */
} jot_status;

/* The library's version, as in JOT_VERSION.  Never NULL. */
JOT_API const char *jot_version(void);

/* The name of a status, as programs see it: "ok", "not_found" ...  Never NULL. */
JOT_API const char *jot_status_name(jot_status status);

/* --- Texts ------------------------------------------------------------------------------- */

/* Any bytes.  In a result, data is never NULL and a NUL that does not count follows it.  As an
 * argument it may be {NULL, 0}, which is the empty text. */
typedef struct jot_text {
    const char *data;
    size_t size;
} jot_text;

/* The text of a string, which must outlive it.  NULL is fine: the empty text. */
JOT_API jot_text jot_str(const char *string);

/* About how many tokens a text costs a model. */
JOT_API size_t jot_tokens(jot_text text);

/* What to tell a model about the scratchpad; `brief`: in less than 2 KiB.  Never NULL. */
JOT_API const char *jot_prompt(bool brief);

/* --- The pad ----------------------------------------------------------------------------- */

/* One open scratchpad and the agent that uses it. */
typedef struct jot_pad jot_pad;

/* A pad that is not open yet.  The caller owns it.  NULL if there is no memory: calls refuse it. */
JOT_API jot_pad *jot_new(void);

/* Close it and let go of all borrowed from it; leases that live with it are free.  NULL is fine. */
JOT_API void jot_free(jot_pad *pad);

/* The sentence of the last call if that failed, or "".  Never NULL. */
JOT_API const char *jot_error(const jot_pad *pad);

typedef struct jot_open_options {
    size_t size;
    const char *as;       /* who writes, at most 128 bytes; NULL: nobody in particular */
    const char *language; /* of word endings in a search, "german"; NULL: english */
    int64_t wait_ms;      /* for other writers; 0: 10 s; below 0: do not wait */
    bool existing;        /* JOT_NOT_FOUND instead of a new pad */
    bool read_only;       /* never write, not even to recover */
    const char *dialect;  /* of the tool "memory": "typescript", "python"; NULL: as documented */
} jot_open_options;

/* Open the pad a URL names: files:DIR, sqlite:FILE or mem:.  What does not begin with a scheme is a
 * path, taken as it is: it begins with '.', holds a '/', or is there (a file is sqlite:, all else
 * files:).  NULL: the pad the command line would use ($JOTTER_PAD, the nearest .jotter/ upward, the
 * user's own).  A pad that is open already is closed once the other one is open.  JOT_NOT_FOUND,
 * JOT_UNSUPPORTED: an engine or a format nobody here knows.  JOT_DENIED: the nearest .jotter/ is
 * another user's (see `jotter safe`). */
JOT_API jot_status jot_open(jot_pad *pad, const char *url, const jot_open_options *options);

typedef struct jot_info {
    const char *url;
    const char *why;       /* how it was found, as the rest of a sentence */
    const char *engine;    /* "files", "sqlite", "mem" */
    const char *read_only; /* why it cannot be written; "": it can */
    bool durable;          /* JOT_OK survives power loss */
    bool shared;           /* several processes may use it */
    bool edits_seen;       /* people may edit its files */
    bool edits_guarded;    /* an edit during a write cannot be overwritten unseen */
    /* What this handle met and repaired so far. */
    uint64_t torn;        /* unfinished records cut from the end of a stream */
    uint64_t damaged;     /* unreadable records passed over */
    uint64_t outside;     /* edits by people that became versions */
    uint64_t quarantined; /* files moved to quarantine/ */
    uint64_t restored;    /* files rebuilt from their history */
    const char *last;     /* the latest of these, as a sentence */
} jot_info;

/* Where the pad is and what it promises. */
JOT_API jot_status jot_where(jot_pad *pad, const jot_info **out);

typedef struct jot_changed {
    const char *const *names; /* of streams, such as "notes/plan"; in no order */
    size_t count;
    bool rescan;      /* anything may have changed */
    const char *next; /* the cursor to continue from */
} jot_changed;

/* What may have changed since `cursor` (NULL: everything), which may be as old as you like; waits
 * up to `wait_ms` for the first change.  Nothing is missed, some may be reported twice. jot_watch()
 * is the simpler one, for a program that stays. */
JOT_API jot_status jot_changes(jot_pad *pad, const char *cursor, int64_t wait_ms,
                               const jot_changed **out);

/* --- Documents --------------------------------------------------------------------------- */

/* A document is a note, given by its key, or any other, given by its whole name: memories/a.md,
 * artifacts/planning/plan_001, cycles/default, threads/mine/1 (a log that a program keeps of its
 * own, a record a version).  Its value is the newest version; all others stay readable.
 *
 * A version is given as 7 to 64 hex digits of its SHA-256, as a seq, as ~N for N versions back, as
 * a time (2026-01-31T18:45:00Z or 2026-01-31), or as NULL, "" or "now". */
typedef struct jot_doc {
    const char *name;    /* as one asks for it again */
    jot_text text;       /* empty in lists */
    uint64_t bytes;      /* of the whole text */
    const char *version; /* 12 hex digits; "" if it is deleted, or there is none */
    const char *sha256;  /* 64 hex digits; "" likewise */
    uint64_t seq;        /* 0: a person's edit that is not recorded (see jot_doc_read) */
    int64_t at_ms;
    const char *by;       /* who wrote it; "outside": a person with an editor */
    const char *meta;     /* a JSON object, or "" */
    bool deleted;         /* it is not there; with seq 0: it never was */
    bool redacted;        /* in a history: the text was removed */
    bool merged;          /* by a write: it holds somebody else's change too */
    size_t line;          /* by an edit: where it was made, from 1 on */
    size_t next_line;     /* by a bounded read: where to continue; 0: that was all */
    const char *left_out; /* by a bounded read: what is not in `text`, as a clause; or "" */
    const char *warning;  /* by a write: the text looks as if it held a secret; or "" */
} jot_doc;

typedef struct jot_docs {
    const jot_doc *const *items;
    size_t count;
    bool more;        /* there are more after the last one */
    uint64_t damaged; /* records that cannot be read, passed over */
} jot_docs;

typedef struct jot_write_options {
    size_t size;
    const char *if_version; /* only if it is still this one */
    const char *meta;       /* a JSON object to keep with it, at most 4 KiB */
    const char *id;         /* a retry with the same id and text changes nothing; 64 bytes */
    bool if_absent;         /* only if there is none */
    bool merge;             /* with if_version: write both changes, if they merge cleanly */
} jot_write_options;

/* Make `text` the value.  *out is the document as it is now: also with JOT_CONFLICT, where it is
 * the one in the way and jot_doc_merge() says more. */
JOT_API jot_status jot_doc_write(jot_pad *pad, const char *name, jot_text text,
                                 const jot_write_options *options, const jot_doc **out);

typedef struct jot_append_options {
    size_t size;
    const char *if_version;
    bool line; /* begin a new line, if what is there does not end in a line break */
} jot_append_options;

/* Append the text; appends of others are never lost.  A document that is not there is
 * made.  JOT_CONFLICT as above. */
JOT_API jot_status jot_doc_append(jot_pad *pad, const char *name, jot_text text,
                                  const jot_append_options *options, const jot_doc **out);

/* Replace the one place that reads exactly `old_text`.  JOT_INVALID: there is none, or there are
 * several.  `if_version` may be NULL, here and below.  JOT_CONFLICT as above. */
JOT_API jot_status jot_doc_edit(jot_pad *pad, const char *name, jot_text old_text,
                                jot_text new_text, const char *if_version, const jot_doc **out);

typedef struct jot_read_options {
    size_t size;
    const char *version;
    size_t line_from; /* the first line, from 1 on */
    size_t lines;     /* at most so many */
    size_t tokens;    /* at most about so many */
} jot_read_options;

/* A person's edit of the file is recorded before its version is named, here, in histories and by
 * jot_watch(); lists and searches record nothing.  Where that cannot be done (read-only, full, held
 * by another) it is read all the same, with seq 0.
 * JOT_NOT_FOUND: there is none, it was deleted, or there is no such version. */
JOT_API jot_status jot_doc_read(jot_pad *pad, const char *name, const jot_read_options *options,
                                const jot_doc **out);

typedef struct jot_list_options {
    size_t size;
    const char *after; /* only names after this one */
    size_t limit;      /* 1 to 1000 */
    bool deleted;      /* those that were deleted instead */
} jot_list_options;

/* The notes whose keys begin with `prefix` (NULL: all), or the documents whose whole names do
 * ("memories/"), in byte order, without texts. */
JOT_API jot_status jot_doc_list(jot_pad *pad, const char *prefix, const jot_list_options *options,
                                const jot_docs **out);

/* Delete it; the history stays.  JOT_NOT_FOUND.  JOT_CONFLICT as above. */
JOT_API jot_status jot_doc_delete(jot_pad *pad, const char *name, const char *if_version,
                                  const jot_doc **out);

/* Give it another name; the history stays with the old one.  JOT_CONFLICT: that name is taken. */
JOT_API jot_status jot_doc_move(jot_pad *pad, const char *from, const char *to,
                                const jot_doc **out);

/* What changed since the last call, in all streams whose names begin with `prefix` (NULL: all), and
 * from the first call on; waits up to `wait_ms` for the first change.  Nothing is reported twice;
 * of several versions in between only the last may be. */
JOT_API jot_status jot_watch(jot_pad *pad, const char *prefix, int64_t wait_ms,
                             const jot_docs **out);

/* --- What a document was ----------------------------------------------------------------- */

/* Up to `limit` (1 to 1000) versions older than seq `before` (0: all), newest first, without texts.
 * JOT_NOT_FOUND: there never was such a document. */
JOT_API jot_status jot_doc_history(jot_pad *pad, const char *name, uint64_t before, size_t limit,
                                   const jot_docs **out);

/* Up to `limit` (1 to 1000) versions from seq `from` on, oldest first, with their texts; fewer if
 * they have more than 16 MiB together.  A person's edit that is not recorded yet is not among them;
 * a redacted one has no text.  JOT_NOT_FOUND as above. */
JOT_API jot_status jot_doc_versions(jot_pad *pad, const char *name, uint64_t from, size_t limit,
                                    const jot_docs **out);

typedef struct jot_diff {
    jot_text text; /* as diff -u writes it; empty if nothing changed */
    size_t added;  /* lines */
    size_t removed;
} jot_diff;

/* How one version became another.  `from` NULL: the one before the last change; `to` NULL: now. */
JOT_API jot_status jot_doc_diff(jot_pad *pad, const char *name, const char *from, const char *to,
                                const jot_diff **out);

/* Who wrote each line: {"lines": [{"line", "text", "version", "seq", "at", "by"}], "cut"}. */
JOT_API jot_status jot_doc_blame_json(jot_pad *pad, const char *name, const char **out);

typedef struct jot_merge {
    const jot_doc *now; /* the document as it is, with its text */
    jot_text text;      /* both changes; marked where they touch each other */
    bool based;         /* false: `base` is not in the history, and there is no text */
    bool clean;         /* they do not touch each other: write the text, if_version now->version */
} jot_merge;

/* What comes of `mine`, made of the version `base`, and what was written since; changes nothing. */
JOT_API jot_status jot_doc_merge(jot_pad *pad, const char *name, const char *base, jot_text mine,
                                 const jot_merge **out);

/* Bring back what was before the last change; again, and it goes one change further back.
 * JOT_NOT_FOUND: there is nothing to undo.  JOT_CONFLICT as above. */
JOT_API jot_status jot_doc_undo(jot_pad *pad, const char *name, const char *if_version,
                                const jot_doc **out);
/* Bring back what the last undo took away, if nothing was written since.  JOT_NOT_FOUND: there is
 * nothing to redo. */
JOT_API jot_status jot_doc_redo(jot_pad *pad, const char *name, const char *if_version,
                                const jot_doc **out);

/* Write an older version again.  JOT_NOT_FOUND.  JOT_CONFLICT as above. */
JOT_API jot_status jot_doc_restore(jot_pad *pad, const char *name, const char *version,
                                   const char *if_version, const jot_doc **out);

/* Remove it and all its versions for good; runs keep what they saw.  JOT_NOT_FOUND: never there.
 * JOT_UNAVAILABLE, "is forgotten, but still in" a file or the index: so far; call again to see. */
JOT_API jot_status jot_doc_purge(jot_pad *pad, const char *name);

/* Remove an older version's text for good, in *count records.  JOT_INVALID: it is the present. */
JOT_API jot_status jot_doc_redact(jot_pad *pad, const char *name, const char *version,
                                  uint64_t *count);

/* Take a phrase out of every version: the present text gets "[redacted]", *count older ones lose
 * theirs.  Failed half-way: call again.  JOT_NOT_FOUND.  JOT_UNSUPPORTED: it stays in a meta. */
JOT_API jot_status jot_doc_redact_text(jot_pad *pad, const char *name, jot_text phrase,
                                       uint64_t *count);

/* --- Artifacts --------------------------------------------------------------------------- */

/* A JSON value under a category (one or more segments, a/b) and an id (one segment; '.' and ':' are
 * fine).  It is also the document artifacts/CATEGORY/ID, with all that documents can. */
typedef struct jot_artifact {
    const char *category;
    const char *id;
    const char *type; /* "": none */
    const char *task; /* "": none */
    const char *by;
    const char *sha256; /* of the stored bytes */
    int64_t at_ms;
    uint64_t seq;
    uint64_t bytes;
    jot_text text; /* the JSON, two spaces a level; empty in lists */
} jot_artifact;

/* Something that cannot be understood, and hides nothing else. */
typedef struct jot_problem {
    const char *name;
    const char *why;
} jot_problem;

typedef struct jot_artifacts {
    const jot_artifact *const *items;
    size_t count;
    bool more;
    const jot_problem *const *problems;
    size_t problems_count; /* at most 100 are listed ... */
    size_t problems_total; /* ... of this many */
} jot_artifacts;

typedef struct jot_artifact_options {
    size_t size;
    const char *type; /* at most 128 bytes */
    const char *task; /* a task's id */
    const char *if_version;
    bool if_absent;
} jot_artifact_options;

/* JOT_INVALID: at which byte it is no JSON.  JOT_CONFLICT: *out is in the way (seq 0: nothing). */
JOT_API jot_status jot_artifact_write(jot_pad *pad, const char *category, const char *id,
                                      jot_text json, const jot_artifact_options *options,
                                      const jot_artifact **out);

/* `version` is hex digits, or NULL for now.  JOT_NOT_FOUND.  JOT_CORRUPT: an edit left no JSON;
 * *out has the text all the same. */
JOT_API jot_status jot_artifact_read(jot_pad *pad, const char *category, const char *id,
                                     const char *version, const jot_artifact **out);

/* JOT_NOT_FOUND, JOT_CONFLICT. */
JOT_API jot_status jot_artifact_delete(jot_pad *pad, const char *category, const char *id,
                                       const char *if_version);

typedef struct jot_artifact_query {
    size_t size;
    /* What is not NULL must be equal. */
    const char *category;
    const char *id;
    const char *type;
    const char *task;
    const char *after; /* "CATEGORY/ID": begin after this one */
    size_t limit;      /* 1 to 1000 */
    bool below;        /* the categories below that one too; without a category: all */
    bool indexes;      /* the named indexes instead */
} jot_artifact_query;

/* Which artifacts there are, without texts, by category and id. */
JOT_API jot_status jot_artifact_list(jot_pad *pad, const jot_artifact_query *query,
                                     const jot_artifacts **out);

/* A named index is a JSON value that a program keeps beside a category, replaced as one step; the
 * list of artifacts does not show it.  Statuses as for artifacts. */
JOT_API jot_status jot_artifact_index_write(jot_pad *pad, const char *category, const char *name,
                                            jot_text json, const char *if_version,
                                            const jot_artifact **out);
JOT_API jot_status jot_artifact_index_read(jot_pad *pad, const char *category, const char *name,
                                           const jot_artifact **out);
JOT_API jot_status jot_artifact_index_delete(jot_pad *pad, const char *category, const char *name);

/* --- Results of tools -------------------------------------------------------------------- */

/* The sink: each result is kept whole, once, under its call's id; a context gets what fits. */
typedef struct jot_kept {
    const char *call;
    const char *tool;
    const char *handle; /* with which a model asks for more */
    jot_text shown;     /* the result, or its beginning */
    jot_text prompt;    /* the same with a line that says how to read the rest */
    bool spilled;       /* there is more than is shown */
    bool is_text;       /* it is UTF-8; a spilled one that is not shows nothing */
    bool same;          /* by a write with JOT_ID_REUSED: it was this very result */
    uint64_t bytes;     /* of the whole; with JOT_ID_REUSED 0: it was deleted since */
    uint64_t lines;
    const char *sha256; /* of the artifact in which it is kept */
    int64_t at_ms;
    const char *by;
} jot_kept;

typedef struct jot_sink_options {
    size_t size;
    const char *arguments; /* of the call, JSON */
    const char *task;
    size_t inline_max;  /* more bytes than these are spilled; 0: 8192 */
    bool always_inline; /* it is useless in part */
} jot_sink_options;

/* JOT_ID_REUSED: this call has a result; *out is that one. */
JOT_API jot_status jot_sink_write(jot_pad *pad, const char *call, const char *tool, jot_text result,
                                  const jot_sink_options *options, const jot_kept **out);

/* What the context got.  `inline_max` as above. */
JOT_API jot_status jot_sink_view(jot_pad *pad, const char *call, size_t inline_max,
                                 const jot_kept **out);

typedef enum jot_unit { JOT_WHOLE = 0, JOT_BYTES = 1, JOT_LINES = 2 } jot_unit;

typedef struct jot_slice {
    jot_text text;
    uint64_t from; /* the bytes it is: [from, to) */
    uint64_t to;
    uint64_t line_from; /* by lines: the first and the last one; else 0 */
    uint64_t line_to;
    uint64_t bytes; /* of the whole */
    uint64_t lines;
    bool more; /* something follows */
} jot_slice;

/* A part of a result, by its call or handle: `count` (0: all) bytes from 0 on, or lines from 1 on.
 * Bytes of text are given in whole characters. */
JOT_API jot_status jot_sink_read(jot_pad *pad, const char *call, jot_unit unit, uint64_t from,
                                 uint64_t count, const jot_slice **out);

/* --- Line logs --------------------------------------------------------------------------- */

typedef struct jot_line {
    uint64_t seq;
    int64_t at_ms;
    const char *by;
    jot_text text; /* without a line break */
    bool redacted;
} jot_line;

typedef struct jot_lines {
    const jot_line *const *items; /* oldest first */
    size_t count;
    bool more;        /* there are newer ones */
    uint64_t next;    /* the seq to continue from */
    uint64_t damaged; /* lines that cannot be read, passed over */
} jot_lines;

/* Add a line, at most 1 MiB, without a line break in it, to the log logs/CATEGORY/NAME.  `id` as in
 * jot_write_options, or NULL. */
JOT_API jot_status jot_line_log_append(jot_pad *pad, const char *category, const char *name,
                                       jot_text line, const char *id, const jot_line **out);

/* Up to `limit` (1 to 1000) lines from seq `from` on.  JOT_NOT_FOUND: no such log. */
JOT_API jot_status jot_line_log_read(jot_pad *pad, const char *category, const char *name,
                                     uint64_t from, size_t limit, const jot_lines **out);

/* The newest lines. */
JOT_API jot_status jot_line_log_tail(jot_pad *pad, const char *category, const char *name,
                                     size_t limit, const jot_lines **out);

/* How far a follower has read: all zeros in the beginning, then whatever the last call made of it.
 */
typedef struct jot_line_log_cursor {
    uint64_t seq;
    uint8_t chain[32];
    char cursor[120];
} jot_line_log_cursor;

/* The lines after `cursor`, which moves on; if there are none it waits once, up to `wait_ms`, until
 * something changes in the pad.  So an answer without lines is no end. */
JOT_API jot_status jot_line_log_follow(jot_pad *pad, const char *category, const char *name,
                                       jot_line_log_cursor *cursor, int64_t wait_ms,
                                       const jot_lines **out);

/* --- Checkpoints ------------------------------------------------------------------------- */

/* A whole state of a run.  Writing puts one on a stack, undoing takes the top off. */
typedef struct jot_checkpoint {
    uint64_t version;
    int64_t at_ms;
    const char *by;
    const char *label;
    uint64_t undone;   /* by an undo: the version that was taken off; else 0 */
    uint64_t restored; /* by an undo: the version whose state this is; else 0 */
    bool live;         /* in lists: it is on the stack */
    uint64_t bytes;
    const char *sha256;
    jot_text state; /* empty in lists */
} jot_checkpoint;

typedef struct jot_checkpoints {
    const jot_checkpoint *const *items; /* the newest ones, by version */
    size_t count;
    uint64_t total;   /* versions kept */
    uint64_t depth;   /* states on the stack */
    uint64_t damaged; /* versions that cannot be read */
} jot_checkpoints;

/* `label` is at most 128 bytes, or NULL. */
JOT_API jot_status jot_checkpoint_write(jot_pad *pad, const char *run, jot_text state,
                                        const char *label, const jot_checkpoint **out);

/* A version, or with 0 the state to continue from.  JOT_NOT_FOUND. */
JOT_API jot_status jot_checkpoint_read(jot_pad *pad, const char *run, uint64_t version,
                                       const jot_checkpoint **out);

/* Go one back; *out is the state to continue from.  `if_version`: only if that is the present one;
 * 0: any.  JOT_NOT_FOUND: the stack is empty.  JOT_CONFLICT. */
JOT_API jot_status jot_checkpoint_undo(jot_pad *pad, const char *run, uint64_t if_version,
                                       const jot_checkpoint **out);

JOT_API jot_status jot_checkpoint_list(jot_pad *pad, const char *run, size_t limit,
                                       const jot_checkpoints **out);

/* Drop versions deeper than `states` on the stack, or older than `age_ms`; 0 is no rule. */
JOT_API jot_status jot_checkpoint_trim(jot_pad *pad, const char *run, uint64_t states,
                                       int64_t age_ms, uint64_t *dropped);

/* --- Runs -------------------------------------------------------------------------------- */

/* The log of an agent's work on one query.  Whatever happens is recorded as it happens; a process
 * that dies is followed by another, which asks for the unfinished calls and continues. */
typedef enum jot_step_kind {
    JOT_STEP_OTHER = 0, /* written by something else, or by a newer version */
    JOT_STEP_INIT = 1,  /* the query */
    JOT_STEP_THINKING = 2,
    JOT_STEP_CALL = 3,    /* a tool was called; the text is its arguments */
    JOT_STEP_RESULT = 4,  /* what came of it */
    JOT_STEP_CLEAR = 5,   /* the oldest results are no longer shown */
    JOT_STEP_COMPACT = 6, /* the text sums up every result so far */
    JOT_STEP_PLAN = 7,
    JOT_STEP_ANSWER = 8
} jot_step_kind;

typedef struct jot_run_options {
    size_t size;
    uint64_t limit;      /* calls of one tool that are suggested in this run; 0: 3 */
    uint64_t similarity; /* per cent of their words two queries share to be similar; 0: 70 */
} jot_run_options;

/* Begin a run; *out is its id.  Its limits are recorded: they count for everybody who looks at it.
 */
JOT_API jot_status jot_run_begin(jot_pad *pad, jot_text query, const jot_run_options *options,
                                 const char **out);

/* Record a thought, a plan or the answer, UTF-8.  JOT_NOT_FOUND: no such run, here and below. */
JOT_API jot_status jot_run_say(jot_pad *pad, const char *run, jot_step_kind kind, jot_text text);

/* Words for the model, "" if there is nothing to say; never a reason to refuse a call. */
typedef struct jot_warnings {
    const char *limit; /* the tool was called often, or with a very similar query */
    const char *loop;  /* the same call again and again */
} jot_warnings;

typedef struct jot_call_options {
    size_t size;
    const char *arguments; /* a JSON object; NULL: {} */
    uint64_t limit;        /* calls of one tool that are suggested; 0: the run's */
    bool mutating;         /* it changes something, so it must not be repeated unseen */
    uint64_t similarity;   /* per cent, 1 to 100; 0: the run's */
} jot_call_options;

/* Record a call before it is made; `call` is the provider's id of it.  *out is what to tell the
 * model about it.  JOT_CONFLICT: a call of that id is open. */
JOT_API jot_status jot_run_call(jot_pad *pad, const char *run, const char *call, const char *tool,
                                const jot_call_options *options, const jot_warnings **out);

/* Record what came of it; `ok`: the tool did not fail.  *number counts the results of the run from
 * 1 on.  JOT_NOT_FOUND: no such call is open. */
JOT_API jot_status jot_run_result(jot_pad *pad, const char *run, const char *call, bool ok,
                                  jot_text result, uint64_t *number);

typedef struct jot_finish_options {
    size_t size;
    const char *call;      /* the provider's id of it; NULL: one is made up */
    const char *arguments; /* a JSON object; NULL: {} */
    bool failed;
    uint64_t limit; /* these two as above */
    uint64_t similarity;
} jot_finish_options;

typedef struct jot_finished {
    const char *call;
    uint64_t number; /* of the result */
    jot_warnings warnings;
} jot_finished;

/* Both at once, for a call that has ended.  If a call of this id and tool is open, only its result
 * is recorded: so this may be repeated by who does not know whether it arrived. */
JOT_API jot_status jot_run_finish(jot_pad *pad, const char *run, const char *tool, jot_text result,
                                  const jot_finish_options *options, const jot_finished **out);

/* Show only the newest `keep` results from now on; *cleared is how many that hides.  It is a step
 * of the run, JOT_STEP_CLEAR, which jot_run_history shows to those who follow it. */
JOT_API jot_status jot_run_clear(jot_pad *pad, const char *run, uint64_t keep, uint64_t *cleared);

/* From now on `summary`, UTF-8 and not empty, stands for every result so far. */
JOT_API jot_status jot_run_compact(jot_pad *pad, const char *run, jot_text summary);

/* Remove a run and all its records for good; its id is not given again. */
JOT_API jot_status jot_run_purge(jot_pad *pad, const char *run);

/* Remove the text of record `seq` for good, or with 0 of all that hold `phrase`, as it stands or as
 * JSON writes it; *count is how many.  JOT_UNSUPPORTED: a meta has it too, and it stays there. */
JOT_API jot_status jot_run_redact(jot_pad *pad, const char *run, uint64_t seq, jot_text phrase,
                                  uint64_t *count);

typedef struct jot_run {
    const char *id;
    jot_text query;
    jot_text plan;      /* the newest one */
    jot_text answer;    /* the newest one */
    uint64_t seq;       /* of the newest record */
    uint64_t results;   /* how many there are ... */
    uint64_t shown;     /* ... and are shown in full */
    uint64_t compacted; /* results up to here are summed up */
    uint64_t cleared;   /* results up to here are not shown */
    uint64_t thoughts;
    uint64_t open;    /* calls without a result */
    uint64_t damaged; /* records that cannot be read */
} jot_run;

JOT_API jot_status jot_run_read(jot_pad *pad, const char *run, const jot_run **out);

typedef struct jot_step {
    jot_step_kind kind;
    uint64_t seq;
    int64_t at_ms;
    const char *by;
    jot_text text;
    const char *call;
    const char *tool;
    bool mutating;   /* of a call */
    bool ok;         /* of a result */
    bool redacted;   /* the text was removed */
    uint64_t number; /* of a result; of a compact: how many results it sums up */
    uint64_t from;   /* of a clear: these results */
    uint64_t to;
} jot_step;

typedef struct jot_steps {
    const jot_step *const *items; /* oldest first */
    size_t count;
    uint64_t next;    /* the seq to continue from; 0: that was all */
    uint64_t damaged; /* records that cannot be read, passed over */
} jot_steps;

/* Up to `limit` (1 to 1000) steps from seq `from` on. */
JOT_API jot_status jot_run_history(jot_pad *pad, const char *run, uint64_t from, size_t limit,
                                   const jot_steps **out);

typedef struct jot_run_line {
    const char *id;
    jot_text query;
    int64_t at_ms;    /* of the newest record */
    const char *by;   /* of the newest record */
    uint64_t records; /* some of which only add up the others */
} jot_run_line;

typedef struct jot_runs {
    const jot_run_line *const *items; /* the newest first */
    size_t count;
    uint64_t older; /* that are not in the list */
} jot_runs;

/* The newest `limit` (1 to 1000) runs. */
JOT_API jot_status jot_run_list(jot_pad *pad, size_t limit, const jot_runs **out);

/* The results as a prompt shows them; with `from` 1 or more: those up to `to` (0: the newest), all
 * in full.  A line in a result that looks like structure gets a backslash in front. */
JOT_API jot_status jot_run_results(jot_pad *pad, const char *run, uint64_t from, uint64_t to,
                                   const jot_text **out);

/* What the final answer is made from: every result that is no failure, below its call. */
JOT_API jot_status jot_run_final(jot_pad *pad, const char *run, const jot_text **out);

/* The block for a prompt that says how often each tool was called.  `limit` 0: the run's. */
JOT_API jot_status jot_run_usage(jot_pad *pad, const char *run, uint64_t limit,
                                 const jot_text **out);

typedef struct jot_open_call {
    const char *call;
    const char *tool;
    jot_text arguments;
    uint64_t seq;
    bool mutating; /* it may have happened: look before you repeat it */
    bool stored;   /* its result is in the sink: only recording it is missing */
} jot_open_call;

typedef struct jot_open_calls {
    const jot_open_call *const *items; /* in the order they were issued */
    size_t count;
} jot_open_calls;

/* The calls that were issued and not completed: what a process that takes over decides about. */
JOT_API jot_status jot_run_unfinished(jot_pad *pad, const char *run, const jot_open_calls **out);

/* --- Cycles ------------------------------------------------------------------------------ */

/* One turn of an agent that sleeps in between: wake, steps, sleep.  What it knows is one document,
 * its state, cycles/AGENT, YAML that people may edit at any time.  Each call is durable when it
 * returns, and may come from another process than the one before.  `agent` NULL is "default". */
typedef enum jot_cycle_end {
    JOT_CYCLE_RUNNING = 0,
    JOT_CYCLE_DONE = 1,    /* the model said done */
    JOT_CYCLE_LIMIT = 2,   /* all its iterations are used up */
    JOT_CYCLE_STOPPED = 3, /* it was put to sleep before that */
    JOT_CYCLE_FAILED = 4,  /* somebody said so */
    JOT_CYCLE_KILLED = 5   /* nobody did: it gave no sign any more */
} jot_cycle_end;

typedef struct jot_cycle {
    const char *agent;
    const char *id;
    const char *by; /* who woke */
    int64_t started_ms;
    int64_t ended_ms; /* 0: it runs */
    jot_cycle_end end;
    jot_text why;    /* of a failed one */
    jot_text before; /* exactly what the state was when it woke */
    jot_text after;  /* exactly what it ended with */
    jot_text state;  /* as it stands now: after the last step, or at the end; "": `after` is none */
    bool done;       /* the model said so: no more replies */
    bool dead;       /* it runs, but gave no sign for its ttl, or its lease expired */
    bool waiting;    /* a tool was called and its result is missing: */
    const char *tool;
    const char *arguments; /* JSON */
    int64_t left_ms;       /* until it counts as dead */
    uint64_t iterations;
    uint64_t iterations_max;
    const char *notice; /* what was met on the way, a sentence a line; or "" */
} jot_cycle;

typedef struct jot_cycle_options {
    size_t size;
    const char *const *goals;
    size_t goals_count;
    const char *task; /* NULL: the first goal */
    const char *notes;
} jot_cycle_options;

/* Write an agent's first state; *out is its text.  JOT_CONFLICT: there is one. */
JOT_API jot_status jot_cycle_init(jot_pad *pad, const char *agent, const jot_cycle_options *options,
                                  const jot_text **out);

typedef struct jot_wake_options {
    size_t size;
    int64_t iterations_max; /* 1 to 1000; 0: 5 */
    int64_t ttl_ms;         /* without a sign it counts as dead; up to 7 days; 0: 15 minutes */
    uint64_t lease;         /* the token it runs under: it is dead when that lease expires */
} jot_wake_options;

/* Begin a cycle.  What a dead one left is finished first.  JOT_LEASED: one of this agent is
 * running.  JOT_INVALID: the state is no state; the sentence gives line and column. */
JOT_API jot_status jot_cycle_wake(jot_pad *pad, const char *agent, const jot_wake_options *options,
                                  const jot_cycle **out);

typedef enum jot_action {
    JOT_ACTION_UNREADABLE = 0, /* no JSON object with a tool in it */
    JOT_ACTION_TOOL = 1,       /* run this tool, and bring its result */
    JOT_ACTION_UPDATE = 2,     /* the state was changed */
    JOT_ACTION_DONE = 3,
    JOT_ACTION_REDACTED = 4 /* the reply a result belongs to was redacted */
} jot_action;

typedef enum jot_cycle_step_kind {
    JOT_CYCLE_STEP_REPLY = 0,   /* of the model */
    JOT_CYCLE_STEP_RESULT = 1,  /* of the tool it called */
    JOT_CYCLE_STEP_ERROR = 2,   /* why that tool failed */
    JOT_CYCLE_STEP_UNKNOWN = 3, /* there is no such tool */
    JOT_CYCLE_STEP_END = 4      /* the cycle ended; never given, only read */
} jot_cycle_step_kind;

typedef struct jot_cycle_stepped {
    jot_action action; /* what the reply asks for */
    const char *tool;
    const char *arguments;  /* JSON */
    jot_text said;          /* the entry that went into the notes */
    const jot_cycle *cycle; /* as it is now */
} jot_cycle_stepped;

/* Take a step: a model's reply as it came, {"tool": NAME, "args": {...}} alone or inside prose; or
 * what came of the tool it called.  JOT_INVALID: a tool's result is missing, or there is nothing
 * left to do.  JOT_CONFLICT: another process took a step.  JOT_FENCED: the cycle has ended. */
JOT_API jot_status jot_cycle_step(jot_pad *pad, const char *agent, const char *id,
                                  jot_cycle_step_kind kind, jot_text text,
                                  const jot_cycle_stepped **out);

/* End it with what the steps made of the state; calling it again is fine.  JOT_FENCED: it has
 * ended another way. */
JOT_API jot_status jot_cycle_sleep(jot_pad *pad, const char *agent, const char *id,
                                   const jot_cycle **out);

/* End it and keep the state as it was before, with a line that says why; `trace` goes to the log of
 * the cycle.  JOT_FENCED likewise. */
JOT_API jot_status jot_cycle_fail(jot_pad *pad, const char *agent, const char *id, jot_text why,
                                  jot_text trace, const jot_cycle **out);

/* One cycle, running or ended; `id` NULL is the newest.  JOT_NOT_FOUND. */
JOT_API jot_status jot_cycle_read(jot_pad *pad, const char *agent, const char *id,
                                  const jot_cycle **out);

typedef struct jot_cycle_record {
    uint64_t seq; /* N of the key steps/AGENT/ID/N, by which the tool scratchpad_read gives it */
    int64_t at_ms;
    const char *by;
    jot_cycle_step_kind kind;
    jot_text text;     /* the reply or the result, whole, as it came */
    jot_action action; /* what a reply asks for; of a result, what it answers */
    const char *tool;
    const char *arguments; /* JSON */
    jot_cycle_end end;     /* of the end */
    jot_text why;          /* likewise */
} jot_cycle_record;

typedef struct jot_cycle_records {
    const jot_cycle_record *const *items; /* oldest first */
    size_t count;
    bool more;
    uint64_t next; /* the seq to continue from */
    uint64_t damaged;
} jot_cycle_records;

/* Up to `limit` (1 to 999) steps of a cycle from seq `from` on; `id` NULL is the newest.  A cycle
 * that was imported has none. */
JOT_API jot_status jot_cycle_steps(jot_pad *pad, const char *agent, const char *id, uint64_t from,
                                   size_t limit, const jot_cycle_records **out);

/* The log of a cycle: what was said and done, step by step, and how it ended; `id` as above. */
JOT_API jot_status jot_cycle_log(jot_pad *pad, const char *agent, const char *id,
                                 const jot_text **out);

/* What became of it and what it changed: {"reading", "sentence", "hint", "see_log", "diff",
 * "cycle"}. */
JOT_API jot_status jot_cycle_explain_json(jot_pad *pad, const char *agent, const char *id,
                                          const char **out);

typedef struct jot_cycle_line {
    const char *id;
    int64_t started_ms; /* 0: not known */
    int64_t ended_ms;   /* 0: it runs, or not known */
    jot_cycle_end end;
    uint64_t iterations;
    jot_text why;
} jot_cycle_line;

typedef struct jot_cycles {
    const jot_cycle_line *const *items; /* the newest first */
    size_t count;
} jot_cycles;

JOT_API jot_status jot_cycle_list(jot_pad *pad, const char *agent, const jot_cycles **out);

/* Start over with this state as it is; empty: the empty state.  `clean`: also delete snapshots,
 * steps and logs of the agent's cycles; *removed counts them.  JOT_LEASED: one is running. */
JOT_API jot_status jot_cycle_reset(jot_pad *pad, const char *agent, jot_text state, bool clean,
                                   uint64_t *removed);

/* --- Context ----------------------------------------------------------------------------- */

typedef struct jot_left {
    const char *what; /* "note", "results", "notes", "open items" ... */
    const char *why;  /* "cut", "left out", "masked", "cleared", "summed up", "not text",
                         "not in full" */
    const char *name; /* of a note */
    uint64_t from;    /* of results */
    uint64_t to;
    const char *get; /* the command or the call that gets it; may be "" */
    uint64_t count;  /* of "notes" and "open items" */
} jot_left;

typedef struct jot_shown {
    jot_text text;
    size_t prefix;   /* bytes at its beginning that seldom change: let a provider cache them */
    uint64_t tokens; /* estimated; at most the budget */
    uint64_t budget;
    uint64_t results;            /* of the run that are shown in full */
    uint64_t damaged;            /* records that cannot be read */
    const jot_left *const *left; /* what is not shown in full */
    size_t left_count;
} jot_shown;

typedef struct jot_context_options {
    size_t size;
    uint64_t budget;   /* tokens, 100 to 4,000,000; 0: 8000 */
    const char *run;   /* with the query and the results of this run */
    const char *agent; /* with the state of this agent's cycles */
    jot_text rules;    /* standing rules, UTF-8, in front of all */
    uint64_t limit;    /* of calls, as above; 0: the run's */
    bool tools;        /* the reader has the tools of a pad: say what was left out by their calls */
    const char *query; /* also what the pad has about this, as jot_search_evidence gives it */
} jot_context_options;

/* What a model is shown: rules, pinned notes (as a rule, if the user approved the text: `jotter
 * rules`), the query; state, results, plan, open calls, use of tools; without a run what is open in
 * the pad, the index of its notes, the newest of them; what was left out.  A part
 * begins with <jotter-WORD SIGN ...> and ends at the next line with SIGN.  The same pad gives the
 * same user the same bytes.  JOT_NOT_FOUND: no such run. */
JOT_API jot_status jot_context(jot_pad *pad, const jot_context_options *options,
                               const jot_shown **out);

/* --- Tasks ------------------------------------------------------------------------------- */

typedef enum jot_task_status {
    JOT_TASK_PENDING = 1,
    JOT_TASK_READY = 2,
    JOT_TASK_RUNNING = 3,
    JOT_TASK_COMPLETED = 4,
    JOT_TASK_FAILED = 5,
    JOT_TASK_BLOCKED = 6
} jot_task_status;

typedef struct jot_task {
    const char *id;
    jot_text description;
    jot_text expected_output;
    const char *agent; /* "": anybody */
    const char *const *tools;
    size_t tools_count;
    const char *const *dependencies;
    size_t dependencies_count;
    int64_t priority; /* higher comes first */
    int64_t max_retries;
    int64_t retry_count;
    jot_task_status status;
    jot_text reason; /* why it is blocked or failed */
    jot_text result;
    bool blocked_until_manual;
    uint64_t seq; /* of the last event; 0: git brought it, and it has none here yet */
    int64_t at_ms;
    const char *by;
    /* By jot_task_ready(): why it is not ready. */
    const char *const *waits;
    size_t waits_count;
    const char *holder; /* who runs it; "": nobody */
    bool cancelled;     /* nobody is to do it, until somebody makes it ready by hand */
} jot_task;

typedef struct jot_task_options {
    size_t size;
    jot_text description;
    jot_text expected_output;
    const char *agent;
    const char *const *tools;
    size_t tools_count;
    const char *const *dependencies; /* ids of tasks */
    size_t dependencies_count;
    int64_t priority;
    int64_t max_retries;
    bool later; /* the dependencies may be added afterwards */
} jot_task_options;

/* JOT_CONFLICT: there is a task of this id.  JOT_INVALID: a dependency is missing, or closes a
 * cycle, which the sentence shows.  `id` NULL: one is made from the description. */
JOT_API jot_status jot_task_add(jot_pad *pad, const char *id, const jot_task_options *options,
                                const jot_task **out);

JOT_API jot_status jot_task_read(jot_pad *pad, const char *id, const jot_task **out);

typedef struct jot_task_move_options {
    size_t size;
    jot_text reason; /* needed for blocked and failed */
    jot_text result; /* for completed */
    uint64_t if_seq; /* only if this is the last event; 0: any */
    bool manual;     /* decided by a person, or by a program that may decide */
} jot_task_move_options;

/* JOT_INVALID: there is no way from where it is; the sentence lists those there are.  JOT_CONFLICT:
 * somebody moved it, or it waits for a dependency.  With either, *out is the task as it is now. */
JOT_API jot_status jot_task_move(jot_pad *pad, const char *id, jot_task_status to,
                                 const jot_task_move_options *options, const jot_task **out);

/* To running; a pending task is made ready first, if it may be.  Statuses as above; what somebody
 * else runs is a conflict that names them. */
JOT_API jot_status jot_task_start(jot_pad *pad, const char *id, bool manual, const jot_task **out);

/* Start the first task that may be started now, the most important first, and is meant for this
 * pad's author or for anybody.  Of two who ask at once each gets one.  JOT_NOT_FOUND: there is
 * none. */
JOT_API jot_status jot_task_next(jot_pad *pad, const jot_task **out);

typedef struct jot_task_edit_options {
    size_t size;
    const jot_text *description; /* NULL stays, here and below */
    const jot_text *expected_output;
    const char *agent; /* "": anybody */
    const int64_t *priority;
    const int64_t *max_retries;
    const char *const *tools; /* all of them, in the place of those there are */
    size_t tools_count;
    const char *const *dependencies; /* likewise, while it is pending */
    size_t dependencies_count;
    bool later;      /* the dependencies may be added afterwards */
    uint64_t if_seq; /* only if this is the last event; 0: any */
} jot_task_edit_options;

/* Change what a task says; its state stays as it is.  JOT_INVALID: nothing would change, or it is
 * completed. */
JOT_API jot_status jot_task_edit(jot_pad *pad, const char *id, const jot_task_edit_options *options,
                                 const jot_task **out);

/* It is not to be done: blocked, with the reason, and `cancelled`; made ready by hand it is a task
 * again.  JOT_CONFLICT: somebody else runs it, and `manual` is not set. */
JOT_API jot_status jot_task_cancel(jot_pad *pad, const char *id,
                                   const jot_task_move_options *options, const jot_task **out);

typedef struct jot_task_event {
    uint64_t seq;
    int64_t at_ms;
    const char *by;
    const char *type; /* created, edited, state_changed, blocked, unblocked, completed, failed,
                         cancelled; imported */
    const char *from;
    const char *to;
    jot_text reason;
    jot_text result;
    bool manual;
} jot_task_event;

typedef struct jot_task_events {
    const jot_task_event *const *items; /* oldest first */
    size_t count;
    bool more;
    uint64_t next; /* the seq to continue from */
    uint64_t damaged;
} jot_task_events;

/* Up to `limit` (1 to 1000) events from seq `from` on. */
JOT_API jot_status jot_task_history(jot_pad *pad, const char *id, uint64_t from, size_t limit,
                                    const jot_task_events **out);

typedef struct jot_tasks {
    const jot_task *const *items;
    size_t count;
    bool more;
    const jot_problem *const *problems;
    size_t problems_count; /* at most 100 are listed ... */
    size_t problems_total; /* ... of this many */
} jot_tasks;

typedef struct jot_task_query {
    size_t size;
    jot_task_status status; /* 0: any */
    const char *after;      /* an id: begin after it */
    size_t limit;           /* 1 to 1000 */
    bool mine;              /* only what this pad's author holds, or is to do and nobody holds */
} jot_task_query;

/* The tasks, by id. */
JOT_API jot_status jot_task_list(jot_pad *pad, const jot_task_query *query, const jot_tasks **out);

/* What can be done next: the tasks that may be started now, the most important first, and in
 * *waiting (may be NULL) those that may not, each with what it waits for. */
JOT_API jot_status jot_task_ready(jot_pad *pad, const jot_tasks **ready, const jot_tasks **waiting);

/* --- Plans ------------------------------------------------------------------------------- */

/* Steps and postconditions that are closed with evidence.  The plan of a run has the run's id. */
typedef enum jot_plan_status {
    JOT_PLAN_PENDING = 0,
    JOT_PLAN_IN_PROGRESS = 1,
    JOT_PLAN_DONE = 2,   /* needs evidence: what was seen that shows it */
    JOT_PLAN_BLOCKED = 3 /* needs notes that say why */
} jot_plan_status;

typedef struct jot_plan_step_state {
    const char *description;
    jot_plan_status status;
    const char *evidence;
    const char *notes;
} jot_plan_step_state;

typedef struct jot_plan_postcondition {
    const char *description;
    bool satisfied;
    const char *evidence;
} jot_plan_postcondition;

typedef struct jot_plan {
    const char *id;
    const char *objective;
    const jot_plan_step_state *const *steps; /* the first is number 1 */
    size_t steps_count;
    const jot_plan_postcondition *const *postconditions; /* likewise */
    size_t postconditions_count;
    bool ready;    /* every step is done or blocked, every postcondition satisfied */
    jot_text text; /* as a model is shown it */
    uint64_t seq;  /* of the last event; 0: git brought it, and it has none here yet */
    int64_t at_ms;
    const char *by;
} jot_plan;

typedef struct jot_plan_options {
    size_t size;
    const char *objective;    /* needed */
    const char *const *steps; /* 1 to 100 */
    size_t steps_count;
    const char *const *postconditions; /* at most 100 */
    size_t postconditions_count;
} jot_plan_options;

/* Make a plan, or replace the one of that id; the old one stays in the history. */
JOT_API jot_status jot_plan_create(jot_pad *pad, const char *id, const jot_plan_options *options,
                                   const jot_plan **out);

/* JOT_NOT_FOUND: no such plan, here and below. */
JOT_API jot_status jot_plan_read(jot_pad *pad, const char *id, const jot_plan **out);

typedef struct jot_plan_step_options {
    size_t size;
    jot_plan_status status;
    const char *evidence; /* NULL: as it was, here and below */
    const char *notes;
} jot_plan_step_options;

/* Update step `n`, from 1.  JOT_INVALID: no such step, or evidence or notes are missing. */
JOT_API jot_status jot_plan_step(jot_pad *pad, const char *id, size_t n,
                                 const jot_plan_step_options *options, const jot_plan **out);

/* Mark postcondition `n`, from 1, as satisfied.  JOT_INVALID as above. */
JOT_API jot_status jot_plan_verify(jot_pad *pad, const char *id, size_t n, const char *evidence,
                                   const jot_plan **out);

typedef struct jot_plans {
    const char *const *ids; /* in byte order */
    size_t count;
} jot_plans;

JOT_API jot_status jot_plan_list(jot_pad *pad, const jot_plans **out);

/* --- Leases ------------------------------------------------------------------------------ */

/* A document, or all whose names begin alike, had by one writer for a while.  Writes of a pad that
 * holds the lease succeed only while it stands; afterwards they are JOT_FENCED, however long the
 * holder slept.  A writer that holds none is not stopped. */
typedef struct jot_lease {
    const char *on; /* the stream, notes/plan, or what the streams' names begin with */
    bool prefix;    /* the latter */
    bool live;      /* it also ends with the pad that took it, and its process */
    uint64_t token; /* a number that only grows: the right to write */
    const char *by;
    int64_t ttl_ms;
    int64_t left_ms; /* until it ends by itself */
} jot_lease;

typedef struct jot_leases {
    const jot_lease *const *items; /* by name */
    size_t count;
} jot_leases;

typedef struct jot_lease_options {
    size_t size;
    int64_t ttl_ms;  /* 100 ms to 24 h; 0: a minute */
    int64_t wait_ms; /* for others to let go */
    bool prefix;     /* on all names that begin with `name` */
    bool live;       /* it ends at once when this pad is closed or its process dies */
} jot_lease_options;

/* `name` is a note's key, the name of a stream, or, if it ends in '/', what names begin with.
 * Asking again for what the pad has renews it.  JOT_LEASED: *out is the lease in the way. */
JOT_API jot_status jot_lease_acquire(jot_pad *pad, const char *name,
                                     const jot_lease_options *options, const jot_lease **out);

/* The whole time again; `ttl_ms` 0: as long as before.  JOT_FENCED: it has ended. */
JOT_API jot_status jot_lease_renew(jot_pad *pad, uint64_t token, int64_t ttl_ms,
                                   const jot_lease **out);

/* Let others have it.  JOT_FENCED: it had ended already; it is released all the same. */
JOT_API jot_status jot_lease_release(jot_pad *pad, uint64_t token);

/* Write under a lease that another process took; `token` names it.  If it had ended before this
 * pad saw it, by a write or by jot_lease_check, what it was on is unknown, and every write is
 * JOT_FENCED. */
JOT_API jot_status jot_lease_adopt(jot_pad *pad, uint64_t token);

/* JOT_FENCED: there is no such lease, or it has ended. */
JOT_API jot_status jot_lease_check(jot_pad *pad, uint64_t token, const jot_lease **out);

/* The lease in the way of a caller who asks for this name.  JOT_NOT_FOUND: it is free. */
JOT_API jot_status jot_lease_find(jot_pad *pad, const char *name, bool prefix,
                                  const jot_lease **out);

JOT_API jot_status jot_lease_list(jot_pad *pad, const jot_leases **out);

/* --- Search ------------------------------------------------------------------------------ */

typedef struct jot_hit {
    const char *name; /* of the document, or runs/ID */
    uint64_t seq;     /* of the record; 0: a person's edit */
    int64_t at_ms;
    const char *by;
    const char *version; /* 12 hex digits */
    uint64_t bytes;
    uint64_t tokens;     /* about what reading all of it costs */
    const char *snippet; /* one line, what was found between ** */
    double score;
} jot_hit;

typedef struct jot_hits {
    const jot_hit *const *items; /* the best first */
    size_t count;
    bool more;
} jot_hits;

typedef struct jot_search_options {
    size_t size;
    const char *kind;   /* "notes", "memories", "artifacts", "runs"; NULL: all */
    const char *prefix; /* of the stream's name: notes/pl */
    const char *by;     /* who wrote it */
    int64_t since_ms;   /* when it was written, both included; 0: no bound */
    int64_t until_ms;
    size_t limit; /* 1 to 100; 0: 10, of evidence 100 */
    size_t offset;
} jot_search_options;

/* Words, "words in a row", beginnings*, identifiers.  What was written before the call is found,
 * no matter who wrote it.  A query without a word finds nothing. */
JOT_API jot_status jot_search(jot_pad *pad, const char *query, const jot_search_options *options,
                              const jot_hits **out);

/* The same as JSON, with why each hit stands where it stands. */
JOT_API jot_status jot_search_json(jot_pad *pad, const char *query,
                                   const jot_search_options *options, const char **out);

/* Lines of a document or of a record of a run. */
typedef struct jot_passage {
    const char *name; /* of the document, or runs/ID */
    uint64_t seq;     /* of the record; 0: a person's edit */
    int64_t at_ms;
    const char *by;
    const char *version; /* 12 hex digits */
    size_t from_line;    /* the first and the last one, of how many; 0: it has no lines */
    size_t to_line;
    size_t lines;
    jot_text text;
    double score;
    bool found; /* false: a record beside the one that was found */
    bool cut;   /* the line is longer than this */
    bool joins; /* it belongs to the passage before it */
} jot_passage;

typedef struct jot_evidence {
    const jot_passage *const *items; /* the best first; those that belong together stand together */
    size_t count;
    jot_text text; /* all of it for a model, with where it is from and what was left out */
    uint64_t tokens;
    uint64_t budget;
    uint64_t same; /* hits that add nothing to what is shown */
    uint64_t left; /* hits there was no room for */
    bool more;     /* there are others, which are worse */
} jot_evidence;

/* What the hits of a search say, in at most `budget` tokens (100 to 4,000,000): the lines that
 * matter, in a run with the records around them, nothing twice.  JOT_INVALID: another budget. */
JOT_API jot_status jot_search_evidence(jot_pad *pad, const char *query, uint64_t budget,
                                       const jot_search_options *options, const jot_evidence **out);

/* Rebuild the index.  It is a cache: this is never needed, but may make searches faster. */
JOT_API jot_status jot_search_rebuild(jot_pad *pad);

/* --- Tools ------------------------------------------------------------------------------- */

/* What to answer a model; valid as long as any result. */
typedef struct jot_tool_reply {
    bool is_error;    /* the call failed, and the text says why */
    jot_text text;    /* complete by itself, and never long: it says what was left out */
    const char *data; /* the same as JSON, or NULL */
    bool has_value;   /* the text begins with a stored text, or a part of it: this one, exactly; */
    jot_text value;   /* one line break and one line about it follow */
} jot_tool_reply;

/* The tools of these profiles as a JSON array: name, description, inputSchema, annotations.
 * "artifacts,memory": the scratchpad's and these; NULL: the scratchpad's; "all". */
JOT_API jot_status jot_tools(jot_pad *pad, const char *profiles, const char **out);

/* Do what a model asked for: any tool, with a JSON object of arguments (NULL: none).  The tool
 * "memory" takes the commands of Anthropic's memory tool and answers as those of its SDKs; an error
 * has no "Error: " in front.  Wrong arguments are an answer, not a failure.  JOT_NOT_FOUND: no such
 * tool.  JOT_INVALID: args is no JSON object. */
JOT_API jot_status jot_tool_call(jot_pad *pad, const char *name, const char *args,
                                 const jot_tool_reply **out);

/* --- Verbs ------------------------------------------------------------------------------- */

/* The same deeds for a program that has no struct for them, such as a binding: by name, with JSON
 * in and JSON out.  Writes are an agent's, as those of tools are; nothing is cut to a budget. */
typedef struct jot_answer {
    const char *data; /* a JSON object, as `--json` prints it */
    jot_text body;    /* the stored bytes that were asked for, exactly */
    bool has_body;
} jot_answer;

/* What there is to do, as a JSON array of nouns: {"noun", "summary", "verbs": [{"verb", "summary",
 * "description", "reads", "input", "output"}]}, the last two as JSON Schema. */
JOT_API jot_status jot_verbs(jot_pad *pad, const char **out);

/* Do it: jot_verb(pad, "task", "add", "{\"id\": \"t1\"}", &answer).  `args` is a JSON object (NULL:
 * none).  JOT_NOT_FOUND: also, no such noun or verb.  Failed, *out may be what is in the way. */
JOT_API jot_status jot_verb(jot_pad *pad, const char *noun, const char *verb, const char *args,
                            const jot_answer **out);

/* --- Whole pads -------------------------------------------------------------------------- */

typedef struct jot_report {
    const char *layout; /* "archive", "notes", "artifacts", "runs", "cycles", "graph", "memories",
                           "mem0", "langgraph", "beads", "pad" */
    uint64_t streams;   /* archives and pads: looked at */
    uint64_t records;   /* likewise */
    uint64_t bytes;     /* likewise */
    uint64_t files;     /* other layouts: read or written */
    uint64_t added;     /* records that were not there before */
    uint64_t unchanged; /* files that were */
    const jot_problem *const *skipped;
    size_t skipped_count;           /* at most 1000 are listed ... */
    uint64_t skipped_total, missed; /* ... of so many; missed: all but hidden and empty files */
    const jot_problem *const
        *renamed;           /* names that cannot be one in the pad; `why` is the new one */
    size_t renamed_count;   /* at most 1000 are listed ... */
    uint64_t renamed_total; /* ... of this many */
} jot_report;

/* Bring the whole pad, with its history, to another URL or path (as for jot_open), and continue
 * where the last copy stopped. JOT_CORRUPT, JOT_CONFLICT: the report has each stream that was not
 * copied whole; others are. */
JOT_API jot_status jot_copy(jot_pad *pad, const char *url, const jot_report **out);

/* Import an archive, or the files of another program; `layout` names their kind, NULL: recognise
 * it.  What exists with another text, or was deleted, is left as it is unless `replace`; old texts
 * stay versions.  Times are kept, and names that are not valid keys are changed into keys.
 * Importing twice adds nothing.  JOT_OK even if something was skipped.  Archives as for jot_copy.
 */
JOT_API jot_status jot_import(jot_pad *pad, const char *path, const char *layout, bool replace,
                              const jot_report **out);

/* Write the whole pad, with its history, to a new file that ends in ".jotter"; or with `layout`
 * what another program knows to an empty directory, notes also to a new file that ends in ".db".
 * JOT_CORRUPT: it is there, but for some. */
JOT_API jot_status jot_export(jot_pad *pad, const char *path, const char *layout,
                              const jot_report **out);

typedef struct jot_fault {
    const char *kind;   /* damage, lost, fork, view ...: docs/cli.md says what each means */
    const char *stream; /* may be "" */
    const char *what;   /* one sentence */
    const char *advice; /* what to do */
    bool counts;        /* false: only worth knowing */
    bool repairable;    /* jot_doctor() repairs it */
} jot_fault;

typedef struct jot_verified {
    uint64_t streams;
    uint64_t records;
    uint64_t bytes;
    uint64_t faults; /* that count */
    const jot_fault *const *items;
    size_t count;   /* at most 1000 are listed ... */
    uint64_t total; /* ... of this many */
    int64_t
        heads_at; /* of the list of heads it was compared with; 0: never complete, -1: no list */
} jot_verified;

/* Read every byte of the pad, and compare the index with it.  JOT_OK also if there are faults. */
JOT_API jot_status jot_verify(jot_pad *pad, const jot_verified **out);

/* Repair what can be repaired without losing anything; jot_where() reports what was done.
 * `after_crash`: check everything as after a power loss.  *out is what is left. */
JOT_API jot_status jot_doctor(jot_pad *pad, bool after_crash, const jot_verified **out);

typedef struct jot_redacted {
    uint64_t streams;   /* looked at */
    uint64_t rewritten; /* documents whose present text held it */
    uint64_t records;   /* that lost their texts */
    const jot_fault *const
        *items;     /* where it remains: value, meta, name, damage, quarantine, failed */
    size_t count;   /* at most 1000 are listed ... */
    uint64_t total; /* ... of this many */
} jot_redacted;

/* Remove a phrase of 4 bytes or more from the whole pad for good.  JOT_NOT_FOUND: it is nowhere.
 * JOT_UNSUPPORTED: it remains in some places, listed in *out.  If it fails half-way, call again. */
JOT_API jot_status jot_redact_all(jot_pad *pad, jot_text phrase, const jot_redacted **out);

typedef struct jot_gc_options {
    size_t size;
    const char *prefix; /* of streams' names, notes/; NULL: the history of all documents */
    /* A record goes if any of these says so; 0: no rule. */
    uint64_t keep;     /* there are more than this many newer ones in its stream */
    int64_t before_ms; /* it is older */
    uint64_t bytes;    /* the newer ones of its stream have more than this many bytes */
    bool dry_run;      /* only report what would go */
} jot_gc_options;

typedef struct jot_gc_count {
    uint64_t streams; /* of which something went */
    uint64_t records;
    uint64_t bytes;
} jot_gc_count;

/* Let old records go, never the newest 16.  JOT_INVALID: no rule, or a kind that needs them all. */
JOT_API jot_status jot_gc(jot_pad *pad, const jot_gc_options *options, const jot_gc_count **out);

typedef struct jot_kind_stats {
    const char *kind;
    uint64_t streams; /* living ones */
    uint64_t deleted; /* and tombstones */
    uint64_t records;
    uint64_t bytes;
    uint64_t damaged;  /* records that cannot be read */
    int64_t oldest_ms; /* of its records; 0: there is none */
    int64_t newest_ms;
} jot_kind_stats;

typedef struct jot_stats_list {
    const jot_kind_stats *const *items; /* by kind */
    size_t count;
} jot_stats_list;

/* What is in the pad. */
JOT_API jot_status jot_stats(jot_pad *pad, const jot_stats_list **out);

#ifdef __cplusplus
}
#endif

#endif
