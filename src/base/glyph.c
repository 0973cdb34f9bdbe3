/* glyph.c - kinds of characters, and text in which nothing is hidden.
 *
 * Plain ASCII is passed over sixteen bytes at a time: it is most of what is ever shown. */
#include "base/glyph.h"

#include <stdio.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "base/vector16.h"

/* --- Kinds ------------------------------------------------------------------------------- */

/* Reserved: whatever will be assigned there is to be ignored by who does not know it. */
static bool reserved_unseen(uint32_t c)
{
    return c == 0x2065 || (c >= 0xFFF0 && c <= 0xFFF8) || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* Assigned as letters and symbols, and empty: a pattern of Braille, a note without a head, blanks
 * of hieroglyphs. */
static bool blank(uint32_t c)
{
    return c == 0x2800 || c == 0x1D159 || c == 0x13441 || c == 0x13442;
}

static bool no_character(uint32_t c)
{
    return (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

GlyphKind glyph_kind(uint32_t c)
{
    if (c < 0x80) {
        if (c == ' ' || c == '\t')
            return GLYPH_SPACE;
        /* FS, GS and RS end a line for Python. */
        if ((c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E))
            return GLYPH_BREAK;
        return c < ' ' || c == 0x7F ? GLYPH_UNSEEN : GLYPH_SEEN;
    }
    if (c == 0x85 || c == 0x2028 || c == 0x2029)
        return GLYPH_BREAK;
    if (blank(c) || reserved_unseen(c) || no_character(c) ||
        utf8proc_get_property((utf8proc_int32_t)c)->ignorable)
        return GLYPH_UNSEEN;
    static const GlyphKind kinds[] = {
        [UTF8PROC_CATEGORY_ZS] = GLYPH_SPACE,   [UTF8PROC_CATEGORY_MN] = GLYPH_MARK,
        [UTF8PROC_CATEGORY_MC] = GLYPH_MARK,    [UTF8PROC_CATEGORY_ME] = GLYPH_MARK,
        [UTF8PROC_CATEGORY_CC] = GLYPH_UNSEEN,  [UTF8PROC_CATEGORY_CF] = GLYPH_UNSEEN,
        [UTF8PROC_CATEGORY_CS] = GLYPH_UNSEEN,  [UTF8PROC_CATEGORY_CN] = GLYPH_UNKNOWN,
        [UTF8PROC_CATEGORY_CO] = GLYPH_UNKNOWN, /* all others are seen */
    };
    size_t category = (size_t)utf8proc_category((utf8proc_int32_t)c);
    return category < COUNT_OF(kinds) ? kinds[category] : GLYPH_UNKNOWN;
}

GlyphClass glyph_class(uint32_t c)
{
    static const GlyphClass classes[] = {
        [UTF8PROC_CATEGORY_LL] = GLYPH_CLASS_LOWER,  [UTF8PROC_CATEGORY_LU] = GLYPH_CLASS_UPPER,
        [UTF8PROC_CATEGORY_LT] = GLYPH_CLASS_UPPER,  [UTF8PROC_CATEGORY_LM] = GLYPH_CLASS_LETTER,
        [UTF8PROC_CATEGORY_LO] = GLYPH_CLASS_LETTER, [UTF8PROC_CATEGORY_MN] = GLYPH_CLASS_MARK,
        [UTF8PROC_CATEGORY_MC] = GLYPH_CLASS_MARK,   [UTF8PROC_CATEGORY_ME] = GLYPH_CLASS_MARK,
        [UTF8PROC_CATEGORY_ND] = GLYPH_CLASS_NUMBER, [UTF8PROC_CATEGORY_NL] = GLYPH_CLASS_NUMBER,
        [UTF8PROC_CATEGORY_NO] = GLYPH_CLASS_NUMBER, [UTF8PROC_CATEGORY_ZS] = GLYPH_CLASS_SPACE,
        [UTF8PROC_CATEGORY_ZL] = GLYPH_CLASS_SPACE,  [UTF8PROC_CATEGORY_ZP] = GLYPH_CLASS_SPACE,
    };
    if ((c >= '\t' && c <= '\r') || c == 0x85)
        return GLYPH_CLASS_SPACE; /* controls that are space */
    size_t category = (size_t)utf8proc_category((utf8proc_int32_t)c);
    return category < COUNT_OF(classes) ? classes[category] : GLYPH_CLASS_OTHER;
}

bool glyph_next(Str s, size_t *at, uint32_t *c)
{
    size_t n = utf8_char(s, *at, c);
    *at += n ? n : 1;
    return n > 0;
}

/* --- Showing ----------------------------------------------------------------------------- */

/* What stands before a character. */
typedef struct Before {
    GlyphKind kind;
    uint32_t c;
    size_t marks; /* on it already */
} Before;

/* A character that others are joined to. */
static bool joins(GlyphKind kind, uint32_t c)
{
    return c >= 0x80 && (kind == GLYPH_SEEN || kind == GLYPH_MARK);
}

static bool next_joins(Str s, size_t at)
{
    uint32_t c;
    return at < s.n && glyph_next(s, &at, &c) && joins(glyph_kind(c), c);
}

/* A selector after what it selects a form of, a joiner between two that it joins. */
static bool in_writing(Str s, size_t next, uint32_t c, const Before *b)
{
    bool keycap = b->c == '#' || b->c == '*' || (b->c >= '0' && b->c <= '9');
    if (c >= 0xFE00 && c <= 0xFE0F)
        return glyph_kind(b->c) == GLYPH_SEEN && (b->c >= 0x80 || (c == 0xFE0F && keycap));
    /* A heart that is an emoji, and joined to another. */
    bool selected = b->c == 0xFE0F && b->kind == GLYPH_SEEN;
    return (c == 0x200C || c == 0x200D) && (selected || joins(b->kind, b->c)) &&
           next_joins(s, next);
}

/* True if the character that ends at `next` can stay as it is. */
static bool stays(Str s, size_t next, uint32_t c, GlyphHow how, Before *b)
{
    GlyphKind kind = glyph_kind(c);
    bool text = how == GLYPH_TEXT, stay = kind == GLYPH_SEEN || c == ' ';
    if (kind == GLYPH_MARK)
        stay = b->kind == GLYPH_SEEN && b->marks < GLYPH_MARKS_MAX;
    else if (text && kind == GLYPH_UNSEEN)
        stay = in_writing(s, next, c, b);
    else if (text && (c == '\n' || c == '\t'))
        stay = true;
    if (kind == GLYPH_MARK && stay)
        b->marks++; /* the base is still the character before it */
    else if (stay && kind == GLYPH_UNSEEN)
        b->c = c; /* and after a selector a joiner may come */
    else
        *b = (Before){ .kind = stay ? kind : GLYPH_UNSEEN, .c = c };
    return stay;
}

/* Where, from `at` on, sixteen plain bytes are followed by others. */
static size_t skip_plain(Str s, size_t at)
{
    while (s.n - at >= sizeof(Vector16)) {
        Vector16 x = vector16_at(s.p + at);
        if (vector16_first((Vector16)((x < 0x20) | (x >= 0x7F))) < sizeof x)
            return at;
        at += sizeof(Vector16);
    }
    return at;
}

/* A character that must not stand as it is. */
typedef struct Hidden {
    size_t from; /* where it begins */
    uint32_t c;
    bool bad; /* a byte that is part of no character */
} Hidden;

/* Pass over what stays, from *at on; false at the end.  Else *h is what does not, and *at is after
 * it. */
static bool next_hidden(Str s, size_t *at, GlyphHow how, Before *b, Hidden *h)
{
    while (*at < s.n) {
        size_t plain = skip_plain(s, *at);
        if (plain > *at) {
            *at = plain;
            *b = (Before){ .c = (unsigned char)s.p[plain - 1] };
            b->kind = glyph_kind(b->c);
            continue;
        }
        h->from = *at;
        h->bad = !glyph_next(s, at, &h->c);
        if (h->bad)
            *b = (Before){ .kind = GLYPH_UNSEEN };
        if (h->bad || !stays(s, *at, h->c, how, b))
            return true;
    }
    return false;
}

/* How a character is written out, or a byte if `bad`. */
static Str written(uint32_t c, bool bad, char *text, size_t size)
{
    int n;
    if (!bad && (c == '\n' || c == '\r' || c == '\t'))
        n = snprintf(text, size, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    else if (bad || c < 0x80)
        n = snprintf(text, size, "\\x%02X", (unsigned)c);
    else
        n = snprintf(text, size, "\\u{%X}", (unsigned)c);
    return (Str){ text, (size_t)n };
}

size_t glyph_add_most(Buf *to, Str bytes, GlyphHow how, size_t max)
{
    Before before = { .kind = GLYPH_BREAK };
    Hidden hidden = { 0 };
    size_t at = 0, added = 0, room = max;
    char text[16];
    for (bool more = true; more; added = at) {
        more = next_hidden(bytes, &at, how, &before, &hidden);
        Str plain = str_slice(bytes, added, more ? hidden.from : bytes.n);
        Str out = more ? written(hidden.c, hidden.bad, text, sizeof text) : (Str){ 0 };
        if (plain.n > room) {
            size_t cut = utf8_floor(plain, room);
            buf_add(to, str_slice(plain, 0, cut));
            return added + cut;
        }
        buf_add(to, plain);
        if (out.n > room - plain.n)
            return hidden.from;
        buf_add(to, out);
        room -= plain.n + out.n;
    }
    return bytes.n;
}

void glyph_add(Buf *to, Str bytes, GlyphHow how)
{
    (void)glyph_add_most(to, bytes, how, SIZE_MAX);
}

size_t glyph_hidden_at(Str s, GlyphHow how)
{
    Before before = { .kind = GLYPH_BREAK };
    Hidden hidden;
    size_t at = 0;
    return next_hidden(s, &at, how, &before, &hidden) ? hidden.from : s.n;
}

size_t glyph_columns(Str line)
{
    size_t all = 0;
    uint32_t c;
    for (size_t at = 0; at < line.n;)
        all += glyph_next(line, &at, &c) ? (size_t)utf8proc_charwidth((utf8proc_int32_t)c) : 1;
    return all;
}
