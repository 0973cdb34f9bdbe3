/* draft.c - cutting rows into terms, and putting a segment together.
 *
 * Rows come in any order.  Of each, every word is looked up in a table of words
 * that says which terms it is: its stem, and itself where it is not written so.
 * Each term of a row is one entry, and entries lie row by row:
 *
 *   rows          0: seq, time, ...      1: ...
 *   entry_terms   pear ship friday       ship monday      numbers of terms
 *   entry_bits       0    1      0          0      0      what a posting says
 *
 * At the end rows and keys are put in their orders, and the entries are counted
 * by term and dealt out row by row, so that the postings of each term come out
 * in the order of rows: nothing of that size is sorted. */
#include "memory/search/draft.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "memory/search/date.h"
#include "memory/search/word.h"

enum { NONE = UINT32_MAX, DATE_WORDS_MAX = 2000, GRAM = 4, GRAM_BYTES_MAX = 8192 };

/* --- Tables ------------------------------------------------------------------------------ */

/* Where a text is put, with its hash beside its number: a look at another text costs more than all
 * the rest. */
typedef struct Slot {
    uint32_t item, hash; /* item NONE: free */
} Slot;

/* Texts by number, each once. */
typedef struct Texts {
    Str *items;
    uint32_t n, slots_n; /* slots: a power of two */
    uint32_t newest;     /* what was found last: mostly it is asked for again */
    size_t cap;
    Slot *slots;
    Arena arena;
} Texts;

static void texts_rehash(Texts *t)
{
    uint32_t n = t->slots_n ? t->slots_n * 4 : 1024;
    Slot *slots = mem_alloc(n * sizeof *slots);
    memset(slots, 0xFF, n * sizeof *slots);
    for (uint32_t i = 0; i < t->slots_n; i++) {
        if (t->slots[i].item == NONE)
            continue;
        size_t at = t->slots[i].hash & (n - 1);
        while (slots[at].item != NONE)
            at = (at + 1) & (n - 1);
        slots[at] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->slots_n = n;
}

/* Its slot, or the one it would be put in. */
static Slot *texts_slot(const Texts *t, Str text, uint32_t hash)
{
    assert(t->slots_n && (t->slots_n & (t->slots_n - 1)) == 0 && t->n < t->slots_n);
    for (size_t at = hash;; at++) {
        Slot *s = &t->slots[at & (t->slots_n - 1)];
        if (s->item == NONE || (s->hash == hash && str_eq(t->items[s->item], text)))
            return s;
    }
}

/* Its number, or NONE. */
static uint32_t texts_find(const Texts *t, Str text)
{
    if (t->n && str_eq(t->items[t->newest], text))
        return t->newest;
    return t->slots_n ? texts_slot(t, text, (uint32_t)seg_hash(text))->item : NONE;
}

/* Its number; *fresh: it was not there before. */
static uint32_t texts_add(Texts *t, Str text, bool *fresh)
{
    *fresh = false;
    if (t->n && str_eq(t->items[t->newest], text))
        return t->newest;
    if (t->n >= t->slots_n / 2)
        texts_rehash(t);
    uint32_t hash = (uint32_t)seg_hash(text);
    Slot *s = texts_slot(t, text, hash);
    *fresh = s->item == NONE;
    if (!*fresh)
        return t->newest = s->item;
    t->items = arena_grow(&t->arena, t->items, t->n, &t->cap, sizeof(Str), alignof(Str));
    t->items[t->n] = arena_copy(&t->arena, text);
    *s = (Slot){ t->n, hash };
    return t->newest = t->n++;
}

static void texts_free(Texts *t)
{
    free(t->slots);
    arena_free(&t->arena);
}

/* A word of a text, and what is to be done with it.  This is looked up for every word there is, so
 * a short one lies in the slot itself: one line of the processor's cache, mostly. */
typedef struct KnownWord {
    uint32_t hash;
    uint16_t n;          /* bytes of the word; 0: free */
    bool dated;          /* see date_hint */
    uint32_t term, form; /* its stem, and itself: KEY_FORM; NONE: it is written as its stem */
    union {
        uint64_t near[2]; /* up to sixteen bytes, then zeros */
        const char *far;
    };
} KnownWord;

typedef struct KnownWords {
    KnownWord *slots; /* a power of two */
    uint32_t n, slots_n;
} KnownWords;

_Static_assert(sizeof(KnownWord) == 32, "two of them are a line of the cache");

/* Items that grow; never given back before the end. */
#define GROW(d, list, count, cap) \
    ((list) =                     \
         arena_grow(&(d)->arena, (list), (count), &(cap), sizeof *(list), alignof(max_align_t)))

typedef struct DraftRow {
    SegRow row; /* `stream` is the draft's number */
    Str author;
    size_t from;     /* its first entry; the next row's is behind its last */
    uint32_t before; /* the row of its stream that came before it, or NONE */
    bool dropped;
} DraftRow;

typedef struct DraftStream {
    SegStream known;
    bool there;      /* it is known how far it was read */
    uint32_t newest; /* of its rows, or NONE */
} DraftStream;

struct SegDraft {
    Stemmer *stemmer;
    Texts terms, streams;
    KnownWords words;
    uint32_t *last; /* by number of a term: where its newest entry is */
    size_t last_cap;
    DraftStream *known; /* by number of a stream */
    size_t known_cap;
    /* Which terms are in which row, row by row; what a posting says of each of them. */
    uint32_t *entry_terms;
    uint8_t *entry_bits;
    size_t entries_n, terms_cap, bits_cap, row_from;
    DraftRow *rows;
    uint32_t rows_n;
    size_t rows_cap;
    Buf said; /* the words of the row at hand, each behind a space */
    Arena arena;
};

SegDraft *draft_new(Stemmer *stemmer)
{
    SegDraft *d = mem_alloc(sizeof *d);
    d->stemmer = stemmer;
    d->said.max = SIZE_MAX / 2;
    return d;
}

void draft_free(SegDraft *d)
{
    if (!d)
        return;
    texts_free(&d->terms);
    free(d->words.slots);
    buf_free(&d->said);
    texts_free(&d->streams);
    arena_free(&d->arena);
    free(d);
}

/* --- What a row is ----------------------------------------------------------------------- */

size_t term_key(Stemmer *stemmer, Str word, char *to)
{
    Str stem = stem_of(stemmer, word);
    size_t n = stem.n < SEG_KEY_MAX - 1 ? stem.n : SEG_KEY_MAX - 1;
    to[0] = KEY_TERM;
    memcpy(to + 1, stem.p, n);
    return n + 1;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

Str leading_speaker(Str text)
{
    enum { SPEAKER_MAX = 40, SPEAKER_WORDS = 3 };
    size_t words = 1, n = 0;
    if (text.n == 0 || !is_letter(text.p[0]) || (text.p[0] >= 'a' && text.p[0] <= 'z'))
        return (Str){ 0 };
    for (; n < text.n && n < SPEAKER_MAX && text.p[n] != ':'; n++) {
        char c = text.p[n];
        if (c == ' ' && (++words > SPEAKER_WORDS || n + 1 == text.n || !is_upper(text.p[n + 1])))
            return (Str){ 0 };
        if (c != ' ' && c != '.' && c != '\'' && c != '-' && !is_letter(c))
            return (Str){ 0 };
    }
    bool spoken = n + 1 < text.n && text.p[n] == ':' && text.p[n + 1] == ' ';
    return spoken ? str_slice(text, 0, n) : (Str){ 0 };
}

size_t fold_name(Str name, char *to, size_t max)
{
    AUTO(Words) words = { 0 };
    Chunk c;
    size_t n = 0;
    words_init(&words, name);
    while (utf8_valid(name) && words_next(&words, &c))
        for (size_t i = 0; i < c.parts_n; i++) {
            Str part = c.parts[i].text;
            if (n + part.n + 1 > max)
                return n;
            if (n)
                to[n++] = ' ';
            memcpy(to + n, part.p, part.n);
            n += part.n;
        }
    return n;
}

/* Lines that end or begin as those of programs do. */
static bool is_code_line(Str line)
{
    static const char *const begins[] = { "def ",     "class ",    "import ", "from ",
                                          "#include", "function ", "static ", "return ",
                                          "func ",    "package ",  "@" };
    Str bare = str_trim(line);
    if (bare.n == 0)
        return false;
    if (line.n > 4 && (line.p[0] == '\t' || memcmp(line.p, "    ", 4) == 0))
        return true;
    for (size_t i = 0; i < COUNT_OF(begins); i++)
        if (str_starts(bare, str(begins[i])))
            return true;
    return strchr("{};(", bare.p[bare.n - 1]) != NULL;
}

bool looks_like_code(Str text)
{
    enum { LINES_MAX = 40 };
    size_t lines = 0, code = 0;
    if (str_find(text, '\n') == text.n)
        return false; /* one line is a sentence as often */
    for (Str rest = text, line; rest.n && lines < LINES_MAX;) {
        if (!str_cut(&rest, '\n', &line)) {
            line = rest;
            rest = (Str){ 0 };
        }
        lines += str_trim(line).n > 0;
        code += is_code_line(line);
    }
    return lines >= 2 && code * 10 >= lines * 6;
}

/* What stands in brackets at the beginning, or behind the signs of a heading. */
static Str heading_of(Str text)
{
    static const char *const pairs[][2] = { { "[", "]" },
                                            { "\xE3\x80\x90", "\xE3\x80\x91" },
                                            { "**", "**" },
                                            { "\xE3\x80\x8C", "\xE3\x80\x8D" } };
    enum { HEADING_MAX = 120 };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        Str open = str(pairs[i][0]), close = str(pairs[i][1]);
        if (!str_starts(text, open))
            continue;
        Str inner = str_slice(text, open.n, open.n + HEADING_MAX);
        const char *end = inner.n ? memmem(inner.p, inner.n, close.p, close.n) : NULL;
        if (end)
            return (Str){ inner.p, (size_t)(end - inner.p) };
    }
    size_t line = str_find(text, '\n');
    bool marked = text.n && text.p[0] == '#';
    return (marked || line < text.n) && line <= HEADING_MAX ? str_slice(text, 0, line) : (Str){ 0 };
}

uint32_t title_of(Str stream, Str text)
{
    char folded[SEG_KEY_MAX];
    Str heading = heading_of(str_trim(text));
    size_t n = heading.n ? fold_name(heading, folded, sizeof folded) : 0;
    size_t dash = str_find_last(stream, '-');
    if (n == 0 && dash < stream.n) {
        n = dash < sizeof folded ? dash : sizeof folded;
        memcpy(folded, stream.p, n);
    }
    uint32_t hash = n ? (uint32_t)seg_hash((Str){ folded, n }) : 0;
    return n && !hash ? 1 : hash;
}

uint32_t text_digest(Str text)
{
    return (uint32_t)(seg_hash(text) >> 16);
}

/* --- Entries ----------------------------------------------------------------------------- */

static uint32_t term_number(SegDraft *d, Str key)
{
    bool fresh;
    uint32_t term = texts_add(&d->terms, key, &fresh);
    if (fresh) {
        GROW(d, d->last, term, d->last_cap);
        d->last[term] = NONE;
    }
    return term;
}

/* One more of this term in the row at hand. */
static void add_entry(SegDraft *d, uint32_t term, unsigned times, uint8_t bits)
{
    uint32_t at = d->last[term];
    if (at == NONE || at < d->row_from) {
        GROW(d, d->entry_terms, d->entries_n, d->terms_cap);
        GROW(d, d->entry_bits, d->entries_n, d->bits_cap);
        d->last[term] = (uint32_t)d->entries_n;
        d->entry_terms[d->entries_n] = term;
        d->entry_bits[d->entries_n++] = (uint8_t)(bits | (times - 1));
        return;
    }
    uint8_t before = d->entry_bits[at];
    unsigned count = (before & POST_COUNT) + times;
    uint8_t flags = (uint8_t)((before | bits) & (POST_HEAD | POST_NAME | POST_ABOUT));
    uint8_t other = (uint8_t)(before & bits & POST_OTHER);
    d->entry_bits[at] = (uint8_t)(other | flags | (count < POST_COUNT ? count : POST_COUNT));
}

static void add_key(SegDraft *d, SegKey kind, Str text, uint8_t bits)
{
    char key[SEG_KEY_MAX];
    size_t n = text.n < SEG_KEY_MAX - 1 ? text.n : SEG_KEY_MAX - 1;
    key[0] = (char)kind;
    memcpy(key + 1, text.p, n);
    add_entry(d, term_number(d, (Str){ key, n + 1 }), 1, bits);
}

static void words_rehash(KnownWords *t)
{
    uint32_t n = t->slots_n ? t->slots_n * 2 : 256;
    KnownWord *slots = mem_alloc(n * sizeof *slots);
    for (uint32_t i = 0; i < t->slots_n; i++) {
        size_t at = t->slots[i].hash;
        while (t->slots[i].n && slots[at & (n - 1)].n)
            at++;
        if (t->slots[i].n)
            slots[at & (n - 1)] = t->slots[i];
    }
    free(t->slots);
    t->slots = slots;
    t->slots_n = n;
}

/* A word as it would lie in its slot. */
static KnownWord word_key(Str word)
{
    KnownWord k = { .n = (uint16_t)word.n };
    assert(word.n > 0 && word.n <= WORD_BYTES_MAX);
    if (word.n <= sizeof k.near)
        memcpy(k.near, word.p, word.n);
    else
        k.far = word.p;
    uint64_t h = word.n <= sizeof k.near ? (k.near[0] * UINT64_C(0x9E3779B97F4A7C15) ^ k.near[1]) *
                                               UINT64_C(0xBF58476D1CE4E5B9)
                                         : seg_hash(word);
    k.hash = (uint32_t)(h >> 32);
    return k;
}

static bool same_word(const KnownWord *a, const KnownWord *b)
{
    if (a->hash != b->hash || a->n != b->n)
        return false;
    if (a->n > sizeof a->near)
        return memcmp(a->far, b->far, a->n) == 0;
    return a->near[0] == b->near[0] && a->near[1] == b->near[1];
}

/* What is found out about a word once, for all of its uses. */
static void learn_word(SegDraft *d, Str word, bool dense, KnownWord *k)
{
    char key[SEG_KEY_MAX];
    size_t n = term_key(dense ? NULL : d->stemmer, word, key);
    assert(n > 0 && n <= SEG_KEY_MAX);
    Str stem = { key + 1, n - 1 };
    k->term = term_number(d, (Str){ key, n });
    k->form = NONE;
    k->dated = date_hint(word);
    if (k->n > sizeof k->near)
        k->far = arena_copy(&d->arena, word).p;
    if (!str_eq(word, stem)) {
        key[0] = KEY_FORM;
        memcpy(key + 1, word.p, word.n);
        k->form = term_number(d, (Str){ key, word.n + 1 });
    }
}

static const KnownWord *know_word(SegDraft *d, Str word, bool dense)
{
    KnownWords *t = &d->words;
    if (t->n >= t->slots_n / 4 * 3)
        words_rehash(t);
    KnownWord key = word_key(word);
    for (size_t at = key.hash;; at++) {
        KnownWord *slot = &t->slots[at & (t->slots_n - 1)];
        if (slot->n && !same_word(slot, &key))
            continue;
        if (slot->n)
            return slot;
        learn_word(d, word, dense, &key);
        *slot = key;
        t->n++;
        return slot;
    }
}

/* Returns whether it may be part of a date. */
static bool add_word(SegDraft *d, Str word, bool dense, unsigned times, uint8_t bits)
{
    const KnownWord *k = know_word(d, word, dense);
    add_entry(d, k->term, times, (uint8_t)(bits | (k->form == NONE ? 0 : POST_OTHER)));
    if (k->form != NONE)
        add_entry(d, k->form, 1, 0);
    return k->dated;
}

/* Of a dense script its characters are terms too, not pairs alone.  Returns whether it may be part
 * of a date. */
static bool add_part(SegDraft *d, const Chunk *c, size_t i, unsigned times, uint8_t bits)
{
    Str part = c->parts[i].text;
    bool dated = add_word(d, part, c->dense, times, bits);
    size_t first = 0;
    if (!c->dense)
        return dated;
    (void)utf8_next(part, &first);
    if (first < part.n)
        add_word(d, str_slice(part, 0, first), true, times, bits);
    return dated;
}

static void add_name(SegDraft *d, Str name)
{
    AUTO(Words) words = { 0 };
    Chunk c;
    words_init(&words, name);
    while (utf8_valid(name) && words_next(&words, &c)) {
        for (size_t i = 0; i < c.parts_n; i++)
            (void)add_part(d, &c, i, 2, POST_NAME);
        for (size_t i = 0; i < c.wholes_n; i++)
            add_key(d, KEY_WHOLE, c.wholes[i], POST_NAME);
    }
}

/* --- Text -------------------------------------------------------------------------------- */

typedef struct Cutting {
    SegDraft *d;
    DraftRow *row;
    Str text;
    size_t head_to;         /* where the first line ends */
    size_t about, about_to; /* what it says of itself */
    size_t words_n; /* in d->said: all of them for dates, what there is room for for grams */
    unsigned capitals;
    bool number;
    bool dated; /* one of its words may be part of a date */
} Cutting;

/* A name is a word with a capital that no sentence begins with. */
static bool is_name(const Cutting *c, size_t from)
{
    size_t before = from;
    assert(from < c->text.n && c->text.p);
    while (before && c->text.p[before - 1] == ' ')
        before--;
    return is_upper(c->text.p[from]) && before && !strchr(".!?\n:\"*-", c->text.p[before - 1]);
}

static void note_word(Cutting *c, Str word, size_t from)
{
    c->capitals += is_name(c, from);
    c->number = c->number || (word.p[0] >= '0' && word.p[0] <= '9');
    Buf *said = &c->d->said;
    if (c->row->row.profile == PROFILE_ARTIFACT ? said->n + word.n >= GRAM_BYTES_MAX
                                                : c->words_n == DATE_WORDS_MAX)
        return;
    if (c->words_n++)
        buf_add_char(said, ' ');
    buf_add(said, word);
}

/* Where a word of an artifact stands. */
static uint8_t place_bits(const Cutting *c, size_t from)
{
    if (c->row->row.profile != PROFILE_ARTIFACT)
        return 0;
    return (uint8_t)((from < c->head_to ? POST_HEAD : 0) |
                     (from >= c->about && from < c->about_to ? POST_ABOUT : 0));
}

/* The first thing in the quotes or signs with which programs say what they are for. */
static void find_about(Cutting *c)
{
    static const char *const pairs[][2] = { { "\"\"\"", "\"\"\"" },
                                            { "'''", "'''" },
                                            { "/*", "*/" } };
    enum { ABOUT_FROM_MAX = 2000 };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        Str open = str(pairs[i][0]), close = str(pairs[i][1]);
        Str near = str_slice(c->text, 0, ABOUT_FROM_MAX);
        const char *at = near.n ? memmem(near.p, near.n, open.p, open.n) : NULL;
        if (!at)
            continue;
        size_t from = (size_t)(at - c->text.p) + open.n;
        if (c->about_to && from > c->about)
            continue;
        Str rest = str_from(c->text, from);
        const char *end = rest.n ? memmem(rest.p, rest.n, close.p, close.n) : NULL;
        c->about = from;
        c->about_to = end ? (size_t)(end - c->text.p) : c->text.n;
    }
}

static void cut_text(Cutting *c)
{
    AUTO(Words) words = { 0 };
    Chunk chunk;
    size_t len = 0, head = 0;
    words_init(&words, c->text);
    while (words_next(&words, &chunk)) {
        bool first = chunk.from < c->head_to;
        uint8_t bits = place_bits(c, chunk.from);
        for (size_t i = 0; i < chunk.parts_n; i++) {
            c->dated |= add_part(c->d, &chunk, i, 1, bits);
            note_word(c, chunk.parts[i].text, chunk.parts[i].from);
        }
        for (size_t i = 0; i < chunk.wholes_n; i++)
            add_key(c->d, KEY_WHOLE, chunk.wholes[i], bits);
        len += chunk.parts_n;
        head += first ? chunk.parts_n : 0;
    }
    c->row->row.len = (uint32_t)(len < SEG_LEN_MAX ? len : SEG_LEN_MAX);
    c->row->row.head = (uint8_t)(head < 255 ? head : 255);
}

static void add_dates(Cutting *c)
{
    if (!c->dated || c->row->row.profile == PROFILE_ARTIFACT)
        return;
    AUTO(Arena) arena = { 0 };
    Dates dates;
    Str *words = NEW_ARRAY(&arena, Str, c->words_n + 1), rest = buf_str(&c->d->said);
    size_t n = 0;
    while (str_cut(&rest, ' ', &words[n]))
        n++;
    words[n++] = rest;
    assert(n == c->words_n);
    dates_find(words, n, date_of(c->row->row.at_ms), &dates);
    for (size_t i = 0; i < dates.n; i++) {
        char text[16];
        Date x = dates.items[i];
        int digits = x.month ? snprintf(text, sizeof text, "%04u%02u", x.year, x.month)
                             : snprintf(text, sizeof text, "%04u", x.year);
        char key[24] = { KEY_DATE };
        memcpy(key + 1, text, (size_t)digits);
        uint32_t term = term_number(c->d, (Str){ key, (size_t)digits + 1 });
        if (c->d->last[term] == NONE || c->d->last[term] < c->d->row_from)
            add_entry(c->d, term, 1, x.day);
    }
    c->row->row.flags |= dates.time ? ROW_TIME : 0;
}

static void add_grams(Cutting *c)
{
    Str said = buf_str(&c->d->said);
    for (size_t i = 0; c->row->row.profile == PROFILE_ARTIFACT && i + GRAM <= said.n; i++)
        add_key(c->d, KEY_GRAM, str_slice(said, i, i + GRAM), 0);
}

static void add_speaker(SegDraft *d, Str name)
{
    char folded[SEG_KEY_MAX];
    size_t n = fold_name(name, folded, SEG_KEY_MAX - 1);
    Str rest = { folded, n }, part;
    if (n)
        add_key(d, KEY_SPEAKER, rest, 0);
    if (str_cut(&rest, ' ', &part)) /* "Ann Lee" is called Ann */
        add_key(d, KEY_SPEAKER, part, 0);
}

static Profile profile_of(Str stream, Str text)
{
    if (str_starts(stream, S("runs/")))
        return PROFILE_TURN;
    if (str_starts(stream, S("artifacts/")) || looks_like_code(text))
        return PROFILE_ARTIFACT;
    return PROFILE_NOTE;
}

static size_t head_end(Str text, Profile p)
{
    size_t begin = 0;
    while (begin < text.n && ((unsigned char)text.p[begin] <= ' ' || strchr("\"{[", text.p[begin])))
        begin++;
    Str rest = str_from(text, begin);
    size_t n = str_find(rest, '\n'), open = str_find(rest, '(');
    return begin + (p == PROFILE_ARTIFACT && open < n ? open : n);
}

static uint8_t row_flags(const Cutting *c, bool log)
{
    Str bare = str_trim(c->text);
    unsigned capitals = c->capitals < 2 ? c->capitals : 2;
    return (uint8_t)(c->row->row.flags | (log ? ROW_LOG : 0) |
                     (bare.n && bare.p[bare.n - 1] == '?' ? ROW_QUESTION : 0) |
                     (c->number ? ROW_NUMBER : 0) | capitals * ROW_CAPITALS);
}

static uint32_t stream_number(SegDraft *d, Str stream)
{
    bool fresh;
    uint32_t number = texts_add(&d->streams, stream, &fresh);
    if (fresh) {
        GROW(d, d->known, number, d->known_cap);
        d->known[number] = (DraftStream){ .newest = NONE };
    }
    return number;
}

void draft_row(SegDraft *d, Str stream, const Record *r, Str label, Str text)
{
    bool log = str_starts(stream, S("runs/"));
    text = utf8_valid(text) ? text : (Str){ 0 };
    Str speaker = log ? leading_speaker(text) : (Str){ 0 };
    GROW(d, d->rows, d->rows_n, d->rows_cap);
    DraftRow *row = &d->rows[d->rows_n];
    *row = (DraftRow){ .row = { .at_ms = r->mark.at_ms,
                                .seq = r->mark.seq,
                                .title = title_of(stream, text),
                                .digest = text_digest(text),
                                .profile = (uint8_t)profile_of(stream, text) },
                       .author = arena_copy(&d->arena, r->by) };
    uint32_t number = stream_number(d, stream);
    row->row.stream = number;
    row->before = d->known[number].newest;
    d->known[number].newest = d->rows_n;
    row->from = d->row_from = d->entries_n;
    buf_clear(&d->said);
    Cutting c = { .d = d, .row = row, .text = text };
    c.head_to = head_end(text, row->row.profile);
    if (row->row.profile == PROFILE_ARTIFACT)
        find_about(&c);
    cut_text(&c);
    add_name(d, str_from(stream, str_find(stream, '/') + 1));
    add_name(d, label);
    add_dates(&c);
    add_grams(&c);
    if (log)
        add_speaker(d, speaker.n ? speaker : r->by);
    assert(row->from <= d->entries_n && row->before != d->rows_n);
    row->row.flags = row_flags(&c, log);
    d->rows_n++;
}

void draft_stream(SegDraft *d, Str stream, const SegStream *known)
{
    uint32_t number = stream_number(d, stream); /* may move them */
    DraftStream *s = &d->known[number];
    s->known = *known;
    s->there = true;
}

bool draft_has(const SegDraft *d, Str stream)
{
    uint32_t number = texts_find(&d->streams, stream);
    return number != NONE && d->known[number].there;
}

void draft_drop(SegDraft *d, Str stream, uint64_t from, uint64_t to)
{
    uint32_t number = texts_find(&d->streams, stream);
    if (number == NONE)
        return;
    for (uint32_t i = d->known[number].newest; i != NONE; i = d->rows[i].before)
        if (d->rows[i].row.seq >= from && d->rows[i].row.seq <= to)
            d->rows[i].dropped = true;
}

uint32_t draft_rows(const SegDraft *d)
{
    return d->rows_n;
}

bool draft_empty(const SegDraft *d)
{
    return d->rows_n == 0 && d->streams.n == 0;
}

/* --- Putting it together ----------------------------------------------------------------- */

typedef struct Ordered {
    const SegDraft *d;
    uint32_t *streams, *stream_rank; /* numbers by name, and back */
    uint32_t *rows;                  /* numbers by order, without what was dropped */
    uint32_t rows_n;
    uint32_t *terms, *term_from; /* numbers by key; where a term's entries begin in `posts` */
    SegPost *posts;
    SegRow *out;
    Arena arena;
} Ordered;

static void ordered_done(Ordered *o)
{
    arena_free(&o->arena);
}
DEFINE_AUTO(Ordered, ordered_done)

/* A text's number, and its first eight bytes as a number that has their order: most comparisons end
 * there, and need not look for the text. */
typedef struct Sorting {
    uint64_t begins;
    uint32_t number;
} Sorting;

static int by_text(const void *a, const void *b, void *texts)
{
    const Sorting *x = a, *y = b;
    const Str *items = texts;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    return str_cmp(items[x->number], items[y->number]);
}

/* Their numbers by their bytes. */
static uint32_t *sorted(const Texts *t, Arena *into)
{
    AUTO(Arena) arena = { 0 };
    Sorting *all = NEW_ARRAY(&arena, Sorting, t->n + (size_t)1);
    uint32_t *numbers = NEW_ARRAY(into, uint32_t, t->n + (size_t)1);
    bool ordered = true;
    for (uint32_t i = 0; i < t->n; i++) {
        Str text = t->items[i];
        memcpy(&all[i].begins, text.p, text.n < 8 ? text.n : 8);
        all[i].begins = be64toh(all[i].begins);
        all[i].number = i;
        ordered = ordered && (i == 0 || by_text(&all[i - 1], &all[i], t->items) < 0);
    }
    if (!ordered)
        qsort_r(all, t->n, sizeof *all, by_text, t->items);
    for (uint32_t i = 0; i < t->n; i++)
        numbers[i] = all[i].number;
    return numbers;
}

/* Documents by time, then runs by name and record. */
static int by_place(const void *a, const void *b, void *ctx)
{
    const Ordered *o = ctx;
    const SegRow *x = &o->d->rows[*(const uint32_t *)a].row,
                 *y = &o->d->rows[*(const uint32_t *)b].row;
    int log_x = x->flags & ROW_LOG, log_y = y->flags & ROW_LOG;
    if (log_x != log_y)
        return log_x ? 1 : -1;
    if (!log_x && x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    uint32_t sx = o->stream_rank[x->stream], sy = o->stream_rank[y->stream];
    if (sx != sy)
        return sx < sy ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static void order_rows(Ordered *o)
{
    const SegDraft *d = o->d;
    o->stream_rank = NEW_ARRAY(&o->arena, uint32_t, d->streams.n + 1);
    for (uint32_t i = 0; i < d->streams.n; i++)
        o->stream_rank[o->streams[i]] = i;
    o->rows = NEW_ARRAY(&o->arena, uint32_t, d->rows_n + 1);
    for (uint32_t i = 0; i < d->rows_n; i++)
        if (!d->rows[i].dropped)
            o->rows[o->rows_n++] = i;
    assert(o->rows_n <= d->rows_n);
    if (o->rows_n)
        qsort_r(o->rows, o->rows_n, sizeof *o->rows, by_place, o);
}

static void place_rows(Ordered *o, SegWriter *w)
{
    uint32_t *session_of = NEW_ARRAY(&o->arena, uint32_t, o->rows_n + 1), session = 0;
    o->out = NEW_ARRAY(&o->arena, SegRow, o->rows_n + 1);
    for (uint32_t i = 0; i < o->rows_n; i++) {
        const DraftRow *r = &o->d->rows[o->rows[i]];
        o->out[i] = r->row;
        o->out[i].stream = o->stream_rank[r->row.stream];
        o->out[i].author = seg_write_author(w, r->author);
        session += i > 0 && !seg_same_session(&o->out[i - 1], &o->out[i],
                                              o->out[i - 1].stream == o->out[i].stream);
        session_of[i] = session;
    }
    w->session_of = session_of;
}

static size_t entries_end(const SegDraft *d, uint32_t row)
{
    assert(row < d->rows_n);
    return row + 1 < d->rows_n ? d->rows[row + 1].from : d->entries_n;
}

/* Entries by term: counted, then put in their places, row by row in the order of rows, so that the
 * postings of each term come out in order. */
static void group_entries(Ordered *o)
{
    const SegDraft *d = o->d;
    uint32_t *next = NEW_ARRAY(&o->arena, uint32_t, d->terms.n + 1);
    o->term_from = NEW_ARRAY(&o->arena, uint32_t, d->terms.n + 2);
    o->posts = NEW_ARRAY(&o->arena, SegPost, d->entries_n + 1);
    for (uint32_t i = 0; i < o->rows_n; i++)
        for (size_t e = d->rows[o->rows[i]].from, end = entries_end(d, o->rows[i]); e < end; e++)
            o->term_from[d->entry_terms[e] + 1]++;
    for (uint32_t t = 0; t < d->terms.n; t++) {
        o->term_from[t + 1] += o->term_from[t];
        next[t] = o->term_from[t];
    }
    for (uint32_t i = 0; i < o->rows_n; i++)
        for (size_t e = d->rows[o->rows[i]].from, end = entries_end(d, o->rows[i]); e < end; e++)
            o->posts[next[d->entry_terms[e]]++] = (SegPost){ i, d->entry_bits[e] };
    for (uint32_t t = 0; t < d->terms.n; t++)
        assert(next[t] == o->term_from[t + 1]);
}

static void write_one_term(const Ordered *o, SegWriter *w, uint32_t term)
{
    size_t n = o->term_from[term + 1] - o->term_from[term];
    if (n)
        seg_write_term(w, o->d->terms.items[term], o->posts + o->term_from[term], n);
}

static void write_streams(Ordered *o, SegWriter *w)
{
    uint32_t *first = NEW_ARRAY(&o->arena, uint32_t, o->d->streams.n + 1);
    uint32_t *n = NEW_ARRAY(&o->arena, uint32_t, o->d->streams.n + 1);
    for (uint32_t i = o->rows_n; i-- > 0;) {
        first[o->out[i].stream] = i;
        n[o->out[i].stream]++;
    }
    for (uint32_t i = 0; i < o->d->streams.n; i++) {
        SegStream known = o->d->known[o->streams[i]].known;
        known.first = n[i] ? first[i] : 0;
        known.n = n[i];
        seg_write_stream(w, o->d->streams.items[o->streams[i]], &known);
    }
}

void draft_end(SegDraft *d, Buf *out)
{
    AUTO(SegWriter) w = { 0 };
    AUTO(Ordered) o = { .d = d };
    o.streams = sorted(&d->streams, &o.arena);
    o.terms = sorted(&d->terms, &o.arena);
    order_rows(&o);
    w.rows = o.rows_n;
    place_rows(&o, &w);
    group_entries(&o);
    uint32_t i = 0;
    for (; i < d->terms.n && d->terms.items[o.terms[i]].p[0] < KEY_STREAM; i++)
        write_one_term(&o, &w, o.terms[i]);
    write_streams(&o, &w);
    assert(w.streams == d->streams.n);
    for (; i < d->terms.n; i++)
        write_one_term(&o, &w, o.terms[i]);
    seg_write_end(&w, o.out, o.rows_n, out);
}
