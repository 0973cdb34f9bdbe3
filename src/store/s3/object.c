/* object.c - what the objects of a pad are called, and what is in them.
 *
 *   jotter-record FLOOR NAME ROW IDS\n
 *
 * then the stream's name, the row (row.h) and the ids, whose lengths are given above, then the
 * body to the end.  A record tells the ids of those before it, because they would be many
 * requests otherwise: whoever has the newest record has all ids that are looked up. */
#include "store/s3/object.h"

#include <assert.h>
#include <stdio.h>

#include "store/row.h"

enum { HASH_DIGITS = 32, NUMBER = 16, AGES = STORE_ID_WINDOW };

/* --- Names ------------------------------------------------------------------------------- */

Str s3_records(Arena *into, Str stream)
{
    return arena_printf(into, "r/%.*s/", HASH_DIGITS, hash_hex(hash_of(stream)).text);
}

Str s3_record(Arena *into, Str stream, uint64_t seq)
{
    assert(seq <= STORE_SEQ_MAX);
    return arena_printf(into, "r/%.*s/%016llx", HASH_DIGITS, hash_hex(hash_of(stream)).text,
                        (unsigned long long)(STORE_SEQ_MAX - seq));
}

bool s3_seq_of(Str key, uint64_t *seq)
{
    uint64_t number = 0;
    Str digits = str_from(key, str_find_last(key, '/') + 1);
    for (size_t i = 0; i < digits.n; i++) {
        int digit = hex_digit(digits.p[i]);
        if (digit < 0)
            return false;
        number = number << 4 | (uint64_t)digit;
    }
    *seq = STORE_SEQ_MAX - number;
    return digits.n == NUMBER && number < STORE_SEQ_MAX;
}

/* A stream's name as a part of a key: a space comes before whatever may follow, so that keys are
 * in the order of names.  So ' ' is written "!0" and '!' "!1". */
static void write_name(Buf *to, Str name)
{
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == ' ')
            buf_add(to, S("!0"));
        else if (name.p[i] == '!')
            buf_add(to, S("!1"));
        else
            buf_add_char(to, name.p[i]);
    }
}

Str s3_read_name(Arena *into, Str text, Str *rest)
{
    size_t end = str_find(text, ' '), n = 0;
    char *out = arena_alloc(into, end + 1, 1);
    for (size_t i = 0; i < end; i++) {
        char c = text.p[i];
        if (c == '!' && i + 1 < end && text.p[++i] == '0')
            c = ' '; /* and "!1" is '!' */
        out[n++] = c;
    }
    *rest = str_from(text, end + 1);
    return (Str){ out, n };
}

Str s3_named(Arena *into, const char *kind, Str name, Str suffix)
{
    AUTO(Buf) key = { 0 };
    buf_addf(&key, "%s/", kind);
    write_name(&key, name);
    buf_add(&key, suffix);
    return arena_copy(into, buf_str(&key));
}

/* --- Records ------------------------------------------------------------------------------ */

void s3_write_object(Buf *to, Str stream, const S3Object *o)
{
    AUTO(Buf) row = { 0 };
    const Record *r = &o->record;
    row_write(&row, r, o->nonce);
    buf_addf(to, "jotter-record %llu %zu %zu %zu\n", (unsigned long long)o->floor, stream.n, row.n,
             o->ids.n);
    buf_add(to, stream);
    buf_add(to, buf_str(&row));
    buf_add(to, o->ids);
    if (!r->mark.redacted)
        buf_add(to, r->body);
    assert(to->n >= S3_STUB_MAX);
}

static bool next_number(Str *line, uint64_t *out)
{
    Str word = *line;
    if (!str_cut(line, ' ', &word))
        *line = (Str){ 0 };
    return str_to_u64(word, INT64_MAX, out);
}

static Str take(Str *text, uint64_t n)
{
    Str one = str_slice(*text, 0, n);
    *text = str_from(*text, n);
    return one;
}

static bool read_nonce(Str row, uint64_t *out)
{
    Str digits = str_slice(row, ROW_SEQ + 1, ROW_SEQ + 1 + ROW_NONCE);
    *out = 0;
    for (size_t i = 0; i < digits.n; i++) {
        int digit = hex_digit(digits.p[i]);
        if (digit < 0)
            return false;
        *out = *out << 4 | (uint64_t)digit;
    }
    return digits.n == ROW_NONCE;
}

bool s3_read_object(Str text, Str stream, Arena *into, S3Object *out, bool *whole)
{
    Str line, word;
    uint64_t name_n = 0, row_n = 0, ids_n = 0;
    *out = (S3Object){ 0 };
    if (!str_cut(&text, '\n', &line) || !str_cut(&line, ' ', &word) ||
        !str_eq(word, S("jotter-record")) || !next_number(&line, &out->floor) ||
        !next_number(&line, &name_n) || !next_number(&line, &row_n) || !next_number(&line, &ids_n))
        return false;
    Str name = take(&text, name_n), row = take(&text, row_n), ids = take(&text, ids_n);
    if (row.n != row_n || ids.n != ids_n || !str_eq(name, stream) ||
        !read_nonce(row, &out->nonce) || !row_read(row, into, &out->record))
        return false;
    out->ids = arena_copy(into, ids);
    const Mark *m = &out->record.mark;
    *whole = text.n == (m->redacted ? 0 : m->size);
    if (*whole)
        out->record.body = arena_copy(into, text);
    return true;
}

/* --- Ids ---------------------------------------------------------------------------------- */

/* The next of "AGE SEQ ID\n"; false at the end. */
static bool next_id(Str *ids, uint64_t *age, uint64_t *seq, Str *id)
{
    Str line, word;
    return str_cut(ids, '\n', &line) && str_cut(&line, ' ', &word) && str_to_u64(word, AGES, age) &&
           str_cut(&line, ' ', &word) && str_to_u64(word, INT64_MAX, seq) && ((*id = line), true);
}

Str s3_next_ids(Arena *into, Str ids, uint64_t seq, Str id)
{
    AUTO(Buf) next = { 0 };
    uint64_t age = 0, was = 0;
    Str old = { 0 };
    if (id.n)
        buf_addf(&next, "0 %llu " STR_FMT "\n", (unsigned long long)seq, STR_ARG(id));
    while (next_id(&ids, &age, &was, &old))
        if (age + 1 < AGES)
            buf_addf(&next, "%llu %llu " STR_FMT "\n", (unsigned long long)age + 1,
                     (unsigned long long)was, STR_ARG(old));
    return arena_copy(into, buf_str(&next));
}

uint64_t s3_find_id(Str ids, Str id)
{
    uint64_t age = 0, seq = 0;
    Str other = { 0 };
    while (next_id(&ids, &age, &seq, &other))
        if (str_eq(other, id))
            return seq;
    return 0;
}
