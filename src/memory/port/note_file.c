/* note_file.c - from the names of others to keys, and back. */
#include "memory/port/note_file.h"

#include "base/fold.h"
#include "base/json.h"
#include "base/utf8.h"

enum { DIGITS = 8, SLUG_MAX = STORE_KEY_MAX - DIGITS - 1 };

Str note_file_tail(Str path)
{
    if (str_ends(path, S(".txt")))
        return S(".txt");
    return str_ends(path, S(".md")) ? S(".md") : (Str){ 0 };
}

/* --- Keys -------------------------------------------------------------------------------- */

static bool key_char(uint32_t c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/* A letter as it can stand in a key, or one dash for any number of others. */
static void add_letter(Buf *to, uint32_t c)
{
    bool dash = to->n && to->p[to->n - 1] == '-';
    if (key_char(c))
        buf_add_char(to, (char)c);
    else if (to->n && !dash)
        buf_add_char(to, '-');
}

static Str key_of(Str name, Str stem, Arena *into)
{
    AUTO(Buf) key = { 0 };
    /* What can be read of a name: without accents, ligatures and the like. */
    for (size_t at = 0; at < stem.n && key.n < SLUG_MAX;) {
        uint32_t parts[FOLD_MAX], c = utf8_next(stem, &at);
        size_t n = c < 0x80 ? 1 : fold_char(c, parts);
        if (c < 0x80)
            parts[0] = c;
        for (size_t i = 0; i < n && key.n < SLUG_MAX; i++)
            add_letter(&key, parts[i]);
    }
    while (key.n && key.p[key.n - 1] == '-')
        key.n--;
    if (!key.n)
        buf_add(&key, S("note"));
    buf_addf(&key, "-%.*s", DIGITS, hash_hex(hash_of(name)).text);
    return arena_copy(into, buf_str(&key));
}

NoteFile note_file_of(Str name, bool row, bool taken, Arena *into)
{
    Str tail = row ? S("") : note_file_tail(name);
    Str stem = str_slice(name, 0, name.n - tail.n);
    NoteFile out = { .key = stem };
    out.mapped = taken || stem.n == 0 || store_check_note(stem, NULL) != JOT_OK;
    if (out.mapped)
        out.key = key_of(name, stem, into);
    bool says_itself = !out.mapped && (row || str_eq(tail, S(".txt")));
    if (says_itself)
        return out;
    AUTO(Buf) text = { 0 };
    AUTO_PTR(json_t) meta = json_pack("{s:s%}", row ? "key" : "file", name.p, name.n);
    json_write(&text, meta);
    out.meta = arena_copy(into, buf_str(&text));
    return out;
}

/* --- And back ---------------------------------------------------------------------------- */

typedef struct Names {
    Arena *into;
    NoteName *out;
} Names;

static jot_status look(void *ctx, const Record *r)
{
    Names *n = ctx;
    AUTO_PTR(json_t) meta = NULL;
    if (r->meta.n == 0 || json_read(r->meta, &meta, NULL) != JOT_OK)
        return JOT_OK;
    const json_t *key = json_object_get(meta, "key");
    Str file = json_member(meta, "file");
    if (file.n || json_is_string(key))
        *n->out = (NoteName){ .file = arena_copy(n->into, file),
                              .row = json_is_string(key),
                              .key = arena_copy(n->into, json_str(key)) };
    return JOT_OK;
}

jot_status note_file_name(Memory *m, Str stream, Arena *into, NoteName *out, Err *e)
{
    Names names = { .into = into, .out = out };
    Err missing = { 0 };
    *out = (NoteName){ 0 };
    jot_status st = memory_each_record(
        m, stream, &(RecordVisit){ .from = 1, .each = look, .ctx = &names }, &missing);
    return st == JOT_NOT_FOUND ? JOT_OK : err_pass(e, &missing, st);
}
