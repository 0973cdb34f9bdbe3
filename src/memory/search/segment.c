/* segment.c - writing a segment, opening it, and looking things up in it. */
#include "memory/search/segment.h"

#include <assert.h>
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
    PART_SESSION_OF,
    PART_SESSIONS,
    PART_AUTHORS,
    PARTS,
};
enum { KEYS_A_BLOCK = 16, HEAD_BYTES = 4096, SEG_ROW_BYTES = 32, VARINT_MAX = 10 };

static const char magic[8] = "JOTSEG1";

typedef struct Head {
    char magic[8];
    uint32_t format, order; /* `order` is 0x01020304 on machines that can read it */
    uint64_t bytes;
    uint32_t rows, sessions, keys, streams, first_stream, unused;
    uint64_t off[PARTS], len[PARTS];
    uint64_t sums; /* checksum of the sums */
    uint64_t self; /* checksum of all before it */
} Head;

enum { BYTE_ORDER_MARK = 0x01020304 };

/* Where sixteen keys begin. */
typedef struct IndexEntry {
    uint64_t key, posting;
} IndexEntry;

/* A row as it lies in the file. */
typedef struct FileRow {
    uint32_t at_low;
    uint16_t at_high, seq_high;
    uint32_t seq_low, stream, author, title, digest;
    uint8_t norm, head, flags, profile;
} FileRow;
_Static_assert(sizeof(FileRow) == SEG_ROW_BYTES, "a row has a fixed size");

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
    return fits(h, PART_SUMS, blocks, 8) && fits(h, PART_INDEX, index, sizeof(IndexEntry)) &&
           fits(h, PART_ROWS, h->rows, SEG_ROW_BYTES) && fits(h, PART_NORMS, h->rows, 2) &&
           fits(h, PART_SESSION_OF, h->rows, 4) &&
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
    uint64_t at = s->off[PART_INDEX] + (uint64_t)block * sizeof *out;
    if (!need(s, at, sizeof *out))
        return false;
    memcpy(out, s->p + at, sizeof *out);
    return out->key <= s->len[PART_KEYS] && out->posting <= s->len[PART_POSTINGS] ? true : spoil(s);
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

enum { ENTRY_MAX = SEG_KEY_MAX + 4 * VARINT_MAX };

bool seg_keys_next(SegKeys *k)
{
    Segment *s = k->s;
    uint64_t shared, n, rows, bytes;
    if (k->next >= s->keys || s->bad)
        return false;
    uint64_t left = s->len[PART_KEYS] - k->at;
    if (!need(s, s->off[PART_KEYS] + k->at, left < ENTRY_MAX ? left : ENTRY_MAX))
        return false;
    const uint8_t *from = s->p + s->off[PART_KEYS], *p = from + k->at,
                  *end = from + s->len[PART_KEYS];
    if (!get_varint(&p, end, &shared) || !get_varint(&p, end, &n) || shared > k->key_n ||
        n > SEG_KEY_MAX - shared || n > (uint64_t)(end - p))
        return spoil(s);
    memcpy(k->key + shared, p, n);
    k->key_n = shared + n;
    p += n;
    if (!get_varint(&p, end, &rows) || !get_varint(&p, end, &bytes) || rows > s->rows ||
        bytes > s->len[PART_POSTINGS] - k->post)
        return spoil(s);
    k->at = (uint64_t)(p - from);
    k->term = (SegTerm){ .n = (uint32_t)rows, .from = k->post, .to = k->post + bytes };
    k->post += bytes;
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

size_t seg_posts(Segment *s, const SegTerm *term, SegPost *out)
{
    uint64_t row = 0, x;
    uint32_t n = 0;
    if (!need(s, s->off[PART_POSTINGS] + term->from, term->to - term->from))
        return 0;
    const uint8_t *p = s->p + s->off[PART_POSTINGS] + term->from,
                  *end = p + (term->to - term->from);
    for (; n < term->n; n++) {
        if (p < end && *p < 0x80)
            x = *p++;
        else if (!get_varint(&p, end, &x))
            break;
        row += x >> 1;
        if (row >= s->rows || ((x & 1) && p == end))
            break;
        out[n] = (SegPost){ (uint32_t)row, (x & 1) ? *p++ : 0 };
        row++;
    }
    if (n < term->n)
        s->bad = true;
    return n;
}

bool seg_row(Segment *s, uint32_t row, SegRow *out)
{
    FileRow f;
    uint64_t at = s->off[PART_ROWS] + (uint64_t)row * sizeof f;
    *out = (SegRow){ 0 };
    if (row >= s->rows || !need(s, at, sizeof f))
        return spoil(s);
    memcpy(&f, s->p + at, sizeof f);
    *out = (SegRow){ .at_ms = (int64_t)((uint64_t)f.at_high << 32 | f.at_low),
                     .seq = (uint64_t)f.seq_high << 32 | f.seq_low,
                     .stream = f.stream,
                     .author = f.author,
                     .title = f.title,
                     .digest = f.digest,
                     .len = norm_len(f.norm),
                     .head = f.head,
                     .flags = f.flags,
                     .profile = f.profile };
    if (f.stream < s->streams && f.profile < PROFILES)
        return true;
    *out = (SegRow){ 0 };
    return spoil(s);
}

bool seg_stream(Segment *s, const SegTerm *term, SegStream *out)
{
    uint64_t flags, first;
    *out = (SegStream){ .n = term->n };
    if (!need(s, s->off[PART_POSTINGS] + term->from, term->to - term->from))
        return false;
    const uint8_t *p = s->p + s->off[PART_POSTINGS] + term->from,
                  *end = p + (term->to - term->from);
    if (!get_varint(&p, end, &flags) || !get_varint(&p, end, &out->seq) ||
        !get_varint(&p, end, &out->redacted) || !get_varint(&p, end, &first) || end - p != 8 ||
        first > s->rows || term->n > s->rows - first)
        return spoil(s);
    memcpy(&out->print, p, 8);
    out->gone = flags & 1;
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

/* Numbers that are used without a look must be within their bounds. */
static bool check_columns(Segment *s)
{
    const uint16_t *norms = column(s, PART_NORMS);
    const uint32_t *session_of = column(s, PART_SESSION_OF);
    const SegSession *sessions = column(s, PART_SESSIONS);
    if (!norms || !session_of || !sessions)
        return false;
    bool good = true;
    for (uint32_t i = 0; i < s->rows; i++)
        good = good && norms[i] >> 8 < PROFILES && session_of[i] < s->sessions;
    for (uint32_t i = 0; i < s->sessions; i++)
        good = good && sessions[i].first < s->rows;
    s->checked = good;
    return good ? true : spoil(s);
}

const uint16_t *seg_norms(Segment *s)
{
    return s->checked || check_columns(s) ? column(s, PART_NORMS) : NULL;
}

const SegSession *seg_sessions(Segment *s)
{
    return s->checked || check_columns(s) ? column(s, PART_SESSIONS) : NULL;
}

const uint32_t *seg_session_of(Segment *s)
{
    return s->checked || check_columns(s) ? column(s, PART_SESSION_OF) : NULL;
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

static void write_key(SegWriter *w, Str key, size_t rows, size_t bytes)
{
    size_t shared = 0;
    assert(key.n <= SEG_KEY_MAX);
    if (w->keys_n % KEYS_A_BLOCK == 0) {
        unlimited(&w->index);
        unlimited(&w->keys);
        IndexEntry e = { w->keys.n, w->postings.n - bytes };
        buf_add(&w->index, (Str){ (const char *)&e, sizeof e });
    } else {
        while (shared < key.n && shared < w->last_n && key.p[shared] == w->last[shared])
            shared++;
    }
    add_varint(&w->keys, shared);
    add_varint(&w->keys, key.n - shared);
    buf_add(&w->keys, str_from(key, shared));
    add_varint(&w->keys, rows);
    add_varint(&w->keys, bytes);
    memcpy(w->last, key.p, key.n);
    w->last_n = key.n;
    w->keys_n++;
}

void seg_write_term(SegWriter *w, Str key, const SegPost *posts, size_t n)
{
    unlimited(&w->postings);
    size_t from = w->postings.n;
    uint32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t gap = posts[i].row - next;
        add_varint(&w->postings, gap << 1 | (posts[i].bits != 0));
        if (posts[i].bits)
            buf_add_char(&w->postings, (char)posts[i].bits);
        next = posts[i].row + 1;
    }
    write_key(w, key, n, w->postings.n - from);
}

void seg_write_stream(SegWriter *w, Str name, const SegStream *known)
{
    char key[SEG_KEY_MAX];
    assert(name.n < SEG_KEY_MAX);
    unlimited(&w->postings);
    size_t from = w->postings.n;
    add_varint(&w->postings, known->gone);
    add_varint(&w->postings, known->seq);
    add_varint(&w->postings, known->redacted);
    add_varint(&w->postings, known->first);
    buf_add(&w->postings, (Str){ (const char *)&known->print, sizeof known->print });
    key[0] = KEY_STREAM;
    memcpy(key + 1, name.p, name.n);
    if (w->streams++ == 0)
        w->first_stream = w->keys_n;
    write_key(w, (Str){ key, name.n + 1 }, known->n, w->postings.n - from);
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

static void add_rows(Buf *out, Head *h, const SegRow *rows, uint32_t n)
{
    begin_part(out, h, PART_ROWS);
    for (uint32_t i = 0; i < n; i++) {
        const SegRow *r = &rows[i];
        uint64_t at = r->at_ms > 0 ? (uint64_t)r->at_ms : 0;
        FileRow f = { .at_low = (uint32_t)at,
                      .at_high = (uint16_t)(at >> 32),
                      .seq_low = (uint32_t)r->seq,
                      .seq_high = (uint16_t)(r->seq >> 32),
                      .stream = r->stream,
                      .author = r->author,
                      .title = r->title,
                      .digest = r->digest,
                      .norm = norm_of(r->len),
                      .head = r->head,
                      .flags = r->flags,
                      .profile = r->profile };
        buf_add(out, (Str){ (const char *)&f, sizeof f });
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
    uint32_t session = 0;
    begin_part(out, h, PART_SESSION_OF);
    for (uint32_t i = 0; i < n; i++) {
        session += i && begins_session(rows, i);
        buf_add(out, (Str){ (const char *)&session, sizeof session });
    }
    end_part(out, h, PART_SESSION_OF);
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
