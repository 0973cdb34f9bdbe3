/* score.c - recall, nDCG and MRR of one list. */
#include "bench/recall/score.h"

#include <math.h>
#include <stdbool.h>

enum { SHORT_DEPTH = 10 }; /* of nDCG and MRR */

static bool is_gold(size_t row, const size_t *gold, size_t gold_n)
{
    for (size_t i = 0; i < gold_n; i++)
        if (gold[i] == row)
            return true;
    return false;
}

static double gain(size_t rank)
{
    return 1 / log2((double)rank + 2);
}

Score score_list(const size_t *ranked, size_t n, const size_t *gold, size_t gold_n)
{
    static const size_t depth[] = {
        [SCORE_AT_1] = 1, [SCORE_AT_5] = 5, [SCORE_AT_10] = 10, [SCORE_AT_25] = 25
    };
    Score s = { 0 };
    double best = 0;
    for (size_t i = 0; i < n && i < SCORE_DEPTH; i++) {
        if (!is_gold(ranked[i], gold, gold_n))
            continue;
        for (size_t k = SCORE_AT_1; k <= SCORE_AT_25; k++)
            s.of[k] += i < depth[k] ? 1 / (double)gold_n : 0;
        if (i >= SHORT_DEPTH)
            continue;
        s.of[SCORE_NDCG] += gain(i);
        if (s.of[SCORE_MRR] <= 0)
            s.of[SCORE_MRR] = 1 / (double)(i + 1);
    }
    for (size_t i = 0; i < gold_n && i < SHORT_DEPTH; i++)
        best += gain(i);
    s.of[SCORE_NDCG] /= best;
    return s;
}

void score_add(Score *sum, const Score *one)
{
    for (size_t i = 0; i < SCORES; i++)
        sum->of[i] += one->of[i];
}
