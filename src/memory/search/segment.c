/* segment.c - writing a segment, opening it, and looking things up in it. */
#include "memory/search/segment.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/arena.h"

enum {
    PART_SUMS,
    PART_INDEX,
    PART_KEYS,
    PART_POSTINGS,
    PART_ROWS,
    PART_NORMS,
    PART_SESSIONS,
    PART_AUTHORS,
    PARTS,
};
enum { KEYS_A_BLOCK = 32, INDEX_BYTES = 10, PRINT_BYTES = 6, HEAD_BYTES = 512, VARINT_MAX = 10 };

static const char magic[8] = "JOTSEG1";

typedef struct Head {
    char magic[8];
    uint32_t format, order; /* `order` is 0x01020304 on machines that can read it */
    uint64_t bytes;
    uint32_t rows, sessions, keys, streams, first_stream, unused;
    uint64_t off[PARTS], len[PARTS];
    uint64_t least[SEG_FIELDS]; /* of each field of a row the least there is ... */
    uint8_t width[SEG_FIELDS];  /* ... and the bytes that what is above it takes */
    uint64_t sums;              /* checksum of the sums */
    uint64_t self;              /* checksum of all before it */
} Head;

_Static_assert(sizeof(Head) <= HEAD_BYTES, "parts begin after it");

enum { BYTE_ORDER_MARK = 0x01020304 };

/* Where thirty-two keys and their postings begin: in a file each has five bytes. */
typedef struct IndexEntry {
    uint64_t key, posting;
} IndexEntry;

/* What is kept of a row, field by field; its norm and profile are in PART_NORMS. */
enum {
    FIELD_AT,
    FIELD_SEQ,
    FIELD_STREAM,
    FIELD_AUTHOR,
    FIELD_TITLE,
    FIELD_DIGEST,
    FIELD_HEAD,
    FIELD_FLAGS,
};
_Static_assert(FIELD_FLAGS + 1 == SEG_FIELDS, "each has a width");

uint64_t seg_hash(Str bytes)
{
    const uint64_t prime = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t h = bytes.n * prime;
    size_t at = 0;
    for (; bytes.n - at >= 8; at += 8) {
        uint64_t x;
        memcpy(&x, bytes.p + at, 8);
        h = (h ^ x) * prime;
        h ^= h >> 32;
    }
    uint64_t x = 0;
    if (at < bytes.n)
        memcpy(&x, bytes.p + at, bytes.n - at);
    h = (h ^ x) * prime;
    h ^= h >> 29;
    h *= UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ h >> 32;
}

/* --- Numbers ----------------------------------------------------------------------------- */

static void add_varint(Buf *to, uint64_t x)
{
    char bytes[VARINT_MAX];
    size_t n = 0;
    for (; x >= 0x80; x >>= 7)
        bytes[n++] = (char)(x | 0x80);
    bytes[n++] = (char)x;
    buf_add(to, (Str){ bytes, n });
}

/* False if there is none before `end`. */
static bool get_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
    uint64_t x = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        uint8_t b = *(*p)++;
        x |= (uint64_t)(b & 0x7F) << shift;
        if (b < 0x80) {
            *out = x;
            return true;
        }
    }
    return false;
}

uint8_t norm_of(uint32_t len)
{
    if (len < 32)
        return (uint8_t)len;
    if (len > SEG_LEN_MAX)
        len = SEG_LEN_MAX;
    unsigned high = 31 - (unsigned)__builtin_clz(len); /* at least 5 */
    return (uint8_t)((high - 4) * 16 + (len >> (high - 4)));
}

uint32_t norm_len(uint8_t norm)
{
    if (norm < 32)
        return norm;
    return (uint32_t)(16 + norm % 16) << (norm / 16 - 1);
}

/* --- Blocks ------------------------------------------------------------------------------ */

static bool spoil(Segment *s)
{
    s->bad = true;
    return false;
}

static bool load_block(Segment *s, size_t block)
{
    size_t from = HEAD_BYTES + block * SEGMENT_BLOCK;
    size_t n = s->n - from < SEGMENT_BLOCK ? s->n - from : SEGMENT_BLOCK;
    uint8_t *to = (uint8_t *)(uintptr_t)s->p + from; /* ours: see seg_from_file */
    if (io_read_all(s->io, s->fd, to, n, (off_t)from) != (ssize_t)n)
        return spoil(s);
    uint64_t sum;
    memcpy(&sum, s->p + s->off[PART_SUMS] + block * sizeof sum, sizeof sum);
    if (sum != seg_hash((Str){ (const char *)to, n }))
        return spoil(s);
    s->seen[block / 64] |= UINT64_C(1) << (block % 64);
    return true;
}

/* These bytes can be looked at. */
static bool need(Segment *s, uint64_t from, uint64_t n)
{
    if (s->bad || from > s->n || n > s->n - from)
        return spoil(s);
    if (!s->seen || n == 0)
        return true;
    size_t first = (from - HEAD_BYTES) / SEGMENT_BLOCK,
           last = (from + n - 1 - HEAD_BYTES) / SEGMENT_BLOCK;
    for (size_t b = first; b <= last; b++)
        if (!(s->seen[b / 64] >> (b % 64) & 1) && !load_block(s, b))
            return false;
    return true;
}

static bool need_part(Segment *s, unsigned part)
{
    return need(s, s->off[part], s->len[part]);
}

/* --- Opening ----------------------------------------------------------------------------- */

/* Blocks of a segment whose sums lie there. */
static size_t blocks_of(size_t end)
{
    return (end - HEAD_BYTES + SEGMENT_BLOCK - 1) / SEGMENT_BLOCK;
}

static bool fits(const Head *h, unsigned part, uint64_t count, uint64_t size)
{
    return h->len[part] == count * size;
}

static bool head_good(const Head *h, uint64_t bytes)
{
    if (memcmp(h->magic, magic, sizeof magic) != 0 || h->format != SEGMENT_FORMAT ||
        h->order != BYTE_ORDER_MARK || h->bytes != bytes ||
        h->self != seg_hash((Str){ (const char *)h, offsetof(Head, self) }))
        return false;
    for (unsigned i = 0; i < PARTS; i++)
        if (h->off[i] < HEAD_BYTES || h->off[i] % 8 || h->off[i] > bytes ||
            h->len[i] > bytes - h->off[i] ||
            (i != PART_SUMS && h->off[i] + h->len[i] > h->off[PART_SUMS]))
            return false;
    if (h->off[PART_SUMS] + h->len[PART_SUMS] != bytes)
        return false; /* the sums lie behind all they are of */
    uint64_t blocks = blocks_of(h->off[PART_SUMS]);
    uint64_t index = ((uint64_t)h->keys + KEYS_A_BLOCK - 1) / KEYS_A_BLOCK;
    uint64_t row = 0;
    for (unsigned i = 0; i < SEG_FIELDS; i++) {
        if (h->width[i] > sizeof(uint64_t))
            return false;
        row += h->width[i];
    }
    return fits(h, PART_SUMS, blocks, 8) && fits(h, PART_INDEX, index, INDEX_BYTES) &&
           fits(h, PART_ROWS, h->rows, row) && fits(h, PART_NORMS, h->rows, 2) &&
           fits(h, PART_SESSIONS, h->sessions, sizeof(SegSession)) && h->first_stream <= h->keys &&
           h->streams <= h->keys - h->first_stream;
}

static void take_head(Segment *s, const Head *h)
{
    s->n = h->bytes - h->len[PART_SUMS]; /* the sums lie behind the blocks */
    s->rows = h->rows;
    s->sessions = h->sessions;
    s->keys = h->keys;
    s->streams = h->streams;
    s->first_stream = h->first_stream;
    _Static_assert(sizeof s->off >= sizeof h->off, "there is room for each part");
    memcpy(s->off, h->off, sizeof h->off);
    memcpy(s->len, h->len, sizeof h->len);
    memcpy(s->least, h->least, sizeof h->least);
    memcpy(s->width, h->width, sizeof h->width);
    s->row_bytes = 0;
    for (unsigned i = 0; i < SEG_FIELDS; i++)
        s->row_bytes += h->width[i];
}

bool seg_from_bytes(Segment *s, Buf *bytes)
{
    Head h;
    *s = (Segment){ .fd = -1 };
    if (bytes->n < HEAD_BYTES)
        return false;
    memcpy(&h, bytes->p, sizeof h);
    if (!head_good(&h, bytes->n))
        return false;
    s->own = *bytes;
    *bytes = (Buf){ 0 };
    s->p = (const uint8_t *)s->own.p;
    take_head(s, &h);
    return true;
}

/* Room for the whole file that costs nothing until a block is read into it. */
bool seg_from_file(Segment *s, const Io *io, Fd *fd)
{
    Head h;
    struct stat info;
    *s = (Segment){ .fd = *fd, .io = io };
    *fd = -1;
    if (io_fstat(io, s->fd, &info) < 0 || info.st_size < HEAD_BYTES ||
        io_read_all(io, s->fd, &h, sizeof h, 0) != sizeof h ||
        !head_good(&h, (uint64_t)info.st_size))
        return false;
    size_t size = (size_t)info.st_size;
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        mem_exhausted();
    s->p = room;
    take_head(s, &h);
    uint8_t *sums = (uint8_t *)room + s->off[PART_SUMS];
    size_t blocks = h.len[PART_SUMS] / 8;
    s->seen = mem_alloc((blocks / 64 + 1) * sizeof *s->seen);
    if (io_read_all(io, s->fd, sums, h.len[PART_SUMS], (off_t)s->off[PART_SUMS]) !=
        (ssize_t)h.len[PART_SUMS])
        return false;
    return h.sums == seg_hash((Str){ (const char *)sums, h.len[PART_SUMS] });
}

void seg_close(Segment *s)
{
    if (s->fd >= 0 && s->p)
        munmap((void *)(uintptr_t)s->p, s->n + s->len[PART_SUMS]);
    free(s->seen);
    free(s->dead);
    free(s->session_of);
    buf_free(&s->own);
    fd_close(&s->fd);
    *s = (Segment){ .fd = -1 };
}

bool seg_check(Segment *s)
{
    return need(s, HEAD_BYTES, s->n - HEAD_BYTES);
}

/* --- Keys -------------------------------------------------------------------------------- */

static bool index_entry(Segment *s, uint32_t block, IndexEntry *out)
{
    uint64_t at = s->off[PART_INDEX] + (uint64_t)block * INDEX_BYTES;
    if (!need(s, at, INDEX_BYTES))
        return false;
    *out = (IndexEntry){ 0 };
    memcpy(&out->key, s->p + at, INDEX_BYTES / 2);
    memcpy(&out->posting, s->p + at + INDEX_BYTES / 2, INDEX_BYTES / 2);
    *out = (IndexEntry){ le64toh(out->key), le64toh(out->posting) };
    return out->key <= s->len[PART_KEYS] && out->posting <= 8 * s->len[PART_POSTINGS] ? true
                                                                                      : spoil(s);
}

/* Stand before the first key of a block. */
static bool go_to_block(SegKeys *k, uint32_t block)
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

enum {
    ENTRY_MAX = SEG_KEY_MAX + 1 + 4 * VARINT_MAX,
    LONG = 15,   /* half a byte that says: a varint with the rest follows */
    SINGLE = 64, /* codes of keys with one row and at most SINGLE / 2 bits of postings */
};

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
    if (*shared == LONG && !get_varint(p, end, &more))
        return false;
    *shared += *shared == LONG ? more : 0;
    more = 0;
    if (*own == LONG && !get_varint(p, end, &more))
        return false;
    *own += *own == LONG ? more : 0;
    return *shared <= SEG_KEY_MAX && *own <= SEG_KEY_MAX;
}

static void add_lengths(Buf *to, size_t shared, size_t own)
{
    size_t high = shared < LONG ? shared : LONG, low = own < LONG ? own : LONG;
    buf_add_char(to, (char)(high << 4 | low));
    if (high == LONG)
        add_varint(to, shared - LONG);
    if (low == LONG)
        add_varint(to, own - LONG);
}

/* Rows, times two, plus one if the usual bits are told, and the bits of postings.  Most words of a
 * pad are in one row: these take one byte. */
static bool get_counts(const uint8_t **p, const uint8_t *end, uint64_t *rows, uint64_t *bits)
{
    uint64_t code;
    if (!get_varint(p, end, &code))
        return false;
    if (code < SINGLE) {
        *rows = 2 | (code & 1);
        *bits = 1 + (code >> 1);
        return true;
    }
    *rows = code - SINGLE;
    return get_varint(p, end, bits);
}

static void add_counts(Buf *to, uint64_t rows, uint64_t bits)
{
    if (rows >> 1 == 1 && bits >= 1 && bits <= SINGLE / 2) {
        add_varint(to, (bits - 1) << 1 | (rows & 1));
        return;
    }
    add_varint(to, rows + SINGLE);
    add_varint(to, bits);
}

bool seg_keys_next(SegKeys *k)
{
    Segment *s = k->s;
    uint64_t shared, n, rows, bits;
    if (k->next >= s->keys || s->bad)
        return false;
    uint64_t left = s->len[PART_KEYS] - k->at;
    if (!need(s, s->off[PART_KEYS] + k->at, left < ENTRY_MAX ? left : ENTRY_MAX))
        return false;
    const uint8_t *from = s->p + s->off[PART_KEYS], *p = from + k->at,
                  *end = from + s->len[PART_KEYS];
    if (!get_lengths(&p, end, &shared, &n) || shared > k->key_n || n > SEG_KEY_MAX - shared ||
        n > (uint64_t)(end - p))
        return spoil(s);
    memcpy(k->key + shared, p, n);
    k->key_n = shared + n;
    p += n;
    if (!get_counts(&p, end, &rows, &bits) || rows >> 1 > s->rows ||
        bits > 8 * s->len[PART_POSTINGS] - k->post)
        return spoil(s);
    k->at = (uint64_t)(p - from);
    k->term = (SegTerm){
        .n = (uint32_t)(rows >> 1), .usual = rows & 1, .from = k->post, .to = k->post + bits
    };
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
        if (!go_to_block(k, middle) || !seg_keys_next(k))
            return false;
        if (str_cmp((Str){ k->key, k->key_n }, key) <= 0)
            low = middle;
        else
            high = middle;
    }
    return go_to_block(k, low);
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

/* --- What keys lead to ------------------------------------------------------------------- */

/* Postings are bits, the lowest of a byte first.  A gap is so many zeros as it has 2^k, a one, and
 * k bits of the rest (Golomb, Rice): a word of every third row takes three bits, not eight.  Then
 * one bit says whether the posting differs from most, and if so POST_BITS say how. */
enum { ZEROS_MAX = 15 /* then a one, and the gap in GAP_BITS */, GAP_BITS = 32, POST_BITS = 7 };

/* The bits that suit the mean gap between `n` of `rows`. */
static unsigned gap_bits(uint64_t rows, uint64_t n)
{
    uint64_t mean = n ? rows * 7 / (10 * n) : 0; /* ln 2 of it is best */
    return mean ? 63 - (unsigned)__builtin_clzll(mean) : 0;
}

typedef struct BitReader {
    const uint8_t *p, *end;
    uint64_t bits; /* what is next, from the lowest on */
    unsigned n;    /* how many of them count */
} BitReader;

/* At least 56 bits, if there are so many: a posting has no more. */
static void fill_bits(BitReader *r)
{
    if (r->end - r->p >= 8) {
        uint64_t x;
        memcpy(&x, r->p, sizeof x);
        r->bits |= le64toh(x) << r->n;
        r->p += (63 - r->n) >> 3;
        r->n |= 56;
        return;
    }
    for (; r->n < 56 && r->p < r->end; r->n += 8)
        r->bits |= (uint64_t)*r->p++ << r->n;
}

/* False: there is no whole one left. */
static bool get_post(BitReader *r, unsigned k, uint8_t usual, uint64_t *gap, uint8_t *says)
{
    fill_bits(r);
    unsigned zeros = r->bits ? (unsigned)__builtin_ctzll(r->bits) : ZEROS_MAX + 1, used = zeros + 1;
    if (zeros > ZEROS_MAX)
        return false;
    unsigned rest = zeros == ZEROS_MAX ? GAP_BITS : k;
    *gap = r->bits >> used & ((UINT64_C(1) << rest) - 1);
    *gap |= zeros == ZEROS_MAX ? 0 : (uint64_t)zeros << k;
    used += rest;
    *says = usual;
    if (r->bits >> used++ & 1) {
        *says = r->bits >> used & ((1 << POST_BITS) - 1);
        used += POST_BITS;
    }
    if (used > r->n)
        return false;
    r->bits >>= used;
    r->n -= used;
    return true;
}

/* The bits of a term can be looked at: where they begin.  NULL: they cannot. */
static const uint8_t *bits_of(Segment *s, const SegTerm *term)
{
    uint64_t from = term->from / 8, to = (term->to + 7) / 8;
    return need(s, s->off[PART_POSTINGS] + from, to - from) ? s->p + s->off[PART_POSTINGS] + from
                                                            : NULL;
}

/* Stand at the first posting: behind what ends in the same byte, and behind the usual bits. */
static bool begin_posts(Segment *s, const SegTerm *term, BitReader *r, uint8_t *usual)
{
    const uint8_t *p = bits_of(s, term);
    unsigned skip = term->from % 8;
    if (!p)
        return false;
    *r = (BitReader){ .p = p, .end = p + ((term->to + 7) / 8 - term->from / 8) };
    fill_bits(r);
    *usual = term->usual ? r->bits >> skip & ((1 << POST_BITS) - 1) : 0;
    skip += term->usual ? POST_BITS : 0;
    if (skip > r->n)
        return false;
    r->bits >>= skip;
    r->n -= skip;
    return true;
}

size_t seg_posts(Segment *s, const SegTerm *term, SegPost *out)
{
    uint64_t row = 0, gap;
    uint32_t n = 0;
    uint8_t says, usual;
    unsigned k = gap_bits(s->rows, term->n);
    BitReader r;
    bool good = begin_posts(s, term, &r, &usual);
    for (; good && n < term->n && get_post(&r, k, usual, &gap, &says); n++) {
        row += gap;
        if (row >= s->rows)
            break;
        out[n] = (SegPost){ (uint32_t)row++, says };
    }
    if (n < term->n)
        s->bad = true;
    return n;
}

/* The next field of a row, and on to the one behind it. */
static uint64_t get_field(const Segment *s, const uint8_t **p, unsigned field)
{
    uint64_t x = 0;
    memcpy(&x, *p, s->width[field]);
    *p += s->width[field];
    return s->least[field] + le64toh(x);
}

bool seg_row(Segment *s, uint32_t row, SegRow *out)
{
    uint64_t at = s->off[PART_ROWS] + (uint64_t)row * s->row_bytes;
    *out = (SegRow){ 0 };
    const uint16_t *norms = seg_norms(s);
    if (row >= s->rows || !norms || !need(s, at, s->row_bytes))
        return spoil(s);
    const uint8_t *p = s->p + at;
    out->at_ms = (int64_t)get_field(s, &p, FIELD_AT);
    out->seq = get_field(s, &p, FIELD_SEQ);
    out->stream = (uint32_t)get_field(s, &p, FIELD_STREAM);
    out->author = (uint32_t)get_field(s, &p, FIELD_AUTHOR);
    out->title = (uint32_t)get_field(s, &p, FIELD_TITLE);
    out->digest = (uint32_t)get_field(s, &p, FIELD_DIGEST);
    out->head = (uint8_t)get_field(s, &p, FIELD_HEAD);
    out->flags = (uint8_t)get_field(s, &p, FIELD_FLAGS);
    out->len = norm_len((uint8_t)norms[row]);
    out->profile = (uint8_t)(norms[row] >> 8);
    if (out->stream < s->streams)
        return true;
    *out = (SegRow){ 0 };
    return spoil(s);
}

bool seg_stream(Segment *s, const SegTerm *term, SegStream *out)
{
    uint64_t flags, first;
    *out = (SegStream){ .n = term->n };
    const uint8_t *p = bits_of(s, term);
    if (!p)
        return false;
    const uint8_t *end = p + ((term->to + 7) / 8 - term->from / 8);
    p += term->from % 8 && p < end; /* it begins with a byte of its own */
    if (!get_varint(&p, end, &flags) || !get_varint(&p, end, &out->seq) ||
        !get_varint(&p, end, &first) || end - p != PRINT_BYTES || first > s->rows ||
        term->n > s->rows - first)
        return spoil(s);
    memcpy(&out->print, p, PRINT_BYTES);
    out->print = le64toh(out->print);
    out->gone = flags & 1;
    out->redacted = flags >> 1;
    out->first = (uint32_t)first;
    return true;
}

Str seg_stream_name(Segment *s, uint32_t stream, Arena *into)
{
    SegKeys k = { .s = s };
    uint32_t key = s->first_stream + stream;
    bool good = stream < s->streams && go_to_block(&k, key / KEYS_A_BLOCK);
    while (good && k.next <= key)
        good = seg_keys_next(&k);
    if (!good || k.key_n == 0 || k.key[0] != KEY_STREAM) {
        s->bad = true;
        return (Str){ 0 };
    }
    return arena_copy(into, (Str){ k.key + 1, k.key_n - 1 });
}

Str seg_author(Segment *s, uint32_t author)
{
    uint64_t n;
    uint64_t left = author <= s->len[PART_AUTHORS] ? s->len[PART_AUTHORS] - author : 0;
    if (!need_part(s, PART_AUTHORS))
        return (Str){ 0 };
    const uint8_t *p = s->p + s->off[PART_AUTHORS] + author, *end = p + left;
    if (!get_varint(&p, end, &n) || n > (uint64_t)(end - p)) {
        s->bad = true;
        return (Str){ 0 };
    }
    return (Str){ (const char *)p, n };
}

static const void *column(Segment *s, unsigned part)
{
    return need_part(s, part) ? s->p + s->off[part] : NULL;
}

/* Which session each row is of follows from where they begin; it is looked up for every posting. */
static bool number_sessions(Segment *s, const SegSession *sessions)
{
    s->session_of = mem_alloc((s->rows + (size_t)1) * sizeof *s->session_of);
    bool good = s->rows == 0 || (s->sessions > 0 && sessions[0].first == 0);
    for (uint32_t i = 0; good && i < s->sessions; i++) {
        uint32_t end = i + 1 < s->sessions ? sessions[i + 1].first : s->rows;
        good = sessions[i].first < end && end <= s->rows;
        for (uint32_t r = sessions[i].first; good && r < end; r++)
            s->session_of[r] = i;
    }
    return good;
}

/* Numbers that are used without a look must be within their bounds. */
static bool check_columns(Segment *s)
{
    const uint16_t *norms = column(s, PART_NORMS);
    const SegSession *sessions = column(s, PART_SESSIONS);
    if (!norms || !sessions || s->session_of)
        return false;
    bool good = number_sessions(s, sessions);
    for (uint32_t i = 0; i < s->rows; i++)
        good = good && norms[i] >> 8 < PROFILES;
    s->checked = good;
    s->norms = norms;
    return good ? true : spoil(s);
}

const uint16_t *seg_norms(Segment *s)
{
    return s->checked || check_columns(s) ? s->norms : NULL;
}

const SegSession *seg_sessions(Segment *s)
{
    return s->checked || check_columns(s) ? column(s, PART_SESSIONS) : NULL;
}

const uint32_t *seg_session_of(Segment *s)
{
    return s->checked || check_columns(s) ? s->session_of : NULL;
}

void seg_kill(Segment *s, uint32_t row)
{
    if (!s->dead)
        s->dead = mem_alloc(s->rows / 8 + 1);
    s->dead_n += !seg_dead(s, row);
    s->dead[row / 8] |= (uint8_t)(1 << (row % 8));
}

/* --- Writing ----------------------------------------------------------------------------- */

static void unlimited(Buf *b)
{
    b->max = SIZE_MAX / 2;
}

static void write_key(SegWriter *w, Str key, const SegTerm *t)
{
    size_t shared = 0;
    assert(key.n <= SEG_KEY_MAX);
    if (w->keys_n % KEYS_A_BLOCK == 0) {
        unlimited(&w->index);
        unlimited(&w->keys);
        IndexEntry e = { htole64(w->keys.n), htole64(t->from) };
        buf_add(&w->index, (Str){ (const char *)&e.key, INDEX_BYTES / 2 });
        buf_add(&w->index, (Str){ (const char *)&e.posting, INDEX_BYTES / 2 });
    } else {
        while (shared < key.n && shared < w->last_n && key.p[shared] == w->last[shared])
            shared++;
    }
    add_lengths(&w->keys, shared, key.n - shared);
    buf_add(&w->keys, str_from(key, shared));
    add_counts(&w->keys, (uint64_t)t->n << 1 | t->usual, t->to - t->from);
    memcpy(w->last, key.p, key.n);
    w->last_n = key.n;
    w->keys_n++;
}

/* What most postings say: a word has one form nearly everywhere, and then it is told once. */
static uint8_t usual_bits(const SegPost *posts, size_t n)
{
    size_t alike = 1;
    while (alike < n && posts[alike].bits == posts[0].bits)
        alike++;
    if (n && alike == n)
        return posts[0].bits; /* most words are in one row, or the same in all of them */
    uint32_t count[256] = { 0 };
    uint8_t usual = 0;
    for (size_t i = 0; i < n; i++)
        count[posts[i].bits]++;
    for (unsigned i = 1; i < COUNT_OF(count); i++)
        if (count[i] > count[usual])
            usual = (uint8_t)i;
    return usual;
}

/* The lowest bytes of what is put together; they are whole. */
static void put_bytes(SegWriter *w, unsigned n)
{
    uint64_t low = htole64(w->bits);
    assert(8 * n <= w->bits_n);
    buf_add(&w->postings, (Str){ (const char *)&low, n });
    w->bits_n -= 8 * n;
    w->bits = n < sizeof low ? w->bits >> 8 * n : 0;
}

/* At most 32 bits, behind those of the postings before. */
static void put_bits(SegWriter *w, uint64_t x, unsigned n)
{
    assert(n <= 32 && w->bits_n < 32 && x >> n == 0);
    w->bits |= x << w->bits_n;
    w->bits_n += n;
    if (w->bits_n >= 32)
        put_bytes(w, 4);
}

static uint64_t bits_written(const SegWriter *w)
{
    return 8 * (uint64_t)w->postings.n + w->bits_n;
}

static void end_byte(SegWriter *w)
{
    w->bits_n = (w->bits_n + 7) & ~7U;
    put_bytes(w, w->bits_n / 8);
}

static void put_gap(SegWriter *w, uint32_t gap, unsigned k)
{
    uint32_t zeros = gap >> k;
    if (zeros >= ZEROS_MAX) {
        put_bits(w, UINT64_C(1) << ZEROS_MAX, ZEROS_MAX + 1);
        put_bits(w, gap, GAP_BITS);
        return;
    }
    put_bits(w, UINT64_C(1) << zeros, zeros + 1);
    put_bits(w, gap & ((UINT64_C(1) << k) - 1), k);
}

void seg_write_term(SegWriter *w, Str key, const SegPost *posts, size_t n)
{
    unlimited(&w->postings);
    uint64_t from = bits_written(w);
    uint32_t next = 0;
    uint8_t usual = usual_bits(posts, n);
    unsigned k = gap_bits(w->rows, n);
    if (usual)
        put_bits(w, usual, POST_BITS);
    for (size_t i = 0; i < n; i++) {
        bool other = posts[i].bits != usual;
        assert(posts[i].row < w->rows && posts[i].bits < 1 << POST_BITS);
        put_gap(w, posts[i].row - next, k);
        put_bits(w, other, 1);
        if (other)
            put_bits(w, posts[i].bits, POST_BITS);
        next = posts[i].row + 1;
    }
    write_key(w, key, &(SegTerm){ (uint32_t)n, usual != 0, from, bits_written(w) });
}

void seg_write_stream(SegWriter *w, Str name, const SegStream *known)
{
    char key[SEG_KEY_MAX];
    assert(name.n < SEG_KEY_MAX);
    unlimited(&w->postings);
    uint64_t from = bits_written(w), print = htole64(known->print);
    end_byte(w);
    add_varint(&w->postings, known->redacted << 1 | known->gone);
    add_varint(&w->postings, known->seq);
    add_varint(&w->postings, known->first);
    buf_add(&w->postings, (Str){ (const char *)&print, PRINT_BYTES });
    key[0] = KEY_STREAM;
    memcpy(key + 1, name.p, name.n);
    if (w->streams++ == 0)
        w->first_stream = w->keys_n;
    write_key(w, (Str){ key, name.n + 1 }, &(SegTerm){ known->n, false, from, bits_written(w) });
}

/* The author whose name is put there. */
static Str author_at(const SegWriter *w, uint32_t at)
{
    const uint8_t *p = (const uint8_t *)w->authors.p + at;
    const uint8_t *end = (const uint8_t *)w->authors.p + w->authors.n;
    uint64_t n = 0;
    bool good = get_varint(&p, end, &n);
    assert(good);
    return (Str){ (const char *)p, n };
}

/* The slot of a name: the one that has it, or the free one where it belongs. */
static uint32_t *author_slot(const SegWriter *w, Str name)
{
    uint32_t mask = w->author_cap - 1, i = (uint32_t)seg_hash(name) & mask;
    while (w->author_slots[i] && !str_eq(author_at(w, w->author_slots[i] - 1), name))
        i = (i + 1) & mask;
    return &w->author_slots[i];
}

static void grow_author_slots(SegWriter *w)
{
    uint32_t *old = w->author_slots, cap = w->author_cap;
    w->author_cap = cap ? 2 * cap : 16;
    w->author_slots = mem_alloc(w->author_cap * sizeof *w->author_slots);
    for (uint32_t i = 0; i < cap; i++)
        if (old[i])
            *author_slot(w, author_at(w, old[i] - 1)) = old[i];
    free(old);
}

uint32_t seg_write_author(SegWriter *w, Str name)
{
    unlimited(&w->authors);
    if (2 * (w->authors_n + 1) > w->author_cap)
        grow_author_slots(w);
    uint32_t *slot = author_slot(w, name);
    if (*slot)
        return *slot - 1;
    *slot = (uint32_t)w->authors.n + 1;
    w->authors_n++;
    add_varint(&w->authors, name.n);
    buf_add(&w->authors, name);
    return *slot - 1;
}

static void pad_to_eight(Buf *b)
{
    while (b->n % 8)
        buf_add_char(b, 0);
}

static void begin_part(Buf *out, Head *h, unsigned part)
{
    pad_to_eight(out);
    h->off[part] = out->n;
}

static void end_part(const Buf *out, Head *h, unsigned part)
{
    h->len[part] = out->n - h->off[part];
}

static void add_part(Buf *out, Head *h, unsigned part, const Buf *from)
{
    begin_part(out, h, part);
    buf_add(out, buf_str(from));
    end_part(out, h, part);
}

/* The fields of a row, in their order. */
static void fields_of(const SegRow *r, uint64_t *to)
{
    to[FIELD_AT] = r->at_ms > 0 ? (uint64_t)r->at_ms : 0;
    to[FIELD_SEQ] = r->seq;
    to[FIELD_STREAM] = r->stream;
    to[FIELD_AUTHOR] = r->author;
    to[FIELD_TITLE] = r->title;
    to[FIELD_DIGEST] = r->digest;
    to[FIELD_HEAD] = r->head;
    to[FIELD_FLAGS] = r->flags;
}

static void measure_fields(Head *h, const SegRow *rows, uint32_t n)
{
    uint64_t most[SEG_FIELDS] = { 0 }, fields[SEG_FIELDS];
    for (uint32_t i = 0; i < n; i++) {
        fields_of(&rows[i], fields);
        for (unsigned f = 0; f < SEG_FIELDS; f++) {
            h->least[f] = i == 0 || fields[f] < h->least[f] ? fields[f] : h->least[f];
            most[f] = fields[f] > most[f] ? fields[f] : most[f];
        }
    }
    for (unsigned f = 0; f < SEG_FIELDS; f++)
        for (uint64_t above = most[f] - h->least[f]; above; above >>= 8)
            h->width[f]++;
}

static void add_rows(Buf *out, Head *h, const SegRow *rows, uint32_t n)
{
    measure_fields(h, rows, n);
    begin_part(out, h, PART_ROWS);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t fields[SEG_FIELDS];
        fields_of(&rows[i], fields);
        for (unsigned f = 0; f < SEG_FIELDS; f++) {
            uint64_t above = htole64(fields[f] - h->least[f]);
            buf_add(out, (Str){ (const char *)&above, h->width[f] });
        }
    }
    end_part(out, h, PART_ROWS);
    begin_part(out, h, PART_NORMS);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t norm = (uint16_t)(norm_of(rows[i].len) | rows[i].profile << 8);
        buf_add(out, (Str){ (const char *)&norm, sizeof norm });
    }
    end_part(out, h, PART_NORMS);
}

static bool begins_session(const SegRow *rows, uint32_t i)
{
    return i == 0 ||
           !seg_same_session(&rows[i - 1], &rows[i], rows[i - 1].stream == rows[i].stream);
}

static void add_sessions(Buf *out, Head *h, const SegRow *rows, uint32_t n)
{
    begin_part(out, h, PART_SESSIONS);
    SegSession f = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (begins_session(rows, i))
            f = (SegSession){ .first = i };
        f.len += norm_len(norm_of(rows[i].len));
        if (i + 1 == n || begins_session(rows, i + 1))
            buf_add(out, (Str){ (const char *)&f, sizeof f });
    }
    end_part(out, h, PART_SESSIONS);
    h->sessions = (uint32_t)(h->len[PART_SESSIONS] / sizeof f);
}

void seg_seal(Buf *bytes)
{
    Head h;
    if (bytes->n < HEAD_BYTES)
        return;
    memcpy(&h, bytes->p, sizeof h);
    size_t end = h.off[PART_SUMS], blocks = blocks_of(end);
    if (end < HEAD_BYTES || end > bytes->n || blocks * 8 > bytes->n - end)
        return;
    for (size_t b = 0; b < blocks; b++) {
        size_t from = HEAD_BYTES + b * SEGMENT_BLOCK;
        size_t n = end - from < SEGMENT_BLOCK ? end - from : SEGMENT_BLOCK;
        uint64_t sum = seg_hash((Str){ bytes->p + from, n });
        memcpy(bytes->p + end + b * sizeof sum, &sum, sizeof sum);
    }
    h.sums = seg_hash((Str){ bytes->p + end, blocks * 8 });
    h.self = seg_hash((Str){ (const char *)&h, offsetof(Head, self) });
    memcpy(bytes->p, &h, sizeof h);
}

void seg_write_end(SegWriter *w, const SegRow *rows, uint32_t n, Buf *out)
{
    static const char empty[HEAD_BYTES] = { 0 };
    assert(n == w->rows);
    Head h = { .format = SEGMENT_FORMAT,
               .order = BYTE_ORDER_MARK,
               .rows = n,
               .keys = w->keys_n,
               .streams = w->streams,
               .first_stream = w->first_stream };
    memcpy(h.magic, magic, sizeof magic);
    unlimited(out);
    buf_clear(out);
    buf_add(out, (Str){ empty, sizeof empty });
    end_byte(w);
    add_part(out, &h, PART_INDEX, &w->index);
    add_part(out, &h, PART_KEYS, &w->keys);
    add_part(out, &h, PART_POSTINGS, &w->postings);
    add_rows(out, &h, rows, n);
    add_sessions(out, &h, rows, n);
    add_part(out, &h, PART_AUTHORS, &w->authors);
    begin_part(out, &h, PART_SUMS);
    for (size_t b = blocks_of(out->n); b > 0; b--)
        buf_add(out, (Str){ empty, sizeof(uint64_t) });
    end_part(out, &h, PART_SUMS);
    h.bytes = out->n;
    memcpy(out->p, &h, sizeof h);
    seg_seal(out);
}

void seg_writer_free(SegWriter *w)
{
    buf_free(&w->index);
    buf_free(&w->keys);
    buf_free(&w->postings);
    buf_free(&w->authors);
    free(w->author_slots);
    w->author_slots = NULL;
    w->authors_n = w->author_cap = 0;
}
