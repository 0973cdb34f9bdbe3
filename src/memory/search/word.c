/* word.c - cutting a text into words, identifiers and pairs of characters.
 *
 * One pass, no backtracking beyond a chunk, nothing kept but the chunk: a text
 * of any length is cut in constant memory.  A chunk longer than its limits is
 * cut where the limit is; the rest is the next chunk. */
#include "memory/search/word.h"

#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"

/* One character of a chunk, as it stands in the text. */
typedef struct Char {
    uint32_t c;
    FoldKind kind;
    size_t from, to;
} Char;

typedef struct Run {
    Char chars[CHUNK_CHARS_MAX];
    size_t n;
} Run;

void words_init(Words *w, Str text)
{
    *w = (Words){ .text = text };
}

void words_done(Words *w)
{
    buf_free(&w->store);
}

static bool read_char(Str text, size_t at, Char *out)
{
    *out = (Char){ .from = at, .to = at };
    if (at >= text.n)
        return false;
    out->c = utf8_next(text, &out->to);
    out->kind = fold_kind(out->c);
    return true;
}

static bool is_wordy(FoldKind k)
{
    return k == FOLD_LOWER || k == FOLD_UPPER || k == FOLD_DIGIT;
}

static bool is_letter(FoldKind k)
{
    return k == FOLD_LOWER || k == FOLD_UPPER;
}

static bool is_apostrophe(uint32_t c)
{
    return c == '\'' || c == 0x2019;
}

/* What may stand between the parts of one identifier. */
static bool is_connector(uint32_t c)
{
    return c < 0x80 && c && strchr("_-./:@\\~+#", (int)c) != NULL;
}

/* --- Folding --------------------------------------------------------------------------- */

/* Texts are put together in the store and pointed to by offsets until it stops moving. */
static Str offset_str(size_t from, size_t to)
{
    return (Str){ (const char *)from, to - from };
}

static Str fold(Words *w, const Char *chars, size_t n, bool connectors)
{
    size_t from = w->store.n;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = chars[i].c, folded[FOLD_MAX];
        bool other = chars[i].kind == FOLD_NONE;
        if (other && (!connectors || c == '_' || c == '-' || is_apostrophe(c)))
            continue;
        size_t k = fold_char(c, folded);
        for (size_t j = 0; j < k && w->store.n - from + 4 <= WORD_BYTES_MAX; j++)
            if (other || fold_kind(folded[j]) != FOLD_NONE)
                utf8_add(&w->store, folded[j]);
    }
    return offset_str(from, w->store.n);
}

static Str settle(const Words *w, Str offsets)
{
    return (Str){ w->store.p + (size_t)offsets.p, offsets.n };
}

static void settle_chunk(const Words *w, Chunk *c)
{
    for (size_t i = 0; i < c->parts_n; i++)
        c->parts[i].text = settle(w, c->parts[i].text);
    for (size_t i = 0; i < c->wholes_n; i++)
        c->wholes[i] = settle(w, c->wholes[i]);
}

static void add_whole(Words *w, Chunk *out, const Char *chars, size_t n)
{
    if (n == 0 || out->wholes_n == CHUNK_WHOLES_MAX)
        return;
    Str whole = fold(w, chars, n, true);
    for (size_t i = 0; i < out->wholes_n; i++)
        if (str_eq(settle(w, out->wholes[i]), settle(w, whole)))
            return;
    if (whole.n)
        out->wholes[out->wholes_n++] = whole;
}

/* --- Words and identifiers ------------------------------------------------------------- */

/* The character behind an apostrophe or connectors, if the chunk goes on there. */
static bool goes_on(Str text, const Char *here, size_t *next)
{
    Char c;
    if (is_apostrophe(here->c)) {
        *next = here->to;
        return read_char(text, here->to, &c) && is_letter(c.kind);
    }
    if (!is_connector(here->c) || !read_char(text, here->to, &c))
        return false;
    *next = here->to;
    if (is_wordy(c.kind))
        return true;
    bool twice = c.c == here->c && read_char(text, c.to, &c); /* a::b */
    return twice && is_wordy(c.kind);
}

/* The characters of one chunk, from the first letter on; each is read to where it stays. */
static void collect(Words *w, Run *run)
{
    run->n = 0;
    while (run->n < CHUNK_CHARS_MAX && read_char(w->text, w->at, &run->chars[run->n])) {
        const Char *c = &run->chars[run->n];
        size_t next = c->to;
        bool inner = is_wordy(c->kind) || (c->kind == FOLD_MARK && run->n);
        if (!inner && !(c->kind == FOLD_NONE && run->n && goes_on(w->text, c, &next)))
            break;
        run->n++;
        w->at = next;
    }
    /* A chunk that was cut at its limit must not end in a connector. */
    while (run->n > 1 && run->chars[run->n - 1].kind == FOLD_NONE)
        run->n--;
}

/* Does a new part begin at i, inside a run of letters and digits? */
static bool begins_part(const Run *r, size_t i)
{
    FoldKind before = r->chars[i - 1].kind, here = r->chars[i].kind;
    for (size_t k = i; k > 0 && before == FOLD_MARK; k--)
        before = r->chars[k - 1].kind;
    if (here == FOLD_MARK || before == FOLD_NONE)
        return false;
    if ((here == FOLD_DIGIT) != (before == FOLD_DIGIT))
        return true;
    if (here != FOLD_UPPER)
        return false;
    bool low_next = i + 1 < r->n && r->chars[i + 1].kind == FOLD_LOWER;
    return before == FOLD_LOWER || (before == FOLD_UPPER && low_next);
}

static void add_part(Words *w, Chunk *out, const Char *chars, size_t n)
{
    if (n == 0 || out->parts_n == CHUNK_PARTS_MAX)
        return;
    Str text = fold(w, chars, n, false);
    if (text.n)
        out->parts[out->parts_n++] = (Word){ text, chars[0].from, chars[n - 1].to };
}

/* What stands between two connectors: its parts, and joined again all of it and each run of
 * letters in it. */
static void split_segment(Words *w, const Run *r, size_t from, size_t to, Chunk *out)
{
    size_t part = from, run = from, parts = 0, run_parts = 0;
    for (size_t i = from + 1; i <= to; i++) {
        bool end = i == to;
        if (!end && !begins_part(r, i))
            continue;
        add_part(w, out, r->chars + part, i - part);
        part = i;
        parts++;
        run_parts++;
        bool digits = r->chars[run].kind == FOLD_DIGIT;
        if (end || (r->chars[i].kind == FOLD_DIGIT) != digits) {
            if (run_parts > 1)
                add_whole(w, out, r->chars + run, i - run);
            run = i;
            run_parts = 0;
        }
    }
    if (parts > 1)
        add_whole(w, out, r->chars + from, to - from);
}

static bool connects(const Char *c)
{
    return c->kind == FOLD_NONE && !is_apostrophe(c->c);
}

/* The 's of a genitive is no part of the word. */
static size_t without_genitive(const Run *r, size_t from, size_t to)
{
    bool genitive =
        to >= from + 3 && (r->chars[to - 1].c | 32) == 's' && is_apostrophe(r->chars[to - 2].c);
    return genitive ? to - 2 : to;
}

static void split(Words *w, const Run *r, Chunk *out)
{
    for (size_t from = 0, i = 0; i <= r->n; i++) {
        if (i < r->n && !connects(&r->chars[i]))
            continue;
        if (i > from)
            split_segment(w, r, from, without_genitive(r, from, i), out);
        from = i + 1;
    }
}

static bool only_hyphens(const Run *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n; i++) {
        any = any || r->chars[i].c == '-';
        if (r->chars[i].kind == FOLD_DIGIT || (connects(&r->chars[i]) && r->chars[i].c != '-'))
            return false;
    }
    return any;
}

/* C++, C#, F#: signs behind a letter that are part of a name. */
static void take_signs(Words *w, Run *r, Chunk *out)
{
    Char a, b;
    if (r->n > 2 || !read_char(w->text, w->at, &a) || r->n + 2 > CHUNK_CHARS_MAX)
        return;
    size_t next = a.to;
    bool sharp = a.c == '#';
    bool plus = a.c == '+' && read_char(w->text, a.to, &b) && b.c == '+';
    if (!sharp && !plus)
        return;
    r->chars[r->n++] = a;
    if (plus) {
        r->chars[r->n++] = b;
        next = b.to;
    }
    w->at = next;
    out->marked = true;
}

static void read_word(Words *w, Chunk *out)
{
    Run run;
    collect(w, &run);
    split(w, &run, out);
    take_signs(w, &run, out);
    bool joined = false;
    for (size_t i = 0; i < run.n; i++)
        joined = joined || connects(&run.chars[i]);
    if (joined)
        add_whole(w, out, run.chars, run.n);
    out->loose = !out->marked && only_hyphens(&run);
    out->to = run.n ? run.chars[run.n - 1].to : out->from;
}

/* The rest of a chunk is large, and nobody looks beyond what is counted. */
static void chunk_begin(Chunk *out, size_t from, size_t to)
{
    out->dense = out->loose = out->marked = false;
    out->parts_n = out->wholes_n = 0;
    out->from = from;
    out->to = to;
}

/* A character of ASCII, or the end, behind which no word goes on. */
static bool ends_word(Str text, size_t at)
{
    if (at == text.n)
        return true;
    char c = text.p[at];
    if (c == '.' || c == ':') {
        at++;
        return at == text.n || text.p[at] == ' ' || text.p[at] == '\n';
    }
    return c && strchr(" \n\t\r,;!?()[]{}\"", c) != NULL;
}

/* Most words are plain: letters of ASCII, all small but perhaps the first, and nothing behind them
 * that might belong to them.  They are taken as they stand; the long way would come to the same. */
static bool read_plain(Words *w, Chunk *out)
{
    const char *p = w->text.p;
    bool capital = p[w->at] >= 'A' && p[w->at] <= 'Z';
    size_t from = w->at, to = from + capital;
    /* No further than a chunk goes: the rest of a long line is not looked at again for each of its
     * chunks. */
    while (to < w->text.n && to - from < CHUNK_CHARS_MAX && p[to] >= 'a' && p[to] <= 'z')
        to++;
    if (to == from || to - from >= CHUNK_CHARS_MAX || !ends_word(w->text, to))
        return false;
    Str word = str_slice(w->text, from, to);
    chunk_begin(out, from, to);
    if (capital) {
        buf_clear(&w->store);
        buf_add_char(&w->store, (char)(p[from] | 32));
        buf_add(&w->store, str_from(word, 1));
        word = buf_str(&w->store);
    }
    out->parts[out->parts_n++] = (Word){ word, from, to };
    w->at = to;
    return true;
}

/* --- Dense scripts --------------------------------------------------------------------- */

typedef struct Dense {
    uint32_t c;
    size_t from, to;
} Dense;

/* Folded characters of a dense run, composed; returns how many. */
static size_t collect_dense(Words *w, Dense *to, size_t max, bool *more)
{
    size_t n = 0;
    Char c;
    *more = false;
    for (; read_char(w->text, w->at, &c); w->at = c.to) {
        if (c.kind != FOLD_DENSE && c.kind != FOLD_MARK)
            break;
        uint32_t folded[FOLD_MAX];
        size_t k = fold_char(c.c, folded);
        if (n + k > max) {
            *more = true;
            break;
        }
        for (size_t i = 0; i < k; i++) {
            uint32_t both = n ? fold_join(to[n - 1].c, folded[i]) : 0;
            if (both)
                to[n - 1] = (Dense){ both, to[n - 1].from, c.to };
            else if (fold_kind(folded[i]) != FOLD_NONE)
                to[n++] = (Dense){ folded[i], c.from, c.to };
        }
    }
    return n;
}

static void add_pair(Words *w, Chunk *out, const Dense *d, size_t n)
{
    size_t from = w->store.n;
    for (size_t i = 0; i < n; i++)
        utf8_add(&w->store, d[i].c);
    out->parts[out->parts_n++] = (Word){ offset_str(from, w->store.n), d[0].from, d[n - 1].to };
}

static void read_dense(Words *w, Chunk *out)
{
    Dense d[CHUNK_PARTS_MAX];
    bool more = false;
    out->dense = true;
    size_t n = collect_dense(w, d, CHUNK_PARTS_MAX, &more);
    for (size_t i = 0; i + 1 < n; i++)
        add_pair(w, out, d + i, 2);
    /* A run that goes on is taken up again at its last character, so that no pair is missing. */
    if (more && n > 1)
        w->at = d[n - 1].from;
    else if (n)
        add_pair(w, out, d + n - 1, 1);
    out->to = n ? d[n - 1].to : w->at;
}

bool words_next(Words *w, Chunk *out)
{
    Char c;
    while (w->at < w->text.n) {
        if (w->text.p[w->at] == ' ') {
            w->at++;
            continue;
        }
        if (read_plain(w, out))
            return true;
        if (!read_char(w->text, w->at, &c))
            break;
        chunk_begin(out, c.from, c.to);
        buf_clear(&w->store);
        if (is_wordy(c.kind))
            read_word(w, out);
        else if (c.kind == FOLD_DENSE)
            read_dense(w, out);
        else
            w->at = c.to;
        if (out->parts_n) {
            settle_chunk(w, out);
            return true;
        }
        if (w->at == c.from) /* nothing of it could be folded */
            w->at = c.to;
    }
    return false;
}
