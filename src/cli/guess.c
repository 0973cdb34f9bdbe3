/* guess.c - the name that was probably meant: the one at most two slips away, and one in a name of
 * less than six letters.  A slip is a letter too many, too few, another, or swapped with the next.
 */
#include "cli/guess.h"

enum { WORD_MIN = 3, WORD_MAX = 24, SLIPS_MAX = 2, LONG = 6 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The slips between the beginnings of the two, from the shortest up. */
static size_t slips(Str a, Str b)
{
    size_t d[WORD_MAX + 1][WORD_MAX + 1] = { 0 };
    for (size_t i = 0; i <= a.n; i++)
        for (size_t j = 0; j <= b.n; j++) {
            d[i][j] = i + j;
            if (i == 0 || j == 0)
                continue;
            size_t same = d[i - 1][j - 1] + (a.p[i - 1] != b.p[j - 1]);
            d[i][j] = least(same, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.n][b.n];
}

void guess_add(Guess *g, const char *name)
{
    Str other = str(name);
    if (g->word.n < WORD_MIN || g->word.n > WORD_MAX || other.n > WORD_MAX)
        return;
    size_t far = slips(g->word, other);
    if (far <= (other.n < LONG ? 1 : SLIPS_MAX) && (!g->name || far < g->far)) {
        g->name = name;
        g->far = far;
    }
}
