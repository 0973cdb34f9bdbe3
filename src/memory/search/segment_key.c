/* segment_key.c - the keys of a segment, in their order.
 *
 * A key is what it has of its own behind what it shares with the key before it,
 * then how many rows it has and how many bits of postings:
 *
 *   shared, own | bytes    | rows, bits       "tpear"
 *   0     , 5   | t p e a r| 3   , 14
 *   5     , 1   | s        | 1   , 9          "tpears"
 *
 * Every thirty-second has all its bytes and stands in the index, so a key is
 * found by halving the index and reading at most thirty-two. */
#include "memory/search/segment_internal.h"

#include <string.h>

/* --- Keys -------------------------------------------------------------------------------- */

static bool index_entry(Segment *s, uint32_t block, IndexEntry *out)
{
    uint64_t at = s->off[PART_INDEX] + (uint64_t)block * INDEX_BYTES;
    if (!seg_need(s, at, INDEX_BYTES))
        return false;
    *out = (IndexEntry){ 0 };
    memcpy(&out->key, s->p + at, INDEX_BYTES / 2);
    memcpy(&out->posting, s->p + at + INDEX_BYTES / 2, INDEX_BYTES / 2);
    *out = (IndexEntry){ le64toh(out->key), le64toh(out->posting) };
    return out->key <= s->len[PART_KEYS] && out->posting <= 8 * s->len[PART_POSTINGS]
               ? true
               : seg_spoil(s);
}

/* Stand before the first key of a block. */
bool seg_go_to_block(SegKeys *k, uint32_t block)
{
    IndexEntry e;
    if (!index_entry(k->s, block, &e))
        return false;
    k->next = block * KEYS_A_BLOCK;
    k->at = e.key;
    k->post = e.posting;
    k->key_n = 0;
    return true;
}

/* Both lengths of a key, what it shares with the one before it and what it has of its own, in one
 * byte if they are short. */
static bool get_lengths(const uint8_t **p, const uint8_t *end, uint64_t *shared, uint64_t *own)
{
    uint64_t more = 0;
    if (*p == end)
        return false;
    uint8_t both = *(*p)++;
    *shared = both >> 4;
    *own = both & LONG;
    if (*shared == LONG && !seg_get_varint(p, end, &more))
        return false;
    *shared += *shared == LONG ? more : 0;
    more = 0;
    if (*own == LONG && !seg_get_varint(p, end, &more))
        return false;
    *own += *own == LONG ? more : 0;
    return *shared <= SEG_KEY_MAX && *own <= SEG_KEY_MAX;
}

/* Rows, times two, plus one if the usual bits are told, and the bits of postings.  Most words of a
 * pad are in one row: these take one byte. */
static bool get_counts(const uint8_t **p, const uint8_t *end, uint64_t *rows, uint64_t *bits)
{
    uint64_t code;
    if (!seg_get_varint(p, end, &code))
        return false;
    if (code < SINGLE) {
        *rows = 2 | (code & 1);
        *bits = 1 + (code >> 1);
        return true;
    }
    *rows = code - SINGLE;
    return seg_get_varint(p, end, bits);
}

bool seg_keys_next(SegKeys *k)
{
    Segment *s = k->s;
    uint64_t shared, n, rows, bits;
    if (k->next >= s->keys || s->bad)
        return false;
    uint64_t left = s->len[PART_KEYS] - k->at;
    if (!seg_need(s, s->off[PART_KEYS] + k->at, left < ENTRY_MAX ? left : ENTRY_MAX))
        return false;
    const uint8_t *from = s->p + s->off[PART_KEYS], *p = from + k->at,
                  *end = from + s->len[PART_KEYS];
    if (!get_lengths(&p, end, &shared, &n) || shared > k->key_n || n > SEG_KEY_MAX - shared ||
        n > (uint64_t)(end - p))
        return seg_spoil(s);
    memcpy(k->key + shared, p, n);
    k->key_n = shared + n;
    p += n;
    if (!get_counts(&p, end, &rows, &bits) || rows >> 1 > s->rows ||
        bits > 8 * s->len[PART_POSTINGS] - k->post)
        return seg_spoil(s);
    k->at = (uint64_t)(p - from);
    bool posts = k->key[0] != KEY_STREAM;
    k->term = (SegTerm){ .n = (uint32_t)(rows >> 1),
                         .usual = rows & 1,
                         .dense = posts && seg_is_dense(s->rows, rows >> 1),
                         .summed = posts && seg_is_summed(s->rows, rows >> 1),
                         .from = k->post,
                         .to = k->post + bits };
    k->post += bits;
    k->next++;
    return true;
}

/* The last block whose first key is not behind this one. */
static bool find_block(SegKeys *k, Str key)
{
    uint32_t low = 0, high = (k->s->keys + KEYS_A_BLOCK - 1) / KEYS_A_BLOCK;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (!seg_go_to_block(k, middle) || !seg_keys_next(k))
            return false;
        if (str_cmp((Str){ k->key, k->key_n }, key) <= 0)
            low = middle;
        else
            high = middle;
    }
    return seg_go_to_block(k, low);
}

bool seg_keys_from(SegKeys *k, Segment *s, Str key)
{
    *k = (SegKeys){ .s = s };
    if (s->keys == 0 || !find_block(k, key))
        return false;
    while (seg_keys_next(k))
        if (str_cmp((Str){ k->key, k->key_n }, key) >= 0)
            return true;
    return false;
}

bool seg_find(Segment *s, Str key, SegTerm *out)
{
    SegKeys k;
    if (!seg_keys_from(&k, s, key) || !str_eq((Str){ k.key, k.key_n }, key))
        return false;
    *out = k.term;
    return true;
}
