/* evidence.h - Evidence, what a pad says to a question, in as many tokens as the asker has.
 *
 * A hit is a document or a record of a run; what answers a question is mostly a few lines of it.
 * A passage is those lines, with some around them; of a run, also the records beside the one that
 * was found, for an answer says little without its question.  Hits that lie close together in a run
 * are one passage.  What a better passage has shown already, as the same note under two keys or the
 * same reply in two runs, is not shown again.
 *
 * Every part of a passage says where it is from: document or run, version or record, lines, time,
 * author.  The text that evidence_add() makes never costs more than the budget, and says in its
 * last line what was left out. */
#ifndef MEMORY_SEARCH_EVIDENCE_H
#define MEMORY_SEARCH_EVIDENCE_H

#include "memory/search/search.h"

enum {
    EVIDENCE_BUDGET_MIN = 100, /* tokens */
    EVIDENCE_BUDGET_MAX = 4 * 1000 * 1000,
};

/* Lines of one record that follow each other. */
typedef struct EvidencePart {
    uint64_t seq;
    int64_t at_ms;
    Str by;
    Hash sha256;
    size_t from, to, lines; /* the first and the last one, of how many; 0: it has no lines */
    Str text;               /* UTF-8 */
    bool found;             /* false: it is beside what was found */
    bool cut;               /* the line is longer than this */
} EvidencePart;

typedef struct Passage {
    Str stream;
    double score; /* of its best hit */
    EvidencePart *parts;
    size_t n;
    uint64_t tokens;
} Passage;

/* A hit that is not shown. */
typedef struct EvidenceLeft {
    Str stream;
    uint64_t seq;
} EvidenceLeft;

typedef struct Evidence {
    Passage *items; /* the best first */
    size_t n;
    uint64_t tokens, budget; /* of the text, and what it may have */
    uint64_t same;           /* hits that say nothing that is not shown */
    EvidenceLeft *left;      /* those there was no room for, the best first */
    size_t left_n;
    Str notice; /* as in Hits */
    bool more;  /* there are hits that were not looked at: they are worse, or beyond the limit */
} Evidence;

/* `q` as for search_find(); `bare` and `explain` count for nothing.  JOT_INVALID:
 * a budget out of bounds.  Lives in `into`. */
MUST_USE jot_status evidence_find(Search *s, const SearchQuery *q, uint64_t budget, Arena *into,
                                  Evidence *out, Err *e);

/* All of it as text: names as people use them, each line of a value behind "| ". */
void evidence_add(Buf *to, const Evidence *v);
json_t *evidence_json(const Evidence *v);

#endif
