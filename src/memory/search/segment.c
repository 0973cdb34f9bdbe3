/* segment.c - opening a segment, reading its blocks, and what is known of its rows.
 *
 * Nothing in a file is believed: the head is checked when it is opened, a block
 * when it is first needed, and every number before it is used as a place.  What
 * is not as it must be spoils the segment (seg_spoil): whoever reads from it
 * looks at that in the end and makes the index anew, and a search goes on. */
#include "memory/search/segment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "memory/search/segment_internal.h"

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

/* False if there is none before `end`. */
bool seg_get_varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
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

bool seg_spoil(Segment *s)
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
        return seg_spoil(s);
    uint64_t sum;
    memcpy(&sum, s->p + s->off[PART_SUMS] + block * sizeof sum, sizeof sum);
    if (sum != seg_hash((Str){ (const char *)to, n }))
        return seg_spoil(s);
    s->seen[block / 64] |= UINT64_C(1) << (block % 64);
    return true;
}

/* These bytes can be looked at. */
bool seg_need(Segment *s, uint64_t from, uint64_t n)
{
    if (s->bad || from > s->n || n > s->n - from)
        return seg_spoil(s);
    if (!s->seen || n == 0)
        return true;
    size_t first = (from - HEAD_BYTES) / SEGMENT_BLOCK,
           last = (from + n - 1 - HEAD_BYTES) / SEGMENT_BLOCK;
    for (size_t b = first; b <= last; b++)
        if (!(s->seen[b / 64] >> (b % 64) & 1) && !load_block(s, b))
            return false;
    return true;
}

bool seg_need_part(Segment *s, unsigned part)
{
    return seg_need(s, s->off[part], s->len[part]);
}

/* --- Opening ----------------------------------------------------------------------------- */

static bool fits(const Head *h, unsigned part, uint64_t count, uint64_t size)
{
    return h->len[part] == count * size;
}

static bool head_good(const Head *h, uint64_t bytes)
{
    if (memcmp(h->magic, SEGMENT_MAGIC, sizeof h->magic) != 0 || h->format != SEGMENT_FORMAT ||
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
    return seg_need(s, HEAD_BYTES, s->n - HEAD_BYTES);
}

/* --- Rows -------------------------------------------------------------------------------- */

/* The next field of a row, and on to the one behind it.  Where there are eight bytes they are
 * taken at once, and those of other fields left out. */
static uint64_t get_field(const Segment *s, const uint8_t **p, unsigned field)
{
    uint64_t x = 0;
    unsigned width = s->width[field];
    if (width > 0 && s->p + s->n - *p >= 8) {
        memcpy(&x, *p, sizeof x);
        x = le64toh(x) & UINT64_MAX >> (64 - 8 * width);
    } else {
        memcpy(&x, *p, width);
        x = le64toh(x);
    }
    *p += width;
    return s->least[field] + x;
}

bool seg_row(Segment *s, uint32_t row, SegRow *out)
{
    uint64_t at = s->off[PART_ROWS] + (uint64_t)row * s->row_bytes;
    *out = (SegRow){ 0 };
    const uint16_t *norms = seg_norms(s);
    if (row >= s->rows || !norms || !seg_need(s, at, s->row_bytes))
        return seg_spoil(s);
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
    return seg_spoil(s);
}

bool seg_stream(Segment *s, const SegTerm *term, SegStream *out)
{
    uint64_t flags, first;
    *out = (SegStream){ .n = term->n };
    const uint8_t *p = seg_bits_of(s, term);
    if (!p)
        return false;
    const uint8_t *end = p + ((term->to + 7) / 8 - term->from / 8);
    p += term->from % 8 && p < end; /* it begins with a byte of its own */
    if (!seg_get_varint(&p, end, &flags) || !seg_get_varint(&p, end, &out->seq) ||
        !seg_get_varint(&p, end, &first) || end - p != PRINT_BYTES || first > s->rows ||
        term->n > s->rows - first)
        return seg_spoil(s);
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
    bool good = stream < s->streams && seg_go_to_block(&k, key / KEYS_A_BLOCK);
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
    if (!seg_need_part(s, PART_AUTHORS))
        return (Str){ 0 };
    const uint8_t *p = s->p + s->off[PART_AUTHORS] + author, *end = p + left;
    if (!seg_get_varint(&p, end, &n) || n > (uint64_t)(end - p)) {
        s->bad = true;
        return (Str){ 0 };
    }
    return (Str){ (const char *)p, n };
}

static const void *column(Segment *s, unsigned part)
{
    return seg_need_part(s, part) ? s->p + s->off[part] : NULL;
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
    return good ? true : seg_spoil(s);
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
