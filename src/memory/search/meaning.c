/* meaning.c - cosines to a question, less what all rows have in common.
 *
 * With unit vectors r of a row, q of the question and the mean m of all rows, what is asked for is
 * the cosine of r - m and q - m:
 *
 *     (r.q - r.m - q.m + m.m) / (|r - m| |q - m|),   |r - m|^2 = 1 - 2 r.m + m.m
 *
 * so that of each row one product with the question is needed, and r.m once for a view. */
#include "memory/search/meaning.h"

#include <stdlib.h>
#include <string.h>

#include "memory/search/scale.h"

enum {
    LENGTH_SHIFT = 8, /* lengths are in 256ths */
    UNIT_SHIFT = 12,  /* columns of a unit vector while the mean is reckoned */
    /* The mean of a few rows is mostly these rows: it counts as if so many at 0 were among them. */
    PRIOR = 8,
};

void meaning_free(Meaning *m)
{
    free(m->at);
    free(m->length);
    free(m->common);
    free(m->away);
    *m = (Meaning){ 0 };
}

static uint32_t length_of(const int8_t *v, uint32_t columns)
{
    return scale_root((uint64_t)row_vector_dot(v, v, columns) << (2 * LENGTH_SHIFT));
}

/* a.b of unit vectors, in ONE. */
static int32_t cosine(int32_t dot, uint32_t a, uint32_t b)
{
    return a && b ? (int32_t)((int64_t)dot * (1 << (2 * LENGTH_SHIFT)) * ONE / ((int64_t)a * b))
                  : 0;
}

/* --- The mean ---------------------------------------------------------------------------- */

static void take_mean(Meaning *m, const int64_t *sums)
{
    int64_t most = 0, squares = 0;
    for (uint32_t c = 0; c < m->columns; c++) {
        int64_t x = sums[c] / (m->known + PRIOR), size = x < 0 ? -x : x;
        most = size > most ? size : most;
        squares += x * x;
    }
    for (uint32_t c = 0; c < m->columns; c++)
        m->mean[c] = (int8_t)(most ? sums[c] / (m->known + PRIOR) * 127 / most : 0);
    m->mean_length = length_of(m->mean, m->columns);
    m->mean_size = (int32_t)(((uint64_t)scale_root((uint64_t)squares) * ONE) >> UNIT_SHIFT);
}

/* What a unit vector has of the mean: v.m, in ONE. */
static int32_t common_of(const Meaning *m, const int8_t *v, uint32_t length)
{
    int32_t near = cosine(row_vector_dot(v, m->mean, m->columns), length, m->mean_length);
    return (int32_t)((int64_t)near * m->mean_size / ONE);
}

static int64_t mean_square(const Meaning *m)
{
    return (int64_t)m->mean_size * m->mean_size / ONE;
}

/* |v - m| in ONE, from v.m. */
static uint32_t distance(const Meaning *m, int32_t common)
{
    int64_t square = ONE - 2 * (int64_t)common + mean_square(m);
    return square > 0 ? scale_root((uint64_t)square * ONE) : 0;
}

static void reckon_mean(Meaning *m)
{
    int64_t *sums = mem_alloc(m->columns * sizeof *sums);
    memset(sums, 0, m->columns * sizeof *sums);
    for (uint32_t p = 0; p < m->rows; p++) {
        m->length[p] = m->at[p] ? length_of(m->at[p], m->columns) : 0;
        for (uint32_t c = 0; m->length[p] && c < m->columns; c++)
            sums[c] += (int64_t)m->at[p][c] * (1 << (UNIT_SHIFT + LENGTH_SHIFT)) / m->length[p];
    }
    take_mean(m, sums);
    free(sums);
    for (uint32_t p = 0; p < m->rows; p++) {
        m->common[p] = m->length[p] ? common_of(m, m->at[p], m->length[p]) : 0;
        m->away[p] = m->length[p] ? distance(m, m->common[p]) : 0;
    }
}

/* --- Rows -------------------------------------------------------------------------------- */

static bool is_of(const RowVectors *v, const MeaningSource *from)
{
    return v->n && str_eq(v->model, from->model);
}

static void find_rows(Meaning *m, const MeaningSource *from, const uint64_t *keys)
{
    for (size_t i = 0; i < from->n; i++)
        if (is_of(&from->vectors[i], from))
            m->columns = from->vectors[i].columns; /* those that came last count */
    for (size_t i = 0; i < from->n; i++) {
        const RowVectors *v = &from->vectors[i];
        if (!is_of(v, from) || v->columns != m->columns)
            continue;
        for (uint32_t p = 0; p < m->rows; p++)
            if (!m->at[p] && (m->at[p] = row_vectors_find(v, keys[p])))
                m->known++;
    }
}

bool meaning_make(Meaning *m, const MeaningSource *from)
{
    AUTO(Arena) arena = { 0 };
    if (m->made_of == from->view->number && m->vectors == from->number)
        return true;
    meaning_free(m);
    const uint64_t *keys = row_keys(from->view, &arena);
    if (!keys)
        return false;
    m->rows = from->view->rows;
    m->at = mem_alloc((m->rows + (size_t)1) * sizeof *m->at);
    m->length = mem_alloc((m->rows + (size_t)1) * sizeof *m->length);
    m->common = mem_alloc((m->rows + (size_t)1) * sizeof *m->common);
    m->away = mem_alloc((m->rows + (size_t)1) * sizeof *m->away);
    memset(m->at, 0, (m->rows + (size_t)1) * sizeof *m->at);
    find_rows(m, from, keys);
    if (m->known)
        reckon_mean(m);
    m->made_of = from->view->number;
    m->vectors = from->number;
    return true;
}

/* --- Asking ------------------------------------------------------------------------------ */

const int32_t *meaning_find(const Meaning *m, const int8_t *question, uint32_t columns, Arena *into)
{
    if (m->known == 0 || columns != m->columns)
        return NULL;
    uint32_t length = length_of(question, columns);
    int32_t common = length ? common_of(m, question, length) : 0;
    uint32_t away = distance(m, common);
    int32_t *found = NEW_ARRAY(into, int32_t, m->rows + 1);
    if (!length || !away)
        return NULL;
    for (uint32_t p = 0; p < m->rows; p++) {
        if (!m->away[p])
            continue;
        int64_t near = cosine(row_vector_dot(m->at[p], question, columns), m->length[p], length) -
                       (int64_t)m->common[p] - common + mean_square(m);
        near = near * ONE / m->away[p] * ONE / away;
        found[p] = (int32_t)(near > ONE ? ONE : near < -ONE ? -ONE : near);
    }
    return found;
}
