/* set.h - Set, a folder of rows and questions whose answers are known.
 *
 *   corpus.jsonl    cid (a collection of its own), id, session, speaker, time, seq, text
 *   queries.jsonl   qid, cid, text, cat, gold (ids of the rows that hold the answer), before (only
 *                   rows with a lower seq exist yet, or null)
 *   meta.json       exclude: categories that are reported apart
 *
 * What a row is loaded as follows from the rows: without a time it is an artifact; if several rows
 * share a seq they were noted together, and are notes; else it is a turn of a run. */
#ifndef BENCH_RECALL_SET_H
#define BENCH_RECALL_SET_H

#include "base/arena.h"
#include "base/json.h"

typedef enum RowKind { ROW_TURN, ROW_NOTE, ROW_ARTIFACT } RowKind;

typedef struct Row {
    Str cid, id, session, speaker, text;
    int64_t at_ms; /* 0: unknown */
    int64_t seq;
} Row;

typedef struct Question {
    Str cid, qid, text, cat;
    int64_t before; /* INT64_MAX: all rows are there */
    size_t *gold;   /* numbers of rows */
    size_t gold_n;
    bool apart; /* its category is excluded */
} Question;

typedef struct Set {
    const char *name;
    RowKind kind;
    Row *rows; /* those of a collection in a row, as the file has them */
    size_t rows_n, rows_cap;
    Question *questions; /* of a collection by `before` */
    size_t questions_n, questions_cap;
    json_t *exclude;
    Arena arena;
} Set;

/* Ends the program with a sentence if there is no such set. */
void set_read(Set *s, const char *folder);
void set_free(Set *s);

/* "1:56 pm on 8 May, 2023", "2025-12-20 (Saturday)", "2025-12-20T10:00:00Z"; 0: none of them. */
int64_t set_time(Str text);

#endif
