/* score.h - how good a ranked list is, when the rows that hold the answer are known. */
#ifndef BENCH_RECALL_SCORE_H
#define BENCH_RECALL_SCORE_H

#include <stddef.h>

enum { SCORE_AT_1, SCORE_AT_5, SCORE_AT_10, SCORE_AT_25, SCORE_NDCG, SCORE_MRR, SCORES };
enum { SCORE_DEPTH = 25 }; /* rows of a list that are looked at */

typedef struct Score {
    double of[SCORES]; /* each between 0 and 1 */
} Score;

/* `ranked` are row numbers, the best first, none twice; `gold` the rows that should be there, at
 * least one and none twice.  Recall at 1, 5, 10 and 25 is the share of gold found so far; nDCG and
 * MRR look at ten rows. */
Score score_list(const size_t *ranked, size_t n, const size_t *gold, size_t gold_n);

void score_add(Score *sum, const Score *one);

#endif
