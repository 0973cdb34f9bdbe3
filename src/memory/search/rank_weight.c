/* rank_weight.c - what each part of a score is worth.
 *
 * The weights were fitted on conversations (turns), users' notes (notes) and
 * functions (artifacts) whose right answers are known (bench/recall), and
 * rounded: rounding cost nothing.  k1 and b are those of BM25 where nothing
 * else was better, the means are the usual lengths; docs/decisions.md has what
 * each later one gave. */
#include "memory/search/rank_internal.h"

#include "memory/search/scale.h"

/* clang-format off */
const Weights rank_profiles[PROFILES] = {
    [PROFILE_TURN] = {
        .k1 = 900, .b = 400, .mean = 24, .session_k1 = 1200, .session_b = 750, .session_mean = 500,
        .of = { [RANK_WORDS] = 1000, [RANK_NEAR] = 800, [RANK_SESSION] = 550, [RANK_SPEAKER] = 200,
                [RANK_ANSWER] = 400, [RANK_WRITTEN] = 700, [RANK_SPOKEN] = 250, [RANK_WHEN] = 200,
                [RANK_WHO] = 120, [RANK_NUMBER] = 60, [RANK_QUESTION] = -50, [RANK_LENGTH] = 250 },
        .best = 3500 },
    [PROFILE_NOTE] = {
        .k1 = 900, .b = 200, .mean = 40, .session_k1 = 1200, .session_b = 500, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_EXACT] = 200, [RANK_SESSION] = 550, [RANK_BEFORE] = 500,
                [RANK_AFTER] = -300, [RANK_GROUP] = 400, [RANK_RECENT] = 200, [RANK_LENGTH] = 100 },
        .best = 2900 },
    [PROFILE_ARTIFACT] = {
        .k1 = 1200, .b = 750, .mean = 50, .session_k1 = 1200, .session_b = 750, .session_mean = 200,
        .of = { [RANK_WORDS] = 1000, [RANK_HEAD] = 700, [RANK_ABOUT] = 150, [RANK_GRAMS] = 1000, [RANK_EXACT] = 200,
                [RANK_LENGTH] = -300 },
        .best = 2200 },
};

/* The same where meaning is known too.  Turns by vectors of words; the weights of notes and
 * artifacts are their own, beside what one row means by itself. */
static const Weights liked[PROFILES] = {
    [PROFILE_TURN] = {
        .of = { [RANK_WORDS] = 1000, [RANK_NEAR] = 780, [RANK_SESSION] = 600, [RANK_SPEAKER] = 250,
                [RANK_ANSWER] = 550, [RANK_WRITTEN] = 900, [RANK_SPOKEN] = 350, [RANK_WHEN] = 280,
                [RANK_WHO] = 170, [RANK_NUMBER] = 100, [RANK_QUESTION] = -70, [RANK_LENGTH] = 380,
                [RANK_LIKE] = 430, [RANK_LIKE_BEFORE] = 130, [RANK_LIKE_AFTER] = 40,
                [RANK_LIKE_SESSION] = 290 },
        .best = 4300 },
    [PROFILE_NOTE] = {
        .of = { [RANK_WORDS] = 1000, [RANK_EXACT] = 200, [RANK_SESSION] = 550, [RANK_BEFORE] = 500,
                [RANK_AFTER] = -300, [RANK_GROUP] = 400, [RANK_RECENT] = 200, [RANK_LENGTH] = 100,
                [RANK_LIKE] = 600 },
        .best = 3500 },
    [PROFILE_ARTIFACT] = {
        .of = { [RANK_WORDS] = 1000, [RANK_HEAD] = 700, [RANK_ABOUT] = 150, [RANK_GRAMS] = 1000, [RANK_EXACT] = 200,
                [RANK_LENGTH] = -300, [RANK_LIKE] = 600 },
        .best = 2800 },
};

const char *const rank_part_names[RANK_PARTS] = {
    [RANK_WORDS] = "words",
    [RANK_EXACT] = "words as written",
    [RANK_HEAD] = "words in the first line",
    [RANK_ABOUT] = "words in what it says of itself",
    [RANK_GRAMS] = "parts of words",
    [RANK_NEAR] = "words nearby",
    [RANK_SESSION] = "words in the session",
    [RANK_BEFORE] = "words in the one before",
    [RANK_AFTER] = "words in the one after",
    [RANK_ANSWER] = "follows a question with the words",
    [RANK_SPEAKER] = "said by whom the query names",
    [RANK_WRITTEN] = "written at the date",
    [RANK_SPOKEN] = "speaks of the date",
    [RANK_WHEN] = "says when",
    [RANK_WHO] = "says who",
    [RANK_NUMBER] = "says how many",
    [RANK_QUESTION] = "is a question",
    [RANK_LENGTH] = "length",
    [RANK_RECENT] = "recent",
    [RANK_LIKE] = "means the like",
    [RANK_LIKE_BEFORE] = "the one before means the like",
    [RANK_LIKE_AFTER] = "the one after means the like",
    [RANK_LIKE_SESSION] = "another of the session means the like",
    [RANK_GROUP] = "others under its title",
};
/* clang-format on */

/* --- Saturation -------------------------------------------------------------------------- */

/* What a length takes off a term: k1 (1 - b + b len / mean), in thousandths. */
uint32_t rank_damping(uint32_t len, uint32_t k1, uint32_t b, uint32_t mean)
{
    return (uint32_t)(((uint64_t)k1 * (1000 - b) + (uint64_t)k1 * b * len / mean) / 1000);
}

/* How much `count` of a term says: count / (count + damping), 0 to SAT. */
uint32_t rank_saturate(uint32_t count, uint32_t damping)
{
    uint32_t up = (count < COUNT_MAX ? count : COUNT_MAX) * 1000;
    return SAT * up / (up + damping);
}

RankTables rank_tables;

void rank_tables_fill(void)
{
    for (unsigned n = 0; n < NORMS; n++) {
        uint32_t len = norm_len((uint8_t)n);
        for (unsigned c = 0; c < COUNTS; c++) {
            for (unsigned p = 0; p < PROFILES; p++) {
                const Weights *w = &rank_profiles[p];
                rank_tables.words[p][c][n] =
                    (uint8_t)rank_saturate(c + 1, rank_damping(len, w->k1, w->b, w->mean));
            }
            rank_tables.grams[c][n] =
                (uint8_t)rank_saturate(c + 1, rank_damping(len, 900, 400, 80));
        }
        rank_tables.head[n] = (uint8_t)rank_saturate(1, rank_damping(n, 900, 200, 6));
        rank_tables.length[n] = (int32_t)(scale_ln_ratio(len + 1, 1) / 5);
    }
    for (unsigned p = 0; p < PROFILES; p++)
        for (unsigned k = 0; k < RANK_PARTS; k++) {
            rank_tables.share[p][k] = rank_profiles[p].of[k] * ONE / rank_profiles[p].best;
            rank_tables.liked[p][k] = liked[p].of[k] * ONE / liked[p].best;
        }
    uint64_t x = ONE;
    for (unsigned i = 0; i < RECENT_MAX; i++, x = x * 61309 >> 16) /* e^(-1/15) */
        rank_tables.recent[i] = (int32_t)x;
}
