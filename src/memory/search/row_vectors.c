/* row_vectors.c - vectors of rows as bytes, and how two of them are compared. */
#include "memory/search/row_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { FORMAT = 1, BYTE_ORDER_MARK = 0x01020304 };

static const char magic[8] = "JOTEMB1";

typedef struct Head {
    char magic[8];
    uint32_t format, order, columns, n, model_n, unused;
    char model[ROW_VECTOR_MODEL_MAX];
} Head;
_Static_assert(sizeof(Head) % sizeof(uint64_t) == 0, "keys follow it");

/* --- Reading ----------------------------------------------------------------------------- */

void row_vectors_free(RowVectors *v)
{
    buf_free(&v->own);
    *v = (RowVectors){ 0 };
}

static bool is_ascending(const uint64_t *keys, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (keys[i - 1] >= keys[i])
            return false;
    return true;
}

bool row_vectors_from_bytes(RowVectors *v, Buf *bytes)
{
    Head h;
    uint64_t sum;
    Str all = buf_str(bytes);
    if (all.n < sizeof h + sizeof sum)
        return false;
    memcpy(&h, all.p, sizeof h);
    uint64_t keys = (uint64_t)h.n * sizeof(uint64_t), rows = (uint64_t)h.n * h.columns;
    bool good = memcmp(h.magic, magic, sizeof magic) == 0 && h.format == FORMAT &&
                h.order == BYTE_ORDER_MARK && h.columns > 0 &&
                h.columns <= ROW_VECTOR_COLUMNS_MAX && h.model_n <= ROW_VECTOR_MODEL_MAX &&
                sizeof h + keys + rows + sizeof sum == all.n;
    if (!good)
        return false;
    memcpy(&sum, all.p + all.n - sizeof sum, sizeof sum);
    if (sum != seg_hash(str_slice(all, 0, all.n - sizeof sum)))
        return false;
    RowVectors fresh = { .id = v->id, .bytes = all.n, .tried = true, .own = *bytes };
    *bytes = (Buf){ 0 };
    fresh.model = (Str){ fresh.own.p + offsetof(Head, model), h.model_n };
    fresh.columns = h.columns;
    fresh.n = h.n;
    fresh.keys = (const uint64_t *)(const void *)(fresh.own.p + sizeof h);
    fresh.rows = (const int8_t *)fresh.own.p + sizeof h + keys;
    if (!is_ascending(fresh.keys, fresh.n)) {
        row_vectors_free(&fresh);
        return false;
    }
    row_vectors_free(v);
    *v = fresh;
    return true;
}

const int8_t *row_vectors_find(const RowVectors *v, uint64_t key)
{
    uint32_t low = 0, high = v->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->n && v->keys[low] == key ? v->rows + (size_t)low * v->columns : NULL;
}

/* --- Keys -------------------------------------------------------------------------------- */

/* Streams are numbered as their keys come, so one walk gives the hash of every name. */
static bool hash_streams(Segment *s, uint64_t *to)
{
    SegKeys k;
    char from[] = { KEY_STREAM };
    uint32_t n = 0;
    bool more = seg_keys_from(&k, s, (Str){ from, 1 });
    for (; more && k.key[0] == KEY_STREAM && n < s->streams; more = seg_keys_next(&k))
        to[n++] = seg_hash((Str){ k.key, k.key_n });
    return n == s->streams && !s->bad;
}

const uint64_t *row_keys(const View *v, Arena *into)
{
    AUTO(Arena) scratch = { 0 };
    uint64_t **streams = NEW_ARRAY(&scratch, uint64_t *, v->n + 1);
    uint64_t *keys = NEW_ARRAY(into, uint64_t, v->rows + 1);
    for (size_t i = 0; i < v->n; i++) {
        streams[i] = NEW_ARRAY(&scratch, uint64_t, v->segs[i].streams + 1);
        if (!hash_streams(&v->segs[i], streams[i]))
            return NULL;
    }
    for (uint32_t p = 0; p < v->rows; p++) {
        SegRow row;
        Segment *seg;
        if (!view_row(v, p, &row, &seg) || row.stream >= seg->streams)
            return NULL;
        uint64_t of[] = { streams[seg - v->segs][row.stream], row.seq, row.digest };
        keys[p] = seg_hash((Str){ (const char *)of, sizeof of });
    }
    return keys;
}

/* --- Writing ----------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const RowVector *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static size_t sort_once(RowVector *items, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(items, n, sizeof *items, by_key);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || items[kept - 1].key != items[i].key)
            items[kept++] = items[i];
    return kept;
}

void row_vectors_write(Str model, uint32_t columns, RowVector *items, size_t n, Buf *out)
{
    n = sort_once(items, n);
    Head h = { .format = FORMAT,
               .order = BYTE_ORDER_MARK,
               .columns = columns,
               .n = (uint32_t)n,
               .model_n = (uint32_t)model.n };
    memcpy(h.magic, magic, sizeof magic);
    memcpy(h.model, model.p, model.n);
    out->max = SIZE_MAX / 2;
    buf_add(out, (Str){ (const char *)&h, sizeof h });
    for (size_t i = 0; i < n; i++)
        buf_add(out, (Str){ (const char *)&items[i].key, sizeof items[i].key });
    for (size_t i = 0; i < n; i++)
        buf_add(out, (Str){ (const char *)items[i].of, columns });
    uint64_t sum = seg_hash(buf_str(out));
    buf_add(out, (Str){ (const char *)&sum, sizeof sum });
}

/* --- Numbers ----------------------------------------------------------------------------- */

void row_vector_take(const float *from, size_t columns, int8_t *to)
{
    float most = 0;
    for (size_t c = 0; c < columns; c++)
        most = fabsf(from[c]) > most ? fabsf(from[c]) : most;
    for (size_t c = 0; c < columns; c++)
        to[c] = (int8_t)(most > 0 ? lrintf(from[c] / most * 127) : 0);
}

int32_t row_vector_dot_plain(const int8_t *a, const int8_t *b, size_t columns)
{
    int32_t sum = 0;
    for (size_t c = 0; c < columns; c++)
        sum += a[c] * b[c];
    return sum;
}

#ifdef __x86_64__

/* Sixteen columns a step, which every such processor can, ... */
static int32_t dot_sse2(const int8_t *a, const int8_t *b, size_t columns)
{
    __m128i sum = _mm_setzero_si128();
    size_t c = 0;
    for (; c + 16 <= columns; c += 16) {
        __m128i x = _mm_loadu_si128((const void *)(a + c)),
                y = _mm_loadu_si128((const void *)(b + c));
        __m128i x_low = _mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8);
        __m128i x_high = _mm_srai_epi16(_mm_unpackhi_epi8(x, x), 8);
        __m128i y_low = _mm_srai_epi16(_mm_unpacklo_epi8(y, y), 8);
        __m128i y_high = _mm_srai_epi16(_mm_unpackhi_epi8(y, y), 8);
        sum = _mm_add_epi32(sum, _mm_madd_epi16(x_low, y_low));
        sum = _mm_add_epi32(sum, _mm_madd_epi16(x_high, y_high));
    }
    int32_t of[4];
    _mm_storeu_si128((void *)of, sum);
    return of[0] + of[1] + of[2] + of[3] + row_vector_dot_plain(a + c, b + c, columns - c);
}

/* ... and thirty-two where it has AVX2. */
__attribute__((target("avx2"))) static int32_t dot_avx2(const int8_t *a, const int8_t *b,
                                                        size_t columns)
{
    __m256i sum = _mm256_setzero_si256();
    size_t c = 0;
    for (; c + 32 <= columns; c += 32) {
        __m256i x_low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(a + c)));
        __m256i y_low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(b + c)));
        __m256i x_high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(a + c + 16)));
        __m256i y_high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(b + c + 16)));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x_low, y_low));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x_high, y_high));
    }
    int32_t of[8], all = 0;
    _mm256_storeu_si256((void *)of, sum);
    for (size_t i = 0; i < 8; i++)
        all += of[i];
    return all + row_vector_dot_plain(a + c, b + c, columns - c);
}

int32_t row_vector_dot(const int8_t *a, const int8_t *b, size_t columns)
{
    return __builtin_cpu_supports("avx2") ? dot_avx2(a, b, columns) : dot_sse2(a, b, columns);
}

#else

int32_t row_vector_dot(const int8_t *a, const int8_t *b, size_t columns)
{
    return row_vector_dot_plain(a, b, columns); /* which compilers turn into such instructions */
}

#endif
