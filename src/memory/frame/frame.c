/* frame.c - signs, marked values, parts.
 *
 * A value is marked in two steps, each of which can be taken back by itself: first the places that
 * count wherever they stand, then the lines.  A backslash of the first step stands in front of a
 * '<' or between two digits, so it makes no line mean something that did not before; what begins a
 * line holds neither, so the second step makes no new places.
 *
 * All of it works on bytes: a value that is not UTF-8 is framed as well. */
#include "memory/frame/frame.h"

#include <assert.h>
#include <string.h>

#include "base/fold.h"
#include "base/glyph.h"
#include "base/home.h"
#include "base/id.h"
#include "base/vector16.h"
#include "memory/memory.h"

enum { HALF = FRAME_SIGN / 2 };

/* What a line that means something begins with, without spaces.  A new kind of line is added here
 * first. */
static const Str openings[] = {
    { "###", 3 },           { "##toolusage", 11 }, { "[tool", 5 },
    { "[unknowntool", 12 }, { "[parseerror", 11 }, { "newdataretrievedaftercompaction:", 32 },
};

/* --- Signs ------------------------------------------------------------------------------- */

/* One that could be a number in JSON could not be escaped there. */
static bool usable(const char *sign)
{
    return strspn(sign, "0123456789abcdef") == FRAME_SIGN && strpbrk(sign, "abcdf") != NULL;
}

Frame frame_draw(const Io *io)
{
    Frame f;
    do {
        memcpy(f.sign, id_random(io, HALF).text, sizeof f.sign);
    } while (!usable(f.sign));
    return f;
}

Frame frame_of_pad(Memory *m, uint64_t n)
{
    Frame f;
    char id[STORE_PAD_ID + 1] = "";
    Hash key;
    if (store_id(m->store, id, NULL) != JOT_OK)
        id[0] = 0;
    if (home_secret(m->io, &key, NULL) != JOT_OK)
        key = hash_of(S("jotter"));
    do {
        HashMac h;
        hash_mac_init(&h, key);
        hash_add_field(&h.inner, str(id));
        hash_add_u64(&h.inner, n++);
        memcpy(f.sign, hash_hex(hash_mac_end(&h)).text, FRAME_SIGN);
        f.sign[FRAME_SIGN] = 0;
    } while (!usable(f.sign));
    return f;
}

Frame frame_of_text(Str sign)
{
    Frame f = { 0 };
    if (sign.n == FRAME_SIGN)
        memcpy(f.sign, sign.p, FRAME_SIGN);
    return usable(f.sign) ? f : (Frame){ 0 };
}

/* --- Reading as a model does ------------------------------------------------------------- */

/* What does not count between two characters, or in front of them. */
static bool gap(uint32_t c)
{
    GlyphKind kind = glyph_kind(c);
    return kind == GLYPH_SPACE || kind == GLYPH_UNSEEN || kind == GLYPH_MARK;
}

/* Where the pattern ends that begins right at `at`; 0 if something else stands there. */
static size_t match(Str s, size_t at, Str pattern)
{
    for (size_t done = 0; at < s.n;) {
        uint32_t c, folded[FOLD_MAX];
        if (!glyph_next(s, &at, &c))
            return 0;
        if (done && gap(c))
            continue;
        size_t n = fold_char(c, folded);
        if (n == 0)
            return 0;
        for (size_t i = 0; i < n && done < pattern.n; i++)
            if (folded[i] != (unsigned char)pattern.p[done++])
                return 0;
        if (done == pattern.n)
            return at;
    }
    return 0;
}

/* After what does not count in front. */
static size_t skip_gaps(Str s, size_t at)
{
    for (size_t next = at; next < s.n; at = next) {
        uint32_t c;
        if (!glyph_next(s, &next, &c) || !gap(c))
            return at;
    }
    return at;
}

/* After all that, and backslashes too. */
static size_t skip_marked(Str line)
{
    size_t at = skip_gaps(line, 0);
    while (at < line.n && line.p[at] == '\\')
        at = skip_gaps(line, at + 1);
    return at;
}

bool frame_opens(Str line, const Str *opens, size_t n)
{
    size_t at = skip_marked(line);
    for (size_t i = 0; at < line.n && i < n; i++) {
        unsigned char first = (unsigned char)line.p[at];
        bool other = first < 0x80 && (first | 0x20) != ((unsigned char)opens[i].p[0] | 0x20);
        if (!other && match(line, at, opens[i]))
            return true;
    }
    return false;
}

bool frame_means(Str line)
{
    size_t at = skip_marked(line);
    unsigned char first = at < line.n ? (unsigned char)line.p[at] : 0;
    if (first < 0x80 && (first == 0 || !strchr("#[nN", first)))
        return false; /* no opening begins so, which is most lines */
    size_t third = match(line, at, openings[0]);
    if (third)
        return third == line.n || line.p[third] != '#'; /* a heading that is deeper is nobody's */
    return frame_opens(line, openings + 1, COUNT_OF(openings) - 1);
}

/* --- Places ------------------------------------------------------------------------------ */

/* The first byte from `at` on at which a place may begin: '<', the beginning of the sign in ASCII,
 * anything that is not ASCII. */
static size_t may_begin(const Frame *f, Str s, size_t at)
{
    unsigned char a = (unsigned char)(f ? f->sign[0] | 0x20 : '<');
    unsigned char b = (unsigned char)(f ? f->sign[1] | 0x20 : 0xFF);
    for (; s.n - at > sizeof(Vector16); at += sizeof(Vector16)) {
        Vector16 x = vector16_at(s.p + at), y = vector16_at(s.p + at + 1);
        Vector16 second = (Vector16)(((y | 0x20) == b) | (y <= ' ') | (y >= 0x7F));
        Vector16 sign = (Vector16)(((x | 0x20) == a) & second);
        size_t first = vector16_first((Vector16)((x == '<') | (x >= 0x80) | sign));
        if (first < sizeof x)
            return at + first;
    }
    return at;
}

/* True of most text that is not ASCII: scripts of which no letter folds to one of ASCII. */
static bool foreign(uint32_t c)
{
    return (c >= 0x0370 && c < 0x1D00) || (c >= 0x3400 && c < 0xA640) ||
           (c >= 0xAC00 && c < 0xF900);
}

static bool tag_at(Str s, size_t at)
{
    /* Most that begins with '<' is another tag. */
    unsigned char next = s.p[at] == '<' && at + 1 < s.n ? (unsigned char)s.p[at + 1] : 0;
    if (next > ' ' && next < 0x7F && next != '/' && (next | 0x20) != 'j')
        return false;
    return match(s, at, S("<jotter-")) || match(s, at, S("</jotter-"));
}

/* Where the second half of the sign begins, after any backslashes; 0: there is no sign. */
static size_t sign_at(const Frame *f, Str s, size_t at)
{
    size_t place = match(s, at, (Str){ f->sign, HALF });
    while (place && place < s.n && s.p[place] == '\\')
        place++;
    size_t rest = place ? skip_gaps(s, place) : 0;
    return rest && match(s, rest, (Str){ f->sign + HALF, HALF }) ? place : 0;
}

bool frame_place(const Frame *f, Str s, size_t from, size_t *place, size_t *next)
{
    for (size_t at = may_begin(f, s, from); at < s.n; at = may_begin(f, s, at)) {
        uint32_t c, folded[FOLD_MAX];
        size_t begin = at;
        if (!glyph_next(s, &at, &c) || foreign(c) || fold_char(c, folded) == 0)
            continue;
        if (folded[0] == '<' && tag_at(s, begin)) {
            *place = begin;
            *next = at;
            return true;
        }
        bool first = f && folded[0] == (unsigned char)f->sign[0];
        size_t middle = first ? sign_at(f, s, begin) : 0;
        if (middle) {
            *place = *next = middle; /* another sign may begin in the second half */
            return true;
        }
    }
    return false;
}

bool frame_in(const Frame *f, Str value)
{
    for (size_t at = 0, place; frame_place(f, value, at, &place, &at);)
        if (!tag_at(value, place))
            return true;
    return false;
}

void frame_add_places(Buf *to, const Frame *f, Str text)
{
    size_t added = 0;
    for (size_t at = 0, place; frame_place(f, text, at, &place, &at); added = place) {
        assert(place >= added);
        buf_add(to, str_slice(text, added, place));
        buf_add_char(to, '\\');
    }
    buf_add(to, str_from(text, added));
}

static void read_places(Buf *to, const Frame *f, Str framed)
{
    size_t added = 0;
    for (size_t at = 0, place; frame_place(f, framed, at, &place, &at); added = place) {
        bool marked = place > added && framed.p[place - 1] == '\\';
        buf_add(to, str_slice(framed, added, place - marked));
    }
    buf_add(to, str_from(framed, added));
}

/* --- Lines ------------------------------------------------------------------------------- */

/* The first place from `at` on where a break may begin, or where fewer than sixteen bytes are
 * left. */
static size_t may_break(Str s, size_t at)
{
    for (; s.n - at >= sizeof(Vector16); at += sizeof(Vector16)) {
        Vector16 x = vector16_at(s.p + at);
        Vector16 low = (Vector16)(((x >= '\n') & (x <= '\r')) | ((x >= 0x1C) & (x <= 0x1E)));
        size_t first = vector16_first((Vector16)(low | (x == 0xC2) | (x == 0xE2)));
        if (first < sizeof x)
            return at + first;
    }
    return at;
}

/* The bytes of the line break at `at`, 0 if there is none. */
static size_t break_at(Str s, size_t at)
{
    size_t next = at;
    uint32_t c;
    return at < s.n && glyph_next(s, &next, &c) && glyph_kind(c) == GLYPH_BREAK ? next - at : 0;
}

size_t frame_line_end(Str s, size_t at, size_t *next)
{
    size_t n = 0;
    at = may_break(s, at);
    while (at < s.n && (n = break_at(s, at)) == 0)
        at = may_break(s, at + 1);
    *next = at + n;
    assert(at <= s.n && *next <= s.n);
    return at;
}

static void add_lines(Buf *to, Str value)
{
    size_t added = 0;
    for (size_t at = 0, next; at < value.n; at = next) {
        size_t end = frame_line_end(value, at, &next);
        if (frame_means(str_slice(value, at, end))) {
            buf_add(to, str_slice(value, added, at));
            buf_add_char(to, '\\');
            added = at;
        }
    }
    buf_add(to, str_from(value, added));
}

/* --- Values ------------------------------------------------------------------------------ */

void frame_add(Buf *to, const Frame *f, Str value)
{
    size_t place, next;
    if (!f->sign[0]) {
        frame_old_add(to, value);
        return;
    }
    if (!frame_place(f, value, 0, &place, &next)) { /* the rule */
        add_lines(to, value);
        return;
    }
    AUTO(Buf) marked = { .max = SIZE_MAX / 2 };
    frame_add_places(&marked, f, value);
    add_lines(to, buf_str(&marked));
}

void frame_read(Buf *to, const Frame *f, Str framed)
{
    if (!f->sign[0]) {
        frame_old_read(to, framed);
        return;
    }
    AUTO(Buf) lines = { .max = SIZE_MAX / 2 };
    for (size_t at = 0, next; at < framed.n; at = next) {
        size_t end = frame_line_end(framed, at, &next);
        bool marked = framed.p[at] == '\\' && frame_means(str_slice(framed, at, end));
        buf_add(&lines, str_slice(framed, at + marked, next));
    }
    read_places(to, f, buf_str(&lines));
}

/* --- Parts ------------------------------------------------------------------------------- */

void frame_part_add(Buf *to, const Frame *f, const char *word, Str attributes)
{
    assert(f->sign[0]);
    buf_addf(to, "<jotter-%s %s", word, f->sign);
    buf_add(to, attributes);
    buf_add(to, S(">\n"));
}

void frame_value_add(Buf *to, const Frame *f, const char *word, Str attributes, Str value)
{
    frame_part_add(to, f, word, attributes);
    frame_add(to, f, value);
    buf_add_char(to, '\n');
}

void frame_end_add(Buf *to, const Frame *f)
{
    frame_part_add(to, f, "end", (Str){ 0 });
}

Str frame_before(const Frame *f, Str text)
{
    for (size_t at = 0; f->sign[0] && at < text.n; at += str_find(str_from(text, at), '\n') + 1) {
        Str line = str_slice(text, at, at + str_find(str_from(text, at), '\n'));
        if (str_starts(line, S("<jotter-")) && memmem(line.p, line.n, f->sign, FRAME_SIGN))
            return str_slice(text, 0, at);
    }
    return text;
}
