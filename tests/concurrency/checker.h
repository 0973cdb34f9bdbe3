/* checker.h - is this history one that a store which keeps its promises could have produced?
 *
 * Every answer carries a seq or a version, and the final streams give the order of all records.
 * So nearly every operation has one place it can stand at, and no search is needed: each answer
 * is compared with the records, and the places are compared with the clock.  O(n log n).
 *
 * For one stream the verdict is exact: a history is accepted if and only if it is linearizable.
 * Across streams (guards) it is exact for operations whose answer names a seq. */
#ifndef CONCURRENCY_CHECKER_H
#define CONCURRENCY_CHECKER_H

#include "history.h"

/* What can be wrong.  The sentences are in rule_text(). */
typedef enum Rule {
    RULE_NONE = 0,
    RULE_STREAM,  /* a stream is not 1 to n with fitting chains */
    RULE_FOREIGN, /* a record that nobody asked for, or in another stream */
    RULE_CONTENT, /* a record is not what its writer asked for */
    RULE_DOUBLED, /* one append made two records */
    RULE_ID,      /* an id made two records, or was answered wrongly */
    RULE_REMAINS, /* an append that was refused left a record */
    RULE_EXPECT,  /* an append succeeded against its expectation */
    RULE_LOST,    /* an acknowledged append is not where its answer says */
    RULE_STATUS,  /* an answer that must not occur */
    RULE_REFUSED, /* an append was refused although nothing stood against it */
    RULE_HEAD,    /* an answer shows a head that never was */
    RULE_VALUE,   /* a body does not belong to its version */
    RULE_LISTING, /* names out of order or out of range */
    RULE_ORDER,   /* an append that ended before another began stands behind it */
    RULE_STALE,   /* an answer is older than what was known before it was asked for */
    RULE_FUTURE,  /* an answer shows a record before its append was invoked */
    RULE_NEVER,   /* at no moment between question and answer was that answer right */
    RULE_GUARD,   /* an append was decided while its guard stood elsewhere */
    RULE_CYCLE,   /* guards across streams leave no order in which all answers are right */
    RULE_COUNT
} Rule;

const char *rule_text(Rule rule);

typedef struct Verdict {
    uint64_t operations; /* answered; a listing counts as one */
    uint64_t appends;    /* answered appends */
    uint64_t racing;     /* of these, those that overlap an append of another worker there */
    uint64_t unanswered;
    uint64_t records;
    uint64_t broken[RULE_COUNT]; /* how often each rule was */
    Rule first;                  /* the one `text` tells about */
    char text[2400];             /* several lines, each ending in a line break */
} Verdict;

/* True if no rule is broken. */
bool checker_run(const History *h, Verdict *out);

/* Count a broken rule; the first one keeps its sentence and the entries it is about. */
typedef struct Culprit {
    size_t worker, index;
} Culprit;
void verdict_add(Verdict *v, const History *h, Rule rule, const Culprit *culprits, size_t n,
                 const char *fmt, ...) PRINTF_LIKE(6, 7);

#endif
