/* line_log.h - LineLog, a log of lines under a category and a name.
 *
 * A line log is the stream `logs/CATEGORY/NAME`; each line is one record, durable
 * when it is acknowledged, numbered by its seq.  Lines of several writers never
 * run together.  A line holds no line break: who writes two lines appends twice.
 *
 * Not the log of a run: that is a run. */
#ifndef MEMORY_ARTIFACT_LINE_LOG_H
#define MEMORY_ARTIFACT_LINE_LOG_H

#include "base/json.h"
#include "memory/memory.h"

#define LINE_LOG_KIND "logs/"

enum {
    LINE_LOG_LINE_MAX = 1024 * 1024,   /* bytes of a line */
    LINE_LOG_READ_MAX = STORE_READ_MAX /* lines in one answer */
};

/* Which log. */
typedef struct LineLogName {
    Str category, name;
} LineLogName;

typedef struct Line {
    uint64_t seq;
    int64_t at_ms;
    Str by;
    Str text;      /* without a line break */
    bool redacted; /* the text was removed later */
} Line;

typedef struct Lines {
    Line *items; /* oldest first */
    size_t n;
    bool more;        /* there are newer ones after the last */
    uint64_t next;    /* the seq to continue from */
    uint64_t damaged; /* lines that cannot be read, passed over */
} Lines;

/* JOT_INVALID if the text holds a line break.  `id` as in Draft; may be empty. */
MUST_USE jot_status line_log_append(Memory *m, LineLogName log, Str text, Str id, Line *out,
                                    Err *e);

/* The lines of a range, 1 to LINE_LOG_READ_MAX.  JOT_NOT_FOUND: no such log. */
MUST_USE jot_status line_log_read(Memory *m, LineLogName log, SeqRange range, Arena *into,
                                  Lines *out, Err *e);

/* The newest `n` lines. */
MUST_USE jot_status line_log_tail(Memory *m, LineLogName log, size_t n, Arena *into, Lines *out,
                                  Err *e);

/* Which log is followed, and where its follower stands; all else 0: before the first line. */
typedef struct LineLogCursor {
    LineLogName log;
    uint64_t seq; /* of the last line seen */
    Hash chain;   /* of its record: zero as long as there is none */
    Cursor cursor;
} LineLogCursor;

/* The lines after `at`, which moves on.  If there are none it waits once, up to `wait_ms`, until
 * something changes in the pad, and looks again; so an answer without lines is no end, ask again.
 * A log that does not exist yet is waited for.  If the log is not the one that was followed
 * (purged, or another pad), it is read from its start. */
MUST_USE jot_status line_log_follow(Memory *m, LineLogCursor *at, int64_t wait_ms, Arena *into,
                                    Lines *out, Err *e);

/* What logs there are. */
typedef struct LineLog {
    Str category, name;
    uint64_t seq; /* of its newest line */
    int64_t at_ms;
    Str by;
} LineLog;

typedef struct LineLogs {
    LineLog *items; /* by stream name, in byte order */
    size_t n;
    bool more; /* ask again, after the last one */
} LineLogs;

typedef struct LineLogQuery {
    Str category; /* in it and below it; empty: all */
    Str after;    /* "CATEGORY/NAME"; empty: from the first */
    size_t limit; /* 1 to STORE_LIST_MAX */
} LineLogQuery;

MUST_USE jot_status line_log_list(Memory *m, const LineLogQuery *q, Arena *into, LineLogs *out,
                                  Err *e);

/* {"seq", "at", "by", "text"}; "redacted": true if it was. */
json_t *line_json(const Line *line);
/* {"lines": [...], "more", "next", "damaged"} */
json_t *lines_json(const Lines *lines);
/* {"logs": [{"category", "name", "lines", "at", "by"}], "more"} */
json_t *line_logs_json(const LineLogs *logs);

#endif
