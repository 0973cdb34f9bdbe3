/* vectors.c - reading the table, and finding pieces by a hash of them. */
#include "memory/search/vectors.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/hash.h"

#define MAGIC "jotvec1\n"

enum {
    HEAD = 24,
    FILE_MAX = 64 * 1024 * 1024,
    PIECES_MAX = 1 << 20,
    PIECE_MAX = 32, /* bytes of a piece that is looked for */
    WORD_MAX = 256, /* of a word that is looked up */
    SUM = 32,       /* bytes of a checksum */
};

struct Vectors {
    Buf file;
    uint32_t n;
    const char *weights, *begins, *text, *rows; /* parts of the file */
    uint32_t *slots;                            /* by hash: a piece, plus one; 0: none */
    uint32_t mask;
};

const char *vectors_path(void)
{
    const char *path = getenv("JOTTER_VECTORS");
    return path && path[0] ? path : NULL;
}

void vectors_close(Vectors *v)
{
    if (!v)
        return;
    buf_free(&v->file);
    free(v->slots);
    free(v);
}

size_t vectors_pieces(const Vectors *v)
{
    return v->n;
}

static uint32_t u32_at(const char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return le32toh(x);
}

static uint32_t u16_at(const char *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return le16toh(x);
}

static Str piece_at(const Vectors *v, uint32_t i)
{
    uint32_t from = u32_at(v->begins + 4 * (size_t)i), to = u32_at(v->begins + 4 * (size_t)i + 4);
    return (Str){ v->text + from, to - from };
}

static uint32_t hash(Str s)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(0x100000001B3);
    return (uint32_t)(h ^ h >> 32);
}

/* --- Opening ----------------------------------------------------------------------------- */

static jot_status read_file(const char *path, Buf *to, Err *e)
{
    Shown shown;
    struct stat st;
    AUTO(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0)
        return err_set(e, JOT_NOT_FOUND, "cannot read '%s'", err_show(&shown, str(path)));
    if (!S_ISREG(st.st_mode) || st.st_size < HEAD || st.st_size > FILE_MAX)
        return err_set(e, JOT_CORRUPT, "'%s' is no table of vectors", err_show(&shown, str(path)));
    to->max = FILE_MAX + 1;
    char block[65536];
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0)
            return err_errno(e, errno, "cannot read '%s'", err_show(&shown, str(path)));
        buf_add(to, (Str){ block, (size_t)n });
    }
    return JOT_OK;
}

/* Where the parts are; false: the file is not as it must be. */
static bool lay_out(Vectors *v)
{
    Str all = buf_str(&v->file);
    if (v->file.full || all.n < HEAD + SUM || memcmp(all.p, MAGIC, strlen(MAGIC)) != 0)
        return false;
    uint64_t n = u32_at(all.p + 8), columns = u32_at(all.p + 12), bytes = u32_at(all.p + 16);
    uint64_t weights = HEAD, begins = weights + 2 * columns, text = begins + 4 * (n + 1);
    uint64_t rows = text + bytes, end = rows + n * columns;
    if (columns != VECTOR_COLUMNS || n == 0 || n > PIECES_MAX || end + SUM != all.n)
        return false;
    Hash sum = hash_of(str_slice(all, 0, (size_t)end));
    if (memcmp(&sum, all.p + end, SUM) != 0)
        return false;
    v->n = (uint32_t)n;
    v->weights = all.p + weights;
    v->begins = all.p + begins;
    v->text = all.p + text;
    v->rows = all.p + rows;
    for (uint32_t i = 0, from = 0, to; i <= n; i++, from = to) {
        to = u32_at(v->begins + 4 * (size_t)i);
        if (to < from || to > bytes)
            return false;
    }
    return true;
}

static void fill_slots(Vectors *v)
{
    v->mask = 1;
    while (v->mask < 2 * v->n)
        v->mask = 2 * v->mask + 1;
    v->slots = mem_alloc((v->mask + (size_t)1) * sizeof *v->slots);
    memset(v->slots, 0, (v->mask + (size_t)1) * sizeof *v->slots);
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t at = hash(piece_at(v, i)) & v->mask;
        while (v->slots[at])
            at = (at + 1) & v->mask;
        v->slots[at] = i + 1;
    }
}

jot_status vectors_open(Vectors **out, Err *e)
{
    const char *path = vectors_path();
    Shown shown;
    *out = NULL;
    if (!path)
        return err_set(e, JOT_NOT_FOUND, "JOTTER_VECTORS names no file");
    Vectors *v = mem_alloc(sizeof *v);
    *v = (Vectors){ 0 };
    jot_status st = read_file(path, &v->file, e);
    if (st == JOT_OK && !lay_out(v))
        st = err_set(e, JOT_CORRUPT, "'%s' is no table of vectors, or not whole",
                     err_show(&shown, str(path)));
    if (st != JOT_OK) {
        vectors_close(v);
        return st;
    }
    fill_slots(v);
    *out = v;
    return JOT_OK;
}

/* --- Words ------------------------------------------------------------------------------- */

/* The row of a piece, plus one; 0: there is none. */
static uint32_t find(const Vectors *v, Str piece)
{
    uint32_t at = hash(piece) & v->mask;
    while (v->slots[at] && !str_eq(piece_at(v, v->slots[at] - 1), piece))
        at = (at + 1) & v->mask;
    return v->slots[at];
}

static void add_row(const Vectors *v, uint32_t row, Vector *to)
{
    const signed char *p = (const signed char *)v->rows + (size_t)row * VECTOR_COLUMNS;
    for (size_t c = 0; c < VECTOR_COLUMNS; c++)
        to->of[c] += p[c] * (int32_t)u16_at(v->weights + 2 * c) / 16;
}

bool vectors_word(const Vectors *v, Str word, Vector *out)
{
    char text[WORD_MAX + 1] = " ";
    size_t n = word.n < WORD_MAX ? word.n : WORD_MAX;
    int32_t any = 0;
    memcpy(text + 1, word.p, n);
    *out = (Vector){ 0 };
    for (size_t at = 0, len; at < n + 1; at += len) {
        uint32_t found = 0;
        len = n + 1 - at < PIECE_MAX ? n + 1 - at : PIECE_MAX;
        while (len > 0 && (found = find(v, (Str){ text + at, len })) == 0)
            len--;
        if (found)
            add_row(v, found - 1, out);
        any += found != 0;
        len = found ? len : 1;
    }
    for (size_t c = 0; c < VECTOR_COLUMNS; c++) {
        int32_t x = any ? out->of[c] / any : 0;
        out->of[c] = x > VECTOR_WORD ? VECTOR_WORD : x < -VECTOR_WORD ? -VECTOR_WORD : x;
    }
    return any > 0;
}
